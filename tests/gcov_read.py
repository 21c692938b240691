# SPDX-License-Identifier: MIT
"""What gcov says of an object."""

import gzip
import json
import subprocess


def read(gcno, directory):
    """{source: [line, as gcov describes it]}; DIRECTORY has what was counted."""
    out = subprocess.run(["gcov", "-b", "-j", "-t", "-o", directory, gcno],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    if out[:2] == b"\x1f\x8b":
        out = gzip.decompress(out)
    return {file["file"]: file["lines"] for file in json.loads(out)["files"]}

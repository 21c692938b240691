# SPDX-License-Identifier: MIT
"""Programs of tests/bench in the VM, and the figures they print."""

import os
import subprocess
import sys

COUNTED = "guest instructions by QEMU -icount shift=0, least of 24 rounds of 64"
# After about 8 s of its own time the machine has settled.
SETTLE = "sleep 8"


def run(build, commands, icount=True, options=()):
    """Lines that the commands print, one after the other, in one VM. Ends the benchmark if one fails."""
    script = " && ".join(["cd %s/tests/bench" % build] + ([SETTLE] if icount else []) + commands)
    line = ["tests/vm/run", "--build", build, "--log", build + "/vm/bench.log", *options, "--",
            "bash", "-c", script]
    env = dict(os.environ)
    if icount:
        env["TSR_VM_ACCEL"] = "icount"
    done = subprocess.run(line, stdout=subprocess.PIPE, env=env, check=False, encoding="utf-8")
    if done.returncode:
        sys.stdout.write(done.stdout)
        sys.exit("bench: %s: status %d" % (script, done.returncode))
    return done.stdout.splitlines()


def figures(lines, how):
    """Results of lines "name value unit"; name/N is a point of a scaling."""
    results = []
    for line in lines:
        name, value, unit = line.split()
        results.append({"name": name, "value": float(value), "unit": unit, "how": how})
    return results


def instructions(build):
    """The pipeline and its peers, in the same VM."""
    return figures(run(build, ["./pipeline", "./peers"],
                       options=["--modules", "vgem null_blk"]), COUNTED)

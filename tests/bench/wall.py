# SPDX-License-Identifier: MIT
"""Comparisons by the clock with PoCL and StarPU: in the VM, and of the warm path on the host."""

import subprocess
import sys

import guest
import pairs

# StarPU's worker polls: it gets a processor for itself, as is usual.
SETTING = "STARPU_NCPU=1 STARPU_SILENT=1 STARPU_HOME=/tmp POCL_CACHE_DIR=/tmp/pocl"
WHAT = {
    "round_trip": "one empty kernel, submitted and waited for",
    "batch": "a kernel of 32, submitted at once and waited for",
    "submit": "a kernel of 32, submission only",
}


def times(lines):
    """{(side, what): [ns of round 0, ...]}"""
    result = {}
    for line in lines:
        word, side, what, _, value = line.split()
        assert word == "time", line
        result.setdefault((side, what), []).append(float(value))
    return result


def in_guest(build):
    t = times(guest.run(build, ["export %s; ./wall %d tessera pocl starpu" %
                                (SETTING, pairs.ROUNDS)], icount=False))
    return [pairs.ratio("wall.%s.%s" % (what, peer), t["tessera", what], t[peer, what],
                        "%s.%s" % (peer, what), WHAT[what] + "; same VM, interleaved rounds")
            for peer in ("pocl", "starpu") for what in WHAT]


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode:
        sys.exit("bench: %s: status %d" % (command, done.returncode))
    return done.stdout


def warm_path(build):
    """Everything of a submit but its ioctl against StarPU's submit of a task, on this host."""
    program = build + "/tests/bench/"
    ours, theirs = [], []
    for _ in range(pairs.ROUNDS):
        ours.append(float(output([program + "warm_path", "16", "100000", "time"])))
        lines = output(["env", *SETTING.split(), program + "wall", "9", "starpu"]).splitlines()
        theirs.append(min(times(lines)["starpu", "submit"]))
    return [pairs.ratio("lib.warm_path.time", ours, theirs, "starpu.submit",
                        "16 cores x 16 words, 100,000 calls; the peer: least of 9 times 128 "
                        "tasks; on the host, interleaved processes")]

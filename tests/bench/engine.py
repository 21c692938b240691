# SPDX-License-Identifier: MIT
"""The engine's rate against qemu-riscv32's, on the same programs (tests/bench/riscv)."""

import json
import math
import os
import subprocess
import sys

import pairs

PROGRAMS = ["sieve", "crc", "matmul", "sort", "calls", "divide"]
HOW = "processor time of the process less that of an empty program, %d interleaved rounds"


def spent(command):
    """(exit status, processor seconds, output) of a process."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, output


def round_of(sides, programs):
    """{(side, program): seconds}, each side in turn for each program."""
    times = {}
    for program in programs:
        ends = {}
        for side, command in sides.items():
            ends[side], times[side, program], output = spent([*command, program])
            if side == "engine":
                times["instructions", program] = json.loads(output)["instructions"]
        if len(set(ends.values())) != 1:
            sys.exit("bench: %s ends differently: %s" % (program, ends))
    return times


def rates(times, side, program, empty):
    """Million instructions a second, round by round."""
    return [t["instructions", program] * 1e-6 / (t[side, program] - t[side, empty])
            for t in times]


def figures(build):
    where = build + "/tests/bench/riscv/"
    sides = {"engine": [build + "/tessera", "hart", "run", "--json"], "qemu": ["qemu-riscv32"]}
    empty = where + "empty"
    times = [round_of(sides, [empty] + [where + p for p in PROGRAMS])
             for _ in range(pairs.ROUNDS)]
    results = [pairs.ratio("engine.rate." + p, rates(times, "engine", where + p, empty),
                           rates(times, "qemu", where + p, empty), "qemu-riscv32",
                           HOW % pairs.ROUNDS, "million instructions/s") for p in PROGRAMS]
    mean = {key: math.exp(sum(math.log(r[key]) for r in results) / len(results))
            for key in ("value", "peer_value", "ratio", "ratio_min", "ratio_max")}
    least = min(results, key=lambda r: r["ratio"])
    return results + [
        {**results[0], **mean, "name": "engine.rate", "how": "geometric mean of the programs"},
        {"name": "engine.rate.least", "value": min(r["value"] for r in results),
         "unit": results[0]["unit"], "how": "slowest of the programs"},
        {"name": "engine.to_qemu", "value": mean["ratio"], "unit": "ratio",
         "how": "geometric mean of the programs' ratios"},
        {"name": "engine.to_qemu.least", "value": least["ratio"], "unit": "ratio",
         "how": "of " + least["name"]},
    ]

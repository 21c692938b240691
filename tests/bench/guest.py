# SPDX-License-Identifier: MIT
"""Programs of tests/bench in the VM, and the figures they print."""

import os
import re
import subprocess
import sys

import fit

COUNTED = "guest instructions by QEMU -icount shift=0, least of 24 rounds of 64"
# After about 8 s of its own time the machine has settled.
SETTLE = "sleep 8"


def run(build, commands, icount=True, timeout=900, options=()):
    """Lines that the commands print, one after the other, in one VM. Ends the benchmark if one fails."""
    script = " && ".join(["cd %s/tests/bench" % build] + ([SETTLE] if icount else []) + commands)
    line = ["tests/vm/run", "--no-poison", "--build", build, "--log", build + "/vm/bench.log",
            "--timeout", str(timeout), *options, "--",
            "bash", "-c", script]
    env = dict(os.environ)
    if icount:
        env["TSR_VM_ACCEL"] = "icount"
    lines = []
    with subprocess.Popen(line, stdout=subprocess.PIPE, env=env, encoding="utf-8") as vm:
        for text in vm.stdout:
            lines.append(text)
            print("  " + text, end="", flush=True)
    if vm.returncode:
        sys.exit("bench: %s: status %d" % (script, vm.returncode))
    return lines


def figures(lines, how):
    """Results of lines "name value unit"; name/N is a point of a scaling."""
    results = []
    for line in lines:
        name, value, unit = line.split()
        results.append({"name": name, "value": float(value), "unit": unit, "how": how})
    return results


def make_device(name, **attributes):
    """Commands that make a virtual device."""
    where = "/sys/kernel/config/tessera/" + name
    return ["mkdir " + where] + \
        ["echo %s >%s/%s" % (value, where, attribute) for attribute, value in
         [*attributes.items(), ("enable", 1)]]


def instructions(build):
    """The pipeline and its peers, in the same VM."""
    results = figures(run(build, ["./pipeline", "./peers"],
                          options=["--modules", "vgem null_blk"]), COUNTED)
    results += figures(run(build, ["./pipeline no-diag"],
                           options=["--module", build + "/no-diag/tessera.ko"]), COUNTED)
    values = {r["name"]: r["value"] for r in results}
    for name in ("run.single", "run.batch32"):
        # Until there is a way without handles, that with them is the fastest.
        if name not in values:
            results.append({"name": name, "value": values[name + "_handles"],
                            "unit": "instructions", "how": COUNTED})
    results.append({"name": "run.profile_off", "unit": "ratio",
                    "value": values["run.single_handles"] / values["run.single_no_diag"],
                    "how": "a run without profiling to one by a module without the feature"})
    return results


def scaling(build):
    """Figures NAME/N, and the shape of each NAME."""
    big = make_device("big", width=16, height=16, words=4096, bindings=4096, queue_capacity=4096)
    results = figures(run(build, [*big, "./scaling big"], timeout=2400), COUNTED)
    curves = {}
    for result in results:
        name, at = re.fullmatch(r"(.*)/(\d+)", result["name"]).groups()
        curves.setdefault(name, []).append((int(at), result["value"]))
    for name, points in curves.items():
        fitted = fit.shape(points)
        results.append({"name": name, "value": points[-1][1] / points[0][1],
                        "unit": "largest/first", "points": points,
                        "how": "N = %d .. %d; %s: %s, at most %.0f %% off" %
                               (points[0][0], points[-1][0], fitted["shape"],
                                fitted["formula"], 100 * fitted["worst"]), **fitted})
        print("%-24s %-9s %s (at most %.0f %% off)" % (name, fitted["shape"], fitted["formula"],
                                                       100 * fitted["worst"]))
    depth = dict(curves["scaling.depth"])
    results.append({"name": "scaling.depth.4096_to_16", "value": depth[4096] / depth[16],
                    "unit": "ratio", "how": "instructions a run at depth 4096 to depth 16"})
    return results


def memory(build):
    """Slab growth a piece."""
    big = make_device("deep", queue_capacity=4096)
    return figures(run(build, [*big, "./memory deep"]),
                   "growth of all slabs from 1024 to 4096 of them, divided by 3072")

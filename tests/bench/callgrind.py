# SPDX-License-Identifier: MIT
"""Instructions of the library's warm path (tests/bench/warm_path.c), by callgrind.

They depend a little on the C library, which chooses its memcpy by what the processor can do: "rep
movsb", of which callgrind counts every byte as an instruction, is kept out by a tunable.
"""

import os
import re
import subprocess
import sys
import tempfile

FEW, MANY = 50, 550
TUNABLES = "glibc.cpu.x86_rep_movsb_threshold=1000000000"
KINDS = [
    ("xxh3", re.compile(r"XXH|libxxhash")),
    ("memcmp", re.compile(r"memcmp")),
    ("copying", re.compile(r"mem(cpy|move)")),
    ("narrowing", re.compile(r"tsr_entry_add_words")),
    ("locks", re.compile(r"pthread_mutex")),
]


def self_costs(path):
    """Instructions of each function itself, as "object function"."""
    names, costs = {}, {}
    place, called = ["", ""], False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            spec = re.match(r"(ob|fn)=\((\d+)\)(?: (.*))?$", line.rstrip("\n"))
            if spec:
                kind, number, name = spec.groups()
                if name:
                    names[kind, number] = name
                place[kind == "fn"] = names[kind, number]
            elif line.startswith(("cob=", "cfn=", "cfi=")):
                spec = re.match(r"c(ob|fn)=\((\d+)\) (.*)$", line.rstrip("\n"))
                if spec:
                    names[spec[1], spec[2]] = spec[3]
            elif line.startswith("calls="):
                called = True
            elif re.match(r"[+*-]?\d*\s+\d+$", line) or re.match(r"\d+ \d+$", line):
                if not called:
                    key = " ".join(place)
                    costs[key] = costs.get(key, 0) + int(line.split()[1])
                called = False
    return costs


def measure(program, cores, times):
    with tempfile.NamedTemporaryFile(prefix="callgrind.") as out:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out.name,
                   "--collect-atstart=no", "--toggle-collect=warm_path",
                   program, str(cores), str(times)]
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False,
                              env=dict(os.environ, TESSERA_CACHE="", LC_ALL="C",
                                       GLIBC_TUNABLES=TUNABLES))
        if done.returncode:
            sys.exit(done.stderr.decode())
        return self_costs(out.name)


def per_call(program, cores):
    """(all instructions, by kind) of one warm call, as the difference of two runs."""
    few, many = measure(program, cores, FEW), measure(program, cores, MANY)
    each = {name: (cost - few.get(name, 0)) / (MANY - FEW) for name, cost in many.items()}
    shares = {kind: sum(c for name, c in each.items() if pattern.search(name))
              for kind, pattern in KINDS}
    return sum(each.values()), shares


def figures(build):
    program = build + "/tests/bench/warm_path"
    results = []
    for cores in (1, 16, 64, 256):
        total, shares = per_call(program, cores)
        name = "lib.warm_path.instructions" + ("" if cores == 16 else ".%d" % cores)
        results.append({"name": name, "value": round(total), "unit": "instructions",
                        "how": "valgrind --tool=callgrind; factory, checks, plan, fingerprint, "
                               "hit, encode; %d cores x 16 words; calls %d to %d" %
                               (cores, FEW + 1, MANY)})
        results += [{"name": "%s.%s" % (name, kind), "value": round(value),
                     "unit": "instructions", "how": "the same, functions of that kind"}
                    for kind, value in shares.items()]
    return results

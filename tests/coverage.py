#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run native tests built with --coverage and print the branches they reach, by file.

usage: coverage.py BUILD FILE... -- TEST...        FILE: of lib/src, without .c

Branches that no test can reach are marked in tests/coverage.exclude, with a reason each.
"""

import glob
import os
import subprocess
import sys

import gcov_read


def read_exclusions(path):
    """{file: {source line text: reason}}"""
    excluded = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                name, text, reason = (part.strip() for part in line.split(" | "))
                excluded.setdefault(name, {})[text] = reason
    return excluded


def run_tests(build, tests):
    for data in glob.glob(build + "/**/*.gcda", recursive=True):
        os.remove(data)
    for test in tests:
        done = subprocess.run([build + "/tests/lib/" + test], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            sys.exit("coverage: %s failed\n%s" % (test, done.stdout.decode(errors="replace")))


def branches_of(build, name):
    """[(line number, branch counts)] of a file."""
    source, objects = "lib/src/%s.c" % name, build + "/san/lib/src"
    return [(line["line_number"], [b["count"] for b in line["branches"]])
            for line in gcov_read.read("%s/%s.o" % (objects, name), objects)[source]
            if line["branches"]]


def main():
    build, rest = sys.argv[1], sys.argv[2:]
    files, tests = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    excluded = read_exclusions(os.path.join(os.path.dirname(__file__), "coverage.exclude"))
    run_tests(build, tests)
    total = taken = left_out = 0
    missing = []
    print("%-20s %8s %8s %8s" % ("file", "branches", "taken", "left out"))
    for name in sorted(files):
        with open("lib/src/%s.c" % name, encoding="utf-8") as lines:
            text = [line.strip() for line in lines]
        reasons = excluded.get(name, {})
        counts = [0, 0, 0]
        for number, branches in branches_of(build, name):
            bad = branches.count(0)
            counts[0] += len(branches)
            counts[1] += len(branches) - bad
            if bad and text[number - 1] in reasons:
                counts[2] += bad
            elif bad:
                missing.append("lib/src/%s.c:%d: %d of %d: %s" %
                               (name, number, bad, len(branches), text[number - 1]))
        print("%-20s %8d %8d %8d" % (name + ".c", *counts))
        total, taken, left_out = total + counts[0], taken + counts[1], left_out + counts[2]
    print("%-20s %8d %8d %8d   %.1f %%" % ("all", total, taken, left_out,
                                           100 * taken / (total - left_out)))
    for name, reasons in sorted(excluded.items()):
        for text, reason in reasons.items():
            print("left out: %s.c: %s: %s" % (name, text, reason))
    for line in missing:
        print("not taken: " + line)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

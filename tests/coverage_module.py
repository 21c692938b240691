#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines and branches of the module that tests reached, by file.

usage: coverage_module.py OBJECTS RESULTS NATIVE [LIST]

kernel/drv, kernel/soft and what only they call: OBJECTS is where the module's variant "gcov" was
built, and RESULTS/gcov-*/gcov what tests/vm/gcov kept. kernel/core: NATIVE is where it was built with
--coverage for user space, and where tests have left their counts. What no test reaches is in
tests/coverage-module.exclude: file | begin of the line | reason, where the file may be "*", or have
":FUNCTION" behind it. LIST is a file for what is missing and not in there.
"""

import glob
import os
import shutil
import sys
import tempfile

import gcov_read

TARGET_LINES, TARGET_BRANCHES = 95.0, 90.0


def read_exclusions(path):
    """[[file, begin of a line, reason, times used]]"""
    with open(path, encoding="utf-8") as lines:
        return [[part.strip() for part in line.split(" | ")] + [0]
                for line in lines if line.strip() and not line.startswith("#")]


def count_object(objects, data, name):
    """What gcov says of one object of one VM, or None: {file: [line]}"""
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copy(os.path.join(objects, name + ".gcno"), tmp)
        if data:
            shutil.copy(os.path.join(data, name + ".gcda"), tmp)
        return gcov_read.read(os.path.join(tmp, os.path.basename(name) + ".gcno"), tmp)


class File:
    """Counts of one file, added up over VMs."""

    def __init__(self):
        self.lines, self.branches = {}, {}

    def add(self, line):
        """One line, as gcov describes it. A function that is there twice has its lines twice."""
        key = (line["line_number"], line.get("function_name"))
        self.lines[key] = self.lines.get(key, 0) + line["count"]
        counts = [b["count"] for b in line["branches"]]
        if counts:
            before = self.branches.get(key, [0] * len(counts))
            self.branches[key] = [a + b for a, b in zip(before, counts)]

    def by_line(self):
        """{number: (count, [branch count])}"""
        found = {}
        for (number, function), count in self.lines.items():
            total, branches = found.get(number, (0, []))
            found[number] = (total + count,
                             branches + self.branches.get((number, function), []))
        return found


def add_lines(files, name, found):
    """Of the source of an object; headers belong to whom they are included by."""
    for line in found.get(name + ".c", []):
        files.setdefault(name + ".c", File()).add(line)


def collect(objects, results, native):
    """{file: File} of all objects of the module: of the core natively, if it is there."""
    files, sources = {}, glob.glob(results + "/gcov-*/gcov")
    names = [os.path.relpath(gcno, objects)[:-len(".gcno")]
             for gcno in glob.glob(objects + "/*/*.gcno")]
    if not sources or not names:
        sys.exit("coverage_module: no data in %s or %s" % (results, objects))
    for name in names:
        here = os.path.join(native, os.path.basename(name))
        if name.startswith("core/") and os.path.exists(here + ".gcda"):
            found = gcov_read.read(here + ".gcda", native)
            add_lines(files, name, {file[len("kernel/"):]: found[file] for file in found})
            continue
        counted = [data for data in sources if os.path.exists(os.path.join(data, name + ".gcda"))]
        # Without any it counts too: nothing of it was reached.
        for data in counted or [None]:
            add_lines(files, name, count_object(objects, data, name))
    return files


class Sum:
    """Lines and branches: how many, reached, left out with a reason."""

    def __init__(self):
        self.lines, self.branches = [0, 0, 0], [0, 0, 0]

    def add(self, other):
        self.lines = [a + b for a, b in zip(self.lines, other.lines)]
        self.branches = [a + b for a, b in zip(self.branches, other.branches)]

    @staticmethod
    def percent(counts):
        return 100 * counts[1] / max(1, counts[0] - counts[2])

    def show(self, name):
        print("%-26s %6d %6.1f %% %6d   %6d %6.1f %% %6d" % (
            name, self.lines[0], self.percent(self.lines), self.lines[2],
            self.branches[0], self.percent(self.branches), self.branches[2]))


def reason_for(excluded, places, text):
    """@places: names that the place has in the list."""
    for entry in excluded:
        if entry[0] in places and text.startswith(entry[1]):
            entry[3] += 1
            return entry[2]
    return None


def measure(file, counts, excluded, missing):
    """The Sum of one file."""
    found = Sum()
    with open("kernel/" + file, encoding="utf-8") as lines:
        text = [line.strip() for line in lines]
    for number, (count, branches) in sorted(counts.by_line().items()):
        bad = branches.count(0)
        places = ["*", file] + ["%s:%s" % (file, f) for n, f in counts.lines if n == number]
        reason = (not count or bad) and reason_for(excluded, places, text[number - 1])
        found.lines[0] += 1
        found.lines[1] += bool(count)
        found.branches[0] += len(branches)
        found.branches[1] += len(branches) - bad
        if reason:
            found.lines[2] += not count
            found.branches[2] += bad
        elif not count:
            missing.append("kernel/%s:%d: line: %s" % (file, number, text[number - 1]))
        elif bad:
            missing.append("kernel/%s:%d: branches %s: %s" %
                           (file, number, " ".join(map(str, branches)), text[number - 1]))
    return found


def main():
    objects, results, native = sys.argv[1:4]
    excluded = read_exclusions(os.path.join(os.path.dirname(__file__), "coverage-module.exclude"))
    files, total, groups, missing = collect(objects, results, native), Sum(), {}, []
    print("%-26s %6s %8s %8s %6s %8s %8s" % ("file", "lines", "reached", "left out", "branch",
                                            "taken", "left out"))
    for file in sorted(files):
        found = measure(file, files[file], excluded, missing)
        found.show(file)
        groups.setdefault(file.split("/")[0], Sum()).add(found)
        total.add(found)
    for name, found in sorted(groups.items()):
        found.show("kernel/" + name)
    total.show("all")
    for entry in excluded:
        if not entry[3]:
            print("left out without need: %s | %s" % tuple(entry[:2]))
    if len(sys.argv) > 4:
        with open(sys.argv[4], "w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in missing)
    return int(total.percent(total.lines) < TARGET_LINES or
               total.percent(total.branches) < TARGET_BRANCHES)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""The lists of mutants, and what can be said of them without running anything."""
import glob
import os
import re
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
HERE = os.path.join(TOP, "tests/mutants")


def is_native(test):
    """Does it run on this host?"""
    return test.split("/")[0] in ("core", "lib")


class Mutant:
    """One record of a list."""

    def __init__(self, area, line):
        self.area, self.line = area, line
        self.name = self.rule = self.file = self.test = self.equivalent = ""
        self.old = self.new = None
        self.verdict = self.by = ""
        self.seconds = 0.0

    @property
    def id(self):
        return f"{self.area}/{self.name}"

    @property
    def tests(self):
        return self.test.split()

    def apply(self, text):
        """The text with the change, or None if it does not stand there exactly once."""
        place = "\n" + text
        if not self.old or place.count("\n" + self.old) != 1:
            return None
        return place.replace("\n" + self.old, "\n" + (self.new or ""))[1:]


def read_list(path):
    """The mutants of one file. A line that belongs to nothing ends the program."""
    area = os.path.splitext(os.path.basename(path))[0]
    found, part = [], None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            key = re.match(r"(mutant|rule|file|test|equivalent): (.*\S)\s*$", line)
            mark = line.rstrip("\n")
            if part == "old" and mark == "====":
                part, found[-1].new = "new", ""
            elif part == "new" and mark == ">>>>":
                part = None
            elif part:
                setattr(found[-1], part, getattr(found[-1], part) + line)
            elif mark == "<<<<" and found and found[-1].old is None:
                part, found[-1].old = "old", ""
            elif key and key[1] == "mutant":
                found.append(Mutant(area, number))
                found[-1].name = key[2]
            elif key and found:
                setattr(found[-1], key[1], key[2])
            elif mark.strip() and not mark.startswith("#"):
                sys.exit(f"{path}:{number}: what is this? {mark}")
    if part:
        sys.exit(f"{path}: ends inside a record")
    return found


def read_lists(paths=None):
    """The mutants of some lists; of all, in the order of their names, if none is given."""
    return [m for path in paths or sorted(glob.glob(os.path.join(HERE, "*.mutants")))
            for m in read_list(path)]


def read_rules():
    """Rule to whether it is met: lines "RULE met" or "RULE not yet"."""
    with open(os.path.join(HERE, "rules"), encoding="utf-8") as f:
        return dict(line.split(None, 1) for line in f if line.strip() and line[0] != "#")


def test_exists(test):
    """Is there such a program?"""
    path = os.path.join(TOP, "tests", test)
    return os.path.exists(path) if test.endswith(".sh") else os.path.exists(path + ".c")


def defects(mutants, whole=True):
    """What is wrong with the lists themselves. Whole lists have a mutant for each rule that is met."""
    rules, names = read_rules(), set()
    for m in mutants:
        where = f"{m.id} (line {m.line})"
        if m.id in names:
            yield f"{where}: there is another one of this name"
        names.add(m.id)
        for rule in m.rule.split() or ["none"]:
            if rule not in rules:
                yield f"{where}: rule {rule} is not in tests/mutants/rules"
        for test in m.tests:
            if not test_exists(test):
                yield f"{where}: there is no test {test}"
        if not m.tests and not m.equivalent:
            yield f"{where}: no test is named"
        try:
            with open(os.path.join(TOP, m.file), encoding="utf-8") as f:
                if m.apply(f.read()) is None:
                    yield f"{where}: does not apply to {m.file} exactly once"
        except OSError as e:
            yield f"{where}: {e.strerror}: {m.file}"
    mutated = {r for m in mutants for r in m.rule.split()}
    for rule, state in rules.items():
        if whole and state.split()[0] == "met" and rule not in mutated:
            yield f"{rule}: is met, and no mutant breaks it"

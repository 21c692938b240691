#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The benchmark: measure, compare with peers and targets, print, write JSON.

usage: run.py --build DIR [--parts 'NAME ...'] [--list]

Each part says how long it takes. What is measured replaces the figures of its part in
DIR/bench.json; the others stay. Ends with 1 if something could not be measured (a missed target is
printed, not an error).
"""

import argparse
import json
import os
import sys
import time

import callgrind
import compare
import engine
import guest
import wall

PARTS = [
    # name, seconds on two cores that have nothing else to do, function of the build directory
    ("instructions", 90, guest.instructions),
    ("library", 40, callgrind.figures),
    ("scaling", 180, guest.scaling),
    ("memory", 40, guest.memory),
    ("engine", 120, engine.figures),
    ("warm_path", 20, wall.warm_path),
    ("wall", 90, wall.in_guest),
]


def load(path):
    try:
        with open(path, encoding="ascii") as f:
            return json.load(f)
    except FileNotFoundError:
        return []


def save(path, results):
    with open(path + ".new", "w", encoding="ascii") as f:
        json.dump(results, f, indent=1)
        f.write("\n")
    os.replace(path + ".new", path)


def selected(words):
    names = [name for name, _, _ in PARTS]
    for word in words:
        if word not in names:
            sys.exit("bench: no part %s; parts: %s" % (word, " ".join(names)))
    return [part for part in PARTS if not words or part[0] in words]


def measure(part, build, path):
    """Measure a part; all results, with its figures in place of older ones."""
    name, seconds, function = part
    began = time.monotonic()
    print("bench: %s, about %d s" % (name, seconds), flush=True)
    fresh = function(build)
    for result in fresh:
        result["part"] = name
    print("bench: %s took %d s" % (name, time.monotonic() - began), flush=True)
    order = [p[0] for p in PARTS]
    kept = [r for r in load(path) if r.get("part") in order and r["part"] != name]
    return sorted(kept + fresh, key=lambda r: order.index(r["part"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--parts", default="")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    parts = selected(args.parts.split())
    if args.list:
        for name, seconds, _ in parts:
            print("%-16s %4d s" % (name, seconds))
        return
    print("bench: about %d minutes in all" % -(-sum(p[1] for p in parts) // 60))
    path = os.path.join(args.build, "bench.json")
    for part in parts:
        results = measure(part, args.build, path)
        compare.add_peers(results)
        save(path, results)
    compare.show(results)


if __name__ == "__main__":
    main()

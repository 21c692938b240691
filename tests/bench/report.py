#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of Documentation/benchmarks.rst from bench.json.

usage: report.py BENCH.JSON DIRECTORY      writes figures.inc and *.svg there
"""

import json
import os
import sys

import compare
import svg

PARTS = {
    "instructions": "Instructions of the run pipeline",
    "library": "Instructions of the library's warm path",
    "memory": "Kernel memory",
    "engine": "The engine's rate",
    "warm_path": "The warm path by the clock",
    "wall": "Round trips and batches by the clock",
    "scaling": "Scaling",
}
TITLES = {
    "scaling.buffers": "buffers of a run",
    "scaling.words": "words of a core",
    "scaling.cores": "cores of a run",
    "scaling.depth": "depth of the queue",
    "scaling.processes": "processes",
    "scaling.programs": "programs",
}


def table(heads, rows):
    """An rst list-table."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [heads, *rows]:
        for i, cell in enumerate(row):
            lines.append(("   %s - %s" % ("*" if i == 0 else " ", cell)).rstrip())
    return lines + [""]


def ratio_text(figure):
    text = "%.2f" % figure["ratio"]
    if "ratio_min" in figure:
        text += " (%.2f to %.2f)" % (figure["ratio_min"], figure["ratio_max"])
    return text


def row(figure):
    peers = ["%s %s" % (ratio_text(figure), figure["peer"])] if "ratio" in figure else []
    peers += ["%.2f %s" % (o["ratio"], o["peer"]) for o in figure.get("others", [])]
    return ["``%s``" % figure["name"], compare.text(figure["value"]), figure["unit"],
            "; ".join(peers), figure["how"]]


def text(results, pictures):
    lines = [".. SPDX-License-Identifier: MIT", ".. Made by tests/bench/report.py from bench.json.",
             "", "Targets", "=======", ""]
    lines += table(["figure", "measured", "target", ""],
                   [["``%s``" % n, compare.text(v), "%s %s" % (rel, compare.text(limit)),
                     "met" if met else "missed"]
                    for n, v, rel, limit, met in compare.judged(results)])
    for part, title in PARTS.items():
        figures = [r for r in results if r["part"] == part and "/" not in r["name"]]
        lines += [title, "=" * len(title), ""]
        if not figures:
            lines += ["Not measured yet: ``make bench T=%s``." % part, ""]
        else:
            lines += table(["figure", "value", "unit", "ratio to", "how"], map(row, figures))
    for name, caption in pictures:
        lines += [".. figure:: bench/%s" % name, "", "   " + caption, ""]
    return "\n".join(lines)


def plots(results, where):
    """Draw what there are figures for; (file, caption) of each."""
    made = []
    counted = [r for r in results if r["part"] == "instructions" and r["unit"] == "instructions"]
    if counted:
        svg.bars(where + "/instructions.svg",
                 [(r["name"], r["value"], not r["name"].startswith("peer.")) for r in counted],
                 "guest instructions; ours and peers, in one VM")
        made.append(("instructions.svg", "Instructions: ours (blue) and peers (yellow)."))
    pairs = [r for r in results if "ratio_min" in r]
    if pairs:
        svg.ranges(where + "/ratios.svg",
                   [(r["name"], r["ratio"], r["ratio_min"], r["ratio_max"]) for r in pairs],
                   "ratio of ours to the peer: median, least and most of the rounds")
        made.append(("ratios.svg", "Ratios of ours to the peer. Of rates (``engine.rate``), more "
                     "is better; of times, less is."))
    curves = [{"title": TITLES[r["name"]] + ": " + r["shape"], "points": r["points"],
               "formula": r["formula"]} for r in results if r["name"] in TITLES]
    if curves:
        svg.panels(where + "/scaling.svg", curves)
        made.append(("scaling.svg", "Instructions of a run, by what grows; both axes are "
                     "logarithmic."))
    return made


def main():
    path, where = sys.argv[1:3]
    with open(path, encoding="ascii") as f:
        results = json.load(f)
    os.makedirs(where, exist_ok=True)
    pictures = plots(results, where)
    with open(where + "/figures.inc", "w", encoding="utf-8") as f:
        f.write(text(results, pictures))


if __name__ == "__main__":
    main()

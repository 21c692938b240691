# SPDX-License-Identifier: MIT
"""Plots as SVG, readable on white and on black: bars, ranges, and small log-log panels."""

import math
from xml.sax.saxutils import escape

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- SPDX-License-Identifier: MIT -->\n' \
       '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d"\n' \
       ' font-family="sans-serif" font-size="12">\n' \
       '<rect width="100%%" height="100%%" fill="#ffffff"/>\n'
OURS, THEIRS, GREY = "#1f6f8b", "#c98b2b", "#888888"


class Picture:
    """Shapes in the order in which they are drawn."""

    def __init__(self, width, height):
        self.size = (width, height)
        self.parts = []

    def line(self, x0, y0, x1, y1, colour=GREY, width=1.0, dash=""):
        self.parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" '
                          'stroke-width="%g"%s/>' % (x0, y0, x1, y1, colour, width,
                                                     ' stroke-dasharray="%s"' % dash if dash else ""))

    def rect(self, x, y, width, height, colour):
        self.parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' %
                          (x, y, width, height, colour))

    def dot(self, x, y, colour):
        self.parts.append('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (x, y, colour))

    def text(self, x, y, text, anchor="start", size=12):
        self.parts.append('<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" '
                          'fill="#222222">%s</text>' % (x, y, anchor, size, escape(text)))

    def save(self, path):
        with open(path, "w", encoding="utf-8") as f:
            f.write(HEAD % (self.size * 2) + "\n".join(self.parts) + "\n</svg>\n")


def bars(path, rows, unit):
    """Horizontal bars of (name, value, ours), in their order."""
    left, room, high = 190, 400, 22
    most = max(value for _, value, _ in rows)
    p = Picture(left + room + 90, high * len(rows) + 34)
    for i, (name, value, ours) in enumerate(rows):
        y = 8 + i * high
        p.text(left - 8, y + 13, name, "end")
        p.rect(left, y, max(1, room * value / most), high - 6, OURS if ours else THEIRS)
        p.text(left + room * value / most + 6, y + 13, "%.0f" % value)
    p.text(left, p.size[1] - 8, unit, size=11)
    p.save(path)


def ranges(path, rows, note):
    """Median, least and most of (name, median, least, most), on a logarithmic axis around 1."""
    left, room, high = 230, 400, 24
    low = min(min(r[2] for r in rows), 0.5)
    most = max(max(r[3] for r in rows), 2)

    def x(value):
        return left + room * math.log(value / low) / math.log(most / low)

    p = Picture(left + room + 70, high * len(rows) + 40)
    p.line(x(1), 4, x(1), high * len(rows) + 8, GREY, 1, "4 3")
    for i, (name, median, least, top) in enumerate(rows):
        y = 18 + i * high
        p.text(left - 8, y + 4, name, "end")
        p.line(x(least), y, x(top), y, OURS, 2)
        p.dot(x(median), y, OURS)
        p.text(x(top) + 8, y + 4, "%.2f" % median)
    p.text(left, p.size[1] - 8, note, size=11)
    p.save(path)


def panel(p, left, top, width, height, curve):
    """One curve: {"title", "points", "formula"}; both axes are logarithmic."""
    xs = [math.log10(x) for x, _ in curve["points"]]
    ys = [math.log10(y) for _, y in curve["points"]]
    bottom, spread = math.floor(min(ys)), max(math.ceil(max(ys)) - math.floor(min(ys)), 1)

    def at(x, y):
        return (left + width * (x - xs[0]) / ((xs[-1] - xs[0]) or 1),
                top + height * (1 - (y - bottom) / spread))

    for decade in range(bottom, bottom + spread + 1):
        y = at(xs[0], decade)[1]
        p.line(left, y, left + width, y, "#dddddd")
        p.text(left - 6, y + 4, "1e%d" % decade, "end", 10)
    for (x0, y0), (x1, y1) in zip(zip(xs, ys), zip(xs[1:], ys[1:])):
        p.line(*at(x0, y0), *at(x1, y1), OURS, 1.5)
    for x, y in zip(xs, ys):
        p.dot(*at(x, y), OURS)
    p.text(left, top - 22, curve["title"], size=12)
    p.text(left, top - 8, curve["formula"], size=10)
    for x in (0, -1):
        p.text(at(xs[x], 0)[0], top + height + 14, "%d" % curve["points"][x][0],
               "end" if x else "start", 10)


def panels(path, curves, columns=3):
    width, height = 170, 120
    rows = -(-len(curves) // columns)
    p = Picture(columns * (width + 60) + 10, rows * (height + 70) + 6)
    for i, curve in enumerate(curves):
        panel(p, 50 + i % columns * (width + 60), 44 + i // columns * (height + 70), width,
              height, curve)
    p.save(path)

# SPDX-License-Identifier: MIT
"""The shape of a scaling: constant, linear, a share of something fixed, or a power of n."""

import math


def line(xs, ys):
    """(a, b) of the least squares a + b x."""
    n, sx, sy = len(xs), sum(xs), sum(ys)
    sxx, sxy = sum(x * x for x in xs), sum(x * y for x, y in zip(xs, ys))
    b = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return (sy - b * sx) / n, b


def relative_line(xs, ys):
    """The same for the least relative error: points far out are not all that counts."""
    weights = [1 / (y * y) for y in ys]
    s = sum(weights)
    mx = sum(w * x for w, x in zip(weights, xs)) / s
    my = sum(w * y for w, y in zip(weights, ys)) / s
    b = sum(w * (x - mx) * (y - my) for w, x, y in zip(weights, xs, ys)) / \
        sum(w * (x - mx) ** 2 for w, x in zip(weights, xs))
    return my - b * mx, b


def worst(xs, ys, function):
    return max(abs(function(x) - y) / y for x, y in zip(xs, ys))


def text(value):
    return "%.0f" % value if abs(value) >= 100 else "%.3g" % value


def shape(points):
    """{"shape", "formula", "worst"} of points (n, value); worst: largest relative error."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    mean = math.exp(sum(map(math.log, ys)) / len(ys))
    a, b = relative_line(xs, ys)
    d, e = relative_line([1 / x for x in xs], ys)
    c, p = line(list(map(math.log, xs)), list(map(math.log, ys)))
    candidates = [
        ("constant", text(mean), worst(xs, ys, lambda x: mean)),
        ("linear", "%s + %s n" % (text(a), text(b)), worst(xs, ys, lambda x: a + b * x)),
        ("shared", "%s + %s / n" % (text(d), text(e)), worst(xs, ys, lambda x: d + e / x)),
        ("power", "%s n^%.2f" % (text(math.exp(c)), p),
         worst(xs, ys, lambda x: math.exp(c) * x ** p)),
    ]
    # The simplest one that is good enough, or the best.
    for name, formula, error in candidates:
        if error <= 0.1:
            break
    else:
        name, formula, error = min(candidates, key=lambda f: f[2])
    return {"shape": name, "formula": formula, "worst": error}

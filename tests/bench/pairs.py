# SPDX-License-Identifier: MIT
"""Ratios of interleaved pairs: median, least and most of the rounds."""

import statistics

ROUNDS = 9


def ratio(name, ours, theirs, peer, how, unit="ns"):
    """A figure from what both sides took, round by round. Below 1: ours is faster."""
    assert len(ours) == len(theirs) >= ROUNDS, name
    ratios = [a / b for a, b in zip(ours, theirs)]
    return {"name": name, "value": statistics.median(ours), "unit": unit, "peer": peer,
            "peer_value": statistics.median(theirs), "ratio": statistics.median(ratios),
            "ratio_min": min(ratios), "ratio_max": max(ratios), "rounds": len(ratios),
            "how": how}

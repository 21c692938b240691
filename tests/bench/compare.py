# SPDX-License-Identifier: MIT
"""What the figures are compared with: peers, and targets."""

# Figure: the peers that do the most similar thing. The first is the one in the table.
PEERS = {
    "run.single": ["peer.null_blk", "peer.vgem_fence"],
    "run.single_handles": ["peer.null_blk", "peer.vgem_fence"],
    "run.batch32": ["peer.null_blk32", "peer.io_uring_nop32"],
    "run.batch32_handles": ["peer.null_blk32", "peer.io_uring_nop32"],
    "run.refused": ["peer.drm_noop_own", "peer.drm_noop_vgem"],
    "wait.ready": ["peer.drm_noop_own", "peer.getppid"],
    "peer.drm_noop_own": ["peer.drm_noop_vgem"],
}

# Figure: its limit, "<=" or ">=", and where it is from.
TARGETS = [
    ("run.single", "<=", 3600),
    ("run.single", "<=", 3000),
    ("run.batch32", "<=", 2000),
    ("run.batch32", "<=", 1000),
    ("run.profile_off", "<=", 1.005),
    ("scaling.depth.4096_to_16", "<=", 1.2),
    ("run.bytes_queued", "<=", 400),
    ("engine.rate", ">=", 500),
    ("engine.rate.least", ">=", 500),
    ("engine.to_qemu", ">=", 1 / 8),
    ("engine.to_qemu.least", ">=", 1 / 8),
    ("lib.warm_path.instructions", "<=", 4000),
    ("lib.warm_path.instructions", "<=", 2000),
]


def add_peers(results):
    values = {r["name"]: r["value"] for r in results}
    for result in results:
        peers = [p for p in PEERS.get(result["name"], []) if values.get(p)]
        ratios = [{"peer": p, "ratio": result["value"] / values[p]} for p in peers]
        if ratios:
            result.update(ratios[0])
            result["others"] = ratios[1:]


def judged(results):
    """(name, value, relation, limit, met) of each target whose figure is there."""
    values = {r["name"]: r["value"] for r in results}
    for name, relation, limit in TARGETS:
        if name in values:
            value = values[name]
            yield name, value, relation, limit, \
                value <= limit if relation == "<=" else value >= limit


def text(value):
    return "%.0f" % value if abs(value) >= 100 else "%.3g" % value


def show(results):
    print()
    print("%-40s %14s %-16s %8s  %s" % ("figure", "value", "unit", "ratio", "to"))
    for r in results:
        ratio = [("%.2f" % r["ratio"], r["peer"])] if "ratio" in r else []
        ratio += [("%.2f" % o["ratio"], o["peer"]) for o in r.get("others", [])]
        first = ratio[0] if ratio else ("", "")
        print("%-40s %14s %-16s %8s  %s" % (r["name"], text(r["value"]), r["unit"], *first))
        for other in ratio[1:]:
            print("%-72s %8s  %s" % ("", *other))
    print()
    for name, value, relation, limit, met in judged(results):
        print("target %-32s %10s %s %s: %s" % (name, text(value), relation, text(limit),
                                              "pass" if met else "MISS"))

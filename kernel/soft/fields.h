/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of a virtual device's configuration, as a list: who includes this
 * defines what a line becomes. What depends on other numbers is not here; it is
 * checked when the device is made.
 *
 * TSR_SOFT_FIELD(name, member, type, least, most, multiple of)
 * TSR_SOFT_TIMING(name, least)
 */
TSR_SOFT_FIELD(width, grid.width, u16, 1, TESSERA_MAX_DIM, 1),
TSR_SOFT_FIELD(height, grid.height, u16, 1, TESSERA_MAX_DIM, 1),
TSR_SOFT_FIELD(l1_size, grid.l1_size, u32, SZ_64K, SZ_4M, SZ_4K),
TSR_SOFT_FIELD(image_slot, grid.image_slot, u32, SZ_4K, SZ_1M, SZ_4K),
TSR_SOFT_FIELD(words, grid.words, u32, 16, 4096, 1),
TSR_SOFT_FIELD(bindings, grid.bindings, u32, 1, TSR_MAX_BINDINGS, 1),
TSR_SOFT_FIELD(seed, grid.seed, u32, 0, U32_MAX, 1),
TSR_SOFT_FIELD(deterministic, grid.deterministic, bool, 0, 1, 1),
TSR_SOFT_FIELD(quantum, grid.quantum, u32, 100, 1000000, 1),
TSR_SOFT_FIELD(workers, workers, u32, 1, 1024, 1),
TSR_SOFT_FIELD(staged_depth, staged_depth, u32, 1, TSR_SOFT_MAX_BANKS, 1),
TSR_SOFT_FIELD(queue_capacity, queue_capacity, u32, 1, 4096, 1),
TSR_SOFT_FIELD(no_progress_ms, no_progress_ms, u32, 10, 3600000, 1),
TSR_SOFT_FIELD(claim_hold_ms, claim_hold_ms, u32, 1, 3600000, 1),
TSR_SOFT_FIELD(run_limit_ms, run_limit_ms, u32, 0, 3600000, 1),
TSR_SOFT_FIELD(inline_budget, inline_budget, u32, 0, 1000000000, 1),

TSR_SOFT_TIMING(alu, 1),
TSR_SOFT_TIMING(load, 1),
TSR_SOFT_TIMING(store, 1),
TSR_SOFT_TIMING(mul, 1),
TSR_SOFT_TIMING(div, 1),
TSR_SOFT_TIMING(branch, 0),
TSR_SOFT_TIMING(reg, 0),
TSR_SOFT_TIMING(noc_latency, 0),
TSR_SOFT_TIMING(noc_hop, 0),
TSR_SOFT_TIMING(noc_bytes, 1),
TSR_SOFT_TIMING(tile_matmul, 0),
TSR_SOFT_TIMING(tile_op, 0),

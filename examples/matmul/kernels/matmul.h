/* SPDX-License-Identifier: MIT */
/*
 * What the three kernels of matmul agree on. Each core computes a run of output
 * tiles, numbered row-major; all three walk through the same tiles in the same
 * order and meet at the circular buffers.
 */
#ifndef MATMUL_KERNELS_H
#define MATMUL_KERNELS_H

#define CB_A	0	/* bf16 tiles of A, reader -> compute */
#define CB_B	1	/* bf16 tiles of B, reader -> compute */
#define CB_C	2	/* fp32 tiles of the product, compute -> writer */

/* Bindings. Tiles lie one after the other, row-major. */
#define BIND_A	0	/* M x K */
#define BIND_B	1	/* K x N */
#define BIND_C	2	/* M x N */

/* Words of each core, the same for all three kernels. */
enum { FIRST_TILE, TILES };
/* Words that all cores share: columns of A and of B, in tiles. */
enum { K_TILES, N_TILES };

#endif

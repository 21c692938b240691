// SPDX-License-Identifier: MIT
/* Reads, for each output tile, a row of tiles of A and a column of tiles of B. */
#include <tessera.h>

#include "matmul.h"

static void read_tile(uint32_t cb, struct tensor_accessor from, uint32_t tile)
{
	cb_reserve_back(cb, 1);
	noc_async_read_tile(tile, from, get_write_ptr(cb));
}

void kernel_main(void)
{
	struct tensor_accessor a = tensor_accessor(BIND_A, get_tile_size(CB_A));
	struct tensor_accessor b = tensor_accessor(BIND_B, get_tile_size(CB_B));
	uint32_t tile = get_arg_val(FIRST_TILE);
	uint32_t end = tile + get_arg_val(TILES);
	uint32_t k_tiles = get_common_arg_val(K_TILES);
	uint32_t n_tiles = get_common_arg_val(N_TILES);

	for (; tile < end; tile++) {
		uint32_t row = tile / n_tiles, column = tile % n_tiles;

		for (uint32_t k = 0; k < k_tiles; k++) {
			read_tile(CB_A, a, row * k_tiles + k);
			read_tile(CB_B, b, k * n_tiles + column);
			noc_async_read_barrier();
			cb_push_back(CB_A, 1);
			cb_push_back(CB_B, 1);
		}
	}
}

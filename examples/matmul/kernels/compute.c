// SPDX-License-Identifier: MIT
/* Multiplies and accumulates what the reader brings, in fp32. */
#include <tessera.h>

#include "matmul.h"

void kernel_main(void)
{
	uint32_t tiles = get_arg_val(TILES);
	uint32_t k_tiles = get_common_arg_val(K_TILES);

	mm_init(CB_A, CB_B, CB_C);
	for (uint32_t tile = 0; tile < tiles; tile++) {
		tile_regs_acquire();
		for (uint32_t k = 0; k < k_tiles; k++) {
			cb_wait_front(CB_A, 1);
			cb_wait_front(CB_B, 1);
			matmul_tiles(CB_A, CB_B, 0, 0, 0);
			cb_pop_front(CB_A, 1);
			cb_pop_front(CB_B, 1);
		}
		tile_regs_commit();

		cb_reserve_back(CB_C, 1);
		tile_regs_wait();
		pack_tile(0, CB_C);
		tile_regs_release();
		cb_push_back(CB_C, 1);
	}
}

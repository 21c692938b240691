// SPDX-License-Identifier: MIT
/* Writes the finished tiles. */
#include <tessera.h>

#include "matmul.h"

void kernel_main(void)
{
	struct tensor_accessor c = tensor_accessor(BIND_C, get_tile_size(CB_C));
	uint32_t tile = get_arg_val(FIRST_TILE);
	uint32_t end = tile + get_arg_val(TILES);

	for (; tile < end; tile++) {
		cb_wait_front(CB_C, 1);
		noc_async_write_tile(tile, c, get_read_ptr(CB_C));
		noc_async_write_barrier();
		cb_pop_front(CB_C, 1);
	}
}

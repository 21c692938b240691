// SPDX-License-Identifier: MIT
/* Writes the filtered rows. */
#include <tessera.h>

#include "filter.h"

void kernel_main(void)
{
	uint32_t row = get_arg_val(WRITER_FIRST_ROW);
	uint32_t end = row + get_arg_val(WRITER_ROWS);
	struct tensor_accessor out = tensor_accessor(BIND_OUT, get_page_size(CB_OUT));

	for (; row < end; row++) {
		cb_wait_front(CB_OUT, 1);
		noc_async_write_page(row, out, get_read_ptr(CB_OUT));
		noc_async_write_barrier();
		cb_pop_front(CB_OUT, 1);
	}
}

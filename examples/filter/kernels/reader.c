// SPDX-License-Identifier: MIT
/*
 * Reads the band of this core, and exchanges halo rows with the cores above and
 * below: each row of the picture is read from the buffer once. The semaphore
 * counts the halo rows that have arrived here.
 */
#include <tessera.h>

#include "filter.h"

struct neighbour {
	uint32_t x, y, rows;
};

static struct neighbour neighbour(uint32_t first_word)
{
	return (struct neighbour){
		.x = get_arg_val(first_word),
		.y = get_arg_val(first_word + 1),
		.rows = get_arg_val(first_word + 2),
	};
}

/* Writes a row into the neighbour's L1. Its band lies at the same address as ours. */
static void give(const struct neighbour *n, uint32_t row, uint32_t to, uint32_t pitch)
{
	noc_async_write(row, get_noc_addr(n->x, n->y, to), pitch);
	noc_async_write_barrier();
	noc_semaphore_inc(get_noc_addr(n->x, n->y, get_semaphore(get_arg_val(SEMAPHORE))), 1);
}

/* At the edge of the picture, the outermost row stands in for the one outside. */
static void repeat(uint32_t row, uint32_t to, uint32_t pitch)
{
	volatile uint32_t *from = (volatile uint32_t *)row, *into = (volatile uint32_t *)to;

	for (uint32_t i = 0; i < pitch / 4; i++)
		into[i] = from[i];
}

void kernel_main(void)
{
	uint32_t pitch = get_page_size(CB_BAND);
	uint32_t first = get_arg_val(FIRST_ROW), rows = get_arg_val(ROWS);
	struct tensor_accessor in = tensor_accessor(BIND_IN, pitch);
	struct neighbour up = neighbour(UP_X), down = neighbour(DOWN_X);
	uint32_t halo_above, top, bottom, halo_below;

	ASSERT(get_arg_count() >= READER_WORDS);
	if (!rows)
		return;

	cb_reserve_back(CB_BAND, rows + 2);
	halo_above = get_write_ptr(CB_BAND);
	top = halo_above + pitch;
	bottom = halo_above + rows * pitch;
	halo_below = bottom + pitch;

	noc_async_read(get_noc_addr(first, in), top, rows * pitch);
	noc_async_read_barrier();

	if (up.rows)
		give(&up, top, halo_above + (up.rows + 1) * pitch, pitch);
	else
		repeat(top, halo_above, pitch);
	if (down.rows)
		give(&down, bottom, halo_above, pitch);
	else
		repeat(bottom, halo_below, pitch);

	noc_semaphore_wait(get_semaphore_ptr(get_arg_val(SEMAPHORE)), !!up.rows + !!down.rows);
	noc_async_atomic_barrier();
	cb_push_back(CB_BAND, rows + 2);
}

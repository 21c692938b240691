// SPDX-License-Identifier: MIT
/* DM0 fills, DM1 drains 60 pages of a buffer of 4 pages of 32 bytes, one and two at a time. */
#include "check.h"

#define CB	3

static void shape(void)
{
	CHECK(get_page_size(CB) == 32 && get_page_count(CB) == 4);
	CHECK(get_dataformat(CB) == TSR_FORMAT_RAW);
	CHECK(get_tile_size(CB) == 32);
	CHECK(get_dataformat(4) == TSR_FORMAT_BF16 && get_tile_size(4) == 2048);
	CHECK(get_dataformat(5) == TSR_FORMAT_INT8 && get_tile_size(5) == 1024);
	CHECK(get_dataformat(6) == TSR_FORMAT_FP32 && get_tile_size(6) == 4096);
	CHECK(get_dataformat(7) == TSR_FORMAT_INT32 && get_tile_size(7) == 4096);
}

static void fill(void)
{
	uint32_t base = get_write_ptr(CB);

	CHECK(cb_pages_free(CB) == 4 && cb_pages_reservable_at_back(CB, 4));
	for (uint32_t i = 0, n = 1; i < 60; i += n, n = i % 4 == 0 || i % 4 == 2 ? 2 : 1) {
		cb_reserve_back(CB, n);
		CHECK(get_write_ptr(CB) == base + i % 4 * 32);
		for (uint32_t j = 0; j < n; j++)
			l1_words(get_write_ptr(CB) + 32 * j)[7] = i + j;
		cb_push_back(CB, n);
	}
}

static void drain(void)
{
	for (uint32_t i = 0; i < 60; i++) {
		cb_wait_front(CB, 1);
		CHECK(cb_pages_available_at_front(CB, 1));
		CHECK(cb_pages_available(CB) >= 1 && cb_pages_available(CB) <= 4);
		CHECK(l1_words(get_read_ptr(CB))[7] == i);
		cb_pop_front(CB, 1);
	}
	CHECK(cb_pages_available(CB) == 0);
}

void kernel_main(void)
{
	shape();
	if (my_processor() == TSR_PROC_DM0)
		fill();
	else
		drain();
}

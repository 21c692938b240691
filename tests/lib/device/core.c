// SPDX-License-Identifier: MIT
/* Words, identity, time. Common words: 100, 200. Own words: x, y, processor, L1 size. */
#include "check.h"

static void words(void)
{
	CHECK(get_common_arg_count() == 2);
	CHECK(get_common_arg_val(0) == 100 && get_common_arg_val(1) == 200);
	CHECK(*l1_words(get_common_arg_addr(1)) == 200);
	if (my_x() == 1 && my_y() == 1) {
		CHECK(get_arg_count() == 0);
		return;
	}
	CHECK(get_arg_count() == 4);
	CHECK(get_arg_val(0) == my_x() && get_arg_val(1) == my_y());
	CHECK(get_arg_val(2) == my_processor());
	CHECK(get_arg_val(3) == get_l1_size());
	CHECK(get_arg_addr(3) == get_arg_addr(0) + 12);
	CHECK(*l1_words(get_arg_addr(2)) == my_processor());
}

static void identity(void)
{
	CHECK(get_absolute_logical_x() == my_x() && get_absolute_logical_y() == my_y());
	CHECK(get_grid_width() == 2 && get_grid_height() == 2);
	CHECK(get_binding_count() == 1);
	CHECK(get_run_id() == 0x100000002);
	CHECK(get_seed() == 0x5eed);
	CHECK(get_compile_time_arg_val(0) == 7 && get_compile_time_arg_val(2) == 9);
}

static void time(void)
{
	uint64_t before = get_cycle_count();

	kernel_heartbeat();
	CHECK(get_cycle_count() > before);
	CHECK(get_cycle_count() - before < 1000);
}

void kernel_main(void)
{
	words();
	identity();
	time();
	ASSERT(my_x() < get_grid_width());
}

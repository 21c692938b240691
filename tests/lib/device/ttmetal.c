// SPDX-License-Identifier: MIT
/*
 * Names of tt-metal that are other ones for what is there, or do nothing. Grid 2 x 2, compute
 * processor. Binding 0 (IN) holds words 0, 1, 2, ...; CB c_0 and c_1 are int8 tiles, c_16 an int32
 * tile; semaphore 0 starts at 0.
 */
#include "check.h"

static void transfers(uint32_t l1)
{
	noc_async_read_one_packet(get_noc_addr_from_binding(0, 8), l1, 8);
	noc_async_read_one_packet_set_state(get_noc_addr_from_binding(0, 0), 4);
	noc_async_read_one_packet_with_state(40, l1 + 8);
	noc_async_read_one_packet_with_state(80, l1 + 12);
	noc_async_read_barrier();
	invalidate_l1_cache();
	CHECK(l1_words(l1)[0] == 2 && l1_words(l1)[1] == 3);
	CHECK(l1_words(l1)[2] == 10 && l1_words(l1)[3] == 20);

	noc_async_write_one_packet(l1 + 8, get_noc_addr(l1 + 16), 4);
	noc_async_posted_writes_flushed();
	CHECK(l1_words(l1)[4] == 10);
}

/* Core (0, 0) sends; corners of the rectangle in each of the four orders. */
static void multicasts(uint32_t l1)
{
	static const uint8_t corners[4][4] = {
		{ 0, 0, 1, 1 }, { 1, 0, 0, 1 }, { 0, 1, 1, 0 }, { 1, 1, 0, 0 },
	};

	for (uint32_t i = 0; i < 4; i++) {
		const uint8_t *c = corners[i];
		uint64_t dst = get_noc_multicast_addr(c[0], c[1], c[2], c[3], l1 + 32 + 4 * i);

		CHECK(dst == get_noc_multicast_addr(0, 0, 1, 1, l1 + 32 + 4 * i));
		noc_async_write_multicast_one_packet(l1 + 4, dst, 4, 3);
	}
	noc_async_write_barrier();
	noc_semaphore_set(get_semaphore_ptr(1), VALID);
	/* Not this core, then this one as well. */
	noc_semaphore_set_multicast_loopback_src(get_semaphore(1),
						 get_noc_multicast_addr(1, 1, 1, 0, get_semaphore(0)),
						 2);
	noc_async_write_barrier();
	CHECK(*get_semaphore_ptr(0) == INVALID);
	noc_semaphore_set_multicast_loopback_src(get_semaphore(1),
						 get_noc_multicast_addr(1, 1, 0, 0, get_semaphore(0)),
						 4);
	noc_async_write_barrier();
}

static void tiles(void)
{
	compute_kernel_hw_startup(c_in0, c_in1, c_out0);
	init_sfpu(c_0, c_16);
	mm_init(c_0, c_1, c_16);
	mm_init(c_0, c_1, c_16, 0);
	mm_init_short(c_0, c_1);
	mm_init_short(c_0, c_1, 0);
	reconfig_data_format(c_0, c_1);
	reconfig_data_format_srca(c_0);
	reconfig_data_format_srcb(c_1);
	pack_reconfig_data_format(c_16);
	copy_tile_to_dst_init_short(c_0);
	copy_tile_to_dst_init_short_with_dt(c_1, c_0);
	UNPACK((kernel_heartbeat()));
	MATH(kernel_heartbeat());
	acquire_dst();
	cb_reserve_back(c_0, 1);
	cb_reserve_back(c_1, 1);
	for (uint32_t i = 0; i < TSR_TILE_DIM * TSR_TILE_DIM; i++) {
		((volatile int8_t *)get_write_ptr(c_0))[i] = 1;
		((volatile int8_t *)get_write_ptr(c_1))[i] = 2;
	}
	cb_push_back(c_0, 1);
	cb_push_back(c_1, 1);
	cb_wait_front(c_0, 1);
	cb_wait_front(c_1, 1);
	matmul_tiles(c_0, c_1, 0, 0, 0);
	matmul_tiles(c_0, c_1, 0, 0, 0, 0);
	cb_reserve_back(c_16, 1);
	PACK(pack_tile(0, c_16));
	CHECK(*(volatile int32_t *)get_write_ptr(c_16) == 2 * 2 * TSR_TILE_DIM);
	release_dst();
}

void kernel_main(void)
{
	uint32_t l1 = get_write_ptr(c_intermed0);

	CHECK(c_16 == 16 && c_31 == 31 && c_out7 == 23 && c_intermed7 == 31 && c_in7 == 7);
	WAYPOINT("TEST");
	DeviceZoneScopedN("test");
#ifdef TRANSPOSE
	TRANSPOSE;
#endif
	if (my_x() == 0 && my_y() == 0) {
		transfers(l1);
		multicasts(l1);
	}
	noc_semaphore_wait(get_semaphore_ptr(0), VALID);
	if (my_x() || my_y())
		for (uint32_t i = 0; i < 4; i++)
			CHECK(l1_words(l1 + 32)[i] == 3);
	tiles();
}

// SPDX-License-Identifier: MIT
/*
 * Transfers. Grid 3 x 2; core (0, 0) moves, the others check. Binding 0 (IN) holds
 * words 0, 1, 2, ...; binding 1 (OUT) gets what is checked by the host. CB 0 is scratch
 * of 4 pages of 64 bytes; semaphore 0 says that core (0, 0) is through.
 */
#include "check.h"

#define PAGE	64

static const struct tensor_accessor in = { 0, PAGE };
static const struct tensor_accessor out = { 1, PAGE };
static uint32_t l1;

static void reads(void)
{
	CHECK(get_noc_addr(3, in) == get_noc_addr_from_binding(0, 3 * PAGE));
	CHECK(tensor_accessor(0, PAGE).page_size == PAGE);
	noc_async_read(get_noc_addr_from_binding(0, 4), l1, 8);
	noc_async_read_page(2, in, l1 + PAGE);
	noc_async_read_tile(1, in, l1 + 2 * PAGE);
	CHECK(noc_pending() & TSR_NOC_CLASS_READ);
	noc_async_read_barrier();
	CHECK(!(noc_pending() & TSR_NOC_CLASS_READ));
	CHECK(l1_words(l1)[0] == 1 && l1_words(l1)[1] == 2);
	CHECK(l1_words(l1 + PAGE)[0] == 32 && l1_words(l1 + PAGE)[15] == 47);
	CHECK(l1_words(l1 + 2 * PAGE)[0] == 16);
}

static void writes(void)
{
	noc_async_write(l1, get_noc_addr_from_binding(1, 4), 8);
	noc_async_write_page(1, out, l1 + PAGE);
	noc_async_write_tile(2, out, l1 + 2 * PAGE);
	noc_inline_dw_write(get_noc_addr_from_binding(1, 0), 0xabcd);
	noc_async_writes_flushed();
	noc_async_write_barrier();
	CHECK(!noc_pending());
}

/* Page 1 of scratch to one core, to a rectangle without and with this core. */
static void to_cores(void)
{
	uint64_t others = get_noc_multicast_addr(0, 0, 2, 1, l1 + 3 * PAGE);

	noc_async_write(l1 + PAGE, get_noc_addr(2, 1, l1), PAGE);
	noc_async_write_multicast(l1 + PAGE, get_noc_multicast_addr(0, 0, 1, 1, l1 + 2 * PAGE),
				  PAGE, 3);
	noc_async_write_barrier();
	CHECK(l1_words(l1 + 2 * PAGE)[0] == 16);
	noc_async_write_multicast_loopback_src(l1 + PAGE, others, PAGE, 6);
	noc_inline_dw_write(get_noc_addr(2, 0, l1 + 3 * PAGE), 77);
	noc_async_full_barrier();
	CHECK(l1_words(l1 + 3 * PAGE)[0] == 32);

	noc_async_read(get_noc_addr(2, 1, l1), l1 + 2 * PAGE, PAGE);
	noc_async_read(get_noc_addr(l1 + PAGE), l1 + 3 * PAGE, 4);
	noc_async_read_barrier();
	CHECK(l1_words(l1 + 2 * PAGE)[15] == 47);
	CHECK(l1_words(l1 + 3 * PAGE)[0] == 32);
}

static void check_received(void)
{
	noc_semaphore_wait(get_semaphore_ptr(0), 1);
	if (my_x() == 2 && my_y() == 1)
		CHECK(l1_words(l1)[0] == 32 && l1_words(l1)[15] == 47);
	else
		CHECK(l1_words(l1)[0] == 0);
	CHECK(l1_words(l1 + 2 * PAGE)[15] == (my_x() < 2 ? 47 : 0));
	CHECK(l1_words(l1 + 3 * PAGE)[0] == (my_x() == 2 && my_y() == 0 ? 77 : 32));
	CHECK(l1_words(l1 + 3 * PAGE)[15] == 47);
}

void kernel_main(void)
{
	l1 = get_write_ptr(0);
	if (my_x() || my_y()) {
		check_received();
		return;
	}
	reads();
	writes();
	to_cores();
	noc_semaphore_inc_multicast(get_noc_multicast_addr(0, 0, 2, 1, get_semaphore(0)), 1, 5);
	noc_async_atomic_barrier();
}

// SPDX-License-Identifier: MIT
/*
 * Semaphores on a grid of 2 x 1. Semaphore 0 starts at 5; 1, 2 and 3 at 0. CB 0 is scratch,
 * its first words are zero.
 */
#include "check.h"

static void own(void)
{
	volatile uint32_t *sem = get_semaphore_ptr(0);

	CHECK((uint32_t)sem == get_semaphore(0));
	CHECK(*sem == 5);
	noc_semaphore_wait(sem, 5);
	noc_semaphore_wait_min(sem, 4);
	noc_semaphore_set(sem, 0xfffffffe);
	semaphore_add(sem, 3);
	CHECK(*sem == 1);
	noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 2);
	noc_async_atomic_barrier();
	noc_semaphore_wait(sem, 3);
}

/* To and fro: each increment is answered before the next. */
static void ping_pong(void)
{
	uint32_t other = 1 - my_x();

	for (uint32_t i = 1; i <= 10; i++) {
		if (my_x() == 0)
			noc_semaphore_inc(get_noc_addr(other, 0, get_semaphore(1)), 1);
		noc_semaphore_wait_min(get_semaphore_ptr(1), i);
		if (my_x() == 1)
			noc_semaphore_inc(get_noc_addr(other, 0, get_semaphore(1)), 1);
	}
	noc_async_atomic_barrier();
}

/* Values from a semaphore and from L1, to one core and to many. */
static void set_remote(uint32_t l1)
{
	if (my_x() == 0) {
		*l1_words(l1 + 16) = 41;
		noc_semaphore_set(get_semaphore_ptr(3), 9);
		noc_semaphore_set_remote(l1 + 16, get_noc_addr(1, 0, get_semaphore(2)));
		noc_semaphore_set_multicast(get_semaphore(3),
					    get_noc_multicast_addr(0, 0, 1, 0, get_semaphore(3)), 1);
		noc_async_write_barrier();
	} else {
		noc_semaphore_wait(get_semaphore_ptr(2), 41);
		noc_semaphore_wait_min(get_semaphore_ptr(3), 9);
		CHECK(*get_semaphore_ptr(3) == 9);
	}
}

/* A word of L1 as a flag. */
static void l1_flag(uint32_t l1)
{
	if (my_x() == 0) {
		noc_inline_dw_write(get_noc_addr(1, 0, l1), 1);
		noc_inline_dw_write(get_noc_addr(1, 0, l1 + 4), 6);
		noc_async_write_barrier();
	} else {
		noc_semaphore_wait(l1_words(l1), 1);
		noc_semaphore_wait_min(l1_words(l1 + 4), 5);
	}
}

void kernel_main(void)
{
	uint32_t l1 = get_write_ptr(0);

	own();
	ping_pong();
	set_remote(l1);
	l1_flag(l1);
}

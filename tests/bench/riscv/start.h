/* SPDX-License-Identifier: MIT */
/*
 * A bare program for tessera hart run and for qemu-riscv32 alike: work() is all of it, and the low
 * bits of what it returns are the exit status, which both must agree on.
 */
#ifndef TSR_BENCH_START_H
#define TSR_BENCH_START_H

#include <stdint.h>

uint32_t work(void);

__attribute__((naked, used)) void _start(void)
{
	__asm__ volatile("call work\n"
			 "andi a0, a0, 63\n"
			 "li a7, 93\n"
			 "ecall\n");
}

/* Numbers that look random. */
static inline uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#endif

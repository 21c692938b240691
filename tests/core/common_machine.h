/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* One processor with memory and nothing else, for tests of the interpreter. */
#ifndef TSR_TEST_MACHINE_H
#define TSR_TEST_MACHINE_H

#include "common_rv.h"
#include "hart.h"

#define BASE	0x00100000u
#define SIZE	0x4000u
#define DATA	(BASE + 0x1000)

static const struct tsr_timing timing = {
	.alu = 1, .load = 2, .store = 3, .mul = 5, .div = 7, .branch = 11, .noc_bytes = 1,
};

struct machine {
	struct tsr_hart hart;
	struct tsr_text *text;
	u32 mem[SIZE / 4];
};

static inline void setup(struct machine *m, const u32 *code, u32 count, bool predecoded)
{
	memset(m, 0, sizeof(*m));
	memcpy(m->mem, code, count * 4);
	if (predecoded)
		m->text = tsr_text_decode(&timing, BASE, BASE, code, count * 4);
	m->hart.mem = (u8 *)m->mem;
	m->hart.mem_base = BASE;
	m->hart.mem_size = SIZE;
	m->hart.text = m->text;
	m->hart.timing = &timing;
	m->hart.pc = BASE;
	m->hart.from = BASE;
	m->hart.limit = 100000;
}

static inline void teardown(struct machine *m)
{
	tsr_text_free(m->text);
}

#define A	T0
#define B	T1
#define D	T2

#endif

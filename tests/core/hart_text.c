// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The two paths of the interpreter: a text that was decoded, with its pairs of instructions, and
 * words decoded one at a time. When one is left for the other, for the bus, or at the limit.
 */
#include "kselftest_harness.h"

#include "common_machine.h"

/* ---- what is not in memory ---- */

/* So many bytes of the address are read; after a write of 0 the interpreter is left. */
static enum tsr_access bus_load(struct tsr_hart *h, u32 addr, u32 size, u32 *ret)
{
	(void)h;
	*ret = size == 4 ? addr : addr & ((1u << 8 * size) - 1);
	return TSR_ACCESS_OK;
}

static enum tsr_access bus_store(struct tsr_hart *h, u32 addr, u32 size, u32 value)
{
	(void)h;
	(void)addr;
	(void)size;
	return value ? TSR_ACCESS_OK : TSR_ACCESS_YIELD;
}

TEST(what_the_bus_gives_is_extended_like_memory)
{
	const u32 code[] = { LB(D, A, 0), LBU(S0, A, 0), LH(S1, A, 0), LHU(T3, A, 0), SW(A, A, 0),
			     SW(ZERO, A, 0), ECALL() };
	static const struct tsr_bus bus = { bus_load, bus_store };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 7, mode);
		m.hart.bus = &bus;
		m.hart.x[A] = 0x8000f0f0;
		/* left after the second store, which is done */
		EXPECT_EQ(TSR_EXIT_LIMIT, tsr_hart_run(&m.hart));
		EXPECT_EQ(BASE + 24, m.hart.pc);
		EXPECT_EQ(6, m.hart.instret);
		EXPECT_GT(m.hart.limit, m.hart.cycles);
		EXPECT_EQ(0xfffffff0, m.hart.x[D]);
		EXPECT_EQ(0xf0, m.hart.x[S0]);
		EXPECT_EQ(0xfffff0f0, m.hart.x[S1]);
		EXPECT_EQ(0xf0f0, m.hart.x[T3]);
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		teardown(&m);
	}
}

/* ---- the text stays in force until fence.i ---- */

TEST(fence_i_forgets_a_text_that_memory_does_not_hold)
{
	const u32 code[] = { NOP(), FENCE_I(), ECALL() };
	struct machine m;

	setup(&m, code, 3, true);
	m.hart.mem_size = 8;
	EXPECT_EQ(TSR_EXIT_FAULT, tsr_hart_run(&m.hart));
	EXPECT_EQ(TSR_FAULT_FETCH, m.hart.cause);
	EXPECT_EQ(BASE + 8, m.hart.address);
	EXPECT_EQ(true, m.hart.stale);
	teardown(&m);
}

TEST(rewritten_code_takes_effect_with_fence_i)
{
	const u32 code[] = {
		SW(B, A, 0),		/* rewrites the addi at 0x14 */
		JAL(ZERO, 16),
		FENCE_I(),
		JAL(ZERO, 8),
		NOP(),
		ADDI(D, D, 1),		/* becomes addi d, d, 100 */
		ADDI(S0, S0, -1),
		BEQ(S0, ZERO, -20),	/* second time: fence.i */
		BLT(ZERO, S0, -12),
		ECALL(),
	};
	struct machine m;

	setup(&m, code, 10, true);
	m.hart.x[A] = BASE + 0x14;
	m.hart.x[B] = ADDI(D, D, 100);
	m.hart.x[S0] = 2;
	EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
	/* twice before the fence.i, once after it */
	EXPECT_EQ(1 + 1 + 100, m.hart.x[D]);
	EXPECT_EQ(true, m.hart.stale);
	/* the text is as it was: back to the predecoded code */
	m.mem[5] = ADDI(D, D, 1);
	m.hart.pc = BASE + 8;
	m.hart.x[S0] = 0;
	EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
	EXPECT_EQ(103, m.hart.x[D]);
	EXPECT_EQ(false, m.hart.stale);
	teardown(&m);
}

TEST(misaligned_accesses_are_performed_on_request)
{
	const u32 code[] = { LW(D, A, 1), LH(S0, A, 3), LHU(S1, A, 3), SW(B, A, 9),
			     SH(B, A, 15), ECALL(), LW(D, T3, -2) };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 7, mode);
		m.hart.misaligned = true;
		memcpy(m.hart.mem + 0x1000, "\x10\x11\x12\x13\x94\x15", 6);
		m.hart.x[A] = DATA;
		m.hart.x[B] = 0xa4a3a2a1;
		m.hart.x[T3] = BASE + SIZE;
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		EXPECT_EQ(0x94131211, m.hart.x[D]);
		EXPECT_EQ(0xffff9413, m.hart.x[S0]);
		EXPECT_EQ(0x9413, m.hart.x[S1]);
		EXPECT_EQ(0, memcmp(m.hart.mem + 0x1009, "\xa1\xa2\xa3\xa4\0\0\xa1\xa2", 8));
		/* across the end of memory it cannot be */
		m.hart.pc = BASE + 24;
		EXPECT_EQ(TSR_EXIT_FAULT, tsr_hart_run(&m.hart));
		EXPECT_EQ(TSR_FAULT_LOAD_MISALIGNED, m.hart.cause);
		EXPECT_EQ(BASE + SIZE - 2, m.hart.address);
		teardown(&m);
	}
}

TEST(costs_are_those_of_the_timing)
{
	const u32 code[] = { ADDI(A, ZERO, 1), LUI(S0, DATA >> 12), LW(D, S0, 0), SW(D, S0, 4),
			     MUL(D, A, A), MULHU(D, A, A), DIV(D, A, A), REMU(D, A, A),
			     JAL(RA, 4), ECALL() };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 10, mode);
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		EXPECT_EQ(1 + 1 + 2 + 3 + 5 + 5 + 7 + 7 + 1 + 11, m.hart.cycles);
		EXPECT_EQ(9, m.hart.instret);
		teardown(&m);
	}
}

TEST(an_endless_loop_leaves_at_the_limit)
{
	const u32 loops[] = { JAL(ZERO, 0), JALR(ZERO, A, 0) };
	struct machine m;
	u32 i, mode;

	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		for (mode = 0; mode < 2; mode++) {
			setup(&m, &loops[i], 1, mode);
			m.hart.x[A] = BASE;
			EXPECT_EQ(TSR_EXIT_LIMIT, tsr_hart_run(&m.hart));
			EXPECT_LE(m.hart.limit, m.hart.cycles);
			EXPECT_GT(m.hart.limit + 12, m.hart.cycles);
			EXPECT_EQ(m.hart.cycles, m.hart.instret * 12);
			teardown(&m);
		}
	}
}

/* Each pair that has its own handler: entered at its start and at its second half. */
#define EXAMPLE_ADDI	ADDI(S2, S3, 5)
#define EXAMPLE_ADD	ADD(S4, S2, S5)
#define EXAMPLE_SUB	SUB(S4, S2, S5)
#define EXAMPLE_ANDI	ANDI(S6, S2, 0x3c)
#define EXAMPLE_XORI	XORI(S6, S4, -7)
#define EXAMPLE_AND	AND(S6, S4, S2)
#define EXAMPLE_OR	OR(S6, S4, S2)
#define EXAMPLE_XOR	XOR(S4, S4, S2)
#define EXAMPLE_SLTU	SLTU(S6, S5, S4)
#define EXAMPLE_SLLI	SLLI(S7, S4, 3)
#define EXAMPLE_SRLI	SRLI(S7, S4, 5)
#define EXAMPLE_SRAI	SRAI(S7, S4, 2)
#define EXAMPLE_MUL	MUL(S7, S4, S2)
#define EXAMPLE_CONST	LUI(S2, 0x80001)
#define EXAMPLE_MV	ADDI(S5, S4, 0)
#define EXAMPLE_LW	LW(S4, S8, 4)
#define EXAMPLE_LBU	LBU(S4, S8, 5)
#define EXAMPLE_LHU	LHU(S4, S8, 6)
#define EXAMPLE_SW	SW(S4, S8, 8)
#define EXAMPLE_SB	SB(S4, S8, 9)
#define EXAMPLE_J	JAL(ZERO, 8)
#define EXAMPLE_BEQ	BEQ(S4, S2, 8)
#define EXAMPLE_BNE	BNE(S4, S2, 8)
#define EXAMPLE_BLT	BLT(S4, S2, 8)
#define EXAMPLE_BGE	BGE(S4, S2, 8)
#define EXAMPLE_BLTU	BLTU(S4, S2, 8)
#define EXAMPLE_BGEU	BGEU(S4, S2, 8)
#define EXAMPLE(a, b)	{ TSR_OP_##a##_##b, EXAMPLE_##a, EXAMPLE_##b },

static const struct {
	u32 op, first, second;
} pairs[] = { TSR_PAIRS(EXAMPLE) };

TEST(pairs_do_what_their_halves_do)
{
	struct machine fused, single;
	u32 i, start, r;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		u32 code[] = { pairs[i].first, pairs[i].second, ADDI(S9, S9, 1), ECALL(), ECALL() };

		for (start = 0; start < 2; start++) {
			setup(&fused, code, 5, true);
			setup(&single, code, 5, false);
			EXPECT_EQ(pairs[i].op, fused.text->insns[0].op);
			for (r = S2; r <= S6; r++)
				fused.hart.x[r] = single.hart.x[r] = 0x1234567u * (r + i % 3);
			fused.hart.x[S8] = single.hart.x[S8] = DATA;
			memcpy(fused.hart.mem + 0x1000, "\x11\x92\x13\x94\x15\x96\x17\x98", 8);
			memcpy(single.hart.mem + 0x1000, fused.hart.mem + 0x1000, 8);
			fused.hart.pc += 4 * start;
			single.hart.pc += 4 * start;
			EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&fused.hart));
			EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&single.hart));
			EXPECT_EQ(0, memcmp(fused.hart.x, single.hart.x, 32 * 4)) {
				TH_LOG("pair %u from %u", i, start);
			}
			EXPECT_EQ(0, memcmp(fused.mem, single.mem, SIZE));
			EXPECT_EQ(single.hart.pc, fused.hart.pc);
			EXPECT_EQ(single.hart.cycles, fused.hart.cycles);
			EXPECT_EQ(single.hart.instret, fused.hart.instret);
			teardown(&fused);
		}
	}
}

/* A pair whose second half faults has executed the first. */
TEST(a_fault_in_the_second_half_of_a_pair)
{
	const u32 code[] = { ADD(S0, A, A), LW(D, A, 2) };
	struct machine m;

	setup(&m, code, 2, true);
	m.hart.x[A] = DATA;
	EXPECT_EQ(TSR_OP_ADD_LW, m.text->insns[0].op);
	EXPECT_EQ(TSR_EXIT_FAULT, tsr_hart_run(&m.hart));
	EXPECT_EQ(TSR_FAULT_LOAD_MISALIGNED, m.hart.cause);
	EXPECT_EQ(BASE + 4, m.hart.fault_pc);
	EXPECT_EQ(2 * DATA, m.hart.x[S0]);
	EXPECT_EQ(1, m.hart.instret);
	EXPECT_EQ(1, m.hart.cycles);
	teardown(&m);
}

/* Any words at all: both paths agree, and stay inside memory. */
TEST(random_words_behave_alike_on_both_paths)
{
	static struct machine fast, slow;
	u32 seed = 1, round, i;

	for (round = 0; round < 300; round++) {
		u32 code[64];

		for (i = 0; i < 64; i++) {
			static const u8 ops[] = { 0x03, 0x23, 0x13, 0x33, 0x63, 0x6f, 0x67, 0x17 };

			seed = seed * 1664525 + 1013904223;
			code[i] = (seed & ~0x7fu) | ops[seed >> 24 & 7];
			if (seed >> 30)
				code[i] &= ~0xc0000000u;
		}
		setup(&fast, code, 64, true);
		setup(&slow, code, 64, false);
		for (i = 1; i < 32; i++)
			fast.hart.x[i] = slow.hart.x[i] = BASE + (seed >> i) % SIZE;
		fast.hart.limit = slow.hart.limit = 3000;
		EXPECT_EQ(tsr_hart_run(&slow.hart), tsr_hart_run(&fast.hart));
		EXPECT_EQ(0, memcmp(fast.hart.x, slow.hart.x, 32 * 4));
		EXPECT_EQ(slow.hart.pc, fast.hart.pc);
		EXPECT_EQ(slow.hart.cause, fast.hart.cause);
		EXPECT_EQ(slow.hart.cycles, fast.hart.cycles);
		EXPECT_EQ(slow.hart.instret, fast.hart.instret);
		teardown(&fast);
	}
}

TEST_HARNESS_MAIN

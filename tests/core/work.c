// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Bounded work (SEC-5): between two looks at stop and budget the engine moves no more than a step,
 * whatever a kernel asks for, and nobody can tell that it was moved in steps. The work is counted
 * in bytes, eight of them for an instruction: a figure that is the same on each machine.
 */
#include "kselftest_harness.h"

#include "common_grid.h"

#define L1		TSR_L1_BASE
#define STEP		(128u << 10)	/* what grid.h promises */
/* The largest piece of an operation that is not divided: a product of tiles. */
#define PIECE		(64u << 10)
/* Instructions between two jumps are executed whole, and an image here is short. */
#define STRAIGHT	(8u * 1024)

FIXTURE(work) {
	struct tsr_grid_config cfg;
	struct prog p;
	struct tsr_grid *grid;
	u8 *mem;
};

static void open_grid(FIXTURE_DATA(work) *self, u16 width, u16 height, u32 l1_size)
{
	tsr_grid_config_default(&self->cfg);
	self->cfg.width = width;
	self->cfg.height = height;
	self->cfg.l1_size = l1_size;
	self->cfg.deterministic = true;
	self->grid = tsr_grid_new(&self->cfg, NULL);
	prog_init(&self->p, &self->cfg);
}

FIXTURE_SETUP(work)
{
	self->mem = NULL;
	self->grid = NULL;
}

FIXTURE_TEARDOWN(work)
{
	if (self->grid)
		prog_fini(&self->p);
	tsr_grid_free(self->grid);
	free(self->mem);
}

/* Calls of tsr_grid_run() with the smallest budget: each is one step. */
static u32 steps(struct tsr_grid *grid, enum tsr_grid_state *ret_state)
{
	u32 n = 0;

	do {
		*ret_state = tsr_grid_run(grid, 1);
		n++;
	} while (*ret_state == TSR_GRID_MORE);
	return n;
}

static void expect_bounded(struct __test_metadata *_metadata, FIXTURE_DATA(work) *self, u64 moved)
{
	enum tsr_grid_state state;
	u32 n;

	prog_launch(&self->p, self->grid);
	n = steps(self->grid, &state);
	EXPECT_EQ(TSR_GRID_DONE, state);
	EXPECT_GE(STEP + PIECE + STRAIGHT, tsr_grid_worst_step(self->grid));
	EXPECT_LE(moved / (STEP + PIECE + STRAIGHT), n);
	/* And it is not so little that nothing gets done. */
	EXPECT_GE(2 * moved / STEP + 16, n);
}

TEST_F(work, multicast_of_most_of_l1_on_the_largest_grid)
{
	struct rv k = { .n = 0 };
	u32 size = (64u << 10) - 1024, from;

	open_grid(self, 32, 32, 128 << 10);
	ASSERT_NE(NULL, self->grid);
	from = L1 + (64 << 10);
	rv_store(&k, from, 0x600d);
	rv_noc(&k, TSR_NOC_CMD_WRITE_LOOPBACK, MCAST(0, 0, 31, 31), from, from, size);
	rv_noc(&k, TSR_NOC_CMD_WRITE, MCAST(0, 0, 31, 31), from, from, size);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 5, 5, 5, 5);
	expect_bounded(_metadata, self, 2047ull * size);
	for (u32 i = 0; i < 1024; i++)
		ASSERT_EQ(0x600d, grid_word(self->grid, i % 32, i / 32, from));
}

TEST_F(work, transfer_of_the_largest_l1)
{
	const u32 at = L1 + (512 << 10), size = 3 << 20;
	struct rv k = { .n = 0 };

	open_grid(self, 2, 1, 4 << 20);
	ASSERT_NE(NULL, self->grid);
	self->mem = malloc(size);
	ASSERT_NE(NULL, self->mem);
	for (u32 i = 0; i < size; i++)
		self->mem[i] = i * 7 + (i >> 16);
	prog_bind(&self->p, self->mem, size, TESSERA_ACCESS_INOUT);
	rv_noc(&k, TSR_NOC_CMD_READ, BUFFER(0), 0, at, size);
	/* To and from itself, overlapping by all but some bytes, in both directions. */
	rv_noc(&k, TSR_NOC_CMD_WRITE, CORE(0, 0), at + 200000, at, size);
	rv_noc(&k, TSR_NOC_CMD_READ, CORE(0, 0), at + 200000, at + 100, size);
	rv_noc(&k, TSR_NOC_CMD_WRITE, CORE(1, 0), at, at + 100, size);
	rv_noc(&k, TSR_NOC_CMD_READ, CORE(1, 0), at, at, size);
	rv_noc(&k, TSR_NOC_CMD_WRITE, BUFFER(0), 0, at, size);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	expect_bounded(_metadata, self, 6ull * size);
	for (u32 i = 0; i < size; i++)
		ASSERT_EQ((u8)(i * 7 + (i >> 16)), self->mem[i]);
}

TEST_F(work, increments_of_semaphores_on_the_largest_grid)
{
	struct rv k = { .n = 0 };

	open_grid(self, 32, 32, 64 << 10);
	self->cfg.image_slot = 8 << 10;
	prog_fini(&self->p);
	tsr_grid_free(self->grid);
	self->grid = tsr_grid_new(&self->cfg, NULL);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
	for (u32 i = 0; i < 20; i++)
		rv_noc(&k, TSR_NOC_CMD_SEM_INC, MCAST(0, 0, 31, 31), SEM(3, VALUE), 1, 0);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	expect_bounded(_metadata, self, 20 * 1023ull * (64 + 4));
}

TEST_F(work, products_of_tiles)
{
	struct rv k = { .n = 0 };

	open_grid(self, 1, 1, 256 << 10);
	ASSERT_NE(NULL, self->grid);
	rv_store(&k, TSR_REG_TILE + TSR_TILE_A, self->p.limits.cb_base);
	rv_store(&k, TSR_REG_TILE + TSR_TILE_B, self->p.limits.cb_base);
	rv_store(&k, TSR_REG_TILE + TSR_TILE_FORMAT, TSR_FORMAT_FP32);
	for (u32 i = 0; i < 40; i++)
		rv_store(&k, TSR_REG_TILE + TSR_TILE_OP, TSR_TILE_MATMUL);
	prog_kernel(&self->p, &k, TSR_PROC_COMPUTE, 0, 0, 0, 0);
	expect_bounded(_metadata, self, 40ull * (64 << 10));
}

TEST_F(work, prints)
{
	struct rv k = { .n = 0 };
	u32 at;

	open_grid(self, 1, 1, 256 << 10);
	ASSERT_NE(NULL, self->grid);
	rv_li(&k, T0, 20000);
	at = k.n;
	rv_store(&k, TSR_REG_CORE + TSR_CORE_PRINT, '\n');
	rv_put(&k, ADDI(T0, T0, -1));
	RV_BACK(&k, BNE, T0, ZERO, at);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	expect_bounded(_metadata, self, 20000ull * 256);
}

/* Each compares the text with memory. */
TEST_F(work, fences)
{
	struct rv k = { .n = 0 };
	u32 i;

	open_grid(self, 1, 1, 256 << 10);
	ASSERT_NE(NULL, self->grid);
	for (i = 0; i < 240; i++)
		rv_put(&k, 0x0000100f);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	tsr_grid_run(self->grid, 1);
	/* A text of a thousand bytes, 240 times: counted, not one instruction each. */
	EXPECT_LE(240ull * 960, tsr_grid_worst_step(self->grid));
}

/*
 * Nobody sees half of a transfer: while one is under way its worker runs no other core. (1, 0) spins
 * on the first word and looks at the last one as soon as the first has changed.
 */
TEST_F(work, a_transfer_is_whole_for_one_worker)
{
	const u32 size = 1 << 20;
	struct rv move = { .n = 0 }, look = { .n = 0 };
	u32 from, to, at;

	open_grid(self, 2, 1, 4 << 20);
	ASSERT_NE(NULL, self->grid);
	from = self->p.limits.cb_base;
	to = from + size;
	rv_store(&move, from, 1);
	rv_store(&move, from + size - 4, 1);
	rv_noc(&move, TSR_NOC_CMD_WRITE, CORE(1, 0), to, from, size);
	rv_li(&look, S0, to);
	rv_li(&look, S1, to + size - 4);
	at = look.n;
	rv_put(&look, LW(T0, S0, 0));
	rv_put(&look, LW(T1, S1, 0));
	RV_BACK(&look, BEQ, T0, ZERO, at);
	/* T1 was read after T0: if the one is set, so is the other. */
	rv_put(&look, ADDI(T1, T1, -1));
	rv_li(&look, T2, TSR_REG_CORE + TSR_CORE_EXIT);
	rv_put(&look, SW(T1, T2, 0));
	prog_kernel(&self->p, &move, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_kernel(&self->p, &look, TSR_PROC_DM0, 1, 0, 1, 0);
	prog_launch(&self->p, self->grid);
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1));
	EXPECT_LE(STEP, tsr_grid_worst_step(self->grid));
}

TEST_F(work, stop_ends_a_transfer)
{
	struct rv k = { .n = 0 };
	u32 from;

	open_grid(self, 32, 32, 128 << 10);
	ASSERT_NE(NULL, self->grid);
	from = L1 + (64 << 10);
	rv_store(&k, from, 1);
	rv_noc(&k, TSR_NOC_CMD_WRITE, MCAST(0, 0, 31, 31), from, from, 60000);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 1));
	tsr_grid_stop(self->grid);
	EXPECT_EQ(TSR_GRID_STOPPED, tsr_grid_run(self->grid, 1000000000));
	EXPECT_EQ(1, grid_word(self->grid, 1, 0, from));
	EXPECT_EQ(0, grid_word(self->grid, 31, 31, from));

	/* Nothing of it is left for the next run, of another core. */
	tsr_grid_scrub(self->grid);
	prog_fini(&self->p);
	prog_init(&self->p, &self->cfg);
	k.n = 0;
	tsr_put32(tsr_grid_l1(self->grid, 0, 0) + (from - L1), 7);
	rv_store(&k, from, 2);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 1, 0, 1, 0);
	prog_launch(&self->p, self->grid);
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(2, grid_word(self->grid, 1, 0, from));
	EXPECT_EQ(0, grid_word(self->grid, 31, 31, from));
}

/* The budget is one of work: a run of few instructions that moves much does not stay within it. */
TEST_F(work, bytes_count_for_the_budget)
{
	struct rv k = { .n = 0 };

	open_grid(self, 4, 4, 512 << 10);
	ASSERT_NE(NULL, self->grid);
	for (u32 i = 0; i < 8; i++)
		rv_noc(&k, TSR_NOC_CMD_WRITE, MCAST(0, 0, 3, 3), L1 + (256 << 10), L1 + (256 << 10),
		       256 << 10);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	/* 30 MiB are worth 3.9 million instructions. */
	EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 3700000));
	EXPECT_EQ(TSR_GRID_DONE, tsr_grid_run(self->grid, 400000));
}

/* A quantum of a million cycles is no permission for a million instructions between two looks. */
TEST_F(work, a_loop_with_the_longest_quantum)
{
	struct rv k = { .n = 0 };
	u32 at;

	open_grid(self, 1, 1, 256 << 10);
	prog_fini(&self->p);
	tsr_grid_free(self->grid);
	self->cfg.quantum = 1000000;
	self->grid = tsr_grid_new(&self->cfg, NULL);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
	rv_li(&k, T0, 500000);
	at = rv_put(&k, ADDI(T0, T0, -1));
	RV_BACK(&k, BNE, T0, ZERO, at);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	expect_bounded(_metadata, self, 0x800000);
}

/* Changes of a semaphore cost the device's machine more than an instruction, and need no jump. */
TEST_F(work, register_accesses)
{
	struct rv k = { .n = 0 };
	u32 at, i;

	open_grid(self, 1, 1, 256 << 10);
	ASSERT_NE(NULL, self->grid);
	rv_li(&k, S0, SEM(0, ADD));
	rv_li(&k, T0, 40);
	at = k.n;
	for (i = 0; i < 240; i++)
		rv_put(&k, SW(T0, S0, 0));
	rv_put(&k, ADDI(T0, T0, -1));
	RV_BACK(&k, BNE, T0, ZERO, at);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	expect_bounded(_metadata, self, 40 * 240 * 128ull);
}

/*
 * Looks are not to be seen: a limit is looked at where the manual says, and a slice ends after the very
 * instruction that brings its work to 1 MiB. The first core counts transfers without a jump, far over
 * its quantum; the second looks once, when the slice is over: after how many?
 */
static u32 seen_after(FIXTURE_DATA(work) *self, u32 size, u32 words)
{
	struct rv k = { .n = 0 }, look = { .n = 0 };
	u32 at, i, seen;

	open_grid(self, 3, 1, 1 << 20);
	at = self->p.limits.cb_base;
	rv_li(&k, S0, TSR_REG_NOC + TSR_NOC_COMMAND);
	rv_li(&k, S1, TSR_NOC_CMD_READ);
	rv_li(&k, S2, at);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_TARGET_HI, CORE(1, 0));
	rv_store(&k, TSR_REG_NOC + TSR_NOC_TARGET_LO, L1);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_LOCAL, at + 4096);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_SIZE, size);
	for (i = 0; i < 40; i++) {
		for (u32 n = 0; n < words; n++)
			rv_put(&k, DIV(T1, T1, T1));
		rv_put(&k, ADDI(T0, T0, 1));
		rv_put(&k, SW(T0, S2, 0));
		rv_put(&k, SW(S1, S0, 0));
	}
	rv_noc(&look, TSR_NOC_CMD_READ, CORE(0, 0), at, at + 64, 4);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_kernel(&self->p, &look, TSR_PROC_DM0, 2, 0, 2, 0);
	prog_launch(&self->p, self->grid);
	if (grid_finish(self->grid, 1) != TSR_GRID_DONE)
		return 0;
	seen = grid_word(self->grid, 2, 0, at + 64);
	return seen;
}

TEST_F(work, a_slice_ends_with_the_work_that_fills_it)
{
	/* 140,064 bytes each: a step each, and 1 MiB with the eighth */
	EXPECT_EQ(8, seen_after(self, 140000, 0));
}

TEST_F(work, a_slice_ends_within_a_step)
{
	/* 100,064 bytes: two are a step, and the eleventh fills the slice, half a step after the tenth */
	EXPECT_EQ(11, seen_after(self, 100000, 0));
}

TEST_F(work, a_look_ends_no_slice)
{
	/* Over the quantum after the sixth, and no jump: only work ends the slice. */
	EXPECT_EQ(8, seen_after(self, 140000, 20));
}

TEST_HARNESS_MAIN

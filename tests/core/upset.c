// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Cores that are broken on purpose: what they still do, and what the others do. */
#include "kselftest_harness.h"

#include "common_grid.h"

FIXTURE(upset) {
	struct tsr_grid_config cfg;
	struct prog p;
	struct tsr_grid *grid;
	struct tsr_proc_stats stats;
	struct tsr_stall_info stall;
};

FIXTURE_SETUP(upset)
{
	self->grid = grid_new_plain(&self->cfg);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
}

FIXTURE_TEARDOWN(upset)
{
	prog_fini(&self->p);
	tsr_grid_free(self->grid);
}

static void forever(struct prog *p, u32 x1)
{
	struct rv k = { .n = 0 };

	rv_put(&k, JAL(ZERO, 0));
	prog_kernel(p, &k, TSR_PROC_DM0, 0, 0, x1, 0);
}

/* 2 instructions a round, and some more. */
static void rounds(struct prog *p, u32 count, u32 x1)
{
	struct rv k = { .n = 0 };

	rv_li(&k, T0, count);
	rv_put(&k, ADDI(T0, T0, -1));
	rv_put(&k, BNE(T0, ZERO, -4));
	prog_kernel(p, &k, TSR_PROC_DM0, 0, 0, x1, 0);
}

TEST_F(upset, a_core_that_takes_no_part_cannot_be)
{
	forever(&self->p, 1);
	prog_launch(&self->p, self->grid);
	EXPECT_EQ(-ENOENT, tsr_grid_upset(self->grid, 2, 0, TSR_UPSET_HANG, 1));
	EXPECT_EQ(-ENOENT, tsr_grid_upset(self->grid, 3, 3, TSR_UPSET_HANG, 1));
	EXPECT_EQ(-ENOENT, tsr_grid_upset(self->grid, 0, 9, TSR_UPSET_HANG, 1));
	EXPECT_EQ(0, tsr_grid_upset(self->grid, 1, 0, TSR_UPSET_HANG, 1));
}

/* More than 1,000 instructions: it went past the place. Fewer: it hung before. */
TEST_F(upset, one_that_hangs_stays_where_it_is_and_the_others_go_on)
{
	forever(&self->p, 1);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(0, tsr_grid_upset(self->grid, 1, 0, TSR_UPSET_HANG, 1000));
	for (u32 i = 0; i < 3; i++)
		EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 100000));
	tsr_grid_stats(self->grid, 1, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_EQ(1000, self->stats.instructions);
	tsr_grid_stats(self->grid, 0, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_LT(200000, self->stats.instructions);
	tsr_grid_stall(self->grid, &self->stall);
	EXPECT_EQ(2, self->stall.cores);
	EXPECT_EQ(2, self->stall.running);
}

/* The place is many slices away, and these are as long as ever. */
TEST_F(upset, one_that_hangs_much_later_gets_there)
{
	forever(&self->p, 1);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(0, tsr_grid_upset(self->grid, 1, 0, TSR_UPSET_HANG, 100000));
	for (u32 i = 0; i < 2; i++)
		EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 1));
	tsr_grid_stats(self->grid, 1, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_LT(0, self->stats.instructions);
	EXPECT_GT(10000, self->stats.instructions);
	for (u32 i = 0; i < 5; i++)
		EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 100000));
	tsr_grid_stats(self->grid, 1, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_EQ(100000, self->stats.instructions);
}

/* The grid has nothing left to do: a launch that never ends, though nobody waits. */
TEST_F(upset, when_all_hang_the_grid_rests)
{
	forever(&self->p, 0);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(0, tsr_grid_upset(self->grid, 0, 0, TSR_UPSET_HANG, 1000));
	EXPECT_EQ(TSR_GRID_WAIT, grid_finish(self->grid, 100000));
	tsr_grid_stop(self->grid);
	EXPECT_EQ(TSR_GRID_STOPPED, tsr_grid_run(self->grid, 1000));
}

/* cores 1: the dead one was forgotten. running 1: it is still taken for alive. */
TEST_F(upset, one_that_is_killed_is_a_core_without_processors)
{
	rounds(&self->p, 10000, 1);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(0, tsr_grid_upset(self->grid, 1, 0, TSR_UPSET_KILL, 500));
	EXPECT_EQ(TSR_GRID_WAIT, grid_finish(self->grid, 100000));
	tsr_grid_stall(self->grid, &self->stall);
	EXPECT_EQ(2, self->stall.cores);
	EXPECT_EQ(1, self->stall.done);
	EXPECT_EQ(0, self->stall.running);
	EXPECT_EQ(0, self->stall.waiting);
	EXPECT_EQ(-ENOENT, tsr_grid_stats(self->grid, 1, 0, TSR_PROC_DM0, &self->stats));
}

TEST_F(upset, a_slow_one_does_the_same_in_so_many_times_the_cycles)
{
	u64 cycles, instructions;

	rounds(&self->p, 5000, 1);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(0, tsr_grid_upset(self->grid, 1, 0, TSR_UPSET_SLOW, 7));
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 100000));
	tsr_grid_stats(self->grid, 0, 0, TSR_PROC_DM0, &self->stats);
	cycles = self->stats.cycles;
	instructions = self->stats.instructions;
	tsr_grid_stats(self->grid, 1, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_EQ(7 * cycles, self->stats.cycles);
	EXPECT_EQ(instructions, self->stats.instructions);
}

/* What was broken is whole in the next launch. */
TEST_F(upset, it_is_over_with_the_launch)
{
	rounds(&self->p, 1000, 1);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(0, tsr_grid_upset(self->grid, 1, 0, TSR_UPSET_KILL, 500));
	EXPECT_EQ(TSR_GRID_WAIT, grid_finish(self->grid, 100000));
	prog_launch(&self->p, self->grid);
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 100000));
	tsr_grid_stats(self->grid, 1, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_LT(2000, self->stats.instructions);
}

TEST_HARNESS_MAIN

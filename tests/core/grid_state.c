// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The grid: stall record, stop, progress, and what a scrub and the next launch leave. */
#include "kselftest_harness.h"

#include "common_grid.h"

#define L1	TSR_L1_BASE

FIXTURE(state) {
	struct tsr_grid_config cfg;
	struct prog p;
	struct tsr_grid *grid;
};

FIXTURE_SETUP(state)
{
	self->grid = grid_new_plain(&self->cfg);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
}

FIXTURE_TEARDOWN(state)
{
	prog_fini(&self->p);
	tsr_grid_free(self->grid);
}

TEST_F(state, an_endless_loop_is_running_and_can_be_stopped)
{
	struct rv k = { .n = 0 };
	struct tsr_stall_info stall;
	u64 progress;
	u32 i;

	rv_put(&k, JAL(ZERO, 0));
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 3, 0);
	prog_launch(&self->p, self->grid);
	tsr_grid_stall(self->grid, &stall);
	EXPECT_EQ(4, stall.cores);
	EXPECT_EQ(4, stall.ready);
	EXPECT_EQ(0, stall.running);
	progress = tsr_grid_progress(self->grid);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 100000));
	EXPECT_EQ(progress, tsr_grid_progress(self->grid));
	tsr_grid_stall(self->grid, &stall);
	EXPECT_EQ(4, stall.running);
	EXPECT_EQ(0, stall.ready + stall.waiting + stall.done);
	EXPECT_EQ(0, stall.stuck_address);
	EXPECT_EQ(self->p.limits.image_base[0], stall.stuck_pc);
	tsr_grid_stop(self->grid);
	EXPECT_EQ(TSR_GRID_STOPPED, tsr_grid_run(self->grid, 1000));
	EXPECT_EQ(TSR_GRID_STOPPED, tsr_grid_run(self->grid, 1000));
}

TEST_F(state, a_semaphore_nobody_raises_is_waited_for)
{
	struct rv wait = { .n = 0 }, end = { .n = 0 };
	struct tsr_stall_info stall;

	rv_store(&wait, SEM(3, WAIT_MIN), 1);
	prog_kernel(&self->p, &wait, TSR_PROC_DM1, 1, 0, 2, 0);
	prog_kernel(&self->p, &end, TSR_PROC_DM0, 0, 0, 2, 0);
	prog_launch(&self->p, self->grid);
	EXPECT_EQ(TSR_GRID_WAIT, grid_finish(self->grid, 1000));
	EXPECT_EQ(TSR_GRID_WAIT, tsr_grid_run(self->grid, 1000));
	tsr_grid_stall(self->grid, &stall);
	EXPECT_EQ(3, stall.cores);
	EXPECT_EQ(1, stall.done);
	EXPECT_EQ(2, stall.waiting);
	EXPECT_EQ(0, stall.running);
	EXPECT_EQ(1, stall.stuck_x);
	EXPECT_EQ(0, stall.stuck_y);
	EXPECT_EQ(TSR_PROC_DM1, stall.stuck_proc);
	EXPECT_EQ(SEM(3, WAIT_MIN), stall.stuck_address);
	EXPECT_EQ(self->p.limits.image_base[1] + 16, stall.stuck_pc);
	tsr_grid_stop(self->grid);
	EXPECT_EQ(TSR_GRID_STOPPED, tsr_grid_run(self->grid, 1000));
}

/* FL-12: what is there is as of the stop, not of when the wait began. */
TEST_F(state, a_wait_has_the_value_wanted_and_the_one_there_is)
{
	const struct {
		u32 wait, wanted, give, given, present;
	} c[] = {
		{ SEM(3, WAIT_MIN), 5, SEM(3, ADD), 3, 3 },
		{ SEM(3, WAIT_EQ), 5, SEM(3, VALUE), 7, 7 },
		{ CB(2, WAIT), 2, CB(2, PUSH), 1, 1 },
		{ CB(2, RESERVE), 2, CB(2, POP), 1, 1 },
	};

	for (u32 i = 0; i < 4; i++) {
		struct rv waits = { .n = 0 }, gives = { .n = 0 };
		struct tsr_stall_info stall;

		prog_init(&self->p, &self->cfg);
		if (c[i].give == CB(2, POP))
			rv_store(&waits, CB(2, PUSH), 4);
		rv_store(&waits, c[i].wait, c[i].wanted);
		if (c[i].give == CB(2, POP))
			rv_store(&gives, CB(2, WAIT), 1);
		rv_store(&gives, c[i].give, c[i].given);
		prog_kernel(&self->p, &waits, TSR_PROC_DM0, 0, 0, 0, 0);
		prog_kernel(&self->p, &gives, TSR_PROC_DM1, 0, 0, 0, 0);
		prog_cb(&self->p, 2, 64, 4, 0, 0);
		prog_launch(&self->p, self->grid);
		EXPECT_EQ(TSR_GRID_WAIT, grid_finish(self->grid, 1000));
		tsr_grid_stall(self->grid, &stall);
		EXPECT_EQ(c[i].wait, stall.stuck_address);
		EXPECT_EQ(c[i].wanted, stall.wanted);
		EXPECT_EQ(c[i].present, stall.present);
		prog_fini(&self->p);
	}
}

/* What it says it is stuck at is the register that it stored to. */
TEST_F(state, each_kind_of_wait_names_its_register)
{
	const u32 regs[] = { SEM(3, WAIT_MIN), SEM(3, WAIT_EQ), CB(2, WAIT), CB(2, RESERVE) };

	for (u32 i = 0; i < 4; i++) {
		struct rv k = { .n = 0 };
		struct tsr_stall_info stall;

		prog_init(&self->p, &self->cfg);
		if (regs[i] == CB(2, RESERVE)) {
			rv_store(&k, regs[i], 2);
			rv_store(&k, CB(2, PUSH), 2);
		}
		rv_store(&k, regs[i], 1);
		prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
		prog_cb(&self->p, 2, 64, 2, 0, 0);
		prog_launch(&self->p, self->grid);
		EXPECT_EQ(TSR_GRID_WAIT, grid_finish(self->grid, 1000));
		tsr_grid_stall(self->grid, &stall);
		EXPECT_EQ(1, stall.waiting);
		EXPECT_EQ(regs[i], stall.stuck_address);
		prog_fini(&self->p);
	}
}

TEST_F(state, progress_moves_with_each_kind)
{
	u32 kinds, i;
	u64 before, base = 0;

	for (kinds = 0; kinds < 4; kinds++) {
		struct rv k = { .n = 0 };

		for (i = 0; i < 10; i++) {
			if (kinds == 1)
				rv_store(&k, TSR_REG_CORE + TSR_CORE_HEARTBEAT, 1);
			else if (kinds == 2)
				rv_store(&k, SEM(0, ADD), 1);
			else if (kinds == 3)
				rv_noc(&k, TSR_NOC_CMD_READ, CORE(1, 1), L1, L1 + 64, 16);
		}
		prog_init(&self->p, &self->cfg);
		prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
		before = tsr_grid_progress(self->grid);
		prog_launch(&self->p, self->grid);
		EXPECT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
		if (!kinds)
			base = tsr_grid_progress(self->grid) - before;
		else
			EXPECT_EQ(base + 10, tsr_grid_progress(self->grid) - before);
		prog_fini(&self->p);
	}
	EXPECT_EQ(1, base);
}

TEST_F(state, scrub_leaves_nothing_behind)
{
	struct rv k = { .n = 0 };
	u32 x, y, i, sum = 0;
	struct rv look = { .n = 0 };
	struct prog next;

	rv_store(&k, SEM(2, VALUE), 9);
	rv_noc(&k, TSR_NOC_CMD_WRITE_WORD, CORE(3, 2), L1 + 0x20000, 0x12345678, 0);
	rv_noc(&k, TSR_NOC_CMD_SEM_INC, CORE(2, 2), SEM(1, VALUE), 5, 0);
	rv_store(&k, L1, 1);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_cb(&self->p, 0, 16, 2, 0, 0);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(0x12345678, grid_word(self->grid, 3, 2, L1 + 0x20000));
	tsr_grid_scrub(self->grid);
	for (y = 0; y < 4; y++)
		for (x = 0; x < 4; x++)
			for (i = 0; tsr_grid_l1(self->grid, x, y) && i < 512 << 10; i += 4)
				sum |= tsr_get32(tsr_grid_l1(self->grid, x, y) + i);
	EXPECT_EQ(0, sum);
	/* What is clean stays so. */
	tsr_grid_scrub(self->grid);
	prog_init(&next, &self->cfg);
	rv_noc(&look, TSR_NOC_CMD_READ, CORE(2, 2), SEM(1, VALUE), next.limits.cb_base, 4);
	prog_kernel(&next, &look, TSR_PROC_DM0, 0, 0, 0, 0);
	memset(tsr_grid_l1(self->grid, 0, 0) + (next.limits.cb_base - L1), 0xff, 4);
	prog_launch(&next, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(0, grid_word(self->grid, 0, 0, next.limits.cb_base));
	prog_fini(&next);
}

TEST_F(state, launch_sets_semaphores_of_its_cores_anew)
{
	struct rv k = { .n = 0 };
	u32 out = self->p.limits.cb_base, round;

	rv_load(&k, T0, SEM(4, VALUE));
	rv_store_reg(&k, out, T0);
	rv_load(&k, T0, SEM(5, VALUE));
	rv_store_reg(&k, out + 4, T0);
	rv_store(&k, SEM(4, ADD), 1);
	rv_store(&k, SEM(5, ADD), 1);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 1, 0);
	/* The last core of the rectangle is not there. */
	prog_sem(&self->p, 4, 7, 0, 0, 3, 3);
	for (round = 0; round < 2; round++) {
		prog_launch(&self->p, self->grid);
		ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
		EXPECT_EQ(7, grid_word(self->grid, 1, 0, out));
		EXPECT_EQ(0, grid_word(self->grid, 1, 0, out + 4));
	}
}

/* What the program before configured, and this one did not, is not there: first and last id. */
TEST_F(state, launch_forgets_the_circular_buffers_of_the_one_before)
{
	static const u32 ids[] = { 0, TSR_CIRCULAR_BUFFERS - 1 };
	struct prog before, next;
	struct tsr_fault fault;
	u32 i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct rv k = { .n = 0 };

		rv_load(&k, T0, CB(ids[i], PAGE_COUNT));
		prog_init(&before, &self->cfg);
		prog_kernel(&before, &k, TSR_PROC_DM0, 0, 0, 0, 0);
		prog_cb(&before, ids[i], 64, 2, 0, 0);
		prog_launch(&before, self->grid);
		ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));

		prog_init(&next, &self->cfg);
		prog_kernel(&next, &k, TSR_PROC_DM0, 0, 0, 0, 0);
		prog_launch(&next, self->grid);
		ASSERT_EQ(TSR_GRID_FAULT, grid_finish(self->grid, 1000));
		tsr_grid_fault(self->grid, &fault);
		EXPECT_EQ(TSR_FAULT_CB, fault.cause);
		EXPECT_EQ(CB(ids[i], PAGE_COUNT), fault.address);
		prog_fini(&before);
		prog_fini(&next);
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Owners (LT): kept from acceptance until the end was seen, then once more until the next success.
 * references is what is alive; released counts the calls, so 2 for one reference is a double free.
 */
#include "common_lib.h"
#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	90

FIXTURE(owners) {
	struct lib l;
	struct tsr_status status;
	struct lib_owner a, b, c;
	bool closed;
};

FIXTURE_SETUP(owners)
{
	ASSERT_EQ(0, lib_open(&self->l));
}

FIXTURE_TEARDOWN(owners)
{
	if (!self->closed)
		lib_close(&self->l);
}

TEST_F(owners, the_last_success_keeps_them_and_the_next_replaces_them)
{
	self->l.owner = &self->a;
	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	EXPECT_EQ(1, self->a.references);
	EXPECT_EQ(0, self->a.released);
	self->l.owner = &self->b;
	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	EXPECT_EQ(0, self->a.references);
	EXPECT_EQ(1, self->a.released);
	EXPECT_EQ(1, self->b.references);
	lib_close(&self->l);
	self->closed = true;
	EXPECT_EQ(0, self->b.references);
	EXPECT_EQ(1, self->b.released);
}

/* A failure at any stage leaves the owners of the last success, and releases its own (LT-2). */
TEST_F(owners, a_failure_at_any_stage_leaves_the_last_ones)
{
	struct tsr_submit_options nonblock = { .flags = TSR_SUBMIT_NONBLOCK };
	struct tsr_context_options small = { .queue_capacity = 1 };
	struct tsr_context *full, *usual = self->l.ctx;
	struct tsr_run *run, *other;

	self->l.owner = &self->a;
	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	self->l.owner = &self->b;

	self->l.error = -ENOTTY;		/* factory */
	EXPECT_EQ(-ENOTTY, lib_submit(&self->l, NULL, &run));
	EXPECT_EQ(1, self->b.released);
	self->l.error = 0;

	self->l.bad = true;			/* validation */
	EXPECT_EQ(-EINVAL, lib_submit(&self->l, NULL, &run));
	EXPECT_EQ(2, self->b.released);
	self->l.bad = false;

	ASSERT_EQ(0, tsr_context_new(self->l.dev, &small, &full));	/* submit */
	self->l.ctx = full;
	self->l.what = LIB_LOOP;
	self->l.owner = &self->c;
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &run));
	self->l.owner = &self->b;
	EXPECT_EQ(-EAGAIN, lib_submit(&self->l, &nonblock, &other));
	EXPECT_EQ(3, self->b.released);
	EXPECT_EQ(1, self->c.references);
	EXPECT_EQ(0, tsr_run_cancel(run));	/* execution: stopped */
	EXPECT_EQ(0, tsr_run_wait(run, -1));
	EXPECT_EQ(0, self->c.references);
	EXPECT_EQ(1, self->c.released);
	tsr_run_unref(run);
	tsr_context_unref(full);
	self->l.ctx = usual;

	self->l.what = LIB_JUMP;		/* execution: fault */
	EXPECT_EQ(-EIO, lib_run(&self->l, &self->status));
	EXPECT_EQ(4, self->b.released);

	EXPECT_EQ(0, self->b.references);
	EXPECT_EQ(1, self->a.references);
	EXPECT_EQ(0, self->a.released);
}

TEST_F(owners, runs_queued_ahead_hold_their_own)
{
	struct tsr_run *runs[3];
	struct lib_owner *owners[] = { &self->a, &self->b, &self->c };

	/* The first one executes until it is stopped; the others are behind it. */
	for (int i = 0; i < 3; i++) {
		self->l.owner = owners[i];
		self->l.what = i ? LIB_REPORT : LIB_LOOP;
		ASSERT_EQ(0, lib_submit(&self->l, NULL, &runs[i]));
	}
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(1, owners[i]->references);
	EXPECT_EQ(0, tsr_run_cancel(runs[0]));
	/* The end of the last one shows that of those before it. */
	EXPECT_EQ(0, tsr_run_wait(runs[2], -1));
	EXPECT_EQ(0, self->a.references);
	EXPECT_EQ(0, self->b.references);
	EXPECT_EQ(1, self->c.references);
	EXPECT_EQ(-ECANCELED, tsr_run_verdict(runs[0]));
	EXPECT_EQ(0, tsr_run_verdict(runs[1]));
	EXPECT_EQ(0, tsr_run_verdict(runs[2]));
	for (int i = 0; i < 3; i++)
		tsr_run_unref(runs[i]);
	EXPECT_EQ(1, self->a.released);
	EXPECT_EQ(1, self->b.released);
	EXPECT_EQ(0, self->c.released);
}

/* Nobody looks any more: neither cancelled nor waited for, and yet released (RUN-9). */
TEST_F(owners, a_dropped_run_releases_them_at_its_end)
{
	struct tsr_run *run, *twin;

	self->l.what = LIB_LOOP;
	self->l.owner = &self->a;
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &run));
	twin = tsr_run_ref(run);
	EXPECT_EQ(NULL, tsr_run_unref(run));
	usleep(100000);
	EXPECT_EQ(1, self->a.references);
	/* The no-progress limit ends it. */
	EXPECT_EQ(0, tsr_run_cancel(twin));
	tsr_run_unref(twin);
	EXPECT_TRUE(lib_eventually(&self->a.references, 0));
	EXPECT_EQ(1, self->a.released);
}

TEST_F(owners, everything_dropped_while_runs_are_queued)
{
	struct tsr_run *runs[3];

	for (int i = 0; i < 3; i++) {
		self->l.owner = &self->a;
		self->l.what = i ? LIB_REPORT : LIB_WAIT;
		ASSERT_EQ(0, lib_submit(&self->l, NULL, &runs[i]));
	}
	for (int i = 0; i < 3; i++)
		tsr_run_unref(runs[i]);
	lib_close(&self->l);
	self->closed = true;
	/* The first one deadlocks, and is ended; then the others run. */
	EXPECT_TRUE(lib_eventually(&self->a.references, 0));
	EXPECT_EQ(3, self->a.released);
}

TEST_F(owners, counters_balance)
{
	for (int i = 0; i < 10; i++) {
		self->l.owner = &self->a;
		self->l.what = i % 3 ? LIB_REPORT : LIB_JUMP;
		lib_run(&self->l, &self->status);
	}
	EXPECT_EQ(10, lib_stats(&self->l).owners_retained);
	EXPECT_EQ(9, lib_stats(&self->l).owners_released);
	EXPECT_EQ(10, lib_stats(&self->l).retired);
	EXPECT_EQ(1, self->a.references);
	EXPECT_EQ(9, self->a.released);
}

LIB_HARNESS_MAIN

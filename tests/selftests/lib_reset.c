// SPDX-License-Identifier: MIT
/* Resets of a context and of the device, and time limits, through the library. */
#include "common_check.h"
#include "common_lib.h"
#include "kselftest_harness.h"

FIXTURE(reset) {
	struct lib l;
	struct tsr_status status;
};

FIXTURE_SETUP(reset)
{
	ASSERT_EQ(0, lib_open(&self->l));
}

FIXTURE_TEARDOWN(reset)
{
	lib_close(&self->l);
}

static int ends(struct tsr_run *run, struct tsr_status *ret_status)
{
	int err = tsr_run_wait(run, -1);

	if (!err)
		err = tsr_run_status(run, ret_status);
	if (!err)
		err = tsr_run_verdict(run);
	tsr_run_unref(run);
	return err;
}

/* The run in @poisoned waits for a fence of one in @other that is cancelled. */
static int poison(struct lib *l, struct tsr_context *poisoned, struct tsr_context *other,
		  struct tsr_status *ret_status)
{
	struct tsr_sync sync = { 0 };
	struct tsr_submit_options out = { .out_count = 1, .out_syncs = &sync };
	struct tsr_submit_options in = { .in_count = 1, .in_syncs = &sync };
	int fd = tsr_device_fd(l->dev), err;
	struct tsr_run *first, *second;
	struct tsr_status status;

	drmSyncobjCreate(fd, 0, &sync.handle);
	l->what = LIB_LOOP;
	l->ctx = other;
	err = lib_submit(l, &out, &first);
	l->what = LIB_REPORT;
	l->ctx = poisoned;
	if (!err)
		err = lib_submit(l, &in, &second);
	if (!err) {
		tsr_run_cancel(first);
		ends(first, &status);
		err = ends(second, ret_status);
	}
	drmSyncobjDestroy(fd, sync.handle);
	return err;
}

TEST_F(reset, poisoned_context_works_again)
{
	struct tsr_counters before, after;
	struct tsr_context *other;

	EXPECT_EQ(0, tsr_context_reset(self->l.ctx));
	ASSERT_EQ(0, tsr_context_new(self->l.dev, NULL, &other));
	ASSERT_EQ(0, tsr_device_counters(self->l.dev, &before));
	EXPECT_EQ(-ECANCELED, poison(&self->l, self->l.ctx, other, &self->status));
	EXPECT_STREQ("dependency", tsr_code_name(self->status.code));
	EXPECT_EQ(-ECANCELED, lib_run(&self->l, &self->status));
	EXPECT_EQ(0, tsr_context_reset(self->l.ctx));
	EXPECT_EQ(0, lib_run(&self->l, &self->status));
	ASSERT_EQ(0, tsr_device_counters(self->l.dev, &after));
	EXPECT_EQ(1, after.poisonings - before.poisonings);
	tsr_context_unref(other);
}

TEST_F(reset, device_ends_what_executes_and_goes_on)
{
	struct tsr_device_state before, after;
	struct tsr_run *executing, *queued;
	uint64_t generation;

	ASSERT_EQ(0, tsr_device_state(self->l.dev, &before));
	self->l.what = LIB_LOOP;
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &executing));
	self->l.what = LIB_REPORT;
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &queued));
	do {
		ASSERT_EQ(0, tsr_run_status(executing, &self->status));
	} while (self->status.phase != TSR_PHASE_LAUNCHED);
	ASSERT_EQ(0, tsr_device_reset(self->l.dev, &generation));
	EXPECT_EQ(before.reset_generation + 1, generation);
	EXPECT_EQ(-EIO, ends(executing, &self->status));
	EXPECT_STREQ("reset", tsr_code_name(self->status.code));
	EXPECT_EQ(0, ends(queued, &self->status));
	ASSERT_EQ(0, tsr_device_state(self->l.dev, &after));
	EXPECT_EQ(generation, after.reset_generation);
	EXPECT_EQ(TSR_HEALTH_GOOD, after.health);
	EXPECT_EQ(0, tsr_device_reset(self->l.dev, NULL));
}

static int reset_without_privilege(void *arg)
{
	struct tsr_device *dev;
	uint64_t generation = 77;
	int err = uapi_drop_caps();

	if (!err)
		err = tsr_device_open(NULL, &dev);
	if (err)
		return 1;
	err = tsr_device_reset(dev, &generation);
	tsr_device_unref(dev);
	return err != -EACCES || generation != 77;
}

TEST_F(reset, device_reset_needs_privilege)
{
	EXPECT_EQ(0, uapi_in_child(reset_without_privilege, NULL));
}

TEST_F(reset, run_is_ended_by_its_own_time_limit)
{
	struct tsr_submit_options limited = { .time_limit_ms = 100 };
	struct tsr_run *run;

	self->l.what = LIB_LOOP;
	ASSERT_EQ(0, lib_submit(&self->l, &limited, &run));
	EXPECT_EQ(-ETIME, ends(run, &self->status));
	EXPECT_STREQ("time-limit", tsr_code_name(self->status.code));
	EXPECT_STREQ("running-stalled", tsr_stall_name(self->status.stall.stall_class));
	EXPECT_EQ(4, self->status.stall.running);
	EXPECT_LE(100000000, self->status.completed_ns - self->status.launched_ns);
	self->l.what = LIB_REPORT;
	ASSERT_EQ(0, lib_submit(&self->l, &limited, &run));
	EXPECT_EQ(0, ends(run, &self->status));
}

LIB_HARNESS_MAIN

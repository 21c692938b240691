// SPDX-License-Identifier: MIT
/* RUN_CANCEL: in every phase, and what it does to others (RUN-9). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(cancel) {
	struct uapi_bench b;
	struct uapi_gate gate;
	__u32 launched, staged, queued;
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(cancel)
{
	__u32 run;

	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &self->gate));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &self->launched));
	ASSERT_EQ(0, uapi_wait_phase(self->b.fd, self->launched, DRM_TESSERA_PHASE_LAUNCHED));
	self->staged = 0;
	for (__u32 i = 1; i < self->b.info.limits.staged_depth; i++) {
		ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &run));
		ASSERT_EQ(0, uapi_wait_phase(self->b.fd, run, DRM_TESSERA_PHASE_STAGED));
		self->staged = self->staged ?: run;
	}
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &self->queued));
}

FIXTURE_TEARDOWN(cancel)
{
	uapi_gate_free(self->b.fd, &self->gate);
	uapi_bench_close(&self->b);
}

#define EXPECT_END(run, want_phase, want_code) do {						\
	struct drm_tessera_status __status;							\
												\
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &__status));					\
	EXPECT_EQ(DRM_TESSERA_PHASE_##want_phase, __status.phase);				\
	EXPECT_EQ(DRM_TESSERA_CODE_##want_code, __status.code);					\
} while (0)

TEST_F(cancel, every_flag_bit)
{
	struct drm_tessera_run_cancel args = { .handle = self->launched };

	for (unsigned int bit = 0; bit < 32; bit++) {
		args.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_CANCEL, &args));
	}
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->launched, uapi_in_ms(20)));
}

TEST_F(cancel, handles_that_are_no_run)
{
	const __u32 never[] = { 0, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	int other = uapi_open(NULL);

	ASSERT_LE(0, other);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++)
		EXPECT_EQ(-ENOENT, uapi_cancel(self->b.fd, never[i]));
	EXPECT_EQ(-ENOENT, uapi_cancel(other, self->launched));
	ASSERT_EQ(0, uapi_close_run(self->b.fd, self->queued));
	EXPECT_EQ(-ENOENT, uapi_cancel(self->b.fd, self->queued));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->launched, uapi_in_ms(20)));
	close(other);
}

TEST_F(cancel, queued_run)
{
	struct drm_tessera_status status;

	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->queued));
	ASSERT_EQ(0, uapi_wait(self->b.fd, self->queued, uapi_soon()));
	ASSERT_EQ(0, uapi_status(self->b.fd, self->queued, &status));
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, status.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_CANCELLED, status.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, status.failure_class);
	EXPECT_EQ(DRM_TESSERA_VERDICT_DRIVER, status.verdict_source);
	EXPECT_EQ(DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED, status.flags);
	EXPECT_EQ(0, status.staged_ns);
	EXPECT_EQ(0, status.launched_ns);
	EXPECT_NE(0, status.retired_ns);
	/* The others go on. */
	*self->gate.word = 1;
	EXPECT_END(self->launched, RETIRED, OK);
	if (self->staged)
		EXPECT_END(self->staged, RETIRED, OK);
}

TEST_F(cancel, staged_run)
{
	struct drm_tessera_counters own;
	struct drm_tessera_status status;

	if (!self->staged)
		SKIP(return, "one bank only");
	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->staged));
	ASSERT_EQ(0, uapi_wait(self->b.fd, self->staged, uapi_soon()));
	ASSERT_EQ(0, uapi_status(self->b.fd, self->staged, &status));
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, status.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_CANCELLED, status.code);
	EXPECT_NE(0, status.staged_ns);
	EXPECT_EQ(0, status.launched_ns);
	/* Its bank is free: the next one is staged. */
	EXPECT_EQ(0, uapi_wait_phase(self->b.fd, self->queued, DRM_TESSERA_PHASE_STAGED));
	ASSERT_EQ(0, uapi_context_counters(self->b.fd, self->b.context, &own));
	/* Not one: the bank was not given back, or twice. */
	EXPECT_EQ(1, own.leases_returned);
	*self->gate.word = 1;
	EXPECT_END(self->launched, RETIRED, OK);
	EXPECT_END(self->queued, RETIRED, OK);
}

TEST_F(cancel, launched_run)
{
	struct drm_tessera_status status;
	__s64 start = uapi_now();

	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->launched));
	ASSERT_EQ(0, uapi_end(self->b.fd, self->launched, &status));
	EXPECT_GT(2000000000, uapi_now() - start);
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, status.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_STOPPED, status.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, status.failure_class);
	EXPECT_EQ(DRM_TESSERA_VERDICT_DRIVER, status.verdict_source);
	EXPECT_EQ(DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED, status.flags);
	EXPECT_NE(0, status.launched_ns);
	EXPECT_EQ(1, status.stall.cores_total);
	EXPECT_EQ(0, status.stall.cores_completed);
	EXPECT_EQ(0, status.stall.stuck_kernel);
	*self->gate.word = 1;
	EXPECT_END(self->queued, RETIRED, OK);
}

TEST_F(cancel, ended_run)
{
	struct drm_tessera_counters before, after;
	struct drm_tessera_status was, is;

	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, self->queued, &was));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &before));
	EXPECT_EQ(0, uapi_cancel(self->b.fd, self->queued));
	EXPECT_EQ(0, uapi_cancel(self->b.fd, self->launched));
	ASSERT_EQ(0, uapi_status(self->b.fd, self->queued, &is));
	EXPECT_EQ(0, memcmp(&was, &is, sizeof(was)));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

TEST_F(cancel, twice)
{
	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->queued));
	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->queued));
	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->launched));
	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->launched));
	EXPECT_END(self->queued, CANCELLED, CANCELLED);
	EXPECT_END(self->launched, RETIRED, STOPPED);
}

/* All, last first: every counter agrees on what each of them was. */
TEST_F(cancel, everything_backwards)
{
	__u32 depth = self->b.info.limits.staged_depth;
	struct drm_tessera_counters after;

	for (__u32 run = self->queued; run >= self->launched; run--)
		ASSERT_EQ(0, uapi_cancel(self->b.fd, run));
	for (__u32 run = self->queued; run >= self->launched; run--)
		ASSERT_EQ(0, uapi_wait(self->b.fd, run, uapi_soon()));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(depth + 1, after.runs_accepted - self->before.runs_accepted);
	EXPECT_EQ(depth, after.runs_cancelled - self->before.runs_cancelled);
	EXPECT_EQ(1, after.runs_launched - self->before.runs_launched);
	EXPECT_EQ(1, after.runs_retired - self->before.runs_retired);
	EXPECT_EQ(1, after.runs_failed_local - self->before.runs_failed_local);
	EXPECT_EQ(0, after.runs_completed - self->before.runs_completed);
	/* A stopped run leaves things behind: cleared once, and not for those never started. */
	EXPECT_EQ(1, after.scrubs - self->before.scrubs);
	EXPECT_EQ(0, after.timeouts - self->before.timeouts);
	EXPECT_EQ(0, after.resets - self->before.resets);
	EXPECT_EQ(after.leases_taken - self->before.leases_taken,
		  after.leases_returned - self->before.leases_returned);
	EXPECT_EQ(1, after.claims_taken - self->before.claims_taken);
	EXPECT_EQ(1, after.claims_released - self->before.claims_released);
	EXPECT_EQ(self->before.queue_depth, after.queue_depth);
}

TEST_F(cancel, next_run_works)
{
	__u32 run;

	for (unsigned int i = 0; i < 20; i++) {
		ASSERT_EQ(0, uapi_cancel(self->b.fd, self->launched));
		ASSERT_EQ(0, uapi_wait(self->b.fd, self->launched, uapi_soon()));
		*self->gate.word = 1;
		ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program,
						 &run));
		EXPECT_END(run, RETIRED, OK);
		*self->gate.word = 0;
		ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate,
					      &self->launched));
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* A failure of class QUEUE poisons its context, and nothing else (FL-1). */
#include <stdlib.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define QUEUED	5u

FIXTURE(poison) {
	struct uapi_bench b;
	__u32 other;
	struct uapi_gate gate;
	struct drm_tessera_sync sync;
	__u64 origin_id;
	__u32 origin, runs[QUEUED];
	struct drm_tessera_counters before;
};

/* The origin waits for a run that is cancelled; others are queued behind it. */
FIXTURE_SETUP(poison)
{
	struct drm_tessera_run first, origin;

	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &self->other));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &self->gate));
	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &self->sync.handle));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));

	uapi_run_init(&first, self->gate.program);
	uapi_run_set_dispatch(&first, self->gate.dispatch, self->gate.dispatch_size);
	first.out_syncs = UAPI_PTR(&self->sync);
	first.out_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->other, &first));

	uapi_run_init(&origin, self->b.program);
	origin.in_syncs = UAPI_PTR(&self->sync);
	origin.in_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &origin));
	self->origin = origin.handle;
	self->origin_id = origin.id;
	for (unsigned int i = 0; i < QUEUED; i++)
		ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program,
						 &self->runs[i]));
	ASSERT_EQ(0, uapi_cancel(self->b.fd, first.handle));
}

FIXTURE_TEARDOWN(poison)
{
	uapi_gate_free(self->b.fd, &self->gate);
	uapi_bench_close(&self->b);
}

static int context_reset(int fd, __u32 handle)
{
	struct drm_tessera_context_reset args = { .handle = handle };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_RESET, &args);
}

TEST_F(poison, queued_runs_are_cancelled_and_name_the_origin)
{
	struct drm_tessera_counters after;
	struct drm_tessera_status s;

	ASSERT_EQ(0, uapi_end(self->b.fd, self->origin, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, s.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_QUEUE, s.failure_class);
	for (unsigned int i = 0; i < QUEUED; i++) {
		ASSERT_EQ(0, uapi_end(self->b.fd, self->runs[i], &s));
		EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, s.phase);
		/* They did nothing wrong themselves. */
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
		EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, s.poison_code);
		EXPECT_EQ(self->origin_id, s.poison_run);
		EXPECT_EQ(0, s.launched_ns);
	}
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	/* More: a cancelled run poisoned the context again. */
	EXPECT_EQ(1, after.poisonings - self->before.poisonings);
	EXPECT_EQ(1 + QUEUED, after.runs_cancelled - self->before.runs_cancelled);
}

TEST_F(poison, refuses_until_reset_then_works)
{
	struct drm_tessera_status s;
	__u32 run;

	ASSERT_EQ(0, uapi_end(self->b.fd, self->origin, &s));
	EXPECT_EQ(-ECANCELED, uapi_submit_program(self->b.fd, self->b.context, self->b.program,
						  &run));
	ASSERT_EQ(0, context_reset(self->b.fd, self->b.context));
	/* The reset waited for all that the poisoning ended. */
	ASSERT_EQ(0, uapi_status(self->b.fd, self->runs[QUEUED - 1], &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, s.phase);
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_EQ(0, s.poison_code);
}

TEST_F(poison, another_context_is_untouched)
{
	struct drm_tessera_status s;
	__u32 run;

	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->other, self->b.program, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
}

TEST_F(poison, reset_of_a_good_context_does_nothing)
{
	struct drm_tessera_context_reset bad = { .handle = self->other, .pad = 1 };

	EXPECT_EQ(0, context_reset(self->b.fd, self->other));
	EXPECT_EQ(-ENOENT, context_reset(self->b.fd, 77));
	EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_CONTEXT_RESET, &bad));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* Which run comes next: FIFO in a context, priority and arrival between them (RUN-5). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define PASSED_OVER	32	/* so often a context waits for more urgent ones, and no longer */

FIXTURE(order) {
	struct uapi_bench b;
	struct uapi_gate gate;
	__u32 low, normal, high;	/* contexts */
	__u32 holders[16], n_holders;	/* runs that keep the device and all banks busy */
};

static int context_of(int fd, __u32 priority, __u32 *ret)
{
	struct drm_tessera_context_create args = { .priority = priority };
	int err = uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &args);

	*ret = args.handle;
	return err;
}

/* From now on nothing is staged until the gate opens. */
static int hold(FIXTURE_DATA(order) *self)
{
	__u32 i, n = self->b.info.limits.staged_depth;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		ret = uapi_gate_submit(self->b.fd, self->b.context, &self->gate,
				       &self->holders[i]);
		if (!ret)
			ret = uapi_wait_phase(self->b.fd, self->holders[i], i ?
					      DRM_TESSERA_PHASE_STAGED :
					      DRM_TESSERA_PHASE_LAUNCHED);
	}
	return ret;
}

FIXTURE_SETUP(order)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_GE(16, self->b.info.limits.staged_depth);
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &self->gate));
	ASSERT_EQ(0, context_of(self->b.fd, DRM_TESSERA_PRIORITY_LOW, &self->low));
	ASSERT_EQ(0, context_of(self->b.fd, DRM_TESSERA_PRIORITY_NORMAL, &self->normal));
	ASSERT_EQ(0, context_of(self->b.fd, DRM_TESSERA_PRIORITY_HIGH, &self->high));
	ASSERT_EQ(0, hold(self));
}

FIXTURE_TEARDOWN(order)
{
	uapi_gate_free(self->b.fd, &self->gate);
	uapi_bench_close(&self->b);
}

static int submit(FIXTURE_DATA(order) *self, __u32 context, __u32 *ret_run)
{
	return uapi_submit_program(self->b.fd, context, self->b.program, ret_run);
}

/* When the run was launched; 0 if it did not end well. */
static __u64 launched(FIXTURE_DATA(order) *self, __u32 run)
{
	struct drm_tessera_status status;

	return uapi_end(self->b.fd, run, &status) || status.code ? 0 : status.launched_ns;
}

TEST_F(order, arrival_within_a_context)
{
	__u32 runs[16];
	__u64 last = 0;

	for (int i = 0; i < 16; i++)
		ASSERT_EQ(0, submit(self, self->normal, &runs[i]));
	*self->gate.word = 1;
	for (int i = 0; i < 16; i++) {
		__u64 at = launched(self, runs[i]);

		EXPECT_LT(last, at);
		last = at;
	}
}

TEST_F(order, arrival_between_equal_contexts)
{
	__u32 runs[16], other;
	__u64 last = 0;

	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &other));
	for (int i = 0; i < 16; i++)
		ASSERT_EQ(0, submit(self, i & 1 ? other : self->normal, &runs[i]));
	*self->gate.word = 1;
	for (int i = 0; i < 16; i++) {
		__u64 at = launched(self, runs[i]);

		EXPECT_LT(last, at);
		last = at;
	}
}

TEST_F(order, priority_before_arrival)
{
	__u32 low[2], normal[2], high[2];
	__u64 last = 0;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, submit(self, self->low, &low[i]));
		ASSERT_EQ(0, submit(self, self->normal, &normal[i]));
		ASSERT_EQ(0, submit(self, self->high, &high[i]));
	}
	*self->gate.word = 1;

	const __u32 expected[] = { high[0], high[1], normal[0], normal[1], low[0], low[1] };

	for (int i = 0; i < 6; i++) {
		__u64 at = launched(self, expected[i]);

		EXPECT_LT(last, at) {
			TH_LOG("place %d", i);
		}
		last = at;
	}
}

/* A run that waits for a fence does not hold up more than its own context. */
TEST_F(order, blocked_context_is_passed)
{
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_run run;
	struct uapi_gate other;
	__u32 gated, context, free;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &other));
	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &context));
	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &sync.handle));
	/* The last holder of the banks signals it. */
	uapi_run_init(&run, other.program);
	uapi_run_set_dispatch(&run, other.dispatch, other.dispatch_size);
	run.out_syncs = UAPI_PTR(&sync);
	run.out_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->low, &run));
	gated = run.handle;
	uapi_run_init(&run, self->b.program);
	run.in_syncs = UAPI_PTR(&sync);
	run.in_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->high, &run));
	ASSERT_EQ(0, submit(self, context, &free));
	*self->gate.word = 1;
	EXPECT_NE(0, launched(self, free));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, run.handle, uapi_in_ms(20)));
	*other.word = 1;
	EXPECT_NE(0, launched(self, gated));
	EXPECT_NE(0, launched(self, run.handle));
	uapi_gate_free(self->b.fd, &other);
}

/* RUN-5: a stream of urgent runs starves nobody. */
TEST_F(order, low_priority_does_not_starve)
{
	/* More than it may take, as far as one queue holds them. */
	const unsigned int n = PASSED_OVER + 20;
	__u32 low, high[PASSED_OVER + 20];
	unsigned int before = 0;
	__u64 at;

	ASSERT_LE(n, self->b.info.limits.queue_capacity);
	ASSERT_EQ(0, submit(self, self->low, &low));
	for (unsigned int i = 0; i < n; i++)
		ASSERT_EQ(0, submit(self, self->high, &high[i]));
	*self->gate.word = 1;
	at = launched(self, low);
	ASSERT_NE(0, at);
	for (unsigned int i = 0; i < n; i++)
		before += launched(self, high[i]) < at;
	/* 0: no priority; all: it starved. */
	EXPECT_LT(0, before);
	EXPECT_GE(PASSED_OVER + 1, before);
}

/* Where several have waited long enough, neither priority nor the stream counts. */
TEST_F(order, of_two_that_starve_the_first_comes_first)
{
	const unsigned int n = PASSED_OVER + 20;
	__u32 low, normal, high[PASSED_OVER + 20];
	__u64 at, next;

	ASSERT_EQ(0, submit(self, self->low, &low));
	ASSERT_EQ(0, submit(self, self->normal, &normal));
	for (unsigned int i = 0; i < n; i++)
		ASSERT_EQ(0, submit(self, self->high, &high[i]));
	*self->gate.word = 1;
	at = launched(self, low);
	next = launched(self, normal);
	ASSERT_NE(0, at);
	EXPECT_LT(at, next);
	EXPECT_LT(next, launched(self, high[n - 1]));
}

TEST_HARNESS_MAIN

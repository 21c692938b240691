// SPDX-License-Identifier: MIT
/* Syncobjs of a run: binary and timeline, in and out, and how an error travels (RUN-7). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "common_count.h"
#include "kselftest_harness.h"

#define MOST	64

FIXTURE(sync) {
	struct uapi_bench b;
	__u32 in, out;			/* syncobjs without a fence */
	struct drm_tessera_sync ins[MOST], outs[MOST];
	struct drm_tessera_run run;
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(sync)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &self->in));
	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &self->out));
	ASSERT_GE(MOST, self->b.info.limits.syncs);
	for (int i = 0; i < MOST; i++) {
		self->ins[i].handle = self->in;
		self->outs[i].handle = self->out;
	}
	uapi_run_init(&self->run, self->b.program);
	self->run.in_syncs = UAPI_PTR(self->ins);
	self->run.out_syncs = UAPI_PTR(self->outs);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(sync)
{
	uapi_bench_close(&self->b);
}

static int submit(FIXTURE_DATA(sync) *self, __u32 ins, __u32 outs)
{
	self->run.in_sync_count = ins;
	self->run.out_sync_count = outs;
	return uapi_submit(self->b.fd, self->b.context, &self->run);
}

static __u32 phase_of(FIXTURE_DATA(sync) *self, __u32 run)
{
	struct drm_tessera_status status;

	return uapi_status(self->b.fd, run, &status) ? 0 : status.phase;
}

static int end_code(FIXTURE_DATA(sync) *self, __u32 run)
{
	struct drm_tessera_status status;
	int ret = uapi_end(self->b.fd, run, &status);

	return ret ? ret : (int)status.code;
}

TEST_F(sync, out_is_signalled_when_the_run_ends)
{
	ASSERT_EQ(0, submit(self, 0, 1));
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->out, 0, uapi_soon()));
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, phase_of(self, self->run.handle));
}

TEST_F(sync, out_is_not_signalled_before_the_run_ends)
{
	struct uapi_gate gate;
	struct drm_tessera_run run;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	uapi_run_init(&run, gate.program);
	uapi_run_set_dispatch(&run, gate.dispatch, gate.dispatch_size);
	run.out_syncs = UAPI_PTR(self->outs);
	run.out_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
	EXPECT_EQ(-ETIME, uapi_syncobj_wait(self->b.fd, self->out, 0, uapi_in_ms(50)));
	*gate.word = 1;
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->out, 0, uapi_soon()));
	uapi_gate_free(self->b.fd, &gate);
}

TEST_F(sync, run_waits_for_in)
{
	struct drm_tessera_status status;
	struct drm_tessera_run first;
	struct uapi_gate gate;
	__u32 other, later;

	/* There is nothing to wait for yet. */
	ASSERT_EQ(-EINVAL, submit(self, 1, 0));
	/* A fence that is pending: the out of a run behind a gate. */
	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &other));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	uapi_run_init(&first, gate.program);
	uapi_run_set_dispatch(&first, gate.dispatch, gate.dispatch_size);
	first.out_syncs = UAPI_PTR(self->ins);
	first.out_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, other, &first));
	ASSERT_EQ(0, submit(self, 1, 1));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->run.handle, uapi_in_ms(50)));
	EXPECT_EQ(DRM_TESSERA_PHASE_QUEUED, phase_of(self, self->run.handle));
	/* What is queued behind it in the same context waits too; FIFO (RUN-5). */
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &later));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, later, uapi_in_ms(20)));
	*gate.word = 1;
	EXPECT_EQ(DRM_TESSERA_CODE_OK, end_code(self, self->run.handle));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, end_code(self, later));
	ASSERT_EQ(0, uapi_status(self->b.fd, first.handle, &status));
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, status.phase);
	uapi_gate_free(self->b.fd, &gate);
}

TEST_F(sync, in_that_is_signalled_already)
{
	ASSERT_EQ(0, uapi_syncobj_signal(self->b.fd, self->in, 0));
	ASSERT_EQ(0, submit(self, 1, 1));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, end_code(self, self->run.handle));
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->out, 0, uapi_now()));
}

/* Timelines: what user space has signalled, and what it has not. */
TEST_F(sync, timeline_points_are_64_bit)
{
	static const __u64 points[] = {
		1, 2, 0xffffffff, 0x100000000ull, 0x100000001ull, 1ull << 62, 1ull << 63,
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(points); i++) {
		/* In a u32 it would be one that was signalled long ago, or 0. */
		self->ins[0].point = points[i];
		EXPECT_EQ(-EINVAL, submit(self, 1, 0)) {
			TH_LOG("point %#llx", points[i]);
		}
		ASSERT_EQ(0, uapi_syncobj_signal(self->b.fd, self->in, points[i]));
		ASSERT_EQ(0, submit(self, 1, 0));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, end_code(self, self->run.handle));
	}
}

TEST_F(sync, timeline_out_points)
{
	static const __u64 points[] = { 1, 5, 0xffffffff, 0x100000000ull, 1ull << 63 };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(points); i++) {
		self->outs[0].point = points[i];
		EXPECT_NE(0, uapi_syncobj_wait(self->b.fd, self->out, points[i], uapi_now()));
		ASSERT_EQ(0, submit(self, 0, 1));
		EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->out, points[i],
					       uapi_soon()));
		EXPECT_NE(0, uapi_syncobj_wait(self->b.fd, self->out, points[i] + 1, uapi_now()));
	}
}

TEST_F(sync, timeline_from_run_to_run)
{
	__u32 runs[8], contexts[2];

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, uapi_context(self->b.fd, 0, &contexts[i]));
	self->ins[0].handle = self->out;
	for (unsigned int i = 0; i < 8; i++) {
		self->ins[0].point = i;
		self->outs[0].point = i + 1;
		self->run.in_sync_count = i ? 1 : 0;
		self->run.out_sync_count = 1;
		ASSERT_EQ(0, uapi_submit(self->b.fd, contexts[i & 1], &self->run));
		runs[i] = self->run.handle;
	}
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->out, 8, uapi_soon()));
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(DRM_TESSERA_CODE_OK, end_code(self, runs[i]));
}

/* A point that was pending when the run came, signalled later by user space. */
TEST_F(sync, in_signalled_later_by_user_space)
{
	/* Point 2's fence is a chain: it is signalled when point 1 is, which a run holds back. */
	struct uapi_gate gate;
	struct drm_tessera_run first;
	__u32 other;

	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &other));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	uapi_run_init(&first, gate.program);
	uapi_run_set_dispatch(&first, gate.dispatch, gate.dispatch_size);
	self->ins[0].point = 1;
	first.out_syncs = UAPI_PTR(self->ins);
	first.out_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, other, &first));
	ASSERT_EQ(0, uapi_syncobj_signal(self->b.fd, self->in, 2));
	self->ins[0].point = 2;
	ASSERT_EQ(0, submit(self, 1, 0));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->run.handle, uapi_in_ms(50)));
	/* STAGED: it waits for the device only. */
	EXPECT_EQ(DRM_TESSERA_PHASE_QUEUED, phase_of(self, self->run.handle));
	*gate.word = 1;
	EXPECT_EQ(DRM_TESSERA_CODE_OK, end_code(self, self->run.handle));
	uapi_gate_free(self->b.fd, &gate);
}

TEST_F(sync, as_many_as_allowed)
{
	__u32 limit = self->b.info.limits.syncs;

	for (__u32 i = 0; i < limit; i++) {
		ASSERT_EQ(0, uapi_syncobj(self->b.fd, true, &self->ins[i].handle));
		ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &self->outs[i].handle));
		self->outs[i].point = i & 1 ? i : 0;
	}
	ASSERT_EQ(0, submit(self, limit, limit));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, end_code(self, self->run.handle));
	for (__u32 i = 0; i < limit; i++)
		EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->outs[i].handle,
					       self->outs[i].point, uapi_in_ms(1000)));
}

TEST_F(sync, one_syncobj_in_and_out)
{
	ASSERT_EQ(0, uapi_syncobj_signal(self->b.fd, self->in, 0));
	self->outs[0].handle = self->in;
	for (unsigned int i = 0; i < 4; i++)
		ASSERT_EQ(0, submit(self, 1, 1));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, end_code(self, self->run.handle));
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->in, 0, uapi_in_ms(1000)));
}

TEST_F(sync, same_out_twice)
{
	ASSERT_EQ(0, submit(self, 0, 2));
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->out, 0, uapi_soon()));
}

static void expect_refusals(struct __test_metadata *_metadata, FIXTURE_DATA(sync) *self, __u64 n)
{
	struct drm_tessera_counters delta = { .runs_refused = n };

	/* Fences: the one for out-syncobjs leaked. */
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
}

TEST_F(sync, every_flag_bit)
{
	ASSERT_EQ(0, uapi_syncobj_signal(self->b.fd, self->in, 0));
	for (unsigned int bit = 0; bit < 32; bit++) {
		self->ins[1].flags = self->outs[1].flags = 1u << bit;
		EXPECT_EQ(-EINVAL, submit(self, 2, 0));
		EXPECT_EQ(-EINVAL, submit(self, 0, 2));
	}
	expect_refusals(_metadata, self, 64);
	EXPECT_NE(0, uapi_syncobj_wait(self->b.fd, self->out, 0, uapi_now()));
}

TEST_F(sync, handles_that_are_no_syncobj)
{
	static const __u32 never[] = { 0, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	__u32 gone, n = 0;

	ASSERT_EQ(0, uapi_syncobj(self->b.fd, true, &gone));
	ASSERT_EQ(0, uapi_syncobj_destroy(self->b.fd, gone));
	ASSERT_EQ(0, uapi_syncobj_signal(self->b.fd, self->in, 0));
	for (unsigned int i = 0; i <= UAPI_ARRAY_SIZE(never); i++) {
		self->ins[1].handle = self->outs[1].handle =
			i < UAPI_ARRAY_SIZE(never) ? never[i] : gone;
		EXPECT_EQ(-ENOENT, submit(self, 2, 0));
		EXPECT_EQ(-ENOENT, submit(self, 0, 2));
		n += 2;
	}
	expect_refusals(_metadata, self, n);
}

TEST_F(sync, syncobj_of_another_file)
{
	int other = uapi_open(NULL);
	__u32 handle;

	ASSERT_LE(0, other);
	do {
		ASSERT_EQ(0, uapi_syncobj(other, true, &handle));
	} while (handle <= self->out);
	self->ins[0].handle = self->outs[0].handle = handle;
	EXPECT_EQ(-ENOENT, submit(self, 1, 0));
	EXPECT_EQ(-ENOENT, submit(self, 0, 1));
	close(other);
	expect_refusals(_metadata, self, 2);
}

/*
 * F31: over and over; each has looked up syncobjs before it meets the bad one. A reference that
 * stays keeps the syncobj, and that keeps the fence of the run it is to be signalled by.
 */
TEST_F_TIMEOUT(sync, refusals_leave_no_reference, LONG_TIMEOUT)
{
	unsigned long n = long_count("TSR_REFUSALS", 1000);
	struct drm_tessera_counters delta = { .runs_refused = n };

	self->outs[1].handle = self->in;
	ASSERT_EQ(0, submit(self, 0, 2));
	ASSERT_EQ(DRM_TESSERA_CODE_OK, end_code(self, self->run.handle));
	ASSERT_EQ(0, uapi_close_run(self->b.fd, self->run.handle));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	/* 0: the fence is not the run's, and the end of this test says nothing. */
	ASSERT_EQ(1, self->before.fences);
	self->outs[0].point = 1;
	self->outs[1].flags = 1;
	for (unsigned long i = 0; i < n; i++)
		ASSERT_EQ(-EINVAL, submit(self, 2, 2));
	ASSERT_EQ(0, uapi_syncobj_destroy(self->b.fd, self->in));
	ASSERT_EQ(0, uapi_syncobj_destroy(self->b.fd, self->out));
	delta.fences = (__u64)-1;
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
}

/* The second of a batch is refused: its out-syncobj is not touched, the first's is signalled. */
TEST_F(sync, refused_run_of_a_batch_has_no_out)
{
	struct drm_tessera_run runs[2] = { self->run, self->run };
	struct drm_tessera_run_submit args;
	__u32 second;

	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &second));
	self->outs[1].handle = second;
	runs[0].out_sync_count = 1;
	runs[1].out_sync_count = 1;
	runs[1].out_syncs = UAPI_PTR(&self->outs[1]);
	runs[1].in_sync_count = 1;	/* without a fence: refused */
	uapi_submit_init(&args, self->b.context, runs, 2);
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args));
	EXPECT_EQ(1, args.accepted);
	EXPECT_EQ(-EINVAL, args.error);
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, self->out, 0, uapi_soon()));
	EXPECT_EQ(-EINVAL, uapi_syncobj_wait(self->b.fd, second, 0, uapi_now()));
}

TEST_HARNESS_MAIN

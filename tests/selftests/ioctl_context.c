// SPDX-License-Identifier: MIT
/* CONTEXT_CREATE and CONTEXT_DESTROY: fields, privilege, handles, what becomes of runs. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(context) {
	struct uapi_bench b;
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(context)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(context)
{
	uapi_bench_close(&self->b);
}

static int create(int fd, __u32 flags, __u32 priority, __u32 capacity)
{
	struct drm_tessera_context_create args = {
		.flags = flags, .priority = priority, .queue_capacity = capacity,
		.handle = 0xa5a5a5a5, .id = 0xa5a5a5a5a5a5a5a5,
	}, before = args;
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &args);

	if (ret)
		return memcmp(&before, &args, sizeof(args)) ? -EPROTO : ret;
	if (!args.handle || args.handle == before.handle || !args.id || args.id == before.id)
		return -EBADMSG;
	return uapi_context_destroy(fd, args.handle);
}

TEST_F(context, every_flag_bit)
{
	for (unsigned int bit = 0; bit < 32; bit++)
		EXPECT_EQ(-EINVAL, create(self->b.fd, 1u << bit, DRM_TESSERA_PRIORITY_NORMAL, 0));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(context, priorities)
{
	static const __u32 unknown[] = { 3, 4, 255, 0x80000000, 0xffffffff };

	EXPECT_EQ(0, create(self->b.fd, 0, DRM_TESSERA_PRIORITY_LOW, 0));
	EXPECT_EQ(0, create(self->b.fd, 0, DRM_TESSERA_PRIORITY_NORMAL, 0));
	EXPECT_EQ(0, create(self->b.fd, 0, DRM_TESSERA_PRIORITY_HIGH, 0));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(unknown); i++)
		EXPECT_EQ(-EINVAL, create(self->b.fd, 0, unknown[i], 0));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

static int priorities_of_a_plain_user(void *arg)
{
	int fd = *(int *)arg;

	if (uapi_drop_caps())
		return 1;
	if (create(fd, 0, DRM_TESSERA_PRIORITY_HIGH, 0) != -EACCES)
		return 2;
	if (create(fd, 0, DRM_TESSERA_PRIORITY_NORMAL, 0))
		return 3;
	if (create(fd, 0, DRM_TESSERA_PRIORITY_LOW, 0))
		return 4;
	/* What is malformed is so for everybody. */
	if (create(fd, 0, DRM_TESSERA_PRIORITY_HIGH + 1, 0) != -EINVAL)
		return 5;
	return create(fd, 1, DRM_TESSERA_PRIORITY_HIGH, 0) == -EINVAL ? 0 : 6;
}

/* The caller's privilege counts, not the opener's. */
TEST_F(context, high_priority_without_cap_sys_nice)
{
	EXPECT_EQ(0, uapi_in_child(priorities_of_a_plain_user, &self->b.fd));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(context, capacities)
{
	__u32 limit = self->b.info.limits.queue_capacity;
	const __u32 good[] = { 0, 1, 2, limit - 1, limit };
	const __u32 bad[] = { limit + 1, 2 * limit + 1, 0x7fffffff, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(good); i++)
		EXPECT_EQ(0, create(self->b.fd, 0, DRM_TESSERA_PRIORITY_NORMAL, good[i]));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-E2BIG, create(self->b.fd, 0, DRM_TESSERA_PRIORITY_NORMAL, bad[i]));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(context, ids_are_never_used_again)
{
	struct drm_tessera_context_create args = { .priority = DRM_TESSERA_PRIORITY_NORMAL };
	int other = uapi_open(NULL);
	__u64 last = 0;
	__u32 handle = 0;

	ASSERT_LE(0, other);
	for (unsigned int i = 0; i < 64; i++) {
		int fd = i & 1 ? other : self->b.fd;

		ASSERT_EQ(0, uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &args));
		EXPECT_LT(last, args.id);
		last = args.id;
		if (!(i & 1)) {
			/* Handles are: they belong to a file, and nobody else sees them. */
			if (handle)
				EXPECT_EQ(handle, args.handle);
			handle = args.handle;
		}
		ASSERT_EQ(0, uapi_context_destroy(fd, args.handle));
	}
	close(other);
}

TEST_F(context, every_pad_bit_of_destroy)
{
	struct drm_tessera_context_destroy args = { .handle = self->b.context };

	for (unsigned int bit = 0; bit < 32; bit++) {
		args.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_CONTEXT_DESTROY,
					      &args));
	}
	EXPECT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
}

TEST_F(context, handles_that_are_no_context)
{
	static const __u32 never[] = { 0, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	int other = uapi_open(NULL);
	__u32 program;

	ASSERT_LE(0, other);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++)
		EXPECT_EQ(-ENOENT, uapi_context_destroy(self->b.fd, never[i]));
	/* Of another file, and of another type in it. */
	ASSERT_EQ(0, uapi_exit_program(other, 0, &program));
	EXPECT_EQ(-ENOENT, uapi_context_destroy(other, self->b.context));
	EXPECT_EQ(-ENOENT, uapi_context_destroy(other, program));
	/* Destroyed. */
	EXPECT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	EXPECT_EQ(-ENOENT, uapi_context_destroy(self->b.fd, self->b.context));
	close(other);
}

/* F1: nothing was ever submitted to it. */
TEST_F(context, fresh_context_is_destroyed)
{
	struct drm_tessera_counters counters;
	__u32 context;

	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &context));
	ASSERT_EQ(0, uapi_context_counters(self->b.fd, context, &counters));
	EXPECT_TRUE(uapi_all_zero(&counters, sizeof(counters)));
	EXPECT_EQ(0, uapi_context_destroy(self->b.fd, context));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(context, submit_to_destroyed_context)
{
	__u32 run;

	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	EXPECT_EQ(-ENOENT, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &run));
}

TEST_F(context, destroy_ends_its_runs_and_no_others)
{
	struct drm_tessera_counters after, own;
	struct drm_tessera_status status;
	struct uapi_gate gate, bystander;
	__u32 context, launched, queued[3], spared;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &bystander));
	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &context));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, context, &gate, &launched));
	ASSERT_EQ(0, uapi_wait_phase(self->b.fd, launched, DRM_TESSERA_PHASE_LAUNCHED));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, uapi_gate_submit(self->b.fd, context, &gate, &queued[i]));
	*bystander.word = 1;
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &bystander, &spared));
	ASSERT_EQ(0, uapi_context_counters(self->b.fd, context, &own));
	EXPECT_EQ(4, own.runs);
	EXPECT_EQ(3, own.queue_depth);
	EXPECT_EQ(3, own.queue_peak);

	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, context));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, uapi_end(self->b.fd, queued[i], &status));
		EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, status.phase);
		EXPECT_EQ(DRM_TESSERA_CODE_CONTEXT_GONE, status.code);
		EXPECT_EQ(0, status.launched_ns);
	}
	ASSERT_EQ(0, uapi_end(self->b.fd, launched, &status));
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, status.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_CONTEXT_GONE, status.code);
	EXPECT_NE(0, status.launched_ns);
	ASSERT_EQ(0, uapi_end(self->b.fd, spared, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);

	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	/* More: the bystander went too; fewer: one is lost. */
	EXPECT_EQ(3, after.runs_cancelled - self->before.runs_cancelled);
	EXPECT_EQ(2, after.runs_retired - self->before.runs_retired);
	EXPECT_EQ(1, after.runs_failed_local - self->before.runs_failed_local);
	EXPECT_EQ(after.leases_taken - self->before.leases_taken,
		  after.leases_returned - self->before.leases_returned);
	EXPECT_EQ(self->before.queue_depth, after.queue_depth);
	uapi_gate_free(self->b.fd, &gate);
	uapi_gate_free(self->b.fd, &bystander);
}

/* Closing the file does the same; nothing of it is left on the device. */
TEST_F(context, file_closed_with_a_full_queue)
{
	struct drm_tessera_counters after;
	int fd = uapi_open(NULL);
	struct uapi_gate gate;
	__u32 context, run;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, uapi_gate_new(fd, &gate));
	ASSERT_EQ(0, uapi_context(fd, 4, &context));
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, uapi_gate_submit(fd, context, &gate, &run));
	close(fd);
	munmap((void *)gate.word, 4096);

	ASSERT_EQ(0, uapi_settle(self->b.fd));
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
		if (after.contexts == self->before.contexts)
			break;
		uapi_sleep_ms(2);
	}
	EXPECT_EQ(self->before.contexts, after.contexts);
	EXPECT_EQ(self->before.buffers, after.buffers);
	EXPECT_EQ(self->before.programs, after.programs);
	EXPECT_EQ(self->before.images, after.images);
	EXPECT_EQ(self->before.fences, after.fences);
	EXPECT_EQ(4, after.runs_accepted - self->before.runs_accepted);
	EXPECT_EQ(4, after.runs_cancelled - self->before.runs_cancelled +
		     after.runs_retired - self->before.runs_retired);
}

/* F25, F1: made and destroyed a thousand times. */
TEST_F(context, thousand_contexts)
{
	__u32 context;

	for (unsigned int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, uapi_context(self->b.fd, 0, &context));
		ASSERT_EQ(0, uapi_context_destroy(self->b.fd, context));
	}
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_HARNESS_MAIN

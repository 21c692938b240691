// SPDX-License-Identifier: MIT
/* RUN_SUBMIT: several runs in one call, and records of the future. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define RUNS	4u

FIXTURE(batch) {
	struct uapi_bench b;
	struct drm_tessera_run runs[RUNS];
	struct drm_tessera_run_submit args;
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(batch)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_LE(RUNS, self->b.info.limits.batch);
	for (unsigned int i = 0; i < RUNS; i++) {
		uapi_run_init(&self->runs[i], self->b.program);
		self->runs[i].user_data = i;
	}
	uapi_submit_init(&self->args, self->b.context, self->runs, RUNS);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(batch)
{
	uapi_bench_close(&self->b);
}

static int submit(FIXTURE_DATA(batch) *self)
{
	return uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &self->args);
}

/* Waits for all; the runs that ended well. */
static unsigned int ended_well(FIXTURE_DATA(batch) *self, unsigned int n)
{
	struct drm_tessera_status status;
	unsigned int good = 0;

	for (unsigned int i = 0; i < n; i++)
		if (!uapi_end(self->b.fd, self->runs[i].handle, &status))
			good += status.code == DRM_TESSERA_CODE_OK && status.user_data == i &&
				status.run_id == self->runs[i].id;
	return good;
}

TEST_F(batch, all_accepted)
{
	struct drm_tessera_counters after;

	self->args.accepted = 77;
	self->args.error = 77;
	ASSERT_EQ(0, submit(self));
	EXPECT_EQ(RUNS, self->args.accepted);
	EXPECT_EQ(0, self->args.error);
	for (unsigned int i = 1; i < RUNS; i++) {
		EXPECT_EQ(self->runs[i - 1].id + 1, self->runs[i].id);
		EXPECT_NE(self->runs[i - 1].handle, self->runs[i].handle);
	}
	EXPECT_EQ(RUNS, ended_well(self, RUNS));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(RUNS, after.runs_accepted - self->before.runs_accepted);
	EXPECT_EQ(0, after.runs_refused - self->before.runs_refused);
}

/* The refusal at each place; what stood before it is accepted, what comes after is not touched. */
TEST_F(batch, one_is_refused)
{
	for (unsigned int bad = 0; bad < RUNS; bad++) {
		struct drm_tessera_run last[RUNS];

		memset(&self->runs[bad], 0xa5, sizeof(self->runs[bad]));
		self->runs[bad].flags = 0;
		self->runs[bad].in_sync_count = 0;
		self->runs[bad].out_sync_count = 0;
		self->runs[bad].pad = 0;
		memcpy(last, self->runs, sizeof(last));
		EXPECT_EQ(bad ? 0 : -ENOENT, submit(self));
		EXPECT_EQ(bad, self->args.accepted);
		EXPECT_EQ(-ENOENT, self->args.error);
		EXPECT_EQ(bad, ended_well(self, bad));
		EXPECT_EQ(0, memcmp(&last[bad], &self->runs[bad], (RUNS - bad) * sizeof(last[0])));
		uapi_run_init(&self->runs[bad], self->b.program);
		self->runs[bad].user_data = bad;
	}

	struct drm_tessera_counters after;

	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	/* One per refused call, whether or not something was accepted before. */
	EXPECT_EQ(RUNS, after.runs_refused - self->before.runs_refused);
	EXPECT_EQ(0 + 1 + 2 + 3, after.runs_accepted - self->before.runs_accepted);
	EXPECT_EQ(self->before.programs, after.programs);
}

TEST_F(batch, error_names_the_first_refusal)
{
	self->runs[1].dispatch_size = 1;
	self->runs[2].program = 0;
	EXPECT_EQ(0, submit(self));
	EXPECT_EQ(1, self->args.accepted);
	EXPECT_EQ(-EINVAL, self->args.error);
	self->runs[0].flags = 1u << 31;
	EXPECT_EQ(-EINVAL, submit(self));
	EXPECT_EQ(0, self->args.accepted);
	EXPECT_EQ(-EINVAL, self->args.error);
}

TEST_F(batch, array_ends_in_a_hole)
{
	struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

	/* The last record lies half in it. */
	uapi_bad_ptrs(self->runs, sizeof(self->runs), bad);
	self->args.runs = bad[2].addr;
	EXPECT_EQ(0, submit(self));
	EXPECT_EQ(RUNS - 1, self->args.accepted);
	EXPECT_EQ(-EFAULT, self->args.error);
}

TEST_F(batch, as_many_as_allowed)
{
	__u32 limit = self->b.info.limits.batch;
	struct drm_tessera_run *runs = calloc(limit, sizeof(*runs));
	struct drm_tessera_status status;

	for (__u32 i = 0; i < limit; i++)
		uapi_run_init(&runs[i], self->b.program);
	uapi_submit_init(&self->args, self->b.context, runs, limit);
	ASSERT_EQ(0, submit(self));
	EXPECT_EQ(limit, self->args.accepted);
	for (__u32 i = 0; i < limit; i++) {
		ASSERT_EQ(0, uapi_end(self->b.fd, runs[i].handle, &status));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	}
	free(runs);
}

/* F59: what is between two records, and what is not out, stays as it was. */
TEST_F(batch, records_of_the_future_whose_tail_is_zero)
{
	const __u32 size = sizeof(struct drm_tessera_run);
	const __u32 strides[] = { size, size + 8, size + 16, size + 64, 2048, 4088, 4096 };

	for (unsigned int s = 0; s < UAPI_ARRAY_SIZE(strides); s++) {
		__u32 stride = strides[s];
		__u8 *area = calloc(RUNS, stride);

		for (unsigned int i = 0; i < RUNS; i++)
			memcpy(area + i * stride, &self->runs[i], size);
		self->args.runs = UAPI_PTR(area);
		self->args.run_stride = stride;
		ASSERT_EQ(0, submit(self));
		EXPECT_EQ(RUNS, self->args.accepted);
		for (unsigned int i = 0; i < RUNS; i++) {
			struct drm_tessera_run *run = (void *)(area + i * stride);

			EXPECT_TRUE(uapi_all_zero(area + i * stride + size, stride - size));
			EXPECT_EQ(0, uapi_wait(self->b.fd, run->handle, uapi_soon()));
			EXPECT_EQ(i, run->user_data);
		}
		free(area);
	}
}

TEST_F(batch, records_of_the_future_that_ask_for_more)
{
	const __u32 size = sizeof(struct drm_tessera_run), stride = size + 64;
	__u8 area[2 * (sizeof(struct drm_tessera_run) + 64)] = { 0 };

	memcpy(area, &self->runs[0], size);
	memcpy(area + stride, &self->runs[1], size);
	self->args.runs = UAPI_PTR(area);
	self->args.run_stride = stride;
	self->args.run_count = 2;
	for (unsigned int at = size; at < stride; at++) {
		area[at] = 1;
		EXPECT_EQ(-E2BIG, submit(self));
		EXPECT_EQ(0, self->args.accepted);
		EXPECT_EQ(-E2BIG, self->args.error);
		area[at] = 0;
	}
	area[2 * stride - 1] = 0x80;
	EXPECT_EQ(0, submit(self));
	EXPECT_EQ(1, self->args.accepted);
	EXPECT_EQ(-E2BIG, self->args.error);
}

TEST_F(batch, order_is_that_of_the_array)
{
	struct drm_tessera_status status[RUNS];

	ASSERT_EQ(0, submit(self));
	for (unsigned int i = 0; i < RUNS; i++) {
		ASSERT_EQ(0, uapi_end(self->b.fd, self->runs[i].handle, &status[i]));
		if (!i)
			continue;
		EXPECT_LE(status[i - 1].launched_ns, status[i].launched_ns);
		EXPECT_LE(status[i - 1].retired_ns, status[i].launched_ns);
	}
}

TEST_HARNESS_MAIN

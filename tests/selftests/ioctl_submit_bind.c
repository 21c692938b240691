// SPDX-License-Identifier: MIT
/* RUN_SUBMIT: bindings and words, checked against what the program says a run brings. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define SIZE	8192u
#define MIN	4096u
#define WORDS	3u

FIXTURE(bind) {
	struct uapi_bench b;
	__u32 program, bo;
	struct tessera_bind bind[2];
	__u32 words[WORDS];
	struct drm_tessera_counters before;
};

static const __u32 code[] = { RV_EXIT(0) };

FIXTURE_SETUP(bind)
{
	struct uapi_prog p;

	ASSERT_EQ(0, uapi_bench_open(&self->b));
	uapi_prog_init_core(&p, &self->b.info.limits);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	p.descriptors[0].common_words = 1;
	uapi_add_args(&p, p.ranges[0].x0, p.ranges[0].y0, WORDS - 1);
	uapi_add_binding(&p, MIN, TESSERA_ACCESS_IN);
	uapi_add_binding(&p, 16, TESSERA_ACCESS_INOUT);
	ASSERT_EQ(0, uapi_prog_create(self->b.fd, &p, &self->program));
	ASSERT_EQ(0, uapi_bo(self->b.fd, SIZE, &self->bo));
	self->bind[0] = (struct tessera_bind){
		.size = MIN, .handle = self->bo, .access = TESSERA_ACCESS_IN,
	};
	self->bind[1] = (struct tessera_bind){
		.offset = MIN, .size = 16, .handle = self->bo, .access = TESSERA_ACCESS_INOUT,
	};
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(bind)
{
	uapi_bench_close(&self->b);
}

static int submit_counts(FIXTURE_DATA(bind) *self, __u32 binds, __u32 words)
{
	struct drm_tessera_status status;
	struct tessera_bind all[4];
	struct drm_tessera_run run;
	__u32 size, many[8] = { 0 };
	void *dispatch;
	int ret;

	for (int i = 0; i < 4; i++)
		all[i] = self->bind[i & 1];
	dispatch = uapi_dispatch(all, binds, many, words, &size);
	uapi_run_init(&run, self->program);
	uapi_run_set_dispatch(&run, dispatch, size);
	ret = uapi_submit(self->b.fd, self->b.context, &run);
	free(dispatch);
	if (!ret)
		ret = uapi_end(self->b.fd, run.handle, &status);
	return ret ? ret : uapi_close_run(self->b.fd, run.handle);
}

static int submit(FIXTURE_DATA(bind) *self)
{
	return submit_counts(self, 2, WORDS);
}

#define EXPECT_REFUSALS(n) do {									\
	struct drm_tessera_counters delta = { .runs_refused = (n) };				\
												\
	/* Buffers or programs: the refusal kept a reference. */				\
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));				\
} while (0)

TEST_F(bind, right_bindings_are_accepted)
{
	EXPECT_EQ(0, submit(self));
	/* To the last byte. */
	self->bind[1].offset = SIZE - 16;
	EXPECT_EQ(0, submit(self));
	self->bind[0].size = SIZE;
	EXPECT_EQ(0, submit(self));
	self->bind[1].size = SIZE - 16;
	self->bind[1].offset = 16;
	EXPECT_EQ(0, submit(self));
}

TEST_F(bind, fewer_or_more_than_the_program_wants)
{
	static const struct {
		__u32 binds, words;
	} counts[] = {
		{ 0, 0 }, { 0, WORDS }, { 1, WORDS }, { 3, WORDS }, { 4, WORDS }, { 2, 0 },
		{ 2, WORDS - 1 }, { 2, WORDS + 1 }, { 2, WORDS + 5 },
		/* Of the right size in all: one binding is six words. */
		{ 1, 7 },
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(counts); i++)
		EXPECT_EQ(-EINVAL, submit_counts(self, counts[i].binds, counts[i].words));
	EXPECT_REFUSALS(UAPI_ARRAY_SIZE(counts));
}

TEST_F(bind, handles_that_are_no_buffer)
{
	const __u32 handles[] = { 0, self->bo + 1, 77, 0x80000000, 0xffffffff };

	for (unsigned int k = 0; k < 2; k++) {
		for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(handles); i++) {
			self->bind[k].handle = handles[i];
			EXPECT_EQ(-ENOENT, submit(self));
			self->bind[k].handle = self->bo;
		}
	}
	EXPECT_REFUSALS(10);
}

TEST_F(bind, buffer_of_another_file)
{
	int other = uapi_open(NULL);
	__u32 bo = 0;

	ASSERT_LE(0, other);
	while (bo <= self->bo)
		ASSERT_EQ(0, uapi_bo(other, SIZE, &bo));
	self->bind[0].handle = bo;
	EXPECT_EQ(-ENOENT, submit(self));
	close(other);
	EXPECT_REFUSALS(1);
}

TEST_F(bind, closed_buffer)
{
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, self->bo));
	EXPECT_EQ(-ENOENT, submit(self));
}

/* What was known of a handle before it was closed: its buffer was larger, then smaller. */
TEST_F(bind, handle_that_names_another_buffer_now)
{
	struct drm_tessera_counters now;
	__u32 small, again;

	self->bind[0].handle = self->bo;
	self->bind[0].offset = SIZE - MIN;
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(0, submit(self));
		ASSERT_EQ(0, uapi_bo_close(self->b.fd, self->bo));
		ASSERT_EQ(0, uapi_bo(self->b.fd, SIZE - MIN, &small));
		/* Handles are the least that are free. */
		ASSERT_EQ(self->bo, small);
		EXPECT_EQ(-EINVAL, submit(self));
		ASSERT_EQ(0, uapi_bo_close(self->b.fd, small));
		EXPECT_EQ(-ENOENT, submit(self));
		ASSERT_EQ(0, uapi_bo(self->b.fd, SIZE, &again));
		ASSERT_EQ(self->bo, again);
	}
	ASSERT_EQ(0, uapi_counters(self->b.fd, &now));
	EXPECT_EQ(self->before.buffers, now.buffers);
}

/* In turns, so that whatever is remembered of one is forgotten for another; every third is small. */
TEST_F(bind, many_buffers)
{
	__u32 bos[40];

	self->bind[0].offset = SIZE - MIN;
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(bos); i++)
		ASSERT_EQ(0, uapi_bo(self->b.fd, i % 3 ? SIZE : SIZE - MIN, &bos[i]));
	for (unsigned int i = 0; i < 4 * UAPI_ARRAY_SIZE(bos); i++) {
		unsigned int at = i * 7 % UAPI_ARRAY_SIZE(bos);

		self->bind[0].handle = bos[at];
		EXPECT_EQ(at % 3 ? 0 : -EINVAL, submit(self));
	}
}

/* The same handle in two files, one after the other. */
TEST_F(bind, handle_of_two_files)
{
	struct uapi_bench other;
	__u32 bo = 0;

	self->bind[0].offset = SIZE - MIN;
	EXPECT_EQ(0, submit(self));
	ASSERT_EQ(0, uapi_bench_open(&other));
	while (bo < self->bo)
		ASSERT_EQ(0, uapi_bo(other.fd, SIZE - MIN, &bo));
	ASSERT_EQ(self->bo, bo);
	EXPECT_EQ(0, submit(self));
	ASSERT_EQ(0, uapi_bo_close(other.fd, bo));
	EXPECT_EQ(0, submit(self));
	uapi_bench_close(&other);
	EXPECT_EQ(0, submit(self));
}

TEST_F(bind, every_access_but_the_programs)
{
	static const __u32 other[] = { 0, 1, 2, 3, 4, 7, 0x80000001, 0xffffffff };
	__u32 n = 0;

	for (unsigned int k = 0; k < 2; k++) {
		__u32 was = self->bind[k].access;

		for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(other); i++) {
			if (other[i] == was)
				continue;
			self->bind[k].access = other[i];
			EXPECT_EQ(-EINVAL, submit(self));
			n++;
		}
		self->bind[k].access = was;
	}
	EXPECT_REFUSALS(n);
}

/* F39, F43: against arithmetic of 128 bits. */
TEST_F(bind, offsets_and_sizes)
{
	static const __u64 values[] = {
		0, 1, 8, 15, 16, 4080, 4095, 4096, 4097, 8176, 8192, 8193, 8208,
		0x7ffffff0, 0x80000000, 0xfffffff0, 0xffffffff, 0x100000000ull, 0x100001000ull,
		1ull << 46, (1ull << 63) - 16, 1ull << 63, -8192ull, -4096ull, -16ull, -1ull,
	};
	__u32 n = 0;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(values); i++) {
		for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(values); k++) {
			__u64 offset = values[i], size = values[k];
			bool good = offset % 16 == 0 && size >= MIN &&
				    (unsigned __int128)offset + size <= SIZE;
			int ret;

			self->bind[0].offset = offset;
			self->bind[0].size = size;
			ret = submit(self);
			EXPECT_EQ(good ? 0 : -EINVAL, ret) {
				TH_LOG("offset %#llx, size %#llx", offset, size);
			}
			n += !good;
		}
	}
	ASSERT_EQ(0, uapi_settle(self->b.fd));

	struct drm_tessera_counters after;

	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(n, after.runs_refused - self->before.runs_refused);
	EXPECT_EQ(self->before.buffers, after.buffers);
}

TEST_F(bind, one_buffer_bound_twice_the_same)
{
	self->bind[1].offset = 0;
	EXPECT_EQ(0, submit(self));
}

/* LT-1, RUN-6: the caller's arrays are the caller's again as soon as the call returns. */
TEST_F(bind, blob_and_handle_gone_before_the_run_starts)
{
	struct drm_tessera_status status;
	struct drm_tessera_run run;
	struct uapi_gate gate;
	__u32 size, first;
	void *dispatch;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &gate, &first));
	dispatch = uapi_dispatch(self->bind, 2, self->words, WORDS, &size);
	uapi_run_init(&run, self->program);
	uapi_run_set_dispatch(&run, dispatch, size);
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
	memset(dispatch, 0xff, size);
	free(dispatch);
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, self->bo));
	ASSERT_EQ(0, uapi_program_destroy(self->b.fd, self->program));

	struct drm_tessera_counters now;

	ASSERT_EQ(0, uapi_counters(self->b.fd, &now));
	/* IO-6: the buffer and the gate's; fewer: it went while a run was to use it. */
	EXPECT_EQ(self->before.buffers + 1, now.buffers);
	*gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	uapi_gate_free(self->b.fd, &gate);
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &now));
	EXPECT_EQ(self->before.buffers - 1, now.buffers);
}

/* The second is refused after the first was looked up. */
TEST_F(bind, thousand_refusals_leave_no_reference)
{
	self->bind[1].handle = 0;
	for (unsigned int i = 0; i < 1000; i++)
		ASSERT_EQ(-ENOENT, submit(self));
	EXPECT_REFUSALS(1000);
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, self->bo));
	self->before.buffers--;
	EXPECT_REFUSALS(1000);
}

TEST_HARNESS_MAIN

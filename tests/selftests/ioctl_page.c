// SPDX-License-Identifier: MIT
/* CONTEXT_PAGE: what has ended, and how; runs without a handle, of which nothing else tells. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

struct page {
	__u32 bo;
	size_t size;
	volatile struct drm_tessera_context_progress *progress;
};

FIXTURE(page) {
	struct uapi_bench b;
	struct uapi_gate gate;
	struct page page;		/* of b.context */
	struct drm_tessera_run run;	/* ends at once, has no handle */
	struct drm_tessera_counters before;
};

static int page_of(int fd, __u32 context, struct page *ret)
{
	struct drm_tessera_context_page args = { .handle = context, .bo = 77 };
	struct drm_tessera_bo_mmap_offset map = { 0 };
	int ret_val = uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_PAGE, &args);
	void *mem;

	/* Not written by a refusal. */
	if (ret_val)
		return args.bo == 77 ? ret_val : -ENOTRECOVERABLE;
	map.handle = args.bo;
	ret_val = uapi_ioctl(fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &map);
	if (ret_val)
		return ret_val;
	mem = mmap(NULL, map.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, map.offset);
	ret->bo = args.bo;
	ret->size = map.size;
	ret->progress = mem;
	return mem == MAP_FAILED ? -errno : 0;
}

/* The result of the k-th run that ended. */
static struct drm_tessera_context_result result(const struct page *page, __u64 k)
{
	const char *base = (const char *)page->progress + page->progress->result_offset;
	const struct drm_tessera_context_result *results = (const void *)base;
	volatile const struct drm_tessera_context_result *from =
		&results[k & (page->progress->result_count - 1)];

	return *from;
}

/* Until @n runs have ended, for 20 s at most. */
static bool ended(const struct page *page, __u64 n)
{
	for (int i = 0; i < 20000 && page->progress->ended < n; i++)
		uapi_sleep_ms(1);
	return page->progress->ended >= n;
}

FIXTURE_SETUP(page)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &self->gate));
	ASSERT_EQ(0, page_of(self->b.fd, self->b.context, &self->page));
	uapi_run_init(&self->run, self->b.program);
	self->run.flags = DRM_TESSERA_RUN_NO_HANDLE;
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(page)
{
	munmap((void *)self->page.progress, self->page.size);
	uapi_gate_free(self->b.fd, &self->gate);
	uapi_bench_close(&self->b);
}

TEST_F(page, handles_that_are_no_context)
{
	static const __u32 never[] = { 0, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	struct page page;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++)
		EXPECT_EQ(-ENOENT, page_of(self->b.fd, never[i], &page));
}

TEST_F(page, what_has_ended)
{
	struct drm_tessera_run run;

	uapi_run_init(&run, self->b.program);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
		ASSERT_EQ(0, uapi_wait(self->b.fd, run.handle, uapi_soon()));
		EXPECT_EQ(run.id, self->page.progress->ended_through);
		EXPECT_EQ(i + 1, self->page.progress->ended);
		EXPECT_EQ(0, self->page.progress->failed);
	}
	ASSERT_EQ(0, uapi_exit_program(self->b.fd, 1, &run.program));
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
	ASSERT_EQ(0, uapi_wait(self->b.fd, run.handle, uapi_soon()));
	EXPECT_EQ(run.id, self->page.progress->ended_through);
	EXPECT_EQ(1, self->page.progress->failed);
}

/* SEC-1: user space may write there; the driver never reads it. */
TEST_F(page, scribbled_on)
{
	__u32 count = self->page.progress->result_count;
	struct drm_tessera_run run;

	memset((void *)self->page.progress, 0xff, self->page.size);
	uapi_run_init(&run, self->b.program);
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
	ASSERT_EQ(0, uapi_wait(self->b.fd, run.handle, uapi_soon()));
	EXPECT_EQ(run.id, self->page.progress->ended_through);
	EXPECT_EQ(0, self->page.progress->failed);
	for (__u32 i = 0; i < 2 * count; i++) {
		ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
		ASSERT_EQ(0, uapi_close_run(self->b.fd, run.handle));
	}
	/* It outlives its context, and says nothing new. */
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	EXPECT_EQ(run.id, self->page.progress->ended_through);
}

TEST_F(page, through_where_runs_have_ended)
{
	volatile struct drm_tessera_context_progress *page = self->page.progress;
	struct drm_tessera_status s;
	__u32 executing, next;

	EXPECT_EQ(0, page->ended_through);
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &executing));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &next));
	ASSERT_EQ(0, uapi_status(self->b.fd, next, &s));
	/* The later one ends first: what is before it has not ended yet. */
	ASSERT_EQ(0, uapi_cancel(self->b.fd, next));
	ASSERT_EQ(0, uapi_wait(self->b.fd, next, uapi_soon()));
	EXPECT_GT(s.run_id - 1, page->ended_through);
	EXPECT_EQ(1, page->failed);
	EXPECT_EQ(1, page->ended);
	/* Results are in the order in which runs ended. */
	EXPECT_EQ(s.run_id, result(&self->page, 0).run_id);
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, result(&self->page, 0).phase);
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_wait(self->b.fd, executing, uapi_soon()));
	EXPECT_EQ(s.run_id, page->ended_through);
	EXPECT_EQ(1, page->failed);
	EXPECT_EQ(s.run_id - 1, result(&self->page, 1).run_id);
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, result(&self->page, 1).phase);

	/* It outlives the context as long as it is mapped, and changes no more. */
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, self->page.bo));
	EXPECT_EQ(s.run_id, page->ended_through);
}

TEST_F(page, result_is_that_of_the_status_record)
{
	struct drm_tessera_context_result r;
	struct drm_tessera_status s;
	struct drm_tessera_run run;

	for (__u32 i = 0; i < 2; i++) {
		uapi_run_init(&run, 0);
		run.user_data = 0x1234567800ull + i;
		ASSERT_EQ(0, uapi_exit_program(self->b.fd, i, &run.program));
		ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
		ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &s));
		r = result(&self->page, i);
		EXPECT_EQ(run.id, r.run_id);
		EXPECT_EQ(run.user_data, r.user_data);
		EXPECT_EQ(s.code, r.code);
		EXPECT_EQ(i ? DRM_TESSERA_CODE_FAULT : DRM_TESSERA_CODE_OK, r.code);
		EXPECT_EQ(s.phase, r.phase);
		EXPECT_EQ(s.flags, r.flags);
		EXPECT_EQ(0, r.poison_code);
	}
}

/* What ended before anybody asked for the page is counted, but told by an id of 0. */
TEST_F(page, asked_for_late)
{
	struct drm_tessera_run run;
	struct page late;
	__u32 context;

	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &context));
	uapi_run_init(&run, self->b.program);
	ASSERT_EQ(0, uapi_submit(self->b.fd, context, &run));
	ASSERT_EQ(0, uapi_wait(self->b.fd, run.handle, uapi_soon()));
	ASSERT_EQ(0, page_of(self->b.fd, context, &late));
	EXPECT_EQ(1, late.progress->ended);
	EXPECT_EQ(run.id, late.progress->ended_through);
	EXPECT_EQ(0, result(&late, 0).run_id);
	ASSERT_EQ(0, uapi_submit(self->b.fd, context, &run));
	ASSERT_EQ(0, uapi_wait(self->b.fd, run.handle, uapi_soon()));
	EXPECT_EQ(run.id, result(&late, 1).run_id);
	EXPECT_EQ(0, munmap((void *)late.progress, late.size));
}

/* As many as may be queued lose no result, whatever the capacity is. */
TEST_F(page, ring_holds_a_full_queue)
{
	static const __u32 capacities[] = { 1, 2, 7, 8, 64 };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(capacities); i++) {
		__u32 n = capacities[i], context;
		struct page page;

		ASSERT_EQ(0, uapi_context(self->b.fd, n, &context));
		ASSERT_EQ(0, page_of(self->b.fd, context, &page));
		EXPECT_LT(n, page.progress->result_count);
		EXPECT_EQ(0, page.progress->result_count & (page.progress->result_count - 1));
		EXPECT_LE(page.progress->result_offset +
			  page.progress->result_count * sizeof(struct drm_tessera_context_result),
			  page.size);
		for (__u32 k = 0; k < 3 * n; k++) {
			self->run.user_data = k;
			ASSERT_EQ(0, uapi_submit(self->b.fd, context, &self->run));
		}
		ASSERT_TRUE(ended(&page, 3 * n));
		for (__u32 k = 2 * n; k < 3 * n; k++)
			EXPECT_EQ(k, result(&page, k).user_data);
		EXPECT_EQ(0, munmap((void *)page.progress, page.size));
		ASSERT_EQ(0, uapi_context_destroy(self->b.fd, context));
	}
}

TEST_F(page, run_without_a_handle)
{
	struct drm_tessera_counters delta = { .runs_accepted = 1, .runs_retired = 1 };
	struct drm_tessera_counters after;
	__u32 first;

	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &first));
	ASSERT_EQ(0, uapi_wait(self->b.fd, first, uapi_soon()));
	ASSERT_EQ(0, uapi_close_run(self->b.fd, first));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	self->run.handle = 77;
	self->run.user_data = 9;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &self->run));
	EXPECT_EQ(0, self->run.handle);
	ASSERT_TRUE(ended(&self->page, 2));
	EXPECT_EQ(self->run.id, result(&self->page, 1).run_id);
	EXPECT_EQ(9, result(&self->page, 1).user_data);
	EXPECT_EQ(DRM_TESSERA_CODE_OK, result(&self->page, 1).code);
	/* A run that is still there would be one that nobody can close. */
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(delta.runs_accepted, after.runs_accepted - self->before.runs_accepted);
	EXPECT_EQ(delta.runs_retired, after.runs_retired - self->before.runs_retired);
	EXPECT_EQ(self->before.runs, after.runs);
	/* The lowest free number is given: none was taken in between. */
	self->run.flags = 0;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &self->run));
	EXPECT_EQ(first, self->run.handle);
}

TEST_F(page, no_handle_and_records_that_need_one)
{
	static const __u32 flags[] = { DRM_TESSERA_RUN_PROFILE, DRM_TESSERA_RUN_PRINT,
				       DRM_TESSERA_RUN_RECORDS };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(flags); i++) {
		self->run.flags = DRM_TESSERA_RUN_NO_HANDLE | flags[i];
		EXPECT_EQ(-EINVAL, uapi_submit(self->b.fd, self->b.context, &self->run));
	}
	EXPECT_EQ(0, self->page.progress->ended);
}

/* Its fence is all that is left of it, and is signalled. */
TEST_F(page, no_handle_but_an_out_sync)
{
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_counters after;

	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &sync.handle));
	self->run.out_syncs = UAPI_PTR(&sync);
	self->run.out_sync_count = 1;
	for (unsigned int i = 0; i < 100; i++) {
		sync.point = i % 2 ? i : 0;
		ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &self->run));
		ASSERT_EQ(0, uapi_syncobj_wait(self->b.fd, sync.handle, sync.point,
					       uapi_soon()));
	}
	ASSERT_EQ(0, uapi_syncobj_destroy(self->b.fd, sync.handle));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
		if (after.fences == self->before.fences)
			break;
		uapi_sleep_ms(10);
	}
	/* More: a fence of a run without a handle was never put. */
	EXPECT_EQ(self->before.fences, after.fences);
}

/* A batch behind a closed gate: some with a handle, some without, and one that is refused. */
TEST_F(page, batch_with_and_without_handles)
{
	struct drm_tessera_run_submit submit;
	struct drm_tessera_run runs[8];
	__u32 executing;

	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &executing));
	for (__u32 i = 0; i < 8; i++) {
		uapi_run_init(&runs[i], self->b.program);
		runs[i].flags = i % 2 ? DRM_TESSERA_RUN_NO_HANDLE : 0;
		runs[i].user_data = i;
	}
	runs[7].program = 77;
	uapi_submit_init(&submit, self->b.context, runs, 8);
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit));
	EXPECT_EQ(7, submit.accepted);
	EXPECT_EQ(-ENOENT, submit.error);
	for (__u32 i = 0; i < 7; i++)
		EXPECT_EQ(i % 2, !runs[i].handle);
	*self->gate.word = 1;
	ASSERT_TRUE(ended(&self->page, 8));
	for (__u32 i = 0; i < 7; i++) {
		EXPECT_EQ(runs[i].id, result(&self->page, 1 + i).run_id);
		EXPECT_EQ(i, result(&self->page, 1 + i).user_data);
	}
}

/* FL-1: cancelled for another's failure; the result says for which. */
TEST_F(page, cancelled_with_its_context)
{
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_run first, second;
	struct drm_tessera_context_result r;
	__u32 other;

	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &other));
	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &sync.handle));
	uapi_run_init(&first, self->gate.program);
	uapi_run_set_dispatch(&first, self->gate.dispatch, self->gate.dispatch_size);
	first.out_syncs = UAPI_PTR(&sync);
	first.out_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, other, &first));
	second = self->run;
	second.in_syncs = UAPI_PTR(&sync);
	second.in_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &second));
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &self->run));
	ASSERT_EQ(0, uapi_cancel(self->b.fd, first.handle));
	ASSERT_TRUE(ended(&self->page, 2));
	r = result(&self->page, 0);
	EXPECT_EQ(second.id, r.run_id);
	EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, r.code);
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, r.phase);
	r = result(&self->page, 1);
	EXPECT_EQ(self->run.id, r.run_id);
	EXPECT_EQ(DRM_TESSERA_CODE_OK, r.code);
	EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, r.poison_code);
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, r.phase);
	EXPECT_EQ(2, self->page.progress->failed);
}

TEST_F(page, context_goes_with_runs_that_have_no_handle)
{
	struct drm_tessera_counters after;
	__u32 executing;

	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &executing));
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &self->run));
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	ASSERT_TRUE(ended(&self->page, 21));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	EXPECT_EQ(21, self->page.progress->failed);
	ASSERT_EQ(0, uapi_close_run(self->b.fd, executing));
	/* Still there: a run that nobody can close any more keeps it. */
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
		if (after.contexts == self->before.contexts - 1)
			break;
		uapi_sleep_ms(10);
	}
	EXPECT_EQ(self->before.contexts - 1, after.contexts);
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(DRM_TESSERA_CODE_CONTEXT_GONE, result(&self->page, i).code);
}

TEST_HARNESS_MAIN

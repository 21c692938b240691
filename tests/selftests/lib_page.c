// SPDX-License-Identifier: MIT
/* Waiting by the progress page, and by the kernel: the same answers. */
#include <poll.h>
#include <pthread.h>

#include "common_lib.h"
#include "kselftest_harness.h"

FIXTURE(page) {
	struct lib l;
	struct tsr_status status;
	struct tsr_library_stats before;
};

FIXTURE_SETUP(page)
{
	ASSERT_EQ(0, lib_open(&self->l));
	self->before = lib_stats(&self->l);
}

FIXTURE_TEARDOWN(page)
{
	lib_close(&self->l);
}

static uint64_t by_page(FIXTURE_DATA(page) *self)
{
	return lib_stats(&self->l).waits_page - self->before.waits_page;
}

static uint64_t by_kernel(FIXTURE_DATA(page) *self)
{
	return lib_stats(&self->l).waits_kernel - self->before.waits_kernel;
}

/* The kernel says by another way that it has ended. */
static int await_file(struct tsr_run *run)
{
	struct pollfd file = { .events = POLLIN };
	int n;

	if (tsr_run_fd(run, &file.fd))
		return -1;
	n = poll(&file, 1, 30000);
	close(file.fd);
	return n == 1 ? 0 : -1;
}

TEST_F(page, ended_runs_cost_no_call_and_tell_the_truth)
{
	static const struct {
		enum lib_do what;
		int verdict;
		const char *code;
	} cases[] = {
		{ LIB_REPORT, 0, "ok" },
		{ LIB_JUMP, -EIO, "fault" },
		{ LIB_UNBOUND, -EIO, "fault" },
		{ LIB_REPORT, 0, "ok" },
	};
	struct tsr_run *run;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		self->l.what = cases[i].what;
		self->l.word = (int64_t)i + 5;
		ASSERT_EQ(0, lib_submit(&self->l, NULL, &run));
		ASSERT_EQ(0, await_file(run));
		EXPECT_EQ(0, tsr_run_wait(run, i % 2 ? -1 : 0));
		EXPECT_EQ(cases[i].verdict, tsr_run_verdict(run));
		ASSERT_EQ(0, tsr_run_status(run, &self->status));
		EXPECT_STREQ(cases[i].code, tsr_code_name(self->status.code));
		EXPECT_EQ(tsr_run_id(run), self->status.run_id);
		/* Who sees the id on the page sees the outputs, too. */
		if (!cases[i].verdict)
			EXPECT_EQ(i + 5, lib_slot(&self->l, 3)[2]);
		tsr_run_unref(run);
	}
	/* Otherwise the page is not looked at, or not written in time. */
	EXPECT_EQ(4, by_page(self));
	EXPECT_EQ(0, by_kernel(self));
}

TEST_F(page, out_of_order_end_is_the_kernels_to_tell)
{
	struct tsr_run *first, *second;

	self->l.what = LIB_LOOP;
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &first));
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &second));
	EXPECT_EQ(0, tsr_run_cancel(second));
	EXPECT_EQ(0, tsr_run_wait(second, -1));
	EXPECT_EQ(-ECANCELED, tsr_run_verdict(second));
	EXPECT_EQ(0, by_page(self));
	EXPECT_EQ(1, by_kernel(self));
	EXPECT_EQ(-ETIME, tsr_run_wait(first, 0));
	EXPECT_EQ(-ETIME, tsr_run_wait(first, 5000000));
	EXPECT_EQ(0, tsr_run_cancel(first));
	EXPECT_EQ(0, tsr_run_wait(first, -1));
	EXPECT_EQ(-ECANCELED, tsr_run_verdict(first));
	tsr_run_unref(first);
	tsr_run_unref(second);
}

static void *wait_for(void *arg)
{
	return (void *)(intptr_t)tsr_run_wait(arg, -1);
}

TEST_F(page, unbounded_wait_sleeps)
{
	struct timespec begin, end;
	clockid_t clock;
	pthread_t thread;
	struct tsr_run *run;
	void *ret;

	self->l.what = LIB_LOOP;
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &run));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for, run));
	usleep(300000);
	ASSERT_EQ(0, pthread_getcpuclockid(thread, &clock));
	clock_gettime(clock, &begin);
	usleep(500000);
	clock_gettime(clock, &end);
	/* It spins briefly and no more: half a second later it has not executed. */
	EXPECT_GT(50000000, (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec);
	tsr_run_cancel(run);
	ASSERT_EQ(0, pthread_join(thread, &ret));
	EXPECT_EQ(NULL, ret);
	EXPECT_EQ(-ECANCELED, tsr_run_verdict(run));
	tsr_run_unref(run);
}

TEST_F(page, many_runs_and_many_observers)
{
	pthread_t threads[4];
	struct tsr_run *run;
	void *ret;

	for (int i = 0; i < 200; i++) {
		self->l.word = i;
		ASSERT_EQ(0, lib_submit(&self->l, NULL, &run));
		for (int t = 0; t < 4; t++)
			ASSERT_EQ(0, pthread_create(&threads[t], NULL, wait_for, run));
		for (int t = 0; t < 4; t++) {
			ASSERT_EQ(0, pthread_join(threads[t], &ret));
			ASSERT_EQ(NULL, ret);
		}
		ASSERT_EQ(0, tsr_run_verdict(run));
		ASSERT_EQ(i, (int)lib_slot(&self->l, 0)[2]);
		tsr_run_unref(run);
	}
}

/* The page is the context's: both go, and nothing of them stays. */
TEST_F(page, goes_with_its_context)
{
	struct tsr_counters before, after;
	struct tsr_context *mine = self->l.ctx;

	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	ASSERT_EQ(0, tsr_device_counters(self->l.dev, &before));
	for (int i = 0; i < 50; i++) {
		ASSERT_EQ(0, tsr_context_new(self->l.dev, NULL, &self->l.ctx));
		ASSERT_EQ(0, lib_run(&self->l, &self->status));
		tsr_context_unref(self->l.ctx);
	}
	self->l.ctx = mine;
	for (int i = 0; i < 500; i++) {
		ASSERT_EQ(0, tsr_device_counters(self->l.dev, &after));
		if (after.buffers == before.buffers && after.contexts == before.contexts)
			break;
		usleep(10000);
	}
	EXPECT_EQ(before.buffers, after.buffers);
	EXPECT_EQ(before.contexts, after.contexts);
}

LIB_HARNESS_MAIN

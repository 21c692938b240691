// SPDX-License-Identifier: MIT
/* RUN_WAIT and RUN_CLOSE: time-outs, signals, handles (RUN-8, RUN-9). */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(wait) {
	struct uapi_bench b;
	struct uapi_gate gate;
	__u32 run;			/* executes until the gate opens */
};

FIXTURE_SETUP(wait)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &self->gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &self->run));
}

FIXTURE_TEARDOWN(wait)
{
	uapi_gate_free(self->b.fd, &self->gate);
	uapi_bench_close(&self->b);
}

TEST_F(wait, every_flag_bit)
{
	struct drm_tessera_run_wait args = { .handle = self->run };

	for (unsigned int bit = 0; bit < 32; bit++) {
		args.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_WAIT, &args));
	}
}

TEST_F(wait, every_pad_bit_of_close)
{
	struct drm_tessera_run_close args = { .handle = self->run };

	for (unsigned int bit = 0; bit < 32; bit++) {
		args.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_CLOSE, &args));
	}
	EXPECT_EQ(0, uapi_close_run(self->b.fd, self->run));
}

TEST_F(wait, handles_that_are_no_run)
{
	const __u32 never[] = {
		0, self->run + 1, 77, 0x7fffffff, 0x80000000, 0xffffffff,
	};
	int other = uapi_open(NULL);
	__u32 context;

	ASSERT_LE(0, other);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++) {
		EXPECT_EQ(-ENOENT, uapi_wait(self->b.fd, never[i], UAPI_NO_TIMEOUT));
		EXPECT_EQ(-ENOENT, uapi_close_run(self->b.fd, never[i]));
	}
	/* Of another file, and of another type in it. */
	ASSERT_EQ(0, uapi_context(other, 0, &context));
	EXPECT_EQ(-ENOENT, uapi_wait(other, self->run, 0));
	EXPECT_EQ(-ENOENT, uapi_wait(other, context, 0));
	EXPECT_EQ(-ENOENT, uapi_close_run(other, self->run));
	/* Closed. */
	EXPECT_EQ(0, uapi_close_run(self->b.fd, self->run));
	EXPECT_EQ(-ENOENT, uapi_wait(self->b.fd, self->run, 0));
	EXPECT_EQ(-ENOENT, uapi_close_run(self->b.fd, self->run));
	close(other);
}

TEST_F(wait, past_time_polls)
{
	static const __s64 past[] = { 0, 1, 1000000000 };
	__s64 start = uapi_now();

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(past); i++)
		EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->run, past[i]));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->run, start));
	EXPECT_GT(1000000000, uapi_now() - start);
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_wait(self->b.fd, self->run, uapi_soon()));
	/* A past time is no obstacle to a run that has ended. */
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(past); i++)
		EXPECT_EQ(0, uapi_wait(self->b.fd, self->run, past[i]));
}

TEST_F(wait, expires_and_run_stays_live)
{
	struct drm_tessera_status status;
	__s64 start = uapi_now();

	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->run, start + 50000000));
	/* Less: it polls; much more: the time was taken as relative. */
	EXPECT_LE(50000000, uapi_now() - start);
	EXPECT_GT(2000000000, uapi_now() - start);
	ASSERT_EQ(0, uapi_status(self->b.fd, self->run, &status));
	EXPECT_EQ(0, status.retired_ns);
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_EQ(DRM_TESSERA_VERDICT_NONE, status.verdict_source);
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->run, uapi_in_ms(20)));
	*self->gate.word = 1;
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run, uapi_soon()));
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run, uapi_soon()));
}

TEST_F(wait, times_far_away)
{
	static const __s64 far[] = {
		UAPI_NO_TIMEOUT, -2, INT64_MIN, INT64_MAX, INT64_MAX - 1, 1ll << 62,
	};

	*self->gate.word = 1;
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(far); i++) {
		__u32 run;

		ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &run));
		EXPECT_EQ(0, uapi_wait(self->b.fd, run, far[i]));
	}
}

struct waiter {
	pthread_t thread;
	int fd, ret;
	__u32 run;
};

static void *wait_for_ever(void *arg)
{
	struct waiter *w = arg;

	w->ret = uapi_wait(w->fd, w->run, UAPI_NO_TIMEOUT);
	return NULL;
}

TEST_F(wait, everybody_who_waits_is_woken)
{
	struct waiter waiters[8];

	for (int i = 0; i < 8; i++) {
		waiters[i] = (struct waiter){ .fd = self->b.fd, .run = self->run, .ret = 1 };
		ASSERT_EQ(0, pthread_create(&waiters[i].thread, NULL, wait_for_ever, &waiters[i]));
	}
	uapi_sleep_ms(30);
	*self->gate.word = 1;
	for (int i = 0; i < 8; i++) {
		pthread_join(waiters[i].thread, NULL);
		EXPECT_EQ(0, waiters[i].ret);
	}
}

/* RUN-8: an unbounded wait sleeps. */
TEST_F(wait, unbounded_wait_uses_no_processor_time)
{
	struct waiter waiter = { .fd = self->b.fd, .run = self->run };
	struct timespec before, after;
	clockid_t clock;
	__s64 used;

	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, wait_for_ever, &waiter));
	ASSERT_EQ(0, pthread_getcpuclockid(waiter.thread, &clock));
	uapi_sleep_ms(50);
	clock_gettime(clock, &before);
	uapi_sleep_ms(300);
	clock_gettime(clock, &after);
	used = (after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec;
	EXPECT_GT(30000000, used);
	*self->gate.word = 1;
	pthread_join(waiter.thread, NULL);
	EXPECT_EQ(0, waiter.ret);
}

/* The observer goes while another of his threads waits: that one still gets its answer. */
TEST_F(wait, handle_closed_under_a_wait)
{
	struct waiter waiter = { .fd = self->b.fd, .run = self->run, .ret = 1 };

	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, wait_for_ever, &waiter));
	uapi_sleep_ms(30);
	EXPECT_EQ(0, uapi_close_run(self->b.fd, self->run));
	*self->gate.word = 1;
	pthread_join(waiter.thread, NULL);
	EXPECT_EQ(0, waiter.ret);
}

static void on_signal(int sig)
{
}

static void handle_signal(int flags)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	sigaction(SIGUSR1, &action, NULL);
}

TEST_F(wait, interrupted_by_a_signal)
{
	struct waiter waiter = { .fd = self->b.fd, .run = self->run, .ret = 1 };

	handle_signal(0);
	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, wait_for_ever, &waiter));
	uapi_sleep_ms(50);
	pthread_kill(waiter.thread, SIGUSR1);
	pthread_join(waiter.thread, NULL);
	EXPECT_EQ(-EINTR, waiter.ret);
	/* Nothing came of it for the run. */
	*self->gate.word = 1;
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run, uapi_soon()));
}

TEST_F(wait, restarted_after_a_signal)
{
	struct waiter waiter = { .fd = self->b.fd, .run = self->run, .ret = 1 };

	handle_signal(SA_RESTART);
	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, wait_for_ever, &waiter));
	for (int i = 0; i < 5; i++) {
		uapi_sleep_ms(10);
		pthread_kill(waiter.thread, SIGUSR1);
	}
	EXPECT_EQ(1, waiter.ret);
	*self->gate.word = 1;
	pthread_join(waiter.thread, NULL);
	EXPECT_EQ(0, waiter.ret);
}

static void *wait_a_while(void *arg)
{
	struct waiter *w = arg;

	w->ret = uapi_wait(w->fd, w->run, uapi_in_ms(200));
	return NULL;
}

/* The time is absolute: a restart does not begin it anew. */
TEST_F(wait, restarted_wait_expires_in_time)
{
	struct waiter waiter = { .fd = self->b.fd, .run = self->run, .ret = 1 };
	__s64 start = uapi_now();

	handle_signal(SA_RESTART);
	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, wait_a_while, &waiter));
	for (int i = 0; i < 15; i++) {
		uapi_sleep_ms(10);
		pthread_kill(waiter.thread, SIGUSR1);
	}
	pthread_join(waiter.thread, NULL);
	EXPECT_EQ(-ETIME, waiter.ret);
	EXPECT_GT(2000000000, uapi_now() - start);
}

TEST_F(wait, waiting_process_is_killed)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(uapi_wait(self->b.fd, self->run, UAPI_NO_TIMEOUT));
	uapi_sleep_ms(50);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	/* F11: it was a child that died; the run is the parent's. */
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->run, uapi_in_ms(20)));
	*self->gate.word = 1;
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run, uapi_soon()));
}

/* RUN-9: closing detaches; the run goes on, its successor waits for it, its memory stays. */
TEST_F(wait, closed_run_goes_on)
{
	struct drm_tessera_counters before, after;
	struct drm_tessera_status status;
	__u32 next;

	ASSERT_EQ(0, uapi_counters(self->b.fd, &before));
	ASSERT_EQ(0, uapi_close_run(self->b.fd, self->run));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &next));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, next, uapi_in_ms(30)));
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, next, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	/* Cancelled: close was taken for cancel; not retired twice: it was lost. */
	EXPECT_EQ(before.runs_cancelled, after.runs_cancelled);
	EXPECT_EQ(before.runs_retired + 2, after.runs_retired);
	EXPECT_EQ(before.runs_failed_local, after.runs_failed_local);
}

TEST_F(wait, handles_are_used_again)
{
	__u32 first, run;

	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &first));
	ASSERT_EQ(0, uapi_wait(self->b.fd, first, uapi_soon()));
	ASSERT_EQ(0, uapi_close_run(self->b.fd, first));
	for (unsigned int i = 0; i < 200; i++) {
		ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program,
						 &run));
		/* More: handles leak. */
		ASSERT_EQ(first, run);
		ASSERT_EQ(0, uapi_wait(self->b.fd, run, uapi_soon()));
		ASSERT_EQ(0, uapi_close_run(self->b.fd, run));
	}
}

TEST_HARNESS_MAIN

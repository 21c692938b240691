// SPDX-License-Identifier: MIT
/* CLAIM_ACQUIRE and CLAIM_RELEASE: fields, who holds, who waits, what ends it (CL-2). */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(claim) {
	struct uapi_bench b;
	__u32 other;			/* a second context */
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(claim)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &self->other));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(claim)
{
	uapi_bench_close(&self->b);
}

static int try_acquire(FIXTURE_DATA(claim) *self, __u32 context)
{
	return uapi_claim(self->b.fd, context, DRM_TESSERA_CLAIM_NONBLOCK, 0);
}

/* Submit only while the context holds. */
static int submit_claimed(FIXTURE_DATA(claim) *self, __u32 context)
{
	__u32 run;
	int ret = uapi_submit_claimed(self->b.fd, context, self->b.program, &run);

	return ret ? ret : uapi_wait(self->b.fd, run, uapi_soon());
}

TEST_F(claim, every_flag_and_pad_bit)
{
	struct drm_tessera_claim_release args = { .context = self->b.context };

	for (unsigned int bit = 1; bit < 32; bit++) {
		EXPECT_EQ(-EINVAL, uapi_claim(self->b.fd, self->b.context, 1u << bit, 0));
		EXPECT_EQ(-EINVAL, uapi_claim(self->b.fd, self->b.context, 1u << bit | 1, 0));
	}
	for (unsigned int bit = 0; bit < 32; bit++) {
		args.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_CLAIM_RELEASE, &args));
	}
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(claim, handles_that_are_no_context)
{
	static const __u32 never[] = { 0, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	int file = uapi_open(NULL);

	ASSERT_LE(0, file);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++) {
		EXPECT_EQ(-ENOENT, try_acquire(self, never[i]));
		EXPECT_EQ(-ENOENT, uapi_claim_release(self->b.fd, never[i]));
	}
	EXPECT_EQ(-ENOENT, uapi_claim(file, self->b.context, 0, 0));
	EXPECT_EQ(-ENOENT, uapi_claim_release(file, self->b.context));
	close(file);
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->other));
	EXPECT_EQ(-ENOENT, try_acquire(self, self->other));
}

TEST_F(claim, held_and_released)
{
	struct drm_tessera_counters delta = { .holds_granted = 1 };

	EXPECT_EQ(-ESTALE, uapi_claim_release(self->b.fd, self->b.context));
	EXPECT_EQ(-ESTALE, submit_claimed(self, self->b.context));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	EXPECT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, UAPI_NO_TIMEOUT));
	EXPECT_EQ(-EALREADY, uapi_claim(self->b.fd, self->b.context, 0, UAPI_NO_TIMEOUT));
	EXPECT_EQ(-EALREADY, try_acquire(self, self->b.context));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
	EXPECT_EQ(0, submit_claimed(self, self->b.context));
	EXPECT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
	EXPECT_EQ(-ESTALE, uapi_claim_release(self->b.fd, self->b.context));
	EXPECT_EQ(-ESTALE, submit_claimed(self, self->b.context));
}

TEST_F(claim, second_one_is_refused_or_waits_in_vain)
{
	__s64 start;

	ASSERT_EQ(0, try_acquire(self, self->b.context));
	EXPECT_EQ(-EAGAIN, try_acquire(self, self->other));
	start = uapi_now();
	EXPECT_EQ(-ETIME, uapi_claim(self->b.fd, self->other, 0, 0));
	EXPECT_EQ(-ETIME, uapi_claim(self->b.fd, self->other, 0, start + 50000000));
	EXPECT_LE(50000000, uapi_now() - start);
	/* What it waited for is forgotten: a release grants it to nobody. */
	ASSERT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
	EXPECT_EQ(-ESTALE, uapi_claim_release(self->b.fd, self->other));
	EXPECT_EQ(0, try_acquire(self, self->b.context));
}

TEST_F(claim, runs_of_others_wait_for_the_holder)
{
	struct drm_tessera_status status;
	__u32 run;

	ASSERT_EQ(0, try_acquire(self, self->b.context));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->other, self->b.program, &run));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, run, uapi_in_ms(50)));
	EXPECT_EQ(0, submit_claimed(self, self->b.context));
	ASSERT_EQ(0, uapi_status(self->b.fd, run, &status));
	EXPECT_EQ(0, status.launched_ns);
	ASSERT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

/* CL-2: a hold ends at the limit when others wait, and only then. */
TEST_F(claim, held_too_long)
{
	__u32 limit = self->b.info.limits.claim_hold_ms;
	struct drm_tessera_counters after;
	__s64 start = uapi_now();
	__u32 run;

	ASSERT_GT(5000, limit);
	ASSERT_EQ(0, try_acquire(self, self->b.context));
	uapi_sleep_ms(limit + 200);
	EXPECT_EQ(0, submit_claimed(self, self->b.context));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->other, self->b.program, &run));
	EXPECT_EQ(0, uapi_wait(self->b.fd, run, uapi_in_ms(2 * limit + 2000)));
	EXPECT_LE(limit * 1000000ll, uapi_now() - start);
	EXPECT_EQ(-ESTALE, submit_claimed(self, self->b.context));
	EXPECT_EQ(-ESTALE, uapi_claim_release(self->b.fd, self->b.context));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(1, after.holds_revoked - self->before.holds_revoked);
}

struct waiter {
	pthread_t thread;
	int fd, ret;
	__u32 context;
};

static void *wait_for_claim(void *arg)
{
	struct waiter *w = arg;

	w->ret = uapi_claim(w->fd, w->context, 0, UAPI_NO_TIMEOUT);
	return NULL;
}

static int start(struct waiter *w, int fd, __u32 context)
{
	*w = (struct waiter){ .fd = fd, .context = context, .ret = 1 };

	int ret = pthread_create(&w->thread, NULL, wait_for_claim, w);

	uapi_sleep_ms(50);
	return ret;
}

TEST_F(claim, waiters_are_served_in_order)
{
	struct waiter w[3];

	ASSERT_EQ(0, try_acquire(self, self->b.context));
	for (int i = 0; i < 3; i++) {
		__u32 context;

		ASSERT_EQ(0, uapi_context(self->b.fd, 0, &context));
		ASSERT_EQ(0, start(&w[i], self->b.fd, context));
		EXPECT_EQ(1, w[i].ret);
		/* Once is enough. */
		EXPECT_EQ(-EALREADY, try_acquire(self, context));
	}
	ASSERT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
	for (int i = 0; i < 3; i++) {
		pthread_join(w[i].thread, NULL);
		EXPECT_EQ(0, w[i].ret);
		uapi_sleep_ms(20);
		if (i < 2)
			EXPECT_EQ(1, w[i + 1].ret);
		EXPECT_EQ(0, uapi_claim_release(self->b.fd, w[i].context));
	}
}

TEST_F(claim, context_of_the_holder_is_destroyed)
{
	struct waiter w;

	ASSERT_EQ(0, try_acquire(self, self->b.context));
	ASSERT_EQ(0, start(&w, self->b.fd, self->other));
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(0, w.ret);
}

TEST_F(claim, context_of_a_waiter_is_destroyed)
{
	struct waiter w;

	ASSERT_EQ(0, try_acquire(self, self->b.context));
	ASSERT_EQ(0, start(&w, self->b.fd, self->other));
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->other));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-ECANCELED, w.ret);
	EXPECT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
}

static void on_signal(int sig)
{
}

TEST_F(claim, waiter_is_interrupted_by_a_signal)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct waiter w;

	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(0, try_acquire(self, self->b.context));
	ASSERT_EQ(0, start(&w, self->b.fd, self->other));
	pthread_kill(w.thread, SIGUSR1);
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-EINTR, w.ret);
	ASSERT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
	EXPECT_EQ(-ESTALE, uapi_claim_release(self->b.fd, self->other));
}

/* F85: the holder dies, and the next one gets it in bounded time. */
TEST_F(claim, holder_is_killed)
{
	__s64 start_ns;
	int status;
	pid_t pid;

	for (int i = 0; i < 10; i++) {
		int pipes[2];
		char byte;

		ASSERT_EQ(0, pipe(pipes));
		pid = fork();
		if (!pid) {
			struct uapi_bench b;

			if (uapi_bench_open(&b) || uapi_claim(b.fd, b.context, 0, UAPI_NO_TIMEOUT))
				_exit(1);
			if (write(pipes[1], "x", 1) == 1)
				pause();
			_exit(1);
		}
		ASSERT_EQ(1, read(pipes[0], &byte, 1));
		EXPECT_EQ(-EAGAIN, try_acquire(self, self->b.context));
		start_ns = uapi_now();
		kill(pid, SIGKILL);
		ASSERT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, uapi_soon()));
		EXPECT_GT(3000000000ll, uapi_now() - start_ns);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
		close(pipes[0]);
		close(pipes[1]);
	}
}

TEST_HARNESS_MAIN

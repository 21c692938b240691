// SPDX-License-Identifier: MIT
/* A claim held across runs (CL-2): who executes, who waits, and how a hold ends. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
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

TEST_F(claim, every_wrong_field)
{
	struct drm_tessera_claim_release bad = { .context = self->b.context, .pad = 1 };

	for (unsigned int bit = 1; bit < 32; bit++)
		EXPECT_EQ(-EINVAL, uapi_claim(self->b.fd, self->b.context, 1u << bit, -1));
	EXPECT_EQ(-ENOENT, uapi_claim(self->b.fd, 0, 0, -1));
	EXPECT_EQ(-ENOENT, uapi_claim(self->b.fd, 77, 0, -1));
	EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_CLAIM_RELEASE, &bad));
	EXPECT_EQ(-ENOENT, uapi_claim_release(self->b.fd, 77));
	EXPECT_EQ(-ESTALE, uapi_claim_release(self->b.fd, self->b.context));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(claim, holder_executes_and_others_queue)
{
	struct drm_tessera_status status;
	__u32 mine, theirs;

	ASSERT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, -1));
	EXPECT_EQ(-EALREADY, uapi_claim(self->b.fd, self->b.context, 0, -1));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->other, self->b.program, &theirs));
	ASSERT_EQ(0, uapi_submit_claimed(self->b.fd, self->b.context, self->b.program, &mine));
	ASSERT_EQ(0, uapi_end(self->b.fd, mine, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	/* Accepted before, but it may not even be staged: that would take the holder's bank. */
	ASSERT_EQ(0, uapi_status(self->b.fd, theirs, &status));
	EXPECT_EQ(DRM_TESSERA_PHASE_QUEUED, status.phase);

	EXPECT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
	EXPECT_EQ(-ESTALE, uapi_claim_release(self->b.fd, self->b.context));
	ASSERT_EQ(0, uapi_end(self->b.fd, theirs, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_EQ(-ESTALE, uapi_submit_claimed(self->b.fd, self->b.context, self->b.program, &mine));
}

TEST_F(claim, waits_for_what_others_staged)
{
	struct uapi_gate gate;
	__u32 run;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->other, &gate, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->b.fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	EXPECT_EQ(-EAGAIN, uapi_claim(self->b.fd, self->b.context, DRM_TESSERA_CLAIM_NONBLOCK, -1));
	EXPECT_EQ(-ETIME, uapi_claim(self->b.fd, self->b.context, 0, uapi_in_ms(50)));
	/* The wait that expired left nothing behind: the same call may be made again. */
	EXPECT_EQ(-ETIME, uapi_claim(self->b.fd, self->b.context, 0, uapi_in_ms(1)));
	*gate.word = 1;
	EXPECT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, uapi_soon()));
	uapi_gate_free(self->b.fd, &gate);
}

TEST_F(claim, idle_hold_is_revoked_while_others_wait)
{
	__u64 limit_ns = self->b.info.limits.claim_hold_ms * 1000000ull;
	struct drm_tessera_counters after;
	struct drm_tessera_status status;
	__s64 began;
	__u32 run;

	ASSERT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, -1));
	began = uapi_now();
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->other, self->b.program, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_LE(limit_ns * 9 / 10, uapi_now() - began);
	EXPECT_EQ(-ESTALE, uapi_submit_claimed(self->b.fd, self->b.context, self->b.program, &run));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	/* More than one: a hold was revoked that nobody had; none: a context starves. */
	EXPECT_EQ(1, after.holds_revoked - self->before.holds_revoked);
	EXPECT_EQ(1, after.holds_granted - self->before.holds_granted);
}

TEST_F(claim, uncontended_hold_lasts)
{
	struct drm_tessera_counters after;
	__u32 run;

	ASSERT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, -1));
	uapi_sleep_ms(self->b.info.limits.claim_hold_ms * 5 / 4);
	EXPECT_EQ(0, uapi_submit_claimed(self->b.fd, self->b.context, self->b.program, &run));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(self->before.holds_revoked, after.holds_revoked);
	EXPECT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
}

TEST_F(claim, destroying_the_context_releases)
{
	ASSERT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, -1));
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	EXPECT_EQ(0, uapi_claim(self->b.fd, self->other, 0, uapi_soon()));
}

struct waiter {
	int fd;
	__u32 context;
	int ret;
	pthread_t thread;
};

static void *wait_for_claim(void *arg)
{
	struct waiter *w = arg;

	w->ret = uapi_claim(w->fd, w->context, 0, uapi_in_ms(15000));
	return NULL;
}

TEST_F(claim, waiting_context_is_destroyed)
{
	struct waiter w = { .fd = self->b.fd, .context = self->other };

	ASSERT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, -1));
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, wait_for_claim, &w));
	uapi_sleep_ms(100);
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->other));
	ASSERT_EQ(0, pthread_join(w.thread, NULL));
	EXPECT_EQ(-ECANCELED, w.ret);
}

TEST_F(claim, waiters_are_served_in_order)
{
	struct waiter w[3];

	ASSERT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, -1));
	for (unsigned int i = 0; i < 3; i++) {
		w[i].fd = self->b.fd;
		ASSERT_EQ(0, uapi_context(self->b.fd, 0, &w[i].context));
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, wait_for_claim, &w[i]));
		uapi_sleep_ms(100);
	}
	ASSERT_EQ(0, uapi_claim_release(self->b.fd, self->b.context));
	for (unsigned int i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(w[i].thread, NULL));
		EXPECT_EQ(0, w[i].ret);
		/* Whoever came later waits still: it would hold the claim otherwise. */
		for (unsigned int j = i + 1; j < 3; j++)
			EXPECT_EQ(-EALREADY, uapi_claim(w[j].fd, w[j].context,
							DRM_TESSERA_CLAIM_NONBLOCK, -1));
		EXPECT_EQ(0, uapi_claim_release(w[i].fd, w[i].context));
	}
}

TEST_F(claim, killed_holder_hands_it_on)
{
	int pipes[2];
	__s64 began;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		struct uapi_bench b;

		if (uapi_bench_open(&b) || uapi_claim(b.fd, b.context, 0, -1))
			_exit(1);
		if (write(pipes[1], "h", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	ASSERT_EQ(1, read(pipes[0], &c, 1));
	EXPECT_EQ(-EAGAIN, uapi_claim(self->b.fd, self->b.context, DRM_TESSERA_CLAIM_NONBLOCK, -1));
	began = uapi_now();
	kill(pid, SIGKILL);
	/* Well before the hold limit: the death released it, not the limit. */
	EXPECT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, uapi_in_ms(900)));
	EXPECT_GT(900 * 1000000ll, uapi_now() - began);
	waitpid(pid, NULL, 0);
}

TEST_F(claim, holder_that_works_on_starves_nobody)
{
	struct drm_tessera_status status;
	__u32 mine, theirs;
	__s64 began = uapi_now();

	ASSERT_EQ(0, uapi_claim(self->b.fd, self->b.context, 0, -1));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->other, self->b.program, &theirs));
	/* Runs without end, each at once after the other, until the claim is lost. */
	while (!uapi_submit_claimed(self->b.fd, self->b.context, self->b.program, &mine)) {
		ASSERT_EQ(0, uapi_end(self->b.fd, mine, &status));
		ASSERT_EQ(0, uapi_close_run(self->b.fd, mine));
		ASSERT_GT(began + 15000000000ll, uapi_now());
	}
	ASSERT_EQ(0, uapi_end(self->b.fd, theirs, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

TEST_HARNESS_MAIN

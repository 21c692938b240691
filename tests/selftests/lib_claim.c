// SPDX-License-Identifier: MIT
/* The claim through the library, and submits that need it. */
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "common_lib.h"
#include "kselftest_harness.h"

#define MS	1000000ll

FIXTURE(claim) {
	struct lib l;
	struct tsr_context *other;
	struct tsr_counters before;
};

FIXTURE_SETUP(claim)
{
	ASSERT_EQ(0, lib_open(&self->l));
	ASSERT_EQ(0, tsr_context_new(self->l.dev, NULL, &self->other));
	ASSERT_EQ(0, tsr_device_counters(self->l.dev, &self->before));
}

FIXTURE_TEARDOWN(claim)
{
	tsr_context_unref(self->other);
	lib_close(&self->l);
}

static int run_claimed(struct lib *l, struct tsr_context *context)
{
	struct tsr_submit_options claimed = { .flags = TSR_SUBMIT_CLAIMED };
	struct tsr_tensor tensor = { .buffer = l->buffer };
	struct tsr_run *run;
	int err = tsr_submit(l->op, context, &tensor, 1, &claimed, &run, NULL);

	if (err)
		return err;
	tsr_run_wait(run, -1);
	err = tsr_run_verdict(run);
	tsr_run_unref(run);
	return err;
}

TEST_F(claim, holder_executes_and_others_are_told)
{
	struct tsr_counters after;

	EXPECT_EQ(-ESTALE, tsr_claim_release(self->l.ctx));
	EXPECT_EQ(-ESTALE, run_claimed(&self->l, self->l.ctx));
	ASSERT_EQ(0, tsr_claim_acquire(self->l.ctx, 0));
	EXPECT_EQ(-EALREADY, tsr_claim_acquire(self->l.ctx, -1));
	EXPECT_EQ(-EAGAIN, tsr_claim_acquire(self->other, 0));
	EXPECT_EQ(-ETIME, tsr_claim_acquire(self->other, 20 * MS));
	EXPECT_EQ(0, run_claimed(&self->l, self->l.ctx));
	EXPECT_EQ(-ESTALE, run_claimed(&self->l, self->other));
	EXPECT_EQ(0, tsr_claim_release(self->l.ctx));
	EXPECT_EQ(0, tsr_claim_acquire(self->other, 1000 * MS));
	EXPECT_EQ(0, run_claimed(&self->l, self->other));
	EXPECT_EQ(0, tsr_claim_release(self->other));
	ASSERT_EQ(0, tsr_device_counters(self->l.dev, &after));
	/* More: a refused acquire held the claim for a moment. */
	EXPECT_EQ(2, after.holds_granted - self->before.holds_granted);
	EXPECT_EQ(0, after.holds_revoked - self->before.holds_revoked);
}

TEST_F(claim, lost_to_the_limit_while_others_wait)
{
	struct tsr_counters after;
	struct tsr_limits limits;

	tsr_device_limits(self->l.dev, &limits);
	ASSERT_NE(0, limits.claim_hold_ms);
	ASSERT_EQ(0, tsr_claim_acquire(self->l.ctx, -1));
	EXPECT_EQ(0, tsr_claim_acquire(self->other, (limits.claim_hold_ms + 5000) * MS));
	EXPECT_EQ(-ESTALE, run_claimed(&self->l, self->l.ctx));
	EXPECT_EQ(-ESTALE, tsr_claim_release(self->l.ctx));
	ASSERT_EQ(0, tsr_device_counters(self->l.dev, &after));
	EXPECT_EQ(1, after.holds_revoked - self->before.holds_revoked);
}

static void nothing(int sig)
{
}

TEST_F(claim, signal_ends_the_wait)
{
	struct itimerval soon = { .it_value = { 0, 100000 } };
	struct sigaction action = { .sa_handler = nothing };

	ASSERT_EQ(0, tsr_claim_acquire(self->l.ctx, -1));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	EXPECT_EQ(-EINTR, tsr_claim_acquire(self->other, 20000 * MS));
	/* It waits for nothing any more: else this would be -EALREADY. */
	EXPECT_EQ(-EAGAIN, tsr_claim_acquire(self->other, 0));
}

TEST_F(claim, goes_with_the_context)
{
	ASSERT_EQ(0, tsr_claim_acquire(self->other, -1));
	self->other = tsr_context_unref(self->other);
	EXPECT_EQ(0, tsr_claim_acquire(self->l.ctx, 500 * MS));
}

TEST_F(claim, child_is_refused)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(tsr_claim_acquire(self->l.ctx, 0) != -EPERM ||
		      tsr_claim_release(self->l.ctx) != -EPERM ||
		      tsr_context_reset(self->l.ctx) != -EPERM ||
		      tsr_device_reset(self->l.dev, NULL) != -EPERM);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, tsr_claim_acquire(self->l.ctx, 0));
}

LIB_HARNESS_MAIN

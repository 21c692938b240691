// SPDX-License-Identifier: MIT
/* A full queue: who is refused, who waits, and what ends the waiting (RUN-2, RUN-3). */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define CAPACITY	4u

FIXTURE(queue) {
	struct uapi_bench b;
	struct uapi_gate gate;
	__u32 context;			/* of CAPACITY, full */
	__u32 runs[CAPACITY];
	struct drm_tessera_run next;	/* does not fit */
	struct drm_tessera_run_submit args;
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(queue)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &self->gate));
	ASSERT_EQ(0, uapi_context(self->b.fd, CAPACITY, &self->context));
	for (unsigned int i = 0; i < CAPACITY; i++)
		ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->context, &self->gate,
					      &self->runs[i]));
	ASSERT_EQ(0, uapi_wait_phase(self->b.fd, self->runs[0], DRM_TESSERA_PHASE_LAUNCHED));
	if (self->b.info.limits.staged_depth > 1)
		ASSERT_EQ(0, uapi_wait_phase(self->b.fd, self->runs[1],
					     DRM_TESSERA_PHASE_STAGED));
	uapi_run_init(&self->next, self->b.program);
	uapi_submit_init(&self->args, self->context, &self->next, 1);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(queue)
{
	uapi_gate_free(self->b.fd, &self->gate);
	uapi_bench_close(&self->b);
}

static int submit(FIXTURE_DATA(queue) *self)
{
	return uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &self->args);
}

TEST_F(queue, nonblocking_submit_is_refused)
{
	struct drm_tessera_counters delta = { .runs_refused = 3 };

	self->args.flags = DRM_TESSERA_SUBMIT_NONBLOCK;
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(-EAGAIN, submit(self));
		EXPECT_EQ(0, self->args.accepted);
		EXPECT_EQ(-EAGAIN, self->args.error);
		EXPECT_EQ(0, self->next.handle);
		EXPECT_EQ(0, self->next.id);
	}
	/* RUN-3: no place, lease, fence or reference was taken for a moment. */
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
}

/* A malformed run is malformed, whether or not there was room for it. */
TEST_F(queue, malformed_run_is_not_made_to_wait)
{
	self->next.program = 0;
	EXPECT_EQ(-ENOENT, submit(self));
}

TEST_F(queue, batch_takes_what_room_there_is)
{
	struct drm_tessera_run runs[6];

	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->runs[3]));
	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->runs[2]));
	ASSERT_EQ(0, uapi_wait(self->b.fd, self->runs[2], uapi_soon()));
	ASSERT_EQ(0, uapi_wait(self->b.fd, self->runs[3], uapi_soon()));
	for (unsigned int i = 0; i < 6; i++)
		uapi_run_init(&runs[i], self->b.program);
	uapi_submit_init(&self->args, self->context, runs, 6);
	self->args.flags = DRM_TESSERA_SUBMIT_NONBLOCK;
	EXPECT_EQ(0, submit(self));
	EXPECT_EQ(2, self->args.accepted);
	EXPECT_EQ(-EAGAIN, self->args.error);
	EXPECT_EQ(0, runs[2].handle);
	*self->gate.word = 1;
	EXPECT_EQ(0, uapi_wait(self->b.fd, runs[1].handle, uapi_soon()));
}

TEST_F(queue, other_contexts_have_their_own)
{
	struct drm_tessera_status status;
	__u32 run;

	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &run));
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

TEST_F(queue, capacity_of_zero_is_the_limit)
{
	__u32 limit = self->b.info.limits.queue_capacity, n = 0;
	struct drm_tessera_counters own;

	uapi_submit_init(&self->args, self->b.context, &self->next, 1);
	self->args.flags = DRM_TESSERA_SUBMIT_NONBLOCK;
	/* Nothing of it is launched while the gate is closed. */
	while (n <= limit && !submit(self))
		n++;
	EXPECT_EQ(-EAGAIN, self->args.error);
	EXPECT_EQ(limit, n);
	ASSERT_EQ(0, uapi_context_counters(self->b.fd, self->b.context, &own));
	EXPECT_EQ(limit, own.queue_depth);
	EXPECT_EQ(limit, own.queue_peak);
	EXPECT_EQ(1, own.runs_refused);
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_settle(self->b.fd));
}

struct submitter {
	pthread_t thread;
	FIXTURE_DATA(queue) *self;
	int ret;
	bool done;
};

static void *submit_blocking(void *arg)
{
	struct submitter *s = arg;

	s->ret = submit(s->self);
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static int start(struct submitter *s, FIXTURE_DATA(queue) *self)
{
	*s = (struct submitter){ .self = self };
	return -pthread_create(&s->thread, NULL, submit_blocking, s);
}

static bool blocked(struct submitter *s)
{
	uapi_sleep_ms(50);
	return !__atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
}

static int end(struct submitter *s)
{
	pthread_join(s->thread, NULL);
	return s->ret;
}

TEST_F(queue, blocking_submit_returns_when_there_is_room)
{
	struct submitter s;

	ASSERT_EQ(0, start(&s, self));
	EXPECT_TRUE(blocked(&s));
	*self->gate.word = 1;
	EXPECT_EQ(0, end(&s));
	EXPECT_EQ(1, self->args.accepted);
	EXPECT_EQ(0, self->args.error);
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->next.handle, uapi_soon()));
}

TEST_F(queue, cancelled_run_makes_room)
{
	struct submitter s;

	ASSERT_EQ(0, start(&s, self));
	EXPECT_TRUE(blocked(&s));
	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->runs[3]));
	EXPECT_EQ(0, end(&s));
}

/* One place for several who wait: each gets one, in the end. */
TEST_F(queue, everybody_who_waits_gets_in)
{
	struct drm_tessera_counters after;
	struct submitter s[4];

	for (unsigned int i = 0; i < 4; i++)
		ASSERT_EQ(0, start(&s[i], self));
	EXPECT_TRUE(blocked(&s[0]));
	*self->gate.word = 1;
	for (unsigned int i = 0; i < 4; i++)
		EXPECT_EQ(0, end(&s[i]));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(4, after.runs_accepted - self->before.runs_accepted);
	EXPECT_EQ(0, after.runs_refused - self->before.runs_refused);
}

/* More runs than the queue holds, in one call: it must drive its own first ones. */
TEST_F(queue, blocking_batch_larger_than_the_queue)
{
	struct drm_tessera_run runs[3 * CAPACITY];

	*self->gate.word = 1;
	for (unsigned int i = 0; i < 3 * CAPACITY; i++)
		uapi_run_init(&runs[i], self->b.program);
	uapi_submit_init(&self->args, self->context, runs, 3 * CAPACITY);
	EXPECT_EQ(0, submit(self));
	EXPECT_EQ(3 * CAPACITY, self->args.accepted);
	for (unsigned int i = 0; i < 3 * CAPACITY; i++)
		EXPECT_EQ(0, uapi_wait(self->b.fd, runs[i].handle, uapi_soon()));
}

TEST_F(queue, context_destroyed_under_a_blocked_submit)
{
	struct drm_tessera_counters after;
	struct submitter s;

	ASSERT_EQ(0, start(&s, self));
	EXPECT_TRUE(blocked(&s));
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->context));
	EXPECT_EQ(-ECANCELED, end(&s));
	EXPECT_EQ(0, self->args.accepted);
	EXPECT_EQ(-ECANCELED, self->args.error);
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	for (unsigned int i = 0; i < CAPACITY; i++)
		ASSERT_EQ(0, uapi_close_run(self->b.fd, self->runs[i]));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(1, after.runs_refused - self->before.runs_refused);
	EXPECT_EQ(0, after.runs_accepted - self->before.runs_accepted);
	/* Kept by its runs' handles until now; one more: by the submit that was blocked. */
	EXPECT_EQ(self->before.contexts - 1, after.contexts);
}

static void on_signal(int sig)
{
}

TEST_F(queue, blocked_submit_is_interrupted_by_a_signal)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct drm_tessera_counters delta = { .runs_refused = 1 };
	struct submitter s;

	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(0, start(&s, self));
	EXPECT_TRUE(blocked(&s));
	pthread_kill(s.thread, SIGUSR1);
	EXPECT_EQ(-EINTR, end(&s));
	EXPECT_EQ(0, self->args.accepted);
	EXPECT_EQ(-EINTR, self->args.error);
	EXPECT_EQ(0, self->next.handle);
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
}

TEST_F(queue, blocked_submit_is_restarted_after_a_signal)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct drm_tessera_counters after;
	struct submitter s;

	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(0, start(&s, self));
	EXPECT_TRUE(blocked(&s));
	pthread_kill(s.thread, SIGUSR1);
	EXPECT_TRUE(blocked(&s));
	*self->gate.word = 1;
	EXPECT_EQ(0, end(&s));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	/* Two: the restarted call submitted again what it had submitted before. */
	EXPECT_EQ(1, after.runs_accepted - self->before.runs_accepted);
}

/* A signal in the middle of a batch does not make the accepted ones be submitted twice. */
TEST_F(queue, batch_interrupted_after_some_were_accepted)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct drm_tessera_run runs[2];
	struct submitter s;

	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->runs[3]));
	ASSERT_EQ(0, uapi_wait(self->b.fd, self->runs[3], uapi_soon()));
	uapi_run_init(&runs[0], self->b.program);
	uapi_run_init(&runs[1], self->b.program);
	uapi_submit_init(&self->args, self->context, runs, 2);
	sigaction(SIGUSR1, &action, NULL);
	ASSERT_EQ(0, start(&s, self));
	EXPECT_TRUE(blocked(&s));
	pthread_kill(s.thread, SIGUSR1);
	EXPECT_EQ(0, end(&s));
	EXPECT_EQ(1, self->args.accepted);
	EXPECT_EQ(-EINTR, self->args.error);
	EXPECT_EQ(0, runs[1].handle);
	*self->gate.word = 1;
	EXPECT_EQ(0, uapi_wait(self->b.fd, runs[0].handle, uapi_soon()));
}

TEST_F(queue, blocked_process_is_killed)
{
	struct drm_tessera_counters delta = { .runs_refused = 1 };
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(submit(self));
	uapi_sleep_ms(50);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
}

/* U11: it holds nothing that others need. */
TEST_F(queue, others_go_on_while_one_is_blocked)
{
	struct submitter s;
	struct uapi_bench other;
	__u32 run;

	ASSERT_EQ(0, start(&s, self));
	EXPECT_TRUE(blocked(&s));
	ASSERT_EQ(0, uapi_bench_open(&other));
	ASSERT_EQ(0, uapi_submit_program(other.fd, other.context, other.program, &run));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &run));
	*self->gate.word = 1;
	EXPECT_EQ(0, uapi_wait(self->b.fd, run, uapi_soon()));
	EXPECT_EQ(0, end(&s));
	uapi_bench_close(&other);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Devices that are gone from one moment to the next, at each point of a run's life, with waiters,
 * blocked submitters, fences and mappings: all of them return within a second (FL-9, F107, F121).
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_fault.h"
#include "common_node.h"
#include "common_harness.h"

#define QUEUE		4
#define WITHIN_MS	1000

FIXTURE(vanish) {
	struct fault f;
	__u32 ctx, run[QUEUE];
	int fence;			/* of the last run */
};

FIXTURE_SETUP(vanish)
{
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=20000"));
	ASSERT_EQ(0, uapi_context(self->f.fd, QUEUE, &self->ctx));
}

FIXTURE_TEARDOWN(vanish)
{
	fault_close(&self->f);
}

static const struct {
	const char *plan;
	bool cancel;			/* what sets it off; else the gate is opened */
} points[] = {
	{ "vanish at=stage", false },
	{ "vanish at=launch_dispatch", false },
	{ "vanish", false },
	{ "vanish at=completion", false },
	{ "vanish at=record", false },
	{ "vanish at=quiesce", true },
	{ "record drop; vanish at=reset", false },
	/* And nothing works any more on the way out: all memory is quarantined until then. */
	{ "vanish at=quiesce; quiesce fail count=0; reset fail count=0", true },
	{ "vanish at=record; record drop; quiesce fail count=0; reset fail count=0", false },
};

/* A queue full of runs, somebody who waits for the last, somebody who wants one more place. */
static void full_house(struct __test_metadata *_metadata, FIXTURE_DATA(vanish) *self,
		       struct fault_actor *waiter, struct fault_actor *submitter)
{
	struct fault *f = &self->f;

	for (int i = 0; i < QUEUE; i++)
		ASSERT_EQ(0, uapi_gate_submit(f->fd, self->ctx, &f->gate, &self->run[i]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, self->run[0], DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, self->run[1], DRM_TESSERA_PHASE_STAGED));
	self->fence = uapi_run_fd(f->fd, self->run[QUEUE - 1]);
	ASSERT_LE(0, self->fence);
	*waiter = (struct fault_actor){ .f = f, .run = self->run[QUEUE - 1], .ret = 1 };
	*submitter = (struct fault_actor){ .f = f, .ctx = self->ctx, .ret = 1 };
	ASSERT_EQ(0, pthread_create(&waiter->thread, NULL, fault_waits, waiter));
	ASSERT_EQ(0, pthread_create(&submitter->thread, NULL, fault_submits, submitter));
	uapi_sleep_ms(50);
	ASSERT_EQ(1, waiter->ret);
	ASSERT_EQ(1, submitter->ret);
}

TEST_F_TIMEOUT(vanish, everybody_returns, 170)
{
	struct fault *f = &self->f;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(points); i++) {
		struct fault_actor waiter, submitter;
		volatile __u32 *word;
		__u32 run;
		__s64 start;

		full_house(_metadata, self, &waiter, &submitter);
		word = f->gate.word;
		/* Events are counted from here: two are staged, one of them launched. */
		ASSERT_EQ(0, fault_plan(f, points[i].plan));
		start = uapi_now();
		if (points[i].cancel) {
			ASSERT_EQ(0, uapi_cancel(f->fd, self->run[0]));
		} else {
			*word = 1;
		}
		pthread_join(waiter.thread, NULL);
		pthread_join(submitter.thread, NULL);
		/* Later: somebody sleeps on something that nobody is going to wake. */
		EXPECT_GT(WITHIN_MS, (waiter.back - start) / 1000000)
			TH_LOG("%s", points[i].plan);
		EXPECT_GT(WITHIN_MS, (submitter.back - start) / 1000000)
			TH_LOG("%s", points[i].plan);
		/* ENODEV: it was not waiting yet. */
		if (waiter.ret) {
			EXPECT_EQ(-ENODEV, waiter.ret);
		}
		/* 0: it got a place before the device went; its run has ended all the same. */
		if (submitter.ret) {
			EXPECT_EQ(-ENODEV, submitter.ret);
		}
		EXPECT_EQ(-ENODEV, dev_fd_error(self->fence, WITHIN_MS))
			TH_LOG("%s", points[i].plan);
		close(self->fence);
		/* It is gone for the file that is open, and for those that look for it. */
		EXPECT_EQ(-ENODEV, uapi_submit_program(f->fd, self->ctx, f->program, &run));
		/* What is mapped stays memory. */
		*word = 5;
		EXPECT_EQ(5, *word);
		/* The directory is still enabled, like that of a device that was unbound. */
		for (int tries = 0; tries < 100 && node_open(f->name) >= 0; tries++)
			uapi_sleep_ms(10);
		EXPECT_EQ(-ENODEV, node_open(f->name));
		munmap((void *)word, 4096);
		f->gate.dispatch = NULL;
		fault_close(f);
		/* A new one of the same name works. */
		ASSERT_EQ(0, fault_open(f, "no_progress_ms=20000"));
		ASSERT_TRUE(fault_good(f));
		ASSERT_EQ(0, uapi_context(f->fd, QUEUE, &self->ctx));
	}
}

/* Runs as fast as it can until the device is gone. */
static void *load(void *arg)
{
	struct fault_actor *a = arg;
	__u32 run;
	int err;

	do {
		err = uapi_submit_program(a->f->fd, a->ctx, a->f->program, &run);
		if (!err)
			err = uapi_wait(a->f->fd, run, UAPI_NO_TIMEOUT);
		if (!err)
			err = uapi_close_run(a->f->fd, run);
	} while (!err);
	a->back = uapi_now();
	a->ret = err;
	return NULL;
}

TEST_F_TIMEOUT(vanish, under_load, 170)
{
	enum { THREADS = 4, ROUNDS = 8 };
	static const char *const at[] = {
		"stage", "launch_dispatch", "launch_grid", "completion", "record",
	};
	struct fault *f = &self->f;
	char plan[64];

	for (int round = 0; round < ROUNDS; round++) {
		struct fault_actor actors[THREADS];
		__s64 first = INT64_MAX, last = 0;
		__u32 ctx[THREADS];

		for (int i = 0; i < THREADS; i++) {
			ASSERT_EQ(0, uapi_context(f->fd, 0, &ctx[i]));
		}
		snprintf(plan, sizeof(plan), "vanish at=%s nth=%d",
			 at[round % UAPI_ARRAY_SIZE(at)], 100 + 37 * round);
		ASSERT_EQ(0, fault_plan(f, plan));
		for (int i = 0; i < THREADS; i++) {
			actors[i] = (struct fault_actor){ .f = f, .ctx = ctx[i], .ret = 1 };
			ASSERT_EQ(0, pthread_create(&actors[i].thread, NULL, load, &actors[i]));
		}
		for (int i = 0; i < THREADS; i++) {
			pthread_join(actors[i].thread, NULL);
			EXPECT_EQ(-ENODEV, actors[i].ret);
			first = actors[i].back < first ? actors[i].back : first;
			last = actors[i].back > last ? actors[i].back : last;
		}
		EXPECT_GT(WITHIN_MS, (last - first) / 1000000);
		EXPECT_EQ(1, fault_hits(f, 0));
		munmap((void *)f->gate.word, 4096);
		f->gate.dispatch = NULL;
		fault_close(f);
		ASSERT_EQ(0, fault_open(f, "no_progress_ms=20000"));
	}
}

/* The plan's unplug and root's at the same moment: one of them does it. */
TEST_F_TIMEOUT(vanish, and_removed_at_once, 170)
{
	struct fault *f = &self->f;

	for (int i = 0; i < 20; i++) {
		__u32 run;

		ASSERT_EQ(0, fault_plan(f, "vanish"));
		uapi_submit_program(f->fd, f->ctx, f->program, &run);
		if (i % 2) {
			EXPECT_EQ(0, soft_write(f->name, "enable", "0"));
		}
		EXPECT_EQ(0, soft_remove(f->name));
		munmap((void *)f->gate.word, 4096);
		f->gate.dispatch = NULL;
		fault_close(f);
		ASSERT_EQ(0, fault_open(f, "no_progress_ms=20000"));
	}
}

TEST_HARNESS_MAIN

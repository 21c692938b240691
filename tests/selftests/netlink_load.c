// SPDX-License-Identifier: MIT
/*
 * 100,000 events (OB-2). Whoever reads too slowly is told what was lost, and can find out how
 * things are; whoever makes events never waits for whoever reads them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "common_check.h"
#include "common_event.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME	"netlink-load"

/* Far more than a socket holds; fewer where checkers of the kernel make each of them slow. */
static long many_events(void)
{
	return slow_times(1) > 1 ? 25000 : 100000;
}

FIXTURE(load) {
	int fd;
	uint32_t minor;
	__u32 context, program;
	struct uapi_gate gate;
	struct drm_tessera_device_info info;
	struct drm_tessera_run *runs;
};

FIXTURE_SETUP(load)
{
	__u32 run;

	/* Nothing but its context ends a run, however long all that takes. */
	ASSERT_EQ(0, soft_create(NAME, "no_progress_ms=3600000"));
	self->fd = uapi_open(NAME);
	ASSERT_LE(0, self->fd);
	self->minor = event_minor(self->fd);
	ASSERT_EQ(0, uapi_info(self->fd, &self->info));
	ASSERT_EQ(0, uapi_context(self->fd, 0, &self->context));
	ASSERT_EQ(0, uapi_exit_program(self->fd, 0, &self->program));
	ASSERT_EQ(0, uapi_gate_new(self->fd, &self->gate));
	self->runs = calloc(self->info.limits.batch, sizeof(*self->runs));
	for (__u32 i = 0; i < self->info.limits.batch; i++)
		uapi_run_init(&self->runs[i], self->program);
	/* It holds the device: the others stay queued until their context is destroyed. */
	ASSERT_EQ(0, uapi_gate_submit(self->fd, self->context, &self->gate, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
}

FIXTURE_TEARDOWN(load)
{
	close(self->fd);
	soft_remove(NAME);
	free(self->runs);
}

/* Runs that end because their context goes: each is one event. Return: how many, or -errno. */
static long make_events(FIXTURE_DATA(load) *self)
{
	__u32 room = self->info.limits.queue_capacity, batch = self->info.limits.batch, context;
	struct drm_tessera_run_submit submit;
	long n = 0;
	int err = uapi_context(self->fd, 0, &context);

	while (!err && n < room) {
		uapi_submit_init(&submit, context, self->runs, batch < room - n ? batch : room - n);
		err = uapi_ioctl(self->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit);
		for (__u32 i = 0; !err && i < submit.accepted; i++)
			uapi_close_run(self->fd, self->runs[i].handle);
		n += submit.accepted;
	}
	if (!err)
		err = uapi_context_destroy(self->fd, context);
	return err ? err : n;
}

/* All of them; the time it took in ms, or -errno. */
static long make_many(FIXTURE_DATA(load) *self, long *ret_made)
{
	const long many = many_events();
	__s64 start = uapi_now();
	long n, made = 0;

	while (made < many) {
		n = make_events(self);
		if (n < 0)
			return n;
		made += n;
	}
	*ret_made = made;
	return (uapi_now() - start) / 1000000;
}

static bool all_ended(FIXTURE_DATA(load) *self, __u64 cancelled)
{
	__s64 until = uapi_in_ms(slow_times(75000));
	struct drm_tessera_counters c;

	do {
		if (!uapi_counters(self->fd, &c) && c.runs_cancelled == cancelled)
			return true;
		uapi_sleep_ms(10);
	} while (uapi_now() < until);
	return false;
}

struct reader {
	struct tsr_listener *listener;
	uint32_t minor;
	unsigned int sleep_ms;
	uint64_t last;			/* stops at this number */
	uint64_t received, disorder, losses;
	uint64_t base, before;
	int err;
	pthread_t thread;
};

static void *read_events(void *arg)
{
	struct reader *r = arg;
	struct tsr_event e;

	uapi_sleep_ms(r->sleep_ms);
	r->before = r->base;
	while (r->before < __atomic_load_n(&r->last, __ATOMIC_ACQUIRE)) {
		r->err = tsr_listener_next(r->listener, 20000000000, &e);
		if (r->err == -ENOBUFS) {
			r->losses++;
			continue;
		}
		if (r->err)
			break;
		if (e.minor != r->minor)
			continue;
		r->received++;
		r->disorder += e.sequence <= r->before;
		r->before = e.sequence;
	}
	return NULL;
}

TEST_F_TIMEOUT(load, listener_that_sleeps, 170)
{
	struct reader r = { .minor = self->minor, .sleep_ms = 1000, .last = UINT64_MAX };
	struct drm_tessera_counters counters;
	long alone, listened, made, first;
	struct tsr_device_entry d;

	alone = make_many(self, &first);
	ASSERT_LE(0, alone);
	ASSERT_TRUE(all_ended(self, first));

	ASSERT_EQ(0, tsr_listener_open(&r.listener));
	ASSERT_EQ(0, event_device(self->minor, &d));
	/* One event for each: fewer were not counted although nobody listened. */
	ASSERT_EQ(1 + first, d.event_sequence);
	r.base = d.event_sequence;
	ASSERT_EQ(0, pthread_create(&r.thread, NULL, read_events, &r));
	listened = make_many(self, &made);
	ASSERT_LE(0, listened);
	ASSERT_TRUE(all_ended(self, first + made));
	__atomic_store_n(&r.last, r.base + made, __ATOMIC_RELEASE);
	/* The listener may be waiting for one more: this is it. */
	ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
	pthread_join(r.thread, NULL);
	TH_LOG("%ld events in %ld ms, nobody listening %ld ms; received %llu, lost %llu", made,
	       listened, alone, (unsigned long long)r.received,
	       (unsigned long long)tsr_listener_lost(r.listener));

	/* Much longer: the listener's reading, or its sleep for each full socket, was waited for. */
	EXPECT_GT(3 * alone + 900, listened);
	EXPECT_LE(1, r.losses);
	EXPECT_EQ(0, r.disorder);
	/* Received or said to be lost: every single one. */
	EXPECT_EQ(r.before - r.base, r.received + tsr_listener_lost(r.listener));
	EXPECT_LE(1, r.received);

	/* The truth, after a loss. */
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_settle(self->fd));
	ASSERT_EQ(0, event_device(self->minor, &d));
	ASSERT_EQ(0, uapi_counters(self->fd, &counters));
	EXPECT_EQ(0, event_wrong_counters(&d.counters, d.counters_known, &counters));
	EXPECT_EQ(first + made, d.counters.runs_cancelled);
	EXPECT_EQ(1, d.reset_generation);
	tsr_listener_close(r.listener);
}

/* One that never reads, beside one that does: the second loses nothing by the first. */
TEST_F_TIMEOUT(load, neighbour_that_never_reads, 170)
{
	struct tsr_listener *deaf, *good;
	struct tsr_event e;
	uint64_t seen = 0;
	long n, made = 0;
	int err;

	ASSERT_EQ(0, tsr_listener_open(&deaf));
	while (made < many_events() / 5) {
		n = make_events(self);
		ASSERT_LT(0, n);
		made += n;
	}
	ASSERT_TRUE(all_ended(self, made));
	ASSERT_EQ(0, tsr_listener_open(&good));
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
		do {
			ASSERT_EQ(0, event_next(good, self->minor, &e));
		} while (e.type != TSR_EVENT_DEVICE_RESET);
		EXPECT_TRUE(!seen || e.sequence == seen + 1);
		seen = e.sequence;
	}
	EXPECT_EQ(0, tsr_listener_lost(good));
	do {
		err = tsr_listener_next(deaf, 0, &e);
	} while (!err);
	EXPECT_EQ(-ENOBUFS, err);
	tsr_listener_close(deaf);
	tsr_listener_close(good);
}

TEST_HARNESS_MAIN

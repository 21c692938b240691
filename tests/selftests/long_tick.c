// SPDX-License-Identifier: MIT
/*
 * Timeout and completion in the same tick of the clock, TSR_TICKS times (RUN-10, FL-3): whoever is
 * first decides, once; one status, one count, nothing left.
 *
 * The boundary of each run is late by so much that it comes when the watchdog looks. When that is,
 * nobody can know to the tick; so each device steers: a run that completed lets the next boundary
 * come a bit later, one that was out of time a bit earlier. Many devices wait at the same time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_count.h"
#include "common_fault.h"
#include "common_harness.h"

#define DEVICES		12
#define LIMIT_MS	10
/* Boundaries between these; the watchdog may be late on a busy machine. */
#define LATE_MIN_US	1000
#define LATE_MAX_US	60000
/* A tick of a kernel with HZ=250. */
#define TICK_US		4000

/* Which limit it is, and whether the device wrote a record: then it is success all the same. */
enum kind { NO_PROGRESS, TIME_LIMIT, WITH_RECORD, KINDS };

struct clock {
	enum kind kind;
	struct fault f;
	pthread_t thread;
	unsigned long runs, wanted, late, timeouts, turns, near;
	int late_us, step_us, last_turn_us, err;
	bool last_late;
};

static int run_once(struct clock *c, struct drm_tessera_status *ret)
{
	struct drm_tessera_run run;
	char plan[96];
	int err;

	snprintf(plan, sizeof(plan), "completion late us=%d%s", c->late_us,
		 c->kind == WITH_RECORD ? "" : "; record drop");
	err = fault_plan(&c->f, plan);
	uapi_run_init(&run, c->f.program);
	if (c->kind == TIME_LIMIT)
		run.time_limit_ms = 1;
	if (!err)
		err = uapi_submit(c->f.fd, c->f.ctx, &run);
	/* A busy host may take its time; a run that is lost takes for ever. */
	if (!err)
		err = uapi_wait(c->f.fd, run.handle, uapi_in_ms(120000));
	if (!err)
		err = uapi_status(c->f.fd, run.handle, ret);
	return err ? err : uapi_close_run(c->f.fd, run.handle);
}

/*
 * Who was first? With a record both say OK: then the limit was, if the run ended before its
 * boundary could come.
 */
static int judge(struct clock *c, const struct drm_tessera_status *s, bool *ret_late)
{
	__u32 timeout = c->kind == TIME_LIMIT ? DRM_TESSERA_CODE_TIME_LIMIT :
						DRM_TESSERA_CODE_NO_PROGRESS;

	if (s->phase != DRM_TESSERA_PHASE_RETIRED)
		return -EBADMSG;
	if (c->kind == WITH_RECORD) {
		*ret_late = s->retired_ns - s->launched_ns >= c->late_us * 1000ull;
		return s->code == DRM_TESSERA_CODE_OK ? 0 : -EBADMSG;
	}
	*ret_late = s->code == DRM_TESSERA_CODE_NO_RECORD;
	return *ret_late || s->code == timeout ? 0 : -EBADMSG;
}

/* Towards the edge, with smaller steps the better it is known. */
static void steer(struct clock *c, bool late)
{
	if (c->runs && late != c->last_late) {
		c->turns++;
		c->last_turn_us = c->late_us;
		c->step_us = c->step_us > 60 ? c->step_us / 2 : 30;
	} else if (c->step_us < TICK_US / 2) {
		c->step_us += c->step_us / 4 + 1;
	}
	/* The other outcome was seen at a boundary not a tick away from this one. */
	if (c->turns && abs(c->late_us - c->last_turn_us) < TICK_US)
		c->near++;
	c->last_late = late;
	c->late_us += late ? c->step_us : -c->step_us;
	if (c->late_us < LATE_MIN_US)
		c->late_us = LATE_MIN_US;
	if (c->late_us > LATE_MAX_US)
		c->late_us = LATE_MAX_US;
}

static void *tick(void *arg)
{
	struct clock *c = arg;
	struct drm_tessera_status s = { 0 };

	while (!c->err && c->near < c->wanted) {
		bool late = false;

		c->err = run_once(c, &s);
		if (!c->err)
			c->err = judge(c, &s, &late);
		if (c->err) {
			fprintf(stderr, "# device %s, kind %d: %d\n", c->f.name, c->kind, c->err);
			dev_status_print(&s);
			break;
		}
		steer(c, late);
		c->runs++;
		late ? c->late++ : c->timeouts++;
	}
	return NULL;
}

static int start(struct clock *c, int i, unsigned long wanted)
{
	char attributes[64], name[32];
	int err;

	memset(c, 0, sizeof(*c));
	c->kind = i % KINDS;
	c->wanted = wanted;
	c->late_us = c->kind == TIME_LIMIT ? 4000 : 12000;
	c->step_us = 500;
	snprintf(attributes, sizeof(attributes), "no_progress_ms=%d width=2 height=2 workers=1",
		 c->kind == TIME_LIMIT ? 60000 : LIMIT_MS);
	snprintf(name, sizeof(name), "tick%d", i);
	err = fault_open_named(&c->f, name, attributes);
	return err ? err : -pthread_create(&c->thread, NULL, tick, c);
}

/* Exactly one of the two happened to each run, and it was counted once. */
static void expect_one_end_each(struct __test_metadata *_metadata, struct clock *c)
{
	struct drm_tessera_counters n;

	EXPECT_EQ(0, c->err);
	ASSERT_EQ(0, fault_plan(&c->f, "\n"));
	ASSERT_EQ(0, dev_settled(c->f.fd, &c->f.base, 10000));
	n = fault_counters(&c->f);
	EXPECT_EQ(c->runs, n.runs_accepted);
	EXPECT_EQ(c->runs, n.runs_retired);
	EXPECT_EQ(c->runs, n.leases_returned);
	EXPECT_EQ(c->runs, n.leases_taken);
	EXPECT_EQ(c->runs, n.claims_released);
	EXPECT_EQ(0, n.runs_cancelled + n.runs_quarantined);
	if (c->kind == WITH_RECORD) {
		/* Not 0: failed, or out of time, although the record says that all was done. */
		EXPECT_EQ(0, n.timeouts + n.runs_failed_local + n.runs_failed_device + n.resets);
	} else {
		EXPECT_EQ(c->timeouts, n.timeouts);
		EXPECT_EQ(c->timeouts, n.runs_failed_local);
		EXPECT_EQ(c->late, n.runs_failed_device);
		EXPECT_EQ(c->late, n.resets);
		/* One of them only: the steering does not find the edge, and this says little. */
		EXPECT_LT(0, c->late);
		EXPECT_LT(0, c->timeouts);
	}
	EXPECT_TRUE(fault_good(&c->f));
}

FIXTURE(tick) {
	struct clock clocks[DEVICES];
};

FIXTURE_SETUP(tick)
{
	unsigned long ticks = long_count("TSR_TICKS", 480);

	for (int i = 0; i < DEVICES; i++)
		ASSERT_EQ(0, start(&self->clocks[i], i, (ticks + DEVICES - 1) / DEVICES));
}

FIXTURE_TEARDOWN(tick)
{
	for (int i = 0; i < DEVICES; i++)
		fault_close(&self->clocks[i].f);
}

TEST_F_TIMEOUT(tick, one_status_each, LONG_TIMEOUT)
{
	unsigned long runs = 0, near = 0, late = 0, turns = 0;
	__s64 begin = uapi_now();

	for (int i = 0; i < DEVICES; i++) {
		struct clock *c = &self->clocks[i];

		pthread_join(c->thread, NULL);
		expect_one_end_each(_metadata, c);
		runs += c->runs;
		near += c->near;
		late += c->late;
		turns += c->turns;
	}
	TH_LOG("%lu runs, %lu of them within a tick of the edge; %lu completed, %lu timed out, "
	       "%lu times the other way; %lld ms", runs, near, late, runs - late, turns,
	       (long long)(uapi_now() - begin) / 1000000);
}

TEST_HARNESS_MAIN

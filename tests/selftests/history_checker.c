// SPDX-License-Identifier: MIT
/*
 * The checker of histories, shown one that is right and many that are wrong on purpose: each kind
 * of lie is found, and called by its name.
 */
#include "common_history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "kselftest_harness.h"

#define CLIENTS		2
#define CONTEXTS	2
#define RUNS		24

/* Runs in turn by clients and contexts, each 100 ns long; some fail, some never start. */
#define STEP		1000
#define FAILS(i)	((i) % 6 == 4)
#define CANCELLED(i)	((i) % 6 == 5)
#define POISONED(i)	((i) % 12 == 11)

static void add(struct history *h, __u32 i, __u32 type, __s64 a, __s64 b)
{
	struct history_event e = {
		.type = type, .client = i % CLIENTS, .context = 1 + i % (CLIENTS * CONTEXTS),
		.run = i + 1, .user_data = 1000 + i, .a = a, .b = b,
	};

	if (type == HISTORY_STATUS || type == HISTORY_EVENT) {
		e.phase = CANCELLED(i) ? DRM_TESSERA_PHASE_CANCELLED : DRM_TESSERA_PHASE_RETIRED;
		e.code = FAILS(i) ? DRM_TESSERA_CODE_FAULT :
			 CANCELLED(i) && !POISONED(i) ? DRM_TESSERA_CODE_CANCELLED :
							DRM_TESSERA_CODE_OK;
		e.poison = POISONED(i) ? DRM_TESSERA_CODE_BAD_RECORD : 0;
	}
	history_add(h, &e);
}

static void tell(struct history *h, __u32 i)
{
	__s64 t = (i + 1) * STEP, launched = CANCELLED(i) ? 0 : t + 300;
	bool well = !FAILS(i) && !CANCELLED(i);

	add(h, i, HISTORY_SUBMITTED, t, t + 100);
	add(h, i, HISTORY_STATUS, launched, t + 600);
	add(h, i, HISTORY_STATUS, launched, t + 600);
	add(h, i, HISTORY_FENCE, well ? 1 : -EIO, 0);
	add(h, i, HISTORY_EFFECT, well, 0);
	add(h, i, HISTORY_PAGE, 0, 0);
	if (FAILS(i) || (CANCELLED(i) && !POISONED(i)))
		add(h, i, HISTORY_EVENT, 0, 0);
	h->accepted++;
	h->ended++;
}

FIXTURE(history) {
	struct history h;
	struct history_verdict v;
};

FIXTURE_SETUP(history)
{
	self->h = (struct history){ 0 };
	for (__u32 i = 0; i < RUNS; i++)
		tell(&self->h, i);
}

FIXTURE_TEARDOWN(history)
{
	history_free(&self->h);
}

/* The n-th line of that type about that run, counted from 0. */
static struct history_event *find(struct history *h, __u64 run, __u32 type, int n)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->events[i].run == run && h->events[i].type == type && !n--)
			return &h->events[i];
	abort();
}

static void drop(struct history *h, struct history_event *e)
{
	memmove(e, e + 1, (size_t)(h->events + --h->count - e) * sizeof(*e));
}

TEST_F(history, right_one_passes)
{
	EXPECT_EQ(0, history_check(&self->h, &self->v));
	EXPECT_EQ(RUNS, self->v.runs);
	EXPECT_EQ(RUNS - 6, self->v.ok);
	EXPECT_EQ(6, self->v.failed);
	EXPECT_EQ(0, self->v.unknown);
}

/* ---- Lies ----------------------------------------------------------------------------------- */

/* Run 5 fails, run 6 is cancelled, run 12 poisoned; 5, 9, 13 are of one context. */

static void one_id_for_two(struct history *h)
{
	find(h, 7, HISTORY_SUBMITTED, 0)->run = 3;
}

static void ids_exchanged(struct history *h)
{
	find(h, 7, HISTORY_SUBMITTED, 0)->run = 0;
	find(h, 8, HISTORY_SUBMITTED, 0)->run = 7;
	find(h, 0, HISTORY_SUBMITTED, 0)->run = 8;
}

/* A submit that took long, and began before; the next one had come back before that of run 7. */
static void id_from_the_past(struct history *h)
{
	find(h, 8, HISTORY_SUBMITTED, 0)->a = 500;
	find(h, 9, HISTORY_SUBMITTED, 0)->a = 400;
	find(h, 9, HISTORY_SUBMITTED, 0)->b = 600;
}

static void never_ends(struct history *h)
{
	drop(h, find(h, 3, HISTORY_STATUS, 0));
	drop(h, find(h, 3, HISTORY_STATUS, 0));
}

static void only_launched(struct history *h)
{
	find(h, 3, HISTORY_STATUS, 0)->phase = DRM_TESSERA_PHASE_LAUNCHED;
	find(h, 3, HISTORY_STATUS, 1)->phase = DRM_TESSERA_PHASE_LAUNCHED;
}

static void another_code_later(struct history *h)
{
	find(h, 5, HISTORY_STATUS, 1)->code = DRM_TESSERA_CODE_OK;
}

static void another_time_later(struct history *h)
{
	find(h, 3, HISTORY_STATUS, 1)->b++;
}

static void another_launch_later(struct history *h)
{
	find(h, 3, HISTORY_STATUS, 1)->a++;
}

static void poisoned_later(struct history *h)
{
	find(h, 3, HISTORY_STATUS, 1)->poison = DRM_TESSERA_CODE_BAD_RECORD;
}

static void retired_then_cancelled(struct history *h)
{
	find(h, 3, HISTORY_STATUS, 1)->phase = DRM_TESSERA_PHASE_CANCELLED;
}

static void ended_then_queued(struct history *h)
{
	find(h, 3, HISTORY_STATUS, 1)->phase = DRM_TESSERA_PHASE_QUEUED;
}

static void launched_then_queued(struct history *h)
{
	struct history_event end = *find(h, 3, HISTORY_STATUS, 1);

	find(h, 3, HISTORY_STATUS, 0)->phase = DRM_TESSERA_PHASE_LAUNCHED;
	find(h, 3, HISTORY_STATUS, 1)->phase = DRM_TESSERA_PHASE_QUEUED;
	history_add(h, &end);
}

static void record_of_another(struct history *h)
{
	find(h, 3, HISTORY_STATUS, 0)->user_data++;
}

static void record_of_another_context(struct history *h)
{
	find(h, 3, HISTORY_STATUS, 0)->context++;
}

static void later_one_first(struct history *h)
{
	for (int n = 0; n < 2; n++) {
		find(h, 9, HISTORY_STATUS, n)->a = 13 * STEP + 700;
		find(h, 9, HISTORY_STATUS, n)->b = 13 * STEP + 900;
	}
}

static void next_one_too_early(struct history *h)
{
	for (int n = 0; n < 2; n++)
		find(h, 4, HISTORY_STATUS, n)->a = 3 * STEP + 400;
}

static void executed_twice(struct history *h)
{
	find(h, 3, HISTORY_EFFECT, 0)->a = 2;
}

static void never_executed(struct history *h)
{
	find(h, 3, HISTORY_EFFECT, 0)->a = 0;
}

static void cancelled_but_executed(struct history *h)
{
	find(h, 6, HISTORY_EFFECT, 0)->a = 1;
}

static void failed_and_executed_twice(struct history *h)
{
	find(h, 5, HISTORY_EFFECT, 0)->a = 2;
}

static void fence_without_the_error(struct history *h)
{
	find(h, 5, HISTORY_FENCE, 0)->a = 1;
}

static void fence_of_a_poisoned_one(struct history *h)
{
	find(h, 12, HISTORY_FENCE, 0)->a = 1;
}

static void fence_with_an_error(struct history *h)
{
	find(h, 3, HISTORY_FENCE, 0)->a = -EIO;
}

/* The last look was right. */
static void fence_with_an_error_at_first(struct history *h)
{
	find(h, 3, HISTORY_FENCE, 0)->a = -EIO;
	add(h, 2, HISTORY_FENCE, 1, 0);
}

static void event_twice(struct history *h)
{
	add(h, 4, HISTORY_EVENT, 0, 0);
}

static void event_of_another_code(struct history *h)
{
	find(h, 5, HISTORY_EVENT, 0)->code = DRM_TESSERA_CODE_RESET;
}

static void event_of_another_phase(struct history *h)
{
	find(h, 5, HISTORY_EVENT, 0)->phase = DRM_TESSERA_PHASE_QUARANTINED;
}

static void event_of_a_good_run(struct history *h)
{
	add(h, 2, HISTORY_EVENT, 0, 0);
	find(h, 3, HISTORY_EVENT, 0)->code = DRM_TESSERA_CODE_FAULT;
}

static void quarantine_that_was_none(struct history *h)
{
	add(h, 2, HISTORY_EVENT, 1, 0);
}

static void no_event(struct history *h)
{
	drop(h, find(h, 5, HISTORY_EVENT, 0));
}

static void quarantine_without_an_event(struct history *h)
{
	find(h, 5, HISTORY_STATUS, 0)->phase = DRM_TESSERA_PHASE_QUARANTINED;
	find(h, 5, HISTORY_STATUS, 1)->phase = DRM_TESSERA_PHASE_QUARANTINED;
	find(h, 5, HISTORY_EVENT, 0)->phase = DRM_TESSERA_PHASE_QUARANTINED;
}

static void page_before_the_end(struct history *h)
{
	struct history_event e = *find(h, 9, HISTORY_STATUS, 0);

	/* Run 5's context: 13 is said to have ended, and then seen to be queued. */
	e.type = HISTORY_PAGE;
	e.run = 13;
	*find(h, 9, HISTORY_PAGE, 0) = e;
	find(h, 13, HISTORY_STATUS, 0)->phase = DRM_TESSERA_PHASE_QUEUED;
}

static void page_goes_back(struct history *h)
{
	find(h, 9, HISTORY_PAGE, 0)->run = 9;
	find(h, 13, HISTORY_PAGE, 0)->run = 5;
}

/* A run may be unlogged, for its client was killed; but then nobody has seen anything of it. */
static void nobodys_status(struct history *h)
{
	h->unlogged = 1;
	add(h, RUNS, HISTORY_STATUS, 0, 100);
}

static void nobodys_effect(struct history *h)
{
	h->unlogged = 1;
	add(h, RUNS, HISTORY_EFFECT, 0, 0);
}

static void nobodys_fence(struct history *h)
{
	h->unlogged = 1;
	add(h, RUNS, HISTORY_FENCE, 1, 0);
}

static void nobodys_event(struct history *h)
{
	add(h, RUNS + 2, HISTORY_EVENT, 0, 0);
}

static void one_more_accepted(struct history *h)
{
	h->accepted++;
	h->ended++;
}

static void one_less_accepted(struct history *h)
{
	h->accepted--;
	h->ended--;
}

static void one_ended_twice(struct history *h)
{
	h->ended++;
}

static const struct {
	void (*lie)(struct history *h);
	const char *name;
	enum history_rule rule;
} lies[] = {
#define LIE(name, rule)	{ name, #name, rule }
	LIE(one_id_for_two, RULE_ID_TWICE),
	LIE(ids_exchanged, RULE_ID_BACK),
	LIE(id_from_the_past, RULE_ID_BACK),
	LIE(never_ends, RULE_LOST),
	LIE(only_launched, RULE_LOST),
	LIE(another_code_later, RULE_TWO_ENDS),
	LIE(another_time_later, RULE_TWO_ENDS),
	LIE(another_launch_later, RULE_TWO_ENDS),
	LIE(poisoned_later, RULE_TWO_ENDS),
	LIE(retired_then_cancelled, RULE_TWO_ENDS),
	LIE(retired_then_cancelled, RULE_BACK),
	LIE(ended_then_queued, RULE_BACK),
	LIE(launched_then_queued, RULE_BACK),
	LIE(record_of_another, RULE_NOT_MINE),
	LIE(record_of_another_context, RULE_NOT_MINE),
	LIE(later_one_first, RULE_ORDER),
	LIE(next_one_too_early, RULE_OVERLAP),
	LIE(executed_twice, RULE_EFFECT),
	LIE(never_executed, RULE_EFFECT),
	LIE(cancelled_but_executed, RULE_EFFECT),
	LIE(failed_and_executed_twice, RULE_EFFECT),
	LIE(fence_without_the_error, RULE_FENCE),
	LIE(fence_of_a_poisoned_one, RULE_FENCE),
	LIE(fence_with_an_error, RULE_FENCE),
	LIE(fence_with_an_error_at_first, RULE_FENCE),
	LIE(event_twice, RULE_EVENT),
	LIE(event_of_another_code, RULE_EVENT),
	LIE(event_of_another_phase, RULE_EVENT),
	LIE(event_of_a_good_run, RULE_EVENT),
	LIE(quarantine_that_was_none, RULE_EVENT),
	LIE(no_event, RULE_NO_EVENT),
	LIE(quarantine_without_an_event, RULE_NO_EVENT),
	LIE(page_before_the_end, RULE_PAGE),
	LIE(page_goes_back, RULE_PAGE),
	LIE(nobodys_status, RULE_STRANGER),
	LIE(nobodys_effect, RULE_STRANGER),
	LIE(nobodys_fence, RULE_STRANGER),
	LIE(nobodys_event, RULE_STRANGER),
	LIE(one_more_accepted, RULE_TOTAL),
	LIE(one_less_accepted, RULE_TOTAL),
	LIE(one_ended_twice, RULE_TOTAL),
};

TEST_F(history, each_lie_is_found)
{
	__u64 found[RULE_COUNT] = { 0 };

	for (unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct history h = { 0 };

		for (__u32 r = 0; r < RUNS; r++)
			tell(&h, r);
		lies[i].lie(&h);
		EXPECT_LT(0, history_check(&h, &self->v));
		EXPECT_LT(0, self->v.wrong[lies[i].rule])
			TH_LOG("%s", lies[i].name);
		found[lies[i].rule]++;
		history_free(&h);
	}
	/* A rule without a lie has never been seen to find anything. */
	for (int r = 0; r < RULE_COUNT; r++) {
		EXPECT_LT(0, found[r])
			TH_LOG("rule %d", r);
	}
}

/* What nobody can know is no lie. */

TEST_F(history, killed_client_may_have_seen_nothing)
{
	struct history_event killed = { .type = HISTORY_KILLED, .client = 0 };

	never_ends(&self->h);
	/* Accepted, and killed before it was written down. */
	self->h.unlogged = 1;
	one_more_accepted(&self->h);
	add(&self->h, RUNS, HISTORY_EVENT, 0, 0);
	history_add(&self->h, &killed);
	EXPECT_EQ(0, history_check(&self->h, &self->v));
	EXPECT_EQ(2, self->v.unknown);
}

TEST_F(history, slow_listener_may_have_missed_events)
{
	no_event(&self->h);
	self->h.events_lost = true;
	EXPECT_EQ(0, history_check(&self->h, &self->v));
}

TEST_F(history, submits_at_the_same_time_have_any_order)
{
	find(&self->h, 7, HISTORY_SUBMITTED, 0)->b += STEP;
	ids_exchanged(&self->h);
	/* Their records are exchanged as well, or they would not be theirs. */
	EXPECT_EQ(0, (history_check(&self->h, &self->v), self->v.wrong[RULE_ID_BACK]));
}

TEST_HARNESS_MAIN

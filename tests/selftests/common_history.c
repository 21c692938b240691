// SPDX-License-Identifier: MIT
#include "common_history.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN	20

/* struct one - all that is known of a run */
struct one {
	__u64 run;
	const struct history_event *submit, *status, *fence, *effect, *failed, *quarantined;
	bool killed;			/* its client was */
};

struct check {
	struct history *h;
	struct history_verdict *v;
	__u64 shown;
	struct one *runs;
	size_t count;
	__u32 *killed;			/* clients, ascending */
	size_t n_killed;
};

static void wrong(struct check *c, enum history_rule rule, __u64 run)
{
#define TEXT(name, text)	text,
	static const char *const texts[] = { HISTORY_RULES(TEXT) };

	c->v->wrong[rule]++;
	if (c->shown++ < SHOWN)
		fprintf(stderr, "# history: run %llu: %s\n", (unsigned long long)run, texts[rule]);
}

void history_add(struct history *h, const struct history_event *event)
{
	if (h->count == h->room) {
		h->room = h->room ? h->room * 2 : 1024;
		h->events = realloc(h->events, h->room * sizeof(*h->events));
		if (!h->events)
			abort();
	}
	h->events[h->count++] = *event;
}

void history_free(struct history *h)
{
	free(h->events);
	memset(h, 0, sizeof(*h));
}

static bool ended(const struct history_event *status)
{
	return status->phase >= DRM_TESSERA_PHASE_RETIRED;
}

static int order(__u64 a, __u64 b)
{
	return (a > b) - (a < b);
}

/* ---- Within a client, in its order ----------------------------------------------------------- */

static int by_client(const void *a, const void *b)
{
	const struct history_event *x = *(const struct history_event *const *)a;
	const struct history_event *y = *(const struct history_event *const *)b;

	return order(x->client, y->client) ?: order(x->context, y->context) ?:
	       order((__u64)(uintptr_t)x, (__u64)(uintptr_t)y);
}

/* Phases of one run only go forth; @seen: its last one, or NULL. */
static void check_phase(struct check *c, const struct history_event *seen,
			const struct history_event *now)
{
	if (seen && (ended(seen) ? now->phase != seen->phase : now->phase < seen->phase))
		wrong(c, RULE_BACK, now->run);
}

/*
 * The events of one context, as its client wrote them down. What the page said has ended must
 * have ended whenever it is looked at afterwards.
 */
static void check_context(struct check *c, const struct history_event *const *events, size_t n)
{
	__u64 through = 0;

	for (size_t i = 0; i < n; i++) {
		const struct history_event *e = events[i], *last = NULL;

		if (e->type == HISTORY_PAGE) {
			if (e->run < through)
				wrong(c, RULE_PAGE, e->run);
			through = e->run;
		}
		if (e->type != HISTORY_STATUS)
			continue;
		if (e->run <= through && !ended(e))
			wrong(c, RULE_PAGE, e->run);
		/* Few are in flight at a time: its last look is not far back. */
		for (size_t k = i, far = 0; k-- && far < 256 && !last; far++)
			if (events[k]->type == HISTORY_STATUS && events[k]->run == e->run)
				last = events[k];
		check_phase(c, last, e);
	}
}

static void check_clients(struct check *c)
{
	const struct history_event **sorted = calloc(c->h->count + 1, sizeof(*sorted));
	size_t from = 0;

	for (size_t i = 0; i < c->h->count; i++)
		sorted[i] = &c->h->events[i];
	qsort(sorted, c->h->count, sizeof(*sorted), by_client);
	for (size_t i = 1; i <= c->h->count; i++) {
		if (i < c->h->count && sorted[i]->client == sorted[from]->client &&
		    sorted[i]->context == sorted[from]->context)
			continue;
		check_context(c, sorted + from, i - from);
		from = i;
	}
	free(sorted);
}

/* ---- Run by run ------------------------------------------------------------------------------ */

static int by_run(const void *a, const void *b)
{
	const struct history_event *x = *(const struct history_event *const *)a;
	const struct history_event *y = *(const struct history_event *const *)b;

	return order(x->run, y->run) ?: order((__u64)(uintptr_t)x, (__u64)(uintptr_t)y);
}

static void look_at_status(struct check *c, struct one *one, const struct history_event *e)
{
	const struct history_event *first = one->status;

	if (one->submit && (one->submit->context != e->context ||
			    one->submit->user_data != e->user_data))
		wrong(c, RULE_NOT_MINE, e->run);
	if (!ended(e))
		return;
	if (!first)
		one->status = e;
	else if (first->phase != e->phase || first->code != e->code || first->a != e->a ||
		 first->b != e->b || first->poison != e->poison)
		wrong(c, RULE_TWO_ENDS, e->run);
}

static void look_at_event(struct check *c, struct one *one, const struct history_event *e)
{
	const struct history_event **which = e->a ? &one->quarantined : &one->failed;

	if (*which)
		wrong(c, RULE_EVENT, e->run);
	*which = e;
}

static void look_at(struct check *c, struct one *one, const struct history_event *e)
{
	switch (e->type) {
	case HISTORY_SUBMITTED:
		if (one->submit)
			wrong(c, RULE_ID_TWICE, e->run);
		one->submit = e;
		break;
	case HISTORY_STATUS:
		look_at_status(c, one, e);
		break;
	case HISTORY_FENCE:
		if (one->fence && one->fence->a != e->a)
			wrong(c, RULE_FENCE, e->run);
		one->fence = e;
		break;
	case HISTORY_EFFECT:
		one->effect = e;
		break;
	case HISTORY_EVENT:
		look_at_event(c, one, e);
		break;
	default:
		break;
	}
}

/* A negative effect: the run had none that could be counted. */
static void check_effect(struct check *c, const struct one *one)
{
	__s64 times = one->effect->a;

	if (one->status->code == DRM_TESSERA_CODE_OK && !one->status->poison ? times != 1 :
	    !one->status->a ? times != 0 : times > 1)
		wrong(c, RULE_EFFECT, one->run);
}

static void check_end(struct check *c, const struct one *one)
{
	bool well = one->status->code == DRM_TESSERA_CODE_OK;
	bool quarantined = one->status->phase == DRM_TESSERA_PHASE_QUARANTINED;

	if (one->effect)
		check_effect(c, one);
	if (one->fence && (well && !one->status->poison) != (one->fence->a == 1))
		wrong(c, RULE_FENCE, one->run);
	if (one->failed && (one->failed->code != one->status->code ||
			    one->failed->phase != one->status->phase))
		wrong(c, RULE_EVENT, one->run);
	if (one->quarantined && !quarantined)
		wrong(c, RULE_EVENT, one->run);
	if (!c->h->events_lost && ((!well && !one->failed) || (quarantined && !one->quarantined)))
		wrong(c, RULE_NO_EVENT, one->run);
	well ? c->v->ok++ : c->v->failed++;
}

static bool was_killed(const struct check *c, __u32 client)
{
	for (size_t i = 0; i < c->n_killed; i++)
		if (c->killed[i] == client)
			return true;
	return false;
}

static void check_run(struct check *c, struct one *one)
{
	if (!one->submit) {
		/* Its client was killed before it could write that down, perhaps. */
		c->v->unknown++;
		if (one->status || one->effect || one->fence)
			wrong(c, RULE_STRANGER, one->run);
		return;
	}
	one->killed = was_killed(c, one->submit->client);
	c->v->runs++;
	if (one->status) {
		check_end(c, one);
	} else {
		c->v->unknown++;
		if (!one->killed)
			wrong(c, RULE_LOST, one->run);
	}
}

static void check_runs(struct check *c)
{
	const struct history_event **sorted = calloc(c->h->count + 1, sizeof(*sorted));
	__u64 strangers = 0;
	size_t n = 0;

	c->runs = calloc(c->h->count + 1, sizeof(*c->runs));
	c->killed = calloc(c->h->count + 1, sizeof(*c->killed));
	for (size_t i = 0; i < c->h->count; i++) {
		const struct history_event *e = &c->h->events[i];

		if (e->type == HISTORY_KILLED)
			c->killed[c->n_killed++] = e->client;
		else if (e->type != HISTORY_PAGE)
			sorted[n++] = e;
	}
	qsort(sorted, n, sizeof(*sorted), by_run);
	for (size_t i = 0; i < n; i++) {
		if (!i || sorted[i]->run != sorted[i - 1]->run)
			c->runs[c->count++].run = sorted[i]->run;
		look_at(c, &c->runs[c->count - 1], sorted[i]);
	}
	for (size_t i = 0; i < c->count; i++) {
		check_run(c, &c->runs[i]);
		strangers += !c->runs[i].submit;
	}
	/* An event of a run that nobody can have submitted. */
	if (strangers > c->h->unlogged)
		wrong(c, RULE_STRANGER, 0);
	free(sorted);
}

/* ---- All runs together ----------------------------------------------------------------------- */

/* c->runs ascend by id: none began before one with a higher id had come back. */
static void check_ids(struct check *c)
{
	__s64 began = INT64_MIN;

	for (size_t i = 0; i < c->count; i++) {
		const struct history_event *s = c->runs[i].submit;

		if (!s)
			continue;
		if (s->b < began)
			wrong(c, RULE_ID_BACK, s->run);
		began = s->a > began ? s->a : began;
	}
}

static int by_context(const void *a, const void *b)
{
	const struct one *x = *(const struct one *const *)a, *y = *(const struct one *const *)b;

	return order(x->submit->context, y->submit->context) ?: order(x->run, y->run);
}

static int by_launch(const void *a, const void *b)
{
	const struct one *x = *(const struct one *const *)a, *y = *(const struct one *const *)b;

	return order((__u64)x->status->a, (__u64)y->status->a);
}

static void check_order(struct check *c)
{
	const struct one **launched = calloc(c->count + 1, sizeof(*launched));
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->runs[i].submit && c->runs[i].status && c->runs[i].status->a)
			launched[n++] = &c->runs[i];
	qsort(launched, n, sizeof(*launched), by_context);
	for (size_t i = 1; i < n; i++)
		if (launched[i]->submit->context == launched[i - 1]->submit->context &&
		    launched[i]->status->a < launched[i - 1]->status->b)
			wrong(c, RULE_ORDER, launched[i]->run);
	qsort(launched, n, sizeof(*launched), by_launch);
	for (size_t i = 1; i < n; i++)
		if (launched[i]->status->a < launched[i - 1]->status->b)
			wrong(c, RULE_OVERLAP, launched[i]->run);
	free(launched);
}

static void check_totals(struct check *c)
{
	__u64 logged = c->v->runs;

	if (c->h->accepted < logged || c->h->accepted > logged + c->h->unlogged ||
	    c->h->ended != c->h->accepted)
		wrong(c, RULE_TOTAL, 0);
}

__u64 history_check(struct history *h, struct history_verdict *ret)
{
	struct check c = { .h = h, .v = ret };
	__u64 sum = 0;

	memset(ret, 0, sizeof(*ret));
	check_clients(&c);
	check_runs(&c);
	check_ids(&c);
	check_order(&c);
	check_totals(&c);
	free(c.runs);
	free(c.killed);
	for (int i = 0; i < RULE_COUNT; i++)
		sum += ret->wrong[i];
	return sum;
}

// SPDX-License-Identifier: MIT
/*
 * Four threads, each with contexts of its own, submit good, faulting, hanging, cancelled and
 * dependent runs for some seconds. Each run has one end, the right one; the order in a context
 * is kept (RUN-5); and the counters balance in the end.
 */
#include "common_check.h"
#include "common_harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS		4
#define SECONDS		5
#define BATCH		6		/* runs in flight of one thread */

enum kind { GOOD, WRITER, FAULT, HANG, CANCEL, KINDS };

/** struct thread - one submitter */
struct thread {
	pthread_t id;
	struct dev *d;
	struct dev_job *job[KINDS];
	struct dev_buf buf;
	unsigned int seed;
	uint32_t pattern;		/* that its writers write, and nobody else's */
	uint64_t ends[KINDS];		/* runs of each kind that ended as they should */
	uint64_t wrong;
	char what[200];			/* of the first that was not right */
};

/** struct flight - a run in flight */
struct flight {
	enum kind kind;
	uint32_t run;
	uint64_t id;
};

static atomic_bool over;

FIXTURE(stress)
{
	struct dev d;
	struct thread thread[THREADS];
};

FIXTURE_SETUP(stress)
{
	ASSERT_EQ(0, soft_open(&self->d, "stress", "no_progress_ms=50 queue_capacity=8"));
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		ASSERT_NE(NULL, dev_script(&self->d, p));
}

FIXTURE_TEARDOWN(stress)
{
	soft_close(&self->d, "stress");
}

static void make_jobs(struct thread *t)
{
	uint32_t l1 = t->d->info.limits.cb_base;

	for (int k = 0; k < KINDS; k++)
		t->job[k] = dev_job(t->d);
	dev_job_kernel(t->job[GOOD], dev_script(t->d, TSR_PROC_DM0), NULL, STEPS(STEP_WORK, 50));
	dev_job_script(t->job[WRITER], TSR_PROC_DM1, 2, 2,
		       STEPS(STEP_FILL, l1, t->pattern, 256,
			     NOC_BUFFER(0, 0, l1, 1024, TSR_NOC_CMD_WRITE)));
	dev_job_bind(t->job[WRITER], TESSERA_ACCESS_OUT, &t->buf);
	dev_job_script(t->job[FAULT], TSR_PROC_COMPUTE, 1, 3, STEPS(STEP_WORK, 100, STEP_EBREAK));
	dev_job_script(t->job[HANG], TSR_PROC_DM0, 3, 1, STEPS(WAIT_SEM(1, 1)));
	dev_job_script(t->job[CANCEL], TSR_PROC_DM0, 0, 1, STEPS(STEP_SPIN));
	for (int k = 0; k < KINDS; k++)
		dev_job_program(t->job[k]);
}

static void complain(struct thread *t, const struct drm_tessera_status *s, enum kind kind,
		     const char *why)
{
	if (!t->wrong++)
		snprintf(t->what, sizeof(t->what),
			 "kind %d: %s; phase %u code %u cause %u stall %u", kind, why, s->phase,
			 s->code, s->fault.cause, s->stall.stall_class);
}

static bool writer_right(struct thread *t)
{
	const uint32_t *w = t->buf.mem;

	for (uint32_t i = 0; i < 256; i++)
		if (w[i] != t->pattern + i)
			return false;
	return true;
}

static bool ended_right(const struct drm_tessera_status *s, enum kind kind)
{
	switch (kind) {
	case GOOD:
	case WRITER:
		return s->code == DRM_TESSERA_CODE_OK;
	case FAULT:
		return s->code == DRM_TESSERA_CODE_FAULT &&
		       s->fault.cause == TSR_FAULT_BREAKPOINT && s->fault.x == 1 &&
		       s->fault.y == 3 && s->fault.processor == TSR_PROC_COMPUTE;
	case HANG:
		return s->code == DRM_TESSERA_CODE_NO_PROGRESS && s->stall.stuck_x == 3 &&
		       s->stall.stall_class == TSR_STALL_DEADLOCK;
	default:
		return s->code == DRM_TESSERA_CODE_CANCELLED ||
		       s->code == DRM_TESSERA_CODE_STOPPED ||
		       s->code == DRM_TESSERA_CODE_NO_PROGRESS;
	}
}

/* In the order of submission: ids ascend, and no run is launched or retired before the last one. */
static void check_end(struct thread *t, const struct flight *f,
		      struct drm_tessera_status *last, bool *has_last)
{
	struct drm_tessera_status s;

	if (dev_finish(t->d, f->run, &s)) {
		memset(&s, 0, sizeof(s));
		complain(t, &s, f->kind, "no end");
		return;
	}
	if (!ended_right(&s, f->kind))
		complain(t, &s, f->kind, "wrong end");
	else if (s.run_id != f->id)
		complain(t, &s, f->kind, "another run's status");
	else if (s.launched_ns && *has_last && last->retired_ns > s.launched_ns)
		complain(t, &s, f->kind, "launched before its predecessor had ended");
	else if (*has_last && s.run_id <= last->run_id)
		complain(t, &s, f->kind, "ids do not ascend");
	else
		t->ends[f->kind]++;
	/* A cancelled one ends out of turn, without ever having executed. */
	if (s.launched_ns) {
		*last = s;
		*has_last = true;
	}
}

static enum kind pick(struct thread *t)
{
	unsigned int r = rand_r(&t->seed) >> 5;

	if (r % 40 == 0)
		return HANG;
	if (r % 12 == 0)
		return CANCEL;
	if (r % 5 == 0)
		return FAULT;
	return r % 2 ? GOOD : WRITER;
}

/* One batch in one context, which is new every time. */
static void one_batch(struct thread *t)
{
	struct drm_tessera_status last = { 0 };
	struct flight f[BATCH] = { 0 };
	struct dev_submit how = { 0 };
	bool has_last = false;

	if (uapi_context(t->d->fd, 0, &how.ctx)) {
		t->wrong++;
		return;
	}
	memset(t->buf.mem, 0, 1024);
	for (int i = 0; i < BATCH; i++) {
		f[i].kind = pick(t);
		if (dev_submit(t->job[f[i].kind], &how, &f[i].run)) {
			t->wrong++;
			return;
		}
		f[i].id = how.id;
		if (f[i].kind == CANCEL && rand_r(&t->seed) & 64)
			usleep(rand_r(&t->seed) % 3000);
		if (f[i].kind == CANCEL)
			uapi_cancel(t->d->fd, f[i].run);
	}
	for (int i = 0; i < BATCH; i++)
		check_end(t, &f[i], &last, &has_last);
	uapi_context_destroy(t->d->fd, how.ctx);
}

static void *submitter(void *arg)
{
	struct thread *t = arg;

	while (!atomic_load(&over)) {
		uint64_t before = t->ends[WRITER];

		one_batch(t);
		if (t->ends[WRITER] != before && !writer_right(t) && !t->wrong++)
			strcpy(t->what, "what a writer wrote is not there");
	}
	return NULL;
}

static void check_counters(struct __test_metadata *_metadata, struct dev *d, uint64_t ended)
{
	struct drm_tessera_counters c;

	ASSERT_EQ(0, uapi_settle(d->fd));
	ASSERT_EQ(0, uapi_counters(d->fd, &c));
	EXPECT_EQ(ended, c.runs_accepted);
	EXPECT_EQ(0, uapi_unbalanced(&c));
	EXPECT_EQ(c.claims_taken, c.runs_launched);
	/* A launch that was never staged would be an execution out of a foreign bank. */
	EXPECT_LE(c.runs_launched, c.runs_staged);
	EXPECT_EQ(0, c.resets);
	EXPECT_EQ(0, c.runs_quarantined);
	EXPECT_EQ(0, c.runs_failed_device);
	EXPECT_EQ(0, c.runs_refused);
	EXPECT_EQ(1, c.contexts);
}

TEST_F(stress, every_run_has_one_end_and_contexts_keep_their_order)
{
	uint64_t ended = 0, ends[KINDS] = { 0 };

	atomic_store(&over, false);
	for (int i = 0; i < THREADS; i++) {
		struct thread *t = &self->thread[i];

		t->d = &self->d;
		t->seed = i + 1;
		t->pattern = (i + 1) << 16;
		ASSERT_EQ(0, dev_buf(&self->d, 4096, &t->buf));
		make_jobs(t);
		ASSERT_EQ(0, pthread_create(&t->id, NULL, submitter, t));
	}
	sleep(SECONDS);
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++) {
		struct thread *t = &self->thread[i];

		pthread_join(t->id, NULL);
		EXPECT_EQ(0, t->wrong)
			TH_LOG("thread %d: %s", i, t->what);
		for (int k = 0; k < KINDS; k++) {
			ends[k] += t->ends[k];
			ended += t->ends[k];
			dev_job_free(t->job[k]);
		}
	}
	TH_LOG("good %llu, writers %llu, faults %llu, hangs %llu, cancelled %llu",
	       (unsigned long long)ends[GOOD], (unsigned long long)ends[WRITER],
	       (unsigned long long)ends[FAULT], (unsigned long long)ends[HANG],
	       (unsigned long long)ends[CANCEL]);
	for (int k = 0; k < KINDS; k++) {
		EXPECT_LT(0, ends[k])
			TH_LOG("kind %d never ended as it should", k);
	}
	check_counters(_metadata, &self->d, ended);
	EXPECT_EQ(0, dev_good_run(&self->d));
}

DEV_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * What a fault does to the run that meets it, and to the others (RUN-10..RUN-12, FL-1, FL-3): the
 * stages of a launch, boundaries, records, cores.
 */
#include <stdio.h>
#include <stdlib.h>
#include "common_fault.h"
#include "common_harness.h"

#define LIMIT_MS	400
#define LIMIT		"no_progress_ms=400"

FIXTURE(fault) {
	struct fault f;
};

FIXTURE_SETUP(fault)
{
	ASSERT_EQ(0, fault_open(&self->f, LIMIT));
}

/* Whatever happened: each bank and each claim has come back, and nothing is left (FL-9). */
FIXTURE_TEARDOWN(fault)
{
	struct drm_tessera_counters c;

	EXPECT_EQ(0, uapi_settle(self->f.fd));
	c = fault_counters(&self->f);
	EXPECT_EQ(0, uapi_unbalanced(&c));
	fault_close(&self->f);
}

static void expect_end(struct __test_metadata *_metadata, const struct fault *f, __u32 run,
		       __u32 phase, __u32 code, struct drm_tessera_status *s)
{
	ASSERT_EQ(0, uapi_end(f->fd, run, s));
	EXPECT_EQ(phase, s->phase);
	EXPECT_EQ(code, s->code)
		dev_status_print(s);
	uapi_close_run(f->fd, run);
}

/* ---- Staging -------------------------------------------------------------------------------- */

/* The second of three is not staged: it alone fails, while the first one still executes. */
TEST_F(fault, staging_failure_is_local)
{
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	__u32 run[3];

	ASSERT_EQ(0, fault_plan(f, "stage fail nth=2"));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[0]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	for (int i = 1; i < 3; i++)
		ASSERT_EQ(0, uapi_submit_program(f->fd, f->ctx, f->program, &run[i]));
	expect_end(_metadata, f, run[1], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_STAGE, &s);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, s.failure_class);
	EXPECT_EQ(0, s.staged_ns);
	EXPECT_EQ(0, s.launched_ns);
	/* Its bank went to the third, which waits for the first. */
	EXPECT_EQ(0, uapi_wait_phase(f->fd, run[2], DRM_TESSERA_PHASE_STAGED));
	*f->gate.word = 1;
	expect_end(_metadata, f, run[0], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK, &s);
	expect_end(_metadata, f, run[2], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK, &s);
	EXPECT_EQ(1, fault_hits(f, 0));
	c = fault_counters(f);
	/* 3: counted as staged what was not. */
	EXPECT_EQ(2, c.runs_staged);
	EXPECT_EQ(2, c.claims_taken);
	EXPECT_EQ(3, c.leases_taken);
	EXPECT_EQ(1, c.runs_failed_local);
	/* 1: the device was reset for nothing. */
	EXPECT_EQ(0, c.resets);
}

/* ---- The two halves of a launch ------------------------------------------------------------- */

/* The first half fails: not started (RUN-12). Only that run fails; no core was touched. */
TEST_F(fault, first_half_fails)
{
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;

	ASSERT_EQ(0, fault_plan(f, "launch_dispatch fail nth=2"));
	EXPECT_TRUE(fault_good(f));
	ASSERT_EQ(0, fault_run(f, f->ctx, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_LAUNCH, s.code);
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, s.failure_class);
	/* Not 0: the status says that it had been started. */
	EXPECT_EQ(0, s.launched_ns);
	EXPECT_LT(0, s.staged_ns);
	EXPECT_TRUE(fault_good(f));
	c = fault_counters(f);
	EXPECT_EQ(2, c.runs_launched);
	EXPECT_EQ(1, c.runs_failed_local);
	EXPECT_EQ(0, c.resets);
	EXPECT_EQ(0, fault_info(f).reset_generation);
}

/* The second half fails: partial. The device is stopped and reset; those behind it run after. */
TEST_F(fault, second_half_fails)
{
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	__u32 run[4];

	ASSERT_EQ(0, fault_plan(f, "launch_grid fail nth=2"));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[0]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	for (int i = 1; i < 4; i++)
		ASSERT_EQ(0, uapi_submit_program(f->fd, i < 3 ? f->ctx : f->other, f->program,
						 &run[i]));
	*f->gate.word = 1;
	expect_end(_metadata, f, run[0], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK, &s);
	EXPECT_EQ(0, s.reset_generation);
	expect_end(_metadata, f, run[1], DRM_TESSERA_PHASE_RETIRED,
		   DRM_TESSERA_CODE_LAUNCH_PARTIAL, &s);
	EXPECT_EQ(DRM_TESSERA_CLASS_DEVICE, s.failure_class);
	EXPECT_LT(0, s.launched_ns);
	/* Innocent ones, of its own context too: 0: executed before the reset was confirmed. */
	for (int i = 2; i < 4; i++) {
		expect_end(_metadata, f, run[i], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK,
			   &s);
		EXPECT_EQ(1, s.reset_generation);
	}
	c = fault_counters(f);
	EXPECT_EQ(1, c.runs_failed_device);
	EXPECT_EQ(1, c.resets);
	EXPECT_EQ(1, fault_info(f).reset_generation);
	EXPECT_EQ(DRM_TESSERA_HEALTH_GOOD, fault_info(f).health);
}

/* The call fails although the cores do go: nothing may be given back before they have stopped. */
TEST_F(fault, second_half_fails_but_the_cores_go)
{
	struct fault *f = &self->f;
	struct uapi_gate writer;
	struct drm_tessera_status s;
	__u32 run;

	ASSERT_EQ(0, fault_writer(f->fd, &writer));
	ASSERT_EQ(0, fault_plan(f, "launch_grid lie"));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &writer, &run));
	expect_end(_metadata, f, run, DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_LAUNCH_PARTIAL,
		   &s);
	/* 0: the cores did not go, and this test says nothing. */
	EXPECT_NE(0, *writer.word);
	/* Moves: the run was retired, and its memory given back, while a core still wrote to it. */
	EXPECT_FALSE(fault_writes(&writer));
	EXPECT_EQ(1, fault_info(f).reset_generation);
	EXPECT_TRUE(fault_good(f));
	uapi_gate_free(f->fd, &writer);
}

/* ---- Boundaries ----------------------------------------------------------------------------- */

/*
 * The end was not reported, but the record is there: the limit ends the wait, the record tells
 * the verdict (RUN-10). It takes the limit, and not much more.
 */
TEST_F(fault, lost_completion_is_found_by_the_limit)
{
	static const char *const plans[] = {
		"completion drop", "completion drop boundary=dispatch",
		"completion drop; completion drop boundary=dispatch",
	};
	struct fault *f = &self->f;
	struct drm_tessera_status s;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(plans); i++) {
		ASSERT_EQ(0, fault_plan(f, plans[i]));
		ASSERT_EQ(0, fault_run(f, f->ctx, &s));
		EXPECT_EQ(1, fault_hits(f, 0));
		EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
		/* NO_PROGRESS: a run that did all it should is called hung. */
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
		EXPECT_EQ(DRM_TESSERA_VERDICT_RECORD, s.verdict_source);
		/* Less: something else than the limit noticed. More: twice the limit, or never. */
		EXPECT_LE(LIMIT_MS, fault_took_ms(&s));
		EXPECT_GE(LIMIT_MS * 3 / 2, fault_took_ms(&s));
		EXPECT_TRUE(fault_good(f));
	}
	/* It was not out of time: */
	EXPECT_EQ(0, fault_counters(f).timeouts);
	EXPECT_EQ(0, fault_counters(f).resets);
}

/* Neither boundary nor record: out of time, and where it stood is told by what was seen. */
TEST_F(fault, lost_completion_without_a_record)
{
	static const struct {
		const char *plan;
		__u32 stall_class, dispatch_done;
	} tries[] = {
		{ "completion drop; record drop", TSR_STALL_UNKNOWN, 1 },
		/* FL-4: nobody runs, is ready or waits, and the dispatcher is not through. */
		{ "completion drop boundary=dispatch; record drop", TSR_STALL_DISPATCH, 0 },
	};
	struct fault *f = &self->f;
	struct drm_tessera_status s;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(tries); i++) {
		ASSERT_EQ(0, fault_plan(f, tries[i].plan));
		ASSERT_EQ(0, fault_run(f, f->ctx, &s));
		EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code)
			dev_status_print(&s);
		EXPECT_EQ(DRM_TESSERA_VERDICT_DRIVER, s.verdict_source);
		EXPECT_EQ(tries[i].stall_class, s.stall.stall_class);
		EXPECT_EQ(tries[i].dispatch_done, s.stall.dispatch_done);
		EXPECT_EQ(1, s.stall.cores_completed);
		EXPECT_EQ(1, s.stall.cores_total);
		EXPECT_TRUE(fault_good(f));
	}
	EXPECT_EQ(2, fault_counters(f).timeouts);
}

/* Late, but before the limit: a slow run, nothing else. Either boundary, or both. */
TEST_F(fault, late_completion_is_a_completion)
{
	static const char *const plans[] = {
		"completion late ms=100", "completion late boundary=dispatch ms=100",
		"completion late ms=50; completion late boundary=dispatch ms=100",
		"completion late ms=100; completion late boundary=dispatch us=50000",
	};
	struct fault *f = &self->f;
	struct drm_tessera_status s;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(plans); i++) {
		ASSERT_EQ(0, fault_plan(f, plans[i]));
		ASSERT_EQ(0, fault_run(f, f->ctx, &s));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
		/* Less: complete with one boundary only. */
		EXPECT_LE(100, fault_took_ms(&s));
		EXPECT_GT(LIMIT_MS, fault_took_ms(&s));
	}
	EXPECT_EQ(0, fault_counters(f).timeouts);
}

/* A boundary that comes after its run has ended belongs to nobody; least of all to the next run. */
TEST_F(fault, later_than_the_limit_is_nobodys)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	__u32 run[2];

	ASSERT_EQ(0, fault_plan(f, "completion late ms=700; record drop"));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->ctx, f->program, &run[0]));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[1]));
	expect_end(_metadata, f, run[0], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_NO_PROGRESS,
		   &s);
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[1], DRM_TESSERA_PHASE_LAUNCHED));
	/* 0: the run that executes was completed by the other's boundary. */
	EXPECT_EQ(-ETIME, uapi_wait(f->fd, run[1], uapi_in_ms(600)));
	*f->gate.word = 1;
	expect_end(_metadata, f, run[1], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK, &s);
}

/* ---- Records -------------------------------------------------------------------------------- */

/* Complete, and no record: not success (RUN-10). The device is not trusted before a reset. */
TEST_F(fault, dropped_record_resets_the_device)
{
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	__u32 run[4];

	ASSERT_EQ(0, fault_plan(f, "record drop run=1"));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[0]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	for (int i = 1; i < 4; i++)
		ASSERT_EQ(0, uapi_submit_program(f->fd, i % 2 ? f->other : f->ctx, f->program,
						 &run[i]));
	*f->gate.word = 1;
	expect_end(_metadata, f, run[0], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_NO_RECORD,
		   &s);
	EXPECT_EQ(DRM_TESSERA_CLASS_DEVICE, s.failure_class);
	EXPECT_EQ(DRM_TESSERA_VERDICT_DRIVER, s.verdict_source);
	EXPECT_NE(0, s.flags & DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED);
	EXPECT_LT(0, s.completed_ns);
	for (int i = 1; i < 4; i++) {
		expect_end(_metadata, f, run[i], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK,
			   &s);
		EXPECT_EQ(1, s.reset_generation);
	}
	c = fault_counters(f);
	/* More: each innocent one was reset for, too. 0: the device was trusted. */
	EXPECT_EQ(1, c.resets);
	EXPECT_EQ(1, fault_info(f).reset_generation);
	EXPECT_EQ(1, c.runs_failed_device);
}

/* A record of another run is no verdict on this one (RUN-11), nor on the one whose id it bears. */
TEST_F(fault, record_of_another_run)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;

	ASSERT_EQ(0, fault_plan(f, "record corrupt"));
	ASSERT_EQ(0, fault_run(f, f->ctx, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_BAD_RECORD, s.code)
		dev_status_print(&s);
	EXPECT_EQ(DRM_TESSERA_CLASS_QUEUE, s.failure_class);
	EXPECT_EQ(DRM_TESSERA_VERDICT_DRIVER, s.verdict_source);
	EXPECT_TRUE(fault_good(f));
	EXPECT_EQ(1, fault_counters(f).runs_failed_queue);
}

/* ---- Cores ---------------------------------------------------------------------------------- */

/* Two cores pass a token to and fro; @turns of it. */
static struct dev_job *ping_pong(struct dev *d)
{
	struct dev_job *job = dev_job(d);

	dev_job_script(job, TSR_PROC_DM0, 0, 0,
		       STEPS(STEP_WORK, 3000,
			     NOC_CORE(1, 0, SEM_REG(3, TSR_SEM_VALUE), 1, 4, TSR_NOC_CMD_SEM_INC),
			     WAIT_SEM(3, 1)));
	dev_job_script(job, TSR_PROC_DM0, 1, 0,
		       STEPS(WAIT_SEM(3, 1), STEP_WORK, 3000,
			     NOC_CORE(0, 0, SEM_REG(3, TSR_SEM_VALUE), 1, 4, TSR_NOC_CMD_SEM_INC)));
	dev_job_semaphore(job, 3, 0);
	return job;
}

FIXTURE(core) {
	struct fault f;
	struct dev d;
	struct dev_job *job;
};

FIXTURE_SETUP(core)
{
	ASSERT_EQ(0, fault_open(&self->f, LIMIT));
	ASSERT_EQ(0, dev_open(&self->d, self->f.name));
	ASSERT_NE(NULL, dev_script(&self->d, TSR_PROC_DM0));
	self->job = ping_pong(&self->d);
}

FIXTURE_TEARDOWN(core)
{
	struct drm_tessera_status s;

	/* Once: the next launch has all its cores. */
	EXPECT_EQ(0, dev_execute(self->job, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code)
		dev_status_print(&s);
	dev_job_free(self->job);
	dev_close(&self->d);
	fault_close(&self->f);
}

/* FL-4: each sub-class of a stall for real, those too that no program brings about by itself. */
TEST_F(core, lost_cores_are_stalls)
{
	static const struct {
		const char *plan;
		__u32 stall_class, running, ready, waiting;
		__u16 stuck_x;
	} tries[] = {
		/* The first core never begins: the second waits, but ready comes before waiting. */
		{ "core hang x=0 y=0", TSR_STALL_READY, 0, 1, 1, 1 },
		/* The second hangs in the middle: the first has sent, and waits for ever. */
		{ "core hang x=1 y=0 after=100", TSR_STALL_RUNNING, 1, 0, 1, 0 },
		/* The second is gone: nobody to be seen but who waits for it. */
		{ "core kill x=1 y=0 after=100", TSR_STALL_DEADLOCK, 0, 0, 1, 0 },
		{ "core kill x=0 y=0", TSR_STALL_DEADLOCK, 0, 0, 1, 1 },
		/* Both: nothing that one could point at. */
		{ "core kill x=0 y=0; core kill x=1 y=0", TSR_STALL_UNKNOWN, 0, 0, 0, 0 },
		{ "core hang x=0 y=0; core hang x=1 y=0", TSR_STALL_READY, 0, 2, 0, 0 },
	};
	struct drm_tessera_status s;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(tries); i++) {
		ASSERT_EQ(0, fault_plan(&self->f, tries[i].plan));
		ASSERT_EQ(0, dev_execute(self->job, &s));
		EXPECT_EQ(1, fault_hits(&self->f, 0));
		EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code);
		/* FAULT: a core that is only gone was blamed for something it did. */
		EXPECT_EQ(tries[i].stall_class, s.stall.stall_class) {
			TH_LOG("%s", tries[i].plan);
			dev_status_print(&s);
		}
		EXPECT_EQ(tries[i].running, s.stall.running);
		EXPECT_EQ(tries[i].ready, s.stall.ready);
		EXPECT_EQ(tries[i].waiting, s.stall.waiting);
		EXPECT_EQ(tries[i].stuck_x, s.stall.stuck_x);
		EXPECT_EQ(2, s.stall.cores_total);
		EXPECT_EQ(0, s.stall.cores_completed);
		EXPECT_LE(LIMIT_MS, fault_took_ms(&s));
	}
}

/* The launch is an event for the cores that take part in it only. */
TEST_F(core, others_are_not_meant)
{
	struct drm_tessera_status s;

	ASSERT_EQ(0, fault_plan(&self->f, "core kill x=2 y=0; core hang x=0 y=0 run=3"));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, dev_execute(self->job, &s));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	}
	ASSERT_EQ(0, dev_execute(self->job, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code);
	EXPECT_EQ(0, fault_hits(&self->f, 0));
	EXPECT_EQ(1, fault_hits(&self->f, 1));
}

/* Cycles of the processor at column @x of a run of the job. */
static __u64 cycles_at(struct __test_metadata *_metadata, struct dev_job *job, __u16 x)
{
	struct dev_submit how = { .flags = DRM_TESSERA_RUN_PROFILE };
	struct drm_tessera_proc_stats *stats;
	struct drm_tessera_status s;
	__u64 cycles = 0;
	uint32_t run;
	size_t n;

	ASSERT_EQ(0, dev_submit(job, &how, &run));
	ASSERT_EQ(0, uapi_wait(job->d->fd, run, uapi_soon()));
	ASSERT_EQ(0, dev_run_stats(job->d, run, &stats, &n));
	for (size_t i = 0; i < n; i++)
		if (stats[i].x == x)
			cycles = stats[i].cycles;
	free(stats);
	ASSERT_EQ(0, dev_finish(job->d, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	return cycles;
}

TEST_F(core, slow_core_takes_more_cycles)
{
	__u64 plain = cycles_at(_metadata, self->job, 0), slow;

	ASSERT_EQ(0, fault_plan(&self->f, "core slow x=1 y=0 factor=10 count=0"));
	slow = cycles_at(_metadata, self->job, 0);
	/*
	 * Core 0 waits for core 1, which does more than half of the work: between 5 and 10 times
	 * as long. Equal: only the slow one's own clock is slow. Ten times: all cores are.
	 */
	EXPECT_LT(plain * 4, slow);
	EXPECT_GT(plain * 9, slow);
	ASSERT_EQ(0, fault_plan(&self->f, "\n"));
	EXPECT_GT(plain * 2, cycles_at(_metadata, self->job, 0));
}

/* ---- Timeout and completion in the same tick ------------------------------------------------ */

/*
 * The boundary is late by the limit, give or take. Whoever is first decides, once: one status, one
 * count, and nothing left.
 */
TEST(timeout_and_completion_at_once)
{
	enum { RUNS = 150 };
	unsigned int late = 0, timeouts = 0;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	struct fault f;
	char plan[96];

	ASSERT_EQ(0, fault_open(&f, "no_progress_ms=20"));
	for (int i = 0; i < RUNS; i++) {
		/* From the limit to 16 ms after it: the watchdog looks every 4 ms. */
		snprintf(plan, sizeof(plan), "completion late us=%d; record drop",
			 20000 + 110 * i);
		ASSERT_EQ(0, fault_plan(&f, plan));
		ASSERT_EQ(0, fault_run(&f, f.ctx, &s));
		ASSERT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
		if (s.code == DRM_TESSERA_CODE_NO_PROGRESS)
			timeouts++;
		else if (s.code == DRM_TESSERA_CODE_NO_RECORD)
			late++;
		else
			ASSERT_EQ(0, s.code);
	}
	ASSERT_EQ(0, uapi_settle(f.fd));
	c = fault_counters(&f);
	/* Without the record the two are told apart: exactly one of them happened to each run. */
	EXPECT_EQ(RUNS, late + timeouts);
	EXPECT_EQ(timeouts, c.timeouts);
	EXPECT_EQ(timeouts, c.runs_failed_local);
	EXPECT_EQ(late, c.runs_failed_device);
	EXPECT_EQ(late, c.resets);
	EXPECT_EQ(RUNS, c.runs_retired);
	EXPECT_EQ(RUNS, c.leases_returned);
	EXPECT_EQ(RUNS, c.claims_released);
	/* Both ways were met, or this test says little. */
	EXPECT_LT(0, late);
	EXPECT_LT(0, timeouts);
	TH_LOG("%u completed, %u timed out", late, timeouts);
	EXPECT_TRUE(fault_good(&f));
	fault_close(&f);
}

/* The same with the record there: it is success whoever comes first, and counted once. */
TEST(timeout_and_completion_at_once_with_a_record)
{
	enum { RUNS = 150 };
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	struct fault f;
	char plan[64];

	ASSERT_EQ(0, fault_open(&f, "no_progress_ms=20"));
	for (int i = 0; i < RUNS; i++) {
		snprintf(plan, sizeof(plan), "completion late us=%d", 20000 + 110 * i);
		ASSERT_EQ(0, fault_plan(&f, plan));
		ASSERT_EQ(0, fault_run(&f, f.ctx, &s));
		ASSERT_EQ(DRM_TESSERA_CODE_OK, s.code);
		ASSERT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
	}
	ASSERT_EQ(0, uapi_settle(f.fd));
	c = fault_counters(&f);
	/* Not 0: failed, or out of time, although the record says that all was done. */
	EXPECT_EQ(0, c.timeouts);
	EXPECT_EQ(0, c.runs_failed_local);
	EXPECT_EQ(0, c.resets);
	EXPECT_EQ(RUNS, c.runs_retired);
	EXPECT_EQ(RUNS, c.leases_returned);
	EXPECT_EQ(RUNS, c.claims_released);
	fault_close(&f);
}

DEV_HARNESS_MAIN

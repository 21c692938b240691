// SPDX-License-Identifier: MIT
/* The device's part of suspend and resume: runs are kept, none is started in between. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "common_check.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME	"suspend"
#define QUEUED	8u

FIXTURE(suspend) {
	struct dev d;
	uint32_t program;
};

FIXTURE_SETUP(suspend)
{
	ASSERT_EQ(0, soft_open(&self->d, NAME, "no_progress_ms=1000"));
	ASSERT_EQ(0, uapi_exit_program(self->d.fd, 0, &self->program));
}

FIXTURE_TEARDOWN(suspend)
{
	soft_close(&self->d, NAME);
}

static int power(bool on)
{
	return soft_write(NAME, "suspend", on ? "0" : "1");
}

TEST_F(suspend, queued_runs_wait_for_the_resume)
{
	struct drm_tessera_status s;
	__u32 runs[QUEUED];

	ASSERT_EQ(0, power(false));
	for (unsigned int i = 0; i < QUEUED; i++)
		ASSERT_EQ(0, uapi_submit_program(self->d.fd, self->d.ctx, self->program,
						 &runs[i]));
	EXPECT_EQ(-ETIME, uapi_wait(self->d.fd, runs[0], uapi_in_ms(200)));
	ASSERT_EQ(0, uapi_status(self->d.fd, runs[0], &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_QUEUED, s.phase);
	ASSERT_EQ(0, power(true));
	for (unsigned int i = 0; i < QUEUED; i++) {
		ASSERT_EQ(0, uapi_end(self->d.fd, runs[i], &s));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	}
}

TEST_F(suspend, waits_for_the_run_that_executes)
{
	struct drm_tessera_status s;
	struct uapi_gate gate;
	struct drm_tessera_run run;
	__u32 staged;

	ASSERT_EQ(0, uapi_gate_new(self->d.fd, &gate));
	uapi_run_init(&run, gate.program);
	uapi_run_set_dispatch(&run, gate.dispatch, gate.dispatch_size);
	run.time_limit_ms = 300;
	ASSERT_EQ(0, uapi_submit(self->d.fd, self->d.ctx, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->d.fd, run.handle, DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_submit_program(self->d.fd, self->d.ctx, self->program, &staged));
	ASSERT_EQ(0, power(false));
	ASSERT_EQ(0, uapi_status(self->d.fd, run.handle, &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_TIME_LIMIT, s.code);
	/* It has its bank already, and keeps it. */
	ASSERT_EQ(0, uapi_status(self->d.fd, staged, &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_STAGED, s.phase);
	ASSERT_EQ(0, power(true));
	ASSERT_EQ(0, uapi_end(self->d.fd, staged, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	uapi_gate_free(self->d.fd, &gate);
}

TEST_F(suspend, run_that_does_not_end_refuses_it)
{
	struct drm_tessera_status s;
	struct uapi_gate gate;
	__u32 run, next;

	ASSERT_EQ(0, uapi_gate_new(self->d.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(self->d.fd, self->d.ctx, &gate, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->d.fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	EXPECT_EQ(-EBUSY, power(false));
	/* As if nobody had asked. */
	ASSERT_EQ(0, uapi_submit_program(self->d.fd, self->d.ctx, self->program, &next));
	*gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->d.fd, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	ASSERT_EQ(0, uapi_end(self->d.fd, next, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	uapi_gate_free(self->d.fd, &gate);
}

TEST_F(suspend, cancel_and_unplug_work_meanwhile)
{
	struct drm_tessera_status s;
	__u32 runs[2];

	ASSERT_EQ(0, power(false));
	for (unsigned int i = 0; i < 2; i++)
		ASSERT_EQ(0, uapi_submit_program(self->d.fd, self->d.ctx, self->program,
						 &runs[i]));
	ASSERT_EQ(0, uapi_cancel(self->d.fd, runs[0]));
	ASSERT_EQ(0, uapi_end(self->d.fd, runs[0], &s));
	EXPECT_EQ(DRM_TESSERA_CODE_CANCELLED, s.code);
	/* Returns only when the second one has ended. */
	EXPECT_EQ(0, soft_write(NAME, "enable", "0"));
}

/* What is no word for yes or no, and a device that is not there. */
TEST_F(suspend, refusals)
{
	EXPECT_EQ(-EINVAL, soft_write(NAME, "suspend", "x"));
	EXPECT_EQ(0, power(true));
	ASSERT_EQ(0, soft_write(NAME, "enable", "0"));
	EXPECT_EQ(-ENODEV, power(false));
	EXPECT_EQ(-ENODEV, power(true));
}

struct load {
	struct dev *d;
	uint32_t program;
	volatile bool stop;
	int error;
	unsigned int done;
};

static void *submit_all_the_time(void *arg)
{
	struct load *load = arg;
	struct drm_tessera_status s;
	__u32 run;

	while (!load->stop && !load->error) {
		load->error = uapi_submit_program(load->d->fd, load->d->ctx, load->program, &run);
		if (!load->error)
			load->error = uapi_end(load->d->fd, run, &s);
		if (!load->error)
			load->error = s.code ? (int)s.code : uapi_close_run(load->d->fd, run);
		load->done++;
	}
	return NULL;
}

TEST_F(suspend, hundred_times_under_load)
{
	struct load load = { .d = &self->d, .program = self->program };
	struct drm_tessera_counters before, after;
	pthread_t thread;

	ASSERT_EQ(0, uapi_counters(self->d.fd, &before));
	ASSERT_EQ(0, pthread_create(&thread, NULL, submit_all_the_time, &load));
	for (unsigned int i = 0; i < 100; i++) {
		EXPECT_EQ(0, power(false));
		EXPECT_EQ(0, power(true));
	}
	load.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, load.error);
	EXPECT_LT(0, load.done);
	ASSERT_EQ(0, uapi_counters(self->d.fd, &after));
	/* Less: a run was lost. More: one was executed again after a resume. */
	EXPECT_EQ(load.done, after.runs_launched - before.runs_launched);
}

TEST_HARNESS_MAIN

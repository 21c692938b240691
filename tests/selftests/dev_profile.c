// SPDX-License-Identifier: MIT
/*
 * Figures per processor (DX-2): bytes exactly as moved, waiting counted when there is some, and
 * time that goes with the work.
 */
#include "common_harness.h"

#include <stdlib.h>
#include <string.h>

FIXTURE(profile)
{
	struct dev d;
	struct dev_buf in, out;
	uint32_t l1;
	struct drm_tessera_proc_stats *stats;
	size_t n;
};

FIXTURE_SETUP(profile)
{
	ASSERT_EQ(0, dev_open(&self->d, NULL));
	ASSERT_TRUE(self->d.info.caps & DRM_TESSERA_CAP_PROFILE);
	ASSERT_EQ(0, dev_buf(&self->d, 65536, &self->in));
	ASSERT_EQ(0, dev_buf(&self->d, 65536, &self->out));
	self->l1 = self->d.info.limits.cb_base;
}

FIXTURE_TEARDOWN(profile)
{
	free(self->stats);
	dev_close(&self->d);
}

static void profile(struct __test_metadata *_metadata, FIXTURE_DATA(profile) *self,
		    struct dev_job *job, uint32_t code)
{
	struct dev_submit how = { .flags = DRM_TESSERA_RUN_PROFILE };
	struct drm_tessera_status s;
	uint32_t run;

	ASSERT_EQ(0, dev_submit(job, &how, &run));
	ASSERT_EQ(0, uapi_end(self->d.fd, run, &s));
	ASSERT_EQ(code, s.code)
		dev_status_print(&s);
	free(self->stats);
	ASSERT_EQ(0, dev_run_stats(&self->d, run, &self->stats, &self->n));
	uapi_close_run(self->d.fd, run);
}

static const struct drm_tessera_proc_stats *one(struct __test_metadata *_metadata,
						FIXTURE_DATA(profile) *self,
						struct dev_job *job)
{
	profile(_metadata, self, job, DRM_TESSERA_CODE_OK);
	ASSERT_EQ(1, self->n);
	return self->stats;
}

/* A needless copy would show here, and so would one that is not counted (IO-2). */
TEST_F(profile, bytes_are_counted_exactly)
{
	struct dev_job *job = dev_job(&self->d);
	const struct drm_tessera_proc_stats *s;

	dev_job_script(job, TSR_PROC_DM1, 2, 1,
		       STEPS(NOC_BUFFER(0, 0, self->l1, 1000, TSR_NOC_CMD_READ),
			     NOC_BUFFER(0, 16, self->l1, 1, TSR_NOC_CMD_READ),
			     NOC_CORE(0, 0, self->l1, self->l1, 77, TSR_NOC_CMD_READ),
			     NOC_BUFFER(1, 0, self->l1, 4096, TSR_NOC_CMD_WRITE),
			     NOC_CORE(0, 0, self->l1, self->l1, 10, TSR_NOC_CMD_WRITE),
			     NOC_CORE(0, 0, self->l1, 5, 4, TSR_NOC_CMD_WRITE_WORD)));
	dev_job_bind(job, TESSERA_ACCESS_IN, &self->in);
	dev_job_bind(job, TESSERA_ACCESS_OUT, &self->out);
	s = one(_metadata, self, job);
	EXPECT_EQ(2, s->x);
	EXPECT_EQ(1, s->y);
	EXPECT_EQ(TSR_PROC_DM1, s->processor);
	EXPECT_EQ(1000 + 1 + 77, s->noc_read);
	EXPECT_EQ(4096 + 10 + 4, s->noc_written);
	EXPECT_LT(0, s->instructions);
	EXPECT_LE(s->instructions, s->cycles);
	dev_job_free(job);
}

TEST_F(profile, a_processor_that_moves_nothing_has_no_bytes_and_does_not_wait)
{
	struct dev_job *job = dev_job(&self->d);
	const struct drm_tessera_proc_stats *s;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_WORK, 1000));
	s = one(_metadata, self, job);
	EXPECT_EQ(0, s->noc_read);
	EXPECT_EQ(0, s->noc_written);
	EXPECT_EQ(0, s->wait_cycles);
	EXPECT_LT(2000, s->instructions);
	dev_job_free(job);
}

/* Ten times the work: ten times the instructions, less what start and end take. */
TEST_F(profile, cycles_and_instructions_go_with_the_work)
{
	uint64_t cycles[2], instructions[2];

	for (int i = 0; i < 2; i++) {
		struct dev_job *job = dev_job(&self->d);
		const struct drm_tessera_proc_stats *s;

		dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_WORK, i ? 100000 : 10000));
		s = one(_metadata, self, job);
		cycles[i] = s->cycles;
		instructions[i] = s->instructions;
		dev_job_free(job);
	}
	EXPECT_LT(9 * cycles[0], cycles[1]);
	EXPECT_GT(11 * cycles[0], cycles[1]);
	EXPECT_LT(9 * instructions[0], instructions[1]);
	EXPECT_GT(11 * instructions[0], instructions[1]);
}

/* Who waits for a slow one waits about as long as that one works; the slow one does not wait. */
TEST_F(profile, waiting_is_counted_where_it_happens)
{
	struct dev_job *job = dev_job(&self->d);
	const struct drm_tessera_proc_stats *slow, *waits;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(WAIT_SEM(1, 1)));
	dev_job_script(job, TSR_PROC_DM0, 1, 0,
		       STEPS(STEP_WORK, 20000,
			     NOC_CORE(0, 0, SEM_REG(1, TSR_SEM_VALUE), 1, 4, TSR_NOC_CMD_SEM_INC)));
	dev_job_semaphore(job, 1, 0);
	profile(_metadata, self, job, DRM_TESSERA_CODE_OK);
	ASSERT_EQ(2, self->n);
	waits = &self->stats[0];
	slow = &self->stats[1];
	EXPECT_EQ(0, waits->x);
	EXPECT_EQ(1, slow->x);
	EXPECT_EQ(0, slow->wait_cycles);
	EXPECT_LT(slow->cycles * 9 / 10, waits->wait_cycles);
	EXPECT_GT(slow->cycles * 11 / 10 + 1000, waits->wait_cycles);
	EXPECT_LE(waits->wait_cycles, waits->cycles);
	/* Waiting executes nothing. */
	EXPECT_GT(1000, waits->instructions);
	dev_job_free(job);
}

TEST_F(profile, a_barrier_waits_as_long_as_the_transfer_is_large)
{
	uint64_t waited[2];

	for (int i = 0; i < 2; i++) {
		struct dev_job *job = dev_job(&self->d);

		dev_job_script(job, TSR_PROC_DM0, 0, 0,
			       STEPS(NOC_BUFFER(0, 0, self->l1, i ? 65536 : 1024,
						TSR_NOC_CMD_READ),
				     STEP_STORE, TSR_REG_NOC + TSR_NOC_BARRIER,
				     TSR_NOC_CLASS_READ));
		dev_job_bind(job, TESSERA_ACCESS_IN, &self->in);
		waited[i] = one(_metadata, self, job)->wait_cycles;
		dev_job_free(job);
	}
	EXPECT_LT(0, waited[0]);
	EXPECT_LT(5 * waited[0], waited[1]);
}

TEST_F(profile, processors_are_listed_in_order_and_only_those_that_took_part)
{
	struct dev_job *job = dev_job(&self->d);
	uint64_t last = 0;

	dev_job_kernel(job, dev_script(&self->d, TSR_PROC_COMPUTE), NULL, STEPS(STEP_WORK, 10));
	dev_job_kernel(job, dev_script(&self->d, TSR_PROC_DM0), NULL, STEPS(STEP_WORK, 10));
	profile(_metadata, self, job, DRM_TESSERA_CODE_OK);
	EXPECT_EQ(2 * self->d.info.limits.cores, self->n);
	for (size_t i = 0; i < self->n; i++) {
		const struct drm_tessera_proc_stats *s = &self->stats[i];
		uint64_t place = ((uint64_t)s->y << 32 | s->x << 8 | s->processor) + 1;

		EXPECT_LT(last, place);
		EXPECT_NE(TSR_PROC_DM1, s->processor);
		last = place;
	}
	dev_job_free(job);
}

/* A run that failed has figures too: they show how far it came. */
TEST_F(profile, faulting_run_has_figures)
{
	struct dev_job *job = dev_job(&self->d);

	dev_job_script(job, TSR_PROC_DM0, 3, 3,
		       STEPS(NOC_BUFFER(0, 0, self->l1, 512, TSR_NOC_CMD_READ), STEP_ILLEGAL));
	dev_job_bind(job, TESSERA_ACCESS_IN, &self->in);
	profile(_metadata, self, job, DRM_TESSERA_CODE_FAULT);
	ASSERT_EQ(1, self->n);
	EXPECT_EQ(512, self->stats[0].noc_read);
	dev_job_free(job);
}

DEV_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Same program, inputs and seed: same results and the same cycle counts of every processor, on
 * a deterministic device (DEV-5), whatever else it executes, and in its next life too.
 */
#include "common_harness.h"
#include "common_ring.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK	16

/** struct figures - of one run of the ring */
struct figures {
	struct drm_tessera_proc_stats *procs;
	size_t count;
	uint32_t flags;			/* of the status */
};

static void measure(struct __test_metadata *_metadata, struct ring *ring, uint32_t seed,
		    struct figures *ret)
{
	struct dev_submit how = { .flags = DRM_TESSERA_RUN_PROFILE };
	struct drm_tessera_status s;
	struct dev *d = ring->job->d;
	uint32_t run;

	ring_fill(ring, seed);
	ASSERT_EQ(0, dev_submit(ring->job, &how, &run));
	ASSERT_EQ(0, uapi_end(d->fd, run, &s));
	ASSERT_EQ(DRM_TESSERA_CODE_OK, s.code)
		dev_status_print(&s);
	ASSERT_EQ(0, ring_wrong(ring));
	ASSERT_EQ(0, dev_run_stats(d, run, &ret->procs, &ret->count));
	ASSERT_EQ(ring->ranks, ret->count);
	ret->flags = s.flags;
	uapi_close_run(d->fd, run);
}

/* Equal in every figure of every processor; a difference anywhere is a leak of host time. */
static void expect_equal(struct __test_metadata *_metadata, const struct figures *a,
			 const struct figures *b)
{
	ASSERT_EQ(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct drm_tessera_proc_stats *p = &a->procs[i], *q = &b->procs[i];

		EXPECT_EQ(0, memcmp(p, q, sizeof(*p)))
			TH_LOG("%u,%u: cycles %llu and %llu, instructions %llu and %llu, "
			       "waited %llu and %llu", p->x, p->y, p->cycles, q->cycles,
			       p->instructions, q->instructions, p->wait_cycles, q->wait_cycles);
	}
}

static struct figures measure_in_a_new_life(struct __test_metadata *_metadata,
					    const char *attributes)
{
	struct figures f;
	struct ring ring;
	struct dev d;

	ASSERT_EQ(0, soft_open(&d, "life", attributes));
	ASSERT_EQ(0, ring_new(&d, CHUNK, &ring));
	measure(_metadata, &ring, 1, &f);
	ring_free(&ring);
	soft_close(&d, "life");
	return f;
}

FIXTURE(det)
{
	struct dev d;
	struct ring ring;
	struct figures first;
};

FIXTURE_SETUP(det)
{
	ASSERT_EQ(0, soft_open(&self->d, "det", "deterministic=1 seed=7 no_progress_ms=300"));
	ASSERT_TRUE(self->d.info.caps & DRM_TESSERA_CAP_DETERMINISTIC);
	ASSERT_EQ(0, ring_new(&self->d, CHUNK, &self->ring));
	measure(_metadata, &self->ring, 1, &self->first);
}

FIXTURE_TEARDOWN(det)
{
	ring_free(&self->ring);
	soft_close(&self->d, "det");
}

TEST_F(det, same_run_takes_the_same_cycles)
{
	struct figures again;

	for (int i = 0; i < 5; i++) {
		measure(_metadata, &self->ring, 1, &again);
		expect_equal(_metadata, &self->first, &again);
		free(again.procs);
	}
	/* All cores of a ring wait for others: if one never did, nothing was measured. */
	for (size_t i = 0; i < self->first.count; i++) {
		EXPECT_LT(0, self->first.procs[i].cycles);
		EXPECT_LT(0, self->first.procs[i].wait_cycles);
	}
}

/* Time depends on what is executed, not on the values: the sums do not branch. */
TEST_F(det, other_inputs_of_the_same_shape_take_the_same_cycles)
{
	struct figures other;

	measure(_metadata, &self->ring, 99, &other);
	expect_equal(_metadata, &self->first, &other);
	free(other.procs);
}

TEST_F(det, other_work_in_between_changes_nothing)
{
	struct drm_tessera_status s;
	struct figures again;

	EXPECT_EQ(0, dev_good_run(&self->d));
	measure(_metadata, &self->ring, 1, &again);
	expect_equal(_metadata, &self->first, &again);
	/* A fault and a hang, both of which leave a wreck that is scrubbed. */
	ASSERT_EQ(0, dev_steps(&self->d, TSR_PROC_DM1, 2, 2, STEPS(STEP_ILLEGAL), &s));
	ASSERT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	ASSERT_EQ(0, dev_steps(&self->d, TSR_PROC_DM0, 0, 0, STEPS(STEP_SPIN), &s));
	ASSERT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code);
	measure(_metadata, &self->ring, 1, &again);
	expect_equal(_metadata, &self->first, &again);
}

TEST_F(det, queue_and_context_change_nothing)
{
	struct dev_job *filler = dev_job(&self->d);
	struct figures again;
	uint32_t run[6];

	dev_job_script(filler, TSR_PROC_DM0, 3, 0, STEPS(STEP_WORK, 20000));
	for (int i = 0; i < 6; i++)
		ASSERT_EQ(0, dev_submit(filler, NULL, &run[i]));
	ASSERT_EQ(0, uapi_context(self->d.fd, 4, &self->d.ctx));
	measure(_metadata, &self->ring, 1, &again);
	expect_equal(_metadata, &self->first, &again);
	dev_job_free(filler);
}

/* Who executes is no matter: the submitter's own thread, a worker, or both in turn. */
TEST_F(det, inline_and_worker_execution_take_the_same_cycles)
{
	static const char *const budgets[] = {
		"deterministic=1 seed=7 inline_budget=0",
		"deterministic=1 seed=7 inline_budget=5000",
		"deterministic=1 seed=7 inline_budget=1000000000",
		"deterministic=1 seed=7 workers=4",
	};

	for (size_t i = 0; i < ARRAY_SIZE(budgets); i++) {
		struct figures f = measure_in_a_new_life(_metadata, budgets[i]);

		expect_equal(_metadata, &self->first, &f);
		if (i == 0) {
			EXPECT_FALSE(f.flags & DRM_TESSERA_STATUS_INLINE);
		}
		free(f.procs);
	}
}

TEST_F(det, next_life_of_the_device_takes_the_same_cycles)
{
	struct figures f = measure_in_a_new_life(_metadata, "deterministic=1 seed=7");

	expect_equal(_metadata, &self->first, &f);
	free(f.procs);
}

/* The discriminator: a test that saw no difference here would see none anywhere. */
TEST_F(det, another_timing_takes_other_cycles)
{
	struct figures f = measure_in_a_new_life(_metadata,
						 "deterministic=1 seed=7 timing/noc_latency=61");

	ASSERT_EQ(self->first.count, f.count);
	for (size_t i = 0; i < f.count; i++) {
		EXPECT_NE(self->first.procs[i].cycles, f.procs[i].cycles);
		EXPECT_EQ(self->first.procs[i].instructions, f.procs[i].instructions);
	}
	free(f.procs);
}

TEST_F(det, kernels_read_the_seed_and_their_own_clock)
{
	uint32_t l1 = self->d.info.limits.cb_base, *w;
	struct drm_tessera_status s;
	struct dev_job *job = dev_job(&self->d);
	struct dev_buf out;
	uint32_t first[4];

	ASSERT_EQ(7, self->d.info.seed);
	ASSERT_EQ(0, dev_buf(&self->d, 4096, &out));
	w = out.mem;
	dev_job_script(job, TSR_PROC_DM0, 1, 1,
		       STEPS(STEP_REGS, TSR_REG_CORE + TSR_CORE_SEED, 1, 0, l1,
			     STEP_CYCLES, l1 + 8,
			     NOC_BUFFER(0, 0, l1, 16, TSR_NOC_CMD_WRITE)));
	dev_job_bind(job, TESSERA_ACCESS_OUT, &out);
	for (int i = 0; i < 3; i++) {
		memset(out.mem, 0xff, 64);
		ASSERT_EQ(0, dev_execute(job, &s));
		EXPECT_EQ(7, w[0]);
		EXPECT_LT(0, w[2]);
		EXPECT_EQ(0, w[3]);
		if (!i)
			memcpy(first, w, sizeof(first));
		EXPECT_EQ(0, memcmp(first, w, sizeof(first)));
	}
	dev_job_free(job);
}

DEV_HARNESS_MAIN

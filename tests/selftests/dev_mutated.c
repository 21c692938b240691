// SPDX-License-Identifier: MIT
/*
 * Compiled kernels with wrong bytes in them (SEC-3): unlike random ones they get far, through NoC,
 * circular buffers and semaphores. Whatever becomes of such a run, the run of another context
 * after it succeeds, each time, and memory that is not its own to write stays as it was.
 *
 * TSR_SEED picks other mutations, TSR_ROUNDS more of them.
 */
#include "common_guard.h"
#include "common_harness.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS	150
#define SIZE	16384

static const char *const sources[] = {
	"tests/selftests/kernels/script.c", "tests/lib/device/noc.c", "tests/lib/device/cb.c",
};

static uint32_t state;

static uint32_t rnd(void)
{
	return guard_random(&state);
}

FIXTURE(mutated)
{
	struct dev d;
	struct dev_buf in, both, other;
	struct dev_image kernels[ARRAY_SIZE(sources)][TSR_PROCS_PER_CORE];
	uint32_t ctx;			/* of the innocent */
	struct dev_job *good;
};

static void make_innocent(struct __test_metadata *_metadata, FIXTURE_DATA(mutated) *self)
{
	ASSERT_EQ(0, uapi_context(self->d.fd, 0, &self->ctx));
	self->good = dev_job(&self->d);
	/* It would not succeed if it saw a semaphore of the run before. */
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		dev_job_kernel(self->good, dev_script(&self->d, p), NULL,
			       STEPS(STEP_FAIL_IF, RV_SEM(1, TSR_SEM_VALUE), 7, STEP_WORK, 20));
	dev_job_semaphore(self->good, 1, 7);
	ASSERT_EQ(0, dev_job_program(self->good));
}

FIXTURE_SETUP(mutated)
{
	ASSERT_EQ(0, soft_open(&self->d, "mutated",
			       "width=2 height=2 no_progress_ms=30 run_limit_ms=200"));
	ASSERT_EQ(0, guard_buf(&self->d, SIZE, &self->in));
	ASSERT_EQ(0, dev_buf(&self->d, SIZE, &self->both));
	ASSERT_EQ(0, guard_buf(&self->d, SIZE, &self->other));
	for (uint32_t k = 0; k < ARRAY_SIZE(sources); k++)
		for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
			ASSERT_EQ(0, dev_compile(&self->d, sources[k], NULL, p,
						 &self->kernels[k][p]));
	make_innocent(_metadata, self);
}

FIXTURE_TEARDOWN(mutated)
{
	soft_close(&self->d, "mutated");
}

/* Bytes, bits and whole instructions. */
static void mutate(struct dev_image *image)
{
	for (uint32_t n = rnd() % 8; n; n--) {
		uint32_t at = rnd() % image->rec.data_size;

		switch (rnd() % 3) {
		case 0:
			image->data[at] = rnd();
			break;
		case 1:
			image->data[at] ^= 1u << rnd() % 8;
			break;
		default:
			at &= ~3u;
			memcpy(image->data + at, image->data + rnd() % (image->rec.data_size / 4) * 4,
			       image->rec.data_size - at < 4 ? image->rec.data_size - at : 4);
			break;
		}
	}
}

/* A script that ends well, through everything that a kernel has; one word may be wrong. */
static uint32_t make_words(const struct tessera_limits *l, uint32_t *words)
{
	/* Now and then to the input, or to a binding that is not there. */
	const uint32_t target = rnd() % 8 ? 1 : rnd() % 4;
	const uint32_t script[] = {
		STEP_WORK, 20, STEP_FILL, l->cb_base, 1, 32,
		NOC_BUFFER(0, 64, l->cb_base + 512, 64, TSR_NOC_CMD_READ),
		NOC_BUFFER(target, 128, l->cb_base, 64, TSR_NOC_CMD_WRITE),
		NOC_CORE(1, 1, l->cb_base + 1024, l->cb_base, 64, TSR_NOC_CMD_WRITE),
		NOC_RECT(0, 0, 1, 1, l->cb_base + 2048, l->cb_base, 64, TSR_NOC_CMD_WRITE),
		STEP_STORE, SEM_REG(1, TSR_SEM_ADD), 1, WAIT_SEM(1, 1), STEP_BEAT, 2, 5,
		STEP_PRINT, 1, 2, STEP_END,
	};

	memcpy(words, script, sizeof(script));
	if (rnd() % 3 == 0)
		words[rnd() % ARRAY_SIZE(script)] = rnd() % 2 ? rnd() : rnd() % 24;
	return ARRAY_SIZE(script);
}

/* A run of one kernel, mutated: on all processors of all cores, or on one of them. */
static void run_mutant(struct __test_metadata *_metadata, FIXTURE_DATA(mutated) *self,
		       uint32_t *ret_run)
{
	const struct dev_image *from = self->kernels[rnd() % 3 ? 0 : rnd() % ARRAY_SIZE(sources)];
	struct dev_image images[TSR_PROCS_PER_CORE];
	struct dev_job *job = dev_job(&self->d);
	uint32_t words[64], n = make_words(&self->d.info.limits, words);
	uint32_t only = rnd() % (2 * TSR_PROCS_PER_CORE);
	const struct tessera_range core = { 1, 0, 1, 0 };

	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++) {
		images[p] = from[p];
		images[p].data = malloc(from[p].rec.data_size);
		ASSERT_NE(NULL, images[p].data);
		memcpy(images[p].data, from[p].data, from[p].rec.data_size);
		mutate(&images[p]);
		if (only >= TSR_PROCS_PER_CORE || only == p)
			dev_job_kernel(job, &images[p], only == p ? &core : NULL, words, n);
	}
	dev_job_semaphore(job, 1, rnd() % 4);
	dev_job_cb(job, 0, 2048, 2, TSR_FORMAT_BF16);
	dev_job_cb(job, 1, 64, 4, TSR_FORMAT_RAW);
	dev_job_bind(job, TESSERA_ACCESS_IN, &self->in);
	dev_job_bind(job, TESSERA_ACCESS_INOUT, &self->both);
	ASSERT_EQ(0, dev_submit(job, NULL, ret_run));
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		free(images[p].data);
	dev_job_free(job);
}

static void innocent_succeeds(struct __test_metadata *_metadata, FIXTURE_DATA(mutated) *self)
{
	struct dev_submit how = { .ctx = self->ctx };
	struct drm_tessera_status s;
	uint32_t run;

	ASSERT_EQ(0, dev_submit(self->good, &how, &run));
	ASSERT_EQ(0, dev_finish(&self->d, run, &s));
	ASSERT_EQ(DRM_TESSERA_CODE_OK, s.code) {
		dev_status_print(&s);
	}
}

TEST_F_TIMEOUT(mutated, others_do_not_notice, 150)
{
	const char *seed = getenv("TSR_SEED"), *rounds = getenv("TSR_ROUNDS");
	uint32_t count = rounds ? strtoul(rounds, NULL, 0) : ROUNDS, codes[32] = { 0 }, run;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;

	state = seed ? strtoul(seed, NULL, 0) | 1 : 2463534242u;
	for (uint32_t i = 0; i < count; i++) {
		run_mutant(_metadata, self, &run);
		/* Queued behind it, by another context. */
		innocent_succeeds(_metadata, self);
		ASSERT_EQ(0, dev_finish(&self->d, run, &s));
		ASSERT_GT(ARRAY_SIZE(codes), s.code);
		codes[s.code]++;
		ASSERT_TRUE(guard_intact(&self->in))
			TH_LOG("round %u wrote to an input", i);
		ASSERT_TRUE(guard_intact(&self->other))
			TH_LOG("round %u wrote to a buffer that was not bound", i);
	}
	TH_LOG("%u faults, %u without progress, %u succeeded", codes[DRM_TESSERA_CODE_FAULT],
	       codes[DRM_TESSERA_CODE_NO_PROGRESS], codes[DRM_TESSERA_CODE_OK]);
	/* Each end was met: else the mutants are not what they are meant to be. */
	EXPECT_LT(0, codes[DRM_TESSERA_CODE_FAULT]);
	EXPECT_LT(0, codes[DRM_TESSERA_CODE_OK]);
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c));
	/* No program may cost the device its health. */
	EXPECT_EQ(0, c.resets);
	EXPECT_EQ(0, c.runs_failed_device);
	EXPECT_EQ(0, c.runs_quarantined);
}

DEV_HARNESS_MAIN

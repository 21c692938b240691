// SPDX-License-Identifier: MIT
/* The program cache (PC) with real programs, without a device. */
#include <pthread.h>

#include "common_alloc.h"
#include "common_rig.h"
#include "kselftest_harness.h"
#include "memo.h"

static int words_of(struct tsr_resources *res, uint32_t semaphore_value)
{
	const int64_t words[] = { 1, 2, 3, 4 };
	struct tsr_semaphore s = { .initial = semaphore_value };
	struct tsr_entry *e;
	int err = tsr_resources_add_entry(res, RIG_MOVER, &e);

	for (uint16_t y = 0; !err && y < 2; y++)
		for (uint16_t x = 0; !err && x < 3; x++)
			err = tsr_entry_add_words(e, x, y, words, 4);
	return err ? err : tsr_resources_add_semaphore(res, &s);
}

static uint32_t which;

static int fill(struct rig *rig, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	return words_of(res, which);
}

FIXTURE(programs) {
	struct rig *rig;
	struct tsr_cache_stats stats;
};

FIXTURE_SETUP(programs)
{
	self->rig = rig_new();
	self->rig->fill = fill;
	rig_add_usual(self->rig);
}

FIXTURE_TEARDOWN(programs)
{
	rig_free(self->rig);
}

/* More than 0: something on the warm path allocates, and an execution may fail for want of it. */
TEST_F(programs, a_hit_allocates_nothing)
{
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, rig_prepare(self->rig));
	alloc_fail(0, false);
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(0, rig_prepare(self->rig));
	EXPECT_EQ(0, alloc_count());
	tsr_cache_stats(self->rig->dev, &self->stats);
	EXPECT_EQ(102, self->stats.hits);
	EXPECT_EQ(1, self->stats.builds);
}

/* A digest of no bytes is the same for all: only the keys' bytes tell programs apart (PC-1). */
TEST_F(programs, with_colliding_digests_each_gets_its_own)
{
	struct tsr_program *programs[8];

	tsr_memo_set_digest_bytes(self->rig->dev->programs, 0);
	for (int round = 0; round < 2; round++)
		for (which = 0; which < 8; which++) {
			ASSERT_EQ(0, rig_prepare(self->rig));
			if (round)
				EXPECT_EQ(programs[which], self->rig->program);
			programs[which] = self->rig->program;
		}
	for (int i = 0; i < 8; i++)
		for (int k = 0; k < i; k++) {
			EXPECT_NE(programs[i], programs[k]);
			EXPECT_NE(0, memcmp(programs[i]->blob, programs[k]->blob,
					    programs[i]->blob_size));
		}
	tsr_cache_stats(self->rig->dev, &self->stats);
	EXPECT_EQ(8, self->stats.builds);
	EXPECT_EQ(8, self->stats.hits);
	EXPECT_GE(self->stats.collisions, 28);
	which = 0;
}

static void *submit_once(void *arg)
{
	struct rig *rig = arg;
	struct tsr_diag *diag = NULL;
	struct tsr_run *run;
	int err = tsr_submit(rig->op, rig->ctx, NULL, 0, NULL, &run, &diag);

	tsr_diag_free(diag);
	return (void *)(intptr_t)err;
}

/* builds above 1: they did not wait for each other. factory_calls below 8: RR-1 is broken. */
TEST_F(programs, eight_threads_with_one_structure_build_one_program)
{
	struct tsr_library_stats stats;
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, submit_once, self->rig);
	for (int i = 0; i < 8; i++) {
		void *err;

		pthread_join(threads[i], &err);
		EXPECT_EQ(-ENODEV, (intptr_t)err);
	}
	tsr_cache_stats(self->rig->dev, &self->stats);
	tsr_library_stats(self->rig->dev, &stats);
	EXPECT_EQ(1, self->stats.builds);
	EXPECT_EQ(1, self->stats.misses);
	EXPECT_EQ(7, self->stats.hits + self->stats.waits);
	EXPECT_EQ(1, stats.programs);
	EXPECT_EQ(8, stats.factory_calls);
}

TEST_HARNESS_MAIN

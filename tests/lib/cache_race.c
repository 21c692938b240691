// SPDX-License-Identifier: MIT
/*
 * Matching against evicting (PC-6). Finding an entry and referencing its value are one step; were
 * they two, an eviction between them would free what was found. tests/lib/cache_race_tsan.sh runs
 * this with TSR_ROUNDS=1000000 under the thread sanitizer.
 */
#include <pthread.h>
#include <stdlib.h>

#include "common_value.h"
#include "kselftest_harness.h"

#define THREADS	4

static const struct tsr_memo_ops ops = { value_ref, value_unref };
static struct tsr_memo *memo;
static long rounds;

static void build(void *ctx, struct tsr_built *ret)
{
	ret->value = value_new(*(const int *)ctx);
}

static bool get(int number)
{
	struct tsr_key key = value_key(&number);
	void *value;

	return !tsr_memo_get(memo, &key, false, build, &number, &value, NULL) &&
	       value_take(value) == number;
}

static void *match(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg;

	for (long i = 0; i < rounds; i++) {
		seed = seed * 1103515245 + 12345;
		if (!get(seed >> 16 & 7))
			return (void *)1;
	}
	return NULL;
}

/* Room for 3 of 8 keys, so that most rounds evict; and now and then all go. */
FIXTURE(race) {
};

FIXTURE_SETUP(race)
{
	const char *text = getenv("TSR_ROUNDS");

	rounds = (text ? atol(text) : 40000) / THREADS;
	memo = tsr_memo_new(&ops);
}

FIXTURE_TEARDOWN(race)
{
	tsr_memo_free(memo);
	EXPECT_EQ(0, values_live);
}

TEST_F_TIMEOUT(race, match_and_evict, 280)
{
	struct tsr_cache_limits limits;
	struct tsr_cache_stats stats;
	pthread_t threads[THREADS];

	tsr_memo_limits(memo, &limits);
	limits.entries = 3;
	ASSERT_EQ(0, tsr_memo_set_limits(memo, &limits));
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, match, (void *)i);
	for (int i = 0; i < 100; i++) {
		tsr_memo_clear(memo);
		usleep(500);
	}
	for (int i = 0; i < THREADS; i++) {
		void *bad;

		pthread_join(threads[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
	tsr_memo_stats(memo, &stats);
	EXPECT_LE(stats.entries, 3);
	EXPECT_EQ(0, stats.in_flight);
	EXPECT_EQ(0, stats.queued);
	EXPECT_GT(stats.evictions, 100);
	EXPECT_EQ(rounds * THREADS, stats.hits + stats.misses + stats.waits);
}

TEST_HARNESS_MAIN

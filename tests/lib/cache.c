// SPDX-License-Identifier: MIT
/* The cache (PC), with numbers for values. Statistics are the discriminators. */
#include <pthread.h>
#include <unistd.h>

#include "common_rig.h"
#include "common_value.h"
#include "kselftest_harness.h"

static const struct tsr_memo_ops ops = { value_ref, value_unref };

/* What a build does. */
struct recipe {
	int number;
	int err;
	bool lasting;
	size_t bytes;
	size_t text;		/* length of what it says when it fails */
	useconds_t takes;
	void (*inside)(void);
};

static void build(void *ctx, struct tsr_built *ret)
{
	const struct recipe *r = ctx;
	if (r->takes)
		usleep(r->takes);
	if (r->inside)
		r->inside();
	ret->err = r->err;
	ret->lasting = r->lasting;
	ret->bytes = r->bytes;
	if (r->text) {
		ret->diag = tsr_diag_new();
		tsr_diag_note(ret->diag, (struct tsr_note){
			.rule = TSR_JIT2,
			.message = tsr_text("%*s", (int)r->text, "no"),
		});
	}
	if (r->err)
		return;
	ret->value = value_new(r->number);
}

FIXTURE(cache) {
	struct tsr_memo *memo;
	struct tsr_cache_limits limits;
	struct tsr_cache_stats stats;
};

FIXTURE_SETUP(cache)
{
	self->memo = tsr_memo_new(&ops);
	tsr_memo_limits(self->memo, &self->limits);
}

FIXTURE_TEARDOWN(cache)
{
	tsr_memo_free(self->memo);
	EXPECT_EQ(0, values_live);
}

static int get_with(struct tsr_memo *memo, const struct recipe *r, bool refuse)
{
	struct tsr_key key = value_key(&r->number);
	void *value;
	int err;

	err = tsr_memo_get(memo, &key, refuse, build, (void *)r, &value, NULL);
	return err ? err : value_take(value);
}

static int get(struct tsr_memo *memo, int number)
{
	struct recipe r = { .number = number };

	return get_with(memo, &r, false);
}

#define STATS()	tsr_memo_stats(self->memo, &self->stats)

TEST_F(cache, the_second_time_is_a_hit)
{
	EXPECT_EQ(5, get(self->memo, 5));
	EXPECT_EQ(5, get(self->memo, 5));
	EXPECT_EQ(6, get(self->memo, 6));
	STATS();
	EXPECT_EQ(1, self->stats.hits);
	EXPECT_EQ(2, self->stats.misses);
	EXPECT_EQ(2, self->stats.builds);
	EXPECT_EQ(2, self->stats.entries);
	EXPECT_EQ(2, values_live);
}

TEST_F(cache, default_limits_and_none_may_be_zero)
{
	struct tsr_cache_limits bad;

	EXPECT_EQ(128, self->limits.entries);
	EXPECT_EQ(64u << 20, self->limits.bytes);
	EXPECT_EQ(16, self->limits.in_flight);
	EXPECT_EQ(64, self->limits.queued);
	bad = self->limits;
	bad.entries = 0;
	EXPECT_EQ(-EINVAL, tsr_memo_set_limits(self->memo, &bad));
	bad = self->limits;
	bad.bytes = 0;
	EXPECT_EQ(-EINVAL, tsr_memo_set_limits(self->memo, &bad));
	bad = self->limits;
	bad.in_flight = 0;
	EXPECT_EQ(-EINVAL, tsr_memo_set_limits(self->memo, &bad));
	bad = self->limits;
	bad.queued = 0;
	EXPECT_EQ(-EINVAL, tsr_memo_set_limits(self->memo, &bad));
	bad = self->limits;
	bad.reserved[3] = 1;
	EXPECT_EQ(-EINVAL, tsr_memo_set_limits(self->memo, &bad));
}

TEST_F(cache, the_least_recently_used_goes_first)
{
	self->limits.entries = 2;
	ASSERT_EQ(0, tsr_memo_set_limits(self->memo, &self->limits));
	get(self->memo, 1);
	get(self->memo, 2);
	get(self->memo, 1);
	get(self->memo, 3);	/* 2 goes */
	get(self->memo, 1);
	STATS();
	EXPECT_EQ(1, self->stats.evictions);
	EXPECT_EQ(2, self->stats.hits);
	get(self->memo, 2);
	STATS();
	EXPECT_EQ(4, self->stats.builds);
	EXPECT_EQ(2, self->stats.entries);
}

TEST_F(cache, lower_limits_evict_at_once)
{
	for (int i = 0; i < 10; i++)
		get(self->memo, i);
	self->limits.entries = 3;
	ASSERT_EQ(0, tsr_memo_set_limits(self->memo, &self->limits));
	STATS();
	EXPECT_EQ(3, self->stats.entries);
	EXPECT_EQ(7, self->stats.evictions);
	EXPECT_EQ(3, values_live);
}

TEST_F(cache, a_value_larger_than_the_limit_is_returned_but_not_kept)
{
	struct recipe large = { .number = 1, .bytes = 2000 };

	get(self->memo, 2);
	self->limits.bytes = 1000;
	ASSERT_EQ(0, tsr_memo_set_limits(self->memo, &self->limits));
	EXPECT_EQ(1, get_with(self->memo, &large, false));
	EXPECT_EQ(1, get_with(self->memo, &large, false));
	STATS();
	EXPECT_EQ(3, self->stats.builds);
	EXPECT_EQ(1, self->stats.entries);	/* the small one did not go for it */
	EXPECT_LE(self->stats.bytes, 1000);
}

TEST_F(cache, an_entry_in_use_survives_eviction)
{
	struct recipe r = { .number = 1 };
	struct tsr_key key = value_key(&r.number);
	void *value;

	ASSERT_EQ(0, tsr_memo_get(self->memo, &key, false, build, &r, &value, NULL));
	tsr_memo_clear(self->memo);
	EXPECT_EQ(1, values_live);
	EXPECT_EQ(1, ((struct value *)value)->number);
	value_unref(value);
	EXPECT_EQ(0, values_live);
}

TEST_F(cache, colliding_digests_give_right_values)
{
	tsr_memo_set_digest_bytes(self->memo, 0);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 8; i++)
			EXPECT_EQ(i, get(self->memo, i));
	STATS();
	EXPECT_EQ(8, self->stats.builds);
	EXPECT_EQ(8, self->stats.hits);
	EXPECT_GT(self->stats.collisions, 0);
}

TEST_F(cache, many_entries)
{
	self->limits.entries = 100000;
	ASSERT_EQ(0, tsr_memo_set_limits(self->memo, &self->limits));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 2000; i++)
			ASSERT_EQ(i, get(self->memo, i));
	STATS();
	EXPECT_EQ(2000, self->stats.builds);
	EXPECT_EQ(2000, self->stats.hits);
	EXPECT_EQ(0, self->stats.collisions);
}

TEST_F(cache, lasting_failures_are_remembered_and_passing_ones_are_not)
{
	struct recipe lasting = { .number = 1, .err = -ENOEXEC, .lasting = true };
	struct recipe passing = { .number = 2, .err = -ENOMEM };

	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(-ENOEXEC, get_with(self->memo, &lasting, false));
		EXPECT_EQ(-ENOMEM, get_with(self->memo, &passing, false));
	}
	STATS();
	EXPECT_EQ(4, self->stats.builds);
	EXPECT_EQ(2, self->stats.negative_hits);
	EXPECT_EQ(1, self->stats.entries);
	EXPECT_EQ(2, get(self->memo, 2));
}

TEST_F(cache, what_has_no_identity_is_built_every_time)
{
	struct recipe r = { .number = 1 };
	struct tsr_key key = value_key(&r.number);
	void *value;

	key.known = false;
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, tsr_memo_get(self->memo, &key, false, build, &r, &value, NULL));
		value_unref(value);
	}
	STATS();
	EXPECT_EQ(2, self->stats.uncacheable);
	EXPECT_EQ(2, self->stats.builds);
	EXPECT_EQ(0, self->stats.misses);
	EXPECT_EQ(0, self->stats.entries);
	EXPECT_EQ(0, values_live);
}

/* --- several threads ----------------------------------------------------------------------- */

static struct tsr_memo *shared;
static struct recipe shared_recipe;
static int nested_result;

static void *get_shared(void *arg)
{
	return (void *)(intptr_t)get_with(shared, &shared_recipe, false);
}

TEST_F(cache, eight_threads_on_one_key_build_once)
{
	pthread_t threads[8];

	shared = self->memo;
	shared_recipe = (struct recipe){ .number = 3, .takes = 50000 };
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, get_shared, NULL);
	for (int i = 0; i < 8; i++) {
		void *number;

		pthread_join(threads[i], &number);
		EXPECT_EQ(3, (intptr_t)number);
	}
	STATS();
	EXPECT_EQ(1, self->stats.builds);
	EXPECT_EQ(1, self->stats.misses);
	EXPECT_EQ(7, self->stats.waits + self->stats.hits);
	EXPECT_EQ(0, self->stats.in_flight);
}

TEST_F(cache, waiters_share_a_failure_that_passes_but_nobody_after_them)
{
	pthread_t threads[4];

	shared = self->memo;
	shared_recipe = (struct recipe){ .number = 3, .takes = 50000, .err = -ENOMEM };
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, get_shared, NULL);
	for (int i = 0; i < 4; i++) {
		void *err;

		pthread_join(threads[i], &err);
		EXPECT_EQ(-ENOMEM, (intptr_t)err);
	}
	EXPECT_EQ(3, get(self->memo, 3));
	STATS();
	EXPECT_EQ(0, self->stats.negative_hits);
}

static void nest(void)
{
	nested_result = get(shared, 4);
}

TEST_F(cache, a_build_that_wants_itself_is_refused)
{
	shared = self->memo;
	shared_recipe = (struct recipe){ .number = 4, .inside = nest };
	EXPECT_EQ(4, get_with(self->memo, &shared_recipe, false));
	EXPECT_EQ(-EDEADLK, nested_result);
}

static void clear(void)
{
	tsr_memo_clear(shared);
}

/* Fewer bytes would mean that a cache of failures grows beyond its limit by what compilers say. */
TEST_F(cache, what_a_failure_says_counts_as_retained)
{
	struct recipe fails = { .number = 6, .err = -ENOEXEC, .lasting = true, .text = 5000 };

	EXPECT_EQ(-ENOEXEC, get_with(self->memo, &fails, false));
	STATS();
	EXPECT_EQ(1, self->stats.entries);
	EXPECT_LT(5000, self->stats.bytes);
	EXPECT_GT(6000, self->stats.bytes);
	self->limits.bytes = 5000;
	ASSERT_EQ(0, tsr_memo_set_limits(self->memo, &self->limits));
	STATS();
	EXPECT_EQ(0, self->stats.entries);
	EXPECT_EQ(0, self->stats.bytes);
	EXPECT_EQ(-ENOEXEC, get_with(self->memo, &fails, false));
	STATS();
	EXPECT_EQ(0, self->stats.entries);
	EXPECT_EQ(0, self->stats.negative_hits);
}

TEST_F(cache, a_build_in_flight_is_not_inserted_after_a_clear)
{
	shared = self->memo;
	shared_recipe = (struct recipe){ .number = 4, .inside = clear };
	EXPECT_EQ(4, get_with(self->memo, &shared_recipe, false));
	STATS();
	EXPECT_EQ(0, self->stats.entries);
	EXPECT_EQ(0, values_live);
	EXPECT_EQ(1, self->stats.clears);
	EXPECT_EQ(4, get(self->memo, 4));
	STATS();
	EXPECT_EQ(2, self->stats.builds);
}

static void *get_number(void *arg)
{
	struct recipe r = { .number = (int)(intptr_t)arg, .takes = 100000 };

	return (void *)(intptr_t)get_with(shared, &r, false);
}

TEST_F(cache, distinct_keys_build_in_parallel_up_to_the_limit_then_queue)
{
	struct recipe r = { .number = 100 };
	struct tsr_key key = value_key(&r.number);
	struct tsr_diag *diag = NULL;
	pthread_t threads[4];
	void *value;

	shared = self->memo;
	self->limits.in_flight = 2;
	self->limits.queued = 2;
	ASSERT_EQ(0, tsr_memo_set_limits(self->memo, &self->limits));
	for (intptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, get_number, (void *)i);
	do {
		usleep(1000);
		STATS();
	} while (self->stats.in_flight < 2 || self->stats.queued < 2);
	/* The queue is full: refused whether or not the caller would wait. */
	EXPECT_EQ(-EBUSY, tsr_memo_get(self->memo, &key, false, build, &r, &value, &diag));
	ASSERT_NE(NULL, diag);
	EXPECT_STREQ("PC-4", tsr_diag_finding(diag, 0)->rule);
	EXPECT_STREQ("2 in flight, 2 queued", tsr_diag_finding(diag, 0)->value);
	EXPECT_STREQ("2 in flight, 2 queued", tsr_diag_finding(diag, 0)->allowed);
	tsr_diag_free(diag);
	for (intptr_t i = 0; i < 4; i++) {
		void *number;

		pthread_join(threads[i], &number);
		EXPECT_EQ(i, (intptr_t)number);
	}
	STATS();
	EXPECT_EQ(2, self->stats.peak_in_flight);
	EXPECT_EQ(1, self->stats.refusals);
	EXPECT_EQ(0, self->stats.queued);
	EXPECT_EQ(4, self->stats.builds);
}

TEST_F(cache, who_does_not_want_to_wait_is_refused)
{
	struct recipe r = { .number = 9 };
	pthread_t thread;

	shared = self->memo;
	self->limits.in_flight = 1;
	ASSERT_EQ(0, tsr_memo_set_limits(self->memo, &self->limits));
	pthread_create(&thread, NULL, get_number, (void *)1);
	do {
		usleep(1000);
		STATS();
	} while (!self->stats.in_flight);
	EXPECT_EQ(-EBUSY, get_with(self->memo, &r, true));
	EXPECT_EQ(9, get_with(self->memo, &r, false));
	pthread_join(thread, NULL);
}

/* Finding and referencing are one step: with two, this finds freed values (PC-6). */
static void *match_and_check(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg;

	for (int i = 0; i < 20000; i++) {
		int number;

		seed = seed * 1103515245 + 12345;
		number = seed >> 16 & 7;
		if (get(shared, number) != number)
			return (void *)1;
	}
	return NULL;
}

TEST_F(cache, match_and_evict_race)
{
	pthread_t threads[4];

	shared = self->memo;
	self->limits.entries = 3;
	ASSERT_EQ(0, tsr_memo_set_limits(self->memo, &self->limits));
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, match_and_check, (void *)i);
	for (int i = 0; i < 50; i++) {
		tsr_memo_clear(self->memo);
		usleep(200);
	}
	for (int i = 0; i < 4; i++) {
		void *bad;

		pthread_join(threads[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
	STATS();
	EXPECT_LE(self->stats.entries, 3);
	EXPECT_EQ(self->stats.hits + self->stats.misses + self->stats.waits, 80000);
}

TEST_HARNESS_MAIN

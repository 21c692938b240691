// SPDX-License-Identifier: MIT
/*
 * Builds inside builds (PC-4, PC-6): a wait that could not end does not begin. A case that hangs
 * is ended by the harness: somebody holds a place, or a build, and waits for one that needs it.
 */
#include <pthread.h>

#include "common_rig.h"
#include "common_value.h"
#include "kselftest_harness.h"
#include "memo_int.h"
#include "nest.h"

/* What is built inside a build is a tree of jobs. */
static atomic_int builds;

static const struct tsr_memo_ops outer_ops = { value_ref, value_unref, 1 };
static const struct tsr_memo_ops inner_ops = { value_ref, value_unref, 2 };

struct job {
	struct tsr_memo *memo;
	int number;
	void (*before)(void);		/* called in its build, before the others are gotten */
	struct job *inside[3];		/* gotten inside its build, in this order */
	bool helped;			/* by other threads at once, that work for the build */
	bool unknown;			/* the key does not tell all */
	size_t key_bytes;		/* so much of the key; 0: all */
	int result;
};

static void get(struct job *job);

static void *helper(void *nest)
{
	struct job *job = *(struct job **)nest;

	tsr_nest_set(((const struct tsr_nest **)nest)[1]);
	get(job);
	return NULL;
}

static void get_helped(struct job *const jobs[], size_t count)
{
	const void *args[3][2];
	pthread_t helpers[3];

	for (size_t i = 0; i < count; i++) {
		args[i][0] = jobs[i];
		args[i][1] = tsr_nest_current();
		pthread_create(&helpers[i], NULL, helper, args[i]);
	}
	for (size_t i = 0; i < count; i++)
		pthread_join(helpers[i], NULL);
}

static void build(void *ctx, struct tsr_built *ret)
{
	struct job *job = ctx;
	size_t count = 0;

	atomic_fetch_add(&builds, 1);
	if (job->before)
		job->before();
	while (count < ARRAY_SIZE(job->inside) && job->inside[count])
		count++;
	if (job->helped)
		get_helped(job->inside, count);
	for (size_t i = 0; i < count && !job->helped; i++)
		get(job->inside[i]);
	ret->value = value_new(job->number);
}

static void get(struct job *job)
{
	struct tsr_key key = value_key(&job->number);
	void *value;

	key.known = !job->unknown;
	if (job->key_bytes)
		key.size = job->key_bytes;
	job->result = tsr_memo_get(job->memo, &key, false, build, job, &value, NULL);
	if (!job->result)
		job->result = value_take(value);
}

static void *get_thread(void *job)
{
	get(job);
	return NULL;
}

FIXTURE(nested) {
	struct tsr_memo *outer, *inner;
	struct tsr_cache_stats stats;
};

static void limit(struct tsr_memo *memo, uint32_t in_flight)
{
	struct tsr_cache_limits limits;

	tsr_memo_limits(memo, &limits);
	limits.in_flight = in_flight;
	if (tsr_memo_set_limits(memo, &limits))
		abort();
}

FIXTURE_SETUP(nested)
{
	self->outer = tsr_memo_new(&outer_ops);
	self->inner = tsr_memo_new(&inner_ops);
	limit(self->outer, 1);
	limit(self->inner, 1);
}

/* Whatever happened: nobody is in flight or queued, and nothing is lost. */
FIXTURE_TEARDOWN(nested)
{
	struct tsr_memo *both[] = { self->outer, self->inner };

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		tsr_memo_stats(both[i], &self->stats);
		EXPECT_EQ(0, self->stats.in_flight);
		EXPECT_EQ(0, self->stats.queued);
		tsr_memo_free(both[i]);
	}
	EXPECT_EQ(0, values_live);
}

/* Peak 1: what is built inside has the place of the outer one. 2 would be over the limit. */
TEST_F(nested, another_key_is_built_in_the_place_of_the_outer_one)
{
	struct job c = { self->outer, 3 }, b = { self->outer, 2, .inside = { &c } };
	struct job a = { self->outer, 1, .inside = { &b } };

	get(&a);
	EXPECT_EQ(1, a.result);
	EXPECT_EQ(2, b.result);
	EXPECT_EQ(3, c.result);
	tsr_memo_stats(self->outer, &self->stats);
	EXPECT_EQ(3, self->stats.builds);
	EXPECT_EQ(3, self->stats.entries);
	EXPECT_EQ(1, self->stats.peak_in_flight);
}

TEST_F(nested, also_by_a_thread_that_helps)
{
	struct job b = { self->outer, 2 };
	struct job a = { self->outer, 1, .inside = { &b }, .helped = true };

	get(&a);
	EXPECT_EQ(2, b.result);
}

TEST_F(nested, its_own_key_is_refused_to_all_that_work_for_it)
{
	struct job again = { self->outer, 1 }, deep = { self->outer, 1 };
	struct job b = { self->inner, 2, .inside = { &deep }, .helped = true };
	struct job a = { self->outer, 1, .inside = { &again, &b }, .helped = true };

	get(&a);
	EXPECT_EQ(1, a.result);
	EXPECT_EQ(2, b.result);
	EXPECT_EQ(-EDEADLK, again.result);
	EXPECT_EQ(-EDEADLK, deep.result);
}

static struct tsr_memo *to_clear;

static void clear(void)
{
	tsr_memo_clear(to_clear);
}

/* The table has forgotten it: without its own list it would be built inside itself for ever. */
TEST_F(nested, its_own_key_is_refused_after_a_clear_too)
{
	struct job again = { self->outer, 1 };
	struct job a = { self->outer, 1, .before = clear, .inside = { &again } };

	to_clear = self->outer;
	get(&a);
	EXPECT_EQ(1, a.result);
	EXPECT_EQ(-EDEADLK, again.result);
}

/* What has a key of its own, or none: it would be refused if too little of the key were compared. */
TEST_F(nested, what_only_looks_like_its_own_key_is_built)
{
	struct job other_memo = { self->inner, 1 };
	struct job shorter = { self->outer, 1, .key_bytes = 2 };
	struct job uncached = { self->outer, 1, .unknown = true };
	struct job a = { self->outer, 1, .inside = { &other_memo, &shorter, &uncached } };

	get(&a);
	EXPECT_EQ(1, a.result);
	EXPECT_EQ(1, other_memo.result);
	EXPECT_EQ(1, shorter.result);
	EXPECT_EQ(1, uncached.result);
	EXPECT_EQ(4, builds);
}

/* The only place for images is held further out; an image that waited for it would hang. */
TEST_F(nested, an_image_of_a_program_in_an_images_build_waits_for_no_place)
{
	struct job deep = { self->inner, 11 };
	struct job program = { self->outer, 1, .inside = { &deep } };
	struct job image = { self->inner, 10, .inside = { &program } };

	get(&image);
	EXPECT_EQ(10, image.result);
	EXPECT_EQ(1, program.result);
	EXPECT_EQ(11, deep.result);
	tsr_memo_stats(self->inner, &self->stats);
	EXPECT_EQ(1, self->stats.peak_in_flight);
}

/* ---- Several threads ---------------------------------------------------------------------- */

static struct job *others[3];
static pthread_t threads[3];
static struct tsr_memo *waited_in, *used_in;

/* Starts the others, one after the other: each waits, for a place or a build, before the next. */
static void start_others(void)
{
	struct tsr_cache_stats stats, used = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(others) && others[i]; i++) {
		pthread_create(&threads[i], NULL, get_thread, others[i]);
		do {
			sched_yield();
			tsr_memo_stats(waited_in, &stats);
			if (used_in)
				tsr_memo_stats(used_in, &used);
		} while (stats.queued + used.waits < i + 1);
	}
}

static void join_others(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(others) && others[i]; i++)
		pthread_join(threads[i], NULL);
}

/*
 * The only place is held by the build that needs what waits for a place, and is not the first of
 * the queue. A second build of it would be one too many.
 */
TEST_F(nested, what_waits_for_this_place_goes_on_when_it_is_needed)
{
	struct job first = { self->outer, 8 }, queued = { self->outer, 2 };
	struct job wants = { self->outer, 2 };
	struct job holds = { self->outer, 1, .before = start_others, .inside = { &wants } };

	others[0] = &first;
	others[1] = &queued;
	waited_in = self->outer;
	get(&holds);
	join_others();
	EXPECT_EQ(1, holds.result);
	EXPECT_EQ(2, wants.result);
	EXPECT_EQ(2, queued.result);
	EXPECT_EQ(8, first.result);
	EXPECT_EQ(3, builds);
}

/*
 * An image that belongs to no program is built. One program holds the only place and waits for it;
 * two others wait for the place, and the second is needed in the image's build: it must do without,
 * and the first still gets the place. A queue that lost it never ends.
 */
TEST_F(nested, what_is_needed_takes_no_place_of_one_that_waits)
{
	struct job same = { self->inner, 10 }, first = { self->outer, 8 };
	struct job queued = { self->outer, 2 };
	struct job program = { self->outer, 1, .inside = { &same } };
	struct job wants = { self->outer, 2 };
	struct job image = { self->inner, 10, .before = start_others, .inside = { &wants } };

	others[0] = &program;
	others[1] = &first;
	others[2] = &queued;
	waited_in = self->outer;
	used_in = self->inner;
	get(&image);
	join_others();
	EXPECT_EQ(10, image.result);
	EXPECT_EQ(10, same.result);
	EXPECT_EQ(2, wants.result);
	EXPECT_EQ(8, first.result);
	EXPECT_EQ(2, queued.result);
	EXPECT_EQ(1, program.result);
	EXPECT_EQ(4, builds);
}

/*
 * An image's build holds the only place for images, and needs a program whose own image waits for
 * that place.
 */
TEST_F(nested, a_place_is_lent_while_its_build_waits)
{
	struct job image = { self->inner, 10 };
	struct job program = { self->outer, 2, .inside = { &image } };
	struct job wants = { self->outer, 2 };
	struct job holds = { self->inner, 11, .before = start_others, .inside = { &wants } };
	struct job top = { self->outer, 1, .inside = { &holds } };

	limit(self->outer, 2);
	others[0] = &program;
	waited_in = self->inner;
	get(&top);
	join_others();
	EXPECT_EQ(1, top.result);
	EXPECT_EQ(2, wants.result);
	EXPECT_EQ(10, image.result);
	EXPECT_EQ(4, builds);
}

static struct tsr_memo_entry *waiting;		/* a build that waits for builds of other threads */

static void start_what_it_waits_for(void)
{
	int before = builds;

	waiting = tsr_nest_current()->entry;
	for (int i = 0; i < (int)ARRAY_SIZE(others) && others[i]; i++) {
		pthread_create(&threads[i], NULL, get_thread, others[i]);
		while (builds < before + i + 1)
			sched_yield();
	}
}

/* Until so many of its threads wait. Returns how many builds have a place then. */
static uint64_t in_flight_when_waits(struct tsr_memo *memo, unsigned int threads_wait)
{
	unsigned int lent;
	uint64_t in_flight;

	do {
		sched_yield();
		pthread_mutex_lock(&memo->lock);
		lent = waiting->lent;
		in_flight = memo->stats.in_flight;
		pthread_mutex_unlock(&memo->lock);
	} while (lent != threads_wait);
	return in_flight;
}

static uint64_t both_wait, last_waits, alone_waits;
static atomic_bool both_waited;

static void until_both_wait(void)
{
	both_wait = in_flight_when_waits(waited_in, 2);
	both_waited = true;
}

static void until_the_last_waits(void)
{
	while (!both_waited)
		sched_yield();
	last_waits = in_flight_when_waits(waited_in, 1);
}

/*
 * Two threads of a build wait for two builds. While both do, only those have a place: fewer were
 * one that is lent twice, more were none that is lent. While one still does, the place is lent.
 */
TEST_F(nested, the_last_of_a_builds_threads_takes_its_place_back)
{
	struct job early = { self->outer, 2, .before = until_both_wait };
	struct job late = { self->outer, 3, .before = until_the_last_waits };
	struct job wants[] = { { self->outer, 2 }, { self->outer, 3 } };
	struct job a = { self->outer, 1, .before = start_what_it_waits_for,
			 .inside = { &wants[0], &wants[1] }, .helped = true };

	limit(self->outer, 3);
	others[0] = &early;
	others[1] = &late;
	waited_in = self->outer;
	get(&a);
	join_others();
	EXPECT_EQ(1, a.result);
	EXPECT_EQ(2, wants[0].result);
	EXPECT_EQ(3, wants[1].result);
	EXPECT_EQ(2, both_wait);
	EXPECT_EQ(1, last_waits);
	EXPECT_EQ(3, builds);
}

static void until_it_waits(void)
{
	alone_waits = in_flight_when_waits(waited_in, 1);
}

/* The build that waits works in the place of the one around it: 0 were a place that it never had. */
TEST_F(nested, what_has_no_place_lends_that_of_the_outer_one_only)
{
	struct job other = { self->outer, 3, .before = until_it_waits };
	struct job wants = { self->outer, 3 };
	struct job b = { self->outer, 2, .before = start_what_it_waits_for, .inside = { &wants } };
	struct job a = { self->outer, 1, .inside = { &b } };

	limit(self->outer, 2);
	others[0] = &other;
	waited_in = self->outer;
	get(&a);
	join_others();
	EXPECT_EQ(1, a.result);
	EXPECT_EQ(2, b.result);
	EXPECT_EQ(3, wants.result);
	EXPECT_EQ(1, alone_waits);
	EXPECT_EQ(3, builds);
}

static pthread_barrier_t all_build;

static void meet(void)
{
	pthread_barrier_wait(&all_build);
}

/* Each of @n builds needs the next one: all could wait, but for the last that comes. */
static void build_in_a_ring(struct __test_metadata *_metadata, struct tsr_memo *memo, size_t n)
{
	struct job wants[4] = { 0 }, jobs[4] = { 0 };
	pthread_t ring[4];
	int refused = 0;

	limit(memo, 4);
	pthread_barrier_init(&all_build, NULL, (unsigned int)n);
	for (size_t i = 0; i < n; i++) {
		wants[i] = (struct job){ memo, 1 + (int)((i + 1) % n) };
		jobs[i] = (struct job){ memo, 1 + (int)i, .before = meet, .inside = { &wants[i] },
					.helped = i % 2 };
		pthread_create(&ring[i], NULL, get_thread, &jobs[i]);
	}
	for (size_t i = 0; i < n; i++) {
		pthread_join(ring[i], NULL);
		EXPECT_EQ(1 + (int)i, jobs[i].result);
		if (wants[i].result == -EDEADLK)
			refused++;
		else
			EXPECT_EQ(wants[i].number, wants[i].result);
	}
	EXPECT_EQ(1, refused);
	pthread_barrier_destroy(&all_build);
}

TEST_F(nested, of_two_that_need_each_other_one_is_refused)
{
	build_in_a_ring(_metadata, self->outer, 2);
}

TEST_F(nested, of_four_in_a_ring_one_is_refused)
{
	build_in_a_ring(_metadata, self->outer, 4);
}

TEST_HARNESS_MAIN

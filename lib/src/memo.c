// SPDX-License-Identifier: MIT
/* The memo: finding, waiting and building. The table itself is in memo_table.c. */
#include <errno.h>
#include <stdlib.h>

#include "memo_int.h"
#include "nest.h"

struct tsr_memo *tsr_memo_new(const struct tsr_memo_ops *ops)
{
	struct tsr_memo *memo = calloc(1, sizeof(*memo));

	if (!memo)
		return NULL;
	memo->ops = ops;
	memo->bucket_count = 256;
	memo->buckets = calloc(memo->bucket_count, sizeof(*memo->buckets));
	memo->digest_bytes = sizeof(struct tsr_digest);
	memo->limits = (struct tsr_cache_limits){
		.entries = 128,
		.in_flight = 16,
		.queued = 64,
		.bytes = 64u << 20,
	};
	if (!memo->buckets) {
		free(memo);
		return NULL;
	}
	pthread_mutex_init(&memo->lock, NULL);
	pthread_cond_init(&memo->changed, NULL);
	return memo;
}

void tsr_memo_free(struct tsr_memo *memo)
{
	if (!memo)
		return;
	tsr_memo_clear(memo);
	pthread_cond_destroy(&memo->changed);
	pthread_mutex_destroy(&memo->lock);
	free(memo->buckets);
	free(memo);
}

void tsr_memo_free_in_child(struct tsr_memo *memo)
{
	struct tsr_memo_entry *dead = NULL;

	/* Who held it is not here: what it was changing stays as it is, and is lost. */
	if (!memo || pthread_mutex_trylock(&memo->lock))
		return;
	for (size_t i = 0; i < memo->bucket_count; i++)
		while (memo->buckets[i])
			tsr_memo_unlink(memo, memo->buckets[i], &dead);
	tsr_memo_bury(memo, dead);
	free(memo->buckets);
	free(memo);
}

static struct tsr_memo_entry *entry_new(const struct tsr_key *key, const struct tsr_digest *digest)
{
	struct tsr_memo_entry *entry = calloc(1, sizeof(*entry) + key->size);

	if (!entry)
		return NULL;
	entry->digest = *digest;
	entry->size = key->size;
	entry->users = 1;
	memcpy(entry->bytes, key->bytes, key->size);
	return entry;
}

/* The result of a finished entry for one caller. */
static int take_result(struct tsr_memo *memo, struct tsr_memo_entry *entry, void **ret_value,
		       struct tsr_diag **reterr_diag)
{
	if (entry->state == TSR_MEMO_READY) {
		memo->ops->ref(entry->built.value);
		*ret_value = entry->built.value;
		return 0;
	}
	if (reterr_diag)
		*reterr_diag = tsr_diag_ref(entry->built.diag);
	return entry->built.err;
}

static void drop_user(struct tsr_memo_entry *entry, struct tsr_memo_entry **dead)
{
	if (--entry->users || entry->in_table)
		return;
	entry->chain = *dead;
	*dead = entry;
}

/* This call is made inside a build of the same or a higher rank, whose place it has. */
static bool out_of_order(const struct tsr_memo *memo, const struct tsr_nest *nest)
{
	return nest && memo->ops->rank <= nest->rank;
}

/* Helpers of one build may wait at the same time: the first lends its place, the last takes it. */
static void lend_places(const struct tsr_nest *nest)
{
	for (; nest; nest = nest->outer) {
		pthread_mutex_lock(&nest->memo->lock);
		if (!nest->entry->lent++ && nest->entry->placed) {
			nest->memo->stats.in_flight--;
			pthread_cond_broadcast(&nest->memo->changed);
		}
		pthread_mutex_unlock(&nest->memo->lock);
	}
}

static void take_places_back(const struct tsr_nest *nest)
{
	for (; nest; nest = nest->outer) {
		pthread_mutex_lock(&nest->memo->lock);
		if (!--nest->entry->lent && nest->entry->placed)
			nest->memo->stats.in_flight++;
		pthread_mutex_unlock(&nest->memo->lock);
	}
}

static void wait_until_built(struct tsr_memo *memo, struct tsr_memo_entry *entry)
{
	while (entry->state == TSR_MEMO_BUILDING)
		pthread_cond_wait(&memo->changed, &memo->lock);
}

static int use_building(struct tsr_memo *memo, struct tsr_memo_entry *entry, void **ret_value,
			struct tsr_diag **reterr_diag, struct tsr_memo_entry **dead)
{
	const struct tsr_nest *nest = tsr_nest_current();
	struct tsr_nest_wait wait;
	int err;

	if (!tsr_nest_wait_begin(&wait, entry))
		return -EDEADLK;
	memo->stats.waits++;
	entry->users++;
	if (unlikely(out_of_order(memo, nest))) {
		entry->urgent = true;
		pthread_cond_broadcast(&memo->changed);
		pthread_mutex_unlock(&memo->lock);
		lend_places(nest);
		pthread_mutex_lock(&memo->lock);
		wait_until_built(memo, entry);
		pthread_mutex_unlock(&memo->lock);
		take_places_back(nest);
		pthread_mutex_lock(&memo->lock);
	} else {
		wait_until_built(memo, entry);
	}
	tsr_nest_wait_end(&wait);
	err = take_result(memo, entry, ret_value, reterr_diag);
	drop_user(entry, dead);
	return err;
}

static int use_found(struct tsr_memo *memo, struct tsr_memo_entry *entry, void **ret_value,
		     struct tsr_diag **reterr_diag, struct tsr_memo_entry **dead)
{
	if (entry->state == TSR_MEMO_BUILDING)
		return use_building(memo, entry, ret_value, reterr_diag, dead);
	if (entry->state == TSR_MEMO_READY)
		memo->stats.hits++;
	else
		memo->stats.negative_hits++;
	tsr_memo_touch(memo, entry);
	return take_result(memo, entry, ret_value, reterr_diag);
}

static void enqueue(struct tsr_memo *memo, struct tsr_memo_entry *entry)
{
	if (memo->queue_tail)
		memo->queue_tail->behind = entry;
	else
		memo->queue_head = entry;
	memo->queue_tail = entry;
	memo->stats.queued++;
}

/* It is the first, but for urgent ones. */
static void dequeue(struct tsr_memo *memo, struct tsr_memo_entry *entry)
{
	struct tsr_memo_entry *before = NULL, *e = memo->queue_head;

	for (; e != entry; e = e->behind)
		before = e;
	if (before)
		before->behind = entry->behind;
	else
		memo->queue_head = entry->behind;
	if (memo->queue_tail == entry)
		memo->queue_tail = before;
	memo->stats.queued--;
}

static bool full(const struct tsr_memo *memo)
{
	return memo->queue_head || memo->stats.in_flight >= memo->limits.in_flight;
}

/* First come, first served; the queue is bounded, so this is decided before the entry is seen. */
static void wait_for_place(struct tsr_memo *memo, struct tsr_memo_entry *entry)
{
	if (full(memo)) {
		enqueue(memo, entry);
		while (!entry->urgent && (memo->queue_head != entry ||
					  memo->stats.in_flight >= memo->limits.in_flight))
			pthread_cond_wait(&memo->changed, &memo->lock);
		dequeue(memo, entry);
		/* The next one may find a place too. */
		pthread_cond_broadcast(&memo->changed);
		if (entry->urgent)
			return;
	}
	entry->placed = true;
	memo->stats.in_flight++;
	if (memo->stats.in_flight > memo->stats.peak_in_flight)
		memo->stats.peak_in_flight = memo->stats.in_flight;
}

static void finish(struct tsr_memo *memo, struct tsr_memo_entry *entry,
		   struct tsr_memo_entry **dead)
{
	bool keep;

	entry->weight = sizeof(*entry) + entry->size + entry->built.bytes +
			tsr_diag_bytes(entry->built.diag);
	keep = (!entry->built.err || entry->built.lasting) && entry->weight <= memo->limits.bytes;
	if (entry->in_table && !keep)
		tsr_memo_unlink(memo, entry, dead);
	entry->state = entry->built.err ? TSR_MEMO_FAILED : TSR_MEMO_READY;
	if (entry->in_table)
		tsr_memo_keep(memo, entry, dead);
	if (entry->placed)
		memo->stats.in_flight--;
	pthread_cond_broadcast(&memo->changed);
}

/* The table forgets a build when it is cleared: its key is then found here only (PC-6). */
static bool is_inside_itself(const struct tsr_memo *memo, const struct tsr_key *key,
			     const struct tsr_nest *nest)
{
	for (; nest && key->known; nest = nest->outer)
		if (nest->memo == memo && nest->entry->size == key->size &&
		    !memcmp(nest->entry->bytes, key->bytes, key->size))
			return true;
	return false;
}

static void build_entry(struct tsr_memo *memo, struct tsr_memo_entry *entry, tsr_build_fn build,
			void *ctx)
{
	const struct tsr_nest *outer = tsr_nest_current();
	struct tsr_nest nest = { outer, memo, entry, memo->ops->rank };

	if (outer && outer->rank > nest.rank)
		nest.rank = outer->rank;
	tsr_nest_set(&nest);
	build(ctx, &entry->built);
	tsr_nest_set(outer);
}

static int refuse_busy(struct tsr_memo *memo, struct tsr_diag **reterr_diag)
{
	struct tsr_diag *diag = reterr_diag ? tsr_diag_new() : NULL;

	memo->stats.refusals++;
	if (!diag)
		return -EBUSY;
	tsr_diag_note(diag, (struct tsr_note){
		.rule = TSR_PC4,
		.path = tsr_text("cache"),
		.field = "builds",
		.value = tsr_text("%llu in flight, %llu queued",
				  (unsigned long long)memo->stats.in_flight,
				  (unsigned long long)memo->stats.queued),
		.allowed = tsr_text("%u in flight, %u queued", memo->limits.in_flight,
				    memo->limits.queued),
		.message = tsr_text("too many programs are being built"),
	});
	*reterr_diag = diag;
	return -EBUSY;
}

static int build_missing(struct tsr_memo *memo, const struct tsr_key *key,
			 const struct tsr_digest *digest, bool refuse, tsr_build_fn build,
			 void *ctx, void **ret_value, struct tsr_diag **reterr_diag,
			 struct tsr_memo_entry **dead)
{
	const struct tsr_nest *nest = tsr_nest_current();
	bool places = !out_of_order(memo, nest);
	struct tsr_memo_entry *entry;
	int err;

	if (is_inside_itself(memo, key, nest))
		return -EDEADLK;
	if (places && full(memo) && (refuse || memo->stats.queued >= memo->limits.queued))
		return refuse_busy(memo, reterr_diag);
	entry = entry_new(key, digest);
	if (!entry)
		return -ENOMEM;
	if (key->known) {
		memo->stats.misses++;
		tsr_memo_link(memo, entry);
	} else {
		memo->stats.uncacheable++;
	}
	if (places)
		wait_for_place(memo, entry);
	memo->stats.builds++;
	pthread_mutex_unlock(&memo->lock);
	build_entry(memo, entry, build, ctx);
	pthread_mutex_lock(&memo->lock);
	finish(memo, entry, dead);
	err = take_result(memo, entry, ret_value, reterr_diag);
	drop_user(entry, dead);
	return err;
}

int tsr_memo_get(struct tsr_memo *memo, const struct tsr_key *key, bool refuse,
		 tsr_build_fn build, void *ctx, void **ret_value, struct tsr_diag **reterr_diag)
{
	struct tsr_digest digest = key->digest;
	struct tsr_memo_entry *entry = NULL, *dead = NULL;
	int err;

	pthread_mutex_lock(&memo->lock);
	if (unlikely(memo->digest_bytes < sizeof(digest)))
		memset(digest.bytes + memo->digest_bytes, 0, sizeof(digest) - memo->digest_bytes);
	if (likely(key->known))
		entry = tsr_memo_find(memo, key, &digest);
	if (likely(entry))
		err = use_found(memo, entry, ret_value, reterr_diag, &dead);
	else
		err = build_missing(memo, key, &digest, refuse, build, ctx, ret_value,
				    reterr_diag, &dead);
	pthread_mutex_unlock(&memo->lock);
	tsr_memo_bury(memo, dead);
	return err;
}

/* Builds in flight lose their place in the table, so that they are not inserted (PC-6). */
void tsr_memo_clear(struct tsr_memo *memo)
{
	struct tsr_memo_entry *dead = NULL;

	pthread_mutex_lock(&memo->lock);
	for (size_t i = 0; i < memo->bucket_count; i++)
		while (memo->buckets[i])
			tsr_memo_unlink(memo, memo->buckets[i], &dead);
	memo->stats.clears++;
	pthread_mutex_unlock(&memo->lock);
	tsr_memo_bury(memo, dead);
}

void tsr_memo_stats(struct tsr_memo *memo, struct tsr_cache_stats *ret)
{
	pthread_mutex_lock(&memo->lock);
	*ret = memo->stats;
	pthread_mutex_unlock(&memo->lock);
}

void tsr_memo_limits(struct tsr_memo *memo, struct tsr_cache_limits *ret)
{
	pthread_mutex_lock(&memo->lock);
	*ret = memo->limits;
	pthread_mutex_unlock(&memo->lock);
}

int tsr_memo_set_limits(struct tsr_memo *memo, const struct tsr_cache_limits *limits)
{
	struct tsr_memo_entry *dead = NULL;

	if (!limits->entries || !limits->bytes || !limits->in_flight || !limits->queued ||
	    limits->pad || !tsr_all_zero(limits->reserved, sizeof(limits->reserved)))
		return -EINVAL;
	pthread_mutex_lock(&memo->lock);
	memo->limits = *limits;
	tsr_memo_evict(memo, &dead);
	pthread_cond_broadcast(&memo->changed);
	pthread_mutex_unlock(&memo->lock);
	tsr_memo_bury(memo, dead);
	return 0;
}

void tsr_memo_set_digest_bytes(struct tsr_memo *memo, size_t bytes)
{
	pthread_mutex_lock(&memo->lock);
	memo->digest_bytes = bytes;
	pthread_mutex_unlock(&memo->lock);
}

/* SPDX-License-Identifier: MIT */
/* Shared by the two halves of the memo: the table (memo_table.c) and the building (memo.c). */
#ifndef TSR_MEMO_INT_H
#define TSR_MEMO_INT_H

#include <pthread.h>

#include "memo.h"

enum tsr_memo_state {
	TSR_MEMO_BUILDING,	/* or waiting for a place to build in */
	TSR_MEMO_READY,
	TSR_MEMO_FAILED,
};

/** struct tsr_memo_entry - one key. Its memory lives as long as it is in the table or used. */
struct tsr_memo_entry {
	struct tsr_memo_entry *chain;		/* same bucket, or the list of the dead */
	struct tsr_memo_entry *newer, *older;	/* by use; READY and FAILED ones */
	struct tsr_memo_entry *behind;		/* queue of those that wait to be built */
	struct tsr_digest digest;
	enum tsr_memo_state state;
	unsigned int users;			/* builder and waiters */
	bool in_table;
	bool placed;				/* it counts as in flight, unless @lent */
	bool urgent;				/* it does not wait for a place: see use_building() */
	unsigned int lent;			/* builds inside it that wait for others */
	size_t weight;				/* retained bytes */
	struct tsr_built built;
	size_t size;
	uint8_t bytes[];
};

/** struct tsr_memo - everything is protected by @lock, which is inside no other lock */
struct tsr_memo {
	const struct tsr_memo_ops *ops;
	pthread_mutex_t lock;
	pthread_cond_t changed;			/* an entry was built, or a place became free */
	struct tsr_cache_limits limits;
	struct tsr_cache_stats stats;
	struct tsr_memo_entry **buckets;
	size_t bucket_count;			/* a power of two */
	size_t linked;				/* entries in the table, unfinished ones too */
	struct tsr_memo_entry *newest, *oldest;
	struct tsr_memo_entry *queue_head, *queue_tail;
	size_t digest_bytes;
};

/** tsr_memo_find() - the entry of a key, or NULL; counts collisions */
struct tsr_memo_entry *tsr_memo_find(struct tsr_memo *memo, const struct tsr_key *key,
				     const struct tsr_digest *digest);

/** tsr_memo_link() - put an unfinished entry into the table */
void tsr_memo_link(struct tsr_memo *memo, struct tsr_memo_entry *entry);

/** tsr_memo_unlink() - take an entry out; when nobody uses it, add it to @dead */
void tsr_memo_unlink(struct tsr_memo *memo, struct tsr_memo_entry *entry,
		     struct tsr_memo_entry **dead);

/** tsr_memo_keep() - a finished entry counts from now on; evict until the limits hold (PC-3) */
void tsr_memo_keep(struct tsr_memo *memo, struct tsr_memo_entry *entry,
		   struct tsr_memo_entry **dead);

/** tsr_memo_touch() - it is the newest now */
void tsr_memo_touch(struct tsr_memo *memo, struct tsr_memo_entry *entry);

/** tsr_memo_evict() - until the limits hold */
void tsr_memo_evict(struct tsr_memo *memo, struct tsr_memo_entry **dead);

/** tsr_memo_bury() - free the dead; the lock must not be held */
void tsr_memo_bury(struct tsr_memo *memo, struct tsr_memo_entry *dead);

#endif

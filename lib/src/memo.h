/* SPDX-License-Identifier: MIT */
/*
 * A bounded cache of things that are expensive to build, keyed by canonical bytes (PC). Programs
 * are in one, images in another.
 *
 * The key is the digest and the bytes: a hit compares them (PC-1). Concurrent misses on one key
 * build once (PC-4). Finding a value and referencing it is one step (PC-6). Nothing is built,
 * freed or called back under the lock.
 */
#ifndef TSR_MEMO_H
#define TSR_MEMO_H

#include <tessera/cache.h>

#include "diag_int.h"
#include "hash.h"

struct tsr_memo;

/** struct tsr_memo_ops - what a memo does with its values; both are atomic on the value */
struct tsr_memo_ops {
	void (*ref)(void *value);
	void (*unref)(void *value);
	unsigned int rank;	/* a build takes values from memos of higher rank */
};

/** struct tsr_key - what a value is built from */
struct tsr_key {
	const void *bytes;
	size_t size;
	struct tsr_digest digest;
	bool known;		/* false: the bytes do not tell all, so nothing is cached (FP-3) */
};

/*
 * Places to build in are limited, and builds may get values themselves. No wait is for ever:
 *
 * - A build has a place; one inside a build of the same or a higher rank (an image's progress
 *   function prepares a program) works in the place of the outer one, and waits for none.
 * - Such a one that waits for another thread's build lends its places meanwhile, and takes them back
 *   at once; that other build waits for no place either. So a place is never held by one who waits
 *   for somebody that needs a place.
 * - A wait for what waits for the waiter is -EDEADLK (nest.h).
 */

/** struct tsr_built - what a build gave */
struct tsr_built {
	int err;		/* 0: @value, with one reference */
	bool lasting;		/* with @err: would fail every time (PC-5) */
	void *value;
	size_t bytes;		/* that the value keeps; @diag's are counted by the memo */
	struct tsr_diag *diag;	/* with @err, may be NULL; not changed any more */
};

typedef void (*tsr_build_fn)(void *ctx, struct tsr_built *ret);

/** tsr_memo_new() - with the default limits (PC-3); NULL when out of memory */
struct tsr_memo *tsr_memo_new(const struct tsr_memo_ops *ops);

/** tsr_memo_free() - nobody may be in it; takes NULL */
void tsr_memo_free(struct tsr_memo *memo);

/**
 * tsr_memo_free_in_child() - of a device that was inherited by fork() (LT-6)
 *
 * Waits for nobody: a table whose lock another thread of the parent held is left as it is.
 */
void tsr_memo_free_in_child(struct tsr_memo *memo);

/**
 * tsr_memo_get() - find a value or build it
 * @memo: where
 * @key: of the value
 * @refuse: -EBUSY instead of waiting for a place to build in
 * @build: called at most once, with @ctx, without a lock
 * @ret_value: with a reference for the caller
 * @reterr_diag: findings of a build that failed, with a reference for the caller, or NULL
 *
 * Return: 0; the build's error; -EBUSY too many builds (PC-4); -EDEADLK this call is
 * made inside a build that what it asks for waits for, or is; -ENOMEM.
 */
int tsr_memo_get(struct tsr_memo *memo, const struct tsr_key *key, bool refuse,
		 tsr_build_fn build, void *ctx, void **ret_value, struct tsr_diag **reterr_diag);

void tsr_memo_clear(struct tsr_memo *memo);
void tsr_memo_stats(struct tsr_memo *memo, struct tsr_cache_stats *ret);
void tsr_memo_limits(struct tsr_memo *memo, struct tsr_cache_limits *ret);
int tsr_memo_set_limits(struct tsr_memo *memo, const struct tsr_cache_limits *limits);

/** tsr_memo_set_digest_bytes() - for tests: compare only so many, so that keys collide */
void tsr_memo_set_digest_bytes(struct tsr_memo *memo, size_t bytes);

#endif

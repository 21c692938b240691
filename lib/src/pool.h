/* SPDX-License-Identifier: MIT */
/* Objects kept for the next use, so that a warm path allocates nothing. */
#ifndef TSR_POOL_H
#define TSR_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define TSR_POOL_KEEPS	32

/** struct tsr_pool - a stack of free objects */
struct tsr_pool {
	_Atomic(void *) last;		/* the one put last, if any: found without the lock */
	pthread_mutex_t lock;		/* the two below */
	void *objects[TSR_POOL_KEEPS];
	size_t count;
};

void tsr_pool_init(struct tsr_pool *pool);

/** tsr_pool_fini() - destroy what is kept */
void tsr_pool_fini(struct tsr_pool *pool, void (*destroy)(void *object));

/** tsr_pool_get() - an object, or NULL when none is kept */
void *tsr_pool_get(struct tsr_pool *pool);

/** tsr_pool_put() - keep @object; returns it when there are enough, for the caller to destroy */
void *tsr_pool_put(struct tsr_pool *pool, void *object);

#endif

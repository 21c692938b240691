// SPDX-License-Identifier: MIT
#include "pool.h"
#include "util.h"

void tsr_pool_init(struct tsr_pool *pool)
{
	pthread_mutex_init(&pool->lock, NULL);
	atomic_init(&pool->last, NULL);
	pool->count = 0;
}

void tsr_pool_fini(struct tsr_pool *pool, void (*destroy)(void *object))
{
	void *last = atomic_exchange(&pool->last, NULL);

	if (last)
		destroy(last);
	while (pool->count)
		destroy(pool->objects[--pool->count]);
	pthread_mutex_destroy(&pool->lock);
}

void *tsr_pool_get(struct tsr_pool *pool)
{
	void *object = atomic_exchange_explicit(&pool->last, NULL, memory_order_acquire);

	if (likely(object))
		return object;
	pthread_mutex_lock(&pool->lock);
	if (pool->count)
		object = pool->objects[--pool->count];
	pthread_mutex_unlock(&pool->lock);
	return object;
}

void *tsr_pool_put(struct tsr_pool *pool, void *object)
{
	/* What was there before is older, and goes to the others. */
	object = atomic_exchange_explicit(&pool->last, object, memory_order_acq_rel);
	if (likely(!object))
		return NULL;
	pthread_mutex_lock(&pool->lock);
	if (pool->count < TSR_POOL_KEEPS) {
		pool->objects[pool->count++] = object;
		object = NULL;
	}
	pthread_mutex_unlock(&pool->lock);
	return object;
}

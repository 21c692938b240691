// SPDX-License-Identifier: MIT
#include "pool.h"

void tsr_pool_init(struct tsr_pool *pool)
{
	pthread_mutex_init(&pool->lock, NULL);
	pool->count = 0;
}

void tsr_pool_fini(struct tsr_pool *pool, void (*destroy)(void *object))
{
	while (pool->count)
		destroy(pool->objects[--pool->count]);
	pthread_mutex_destroy(&pool->lock);
}

void *tsr_pool_get(struct tsr_pool *pool)
{
	void *object = NULL;

	pthread_mutex_lock(&pool->lock);
	if (pool->count)
		object = pool->objects[--pool->count];
	pthread_mutex_unlock(&pool->lock);
	return object;
}

void *tsr_pool_put(struct tsr_pool *pool, void *object)
{
	pthread_mutex_lock(&pool->lock);
	if (pool->count < TSR_POOL_KEEPS) {
		pool->objects[pool->count++] = object;
		object = NULL;
	}
	pthread_mutex_unlock(&pool->lock);
	return object;
}

/* SPDX-License-Identifier: MIT */
/* Memory that is given back all at once, and whose addresses never change until then. */
#ifndef TSR_ARENA_H
#define TSR_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsr_chunk;

/** struct tsr_arena - all zero is empty */
struct tsr_arena {
	struct tsr_chunk *first, *current;
	char *next, *end;	/* what is free in @current */
};

/** tsr_arena_more() - the slow half of tsr_arena_get() */
void *tsr_arena_more(struct tsr_arena *arena, size_t size);

/** tsr_arena_reserve() - have @size bytes left; false when out of memory */
bool tsr_arena_reserve(struct tsr_arena *arena, size_t size);

/** tsr_arena_left() - how many bytes can be taken without more memory: a multiple of 8 */
static inline size_t tsr_arena_left(const struct tsr_arena *arena)
{
	return (size_t)(arena->end - arena->next);
}

/** tsr_arena_take() - some of what is left */
static inline void *tsr_arena_take(struct tsr_arena *arena, size_t size)
{
	void *p = arena->next;

	arena->next += (size + 7) & ~(size_t)7;
	return p;
}

/** tsr_arena_get() - @size bytes, aligned to 8, not initialised; NULL when out of memory */
static inline void *tsr_arena_get(struct tsr_arena *arena, size_t size)
{
	if (__builtin_expect(!size || size > tsr_arena_left(arena), 0))
		return tsr_arena_more(arena, size);
	return tsr_arena_take(arena, size);
}

/** tsr_arena_copy() - a copy of @size bytes and a NUL; NULL when out of memory */
char *tsr_arena_copy(struct tsr_arena *arena, const void *data, size_t size);

/** tsr_arena_reset() - everything is free again; the memory is kept, unless it is much */
void tsr_arena_reset(struct tsr_arena *arena);

/** tsr_arena_fini() - give the memory back */
void tsr_arena_fini(struct tsr_arena *arena);

#endif

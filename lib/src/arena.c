// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define CHUNK	4096		/* the least */
#define KEEP	(256u << 10)	/* chunks beyond so many bytes are not kept */

struct tsr_chunk {
	struct tsr_chunk *next;
	size_t size;
	char data[] __attribute__((aligned(8)));
};

static void use(struct tsr_arena *arena, struct tsr_chunk *chunk)
{
	arena->current = chunk;
	arena->next = chunk->data;
	arena->end = chunk->data + chunk->size;
}

void *tsr_arena_more(struct tsr_arena *arena, size_t size)
{
	size_t room = size > CHUNK ? size : CHUNK;
	struct tsr_chunk *chunk = arena->current ? arena->current->next : arena->first;

	if (size > SIZE_MAX / 2)
		return NULL;
	if (!size)
		size = 8;	/* an address of its own */
	if (!chunk || chunk->size < size) {
		room = (room + 7) & ~(size_t)7;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->size = room;
		if (arena->current) {
			chunk->next = arena->current->next;
			arena->current->next = chunk;
		} else {
			chunk->next = arena->first;
			arena->first = chunk;
		}
	}
	use(arena, chunk);
	arena->next += (size + 7) & ~(size_t)7;
	return chunk->data;
}

bool tsr_arena_reserve(struct tsr_arena *arena, size_t size)
{
	char *p;

	/* Also for nothing there is an address afterwards: an empty arena has none. */
	if (size < tsr_arena_left(arena))
		return true;
	p = tsr_arena_more(arena, size);
	if (p)
		arena->next = p;
	return p;
}

char *tsr_arena_copy(struct tsr_arena *arena, const void *data, size_t size)
{
	char *p = tsr_arena_get(arena, size + 1);

	if (p) {
		memcpy(p, data, size);
		p[size] = '\0';
	}
	return p;
}

static void free_chunks(struct tsr_chunk *chunk)
{
	while (chunk) {
		struct tsr_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

void tsr_arena_reset(struct tsr_arena *arena)
{
	size_t kept = 0;

	if (!arena->first)
		return;
	for (struct tsr_chunk *c = arena->first; c; c = c->next) {
		kept += c->size;
		if (kept > KEEP) {
			free_chunks(c->next);
			c->next = NULL;
		}
	}
	use(arena, arena->first);
}

void tsr_arena_fini(struct tsr_arena *arena)
{
	free_chunks(arena->first);
	*arena = (struct tsr_arena){ 0 };
}

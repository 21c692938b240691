/* SPDX-License-Identifier: MIT */
/* The inside of resources: copies of what the factory said, not yet judged. */
#ifndef TSR_RESOURCES_INT_H
#define TSR_RESOURCES_INT_H

#include <tessera/resources.h>

#include "arena.h"
#include "coreset_int.h"
#include "device_int.h"
#include "operation_int.h"

/** struct tsr_arg - the words of one core, already as 32 bits */
struct tsr_arg {
	uint16_t x, y;
	uint32_t count;
	const uint32_t *words;
};

/** struct tsr_bad_word - a word that does not fit into 32 bits (V12), kept for the finding */
struct tsr_bad_word {
	const uint32_t *words;	/* of which vector */
	size_t index;
	int64_t value;
};

/** struct tsr_entry - see <tessera/resources.h> */
struct tsr_entry {
	struct tsr_resources *res;
	uint32_t select;
	const struct tsr_kernel *handle;	/* to compare, never to be followed */
	uint64_t bound_to;			/* of the handle, when the entry was added */
	char owner[64];				/* its operation's name, when it is another one */
	struct tsr_vec args;			/* struct tsr_arg */
	struct tsr_vec defs;			/* struct tsr_def, in the arena */
	const uint32_t *common;
	uint32_t common_count;
};

struct tsr_semaphore_res {
	uint32_t id, core_type;
	int64_t initial;
	bool all;				/* all of the operation's cores */
	struct tsr_coreset cores;		/* rows from its height on are undefined */
};

/** struct tsr_owner - something that is kept alive (LT); only one of @buffer and @object is set */
struct tsr_owner {
	struct tsr_buffer *buffer;
	void *object;
	void (*release)(void *object);
	bool held;				/* a reference was taken */
	bool bad;				/* V23 */
};

/** struct tsr_resources - see <tessera/resources.h> */
struct tsr_resources {
	atomic_uint ref;
	bool sealed;
	bool accepted;				/* a run took over the owners */
	struct tsr_device *dev;
	uint64_t serial;			/* of the operation */
	struct tsr_arena arena;
	struct tsr_vec entries;			/* struct tsr_entry *; more than used are kept */
	size_t entry_count;
	struct tsr_vec semaphores;		/* struct tsr_semaphore_res */
	struct tsr_vec owners;			/* struct tsr_owner */
	struct tsr_vec bad_words;		/* struct tsr_bad_word */
};

static inline const struct tsr_entry *tsr_res_entry(const struct tsr_resources *res, size_t i)
{
	return ((struct tsr_entry *const *)res->entries.data)[i];
}

/** tsr_resources_new() - empty ones, from the device's pool when it has any; NULL: no memory */
struct tsr_resources *tsr_resources_new(struct tsr_device *dev, uint64_t serial);

/** tsr_resources_accept() - a run was accepted: the owners are its from now on (LT-4) */
void tsr_resources_accept(struct tsr_resources *res);

/**
 * tsr_resources_let_go() - release the owners, once, and drop a reference; takes NULL
 *
 * Calls functions of the caller: no lock may be held (LT-3).
 */
void tsr_resources_let_go(struct tsr_resources *res);

/** tsr_resources_destroy() - for the pool */
void tsr_resources_destroy(void *object);

#endif

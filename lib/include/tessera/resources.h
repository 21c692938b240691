/* SPDX-License-Identifier: MIT */
/*
 * Resources of one execution (RR-4): what the factory fills in.
 *
 * Everything is copied by the call that adds it. Nothing is judged by it: all findings come
 * together, at submit. When the factory returns the resources are sealed and every call here
 * returns -EPERM (RR-5). One thread at a time until then.
 */
#ifndef TESSERA_RESOURCES_H
#define TESSERA_RESOURCES_H

#include <stddef.h>
#include <stdint.h>
#include <tessera/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_buffer;
struct tsr_coreset;
struct tsr_core;

/*
 * struct tsr_resources - of one execution
 */
struct tsr_resources;

/*
 * struct tsr_entry - the entry of one logical kernel; lives as long as its resources
 */
struct tsr_entry;

/**
 * tsr_resources_ref() - keep them beyond the factory's call, to look
 * @res: the resources
 *
 * Return: @res.
 */
struct tsr_resources *tsr_resources_ref(struct tsr_resources *res);

/**
 * tsr_resources_unref() - drop a reference; takes NULL
 * @res: the resources
 *
 * Return: NULL.
 */
struct tsr_resources *tsr_resources_unref(struct tsr_resources *res);

/**
 * enum tsr_core_type - kinds of cores
 */
enum tsr_core_type {
	/** @TSR_CORE_TYPE_WORKER: a core of the grid */
	TSR_CORE_TYPE_WORKER = 0
};

/**
 * struct tsr_semaphore - a caller-defined semaphore
 */
struct tsr_semaphore {
	/** @id: first_free_semaphore_id .. limits.semaphores - 1 */
	uint32_t id;
	/** @core_type: enum tsr_core_type */
	uint32_t core_type;
	/** @initial: 0 .. 2^32-1 */
	int64_t initial;
	/** @cores: inside the operation; NULL for all of it */
	const struct tsr_coreset *cores;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * tsr_resources_add_semaphore() - define a semaphore for this execution
 * @res: the resources
 * @semaphore: copied
 *
 * Return: 0, -EINVAL reserved fields, -EPERM sealed, -ENOMEM.
 */
int tsr_resources_add_semaphore(struct tsr_resources *res, const struct tsr_semaphore *semaphore);

/**
 * tsr_resources_add_entry() - begin the entry of a logical kernel; it may stay empty
 * @res: the resources
 * @selector: of the kernel
 * @ret_entry: borrowed from the resources
 *
 * Return: 0, -EPERM sealed, -ENOMEM.
 */
int tsr_resources_add_entry(struct tsr_resources *res, struct tsr_selector selector,
			    struct tsr_entry **ret_entry);

/**
 * tsr_entry_add_words() - the argument words of one core
 * @entry: of the kernel
 * @x: column
 * @y: row
 * @words: each -2^31 .. 2^32-1 (V12); the kernel reads them at index 0 and up
 * @count: of words; 0 is the same as no words
 *
 * Return: 0, -EPERM sealed, -ENOMEM.
 */
int tsr_entry_add_words(struct tsr_entry *entry, uint16_t x, uint16_t y, const int64_t *words,
			size_t count);

/**
 * tsr_entry_add_words_many() - the argument words of many cores, as many for each
 * @entry: of the kernel
 * @cores: @core_count of them, in any order; may be NULL when that is 0
 * @core_count: how many; 0 adds nothing
 * @words: @core_count times @count, those of the first core first; each -2^31 .. 2^32-1 (V12)
 * @count: of words of each core; with 0, @words may be NULL
 *
 * The same as tsr_entry_add_words() for each core in this order, with the same findings (V9 ..
 * V13), for much less: a factory that computes all words anyway saves a call for each core. Either
 * all are added or none.
 *
 * Return: 0, -EPERM sealed, -ENOMEM (nothing was added).
 */
int tsr_entry_add_words_many(struct tsr_entry *entry, const struct tsr_core *cores,
			     size_t core_count, const int64_t *words, size_t count);

/**
 * tsr_entry_set_common() - the words that are the same for all cores.
 * @entry: of the kernel
 * @words: each -2^31 .. 2^32-1 (V12)
 * @count: of words
 *
 * Return: as above.
 */
int tsr_entry_set_common(struct tsr_entry *entry, const int64_t *words, size_t count);

/**
 * tsr_entry_add_definition() - for every descriptor of the kernel (RR-9).
 * @entry: of the kernel
 * @definition: copied
 *
 * Return: as above.
 */
int tsr_entry_add_definition(struct tsr_entry *entry, const struct tsr_definition *definition);

/**
 * tsr_entry_define() - tsr_entry_add_definition() of two ordinary strings
 * @entry: of the kernel
 * @name: a C identifier
 * @value: one line; may be empty
 *
 * Return: as tsr_entry_add_definition().
 */
int tsr_entry_define(struct tsr_entry *entry, const char *name, const char *value);

/**
 * tsr_resources_own_buffer() - keep a buffer alive until the run has retired
 * @res: the resources
 * @buffer: the buffer
 *
 * Return: 0, -EPERM sealed, -ENOMEM. NULL, or a buffer of another device, is finding V23.
 */
int tsr_resources_own_buffer(struct tsr_resources *res, struct tsr_buffer *buffer);

/**
 * tsr_resources_own() - keep a host object alive until the run has retired
 * @res: the resources
 * @object: the object; NULL is finding V23
 * @retain: called at once with @object, takes a reference. NULL: no reference is taken; the one
 *          the caller has moves to the run when the run is accepted, and stays the caller's when
 *          it is refused (LT-4).
 * @release: called once with @object for what was retained or moved, by the thread that observes
 *          the end of it (LT-3); NULL is finding V23
 *
 * Return: 0, -EPERM sealed, -ENOMEM (nothing was retained).
 */
int tsr_resources_own(struct tsr_resources *res, void *object, void (*retain)(void *object),
		      void (*release)(void *object));

#ifdef __cplusplus
}
#endif

#endif

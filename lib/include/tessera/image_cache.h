/* SPDX-License-Identifier: MIT */
/*
 * The image cache: compiled kernels on disk, shared by all processes of a user (JIT-3). Any thread.
 *
 * It is in $XDG_CACHE_HOME/tessera, or $HOME/.cache/tessera. It is used without being asked for,
 * and when it cannot be used, kernels are compiled. TESSERA_IMAGE_CACHE=off turns it off, for one
 * process; a limit of 0 does so for all.
 *
 * An entry is found by all that its image is made from, and has a checksum over all of it: one
 * that is damaged counts as missing, and is built and written again.
 */
#ifndef TESSERA_IMAGE_CACHE_H
#define TESSERA_IMAGE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tsr_image_cache_stats - what is on disk, and what this process did; (g) is a gauge
 */
struct tsr_image_cache_stats {
	/** @entries: (g) images on disk */
	uint64_t entries;
	/** @bytes: (g) of all their files */
	uint64_t bytes;
	/** @limit: (g) of @bytes; 0 is off */
	uint64_t limit;
	/** @hits: images found, by this process; as the ones below */
	uint64_t hits;
	/** @misses: not found, or damaged */
	uint64_t misses;
	/** @stores: written */
	uint64_t stores;
	/** @evictions: removed to keep the limit */
	uint64_t evictions;
	/** @damaged: found and refused */
	uint64_t damaged;
	/** @failures: not written: no right to, disk full, larger than the limit, lock not had */
	uint64_t failures;
	/** @clears: calls of tsr_image_cache_clear() */
	uint64_t clears;
	/** @reserved: zero */
	uint64_t reserved[6];
};

/**
 * tsr_image_cache_dir() - the folder of the cache
 * @buf: where to write; may be NULL when @size is 0
 * @size: bytes of @buf
 *
 * As snprintf(): writes at most @size bytes with the final NUL.
 *
 * Return: length of the whole text; -ENOENT there is none: it is off, or neither XDG_CACHE_HOME
 * nor HOME is an absolute path; -ENOMEM.
 */
int tsr_image_cache_dir(char *buf, size_t size);

/**
 * tsr_image_cache_stats() - count
 * @ret_stats: filled in
 *
 * Return: 0; -ENOENT as above; -EPERM the folder is another user's, or others may write it;
 * -errno. A folder that does not exist yet is empty.
 */
int tsr_image_cache_stats(struct tsr_image_cache_stats *ret_stats);

/**
 * struct tsr_image_cache_entry - an image on disk
 */
struct tsr_image_cache_entry {
	/** @key: 32 hexadecimal digits, the name of its file without ".img" */
	char key[36];
	/** @kernel: name of the kernel that it was first built for; "" when damaged */
	char kernel[64];
	/** @processor: enum tsr_processor */
	uint32_t processor;
	/** @text_size: bytes of code */
	uint32_t text_size;
	/** @data_size: bytes of code and data */
	uint32_t data_size;
	/** @mem_size: with bss */
	uint32_t mem_size;
	/** @intact: 1 when its checksum is right, else 0 */
	uint32_t intact;
	/** @pad: zero */
	uint32_t pad;
	/** @size: of its file */
	uint64_t size;
	/** @used_ns: last use, CLOCK_REALTIME */
	uint64_t used_ns;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * tsr_image_cache_entries() - all entries, the one that is evicted next first
 * @ret_entries: array, free with free()
 * @ret_count: of its elements
 *
 * Return: as tsr_image_cache_stats(); -ENOMEM.
 */
int tsr_image_cache_entries(struct tsr_image_cache_entry **ret_entries, size_t *ret_count);

/**
 * tsr_image_cache_set_limit() - for all processes of the user, from now on
 * @bytes: of all files together, 256 MiB at first; 0 turns the cache off and empties it
 *
 * Evicts at once until it holds. Where a new image makes the cache larger than that, those unused
 * for longest are removed until one sixteenth of it is free.
 *
 * Return: as tsr_image_cache_stats(); -EBUSY another process works in it.
 */
int tsr_image_cache_set_limit(uint64_t bytes);

/**
 * tsr_image_cache_clear() - remove all entries; the limit stays
 *
 * Return: as tsr_image_cache_set_limit().
 */
int tsr_image_cache_clear(void);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* The folder of the image cache: files by name, a lock, a limit, and which one goes first. */
#ifndef TSR_IMAGE_STORE_H
#define TSR_IMAGE_STORE_H

#include <tessera/image_cache.h>

#include "image.h"

#define TSR_STORE_LIMIT		(256u << 20)	/* until tsr_image_cache_set_limit() */
#define TSR_STORE_LOCK_MS	250		/* another process may be stopped with the lock */

/** struct tsr_store - the open folder; @dir is -1 when closed */
struct tsr_store {
	int dir;
	uint64_t limit;
};

/** struct tsr_store_file - a file of the store */
struct tsr_store_file {
	char name[40];		/* with ".img" */
	uint64_t size;
	uint64_t used_ns;
};

/** tsr_store_path() - of the folder as new text; -ENOENT there is none, -ENOMEM */
int tsr_store_path(char **ret_path);

/** tsr_store_open() - @create: make what is missing. 0, -ENOENT, -EPERM unsafe, -errno. */
int tsr_store_open(struct tsr_store *store, bool create);
void tsr_store_close(struct tsr_store *store);

/** tsr_store_read() - a whole file of at most @max bytes. 0, -EBADMSG what is no such file. */
int tsr_store_read(const struct tsr_store *store, const char *name, size_t max, void **ret_data,
		   size_t *ret_size);

/** tsr_store_touch() - it was used now */
void tsr_store_touch(const struct tsr_store *store, const char *name);

/**
 * tsr_store_write() - put a file there, whole or not at all; evict others when the limit is reached
 * @ret_evicted: how many
 *
 * Return: 0, -EFBIG larger than the limit, -EBUSY the lock was not had in time, -errno.
 */
int tsr_store_write(const struct tsr_store *store, const char *name, const void *data, size_t size,
		    uint64_t *ret_evicted);

void tsr_store_remove(const struct tsr_store *store, const char *name);

/** tsr_store_list() - all files, least recently used first; struct tsr_store_file. 0, -errno. */
int tsr_store_list(const struct tsr_store *store, struct tsr_vec *ret_files);

/** tsr_store_shrink() - remove the least recently used until @bytes are left at most */
int tsr_store_shrink(const struct tsr_store *store, uint64_t bytes, uint64_t *ret_evicted);

/** tsr_store_set_limit() - write it down for all processes. 0, -errno. */
int tsr_store_set_limit(struct tsr_store *store, uint64_t bytes);

/*
 * Entries: bytes of a file to an image, and back. The key is everything that an image is made
 * from; the file has all of it, and a checksum over the whole.
 */

/** tsr_entry_key() - the key of a job's image in @w. False: it has none, so it is not stored. */
bool tsr_entry_key(const struct tsr_image_job *job, struct tsr_writer *w);

/** tsr_entry_write() - a whole file */
void tsr_entry_write(struct tsr_writer *w, const struct tsr_writer *key, const char *kernel,
		     const struct tsr_image *image);

/**
 * tsr_entry_read() - check a file, and take the image out
 * @key: that it must have; NULL: any
 * @limits: that the image must keep; NULL: only what holds for every image
 * @ret_kernel: first 63 bytes of the kernel's name; may be NULL
 *
 * Return: 0, -EBADMSG damaged, or of another key; -ENOMEM.
 */
int tsr_entry_read(const void *file, size_t size, const struct tsr_writer *key,
		   const struct tessera_limits *limits, struct tsr_image **ret_image,
		   char *ret_kernel);

#define TSR_ENTRY_MAX	(80u << 20)	/* of a file */

/** tsr_image_stored() - the image of a job from the cache on disk; NULL: not there */
struct tsr_image *tsr_image_stored(const struct tsr_image_job *job);

/** tsr_image_store() - keep a built image on disk, if that can be done */
void tsr_image_store(const struct tsr_image_job *job, const struct tsr_image *image);

#endif

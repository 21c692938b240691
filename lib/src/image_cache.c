// SPDX-License-Identifier: MIT
/* The image cache as builds and users see it (JIT-3). Whatever fails here only costs a compile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "image_store.h"

/* Of this process; the folder is shared, so no device is in it. */
static struct {
	_Atomic uint64_t hits, misses, stores, evictions, damaged, failures, clears;
} tally;

static void name_of(const struct tsr_writer *key, char *ret)
{
	struct tsr_digest digest = tsr_hash(key->bytes.data, key->bytes.count);

	for (size_t i = 0; i < sizeof(digest.bytes); i++)
		sprintf(ret + 2 * i, "%02x", digest.bytes[i]);
	strcpy(ret + 32, ".img");
}

static struct tsr_image *load(const struct tsr_image_job *job, const struct tsr_store *store,
			      const struct tsr_writer *key)
{
	struct tsr_image *image = NULL;
	char name[40];
	size_t size;
	void *file;
	int err;

	name_of(key, name);
	err = tsr_store_read(store, name, TSR_ENTRY_MAX, &file, &size);
	if (!err) {
		err = tsr_entry_read(file, size, key, &job->dev->limits, &image, NULL);
		free(file);
		if (!err && image->processor != job->kernel->processor) {
			tsr_image_unref(image);
			err = -EBADMSG;
		}
	}
	if (err == -EBADMSG) {
		tsr_count(&tally.damaged);
		tsr_store_remove(store, name);
	}
	if (err)
		return NULL;
	tsr_store_touch(store, name);
	return image;
}

/* The folder, if there is one by now. */
static int open_existing(struct tsr_store *store)
{
	char *path;
	int err = tsr_store_path(&path);

	if (err)
		return err;
	free(path);
	err = tsr_store_open(store, false);
	if (err == -ENOENT)
		store->limit = TSR_STORE_LIMIT;
	return err == -ENOENT ? 0 : err;
}

struct tsr_image *tsr_image_stored(const struct tsr_image_job *job)
{
	struct tsr_writer key = { 0 };
	struct tsr_image *image = NULL;
	struct tsr_store store;

	if (!job->dev->disk || open_existing(&store))
		return NULL;
	if (store.limit && tsr_entry_key(job, &key)) {
		image = store.dir >= 0 ? load(job, &store, &key) : NULL;
		tsr_count(image ? &tally.hits : &tally.misses);
	}
	tsr_vec_free(&key.bytes);
	tsr_store_close(&store);
	return image;
}

static void save(const struct tsr_image_job *job, const struct tsr_image *image,
		 const struct tsr_store *store, const struct tsr_writer *key)
{
	struct tsr_writer file = { 0 };
	uint64_t evicted = 0;
	char name[40];
	int err;

	tsr_entry_write(&file, key, job->kernel->name, image);
	name_of(key, name);
	err = file.err;
	if (!err)
		err = tsr_store_write(store, name, file.bytes.data, file.bytes.count, &evicted);
	tsr_count(err ? &tally.failures : &tally.stores);
	atomic_fetch_add(&tally.evictions, evicted);
	tsr_vec_free(&file.bytes);
}

void tsr_image_store(const struct tsr_image_job *job, const struct tsr_image *image)
{
	struct tsr_writer key = { 0 };
	struct tsr_store store;

	if (!job->dev->disk || !tsr_entry_key(job, &key)) {
		tsr_vec_free(&key.bytes);
		return;
	}
	if (tsr_store_open(&store, true)) {
		tsr_count(&tally.failures);
	} else {
		if (store.limit)
			save(job, image, &store, &key);
		tsr_store_close(&store);
	}
	tsr_vec_free(&key.bytes);
}

/* ---- Public ------------------------------------------------------------------------------- */

TSR_API int tsr_image_cache_dir(char *buf, size_t size)
{
	char *path;
	int n = tsr_store_path(&path);

	if (n)
		return n;
	n = snprintf(buf, size, "%s", path);
	free(path);
	return n;
}

static int list_existing(struct tsr_store *store, struct tsr_vec *ret_files)
{
	int err = open_existing(store);

	if (!err && store->dir >= 0)
		err = tsr_store_list(store, ret_files);
	if (err) {
		tsr_vec_free(ret_files);
		tsr_store_close(store);
	}
	return err;
}

TSR_API int tsr_image_cache_stats(struct tsr_image_cache_stats *ret_stats)
{
	struct tsr_vec files = { 0 };
	struct tsr_store store;
	int err = list_existing(&store, &files);

	if (err)
		return err;
	*ret_stats = (struct tsr_image_cache_stats){
		.entries = files.count,
		.limit = store.limit,
		.hits = tally.hits,
		.misses = tally.misses,
		.stores = tally.stores,
		.evictions = tally.evictions,
		.damaged = tally.damaged,
		.failures = tally.failures,
		.clears = tally.clears,
	};
	for (size_t i = 0; i < files.count; i++)
		ret_stats->bytes += ((struct tsr_store_file *)files.data)[i].size;
	tsr_vec_free(&files);
	tsr_store_close(&store);
	return 0;
}

static void describe(const struct tsr_store *store, const struct tsr_store_file *file,
		     struct tsr_image_cache_entry *ret)
{
	struct tsr_image *image;
	size_t size;
	void *data;

	memcpy(ret->key, file->name, 32);
	ret->size = file->size;
	ret->used_ns = file->used_ns;
	if (tsr_store_read(store, file->name, TSR_ENTRY_MAX, &data, &size))
		return;
	if (!tsr_entry_read(data, size, NULL, NULL, &image, ret->kernel)) {
		ret->intact = 1;
		ret->processor = image->processor;
		ret->text_size = image->text_size;
		ret->data_size = image->data_size;
		ret->mem_size = image->mem_size;
		tsr_image_unref(image);
	}
	free(data);
}

TSR_API int tsr_image_cache_entries(struct tsr_image_cache_entry **ret_entries, size_t *ret_count)
{
	struct tsr_image_cache_entry *entries;
	struct tsr_vec files = { 0 };
	struct tsr_store store;
	int err = list_existing(&store, &files);

	if (err)
		return err;
	entries = calloc(files.count + 1, sizeof(*entries));
	for (size_t i = 0; entries && i < files.count; i++)
		describe(&store, (struct tsr_store_file *)files.data + i, &entries[i]);
	if (entries) {
		*ret_entries = entries;
		*ret_count = files.count;
	}
	tsr_vec_free(&files);
	tsr_store_close(&store);
	return entries ? 0 : -ENOMEM;
}

TSR_API int tsr_image_cache_set_limit(uint64_t bytes)
{
	struct tsr_store store;
	uint64_t evicted = 0;
	int err = tsr_store_open(&store, true);

	if (err)
		return err;
	err = tsr_store_set_limit(&store, bytes);
	if (!err)
		err = tsr_store_shrink(&store, bytes, &evicted);
	atomic_fetch_add(&tally.evictions, evicted);
	tsr_store_close(&store);
	return err;
}

TSR_API int tsr_image_cache_clear(void)
{
	struct tsr_store store;
	uint64_t removed = 0;
	int err = open_existing(&store);

	if (err)
		return err;
	if (store.dir >= 0)
		err = tsr_store_shrink(&store, 0, &removed);
	tsr_store_close(&store);
	if (!err)
		tsr_count(&tally.clears);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Per open file: handle tables. A run never points here (DESIGN decision 5). */
#ifndef TSR_FILE_H
#define TSR_FILE_H

#include <drm/drm_file.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

struct tsr_usage;

/*
 * struct tsr_table - objects by handle; who submits looks for the same ones again and again
 *
 * @last and @entry are under the lock of @xa. Handles start at 1: with @last 0 nothing is
 * remembered.
 */
struct tsr_table {
	struct xarray xa;
	u32 last;
	void *entry;			/* of @last */
};

#define TSR_BOS_KNOWN		8

struct tsr_file {
	struct tsr_table contexts;
	struct tsr_table programs;
	struct xarray runs;
	/* Buffers that runs named last (tsr_bo_lookup()); under the drm_file's table_lock. */
	struct {
		u32 handle;		/* 0: none */
		struct drm_gem_object *obj;
	} bos[TSR_BOS_KNOWN];		/* where the handle belongs, by its low bits */
	/* A reset whose wait a signal interrupted, and who waited; under tdev->lock. */
	struct {
		u64 ticket;		/* 0: none */
		struct pid *thread;
	} reset;
	struct tsr_usage *usage;
	kuid_t uid;			/* of the opener: whose work this is (CL-4, PC-8) */
};

int tsr_file_open(struct drm_device *drm, struct drm_file *file);
void tsr_file_postclose(struct drm_device *drm, struct drm_file *file);

/* tsr_table_find() - NULL: no such handle. Holds the lock of @xa, under which the entry stays. */
static inline void *tsr_table_find(struct tsr_table *table, u32 handle)
{
	void *entry;

	if (table->last == handle)
		return table->entry;
	entry = xa_load(&table->xa, handle);
	if (entry) {
		table->last = handle;
		table->entry = entry;
	}
	return entry;
}

/* tsr_table_remove() - what was there; NULL: nothing. Takes the lock of @xa. */
static inline void *tsr_table_remove(struct tsr_table *table, u32 handle)
{
	void *entry;

	xa_lock(&table->xa);
	entry = __xa_erase(&table->xa, handle);
	if (table->last == handle) {
		table->last = 0;
		table->entry = NULL;
	}
	xa_unlock(&table->xa);
	return entry;
}

static inline struct tsr_file *to_tsr_file(struct drm_file *file)
{
	return file->driver_priv;
}

#endif

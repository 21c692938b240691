/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the grid was busy for whom (OB-3). A run counts from its launch until it is known that
 * it executes no more, or given up: completed, stopped, or the stop is unproven. That moment comes
 * once for each launch, whatever happened, so a sum can neither stay open nor count twice.
 */
#ifndef TSR_USAGE_H
#define TSR_USAGE_H

#include <linux/kref.h>
#include <linux/types.h>

struct drm_file;
struct drm_printer;
struct tsr_device;
struct tsr_run;

/*
 * struct tsr_usage - of one open file, or of a device
 *
 * An open file shares it with its contexts, which may outlive it. @busy_ns is under tdev->lock.
 */
struct tsr_usage {
	struct kref ref;
	u64 busy_ns;			/* of launches that are over */
};

struct tsr_usage *tsr_usage_new(void);
struct tsr_usage *tsr_usage_get(struct tsr_usage *usage);
void tsr_usage_put(struct tsr_usage *usage);

/* tsr_usage_close() - a run gives the claim back. Holds tdev->lock. */
void tsr_usage_close(struct tsr_device *tdev, const struct tsr_run *run);
/* tsr_usage_ns() - so far; @usage NULL: of the device. Never less than it was before. */
u64 tsr_usage_ns(struct tsr_device *tdev, const struct tsr_usage *usage);

/* tsr_show_fdinfo() - the keys of Documentation/gpu/drm-usage-stats.rst that apply */
void tsr_show_fdinfo(struct drm_printer *p, struct drm_file *file);

#endif

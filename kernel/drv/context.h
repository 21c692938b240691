/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts: ordered queues of runs. */
#ifndef TSR_CONTEXT_H
#define TSR_CONTEXT_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include "device.h"

struct tsr_page;
struct tsr_run;
struct tsr_usage;

/* struct tsr_context - FIFO queue with a priority; everything but constants under tdev->lock */
struct tsr_context {
	struct kref ref;		/* handle, runs */
	struct tsr_device *tdev;	/* holds a reference to the device */
	u64 id;
	kuid_t uid;
	struct pid *owner;		/* process that created it */
	struct tsr_usage *usage;	/* of its open file */
	u32 priority;
	u32 capacity;

	struct list_head link;		/* in tdev->contexts or ->dying, or empty */
	struct list_head queued;	/* runs not yet staged */
	u32 depth;			/* accepted and not retired, plus reserved places */
	u32 passed_over;		/* times a run of another context was staged instead */
	bool dead;			/* destroyed: accepts nothing */
	u32 poison_code;		/* of class QUEUE: accepts nothing until reset (FL-1) */
	u64 poison_run;			/* whose code that is */
	struct list_head live;		/* runs accepted and not ended, in order */
	u64 last_run;			/* id of the last one accepted */
	struct list_head claim_link;	/* in tdev->claim_waiters, or empty */
	wait_queue_head_t space;	/* waits for depth to fall, dead, poisoned */
	struct mutex page_lock;		/* one page is made; taken before tdev->lock */
	struct tsr_page *page;		/* progress for user space; may be NULL */
	u64 ended;			/* runs that have ended */
	u64 failed;			/* those of them that did not end OK */
	struct tsr_run *spare;		/* one that was freed, for the next: without a lock */
	struct work_struct free_work;
	struct drm_tessera_counters counters;
};

struct tsr_context *tsr_context_get(struct drm_file *file, u32 handle);
void tsr_context_put(struct tsr_context *ctx);
/* tsr_context_kill() - end all its runs; does not wait. Gives up no reference. */
void tsr_context_kill(struct tsr_context *ctx);

int tsr_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file);
/* page.c */

/* tsr_page_update() - @run ended in @phase; it is not live any more. Holds tdev->lock. */
void tsr_page_update(struct tsr_context *ctx, const struct tsr_run *run, u32 phase);
void tsr_page_free(struct tsr_page *page);
int tsr_ioctl_context_page(struct drm_device *drm, void *data, struct drm_file *file);

int tsr_ioctl_context_reset(struct drm_device *drm, void *data, struct drm_file *file);
int tsr_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file);

#endif

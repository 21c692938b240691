/* SPDX-License-Identifier: GPL-2.0-only */
/* The device: what all parts of the driver share. */
#ifndef TSR_DEVICE_H
#define TSR_DEVICE_H

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "event.h"
#include "hw.h"

#define TSR_MAX_BANKS		8
#define TSR_IMAGE_BITS		8

/*
 * For all that a user makes the driver keep: charged to the caller's cgroup, and at its limit
 * refused with -ENOMEM, not paid for with the life of one of its processes (RUN-14). The user
 * chose the size: that there is no room for it is nothing for the kernel's log (FL-11).
 */
#define TSR_GFP_USER		(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

struct drm_file;
struct tsr_context;
struct tsr_dump;
struct tsr_run;

/*
 * struct tsr_bank - one pipeline slot: staging for one run (BK-1)
 *
 * A lease is {slot, generation}; ownership is the pool's word, @owner (RUN-4).
 */
struct tsr_bank {
	struct tsr_run *owner;		/* NULL: free */
	u64 generation;			/* of the last lease; leasing ends before it wraps */
	struct tsr_hw_job job;		/* what the owner wants done, once it is staged */
};

/* struct tsr_run_chain - runs that ended, in that order: a list costs more than it is needed for */
struct tsr_run_chain {
	struct tsr_run *first, **last;
};

/*
 * struct tsr_device - one grid accelerator
 *
 * Locks, outermost first: @image_lock; @lock. Neither is held when hardware
 * operations that sleep, fence signalling or user copies happen, except that
 * image_load runs under @image_lock.
 *
 * The pipeline (pipeline.c) is a state machine that one thread at a time drives:
 * whoever sets @pumping under @lock. Only that thread calls the hardware
 * operations of a run and changes a run's phase. @lock protects the lists and
 * flags through which the others hand work to it.
 */
struct tsr_device {
	struct drm_device drm;
	const struct tsr_hw_ops *ops;
	void *hw;
	struct tsr_hw_config config;
	char name[32];
	char isa[32];

	spinlock_t lock;		/* irq-safe */
	bool pumping;			/* somebody drives the pipeline */
	bool gone;			/* unplugged: nothing is accepted any more */
	bool suspended;			/* nothing is staged or launched */
	bool resumed;			/* banks must be staged again first */
	u32 health;			/* DRM_TESSERA_HEALTH_* */
	u64 reset_generation;
	u64 next_context_id;
	u64 next_run_id;
	struct list_head contexts;	/* with queued runs */
	struct list_head dying;		/* contexts being destroyed, with runs left */
	struct list_head cancels;	/* runs whose cancelling was asked for */
	u64 unended;			/* runs accepted and not ended */
	struct drm_tessera_counters counters;
	u64 busy_ns;			/* see usage.h */

	/* Owned by the thread that drives the pipeline; written under @lock. */
	struct list_head staged;	/* in launch order */
	struct tsr_run_chain ended;	/* retired, resources still held */
	struct tsr_run_chain ended_shared;	/* the same for shared buffers; under @lock */
	struct list_head quarantine;	/* runs whose stop is unproven (FL-6); under @lock */
	struct tsr_run *launched;	/* holds the claim (CL-1) */
	struct tsr_bank banks[TSR_MAX_BANKS];
	kuid_t claim_uid;		/* user of the last claim (CL-4) */
	bool claim_used;
	struct tsr_hw_record record;	/* room for one that is looked at; without the lock */

	struct tsr_context *holder;	/* holds the claim across runs (CL-2); under @lock */
	ktime_t hold_since;
	bool hold_yield;		/* after a hold somebody else's run goes first */
	struct list_head claim_waiters;	/* contexts, in order of arrival; under @lock */
	wait_queue_head_t claim_wait;
	struct delayed_work hold_timer;

	u64 resets_wanted;		/* tickets; under @lock */
	bool reset_pending;		/* nobody waits, and no run is stopped for it */
	u64 resets_tried;
	int reset_result;		/* of the last one */
	wait_queue_head_t reset_wait;

	wait_queue_head_t rest;		/* nobody drives the pipeline and nothing is left in it */
	struct work_struct pump_work;
	struct work_struct release_work;
	struct delayed_work watchdog;
	u64 watch_run;			/* run being watched, 0: none */
	u64 watch_progress;
	ktime_t watch_since;
	u64 expired_run;		/* its time is over, for @expired_code; under @lock */
	u32 expired_code;

	struct tsr_dump *dump;
	struct tsr_events events;
	u64 instance;			/* 0: not added to netlink yet */
	struct list_head netlink_link;
	struct xarray all_contexts;	/* by id; a reference may be on its way to 0 */

	struct mutex image_lock;	/* protects @images */
	DECLARE_HASHTABLE(images, TSR_IMAGE_BITS);
	struct list_head stuck_images;	/* not unloaded, not proven to be unused; under @lock */
	bool stopped;			/* the hardware knows nothing any more */
	siphash_key_t image_key;
};

static inline struct tsr_device *to_tsr_device(struct drm_device *drm)
{
	return container_of(drm, struct tsr_device, drm);
}

/* reset.c */

/*
 * tsr_device_request_reset() - reset the device, and wait for the result (FL-8)
 * Process context, not the pipeline's thread. 0 with the generation, -EIO (wedged),
 * -ENODEV, -ERESTARTSYS.
 */
int tsr_device_request_reset(struct tsr_device *tdev, u64 *ret_generation);
/*
 * tsr_device_reset() - do it, in a bounded number of attempts; pipeline thread, nothing launched.
 * Holds tdev->lock (irq), and drops it meanwhile.
 */
int tsr_device_reset(struct tsr_device *tdev);

/* device.c */

/*
 * Work of a device owns a reference to it from the moment it is queued: it may run when the device
 * is unplugged and the last file is closed. Its function gives the reference up by tsr_work_done(),
 * as the last thing that it does. Any context; the caller has a reference of its own.
 */
void tsr_work_queue(struct tsr_device *tdev, struct work_struct *work);
/* tsr_work_queue_in() - in @delay jiffies; if it is queued already, then at that time instead */
void tsr_work_queue_in(struct tsr_device *tdev, struct delayed_work *work, unsigned long delay);
/*
 * tsr_work_queue_again() - the same by the work's own function, unless it is queued already
 *
 * Unplug may be cancelling it: then it is not queued, which mod_delayed_work() does not tell.
 */
void tsr_work_queue_again(struct tsr_device *tdev, struct delayed_work *work, unsigned long delay);
/* tsr_work_cancel() - it is not queued, and does not run; process context */
void tsr_work_cancel(struct tsr_device *tdev, struct delayed_work *work);
/* tsr_work_done() - @tdev may be gone with it */
void tsr_work_done(struct tsr_device *tdev);

extern const struct drm_driver tsr_drm_driver;
/* Drained when the module goes: the last step of a fence's life runs on it. */
extern struct workqueue_struct *tsr_wq;

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The run pipeline: QUEUED -> STAGED -> LAUNCHED -> COMPLETE -> RETIRED (RUN-1).
 * arbiter.c chooses, bank.c leases, claim.c grants, retire.c ends, pipeline.c drives.
 */
#ifndef TSR_PIPELINE_H
#define TSR_PIPELINE_H

#include "run.h"

/* pipeline.c */

/*
 * tsr_pump() - drive the pipeline until it rests
 * @tdev: device
 * @turns: steps that the caller is ready to do for it; the rest goes to a worker.
 *         0: only see to it that somebody does.
 *
 * Process context for @turns > 0, else any.
 */
void tsr_pump(struct tsr_device *tdev, u32 turns);
/* tsr_enqueue() - behind the other runs of its context. Holds tdev->lock. */
void tsr_enqueue(struct tsr_device *tdev, struct tsr_run *run);
/* tsr_unqueue() - off the list of what is queued or staged. Holds tdev->lock. */
void tsr_unqueue(struct tsr_run *run);
/*
 * tsr_pump_run() - drive the pipeline for a run that is on no queue yet
 *
 * Executes it at once if the device is idle, else puts it on its queue. Entered with
 * tdev->lock held (irq), left without. Process context, @turns > 0.
 */
void tsr_pump_run(struct tsr_device *tdev, struct tsr_run *run, u32 turns);
void tsr_pump_work(struct work_struct *work);

/*
 * What follows and is not marked otherwise is for the thread that drives the pipeline:
 * entered and left with tdev->lock held (irq), which it may drop meanwhile.
 */

/* tsr_stage_again() - after a reset, which may have cleared the banks */
void tsr_stage_again(struct tsr_device *tdev);

/* watchdog.c */
void tsr_watchdog_work(struct work_struct *work);
/* tsr_watchdog_arm() - watch @run, which was launched and goes on */
void tsr_watchdog_arm(struct tsr_device *tdev, const struct tsr_run *run);

/* reset.c */

/* tsr_reset_wanted() - somebody waits for a reset. Holds tdev->lock. */
static inline bool tsr_reset_wanted(const struct tsr_device *tdev)
{
	return tdev->resets_tried != tdev->resets_wanted;
}

/* tsr_reset_serve() - reset, tell who waits; nothing launched */
void tsr_reset_serve(struct tsr_device *tdev);
int tsr_ioctl_device_reset(struct drm_device *drm, void *data, struct drm_file *file);

/* arbiter.c */

/* tsr_arbiter_pick() - the run to stage next (RUN-5), off its queue, or NULL. Holds tdev->lock. */
struct tsr_run *tsr_arbiter_pick(struct tsr_device *tdev);

/* bank.c */
/* All hold tdev->lock. */
bool tsr_bank_available(struct tsr_device *tdev);
int tsr_bank_lease(struct tsr_device *tdev, struct tsr_run *run);
int tsr_bank_return(struct tsr_device *tdev, struct tsr_run *run);

/* claim.c */

/* These hold tdev->lock. */

/* tsr_claim_update() - grant or revoke a hold, if this is the moment for it */
void tsr_claim_update(struct tsr_device *tdev);
/* tsr_claim_admits() - whether runs of @ctx may be staged now */
bool tsr_claim_admits(struct tsr_device *tdev, const struct tsr_context *ctx);
/* tsr_claim_forget() - @ctx holds and wants the claim no longer */
void tsr_claim_forget(struct tsr_device *tdev, struct tsr_context *ctx);
/* tsr_claim_abandon() - the device is gone: nobody holds the claim */
void tsr_claim_abandon(struct tsr_device *tdev);

void tsr_claim_hold_expired(struct work_struct *work);
int tsr_ioctl_claim_acquire(struct drm_device *drm, void *data, struct drm_file *file);
int tsr_ioctl_claim_release(struct drm_device *drm, void *data, struct drm_file *file);

/* tsr_claim_scrubs() - taking the claim for a run of @ctx clears the grid (CL-4) */
bool tsr_claim_scrubs(const struct tsr_device *tdev, const struct tsr_context *ctx);
void tsr_claim_take(struct tsr_device *tdev, struct tsr_run *run);
void tsr_claim_release(struct tsr_device *tdev, struct tsr_run *run);

/* retire.c */

/* tsr_run_complete() - both boundaries were seen: verdict, claim released, retired */
void tsr_run_complete(struct tsr_device *tdev, struct tsr_run *run);
/*
 * tsr_run_well() - both boundaries were seen: whether the record says that all is well
 * Without the lock. True: tsr_run_complete_well() is what is left to do. False: tsr_run_complete().
 */
bool tsr_run_well(struct tsr_device *tdev, struct tsr_run *run);
void tsr_run_complete_well(struct tsr_device *tdev, struct tsr_run *run);
/* tsr_run_stop() - end a launched run with @code once its cores are proven stopped */
void tsr_run_stop(struct tsr_device *tdev, struct tsr_run *run, u32 code);
/*
 * tsr_release_ended() - give up what ended runs held; process context
 * @done: of the call before, or NULL; they are put. Becomes the runs that are left to be put.
 */
void tsr_release_ended(struct tsr_device *tdev, struct tsr_run **done);
/* tsr_runs_put() - a chain of them, or NULL. Without the lock. */
void tsr_runs_put(struct tsr_run *first);
/* tsr_quarantine_release() - what is in quarantine is proven to be stopped */
void tsr_quarantine_release(struct tsr_device *tdev);
void tsr_release_work(struct work_struct *work);
/* tsr_run_scrub() - clear what one run could leave for the next; nothing executes */
void tsr_run_scrub(struct tsr_device *tdev);
/* tsr_run_drop() - end a run that was not launched; it is on no list any more */
void tsr_run_drop(struct tsr_device *tdev, struct tsr_run *run, u32 code);

#endif

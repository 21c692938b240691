// SPDX-License-Identifier: GPL-2.0-only
/*
 * How runs end. Completion, verdict, health and retirement are four decisions
 * (RUN-10): both boundaries were seen; what the record of this run says; what
 * that means for the device; resources are given up. All by the thread that
 * drives the pipeline, so each is taken once.
 */
#include <linux/dma-fence.h>
#include "coredump.h"
#include "pipeline.h"
#include "stall.h"
#include "stats.h"
#include "tsr_trace.h"

/* Which kernel runs there: the index of its descriptor, or ~0. */
static u32 tsr_kernel_at(const struct tsr_blob *view, u16 x, u16 y, u8 proc)
{
	u32 d, r;

	for (d = 0; d < view->n_descriptors; d++) {
		const struct tessera_descriptor *desc = &view->descriptors[d];

		if (view->images[desc->image].processor != proc)
			continue;
		for (r = 0; r < desc->range_count; r++) {
			const struct tessera_range *range = &view->ranges[desc->range_first + r];

			if (x >= range->x0 && x <= range->x1 && y >= range->y0 && y <= range->y1)
				return d;
		}
	}
	return ~0u;
}

static void tsr_count_class(struct tsr_device *tdev, struct tsr_context *ctx, u32 code)
{
	if (code == DRM_TESSERA_CODE_OK)
		return;
	switch (tsr_code_class(code)) {
	case DRM_TESSERA_CLASS_LOCAL:
		tsr_count(tdev, ctx, runs_failed_local, 1);
		break;
	case DRM_TESSERA_CLASS_QUEUE:
		tsr_count(tdev, ctx, runs_failed_queue, 1);
		break;
	case DRM_TESSERA_CLASS_DEVICE:
		tsr_count(tdev, ctx, runs_failed_device, 1);
		break;
	}
}

static void tsr_count_end(struct tsr_device *tdev, struct tsr_run *run, u32 phase)
{
	struct tsr_context *ctx = run->ctx;

	switch (phase) {
	case DRM_TESSERA_PHASE_RETIRED:
		tsr_count(tdev, ctx, runs_retired, 1);
		tsr_count_class(tdev, ctx, run->outcome.code);
		break;
	case DRM_TESSERA_PHASE_CANCELLED:
		tsr_count(tdev, ctx, runs_cancelled, 1);
		break;
	default:
		tsr_count(tdev, ctx, runs_quarantined, 1);
		tsr_count_class(tdev, ctx, run->outcome.code);
	}
}

/* The context takes nothing more, and what is queued in it is dropped; first error wins (FL-1). */
static void tsr_context_poison(struct tsr_device *tdev, struct tsr_context *ctx,
			       struct tsr_run *origin)
{
	if (ctx->poison_code)
		return;
	ctx->poison_code = origin->outcome.code;
	ctx->poison_run = origin->id;
	tsr_count(tdev, ctx, poisonings, 1);
	if (!list_empty(&ctx->queued))
		list_move_tail(&ctx->link, &tdev->dying);
}

/* Whoever waits for its end otherwise is told. */
static void tsr_run_signal(struct tsr_device *tdev, struct tsr_run *run)
{
	struct dma_fence *fence = run->fence;
	int error;

	/* Callbacks of others run in there. */
	if (fence) {
		spin_unlock_irq(&tdev->lock);
		error = tsr_run_error(run);
		if (error)
			dma_fence_set_error(fence, error);
		dma_fence_signal(fence);
		spin_lock_irq(&tdev->lock);
	}
	if (wq_has_sleeper(&run->ended))
		wake_up_all(&run->ended);
	/* All of them: who waits for a reset of the context is no submitter. */
	if (wq_has_sleeper(&run->ctx->space))
		wake_up_all(&run->ctx->space);
}

/*
 * Giving up a shared buffer takes a lock that its other users may hold while they
 * wait for one of our fences: never by the thread that makes those signal.
 */
static void tsr_run_to_release(struct tsr_device *tdev, struct tsr_run *run)
{
	if (!run->shared) {
		tsr_run_chain_add(&tdev->ended, run);
		return;
	}
	tsr_run_chain_add(&tdev->ended_shared, run);
	tsr_work_queue(tdev, &tdev->release_work);
}

/* The final status becomes visible, and everybody who waits for it is told. */
static void tsr_run_end(struct tsr_device *tdev, struct tsr_run *run, u32 phase)
{
	struct tsr_context *ctx = run->ctx;

	if (run->generation)
		tsr_bank_return(tdev, run);
	if (!run->launched_ns)
		tsr_count(tdev, ctx, queue_depth, -1);
	tsr_count_end(tdev, run, phase);
	list_del_init(&run->live_link);
	tdev->unended--;
	ctx->depth--;
	if (run->outcome.code && tsr_code_class(run->outcome.code) == DRM_TESSERA_CLASS_QUEUE)
		tsr_context_poison(tdev, ctx, run);
	tsr_page_update(ctx, run, phase);
	/* A run that completes well retires in the same moment. */
	run->retired_ns = run->completed_ns && !run->outcome.code ? run->completed_ns :
								    ktime_get_ns();
	run->outcome.reset_generation = tdev->reset_generation;
	/* Pairs with tsr_run_ended(). */
	smp_store_release(&run->phase, phase);
	if (phase == DRM_TESSERA_PHASE_QUARANTINED)
		list_add_tail(&run->link, &tdev->quarantine);
	trace_tessera_run_end(run, phase);
	if (run->outcome.code || phase != DRM_TESSERA_PHASE_RETIRED)
		tsr_event_run_end(tdev, run, phase);
	tsr_run_signal(tdev, run);
	if (phase != DRM_TESSERA_PHASE_QUARANTINED)
		tsr_run_to_release(tdev, run);
}

void tsr_quarantine_release(struct tsr_device *tdev)
{
	struct tsr_run *run, *next;

	list_for_each_entry_safe(run, next, &tdev->quarantine, link) {
		list_del_init(&run->link);
		tsr_run_to_release(tdev, run);
	}
}

void tsr_runs_put(struct tsr_run *first)
{
	struct tsr_run *run, *next;

	for (run = first; run; run = next) {
		next = run->next;
		INIT_LIST_HEAD(&run->link);
		tsr_run_put(run);
	}
}

/*
 * Gives up what they hold, without the lock; what is left of them when they are counted no more
 * are references, which are put without it, too: those of @done now, these later.
 */
static void tsr_runs_release(struct tsr_device *tdev, struct tsr_run *first, struct tsr_run **done)
{
	struct tsr_run *run;

	if (!first)
		return;
	spin_unlock_irq(&tdev->lock);
	tsr_runs_put(*done);
	*done = first;
	for (run = first; run; run = run->next)
		tsr_run_release_resources(run);
	spin_lock_irq(&tdev->lock);
	for (run = first; run; run = run->next)
		tsr_count(tdev, run->ctx, runs, -1);
}

void tsr_release_work(struct work_struct *work)
{
	struct tsr_device *tdev = container_of(work, struct tsr_device, release_work);
	struct tsr_run *done = NULL;

	spin_lock_irq(&tdev->lock);
	tsr_runs_release(tdev, tsr_run_chain_take(&tdev->ended_shared), &done);
	spin_unlock_irq(&tdev->lock);
	tsr_runs_put(done);
	tsr_work_done(tdev);
}

void tsr_release_ended(struct tsr_device *tdev, struct tsr_run **done)
{
	tsr_runs_release(tdev, tsr_run_chain_take(&tdev->ended), done);
}

void tsr_run_scrub(struct tsr_device *tdev)
{
	spin_unlock_irq(&tdev->lock);
	tdev->ops->scrub(tdev->hw);
	spin_lock_irq(&tdev->lock);
	tsr_count(tdev, NULL, scrubs, 1);
}

/* Where the cores stood when the run was stopped, or nobody knows what became of it. */
static void tsr_outcome_stall(struct tsr_outcome *out, const struct tsr_run *run,
			      const struct tsr_stall_info *stall)
{
	out->stall = *stall;
	out->dispatch_done = run->boundaries & TSR_BOUNDARY_DISPATCH;
	out->stall_class = tsr_stall_classify(stall->running, stall->ready, stall->waiting,
					      out->dispatch_done);
	out->stuck_kernel = tsr_kernel_at(&run->prog->view, stall->stuck_x, stall->stuck_y,
					  stall->stuck_proc);
}

/*
 * A failure, written at once and under the lock: who asks for the status sees all of it or
 * nothing, and what cores that go on printing add to the flags is not lost.
 */
static void tsr_run_condemn(struct tsr_device *tdev, struct tsr_run *run,
			    const struct tsr_hw_record *record, u32 code, bool proven)
{
	struct tsr_outcome out = { .flags = DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED };
	bool fault = record->end == TSR_HW_END_FAULT;

	spin_lock_irq(&tdev->lock);
	if (fault && proven) {
		out.code = DRM_TESSERA_CODE_FAULT;
		out.verdict_source = DRM_TESSERA_VERDICT_RECORD;
		out.fault = record->fault;
		out.fault_kernel = tsr_kernel_at(&run->prog->view, record->fault.x,
						 record->fault.y, record->fault.proc);
	} else {
		/* Whatever the record says of a stop that is unproven: cores may still write. */
		out.code = proven ? code : DRM_TESSERA_CODE_STOP_UNPROVEN;
		out.verdict_source = DRM_TESSERA_VERDICT_DRIVER;
		if (!fault && record->end != TSR_HW_END_OK)
			tsr_outcome_stall(&out, run, &record->stall);
	}
	out.flags |= run->outcome.flags;
	run->outcome = out;
	spin_unlock_irq(&tdev->lock);
}

/*
 * Verdict: what the record says, if it is this run's (RUN-10). @code: what holds without one.
 * True: the run ended well, and the caller notes whose word that is.
 */
static bool tsr_run_judge(struct tsr_device *tdev, struct tsr_run *run, u32 code, bool proven)
{
	struct tsr_hw_record record;

	tdev->ops->record(tdev->hw, run->slot, &record);
	if (record.run_id != run->id) {
		record.end = TSR_HW_END_NONE;
		/* Nothing that it says is of this run (RUN-11). */
		if (record.run_id)
			memset(&record.stall, 0, sizeof(record.stall));
		if (record.run_id && code == DRM_TESSERA_CODE_NO_RECORD)
			code = DRM_TESSERA_CODE_BAD_RECORD;
	}
	if (record.end == TSR_HW_END_OK && proven)
		return true;
	tsr_run_condemn(tdev, run, &record, code, proven);
	return false;
}

static void tsr_run_settle(struct tsr_device *tdev, struct tsr_run *run, u32 phase)
{
	tsr_claim_release(tdev, run);
	tsr_run_end(tdev, run, phase);
}

bool tsr_run_well(struct tsr_device *tdev, struct tsr_run *run)
{
	struct tsr_hw_record *record = &tdev->record;

	tdev->ops->record(tdev->hw, run->slot, record);
	if (record->run_id != run->id || record->end != TSR_HW_END_OK)
		return false;
	tsr_diag_collect(tdev, run);
	return true;
}

static void tsr_run_completed(struct tsr_device *tdev, struct tsr_run *run)
{
	run->completed_ns = ktime_get_ns();
	run->phase = DRM_TESSERA_PHASE_COMPLETE;
	trace_tessera_run_complete(run);
	tsr_count(tdev, run->ctx, runs_completed, 1);
	if (run->outcome.flags & DRM_TESSERA_STATUS_INLINE)
		tsr_count(tdev, run->ctx, inline_runs, 1);
}

void tsr_run_complete_well(struct tsr_device *tdev, struct tsr_run *run)
{
	run->outcome.verdict_source = DRM_TESSERA_VERDICT_RECORD;
	tsr_run_completed(tdev, run);
	tsr_run_settle(tdev, run, DRM_TESSERA_PHASE_RETIRED);
}

void tsr_run_complete(struct tsr_device *tdev, struct tsr_run *run)
{
	u32 phase = DRM_TESSERA_PHASE_RETIRED;
	bool well;

	spin_unlock_irq(&tdev->lock);
	well = tsr_run_judge(tdev, run, DRM_TESSERA_CODE_NO_RECORD, true);
	tsr_diag_collect(tdev, run);
	if (!well)
		tsr_dump_take(tdev, run);
	spin_lock_irq(&tdev->lock);

	if (well) {
		tsr_run_complete_well(tdev, run);
		return;
	}
	tsr_run_completed(tdev, run);
	if (tsr_code_class(run->outcome.code) != DRM_TESSERA_CLASS_DEVICE)
		tsr_run_scrub(tdev);
	else if (tsr_device_reset(tdev))
		phase = DRM_TESSERA_PHASE_QUARANTINED;
	tsr_run_settle(tdev, run, phase);
}

void tsr_run_stop(struct tsr_device *tdev, struct tsr_run *run, u32 code)
{
	bool proven, well;

	spin_unlock_irq(&tdev->lock);
	proven = !tdev->ops->quiesce(tdev->hw);
	well = tsr_run_judge(tdev, run, code, proven);
	if (proven) {
		tsr_diag_collect(tdev, run);
		tsr_dump_take(tdev, run);
	}
	spin_lock_irq(&tdev->lock);

	if (well)
		run->outcome.verdict_source = DRM_TESSERA_VERDICT_RECORD;
	if (run->outcome.code == DRM_TESSERA_CODE_NO_PROGRESS ||
	    run->outcome.code == DRM_TESSERA_CODE_TIME_LIMIT)
		tsr_count(tdev, run->ctx, timeouts, 1);
	tdev->expired_run = 0;

	if (code == DRM_TESSERA_CODE_RESET)
		; /* The reset that somebody asked for follows, and proves what is not. */
	else if (proven && tsr_code_class(code) != DRM_TESSERA_CLASS_DEVICE)
		tsr_run_scrub(tdev);
	else if (!tdev->gone && !tsr_device_reset(tdev))
		proven = true;
	tsr_run_settle(tdev, run, proven ? DRM_TESSERA_PHASE_RETIRED :
					   DRM_TESSERA_PHASE_QUARANTINED);
}

void tsr_run_drop(struct tsr_device *tdev, struct tsr_run *run, u32 code)
{
	/* A poisoned context's runs did nothing wrong: code 0, and whose fault it was. */
	if (code == DRM_TESSERA_CODE_OK) {
		run->outcome.poison_code = run->ctx->poison_code;
		run->outcome.poison_run = run->ctx->poison_run;
	}
	run->outcome.code = code;
	run->outcome.verdict_source = DRM_TESSERA_VERDICT_DRIVER;
	run->outcome.flags |= DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED;
	tsr_run_end(tdev, run, code == DRM_TESSERA_CODE_STAGE || code == DRM_TESSERA_CODE_LAUNCH ?
			       DRM_TESSERA_PHASE_RETIRED : DRM_TESSERA_PHASE_CANCELLED);
}

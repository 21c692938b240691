// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread that drives the pipeline: looks under the lock for the next thing to
 * do, does it without the lock, and looks again. There is one such thread at a
 * time; the others leave a flag or a list entry and go. Submitters drive their own
 * runs when nobody else does (DESIGN decision 8); what may take long is left to
 * the worker.
 */
#include <linux/dma-fence.h>
#include "pipeline.h"
#include "stats.h"
#include "tsr_trace.h"

enum tsr_action {
	TSR_REST,			/* nothing to do now */
	TSR_DEFER,			/* something only the worker may do */
	TSR_COMPLETE,
	TSR_STOP,
	TSR_DROP,
	TSR_STAGE,
	TSR_LAUNCH,
	TSR_RESET,
	TSR_STAGE_AGAIN,
};

struct tsr_step {
	enum tsr_action action;
	struct tsr_run *run;
	u32 code;			/* for STOP and DROP */
};

static u32 tsr_stop_code(const struct tsr_device *tdev, const struct tsr_run *run)
{
	if (tdev->gone)
		return DRM_TESSERA_CODE_DEVICE_GONE;
	if (run->ctx->dead)
		return DRM_TESSERA_CODE_CONTEXT_GONE;
	if (run->cancel)
		return DRM_TESSERA_CODE_STOPPED;
	if (tsr_reset_wanted(tdev))
		return DRM_TESSERA_CODE_RESET;
	if (tdev->expired_run == run->id)
		return tdev->expired_code;
	return DRM_TESSERA_CODE_OK;
}

/* Whether a run that was not launched must not be any more; OK: its context is poisoned. */
static bool tsr_must_drop(const struct tsr_device *tdev, const struct tsr_run *run, u32 *ret_code)
{
	*ret_code = DRM_TESSERA_CODE_OK;
	if (tdev->gone)
		*ret_code = DRM_TESSERA_CODE_DEVICE_GONE;
	else if (tdev->health == DRM_TESSERA_HEALTH_WEDGED)
		*ret_code = DRM_TESSERA_CODE_WEDGED;
	else if (run->ctx->dead)
		*ret_code = DRM_TESSERA_CODE_CONTEXT_GONE;
	else if (run->cancel)
		*ret_code = DRM_TESSERA_CODE_CANCELLED;
	else if (run->ctx->poison_code)
		return true;
	else if (READ_ONCE(run->dep_failed) && !atomic_read(&run->deps_pending))
		*ret_code = DRM_TESSERA_CODE_DEPENDENCY;
	return *ret_code != DRM_TESSERA_CODE_OK;
}

void tsr_enqueue(struct tsr_device *tdev, struct tsr_run *run)
{
	struct tsr_context *ctx = run->ctx;

	if (list_empty(&ctx->queued)) {
		/* Destroyed or poisoned since the reservation: accepted, it ends at once. */
		list_add_tail(&ctx->link,
			      ctx->dead || ctx->poison_code ? &tdev->dying : &tdev->contexts);
	}
	list_add_tail(&run->link, &ctx->queued);
}

void tsr_unqueue(struct tsr_run *run)
{
	struct tsr_context *ctx = run->ctx;

	list_del_init(&run->link);
	if (run->phase == DRM_TESSERA_PHASE_QUEUED && list_empty(&ctx->queued))
		list_del_init(&ctx->link);
}

static bool tsr_next_launched(struct tsr_device *tdev, bool worker, struct tsr_step *step)
{
	struct tsr_run *run = tdev->launched;

	if (!run)
		return false;
	step->run = run;
	if (run->boundaries == TSR_BOUNDARY_BOTH) {
		step->action = TSR_COMPLETE;
		return true;
	}
	step->code = tsr_stop_code(tdev, run);
	if (step->code == DRM_TESSERA_CODE_OK)
		return false;
	step->action = worker ? TSR_STOP : TSR_DEFER;
	return true;
}

/* A run that somebody wants gone before its launch, off its list. */
static bool tsr_next_dropped(struct tsr_device *tdev, struct tsr_step *step)
{
	bool all = tdev->gone || tdev->health == DRM_TESSERA_HEALTH_WEDGED;
	struct tsr_context *ctx;
	struct tsr_run *run;

	run = list_first_entry_or_null(&tdev->cancels, struct tsr_run, link);
	if (run)
		goto found;

	run = list_first_entry_or_null(&tdev->staged, struct tsr_run, link);
	if (run && tsr_must_drop(tdev, run, &step->code))
		goto found;

	ctx = list_first_entry_or_null(&tdev->dying, struct tsr_context, link);
	if (!ctx && all)
		ctx = list_first_entry_or_null(&tdev->contexts, struct tsr_context, link);
	if (!ctx)
		return false;
	run = list_first_entry(&ctx->queued, struct tsr_run, link);
found:
	tsr_unqueue(run);
	step->run = run;
	step->action = TSR_DROP;
	tsr_must_drop(tdev, run, &step->code);
	return true;
}

static bool tsr_next_staged(struct tsr_device *tdev, struct tsr_step *step)
{
	if (!tsr_bank_available(tdev))
		return false;
	step->run = tsr_arbiter_pick(tdev);
	if (!step->run)
		return false;
	if (tsr_must_drop(tdev, step->run, &step->code)) {
		step->action = TSR_DROP;
		return true;
	}
	tsr_bank_lease(tdev, step->run);
	step->action = TSR_STAGE;
	return true;
}

/* Of runs there are only @unended, and nothing else is to be done before more of them. */
static bool tsr_idle(const struct tsr_device *tdev, u64 unended)
{
	return tdev->unended == unended && list_empty(&tdev->claim_waiters) &&
	       tdev->health == DRM_TESSERA_HEALTH_GOOD && !tdev->suspended && !tdev->resumed &&
	       !tdev->reset_pending && !tsr_reset_wanted(tdev);
}

/*
 * Clearing the grid, or loading many cores, takes longer than a submitter should: a worker does it
 * (SEC-5).
 */
static bool tsr_launch_is_heavy(const struct tsr_device *tdev, const struct tsr_run *run)
{
	return run->prog->heavy || tsr_claim_scrubs(tdev, run->ctx);
}

static bool tsr_next_launch(struct tsr_device *tdev, bool worker, struct tsr_step *step)
{
	if (tdev->launched || list_empty(&tdev->staged))
		return false;
	step->run = list_first_entry(&tdev->staged, struct tsr_run, link);
	if (!worker && tsr_launch_is_heavy(tdev, step->run)) {
		step->action = TSR_DEFER;
		return true;
	}
	list_del_init(&step->run->link);
	step->action = TSR_LAUNCH;
	return true;
}

/* Under the lock. Completion first: it frees a bank and the claim. */
static struct tsr_step tsr_next(struct tsr_device *tdev, bool worker)
{
	struct tsr_step step = { TSR_REST };

	if (tsr_idle(tdev, 0) || tsr_next_launched(tdev, worker, &step))
		return step;
	if ((tsr_reset_wanted(tdev) || tdev->reset_pending) && !tdev->launched && !tdev->gone) {
		step.action = worker ? TSR_RESET : TSR_DEFER;
		return step;
	}
	if (tsr_next_dropped(tdev, &step) || tdev->suspended)
		return step;
	if (tdev->resumed) {
		tdev->resumed = false;
		step.action = TSR_STAGE_AGAIN;
		return step;
	}
	tsr_claim_update(tdev);
	if (tsr_next_launch(tdev, worker, &step))
		return step;
	if (!tsr_next_staged(tdev, &step))
		step.action = TSR_REST;
	return step;
}

/*
 * The steps. Each is entered and left with the lock held, and drops it for the
 * hardware: what was seen under it before holds no longer, but for what belongs to
 * this thread.
 */

/* The run, as the backend sees it. */
static struct tsr_hw_job *tsr_bank_job(struct tsr_device *tdev, const struct tsr_run *run)
{
	struct tsr_hw_job *job = &tdev->banks[run->slot].job;

	job->prog = &run->prog->view;
	job->images = run->prog->cookies;
	job->words = tsr_run_words(run);
	job->binds = tsr_run_binds(run);
	job->run_id = run->id;
	job->flags = run->flags;
	return job;
}

static int tsr_bank_stage(struct tsr_device *tdev, struct tsr_run *run)
{
	struct tsr_hw_job *job = tsr_bank_job(tdev, run);
	int ret;

	spin_unlock_irq(&tdev->lock);
	ret = tdev->ops->stage(tdev->hw, run->slot, job);
	spin_lock_irq(&tdev->lock);
	return ret;
}

/* Staged. Who cancelled it meanwhile found it on no list. */
static void tsr_staged(struct tsr_device *tdev, struct tsr_run *run)
{
	list_add_tail(&run->link, run->cancel ? &tdev->cancels : &tdev->staged);
}

static void tsr_run_stage(struct tsr_device *tdev, struct tsr_run *run)
{
	if (tsr_bank_stage(tdev, run)) {
		tsr_run_drop(tdev, run, DRM_TESSERA_CODE_STAGE);
		return;
	}
	run->staged_ns = ktime_get_ns();
	run->phase = DRM_TESSERA_PHASE_STAGED;
	tsr_count(tdev, run->ctx, runs_staged, 1);
	trace_tessera_run_staged(run);
	tsr_staged(tdev, run);
}

void tsr_stage_again(struct tsr_device *tdev)
{
	struct tsr_run *run;
	LIST_HEAD(again);

	list_splice_init(&tdev->staged, &again);
	while (!list_empty(&again)) {
		run = list_first_entry(&again, struct tsr_run, link);
		list_del_init(&run->link);
		if (!tsr_bank_stage(tdev, run))
			tsr_staged(tdev, run);
		else
			tsr_run_drop(tdev, run, DRM_TESSERA_CODE_STAGE);
	}
}

/* struct tsr_halves - a launch is a transaction in two halves (RUN-12) */
struct tsr_halves {
	int dispatch, grid;		/* what the backend said of them */
	bool well;			/* the run has ended, and all is known of how */
};

static void tsr_launch_begin(struct tsr_device *tdev, struct tsr_run *run, u64 now)
{
	tsr_claim_take(tdev, run);
	run->launched_ns = now;
	run->phase = DRM_TESSERA_PHASE_LAUNCHED;
}

/* Without the lock. What was seen in these calls needs no other look to be complete. */
static void tsr_launch_halves(struct tsr_device *tdev, struct tsr_run *run, struct tsr_halves *ret)
{
	ret->dispatch = tdev->ops->launch_dispatch(tdev->hw, run->slot);
	if (ret->dispatch < 0)
		return;
	trace_tessera_run_launched(run);
	ret->grid = tdev->ops->launch_grid(tdev->hw, run->slot);
	ret->well = ret->grid >= 0 && (ret->dispatch | ret->grid) == TSR_BOUNDARY_BOTH &&
		    tsr_run_well(tdev, run);
}

/* It did not begin. */
static void tsr_launch_undo(struct tsr_device *tdev, struct tsr_run *run, u32 code)
{
	run->launched_ns = 0;
	tsr_claim_release(tdev, run);
	tsr_run_drop(tdev, run, code);
}

static void tsr_launch_end(struct tsr_device *tdev, struct tsr_run *run,
			   const struct tsr_halves *halves)
{
	if (halves->dispatch < 0) {
		tsr_launch_undo(tdev, run, DRM_TESSERA_CODE_LAUNCH);
		return;
	}
	run->boundaries |= halves->dispatch;
	tsr_count(tdev, run->ctx, runs_launched, 1);
	tsr_count(tdev, run->ctx, queue_depth, -1);
	if (halves->grid < 0) {
		tsr_run_stop(tdev, run, DRM_TESSERA_CODE_LAUNCH_PARTIAL);
		return;
	}
	run->boundaries |= halves->grid;
	if (halves->grid & TSR_BOUNDARY_GRID)
		run->outcome.flags |= DRM_TESSERA_STATUS_INLINE;
	if (halves->well)
		tsr_run_complete_well(tdev, run);
	else if (run->boundaries == TSR_BOUNDARY_BOTH)
		tsr_run_complete(tdev, run);
	else
		tsr_watchdog_arm(tdev, run);
}

static void tsr_run_launch(struct tsr_device *tdev, struct tsr_run *run)
{
	struct tsr_halves halves = { 0 };

	tsr_launch_begin(tdev, run, ktime_get_ns());
	spin_unlock_irq(&tdev->lock);
	tsr_launch_halves(tdev, run, &halves);
	spin_lock_irq(&tdev->lock);
	tsr_launch_end(tdev, run, &halves);
}

/* Nothing is there that comes before @run or forbids it: the queues would only hand it on. */
static bool tsr_alone(const struct tsr_device *tdev, const struct tsr_run *run)
{
	const struct tsr_context *ctx = run->ctx;

	return tsr_idle(tdev, 1) && (!tdev->holder || tdev->holder == ctx) && !ctx->dead &&
	       !ctx->poison_code && !atomic_read_acquire(&run->deps_pending) && !run->dep_failed &&
	       !tsr_launch_is_heavy(tdev, run);
}

/* On an idle device: what the steps would do, but without a look at the queues in between. */
static void tsr_run_express(struct tsr_device *tdev, struct tsr_run *run)
{
	bool cookie = dma_fence_begin_signalling();
	struct tsr_halves halves = { 0 };
	struct tsr_hw_job *job;
	int ret;

	if (tsr_bank_lease(tdev, run)) {
		tsr_enqueue(tdev, run);
		goto out;
	}
	job = tsr_bank_job(tdev, run);
	run->staged_ns = run->queued_ns;
	tsr_launch_begin(tdev, run, run->queued_ns);
	spin_unlock_irq(&tdev->lock);
	ret = tdev->ops->stage(tdev->hw, run->slot, job);
	if (!ret) {
		trace_tessera_run_staged(run);
		tsr_launch_halves(tdev, run, &halves);
	}
	spin_lock_irq(&tdev->lock);
	if (ret) {
		run->staged_ns = 0;
		tsr_launch_undo(tdev, run, DRM_TESSERA_CODE_STAGE);
		goto out;
	}
	tsr_count(tdev, run->ctx, runs_staged, 1);
	tsr_launch_end(tdev, run, &halves);
out:
	dma_fence_end_signalling(cookie);
}

/* Holds the lock, as the steps do. */
static void tsr_act(struct tsr_device *tdev, const struct tsr_step *step)
{
	/* Fences of later runs depend on every step: no allocation from here. */
	bool cookie = dma_fence_begin_signalling();

	switch (step->action) {
	case TSR_COMPLETE:
		tsr_run_complete(tdev, step->run);
		break;
	case TSR_STOP:
		tsr_run_stop(tdev, step->run, step->code);
		break;
	case TSR_DROP:
		tsr_run_drop(tdev, step->run, step->code);
		break;
	case TSR_STAGE:
		tsr_run_stage(tdev, step->run);
		break;
	case TSR_LAUNCH:
		tsr_run_launch(tdev, step->run);
		break;
	case TSR_RESET:
		tsr_reset_serve(tdev);
		break;
	case TSR_STAGE_AGAIN:
		tsr_stage_again(tdev);
		break;
	default:
		break;
	}
	dma_fence_end_signalling(cookie);
}

/* What ended runs hold is given up without the lock; *done are those that were seen to before. */
static void tsr_pump_release(struct tsr_device *tdev, struct tsr_run **done)
{
	if (!list_empty(&tdev->stuck_images)) {
		spin_unlock_irq(&tdev->lock);
		tsr_images_reap(tdev, false);
		spin_lock_irq(&tdev->lock);
	}
	tsr_release_ended(tdev, done);
}

/*
 * Take the wheel, if nobody has it. Who has it looks once more for work after each
 * step, and gives it up under the lock under which it found none: what was left
 * for it before that is not missed.
 */
static bool tsr_pump_take(struct tsr_device *tdev)
{
	bool mine = !tdev->pumping;

	tdev->pumping = true;
	return mine;
}

static void tsr_pump_drive(struct tsr_device *tdev, bool worker, u32 turns)
	__releases(&tdev->lock)
{
	struct tsr_step step = { TSR_REST };
	struct tsr_run *done = NULL;

	for (;;) {
		tsr_pump_release(tdev, &done);
		if (worker) {
			spin_unlock_irq(&tdev->lock);
			cond_resched();
			spin_lock_irq(&tdev->lock);
		}
		step = worker || turns-- ? tsr_next(tdev, worker) :
					   (struct tsr_step){ TSR_DEFER };
		if (step.action == TSR_REST || step.action == TSR_DEFER)
			break;
		tsr_act(tdev, &step);
	}
	tdev->pumping = false;
	spin_unlock_irq(&tdev->lock);

	if (step.action == TSR_DEFER)
		tsr_work_queue(tdev, &tdev->pump_work);
	if (wq_has_sleeper(&tdev->rest))
		wake_up_all(&tdev->rest);
	/* Last: the device may go with them. */
	tsr_runs_put(done);
}

static void tsr_pump_by(struct tsr_device *tdev, bool worker, u32 turns)
{
	spin_lock_irq(&tdev->lock);
	if (tsr_pump_take(tdev))
		tsr_pump_drive(tdev, worker, turns);
	else
		spin_unlock_irq(&tdev->lock);
}

void tsr_pump_work(struct work_struct *work)
{
	struct tsr_device *tdev = container_of(work, struct tsr_device, pump_work);

	tsr_pump_by(tdev, true, 0);
	tsr_work_done(tdev);
}

void tsr_pump(struct tsr_device *tdev, u32 turns)
{
	if (turns)
		tsr_pump_by(tdev, false, turns);
	else
		tsr_work_queue(tdev, &tdev->pump_work);
}

void tsr_pump_run(struct tsr_device *tdev, struct tsr_run *run, u32 turns)
{
	bool alone = !tdev->pumping && tsr_alone(tdev, run);

	if (!alone)
		tsr_enqueue(tdev, run);
	if (!tsr_pump_take(tdev)) {
		spin_unlock_irq(&tdev->lock);
		return;
	}
	if (alone)
		tsr_run_express(tdev, run);
	tsr_pump_drive(tdev, false, turns);
}

void tsr_device_boundary(struct tsr_device *tdev, u64 run_id, u32 boundary)
{
	struct tsr_run *run;
	unsigned long flags;
	bool pump = false;

	spin_lock_irqsave(&tdev->lock, flags);
	run = tdev->launched;
	if (run && run->id == run_id) {
		run->boundaries |= boundary & TSR_BOUNDARY_BOTH;
		/* Who drives the pipeline looks again before it rests. */
		pump = !tdev->pumping;
	}
	spin_unlock_irqrestore(&tdev->lock, flags);
	if (pump)
		tsr_pump(tdev, 0);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The claim: the exclusive right to execute (CL-1). Whose run it is, is
 * tdev->launched. Taken at launch, released after completion was correlated.
 *
 * Effects under the claim: scrub between users (CL-4), launch of both halves,
 * reading of the record and of per-processor figures.
 *
 * A context may hold the claim across runs (CL-2): tdev->holder. Then only its runs
 * are staged. Who wants to hold waits in a list; the first is granted when nobody
 * holds and what others had staged has executed. After a hold, the run of somebody
 * else goes first, if there is one: neither holders nor single runs starve.
 */
#include <linux/jiffies.h>
#include "pipeline.h"
#include "stats.h"
#include "usage.h"

bool tsr_claim_scrubs(const struct tsr_device *tdev, const struct tsr_context *ctx)
{
	return tdev->claim_used && !uid_eq(tdev->claim_uid, ctx->uid);
}

void tsr_claim_take(struct tsr_device *tdev, struct tsr_run *run)
{
	tdev->launched = run;
	tdev->hold_yield = false;
	tsr_count(tdev, run->ctx, claims_taken, 1);
	/* Nothing runs, and nobody else launches: the pipeline is ours. */
	if (tsr_claim_scrubs(tdev, run->ctx))
		tsr_run_scrub(tdev);
	tdev->claim_uid = run->ctx->uid;
	tdev->claim_used = true;
}

void tsr_claim_release(struct tsr_device *tdev, struct tsr_run *run)
{
	tsr_usage_close(tdev, run);
	tdev->launched = NULL;
	tsr_count(tdev, run->ctx, claims_released, 1);
}

/* Somebody who does not hold the claim has a run that could execute. */
static bool tsr_hold_others_ready(const struct tsr_device *tdev)
{
	struct tsr_context *ctx;

	list_for_each_entry(ctx, &tdev->contexts, link) {
		struct tsr_run *head = list_first_entry(&ctx->queued, struct tsr_run, link);

		if (ctx != tdev->holder && !atomic_read(&head->deps_pending))
			return true;
	}
	return false;
}

static bool tsr_hold_contended(const struct tsr_device *tdev)
{
	return !list_empty(&tdev->claim_waiters) || tsr_hold_others_ready(tdev);
}

static bool tsr_hold_too_long(const struct tsr_device *tdev)
{
	return ktime_ms_delta(ktime_get(), tdev->hold_since) >= tdev->config.limits.claim_hold_ms;
}

static unsigned long tsr_hold_delay(const struct tsr_device *tdev)
{
	return msecs_to_jiffies(tdev->config.limits.claim_hold_ms) + 1;
}

static void tsr_hold_begin(struct tsr_device *tdev, struct tsr_context *ctx)
{
	tdev->holder = ctx;
	tdev->hold_since = ktime_get();
	tsr_count(tdev, ctx, holds_granted, 1);
	tsr_event_context(tdev, TESSERA_EVENT_TYPE_CLAIM_TAKEN, ctx);
	tsr_work_queue_in(tdev, &tdev->hold_timer, tsr_hold_delay(tdev));
}

static void tsr_hold_end(struct tsr_device *tdev)
{
	tdev->holder = NULL;
	tdev->hold_yield = true;
}

/* What others staged before must execute first. */
static bool tsr_hold_possible(const struct tsr_device *tdev, const struct tsr_context *ctx)
{
	struct tsr_run *run;

	if (tdev->holder || tdev->gone || (tdev->launched && tdev->launched->ctx != ctx))
		return false;
	list_for_each_entry(run, &tdev->staged, link)
		if (run->ctx != ctx)
			return false;
	return true;
}

static struct tsr_context *tsr_hold_next(struct tsr_device *tdev)
{
	return list_first_entry_or_null(&tdev->claim_waiters, struct tsr_context, claim_link);
}

void tsr_claim_update(struct tsr_device *tdev)
{
	struct tsr_context *next;

	/* A run boundary: nothing executes. */
	if (tdev->holder && !tdev->launched && tsr_hold_too_long(tdev) &&
	    tsr_hold_contended(tdev)) {
		tsr_count(tdev, tdev->holder, holds_revoked, 1);
		tsr_event_context(tdev, TESSERA_EVENT_TYPE_CLAIM_LOST, tdev->holder);
		tsr_hold_end(tdev);
	}

	next = tsr_hold_next(tdev);
	if (!next)
		return;
	/* The turn of a single run passes when there is none. */
	if (!tsr_hold_others_ready(tdev))
		tdev->hold_yield = false;
	if (tdev->hold_yield || !tsr_hold_possible(tdev, next))
		return;
	list_del_init(&next->claim_link);
	tsr_hold_begin(tdev, next);
	wake_up_all(&tdev->claim_wait);
}

bool tsr_claim_admits(struct tsr_device *tdev, const struct tsr_context *ctx)
{
	struct tsr_context *next = tsr_hold_next(tdev);

	if (tdev->holder)
		return tdev->holder == ctx;
	/* Whoever waits first must see the staged runs of others run out. */
	return !next || tdev->hold_yield || next == ctx;
}

void tsr_claim_forget(struct tsr_device *tdev, struct tsr_context *ctx)
{
	list_del_init(&ctx->claim_link);
	if (tdev->holder == ctx)
		tsr_hold_end(tdev);
}

void tsr_claim_abandon(struct tsr_device *tdev)
{
	/* Who waits learns it from tdev->gone, and leaves the list. */
	tdev->holder = NULL;
}

/* The holder may be idle: then no run boundary revokes its hold. */
void tsr_claim_hold_expired(struct work_struct *work)
{
	struct tsr_device *tdev = container_of(to_delayed_work(work), struct tsr_device,
					       hold_timer);
	unsigned long flags;
	bool held;

	tsr_pump(tdev, 0);
	spin_lock_irqsave(&tdev->lock, flags);
	held = tdev->holder && !tdev->gone;
	spin_unlock_irqrestore(&tdev->lock, flags);
	if (held)
		tsr_work_queue_again(tdev, &tdev->hold_timer, tsr_hold_delay(tdev));
	tsr_work_done(tdev);
}

/* 0: held now. -EINPROGRESS: in the list of those who wait. */
static int tsr_claim_ask(struct tsr_device *tdev, struct tsr_context *ctx, bool nonblock)
{
	if (tdev->gone)
		return -ENODEV;
	if (tdev->health == DRM_TESSERA_HEALTH_WEDGED)
		return -EIO;
	if (ctx->dead)
		return -ECANCELED;
	if (tdev->holder == ctx || !list_empty(&ctx->claim_link))
		return -EALREADY;
	list_add_tail(&ctx->claim_link, &tdev->claim_waiters);
	tsr_claim_update(tdev);
	if (tdev->holder == ctx)
		return 0;
	if (nonblock)
		list_del_init(&ctx->claim_link);
	return nonblock ? -EAGAIN : -EINPROGRESS;
}

/* What became of a wait: -EINPROGRESS while it goes on. Holds tdev->lock. */
static int tsr_claim_answer(const struct tsr_device *tdev, const struct tsr_context *ctx)
{
	if (tdev->gone)
		return -ENODEV;
	if (tdev->holder == ctx)
		return 0;
	if (list_empty(&ctx->claim_link))
		return ctx->dead ? -ECANCELED : -ESTALE;
	return -EINPROGRESS;
}

static bool tsr_claim_settled(struct tsr_device *tdev, struct tsr_context *ctx)
{
	unsigned long flags;
	int answer;

	spin_lock_irqsave(&tdev->lock, flags);
	answer = tsr_claim_answer(tdev, ctx);
	spin_unlock_irqrestore(&tdev->lock, flags);
	return answer != -EINPROGRESS;
}

/* The macro of the kernel reads whether its timer has fired without saying that this may race. */
static int __no_kcsan tsr_claim_sleep(struct tsr_device *tdev, struct tsr_context *ctx,
				      s64 timeout_ns)
{
	ktime_t left;

	if (timeout_ns < 0)
		return wait_event_interruptible(tdev->claim_wait, tsr_claim_settled(tdev, ctx));
	left = max_t(ktime_t, ktime_sub(timeout_ns, ktime_get()), 1);
	return wait_event_interruptible_hrtimeout(tdev->claim_wait, tsr_claim_settled(tdev, ctx),
						  left);
}

static int tsr_claim_wait(struct tsr_device *tdev, struct tsr_context *ctx, s64 timeout_ns)
{
	int ret = tsr_claim_sleep(tdev, ctx, timeout_ns), answer;
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	/* Granted in the last moment is granted. */
	answer = tsr_claim_answer(tdev, ctx);
	list_del_init(&ctx->claim_link);
	spin_unlock_irqrestore(&tdev->lock, flags);
	return answer == -EINPROGRESS ? ret : answer;
}

int tsr_ioctl_claim_acquire(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(drm);
	struct drm_tessera_claim_acquire *args = data;
	struct tsr_context *ctx;
	unsigned long flags;
	int ret;

	if (args->flags & ~DRM_TESSERA_CLAIM_NONBLOCK)
		return -EINVAL;
	ctx = tsr_context_get(file, args->context);
	if (!ctx)
		return -ENOENT;

	spin_lock_irqsave(&tdev->lock, flags);
	ret = tsr_claim_ask(tdev, ctx, args->flags & DRM_TESSERA_CLAIM_NONBLOCK);
	spin_unlock_irqrestore(&tdev->lock, flags);
	if (ret == -EINPROGRESS) {
		tsr_pump(tdev, 0);
		ret = tsr_claim_wait(tdev, ctx, args->timeout_ns);
	}
	tsr_context_put(ctx);
	return ret;
}

int tsr_ioctl_claim_release(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(drm);
	struct drm_tessera_claim_release *args = data;
	struct tsr_context *ctx;
	unsigned long flags;
	int ret = -ESTALE;

	if (args->pad)
		return -EINVAL;
	ctx = tsr_context_get(file, args->context);
	if (!ctx)
		return -ENOENT;

	spin_lock_irqsave(&tdev->lock, flags);
	if (tdev->holder == ctx) {
		tsr_hold_end(tdev);
		ret = 0;
	}
	spin_unlock_irqrestore(&tdev->lock, flags);
	if (!ret)
		tsr_pump(tdev, 0);
	tsr_context_put(ctx);
	return ret;
}

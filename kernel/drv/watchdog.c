// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time limits (FL-3): without progress, and in total if the submit set one, or if
 * others wait: a kernel that does nothing but report progress must not keep them from
 * the device for ever (SEC-1). Looks
 * 32 times per limit, so that a run is ended at most about 6 % late (two looks). It
 * only says so: the pipeline decides, once, between a completion and a timeout of the
 * same moment.
 */
#include <linux/jiffies.h>
#include "pipeline.h"

/* What the watchdog needs of the run that executes. */
struct tsr_watched {
	u64 id;				/* 0: none */
	u64 launched_ns;
	u32 time_limit_ms;		/* 0: none */
	bool others_wait;
};

static u32 tsr_shortest_limit(const struct tsr_device *tdev, u32 time_limit_ms)
{
	u32 limit = tdev->config.limits.no_progress_ms;

	return time_limit_ms ? min(limit, time_limit_ms) : limit;
}

static unsigned long tsr_watchdog_delay(const struct tsr_device *tdev, u32 time_limit_ms)
{
	return max(1ul, msecs_to_jiffies(tsr_shortest_limit(tdev, time_limit_ms)) / 32);
}

void tsr_watchdog_arm(struct tsr_device *tdev, const struct tsr_run *run)
{
	tsr_work_queue_in(tdev, &tdev->watchdog, tsr_watchdog_delay(tdev, run->time_limit_ms));
}

/* A run of another context could execute. Holds tdev->lock. */
static bool tsr_others_wait(const struct tsr_device *tdev)
{
	const struct tsr_context *ctx;
	const struct tsr_run *run;

	list_for_each_entry(run, &tdev->staged, link)
		if (run->ctx != tdev->launched->ctx)
			return true;
	list_for_each_entry(ctx, &tdev->contexts, link)
		if (ctx != tdev->launched->ctx)
			return true;
	list_for_each_entry(ctx, &tdev->claim_waiters, claim_link)
		if (ctx != tdev->launched->ctx)
			return true;
	return false;
}

static struct tsr_watched tsr_watched(struct tsr_device *tdev)
{
	struct tsr_watched watched = {};
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	if (tdev->launched && !tdev->gone) {
		watched.id = tdev->launched->id;
		watched.launched_ns = tdev->launched->launched_ns;
		watched.time_limit_ms = tdev->launched->time_limit_ms;
		watched.others_wait = tsr_others_wait(tdev);
	}
	spin_unlock_irqrestore(&tdev->lock, flags);
	return watched;
}

static void tsr_watchdog_expire(struct tsr_device *tdev, u64 id, u32 code)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	/* The first reason stands, should the pipeline be slow. */
	if (tdev->expired_run != id) {
		tdev->expired_run = id;
		tdev->expired_code = code;
	}
	spin_unlock_irqrestore(&tdev->lock, flags);
	tsr_pump(tdev, 0);
}

static bool tsr_no_progress(struct tsr_device *tdev, const struct tsr_watched *watched,
			    ktime_t now)
{
	u64 progress = tdev->ops->progress(tdev->hw);

	if (watched->id != tdev->watch_run || progress != tdev->watch_progress) {
		tdev->watch_run = watched->id;
		tdev->watch_progress = progress;
		tdev->watch_since = now;
		return false;
	}
	return ktime_ms_delta(now, tdev->watch_since) >= tdev->config.limits.no_progress_ms;
}

static bool tsr_too_long(const struct tsr_device *tdev, const struct tsr_watched *watched,
			 ktime_t now)
{
	u32 limit = tdev->config.limits.run_limit_ms;
	s64 took = ktime_ms_delta(now, watched->launched_ns);

	/* A run is watched from its launch on: launched_ns is 0 for a moment before. */
	if (!watched->launched_ns)
		return false;
	return (watched->time_limit_ms && took >= watched->time_limit_ms) ||
	       (limit && watched->others_wait && took >= limit);
}

static void tsr_watchdog_look(struct tsr_device *tdev)
{
	struct tsr_watched watched = tsr_watched(tdev);
	ktime_t now = ktime_get();

	if (!watched.id) {
		tdev->watch_run = 0;
		return;
	}
	if (tsr_no_progress(tdev, &watched, now))
		tsr_watchdog_expire(tdev, watched.id, DRM_TESSERA_CODE_NO_PROGRESS);
	else if (tsr_too_long(tdev, &watched, now))
		tsr_watchdog_expire(tdev, watched.id, DRM_TESSERA_CODE_TIME_LIMIT);
	tsr_work_queue_again(tdev, &tdev->watchdog,
			     tsr_watchdog_delay(tdev, watched.time_limit_ms));
}

void tsr_watchdog_work(struct work_struct *work)
{
	struct tsr_device *tdev = container_of(to_delayed_work(work), struct tsr_device, watchdog);

	tsr_watchdog_look(tdev);
	tsr_work_done(tdev);
}

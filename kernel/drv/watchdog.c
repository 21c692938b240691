// SPDX-License-Identifier: GPL-2.0-only
/*
 * The no-progress limit (FL-3). Looks 32 times per limit, so that a run without
 * progress is ended at most about 6 % late (two looks). It only says so: the pipeline decides,
 * once, between a completion and a timeout of the same moment.
 */
#include <linux/jiffies.h>
#include "pipeline.h"

static unsigned long tsr_watchdog_period(struct tsr_device *tdev)
{
	return max(1ul, msecs_to_jiffies(tdev->config.limits.no_progress_ms) / 32);
}

void tsr_watchdog_arm(struct tsr_device *tdev)
{
	mod_delayed_work(tsr_wq, &tdev->watchdog, tsr_watchdog_period(tdev));
}

static u64 tsr_launched_id(struct tsr_device *tdev)
{
	unsigned long flags;
	u64 id;

	spin_lock_irqsave(&tdev->lock, flags);
	id = tdev->launched && !tdev->gone ? tdev->launched->id : 0;
	spin_unlock_irqrestore(&tdev->lock, flags);
	return id;
}

static void tsr_watchdog_expire(struct tsr_device *tdev, u64 id)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	tdev->expired_run = id;
	spin_unlock_irqrestore(&tdev->lock, flags);
	tsr_pump(tdev, 0);
}

void tsr_watchdog_work(struct work_struct *work)
{
	struct tsr_device *tdev = container_of(to_delayed_work(work), struct tsr_device, watchdog);
	u64 id = tsr_launched_id(tdev), progress;
	ktime_t now = ktime_get();

	if (!id) {
		tdev->watch_run = 0;
		return;
	}

	progress = tdev->ops->progress(tdev->hw);
	if (id != tdev->watch_run || progress != tdev->watch_progress) {
		tdev->watch_run = id;
		tdev->watch_progress = progress;
		tdev->watch_since = now;
	} else if (ktime_ms_delta(now, tdev->watch_since) >= tdev->config.limits.no_progress_ms) {
		tsr_watchdog_expire(tdev, id);
	}
	tsr_watchdog_arm(tdev);
}

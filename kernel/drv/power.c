// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend and resume. A run cannot be taken off the cores and put back: what executes
 * ends first, and what is queued waits for the resume.
 */
#include <linux/jiffies.h>
#include "pipeline.h"

/* Besides the limit itself, time for the watchdog to look and the cores to stop. */
#define TSR_SUSPEND_SLACK	(2 * HZ)

static void tsr_set_suspended(struct tsr_device *tdev, bool suspended)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	tdev->resumed = !suspended;
	tdev->suspended = suspended;
	spin_unlock_irqrestore(&tdev->lock, flags);
}

static bool tsr_nothing_executes(struct tsr_device *tdev)
{
	unsigned long flags;
	bool rest;

	spin_lock_irqsave(&tdev->lock, flags);
	rest = !tdev->pumping && !tdev->launched;
	spin_unlock_irqrestore(&tdev->lock, flags);
	return rest;
}

int tsr_device_suspend(struct tsr_device *tdev)
{
	unsigned long limit = msecs_to_jiffies(tdev->config.limits.no_progress_ms);

	tsr_set_suspended(tdev, true);
	if (wait_event_timeout(tdev->rest, tsr_nothing_executes(tdev), limit + TSR_SUSPEND_SLACK))
		return 0;
	tsr_device_resume(tdev);
	return -EBUSY;
}

void tsr_device_resume(struct tsr_device *tdev)
{
	tsr_set_suspended(tdev, false);
	tsr_pump(tdev, 0);
}

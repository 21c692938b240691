// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reset (FL-8): bounded, counted, honest. Somebody asks; the pipeline's thread stops
 * what executes, resets, stages again what was staged, and tells who waits.
 */
#include <linux/capability.h>
#include "file.h"
#include "pipeline.h"
#include "stats.h"
#include "tsr_trace.h"

#define TSR_RESET_ATTEMPTS	3

static void tsr_set_health(struct tsr_device *tdev, u32 health)
{
	if (!tdev->gone)
		tdev->health = health;
	if (health == DRM_TESSERA_HEALTH_GOOD) {
		tdev->reset_generation++;
		tsr_count(tdev, NULL, resets, 1);
	}
}

static int tsr_reset_once(struct tsr_device *tdev)
{
	int ret;

	spin_unlock_irq(&tdev->lock);
	ret = tdev->ops->reset(tdev->hw);
	spin_lock_irq(&tdev->lock);
	if (ret)
		tsr_count(tdev, NULL, resets_failed, 1);
	else
		tsr_set_health(tdev, DRM_TESSERA_HEALTH_GOOD);
	trace_tessera_reset(tdev, ret);
	return ret;
}

int tsr_device_reset(struct tsr_device *tdev)
{
	int i;

	tsr_set_health(tdev, DRM_TESSERA_HEALTH_RESETTING);
	for (i = 0; i < TSR_RESET_ATTEMPTS; i++) {
		if (tsr_reset_once(tdev))
			continue;
		tsr_event(tdev, TESSERA_EVENT_TYPE_DEVICE_RESET);
		/* A confirmed reset is the proof that quarantined runs waited for (FL-6). */
		tsr_quarantine_release(tdev);
		tsr_stage_again(tdev);
		return 0;
	}
	tsr_set_health(tdev, DRM_TESSERA_HEALTH_WEDGED);
	tsr_event(tdev, TESSERA_EVENT_TYPE_DEVICE_WEDGED);
	tsr_images_abandon(tdev);
	spin_unlock_irq(&tdev->lock);
	drm_err(&tdev->drm, "reset failed %d times, device is wedged\n", TSR_RESET_ATTEMPTS);
	spin_lock_irq(&tdev->lock);
	return -EIO;
}

void tsr_reset_serve(struct tsr_device *tdev)
{
	u64 ticket = tdev->resets_wanted;

	tdev->reset_pending = false;
	tdev->reset_result = tsr_device_reset(tdev);
	tdev->resets_tried = ticket;
	wake_up_all(&tdev->reset_wait);
}

static bool tsr_reset_tried(struct tsr_device *tdev, u64 ticket)
{
	unsigned long flags;
	bool tried;

	spin_lock_irqsave(&tdev->lock, flags);
	tried = tdev->resets_tried >= ticket || tdev->gone;
	spin_unlock_irqrestore(&tdev->lock, flags);
	return tried;
}

static u64 tsr_reset_want(struct tsr_device *tdev)
{
	unsigned long flags;
	u64 ticket;

	spin_lock_irqsave(&tdev->lock, flags);
	ticket = ++tdev->resets_wanted;
	spin_unlock_irqrestore(&tdev->lock, flags);
	tsr_pump(tdev, 0);
	return ticket;
}

static int tsr_reset_wait(struct tsr_device *tdev, u64 ticket, u64 *ret_generation)
{
	int ret = wait_event_interruptible(tdev->reset_wait, tsr_reset_tried(tdev, ticket));
	unsigned long flags;

	if (ret)
		return ret;
	spin_lock_irqsave(&tdev->lock, flags);
	ret = tdev->gone ? -ENODEV : tdev->reset_result;
	*ret_generation = tdev->reset_generation;
	spin_unlock_irqrestore(&tdev->lock, flags);
	return ret;
}

int tsr_device_request_reset(struct tsr_device *tdev, u64 *ret_generation)
{
	return tsr_reset_wait(tdev, tsr_reset_want(tdev), ret_generation);
}

/* The ticket that this thread asked for before a signal interrupted its call; 0: none. */
static u64 tsr_reset_resumed(struct tsr_device *tdev, struct tsr_file *tfile)
{
	struct pid *thread = NULL;
	unsigned long flags;
	u64 ticket = 0;

	spin_lock_irqsave(&tdev->lock, flags);
	if (tfile->reset.thread == task_pid(current)) {
		swap(ticket, tfile->reset.ticket);
		swap(thread, tfile->reset.thread);
	}
	spin_unlock_irqrestore(&tdev->lock, flags);
	put_pid(thread);
	return ticket;
}

/* Only one thread of a file is remembered: the call of another one would reset once more. */
static void tsr_reset_interrupted(struct tsr_device *tdev, struct tsr_file *tfile, u64 ticket)
{
	struct pid *thread = get_pid(task_pid(current));
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	tfile->reset.ticket = ticket;
	swap(thread, tfile->reset.thread);
	spin_unlock_irqrestore(&tdev->lock, flags);
	put_pid(thread);
}

int tsr_ioctl_device_reset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_device_reset *args = data;
	struct tsr_device *tdev = to_tsr_device(drm);
	struct tsr_file *tfile = to_tsr_file(file);
	u64 generation, ticket;
	int ret;

	if (args->flags || args->pad)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EACCES;
	ticket = tsr_reset_resumed(tdev, tfile) ?: tsr_reset_want(tdev);
	ret = tsr_reset_wait(tdev, ticket, &generation);
	if (ret == -ERESTARTSYS)
		tsr_reset_interrupted(tdev, tfile, ticket);
	else if (!ret)
		args->generation = generation;
	return ret;
}

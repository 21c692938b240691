// SPDX-License-Identifier: GPL-2.0-only
/* A device's life: creation, unplug. */
#include <drm/drm_managed.h>
#include <linux/random.h>
#include <linux/string.h>
#include "coredump.h"
#include "device.h"
#include "pipeline.h"
#include "watch.h"

static bool tsr_ops_complete(const struct tsr_hw_ops *ops)
{
	static_assert(sizeof(*ops) % sizeof(void (*)(void)) == 0);
	void (*const *op)(void) = (void (*const *)(void))ops;
	size_t i;

	for (i = 0; i < sizeof(*ops) / sizeof(*op); i++)
		if (!op[i])
			return false;
	return true;
}

static bool tsr_limits_valid(const struct tessera_limits *l)
{
	return l->grid_width && l->grid_width <= TESSERA_MAX_DIM &&
	       l->grid_height && l->grid_height <= TESSERA_MAX_DIM &&
	       l->grid_width * l->grid_height <= TESSERA_MAX_CORES && l->cores &&
	       l->staged_depth && l->staged_depth <= TSR_MAX_BANKS && l->parallelism == 1 &&
	       l->queue_capacity && l->batch && l->no_progress_ms && l->claim_hold_ms &&
	       l->program_size && l->bindings && l->words;
}

static void tsr_device_release(struct drm_device *drm, void *arg)
{
	struct tsr_device *tdev = arg;

	tsr_dump_fini(tdev);
	mutex_destroy(&tdev->image_lock);
	tdev->ops->release(tdev->hw);
}

static void tsr_device_init(struct tsr_device *tdev, const struct tsr_hw_ops *ops, void *hw,
			    const struct tsr_hw_config *config)
{
	tdev->ops = ops;
	tdev->hw = hw;
	tdev->config = *config;
	strscpy(tdev->name, config->name, sizeof(tdev->name));
	strscpy(tdev->isa, config->isa, sizeof(tdev->isa));
	tdev->config.name = tdev->name;
	tdev->config.isa = tdev->isa;

	spin_lock_init(&tdev->lock);
	INIT_LIST_HEAD(&tdev->contexts);
	INIT_LIST_HEAD(&tdev->dying);
	INIT_LIST_HEAD(&tdev->cancels);
	INIT_LIST_HEAD(&tdev->staged);
	tsr_run_chain_init(&tdev->ended);
	tsr_run_chain_init(&tdev->ended_shared);
	INIT_LIST_HEAD(&tdev->quarantine);
	INIT_LIST_HEAD(&tdev->claim_waiters);
	INIT_LIST_HEAD(&tdev->stuck_images);
	init_waitqueue_head(&tdev->claim_wait);
	init_waitqueue_head(&tdev->reset_wait);
	INIT_DELAYED_WORK(&tdev->hold_timer, tsr_claim_hold_expired);
	init_waitqueue_head(&tdev->rest);
	INIT_WORK(&tdev->pump_work, tsr_pump_work);
	INIT_WORK(&tdev->release_work, tsr_release_work);
	INIT_DELAYED_WORK(&tdev->watchdog, tsr_watchdog_work);
	tsr_events_init(tdev);
	xa_init_flags(&tdev->all_contexts, XA_FLAGS_ACCOUNT);
	mutex_init(&tdev->image_lock);
	hash_init(tdev->images);
	get_random_bytes(&tdev->image_key, sizeof(tdev->image_key));
}

struct tsr_device *tsr_device_create(struct device *parent, const struct tsr_hw_ops *ops, void *hw,
				     const struct tsr_hw_config *config)
{
	struct tsr_device *tdev;
	int ret;

	if (!tsr_ops_complete(ops) || !tsr_limits_valid(&config->limits)) {
		ret = -EINVAL;
		goto err_release;
	}

	tdev = devm_drm_dev_alloc(parent, &tsr_drm_driver, struct tsr_device, drm);
	if (IS_ERR(tdev)) {
		ret = PTR_ERR(tdev);
		goto err_release;
	}

	tsr_device_init(tdev, ops, hw, config);
	ret = drmm_add_action_or_reset(&tdev->drm, tsr_device_release, tdev);
	if (ret)
		return ERR_PTR(ret);

	ret = tsr_dump_init(tdev);
	if (ret)
		return ERR_PTR(ret);
	ret = ops->start(tdev, hw);
	if (ret)
		return ERR_PTR(ret);

	ret = drm_dev_register(&tdev->drm, 0);
	if (ret) {
		ops->stop(hw);
		return ERR_PTR(ret);
	}
	if (tsr_watch_register(tdev))
		drm_warn(&tdev->drm, "no attributes in sysfs\n");
	tsr_netlink_add_device(tdev);
	return tdev;

err_release:
	if (ops->release)
		ops->release(hw);
	return ERR_PTR(ret);
}

void tsr_work_queue(struct tsr_device *tdev, struct work_struct *work)
{
	drm_dev_get(&tdev->drm);
	/* Who queued it before gave it a reference. */
	if (!queue_work(tsr_wq, work))
		drm_dev_put(&tdev->drm);
}

void tsr_work_queue_in(struct tsr_device *tdev, struct delayed_work *work, unsigned long delay)
{
	drm_dev_get(&tdev->drm);
	if (mod_delayed_work(tsr_wq, work, delay))
		drm_dev_put(&tdev->drm);
}

void tsr_work_queue_again(struct tsr_device *tdev, struct delayed_work *work, unsigned long delay)
{
	drm_dev_get(&tdev->drm);
	if (!queue_delayed_work(tsr_wq, work, delay))
		drm_dev_put(&tdev->drm);
}

void tsr_work_cancel(struct tsr_device *tdev, struct delayed_work *work)
{
	if (cancel_delayed_work_sync(work))
		drm_dev_put(&tdev->drm);
}

void tsr_work_done(struct tsr_device *tdev)
{
	drm_dev_put(&tdev->drm);
}

static bool tsr_device_at_rest(struct tsr_device *tdev)
{
	unsigned long flags;
	bool rest;

	spin_lock_irqsave(&tdev->lock, flags);
	rest = !tdev->pumping && !tdev->launched && list_empty(&tdev->staged) &&
	       list_empty(&tdev->contexts) && list_empty(&tdev->dying) &&
	       list_empty(&tdev->cancels);
	spin_unlock_irqrestore(&tdev->lock, flags);
	return rest;
}

void tsr_device_unplug(struct tsr_device *tdev)
{
	struct tsr_run *done = NULL;
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	tdev->gone = true;
	tdev->health = DRM_TESSERA_HEALTH_GONE;
	tsr_claim_abandon(tdev);
	spin_unlock_irqrestore(&tdev->lock, flags);

	/*
	 * At once, for who waits for a run or for a place waits for the pipeline: files of sysfs
	 * and the node may take long to go on a busy machine.
	 */
	tsr_pump(tdev, 0);
	wake_up_all(&tdev->claim_wait);
	wake_up_all(&tdev->reset_wait);
	tsr_watch_unregister(tdev);
	drm_dev_unplug(&tdev->drm);
	wait_event(tdev->rest, tsr_device_at_rest(tdev));
	tsr_work_cancel(tdev, &tdev->watchdog);
	tsr_work_cancel(tdev, &tdev->hold_timer);
	flush_work(&tdev->pump_work);
	tsr_dump_flush(tdev);
	tdev->ops->stop(tdev->hw);
	WRITE_ONCE(tdev->stopped, true);

	/* Stopped is proof: nothing of the device reaches memory any more (FL-6). */
	tsr_images_reap(tdev, true);
	spin_lock_irq(&tdev->lock);
	tsr_quarantine_release(tdev);
	tsr_release_ended(tdev, &done);
	spin_unlock_irq(&tdev->lock);
	tsr_runs_put(done);
	flush_work(&tdev->release_work);
	tsr_netlink_remove_device(tdev);
}

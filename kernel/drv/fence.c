// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run fences. Each has its own context and one sequence number, embeds its lock
 * and knows no run: others may keep it for ever. It holds the device and the
 * module from creation on. Release may run in hard interrupt context and must not
 * be the last user of this module's text, so both are given up by work on tsr_wq,
 * which module exit drains.
 */
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "device.h"
#include "fence.h"
#include "stats.h"

struct tsr_fence {
	struct dma_fence base;		/* first: freed by dma_fence_free() */
	spinlock_t lock;
	struct tsr_device *tdev;
	struct llist_node node;
	bool in_ioctl;			/* the caller's open file holds device and module */
};

static LLIST_HEAD(tsr_fence_released);

static const char *tsr_fence_driver_name(struct dma_fence *fence)
{
	return "tessera";
}

static const char *tsr_fence_timeline_name(struct dma_fence *fence)
{
	return "run";
}

static void tsr_fence_destroy(struct tsr_fence *fence)
{
	struct tsr_device *tdev = fence->tdev;

	dma_fence_free(&fence->base);
	tsr_count_device(tdev, fences, -1);
	drm_dev_put(&tdev->drm);
	module_put(THIS_MODULE);
}

static void tsr_fence_release_work(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&tsr_fence_released);
	struct tsr_fence *fence, *next;

	llist_for_each_entry_safe(fence, next, list, node)
		tsr_fence_destroy(fence);
}

static DECLARE_WORK(tsr_fence_work, tsr_fence_release_work);

static void tsr_fence_release(struct dma_fence *base)
{
	struct tsr_fence *fence = container_of(base, struct tsr_fence, base);

	if (fence->in_ioctl) {
		tsr_fence_destroy(fence);
		return;
	}
	if (llist_add(&fence->node, &tsr_fence_released))
		queue_work(tsr_wq, &tsr_fence_work);
}

static const struct dma_fence_ops tsr_fence_ops = {
	.get_driver_name = tsr_fence_driver_name,
	.get_timeline_name = tsr_fence_timeline_name,
	.release = tsr_fence_release,
};

struct dma_fence *tsr_fence_new(struct tsr_device *tdev)
{
	struct tsr_fence *fence = kzalloc(sizeof(*fence), TSR_GFP_USER);

	if (!fence)
		return NULL;
	spin_lock_init(&fence->lock);
	__module_get(THIS_MODULE);
	drm_dev_get(&tdev->drm);
	fence->tdev = tdev;
	dma_fence_init(&fence->base, &tsr_fence_ops, &fence->lock, dma_fence_context_alloc(1), 1);
	tsr_count_device(tdev, fences, 1);
	return &fence->base;
}

void tsr_fence_put_unused(struct dma_fence *base)
{
	struct tsr_fence *fence = container_of(base, struct tsr_fence, base);

	fence->in_ioctl = true;
	dma_fence_put(base);
}

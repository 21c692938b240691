// SPDX-License-Identifier: GPL-2.0-only
/* Contexts. */
#include <linux/capability.h>
#include <linux/slab.h>
#include "file.h"
#include "pipeline.h"
#include "stats.h"
#include "usage.h"

static void tsr_context_free(struct tsr_context *ctx)
{
	struct tsr_device *tdev = ctx->tdev;

	tsr_run_free_spare(ctx->spare);
	tsr_page_free(ctx->page);
	mutex_destroy(&ctx->page_lock);
	tsr_netlink_remove_context(ctx);
	tsr_usage_put(ctx->usage);
	tsr_count_device(tdev, contexts, -1);
	kfree(ctx);
	drm_dev_put(&tdev->drm);
}

static void tsr_context_free_work(struct work_struct *work)
{
	tsr_context_free(container_of(work, struct tsr_context, free_work));
}

/* The page is a buffer that others may know: not by the pipeline's thread (retire.c). */
static void tsr_context_release(struct kref *ref)
{
	struct tsr_context *ctx = container_of(ref, struct tsr_context, ref);

	if (!ctx->page) {
		tsr_context_free(ctx);
		return;
	}
	INIT_WORK(&ctx->free_work, tsr_context_free_work);
	queue_work(tsr_wq, &ctx->free_work);
}

void tsr_context_put(struct tsr_context *ctx)
{
	kref_put(&ctx->ref, tsr_context_release);
}

struct tsr_context *tsr_context_get(struct drm_file *file, u32 handle)
{
	struct tsr_table *table = &to_tsr_file(file)->contexts;
	struct tsr_context *ctx;

	xa_lock(&table->xa);
	ctx = tsr_table_find(table, handle);
	if (ctx)
		kref_get(&ctx->ref);
	xa_unlock(&table->xa);
	return ctx;
}

static struct tsr_context *tsr_context_new(struct tsr_device *tdev, struct tsr_file *tfile,
					   u32 priority, u32 capacity)
{
	struct tsr_context *ctx = kzalloc(sizeof(*ctx), TSR_GFP_USER);
	unsigned long flags;

	if (!ctx)
		return NULL;
	kref_init(&ctx->ref);
	drm_dev_get(&tdev->drm);
	ctx->tdev = tdev;
	ctx->uid = tfile->uid;
	ctx->usage = tsr_usage_get(tfile->usage);
	ctx->priority = priority;
	ctx->capacity = capacity;
	INIT_LIST_HEAD(&ctx->link);
	INIT_LIST_HEAD(&ctx->queued);
	INIT_LIST_HEAD(&ctx->live);
	INIT_LIST_HEAD(&ctx->claim_link);
	init_waitqueue_head(&ctx->space);
	mutex_init(&ctx->page_lock);

	spin_lock_irqsave(&tdev->lock, flags);
	ctx->id = ++tdev->next_context_id;
	tdev->counters.contexts++;
	spin_unlock_irqrestore(&tdev->lock, flags);
	if (tsr_netlink_add_context(ctx)) {
		tsr_context_put(ctx);
		return NULL;
	}
	return ctx;
}

int tsr_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(drm);
	struct drm_tessera_context_create *args = data;
	struct tsr_file *tfile = to_tsr_file(file);
	u32 capacity = args->queue_capacity ?: tdev->config.limits.queue_capacity;
	struct tsr_context *ctx;
	u32 handle;
	u64 id;
	int ret;

	if (args->flags || args->priority > DRM_TESSERA_PRIORITY_HIGH)
		return -EINVAL;
	if (capacity > tdev->config.limits.queue_capacity)
		return -E2BIG;
	if (args->priority > DRM_TESSERA_PRIORITY_NORMAL && !capable(CAP_SYS_NICE))
		return -EACCES;

	ctx = tsr_context_new(tdev, tfile, args->priority, capacity);
	if (!ctx)
		return -ENOMEM;
	/* Once it is in the table another thread may destroy it. */
	id = ctx->id;
	ret = xa_alloc(&tfile->contexts.xa, &handle, ctx, xa_limit_31b, TSR_GFP_USER);
	if (ret) {
		tsr_context_put(ctx);
		return ret;
	}
	args->handle = handle;
	args->id = id;
	return 0;
}

void tsr_context_kill(struct tsr_context *ctx)
{
	struct tsr_device *tdev = ctx->tdev;
	unsigned long flags;
	bool busy;

	spin_lock_irqsave(&tdev->lock, flags);
	ctx->dead = true;
	busy = ctx->depth || tdev->holder == ctx || !list_empty(&ctx->claim_link);
	tsr_claim_forget(tdev, ctx);
	if (!list_empty(&ctx->queued))
		list_move_tail(&ctx->link, &tdev->dying);
	spin_unlock_irqrestore(&tdev->lock, flags);

	wake_up_all(&ctx->space);
	wake_up_all(&tdev->claim_wait);
	if (busy)
		tsr_pump(tdev, 0);
}

/* Nothing that was accepted before the poisoning is left. */
static bool tsr_context_drained(struct tsr_context *ctx)
{
	unsigned long flags;
	bool drained;

	spin_lock_irqsave(&ctx->tdev->lock, flags);
	drained = !ctx->poison_code || list_empty(&ctx->live);
	if (drained)
		ctx->poison_code = 0;
	spin_unlock_irqrestore(&ctx->tdev->lock, flags);
	return drained;
}

int tsr_ioctl_context_reset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_context_reset *args = data;
	struct tsr_context *ctx;
	int ret;

	if (args->pad)
		return -EINVAL;
	ctx = tsr_context_get(file, args->handle);
	if (!ctx)
		return -ENOENT;
	ret = wait_event_interruptible(ctx->space, tsr_context_drained(ctx));
	tsr_context_put(ctx);
	return ret;
}

int tsr_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_context_destroy *args = data;
	struct tsr_context *ctx;

	if (args->pad)
		return -EINVAL;
	ctx = tsr_table_remove(&to_tsr_file(file)->contexts, args->handle);
	if (!ctx)
		return -ENOENT;
	tsr_context_kill(ctx);
	tsr_context_put(ctx);
	return 0;
}

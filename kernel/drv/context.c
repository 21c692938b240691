// SPDX-License-Identifier: GPL-2.0-only
/* Contexts. */
#include <linux/capability.h>
#include <linux/slab.h>
#include "file.h"
#include "pipeline.h"
#include "stats.h"

static void tsr_context_release(struct kref *ref)
{
	struct tsr_context *ctx = container_of(ref, struct tsr_context, ref);
	struct tsr_device *tdev = ctx->tdev;

	tsr_count_device(tdev, contexts, -1);
	kfree(ctx);
	drm_dev_put(&tdev->drm);
}

void tsr_context_put(struct tsr_context *ctx)
{
	kref_put(&ctx->ref, tsr_context_release);
}

struct tsr_context *tsr_context_get(struct drm_file *file, u32 handle)
{
	struct tsr_file *tfile = to_tsr_file(file);
	struct tsr_context *ctx;

	xa_lock(&tfile->contexts);
	ctx = xa_load(&tfile->contexts, handle);
	if (ctx)
		kref_get(&ctx->ref);
	xa_unlock(&tfile->contexts);
	return ctx;
}

static struct tsr_context *tsr_context_new(struct tsr_device *tdev, kuid_t uid, u32 priority,
					   u32 capacity)
{
	struct tsr_context *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	unsigned long flags;

	if (!ctx)
		return NULL;
	kref_init(&ctx->ref);
	drm_dev_get(&tdev->drm);
	ctx->tdev = tdev;
	ctx->uid = uid;
	ctx->priority = priority;
	ctx->capacity = capacity;
	INIT_LIST_HEAD(&ctx->link);
	INIT_LIST_HEAD(&ctx->queued);
	init_waitqueue_head(&ctx->space);

	spin_lock_irqsave(&tdev->lock, flags);
	ctx->id = ++tdev->next_context_id;
	tdev->counters.contexts++;
	spin_unlock_irqrestore(&tdev->lock, flags);
	return ctx;
}

int tsr_ioctl_context_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(drm);
	struct drm_tessera_context_create *args = data;
	struct tsr_file *tfile = to_tsr_file(file);
	u32 capacity = args->queue_capacity ?: tdev->config.limits.queue_capacity;
	struct tsr_context *ctx;
	int ret;

	if (args->flags || args->priority > DRM_TESSERA_PRIORITY_HIGH)
		return -EINVAL;
	if (capacity > tdev->config.limits.queue_capacity)
		return -E2BIG;
	if (args->priority > DRM_TESSERA_PRIORITY_NORMAL && !capable(CAP_SYS_NICE))
		return -EACCES;

	ctx = tsr_context_new(tdev, tfile->uid, args->priority, capacity);
	if (!ctx)
		return -ENOMEM;
	/* Once it is in the table another thread may destroy it. */
	args->id = ctx->id;
	ret = xa_alloc(&tfile->contexts, &args->handle, ctx, xa_limit_31b, GFP_KERNEL);
	if (ret)
		tsr_context_put(ctx);
	return ret;
}

void tsr_context_kill(struct tsr_context *ctx)
{
	struct tsr_device *tdev = ctx->tdev;
	unsigned long flags;
	bool busy;

	spin_lock_irqsave(&tdev->lock, flags);
	ctx->dead = true;
	busy = ctx->depth;
	if (!list_empty(&ctx->queued))
		list_move_tail(&ctx->link, &tdev->dying);
	spin_unlock_irqrestore(&tdev->lock, flags);

	wake_up_all(&ctx->space);
	if (busy)
		tsr_pump(tdev, 0);
}

int tsr_ioctl_context_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_context_destroy *args = data;
	struct tsr_context *ctx;

	if (args->pad)
		return -EINVAL;
	ctx = xa_erase(&to_tsr_file(file)->contexts, args->handle);
	if (!ctx)
		return -ENOENT;
	tsr_context_kill(ctx);
	tsr_context_put(ctx);
	return 0;
}

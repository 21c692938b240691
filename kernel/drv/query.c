// SPDX-License-Identifier: GPL-2.0-only
/* QUERY: limits, state, counters. */
#include <linux/uaccess.h>
#include "context.h"
#include "query.h"

int tsr_copy_out(u64 user, u32 room, const void *src, u32 have)
{
	void __user *to = u64_to_user_ptr(user);
	u32 n = min(room, have);

	if (copy_to_user(to, src, n))
		return -EFAULT;
	if (room > n && clear_user(to + n, room - n))
		return -EFAULT;
	return 0;
}

static void tsr_fill_info(struct tsr_device *tdev, struct drm_tessera_device_info *info)
{
	unsigned long flags;

	memset(info, 0, sizeof(*info));
	info->limits = tdev->config.limits;
	info->caps = tdev->config.caps;
	info->seed = tdev->config.seed;
	memcpy(info->isa, tdev->isa, sizeof(info->isa));
	memcpy(info->name, tdev->name, sizeof(info->name));

	spin_lock_irqsave(&tdev->lock, flags);
	info->health = tdev->health;
	info->reset_generation = tdev->reset_generation;
	spin_unlock_irqrestore(&tdev->lock, flags);
}

static void tsr_fill_counters(struct tsr_device *tdev, const struct drm_tessera_counters *from,
			      struct drm_tessera_counters *counters)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	*counters = *from;
	spin_unlock_irqrestore(&tdev->lock, flags);
}

int tsr_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(drm);
	struct drm_tessera_query *args = data;
	union {
		struct drm_tessera_device_info info;
		struct drm_tessera_counters counters;
	} out;
	struct tsr_context *ctx;
	u32 have, room = args->size;
	int ret;

	if (args->pad)
		return -EINVAL;

	switch (args->what) {
	case DRM_TESSERA_QUERY_DEVICE:
		if (args->index)
			return -EINVAL;
		have = sizeof(out.info);
		tsr_fill_info(tdev, &out.info);
		break;
	case DRM_TESSERA_QUERY_COUNTERS:
		if (args->index)
			return -EINVAL;
		have = sizeof(out.counters);
		tsr_fill_counters(tdev, &tdev->counters, &out.counters);
		break;
	case DRM_TESSERA_QUERY_CONTEXT:
		ctx = tsr_context_get(file, args->index);
		if (!ctx)
			return -ENOENT;
		have = sizeof(out.counters);
		tsr_fill_counters(tdev, &ctx->counters, &out.counters);
		tsr_context_put(ctx);
		break;
	default:
		return -EINVAL;
	}

	/* What may grow is zero-filled, but not without bound. */
	if (room > PAGE_SIZE)
		return -E2BIG;
	ret = room ? tsr_copy_out(args->data, room, &out, have) : 0;
	if (!ret)
		args->size = have;
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters (OB-1), of the device and of a context; plain numbers under tdev->lock. */
#ifndef TSR_STATS_H
#define TSR_STATS_H

#include "context.h"

static inline void __tsr_count(struct tsr_device *tdev, struct tsr_context *ctx, size_t offset,
			       u64 n)
{
	lockdep_assert_held(&tdev->lock);
	*(u64 *)((void *)&tdev->counters + offset) += n;
	if (ctx)
		*(u64 *)((void *)&ctx->counters + offset) += n;
}

static inline void __tsr_count_device(struct tsr_device *tdev, size_t offset, u64 n)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	__tsr_count(tdev, NULL, offset, n);
	spin_unlock_irqrestore(&tdev->lock, flags);
}

/* tsr_count() - add to a counter of the device, and of @ctx if given. Holds tdev->lock. */
#define tsr_count(tdev, ctx, field, n) \
	__tsr_count(tdev, ctx, offsetof(struct drm_tessera_counters, field), n)

/* tsr_count_device() - the same for what belongs to no context; takes the lock */
#define tsr_count_device(tdev, field, n) \
	__tsr_count_device(tdev, offsetof(struct drm_tessera_counters, field), n)

#endif

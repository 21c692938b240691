// SPDX-License-Identifier: GPL-2.0-only
/* Busy time, and what fdinfo says of an open file. */
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <linux/slab.h>
#include "file.h"
#include "run.h"
#include "usage.h"

struct tsr_usage *tsr_usage_new(void)
{
	struct tsr_usage *usage = kzalloc(sizeof(*usage), TSR_GFP_USER);

	if (usage)
		kref_init(&usage->ref);
	return usage;
}

struct tsr_usage *tsr_usage_get(struct tsr_usage *usage)
{
	kref_get(&usage->ref);
	return usage;
}

static void tsr_usage_free(struct kref *ref)
{
	kfree(container_of(ref, struct tsr_usage, ref));
}

void tsr_usage_put(struct tsr_usage *usage)
{
	kref_put(&usage->ref, tsr_usage_free);
}

/* Of the run that holds the claim, until it ended executing, or now. Holds tdev->lock. */
static u64 tsr_usage_of(const struct tsr_run *run)
{
	/* A launch that failed in its first half did not begin. */
	if (!run->launched_ns)
		return 0;
	return (run->completed_ns ?: ktime_get_ns()) - run->launched_ns;
}

void tsr_usage_close(struct tsr_device *tdev, const struct tsr_run *run)
{
	u64 ns = tsr_usage_of(run);

	lockdep_assert_held(&tdev->lock);
	tdev->busy_ns += ns;
	run->ctx->usage->busy_ns += ns;
}

u64 tsr_usage_ns(struct tsr_device *tdev, const struct tsr_usage *usage)
{
	const struct tsr_run *run;
	unsigned long flags;
	u64 ns;

	spin_lock_irqsave(&tdev->lock, flags);
	run = tdev->launched;
	ns = usage ? usage->busy_ns : tdev->busy_ns;
	if (run && (!usage || run->ctx->usage == usage))
		ns += tsr_usage_of(run);
	spin_unlock_irqrestore(&tdev->lock, flags);
	return ns;
}

void tsr_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(file->minor->dev);

	drm_printf(p, "drm-engine-grid:\t%llu ns\n",
		   tsr_usage_ns(tdev, to_tsr_file(file)->usage));
	drm_show_memory_stats(p, file);
}

// SPDX-License-Identifier: GPL-2.0-only
/* What a device shows in sysfs, for anybody, and in debugfs, for root (OB-3). */
#include <drm/drm_debugfs.h>
#include <drm/drm_file.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "pipeline.h"
#include "usage.h"
#include "view.h"
#include "watch.h"

/* --- sysfs ---------------------------------------------------------------------------------- */

static struct tsr_device *tsr_kdev(struct device *kdev)
{
	struct drm_minor *minor = dev_get_drvdata(kdev);

	return to_tsr_device(minor->dev);
}

static ssize_t health_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	static const char * const names[] = {
		[DRM_TESSERA_HEALTH_GOOD] = "good",
		[DRM_TESSERA_HEALTH_RESETTING] = "resetting",
		[DRM_TESSERA_HEALTH_WEDGED] = "wedged",
		[DRM_TESSERA_HEALTH_GONE] = "gone",
	};

	return sysfs_emit(buf, "%s\n", names[READ_ONCE(tsr_kdev(kdev)->health)]);
}

static ssize_t reset_generation_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(tsr_kdev(kdev)->reset_generation));
}

static ssize_t busy_ns_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", tsr_usage_ns(tsr_kdev(kdev), NULL));
}

static ssize_t runs_show(struct device *kdev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(tsr_kdev(kdev)->counters.runs));
}

static DEVICE_ATTR_RO(health);
static DEVICE_ATTR_RO(reset_generation);
static DEVICE_ATTR_RO(busy_ns);
static DEVICE_ATTR_RO(runs);

static struct attribute *tsr_attrs[] = {
	&dev_attr_health.attr,
	&dev_attr_reset_generation.attr,
	&dev_attr_busy_ns.attr,
	&dev_attr_runs.attr,
	NULL,
};

static const struct attribute_group tsr_group = {
	.attrs = tsr_attrs,
};

/* --- debugfs -------------------------------------------------------------------------------- */

#define TSR_SEEN	32u	/* runs of a context that are shown, the oldest ones */

static struct tsr_device *tsr_seq_device(struct seq_file *m)
{
	struct drm_debugfs_entry *entry = m->private;

	return to_tsr_device(entry->dev);
}

/* A copy, for it is taken under the lock and printed without. */
struct tsr_pipeline_view {
	struct {
		u64 run, generation;
	} banks[TSR_MAX_BANKS];
	u64 launched, holder, watched, busy_ns;
	u32 staged, quarantined, waiters, health;
	bool pumping, suspended, reset_wanted;
};

static void tsr_pipeline_look(struct tsr_device *tdev, struct tsr_pipeline_view *v)
{
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&tdev->lock, flags);
	for (i = 0; i < tdev->config.limits.staged_depth; i++) {
		v->banks[i].run = tdev->banks[i].owner ? tdev->banks[i].owner->id : 0;
		v->banks[i].generation = tdev->banks[i].generation;
	}
	v->launched = tdev->launched ? tdev->launched->id : 0;
	v->holder = tdev->holder ? tdev->holder->id : 0;
	v->staged = list_count_nodes(&tdev->staged);
	v->quarantined = list_count_nodes(&tdev->quarantine);
	v->waiters = list_count_nodes(&tdev->claim_waiters);
	v->health = tdev->health;
	v->pumping = tdev->pumping;
	v->suspended = tdev->suspended;
	v->reset_wanted = tsr_reset_wanted(tdev);
	spin_unlock_irqrestore(&tdev->lock, flags);
	v->watched = READ_ONCE(tdev->watch_run);
	v->busy_ns = tsr_usage_ns(tdev, NULL);
}

static int tsr_pipeline_show(struct seq_file *m, void *unused)
{
	struct tsr_device *tdev = tsr_seq_device(m);
	struct tsr_pipeline_view v = {};
	u32 i;

	tsr_pipeline_look(tdev, &v);
	for (i = 0; i < tdev->config.limits.staged_depth; i++)
		seq_printf(m, "bank %u: run %llu, lease %llu\n", i, v.banks[i].run,
			   v.banks[i].generation);
	seq_printf(m, "launched: %llu\nstaged: %u\nquarantined: %u\n", v.launched, v.staged,
		   v.quarantined);
	seq_printf(m, "claim holder: %llu, waiters: %u\n", v.holder, v.waiters);
	seq_printf(m, "health: %u, suspended: %u, reset wanted: %u, driven: %u\n", v.health,
		   v.suspended, v.reset_wanted, v.pumping);
	seq_printf(m, "watched run: %llu\nbusy: %llu ns\n", v.watched, v.busy_ns);
	return 0;
}

static void tsr_runs_print(struct seq_file *m, const struct tsr_context *ctx,
			   const struct tsr_run_view *runs, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		seq_printf(m, "%llu %llu %u %u %u %llu %llu %llu %*pE\n", ctx->id, runs[i].id,
			   runs[i].phase, runs[i].waits, runs[i].fences, runs[i].queued_ns,
			   runs[i].staged_ns, runs[i].launched_ns,
			   (int)strlen(runs[i].program), runs[i].program);
}

static int tsr_runs_show(struct seq_file *m, void *unused)
{
	struct tsr_run_view *runs = kcalloc(TSR_SEEN, sizeof(*runs), GFP_KERNEL);
	struct tsr_device *tdev = tsr_seq_device(m);
	struct tsr_context *ctx;
	unsigned long id = 0;

	if (!runs)
		return -ENOMEM;
	seq_puts(m, "# context run phase waits fences queued staged launched program\n");
	for (;;) {
		xa_lock(&tdev->all_contexts);
		do {
			ctx = xa_find_after(&tdev->all_contexts, &id, ULONG_MAX, XA_PRESENT);
		} while (ctx && !kref_get_unless_zero(&ctx->ref));
		xa_unlock(&tdev->all_contexts);
		if (!ctx)
			break;
		tsr_runs_print(m, ctx, runs, tsr_runs_view(ctx, 0, runs, TSR_SEEN));
		tsr_context_put(ctx);
	}
	kfree(runs);
	return 0;
}

int tsr_watch_register(struct tsr_device *tdev)
{
	drm_debugfs_add_file(&tdev->drm, "pipeline", tsr_pipeline_show, NULL);
	drm_debugfs_add_file(&tdev->drm, "runs", tsr_runs_show, NULL);
	return sysfs_create_group(&tdev->drm.accel->kdev->kobj, &tsr_group);
}

void tsr_watch_unregister(struct tsr_device *tdev)
{
	sysfs_remove_group(&tdev->drm.accel->kdev->kobj, &tsr_group);
}

// SPDX-License-Identifier: GPL-2.0-only
/* What a run was asked to record about itself: figures per processor, device print. */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "pipeline.h"
#include "query.h"

#define TSR_PRINT_SIZE		SZ_64K

/* struct tsr_diag - filled while the run executes (text) and at its end (stats); then constant */
struct tsr_diag {
	struct drm_tessera_proc_stats *stats;
	u32 stats_room, n_stats;
	char *text;
	u32 text_size;			/* under tdev->lock until the run ended */
};

#ifndef TSR_NO_DIAG

static int tsr_diag_alloc(struct tsr_diag *diag, struct tsr_run *run, u32 flags)
{
	if (flags & DRM_TESSERA_RUN_PROFILE) {
		diag->stats_room = run->prog->view.cores * TSR_PROCS_PER_CORE;
		diag->stats = kvcalloc(diag->stats_room, sizeof(*diag->stats), TSR_GFP_USER);
		if (!diag->stats)
			return -ENOMEM;
	}
	if (flags & DRM_TESSERA_RUN_PRINT) {
		diag->text = kvmalloc(TSR_PRINT_SIZE, TSR_GFP_USER);
		if (!diag->text)
			return -ENOMEM;
	}
	return 0;
}

int tsr_diag_make(struct tsr_run *run, u32 flags)
{
	struct tsr_diag *diag;
	int ret;

	diag = kzalloc(sizeof(*diag), TSR_GFP_USER);
	if (!diag)
		return -ENOMEM;
	ret = tsr_diag_alloc(diag, run, flags);
	if (ret)
		tsr_diag_free(diag);
	else
		run->diag = diag;
	return ret;
}

void tsr_diag_drop(struct tsr_diag *diag)
{
	kvfree(diag->stats);
	kvfree(diag->text);
	kfree(diag);
}

static void tsr_diag_proc(struct tsr_device *tdev, struct tsr_run *run, u16 x, u16 y, u8 proc)
{
	struct tsr_diag *diag = run->diag;
	struct drm_tessera_proc_stats *to;
	struct tsr_proc_stats from;

	if (diag->n_stats == diag->stats_room ||
	    tdev->ops->proc_stats(tdev->hw, run->slot, x, y, proc, &from))
		return;
	to = &diag->stats[diag->n_stats++];
	to->x = x;
	to->y = y;
	to->processor = proc;
	to->cycles = from.cycles;
	to->instructions = from.instructions;
	to->wait_cycles = from.wait_cycles;
	to->noc_read = from.noc_read;
	to->noc_written = from.noc_written;
}

/* While the claim is still held: a successor would erase the figures (DX-3). */
void tsr_diag_read(struct tsr_device *tdev, struct tsr_run *run)
{
	const struct tessera_limits *limits = &tdev->config.limits;
	u32 x, y, proc;

	if (!run->diag->stats)
		return;
	for (y = 0; y < limits->grid_height; y++)
		for (x = 0; x < limits->grid_width; x++)
			for (proc = 0; proc < TSR_PROCS_PER_CORE; proc++)
				tsr_diag_proc(tdev, run, x, y, proc);
}

#endif

static const char *const tsr_proc_names[TSR_PROCS_PER_CORE] = { "dm0", "dm1", "compute" };

void tsr_device_print(struct tsr_device *tdev, u64 run_id, u16 x, u16 y, u8 proc,
		      const char *line, u32 len)
{
	struct tsr_diag *diag;
	unsigned long flags;
	struct tsr_run *run;
	u32 room, n;

	if (proc >= TSR_PROCS_PER_CORE)
		return;
	spin_lock_irqsave(&tdev->lock, flags);
	run = tdev->launched;
	if (!run || run->id != run_id || !run->diag || !run->diag->text)
		goto out;

	diag = run->diag;
	room = TSR_PRINT_SIZE - diag->text_size;
	n = scnprintf(diag->text + diag->text_size, room, "%u,%u %s: %.*s\n", x, y,
		      tsr_proc_names[proc], (int)min(len, 4096u), line);
	if (n + 1 < room)
		diag->text_size += n;
	else
		run->outcome.flags |= DRM_TESSERA_STATUS_DIAG_INCOMPLETE;
out:
	spin_unlock_irqrestore(&tdev->lock, flags);
}

static int tsr_diag_copy(struct tsr_run *run, struct drm_tessera_run_diag *args)
{
	struct tsr_diag *diag = run->diag;
	const void *from;
	u32 have;

	if (args->what == DRM_TESSERA_DIAG_PROCS) {
		if (!diag || !diag->stats)
			return -EOPNOTSUPP;
		from = diag->stats;
		have = diag->n_stats * sizeof(*diag->stats);
	} else {
		if (!diag || !diag->text)
			return -EOPNOTSUPP;
		from = diag->text;
		have = diag->text_size;
	}
	if (!tsr_run_ended(run))
		return -EBUSY;
	if (copy_to_user(u64_to_user_ptr(args->data), from, min(args->size, have)))
		return -EFAULT;
	args->size = have;
	return 0;
}

int tsr_ioctl_run_diag(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_run_diag *args = data;
	struct tsr_run *run;
	int ret;

	if (args->pad || args->what > DRM_TESSERA_DIAG_PRINT)
		return -EINVAL;
	run = tsr_run_get(file, args->handle);
	if (!run)
		return -ENOENT;
	ret = tsr_diag_copy(run, args);
	tsr_run_put(run);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device core dumps (FL-10). The picture must be taken before the cores are scrubbed,
 * where nothing may be allocated: it goes to memory that the device has for it, and a
 * worker hands a copy to devcoredump. A failure while the last picture is still on its
 * way is not dumped; nor does devcoredump keep more than one.
 */
#include <linux/devcoredump.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>
#include "coredump.h"
#include "run.h"

/*
 * Most of a core's memory that a dump shows, with headers. Zeroes take no room, and the lowest
 * addresses come first: images with their stacks, then circular buffers.
 */
#define TSR_DUMP_MEMORY		SZ_256K

/* The file, up to its core records. */
struct tsr_dump_head {
	struct tessera_dump dump;
	struct drm_tessera_status status;
};

struct tsr_dump {
	struct tsr_device *tdev;
	struct work_struct work;
	bool busy;			/* under tdev->lock; the rest belongs to the worker then */
	size_t room, size;
	struct tsr_dump_head *head;
};

/*
 * devcoredump keeps one dump of a device. When that goes it stops being found first, and loses its
 * link last: a new dump in between would find the link's name taken, and the kernel would complain
 * with a stack dump, about runs of any user (FL-11).
 */
static bool tsr_dump_there(struct device *dev)
{
	struct kernfs_node *link = sysfs_get_dirent(dev->kobj.sd, "devcoredump");

	sysfs_put(link);
	return link;
}

static void tsr_dump_work(struct work_struct *work)
{
	struct tsr_dump *dump = container_of(work, struct tsr_dump, work);
	struct tsr_device *tdev = dump->tdev;
	unsigned long flags;
	void *copy = NULL;

	if (!tsr_dump_there(tdev->drm.dev))
		copy = __vmalloc(dump->size, GFP_KERNEL | __GFP_NOWARN);
	if (copy) {
		memcpy(copy, dump->head, dump->size);
		/* Takes over the copy. */
		dev_coredumpv(tdev->drm.dev, copy, dump->size, GFP_KERNEL);
	}
	spin_lock_irqsave(&tdev->lock, flags);
	dump->busy = false;
	spin_unlock_irqrestore(&tdev->lock, flags);
	tsr_work_done(tdev);
}

int tsr_dump_init(struct tsr_device *tdev)
{
	struct tsr_dump *dump = kzalloc(sizeof(*dump), GFP_KERNEL);

	if (!dump)
		return -ENOMEM;
	dump->tdev = tdev;
	INIT_WORK(&dump->work, tsr_dump_work);
	dump->room = sizeof(*dump->head) +
		     tdev->config.limits.cores * sizeof(struct tessera_dump_core) +
		     TSR_DUMP_MEMORY;
	dump->head = __vmalloc(dump->room, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!dump->head) {
		kfree(dump);
		return -ENOMEM;
	}
	tdev->dump = dump;
	return 0;
}

void tsr_dump_fini(struct tsr_device *tdev)
{
	if (!tdev->dump)
		return;
	vfree(tdev->dump->head);
	kfree(tdev->dump);
}

void tsr_dump_flush(struct tsr_device *tdev)
{
	flush_work(&tdev->dump->work);
}

/* What somebody asked for is no failure to look into. */
static bool tsr_dump_wanted(u32 code)
{
	return code == DRM_TESSERA_CODE_FAULT || code == DRM_TESSERA_CODE_NO_PROGRESS ||
	       code == DRM_TESSERA_CODE_TIME_LIMIT || code == DRM_TESSERA_CODE_NO_RECORD ||
	       code == DRM_TESSERA_CODE_BAD_RECORD || code == DRM_TESSERA_CODE_LAUNCH_PARTIAL;
}

static void tsr_dump_names(struct tessera_dump *to, const struct tsr_run *run)
{
	const struct tsr_blob *view = &run->prog->view;
	u32 kernel = run->outcome.code == DRM_TESSERA_CODE_FAULT ? run->outcome.fault_kernel :
								   run->outcome.stuck_kernel;

	memcpy(to->fingerprint, view->header->fingerprint, sizeof(to->fingerprint));
	strscpy(to->program, view->strings + view->header->name, sizeof(to->program));
	to->kernel[0] = '\0';
	if (kernel < view->n_descriptors)
		strscpy(to->kernel, view->strings + view->descriptors[kernel].name,
			sizeof(to->kernel));
}

static u32 tsr_dump_cores(struct tsr_device *tdev, struct tessera_dump_core *to)
{
	const struct tessera_limits *limits = &tdev->config.limits;
	u32 x, y, n = 0;

	for (y = 0; y < limits->grid_height; y++)
		for (x = 0; x < limits->grid_width; x++)
			if (n < limits->cores && !tdev->ops->dump(tdev->hw, x, y, &to[n]))
				n++;
	return n;
}

/* The core to look into: the one that faulted, else the one that is stuck. */
static bool tsr_dump_core(const struct tsr_outcome *out, u16 *ret_x, u16 *ret_y)
{
	if (out->code == DRM_TESSERA_CODE_FAULT) {
		*ret_x = out->fault.x;
		*ret_y = out->fault.y;
		return true;
	}
	*ret_x = out->stall.stuck_x;
	*ret_y = out->stall.stuck_y;
	return out->stall.running || out->stall.ready || out->stall.waiting;
}

/* Pieces that are not zero, from @to on. */
static void tsr_dump_memory(struct tsr_device *tdev, const struct tsr_run *run, void *to)
{
	struct tessera_dump *head = &tdev->dump->head->dump;
	struct tessera_dump_memory *piece = NULL;
	u32 at = TSR_L1_BASE, end = at + tdev->config.limits.l1_size, used = 0;
	u16 x, y;

	head->memories = 0;
	head->memory_size = 0;
	head->memory_end = 0;
	head->memory_limit = 0;
	if (!tsr_dump_core(&run->outcome, &x, &y))
		return;
	for (; at < end; at += TESSERA_DUMP_LINE) {
		bool begins = !piece || piece->address + piece->size != at;
		u32 more = (begins ? sizeof(*piece) : 0) + TESSERA_DUMP_LINE;
		void *line = to + used + more - TESSERA_DUMP_LINE;

		if (used + more > TSR_DUMP_MEMORY ||
		    tdev->ops->memory(tdev->hw, x, y, at, line, TESSERA_DUMP_LINE))
			break;
		if (!memchr_inv(line, 0, TESSERA_DUMP_LINE))
			continue;
		if (begins) {
			piece = to + used;
			*piece = (struct tessera_dump_memory){ .x = x, .y = y, .address = at };
			head->memories++;
		}
		piece->size += TESSERA_DUMP_LINE;
		used += more;
	}
	head->memory_size = used;
	head->memory_end = at;
	head->memory_limit = end;
}

void tsr_dump_take(struct tsr_device *tdev, struct tsr_run *run)
{
	struct tsr_dump *dump = tdev->dump;
	struct tessera_dump *to = &dump->head->dump;
	struct tessera_dump_core *cores = (void *)(dump->head + 1);
	unsigned long flags;
	bool busy;

	if (!tsr_dump_wanted(run->outcome.code))
		return;
	spin_lock_irqsave(&tdev->lock, flags);
	busy = dump->busy || tdev->gone;
	if (!busy)
		dump->busy = true;
	spin_unlock_irqrestore(&tdev->lock, flags);
	if (busy)
		return;

	to->magic = TESSERA_DUMP_MAGIC;
	to->version = TESSERA_DUMP_VERSION;
	to->header_size = sizeof(*to);
	to->status_size = sizeof(dump->head->status);
	to->core_size = sizeof(struct tessera_dump_core);
	memcpy(to->device, tdev->name, sizeof(to->device));
	tsr_dump_names(to, run);
	tsr_status_fill(run, &dump->head->status);
	to->cores = tsr_dump_cores(tdev, cores);
	tsr_dump_memory(tdev, run, cores + to->cores);
	dump->size = sizeof(*dump->head) + to->cores * sizeof(*cores) + to->memory_size;
	tsr_work_queue(tdev, &dump->work);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Module, DRM driver and the table of ioctls. */
#include <drm/drm_accel.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <linux/compat.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include "bo.h"
#include "file.h"
#include "pipeline.h"
#include "query.h"
#include "run.h"
#include "soft.h"
#include "usage.h"

struct workqueue_struct *tsr_wq;

#define TSR_IOCTL(name, func)	DRM_IOCTL_DEF_DRV(TESSERA_##name, tsr_ioctl_##func, 0)

static const struct drm_ioctl_desc tsr_ioctls[] = {
	TSR_IOCTL(QUERY, query),
	TSR_IOCTL(BO_CREATE, bo_create),
	TSR_IOCTL(BO_MMAP_OFFSET, bo_mmap_offset),
	TSR_IOCTL(CONTEXT_CREATE, context_create),
	TSR_IOCTL(CONTEXT_DESTROY, context_destroy),
	TSR_IOCTL(PROGRAM_CREATE, program_create),
	TSR_IOCTL(PROGRAM_DESTROY, program_destroy),
	TSR_IOCTL(RUN_SUBMIT, run_submit),
	TSR_IOCTL(RUN_WAIT, run_wait),
	TSR_IOCTL(RUN_STATUS, run_status),
	TSR_IOCTL(RUN_CANCEL, run_cancel),
	TSR_IOCTL(RUN_CLOSE, run_close),
	TSR_IOCTL(RUN_FD, run_fd),
	TSR_IOCTL(RUN_DIAG, run_diag),
	TSR_IOCTL(CONTEXT_RESET, context_reset),
	TSR_IOCTL(CONTEXT_PAGE, context_page),
	TSR_IOCTL(CLAIM_ACQUIRE, claim_acquire),
	TSR_IOCTL(CLAIM_RELEASE, claim_release),
	TSR_IOCTL(DEVICE_RESET, device_reset),
};

/*
 * DRM answers these from the master of an open file. Files of accel nodes have none, and DRM would
 * follow the null pointer; on render nodes it refuses them, with this errno.
 */
static bool tsr_needs_master(unsigned int cmd)
{
	return DRM_IOCTL_NR(cmd) == DRM_IOCTL_NR(DRM_IOCTL_GET_UNIQUE) ||
	       DRM_IOCTL_NR(cmd) == DRM_IOCTL_NR(DRM_IOCTL_GET_MAGIC);
}

static long tsr_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == DRM_IOCTL_TESSERA_RUN_SUBMIT)
		return tsr_submit(file, (void __user *)arg);
	return tsr_needs_master(cmd) ? -EACCES : drm_ioctl(file, cmd, arg);
}

#ifdef CONFIG_COMPAT
static long tsr_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == DRM_IOCTL_TESSERA_RUN_SUBMIT)
		return tsr_submit(file, compat_ptr(arg));
	return tsr_needs_master(cmd) ? -EACCES : drm_compat_ioctl(file, cmd, arg);
}
#else
#define tsr_compat_ioctl NULL
#endif

__diag_push();
__diag_ignore_all("-Woverride-init", "two of the usual operations are ours");
static const struct file_operations tsr_fops = {
	.owner = THIS_MODULE,
	DRM_ACCEL_FOPS,
	.unlocked_ioctl = tsr_ioctl,
	.compat_ioctl = tsr_compat_ioctl,
	.show_fdinfo = drm_show_fdinfo,
};

__diag_pop();

const struct drm_driver tsr_drm_driver = {
	.driver_features = DRIVER_COMPUTE_ACCEL | DRIVER_GEM | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = tsr_file_open,
	.postclose = tsr_file_postclose,
	.gem_create_object = tsr_bo_create_object,
	.gem_prime_import_sg_table = tsr_bo_import,
	.ioctls = tsr_ioctls,
	.num_ioctls = ARRAY_SIZE(tsr_ioctls),
	.fops = &tsr_fops,
	.show_fdinfo = tsr_show_fdinfo,
	.name = "tessera",
	.desc = "Grid accelerator",
	.major = 0,
	.minor = 1,
};

static int __init tsr_init(void)
{
	int ret;

	tsr_wq = alloc_workqueue("tessera", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!tsr_wq)
		return -ENOMEM;

	ret = tsr_runs_init();
	if (ret)
		goto err_wq;
	ret = tsr_netlink_init();
	if (ret)
		goto err_runs;
	ret = tsr_soft_init();
	if (ret)
		goto err_netlink;
	return 0;

err_netlink:
	tsr_netlink_exit();
err_runs:
	tsr_runs_exit();
err_wq:
	destroy_workqueue(tsr_wq);
	return ret;
}

static void __exit tsr_exit(void)
{
	tsr_soft_exit();
	tsr_netlink_exit();
	/* Waits for the function of the last fence's release to have returned. */
	destroy_workqueue(tsr_wq);
	tsr_runs_exit();
	rcu_barrier();
}

module_init(tsr_init);
module_exit(tsr_exit);

MODULE_DESCRIPTION("Tessera: driver for grid accelerators");
MODULE_LICENSE("GPL");

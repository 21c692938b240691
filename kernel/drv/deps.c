// SPDX-License-Identifier: GPL-2.0-only
/*
 * In-fences. Every fence counts down for itself; the run may be staged when none
 * is left. Callbacks run under the fence's lock, in any context: they touch
 * nothing but the count, and leave the pipeline to a worker.
 */
#include <drm/drm_syncobj.h>
#include <linux/dma-fence-chain.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "pipeline.h"

/* Takes over the reference to @fence, also on failure. */
static int tsr_deps_append(struct tsr_run *run, struct dma_fence *fence)
{
	struct tsr_dep *deps;

	deps = krealloc_array(run->deps, run->n_deps + 1, sizeof(*deps), TSR_GFP_USER);
	if (!deps) {
		dma_fence_put(fence);
		return -ENOMEM;
	}
	run->deps = deps;
	deps[run->n_deps++] = (struct tsr_dep){ .fence = fence, .run = run };
	return 0;
}

static int tsr_deps_add_sync(struct tsr_run *run, struct drm_file *file,
			     const struct drm_tessera_sync *sync)
{
	struct drm_syncobj *syncobj;
	struct dma_fence *fence;

	if (sync->flags)
		return -EINVAL;
	syncobj = drm_syncobj_find(file, sync->handle);
	if (!syncobj)
		return -ENOENT;
	drm_syncobj_put(syncobj);
	/* Nothing submitted to it yet, or closed meanwhile: EINVAL. */
	if (drm_syncobj_find_fence(file, sync->handle, sync->point, 0, &fence))
		return -EINVAL;
	return tsr_deps_append(run, fence);
}

int tsr_deps_add(struct tsr_run *run, struct drm_file *file, u64 user, u32 count)
{
	const struct drm_tessera_sync __user *from = u64_to_user_ptr(user);
	struct drm_tessera_sync sync;
	int ret;
	u32 i;

	for (i = 0; i < count; i++) {
		if (copy_from_user(&sync, &from[i], sizeof(sync)))
			return -EFAULT;
		ret = tsr_deps_add_sync(run, file, &sync);
		if (ret)
			return ret;
	}
	return 0;
}

int tsr_deps_add_resv(struct tsr_run *run, struct dma_resv *resv, bool write)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int ret;

	dma_resv_for_each_fence(&cursor, resv, dma_resv_usage_rw(write), fence) {
		ret = tsr_deps_append(run, dma_fence_get(fence));
		if (ret)
			return ret;
	}
	return 0;
}

static void tsr_dep_done(struct tsr_run *run, struct dma_fence *fence)
{
	struct tsr_device *tdev = run->ctx->tdev;

	/* The fence of a timeline point carries no error, the one inside it does. */
	if (dma_fence_chain_contained(fence)->error)
		WRITE_ONCE(run->dep_failed, true);
	/* The run lives on until tsr_deps_free() took this fence's lock. */
	if (atomic_dec_and_test(&run->deps_pending))
		tsr_pump(tdev, 0);
}

static void tsr_dep_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	tsr_dep_done(container_of(cb, struct tsr_dep, cb)->run, fence);
}

void tsr_deps_arm(struct tsr_run *run)
{
	u32 i;

	/* One extra count, given up at the end: the run is not ready before it. */
	atomic_set(&run->deps_pending, run->n_deps + 1);
	for (i = 0; i < run->n_deps; i++) {
		struct tsr_dep *dep = &run->deps[i];

		if (dma_fence_add_callback(dep->fence, &dep->cb, tsr_dep_signalled))
			tsr_dep_done(run, dep->fence);
	}
	/* The caller pumps. */
	atomic_dec(&run->deps_pending);
}

void tsr_deps_free(struct tsr_run *run)
{
	u32 i;

	for (i = 0; i < run->n_deps; i++) {
		struct tsr_dep *dep = &run->deps[i];

		if (dep->cb.func)
			dma_fence_remove_callback(dep->fence, &dep->cb);
		dma_fence_put(dep->fence);
	}
	kfree(run->deps);
	run->deps = NULL;
	run->n_deps = 0;
}

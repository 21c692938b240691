// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that others know of (imported, or exported as dma-buf): a run waits for
 * what they do with them, and they can wait for the run. Buffers of one file only
 * are ordered by its contexts and syncobjs, and cost nothing here.
 */
#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <linux/dma-resv.h>
#include "run.h"

static bool tsr_resv_writes(const struct tsr_run *run, const struct drm_gem_object *obj)
{
	u32 i;

	for (i = 0; i < run->prog->view.n_bindings; i++)
		if (tsr_run_bos(run)[i] == obj &&
		    tsr_run_binds(run)[i].access & TESSERA_ACCESS_OUT)
			return true;
	return false;
}

static int tsr_resv_lock_all(struct tsr_run *run, struct drm_exec *exec)
{
	struct drm_gem_object **bos = tsr_run_bos(run);
	u32 i, n = run->prog->view.n_bindings;
	int ret;

	drm_exec_until_all_locked(exec) {
		for (i = 0; i < n; i++) {
			if (!tsr_resv_shared(bos[i]))
				continue;
			ret = drm_exec_prepare_obj(exec, bos[i], 1);
			drm_exec_retry_on_contention(exec);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int tsr_resv_lock(struct tsr_run *run, struct drm_exec *exec)
{
	struct drm_gem_object *obj;
	int ret;

	drm_exec_init(exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		      run->prog->view.n_bindings);
	ret = tsr_resv_lock_all(run, exec);
	if (ret)
		goto err_fini;
	drm_exec_for_each_locked_object(exec, obj) {
		ret = tsr_deps_add_resv(run, obj->resv, tsr_resv_writes(run, obj));
		if (ret)
			goto err_fini;
	}
	return 0;

err_fini:
	drm_exec_fini(exec);
	return ret;
}

void tsr_resv_publish(struct tsr_run *run, struct drm_exec *exec)
{
	struct drm_gem_object *obj;

	drm_exec_for_each_locked_object(exec, obj)
		dma_resv_add_fence(obj->resv, run->fence, tsr_resv_writes(run, obj) ?
				   DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
	drm_exec_fini(exec);
}

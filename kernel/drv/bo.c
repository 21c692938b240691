// SPDX-License-Identifier: GPL-2.0-only
/* Buffers. */
#include <drm/drm_gem.h>
#include <linux/slab.h>
#include "bo.h"
#include "device.h"
#include "file.h"
#include "stats.h"

static void tsr_bo_free(struct drm_gem_object *obj)
{
	struct tsr_device *tdev = to_tsr_device(obj->dev);
	struct tsr_bo *bo = to_tsr_bo(obj);

	if (bo->mapped) {
		dma_resv_lock(obj->resv, NULL);
		tdev->ops->bo_unmap(tdev->hw, obj, bo->addr);
		dma_resv_unlock(obj->resv);
	}
	tsr_count_device(tdev, buffers, -1);
	drm_gem_shmem_free(&bo->base);
}

struct drm_gem_object *tsr_bo_lookup(struct drm_file *file, u32 handle)
{
	struct tsr_file *tfile = to_tsr_file(file);
	u32 at = handle % TSR_BOS_KNOWN;
	struct drm_gem_object *obj;

	guard(spinlock)(&file->table_lock);
	if (tfile->bos[at].handle == handle) {
		obj = tfile->bos[at].obj;
	} else {
		obj = idr_find(&file->object_idr, handle);
		if (obj) {
			tfile->bos[at].handle = handle;
			tfile->bos[at].obj = obj;
		}
	}
	if (obj)
		drm_gem_object_get(obj);
	return obj;
}

/* A handle of it goes: it finds nothing any more, but is not free yet. */
static void tsr_bo_close(struct drm_gem_object *obj, struct drm_file *file)
{
	struct tsr_file *tfile = to_tsr_file(file);
	u32 i;

	guard(spinlock)(&file->table_lock);
	for (i = 0; i < TSR_BOS_KNOWN; i++) {
		if (tfile->bos[i].obj != obj)
			continue;
		tfile->bos[i].handle = 0;
		tfile->bos[i].obj = NULL;
	}
}

/* For fdinfo. Any context. */
static enum drm_gem_object_status tsr_bo_status(struct drm_gem_object *obj)
{
	return READ_ONCE(to_drm_gem_shmem_obj(obj)->pages) ? DRM_GEM_OBJECT_RESIDENT : 0;
}

static const struct drm_gem_object_funcs tsr_bo_funcs = {
	.free = tsr_bo_free,
	.close = tsr_bo_close,
	.print_info = drm_gem_shmem_object_print_info,
	.pin = drm_gem_shmem_object_pin,
	.unpin = drm_gem_shmem_object_unpin,
	.get_sg_table = drm_gem_shmem_object_get_sg_table,
	.vmap = drm_gem_shmem_object_vmap,
	.vunmap = drm_gem_shmem_object_vunmap,
	.mmap = drm_gem_shmem_object_mmap,
	.vm_ops = &drm_gem_shmem_vm_ops,
	.status = tsr_bo_status,
};

struct drm_gem_object *tsr_bo_create_object(struct drm_device *drm, size_t size)
{
	struct tsr_bo *bo = kzalloc(sizeof(*bo), TSR_GFP_USER);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->base.base.funcs = &tsr_bo_funcs;
	return &bo->base.base;
}

struct drm_gem_shmem_object *tsr_bo_new(struct drm_device *drm, size_t size)
{
	struct drm_gem_shmem_object *shmem = drm_gem_shmem_create(drm, size);

	/* What shmem says when there is no memory for an inode; no limit of a mount is met here. */
	if (shmem == ERR_PTR(-ENOSPC))
		return ERR_PTR(-ENOMEM);
	if (!IS_ERR(shmem))
		tsr_count_device(to_tsr_device(drm), buffers, 1);
	return shmem;
}

struct drm_gem_object *tsr_bo_import(struct drm_device *drm, struct dma_buf_attachment *attach,
				     struct sg_table *sgt)
{
	struct drm_gem_object *obj = drm_gem_shmem_prime_import_sg_table(drm, attach, sgt);

	if (!IS_ERR(obj))
		tsr_count_device(to_tsr_device(drm), buffers, 1);
	return obj;
}

/* Holds the reservation. Unplug waits for this, so nothing in it waits for user memory. */
static int tsr_bo_map_locked(struct tsr_device *tdev, struct tsr_bo *bo)
{
	int ret, enter;

	if (!drm_dev_enter(&tdev->drm, &enter))
		return -ENODEV;
	ret = tdev->ops->bo_map(tdev->hw, &bo->base.base, &bo->addr);
	drm_dev_exit(enter);
	return ret;
}

int tsr_bo_map(struct drm_gem_object *obj)
{
	struct tsr_device *tdev = to_tsr_device(obj->dev);
	struct tsr_bo *bo = to_tsr_bo(obj);
	int ret;

	ret = dma_resv_lock_interruptible(obj->resv, NULL);
	if (ret)
		return ret;
	if (!bo->mapped) {
		ret = tsr_bo_map_locked(tdev, bo);
		if (!ret) {
			/* Pairs with the acquire of tsr_bo_address(): @addr before @mapped. */
			smp_store_release(&bo->mapped, true);
		}
	}
	dma_resv_unlock(obj->resv);
	return ret;
}

int tsr_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_bo_create *args = data;
	struct drm_gem_shmem_object *shmem;
	u64 size = PAGE_ALIGN(args->size);
	int ret;

	if (args->flags || !args->size || size < args->size)
		return -EINVAL;
	/* More than all memory can only fail, slowly. */
	if (size >> PAGE_SHIFT > totalram_pages())
		return -ENOMEM;

	shmem = tsr_bo_new(drm, size);
	if (IS_ERR(shmem))
		return PTR_ERR(shmem);
	ret = drm_gem_handle_create(file, &shmem->base, &args->handle);
	drm_gem_object_put(&shmem->base);
	if (!ret)
		args->size = size;
	return ret;
}

int tsr_ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_bo_mmap_offset *args = data;
	struct drm_gem_object *obj;
	int ret = 0;

	if (args->flags)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;

	if (obj->import_attach)
		ret = -EINVAL;
	else
		ret = drm_gem_create_mmap_offset(obj);
	if (!ret) {
		args->offset = drm_vma_node_offset_addr(&obj->vma_node);
		args->size = obj->size;
	}
	drm_gem_object_put(obj);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers: GEM objects in shared memory, made reachable by the device on first use. */
#ifndef TSR_BO_H
#define TSR_BO_H

#include <drm/drm_gem_shmem_helper.h>

/*
 * struct tsr_bo - a buffer
 * @base: GEM object
 * @addr: what bo_map returned; valid once @mapped reads true with acquire order
 * @mapped: set once, under the reservation
 */
struct tsr_bo {
	struct drm_gem_shmem_object base;
	u64 addr;
	bool mapped;
};

static inline struct tsr_bo *to_tsr_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct tsr_bo, base);
}

struct drm_gem_object *tsr_bo_create_object(struct drm_device *drm, size_t size);
/* tsr_bo_new() - a buffer of whole pages, zeroed; ERR_PTR on failure */
struct drm_gem_shmem_object *tsr_bo_new(struct drm_device *drm, size_t size);
struct drm_gem_object *tsr_bo_import(struct drm_device *drm, struct dma_buf_attachment *attach,
				     struct sg_table *sgt);
/* tsr_bo_map() - for tsr_bo_address() */
int tsr_bo_map(struct drm_gem_object *obj);

/* tsr_bo_address() - make @obj reachable by the device, once, and tell where. May sleep. */
static inline int tsr_bo_address(struct drm_gem_object *obj, u64 *ret_addr)
{
	struct tsr_bo *bo = to_tsr_bo(obj);
	/* Pairs with tsr_bo_map(): a mapped buffer stays so until it is freed. */
	int ret = smp_load_acquire(&bo->mapped) ? 0 : tsr_bo_map(obj);

	if (!ret)
		*ret_addr = bo->addr;
	return ret;
}

/*
 * tsr_bo_lookup() - drm_gem_object_lookup() for handles that come again and again
 *
 * What the file remembers of a handle is forgotten before the handle is free again. NULL: no such
 * handle; else the caller's reference.
 */
struct drm_gem_object *tsr_bo_lookup(struct drm_file *file, u32 handle);

int tsr_ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file);
int tsr_ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file);

#endif

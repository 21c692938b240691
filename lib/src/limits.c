// SPDX-License-Identifier: MIT
/* What a device says about itself, in the public layouts. */
#include "coreset_int.h"
#include "device_int.h"

void tsr_limits_from_uapi(const struct tessera_limits *l, struct tsr_limits *ret_limits)
{
	*ret_limits = (struct tsr_limits){
		.grid_width = l->grid_width,
		.grid_height = l->grid_height,
		.cores = l->cores,
		.l1_size = l->l1_size,
		.arg_base = l->arg_base,
		.image_base = { l->image_base[0], l->image_base[1], l->image_base[2] },
		.image_slot = l->image_slot,
		.cb_base = l->cb_base,
		.words = l->words,
		.semaphores = l->semaphores,
		.circular_buffers = l->circular_buffers,
		.bindings = l->bindings,
		.images = l->images,
		.descriptors = l->descriptors,
		.ranges = l->ranges,
		.program_size = l->program_size,
		.queue_capacity = l->queue_capacity,
		.staged_depth = l->staged_depth,
		.parallelism = l->parallelism,
		.batch = l->batch,
		.syncs = l->syncs,
		.no_progress_ms = l->no_progress_ms,
		.claim_hold_ms = l->claim_hold_ms,
	};
}

TSR_API void tsr_device_limits(const struct tsr_device *dev, struct tsr_limits *ret_limits)
{
	tsr_limits_from_uapi(&dev->limits, ret_limits);
}

TSR_API const char *tsr_device_name(const struct tsr_device *dev)
{
	return dev->name;
}

TSR_API const char *tsr_device_isa(const struct tsr_device *dev)
{
	return dev->isa;
}

TSR_API const char *tsr_device_path(const struct tsr_device *dev)
{
	return dev->path;
}

TSR_API int tsr_device_fd(const struct tsr_device *dev)
{
	return dev->fd;
}

TSR_API struct tsr_coreset *tsr_device_cores(const struct tsr_device *dev)
{
	const struct tessera_limits *l = &dev->limits;
	struct tsr_coreset *set = tsr_coreset_new_rect(0, 0, (uint16_t)(l->grid_width - 1),
						       (uint16_t)(l->grid_height - 1));

	for (uint32_t i = 0; set && i < (uint32_t)l->grid_width * l->grid_height; i++)
		if (l->harvested[i / 64] >> (i % 64) & 1)
			tsr_coreset_remove(set, (uint16_t)(i % l->grid_width),
					   (uint16_t)(i / l->grid_width));
	return set;
}

int tsr_query_counters(const struct tsr_device *dev, uint32_t what, uint32_t index,
		       struct tsr_counters *ret)
{
	struct drm_tessera_counters from = { 0 };
	struct drm_tessera_query query = {
		.what = what,
		.index = index,
		.size = sizeof(from),
		.data = (uintptr_t)&from,
	};
	int err = tsr_device_check(dev);

	if (!err)
		err = tsr_ioctl(dev, DRM_IOCTL_TESSERA_QUERY, &query);
	if (err)
		return err;
	/* The public record has the same fields in the same order, then room to grow. */
	_Static_assert(sizeof(from) <= sizeof(*ret), "room for all counters");
	_Static_assert(offsetof(struct tsr_counters, images_abandoned) ==
		       offsetof(struct drm_tessera_counters, images_abandoned), "same order");
	memset(ret, 0, sizeof(*ret));
	memcpy(ret, &from, sizeof(from));
	return 0;
}

TSR_API int tsr_device_counters(struct tsr_device *dev, struct tsr_counters *ret_counters)
{
	return tsr_query_counters(dev, DRM_TESSERA_QUERY_COUNTERS, 0, ret_counters);
}

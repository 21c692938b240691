// SPDX-License-Identifier: MIT
/* Contexts. */
#include <stdlib.h>

#include "context_int.h"
#include "page.h"

static const uint32_t priorities[] = {
	[TSR_PRIORITY_NORMAL] = DRM_TESSERA_PRIORITY_NORMAL,
	[TSR_PRIORITY_LOW] = DRM_TESSERA_PRIORITY_LOW,
	[TSR_PRIORITY_HIGH] = DRM_TESSERA_PRIORITY_HIGH,
};

static int options_to_uapi(const struct tsr_context_options *options,
			   struct drm_tessera_context_create *ret)
{
	static const struct tsr_context_options defaults;

	if (!options)
		options = &defaults;
	if (options->priority >= ARRAY_SIZE(priorities) ||
	    !tsr_all_zero(options->reserved, sizeof(options->reserved)))
		return -EINVAL;
	*ret = (struct drm_tessera_context_create){
		.priority = priorities[options->priority],
		.queue_capacity = options->queue_capacity,
	};
	return 0;
}

TSR_API int tsr_context_new(struct tsr_device *dev, const struct tsr_context_options *options,
			    struct tsr_context **ret_context)
{
	struct drm_tessera_context_create create;
	struct tsr_context *context;
	int err = tsr_device_check(dev);

	if (!err)
		err = options_to_uapi(options, &create);
	if (err)
		return err;
	context = calloc(1, sizeof(*context));
	if (!context)
		return -ENOMEM;
	/* An offline device has contexts too: all but the last step of a submit works with them. */
	if (dev->fd >= 0)
		err = tsr_ioctl(dev, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &create);
	if (err) {
		free(context);
		return err;
	}
	tsr_ref_init(&context->ref);
	context->dev = tsr_device_ref(dev);
	context->handle = create.handle;
	context->id = create.id;
	pthread_mutex_init(&context->lock, NULL);
	*ret_context = context;
	return 0;
}

TSR_API struct tsr_context *tsr_context_ref(struct tsr_context *context)
{
	tsr_ref_get(&context->ref);
	return context;
}

TSR_API struct tsr_context *tsr_context_unref(struct tsr_context *context)
{
	struct drm_tessera_context_destroy destroy;

	if (!context || !tsr_ref_put(&context->ref))
		return NULL;
	tsr_page_unmap(context);
	destroy = (struct drm_tessera_context_destroy){ .handle = context->handle };
	if (!tsr_device_check(context->dev))
		tsr_ioctl(context->dev, DRM_IOCTL_TESSERA_CONTEXT_DESTROY, &destroy);
	tsr_device_unref(context->dev);
	pthread_mutex_destroy(&context->lock);
	free(context);
	return NULL;
}

TSR_API uint64_t tsr_context_id(const struct tsr_context *context)
{
	return context->id;
}

TSR_API struct tsr_device *tsr_context_device(const struct tsr_context *context)
{
	return context->dev;
}

TSR_API int tsr_context_reset(struct tsr_context *context)
{
	struct drm_tessera_context_reset reset = { .handle = context->handle };
	int err = tsr_device_check(context->dev);

	return err ? err : tsr_ioctl(context->dev, DRM_IOCTL_TESSERA_CONTEXT_RESET, &reset);
}

TSR_API int tsr_context_counters(struct tsr_context *context, struct tsr_counters *ret_counters)
{
	return tsr_query_counters(context->dev, DRM_TESSERA_QUERY_CONTEXT, context->handle,
				  ret_counters);
}

// SPDX-License-Identifier: MIT
/* Contexts, the claim, resets. */
#include "ops.h"
#include <string.h>

#define CONTEXTS(w)	(&(w)->file->pools[KIND_CONTEXT])

static int context_destroy(struct worker *w, uint32_t handle, const struct call *c)
{
	struct drm_tessera_context_destroy args = { .handle = handle };

	pool_remove(CONTEXTS(w), handle);
	return call_ioctl(w, OP_CONTEXT_DESTROY, DRM_IOCTL_TESSERA_CONTEXT_DESTROY, &args,
			  sizeof(args), c);
}

int op_context_create(struct worker *w, const struct call *c)
{
	struct drm_tessera_context_create args = {
		.priority = c->a % 3, .queue_capacity = c->b % 5 * 2,
	};
	static const struct call none;
	uint32_t old;
	int ret = call_ioctl(w, OP_CONTEXT_CREATE, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &args,
			     sizeof(args), c);

	if (ret)
		return ret;
	old = pool_add(CONTEXTS(w), args.handle);
	if (old)
		context_destroy(w, old, &none);
	return 0;
}

int op_context_destroy(struct worker *w, const struct call *c)
{
	ensure(w, KIND_CONTEXT);
	return context_destroy(w, pool_pick(CONTEXTS(w), c->object), c);
}

int op_context_reset(struct worker *w, const struct call *c)
{
	struct drm_tessera_context_reset args = { .handle = ensure(w, KIND_CONTEXT) };

	args.handle = pool_pick(CONTEXTS(w), c->object);
	return call_ioctl(w, OP_CONTEXT_RESET, DRM_IOCTL_TESSERA_CONTEXT_RESET, &args,
			  sizeof(args), c);
}

int op_context_page(struct worker *w, const struct call *c)
{
	struct drm_tessera_context_page args = { .handle = ensure(w, KIND_CONTEXT) };
	static const struct call none;
	struct drm_gem_close close;
	int ret;

	args.handle = pool_pick(CONTEXTS(w), c->object);
	ret = call_ioctl(w, OP_CONTEXT_PAGE, DRM_IOCTL_TESSERA_CONTEXT_PAGE, &args, sizeof(args),
			 c);
	if (ret)
		return ret;
	/* A buffer like any other; kept now and then, to be mapped and bound. */
	if (c->a & 1 && pool_slot(&w->file->pools[KIND_BO], args.bo) == POOL) {
		uint32_t old = pool_add(&w->file->pools[KIND_BO], args.bo);
		uint32_t slot = pool_slot(&w->file->pools[KIND_BO], args.bo);

		if (slot < POOL)
			w->file->bo_sizes[slot] = 4096;
		close = (struct drm_gem_close){ .handle = old };
	} else {
		pool_remove(&w->file->pools[KIND_BO], args.bo);
		close = (struct drm_gem_close){ .handle = args.bo };
	}
	if (close.handle)
		call_ioctl(w, OP_GEM_CLOSE, DRM_IOCTL_GEM_CLOSE, &close, sizeof(close), &none);
	return 0;
}

int op_claim_acquire(struct worker *w, const struct call *c)
{
	struct drm_tessera_claim_acquire args = { .context = ensure(w, KIND_CONTEXT) };

	args.context = pool_pick(CONTEXTS(w), c->object);
	args.flags = c->a % 4 ? DRM_TESSERA_CLAIM_NONBLOCK : 0;
	args.timeout_ns = c->b % 32 ? uapi_now() + c->b % 5000000 : -1;
	return call_ioctl(w, OP_CLAIM_ACQUIRE, DRM_IOCTL_TESSERA_CLAIM_ACQUIRE, &args,
			  sizeof(args), c);
}

/* Of a context that holds it, more often than not: the claim is asked for just before. */
int op_claim_release(struct worker *w, const struct call *c)
{
	struct drm_tessera_claim_release args = { .context = ensure(w, KIND_CONTEXT) };
	static const struct call none;

	args.context = pool_pick(CONTEXTS(w), c->object);
	if (c->a & 3) {
		struct drm_tessera_claim_acquire first = {
			.context = args.context, .timeout_ns = uapi_now() + 10000000,
		};

		call_ioctl(w, OP_CLAIM_ACQUIRE, DRM_IOCTL_TESSERA_CLAIM_ACQUIRE, &first,
			   sizeof(first), &none);
	}
	return call_ioctl(w, OP_CLAIM_RELEASE, DRM_IOCTL_TESSERA_CLAIM_RELEASE, &args,
			  sizeof(args), c);
}

int op_device_reset(struct worker *w, const struct call *c)
{
	struct drm_tessera_device_reset args = { 0 };

	return call_ioctl(w, OP_DEVICE_RESET, DRM_IOCTL_TESSERA_DEVICE_RESET, &args, sizeof(args),
			  c);
}

// SPDX-License-Identifier: MIT
/* Syncobjs, binary and timeline, and their files. */
#include "ops.h"
#include <unistd.h>
#include "damage.h"

#define SYNCOBJS(w)	(&(w)->file->pools[KIND_SYNCOBJ])

static int syncobj_destroy(struct worker *w, uint32_t handle, const struct call *c)
{
	struct drm_syncobj_destroy args = { .handle = handle };

	pool_remove(SYNCOBJS(w), handle);
	return call_ioctl(w, OP_SYNCOBJ_DESTROY, DRM_IOCTL_SYNCOBJ_DESTROY, &args, sizeof(args), c);
}

int op_syncobj_create(struct worker *w, const struct call *c)
{
	struct drm_syncobj_create args = { .flags = c->a & DRM_SYNCOBJ_CREATE_SIGNALED };
	static const struct call none;
	uint32_t old;
	int ret = call_ioctl(w, OP_SYNCOBJ_CREATE, DRM_IOCTL_SYNCOBJ_CREATE, &args, sizeof(args),
			     c);

	if (ret)
		return ret;
	old = pool_add(SYNCOBJS(w), args.handle);
	if (old)
		syncobj_destroy(w, old, &none);
	return 0;
}

int op_syncobj_destroy(struct worker *w, const struct call *c)
{
	ensure(w, KIND_SYNCOBJ);
	return syncobj_destroy(w, pool_pick(SYNCOBJS(w), c->object), c);
}

/*
 * DRM allocates for as many handles as it is told of, and the kernel warns of allocations that are
 * too large for it. That is not ours: the number stays small.
 */
static int call_array(struct worker *w, uint32_t op, unsigned long request, void *args, size_t size,
		      uint32_t *count, const struct call *c)
{
	static const struct call none;

	damage(c, DAMAGE_ARGS, args, size);
	*count %= 16;
	return call_ioctl(w, op, request, args, size, &none);
}

int op_syncobj_signal(struct worker *w, const struct call *c)
{
	uint32_t handle = ensure(w, KIND_SYNCOBJ);
	uint64_t point = c->a % 16;

	handle = pool_pick(SYNCOBJS(w), c->object);
	if (c->b & 1) {
		struct drm_syncobj_timeline_array args = {
			.handles = UAPI_PTR(arena_put(w, &handle, sizeof(handle))),
			.points = UAPI_PTR(arena_put(w, &point, sizeof(point))),
			.count_handles = 1,
		};

		return call_array(w, OP_SYNCOBJ_SIGNAL, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &args,
				  sizeof(args), &args.count_handles, c);
	}
	struct drm_syncobj_array args = {
		.handles = UAPI_PTR(arena_put(w, &handle, sizeof(handle))), .count_handles = 1,
	};

	return call_array(w, OP_SYNCOBJ_SIGNAL, c->b & 2 ? DRM_IOCTL_SYNCOBJ_RESET :
			  DRM_IOCTL_SYNCOBJ_SIGNAL, &args, sizeof(args), &args.count_handles, c);
}

int op_syncobj_wait(struct worker *w, const struct call *c)
{
	uint32_t handle = ensure(w, KIND_SYNCOBJ);
	uint64_t point = c->a % 16;
	struct drm_syncobj_timeline_wait args = {
		.points = UAPI_PTR(arena_put(w, &point, sizeof(point))), .count_handles = 1,
		.timeout_nsec = uapi_now() + c->b % 2000000,
		.flags = c->a >> 4 & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
	};

	handle = pool_pick(SYNCOBJS(w), c->object);
	args.handles = UAPI_PTR(arena_put(w, &handle, sizeof(handle)));
	return call_array(w, OP_SYNCOBJ_WAIT, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args, sizeof(args),
			  &args.count_handles, c);
}

/* A syncobj to a file, or the fence of a sync_file to a syncobj. */
int op_syncobj_fd(struct worker *w, const struct call *c)
{
	struct drm_syncobj_handle args = { .handle = ensure(w, KIND_SYNCOBJ) };
	uint32_t old;
	int ret;

	args.handle = pool_pick(SYNCOBJS(w), c->object);
	if (c->a & 1) {
		args.fd = pool_pick(&w->file->pools[KIND_FD], c->other);
		args.flags = c->a & 2 ? DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE : 0;
		return call_ioctl(w, OP_SYNCOBJ_FD, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args,
				  sizeof(args), c);
	}
	args.flags = c->a & 2 ? DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE : 0;
	ret = call_ioctl(w, OP_SYNCOBJ_FD, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args, sizeof(args), c);
	if (ret)
		return ret;
	old = pool_add(&w->file->pools[KIND_FD], args.fd);
	if (old)
		close(old);
	return 0;
}

// SPDX-License-Identifier: MIT
/* Queries, buffers, PRIME, mappings. */
#include "ops.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "damage.h"

#define BOS(w)	(&(w)->file->pools[KIND_BO])

int op_query(struct worker *w, const struct call *c)
{
	static const uint32_t sizes[] = { 0, 8, sizeof(struct drm_tessera_device_info),
					  sizeof(struct drm_tessera_counters), 512, 4096 };
	struct drm_tessera_query args = {
		.what = c->a % 3, .size = sizes[c->b % UAPI_ARRAY_SIZE(sizes)],
		.data = UAPI_PTR(arena_put(w, NULL, 4096)),
	};

	if (args.what == DRM_TESSERA_QUERY_CONTEXT)
		args.index = pool_pick(&w->file->pools[KIND_CONTEXT], c->object);
	/* It ends with its page. */
	args.data += 4096 - (args.size + 7) / 8 * 8;
	return call_ioctl(w, OP_QUERY, DRM_IOCTL_TESSERA_QUERY, &args, sizeof(args), c);
}

static int bo_close(struct worker *w, uint32_t handle, const struct call *c)
{
	struct drm_gem_close args = { .handle = handle };

	pool_remove(BOS(w), handle);
	return call_ioctl(w, OP_GEM_CLOSE, DRM_IOCTL_GEM_CLOSE, &args, sizeof(args), c);
}

static void bo_keep(struct worker *w, uint32_t handle, uint64_t size)
{
	static const struct call none;
	uint32_t old, slot;

	if (!size || size > BO_MOST) {
		bo_close(w, handle, &none);
		return;
	}
	old = pool_add(BOS(w), handle);
	slot = pool_slot(BOS(w), handle);
	if (slot < POOL)
		w->file->bo_sizes[slot] = size;
	if (old)
		bo_close(w, old, &none);
}

int op_bo_create(struct worker *w, const struct call *c)
{
	static const uint32_t sizes[] = { 1, 4096, 4097, 8192, 16384, 65536 };
	struct drm_tessera_bo_create args = { .size = sizes[c->a % UAPI_ARRAY_SIZE(sizes)] };
	int ret = call_ioctl(w, OP_BO_CREATE, DRM_IOCTL_TESSERA_BO_CREATE, &args, sizeof(args), c);

	if (!ret)
		bo_keep(w, args.handle, args.size);
	return ret;
}

int op_bo_mmap_offset(struct worker *w, const struct call *c)
{
	struct drm_tessera_bo_mmap_offset args = { .handle = pool_pick(BOS(w), c->object) };

	ensure(w, KIND_BO);
	if (!args.handle)
		args.handle = pool_pick(BOS(w), c->object);
	return call_ioctl(w, OP_BO_MMAP_OFFSET, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args,
			  sizeof(args), c);
}

int op_gem_close(struct worker *w, const struct call *c)
{
	ensure(w, KIND_BO);
	return bo_close(w, pool_pick(BOS(w), c->object), c);
}

int op_prime_export(struct worker *w, const struct call *c)
{
	struct drm_prime_handle args = { .flags = DRM_CLOEXEC | (c->a & 1 ? DRM_RDWR : 0) };
	uint32_t old;
	int ret;

	ensure(w, KIND_BO);
	args.handle = pool_pick(BOS(w), c->object);
	ret = call_ioctl(w, OP_PRIME_EXPORT, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args, sizeof(args), c);
	if (ret)
		return ret;
	old = pool_add(&w->file->pools[KIND_FD], args.fd);
	if (old)
		close(old);
	return 0;
}

/* From either file into this one. */
int op_prime_import(struct worker *w, const struct call *c)
{
	struct drm_prime_handle args = {
		.fd = pool_pick(&w->own[c->a & 1].pools[KIND_FD], c->object),
	};
	int ret = call_ioctl(w, OP_PRIME_IMPORT, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args, sizeof(args),
			     c);

	/* A buffer of this file comes back as the handle that it has. */
	if (!ret && pool_slot(BOS(w), args.handle) == POOL)
		bo_keep(w, args.handle, 4096);
	return ret;
}

/* The right offset and size, or nearly. */
int op_mmap(struct worker *w, const struct call *c)
{
	struct drm_tessera_bo_mmap_offset args = { 0 };
	static const struct call none;
	uint32_t slot = c->b % MAPS;
	size_t size;
	void *p;

	ensure(w, KIND_BO);
	args.handle = pool_pick(BOS(w), c->object);
	if (call_ioctl(w, OP_BO_MMAP_OFFSET, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args, sizeof(args),
		       &none))
		return -ENOENT;
	damage(c, DAMAGE_ARGS, &args, sizeof(args));
	size = args.size < BO_MOST ? args.size : BO_MOST;
	if (w->maps[slot].p)
		munmap(w->maps[slot].p, w->maps[slot].size);
	w->maps[slot].p = NULL;
	call_begin(w, OP_MMAP);
	p = mmap(NULL, size, PROT_READ | (c->a & 1 ? 0 : PROT_WRITE),
		 c->a & 6 ? MAP_SHARED : MAP_PRIVATE, w->file->fd, args.offset);
	if (p != MAP_FAILED) {
		w->maps[slot].p = p;
		w->maps[slot].size = size;
	}
	return call_end(w, OP_MMAP, p == MAP_FAILED ? -errno : 0);
}

/* Through system calls: where a mapping has no page behind it they say so, and nobody dies. */
int op_touch(struct worker *w, const struct call *c)
{
	uint32_t slot = c->b % MAPS;
	size_t at;
	int fds[2];
	int ret;

	if (!w->maps[slot].p || pipe(fds))
		return -ENOENT;
	/* A damaged size need not be one of whole pages. */
	at = c->a % ((w->maps[slot].size + 4095) / 4096) * 4096;
	call_begin(w, OP_TOUCH);
	ret = write(fds[1], w->maps[slot].p + at, 8);
	if (ret == 8)
		ret = read(fds[0], w->maps[slot].p + at, 8);
	ret = ret < 0 ? -errno : 0;
	if (c->other & 1)
		madvise(w->maps[slot].p + at, 4096, c->other & 2 ? MADV_DONTNEED : MADV_DONTFORK);
	call_end(w, OP_TOUCH, ret);
	close(fds[0]);
	close(fds[1]);
	return ret;
}

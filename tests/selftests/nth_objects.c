// SPDX-License-Identifier: MIT
/* Every n-th failure of opening the node, and of whatever makes or changes an object but runs. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_nth.h"
#include "kselftest_harness.h"

#define PAGES	8u
#define SIZE	(PAGES * 4096u)
/* Nothing else is near: a page that is touched here needs tables of all levels. */
#define FAR	((void *)0x200000000000)

NTH_FIXTURE

/* --- the node -------------------------------------------------------------------------------- */

static int open_node(struct nth *n)
{
	int fd = open(n->path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	n->other = fd;
	return 0;
}

NTH_CASE(open, .act = open_node);

static int read_fdinfo(struct nth *n)
{
	char path[64], text[4096];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", n->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text));
	if (got < 0)
		got = -errno;
	close(fd);
	return got < 0 ? (int)got : 0;
}

NTH_CASE(fdinfo, .act = read_fdinfo);

static int query(struct nth *n, __u32 what, __u32 index)
{
	char out[4096];
	struct drm_tessera_query args = {
		.what = what, .index = index, .size = sizeof(out), .data = UAPI_PTR(out),
	};

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_QUERY, &args);
}

static int query_device(struct nth *n)
{
	return query(n, DRM_TESSERA_QUERY_DEVICE, 0);
}

static int query_counters(struct nth *n)
{
	return query(n, DRM_TESSERA_QUERY_COUNTERS, 0);
}

static int query_context(struct nth *n)
{
	return query(n, DRM_TESSERA_QUERY_CONTEXT, n->ctx);
}

NTH_CASE(query_device, .act = query_device);
NTH_CASE(query_counters, .act = query_counters);
NTH_CASE(query_context, .act = query_context);

/* --- buffers --------------------------------------------------------------------------------- */

static int create_bo(struct nth *n, __u64 size)
{
	struct drm_tessera_bo_create args = { .size = size };
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_BO_CREATE, &args);

	if (!err)
		n->bo[0] = args.handle;
	return err;
}

static int bo_create(struct nth *n)
{
	return create_bo(n, 1);
}

static int bo_create_large(struct nth *n)
{
	return create_bo(n, 16 << 20);
}

static int with_bo(struct nth *n)
{
	return uapi_bo(n->fd, SIZE, &n->bo[0]);
}

static int bo_mmap_offset(struct nth *n)
{
	struct drm_tessera_bo_mmap_offset args = { .handle = n->bo[0] };

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args);
}

static int map(struct nth *n, int fd, __u64 offset)
{
	void *mem = mmap(FAR, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd,
			 offset);

	if (mem == MAP_FAILED)
		return -errno;
	n->mem = mem;
	n->size = SIZE;
	return 0;
}

static int map_bo(struct nth *n)
{
	struct drm_tessera_bo_mmap_offset args = { .handle = n->bo[0] };
	int err = uapi_ioctl(n->fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args);

	return err ? err : map(n, n->fd, args.offset);
}

static int with_mapped_bo(struct nth *n)
{
	int err = with_bo(n);

	return err ? err : map_bo(n);
}

/* A fault that finds no memory is taken again: nothing is seen of it. */
static int touch(struct nth *n)
{
	for (size_t i = 0; i < SIZE; i += 4096)
		((volatile char *)n->mem)[i] = 1;
	return 0;
}

NTH_CASE(bo_create, .act = bo_create);
NTH_CASE(bo_create_large, .act = bo_create_large);
NTH_CASE(bo_mmap_offset, .prepare = with_bo, .act = bo_mmap_offset);
NTH_CASE(bo_map, .prepare = with_bo, .act = map_bo);
NTH_CASE(bo_page_fault, .prepare = with_mapped_bo, .act = touch);

/* --- dma-bufs -------------------------------------------------------------------------------- */

static int export_from(struct nth *n, int fd, __u32 handle, int *ret_fd)
{
	struct drm_prime_handle args = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int err = nth_ioctl(n, fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args, sizeof(args));

	if (!err)
		*ret_fd = args.fd;
	return err;
}

static int export(struct nth *n)
{
	return export_from(n, n->fd, n->bo[0], &n->file);
}

/*
 * Not NTH_IOCTL(): the DRM core has written the handle when it finds no memory to remember it, and
 * leaves it in the argument when it has deleted it.
 */
static int import(struct nth *n)
{
	struct drm_prime_handle args = { .fd = n->file };
	int err = uapi_ioctl(n->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	if (!err)
		n->bo[1] = args.handle;
	return err;
}

/* Of another open file (name NULL: of the same device), as n->file. */
static int with_exported(struct nth *n, const char *name)
{
	__u32 bo;
	int err;

	n->other = uapi_open(name);
	if (n->other < 0)
		return n->other;
	err = uapi_bo(n->other, SIZE, &bo);
	return err ? err : export_from(n, n->other, bo, &n->file);
}

static int with_exported_same(struct nth *n)
{
	return with_exported(n, NULL);
}

static int with_exported_other(struct nth *n)
{
	return with_exported(n, NTH_OTHER);
}

static int with_imported(struct nth *n)
{
	int err = with_exported_other(n);

	return err ? err : import(n);
}

static int map_imported(struct nth *n)
{
	return map(n, n->file, 0);
}

NTH_CASE(prime_export, .prepare = with_bo, .act = export);
NTH_CASE(prime_import_same_device, .prepare = with_exported_same, .act = import);
NTH_CASE(prime_import_other_device, .prepare = with_exported_other, .act = import);
NTH_CASE(prime_map, .prepare = with_imported, .act = map_imported);

/* --- contexts -------------------------------------------------------------------------------- */

static int context_create(struct nth *n)
{
	struct drm_tessera_context_create args = { .priority = DRM_TESSERA_PRIORITY_NORMAL };
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &args);

	if (!err)
		n->context = args.handle;
	return err;
}

static int context_destroy(struct nth *n)
{
	struct drm_tessera_context_destroy args = { .handle = n->context };
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_CONTEXT_DESTROY, &args);

	if (!err)
		n->context = 0;
	return err;
}

static int context_reset(struct nth *n)
{
	struct drm_tessera_context_reset args = { .handle = n->context };

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_CONTEXT_RESET, &args);
}

static int context_page(struct nth *n)
{
	struct drm_tessera_context_page args = { .handle = n->context };
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_CONTEXT_PAGE, &args);

	if (!err)
		n->bo[n->bo[0] ? 1 : 0] = args.bo;
	return err;
}

static int with_page(struct nth *n)
{
	int err = context_create(n);

	return err ? err : context_page(n);
}

NTH_CASE(context_create, .act = context_create);
NTH_CASE(context_destroy, .prepare = context_create, .act = context_destroy);
NTH_CASE(context_reset, .prepare = context_create, .act = context_reset);
NTH_CASE(context_page, .prepare = context_create, .act = context_page);
NTH_CASE(context_page_again, .prepare = with_page, .act = context_page);

/* --- programs -------------------------------------------------------------------------------- */

/* Three images, one of each processor; the blob is n->blob. */
static int with_blob(struct nth *n)
{
	static const __u32 exits[] = { RV_EXIT(0) };
	struct uapi_prog p;

	uapi_prog_init_core(&p, &n->info.limits);
	for (__u32 proc = 0; proc < TSR_PROCS_PER_CORE; proc++)
		uapi_add_kernel(&p, proc, exits, UAPI_ARRAY_SIZE(exits));
	n->blob = uapi_prog_blob(&p, &n->blob_size);
	return n->blob ? 0 : -ENOMEM;
}

static int create_program(struct nth *n, __u32 *ret_handle)
{
	struct drm_tessera_program_create args = {
		.blob = UAPI_PTR(n->blob), .size = n->blob_size,
	};
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_PROGRAM_CREATE, &args);

	if (!err)
		*ret_handle = args.handle;
	return err;
}

static int program_create(struct nth *n)
{
	return create_program(n, &n->made);
}

static int with_program(struct nth *n)
{
	int err = with_blob(n);

	return err ? err : create_program(n, &n->binder);
}

static int program_destroy(struct nth *n)
{
	struct drm_tessera_program_destroy args = { .handle = n->binder };
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_PROGRAM_DESTROY, &args);

	if (!err)
		n->binder = 0;
	return err;
}

NTH_CASE(program_create, .prepare = with_blob, .act = program_create);
NTH_CASE(program_create_of_resident_images, .prepare = with_program, .act = program_create);
NTH_CASE(program_destroy, .prepare = with_program, .act = program_destroy);

NTH_TESTS

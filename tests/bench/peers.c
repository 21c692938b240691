// SPDX-License-Identifier: MIT
/*
 * What the pipeline is compared with, measured the same way in the same VM: the shortest system
 * call, DRM ioctls that do nothing, fences of vgem, io_uring with and without a block device, and
 * a syncobj.
 */
#include <fcntl.h>
#include <glob.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common_bench.h"

#define DEPTH	32
#define BLOCK	4096

/* vgem's two ioctls of its own; no package has its header. */
struct vgem_attach {
	__u32 handle, flags, out_fence, pad;
};

struct vgem_signal {
	__u32 fence, flags;
};

#define VGEM_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_attach)
#define VGEM_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_signal)

struct peers {
	int own, vgem, null;
	__u32 syncobj, buffer;
	struct io_uring ring;
	unsigned int depth;		/* of one io_uring submission */
	char *block;
};

static void op_getppid(void *ctx)
{
	(void)ctx;
	syscall(SYS_getppid);
}

static void get_cap(int fd)
{
	struct drm_get_cap cap = { .capability = DRM_CAP_TIMESTAMP_MONOTONIC };

	bench_must(uapi_ioctl(fd, DRM_IOCTL_GET_CAP, &cap), "GET_CAP");
}

static void op_noop_own(void *ctx)
{
	get_cap(((struct peers *)ctx)->own);
}

static void op_noop_vgem(void *ctx)
{
	get_cap(((struct peers *)ctx)->vgem);
}

static void op_syncobj(void *ctx)
{
	struct peers *p = ctx;

	bench_must(uapi_syncobj_signal(p->own, p->syncobj, 0), "syncobj");
}

static void op_vgem_fence(void *ctx)
{
	struct peers *p = ctx;
	struct vgem_attach attach = { .handle = p->buffer, .flags = 1 };
	struct vgem_signal signal = { 0 };

	bench_must(uapi_ioctl(p->vgem, VGEM_ATTACH, &attach), "vgem attach");
	signal.fence = attach.out_fence;
	bench_must(uapi_ioctl(p->vgem, VGEM_SIGNAL, &signal), "vgem signal");
}

/* Submit what was prepared, wait for all of it, check it. */
static void ring_finish(struct peers *p, int expected)
{
	struct io_uring_cqe *cqe;

	bench_must(io_uring_submit_and_wait(&p->ring, p->depth) != (int)p->depth, "io_uring");
	for (unsigned int i = 0; i < p->depth; i++) {
		bench_must(io_uring_peek_cqe(&p->ring, &cqe), "io_uring");
		bench_must(cqe->res != expected, "io_uring result");
		io_uring_cqe_seen(&p->ring, cqe);
	}
}

static void op_nop(void *ctx)
{
	struct peers *p = ctx;

	for (unsigned int i = 0; i < p->depth; i++)
		io_uring_prep_nop(io_uring_get_sqe(&p->ring));
	ring_finish(p, 0);
}

static void op_read(void *ctx)
{
	struct peers *p = ctx;

	for (unsigned int i = 0; i < p->depth; i++)
		io_uring_prep_read(io_uring_get_sqe(&p->ring), p->null, p->block + i * BLOCK,
				   BLOCK, i * BLOCK);
	ring_finish(p, BLOCK);
}

static void at_depth(struct peers *p, const char *name, bench_op op, unsigned int depth)
{
	p->depth = depth;
	bench_print(name, 0, bench_usual(op, p) / depth, "instructions");
}

/* The node of vgem, wherever it is. */
static int open_vgem(void)
{
	glob_t nodes;
	int ret = -ENODEV;

	if (glob("/dev/dri/card*", 0, NULL, &nodes))
		return -ENODEV;
	for (size_t i = 0; i < nodes.gl_pathc && ret < 0; i++) {
		char name[8] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };
		int fd = open(nodes.gl_pathv[i], O_RDWR | O_CLOEXEC);

		if (fd >= 0 && !uapi_ioctl(fd, DRM_IOCTL_VERSION, &version) &&
		    !strcmp(name, "vgem"))
			ret = fd;
		else if (fd >= 0)
			close(fd);
	}
	globfree(&nodes);
	return ret;
}

static void open_all(struct peers *p)
{
	struct drm_mode_create_dumb dumb = { .width = 32, .height = 32, .bpp = 32 };

	p->own = uapi_open(NULL);
	bench_must(p->own < 0, "own device");
	bench_must(uapi_syncobj(p->own, false, &p->syncobj), "syncobj");
	p->vgem = open_vgem();
	bench_must(p->vgem < 0, "vgem (module vgem)");
	bench_must(uapi_ioctl(p->vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), "vgem buffer");
	p->buffer = dumb.handle;
	p->null = open("/dev/nullb0", O_RDONLY | O_DIRECT | O_CLOEXEC);
	bench_must(p->null < 0 ? -errno : 0, "/dev/nullb0 (module null_blk)");
	p->block = aligned_alloc(BLOCK, DEPTH * BLOCK);
	bench_must(!p->block, "memory");
	bench_must(io_uring_queue_init(DEPTH, &p->ring, 0), "io_uring");
}

int main(void)
{
	struct peers p = { 0 };

	open_all(&p);
	bench_count("peer.getppid", op_getppid, &p);
	bench_count("peer.drm_noop_own", op_noop_own, &p);
	bench_count("peer.drm_noop_vgem", op_noop_vgem, &p);
	bench_count("peer.syncobj_signal", op_syncobj, &p);
	bench_count("peer.vgem_fence", op_vgem_fence, &p);
	at_depth(&p, "peer.io_uring_nop", op_nop, 1);
	at_depth(&p, "peer.io_uring_nop32", op_nop, DEPTH);
	at_depth(&p, "peer.null_blk", op_read, 1);
	at_depth(&p, "peer.null_blk32", op_read, DEPTH);
	return 0;
}

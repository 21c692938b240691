// SPDX-License-Identifier: MIT
/* Descriptors, other system calls on them, and numbers that are no ioctl of ours. */
#include "ops.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FDS(w)	(&(w)->file->pools[KIND_FD])

int op_poll(struct worker *w, const struct call *c)
{
	struct pollfd p = { .fd = pool_pick(FDS(w), c->object), .events = POLLIN | POLLOUT };
	int ret;

	if (!p.fd || c->a % 8 == 0)
		p.fd = w->file->fd;
	call_begin(w, OP_POLL);
	ret = poll(&p, 1, c->b % 3);
	return call_end(w, OP_POLL, ret < 0 ? -errno : 0);
}

int op_close_fd(struct worker *w, const struct call *c)
{
	uint32_t fd = c->object < WRONG_OBJECT ? pool_pick(FDS(w), c->object) : 0;
	int ret;

	if (!fd)
		return -EBADF;
	pool_remove(FDS(w), fd);
	call_begin(w, OP_CLOSE_FD);
	ret = close(fd);
	return call_end(w, OP_CLOSE_FD, ret ? -errno : 0);
}

/* The same open file by another number, which outlives the first when that is closed. */
int op_dup(struct worker *w, const struct call *c)
{
	uint32_t old;
	int fd;

	call_begin(w, OP_DUP);
	fd = fcntl(w->file->fd, F_DUPFD_CLOEXEC, 0);
	if (call_end(w, OP_DUP, fd < 0 ? -errno : 0))
		return -EMFILE;
	old = pool_add(FDS(w), fd);
	if (old)
		close(old);
	return 0;
}

/* Close a file with all that it has, whatever it is doing; its descriptors may stay. */
int op_reopen(struct worker *w, const struct call *c)
{
	if (w->file == &w->world->shared || w->child)
		return -EPERM;
	file_close(w->file);
	return file_open(w, w->file);
}

int op_raw(struct worker *w, const struct call *c)
{
	static const uint64_t zero[64];
	unsigned long request = c->a;
	void *args = arena_put(w, zero, sizeof(zero));
	int ret;

	/* One of ours with another size or direction; any of DRM; anything. */
	if (c->b % 4)
		request = _IOC(c->b >> 2 & 3, DRM_IOCTL_BASE, c->b >> 4 & 0xff, c->a % 256);
	call_begin(w, OP_RAW);
	ret = uapi_ioctl(w->file->fd, request, args);
	return call_end(w, OP_RAW, ret);
}

static int read_all(const char *path)
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	do {
		ret = read(fd, text, sizeof(text));
	} while (ret > 0);
	ret = ret < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* What the device says about itself, while everything moves. */
int op_fdinfo(struct worker *w, const struct call *c)
{
	static const char *const names[] = { "pipeline", "runs", "name" };
	char path[160];
	int ret;

	if (c->a & 1)
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", w->file->fd);
	else
		uapi_debugfs(w->world->minor, names[c->b % UAPI_ARRAY_SIZE(names)], path,
			     sizeof(path));
	call_begin(w, OP_FDINFO);
	ret = read_all(path);
	return call_end(w, OP_FDINFO, ret);
}

// SPDX-License-Identifier: MIT
/* Files, pools of objects, memory for arguments, and how a call is made. */
#include "world.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <unistd.h>
#include "cover.h"
#include "damage.h"
#include "ops.h"

/*
 * Arguments lie below 4 GiB, where nothing else is: damaged pointers hit them, or nothing. Each
 * ends where a page ends that no other follows, so that the kernel cannot take a byte too many.
 */
#define ARENA_BASE	0x10000000ul
#define ARENA_SLOT	0x8000ul
#define ARENA_SLOTS	64ul
#define ARENA_SIZE	(ARENA_SLOT * ARENA_SLOTS)
#define PAGE		4096ul

static int arena_map(struct worker *w)
{
	char *at = (char *)(ARENA_BASE + w->thread * ARENA_SIZE);

	w->arena = mmap(at, ARENA_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (w->arena != at)
		return -ENOMEM;
	for (uint32_t i = 1; i <= ARENA_SLOTS; i++)
		if (mprotect(at + i * ARENA_SLOT - PAGE, PAGE, PROT_NONE))
			return -errno;
	return 0;
}

void *arena_put(struct worker *w, const void *from, size_t size)
{
	size_t room = (size + 7) / 8 * 8;
	char *end;

	if (size > ARENA_SLOT - PAGE)
		abort();
	end = w->arena + (w->arena_used++ % ARENA_SLOTS + 1) * ARENA_SLOT - PAGE;
	if (from)
		memcpy(end - room, from, size);
	else
		memset(end - room, 0, size);
	return end - room;
}

/* --- Pools ------------------------------------------------------------------------------------ */

static uint32_t slot_load(const struct pool *pool, uint32_t i)
{
	return __atomic_load_n(&pool->slots[i], __ATOMIC_RELAXED);
}

uint32_t pool_pick(const struct pool *pool, uint8_t object)
{
	static const uint32_t wrong[] = { 0, 1, 99, 0x7fffffff, 0x80000000, 0xffffffff };
	uint32_t live[POOL], n = 0;

	if (object >= WRONG_OBJECT)
		return wrong[(object - WRONG_OBJECT) % UAPI_ARRAY_SIZE(wrong)];
	for (uint32_t i = 0; i < POOL; i++) {
		live[n] = slot_load(pool, i);
		n += live[n] != 0;
	}
	return n ? live[object % n] : 0;
}

uint32_t pool_add(struct pool *pool, uint32_t handle)
{
	uint32_t i = __atomic_fetch_add(&pool->next, 1, __ATOMIC_RELAXED) % POOL;

	return __atomic_exchange_n(&pool->slots[i], handle, __ATOMIC_RELAXED);
}

uint32_t pool_last(const struct pool *pool)
{
	return slot_load(pool, (__atomic_load_n(&pool->next, __ATOMIC_RELAXED) - 1) % POOL);
}

uint32_t pool_slot(const struct pool *pool, uint32_t handle)
{
	uint32_t i = 0;

	while (i < POOL && slot_load(pool, i) != handle)
		i++;
	return i;
}

void pool_remove(struct pool *pool, uint32_t handle)
{
	uint32_t i = pool_slot(pool, handle);

	if (handle && i < POOL)
		__atomic_compare_exchange_n(&pool->slots[i], &handle, 0, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}

/* --- Files ------------------------------------------------------------------------------------ */

int file_open(struct worker *w, struct file *file)
{
	memset(file, 0, sizeof(*file));
	call_begin(w, OP_REOPEN);
	file->fd = open(w->world->node, O_RDWR | O_CLOEXEC);
	if (file->fd < 0)
		file->fd = -errno;
	return call_end(w, OP_REOPEN, file->fd < 0 ? file->fd : 0);
}

void file_close(struct file *file)
{
	struct pool *fds = &file->pools[KIND_FD];

	for (uint32_t i = 0; i < POOL; i++)
		if (fds->slots[i])
			close(fds->slots[i]);
	if (file->fd >= 0)
		close(file->fd);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}

static int netlink_open(void)
{
	struct timeval soon = { .tv_usec = 200000 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	return fd < 0 ? -errno : fd;
}

int worker_open(struct worker *w, struct world *world, uint32_t thread)
{
	int ret;

	*w = (struct worker){
		.world = world, .thread = thread, .self = pthread_self(),
		.own = { { .fd = -1 }, { .fd = -1 } }, .netlink = netlink_open(),
		.prog = malloc(sizeof(*w->prog)),
	};
	if (w->netlink < 0 || !w->prog)
		return -ENOMEM;
	ret = arena_map(w);
	for (uint32_t i = 0; i < 2 && !ret; i++)
		ret = file_open(w, &w->own[i]);
	return ret;
}

void worker_drop(struct worker *w)
{
	/* A mapping keeps its file open. */
	for (uint32_t i = 0; i < MAPS; i++)
		if (w->maps[i].p)
			munmap(w->maps[i].p, w->maps[i].size);
	memset(w->maps, 0, sizeof(w->maps));
	for (uint32_t i = 0; i < 2; i++)
		file_close(&w->own[i]);
}

void worker_close(struct worker *w)
{
	worker_drop(w);
	munmap(w->arena, ARENA_SIZE);
	close(w->netlink);
	free(w->prog);
	w->prog = NULL;
}

/* --- Calls ------------------------------------------------------------------------------------ */

void call_begin(struct worker *w, uint32_t op)
{
	cover_begin(w->cover);
	w->op = op;
	__atomic_store_n(&w->since, uapi_now(), __ATOMIC_RELEASE);
}

int call_end(struct worker *w, uint32_t op, int ret)
{
	__atomic_store_n(&w->since, 0, __ATOMIC_RELEASE);
	cover_end(w->cover);
	w->total++;
	w->calls[op]++;
	w->good[op] += ret >= 0;
	w->interrupted += ret == -EINTR;
	return ret;
}

int call_ioctl(struct worker *w, uint32_t op, unsigned long request, void *args, size_t size,
	       const struct call *c)
{
	static const uintptr_t bad[] = { 0, 8, KERNEL_ADDRESS, UINTPTR_MAX - 7 };
	void *copy;
	int ret;

	damage(c, DAMAGE_ARGS, args, size);
	copy = arena_put(w, args, size);
	if (c->damage && (c->damage & 3) == DAMAGE_POINTER) {
		/* Not there at all, or not there any more after half of it. */
		copy = c->damage & 4 ? (char *)copy + size / 8 * 4 + 4 :
		       (void *)bad[(c->damage >> 3) % UAPI_ARRAY_SIZE(bad)];
		call_begin(w, op);
		return call_end(w, op, uapi_ioctl(w->file->fd, request, copy));
	}
	call_begin(w, op);
	ret = call_end(w, op, uapi_ioctl(w->file->fd, request, copy));
	memcpy(args, copy, size);
	return ret;
}

static struct file *file_of(struct worker *w, const struct call *c)
{
	if (c->how >= 224 && w->world->shared.fd >= 0)
		return &w->world->shared;
	return &w->own[c->how >= 160];
}

void worker_execute(struct worker *w, const struct input *in)
{
	w->input = in;
	for (w->at = 0; w->at < in->n && !w->world->stop; w->at++) {
		const struct call *c = &in->calls[w->at];

		w->file = file_of(w, c);
		w->arena_used = 0;
		ops[c->op % OPS].execute(w, c);
	}
}

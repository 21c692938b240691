// SPDX-License-Identifier: MIT
#include "common_bystander.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>
#include "common_dev.h"

#define BYTES		64u
#define PAUSE_MS	20000u

struct bystander_page {
	int stop, may_be_reset;
	int pause, pauses;		/* the number of this pause, or 0; of the last one */
	struct {
		int idle;		/* the pause in which it has no run */
		unsigned long right, wrong, reset;
	} one[BYSTANDERS];
};

#define PEEK(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define POKE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELEASE)

/* What one of them has: a program that copies a buffer into another one. */
struct bystander {
	int fd;
	__u32 ctx, program, from, to, size;
	volatile __u32 *in, *out;
	void *dispatch;
	__u32 turn;
};

static int copy_program(struct bystander *one)
{
	struct drm_tessera_device_info info;
	struct uapi_prog p;
	int err = uapi_info(one->fd, &info);

	if (err)
		return err;
	uapi_prog_init_core(&p, &info.limits);

	__u32 l1 = info.limits.cb_base;
	const __u32 code[] = {
		RV_READ_BUFFER(0, 0, l1, BYTES), RV_WRITE_BUFFER(1, 0, l1, BYTES), RV_EXIT(0),
	};

	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	uapi_add_binding(&p, BYTES, TESSERA_ACCESS_IN);
	uapi_add_binding(&p, BYTES, TESSERA_ACCESS_OUT);
	return uapi_prog_create(one->fd, &p, &one->program);
}

static int set_up(struct bystander *one, const char *name)
{
	void *in, *out;
	int err;

	one->fd = uapi_open(name);
	if (one->fd < 0)
		return one->fd;
	err = uapi_context(one->fd, 0, &one->ctx);
	if (!err)
		err = copy_program(one);
	if (!err)
		err = uapi_bo_map(one->fd, 4096, &one->from, &in);
	if (!err)
		err = uapi_bo_map(one->fd, 4096, &one->to, &out);
	if (err)
		return err;

	const struct tessera_bind binds[] = {
		{ .size = BYTES, .handle = one->from, .access = TESSERA_ACCESS_IN },
		{ .size = BYTES, .handle = one->to, .access = TESSERA_ACCESS_OUT },
	};

	one->in = in;
	one->out = out;
	one->dispatch = uapi_dispatch(binds, 2, NULL, 0, &one->size);
	return one->dispatch ? 0 : -ENOMEM;
}

/* One waits by the call, the other by a descriptor. */
static int finish(struct bystander *one, __u32 run, bool by_fd, struct drm_tessera_status *ret)
{
	int err, fd;

	if (by_fd) {
		fd = uapi_run_fd(one->fd, run);
		if (fd < 0)
			return fd;
		err = dev_fd_error(fd, 30000);
		close(fd);
		if (err == -ETIME)
			return err;
	}
	err = uapi_wait(one->fd, run, uapi_in_ms(slow_times(30000)));
	if (!err)
		err = uapi_status(one->fd, run, ret);
	return err ? err : uapi_close_run(one->fd, run);
}

static int run_once(struct bystander *one, bool by_fd, struct drm_tessera_status *ret)
{
	struct drm_tessera_run run;
	int err;

	one->turn++;
	for (__u32 i = 0; i < BYTES / 4; i++) {
		one->in[i] = one->turn * 1000 + i;
		one->out[i] = 0;
	}
	uapi_run_init(&run, one->program);
	uapi_run_set_dispatch(&run, one->dispatch, one->size);
	err = uapi_submit(one->fd, one->ctx, &run);
	return err ? err : finish(one, run.handle, by_fd, ret);
}

static bool right_data(const struct bystander *one)
{
	for (__u32 i = 0; i < BYTES / 4; i++)
		if (one->out[i] != one->turn * 1000 + i)
			return false;
	return true;
}

static void live(struct bystander_page *page, int me, const char *name)
{
	struct bystander one = { 0 };
	int err = set_up(&one, name);

	while (!err && !PEEK(page->stop)) {
		struct drm_tessera_status s = { 0 };

		int pause = PEEK(page->pause);

		if (pause) {
			POKE(page->one[me].idle, pause);
			uapi_sleep_ms(1);
			continue;
		}
		err = run_once(&one, me % 2, &s);
		if (!err && s.code == DRM_TESSERA_CODE_OK && right_data(&one)) {
			POKE(page->one[me].right, page->one[me].right + 1);
		} else if (!err && s.code == DRM_TESSERA_CODE_RESET && PEEK(page->may_be_reset)) {
			POKE(page->one[me].reset, page->one[me].reset + 1);
		} else {
			page->one[me].wrong++;
			fprintf(stderr, "# bystander %d: %s\n", me, strerror(-err));
			dev_status_print(&s);
		}
		usleep(4000);
	}
	_exit(err ? 1 : 0);
}

int bystanders_start(struct bystanders *b, const char *name)
{
	b->page = mmap(NULL, sizeof(*b->page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (b->page == MAP_FAILED)
		return -errno;
	for (int i = 0; i < BYSTANDERS; i++) {
		b->pids[i] = fork();
		if (!b->pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			live(b->page, i, name);
		}
	}
	for (__s64 until = uapi_in_ms(PAUSE_MS); uapi_now() < until; uapi_sleep_ms(2)) {
		bool all = true;

		for (int i = 0; i < BYSTANDERS; i++)
			all = all && PEEK(b->page->one[i].right);
		if (all)
			return 0;
	}
	return -ETIME;
}

int bystanders_pause(struct bystanders *b)
{
	int pause = ++b->page->pauses;

	POKE(b->page->pause, pause);
	for (__s64 until = uapi_in_ms(PAUSE_MS); uapi_now() < until; uapi_sleep_ms(1)) {
		bool all = true;

		for (int i = 0; i < BYSTANDERS; i++)
			all = all && PEEK(b->page->one[i].idle) == pause;
		if (all)
			return 0;
	}
	return -ETIME;
}

void bystanders_go(struct bystanders *b)
{
	POKE(b->page->pause, 0);
}

void bystanders_may_be_reset(struct bystanders *b, bool may)
{
	POKE(b->page->may_be_reset, may);
}

long bystanders_stop(struct bystanders *b)
{
	long wrong = 0;

	POKE(b->page->stop, 1);
	for (int i = 0; i < BYSTANDERS; i++) {
		int status;

		if (waitpid(b->pids[i], &status, 0) != b->pids[i] || status)
			wrong = -ECHILD;
	}
	for (int i = 0; i < BYSTANDERS && wrong >= 0; i++)
		wrong = b->page->one[i].right ? wrong + (long)b->page->one[i].wrong : -ENODATA;
	munmap(b->page, sizeof(*b->page));
	return wrong;
}

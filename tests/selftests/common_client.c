// SPDX-License-Identifier: MIT
#include "common_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_dev.h"

#define CONTEXTS	2
#define IN_FLIGHT	8
#define SLOTS		512u
#define SLOT_BYTES	64u

enum kind { MARK, MARK_SLOWLY, FAIL, LOOP, KINDS };

struct context {
	__u32 handle;
	__u64 id;
	const volatile struct drm_tessera_context_progress *page;
};

/* struct flight - a run that has not been seen to end */
struct flight {
	__u32 handle, slot;
	__u64 id, context, user_data;
	enum kind kind;
	int fence;
	bool used;
};

struct client {
	const char *name;
	__u32 number;
	unsigned int seed;
	bool calm;
	struct client_log *log;
	int fd;
	struct context contexts[CONTEXTS];
	__u32 programs[KINDS], bo, sync, slot;
	volatile __u8 *mem;
	bool dirty[SLOTS];		/* an unproven core may write there yet */
	struct flight flights[IN_FLIGHT];
	__u64 user_data;
};

static unsigned int dice(struct client *c, unsigned int sides)
{
	return (unsigned int)rand_r(&c->seed) / 16 % sides;
}

static void note(struct client *c, struct history_event e)
{
	if (c->log->count == CLIENT_LINES)
		return;
	e.client = c->number;
	c->log->lines[c->log->count] = e;
	/* Who reads it may do so when this process has been killed. */
	__atomic_store_n(&c->log->count, c->log->count + 1, __ATOMIC_RELEASE);
}

/* ---- What it has ----------------------------------------------------------------------------- */

/* Counts up in the first word of what is bound to it; after @turns of a loop. */
static int mark_program(struct client *c, const struct tessera_limits *limits, __u32 turns,
			__u32 *ret)
{
	__u32 l1 = limits->cb_base;
	const __u32 code[] = {
		RV_LI(RV_T0, turns), RV_ADDI(RV_T0, RV_T0, -1), RV_BNE(RV_T0, RV_ZERO, -4),
		RV_READ_BUFFER(0, 0, l1, 16),
		RV_LI(RV_T0, l1),
		RV_LW(RV_T1, 0, RV_T0),
		RV_ADDI(RV_T1, RV_T1, 1),
		RV_SW(RV_T1, 0, RV_T0),
		RV_WRITE_BUFFER(0, 0, l1, 16),
		RV_EXIT(0),
	};
	struct uapi_prog p;

	uapi_prog_init_core(&p, limits);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	uapi_add_binding(&p, 16, TESSERA_ACCESS_INOUT);
	return uapi_prog_create(c->fd, &p, ret);
}

static int new_context(struct client *c, struct context *ret)
{
	struct drm_tessera_context_create args = { .priority = DRM_TESSERA_PRIORITY_NORMAL };
	struct drm_tessera_context_page page = { 0 };
	struct drm_tessera_bo_mmap_offset at = { 0 };
	int err = uapi_ioctl(c->fd, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &args);
	void *map;

	page.handle = args.handle;
	if (!err)
		err = uapi_ioctl(c->fd, DRM_IOCTL_TESSERA_CONTEXT_PAGE, &page);
	at.handle = page.bo;
	if (!err)
		err = uapi_ioctl(c->fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &at);
	if (err)
		return err;
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, c->fd, (off_t)at.offset);
	uapi_bo_close(c->fd, page.bo);
	*ret = (struct context){ .handle = args.handle, .id = args.id, .page = map };
	return map == MAP_FAILED ? -errno : 0;
}

static int set_up(struct client *c)
{
	struct drm_tessera_device_info info;
	void *map;
	int err;

	c->fd = uapi_open(c->name);
	err = c->fd < 0 ? c->fd : uapi_info(c->fd, &info);
	for (int i = 0; i < CONTEXTS && !err; i++)
		err = new_context(c, &c->contexts[i]);
	if (!err)
		err = mark_program(c, &info.limits, 1, &c->programs[MARK]);
	if (!err)
		err = mark_program(c, &info.limits, 300000, &c->programs[MARK_SLOWLY]);
	if (!err)
		err = uapi_exit_program(c->fd, 1, &c->programs[FAIL]);
	if (!err)
		err = uapi_loop_program(c->fd, &c->programs[LOOP]);
	if (!err)
		err = uapi_syncobj(c->fd, true, &c->sync);
	if (!err)
		err = uapi_bo_map(c->fd, SLOTS * SLOT_BYTES, &c->bo, &map);
	if (!err)
		c->mem = map;
	return err;
}

/* ---- Looking --------------------------------------------------------------------------------- */

static int look(struct client *c, const struct flight *f, struct drm_tessera_status *ret)
{
	int err = uapi_status(c->fd, f->handle, ret);

	if (!err)
		note(c, (struct history_event){
			.type = HISTORY_STATUS, .context = ret->context_id, .run = ret->run_id,
			.user_data = ret->user_data, .phase = ret->phase, .code = ret->code,
			.poison = ret->poison_code, .a = (__s64)ret->launched_ns,
			.b = (__s64)ret->retired_ns,
		});
	return err;
}

/* What the page says, and at once what the record of such a run says. */
static int look_at_page(struct client *c, const struct context *ctx)
{
	struct drm_tessera_status s;
	int err = 0;

	note(c, (struct history_event){
		.type = HISTORY_PAGE, .context = ctx->id,
		.run = __atomic_load_n(&ctx->page->ended_through, __ATOMIC_ACQUIRE),
	});
	for (int i = 0; i < IN_FLIGHT && !err; i++)
		if (c->flights[i].used && c->flights[i].context == ctx->id)
			err = look(c, &c->flights[i], &s);
	return err;
}

static int land(struct client *c, struct flight *f)
{
	struct history_event e = { .context = f->context, .run = f->id };
	struct drm_tessera_status s;
	int err = look(c, f, &s);

	if (!err && f->fence < 0 && !dice(c, 3))
		f->fence = uapi_run_fd(c->fd, f->handle);
	if (!err && f->fence >= 0) {
		e.type = HISTORY_FENCE;
		/* It is told before the waiters are, or at once after. */
		e.a = dev_fd_error(f->fence, 10000);
		note(c, e);
		close(f->fence);
	}
	if (!err && f->kind <= MARK_SLOWLY) {
		e.type = HISTORY_EFFECT;
		e.a = *(volatile __u32 *)(c->mem + f->slot * SLOT_BYTES);
		note(c, e);
	}
	if (!err && s.phase == DRM_TESSERA_PHASE_QUARANTINED)
		c->dirty[f->slot] = true;
	/* The same again. */
	if (!err && !dice(c, 4))
		err = look(c, f, &s);
	f->used = false;
	return err ? err : uapi_close_run(c->fd, f->handle);
}

/* ---- Doing ----------------------------------------------------------------------------------- */

static __u32 clean_slot(struct client *c)
{
	do {
		c->slot = (c->slot + 1) % SLOTS;
	} while (c->dirty[c->slot]);
	*(volatile __u32 *)(c->mem + c->slot * SLOT_BYTES) = 0;
	return c->slot;
}

static void prepare(struct client *c, struct flight *f, struct drm_tessera_run *run,
		    struct drm_tessera_sync *sync)
{
	unsigned int d = dice(c, 100);
	struct tessera_bind bind = { .size = 16, .handle = c->bo, .access = TESSERA_ACCESS_INOUT };
	__u32 size;

	*f = (struct flight){ .fence = -1, .user_data = ++c->user_data };
	f->kind = d < 70 ? MARK : d < 85 && !c->calm ? MARK_SLOWLY : d < 93 || c->calm ? FAIL : LOOP;
	uapi_run_init(run, c->programs[f->kind]);
	run->user_data = f->user_data;
	if (f->kind <= MARK_SLOWLY) {
		f->slot = clean_slot(c);
		bind.offset = f->slot * SLOT_BYTES;
		uapi_run_set_dispatch(run, uapi_dispatch(&bind, 1, NULL, 0, &size), size);
		run->dispatch_size = size;
	}
	*sync = (struct drm_tessera_sync){ .handle = c->sync };
	run->in_syncs = run->out_syncs = UAPI_PTR(sync);
	run->in_sync_count = !dice(c, 12);
	run->out_sync_count = !dice(c, 8);
	run->time_limit_ms = c->calm || dice(c, 10) ? 0 : 1 + dice(c, 10);
}

static int submit(struct client *c)
{
	struct context *ctx = &c->contexts[dice(c, CONTEXTS)];
	struct drm_tessera_sync syncs[CLIENT_BATCH];
	struct drm_tessera_run runs[CLIENT_BATCH];
	struct flight *flights[CLIENT_BATCH];
	struct drm_tessera_run_submit args;
	__u32 n = 0, most = dice(c, 4) ? 1 : CLIENT_BATCH;
	__s64 before, after;
	int err;

	for (int i = 0; i < IN_FLIGHT && n < most; i++) {
		if (c->flights[i].used)
			continue;
		prepare(c, &c->flights[i], &runs[n], &syncs[n]);
		flights[n++] = &c->flights[i];
	}
	if (!n)
		return 0;
	uapi_submit_init(&args, ctx->handle, runs, n);
	before = uapi_now();
	err = uapi_ioctl(c->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args);
	after = uapi_now();
	for (__u32 i = 0; i < args.accepted; i++) {
		struct flight *f = flights[i];

		note(c, (struct history_event){
			.type = HISTORY_SUBMITTED, .context = ctx->id, .run = runs[i].id,
			.user_data = f->user_data, .a = before, .b = after,
		});
		f->handle = runs[i].handle;
		f->id = runs[i].id;
		f->context = ctx->id;
		f->used = true;
		if (!dice(c, 4))
			f->fence = uapi_run_fd(c->fd, f->handle);
	}
	for (__u32 i = 0; i < n; i++)
		if (flights[i]->kind <= MARK_SLOWLY)
			free((void *)(uintptr_t)runs[i].dispatch);
	return err ? err : args.error;
}

/* A context that was poisoned, a device that is wedged: what has to be done to go on. */
static int recover(struct client *c, int err)
{
	struct drm_tessera_device_reset reset = { 0 };

	if (err == -EIO) {
		uapi_ioctl(c->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &reset);
		return 0;
	}
	if (err != -ECANCELED)
		return err;
	for (int i = 0; i < CONTEXTS; i++) {
		struct drm_tessera_context_reset args = { .handle = c->contexts[i].handle };

		err = uapi_ioctl(c->fd, DRM_IOCTL_TESSERA_CONTEXT_RESET, &args);
		if (err)
			return err;
	}
	return 0;
}

static int replace_context(struct client *c)
{
	struct context *ctx = &c->contexts[dice(c, CONTEXTS)];
	int err = uapi_context_destroy(c->fd, ctx->handle);

	munmap((void *)ctx->page, 4096);
	return err ? err : new_context(c, ctx);
}

/* One of those in flight: waited for, cancelled, or only looked at. */
static int tend(struct client *c, struct flight *f, bool to_the_end)
{
	struct drm_tessera_status s;
	int err;

	if (f->kind == LOOP ? to_the_end || !dice(c, 2) : !dice(c, 12))
		uapi_cancel(c->fd, f->handle);
	if (!dice(c, 6))
		return look(c, f, &s);
	err = uapi_wait(c->fd, f->handle, uapi_in_ms(to_the_end ? 30000 : dice(c, 20)));
	if (err == -ETIME)
		return to_the_end ? err : 0;
	return err ? err : land(c, f);
}

static int step(struct client *c)
{
	struct flight *f = &c->flights[dice(c, IN_FLIGHT)];
	int err;

	switch (dice(c, 40)) {
	case 0:
		return replace_context(c);
	case 1:
	case 2:
	case 3:
		return look_at_page(c, &c->contexts[dice(c, CONTEXTS)]);
	default:
		break;
	}
	if (f->used)
		return tend(c, f, false);
	err = submit(c);
	return err ? recover(c, err) : 0;
}

int client_live(const char *name, __u32 number, unsigned int seed, bool calm,
		struct client_log *log, const int *stop)
{
	struct client *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->name = name;
	c->number = number;
	c->seed = seed;
	c->calm = calm;
	c->log = log;
	err = set_up(c);
	while (!err && !__atomic_load_n(stop, __ATOMIC_RELAXED) &&
	       log->count < CLIENT_LINES - 1000)
		err = step(c);
	for (int i = 0; i < IN_FLIGHT; i++)
		while (!err && c->flights[i].used)
			err = tend(c, &c->flights[i], true);
	close(c->fd);
	if (err)
		fprintf(stderr, "# client %u: %s\n", number, strerror(-err));
	free(c);
	return err;
}

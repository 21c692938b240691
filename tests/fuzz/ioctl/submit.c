// SPDX-License-Identifier: MIT
/* RUN_SUBMIT: batches of runs with everything that they bring. */
#include "ops.h"
#include <stdlib.h>
#include <string.h>
#include "damage.h"

#define BATCH		4
#define SYNCS		3
#define STRIDE_MORE	(sizeof(struct drm_tessera_run) + 16)

/* A dispatch blob for the shape of a program. Threads race for shapes: sizes are looked at. */
static void add_dispatch(struct worker *w, const struct call *c, const struct shape *from,
			 struct drm_tessera_run *run)
{
	const struct pool *bos = &w->file->pools[KIND_BO];
	struct tessera_bind binds[4] = { 0 };
	struct shape shape = *from;
	uint32_t words[256];
	void *blob;

	if (shape.n_bindings > 4 || shape.words > UAPI_ARRAY_SIZE(words))
		return;
	for (uint32_t i = 0; i < shape.n_bindings; i++) {
		uint32_t bo = pool_pick(bos, c->object + i * (c->how & 1));
		uint32_t slot = pool_slot(bos, bo);

		if (!bo)
			bo = ensure(w, KIND_BO);
		binds[i] = (struct tessera_bind){
			.handle = bo, .access = shape.bindings[i].access,
			.size = slot < POOL && c->how & 2 ? w->file->bo_sizes[slot] :
				shape.bindings[i].min_size,
		};
	}
	for (uint32_t i = 0; i < shape.words; i++)
		words[i] = c->a + i;
	blob = uapi_dispatch(binds, shape.n_bindings, words, shape.words, &run->dispatch_size);
	if (!blob)
		return;
	damage(c, DAMAGE_SECOND, blob, run->dispatch_size);
	run->dispatch = UAPI_PTR(arena_put(w, blob, run->dispatch_size));
	free(blob);
}

/* Mostly none: a run that waits for what never comes is in the way of all others. */
static uint64_t add_syncs(struct worker *w, const struct call *c, uint32_t bits, uint32_t *ret_n)
{
	const struct pool *pool = &w->file->pools[KIND_SYNCOBJ];
	struct drm_tessera_sync syncs[SYNCS] = { 0 };
	uint32_t n = bits & 3;

	*ret_n = n;
	for (uint32_t i = 0; i < n; i++) {
		syncs[i].handle = pool_pick(pool, c->other + i);
		syncs[i].point = bits >> 2 & 1 ? (bits >> 3 & 15) + i : 0;
		if (!syncs[i].handle)
			syncs[i].handle = ensure(w, KIND_SYNCOBJ);
	}
	damage(c, DAMAGE_SECOND, syncs, n * sizeof(syncs[0]));
	return UAPI_PTR(arena_put(w, syncs, n * sizeof(syncs[0])));
}

static void fill_run(struct worker *w, const struct call *c, struct drm_tessera_run *run,
		     uint32_t i)
{
	const struct pool *programs = &w->file->pools[KIND_PROGRAM];
	uint32_t slot;

	run->program = pool_pick(programs, c->object + i);
	slot = pool_slot(programs, run->program);
	run->flags = c->b & DRM_TESSERA_RUN_FLAGS;
	run->user_data = c->a;
	run->dispatch = UAPI_PTR(arena_put(w, &uapi_dispatch_none, sizeof(uapi_dispatch_none)));
	run->dispatch_size = sizeof(uapi_dispatch_none);
	if (slot < POOL)
		add_dispatch(w, c, &w->file->shapes[slot], run);
	if ((c->b >> 2 & 15) == 1)
		run->in_syncs = add_syncs(w, c, c->a, &run->in_sync_count);
	if ((c->b >> 6 & 3) == 1)
		run->out_syncs = add_syncs(w, c, c->a >> 8, &run->out_sync_count);
	if ((c->b >> 8 & 15) == 1)
		run->time_limit_ms = 1 + (c->b >> 12 & 15);
	damage(c, DAMAGE_FIRST, run, sizeof(*run));
}

static void keep_runs(struct worker *w, const struct drm_tessera_run_submit *args)
{
	struct pool *pool = &w->file->pools[KIND_RUN];
	const struct drm_tessera_run *run;
	uint32_t old;

	for (uint32_t i = 0; i < args->accepted && i < BATCH; i++) {
		run = (const void *)(uintptr_t)(args->runs + i * args->run_stride);
		old = pool_add(pool, run->handle);
		if (old)
			uapi_close_run(w->file->fd, old);
	}
}

int op_run_submit(struct worker *w, const struct call *c)
{
	static const uint8_t counts[] = { 1, 1, 1, 1, 1, 2, 3, BATCH };
	struct drm_tessera_run_submit args = { .run_count = counts[c->how % 8] };
	struct drm_tessera_run run;
	uint64_t runs;
	char *all;
	int ret;

	args.context = ensure(w, KIND_CONTEXT);
	ensure(w, KIND_PROGRAM);
	args.context = pool_pick(&w->file->pools[KIND_CONTEXT], c->other);
	args.run_stride = c->how & 8 ? STRIDE_MORE : sizeof(run);
	args.flags = c->b >> 16 & 15 ? DRM_TESSERA_SUBMIT_NONBLOCK : 0;
	if ((c->b >> 20 & 15) == 1)
		args.flags |= DRM_TESSERA_SUBMIT_CLAIMED;
	all = arena_put(w, NULL, args.run_count * args.run_stride);
	for (uint32_t i = 0; i < args.run_count; i++) {
		memset(&run, 0, sizeof(run));
		fill_run(w, c, &run, i);
		memcpy(all + i * args.run_stride, &run, sizeof(run));
	}
	runs = args.runs = UAPI_PTR(all);
	ret = call_ioctl(w, OP_RUN_SUBMIT, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args, sizeof(args), c);
	/* Accepted from elsewhere, they are lost to us until the file is closed. */
	if (!ret && args.runs == runs && args.run_stride >= sizeof(run))
		keep_runs(w, &args);
	return ret;
}

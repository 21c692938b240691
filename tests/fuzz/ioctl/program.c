// SPDX-License-Identifier: MIT
/* Programs: right blobs of many kinds, and what damage makes of them. */
#include "ops.h"
#include <stdlib.h>
#include <string.h>
#include "damage.h"

#define PROGRAMS(w)	(&(w)->file->pools[KIND_PROGRAM])
#define CODE_WORDS	96

/* --- Code ------------------------------------------------------------------------------------- */

/* What kernels do. The first ones end well, and are what most programs are made of. */
enum {
	CODE_EXIT, CODE_PRINT, CODE_COPY, CODE_SEMAPHORE, CODE_FAIL, CODE_ILLEGAL, CODE_UNBOUND,
	CODE_WAIT, CODE_SPIN, CODE_HEARTBEAT, CODE_RANDOM, CODES
};

static const uint8_t code_weights[CODES] = {
	[CODE_EXIT] = 120, [CODE_PRINT] = 40, [CODE_COPY] = 40, [CODE_SEMAPHORE] = 20,
	[CODE_FAIL] = 6, [CODE_ILLEGAL] = 6, [CODE_UNBOUND] = 6,
	/* These take until somebody ends them. */
	[CODE_WAIT] = 1, [CODE_SPIN] = 1, [CODE_HEARTBEAT] = 1, [CODE_RANDOM] = 15,
};

#define PUT(...)									\
	do {										\
		const uint32_t code_[] = { __VA_ARGS__ };				\
											\
		memcpy(ret, code_, sizeof(code_));					\
		return UAPI_ARRAY_SIZE(code_);						\
	} while (0)

static uint32_t random_code(struct random *r, uint32_t *ret)
{
	static const uint8_t opcodes[] = {
		0x37, 0x17, 0x6f, 0x67, 0x63, 0x03, 0x23, 0x13, 0x33, 0x0f, 0x73,
	};
	uint32_t n = 1 + below(r, CODE_WORDS);

	for (uint32_t i = 0; i < n; i++)
		ret[i] = (random64(r) & ~0x7full) | opcodes[below(r, sizeof(opcodes))];
	return n;
}

/* Return: words of it. */
static uint32_t write_code(struct random *r, uint32_t kind, uint32_t l1, uint32_t *ret)
{
	switch (kind) {
	case CODE_PRINT:
		PUT(RV_POKE(TSR_REG_CORE + TSR_CORE_PRINT, 'x'),
		    RV_POKE(TSR_REG_CORE + TSR_CORE_PRINT, '\n'), RV_EXIT(0));
	case CODE_COPY:
		PUT(RV_READ_BUFFER(0, 0, l1, 64), RV_WRITE_BUFFER(1, 0, l1, 64), RV_EXIT(0));
	case CODE_SEMAPHORE:
		PUT(RV_POKE(RV_SEM(0, TSR_SEM_ADD), 1), RV_POKE(RV_SEM(0, TSR_SEM_WAIT_MIN), 1),
		    RV_EXIT(0));
	case CODE_FAIL:
		PUT(RV_EXIT(1));
	case CODE_ILLEGAL:
		PUT(RV_ILLEGAL);
	case CODE_UNBOUND:
		PUT(RV_READ_BUFFER(7, 0, l1, 64), RV_EXIT(0));
	case CODE_WAIT:
		PUT(RV_POKE(RV_SEM(1, TSR_SEM_WAIT_MIN), 0x7fffffff), RV_EXIT(0));
	case CODE_SPIN:
		PUT(RV_J(0));
	case CODE_HEARTBEAT:
		PUT(RV_POKE(TSR_REG_CORE + TSR_CORE_HEARTBEAT, 1), RV_J(-20));
	case CODE_RANDOM:
		return random_code(r, ret);
	default:
		PUT(RV_EXIT(0));
	}
}

static uint32_t weighted_code(struct random *r)
{
	uint32_t n = below(r, 256), kind = 0;

	while (kind + 1 < CODES && n >= code_weights[kind])
		n -= code_weights[kind++];
	return kind;
}

/* --- Structure -------------------------------------------------------------------------------- */

/* Inside the 2 x 2 cores that the operation is. */
static uint32_t some_range(struct random *r, struct uapi_prog *p)
{
	uint16_t x0 = below(r, 2), y0 = below(r, 2);

	return uapi_add_range(p, x0, y0, x0 + below(r, 2 - x0), y0 + below(r, 2 - y0));
}

static uint32_t add_kernel(struct random *r, struct uapi_prog *p, uint32_t processor, uint32_t kind)
{
	uint32_t code[2 * CODE_WORDS], n, range, common, words = 0;
	const struct tessera_range *at;

	n = write_code(r, kind, p->limits.cb_base, code);
	range = some_range(r, p);
	common = below(r, 3) ? 0 : below(r, 16);
	uapi_add_descriptor(p, uapi_add_image(p, processor, code, n), range, common);
	at = &p->ranges[range];
	for (uint16_t y = at->y0; y <= at->y1; y++) {
		for (uint16_t x = at->x0; x <= at->x1; x++) {
			uint32_t own = 1 + below(r, 8);

			if (below(r, 3))
				continue;
			uapi_add_args(p, x, y, own);
			words += own;
		}
	}
	return common + words;
}

static void build(struct random *r, struct uapi_prog *p, const struct tessera_limits *limits,
		  struct shape *ret)
{
	uint32_t kernels = 1 + below(r, TSR_PROCS_PER_CORE), one = weighted_code(r);

	uapi_prog_init(p, limits, 0, 0, 1, 1);
	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < kernels; i++)
		ret->words += add_kernel(r, p, i, below(r, 4) ? one : weighted_code(r));
	for (uint32_t i = 0, n = below(r, 3); i < n; i++)
		uapi_add_semaphore(p, i, random64(r), some_range(r, p));
	for (uint32_t i = 0, n = below(r, 3); i < n; i++)
		uapi_add_cb(p, i, 16 + 16 * below(r, 4), 1 + below(r, 4),
			    limits->cb_base + 1024 * i, some_range(r, p));
	ret->n_bindings = below(r, 3) ? below(r, 5) : 0;
	if (one == CODE_COPY && ret->n_bindings < 2)
		ret->n_bindings = 2;
	for (uint32_t i = 0; i < ret->n_bindings; i++) {
		ret->bindings[i].min_size = 64 + below(r, 2) * 960;
		ret->bindings[i].access = one == CODE_COPY ? TESSERA_ACCESS_INOUT : 1 + below(r, 3);
		uapi_add_binding(p, ret->bindings[i].min_size, ret->bindings[i].access);
	}
}

/* --- Calls ------------------------------------------------------------------------------------ */

static int program_destroy(struct worker *w, uint32_t handle, const struct call *c)
{
	struct drm_tessera_program_destroy args = { .handle = handle };

	pool_remove(PROGRAMS(w), handle);
	return call_ioctl(w, OP_PROGRAM_DESTROY, DRM_IOCTL_TESSERA_PROGRAM_DESTROY, &args,
			  sizeof(args), c);
}

int op_program_create(struct worker *w, const struct call *c)
{
	struct random r = { (uint64_t)c->a << 32 | c->b };
	struct drm_tessera_program_create args = { 0 };
	static const struct call none;
	struct shape shape;
	uint32_t old, slot;
	void *blob;
	int ret;

	build(&r, w->prog, &w->world->limits, &shape);
	blob = uapi_prog_blob(w->prog, &args.size);
	if (!blob)
		return -ENOMEM;
	damage(c, DAMAGE_FIRST, blob, args.size);
	/* Two wrong words, of which the first may hide the second. */
	if (c->other & 1)
		damage(&(struct call){ .damage = c->damage * 2654435761u & ~3u }, DAMAGE_ARGS,
		       blob, args.size);
	args.blob = UAPI_PTR(arena_put(w, blob, args.size));
	free(blob);
	ret = call_ioctl(w, OP_PROGRAM_CREATE, DRM_IOCTL_TESSERA_PROGRAM_CREATE, &args,
			 sizeof(args), c);
	if (ret)
		return ret;
	old = pool_add(PROGRAMS(w), args.handle);
	slot = pool_slot(PROGRAMS(w), args.handle);
	if (slot < POOL)
		w->file->shapes[slot] = shape;
	if (old)
		program_destroy(w, old, &none);
	return 0;
}

int op_program_destroy(struct worker *w, const struct call *c)
{
	ensure(w, KIND_PROGRAM);
	return program_destroy(w, pool_pick(PROGRAMS(w), c->object), c);
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The grid as an object: configuration, limits, creation, scrubbing, and what may be
 * asked of it while or after it runs.
 */
#include "grid_int.h"

#define MAX_INSN_COST	65535

void tsr_grid_config_default(struct tsr_grid_config *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	cfg->width = 4;
	cfg->height = 4;
	cfg->l1_size = 512 << 10;
	cfg->image_slot = 32 << 10;
	cfg->words = 256;
	cfg->bindings = 64;
	cfg->seed = 1;
	cfg->quantum = 2000;
	cfg->timing = (struct tsr_timing){
		.alu = 1, .load = 2, .store = 1, .mul = 3, .div = 20, .branch = 1, .reg = 4,
		.noc_latency = 60, .noc_hop = 4, .noc_bytes = 32,
		.tile_matmul = 128, .tile_op = 32,
	};
}

static u32 working_cores(const struct tsr_grid_config *cfg)
{
	u32 i, n = 0;

	for (i = 0; i < (u32)cfg->width * cfg->height; i++)
		n += !(cfg->harvested[i / 64] >> (i % 64) & 1);
	return n;
}

static bool harvested_ok(const struct tsr_grid_config *cfg)
{
	u32 i;

	for (i = cfg->width * cfg->height; i < TESSERA_MAX_CORES; i++)
		if (cfg->harvested[i / 64] >> (i % 64) & 1)
			return false;
	return working_cores(cfg) > 0;
}

static u32 image_base(const struct tsr_grid_config *cfg)
{
	return (TSR_ARG_BASE + TSR_PROCS_PER_CORE * cfg->words * 4 + 4095) & ~4095u;
}

static u32 cb_base(const struct tsr_grid_config *cfg)
{
	return image_base(cfg) + TSR_PROCS_PER_CORE * cfg->image_slot;
}

static const char *timing_check(const struct tsr_grid_config *cfg)
{
	const struct tsr_timing *t = &cfg->timing;
	const struct {
		const char *name;
		u32 value, least;
		bool insn;	/* summed over the text of an image: must stay below 2^31 */
	} fields[] = {
		{ "timing.alu", t->alu, 1, true },
		{ "timing.load", t->load, 1, true },
		{ "timing.store", t->store, 1, true },
		{ "timing.mul", t->mul, 1, true },
		{ "timing.div", t->div, 1, true },
		{ "timing.branch", t->branch, 0, false },
		{ "timing.reg", t->reg, 0, false },
		{ "timing.noc_latency", t->noc_latency, 0, false },
		{ "timing.noc_hop", t->noc_hop, 0, false },
		{ "timing.noc_bytes", t->noc_bytes, 1, false },
		{ "timing.tile_matmul", t->tile_matmul, 0, false },
		{ "timing.tile_op", t->tile_op, 0, false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (fields[i].value < fields[i].least || fields[i].value > MAX_INSN_COST)
			return fields[i].name;
		if (fields[i].insn && (u64)fields[i].value * (cfg->image_slot / 4) >> 31)
			return fields[i].name;
	}
	return NULL;
}

static bool within(u32 value, u32 least, u32 most)
{
	return value >= least && value <= most;
}

static const char *bad_field(const struct tsr_grid_config *cfg)
{
	if (!within(cfg->width, 1, TESSERA_MAX_DIM))
		return "width";
	if (!within(cfg->height, 1, TESSERA_MAX_DIM) ||
	    (u32)cfg->width * cfg->height > TESSERA_MAX_CORES)
		return "height";
	if (!harvested_ok(cfg))
		return "harvested";
	if (!within(cfg->l1_size, 64 << 10, 4 << 20) || cfg->l1_size % 4096)
		return "l1_size";
	if (!within(cfg->image_slot, 4096, cfg->l1_size / 4) || cfg->image_slot % 4096)
		return "image_slot";
	if (!within(cfg->words, 16, 4096) || cb_base(cfg) > TSR_L1_BASE + cfg->l1_size)
		return "words";
	if (!within(cfg->bindings, 1, TSR_MAX_BINDINGS))
		return "bindings";
	if (!within(cfg->quantum, 100, 1000000))
		return "quantum";
	return timing_check(cfg);
}

int tsr_grid_config_check(const struct tsr_grid_config *cfg, const char **ret_field)
{
	const char *field = bad_field(cfg);

	if (!field)
		return 0;
	if (ret_field)
		*ret_field = field;
	return -EINVAL;
}

void tsr_grid_limits(const struct tsr_grid_config *cfg, struct tessera_limits *limits)
{
	u32 i;

	memset(limits, 0, sizeof(*limits));
	limits->grid_width = cfg->width;
	limits->grid_height = cfg->height;
	limits->cores = working_cores(cfg);
	limits->l1_size = cfg->l1_size;
	limits->arg_base = TSR_ARG_BASE;
	for (i = 0; i < TSR_PROCS_PER_CORE; i++)
		limits->image_base[i] = image_base(cfg) + i * cfg->image_slot;
	limits->image_slot = cfg->image_slot;
	limits->cb_base = cb_base(cfg);
	limits->words = cfg->words;
	limits->semaphores = TSR_SEMAPHORES;
	limits->circular_buffers = TSR_CIRCULAR_BUFFERS;
	limits->bindings = cfg->bindings;
	limits->images = 256;
	limits->descriptors = 1024;
	limits->ranges = 4096;
	limits->program_size = 16 << 20;
	memcpy(limits->harvested, cfg->harvested, sizeof(limits->harvested));
}

static void proc_init(struct tsr_proc *p, struct tsr_core *c, u32 index)
{
	p->core = c;
	p->index = index;
	p->hart.mem = c->l1;
	p->hart.mem_base = TSR_L1_BASE;
	p->hart.mem_size = c->grid->cfg.l1_size;
	p->hart.timing = &c->grid->cfg.timing;
	p->hart.bus = &tsr_grid_bus;
}

static int core_init(struct tsr_grid *g, struct tsr_core *c, u32 index)
{
	u32 i;

	c->grid = g;
	c->index = index;
	c->x = index % g->cfg.width;
	c->y = index / g->cfg.width;
	if (g->cfg.harvested[index / 64] >> (index % 64) & 1)
		return 0;
	c->l1 = tsr_alloc(g->cfg.l1_size);
	c->tile.regs = tsr_alloc((TSR_TILE_REGS + 2) * TSR_TILE_ELEMENTS * sizeof(u32));
	for (i = 0; i < TSR_SEMAPHORES; i++)
		tsr_history_start(&c->sems[i].past, 0);
	for (i = 0; i < TSR_PROCS_PER_CORE; i++)
		proc_init(&c->procs[i], c, i);
	return c->l1 && c->tile.regs ? 0 : -ENOMEM;
}

static int grid_init(struct tsr_grid *g)
{
	u32 i;

	g->cores = tsr_alloc(g->n_cores * sizeof(*g->cores));
	g->active = tsr_alloc(g->n_cores * sizeof(*g->active));
	g->heap = tsr_alloc(g->n_cores * sizeof(*g->heap));
	if (!g->cores || !g->active || !g->heap)
		return -ENOMEM;
	for (i = 0; i < g->n_cores; i++)
		if (core_init(g, &g->cores[i], i))
			return -ENOMEM;
	return 0;
}

struct tsr_grid *tsr_grid_new(const struct tsr_grid_config *cfg, const struct tsr_grid_env *env)
{
	struct tsr_grid *g = tsr_alloc(sizeof(*g));

	if (!g)
		return NULL;
	g->cfg = *cfg;
	if (env)
		g->env = *env;
	g->n_cores = (u32)cfg->width * cfg->height;
	tsr_grid_limits(cfg, &g->limits);
	tsr_lock_init(&g->lock);
	if (grid_init(g))
		return tsr_grid_free(g);
	return g;
}

struct tsr_grid *tsr_grid_free(struct tsr_grid *g)
{
	u32 i;

	if (!g)
		return NULL;
	for (i = 0; g->cores && i < g->n_cores; i++) {
		tsr_free(g->cores[i].l1);
		tsr_free(g->cores[i].tile.regs);
	}
	tsr_free(g->cores);
	tsr_free(g->active);
	tsr_free(g->heap);
	tsr_lock_fini(&g->lock);
	tsr_free(g);
	return NULL;
}

static void core_scrub(struct tsr_grid *g, struct tsr_core *c)
{
	u32 i;

	for (i = 0; i < g->cfg.l1_size; i += TSR_LOAD_PIECE) {
		memset(c->l1 + i, 0, g->cfg.l1_size - i < TSR_LOAD_PIECE ? g->cfg.l1_size - i :
									  TSR_LOAD_PIECE);
		tsr_resched();
	}
	memset(c->tile.regs, 0, (TSR_TILE_REGS + 2) * TSR_TILE_ELEMENTS * sizeof(u32));
	c->tile.a = 0;
	c->tile.b = 0;
	c->tile.dst = 0;
	c->tile.format = 0;
	memset(c->cbs, 0, sizeof(c->cbs));
	c->cbs_used = 0;
	for (i = 0; i < TSR_SEMAPHORES; i++) {
		c->sems[i].value = 0;
		tsr_history_start(&c->sems[i].past, 0);
	}
	c->sems_used = 0;
	for (i = 0; i < TSR_PROCS_PER_CORE; i++) {
		memset(c->procs[i].hart.x, 0, sizeof(c->procs[i].hart.x));
		memset(c->procs[i].line, 0, sizeof(c->procs[i].line));
	}
	c->dirty = 0;
}

void tsr_grid_scrub(struct tsr_grid *g)
{
	u32 i;

	for (i = 0; i < g->n_cores; i++) {
		if (!g->cores[i].l1 || !g->cores[i].dirty)
			continue;
		core_scrub(g, &g->cores[i]);
		tsr_resched();
	}
}

u64 tsr_grid_progress(const struct tsr_grid *g)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < g->n_cores; i++)
		sum += smp_load_acquire(&g->cores[i].progress);	/* pairs with tsr_progress() */
	return sum;
}

void tsr_grid_fault(const struct tsr_grid *g, struct tsr_fault *ret)
{
	*ret = g->fault;
}

u32 tsr_wait_reg(const struct tsr_wait *w)
{
	switch (w->kind) {
	case TSR_WAIT_SEM_EQ:
		return TSR_REG_SEM + w->id * TSR_SEM_STRIDE + TSR_SEM_WAIT_EQ;
	case TSR_WAIT_SEM_MIN:
		return TSR_REG_SEM + w->id * TSR_SEM_STRIDE + TSR_SEM_WAIT_MIN;
	case TSR_WAIT_CB_FREE:
		return TSR_REG_CB + w->id * TSR_CB_STRIDE + TSR_CB_RESERVE;
	default:
		return TSR_REG_CB + w->id * TSR_CB_STRIDE + TSR_CB_WAIT;
	}
}

static void stuck_at(struct tsr_stall_info *ret, const struct tsr_proc *p)
{
	ret->stuck_x = p->core->x;
	ret->stuck_y = p->core->y;
	ret->stuck_proc = p->index;
	ret->stuck_pc = p->seen_pc;
	if (p->state != TSR_PROC_WAIT)
		return;
	ret->stuck_address = tsr_wait_reg(&p->wait);
	ret->wanted = p->wait.value;
	ret->present = p->wait.kind <= TSR_WAIT_SEM_MIN ? tsr_sem_value(p->core, p->wait.id) :
							  p->wait.present;
}

/* Counts a core; notes its first processor of each kind. */
static void stall_core(struct tsr_stall_info *ret, const struct tsr_core *c,
		       const struct tsr_proc **waiting, const struct tsr_proc **running)
{
	u32 part = 0, done = 0, i;

	for (i = 0; i < TSR_PROCS_PER_CORE; i++) {
		const struct tsr_proc *p = &c->procs[i];

		part += p->state != TSR_PROC_OFF;
		done += p->state == TSR_PROC_DONE;
		if (p->state == TSR_PROC_WAIT) {
			ret->waiting++;
			if (!*waiting)
				*waiting = p;
		} else if (p->state == TSR_PROC_READY) {
			if (p->started)
				ret->running++;
			else
				ret->ready++;
			if (!*running)
				*running = p;
		}
	}
	ret->cores += part > 0 || c->upset == TSR_UPSET_KILL;
	ret->done += part > 0 && part == done;
}

void tsr_grid_stall(const struct tsr_grid *g, struct tsr_stall_info *ret)
{
	const struct tsr_proc *waiting = NULL, *running = NULL;
	tsr_lock *lock = (tsr_lock *)&g->lock;
	u32 i;

	memset(ret, 0, sizeof(*ret));
	tsr_lock_get(lock);
	for (i = 0; i < g->n_active; i++)
		stall_core(ret, g->active[i], &waiting, &running);
	if (waiting || running)
		stuck_at(ret, waiting ? waiting : running);
	tsr_lock_put(lock);
}

int tsr_grid_stats(const struct tsr_grid *g, u16 x, u16 y, u8 proc, struct tsr_proc_stats *ret)
{
	const struct tsr_core *c = tsr_core_at(g, x, y);
	const struct tsr_proc *p;

	if (!c || proc >= TSR_PROCS_PER_CORE || c->procs[proc].state == TSR_PROC_OFF)
		return -ENOENT;
	p = &c->procs[proc];
	ret->cycles = p->hart.cycles;
	ret->instructions = p->hart.instret;
	ret->wait_cycles = p->wait_cycles;
	ret->noc_read = p->noc.read;
	ret->noc_written = p->noc.written;
	return 0;
}

u8 *tsr_grid_l1(struct tsr_grid *g, u16 x, u16 y)
{
	const struct tsr_core *c = tsr_core_at(g, x, y);

	return c ? c->l1 : NULL;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Launch: load a verified program into the cores it names. The work is in proportion to
 * those cores; nothing here can fail.
 */
#include "grid_int.h"

/* First time that this launch meets the core: forget the launch before. */
static void core_prepare(struct tsr_grid *g, struct tsr_core *c)
{
	struct tsr_sem *s;

	if (c->launch == g->launches)
		return;
	c->launch = g->launches;
	c->dirty = 1;
	c->state = TSR_CORE_IDLE;
	c->upset = TSR_UPSET_NONE;
	c->used = 0;
	for (; c->sems_used; c->sems_used &= c->sems_used - 1) {
		s = &c->sems[__builtin_ctz(c->sems_used)];
		s->value = 0;
		tsr_history_start(&s->past, 0);
	}
	for (; c->cbs_used; c->cbs_used &= c->cbs_used - 1)
		c->cbs[__builtin_ctz(c->cbs_used)].page_count = 0;
	g->active[g->loaded_cores++] = c;
}

static void put_words(u8 *to, const u32 *words, u32 count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(to, words, 4 * count);
#else
	u32 i;

	for (i = 0; i < count; i++)
		tsr_put32(to + 4 * i, words[i]);
#endif
}

static void proc_prepare(struct tsr_proc *p, const struct tessera_image *image,
			 const struct tsr_text *text)
{
	struct tsr_hart *h = &p->hart;

	memset(h->x, 0, sizeof(h->x));
	memset(&p->noc, 0, sizeof(p->noc));
	h->pc = image->entry;
	h->from = image->entry;
	h->cycles = 0;
	h->instret = 0;
	h->work = 0;
	h->looked = 0;
	h->text = text;
	h->stale = false;
	h->cause = TSR_FAULT_NONE;
	p->started = false;
	p->woken = false;
	p->line_len = 0;
	p->wait_cycles = 0;
	p->seen_pc = image->entry;
	p->cycle_hi = 0;
	p->state = TSR_PROC_READY;
}

/* Common words first, then this core's own. */
static void place_words(struct tsr_grid *g, struct tsr_proc *p, const u32 *common, u32 count)
{
	p->common_base = TSR_ARG_BASE + p->index * g->cfg.words * 4;
	p->common_count = count;
	p->arg_base = p->common_base + 4 * count;
	p->arg_count = 0;
	if (count)
		put_words(tsr_l1_at(p->core, p->common_base), common, count);
}

static void load_image(struct tsr_grid *g, struct tsr_core *c, const struct tessera_image *image)
{
	u8 *to = tsr_l1_at(c, g->limits.image_base[image->processor]);

	memcpy(to, g->launch.prog->data + image->data_offset, image->data_size);
	if (image->mem_size > image->data_size)
		memset(to + image->data_size, 0, image->mem_size - image->data_size);
}

/* Between cores, when much was loaded: a thousand of them take a hundred megabytes. */
static inline void loaded(struct tsr_grid *g, u32 bytes)
{
	g->piece += bytes;
	if (g->piece >= TSR_LOAD_PIECE) {
		g->piece = 0;
		tsr_resched();
	}
}

/* struct part - what load_core() puts into each core of a descriptor */
struct part {
	const struct tessera_descriptor *descriptor;
	const u32 *common;
};

static inline void load_core(struct tsr_grid *g, struct tsr_core *c, const void *record)
{
	const struct part *part = record;
	const struct tessera_descriptor *d = part->descriptor;
	const struct tessera_image *image = &g->launch.prog->images[d->image];
	struct tsr_proc *p = &c->procs[image->processor];

	core_prepare(g, c);
	load_image(g, c, image);
	loaded(g, image->mem_size);
	proc_prepare(p, image, g->launch.texts[d->image]);
	place_words(g, p, part->common, d->common_words);
	c->used |= 1u << image->processor;
	g->loaded++;
}

typedef void (*load_fn)(struct tsr_grid *g, struct tsr_core *c, const void *record);

/* For all cores of ranges, which were verified; harvested ones are passed over. */
static __always_inline void each_core(struct tsr_grid *g, u32 first, u32 count, load_fn load,
				      const void *record)
{
	const struct tessera_range *r = g->launch.prog->ranges + first, *end = r + count;
	struct tsr_core *row;
	u32 x, y;

	for (; r != end; r++) {
		for (y = r->y0; y <= r->y1; y++) {
			row = &g->cores[y * g->cfg.width];
			for (x = r->x0; x <= r->x1; x++)
				if (row[x].l1)
					load(g, &row[x], record);
		}
	}
}

/* Returns the words that follow those of the descriptor. */
static const u32 *load_descriptor(struct tsr_grid *g, const struct tessera_descriptor *d,
				  const u32 *words)
{
	const struct tsr_blob *prog = g->launch.prog;
	u8 processor = prog->images[d->image].processor;
	const struct part part = { .descriptor = d, .common = words };
	const struct tessera_arg *arg = prog->args + d->arg_first, *end = arg + d->arg_count;
	struct tsr_core *c;
	struct tsr_proc *p;

	each_core(g, d->range_first, d->range_count, load_core, &part);
	for (words += d->common_words; arg != end; words += arg->words, arg++) {
		c = &g->cores[arg->y * g->cfg.width + arg->x];
		p = &c->procs[processor];
		p->arg_count = arg->words;
		put_words(tsr_l1_at(c, p->arg_base), words, arg->words);
	}
	return words;
}

static inline void load_semaphore(struct tsr_grid *g, struct tsr_core *c, const void *record)
{
	const struct tessera_semaphore *s = record;

	core_prepare(g, c);
	c->sems_used |= 1u << s->id;
	c->sems[s->id].value = s->initial;
	tsr_history_start(&c->sems[s->id].past, s->initial);
}

static inline void load_cb(struct tsr_grid *g, struct tsr_core *c, const void *record)
{
	const struct tessera_cb *d = record;
	struct tsr_cbuf *cb = &c->cbs[d->id];

	core_prepare(g, c);
	c->cbs_used |= 1u << d->id;
	cb->base = d->address;
	cb->page_size = d->page_size;
	cb->page_count = d->page_count;
	cb->format = d->format;
	cb->read = 0;
	cb->write = 0;
	cb->filled = 0;
	cb->pushed = 0;
	cb->popped = 0;
	tsr_history_start(&cb->pushes, 0);
	tsr_history_start(&cb->pops, 0);
}

/* No processor of the launch before takes part any more. */
static void forget(struct tsr_grid *g)
{
	u32 i, j;

	for (i = 0; i < g->n_active; i++) {
		struct tsr_core *c = g->active[i];

		for (j = 0; j < TSR_PROCS_PER_CORE; j++)
			c->procs[j].state = TSR_PROC_OFF;
		c->state = TSR_CORE_IDLE;
	}
	g->n_active = 0;
	g->n_heap = 0;
	g->paused = NULL;
	g->live = 0;
	g->starved = 0;
	g->fault.cause = TSR_FAULT_NONE;
	atomic_set(&g->stop, 0);
	g->loaded_cores = 0;
	g->loaded = 0;
}

/* What was loaded may be run. */
static void publish(struct tsr_grid *g)
{
	u32 i;

	g->n_active = g->loaded_cores;
	g->live = g->loaded;
	for (i = 0; i < g->n_active; i++)
		if (g->active[i]->used)
			tsr_sched_start(g->active[i]);
}

/* Nobody runs, nobody asks: nothing of it needs the lock. */
void tsr_grid_launch(struct tsr_grid *g, const struct tsr_launch *launch)
{
	const struct tsr_blob *prog = launch->prog;
	const u32 *words = launch->words;
	u32 i;

	forget(g);
	g->launch = *launch;
	g->launches++;
	for (i = 0; i < prog->n_descriptors; i++)
		words = load_descriptor(g, &prog->descriptors[i], words);
	for (i = 0; i < prog->n_semaphores; i++)
		each_core(g, prog->semaphores[i].range_first, prog->semaphores[i].range_count,
			  load_semaphore, &prog->semaphores[i]);
	for (i = 0; i < prog->n_cbs; i++)
		each_core(g, prog->cbs[i].range_first, prog->cbs[i].range_count, load_cb,
			  &prog->cbs[i]);
	publish(g);
}

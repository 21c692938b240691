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
	memset(to + image->data_size, 0, image->mem_size - image->data_size);
}

static void load_core(struct tsr_grid *g, struct tsr_core *c, const struct tessera_descriptor *d,
		      const u32 *common)
{
	const struct tessera_image *image = &g->launch.prog->images[d->image];
	struct tsr_proc *p = &c->procs[image->processor];

	core_prepare(g, c);
	load_image(g, c, image);
	proc_prepare(p, image, g->launch.texts[d->image]);
	place_words(g, p, common, d->common_words);
	g->loaded++;
}

/* Walks over the cores of ranges; harvested ones are passed over. */
struct walk {
	const struct tessera_range *range, *end;
	u32 x, y;
};

static struct walk walk_start(const struct tsr_grid *g, u32 first, u32 count)
{
	const struct tessera_range *range = g->launch.prog->ranges + first;
	struct walk w = { .range = range, .end = range + count };

	if (count) {
		w.x = range->x0;
		w.y = range->y0;
	}
	return w;
}

static struct tsr_core *walk_next(const struct tsr_grid *g, struct walk *w)
{
	struct tsr_core *c;

	while (w->range != w->end) {
		c = tsr_core_at(g, w->x, w->y);
		if (w->x++ == w->range->x1) {
			w->x = w->range->x0;
			if (w->y++ == w->range->y1 && ++w->range != w->end) {
				w->x = w->range->x0;
				w->y = w->range->y0;
			}
		}
		if (c)
			return c;
	}
	return NULL;
}

/* Returns the words that follow those of the descriptor. */
static const u32 *load_descriptor(struct tsr_grid *g, const struct tessera_descriptor *d,
				  const u32 *words)
{
	const struct tsr_blob *prog = g->launch.prog;
	const struct tessera_image *image = &prog->images[d->image];
	struct walk w = walk_start(g, d->range_first, d->range_count);
	const struct tessera_arg *arg;
	struct tsr_core *c;
	struct tsr_proc *p;
	u32 i;

	while ((c = walk_next(g, &w)))
		load_core(g, c, d, words);
	words += d->common_words;
	for (i = 0; i < d->arg_count; i++) {
		arg = &prog->args[d->arg_first + i];
		c = tsr_core_at(g, arg->x, arg->y);
		p = &c->procs[image->processor];
		p->arg_count = arg->words;
		put_words(tsr_l1_at(c, p->arg_base), words, arg->words);
		words += arg->words;
	}
	return words;
}

static void load_semaphore(struct tsr_grid *g, const struct tessera_semaphore *s)
{
	struct walk w = walk_start(g, s->range_first, s->range_count);
	struct tsr_core *c;

	while ((c = walk_next(g, &w))) {
		core_prepare(g, c);
		c->sems_used |= 1u << s->id;
		c->sems[s->id].value = s->initial;
		tsr_history_start(&c->sems[s->id].past, s->initial);
	}
}

static void load_cb(struct tsr_grid *g, const struct tessera_cb *d)
{
	struct walk w = walk_start(g, d->range_first, d->range_count);
	struct tsr_core *c;
	struct tsr_cbuf *cb;

	while ((c = walk_next(g, &w))) {
		core_prepare(g, c);
		c->cbs_used |= 1u << d->id;
		cb = &c->cbs[d->id];
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
}

/* No processor of the launch before takes part any more. */
static void forget(struct tsr_grid *g)
{
	u32 i, j;

	tsr_lock_get(&g->lock);
	for (i = 0; i < g->n_active; i++) {
		for (j = 0; j < TSR_PROCS_PER_CORE; j++)
			g->active[i]->procs[j].state = TSR_PROC_OFF;
		g->active[i]->state = TSR_CORE_IDLE;
	}
	g->n_active = 0;
	g->n_heap = 0;
	g->live = 0;
	g->starved = 0;
	g->fault.cause = TSR_FAULT_NONE;
	atomic_set(&g->stop, 0);
	tsr_lock_put(&g->lock);
	g->loaded_cores = 0;
	g->loaded = 0;
}

/* What was loaded becomes visible, all at once. */
static void publish(struct tsr_grid *g)
{
	u32 i;

	tsr_lock_get(&g->lock);
	g->n_active = g->loaded_cores;
	g->live = g->loaded;
	for (i = 0; i < g->n_active; i++)
		tsr_sched_add(g->active[i]);
	tsr_lock_put(&g->lock);
}

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
		load_semaphore(g, &prog->semaphores[i]);
	for (i = 0; i < prog->n_cbs; i++)
		load_cb(g, &prog->cbs[i]);
	publish(g);
}

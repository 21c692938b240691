// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Scheduler: workers take the ready core whose clock is the smallest, run its
 * processor whose clock is the smallest for a slice, and put the core back. What ends
 * a slice follows from clocks alone, never from the caller's budget, so that with one
 * worker the order of everything is a function of the program and its inputs.
 */
#include "grid_int.h"

/* ---- heap of ready cores, under the lock ---- */

static bool before(const struct tsr_core *a, const struct tsr_core *b)
{
	return a->key < b->key || (a->key == b->key && a->index < b->index);
}

static void heap_set(struct tsr_grid *g, u32 pos, struct tsr_core *c)
{
	g->heap[pos] = c;
	c->pos = pos;
}

static void heap_up(struct tsr_grid *g, struct tsr_core *c)
{
	u32 pos = c->pos;

	while (pos && before(c, g->heap[(pos - 1) / 2])) {
		heap_set(g, pos, g->heap[(pos - 1) / 2]);
		pos = (pos - 1) / 2;
	}
	heap_set(g, pos, c);
}

static void heap_down(struct tsr_grid *g, struct tsr_core *c)
{
	u32 pos = c->pos, child;

	for (;;) {
		child = 2 * pos + 1;
		if (child >= g->n_heap)
			break;
		if (child + 1 < g->n_heap && before(g->heap[child + 1], g->heap[child]))
			child++;
		if (!before(g->heap[child], c))
			break;
		heap_set(g, pos, g->heap[child]);
		pos = child;
	}
	heap_set(g, pos, c);
}

static void heap_push(struct tsr_grid *g, struct tsr_core *c)
{
	c->pos = g->n_heap++;
	heap_up(g, c);
}

static struct tsr_core *heap_pop(struct tsr_grid *g)
{
	struct tsr_core *first = g->heap[0], *last;

	last = g->heap[--g->n_heap];
	if (g->n_heap) {
		last->pos = 0;
		heap_down(g, last);
	}
	return first;
}

/* ---- processors and cores ---- */

static u64 proc_clock(const struct tsr_proc *p)
{
	return p->woken && p->wake_at > p->hart.cycles ? p->wake_at : p->hart.cycles;
}

/* The ready processor with the smallest clock but @except; NULL for none. @c has one at least. */
static inline struct tsr_proc *earliest(struct tsr_core *c, const struct tsr_proc *except)
{
	struct tsr_proc *best = NULL, *p;
	u32 left = c->used;

	/* Most have one. */
	if (!(left & (left - 1))) {
		p = &c->procs[__builtin_ctz(left)];
		return p != except && p->state == TSR_PROC_READY ? p : NULL;
	}
	for (; left; left &= left - 1) {
		p = &c->procs[__builtin_ctz(left)];
		if (p == except || p->state != TSR_PROC_READY)
			continue;
		if (!best || proc_clock(p) < proc_clock(best))
			best = p;
	}
	return best;
}

/* The core is nobody's: into the heap, or idle. */
static void core_release(struct tsr_core *c)
{
	const struct tsr_proc *p = earliest(c, NULL);

	if (!p) {
		c->state = TSR_CORE_IDLE;
		return;
	}
	c->key = proc_clock(p);
	c->state = TSR_CORE_READY;
	heap_push(c->grid, c);
}

void tsr_sched_start(struct tsr_core *c)
{
	c->key = 0;
	c->state = TSR_CORE_READY;
	heap_push(c->grid, c);
}

void tsr_sched_wake(struct tsr_proc *p, u64 when, struct tsr_proc *by)
{
	struct tsr_core *c = p->core;
	u64 limit;

	p->wake_at = when;
	p->woken = true;
	tsr_proc_set_state(p, TSR_PROC_READY);
	if (c->state == TSR_CORE_IDLE) {
		core_release(c);
	} else if (c->state == TSR_CORE_READY && proc_clock(p) < c->key) {
		c->key = proc_clock(p);
		heap_up(c->grid, c);
	}
	limit = (when > by->hart.cycles ? when : by->hart.cycles) + c->grid->cfg.quantum;
	if (by->slice_end > limit)
		by->slice_end = limit;
	if (by->hart.limit > limit)
		by->hart.limit = limit;
}

bool tsr_sched_take_kick(struct tsr_grid *g)
{
	if (!g->starved || !g->n_heap)
		return false;
	g->starved--;
	return true;
}

void tsr_sched_kick(struct tsr_grid *g)
{
	if (g->env.kick)
		g->env.kick(g->env.ctx);
}

/* ---- slices ---- */

/* How far may @p run: a quantum ahead of the others, and not for ever when alone. */
static u64 slice_limit(const struct tsr_grid *g, struct tsr_proc *p)
{
	const struct tsr_proc *next = earliest(p->core, p);
	u32 most = g->cfg.quantum > TSR_SLICE_SOLO ? g->cfg.quantum : TSR_SLICE_SOLO;
	u64 limit = proc_clock(p) + most;

	if (next && proc_clock(next) + g->cfg.quantum < limit)
		limit = proc_clock(next) + g->cfg.quantum;
	if (g->n_heap && g->heap[0]->key + g->cfg.quantum < limit)
		limit = g->heap[0]->key + g->cfg.quantum;
	return p->core->upset ? tsr_upset_limit(p, proc_clock(p), limit) : limit;
}

/* The wait is over: the store that stalled is done now. */
static void end_wait(struct tsr_proc *p)
{
	const struct tsr_timing *t = p->hart.timing;

	p->woken = false;
	tsr_proc_wait_until(p, p->wake_at);
	tsr_hart_retire(&p->hart, t->store + t->reg);
}

static void slice_begin(struct tsr_proc *p, u64 limit)
{
	p->slice_work = p->hart.work;
	p->slice_clock = p->hart.cycles;
	p->slice_end = limit;
	p->started = true;
	if (p->woken)
		end_wait(p);
}

/*
 * The hart left the interpreter because of a limit, or of work: is the slice over? @line: it was
 * left for a look around, which must not end a slice where its limit would not have been looked at.
 */
static bool slice_over(const struct tsr_proc *p, bool line)
{
	if (p->noc.moving)
		return false;
	if (tsr_slice_full(p))
		return true;
	if (line && tsr_hart_straight(&p->hart))
		return false;
	return p->hart.cycles >= p->slice_end;
}

/*
 * Execute a step of a slice: all of it, if it does not move much. Returns whether the processor
 * goes on, has ended or has faulted; STALL if the slice is not over.
 */
static enum tsr_access step(struct tsr_proc *p)
{
	struct tsr_hart *h = &p->hart;
	enum tsr_access ret;

	p->step_work = tsr_proc_work(p);
	h->limit = h->cycles + TSR_STEP_CYCLES;
	if (h->limit > p->slice_end)
		h->limit = p->slice_end;
	if (p->noc.moving) {
		tsr_noc_continue(p);
		return slice_over(p, true) ? TSR_ACCESS_OK : TSR_ACCESS_STALL;
	}
	for (;;) {
		switch (tsr_hart_run(h)) {
		case TSR_EXIT_SYSTEM:
			ret = tsr_grid_system(p);
			if (ret != TSR_ACCESS_OK)
				return ret;
			if (h->cycles >= h->limit)
				return slice_over(p, false) ? TSR_ACCESS_OK : TSR_ACCESS_STALL;
			break;
		case TSR_EXIT_HALT:
			return TSR_ACCESS_HALT;
		case TSR_EXIT_FAULT:
			return TSR_ACCESS_FAULT;
		case TSR_EXIT_STALL:
			return TSR_ACCESS_OK;
		default:
			return slice_over(p, tsr_step_over(p)) ? TSR_ACCESS_OK : TSR_ACCESS_STALL;
		}
	}
}

/* Under the lock, after a slice. */
static void after_slice(struct tsr_grid *g, struct tsr_proc *p, enum tsr_access ret)
{
	p->seen_pc = p->hart.pc;
	if (ret == TSR_ACCESS_HALT) {
		tsr_proc_set_state(p, TSR_PROC_DONE);
		g->live--;
	} else if (ret == TSR_ACCESS_FAULT && !g->fault.cause) {
		g->fault.cause = p->hart.cause;
		g->fault.x = p->core->x;
		g->fault.y = p->core->y;
		g->fault.proc = p->index;
		g->fault.pc = p->hart.fault_pc;
		g->fault.address = p->hart.address;
		g->fault.asked = p->hart.asked;
		atomic_set(&g->stop, 1);
	}
	core_release(p->core);
}

/* The processor whose slice was left, to go on with it; NULL for none. */
static struct tsr_proc *take_paused(struct tsr_grid *g)
{
	struct tsr_core *c = g->paused;

	if (!c)
		return NULL;
	g->paused = c->next_paused;
	return c->paused_proc;
}

/* The next processor, at the beginning of a slice; NULL when its core is lost. */
static struct tsr_proc *take_ready(struct tsr_grid *g)
{
	struct tsr_core *c = heap_pop(g);
	struct tsr_proc *p = earliest(c, NULL);

	c->state = TSR_CORE_RUNNING;
	if (c->upset && tsr_upset_stops(c, p))
		return NULL;
	slice_begin(p, slice_limit(g, p));
	return p;
}

/* The core stays its processor's: nobody else takes it, and it is the next to be taken. */
static void pause_slice(struct tsr_grid *g, struct tsr_proc *p)
{
	p->seen_pc = p->hart.pc;
	p->core->paused_proc = p;
	p->core->next_paused = g->paused;
	g->paused = p->core;
}

/* Work in bytes. */
static void note_step(struct tsr_grid *g, u64 work)
{
	if (work > g->worst_step)
		g->worst_step = work;
}

/* Run a step of the next slice; the lock is dropped meanwhile. Returns what it cost. */
static u64 run_next(struct tsr_grid *g)
{
	struct tsr_proc *p = take_paused(g);
	u64 insns, work, looked;
	enum tsr_access ret;
	bool kick;

	if (!p)
		p = take_ready(g);
	if (!p)
		return 1;
	insns = p->hart.instret;
	work = p->hart.work;
	looked = p->hart.looked;
	kick = tsr_sched_take_kick(g);
	tsr_lock_put(&g->lock);
	if (kick)
		tsr_sched_kick(g);
	ret = step(p);
	if (ret != TSR_ACCESS_STALL && p->core->upset == TSR_UPSET_SLOW)
		p->hart.cycles += (p->hart.cycles - p->slice_clock) * (p->core->upset_value - 1);
	if (ret == TSR_ACCESS_HALT || ret == TSR_ACCESS_FAULT) {
		tsr_print_flush(p);
		tsr_progress(p->core);
	}
	tsr_lock_get(&g->lock);
	if (ret == TSR_ACCESS_STALL)
		pause_slice(g, p);
	else
		after_slice(g, p, ret);
	insns = p->hart.instret - insns;
	work = p->hart.work - work;
	looked = p->hart.looked - looked;
	note_step(g, work + looked + TSR_WORK_PER_INSN * insns);
	/* Every step costs something, so that a budget always ends. */
	return insns + work / TSR_WORK_PER_INSN + 1;
}

static bool ended(const struct tsr_grid *g)
{
	return !g->live || atomic_read(&g->stop);
}

static enum tsr_grid_state end_state(const struct tsr_grid *g)
{
	if (g->inside)
		return TSR_GRID_WAIT;
	if (g->fault.cause)
		return TSR_GRID_FAULT;
	return g->live ? TSR_GRID_STOPPED : TSR_GRID_DONE;
}

enum tsr_grid_state tsr_grid_run(struct tsr_grid *g, u64 budget)
{
	enum tsr_grid_state state;
	u64 spent = 0;

	tsr_lock_get(&g->lock);
	if (g->inside && g->cfg.deterministic) {
		tsr_lock_put(&g->lock);
		return TSR_GRID_WAIT;
	}
	g->inside++;
	while (!ended(g) && (g->n_heap || g->paused) && spent < budget)
		spent += run_next(g);
	g->inside--;
	if (ended(g)) {
		state = end_state(g);
	} else if (g->n_heap || g->paused) {
		state = TSR_GRID_MORE;
	} else {
		state = TSR_GRID_WAIT;
		g->starved++;
	}
	tsr_lock_put(&g->lock);
	return state;
}

u64 tsr_grid_worst_step(struct tsr_grid *g)
{
	u64 worst;

	tsr_lock_get(&g->lock);
	worst = g->worst_step;
	tsr_lock_put(&g->lock);
	return worst;
}

void tsr_grid_stop(struct tsr_grid *g)
{
	atomic_set(&g->stop, 1);
}

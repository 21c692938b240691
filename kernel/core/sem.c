// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Semaphores. Whoever changes one looks for waiters at once: a wait ends with the
 * change that makes it true, even if the next change makes it false again.
 */
#include "grid_int.h"

static bool satisfied(const struct tsr_wait *w, u32 value)
{
	return w->kind == TSR_WAIT_SEM_EQ ? value == w->value : value >= w->value;
}

static bool waits_for(const struct tsr_proc *p, u32 id)
{
	return p->state == TSR_PROC_WAIT && p->wait.kind <= TSR_WAIT_SEM_MIN && p->wait.id == id;
}

void tsr_sem_change(struct tsr_proc *by, struct tsr_core *c, u32 id, bool add, u32 value, u64 when)
{
	struct tsr_grid *g = c->grid;
	struct tsr_sem *s = &c->sems[id];
	struct tsr_proc *p;
	bool kick = false;
	u32 i;

	tsr_lock_get(&g->lock);
	c->sems_used |= 1u << id;
	/* Pairs with tsr_sem_value(): what was written before shows to who reads the value. */
	smp_store_release(&s->value, add ? s->value + value : value);
	when = tsr_history_add(&s->past, s->value, when);
	for (i = 0; i < TSR_PROCS_PER_CORE; i++) {
		p = &c->procs[i];
		if (waits_for(p, id) && satisfied(&p->wait, s->value)) {
			tsr_sched_wake(p, when, by);
			kick = tsr_sched_take_kick(g) || kick;
		}
	}
	tsr_lock_put(&g->lock);
	if (kick)
		tsr_sched_kick(g);
	tsr_progress(by->core);
}

u32 tsr_sem_value(const struct tsr_core *c, u32 id)
{
	/* Pairs with tsr_sem_change(). */
	return smp_load_acquire(&c->sems[id].value);
}

/* Since when the condition, true now, has been true, as far as is known. */
static u64 true_since(const struct tsr_sem *s, const struct tsr_wait *w)
{
	const struct tsr_history *h = &s->past;
	u32 n = h->count < TSR_HISTORY ? h->count : TSR_HISTORY;
	u32 at = h->count - 1;
	u32 i;

	for (i = 1; i < n && satisfied(w, h->value[(at - 1) % TSR_HISTORY]); i++)
		at--;
	return h->when[at % TSR_HISTORY];
}

static enum tsr_access sem_wait(struct tsr_proc *p, const struct tsr_wait *w)
{
	struct tsr_grid *g = p->core->grid;
	const struct tsr_sem *s = &p->core->sems[w->id];
	u64 when = 0;
	bool now;

	tsr_lock_get(&g->lock);
	now = satisfied(w, s->value);
	if (now) {
		when = true_since(s, w);
	} else {
		p->wait = *w;
		tsr_proc_set_state(p, TSR_PROC_WAIT);
	}
	tsr_lock_put(&g->lock);
	if (!now)
		return TSR_ACCESS_STALL;
	tsr_proc_wait_until(p, when);
	return TSR_ACCESS_OK;
}

enum tsr_access tsr_sem_load(struct tsr_proc *p, u32 reg, u32 *ret)
{
	u32 id = reg / TSR_SEM_STRIDE;

	if (id >= TSR_SEMAPHORES)
		return tsr_hart_fault(&p->hart, TSR_FAULT_SEMAPHORE, TSR_REG_SEM + reg);
	*ret = reg % TSR_SEM_STRIDE == TSR_SEM_VALUE ? tsr_sem_value(p->core, id) : 0;
	return TSR_ACCESS_OK;
}

enum tsr_access tsr_sem_store(struct tsr_proc *p, u32 reg, u32 value)
{
	struct tsr_wait w = { .id = (reg / TSR_SEM_STRIDE) & 0xff, .value = value };
	u32 id = reg / TSR_SEM_STRIDE;

	if (id >= TSR_SEMAPHORES)
		return tsr_hart_fault(&p->hart, TSR_FAULT_SEMAPHORE, TSR_REG_SEM + reg);
	switch (reg % TSR_SEM_STRIDE) {
	case TSR_SEM_WAIT_EQ:
		w.kind = TSR_WAIT_SEM_EQ;
		return sem_wait(p, &w);
	case TSR_SEM_WAIT_MIN:
		w.kind = TSR_WAIT_SEM_MIN;
		return sem_wait(p, &w);
	default:
		tsr_sem_change(p, p->core, id, reg % TSR_SEM_STRIDE == TSR_SEM_ADD, value,
			       p->hart.cycles);
		return TSR_ACCESS_OK;
	}
}

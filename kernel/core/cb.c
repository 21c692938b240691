// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Circular buffers: page counters between the processors of one core. They are local,
 * so that the owner of the core needs the lock only to wake a processor.
 */
#include "grid_int.h"

/* @asked: what is known of the number of pages */
static enum tsr_access cb_fault(struct tsr_proc *p, u32 reg, struct tsr_asked asked)
{
	u32 id = reg / TSR_CB_STRIDE;

	asked.known |= TSR_KNOWN_OBJECT;
	asked.object = id;
	if (id < TSR_CIRCULAR_BUFFERS && p->core->cbs[id].page_count) {
		asked.known |= TSR_KNOWN_SIZE;
		asked.size = p->core->cbs[id].page_count;
	}
	return tsr_hart_fault_asking(&p->hart, TSR_FAULT_CB, TSR_REG_CB + reg, &asked);
}

static enum tsr_access too_many(struct tsr_proc *p, u32 reg, u32 pages)
{
	return cb_fault(p, reg, (struct tsr_asked){ TSR_KNOWN_AMOUNT, .amount = pages });
}

static struct tsr_cbuf *cb_at(struct tsr_proc *p, u32 reg)
{
	u32 id = reg / TSR_CB_STRIDE;

	if (id >= TSR_CIRCULAR_BUFFERS || !p->core->cbs[id].page_count)
		return NULL;
	return &p->core->cbs[id];
}

/* Pages of the kind that is waited for. */
static u32 cb_present(const struct tsr_cbuf *cb, u32 kind)
{
	return kind == TSR_WAIT_CB_FREE ? cb->page_count - cb->filled : cb->filled;
}

static bool cb_ready(const struct tsr_cbuf *cb, u32 kind, u32 pages)
{
	return cb_present(cb, kind) >= pages;
}

/* When a count of pages, reached by now, was reached, as far as is known. */
static u64 reached_at(const struct tsr_history *h, u32 count)
{
	u32 n = h->count < TSR_HISTORY ? h->count : TSR_HISTORY;
	u32 at = h->count - 1;
	u32 i;

	for (i = 1; i < n && (s32)(h->value[(at - 1) % TSR_HISTORY] - count) >= 0; i++)
		at--;
	return h->when[at % TSR_HISTORY];
}

static u64 ready_since(const struct tsr_cbuf *cb, u32 kind, u32 pages)
{
	if (kind == TSR_WAIT_CB_FREE)
		return reached_at(&cb->pops, cb->pushed + pages - cb->page_count);
	return reached_at(&cb->pushes, cb->popped + pages);
}

/* Wake who waited for free or readable pages. */
static void cb_wake(struct tsr_proc *by, u32 id, u32 kind, u64 when)
{
	struct tsr_core *c = by->core;
	struct tsr_proc *p;
	u32 i;

	for (i = 0; i < TSR_PROCS_PER_CORE; i++) {
		p = &c->procs[i];
		if (p == by || !tsr_proc_waits(p))
			continue;
		tsr_lock_get(&c->grid->lock);
		if (p->state == TSR_PROC_WAIT && p->wait.kind == kind && p->wait.id == id) {
			p->wait.present = cb_present(&c->cbs[id], kind);
			if (p->wait.present >= p->wait.value)
				tsr_sched_wake(p, when, by);
		}
		tsr_lock_put(&c->grid->lock);
	}
}

static enum tsr_access cb_wait(struct tsr_proc *p, u32 reg, u32 kind, u32 pages)
{
	struct tsr_cbuf *cb = cb_at(p, reg);
	u32 at = kind == TSR_WAIT_CB_FREE ? cb->write : cb->read;

	if (pages > cb->page_count - at)
		return too_many(p, reg, pages);
	if (!pages)
		return TSR_ACCESS_OK;
	if (cb_ready(cb, kind, pages)) {
		tsr_proc_wait_until(p, ready_since(cb, kind, pages));
		return TSR_ACCESS_OK;
	}
	tsr_lock_get(&p->core->grid->lock);
	p->wait = (struct tsr_wait){
		.kind = kind,
		.id = reg / TSR_CB_STRIDE,
		.value = pages,
		.present = cb_present(cb, kind),
	};
	tsr_proc_set_state(p, TSR_PROC_WAIT);
	tsr_lock_put(&p->core->grid->lock);
	return TSR_ACCESS_STALL;
}

static u32 advance(const struct tsr_cbuf *cb, u32 at, u32 pages)
{
	return at + pages == cb->page_count ? 0 : at + pages;
}

static enum tsr_access cb_push(struct tsr_proc *p, u32 reg, u32 pages)
{
	struct tsr_cbuf *cb = cb_at(p, reg);
	u64 when;

	if (pages > cb->page_count - cb->filled || pages > cb->page_count - cb->write)
		return too_many(p, reg, pages);
	cb->write = advance(cb, cb->write, pages);
	cb->filled += pages;
	cb->pushed += pages;
	when = tsr_history_add(&cb->pushes, cb->pushed, p->hart.cycles);
	cb_wake(p, reg / TSR_CB_STRIDE, TSR_WAIT_CB_FILLED, when);
	return TSR_ACCESS_OK;
}

static enum tsr_access cb_pop(struct tsr_proc *p, u32 reg, u32 pages)
{
	struct tsr_cbuf *cb = cb_at(p, reg);
	u64 when;

	if (pages > cb->filled || pages > cb->page_count - cb->read)
		return too_many(p, reg, pages);
	cb->read = advance(cb, cb->read, pages);
	cb->filled -= pages;
	cb->popped += pages;
	when = tsr_history_add(&cb->pops, cb->popped, p->hart.cycles);
	cb_wake(p, reg / TSR_CB_STRIDE, TSR_WAIT_CB_FREE, when);
	return TSR_ACCESS_OK;
}

enum tsr_access tsr_cb_load(struct tsr_proc *p, u32 reg, u32 *ret)
{
	const struct tsr_cbuf *cb = cb_at(p, reg);

	if (!cb)
		return cb_fault(p, reg, (struct tsr_asked){ 0 });
	switch (reg % TSR_CB_STRIDE) {
	case TSR_CB_RESERVE:
	case TSR_CB_PUSH:
	case TSR_CB_WAIT:
	case TSR_CB_POP:
		*ret = 0;
		break;
	case TSR_CB_WRITE_PTR:
		*ret = cb->base + cb->write * cb->page_size;
		break;
	case TSR_CB_READ_PTR:
		*ret = cb->base + cb->read * cb->page_size;
		break;
	case TSR_CB_AVAILABLE:
		*ret = cb->filled;
		break;
	case TSR_CB_FREE:
		*ret = cb->page_count - cb->filled;
		break;
	case TSR_CB_PAGE_SIZE:
		*ret = cb->page_size;
		break;
	case TSR_CB_PAGE_COUNT:
		*ret = cb->page_count;
		break;
	case TSR_CB_FORMAT:
		*ret = cb->format;
		break;
	default:
		return tsr_hart_fault(&p->hart, TSR_FAULT_LOAD_RANGE, TSR_REG_CB + reg);
	}
	return TSR_ACCESS_OK;
}

enum tsr_access tsr_cb_store(struct tsr_proc *p, u32 reg, u32 value)
{
	if (!cb_at(p, reg))
		return cb_fault(p, reg, (struct tsr_asked){ 0 });
	switch (reg % TSR_CB_STRIDE) {
	case TSR_CB_RESERVE:
		return cb_wait(p, reg, TSR_WAIT_CB_FREE, value);
	case TSR_CB_PUSH:
		return cb_push(p, reg, value);
	case TSR_CB_WAIT:
		return cb_wait(p, reg, TSR_WAIT_CB_FILLED, value);
	case TSR_CB_POP:
		return cb_pop(p, reg, value);
	default:
		return tsr_hart_fault(&p->hart, TSR_FAULT_STORE_RANGE, TSR_REG_CB + reg);
	}
}

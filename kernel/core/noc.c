// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Network-on-chip. A transfer takes effect when it is issued; when it would be done is
 * computed and kept for the barrier. Nothing here blocks, and every address, size and
 * index comes from device code: 64-bit arithmetic, checked before anything moves.
 *
 * One command may move megabytes to each of a thousand cores. It is performed in steps of
 * about TSR_STEP_WORK bytes; what is left is kept, and its processor does nothing else until
 * it is done. Between two steps the worker looks at stop and budget, but takes no other core:
 * one worker sees no difference.
 */
#include "grid_int.h"

#define ALL_CLASSES	(TSR_NOC_CLASS_READ | TSR_NOC_CLASS_WRITE | TSR_NOC_CLASS_ATOMIC)

static bool is_write(const struct tsr_transfer *t)
{
	return t->command != TSR_NOC_CMD_READ;
}

/* A fault of a transfer whose command and size are known. */
static enum tsr_access noc_fault(struct tsr_proc *p, const struct tsr_transfer *t, u32 cause,
				 u64 address)
{
	const struct tsr_asked asked = {
		.known = TSR_KNOWN_AMOUNT | (is_write(t) ? TSR_KNOWN_WRITE : TSR_KNOWN_READ),
		.amount = t->size,
	};

	return tsr_hart_fault_asking(&p->hart, cause, address, &asked);
}

/* @bound: NULL for an index that is not bound */
static enum tsr_access buffer_fault(struct tsr_proc *p, const struct tsr_transfer *t, u32 cause,
				    u64 address, const struct tsr_bound *bound)
{
	struct tsr_asked *asked = &p->hart.asked;

	noc_fault(p, t, cause, address);
	asked->known |= TSR_KNOWN_OBJECT | (bound ? TSR_KNOWN_SIZE : 0);
	asked->object = t->hi & 0xffff;
	asked->size = bound ? bound->size : 0;
	return TSR_ACCESS_FAULT;
}

static enum tsr_access target_fault(struct tsr_proc *p, const struct tsr_transfer *t)
{
	return noc_fault(p, t, TSR_FAULT_NOC_TARGET, (u64)t->hi << 32 | t->lo);
}

/* Unknown command, or one that does not go with the kind of target? */
static bool command_ok(const struct tsr_transfer *t)
{
	switch (t->command) {
	case TSR_NOC_CMD_READ:
		return t->kind != TSR_NOC_TARGET_MULTICAST;
	case TSR_NOC_CMD_WRITE:
	case TSR_NOC_CMD_WRITE_WORD:
		return true;
	case TSR_NOC_CMD_WRITE_LOOPBACK:
		return t->kind == TSR_NOC_TARGET_MULTICAST;
	case TSR_NOC_CMD_SEM_INC:
		return t->kind != TSR_NOC_TARGET_BUFFER;
	default:
		return false;
	}
}

static enum tsr_access check_local(struct tsr_proc *p, struct tsr_transfer *t)
{
	const struct tsr_grid *g = p->core->grid;

	if (t->kind == TSR_NOC_TARGET_KIND || !command_ok(t))
		return tsr_hart_fault(&p->hart, TSR_FAULT_NOC_COMMAND, t->command);
	if (t->command == TSR_NOC_CMD_WRITE_WORD || t->command == TSR_NOC_CMD_SEM_INC) {
		t->size = 4;
		return TSR_ACCESS_OK;
	}
	if (!t->size || !tsr_in_l1(g, t->local, t->size))
		return noc_fault(p, t, TSR_FAULT_NOC_COMMAND, t->local);
	return TSR_ACCESS_OK;
}

/* The address in the target core: L1, or the VALUE of a semaphore. */
static enum tsr_access check_address(struct tsr_proc *p, struct tsr_transfer *t)
{
	t->sem = TSR_SEMAPHORES;
	if ((t->lo & 0xffff0000u) == TSR_REG_SEM) {
		t->sem = (t->lo & 0xffff) / TSR_SEM_STRIDE;
		if (t->sem >= TSR_SEMAPHORES)
			return noc_fault(p, t, TSR_FAULT_SEMAPHORE, (u64)t->hi << 32 | t->lo);
		if (t->lo % TSR_SEM_STRIDE != TSR_SEM_VALUE || t->size != 4)
			return target_fault(p, t);
		return TSR_ACCESS_OK;
	}
	if (t->command == TSR_NOC_CMD_SEM_INC || !tsr_in_l1(p->core->grid, t->lo, t->size))
		return target_fault(p, t);
	return TSR_ACCESS_OK;
}

static enum tsr_access check_cores(struct tsr_proc *p, struct tsr_transfer *t)
{
	const struct tsr_grid *g = p->core->grid;

	if (t->kind == TSR_NOC_TARGET_CORE) {
		t->x0 = t->hi & 0xff;
		t->y0 = t->hi >> 8 & 0xff;
		t->x1 = t->x0;
		t->y1 = t->y0;
		if (!tsr_core_at(g, t->x0, t->y0))
			return target_fault(p, t);
	} else {
		t->x0 = t->hi & 0x7f;
		t->y0 = t->hi >> 7 & 0x7f;
		t->x1 = t->hi >> 14 & 0x7f;
		t->y1 = t->hi >> 21 & 0x7f;
		if (t->x0 > t->x1 || t->y0 > t->y1 || t->x1 >= g->cfg.width ||
		    t->y1 >= g->cfg.height)
			return target_fault(p, t);
	}
	return check_address(p, t);
}

static enum tsr_access check_buffer(struct tsr_proc *p, struct tsr_transfer *t)
{
	const struct tsr_launch *launch = &p->core->grid->launch;
	const struct tsr_bound *b;
	u32 index = t->hi & 0xffff;

	t->offset = (u64)(t->hi >> 16 & 0x3fff) << 32 | t->lo;
	if (index >= launch->prog->n_bindings)
		return buffer_fault(p, t, TSR_FAULT_BUFFER_UNBOUND, index, NULL);
	b = &launch->bound[index];
	if (!is_write(t) && !(b->access & TESSERA_ACCESS_IN))
		return buffer_fault(p, t, TSR_FAULT_BUFFER_READ, t->offset, b);
	if (is_write(t) && !(b->access & TESSERA_ACCESS_OUT))
		return buffer_fault(p, t, TSR_FAULT_BUFFER_WRITE, t->offset, b);
	if (t->offset > b->size || t->size > b->size - t->offset)
		return buffer_fault(p, t, TSR_FAULT_BUFFER_RANGE, t->offset, b);
	return TSR_ACCESS_OK;
}

static u32 distance(u32 a, u32 b)
{
	return a > b ? a - b : b - a;
}

/* Hops to the farthest target; device memory is reached over the west edge. */
static u32 hops(const struct tsr_core *c, const struct tsr_transfer *t)
{
	u32 dx, dy;

	if (t->kind == TSR_NOC_TARGET_BUFFER)
		return c->x + 1;
	dx = distance(c->x, t->x0);
	dy = distance(c->y, t->y0);
	if (distance(c->x, t->x1) > dx)
		dx = distance(c->x, t->x1);
	if (distance(c->y, t->y1) > dy)
		dy = distance(c->y, t->y1);
	return dx + dy;
}

/* Account for the transfer; when will it be done? */
static u64 noc_schedule(struct tsr_proc *p, const struct tsr_transfer *t)
{
	const struct tsr_timing *timing = p->hart.timing;
	u64 start = p->hart.cycles > p->noc.free ? p->hart.cycles : p->noc.free;
	u32 cls = !is_write(t) ? 0 : t->command == TSR_NOC_CMD_SEM_INC ? 2 : 1;
	u64 done;

	p->noc.free = start + t->size / timing->noc_bytes + !!(t->size % timing->noc_bytes);
	done = p->noc.free + timing->noc_latency + (u64)timing->noc_hop * hops(p->core, t);
	if (done > p->noc.done[cls])
		p->noc.done[cls] = done;
	if (is_write(t))
		p->noc.written += t->size;
	else
		p->noc.read += t->size;
	return done;
}

/* ---- performing, in steps ---- */

static bool is_word(const struct tsr_transfer *t)
{
	return t->command == TSR_NOC_CMD_WRITE_WORD || t->command == TSR_NOC_CMD_SEM_INC;
}

/* The operand of WRITE_WORD and SEM_INC, or what is written to a semaphore. */
static u32 operand(const struct tsr_proc *p, const struct tsr_transfer *t)
{
	return is_word(t) ? t->local : tsr_get32(tsr_l1_at(p->core, t->local));
}

/*
 * The next piece for one target, of at most @most bytes. What overlaps is moved from the end
 * that is not overwritten. Returns the bytes.
 */
static u32 copy_piece(struct tsr_transfer *t, u8 *to, const u8 *from, u32 most)
{
	u32 n = t->size - t->done < most ? t->size - t->done : most;
	bool from_end = (uintptr_t)to - (uintptr_t)from < t->size;
	u32 at = from_end ? t->size - t->done - n : t->done;

	memmove(to + at, from + at, n);
	t->done += n;
	return n;
}

static u32 read_core(struct tsr_proc *p, struct tsr_transfer *t, u32 most)
{
	const struct tsr_core *c = tsr_core_at(p->core->grid, t->x0, t->y0);
	u8 *to = tsr_l1_at(p->core, t->local);

	if (t->sem >= TSR_SEMAPHORES)
		return copy_piece(t, to, tsr_l1_at(c, t->lo), most);
	tsr_put32(to, tsr_sem_value(c, t->sem));
	t->done = t->size;
	return t->size;
}

static u32 write_core(struct tsr_proc *p, struct tsr_core *c, struct tsr_transfer *t, u32 most)
{
	tsr_core_dirty(c);
	if (t->sem >= TSR_SEMAPHORES && !is_word(t))
		return copy_piece(t, tsr_l1_at(c, t->lo), tsr_l1_at(p->core, t->local), most);
	if (t->sem < TSR_SEMAPHORES)
		tsr_sem_change(p, c, t->sem, t->command == TSR_NOC_CMD_SEM_INC, operand(p, t),
			       t->when);
	else
		tsr_put32(tsr_l1_at(c, t->lo), t->local);
	t->done = t->size;
	return t->size;
}

static u32 move_buffer(struct tsr_proc *p, struct tsr_transfer *t, u32 most)
{
	const struct tsr_bound *b = &p->core->grid->launch.bound[t->hi & 0xffff];
	u8 *mem = (u8 *)b->mem + t->offset, *l1 = tsr_l1_at(p->core, t->local);

	if (!is_write(t))
		return copy_piece(t, l1, mem, most);
	if (!is_word(t))
		return copy_piece(t, mem, l1, most);
	tsr_put32(mem, t->local);
	t->done = t->size;
	return t->size;
}

/* Whether the own core is among the targets; its turn comes last, for it may hold the source. */
static bool writes_own(const struct tsr_proc *p, const struct tsr_transfer *t)
{
	const struct tsr_core *c = p->core;

	return (t->kind == TSR_NOC_TARGET_CORE || t->command == TSR_NOC_CMD_WRITE_LOOPBACK) &&
	       c->x >= t->x0 && c->x <= t->x1 && c->y >= t->y0 && c->y <= t->y1;
}

/* The target whose turn it is; NULL for one that is passed over. Behind the last row: the own. */
static struct tsr_core *target(const struct tsr_proc *p, const struct tsr_transfer *t)
{
	struct tsr_core *c;

	if (t->y > t->y1)
		return writes_own(p, t) ? p->core : NULL;
	c = tsr_core_at(p->core->grid, t->x, t->y);
	return c == p->core ? NULL : c;
}

/* Returns whether there is one. */
static bool next_target(struct tsr_transfer *t)
{
	t->done = 0;
	if (t->y > t->y1)
		return false;
	if (t->x++ == t->x1) {
		t->x = t->x0;
		t->y++;
	}
	return true;
}

/* Returns whether the cores are all written. */
static bool write_step(struct tsr_proc *p, struct tsr_transfer *t, u64 end)
{
	u64 *work = &p->hart.work;
	struct tsr_core *c;

	do {
		c = target(p, t);
		if (c) {
			*work += write_core(p, c, t, (u32)(end - *work));
			if (t->done < t->size)
				return false;
			*work += TSR_TARGET_WORK;
		}
		if (!next_target(t))
			return true;
	} while (*work < end);
	return false;
}

/* A step of the transfer; returns whether it is done. */
static bool transfer_step(struct tsr_proc *p, struct tsr_transfer *t)
{
	u64 *work = &p->hart.work, end = *work + TSR_STEP_WORK;

	bool done;

	if (t->kind != TSR_NOC_TARGET_BUFFER && is_write(t)) {
		done = write_step(p, t, end);
	} else {
		*work += t->kind == TSR_NOC_TARGET_BUFFER ? move_buffer(p, t, TSR_STEP_WORK) :
							    read_core(p, t, TSR_STEP_WORK);
		done = t->done == t->size;
		*work += done ? TSR_TARGET_WORK : 0;
	}
	if (done)
		tsr_progress(p->core);
	return done;
}

void tsr_noc_continue(struct tsr_proc *p)
{
	p->noc.moving = !transfer_step(p, &p->noc.rest);
}

static enum tsr_access issue(struct tsr_proc *p, u32 command)
{
	struct tsr_transfer t = {
		.command = command,
		.kind = p->noc.target_hi & TSR_NOC_TARGET_KIND,
		.lo = p->noc.target_lo, .hi = p->noc.target_hi,
		.local = p->noc.local, .size = p->noc.size,
	};
	enum tsr_access ret = check_local(p, &t);

	if (ret == TSR_ACCESS_OK)
		ret = t.kind == TSR_NOC_TARGET_BUFFER ? check_buffer(p, &t) : check_cores(p, &t);
	if (ret != TSR_ACCESS_OK)
		return ret;
	t.when = noc_schedule(p, &t);
	t.x = t.x0;
	t.y = t.y0;
	if (!transfer_step(p, &t)) {
		p->noc.rest = t;
		p->noc.moving = true;
	}
	return tsr_proc_worked(p, 0);
}

static enum tsr_access noc_barrier(struct tsr_proc *p, u32 classes)
{
	u32 i;

	if (classes & ~ALL_CLASSES)
		return tsr_hart_fault(&p->hart, TSR_FAULT_NOC_COMMAND, classes);
	for (i = 0; i < TSR_NOC_CLASSES; i++)
		if (classes >> i & 1)
			tsr_proc_wait_until(p, p->noc.done[i]);
	return TSR_ACCESS_OK;
}

static u32 pending(const struct tsr_proc *p)
{
	u32 classes = 0, i;

	for (i = 0; i < TSR_NOC_CLASSES; i++)
		if (p->noc.done[i] > p->hart.cycles)
			classes |= 1u << i;
	return classes;
}

enum tsr_access tsr_noc_load(struct tsr_proc *p, u32 reg, u32 *ret)
{
	switch (reg) {
	case TSR_NOC_TARGET_LO:
		*ret = p->noc.target_lo;
		break;
	case TSR_NOC_TARGET_HI:
		*ret = p->noc.target_hi;
		break;
	case TSR_NOC_LOCAL:
		*ret = p->noc.local;
		break;
	case TSR_NOC_SIZE:
		*ret = p->noc.size;
		break;
	case TSR_NOC_PENDING:
		*ret = pending(p);
		break;
	case TSR_NOC_COMMAND:
	case TSR_NOC_BARRIER:
		*ret = 0;
		break;
	default:
		return tsr_hart_fault(&p->hart, TSR_FAULT_LOAD_RANGE, TSR_REG_NOC + reg);
	}
	return TSR_ACCESS_OK;
}

enum tsr_access tsr_noc_store(struct tsr_proc *p, u32 reg, u32 value)
{
	switch (reg) {
	case TSR_NOC_TARGET_LO:
		p->noc.target_lo = value;
		break;
	case TSR_NOC_TARGET_HI:
		p->noc.target_hi = value;
		break;
	case TSR_NOC_LOCAL:
		p->noc.local = value;
		break;
	case TSR_NOC_SIZE:
		p->noc.size = value;
		break;
	case TSR_NOC_COMMAND:
		return issue(p, value);
	case TSR_NOC_BARRIER:
		return noc_barrier(p, value);
	default:
		return tsr_hart_fault(&p->hart, TSR_FAULT_STORE_RANGE, TSR_REG_NOC + reg);
	}
	return TSR_ACCESS_OK;
}

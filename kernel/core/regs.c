// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Register window of a processor: the bus finds the block, each block has its own file
 * but the core block, which is here, with the CSRs.
 */
#include "grid_int.h"

#define BLOCK(addr)	((addr) & 0xffff0000u)
#define OFFSET(addr)	((addr) & 0xffffu)

static u32 cycle_lo(struct tsr_proc *p)
{
	p->cycle_hi = p->hart.cycles >> 32;
	return (u32)p->hart.cycles;
}

static enum tsr_access core_load(struct tsr_proc *p, u32 reg, u32 *ret)
{
	const struct tsr_grid *g = p->core->grid;

	switch (reg) {
	case TSR_CORE_X:
		*ret = p->core->x;
		break;
	case TSR_CORE_Y:
		*ret = p->core->y;
		break;
	case TSR_CORE_PROC:
		*ret = p->index;
		break;
	case TSR_CORE_GRID_WIDTH:
		*ret = g->cfg.width;
		break;
	case TSR_CORE_GRID_HEIGHT:
		*ret = g->cfg.height;
		break;
	case TSR_CORE_L1_SIZE:
		*ret = g->cfg.l1_size;
		break;
	case TSR_CORE_ARG_BASE:
		*ret = p->arg_base;
		break;
	case TSR_CORE_ARG_COUNT:
		*ret = p->arg_count;
		break;
	case TSR_CORE_COMMON_BASE:
		*ret = p->common_base;
		break;
	case TSR_CORE_COMMON_COUNT:
		*ret = p->common_count;
		break;
	case TSR_CORE_RUN_LO:
		*ret = (u32)g->launch.run_id;
		break;
	case TSR_CORE_RUN_HI:
		*ret = g->launch.run_id >> 32;
		break;
	case TSR_CORE_SEED:
		*ret = g->cfg.seed;
		break;
	case TSR_CORE_BINDINGS:
		*ret = g->launch.prog->n_bindings;
		break;
	case TSR_CORE_CYCLE_LO:
		*ret = cycle_lo(p);
		break;
	case TSR_CORE_CYCLE_HI:
		*ret = p->cycle_hi;
		break;
	case TSR_CORE_HEARTBEAT:
	case TSR_CORE_PRINT:
	case TSR_CORE_EXIT:
		*ret = 0;
		break;
	default:
		return tsr_hart_fault(&p->hart, TSR_FAULT_LOAD_RANGE, TSR_REG_CORE + reg);
	}
	return TSR_ACCESS_OK;
}

void tsr_print_flush(struct tsr_proc *p)
{
	const struct tsr_grid_env *env = &p->core->grid->env;

	if (p->line_len && env->print)
		env->print(env->ctx, p->core->x, p->core->y, p->index, p->line, p->line_len);
	p->line_len = 0;
}

/* A byte of device print: a line is handed over when it is complete or full. */
static enum tsr_access print_byte(struct tsr_proc *p, char c)
{
	const struct tsr_grid_env *env = &p->core->grid->env;

	if (c == '\n') {
		if (!p->line_len && env->print)
			env->print(env->ctx, p->core->x, p->core->y, p->index, p->line, 0);
		tsr_print_flush(p);
	} else if (c) {
		p->line[p->line_len++] = c;
		if (p->line_len == TSR_PRINT_LINE)
			tsr_print_flush(p);
	}
	return tsr_proc_worked(p, 256);
}

static enum tsr_access core_store(struct tsr_proc *p, u32 reg, u32 value)
{
	switch (reg) {
	case TSR_CORE_HEARTBEAT:
		tsr_progress(p->core);
		return TSR_ACCESS_OK;
	case TSR_CORE_PRINT:
		return print_byte(p, value & 0xff);
	case TSR_CORE_EXIT:
		if (value)
			return tsr_hart_fault(&p->hart, TSR_FAULT_KERNEL, value);
		return TSR_ACCESS_HALT;
	default:
		return tsr_hart_fault(&p->hart, TSR_FAULT_STORE_RANGE, TSR_REG_CORE + reg);
	}
}

static inline enum tsr_access block_load(struct tsr_proc *p, u32 addr, u32 *ret)
{
	switch (BLOCK(addr)) {
	case TSR_REG_CORE:
		return core_load(p, OFFSET(addr), ret);
	case TSR_REG_SEM:
		return tsr_sem_load(p, OFFSET(addr), ret);
	case TSR_REG_CB:
		return tsr_cb_load(p, OFFSET(addr), ret);
	case TSR_REG_NOC:
		return tsr_noc_load(p, OFFSET(addr), ret);
	case TSR_REG_TILE:
		return tsr_tile_load(p, OFFSET(addr), ret);
	default:
		return tsr_hart_fault(&p->hart, TSR_FAULT_LOAD_RANGE, addr);
	}
}

static inline enum tsr_access block_store(struct tsr_proc *p, u32 addr, u32 value)
{
	switch (BLOCK(addr)) {
	case TSR_REG_CORE:
		return core_store(p, OFFSET(addr), value);
	case TSR_REG_SEM:
		return tsr_sem_store(p, OFFSET(addr), value);
	case TSR_REG_CB:
		return tsr_cb_store(p, OFFSET(addr), value);
	case TSR_REG_NOC:
		return tsr_noc_store(p, OFFSET(addr), value);
	case TSR_REG_TILE:
		return tsr_tile_store(p, OFFSET(addr), value);
	default:
		return tsr_hart_fault(&p->hart, TSR_FAULT_STORE_RANGE, addr);
	}
}

/* An access takes locks and looks for waiters: many of them are a step, without any jump. */
static inline enum tsr_access accessed(struct tsr_proc *p, enum tsr_access ret)
{
	p->hart.looked += TSR_REG_WORK;
	return ret == TSR_ACCESS_OK && tsr_step_over(p) ? TSR_ACCESS_YIELD : ret;
}

static enum tsr_access bus_load(struct tsr_hart *h, u32 addr, u32 size, u32 *ret)
{
	struct tsr_proc *p = tsr_proc_of(h);

	if (size != 4)
		return tsr_hart_fault(h, TSR_FAULT_LOAD_RANGE, addr);
	h->cycles += h->timing->reg;
	return accessed(p, block_load(p, addr, ret));
}

static enum tsr_access bus_store(struct tsr_hart *h, u32 addr, u32 size, u32 value)
{
	struct tsr_proc *p = tsr_proc_of(h);

	if (size != 4)
		return tsr_hart_fault(h, TSR_FAULT_STORE_RANGE, addr);
	h->cycles += h->timing->reg;
	return accessed(p, block_store(p, addr, value));
}

const struct tsr_bus tsr_grid_bus = {
	.load = bus_load,
	.store = bus_store,
};

/* The counters of Zicsr, read-only: csrrs and csrrc that change nothing. */
static bool read_counter(const struct tsr_hart *h, u32 word, u32 *ret)
{
	u32 f3 = (word >> 12) & 7;
	u64 v;

	if ((f3 & 3) < 2 || (word >> 15 & 31))
		return false;
	switch (word >> 20 & ~0x80u) {
	case 0xc00:	/* cycle */
	case 0xc01:	/* time */
		v = h->cycles;
		break;
	case 0xc02:	/* instret */
		v = h->instret;
		break;
	default:
		return false;
	}
	*ret = word >> 20 & 0x80 ? v >> 32 : (u32)v;
	return true;
}

enum tsr_access tsr_grid_system(struct tsr_proc *p)
{
	struct tsr_hart *h = &p->hart;
	u32 word = (u32)h->address, value, rd = word >> 7 & 31;

	if (word == 0x00000073)
		return tsr_hart_fault(h, TSR_FAULT_ECALL, h->pc);
	if (word == 0x00100073)
		return tsr_hart_fault(h, TSR_FAULT_BREAKPOINT, h->pc);
	if (!read_counter(h, word, &value))
		return tsr_hart_fault(h, TSR_FAULT_ILLEGAL_INSN, word);
	h->x[rd ? rd : TSR_REG_SINK] = value;
	tsr_hart_retire(h, h->timing->alu);
	return TSR_ACCESS_OK;
}

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * One RV32IM processor: registers, a flat memory, and a bus for every address
 * outside of it. Knows nothing of grids.
 */
#ifndef TSR_HART_H
#define TSR_HART_H

#include "asked.h"
#include "insn.h"

struct tsr_hart;

/** enum tsr_access - what came of an access to the bus */
enum tsr_access {
	TSR_ACCESS_OK,
	TSR_ACCESS_YIELD,	/* done; leave the interpreter after this instruction */
	TSR_ACCESS_HALT,	/* done; the processor has ended */
	TSR_ACCESS_STALL,	/* not done; the instruction does not count */
	TSR_ACCESS_FAULT,	/* cause and address are set in the hart */
};

/**
 * struct tsr_bus - addresses outside of memory
 *
 * Called with the hart's pc, cycles (this access included) and instret up to date.
 * May move cycles forward and change limit.
 */
struct tsr_bus {
	enum tsr_access (*load)(struct tsr_hart *h, u32 addr, u32 size, u32 *ret);
	enum tsr_access (*store)(struct tsr_hart *h, u32 addr, u32 size, u32 value);
};

/** enum tsr_exit - why tsr_hart_run() returned; pc, cycles and instret are up to date */
enum tsr_exit {
	TSR_EXIT_LIMIT,		/* cycles reached the limit, or the bus said YIELD */
	TSR_EXIT_STALL,		/* pc is at the access that the bus stalled */
	TSR_EXIT_HALT,
	TSR_EXIT_SYSTEM,	/* pc is at a SYSTEM instruction, its word in address */
	TSR_EXIT_FAULT,		/* cause, fault_pc, address */
};

/** struct tsr_hart - state of a processor */
struct tsr_hart {
	u32 x[33];		/* x[0] stays 0; x[32] takes what is written to x0 */
	u32 pc;
	u64 cycles;
	u64 instret;
	u64 work;		/* bytes that instructions moved, or are worth */
	u64 looked;		/* the same, but it ends no slice: fence.i, registers */
	u64 limit;		/* compared with cycles when a jump is taken */
	u8 *mem;
	u32 mem_base;		/* multiple of 4 */
	u32 mem_size;		/* multiple of 4; mem_base + mem_size is at most 2^32 */
	const struct tsr_text *text;	/* may be NULL: decode each instruction */
	const struct tsr_timing *timing;
	const struct tsr_bus *bus;	/* may be NULL: nothing is there */
	bool stale;		/* memory differs from text: decode each instruction */
	bool misaligned;	/* perform misaligned accesses to memory, do not fault */
	u32 cause;		/* TSR_FAULT_* */
	u32 fault_pc;
	u64 address;
	struct tsr_asked asked;	/* of the fault */
	u32 from;		/* the far jump that led to pc, or pc */
	struct tsr_insn step[2];
};

/**
 * tsr_hart_run() - execute until something needs the host
 *
 * Straight-line code between two jumps is executed whole, whatever the limit.
 */
enum tsr_exit tsr_hart_run(struct tsr_hart *h);

/**
 * tsr_hart_straight() - do the instruction before pc and that at pc stand in the text?
 *
 * Then nothing looks at the limit between them, unless the first is a jump, a counter or fence.i.
 */
bool tsr_hart_straight(const struct tsr_hart *h);

/** tsr_hart_retire() - the host has done the instruction at pc; it took @cost cycles */
static inline void tsr_hart_retire(struct tsr_hart *h, u32 cost)
{
	h->pc += 4;
	h->from = h->pc;
	h->instret++;
	h->cycles += cost;
}

/** tsr_hart_fault() - record a fault at pc */
static inline enum tsr_access tsr_hart_fault(struct tsr_hart *h, u32 cause, u64 address)
{
	h->cause = cause;
	h->fault_pc = h->pc;
	h->address = address;
	h->asked.known = 0;
	return TSR_ACCESS_FAULT;
}

/** tsr_hart_fault_asking() - record a fault at pc, and what was asked for */
static inline enum tsr_access tsr_hart_fault_asking(struct tsr_hart *h, u32 cause, u64 address,
						    const struct tsr_asked *asked)
{
	tsr_hart_fault(h, cause, address);
	h->asked = *asked;
	return TSR_ACCESS_FAULT;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Predecoded instructions. Each 32-bit word of an image's text becomes one record;
 * the lists below drive the decoder's tables and the interpreter's labels.
 */
#ifndef TSR_INSN_H
#define TSR_INSN_H

#include "grid.h"

#define TSR_REG_SINK	32	/* where results for x0 go; never read */

#include "insn_ops.inc"

#define TSR_OP_ENUM(n)		TSR_OP_##n,
#define TSR_PAIR_ENUM(a, b)	TSR_OP_##a##_##b,
enum tsr_op {
	TSR_OPS(TSR_OP_ENUM)
	TSR_OP_PAIRS,
	TSR_OP_PAIRS_BASE = TSR_OP_PAIRS - 1,
	TSR_PAIRS(TSR_PAIR_ENUM)
	TSR_OP_COUNT
};

/* aux of loads and stores: how the slow path performs them */
#define TSR_MEM_SIZE	0x07	/* 1, 2, 4 */
#define TSR_MEM_SIGNED	0x10
#define TSR_MEM_STORE	0x20

/** struct tsr_insn - one predecoded instruction */
struct tsr_insn {
	u8 op;			/* enum tsr_op */
	u8 rd;			/* TSR_REG_SINK for x0; condition of BRANCH_FAR */
	u8 rs1;
	u8 rs2;
	/**
	 * @imm: operand; loads and stores: offset less the base of memory; CONST: the
	 * value; near jumps: bytes of records from the next record; far: bytes of code.
	 */
	s32 imm;
	u32 cost;		/* of all instructions before this one */
	/**
	 * @aux: transfers: cost up to and including this one, taken; loads and stores:
	 * TSR_MEM_*; ILLEGAL and SYSTEM: the instruction word.
	 */
	u32 aux;
};

/** struct tsr_text - predecoded code, immutable */
struct tsr_text {
	u32 base;		/* address of the first instruction */
	u32 count;		/* instructions; insns[count] is an END record */
	u32 size;		/* bytes of code */
	struct tsr_timing timing;
	const u8 *code;		/* what was decoded, for fence.i */
	struct tsr_insn insns[];
};

/**
 * tsr_decode() - decode one instruction, jumps in their far form
 * @in: filled, but for cost
 * @word: instruction
 * @pc: its address
 * @mem_base: where the memory of the processor starts
 * @t: costs
 *
 * Return: its cost in cycles when no jump is taken.
 */
u32 tsr_decode(struct tsr_insn *in, u32 word, u32 pc, u32 mem_base, const struct tsr_timing *t);

/** tsr_text_decode() - as tsr_text_new(), for memory that starts at @mem_base */
struct tsr_text *tsr_text_decode(const struct tsr_timing *timing, u32 mem_base, u32 base,
				 const void *code, u32 size);

#endif

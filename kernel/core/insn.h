/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Predecoded instructions. Each 32-bit word of an image's text becomes one record;
 * the lists below drive the decoder's tables and the interpreter's labels.
 */
#ifndef TSR_INSN_H
#define TSR_INSN_H

#include "grid.h"

#define TSR_REG_SINK	32	/* where results for x0 go; never read */

/* One operation a name; the interpreter has a DO_<name> for each. */
#define TSR_OPS(X) \
	X(ILLEGAL) X(END) X(SYSTEM) X(FENCE) X(FENCE_I) \
	X(JAL_FAR) X(BRANCH_FAR) X(JALR) X(JR) X(JAL) X(J) \
	X(BEQ) X(BNE) X(BLT) X(BGE) X(BLTU) X(BGEU) \
	X(LB) X(LH) X(LW) X(LBU) X(LHU) X(SB) X(SH) X(SW) \
	X(CONST) X(MV) \
	X(ADDI) X(SLTI) X(SLTIU) X(XORI) X(ORI) X(ANDI) X(SLLI) X(SRLI) X(SRAI) \
	X(ADD) X(SUB) X(SLL) X(SLT) X(SLTU) X(XOR) X(SRL) X(SRA) X(OR) X(AND) \
	X(MUL) X(MULH) X(MULHSU) X(MULHU) X(DIV) X(DIVU) X(REM) X(REMU)

/*
 * Pairs executed by one dispatch. The second record stays what it is, so that it can
 * be entered by itself; costs are prefix sums, so that pairs count as two instructions.
 */
#define TSR_PAIRS(X) \
	X(ADDI, BNE) X(ADDI, BEQ) X(ADDI, BLTU) X(ADDI, BLT) X(ADDI, BGEU) X(ADDI, BGE) \
	X(ADD, BNE) X(ADD, BLTU) X(ADD, BGEU) X(ADD, BLT) X(ANDI, BEQ) X(ANDI, BNE) \
	X(MV, BNE) X(MV, J) X(MV, MV) X(ADDI, J) X(ADDI, MV) X(ADDI, ADDI) X(ADDI, ADD) \
	X(CONST, ADDI) X(CONST, BNE) X(CONST, BEQ) X(CONST, CONST) X(CONST, AND) X(CONST, MV) \
	X(SLLI, ADD) X(SLLI, SRLI) X(SLLI, SRAI) X(SLLI, OR) X(SLLI, XOR) \
	X(SRLI, XOR) X(SRLI, ANDI) X(SRLI, OR) X(SRLI, ADD) X(SRLI, AND) X(SRLI, BNE) \
	X(ADD, LW) X(ADD, LBU) X(ADD, LHU) X(ADD, SB) X(ADD, SW) X(ADD, ADD) X(ADD, ADDI) \
	X(ADD, SLLI) X(ADD, SRLI) X(ADD, XOR) X(ADD, OR) X(ADDI, LW) X(ADDI, LBU) X(ADDI, SW) \
	X(LW, ADD) X(LW, ADDI) X(LW, LW) X(LW, BNE) X(LW, BEQ) X(LW, MUL) X(LW, XOR) \
	X(LW, SW) X(LW, SLLI) X(LBU, ADDI) X(LBU, BNE) X(LBU, BEQ) X(LBU, XOR) X(LBU, SB) \
	X(SW, ADDI) X(SW, SW) X(SW, LW) X(SW, ADD) X(SB, ADDI) X(SB, ADD) X(SW, BNE) \
	X(XOR, XOR) X(XOR, AND) X(XOR, SRLI) X(XOR, SLLI) X(XOR, ANDI) X(XOR, ADD) \
	X(AND, XOR) X(AND, ADD) X(AND, OR) X(AND, BNE) X(AND, BEQ) X(ANDI, SLLI) X(ANDI, ADD) \
	X(OR, XOR) X(OR, ADD) X(OR, AND) X(MUL, ADD) X(MUL, ADDI) X(SUB, BNE) X(SUB, AND) \
	X(SUB, XOR) X(SUB, ADD) X(XORI, ADD) X(SLTU, ADD) X(SLTU, XOR)

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

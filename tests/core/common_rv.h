/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * RV32IM by hand: an encoder for each instruction, and a small assembler, so that the
 * tests need no cross tools. Written from the instruction formats, not from the decoder.
 */
#ifndef TSR_TEST_RV_H
#define TSR_TEST_RV_H

#include "port.h"

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7,
	S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, T3, T4, T5, T6 };

/* The formats, as constant expressions. */
#define RV_FIELD(v, from, bits, to) (((u32)(v) >> (from) & ((1u << (bits)) - 1)) << (to))
#define rv_r(f7, rs2, rs1, f3, rd, op)						\
	((u32)(f7) << 25 | (u32)(rs2) << 20 | (u32)(rs1) << 15 | (u32)(f3) << 12 |	\
	 (u32)(rd) << 7 | (op))
#define rv_i(imm, rs1, f3, rd, op)						\
	(RV_FIELD(imm, 0, 12, 20) | rv_r(0, 0, rs1, f3, rd, op))
#define rv_s(imm, rs2, rs1, f3)							\
	(RV_FIELD(imm, 5, 7, 25) | RV_FIELD(imm, 0, 5, 7) | rv_r(0, rs2, rs1, f3, 0, 0x23))
#define rv_b(imm, rs2, rs1, f3)							\
	(RV_FIELD(imm, 12, 1, 31) | RV_FIELD(imm, 5, 6, 25) | RV_FIELD(imm, 1, 4, 8) |	\
	 RV_FIELD(imm, 11, 1, 7) | rv_r(0, rs2, rs1, f3, 0, 0x63))
#define rv_j(imm, rd)								\
	(RV_FIELD(imm, 20, 1, 31) | RV_FIELD(imm, 1, 10, 21) | RV_FIELD(imm, 11, 1, 20) |	\
	 RV_FIELD(imm, 12, 8, 12) | (u32)(rd) << 7 | 0x6f)

#define LUI(rd, v)		((u32)(v) << 12 | (rd) << 7 | 0x37)
#define AUIPC(rd, v)		((u32)(v) << 12 | (rd) << 7 | 0x17)
#define JAL(rd, off)		rv_j(off, rd)
#define JALR(rd, rs1, off)	rv_i(off, rs1, 0, rd, 0x67)
#define BEQ(a, b, off)		rv_b(off, b, a, 0)
#define BNE(a, b, off)		rv_b(off, b, a, 1)
#define BLT(a, b, off)		rv_b(off, b, a, 4)
#define BGE(a, b, off)		rv_b(off, b, a, 5)
#define BLTU(a, b, off)		rv_b(off, b, a, 6)
#define BGEU(a, b, off)		rv_b(off, b, a, 7)
#define LB(rd, rs1, off)	rv_i(off, rs1, 0, rd, 0x03)
#define LH(rd, rs1, off)	rv_i(off, rs1, 1, rd, 0x03)
#define LW(rd, rs1, off)	rv_i(off, rs1, 2, rd, 0x03)
#define LBU(rd, rs1, off)	rv_i(off, rs1, 4, rd, 0x03)
#define LHU(rd, rs1, off)	rv_i(off, rs1, 5, rd, 0x03)
#define SB(rs2, rs1, off)	rv_s(off, rs2, rs1, 0)
#define SH(rs2, rs1, off)	rv_s(off, rs2, rs1, 1)
#define SW(rs2, rs1, off)	rv_s(off, rs2, rs1, 2)
#define ADDI(rd, rs1, v)	rv_i(v, rs1, 0, rd, 0x13)
#define SLLI(rd, rs1, n)	rv_i(n, rs1, 1, rd, 0x13)
#define SLTI(rd, rs1, v)	rv_i(v, rs1, 2, rd, 0x13)
#define SLTIU(rd, rs1, v)	rv_i(v, rs1, 3, rd, 0x13)
#define XORI(rd, rs1, v)	rv_i(v, rs1, 4, rd, 0x13)
#define SRLI(rd, rs1, n)	rv_i(n, rs1, 5, rd, 0x13)
#define SRAI(rd, rs1, n)	rv_i((n) | 0x400, rs1, 5, rd, 0x13)
#define ORI(rd, rs1, v)		rv_i(v, rs1, 6, rd, 0x13)
#define ANDI(rd, rs1, v)	rv_i(v, rs1, 7, rd, 0x13)
#define ADD(rd, a, b)		rv_r(0, b, a, 0, rd, 0x33)
#define SUB(rd, a, b)		rv_r(0x20, b, a, 0, rd, 0x33)
#define SLL(rd, a, b)		rv_r(0, b, a, 1, rd, 0x33)
#define SLT(rd, a, b)		rv_r(0, b, a, 2, rd, 0x33)
#define SLTU(rd, a, b)		rv_r(0, b, a, 3, rd, 0x33)
#define XOR(rd, a, b)		rv_r(0, b, a, 4, rd, 0x33)
#define SRL(rd, a, b)		rv_r(0, b, a, 5, rd, 0x33)
#define SRA(rd, a, b)		rv_r(0x20, b, a, 5, rd, 0x33)
#define OR(rd, a, b)		rv_r(0, b, a, 6, rd, 0x33)
#define AND(rd, a, b)		rv_r(0, b, a, 7, rd, 0x33)
#define MUL(rd, a, b)		rv_r(1, b, a, 0, rd, 0x33)
#define MULH(rd, a, b)		rv_r(1, b, a, 1, rd, 0x33)
#define MULHSU(rd, a, b)	rv_r(1, b, a, 2, rd, 0x33)
#define MULHU(rd, a, b)		rv_r(1, b, a, 3, rd, 0x33)
#define DIV(rd, a, b)		rv_r(1, b, a, 4, rd, 0x33)
#define DIVU(rd, a, b)		rv_r(1, b, a, 5, rd, 0x33)
#define REM(rd, a, b)		rv_r(1, b, a, 6, rd, 0x33)
#define REMU(rd, a, b)		rv_r(1, b, a, 7, rd, 0x33)
#define FENCE()			0x0ff0000fu
#define FENCE_I()		0x0000100fu
#define ECALL()			0x00000073u
#define EBREAK()		0x00100073u
#define MRET()			0x30200073u
#define WFI()			0x10500073u
#define CSRRW(rd, csr, rs1)	rv_i(csr, rs1, 1, rd, 0x73)
#define CSRRS(rd, csr, rs1)	rv_i(csr, rs1, 2, rd, 0x73)
#define CSRRC(rd, csr, rs1)	rv_i(csr, rs1, 3, rd, 0x73)
#define CSRRWI(rd, csr, v)	rv_i(csr, v, 5, rd, 0x73)
#define CSRRSI(rd, csr, v)	rv_i(csr, v, 6, rd, 0x73)
#define NOP()			ADDI(ZERO, ZERO, 0)

#define RV_MAX	1024

/** struct rv - code being assembled */
struct rv {
	u32 code[RV_MAX];
	u32 n;
};

static inline u32 rv_put(struct rv *p, u32 word)
{
	p->code[p->n] = word;
	return p->n++;
}

/* Always two instructions. */
static inline void rv_li(struct rv *p, u32 rd, u32 v)
{
	rv_put(p, LUI(rd, (v + 0x800) >> 12));
	rv_put(p, ADDI(rd, rd, (s32)(v << 20) >> 20));
}

/* *(addr) = v; clobbers t5, t6 */
static inline void rv_store(struct rv *p, u32 addr, u32 v)
{
	rv_li(p, T5, addr);
	rv_li(p, T6, v);
	rv_put(p, SW(T6, T5, 0));
}

/* *(addr) = register; clobbers t5 */
static inline void rv_store_reg(struct rv *p, u32 addr, u32 rs)
{
	rv_li(p, T5, addr);
	rv_put(p, SW(rs, T5, 0));
}

/* rd = *(addr) */
static inline void rv_load(struct rv *p, u32 rd, u32 addr)
{
	rv_li(p, rd, addr);
	rv_put(p, LW(rd, rd, 0));
}

/* Branch back to an instruction that is there already: BACK(p, BNE, a, b, label) */
#define RV_BACK(p, OP, a, b, label) \
	rv_put(p, OP(a, b, ((s32)(label) - (s32)(p)->n) * 4))

#endif

/* SPDX-License-Identifier: MIT */
/* RV32IM instructions as numbers, and the device's few idioms: images without a compiler. */
#ifndef TSR_TESTS_COMMON_RV32_H
#define TSR_TESTS_COMMON_RV32_H

#include <drm/tessera_grid.h>
#include <linux/types.h>

enum { RV_ZERO, RV_RA, RV_SP, RV_GP, RV_TP, RV_T0, RV_T1, RV_T2, RV_S0, RV_S1,
       RV_A0, RV_A1, RV_A2, RV_A3, RV_A4, RV_A5 };

#define RV_U(v)			((__u32)(v))
#define RV_LUI(rd, imm20)	(RV_U(imm20) << 12 | RV_U(rd) << 7 | 0x37)
#define RV_I(op, f3, rd, rs1, imm) \
	((RV_U(imm) & 0xfff) << 20 | RV_U(rs1) << 15 | RV_U(f3) << 12 | RV_U(rd) << 7 | (op))
#define RV_ADDI(rd, rs1, imm)	RV_I(0x13, 0, rd, rs1, imm)
#define RV_LW(rd, imm, rs1)	RV_I(0x03, 2, rd, rs1, imm)
#define RV_LH(rd, imm, rs1)	RV_I(0x03, 1, rd, rs1, imm)
#define RV_JALR(rd, rs1, imm)	RV_I(0x67, 0, rd, rs1, imm)
#define RV_R(f7, f3, rd, rs1, rs2) \
	(RV_U(f7) << 25 | RV_U(rs2) << 20 | RV_U(rs1) << 15 | RV_U(f3) << 12 | RV_U(rd) << 7 | 0x33)
#define RV_ADD(rd, rs1, rs2)	RV_R(0, 0, rd, rs1, rs2)
#define RV_S(f3, rs2, imm, rs1) \
	((RV_U(imm) >> 5 & 0x7f) << 25 | RV_U(rs2) << 20 | RV_U(rs1) << 15 | RV_U(f3) << 12 | \
	 (RV_U(imm) & 0x1f) << 7 | 0x23)
#define RV_SW(rs2, imm, rs1)	RV_S(2, rs2, imm, rs1)
#define RV_SH(rs2, imm, rs1)	RV_S(1, rs2, imm, rs1)
/* The offset of branches and jumps is in bytes, from the instruction itself. */
#define RV_B(f3, rs1, rs2, off) \
	((RV_U(off) >> 12 & 1) << 31 | (RV_U(off) >> 5 & 0x3f) << 25 | RV_U(rs2) << 20 | \
	 RV_U(rs1) << 15 | RV_U(f3) << 12 | (RV_U(off) >> 1 & 0xf) << 8 | \
	 (RV_U(off) >> 11 & 1) << 7 | 0x63)
#define RV_BEQ(rs1, rs2, off)	RV_B(0, rs1, rs2, off)
#define RV_BNE(rs1, rs2, off)	RV_B(1, rs1, rs2, off)
#define RV_JAL(rd, off) \
	((RV_U(off) >> 20 & 1) << 31 | (RV_U(off) >> 1 & 0x3ff) << 21 | \
	 (RV_U(off) >> 11 & 1) << 20 | (RV_U(off) >> 12 & 0xff) << 12 | RV_U(rd) << 7 | 0x6f)
#define RV_J(off)		RV_JAL(RV_ZERO, off)
#define RV_NOP			RV_ADDI(RV_ZERO, RV_ZERO, 0)
#define RV_EBREAK		0x00100073u
#define RV_ECALL		0x00000073u
#define RV_ILLEGAL		0x00000000u

/* Two instructions: any 32-bit constant. */
#define RV_LI(rd, value) \
	RV_LUI(rd, (RV_U(value) + 0x800u) >> 12), RV_ADDI(rd, rd, RV_U(value) & 0xfff)

/* Five instructions: store a constant to a device register; three: store a register. Use a5, a4. */
#define RV_POKE(reg, value)	RV_LI(RV_A5, reg), RV_LI(RV_A4, value), RV_SW(RV_A4, 0, RV_A5)
#define RV_POKE_REG(reg, rs)	RV_LI(RV_A5, reg), RV_SW(rs, 0, RV_A5)

/* End this processor. The device stops it at the store; the jump is for those that do not. */
#define RV_EXIT(status)		RV_POKE(TSR_REG_CORE + TSR_CORE_EXIT, status), RV_J(0)

/* Read @size bytes at @offset of a binding to own L1, and wait for them. Uses a5, a4. */
#define RV_READ_BUFFER(binding, offset, l1, size)						\
	RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_LO, offset),					\
	RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_HI, TSR_NOC_TARGET_BUFFER | (binding)),		\
	RV_POKE(TSR_REG_NOC + TSR_NOC_LOCAL, l1),						\
	RV_POKE(TSR_REG_NOC + TSR_NOC_SIZE, size),						\
	RV_POKE(TSR_REG_NOC + TSR_NOC_COMMAND, TSR_NOC_CMD_READ),				\
	RV_POKE(TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_READ)
#define RV_WRITE_BUFFER(binding, offset, l1, size)						\
	RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_LO, offset),					\
	RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_HI, TSR_NOC_TARGET_BUFFER | (binding)),		\
	RV_POKE(TSR_REG_NOC + TSR_NOC_LOCAL, l1),						\
	RV_POKE(TSR_REG_NOC + TSR_NOC_SIZE, size),						\
	RV_POKE(TSR_REG_NOC + TSR_NOC_COMMAND, TSR_NOC_CMD_WRITE),				\
	RV_POKE(TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_WRITE)

#define RV_SEM(id, reg)		(TSR_REG_SEM + (id) * TSR_SEM_STRIDE + (reg))

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What each operation does, for hart.c alone: DO_<name>(i) executes the record ip[i].
 * It either falls through to the next record or leaves by TAKE() or goto.
 */
#ifndef TSR_HART_OPS_H
#define TSR_HART_OPS_H

#define RD(i)		x[ip[i].rd]
#define RS1(i)		x[ip[i].rs1]
#define RS2(i)		x[ip[i].rs2]
#define IMM(i)		((u32)ip[i].imm)

#define LABEL(n)	&&L_##n,
#define PAIR_LABEL(a, b) &&L_##a##_##b,
#define DISPATCH()	goto *labels[ip->op]
#define NEXT(n)		do { ip += (n); DISPATCH(); } while (0)
#define HANDLER(n)	L_##n: DO_##n(0); NEXT(1);
#define PAIR_HANDLER(a, b) L_##a##_##b: DO_##a(0); DO_##b(1); NEXT(2);

/*
 * cyc + ip->cost is the clock before ip; at a transfer cyc is first the clock after
 * it. run + (ip - code), in bytes of records, counts instructions alike.
 */
#define TAKE(i)								\
	do {								\
		const struct tsr_insn *b_ = ip + (i);			\
		long d_ = b_->imm;					\
									\
		cyc += b_->aux;						\
		run -= d_;						\
		ip = (const struct tsr_insn *)((const char *)(b_ + 1) + d_);	\
		if (unlikely(cyc >= limit))				\
			goto out_limit;					\
		cyc -= ip->cost;					\
		DISPATCH();						\
	} while (0)

/* pc of the record ip */
#define HERE()		(base + (u32)(ip - code) * 4)

#define BRANCH(i, cond)	do { if (cond) TAKE(i); } while (0)
#define DO_BEQ(i)	BRANCH(i, RS1(i) == RS2(i))
#define DO_BNE(i)	BRANCH(i, RS1(i) != RS2(i))
#define DO_BLT(i)	BRANCH(i, (s32)RS1(i) < (s32)RS2(i))
#define DO_BGE(i)	BRANCH(i, (s32)RS1(i) >= (s32)RS2(i))
#define DO_BLTU(i)	BRANCH(i, RS1(i) < RS2(i))
#define DO_BGEU(i)	BRANCH(i, RS1(i) >= RS2(i))
#define DO_J(i)		TAKE(i)
#define DO_JAL(i)	do { RD(i) = HERE() + 4; TAKE(i); } while (0)

/*
 * Rotating the offset right by the alignment makes a misaligned one huge: one
 * comparison checks range and alignment. The slow path takes whatever fails.
 */
#define ROR(v, n)	((u32)(v) >> (n) | (u32)(v) << (32 - (n)))
#define MEM_AT(i, shift, off)						\
	u32 off = (shift) ? ROR(RS1(i) + IMM(i), shift) : RS1(i) + IMM(i); \
	if (unlikely(off >= (u64)words << (2 - (shift)))) {		\
		ip += (i);						\
		goto slow_mem;						\
	}
#define LOAD(i, shift, expr)						\
	do {								\
		MEM_AT(i, shift, o_)					\
		RD(i) = (expr);						\
	} while (0)
#define STORE(i, shift, stmt)						\
	do {								\
		MEM_AT(i, shift, o_)					\
		stmt;							\
	} while (0)
#define DO_LW(i)	LOAD(i, 2, tsr_get32(mem + (size_t)o_ * 4))
#define DO_LH(i)	LOAD(i, 1, (s16)tsr_get16(mem + (size_t)o_ * 2))
#define DO_LHU(i)	LOAD(i, 1, tsr_get16(mem + (size_t)o_ * 2))
#define DO_LB(i)	LOAD(i, 0, (s8)mem[o_])
#define DO_LBU(i)	LOAD(i, 0, mem[o_])
#define DO_SW(i)	STORE(i, 2, tsr_put32(mem + (size_t)o_ * 4, RS2(i)))
#define DO_SH(i)	STORE(i, 1, tsr_put16(mem + (size_t)o_ * 2, RS2(i)))
#define DO_SB(i)	STORE(i, 0, mem[o_] = (u8)RS2(i))

#define DO_FENCE(i)	do { } while (0)
#define DO_CONST(i)	(RD(i) = IMM(i))
#define DO_MV(i)	(RD(i) = RS1(i))
#define DO_ADDI(i)	(RD(i) = RS1(i) + IMM(i))
#define DO_SLTI(i)	(RD(i) = (s32)RS1(i) < ip[i].imm)
#define DO_SLTIU(i)	(RD(i) = RS1(i) < IMM(i))
#define DO_XORI(i)	(RD(i) = RS1(i) ^ IMM(i))
#define DO_ORI(i)	(RD(i) = RS1(i) | IMM(i))
#define DO_ANDI(i)	(RD(i) = RS1(i) & IMM(i))
#define DO_SLLI(i)	(RD(i) = RS1(i) << (IMM(i) & 31))
#define DO_SRLI(i)	(RD(i) = RS1(i) >> (IMM(i) & 31))
#define DO_SRAI(i)	(RD(i) = (s32)RS1(i) >> (IMM(i) & 31))
#define DO_ADD(i)	(RD(i) = RS1(i) + RS2(i))
#define DO_SUB(i)	(RD(i) = RS1(i) - RS2(i))
#define DO_SLL(i)	(RD(i) = RS1(i) << (RS2(i) & 31))
#define DO_SLT(i)	(RD(i) = (s32)RS1(i) < (s32)RS2(i))
#define DO_SLTU(i)	(RD(i) = RS1(i) < RS2(i))
#define DO_XOR(i)	(RD(i) = RS1(i) ^ RS2(i))
#define DO_SRL(i)	(RD(i) = RS1(i) >> (RS2(i) & 31))
#define DO_SRA(i)	(RD(i) = (s32)RS1(i) >> (RS2(i) & 31))
#define DO_OR(i)	(RD(i) = RS1(i) | RS2(i))
#define DO_AND(i)	(RD(i) = RS1(i) & RS2(i))
#define DO_MUL(i)	(RD(i) = RS1(i) * RS2(i))
#define DO_MULH(i)	(RD(i) = ((s64)(s32)RS1(i) * (s32)RS2(i)) >> 32)
#define DO_MULHSU(i)	(RD(i) = ((s64)(s32)RS1(i) * (s64)RS2(i)) >> 32)
#define DO_MULHU(i)	(RD(i) = ((u64)RS1(i) * RS2(i)) >> 32)
#define DO_DIV(i)	(RD(i) = rv_div(RS1(i), RS2(i)))
#define DO_DIVU(i)	(RD(i) = RS2(i) ? RS1(i) / RS2(i) : 0xffffffffu)
#define DO_REM(i)	(RD(i) = rv_rem(RS1(i), RS2(i)))
#define DO_REMU(i)	(RD(i) = RS2(i) ? RS1(i) % RS2(i) : RS1(i))

/* Operations that fall through or TAKE(); the others are written out in hart.c. */
#define TSR_SIMPLE_OPS(X) \
	X(FENCE) X(JAL) X(J) X(BEQ) X(BNE) X(BLT) X(BGE) X(BLTU) X(BGEU) \
	X(LB) X(LH) X(LW) X(LBU) X(LHU) X(SB) X(SH) X(SW) X(CONST) X(MV) \
	X(ADDI) X(SLTI) X(SLTIU) X(XORI) X(ORI) X(ANDI) X(SLLI) X(SRLI) X(SRAI) \
	X(ADD) X(SUB) X(SLL) X(SLT) X(SLTU) X(XOR) X(SRL) X(SRA) X(OR) X(AND) \
	X(MUL) X(MULH) X(MULHSU) X(MULHU) X(DIV) X(DIVU) X(REM) X(REMU)

#endif

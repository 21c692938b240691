// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * RV32IM decoder. Words that are no instruction decode to ILLEGAL, which faults when
 * it is executed; nothing is refused here.
 */
#include "insn.h"

/* immediates, as the formats of the instruction set name them */
static s32 imm_i(u32 w)
{
	return (s32)w >> 20;
}

static s32 imm_s(u32 w)
{
	return ((s32)(w & 0xfe000000) >> 20) | ((w >> 7) & 0x1f);
}

static s32 imm_b(u32 w)
{
	return ((s32)(w & 0x80000000) >> 19) | ((w << 4) & 0x800) | ((w >> 20) & 0x7e0) |
	       ((w >> 7) & 0x1e);
}

static s32 imm_j(u32 w)
{
	return ((s32)(w & 0x80000000) >> 11) | (w & 0xff000) | ((w >> 9) & 0x800) |
	       ((w >> 20) & 0x7fe);
}

/* By funct3; ILLEGAL is 0, so that holes are illegal. */
static const u8 op_load[8] = {
	TSR_OP_LB, TSR_OP_LH, TSR_OP_LW, 0, TSR_OP_LBU, TSR_OP_LHU,
};

static const u8 mem_load[8] = {
	1 | TSR_MEM_SIGNED, 2 | TSR_MEM_SIGNED, 4, 0, 1, 2,
};

static const u8 op_store[8] = { TSR_OP_SB, TSR_OP_SH, TSR_OP_SW };

static const u8 op_branch[8] = {
	TSR_OP_BEQ, TSR_OP_BNE, 0, 0, TSR_OP_BLT, TSR_OP_BGE, TSR_OP_BLTU, TSR_OP_BGEU,
};

static const u8 op_imm[8] = {
	TSR_OP_ADDI, TSR_OP_SLLI, TSR_OP_SLTI, TSR_OP_SLTIU,
	TSR_OP_XORI, TSR_OP_SRLI, TSR_OP_ORI, TSR_OP_ANDI,
};

static const u8 op_reg[8] = {
	TSR_OP_ADD, TSR_OP_SLL, TSR_OP_SLT, TSR_OP_SLTU,
	TSR_OP_XOR, TSR_OP_SRL, TSR_OP_OR, TSR_OP_AND,
};

static const u8 op_muldiv[8] = {
	TSR_OP_MUL, TSR_OP_MULH, TSR_OP_MULHSU, TSR_OP_MULHU,
	TSR_OP_DIV, TSR_OP_DIVU, TSR_OP_REM, TSR_OP_REMU,
};

#define PAIR_ENTRY(a, b)[TSR_OP_##a][TSR_OP_##b] = TSR_OP_##a##_##b,

static const u8 pair_op[TSR_OP_PAIRS][TSR_OP_PAIRS] = { TSR_PAIRS(PAIR_ENTRY) };

static u32 funct3(u32 w)
{
	return (w >> 12) & 7;
}

static u32 decode_jump(struct tsr_insn *in, u32 w, const struct tsr_timing *t)
{
	switch (w & 0x7f) {
	case 0x63:
		if (!op_branch[funct3(w)])
			return t->alu;
		in->op = TSR_OP_BRANCH_FAR;
		in->rd = op_branch[funct3(w)];
		in->imm = imm_b(w);
		break;
	case 0x67:
		if (funct3(w))
			return t->alu;
		in->op = in->rd == TSR_REG_SINK ? TSR_OP_JR : TSR_OP_JALR;
		in->imm = imm_i(w);
		break;
	default:
		in->op = TSR_OP_JAL_FAR;
		in->imm = imm_j(w);
		break;
	}
	in->aux = t->alu + t->branch;
	return t->alu;
}

static u32 decode_mem(struct tsr_insn *in, u32 w, u32 mem_base, const struct tsr_timing *t)
{
	u32 f3 = funct3(w);

	if ((w & 0x7f) == 0x03) {
		if (!op_load[f3])
			return t->alu;
		in->op = op_load[f3];
		in->imm = (u32)imm_i(w) - mem_base;
		in->aux = mem_load[f3];
		return t->load;
	}
	if (!op_store[f3])
		return t->alu;
	in->op = op_store[f3];
	in->imm = (u32)imm_s(w) - mem_base;
	in->aux = (1u << f3) | TSR_MEM_STORE;
	return t->store;
}

static u32 decode_imm(struct tsr_insn *in, u32 w, const struct tsr_timing *t)
{
	u32 f3 = funct3(w), f7 = w >> 25;

	in->imm = imm_i(w);
	if (f3 == 1 || f3 == 5) {
		if (f7 && (f7 != 0x20 || f3 == 1))
			return t->alu;
		in->op = f7 ? TSR_OP_SRAI : op_imm[f3];
		in->imm &= 31;
	} else if (f3 == 0 && !in->rs1) {
		in->op = TSR_OP_CONST;
	} else if (f3 == 0 && !in->imm) {
		in->op = TSR_OP_MV;
	} else {
		in->op = op_imm[f3];
	}
	return t->alu;
}

static u32 decode_reg(struct tsr_insn *in, u32 w, const struct tsr_timing *t)
{
	u32 f3 = funct3(w), f7 = w >> 25;

	switch (f7) {
	case 0:
		in->op = op_reg[f3];
		return t->alu;
	case 1:
		in->op = op_muldiv[f3];
		return f3 < 4 ? t->mul : t->div;
	case 0x20:
		if (f3 == 0)
			in->op = TSR_OP_SUB;
		else if (f3 == 5)
			in->op = TSR_OP_SRA;
		return t->alu;
	default:
		return t->alu;
	}
}

u32 tsr_decode(struct tsr_insn *in, u32 w, u32 pc, u32 mem_base, const struct tsr_timing *t)
{
	u32 rd = (w >> 7) & 31;

	in->op = TSR_OP_ILLEGAL;
	in->rd = rd ? rd : TSR_REG_SINK;
	in->rs1 = (w >> 15) & 31;
	in->rs2 = (w >> 20) & 31;
	in->imm = 0;
	in->aux = w;
	switch (w & 0x7f) {
	case 0x03:
	case 0x23:
		return decode_mem(in, w, mem_base, t);
	case 0x0f:
		if (funct3(w) < 2)
			in->op = funct3(w) ? TSR_OP_FENCE_I : TSR_OP_FENCE;
		return t->alu;
	case 0x13:
		return decode_imm(in, w, t);
	case 0x17:
		in->op = TSR_OP_CONST;
		in->imm = pc + (w & 0xfffff000);
		return t->alu;
	case 0x33:
		return decode_reg(in, w, t);
	case 0x37:
		in->op = TSR_OP_CONST;
		in->imm = w & 0xfffff000;
		return t->alu;
	case 0x63:
	case 0x67:
	case 0x6f:
		return decode_jump(in, w, t);
	case 0x73:
		in->op = TSR_OP_SYSTEM;
		return t->alu;
	default:
		return t->alu;
	}
}

/* A jump inside the text goes to its record directly. */
static void link_jump(struct tsr_insn *in, u32 index, u32 count)
{
	s64 target = (s64)index + in->imm / 4;

	if (in->imm & 3 || target < 0 || target >= count)
		return;
	if (in->op == TSR_OP_BRANCH_FAR)
		in->op = in->rd;
	else
		in->op = in->rd == TSR_REG_SINK ? TSR_OP_J : TSR_OP_JAL;
	in->imm = (in->imm - 4) / 4 * (s32)sizeof(*in);
}

static bool is_far(const struct tsr_insn *in)
{
	return in->op == TSR_OP_BRANCH_FAR || in->op == TSR_OP_JAL_FAR;
}

static bool is_jump(const struct tsr_insn *in)
{
	return is_far(in) || in->op == TSR_OP_JALR || in->op == TSR_OP_JR;
}

struct tsr_text *tsr_text_decode(const struct tsr_timing *timing, u32 mem_base, u32 base,
				 const void *code, u32 size)
{
	u32 count = size / 4, cost = 0, i;
	struct tsr_text *text;
	struct tsr_insn *in;
	u8 *copy;

	text = tsr_alloc(sizeof(*text) + ((size_t)count + 1) * sizeof(*in) + (size_t)count * 4);
	if (!text)
		return NULL;
	copy = (u8 *)&text->insns[count + 1];
	memcpy(copy, code, (size_t)count * 4);
	text->base = base;
	text->count = count;
	text->size = count * 4;
	text->timing = *timing;
	text->code = copy;
	for (i = 0; i < count; i++) {
		in = &text->insns[i];
		in->cost = cost;
		cost += tsr_decode(in, tsr_get32(copy + 4 * i), base + 4 * i, mem_base, timing);
		if (is_jump(in))
			in->aux += in->cost;
		if (is_far(in))
			link_jump(in, i, count);
		if (i % 4096 == 4095)
			tsr_resched();
	}
	text->insns[count].op = TSR_OP_END;
	text->insns[count].cost = cost;
	for (i = 0; i + 1 < count; i++) {
		in = &text->insns[i];
		/* in[1] is not fused yet; a fused one keeps what its slow path needs */
		if (pair_op[in[0].op][in[1].op])
			in->op = pair_op[in[0].op][in[1].op];
		if (i % 4096 == 4095)
			tsr_resched();
	}
	return text;
}

struct tsr_text *tsr_text_new(const struct tsr_timing *timing, u32 base, const void *code, u32 size)
{
	return tsr_text_decode(timing, TSR_L1_BASE, base, code, size);
}

struct tsr_text *tsr_text_free(struct tsr_text *text)
{
	tsr_free(text);
	return NULL;
}

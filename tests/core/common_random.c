// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Random RV32IM programs. They end, whatever their registers hold: jumps go forward, but for
 * loops over counters that nothing else writes and returns from calls.
 */
#include <stdlib.h>
#include <string.h>

#include "common_random.h"
#include "common_rv.h"

#define BLOCK_MAX	24	/* units in a block */
#define SNIPPETS_MAX	256
#define ORDER		97	/* a prime: from each snippet to the one as many places on */

/* Registers that snippets do not write: the counters of loops, inner and outer, and the base. */
enum { INNER = T4, OUTER = T5, BASE = T6, FREE = T4 };

static const u32 edges[] = {
	0, 1, 2, 3, 7, 31, 32, 0x7f, 0x80, 0xff, 0x7ff, 0x800, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaab, 0xffff8000, 0xfffffffe,
	0xffffffff,
};

static const u32 ops[] = {	/* with rd, rs1 and rs2 of 0 */
	ADD(0, 0, 0), SUB(0, 0, 0), SLL(0, 0, 0), SLT(0, 0, 0), SLTU(0, 0, 0), XOR(0, 0, 0),
	SRL(0, 0, 0), SRA(0, 0, 0), OR(0, 0, 0), AND(0, 0, 0), MUL(0, 0, 0), MULH(0, 0, 0),
	MULHSU(0, 0, 0), MULHU(0, 0, 0), DIV(0, 0, 0), DIVU(0, 0, 0), REM(0, 0, 0), REMU(0, 0, 0),
};

static const u32 imm_ops[] = {
	ADDI(0, 0, 0), SLTI(0, 0, 0), SLTIU(0, 0, 0), XORI(0, 0, 0), ORI(0, 0, 0), ANDI(0, 0, 0),
};

static const u32 shift_ops[] = { SLLI(0, 0, 0), SRLI(0, 0, 0), SRAI(0, 0, 0) };

static const u32 branches[] = {
	BEQ(0, 0, 0), BNE(0, 0, 0), BLT(0, 0, 0), BGE(0, 0, 0), BLTU(0, 0, 0), BGEU(0, 0, 0),
};

#define PICK(p, list)	((list)[below(p, ARRAY_SIZE(list))])

static u32 below(struct program *p, u32 n)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (u32)(p->random >> 32) % n;
}

static u32 value(struct program *p)
{
	return below(p, 3) ? PICK(p, edges) : (u32)p->random;
}

/* Few registers meet more often. */
static u32 source(struct program *p)
{
	return below(p, 4) ? A0 + below(p, 6) : below(p, 32);
}

static u32 target(struct program *p)
{
	return below(p, 4) ? A0 + below(p, 6) : below(p, FREE);
}

void program_put(struct program *p, u32 word)
{
	if (p->n == CODE_MAX)
		abort();
	p->code[p->n++] = word;
}

void program_li(struct program *p, u32 rd, u32 v)
{
	program_put(p, LUI(rd, (v + 0x800) >> 12));
	program_put(p, ADDI(rd, rd, (s32)(v << 20) >> 20));
}

static u32 regs(u32 rd, u32 rs1, u32 rs2)
{
	return rd << 7 | rs1 << 15 | rs2 << 20;
}

/* A load or store at an address in the memory of the snippet, aligned or not. */
static void put_access(struct program *p, u32 rs1, u32 room)
{
	s32 at = (s32)below(p, MEMORY - room) - MEMORY / 2;
	u32 r;

	if (below(p, 3))
		at &= ~3;
	r = below(p, 2) ? target(p) : source(p);
	switch (below(p, 8)) {
	case 0:
		return program_put(p, LB(r % FREE, rs1, at));
	case 1:
		return program_put(p, LBU(r % FREE, rs1, at));
	case 2:
		return program_put(p, LH(r % FREE, rs1, at));
	case 3:
		return program_put(p, LHU(r % FREE, rs1, at));
	case 4:
		return program_put(p, LW(r % FREE, rs1, at));
	case 5:
		return program_put(p, SB(r, rs1, at));
	case 6:
		return program_put(p, SH(r, rs1, at));
	default:
		return program_put(p, SW(r, rs1, at));
	}
}

/* Through an address that is computed. */
static void put_indexed(struct program *p)
{
	u32 r = 1 + below(p, FREE - 1);

	program_put(p, ANDI(r, source(p), 63));
	program_put(p, ADD(r, r, BASE));
	put_access(p, r, 68);
}

/* A call, and the return backwards. */
static void put_call(struct program *p)
{
	u32 link = 1 + below(p, FREE - 1);

	program_put(p, JAL(link, 12));
	program_put(p, PICK(p, ops) | regs(target(p), source(p), source(p)));
	program_put(p, JAL(ZERO, 12));
	program_put(p, XORI(link == A0 ? A1 : A0, source(p), 0x5a5));
	program_put(p, JALR(ZERO, link, below(p, 2)));
}

/* Offsets are filled in by put_block(). */
static void put_jump(struct program *p)
{
	u32 r = 1 + below(p, FREE - 1);

	switch (below(p, 8)) {
	case 0:
		return program_put(p, JAL(ZERO, 0));
	case 1:
		return program_put(p, JAL(target(p), 0));
	case 2:
		program_put(p, AUIPC(r, 0));
		return program_put(p, JALR(below(p, 2) ? r : target(p), r, below(p, 2)));
	default:
		return program_put(p, PICK(p, branches) | regs(0, source(p), source(p)));
	}
}

/* What compilers write often, for pairs of these are executed in one go. */
static void put_common(struct program *p)
{
	static const u32 often[] = {
		ADD(0, 0, 0), ADD(0, 0, 0), SUB(0, 0, 0), AND(0, 0, 0), OR(0, 0, 0), XOR(0, 0, 0),
		MUL(0, 0, 0), SLTU(0, 0, 0),
	};

	switch (below(p, 8)) {
	case 0:
		return program_put(p, ADDI(target(p), source(p), 0));
	case 1:
		return program_put(p, ADDI(target(p), ZERO, value(p)));
	case 2:
		return program_put(p, ADDI(target(p), source(p), value(p)));
	case 3:
		return program_put(p, ANDI(target(p), source(p), value(p)));
	case 4:
		return program_put(p, PICK(p, shift_ops) | regs(target(p), source(p), below(p, 32)));
	default:
		return program_put(p, PICK(p, often) | regs(target(p), source(p), source(p)));
	}
}

/* True: the unit is a jump. */
static bool put_unit(struct program *p)
{
	u32 kind = below(p, 52);

	if (kind >= 40)
		put_common(p);
	else if (kind < 14)
		program_put(p, PICK(p, ops) | regs(target(p), source(p), source(p)));
	else if (kind < 20)
		program_put(p, PICK(p, imm_ops) | rv_i(value(p), source(p), 0, target(p), 0));
	else if (kind < 22)
		program_put(p, PICK(p, shift_ops) | regs(target(p), source(p), below(p, 32)));
	else if (kind < 23)
		program_put(p, below(p, 2) ? LUI(target(p), value(p)) : AUIPC(target(p), value(p)));
	else if (kind < 25)
		program_li(p, 1 + below(p, FREE - 1), value(p));
	else if (kind < 31)
		put_access(p, BASE, 4);
	else if (kind < 33)
		put_indexed(p);
	else if (kind < 34)
		put_call(p);
	else if (kind < 35)
		program_put(p, below(p, 8) ? FENCE() : FENCE_I());
	else
		put_jump(p);
	return kind >= 35 && kind < 40;
}

/* Makes the jump of a unit lead to index @to. */
static void aim(struct program *p, u32 unit, u32 to)
{
	s32 off = (s32)(to - unit) * 4;

	switch (p->code[unit] & 0x7f) {
	case 0x17:
		p->code[unit + 1] |= rv_i(off, 0, 0, 0, 0);
		break;
	case 0x6f:
		p->code[unit] |= rv_j(off, 0);
		break;
	default:
		p->code[unit] |= rv_b(off, 0, 0, 0);
	}
}

/* Units with jumps forward among them. */
static void put_block(struct program *p)
{
	u32 count = 1 + below(p, BLOCK_MAX), start[BLOCK_MAX + 1], i;
	bool jump[BLOCK_MAX];

	for (i = 0; i < count; i++) {
		start[i] = p->n;
		jump[i] = put_unit(p);
	}
	start[count] = p->n;
	for (i = 0; i < count; i++)
		if (jump[i])
			aim(p, start[i], start[i + 1 + below(p, count - i)]);
}

static void put_loop(struct program *p, u32 counter)
{
	u32 times = 1 + below(p, 4), begin;

	program_put(p, ADDI(counter, ZERO, times));
	begin = p->n;
	put_block(p);
	if (counter == OUTER && below(p, 2)) {
		put_loop(p, INNER);
		put_block(p);
	}
	program_put(p, ADDI(counter, counter, -1));
	program_put(p, BNE(counter, ZERO, (s32)(begin - p->n) * 4));
}

static void put_filler(struct program *p)
{
	u32 i, n = below(p, 480);

	for (i = 0; i < n; i++)
		program_put(p, (u32)p->random * 0x10001 * (i + 1));
}

/* Branches as far as they reach, forward and back, over what is never executed. */
static void put_hops(struct program *p)
{
	u32 first = p->n, second, third;

	program_put(p, BNE(BASE, ZERO, 0));
	put_filler(p);
	second = p->n;
	program_put(p, BEQ(ZERO, ZERO, 0));
	put_filler(p);
	third = p->n;
	program_put(p, BGEU(BASE, ZERO, 0));
	put_filler(p);
	aim(p, first, third);
	aim(p, third, second);
	aim(p, second, p->n);
}

/* A program of its own: registers and memory of its own, and everything recorded. */
static void put_snippet(struct program *p, u32 nr)
{
	u32 blocks = 1 + below(p, 4), i;

	program_li(p, BASE, p->data_base + nr * RECORD + MEMORY / 2);
	for (i = 1; i < BASE; i++)
		program_li(p, i, value(p));
	for (i = 0; i < blocks; i++) {
		if (below(p, 2))
			put_loop(p, OUTER);
		else
			put_block(p);
	}
	if (!below(p, 4))
		put_hops(p);
	for (i = 0; i < 32; i++)
		program_put(p, SW(i, BASE, MEMORY / 2 + (s32)i * 4));
	for (i = 0; i < MEMORY / 4; i++)
		p->data[nr * RECORD / 4 + i] = value(p);
}

/* Each operation on each pair of edge values; a0 and a1 are the operands. */
static u32 put_edge_pairs(struct program *p)
{
	u32 i, n = 0;

	for (i = 0; i < ARRAY_SIZE(ops); i++, n++) {
		program_put(p, ops[i] | regs(A2, A0, A1));
		program_put(p, SW(A2, S1, (s32)n * 4));
	}
	for (i = 0; i < ARRAY_SIZE(branches); i++, n++) {
		program_put(p, ADDI(A2, ZERO, 1));
		program_put(p, branches[i] | regs(0, A0, A1) | rv_b(8, 0, 0, 0));
		program_put(p, ADDI(A2, ZERO, 0));
		program_put(p, SW(A2, S1, (s32)n * 4));
	}
	return n;
}

static u32 put_edge_immediates(struct program *p)
{
	static const s32 imms[] = { 0, 1, -1, 2047, -2048, 0x555 };
	u32 i, j, n = 0;

	for (i = 0; i < ARRAY_SIZE(imm_ops); i++)
		for (j = 0; j < ARRAY_SIZE(imms); j++, n++) {
			program_put(p, imm_ops[i] | rv_i(imms[j], A0, 0, A2, 0));
			program_put(p, SW(A2, S1, (s32)n * 4));
		}
	for (i = 0; i < ARRAY_SIZE(shift_ops); i++)
		for (j = 0; j < 32; j++, n++) {
			program_put(p, shift_ops[i] | regs(A2, A0, j));
			program_put(p, SW(A2, S1, (s32)n * 4));
		}
	return n;
}

/* Data: the edge values, then the results. */
void program_edges(struct program *p)
{
	u32 size = sizeof(edges), outer, inner, n;

	memcpy(p->data, edges, size);
	program_li(p, S0, p->data_base);
	program_li(p, S1, p->data_base + size);
	program_put(p, ADDI(S2, S0, 0));
	outer = p->n;
	program_put(p, LW(A0, S2, 0));
	n = put_edge_immediates(p);
	p->words = ARRAY_SIZE(edges) * (1 + n);
	program_put(p, ADDI(S1, S1, (s32)n * 4));
	program_put(p, ADDI(S3, S0, 0));
	inner = p->n;
	program_put(p, LW(A1, S3, 0));
	n = put_edge_pairs(p);
	p->words += ARRAY_SIZE(edges) * ARRAY_SIZE(edges) * n;
	program_put(p, ADDI(S1, S1, (s32)n * 4));
	program_put(p, ADDI(S3, S3, 4));
	program_put(p, ADDI(T0, S0, (s32)size));
	program_put(p, BNE(S3, T0, (s32)(inner - p->n) * 4));
	program_put(p, ADDI(S2, S2, 4));
	program_put(p, BNE(S2, T0, (s32)(outer - p->n) * 4));
}

/* They are executed in another order than they lie in memory, so that there are far jumps. */
void program_random(struct program *p, u32 snippets)
{
	u32 entry[SNIPPETS_MAX], leave[SNIPPETS_MAX], i, next;

	if (snippets > SNIPPETS_MAX)
		abort();
	for (i = 0; i < snippets; i++) {
		entry[i] = p->n;
		put_snippet(p, i);
		leave[i] = p->n;
		program_put(p, JAL(ZERO, 0));
	}
	for (i = 0; i < snippets; i++) {
		next = (i + ORDER) % snippets;
		aim(p, leave[i], next ? entry[next] : p->n);
	}
	p->words = snippets * RECORD / 4;
}

/* Rewrites what follows, which is no instruction: what was decoded before is of no use. */
void program_rewrite(struct program *p)
{
	program_li(p, T0, p->base + (p->n + 6) * 4);
	program_li(p, T1, NOP());
	program_put(p, SW(T1, T0, 0));
	program_put(p, FENCE_I());
	program_put(p, 0);
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * RV32IM interpreter: threaded dispatch over predecoded records. The fast path holds
 * its state in locals; whatever needs the host goes through the hart structure.
 */
#include "hart.h"
#include "hart_ops.inc"

static inline u32 rv_div(u32 a, u32 b)
{
	if (!b)
		return 0xffffffffu;
	if (a == 0x80000000u && b == 0xffffffffu)
		return a;
	return (u32)((s32)a / (s32)b);
}

static inline u32 rv_rem(u32 a, u32 b)
{
	if (!b)
		return a;
	if (b == 0xffffffffu)
		return 0;
	return (u32)((s32)a % (s32)b);
}

static bool condition(u32 op, u32 a, u32 b)
{
	switch (op) {
	case TSR_OP_BEQ:
		return a == b;
	case TSR_OP_BNE:
		return a != b;
	case TSR_OP_BLT:
		return (s32)a < (s32)b;
	case TSR_OP_BGE:
		return (s32)a >= (s32)b;
	case TSR_OP_BLTU:
		return a < b;
	default:
		return a >= b;
	}
}

static bool in_memory(const struct tsr_hart *h, u32 addr, u32 size)
{
	return addr >= h->mem_base && (u64)(addr - h->mem_base) + size <= h->mem_size;
}

static u32 load_bytes(const u8 *p, u32 size)
{
	u32 v = 0, i;

	for (i = 0; i < size; i++)
		v |= (u32)p[i] << (8 * i);
	return v;
}

static void store_bytes(u8 *p, u32 size, u32 value)
{
	u32 i;

	for (i = 0; i < size; i++)
		p[i] = value >> (8 * i);
}

static enum tsr_access access_at(struct tsr_hart *h, u32 addr, u32 how, u32 *value)
{
	u32 size = how & TSR_MEM_SIZE;
	bool store = how & TSR_MEM_STORE;
	bool inside = in_memory(h, addr, size);
	const struct tsr_asked asked = {
		.known = TSR_KNOWN_AMOUNT | (store ? TSR_KNOWN_WRITE : TSR_KNOWN_READ),
		.amount = size,
	};

	if (addr & (size - 1) && !(h->misaligned && inside))
		return tsr_hart_fault_asking(h, store ? TSR_FAULT_STORE_MISALIGNED :
					     TSR_FAULT_LOAD_MISALIGNED, addr, &asked);
	if (inside) {
		if (store)
			store_bytes(h->mem + (addr - h->mem_base), size, *value);
		else
			*value = load_bytes(h->mem + (addr - h->mem_base), size);
		return TSR_ACCESS_OK;
	}
	if (!h->bus)
		return tsr_hart_fault_asking(h, store ? TSR_FAULT_STORE_RANGE :
					     TSR_FAULT_LOAD_RANGE, addr, &asked);
	return store ? h->bus->store(h, addr, size, *value) : h->bus->load(h, addr, size, value);
}

/* A load or store that is misaligned or not in memory; h is up to date before it. */
static noinline enum tsr_access slow_access(struct tsr_hart *h, const struct tsr_insn *ip)
{
	u32 how = ip->aux;
	u32 addr = h->x[ip->rs1] + (u32)ip->imm + h->mem_base;
	u32 value = how & TSR_MEM_STORE ? h->x[ip->rs2] : 0;
	u64 before = h->cycles;
	enum tsr_access ret;

	h->cycles += ip[1].cost - ip->cost;
	ret = access_at(h, addr, how, &value);
	if (ret == TSR_ACCESS_STALL || ret == TSR_ACCESS_FAULT) {
		h->cycles = before;
		return ret;
	}
	if (!(how & TSR_MEM_STORE)) {
		if (how & TSR_MEM_SIGNED)
			value = (how & TSR_MEM_SIZE) == 1 ? (u32)(s8)value : (u32)(s16)value;
		h->x[ip->rd] = value;
	}
	tsr_hart_retire(h, 0);
	return ret;
}

/* fence.i: does memory still hold the code that was decoded? */
static noinline void fence_i(struct tsr_hart *h)
{
	const struct tsr_text *text = h->text;
	u32 cost = h->timing->alu;

	if (text) {
		h->stale = !in_memory(h, text->base, text->size) ||
			   memcmp(h->mem + (text->base - h->mem_base), text->code, text->size);
		cost += text->size / 16;
		h->looked += text->size;
	}
	tsr_hart_retire(h, cost);
}

bool tsr_hart_straight(const struct tsr_hart *h)
{
	const struct tsr_text *text = h->text;

	return text && !h->stale && ROR(h->pc - text->base, 2) < text->count &&
	       ROR(h->pc - 4 - text->base, 2) < text->count;
}

/* Decode the instruction at pc from memory, followed by an END record. */
static noinline const struct tsr_insn *decode_step(struct tsr_hart *h)
{
	u32 word = tsr_get32(h->mem + (h->pc - h->mem_base));

	h->step[0].cost = 0;
	h->step[1].cost = tsr_decode(&h->step[0], word, h->pc, h->mem_base, h->timing);
	h->step[1].op = TSR_OP_END;
	return h->step;
}

/* pc of the fault: of the jump that led nowhere, the address being where it led. */
static enum tsr_exit fetch_fault(struct tsr_hart *h, u32 to)
{
	h->pc = h->from;
	tsr_hart_fault(h, TSR_FAULT_FETCH, to);
	return TSR_EXIT_FAULT;
}

static enum tsr_exit exit_of(enum tsr_access ret)
{
	switch (ret) {
	case TSR_ACCESS_HALT:
		return TSR_EXIT_HALT;
	case TSR_ACCESS_STALL:
		return TSR_EXIT_STALL;
	case TSR_ACCESS_FAULT:
		return TSR_EXIT_FAULT;
	default:
		return TSR_EXIT_LIMIT;
	}
}

/* Bring the hart up to date with the locals; ip is the next instruction. */
#define COMMIT()							\
	do {								\
		h->pc = HERE();						\
		h->cycles = cyc + ip->cost;				\
		h->instret += (run + ((const char *)ip - (const char *)code)) / \
			      (long)sizeof(*ip);			\
	} while (0)

/* The opposite: take the locals from the hart, ip and code being set. */
#define RESUME()							\
	do {								\
		cyc = h->cycles - ip->cost;				\
		limit = h->limit;					\
		run = -(long)((const char *)ip - (const char *)code);	\
	} while (0)

enum tsr_exit tsr_hart_run(struct tsr_hart *h)
{
	static const void * const labels[TSR_OP_COUNT] TSR_JUMP_TABLE = {
		TSR_OPS(LABEL) TSR_PAIRS(PAIR_LABEL)
	};
	u32 *const x = h->x;
	u8 *const mem = h->mem;
	const u32 words = h->mem_size / 4;
	const struct tsr_insn *ip, *code;
	u32 base, to;
	u64 cyc, limit;
	enum tsr_access ret;
	long run;

enter:	/* from h->pc; a jump from outside the text, or into it */
	if (h->text && !h->stale && ROR(h->pc - h->text->base, 2) < h->text->count) {
		base = h->text->base;
		code = h->text->insns;
		ip = code + (h->pc - base) / 4;
	} else if (!(h->pc & 3) && in_memory(h, h->pc, 4)) {
		base = h->pc;
		code = decode_step(h);
		ip = code;
	} else {
		return fetch_fault(h, h->pc);
	}
	RESUME();
	DISPATCH();

	TSR_SIMPLE_OPS(HANDLER)
	TSR_PAIRS(PAIR_HANDLER);

L_JALR:
L_JR:
	to = (RS1(0) + IMM(0)) & ~1u;
	if (likely(code != h->step && ROR(to - base, 2) < h->text->count)) {
		cyc += ip->aux;
		RD(0) = HERE() + 4;
		run += (const char *)(ip + 1) - (const char *)code;
		ip = code + (to - base) / 4;
		run -= (const char *)ip - (const char *)code;
		if (unlikely(cyc >= limit))
			goto out_limit;
		cyc -= ip->cost;
		DISPATCH();
	}
	goto jump_far;
L_BRANCH_FAR:
	if (!condition(ip->rd, RS1(0), RS2(0)))
		NEXT(1);
	to = HERE() + IMM(0);
	goto jump_far;
L_JAL_FAR:
	to = HERE() + IMM(0);
jump_far:
	h->from = HERE();
	if (to & 3) {
		COMMIT();
		return fetch_fault(h, to);
	}
	cyc += ip->aux;
	if (ip->op != TSR_OP_BRANCH_FAR)
		RD(0) = HERE() + 4;
	ip++;
	cyc -= ip->cost;
	COMMIT();
	h->pc = to;
	goto next_text;

L_END:
	COMMIT();
	h->from = h->pc;
next_text:
	if (h->cycles >= h->limit)
		return TSR_EXIT_LIMIT;
	goto enter;

L_FENCE_I:
	COMMIT();
	fence_i(h);
	goto next_text;
L_SYSTEM:
	COMMIT();
	h->address = ip->aux;
	return TSR_EXIT_SYSTEM;
L_ILLEGAL:
	COMMIT();
	tsr_hart_fault(h, TSR_FAULT_ILLEGAL_INSN, ip->aux);
	return TSR_EXIT_FAULT;

slow_mem:
	COMMIT();
	ret = slow_access(h, ip);
	if (ret != TSR_ACCESS_OK)
		return exit_of(ret);
	ip++;
	RESUME();
	DISPATCH();

out_limit:
	cyc -= ip->cost;
	COMMIT();
	return TSR_EXIT_LIMIT;
}

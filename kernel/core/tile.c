// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Tile unit: operands from L1, conversions, integer arithmetic, and the brackets around
 * floating point. Conversions work on bits, so that only tile_fp.c needs an FPU.
 */
#include "grid_int.h"
#include "tile_fp.h"

#define DIM		TSR_TILE_DIM
#define N		TSR_TILE_ELEMENTS
#define FP_ROWS		8	/* of a product, and their elements: what one FPU bracket does */
#define FP_ELEMENTS	(FP_ROWS * DIM)

static const u16 tile_bytes[TSR_FORMATS] = {
	[TSR_FORMAT_INT8] = N,
	[TSR_FORMAT_INT32] = 4 * N,
	[TSR_FORMAT_BF16] = 2 * N,
	[TSR_FORMAT_FP32] = 4 * N,
};

static bool is_fp(u32 format)
{
	return format == TSR_FORMAT_BF16 || format == TSR_FORMAT_FP32;
}

/* Load a tile in the accumulator's type. */
static void unpack(u32 *to, const u8 *from, u32 format)
{
	u32 i;

	switch (format) {
	case TSR_FORMAT_INT8:
		for (i = 0; i < N; i++)
			to[i] = (u32)(s8)from[i];
		break;
	case TSR_FORMAT_BF16:
		for (i = 0; i < N; i++)
			to[i] = tsr_get16(from + 2 * i) << 16;
		break;
	default:
		for (i = 0; i < N; i++)
			to[i] = tsr_get32(from + 4 * i);
		break;
	}
}

/* Nearest, ties to even; a NaN keeps its sign and upper bits and is quiet. */
static u16 bf16_of(u32 v)
{
	if ((v & 0x7fffffff) > 0x7f800000)
		return v >> 16 | 0x40;
	return (v + 0x7fff + (v >> 16 & 1)) >> 16;
}

static u8 int8_of(u32 v)
{
	s32 s = (s32)v;

	return (u8)(s < -128 ? -128 : s > 127 ? 127 : s);
}

static void pack(u8 *to, const u32 *from, u32 format)
{
	u32 i;

	switch (format) {
	case TSR_FORMAT_INT8:
		for (i = 0; i < N; i++)
			to[i] = int8_of(from[i]);
		break;
	case TSR_FORMAT_BF16:
		for (i = 0; i < N; i++)
			tsr_put16(to + 2 * i, bf16_of(from[i]));
		break;
	default:
		for (i = 0; i < N; i++)
			tsr_put32(to + 4 * i, from[i]);
		break;
	}
}

/* fp32 to int32: nearest, ties to even; saturates; NaN is 0. */
static u32 int32_of(u32 v)
{
	u32 exp = v >> 23 & 0xff, neg = v >> 31;
	u32 man = (v & 0x7fffff) | 0x800000;
	u32 shift, whole, rest, half;

	if (exp == 0xff && v & 0x7fffff)
		return 0;
	if (exp >= 127 + 31)
		return neg ? 0x80000000u : 0x7fffffffu;
	if (exp < 126)
		return 0;
	if (exp >= 127 + 23) {
		whole = man << (exp - 127 - 23);
	} else {
		shift = 127 + 23 - exp;
		whole = man >> shift;
		rest = man & ((1u << shift) - 1);
		half = 1u << (shift - 1);
		whole += rest > half || (rest == half && whole & 1);
	}
	return neg ? 0u - whole : whole;
}

static void int_matmul(u32 *dst, const u32 *a, const u32 *b)
{
	u32 i, j, k;

	for (i = 0; i < DIM; i++) {
		u32 *d = dst + i * DIM;
		u32 acc[DIM];

		memcpy(acc, d, sizeof(acc));
		for (k = 0; k < DIM; k++) {
			const u32 *row = b + k * DIM;
			u32 v = a[i * DIM + k];

			for (j = 0; j < DIM; j++)
				acc[j] += v * row[j];
		}
		memcpy(d, acc, sizeof(acc));
	}
}

static void matmul(u32 *dst, const u32 *a, const u32 *b, bool fp)
{
	u32 i;

	if (!fp) {
		int_matmul(dst, a, b);
		return;
	}
	for (i = 0; i < DIM; i += FP_ROWS) {
		tsr_fpu_begin();
		tsr_fp_matmul(dst + i * DIM, a + i * DIM, b, FP_ROWS);
		tsr_fpu_end();
	}
}

static void int_binary(enum tsr_fp_op op, u32 *dst, const u32 *a, const u32 *b)
{
	u32 i;

	switch (op) {
	case TSR_FP_ADD:
		for (i = 0; i < N; i++)
			dst[i] = a[i] + b[i];
		break;
	case TSR_FP_SUB:
		for (i = 0; i < N; i++)
			dst[i] = a[i] - b[i];
		break;
	case TSR_FP_MUL:
		for (i = 0; i < N; i++)
			dst[i] = a[i] * b[i];
		break;
	case TSR_FP_MAX:
		for (i = 0; i < N; i++)
			dst[i] = (s32)a[i] > (s32)b[i] ? a[i] : b[i];
		break;
	}
}

static void binary(enum tsr_fp_op op, u32 *dst, const u32 *a, const u32 *b, bool fp)
{
	u32 i;

	if (!fp) {
		int_binary(op, dst, a, b);
		return;
	}
	for (i = 0; i < N; i += FP_ELEMENTS) {
		tsr_fpu_begin();
		tsr_fp_binary(op, dst + i, a + i, b + i, FP_ELEMENTS);
		tsr_fpu_end();
	}
}

/* Whatever is not greater than zero becomes +0: negative numbers, -0, NaN. */
static void relu(u32 *dst, bool fp)
{
	u32 i;

	for (i = 0; i < N; i++)
		if (dst[i] >> 31 || (fp && dst[i] > 0x7f800000))
			dst[i] = 0;
}

static void to_fp32(u32 *dst)
{
	u32 i;

	for (i = 0; i < N; i += FP_ELEMENTS) {
		tsr_fpu_begin();
		tsr_fp_from_int(dst + i, FP_ELEMENTS);
		tsr_fpu_end();
	}
}

static void to_int32(u32 *dst)
{
	u32 i;

	for (i = 0; i < N; i++)
		dst[i] = int32_of(dst[i]);
}

/* What an operation needs and does. */
#define USES_A		0x01
#define USES_B		0x02
#define WRITES_A	0x04
#define USES_FORMAT	0x08
#define BINARY		0x10	/* dst = A op B */
#define BINARY_DST	0x20	/* dst = dst op A */

static const struct tile_op {
	u8 flags;
	u8 binary;		/* enum tsr_fp_op */
} tile_ops[] = {
	[TSR_TILE_ZERO] = { 0x80, 0 },
	[TSR_TILE_LOAD] = { USES_A | USES_FORMAT, 0 },
	[TSR_TILE_STORE] = { WRITES_A | USES_FORMAT, 0 },
	[TSR_TILE_MATMUL] = { USES_A | USES_B | USES_FORMAT, 0 },
	[TSR_TILE_ADD] = { USES_A | USES_B | USES_FORMAT | BINARY, TSR_FP_ADD },
	[TSR_TILE_SUB] = { USES_A | USES_B | USES_FORMAT | BINARY, TSR_FP_SUB },
	[TSR_TILE_MUL] = { USES_A | USES_B | USES_FORMAT | BINARY, TSR_FP_MUL },
	[TSR_TILE_MAX] = { USES_A | USES_B | USES_FORMAT | BINARY, TSR_FP_MAX },
	[TSR_TILE_RELU] = { USES_FORMAT, 0 },
	[TSR_TILE_ADD_DST] = { USES_A | USES_FORMAT | BINARY_DST, TSR_FP_ADD },
	[TSR_TILE_MUL_DST] = { USES_A | USES_FORMAT | BINARY_DST, TSR_FP_MUL },
	[TSR_TILE_MAX_DST] = { USES_A | USES_FORMAT | BINARY_DST, TSR_FP_MAX },
	[TSR_TILE_TO_FP32] = { 0x80, 0 },
	[TSR_TILE_TO_INT32] = { 0x80, 0 },
};

static enum tsr_access tile_fault(struct tsr_proc *p, u32 address)
{
	return tsr_hart_fault(&p->hart, TSR_FAULT_TILE, address);
}

static bool operand_ok(const struct tsr_proc *p, u32 addr)
{
	return !(addr & 15) && tsr_in_l1(p->core->grid, addr, tile_bytes[p->core->tile.format]);
}

static enum tsr_access check(struct tsr_proc *p, u32 op)
{
	const struct tsr_tile *t = &p->core->tile;
	u32 flags = op < ARRAY_SIZE(tile_ops) ? tile_ops[op].flags : 0;

	if (!flags || t->dst >= TSR_TILE_REGS)
		return tile_fault(p, TSR_REG_TILE + TSR_TILE_OP);
	if (flags & USES_FORMAT && (t->format >= TSR_FORMATS || !tile_bytes[t->format]))
		return tile_fault(p, TSR_REG_TILE + TSR_TILE_OP);
	if (flags & (USES_A | WRITES_A) && !operand_ok(p, t->a))
		return tile_fault(p, t->a);
	if (flags & USES_B && !operand_ok(p, t->b))
		return tile_fault(p, t->b);
	return TSR_ACCESS_OK;
}

static void perform(struct tsr_core *c, u32 op)
{
	const struct tile_op *o = &tile_ops[op];
	struct tsr_tile *t = &c->tile;
	u32 *dst = t->regs + t->dst * N;
	u32 *a = t->regs + TSR_TILE_REGS * N;
	u32 *b = a + N;
	bool fp = is_fp(t->format);

	if (op == TSR_TILE_LOAD)
		a = dst;
	if (o->flags & USES_A)
		unpack(a, tsr_l1_at(c, t->a), t->format);
	if (o->flags & USES_B)
		unpack(b, tsr_l1_at(c, t->b), t->format);
	if (o->flags & BINARY)
		binary(o->binary, dst, a, b, fp);
	else if (o->flags & BINARY_DST)
		binary(o->binary, dst, dst, a, fp);
	else if (op == TSR_TILE_ZERO)
		memset(dst, 0, N * sizeof(*dst));
	else if (op == TSR_TILE_STORE)
		pack(tsr_l1_at(c, t->a), dst, t->format);
	else if (op == TSR_TILE_MATMUL)
		matmul(dst, a, b, fp);
	else if (op == TSR_TILE_RELU)
		relu(dst, fp);
	else if (op == TSR_TILE_TO_FP32)
		to_fp32(dst);
	else if (op == TSR_TILE_TO_INT32)
		to_int32(dst);
}

static enum tsr_access execute(struct tsr_proc *p, u32 op)
{
	const struct tsr_timing *timing = p->hart.timing;
	enum tsr_access ret = check(p, op);

	if (ret != TSR_ACCESS_OK)
		return ret;
	perform(p->core, op);
	p->hart.cycles += op == TSR_TILE_MATMUL ? timing->tile_matmul : timing->tile_op;
	return tsr_proc_worked(p, op == TSR_TILE_MATMUL ? 64 * N : 8 * N);
}

static u32 *tile_register(struct tsr_tile *t, u32 reg)
{
	switch (reg) {
	case TSR_TILE_A:
		return &t->a;
	case TSR_TILE_B:
		return &t->b;
	case TSR_TILE_DST:
		return &t->dst;
	case TSR_TILE_FORMAT:
		return &t->format;
	default:
		return NULL;
	}
}

enum tsr_access tsr_tile_load(struct tsr_proc *p, u32 reg, u32 *ret)
{
	const u32 *value = tile_register(&p->core->tile, reg);

	if (p->index != TSR_PROC_COMPUTE)
		return tile_fault(p, TSR_REG_TILE + reg);
	if (!value && reg != TSR_TILE_OP)
		return tsr_hart_fault(&p->hart, TSR_FAULT_LOAD_RANGE, TSR_REG_TILE + reg);
	*ret = value ? *value : 0;
	return TSR_ACCESS_OK;
}

enum tsr_access tsr_tile_store(struct tsr_proc *p, u32 reg, u32 value)
{
	u32 *to = tile_register(&p->core->tile, reg);

	if (p->index != TSR_PROC_COMPUTE)
		return tile_fault(p, TSR_REG_TILE + reg);
	if (reg == TSR_TILE_OP)
		return execute(p, value);
	if (!to)
		return tsr_hart_fault(&p->hart, TSR_FAULT_STORE_RANGE, TSR_REG_TILE + reg);
	*to = value;
	return TSR_ACCESS_OK;
}

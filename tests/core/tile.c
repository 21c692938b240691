// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Tile unit: each operation in each format against arithmetic written out here. */
#include <math.h>

#include "kselftest_harness.h"

#include "common_grid.h"

#define N	1024
#define TILE(reg)	(TSR_REG_TILE + TSR_TILE_##reg)

FIXTURE(tile) {
	struct tsr_grid_config cfg;
	struct prog p;
	struct tsr_grid *grid;
	u8 *a, *b, *out;		/* in L1 */
	u32 at_a, at_b, at_out;
};

FIXTURE_SETUP(tile)
{
	tsr_grid_config_default(&self->cfg);
	self->cfg.deterministic = true;
	self->cfg.width = 2;
	self->cfg.height = 1;
	self->grid = tsr_grid_new(&self->cfg, NULL);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
	self->at_a = self->p.limits.cb_base;
	self->at_b = self->at_a + 4 * N;
	self->at_out = self->at_b + 4 * N;
	self->a = tsr_grid_l1(self->grid, 0, 0) + (self->at_a - TSR_L1_BASE);
	self->b = self->a + 4 * N;
	self->out = self->b + 4 * N;
}

FIXTURE_TEARDOWN(tile)
{
	prog_fini(&self->p);
	tsr_grid_free(self->grid);
}

static void op(struct rv *k, u32 what, u32 dst, u32 format, u32 a, u32 b)
{
	rv_store(k, TILE(A), a);
	rv_store(k, TILE(B), b);
	rv_store(k, TILE(DST), dst);
	rv_store(k, TILE(FORMAT), format);
	rv_store(k, TILE(OP), what);
}

static enum tsr_grid_state run(struct prog *p, struct tsr_grid *grid, const struct rv *k)
{
	prog_fini(p);
	p->blob.n_images = p->blob.n_descriptors = p->blob.n_ranges = p->blob.data_size = 0;
	prog_kernel(p, k, TSR_PROC_COMPUTE, 0, 0, 0, 0);
	prog_launch(p, grid);
	return grid_finish(grid, 1000);
}

static float f32(u32 bits)
{
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static u32 bits_of(float f)
{
	u32 bits;

	memcpy(&bits, &f, 4);
	return bits;
}

static bool is_fp(u32 format)
{
	return format >= TSR_FORMAT_BF16;
}

/* An element of a tile as the accumulator sees it. */
static u32 get(const u8 *tile, u32 format, u32 i)
{
	switch (format) {
	case TSR_FORMAT_INT8:
		return (u32)(s8)tile[i];
	case TSR_FORMAT_BF16:
		return tsr_get16(tile + 2 * i) << 16;
	default:
		return tsr_get32(tile + 4 * i);
	}
}

static u32 seed = 7;

static u32 rnd(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 4;
}

/* Small numbers with fractions for fp, any bits for integers. */
static void fill(u8 *tile, u32 format)
{
	u32 i, v;

	for (i = 0; i < N; i++) {
		v = bits_of(((s32)(rnd() % 20001) - 10000) / 256.0f);
		if (format == TSR_FORMAT_INT8)
			tile[i] = rnd();
		else if (format == TSR_FORMAT_INT32)
			tsr_put32(tile + 4 * i, rnd() << 9 ^ rnd());
		else if (format == TSR_FORMAT_BF16)
			tsr_put16(tile + 2 * i, v >> 16);
		else
			tsr_put32(tile + 4 * i, v);
	}
}

static u32 acc_format(u32 format)
{
	return is_fp(format) ? TSR_FORMAT_FP32 : TSR_FORMAT_INT32;
}

static u32 combine(u32 what, bool fp, u32 a, u32 b)
{
	switch (what) {
	case TSR_TILE_ADD:
	case TSR_TILE_ADD_DST:
		return fp ? bits_of(f32(a) + f32(b)) : a + b;
	case TSR_TILE_SUB:
		return fp ? bits_of(f32(a) - f32(b)) : a - b;
	case TSR_TILE_MUL:
	case TSR_TILE_MUL_DST:
		return fp ? bits_of(f32(a) * f32(b)) : a * b;
	default:
		if (fp)
			return f32(a) > f32(b) ? a : b;
		return (s32)a > (s32)b ? a : b;
	}
}

TEST_F(tile, matmul_accumulates_in_order)
{
	static u32 want[N];
	u32 format, i, j, k, round;

	for (format = 1; format < TSR_FORMATS; format++) {
		struct rv code = { .n = 0 };

		fill(self->a, format);
		fill(self->b, format);
		memset(want, 0, sizeof(want));
		for (round = 0; round < 2; round++)
			for (i = 0; i < 32; i++)
				for (j = 0; j < 32; j++)
					for (k = 0; k < 32; k++) {
						u32 x = get(self->a, format, i * 32 + k);
						u32 y = get(self->b, format, k * 32 + j);
						u32 *w = &want[i * 32 + j];
						volatile float prod = f32(x) * f32(y);

						*w = is_fp(format) ? bits_of(f32(*w) + prod) :
						     *w + x * y;
					}
		op(&code, TSR_TILE_ZERO, 15, format, 0, 0);
		op(&code, TSR_TILE_MATMUL, 15, format, self->at_a, self->at_b);
		op(&code, TSR_TILE_MATMUL, 15, format, self->at_a, self->at_b);
		op(&code, TSR_TILE_STORE, 15, acc_format(format), self->at_out, 0);
		ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &code));
		EXPECT_EQ(0, memcmp(want, self->out, sizeof(want))) {
			TH_LOG("format %u", format);
		}
	}
}

TEST_F(tile, element_wise_operations)
{
	static const u32 ops[] = { TSR_TILE_ADD, TSR_TILE_SUB, TSR_TILE_MUL, TSR_TILE_MAX,
				   TSR_TILE_ADD_DST, TSR_TILE_MUL_DST, TSR_TILE_MAX_DST };
	u32 format, o, i, bad;

	for (format = 1; format < TSR_FORMATS; format++) {
		for (o = 0; o < ARRAY_SIZE(ops); o++) {
			struct rv code = { .n = 0 };
			bool on_dst = ops[o] >= TSR_TILE_ADD_DST;

			fill(self->a, format);
			fill(self->b, format);
			/* the _DST forms: dst = B first, then dst op A */
			if (on_dst)
				op(&code, TSR_TILE_LOAD, 3, format, self->at_b, 0);
			op(&code, ops[o], 3, format, self->at_a, self->at_b);
			op(&code, TSR_TILE_STORE, 3, acc_format(format), self->at_out, 0);
			ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &code));
			for (i = 0, bad = 0; i < N; i++) {
				u32 a = get(self->a, format, i), b = get(self->b, format, i);
				u32 want = on_dst ? combine(ops[o], is_fp(format), b, a) :
					   combine(ops[o], is_fp(format), a, b);

				bad += want != tsr_get32(self->out + 4 * i);
			}
			EXPECT_EQ(0, bad) {
				TH_LOG("op %u format %u", ops[o], format);
			}
		}
	}
}

TEST_F(tile, relu_of_integers_and_floats)
{
	const u32 in[] = { 5, (u32)-5, 0x80000000, 0x7fffffff, 0x3f800000, 0xbf800000, 0x7fc00000,
			   0x7f800000, 0xff800000 };
	const u32 as_int[] = { 5, 0, 0, 0x7fffffff, 0x3f800000, 0, 0x7fc00000, 0x7f800000, 0 };
	const u32 as_fp[] = { 5, 0, 0, 0, 0x3f800000, 0, 0, 0x7f800000, 0 };
	u32 i, fp;

	for (fp = 0; fp < 2; fp++) {
		struct rv code = { .n = 0 };
		u32 format = fp ? TSR_FORMAT_FP32 : TSR_FORMAT_INT32;

		for (i = 0; i < ARRAY_SIZE(in); i++)
			tsr_put32(self->a + 4 * i, in[i]);
		op(&code, TSR_TILE_LOAD, 0, format, self->at_a, 0);
		op(&code, TSR_TILE_RELU, 0, format, 0, 0);
		op(&code, TSR_TILE_STORE, 0, format, self->at_out, 0);
		ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &code));
		for (i = 0; i < ARRAY_SIZE(in); i++)
			EXPECT_EQ(fp ? as_fp[i] : as_int[i], tsr_get32(self->out + 4 * i));
	}
}

TEST_F(tile, max_of_unordered_floats_is_the_second)
{
	const u32 a[] = { 0x7fc00000, 0x3f800000, 0x00000000, 0x80000000 };
	const u32 b[] = { 0x3f800000, 0x7fc00000, 0x80000000, 0x00000000 };
	struct rv code = { .n = 0 };
	u32 i;

	for (i = 0; i < 4; i++) {
		tsr_put32(self->a + 4 * i, a[i]);
		tsr_put32(self->b + 4 * i, b[i]);
	}
	op(&code, TSR_TILE_MAX, 0, TSR_FORMAT_FP32, self->at_a, self->at_b);
	op(&code, TSR_TILE_STORE, 0, TSR_FORMAT_FP32, self->at_out, 0);
	ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &code));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(b[i], tsr_get32(self->out + 4 * i));
}

TEST_F(tile, stores_round_and_saturate)
{
	static const struct {
		u32 fp, bf16;
	} rounds[] = {
		{ 0x3f800000, 0x3f80 }, { 0x3f808000, 0x3f80 }, { 0x3f818000, 0x3f82 },
		{ 0x3f808001, 0x3f81 }, { 0x3f807fff, 0x3f80 }, { 0x7f7fffff, 0x7f80 },
		{ 0xff7fffff, 0xff80 }, { 0x7f800000, 0x7f80 }, { 0x7f800001, 0x7fc0 },
		{ 0xffffffff, 0xffff }, { 0x7fc12345, 0x7fc1 }, { 0x00000001, 0x0000 },
		{ 0x80008001, 0x8001 }, { 0x80000000, 0x8000 },
	};
	static const s32 ints[] = { 0, 127, 128, -128, -129, 0x7fffffff, -0x7fffffff - 1, -1 };
	static const s8 int8s[] = { 0, 127, 127, -128, -128, 127, -128, -1 };
	struct rv code = { .n = 0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rounds); i++)
		tsr_put32(self->a + 4 * i, rounds[i].fp);
	for (i = 0; i < ARRAY_SIZE(ints); i++)
		tsr_put32(self->b + 4 * i, ints[i]);
	op(&code, TSR_TILE_LOAD, 0, TSR_FORMAT_FP32, self->at_a, 0);
	op(&code, TSR_TILE_LOAD, 1, TSR_FORMAT_INT32, self->at_b, 0);
	op(&code, TSR_TILE_STORE, 0, TSR_FORMAT_BF16, self->at_out, 0);
	op(&code, TSR_TILE_STORE, 1, TSR_FORMAT_INT8, self->at_out + 4096, 0);
	ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &code));
	for (i = 0; i < ARRAY_SIZE(rounds); i++)
		EXPECT_EQ(rounds[i].bf16, tsr_get16(self->out + 2 * i)) {
			TH_LOG("0x%08x", rounds[i].fp);
		}
	for (i = 0; i < ARRAY_SIZE(ints); i++)
		EXPECT_EQ(int8s[i], (s8)self->out[4096 + i]);
}

TEST_F(tile, conversions_between_accumulators)
{
	static const struct {
		u32 fp;
		s32 i;
	} cases[] = {
		{ 0x00000000, 0 }, { 0x3f000000, 0 }, { 0x3f000001, 1 }, { 0x3fc00000, 2 },
		{ 0x40200000, 2 }, { 0x40600000, 4 }, { 0xbf000000, 0 }, { 0xbfc00000, -2 },
		{ 0xbf800000, -1 }, { 0x4b7fffff, 0xffffff }, { 0x4effffff, 0x7fffff80 },
		{ 0x4f000000, 0x7fffffff }, { 0xcf000000, -0x7fffffff - 1 },
		{ 0xcf000001, -0x7fffffff - 1 }, { 0x7f800000, 0x7fffffff },
		{ 0xff800000, -0x7fffffff - 1 }, { 0x7fc00000, 0 }, { 0xffc00000, 0 },
		{ 0x7f800001, 0 }, { 0x00000001, 0 }, { 0x3effffff, 0 }, { 0x4affffff, 0x800000 },
	};
	static const s32 ints[] = { 0, 1, -1, 0x7fffffff, -0x7fffffff - 1, 16777217, 16777219 };
	struct rv code = { .n = 0 };
	u32 i;

	for (i = 0; i < N; i++)
		tsr_put32(self->a + 4 * i, i < ARRAY_SIZE(cases) ? cases[i].fp : rnd() << 9 ^ rnd());
	for (i = 0; i < ARRAY_SIZE(ints); i++)
		tsr_put32(self->b + 4 * i, ints[i]);
	op(&code, TSR_TILE_LOAD, 0, TSR_FORMAT_FP32, self->at_a, 0);
	op(&code, TSR_TILE_TO_INT32, 0, 0, 0, 0);
	op(&code, TSR_TILE_STORE, 0, TSR_FORMAT_INT32, self->at_out, 0);
	op(&code, TSR_TILE_LOAD, 1, TSR_FORMAT_INT32, self->at_b, 0);
	op(&code, TSR_TILE_TO_FP32, 1, 0, 0, 0);
	op(&code, TSR_TILE_STORE, 1, TSR_FORMAT_FP32, self->at_out + 4096, 0);
	ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &code));
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_EQ(cases[i].i, (s32)tsr_get32(self->out + 4 * i)) {
			TH_LOG("0x%08x", cases[i].fp);
		}
	for (; i < N; i++) {
		float f = f32(tsr_get32(self->a + 4 * i));

		if (fabsf(f) < 2147483648.0f)
			EXPECT_EQ((s32)lrintf(f), (s32)tsr_get32(self->out + 4 * i));
	}
	for (i = 0; i < ARRAY_SIZE(ints); i++)
		EXPECT_EQ(bits_of((float)ints[i]), tsr_get32(self->out + 4096 + 4 * i));
}

TEST_F(tile, registers_read_back_and_cost_is_charged)
{
	struct rv code = { .n = 0 };
	struct tsr_proc_stats with, without;
	struct rv empty = { .n = 0 };

	op(&code, TSR_TILE_ZERO, 2, TSR_FORMAT_FP32, 0x11, 0x22);
	rv_load(&code, T0, TILE(A));
	rv_load(&code, T1, TILE(B));
	rv_load(&code, T2, TILE(DST));
	rv_load(&code, S0, TILE(FORMAT));
	rv_load(&code, S1, TILE(OP));
	rv_store_reg(&code, self->at_out, T0);
	rv_store_reg(&code, self->at_out + 4, T1);
	rv_store_reg(&code, self->at_out + 8, T2);
	rv_store_reg(&code, self->at_out + 12, S0);
	rv_store_reg(&code, self->at_out + 16, S1);
	ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &code));
	EXPECT_EQ(0x11, tsr_get32(self->out));
	EXPECT_EQ(0x22, tsr_get32(self->out + 4));
	EXPECT_EQ(2, tsr_get32(self->out + 8));
	EXPECT_EQ(TSR_FORMAT_FP32, tsr_get32(self->out + 12));
	EXPECT_EQ(0, tsr_get32(self->out + 16));
	ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &empty));
	tsr_grid_stats(self->grid, 0, 0, 2, &without);
	op(&empty, TSR_TILE_MATMUL, 2, TSR_FORMAT_FP32, self->at_a, self->at_b);
	ASSERT_EQ(TSR_GRID_DONE, run(&self->p, self->grid, &empty));
	tsr_grid_stats(self->grid, 0, 0, 2, &with);
	EXPECT_EQ(without.cycles + 5 * (4 + 1 + self->cfg.timing.reg) + self->cfg.timing.tile_matmul,
		  with.cycles);
}

TEST_F(tile, a_register_that_there_is_not_faults)
{
	struct rv code = { .n = 0 };
	struct tsr_fault fault;

	rv_load(&code, T0, TILE(OP) + 4);
	EXPECT_EQ(TSR_GRID_FAULT, run(&self->p, self->grid, &code));
	tsr_grid_fault(self->grid, &fault);
	EXPECT_EQ(TSR_FAULT_LOAD_RANGE, fault.cause);
	EXPECT_EQ(TILE(OP) + 4, fault.address);
}

TEST_F(tile, bad_operations_fault)
{
	const u32 end = TSR_L1_BASE + self->cfg.l1_size;
	const struct {
		u32 op, dst, format, a, b, address;
	} bad[] = {
		{ 0, 0, 1, 0, 0, TILE(OP) },
		{ 15, 0, 1, 0, 0, TILE(OP) },
		{ 0xffffffff, 0, 1, 0, 0, TILE(OP) },
		{ TSR_TILE_ZERO, 16, 1, 0, 0, TILE(OP) },
		{ TSR_TILE_LOAD, 0xffffffff, 1, self->at_a, 0, TILE(OP) },
		{ TSR_TILE_LOAD, 0, 0, self->at_a, 0, TILE(OP) },
		{ TSR_TILE_LOAD, 0, 5, self->at_a, 0, TILE(OP) },
		{ TSR_TILE_RELU, 0, 0xffffffff, 0, 0, TILE(OP) },
		{ TSR_TILE_LOAD, 0, 1, self->at_a + 8, 0, self->at_a + 8 },
		{ TSR_TILE_LOAD, 0, 1, end - 1008, 0, end - 1008 },
		{ TSR_TILE_STORE, 0, 2, end - 4080, 0, end - 4080 },
		{ TSR_TILE_STORE, 0, 2, 0xfffffff0, 0, 0xfffffff0 },
		{ TSR_TILE_ADD, 0, 3, self->at_a, 0, 0 },
		{ TSR_TILE_MATMUL, 0, 3, self->at_a, end - 2032, end - 2032 },
		{ TSR_TILE_MATMUL, 0, 4, TSR_L1_BASE - 16, self->at_b, TSR_L1_BASE - 16 },
	};
	struct tsr_fault fault;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct rv code = { .n = 0 };

		op(&code, bad[i].op, bad[i].dst, bad[i].format, bad[i].a, bad[i].b);
		EXPECT_EQ(TSR_GRID_FAULT, run(&self->p, self->grid, &code)) {
			TH_LOG("case %u", i);
		}
		tsr_grid_fault(self->grid, &fault);
		EXPECT_EQ(TSR_FAULT_TILE, fault.cause);
		EXPECT_EQ(bad[i].address, fault.address) {
			TH_LOG("case %u", i);
		}
	}
}

TEST_HARNESS_MAIN

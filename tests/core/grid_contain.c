// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Whatever device code does stays inside its run (SEC-3): random register accesses and
 * random instructions on all cores, under the sanitizers, and twice with equal results.
 */
#include "kselftest_harness.h"

#include "common_grid.h"

static u32 seed;

static u32 rnd(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 3 ^ seed << 17;
}

static u32 pick(const u32 *from, u32 n)
{
	return from[rnd() % n];
}

/* Numbers on which bounds are easily got wrong. */
static u32 edgy(void)
{
	static const u32 values[] = {
		0, 1, 2, 3, 4, 8, 15, 16, 17, 31, 32, 255, 256, 4096, 0x7fffffff, 0x80000000,
		0xfffffff0, 0xfffffffc, 0xffffffff, TSR_L1_BASE - 1, TSR_L1_BASE, TSR_L1_BASE + 16,
		TSR_L1_BASE + 0xfff0, TSR_L1_BASE + 0xfffc, TSR_L1_BASE + 0x10000,
		TSR_L1_BASE + 0xc000, TSR_L1_BASE + 0xd000, SEM(0, VALUE), SEM(15, VALUE),
		SEM(16, VALUE), SEM(3, ADD), CB(0, PUSH),
	};

	return rnd() % 4 ? pick(values, ARRAY_SIZE(values)) : rnd();
}

static u32 target_hi(void)
{
	switch (rnd() % 4) {
	case 0:
		return CORE(rnd() % 4, rnd() % 3);
	case 1:
		return MCAST(rnd() % 3, rnd() % 3, rnd() % 4, rnd() % 3);
	case 2:
		return BUFFER(rnd() % 3) | (rnd() % 8 ? 0 : rnd() & 0x3fff0000);
	default:
		return edgy();
	}
}

static void random_access(struct rv *k)
{
	static const u32 small[] = { 1, 4, 16, 64, 200, 4096, 0xc000, 0x10000 };

	switch (rnd() % 6) {
	case 0:
	case 1:
		rv_noc(k, rnd() % 8 ? 1 + rnd() % 5 : edgy(), target_hi(), edgy(), edgy(),
		       rnd() % 4 ? pick(small, ARRAY_SIZE(small)) : edgy());
		break;
	case 2:
		rv_store(k, TSR_REG_TILE + TSR_TILE_A, edgy());
		rv_store(k, TSR_REG_TILE + TSR_TILE_B, edgy());
		rv_store(k, TSR_REG_TILE + TSR_TILE_DST, rnd() % 8 ? rnd() % 16 : edgy());
		rv_store(k, TSR_REG_TILE + TSR_TILE_FORMAT, rnd() % 8 ? rnd() % 5 : edgy());
		rv_store(k, TSR_REG_TILE + TSR_TILE_OP, rnd() % 8 ? 1 + rnd() % 14 : edgy());
		break;
	case 3:
		rv_store(k, CB(rnd() % 2, RESERVE) + (rnd() % 4) * 4, rnd() % 8 ? rnd() % 4 : edgy());
		break;
	case 4:
		rv_store(k, SEM(rnd() % 16, VALUE) + (rnd() % 4) * 4, rnd() % 4);
		break;
	default:
		rv_store(k, rnd() % 2 ? TSR_REG_BASE + (rnd() & 0x5fffc) : edgy(), edgy());
		break;
	}
}

/* Loads, stores, jumps and arithmetic on registers that point about everywhere. */
static void random_code(struct rv *k)
{
	static const u32 ops[] = { 0x03, 0x23, 0x13, 0x33, 0x63, 0x6f, 0x67, 0x17, 0x0f };
	u32 i;

	for (i = 1; i < 16; i++)
		rv_li(k, i, edgy());
	for (i = 0; i < 40; i++) {
		u32 word = (rnd() & ~0x7fu) | pick(ops, ARRAY_SIZE(ops));

		/* registers x0 .. x15; offsets mostly short; mostly plain arithmetic */
		word &= ~(1u << 11 | 1u << 19 | 1u << 24);
		if (rnd() % 4)
			word &= 0x01ffffff;
		rv_put(k, word);
	}
}

struct outcome {
	enum tsr_grid_state state;
	struct tsr_fault fault;
	u64 digest;
};

static void measure(struct tsr_grid *g, const struct tsr_grid_config *cfg, struct outcome *ret)
{
	struct tsr_proc_stats s;
	u32 x, y, p, i;
	u64 d = 0;

	for (y = 0; y < cfg->height; y++) {
		for (x = 0; x < cfg->width; x++) {
			const u8 *l1 = tsr_grid_l1(g, x, y);

			for (i = 0; l1 && i < cfg->l1_size; i += 4)
				d = d * 31 + tsr_get32(l1 + i);
			for (p = 0; p < 3; p++)
				if (!tsr_grid_stats(g, x, y, p, &s))
					d = d * 31 + s.cycles + s.instructions * 7 + s.wait_cycles;
		}
	}
	ret->digest = d;
}

static void execute(u32 start, bool code, u64 budget, struct outcome *ret)
{
	static struct prog p;
	static u8 in[256], out[256];
	struct tsr_grid_config cfg;
	struct tsr_grid *g;
	u32 i, proc, slices = 0;

	seed = start;
	tsr_grid_config_default(&cfg);
	cfg.width = 3;
	cfg.height = 2;
	cfg.l1_size = 64 << 10;
	cfg.image_slot = 12 << 10;
	cfg.words = 16;
	cfg.harvested[0] = 1 << 4;
	cfg.deterministic = true;
	g = tsr_grid_new(&cfg, NULL);
	prog_init(&p, &cfg);
	memset(in, 0x11, sizeof(in));
	memset(out, 0x22, sizeof(out));
	for (proc = 0; proc < 3; proc++) {
		struct rv k = { .n = 0 };

		if (code)
			random_code(&k);
		else
			for (i = 0; i < 12; i++)
				random_access(&k);
		prog_kernel(&p, &k, proc, 0, 0, 2, 1);
	}
	prog_cb(&p, 0, 16, 4, 0, TSR_FORMAT_RAW);
	prog_cb(&p, 1, 1024, 3, 1024, TSR_FORMAT_INT8);
	prog_bind(&p, in, sizeof(in), TESSERA_ACCESS_IN);
	prog_bind(&p, out, sizeof(out), TESSERA_ACCESS_INOUT);
	prog_launch(&p, g);
	/* the end of slices, and so of the run by a stop, must not depend on the budget */
	do {
		ret->state = tsr_grid_run(g, 1);
	} while (ret->state == TSR_GRID_MORE && ++slices < 60);
	if (budget > 1 && ret->state == TSR_GRID_MORE)
		ret->state = tsr_grid_run(g, budget);
	tsr_grid_stop(g);
	tsr_grid_run(g, 1);
	tsr_grid_fault(g, &ret->fault);
	measure(g, &cfg, ret);
	prog_fini(&p);
	tsr_grid_free(g);
}

static void campaign(struct __test_metadata *_metadata, bool code, u32 programs)
{
	struct outcome a, b;
	u32 i, faults = 0;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	for (i = 0; i < programs; i++) {
		execute(i, code, 1, &a);
		execute(i, code, 1, &b);
		EXPECT_EQ(a.state, b.state);
		EXPECT_EQ(a.digest, b.digest) {
			TH_LOG("program %u", i);
		}
		EXPECT_EQ(a.fault.cause, b.fault.cause);
		EXPECT_EQ(a.fault.pc, b.fault.pc);
		faults += a.state == TSR_GRID_FAULT;
		if (a.state == TSR_GRID_MORE)
			execute(i, code, 200000, &b);
	}
	/* else the programs do not try hard enough */
	EXPECT_LT(programs / 3, faults);
}

TEST(random_register_accesses_stay_inside)
{
	campaign(_metadata, false, 1500);
}

TEST(random_instructions_stay_inside)
{
	campaign(_metadata, true, 1500);
}

TEST_HARNESS_MAIN

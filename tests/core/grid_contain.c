// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Whatever device code does stays inside its run (SEC-3): random register accesses and
 * random instructions on all cores, under the sanitizers, and twice with equal results.
 */
#include "kselftest_harness.h"

#include "common_outside.h"

static struct outside dice;

static u32 rnd(void)
{
	return outside_random(&dice);
}

static u32 edgy(void)
{
	return outside_edgy(&dice);
}

/* Loads, stores, jumps and arithmetic on registers that point about everywhere. */
static void random_code(struct rv *k)
{
	static const u32 ops[] = { 0x03, 0x23, 0x13, 0x33, 0x63, 0x6f, 0x67, 0x17, 0x0f };
	u32 i;

	for (i = 1; i < 16; i++)
		rv_li(k, i, edgy());
	for (i = 0; i < 40; i++) {
		u32 word = (rnd() & ~0x7fu) | ops[rnd() % ARRAY_SIZE(ops)];

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

	dice.state = start;
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
				outside_access(&dice, &k);
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

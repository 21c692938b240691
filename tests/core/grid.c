// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The grid: configuration, launch, registers, faults. */
#include "kselftest_harness.h"

#include "common_grid.h"

#define L1	TSR_L1_BASE

FIXTURE(grid) {
	struct tsr_grid_config cfg;
	struct prog p;
	struct tsr_grid *grid;
	u32 kicks;
	char printed[512];
};

static void print(void *ctx, u16 x, u16 y, u8 proc, const char *line, u32 len)
{
	char *to = ctx;

	snprintf(to + strlen(to), 512 - strlen(to), "%u,%u,%u:%.*s\n", x, y, proc, (int)len, line);
}

FIXTURE_SETUP(grid)
{
	struct tsr_grid_env env = { .ctx = self->printed, .print = print };

	memset(self->printed, 0, sizeof(self->printed));
	tsr_grid_config_default(&self->cfg);
	self->cfg.deterministic = true;
	self->cfg.seed = 0x5eed;
	self->cfg.harvested[0] = 1ull << 15;	/* (3, 3) */
	self->grid = tsr_grid_new(&self->cfg, &env);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
}

FIXTURE_TEARDOWN(grid)
{
	prog_fini(&self->p);
	tsr_grid_free(self->grid);
}

TEST(default_config_is_valid)
{
	struct tsr_grid_config cfg;
	const char *field = "untouched";

	tsr_grid_config_default(&cfg);
	EXPECT_EQ(0, tsr_grid_config_check(&cfg, &field));
	EXPECT_STREQ("untouched", field);
	EXPECT_EQ(0, tsr_grid_config_check(&cfg, NULL));
}

TEST(bad_config_names_its_field)
{
	static const struct {
		const char *field;
		u32 width, height, l1, slot, words, quantum, alu, noc_bytes, reg;
		u64 harvested;
	} bad[] = {
		{ "width", 0, 4, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "width", 65, 4, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "height", 4, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "height", 33, 32, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "harvested", 4, 4, 0, 0, 0, 0, 0, 0, 0, 0xffff },
		{ "harvested", 4, 4, 0, 0, 0, 0, 0, 0, 0, 0x10000 },
		{ "l1_size", 4, 4, 60 << 10, 0, 0, 0, 0, 0, 0, 0 },
		{ "l1_size", 4, 4, 8 << 20, 0, 0, 0, 0, 0, 0, 0 },
		{ "l1_size", 4, 4, (512 << 10) + 4, 0, 0, 0, 0, 0, 0, 0 },
		{ "image_slot", 4, 4, 0, 2048, 0, 0, 0, 0, 0, 0 },
		{ "image_slot", 4, 4, 0, 132 << 10, 0, 0, 0, 0, 0, 0 },
		{ "image_slot", 4, 4, 0, 4100, 0, 0, 0, 0, 0, 0 },
		{ "words", 4, 4, 0, 0, 15, 0, 0, 0, 0, 0 },
		{ "words", 4, 4, 0, 0, 4097, 0, 0, 0, 0, 0 },
		{ "words", 4, 4, 64 << 10, 16 << 10, 4096, 0, 0, 0, 0, 0 },
		{ "quantum", 4, 4, 0, 0, 0, 99, 0, 0, 0, 0 },
		{ "quantum", 4, 4, 0, 0, 0, 1000001, 0, 0, 0, 0 },
		{ "timing.alu", 4, 4, 0, 0, 0, 0, 65536, 0, 0, 0 },
		{ "timing.alu", 4, 4, 4 << 20, 1 << 20, 0, 0, 9000, 0, 0, 0 },
		{ "timing.noc_bytes", 4, 4, 0, 0, 0, 0, 0, 65536, 0, 0 },
		{ "timing.reg", 4, 4, 0, 0, 0, 0, 0, 0, 65536, 0 },
	};
	struct tsr_grid_config cfg;
	const char *field;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		tsr_grid_config_default(&cfg);
		cfg.width = bad[i].width;
		cfg.height = bad[i].height;
		cfg.l1_size = bad[i].l1 ?: cfg.l1_size;
		cfg.image_slot = bad[i].slot ?: cfg.image_slot;
		cfg.words = bad[i].words ?: cfg.words;
		cfg.quantum = bad[i].quantum ?: cfg.quantum;
		cfg.timing.alu = bad[i].alu ?: cfg.timing.alu;
		cfg.timing.noc_bytes = bad[i].noc_bytes ?: cfg.timing.noc_bytes;
		cfg.timing.reg = bad[i].reg ?: cfg.timing.reg;
		cfg.harvested[0] = bad[i].harvested;
		field = NULL;
		EXPECT_EQ(-EINVAL, tsr_grid_config_check(&cfg, &field));
		EXPECT_STREQ(bad[i].field, field) {
			TH_LOG("case %u", i);
		}
	}
	tsr_grid_config_default(&cfg);
	cfg.timing.alu = 0;
	EXPECT_EQ(-EINVAL, tsr_grid_config_check(&cfg, &field));
	EXPECT_STREQ("timing.alu", field);
	tsr_grid_config_default(&cfg);
	cfg.timing.noc_bytes = 0;
	EXPECT_EQ(-EINVAL, tsr_grid_config_check(&cfg, &field));
	EXPECT_STREQ("timing.noc_bytes", field);
	for (i = 0; i < 2; i++) {
		tsr_grid_config_default(&cfg);
		cfg.bindings = i ? TSR_MAX_BINDINGS + 1 : 0;
		EXPECT_EQ(-EINVAL, tsr_grid_config_check(&cfg, &field));
		EXPECT_STREQ("bindings", field);
	}
}

TEST(limits_lay_out_l1_without_overlap)
{
	struct tsr_grid_config cfg;
	struct tessera_limits l;

	tsr_grid_config_default(&cfg);
	cfg.harvested[0] = 3;
	tsr_grid_limits(&cfg, &l);
	EXPECT_EQ(14, l.cores);
	EXPECT_EQ(3, l.harvested[0]);
	EXPECT_LE(l.arg_base + 3 * 4 * l.words, l.image_base[0]);
	EXPECT_EQ(0, l.image_base[0] % 4096);
	EXPECT_EQ(l.image_base[0] + l.image_slot, l.image_base[1]);
	EXPECT_EQ(l.image_base[1] + l.image_slot, l.image_base[2]);
	EXPECT_EQ(l.image_base[2] + l.image_slot, l.cb_base);
	EXPECT_LT(l.cb_base, L1 + l.l1_size);
	EXPECT_EQ(16, l.semaphores);
	EXPECT_EQ(32, l.circular_buffers);
}

TEST_F(grid, a_kernel_reads_its_identity_and_words)
{
	static const u32 regs[] = {
		TSR_CORE_X, TSR_CORE_Y, TSR_CORE_PROC, TSR_CORE_GRID_WIDTH, TSR_CORE_GRID_HEIGHT,
		TSR_CORE_L1_SIZE, TSR_CORE_ARG_COUNT, TSR_CORE_COMMON_COUNT, TSR_CORE_RUN_LO,
		TSR_CORE_RUN_HI, TSR_CORE_SEED, TSR_CORE_BINDINGS, TSR_CORE_HEARTBEAT,
		TSR_CORE_PRINT, TSR_CORE_EXIT,
	};
	const u32 common[] = { 100, 200 }, own1[] = { 11, 12, 13 }, own2[] = { 21 };
	struct rv k = { .n = 0 };
	u32 out = self->p.limits.cb_base, i, buf[4];

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		rv_load(&k, T0, TSR_REG_CORE + regs[i]);
		rv_store_reg(&k, out + 4 * i, T0);
	}
	rv_load(&k, T0, TSR_REG_CORE + TSR_CORE_ARG_BASE);
	rv_put(&k, LW(T1, T0, 0));
	rv_store_reg(&k, out + 0x100, T1);
	rv_put(&k, LW(T1, T0, 8));
	rv_store_reg(&k, out + 0x104, T1);
	rv_load(&k, T0, TSR_REG_CORE + TSR_CORE_COMMON_BASE);
	rv_put(&k, LW(T1, T0, 4));
	rv_store_reg(&k, out + 0x108, T1);
	prog_kernel(&self->p, &k, TSR_PROC_DM1, 1, 2, 2, 2);
	prog_common(&self->p, common, 2);
	prog_args(&self->p, 1, 2, own1, 3);
	prog_args(&self->p, 2, 2, own2, 1);
	prog_bind(&self->p, buf, sizeof(buf), TESSERA_ACCESS_IN);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	{
		const u32 want[] = { 1, 2, TSR_PROC_DM1, 4, 4, 512 << 10, 3, 2, 0x89abcdef,
				     0x1234567, 0x5eed, 1, 0, 0, 0 };

		for (i = 0; i < ARRAY_SIZE(want); i++)
			EXPECT_EQ(want[i], grid_word(self->grid, 1, 2, out + 4 * i)) {
				TH_LOG("register 0x%x", regs[i]);
			}
	}
	EXPECT_EQ(11, grid_word(self->grid, 1, 2, out + 0x100));
	EXPECT_EQ(13, grid_word(self->grid, 1, 2, out + 0x104));
	EXPECT_EQ(200, grid_word(self->grid, 1, 2, out + 0x108));
	EXPECT_EQ(1, grid_word(self->grid, 2, 2, out + 4 * 6));
	EXPECT_EQ(21, grid_word(self->grid, 2, 2, out + 0x100));
	EXPECT_EQ(200, grid_word(self->grid, 2, 2, out + 0x108));
}

TEST_F(grid, words_of_a_core_that_has_none_now_are_not_seen)
{
	const u32 own[] = { 11, 12, 13 };
	struct rv k = { .n = 0 };
	u32 out = self->p.limits.cb_base;
	struct prog second;

	rv_load(&k, T0, TSR_REG_CORE + TSR_CORE_ARG_COUNT);
	rv_store_reg(&k, out, T0);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_args(&self->p, 0, 0, own, 3);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(3, grid_word(self->grid, 0, 0, out));
	prog_init(&second, &self->cfg);
	prog_kernel(&second, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_launch(&second, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(0, grid_word(self->grid, 0, 0, out));
	prog_fini(&second);
}

TEST_F(grid, lines_are_printed_whole)
{
	const char *text = "hello\n\nx";
	struct rv k = { .n = 0 };

	for (; *text; text++)
		rv_store(&k, TSR_REG_CORE + TSR_CORE_PRINT, 0xabc00 | *text);
	rv_store(&k, TSR_REG_CORE + TSR_CORE_PRINT, 0);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 2, 1, 2, 1);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_STREQ("2,1,0:hello\n2,1,0:\n2,1,0:x\n", self->printed);
}

/* Who gave no function for lines wants none. */
TEST_F(grid, lines_may_have_no_reader)
{
	const char *text = "hello\n\nx";
	struct rv k = { .n = 0 };

	tsr_grid_free(self->grid);
	self->grid = tsr_grid_new(&self->cfg, NULL);
	ASSERT_NE(NULL, self->grid);
	for (; *text; text++)
		rv_store(&k, TSR_REG_CORE + TSR_CORE_PRINT, *text);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 2, 1, 2, 1);
	prog_launch(&self->p, self->grid);
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
}

/* 120 bytes are a line; the next byte begins another. */
TEST_F(grid, a_line_that_is_too_long_is_split)
{
	struct rv k = { .n = 0 };
	char expected[160];
	u32 again;

	rv_li(&k, T0, 121);
	rv_li(&k, T1, TSR_REG_CORE + TSR_CORE_PRINT);
	rv_li(&k, T2, 'a');
	again = rv_put(&k, SW(T2, T1, 0));
	rv_put(&k, ADDI(T0, T0, -1));
	RV_BACK(&k, BNE, T0, ZERO, again);
	rv_store(&k, TSR_REG_CORE + TSR_CORE_PRINT, '\n');
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	memcpy(expected, "0,0,0:", 6);
	memset(expected + 6, 'a', 120);
	strcpy(expected + 126, "\n0,0,0:a\n");
	EXPECT_STREQ(expected, self->printed);
}

TEST_F(grid, counters_are_readable)
{
	struct rv k = { .n = 0 };
	u32 out = self->p.limits.cb_base;
	struct tsr_proc_stats stats;
	u32 low;

	rv_put(&k, CSRRS(T0, 0xc02, ZERO));		/* instret: 0 */
	rv_store_reg(&k, out, T0);
	rv_put(&k, CSRRS(T0, 0xc00, ZERO));		/* cycle */
	rv_put(&k, CSRRC(T1, 0xc01, ZERO));		/* time, a cycle later */
	rv_put(&k, SUB(T0, T1, T0));
	rv_store_reg(&k, out + 4, T0);
	rv_put(&k, CSRRSI(T0, 0xc80, 0));
	rv_put(&k, CSRRS(T1, 0xc81, ZERO));
	rv_put(&k, CSRRS(T2, 0xc82, ZERO));
	rv_put(&k, CSRRS(ZERO, 0xc00, ZERO));
	rv_put(&k, ADD(T0, T0, T1));
	rv_put(&k, ADD(T0, T0, T2));
	rv_store_reg(&k, out + 8, T0);
	rv_load(&k, T0, TSR_REG_CORE + TSR_CORE_CYCLE_LO);
	rv_store_reg(&k, out + 12, T0);
	rv_load(&k, T0, TSR_REG_CORE + TSR_CORE_CYCLE_HI);
	rv_store_reg(&k, out + 16, T0);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	memset(tsr_grid_l1(self->grid, 0, 0) + (out - L1), 0xff, 32);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(0, grid_word(self->grid, 0, 0, out));
	EXPECT_EQ(1, grid_word(self->grid, 0, 0, out + 4));
	EXPECT_EQ(0, grid_word(self->grid, 0, 0, out + 8));
	EXPECT_EQ(0, grid_word(self->grid, 0, 0, out + 16));
	low = grid_word(self->grid, 0, 0, out + 12);
	EXPECT_EQ(0, tsr_grid_stats(self->grid, 0, 0, 0, &stats));
	EXPECT_LT(20, low);
	EXPECT_GT(stats.cycles, low);
	EXPECT_EQ(k.n + 5, stats.instructions);	/* and EXIT, which is 5 */
	EXPECT_EQ(0, stats.wait_cycles);
	EXPECT_EQ(-ENOENT, tsr_grid_stats(self->grid, 0, 0, 1, &stats));
	EXPECT_EQ(-ENOENT, tsr_grid_stats(self->grid, 1, 0, 0, &stats));
	EXPECT_EQ(-ENOENT, tsr_grid_stats(self->grid, 3, 3, 0, &stats));
	EXPECT_EQ(-ENOENT, tsr_grid_stats(self->grid, 9, 9, 9, &stats));
	EXPECT_EQ(-ENOENT, tsr_grid_stats(self->grid, 0, 0, TSR_PROCS_PER_CORE, &stats));
}

/* ---- faults of the grid: a store or a load that faults ---- */

#define TILE(reg)	(TSR_REG_TILE + TSR_TILE_##reg)

struct access_fault {
	const char *name;
	u32 addr, value;
	bool load;
	u32 cause;
};

static const struct access_fault access_faults[] = {
	{ "read-only register", TSR_REG_CORE + TSR_CORE_X, 1, false, TSR_FAULT_STORE_RANGE },
	{ "no core register", TSR_REG_CORE + 0x4c, 1, false, TSR_FAULT_STORE_RANGE },
	{ "load of none", TSR_REG_CORE + 0x4c, 0, true, TSR_FAULT_LOAD_RANGE },
	{ "no block", 0xf0050000, 0, true, TSR_FAULT_LOAD_RANGE },
	{ "store to no block", 0xf0050000, 0, false, TSR_FAULT_STORE_RANGE },
	{ "between L1 and registers", 0x80000000, 0, true, TSR_FAULT_LOAD_RANGE },
	{ "misaligned register", TSR_REG_CORE + 2, 0, true, TSR_FAULT_LOAD_MISALIGNED },
	{ "misaligned store", TSR_REG_CORE + TSR_CORE_PRINT + 1, 0, false,
	  TSR_FAULT_STORE_MISALIGNED },
	{ "semaphore 16", SEM(16, VALUE), 0, true, TSR_FAULT_SEMAPHORE },
	{ "store to semaphore 16", SEM(16, ADD), 0, false, TSR_FAULT_SEMAPHORE },
	{ "last semaphore address", TSR_REG_SEM + 0xfffc, 0, false, TSR_FAULT_SEMAPHORE },
	{ "circular buffer 32", CB(32, PUSH), 1, false, TSR_FAULT_CB },
	{ "load of it", CB(32, AVAILABLE), 0, true, TSR_FAULT_CB },
	{ "not configured", CB(5, RESERVE), 1, false, TSR_FAULT_CB },
	{ "load of not configured", CB(5, FREE), 0, true, TSR_FAULT_CB },
	{ "more than it has", CB(1, RESERVE), 5, false, TSR_FAULT_CB },
	{ "wait for more", CB(1, WAIT), 5, false, TSR_FAULT_CB },
	{ "very many", CB(1, WAIT), 0xffffffff, false, TSR_FAULT_CB },
	{ "push more than free", CB(1, PUSH), 5, false, TSR_FAULT_CB },
	{ "pop of nothing", CB(1, POP), 1, false, TSR_FAULT_CB },
	{ "no register of it", CB(1, FORMAT) + 4, 1, false, TSR_FAULT_STORE_RANGE },
	{ "load of none of it", CB(1, FORMAT) + 4, 0, true, TSR_FAULT_LOAD_RANGE },
	{ "read-only of it", CB(1, AVAILABLE), 1, false, TSR_FAULT_STORE_RANGE },
	{ "no NoC register", TSR_REG_NOC + 0x1c, 0, false, TSR_FAULT_STORE_RANGE },
	{ "load of none", TSR_REG_NOC + 0x1c, 0, true, TSR_FAULT_LOAD_RANGE },
	{ "read-only of NoC", TSR_REG_NOC + TSR_NOC_PENDING, 0, false, TSR_FAULT_STORE_RANGE },
	{ "tile unit of another", TILE(A), 0, false, TSR_FAULT_TILE },
	{ "load of it", TILE(A), 0, true, TSR_FAULT_TILE },
};

static void expect_fault(struct __test_metadata *_metadata, struct tsr_grid *grid,
			 const char *name, u32 cause, u32 pc, u64 address)
{
	struct tsr_fault fault;

	EXPECT_EQ(TSR_GRID_FAULT, grid_finish(grid, 1000)) {
		TH_LOG("%s", name);
	}
	tsr_grid_fault(grid, &fault);
	EXPECT_EQ(cause, fault.cause) {
		TH_LOG("%s", name);
	}
	EXPECT_EQ(1, fault.x);
	EXPECT_EQ(2, fault.y);
	EXPECT_EQ(pc, fault.pc) {
		TH_LOG("%s", name);
	}
	EXPECT_EQ(address, fault.address) {
		TH_LOG("%s", name);
	}
	/* and it stays so */
	EXPECT_EQ(TSR_GRID_FAULT, tsr_grid_run(grid, 1));
}

TEST_F(grid, bad_register_accesses_fault)
{
	u32 i, at;

	for (i = 0; i < ARRAY_SIZE(access_faults); i++) {
		const struct access_fault *f = &access_faults[i];
		struct rv k = { .n = 0 };

		rv_li(&k, T0, f->addr);
		rv_li(&k, T1, f->value);
		at = rv_put(&k, f->load ? LW(T2, T0, 0) : SW(T1, T0, 0));
		prog_init(&self->p, &self->cfg);
		prog_kernel(&self->p, &k, TSR_PROC_DM0, 1, 2, 1, 2);
		prog_cb(&self->p, 1, 64, 4, 0, TSR_FORMAT_RAW);
		prog_launch(&self->p, self->grid);
		expect_fault(_metadata, self->grid, f->name, f->cause,
			     self->p.limits.image_base[0] + 4 * at, f->addr);
		prog_fini(&self->p);
	}
}

TEST_F(grid, registers_take_words_only)
{
	const u32 insns[] = { LB(T2, T0, 0), LHU(T2, T0, 0), SB(T2, T0, 0), SH(T2, T0, 0) };
	const u32 causes[] = { TSR_FAULT_LOAD_RANGE, TSR_FAULT_LOAD_RANGE,
			       TSR_FAULT_STORE_RANGE, TSR_FAULT_STORE_RANGE };
	u32 i, at;

	for (i = 0; i < 4; i++) {
		struct rv k = { .n = 0 };

		rv_li(&k, T0, TSR_REG_NOC);
		at = rv_put(&k, insns[i]);
		prog_init(&self->p, &self->cfg);
		prog_kernel(&self->p, &k, TSR_PROC_DM0, 1, 2, 1, 2);
		prog_launch(&self->p, self->grid);
		expect_fault(_metadata, self->grid, "narrow", causes[i],
			     self->p.limits.image_base[0] + 4 * at, TSR_REG_NOC);
		prog_fini(&self->p);
	}
}

TEST_F(grid, system_instructions_fault)
{
	const struct {
		u32 insn, cause;
		bool pc;	/* address is the pc, else the instruction */
	} cases[] = {
		{ ECALL(), TSR_FAULT_ECALL, true },
		{ EBREAK(), TSR_FAULT_BREAKPOINT, true },
		{ MRET(), TSR_FAULT_ILLEGAL_INSN, false },
		{ WFI(), TSR_FAULT_ILLEGAL_INSN, false },
		{ CSRRW(ZERO, 0xc00, ZERO), TSR_FAULT_ILLEGAL_INSN, false },
		{ CSRRS(T0, 0xc00, T1), TSR_FAULT_ILLEGAL_INSN, false },
		{ CSRRSI(T0, 0xc00, 1), TSR_FAULT_ILLEGAL_INSN, false },
		{ CSRRS(T0, 0xc03, ZERO), TSR_FAULT_ILLEGAL_INSN, false },
		{ CSRRS(T0, 0xf14, ZERO), TSR_FAULT_ILLEGAL_INSN, false },
		{ CSRRS(T0, 0x300, ZERO), TSR_FAULT_ILLEGAL_INSN, false },
		{ rv_i(0xc00, 0, 4, T0, 0x73), TSR_FAULT_ILLEGAL_INSN, false },
		{ 0, TSR_FAULT_ILLEGAL_INSN, false },
	};
	u32 i, pc;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rv k = { .n = 0 };

		rv_put(&k, NOP());
		rv_put(&k, cases[i].insn);
		prog_init(&self->p, &self->cfg);
		prog_kernel(&self->p, &k, TSR_PROC_COMPUTE, 1, 2, 1, 2);
		prog_launch(&self->p, self->grid);
		pc = self->p.limits.image_base[2] + 4;
		expect_fault(_metadata, self->grid, "system", cases[i].cause, pc,
			     cases[i].pc ? pc : cases[i].insn);
		prog_fini(&self->p);
	}
}

TEST_F(grid, a_jump_into_nowhere_names_the_jump)
{
	struct rv k = { .n = 0 };
	u32 at;

	rv_li(&k, T0, 0x00f00000);
	at = rv_put(&k, JALR(RA, T0, 0));
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 1, 2, 1, 2);
	prog_launch(&self->p, self->grid);
	expect_fault(_metadata, self->grid, "jump", TSR_FAULT_FETCH,
		     self->p.limits.image_base[0] + 4 * at, 0x00f00000);
}

TEST_F(grid, a_status_that_is_not_zero_is_a_fault)
{
	struct rv k = { .n = 0 };

	rv_exit(&k, 42);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 1, 2, 1, 2);
	prog_launch(&self->p, self->grid);
	expect_fault(_metadata, self->grid, "exit", TSR_FAULT_KERNEL,
		     self->p.limits.image_base[0] + 4 * (k.n - 1), 42);
}

TEST_F(grid, first_fault_stops_all_and_the_next_launch_works)
{
	struct rv spin = { .n = 0 }, bad = { .n = 0 }, good = { .n = 0 };
	u32 out = self->p.limits.cb_base;
	struct tsr_fault fault;
	struct prog next;

	rv_put(&spin, JAL(ZERO, 0));
	rv_put(&bad, EBREAK());
	prog_kernel(&self->p, &spin, TSR_PROC_DM0, 0, 0, 3, 3);
	prog_kernel(&self->p, &bad, TSR_PROC_DM1, 2, 3, 2, 3);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_FAULT, grid_finish(self->grid, 100000));
	tsr_grid_fault(self->grid, &fault);
	EXPECT_EQ(TSR_FAULT_BREAKPOINT, fault.cause);
	EXPECT_EQ(2, fault.x);
	EXPECT_EQ(3, fault.y);
	EXPECT_EQ(TSR_PROC_DM1, fault.proc);
	prog_init(&next, &self->cfg);
	rv_store(&good, out, 77);
	prog_kernel(&next, &good, TSR_PROC_DM0, 1, 1, 1, 1);
	prog_launch(&next, self->grid);
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(77, grid_word(self->grid, 1, 1, out));
	tsr_grid_fault(self->grid, &fault);
	EXPECT_EQ(TSR_FAULT_NONE, fault.cause);
	prog_fini(&next);
}

TEST_F(grid, code_rewritten_by_the_run_is_contained)
{
	struct rv k = { .n = 0 };
	u32 base = self->p.limits.image_base[0];

	/* fills its own slot with a store loop, then fence.i: whatever comes, it ends */
	rv_li(&k, T0, base);
	rv_li(&k, T1, base + 0x8000);
	rv_li(&k, T2, 0xffffffff);
	rv_put(&k, SW(T2, T0, 0));
	rv_put(&k, ADDI(T0, T0, 4));
	rv_put(&k, BNE(T0, T1, -8));
	rv_put(&k, FENCE_I());
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 1, 2, 1, 2);
	prog_launch(&self->p, self->grid);
	expect_fault(_metadata, self->grid, "overwritten", TSR_FAULT_ILLEGAL_INSN,
		     base + 4 * k.n, 0xffffffff);
}

TEST_F(grid, harvested_cores_have_no_l1)
{
	EXPECT_EQ(NULL, tsr_grid_l1(self->grid, 3, 3));
	EXPECT_EQ(NULL, tsr_grid_l1(self->grid, 4, 0));
	EXPECT_NE(NULL, tsr_grid_l1(self->grid, 2, 3));
}

TEST_F(grid, nothing_launched_is_done)
{
	EXPECT_EQ(TSR_GRID_DONE, tsr_grid_run(self->grid, 1));
	EXPECT_EQ(NULL, tsr_grid_free(NULL));
}

TEST_HARNESS_MAIN

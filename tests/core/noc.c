// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* NoC transfers, semaphores, circular buffers: effects, waits, clocks and faults. */
#include "kselftest_harness.h"

#include "common_grid.h"

#define L1	TSR_L1_BASE

FIXTURE(noc) {
	struct tsr_grid_config cfg;
	struct prog p;
	struct tsr_grid *grid;
	u8 in[256], out[256], both[256];
	u32 cb;
};

FIXTURE_SETUP(noc)
{
	u32 i;

	tsr_grid_config_default(&self->cfg);
	self->cfg.deterministic = true;
	self->cfg.harvested[0] = 1ull << 5;	/* (1, 1) */
	self->grid = tsr_grid_new(&self->cfg, NULL);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
	self->cb = self->p.limits.cb_base;
	for (i = 0; i < 256; i++)
		self->in[i] = i;
	memset(self->out, 0, 256);
	memset(self->both, 0x55, 256);
	prog_bind(&self->p, self->in, 256, TESSERA_ACCESS_IN);
	prog_bind(&self->p, self->out, 256, TESSERA_ACCESS_OUT);
	prog_bind(&self->p, self->both, 256, TESSERA_ACCESS_INOUT);
}

FIXTURE_TEARDOWN(noc)
{
	prog_fini(&self->p);
	tsr_grid_free(self->grid);
}

static u8 *l1(struct tsr_grid *g, u32 x, u32 y, u32 addr)
{
	return tsr_grid_l1(g, x, y) + (addr - L1);
}

#define RUN(k, proc, x, y, want)						\
	do {									\
		prog_kernel(&self->p, k, proc, x, y, x, y);			\
		prog_launch(&self->p, self->grid);				\
		ASSERT_EQ(want, grid_finish(self->grid, 1000));			\
	} while (0)

TEST_F(noc, buffers_are_read_and_written)
{
	struct rv k = { .n = 0 };
	struct tsr_proc_stats stats;

	rv_noc(&k, TSR_NOC_CMD_READ, BUFFER(0), 3, self->cb + 1, 101);
	rv_noc(&k, TSR_NOC_CMD_WRITE, BUFFER(1), 155, self->cb + 1, 101);
	rv_noc(&k, TSR_NOC_CMD_WRITE_WORD, BUFFER(2), 252, 0x44332211, 0);
	rv_noc(&k, TSR_NOC_CMD_READ, BUFFER(2), 252, self->cb + 200, 4);
	RUN(&k, TSR_PROC_DM0, 2, 1, TSR_GRID_DONE);
	EXPECT_EQ(0, memcmp(self->in + 3, self->out + 155, 101));
	EXPECT_EQ(0, self->out[154]);
	EXPECT_EQ(0, memcmp(l1(self->grid, 2, 1, self->cb + 200), "\x11\x22\x33\x44", 4));
	EXPECT_EQ(0x55, self->both[251]);
	EXPECT_EQ(0, tsr_grid_stats(self->grid, 2, 1, 0, &stats));
	EXPECT_EQ(105, stats.noc_read);
	EXPECT_EQ(105, stats.noc_written);
}

/* What is set for a transfer can be read again; what starts one reads as 0. */
TEST_F(noc, registers_read_as_they_were_written)
{
	static const u32 regs[] = {
		TSR_NOC_TARGET_HI, TSR_NOC_TARGET_LO, TSR_NOC_LOCAL, TSR_NOC_SIZE,
		TSR_NOC_COMMAND, TSR_NOC_BARRIER,
	};
	struct rv k = { .n = 0 };
	u32 i;

	rv_noc(&k, TSR_NOC_CMD_READ, BUFFER(0), 3, self->cb + 64, 5);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_BARRIER, 1);
	for (i = 0; i < 6; i++) {
		rv_load(&k, T0, TSR_REG_NOC + regs[i]);
		rv_store_reg(&k, self->cb + 4 * i, T0);
	}
	RUN(&k, TSR_PROC_DM1, 0, 0, TSR_GRID_DONE);
	EXPECT_EQ(BUFFER(0), grid_word(self->grid, 0, 0, self->cb));
	EXPECT_EQ(3, grid_word(self->grid, 0, 0, self->cb + 4));
	EXPECT_EQ(self->cb + 64, grid_word(self->grid, 0, 0, self->cb + 8));
	EXPECT_EQ(5, grid_word(self->grid, 0, 0, self->cb + 12));
	EXPECT_EQ(0, grid_word(self->grid, 0, 0, self->cb + 16));
	EXPECT_EQ(0, grid_word(self->grid, 0, 0, self->cb + 20));
}

TEST_F(noc, cores_are_read_and_written_and_overlaps_move)
{
	struct rv k = { .n = 0 };
	u32 i;

	rv_noc(&k, TSR_NOC_CMD_READ, BUFFER(0), 0, self->cb, 64);
	rv_noc(&k, TSR_NOC_CMD_WRITE, CORE(3, 3), self->cb + 8, self->cb, 64);
	rv_noc(&k, TSR_NOC_CMD_READ, CORE(3, 3), self->cb + 8, self->cb + 100, 64);
	/* to itself, overlapping, both ways */
	rv_noc(&k, TSR_NOC_CMD_WRITE, CORE(0, 0), self->cb + 4, self->cb, 64);
	rv_noc(&k, TSR_NOC_CMD_READ, CORE(0, 0), self->cb + 100, self->cb + 104, 60);
	RUN(&k, TSR_PROC_DM1, 0, 0, TSR_GRID_DONE);
	for (i = 0; i < 60; i++) {
		EXPECT_EQ(i, *l1(self->grid, 3, 3, self->cb + 8 + i));
		EXPECT_EQ(i, *l1(self->grid, 0, 0, self->cb + 4 + i));
		EXPECT_EQ(i, *l1(self->grid, 0, 0, self->cb + 104 + i));
	}
}

TEST_F(noc, multicast_skips_itself_and_harvested_cores)
{
	struct rv k = { .n = 0 };
	u32 x, y, want;

	rv_store(&k, self->cb, 0xabcd);
	rv_noc(&k, TSR_NOC_CMD_WRITE, MCAST(0, 0, 2, 1), self->cb + 16, self->cb, 4);
	rv_noc(&k, TSR_NOC_CMD_WRITE_LOOPBACK, MCAST(0, 0, 3, 3), self->cb + 20, self->cb, 4);
	rv_noc(&k, TSR_NOC_CMD_SEM_INC, MCAST(0, 0, 3, 0), SEM(6, VALUE), 3, 0);
	rv_noc(&k, TSR_NOC_CMD_WRITE_WORD, MCAST(1, 1, 1, 1), self->cb, 3, 0);
	rv_load(&k, T0, SEM(6, VALUE));
	rv_store_reg(&k, self->cb + 24, T0);
	RUN(&k, TSR_PROC_DM0, 2, 0, TSR_GRID_DONE);
	for (y = 0; y < 4; y++) {
		for (x = 0; x < 4; x++) {
			if (x == 1 && y == 1)
				continue;
			want = x <= 2 && y <= 1 && !(x == 2 && y == 0) ? 0xabcd : 0;
			EXPECT_EQ(want, tsr_get32(l1(self->grid, x, y, self->cb + 16)));
			EXPECT_EQ(0xabcd, tsr_get32(l1(self->grid, x, y, self->cb + 20)));
		}
	}
	EXPECT_EQ(0, tsr_get32(l1(self->grid, 2, 0, self->cb + 24)));
}

static const struct {
	const char *name;
	u32 cmd, hi, lo, local, size, cause;
	u64 address;
} bad[] = {
	{ "unknown command", 6, CORE(0, 0), L1, L1, 4, TSR_FAULT_NOC_COMMAND, 6 },
	{ "command 0", 0, CORE(0, 0), L1, L1, 4, TSR_FAULT_NOC_COMMAND, 0 },
	{ "unknown kind", 1, 0xc0000000, L1, L1, 4, TSR_FAULT_NOC_COMMAND, 1 },
	{ "read of many", 1, MCAST(0, 0, 1, 0), L1, L1, 4, TSR_FAULT_NOC_COMMAND, 1 },
	{ "loopback to one", 3, CORE(0, 0), L1, L1, 4, TSR_FAULT_NOC_COMMAND, 3 },
	{ "inc of a buffer", 5, BUFFER(2), 0, 1, 4, TSR_FAULT_NOC_COMMAND, 5 },
	{ "size 0", 1, CORE(0, 0), L1, L1 + 4, 0, TSR_FAULT_NOC_COMMAND, L1 + 4 },
	{ "local below", 1, CORE(0, 0), L1, L1 - 1, 4, TSR_FAULT_NOC_COMMAND, L1 - 1 },
	{ "local above", 2, CORE(0, 0), L1, L1 + (512 << 10) - 3, 4, TSR_FAULT_NOC_COMMAND,
	  L1 + (512 << 10) - 3 },
	{ "local wraps", 2, CORE(0, 0), L1, 0xffffffff, 0xffffffff, TSR_FAULT_NOC_COMMAND,
	  0xffffffff },
	{ "huge size", 1, BUFFER(0), 0, L1, 0xffffffff, TSR_FAULT_NOC_COMMAND, L1 },
	{ "no such column", 1, CORE(4, 0), L1, L1, 4, TSR_FAULT_NOC_TARGET,
	  (u64)CORE(4, 0) << 32 | L1 },
	{ "no such row", 2, CORE(0, 255), L1, L1, 4, TSR_FAULT_NOC_TARGET,
	  (u64)CORE(0, 255) << 32 | L1 },
	{ "harvested", 2, CORE(1, 1), L1, L1, 4, TSR_FAULT_NOC_TARGET, (u64)CORE(1, 1) << 32 | L1 },
	{ "reversed rectangle", 2, MCAST(2, 0, 1, 0), L1, L1, 4, TSR_FAULT_NOC_TARGET,
	  (u64)MCAST(2, 0, 1, 0) << 32 | L1 },
	{ "rectangle too wide", 2, MCAST(0, 0, 4, 0), L1, L1, 4, TSR_FAULT_NOC_TARGET,
	  (u64)MCAST(0, 0, 4, 0) << 32 | L1 },
	{ "rectangle too high", 2, MCAST(0, 0, 0, 127), L1, L1, 4, TSR_FAULT_NOC_TARGET,
	  (u64)MCAST(0, 0, 0, 127) << 32 | L1 },
	{ "target below", 2, CORE(0, 0), L1 - 4, L1, 4, TSR_FAULT_NOC_TARGET, L1 - 4 },
	{ "target above", 1, CORE(0, 0), L1 + (512 << 10) - 4, L1, 8, TSR_FAULT_NOC_TARGET,
	  L1 + (512 << 10) - 4 },
	{ "target wraps", 4, CORE(0, 0), 0xfffffffe, 1, 0, TSR_FAULT_NOC_TARGET, 0xfffffffe },
	{ "another register", 4, CORE(0, 0), CB(0, PUSH), 1, 0, TSR_FAULT_NOC_TARGET, CB(0, PUSH) },
	{ "not the value", 4, CORE(0, 0), SEM(0, ADD), 1, 0, TSR_FAULT_NOC_TARGET, SEM(0, ADD) },
	{ "semaphore of 8 bytes", 2, CORE(0, 0), SEM(0, VALUE), L1, 8, TSR_FAULT_NOC_TARGET,
	  SEM(0, VALUE) },
	{ "inc of memory", 5, CORE(0, 0), L1, 1, 0, TSR_FAULT_NOC_TARGET, L1 },
	{ "semaphore 16", 5, CORE(2, 0), SEM(16, VALUE), 1, 0, TSR_FAULT_SEMAPHORE,
	  (u64)CORE(2, 0) << 32 | SEM(16, VALUE) },
	{ "unbound", 1, BUFFER(3), 16, L1, 4, TSR_FAULT_BUFFER_UNBOUND, 3 },
	{ "unbound last", 2, BUFFER(0xffff), 0, L1, 4, TSR_FAULT_BUFFER_UNBOUND, 0xffff },
	{ "beyond", 1, BUFFER(0), 253, L1, 4, TSR_FAULT_BUFFER_RANGE, 253 },
	{ "at the end", 1, BUFFER(0), 256, L1, 1, TSR_FAULT_BUFFER_RANGE, 256 },
	{ "far beyond", 1, BUFFER(0) | 0x3fff0000, 0xffffffff, L1, 1, TSR_FAULT_BUFFER_RANGE,
	  0x3fffffffffffull },
	{ "beyond 4 GiB", 2, BUFFER(2) | 0x10000, 0, L1, 1, TSR_FAULT_BUFFER_RANGE, 1ull << 32 },
	{ "read of OUT", 1, BUFFER(1), 8, L1, 4, TSR_FAULT_BUFFER_READ, 8 },
	{ "write to IN", 2, BUFFER(0), 12, L1, 4, TSR_FAULT_BUFFER_WRITE, 12 },
	{ "word to IN", 4, BUFFER(0), 12, 1, 4, TSR_FAULT_BUFFER_WRITE, 12 },
};

/* FL-12: what was asked for; nothing where the command itself is unknown. */
static void expect_asked(struct __test_metadata *_metadata, u32 i, const struct tsr_asked *asked)
{
	bool word = bad[i].cmd == TSR_NOC_CMD_WRITE_WORD || bad[i].cmd == TSR_NOC_CMD_SEM_INC;
	bool buffer = bad[i].cause >= TSR_FAULT_BUFFER_UNBOUND &&
		      bad[i].cause <= TSR_FAULT_BUFFER_WRITE;
	u32 index = bad[i].hi & 0xffff;
	u32 known = TSR_KNOWN_AMOUNT |
		    (bad[i].cmd == TSR_NOC_CMD_READ ? TSR_KNOWN_READ : TSR_KNOWN_WRITE);

	if (bad[i].cause == TSR_FAULT_NOC_COMMAND && bad[i].address == bad[i].cmd) {
		EXPECT_EQ(0, asked->known);
		return;
	}
	known |= buffer ? TSR_KNOWN_OBJECT : 0;
	known |= buffer && index < 3 ? TSR_KNOWN_SIZE : 0;
	EXPECT_EQ(known, asked->known) {
		TH_LOG("%s", bad[i].name);
	}
	EXPECT_EQ(word ? 4 : bad[i].size, asked->amount) {
		TH_LOG("%s", bad[i].name);
	}
	if (buffer)
		EXPECT_EQ(index, asked->object);
	if (known & TSR_KNOWN_SIZE)
		EXPECT_EQ(256, asked->size);
}

TEST_F(noc, bad_transfers_fault_and_move_nothing)
{
	struct tsr_fault fault;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct rv k = { .n = 0 };

		rv_noc(&k, bad[i].cmd, bad[i].hi, bad[i].lo, bad[i].local, bad[i].size);
		prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 2, 0, 2);
		prog_launch(&self->p, self->grid);
		EXPECT_EQ(TSR_GRID_FAULT, grid_finish(self->grid, 1000)) {
			TH_LOG("%s", bad[i].name);
		}
		tsr_grid_fault(self->grid, &fault);
		EXPECT_EQ(bad[i].cause, fault.cause) {
			TH_LOG("%s", bad[i].name);
		}
		EXPECT_EQ(bad[i].address, fault.address) {
			TH_LOG("%s", bad[i].name);
		}
		expect_asked(_metadata, i, &fault.asked);
		EXPECT_EQ(self->p.limits.image_base[0] + 4 * (k.n - 1), fault.pc);
		prog_fini(&self->p);
		self->p.blob.n_images = 0;
		self->p.blob.n_descriptors = 0;
		self->p.blob.n_ranges = 0;
		self->p.blob.data_size = 0;
	}
	EXPECT_EQ(0, self->out[0]);
	EXPECT_EQ(0x55, self->both[0]);
}

TEST_F(noc, barriers_move_the_clock_to_completion)
{
	struct rv k = { .n = 0 };
	u32 issue, i;
	struct tsr_proc_stats stats;
	const struct tsr_timing *t = &self->cfg.timing;

	/* clock before the last store of rv_noc: 5 stores of 5 instructions, less the store */
	rv_noc(&k, TSR_NOC_CMD_READ, CORE(3, 2), L1, self->cb, 1024);
	issue = 0;
	for (i = 0; i < 5; i++)
		issue += 4 * t->alu + t->store + t->reg;
	rv_load(&k, T0, TSR_REG_NOC + TSR_NOC_PENDING);
	rv_store_reg(&k, self->cb + 2000, T0);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_WRITE | TSR_NOC_CLASS_ATOMIC);
	rv_load(&k, S0, TSR_REG_CORE + TSR_CORE_CYCLE_LO);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_READ);
	rv_load(&k, S1, TSR_REG_CORE + TSR_CORE_CYCLE_LO);
	rv_store_reg(&k, self->cb + 2004, S0);
	rv_store_reg(&k, self->cb + 2008, S1);
	rv_load(&k, T0, TSR_REG_NOC + TSR_NOC_PENDING);
	rv_store_reg(&k, self->cb + 2012, T0);
	RUN(&k, TSR_PROC_DM0, 0, 0, TSR_GRID_DONE);
	EXPECT_EQ(TSR_NOC_CLASS_READ, tsr_get32(l1(self->grid, 0, 0, self->cb + 2000)));
	EXPECT_GT(issue + 1024 / t->noc_bytes, tsr_get32(l1(self->grid, 0, 0, self->cb + 2004)));
	/* done at the barrier; then lui, addi, lw of the clock */
	EXPECT_EQ(issue + 1024 / t->noc_bytes + t->noc_latency + 5 * t->noc_hop +
		  2 * t->alu + t->load + t->reg, tsr_get32(l1(self->grid, 0, 0, self->cb + 2008)));
	EXPECT_EQ(0, tsr_get32(l1(self->grid, 0, 0, self->cb + 2012)));
	EXPECT_EQ(0, tsr_grid_stats(self->grid, 0, 0, 0, &stats));
	EXPECT_LT(0, stats.wait_cycles);
}

/* What comes from near overtakes what comes from far; a barrier waits for both. */
TEST_F(noc, a_barrier_waits_for_what_was_overtaken)
{
	struct rv k = { .n = 0 };
	const struct tsr_timing *t = &self->cfg.timing;
	u32 clock, issue, i;

	tsr_grid_free(self->grid);
	self->cfg.timing.noc_hop = 50;
	self->grid = tsr_grid_new(&self->cfg, NULL);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
	rv_noc(&k, TSR_NOC_CMD_READ, CORE(3, 2), L1, self->cb, 32);
	issue = 0;
	for (i = 0; i < 5; i++)
		issue += 4 * t->alu + t->store + t->reg;
	rv_noc(&k, TSR_NOC_CMD_READ, CORE(1, 0), L1, self->cb + 64, 32);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_READ);
	rv_load(&k, S1, TSR_REG_CORE + TSR_CORE_CYCLE_LO);
	rv_store_reg(&k, self->cb + 2000, S1);
	RUN(&k, TSR_PROC_DM0, 0, 0, TSR_GRID_DONE);
	clock = tsr_get32(l1(self->grid, 0, 0, self->cb + 2000));
	/* of the first, five hops away; the second is done 200 less a new issue earlier */
	EXPECT_EQ(issue + 32 / t->noc_bytes + t->noc_latency + 5 * 50 + 2 * t->alu + t->load + t->reg,
		  clock);
}

TEST_F(noc, a_barrier_of_unknown_classes_faults)
{
	struct rv k = { .n = 0 };
	struct tsr_fault fault;

	rv_store(&k, TSR_REG_NOC + TSR_NOC_BARRIER, 8);
	RUN(&k, TSR_PROC_DM0, 0, 0, TSR_GRID_FAULT);
	tsr_grid_fault(self->grid, &fault);
	EXPECT_EQ(TSR_FAULT_NOC_COMMAND, fault.cause);
	EXPECT_EQ(8, fault.address);
}

/* ---- semaphores ---- */

TEST_F(noc, a_remote_increment_wakes_a_waiter_at_its_arrival)
{
	struct rv wait = { .n = 0 }, inc = { .n = 0 };
	struct tsr_proc_stats stats;
	u32 clock, i;

	rv_store(&wait, SEM(2, WAIT_MIN), 2);
	rv_load(&wait, T0, TSR_REG_CORE + TSR_CORE_CYCLE_LO);
	rv_store_reg(&wait, self->cb, T0);
	for (i = 0; i < 2; i++) {
		rv_li(&inc, T0, 5000);
		rv_put(&inc, ADDI(T0, T0, -1));
		rv_put(&inc, BNE(T0, ZERO, -4));
		rv_noc(&inc, TSR_NOC_CMD_SEM_INC, CORE(3, 0), SEM(2, VALUE), 1, 0);
	}
	prog_kernel(&self->p, &wait, TSR_PROC_COMPUTE, 3, 0, 3, 0);
	prog_kernel(&self->p, &inc, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	clock = tsr_get32(l1(self->grid, 3, 0, self->cb));
	EXPECT_LT(2 * 15000, clock);
	EXPECT_GT(2 * 15000 + 500, clock);
	tsr_grid_stats(self->grid, 3, 0, TSR_PROC_COMPUTE, &stats);
	EXPECT_LT(29900, stats.wait_cycles);
	EXPECT_EQ(5 + 3 + 3 + 5, stats.instructions);
}

TEST_F(noc, wait_eq_is_released_by_the_change_that_makes_it_true)
{
	struct rv wait = { .n = 0 }, inc = { .n = 0 };
	u32 i;

	/* the value passes through 3 and ends at 6 */
	rv_store(&wait, SEM(0, WAIT_EQ), 3);
	rv_store(&wait, self->cb, 1);
	for (i = 0; i < 6; i++)
		rv_store(&inc, SEM(0, ADD), 1);
	prog_kernel(&self->p, &wait, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_kernel(&self->p, &inc, TSR_PROC_DM1, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(1, *l1(self->grid, 0, 0, self->cb));
}

TEST_F(noc, a_wait_never_continues_before_its_cause)
{
	struct rv wait = { .n = 0 }, set = { .n = 0 };
	u32 waited, changed;

	/* the setter is processor 0 and runs a quantum ahead before the waiter looks */
	rv_li(&set, T0, 400);
	rv_put(&set, ADDI(T0, T0, -1));
	rv_put(&set, BNE(T0, ZERO, -4));
	rv_load(&set, S0, TSR_REG_CORE + TSR_CORE_CYCLE_LO);
	rv_store(&set, SEM(1, VALUE), 1);
	rv_store_reg(&set, self->cb, S0);
	rv_store(&wait, SEM(1, WAIT_MIN), 1);
	rv_load(&wait, S0, TSR_REG_CORE + TSR_CORE_CYCLE_LO);
	rv_store_reg(&wait, self->cb + 4, S0);
	prog_kernel(&self->p, &set, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_kernel(&self->p, &wait, TSR_PROC_DM1, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	changed = tsr_get32(l1(self->grid, 0, 0, self->cb));
	waited = tsr_get32(l1(self->grid, 0, 0, self->cb + 4));
	EXPECT_LT(changed, waited);
	EXPECT_GT(changed + 40, waited);
}

TEST_F(noc, semaphores_wrap_and_are_set_remotely)
{
	struct rv k = { .n = 0 };

	rv_store(&k, SEM(0, VALUE), 0xffffffff);
	rv_store(&k, SEM(0, ADD), 2);
	rv_load(&k, T0, SEM(0, VALUE));
	rv_store_reg(&k, self->cb, T0);
	rv_store(&k, self->cb + 8, 0x77);
	rv_noc(&k, TSR_NOC_CMD_WRITE, CORE(0, 0), SEM(1, VALUE), self->cb + 8, 4);
	rv_noc(&k, TSR_NOC_CMD_WRITE_WORD, CORE(0, 0), SEM(2, VALUE), 0x88, 0);
	rv_noc(&k, TSR_NOC_CMD_SEM_INC, CORE(0, 0), SEM(2, VALUE), 0x100, 0);
	rv_store(&k, SEM(1, WAIT_EQ), 0x77);
	rv_store(&k, SEM(2, WAIT_MIN), 0x188);
	rv_noc(&k, TSR_NOC_CMD_READ, CORE(0, 0), SEM(2, VALUE), self->cb + 4, 4);
	rv_load(&k, T0, SEM(2, WAIT_EQ));
	rv_store_reg(&k, self->cb + 12, T0);
	RUN(&k, TSR_PROC_DM0, 0, 0, TSR_GRID_DONE);
	EXPECT_EQ(1, tsr_get32(l1(self->grid, 0, 0, self->cb)));
	EXPECT_EQ(0x188, tsr_get32(l1(self->grid, 0, 0, self->cb + 4)));
	EXPECT_EQ(0, tsr_get32(l1(self->grid, 0, 0, self->cb + 12)));
}

/* ---- circular buffers ---- */

#define PAGES	200

/* Producer and consumer: numbers through 4 pages of 16 bytes. */
TEST_F(noc, pages_flow_through_a_circular_buffer)
{
	struct rv prod = { .n = 0 }, cons = { .n = 0 };
	struct tsr_proc_stats stats;
	u32 loop;

	rv_li(&prod, S0, 0);
	rv_li(&prod, S1, PAGES);
	rv_li(&prod, S2, CB(3, RESERVE));
	rv_li(&prod, T1, 1);
	loop = rv_put(&prod, SW(T1, S2, 0));
	rv_put(&prod, LW(T0, S2, TSR_CB_WRITE_PTR));
	rv_put(&prod, SW(S0, T0, 12));
	rv_put(&prod, SW(T1, S2, TSR_CB_PUSH));
	rv_put(&prod, ADDI(S0, S0, 1));
	RV_BACK(&prod, BNE, S0, S1, loop);
	/* the consumer takes two at a time, slowly, and sums */
	rv_li(&cons, S0, 0);
	rv_li(&cons, S1, PAGES / 2);
	rv_li(&cons, S2, CB(3, RESERVE));
	rv_li(&cons, T1, 2);
	loop = rv_put(&cons, SW(T1, S2, TSR_CB_WAIT));
	rv_put(&cons, LW(T0, S2, TSR_CB_READ_PTR));
	rv_put(&cons, LW(T2, T0, 12));
	rv_put(&cons, ADD(S0, S0, T2));
	rv_put(&cons, LW(T2, T0, 28));
	rv_put(&cons, ADD(S0, S0, T2));
	rv_put(&cons, SW(T1, S2, TSR_CB_POP));
	rv_put(&cons, DIV(T2, T2, T1));
	rv_put(&cons, DIV(T2, T2, T1));
	rv_put(&cons, DIV(T2, T2, T1));
	rv_put(&cons, ADDI(S1, S1, -1));
	RV_BACK(&cons, BNE, S1, ZERO, loop);
	rv_store_reg(&cons, self->cb + 1024, S0);
	prog_cb(&self->p, 3, 16, 4, 0, TSR_FORMAT_RAW);
	prog_kernel(&self->p, &prod, TSR_PROC_DM0, 0, 0, 3, 3);
	prog_kernel(&self->p, &cons, TSR_PROC_COMPUTE, 0, 0, 3, 3);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(PAGES * (PAGES - 1) / 2, tsr_get32(l1(self->grid, 2, 3, self->cb + 1024)));
	tsr_grid_stats(self->grid, 2, 3, TSR_PROC_DM0, &stats);
	EXPECT_LT(100, stats.wait_cycles);
}

/*
 * The producer pushes twelve pages before the consumer begins at clock 0. Since when the first of
 * them could be read is not known any more: 0: a wait for nothing went to the clock of a later push.
 */
TEST_F(noc, waiting_for_no_pages_costs_nothing)
{
	struct rv prod = { .n = 0 }, cons = { .n = 0 };
	struct tsr_proc_stats stats;
	u32 i;

	for (i = 0; i < 12; i++) {
		rv_put(&prod, DIV(T0, T0, T0));
		rv_store(&prod, CB(3, PUSH), 1);
	}
	rv_store(&cons, CB(3, WAIT), 0);
	rv_store(&cons, CB(3, RESERVE), 0);
	prog_cb(&self->p, 3, 16, 16, 0, TSR_FORMAT_RAW);
	prog_kernel(&self->p, &prod, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_kernel(&self->p, &cons, TSR_PROC_DM1, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	tsr_grid_stats(self->grid, 0, 0, TSR_PROC_DM1, &stats);
	EXPECT_EQ(0, stats.wait_cycles);
}

TEST_F(noc, registers_of_a_circular_buffer)
{
	struct rv k = { .n = 0 };
	static const u32 regs[] = { TSR_CB_WRITE_PTR, TSR_CB_READ_PTR, TSR_CB_AVAILABLE, TSR_CB_FREE,
				    TSR_CB_PAGE_SIZE, TSR_CB_PAGE_COUNT, TSR_CB_FORMAT, TSR_CB_WAIT };
	u32 want[] = { self->cb + 64, self->cb + 32, 1, 3, 32, 4, TSR_FORMAT_BF16, 0 }, i;

	rv_store(&k, CB(0, RESERVE), 4);
	rv_store(&k, CB(0, RESERVE), 0);
	rv_store(&k, CB(0, PUSH), 2);
	rv_store(&k, CB(0, WAIT), 1);
	rv_store(&k, CB(0, WAIT), 2);
	rv_store(&k, CB(0, POP), 1);
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		rv_load(&k, T0, TSR_REG_CB + regs[i]);
		rv_store_reg(&k, self->cb + 1024 + 4 * i, T0);
	}
	prog_cb(&self->p, 0, 32, 4, 0, TSR_FORMAT_BF16);
	RUN(&k, TSR_PROC_DM1, 1, 0, TSR_GRID_DONE);
	for (i = 0; i < ARRAY_SIZE(regs); i++)
		EXPECT_EQ(want[i], tsr_get32(l1(self->grid, 1, 0, self->cb + 1024 + 4 * i))) {
			TH_LOG("register 0x%x", regs[i]);
		}
}

/* Pages of one call are consecutive: what would wrap is refused. */
TEST_F(noc, pages_across_the_end_fault)
{
	static const struct {
		u32 reg, pages;
	} calls[][5] = {
		{ { CB(0, PUSH), 3 }, { CB(0, POP), 3 }, { CB(0, RESERVE), 2 } },
		{ { CB(0, PUSH), 3 }, { CB(0, POP), 3 }, { CB(0, PUSH), 2 } },
		{ { CB(0, PUSH), 3 }, { CB(0, POP), 3 }, { CB(0, PUSH), 1 }, { CB(0, PUSH), 1 },
		  { CB(0, POP), 2 } },
	};
	struct tsr_fault fault;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		struct rv k = { .n = 0 };

		prog_init(&self->p, &self->cfg);
		for (n = 0; n < 5 && calls[i][n].pages; n++)
			rv_store(&k, calls[i][n].reg, calls[i][n].pages);
		prog_cb(&self->p, 0, 32, 4, 0, TSR_FORMAT_RAW);
		RUN(&k, TSR_PROC_DM1, 1, 0, TSR_GRID_FAULT);
		tsr_grid_fault(self->grid, &fault);
		EXPECT_EQ(TSR_FAULT_CB, fault.cause);
		EXPECT_EQ(calls[i][n - 1].reg, fault.address);
		EXPECT_EQ(TSR_KNOWN_OBJECT | TSR_KNOWN_SIZE | TSR_KNOWN_AMOUNT, fault.asked.known);
		EXPECT_EQ(0, fault.asked.object);
		EXPECT_EQ(4, fault.asked.size);
		EXPECT_EQ(calls[i][n - 1].pages, fault.asked.amount);
		/* the last store of all */
		EXPECT_EQ(self->p.limits.image_base[1] + 4 * (5 * n - 1), fault.pc);
		prog_fini(&self->p);
		self->p.blob.n_images = 0;
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Scheduler: determinism, several workers, stop and wake-ups under load. */
#include <pthread.h>
#include <sched.h>

#include "kselftest_harness.h"

#include "common_grid.h"

#define L1	TSR_L1_BASE
#define ROUNDS	40

/*
 * A ring over all cores, row-major: in each round a core waits for its token, adds its
 * rank, sends it on, and meets all others at a barrier made of a counter at (0, 0) and
 * a multicast. Compute processors spin meanwhile and count on a circular buffer.
 */
struct ring {
	struct tsr_grid_config cfg;
	struct prog p;
	struct tsr_grid *grid;
	u32 token, kicks;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	u64 rung;
	bool over;
};

static void rv_delay(struct rv *k, u32 loops)
{
	u32 at;

	rv_li(k, T0, loops);
	at = rv_put(k, ADDI(T0, T0, -1));
	RV_BACK(k, BNE, T0, ZERO, at);
}

/* args: next core's NoC word, rank; common: number of cores */
static void ring_kernel(struct ring *r, struct rv *k)
{
	u32 top, skip, cores = r->cfg.width * r->cfg.height;

	rv_load(k, S0, TSR_REG_CORE + TSR_CORE_ARG_BASE);
	rv_put(k, LW(S1, S0, 0));		/* next */
	rv_put(k, LW(S2, S0, 4));		/* rank */
	rv_li(k, S3, 0);			/* round */
	top = k->n;
	rv_put(k, ADDI(S3, S3, 1));
	/* token of this round */
	rv_store_reg(k, SEM(0, WAIT_MIN), S3);
	rv_load(k, S4, r->token);
	rv_put(k, ADD(S4, S4, S2));
	rv_store_reg(k, r->token + 16, S4);
	rv_store_reg(k, TSR_REG_NOC + TSR_NOC_TARGET_HI, S1);
	rv_store(k, TSR_REG_NOC + TSR_NOC_TARGET_LO, r->token);
	rv_store(k, TSR_REG_NOC + TSR_NOC_LOCAL, r->token + 16);
	rv_store(k, TSR_REG_NOC + TSR_NOC_SIZE, 4);
	rv_store(k, TSR_REG_NOC + TSR_NOC_COMMAND, TSR_NOC_CMD_WRITE);
	rv_store(k, TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_WRITE);
	rv_store(k, TSR_REG_NOC + TSR_NOC_TARGET_LO, SEM(0, VALUE));
	rv_store(k, TSR_REG_NOC + TSR_NOC_LOCAL, 1);
	rv_store(k, TSR_REG_NOC + TSR_NOC_COMMAND, TSR_NOC_CMD_SEM_INC);
	rv_delay(k, 37);
	/* barrier: all count at (0, 0); rank 0 waits for all and releases */
	rv_noc(k, TSR_NOC_CMD_SEM_INC, CORE(0, 0), SEM(1, VALUE), 1, 0);
	skip = rv_put(k, 0);
	rv_li(k, T0, cores);
	rv_put(k, MUL(T0, T0, S3));
	rv_store_reg(k, SEM(1, WAIT_EQ), T0);
	rv_store_reg(k, r->token + 32, S3);
	rv_noc(k, TSR_NOC_CMD_WRITE_LOOPBACK, MCAST(0, 0, r->cfg.width - 1, r->cfg.height - 1),
	       SEM(2, VALUE), r->token + 32, 4);
	k->code[skip] = BNE(S2, ZERO, (s32)(k->n - skip) * 4);
	rv_store_reg(k, SEM(2, WAIT_MIN), S3);
	rv_li(k, T0, ROUNDS);
	RV_BACK(k, BNE, S3, T0, top);
}

static void kick(void *ctx)
{
	struct ring *r = ctx;

	pthread_mutex_lock(&r->lock);
	r->kicks++;
	r->rung++;
	pthread_cond_broadcast(&r->cond);
	pthread_mutex_unlock(&r->lock);
}

static void ring_init(struct ring *r, u32 width, u32 height, bool deterministic)
{
	struct tsr_grid_env env = { .ctx = r, .kick = kick };
	struct rv k = { .n = 0 }, compute = { .n = 0 };
	u32 i, cores = width * height, words[2], top;

	memset(r, 0, sizeof(*r));
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->cond, NULL);
	tsr_grid_config_default(&r->cfg);
	r->cfg.width = width;
	r->cfg.height = height;
	r->cfg.l1_size = 256 << 10;
	r->cfg.deterministic = deterministic;
	r->grid = tsr_grid_new(&r->cfg, &env);
	prog_init(&r->p, &r->cfg);
	r->token = r->p.limits.cb_base;
	ring_kernel(r, &k);
	prog_kernel(&r->p, &k, TSR_PROC_DM0, 0, 0, width - 1, height - 1);
	prog_common(&r->p, &cores, 1);
	for (i = 0; i < cores; i++) {
		u32 next = (i + 1) % cores;

		words[0] = CORE(next % width, next / width);
		words[1] = i;
		prog_args(&r->p, i % width, i / width, words, 2);
	}
	/* a producer and a consumer beside it */
	rv_li(&compute, S0, ROUNDS);
	top = compute.n;
	rv_store(&compute, CB(0, WAIT), 1);
	rv_store(&compute, CB(0, POP), 1);
	rv_put(&compute, ADDI(S0, S0, -1));
	RV_BACK(&compute, BNE, S0, ZERO, top);
	prog_kernel(&r->p, &compute, TSR_PROC_COMPUTE, 0, 0, width - 1, height - 1);
	compute.n = 0;
	rv_li(&compute, S0, ROUNDS);
	top = compute.n;
	rv_store(&compute, CB(0, RESERVE), 1);
	rv_store(&compute, CB(0, PUSH), 1);
	rv_delay(&compute, 11);
	rv_put(&compute, ADDI(S0, S0, -1));
	RV_BACK(&compute, BNE, S0, ZERO, top);
	prog_kernel(&r->p, &compute, TSR_PROC_DM1, 0, 0, width - 1, height - 1);
	prog_cb(&r->p, 0, 16, 2, 4096, TSR_FORMAT_RAW);
	/* the first token is there */
	prog_sem(&r->p, 0, 1, 0, 0, 0, 0);
}

static void ring_fini(struct ring *r)
{
	prog_fini(&r->p);
	tsr_grid_free(r->grid);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->cond);
}

static u32 ring_token(struct ring *r)
{
	return tsr_get32(tsr_grid_l1(r->grid, 0, 0) + (r->token - L1));
}

static void ring_start(struct ring *r)
{
	tsr_put32(tsr_grid_l1(r->grid, 0, 0) + (r->token - L1), 0);
	r->over = false;
	prog_launch(&r->p, r->grid);
}

static u32 ring_sum(const struct ring *r)
{
	u32 n = r->cfg.width * r->cfg.height;

	return ROUNDS * n * (n - 1) / 2;
}

/* All that may differ between two executions, as one number. */
static u64 ring_digest(struct ring *r)
{
	struct tsr_proc_stats s;
	u64 d = 0;
	u32 i, p;

	for (i = 0; i < r->cfg.width * r->cfg.height; i++) {
		for (p = 0; p < 3; p++) {
			tsr_grid_stats(r->grid, i % r->cfg.width, i / r->cfg.width, p, &s);
			d = d * 1000003 + s.cycles;
			d = d * 1000003 + s.instructions;
			d = d * 1000003 + s.wait_cycles;
			d = d * 1000003 + s.noc_written;
		}
	}
	return d;
}

TEST(budget_and_repetition_do_not_change_cycles)
{
	static const u64 budgets[] = { 1u << 30, 1, 333, 5000, 1u << 30 };
	struct ring r;
	u64 digest = 0;
	u32 i;

	ring_init(&r, 4, 3, true);
	for (i = 0; i < ARRAY_SIZE(budgets); i++) {
		ring_start(&r);
		ASSERT_EQ(TSR_GRID_DONE, grid_finish(r.grid, budgets[i]));
		EXPECT_EQ(ring_sum(&r), ring_token(&r));
		if (!i)
			digest = ring_digest(&r);
		EXPECT_EQ(digest, ring_digest(&r));
	}
	ring_fini(&r);
}

TEST(two_grids_agree)
{
	struct ring a, b;

	ring_init(&a, 3, 3, true);
	ring_init(&b, 3, 3, true);
	ring_start(&a);
	ring_start(&b);
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(a.grid, 1000));
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(b.grid, 100000));
	EXPECT_EQ(ring_digest(&a), ring_digest(&b));
	ring_fini(&a);
	ring_fini(&b);
}

TEST(a_second_worker_is_sent_away_in_deterministic_mode)
{
	struct ring r;

	ring_init(&r, 2, 2, true);
	ring_start(&r);
	EXPECT_EQ(TSR_GRID_DONE, grid_finish(r.grid, 1000));
	/* nobody is inside: a caller gets the end, not WAIT */
	EXPECT_EQ(TSR_GRID_DONE, tsr_grid_run(r.grid, 1));
	ring_fini(&r);
}

/* ---- several workers ---- */

struct worker {
	pthread_t thread;
	struct ring *r;
	enum tsr_grid_state end;
};

/* Sleep until something was kicked since @seen; false when nothing is for long. */
static bool sleep_on(struct ring *r, u64 seen)
{
	struct timespec until;
	bool ok = true;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	pthread_mutex_lock(&r->lock);
	while (ok && r->rung == seen && !r->over)
		ok = !pthread_cond_timedwait(&r->cond, &r->lock, &until);
	pthread_mutex_unlock(&r->lock);
	return ok;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct ring *r = w->r;
	u64 seen;

	for (;;) {
		pthread_mutex_lock(&r->lock);
		seen = r->rung;
		pthread_mutex_unlock(&r->lock);
		w->end = tsr_grid_run(r->grid, 3000);
		if (w->end == TSR_GRID_MORE)
			continue;
		if (w->end == TSR_GRID_WAIT) {
			if (!sleep_on(r, seen))
				return NULL;
			continue;
		}
		pthread_mutex_lock(&r->lock);
		r->over = true;
		pthread_cond_broadcast(&r->cond);
		pthread_mutex_unlock(&r->lock);
		return NULL;
	}
}

static void start_workers(struct ring *r, struct worker *w, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		w[i].r = r;
		pthread_create(&w[i].thread, NULL, work, &w[i]);
	}
}

TEST(workers_share_the_cores_and_lose_no_wake_up)
{
	struct worker w[4];
	struct ring r;
	u32 n, i, round;

	ring_init(&r, 4, 4, false);
	for (n = 1; n <= 4; n++) {
		for (round = 0; round < 5; round++) {
			ring_start(&r);
			start_workers(&r, w, n);
			for (i = 0; i < n; i++)
				pthread_join(w[i].thread, NULL);
			for (i = 0; i < n; i++)
				EXPECT_EQ(TSR_GRID_DONE, w[i].end);
			EXPECT_EQ(ring_sum(&r), ring_token(&r));
		}
	}
	ring_fini(&r);
}

TEST(stop_is_seen_by_all_workers)
{
	struct rv spin = { .n = 0 };
	struct tsr_stall_info stall;
	struct worker w[3];
	struct ring r;
	u32 i, round;

	ring_init(&r, 4, 2, false);
	prog_fini(&r.p);
	prog_init(&r.p, &r.cfg);
	rv_put(&spin, ADDI(T0, T0, 1));
	rv_put(&spin, JAL(ZERO, -4));
	prog_kernel(&r.p, &spin, TSR_PROC_DM0, 0, 0, 3, 1);
	for (round = 0; round < 20; round++) {
		ring_start(&r);
		start_workers(&r, w, 3);
		for (i = 0; i < 50; i++) {
			tsr_grid_stall(r.grid, &stall);
			tsr_grid_progress(r.grid);
			EXPECT_EQ(8, stall.running + stall.ready);
			sched_yield();
		}
		tsr_grid_stop(r.grid);
		for (i = 0; i < 3; i++)
			pthread_join(w[i].thread, NULL);
		for (i = 0; i < 3; i++)
			EXPECT_EQ(TSR_GRID_STOPPED, w[i].end);
	}
	ring_fini(&r);
}

TEST(a_fault_is_seen_by_all_workers)
{
	struct rv bad = { .n = 0 };
	struct tsr_fault fault;
	struct worker w[3];
	struct ring r;
	u32 i, round;

	ring_init(&r, 4, 2, false);
	rv_delay(&bad, 3000);
	rv_put(&bad, EBREAK());
	for (round = 0; round < 20; round++) {
		prog_fini(&r.p);
		prog_init(&r.p, &r.cfg);
		prog_kernel(&r.p, &bad, TSR_PROC_DM0, 0, 0, 3, 1);
		ring_start(&r);
		start_workers(&r, w, 3);
		for (i = 0; i < 3; i++)
			pthread_join(w[i].thread, NULL);
		for (i = 0; i < 3; i++)
			EXPECT_EQ(TSR_GRID_FAULT, w[i].end);
		tsr_grid_fault(r.grid, &fault);
		EXPECT_EQ(TSR_FAULT_BREAKPOINT, fault.cause);
		EXPECT_EQ(r.p.limits.image_base[0] + 16, fault.pc);
	}
	ring_fini(&r);
}

/* ---- slices of one worker ---- */

FIXTURE(slices) {
	struct tsr_grid_config cfg;
	struct prog p;
	struct tsr_grid *grid;
	struct tsr_proc_stats stats;
};

FIXTURE_SETUP(slices)
{
	self->grid = grid_new_plain(&self->cfg);
	ASSERT_NE(NULL, self->grid);
	prog_init(&self->p, &self->cfg);
}

FIXTURE_TEARDOWN(slices)
{
	prog_fini(&self->p);
	tsr_grid_free(self->grid);
}

/*
 * Core (0, 0) waits on one processor while the other runs a quantum ahead; (1, 0) wakes the one that
 * waits at a clock before that. It writes soon after, and (2, 0) reads one and a half quanta later.
 * 0: (2, 0) went first, for the core's place among the others was still that of its other processor.
 */
TEST_F(slices, a_core_that_is_woken_in_its_past_comes_first)
{
	struct rv wait = { .n = 0 }, ahead = { .n = 0 }, wake = { .n = 0 }, read = { .n = 0 };
	const u32 at = self->p.limits.cb_base;

	rv_store(&wait, SEM(0, WAIT_MIN), 1);
	rv_store(&wait, at, 1);
	rv_delay(&ahead, self->cfg.quantum);
	rv_noc(&wake, TSR_NOC_CMD_SEM_INC, CORE(0, 0), SEM(0, VALUE), 1, 0);
	rv_delay(&read, self->cfg.quantum / 2);
	rv_noc(&read, TSR_NOC_CMD_READ, CORE(0, 0), at, at + 64, 4);
	prog_kernel(&self->p, &wait, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_kernel(&self->p, &ahead, TSR_PROC_DM1, 0, 0, 0, 0);
	prog_kernel(&self->p, &wake, TSR_PROC_DM0, 1, 0, 1, 0);
	prog_kernel(&self->p, &read, TSR_PROC_DM0, 2, 0, 2, 0);
	prog_launch(&self->p, self->grid);
	ASSERT_EQ(TSR_GRID_DONE, grid_finish(self->grid, 1000));
	EXPECT_EQ(1, grid_word(self->grid, 2, 0, at + 64));
}

/*
 * 40 transfers of 64 KiB in a few thousand cycles: a slice that took them all would be long. Another
 * core is ready from the beginning, and begins when the first slice is over.
 */
TEST_F(slices, one_ends_after_much_work)
{
	struct rv k = { .n = 0 }, other = { .n = 0 };
	u32 i, runs = 0, first = 0;

	for (i = 0; i < 40; i++)
		rv_noc(&k, TSR_NOC_CMD_READ, CORE(1, 0), L1, L1 + 0x20000, 0x10000);
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	rv_put(&other, ADDI(T0, T0, 1));
	prog_kernel(&self->p, &other, TSR_PROC_DM0, 2, 0, 2, 0);
	prog_launch(&self->p, self->grid);
	do {
		runs++;
		tsr_grid_stats(self->grid, 2, 0, TSR_PROC_DM0, &self->stats);
		if (!self->stats.instructions)
			first++;
	} while (tsr_grid_run(self->grid, 1) == TSR_GRID_MORE);
	tsr_grid_stats(self->grid, 0, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_LT(40 * 25, self->stats.instructions);
	/* 2.5 MiB, of which a slice does one, and a step an eighth of that; and the other core's. */
	EXPECT_EQ(9, first);
	EXPECT_EQ(22, runs);
}

/* A cycle each, and never in the interpreter when the slice is over. */
TEST_F(slices, one_ends_at_a_system_instruction_too)
{
	struct rv k = { .n = 0 };
	u32 i;

	for (i = 0; i < 1000; i++)
		rv_put(&k, CSRRS(T0, 0xc00, ZERO));
	rv_put(&k, JAL(ZERO, -4000));
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 1));
	tsr_grid_stats(self->grid, 0, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_LT(1000, self->stats.instructions);
	EXPECT_GE(50000, self->stats.cycles);
	tsr_grid_stop(self->grid);
	EXPECT_EQ(TSR_GRID_STOPPED, tsr_grid_run(self->grid, 1));
}

/* A quantum longer than what one alone gets counts for one that has neighbours, too. */
TEST_F(slices, a_long_quantum_is_used)
{
	struct rv k = { .n = 0 };

	tsr_grid_free(self->grid);
	self->cfg.quantum = 200000;
	self->grid = tsr_grid_new(&self->cfg, NULL);
	ASSERT_NE(NULL, self->grid);
	rv_put(&k, JAL(ZERO, 0));
	prog_kernel(&self->p, &k, TSR_PROC_DM0, 0, 0, 0, 0);
	prog_kernel(&self->p, &k, TSR_PROC_DM1, 0, 0, 0, 0);
	prog_launch(&self->p, self->grid);
	/* two cycles an instruction */
	EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 90000));
	tsr_grid_stats(self->grid, 0, 0, TSR_PROC_DM1, &self->stats);
	EXPECT_EQ(0, self->stats.cycles);
	EXPECT_EQ(TSR_GRID_MORE, tsr_grid_run(self->grid, 20000));
	tsr_grid_stats(self->grid, 0, 0, TSR_PROC_DM0, &self->stats);
	EXPECT_LE(200000, self->stats.cycles);
	tsr_grid_stats(self->grid, 0, 0, TSR_PROC_DM1, &self->stats);
	EXPECT_LT(0, self->stats.cycles);
	tsr_grid_stop(self->grid);
	EXPECT_EQ(TSR_GRID_STOPPED, tsr_grid_run(self->grid, 1));
}

TEST_HARNESS_MAIN

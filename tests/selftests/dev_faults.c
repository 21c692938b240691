// SPDX-License-Identifier: MIT
/*
 * Every kind of fault, provoked by a kernel on one processor of one core (FL-5): the record names
 * cause, core, processor, pc, address and kernel; only that run suffers (FL-1, LOCAL).
 */
#include "common_harness.h"

#define L1(d)		((d)->info.limits.cb_base)
#define NOWHERE		0x40000000u
#define UNBOUND		7

enum { BIND_IN, BIND_OUT, BIND_SIZE = 4096 };

/** struct fault_case - steps, and what the record must say */
struct fault_case {
	const char *name;
	uint32_t steps[8];
	uint32_t count;
	uint32_t cause;
	const char *at;			/* symbol of the instruction that faults */
	uint64_t address;
};

#define FAULT(_name, _cause, _at, _address, ...) { \
	.name = _name, .cause = TSR_FAULT_##_cause, .at = _at, .address = _address, \
	.steps = { __VA_ARGS__ }, .count = sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, \
}
#define PC_ITSELF	~0ull		/* the address is the pc */
#define HI(kind, rest)	((uint64_t)((kind) | (rest)) << 32)

/* The first address behind L1, and L1 below the registers: filled in for the device. */
#define L1_END		0xffff0000u
#define LOCAL		0xffff0001u

static const struct fault_case cases[] = {
	FAULT("illegal instruction", ILLEGAL_INSN, "at_illegal", SCRIPT_ILLEGAL, STEP_ILLEGAL),
	FAULT("breakpoint", BREAKPOINT, "at_ebreak", PC_ITSELF, STEP_EBREAK),
	FAULT("environment call", ECALL, "at_ecall", PC_ITSELF, STEP_ECALL),
	FAULT("jump into nowhere", FETCH, "at_jump", NOWHERE, STEP_JUMP, NOWHERE),
	FAULT("jump behind L1", FETCH, "at_jump", L1_END, STEP_JUMP, L1_END),
	FAULT("jump into registers", FETCH, "at_jump", TSR_REG_CORE, STEP_JUMP, TSR_REG_CORE),
	FAULT("misaligned jump", FETCH, "at_jump", NOWHERE + 2, STEP_JUMP, NOWHERE + 2),
	FAULT("misaligned load", LOAD_MISALIGNED, "at_load", LOCAL + 1, STEP_LOAD, LOCAL + 1),
	FAULT("misaligned half", LOAD_MISALIGNED, "at_load_half", LOCAL + 1,
	      STEP_LOAD_HALF, LOCAL + 1),
	FAULT("misaligned store", STORE_MISALIGNED, "at_store", LOCAL + 1,
	      STEP_STORE, LOCAL + 1, 1),
	FAULT("load from nowhere", LOAD_RANGE, "at_load", 0, STEP_LOAD, 0),
	FAULT("load behind L1", LOAD_RANGE, "at_load", L1_END, STEP_LOAD, L1_END),
	FAULT("byte of a register", LOAD_RANGE, "at_load_byte", TSR_REG_CORE,
	      STEP_LOAD_BYTE, TSR_REG_CORE),
	FAULT("load from no block", LOAD_RANGE, "at_load", 0xf0050000u, STEP_LOAD, 0xf0050000u),
	FAULT("store to nowhere", STORE_RANGE, "at_store", 0, STEP_STORE, 0, 1),
	FAULT("store below L1", STORE_RANGE, "at_store", TSR_L1_BASE - 4,
	      STEP_STORE, TSR_L1_BASE - 4, 1),
	FAULT("store to a read-only register", STORE_RANGE, "at_store", TSR_REG_CORE + TSR_CORE_X,
	      STEP_STORE, TSR_REG_CORE + TSR_CORE_X, 1),
	FAULT("half of a register", STORE_RANGE, "at_store_half", TSR_REG_SEM,
	      STEP_STORE_HALF, TSR_REG_SEM, 1),
	FAULT("unknown NoC command", NOC_COMMAND, "at_store", 99,
	      NOC_CORE(0, 0, LOCAL, LOCAL, 16, 99)),
	FAULT("transfer of nothing", NOC_COMMAND, "at_store", LOCAL,
	      NOC_CORE(0, 0, LOCAL, LOCAL, 0, TSR_NOC_CMD_READ)),
	FAULT("transfer from behind L1", NOC_COMMAND, "at_store", L1_END,
	      NOC_CORE(0, 0, LOCAL, L1_END, 16, TSR_NOC_CMD_WRITE)),
	FAULT("unknown barrier", NOC_COMMAND, "at_store", 8,
	      STEP_STORE, TSR_REG_NOC + TSR_NOC_BARRIER, 8),
	FAULT("no such core", NOC_TARGET, "at_store", HI(TSR_NOC_TARGET_CORE, 200) | LOCAL,
	      NOC_CORE(200, 0, LOCAL, LOCAL, 16, TSR_NOC_CMD_WRITE)),
	FAULT("behind another core's L1", NOC_TARGET, "at_store",
	      HI(TSR_NOC_TARGET_CORE, 1) | L1_END,
	      NOC_CORE(1, 0, L1_END, LOCAL, 16, TSR_NOC_CMD_WRITE)),
	FAULT("unbound buffer", BUFFER_UNBOUND, "at_store", UNBOUND,
	      NOC_BUFFER(UNBOUND, 0, LOCAL, 16, TSR_NOC_CMD_READ)),
	FAULT("behind a buffer", BUFFER_RANGE, "at_store", BIND_SIZE,
	      NOC_BUFFER(BIND_IN, BIND_SIZE, LOCAL, 16, TSR_NOC_CMD_READ)),
	FAULT("read of an output", BUFFER_READ, "at_store", 32,
	      NOC_BUFFER(BIND_OUT, 32, LOCAL, 16, TSR_NOC_CMD_READ)),
	FAULT("write to an input", BUFFER_WRITE, "at_store", 48,
	      NOC_BUFFER(BIND_IN, 48, LOCAL, 16, TSR_NOC_CMD_WRITE)),
	FAULT("no such semaphore", SEMAPHORE, "at_store", SEM_REG(16, TSR_SEM_ADD),
	      STEP_STORE, SEM_REG(16, TSR_SEM_ADD), 1),
	FAULT("no such circular buffer", CB, "at_store", TSR_REG_CB + 31 * TSR_CB_STRIDE,
	      STEP_STORE, TSR_REG_CB + 31 * TSR_CB_STRIDE, 1),
	FAULT("more pages than there are", CB, "at_store", TSR_REG_CB + TSR_CB_RESERVE,
	      STEP_STORE, TSR_REG_CB + TSR_CB_RESERVE, 3),
	FAULT("pop of an empty buffer", CB, "at_store", TSR_REG_CB + TSR_CB_POP,
	      STEP_STORE, TSR_REG_CB + TSR_CB_POP, 1),
	FAULT("unsuccessful end", KERNEL, "at_store", 42,
	      STEP_STORE, TSR_REG_CORE + TSR_CORE_EXIT, 42),
};

/* Not the compute processor; and on it, an operation that does not exist. */
static const struct fault_case tile_case =
	FAULT("tile unit", TILE, "at_store", TSR_REG_TILE + TSR_TILE_OP,
	      STEP_STORE, TSR_REG_TILE + TSR_TILE_OP, 99);

FIXTURE(faults)
{
	struct dev d;
	struct dev_buf in, out;
};

FIXTURE_SETUP(faults)
{
	ASSERT_EQ(0, dev_open(&self->d, NULL));
	ASSERT_EQ(0, dev_buf(&self->d, BIND_SIZE, &self->in));
	ASSERT_EQ(0, dev_buf(&self->d, BIND_SIZE, &self->out));
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		ASSERT_NE(NULL, dev_script(&self->d, p));
}

FIXTURE_TEARDOWN(faults)
{
	dev_close(&self->d);
}

static uint64_t for_device(const struct dev *d, uint64_t v)
{
	uint32_t low = (uint32_t)v;

	if (low == L1_END)
		low = TSR_L1_BASE + d->info.limits.l1_size;
	else if (low == LOCAL || low == LOCAL + 1)
		low = L1(d) + (low - LOCAL);
	return (v & 0xffffffff00000000ull) | low;
}

/* One processor does the case, its neighbours on core and grid work on: they are no suspects. */
static struct dev_job *faulting_job(FIXTURE_DATA(faults) *self, const struct fault_case *c,
				    uint32_t processor, uint16_t x, uint16_t y)
{
	struct dev_job *job = dev_job(&self->d);
	uint32_t steps[8];

	for (uint32_t i = 0; i < c->count; i++)
		steps[i] = (uint32_t)for_device(&self->d, c->steps[i]);
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		dev_job_script(job, p, x, y, steps, p == processor ? c->count : 0);
	dev_job_cb(job, 0, 64, 2, TSR_FORMAT_RAW);
	dev_job_bind(job, TESSERA_ACCESS_IN, &self->in);
	dev_job_bind(job, TESSERA_ACCESS_OUT, &self->out);
	return job;
}

static void check_case(struct __test_metadata *_metadata, FIXTURE_DATA(faults) *self,
		       const struct fault_case *c, uint32_t processor, uint16_t x, uint16_t y)
{
	struct dev_job *job = faulting_job(self, c, processor, x, y);
	uint32_t pc = dev_symbol(dev_script(&self->d, processor), c->at);
	uint64_t address = c->address == PC_ITSELF ? pc : for_device(&self->d, c->address);
	struct drm_tessera_counters before, after;
	struct drm_tessera_status s;

	ASSERT_EQ(0, uapi_counters(self->d.fd, &before));
	ASSERT_EQ(0, dev_execute(job, &s));
	ASSERT_EQ(0, uapi_counters(self->d.fd, &after));
	if (s.code != DRM_TESSERA_CODE_FAULT || s.fault.cause != c->cause || s.fault.pc != pc ||
	    s.fault.address != address) {
		TH_LOG("case \"%s\", expected pc %#x, address %#llx", c->name, pc,
		       (unsigned long long)address);
		dev_status_print(&s);
	}
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, s.failure_class);
	EXPECT_EQ(DRM_TESSERA_VERDICT_RECORD, s.verdict_source);
	EXPECT_TRUE(s.flags & DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED);
	EXPECT_EQ(c->cause, s.fault.cause);
	EXPECT_EQ(x, s.fault.x);
	EXPECT_EQ(y, s.fault.y);
	EXPECT_EQ(processor, s.fault.processor);
	EXPECT_EQ(pc, s.fault.pc);
	EXPECT_EQ(address, s.fault.address);
	/* Descriptors in the order of the processors: another index would name an innocent. */
	EXPECT_EQ(processor, s.fault.kernel);
	EXPECT_EQ(0, s.stall.stall_class);
	/* Scrubbed once: 0 would leave the wreck to the next run, more would be wasted work. */
	EXPECT_EQ(before.scrubs + 1, after.scrubs);
	/* Neither reset nor timeout: the cores ended by themselves. */
	EXPECT_EQ(before.resets, after.resets);
	EXPECT_EQ(before.timeouts, after.timeouts);
	EXPECT_EQ(before.runs_failed_local + 1, after.runs_failed_local);
	dev_job_free(job);
}

TEST_F(faults, each_cause_is_named_with_its_place)
{
	bool seen[TSR_FAULTS] = { [TSR_FAULT_NONE] = true, [TSR_FAULT_TILE] = true };
	const struct tessera_limits *l = &self->d.info.limits;

	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		check_case(_metadata, self, &cases[i], i % TSR_PROCS_PER_CORE, i % l->grid_width,
			   i / l->grid_width % l->grid_height);
		seen[cases[i].cause] = true;
		if (i % 8 == 0) {
			EXPECT_EQ(0, dev_good_run(&self->d));
		}
	}
	for (uint32_t cause = 0; cause < TSR_FAULTS; cause++) {
		EXPECT_TRUE(seen[cause])
			TH_LOG("no case for cause %u", cause);
	}
}

TEST_F(faults, tile_unit_belongs_to_the_compute_processor)
{
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		check_case(_metadata, self, &tile_case, p, 1, 1);
	EXPECT_EQ(0, dev_good_run(&self->d));
}

/* A run of another context, queued before and after the faulting one: both succeed. */
TEST_F(faults, another_context_is_not_affected)
{
	struct dev_job *bad = faulting_job(self, &cases[0], TSR_PROC_DM1, 0, 0);
	struct dev_job *good = dev_job(&self->d);
	struct dev_submit how = { 0 };
	struct drm_tessera_status s;
	uint32_t run[3];

	ASSERT_EQ(0, uapi_context(self->d.fd, 0, &how.ctx));
	dev_job_kernel(good, dev_script(&self->d, TSR_PROC_DM0), NULL, STEPS(STEP_WORK, 20000));
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, dev_submit(good, &how, &run[0]));
		ASSERT_EQ(0, dev_submit(bad, NULL, &run[1]));
		ASSERT_EQ(0, dev_submit(good, &how, &run[2]));
		ASSERT_EQ(0, dev_finish(&self->d, run[0], &s));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
		ASSERT_EQ(0, dev_finish(&self->d, run[1], &s));
		EXPECT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
		ASSERT_EQ(0, dev_finish(&self->d, run[2], &s));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
		EXPECT_EQ(0, s.poison_run);
	}
	dev_job_free(bad);
	dev_job_free(good);
}

/* Each core has a kernel of its own: the one that is named is not that of a neighbour. */
TEST_F(faults, the_kernel_is_that_of_the_place)
{
	static const uint16_t places[][2] = { { 2, 1 }, { 0, 1 }, { 1, 2 }, { 1, 0 }, { 1, 1 } };
	static const uint32_t step = STEP_EBREAK;
	const uint32_t last = UAPI_ARRAY_SIZE(places) - 1;
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;

	for (uint32_t i = 0; i <= last; i++)
		dev_job_script(job, TSR_PROC_DM0, places[i][0], places[i][1], &step, i == last);
	ASSERT_EQ(0, dev_execute(job, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	EXPECT_EQ(1, s.fault.x);
	EXPECT_EQ(1, s.fault.y);
	/* Another one: a side of its rectangle was not looked at. */
	EXPECT_EQ(last, s.fault.kernel);
	dev_job_free(job);
}

/* When several processors fault, one of them is reported, and whole: never a mixture. */
TEST_F(faults, one_of_many_faults_is_reported)
{
	const struct dev_image *image[TSR_PROCS_PER_CORE];
	struct drm_tessera_status s;
	struct dev_job *job = dev_job(&self->d);
	static const char *const at[] = { "at_ebreak", "at_ecall", "at_illegal" };
	static const uint32_t step[] = { STEP_EBREAK, STEP_ECALL, STEP_ILLEGAL };
	static const uint32_t cause[] = {
		TSR_FAULT_BREAKPOINT, TSR_FAULT_ECALL, TSR_FAULT_ILLEGAL_INSN,
	};

	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++) {
		image[p] = dev_script(&self->d, p);
		dev_job_kernel(job, image[p], NULL, &step[p], 1);
	}
	for (int i = 0; i < 30; i++) {
		ASSERT_EQ(0, dev_execute(job, &s));
		ASSERT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
		ASSERT_GT(TSR_PROCS_PER_CORE, s.fault.processor);
		EXPECT_EQ(cause[s.fault.processor], s.fault.cause);
		EXPECT_EQ(dev_symbol(image[s.fault.processor], at[s.fault.processor]), s.fault.pc);
		EXPECT_EQ(s.fault.processor, s.fault.kernel);
	}
	dev_job_free(job);
}

/* The four of the issue: four statuses, each with core, processor and pc; then a good run. */
FIXTURE(four)
{
	struct dev d;
	struct dev_buf in;
};

FIXTURE_SETUP(four)
{
	ASSERT_EQ(0, soft_open(&self->d, "four", "no_progress_ms=200"));
	ASSERT_EQ(0, dev_buf(&self->d, BIND_SIZE, &self->in));
	ASSERT_NE(NULL, dev_script(&self->d, TSR_PROC_DM1));
}

FIXTURE_TEARDOWN(four)
{
	soft_close(&self->d, "four");
}

static void run_one_of_four(struct __test_metadata *_metadata, FIXTURE_DATA(four) *self,
			    const uint32_t *steps, uint32_t count, struct drm_tessera_status *ret)
{
	struct dev_job *job = dev_job(&self->d);

	dev_job_script(job, TSR_PROC_DM1, 2, 3, steps, count);
	dev_job_semaphore(job, 5, 0);
	dev_job_bind(job, TESSERA_ACCESS_IN, &self->in);
	ASSERT_EQ(0, dev_execute(job, ret));
	dev_job_free(job);
	EXPECT_EQ(0, dev_good_run(&self->d));
}

static void check_stall(struct __test_metadata *_metadata, const struct drm_tessera_status *s)
{
	EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s->code);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, s->failure_class);
	EXPECT_EQ(DRM_TESSERA_VERDICT_DRIVER, s->verdict_source);
	EXPECT_EQ(2, s->stall.stuck_x);
	EXPECT_EQ(3, s->stall.stuck_y);
	EXPECT_EQ(TSR_PROC_DM1, s->stall.stuck_processor);
	EXPECT_EQ(0, s->stall.stuck_kernel);
	EXPECT_EQ(1, s->stall.cores_total);
	EXPECT_EQ(0, s->stall.cores_completed);
	EXPECT_EQ(1, s->stall.dispatch_done);
	/* No fault: a cause here would send its reader after the wrong thing. */
	EXPECT_EQ(TSR_FAULT_NONE, s->fault.cause);
}

static void check_fault(struct __test_metadata *_metadata, FIXTURE_DATA(four) *self,
			const struct drm_tessera_status *s, uint32_t cause, const char *at)
{
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, s->code);
	EXPECT_EQ(cause, s->fault.cause);
	EXPECT_EQ(2, s->fault.x);
	EXPECT_EQ(3, s->fault.y);
	EXPECT_EQ(TSR_PROC_DM1, s->fault.processor);
	EXPECT_EQ(dev_symbol(dev_script(&self->d, TSR_PROC_DM1), at), s->fault.pc);
	EXPECT_EQ(TSR_STALL_NONE, s->stall.stall_class);
}

TEST_F(four, kernel_loops_for_ever)
{
	const struct dev_image *image = dev_script(&self->d, TSR_PROC_DM1);
	struct drm_tessera_status s;

	run_one_of_four(_metadata, self, STEPS(STEP_SPIN), &s);
	check_stall(_metadata, &s);
	EXPECT_EQ(TSR_STALL_RUNNING, s.stall.stall_class);
	EXPECT_EQ(1, s.stall.running);
	EXPECT_EQ(0, s.stall.waiting);
	EXPECT_EQ(0, s.stall.stuck_address);
	EXPECT_LE(dev_symbol(image, "at_spin"), s.stall.stuck_pc);
	EXPECT_GT(dev_symbol(image, "at_spin_end"), s.stall.stuck_pc);
}

TEST_F(four, kernel_jumps_into_nowhere)
{
	struct drm_tessera_status s;

	run_one_of_four(_metadata, self, STEPS(STEP_JUMP, NOWHERE), &s);
	check_fault(_metadata, self, &s, TSR_FAULT_FETCH, "at_jump");
	EXPECT_EQ(NOWHERE, s.fault.address);
}

TEST_F(four, kernel_reads_a_buffer_it_has_not_bound)
{
	struct drm_tessera_status s;

	run_one_of_four(_metadata, self,
			STEPS(NOC_BUFFER(1, 0, L1(&self->d), 16, TSR_NOC_CMD_READ)), &s);
	check_fault(_metadata, self, &s, TSR_FAULT_BUFFER_UNBOUND, "at_store");
	EXPECT_EQ(1, s.fault.address);
}

TEST_F(four, kernel_waits_on_a_semaphore_nobody_raises)
{
	struct drm_tessera_status s;

	run_one_of_four(_metadata, self, STEPS(WAIT_SEM(5, 1)), &s);
	check_stall(_metadata, &s);
	EXPECT_EQ(TSR_STALL_DEADLOCK, s.stall.stall_class);
	EXPECT_EQ(0, s.stall.running);
	EXPECT_EQ(1, s.stall.waiting);
	EXPECT_EQ(SEM_REG(5, TSR_SEM_WAIT_MIN), s.stall.stuck_address);
	EXPECT_EQ(dev_symbol(dev_script(&self->d, TSR_PROC_DM1), "at_store"), s.stall.stuck_pc);
}

DEV_HARNESS_MAIN

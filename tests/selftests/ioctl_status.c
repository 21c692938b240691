// SPDX-License-Identifier: MIT
/* RUN_STATUS: sizes, pointers, handles, and what the record says in each phase (RUN-11). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(status) {
	struct uapi_bench b;
	__u32 run;			/* has ended */
	struct drm_tessera_run_status args;
	__u8 data[4096];
};

FIXTURE_SETUP(status)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &self->run));
	ASSERT_EQ(0, uapi_wait(self->b.fd, self->run, uapi_soon()));
	self->args = (struct drm_tessera_run_status){
		.handle = self->run, .size = sizeof(self->data), .status = UAPI_PTR(self->data),
	};
	uapi_poison(self->data, sizeof(self->data));
}

FIXTURE_TEARDOWN(status)
{
	uapi_bench_close(&self->b);
}

/* With @size; arguments and data must be as before when it fails. */
static int ask(FIXTURE_DATA(status) *self, __u32 size)
{
	struct drm_tessera_run_status before;
	int ret;

	self->args.size = size;
	before = self->args;
	ret = uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_STATUS, &self->args);
	if (ret && memcmp(&before, &self->args, sizeof(before)))
		return -EPROTO;
	if (ret && !uapi_poisoned(self->data, sizeof(self->data)))
		return -EBADMSG;
	return ret;
}

/* Another time: the run before left something behind, and the device is never idle again. */
TEST_F(status, idle_device_stages_and_launches_at_once)
{
	struct drm_tessera_status s;

	for (int i = 0; i < 3; i++) {
		__u32 run;

		ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program,
						 &run));
		ASSERT_EQ(0, uapi_wait(self->b.fd, run, uapi_soon()));
		ASSERT_EQ(0, uapi_status(self->b.fd, run, &s));
		EXPECT_LT(0, s.queued_ns);
		EXPECT_EQ(s.queued_ns, s.staged_ns);
		EXPECT_EQ(s.queued_ns, s.launched_ns);
		EXPECT_LT(s.launched_ns, s.completed_ns);
		EXPECT_EQ(0, uapi_close_run(self->b.fd, run));
	}
}

TEST_F(status, sizes_that_are_refused)
{
	static const __u32 over[] = { 4097, 8192, 0x7fffffff, 0x80000000, 0xffffffff };

	for (__u32 size = 0; size < 8; size++)
		EXPECT_EQ(-EINVAL, ask(self, size));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(over); i++)
		EXPECT_EQ(-E2BIG, ask(self, over[i]));
}

TEST_F(status, every_size)
{
	const __u32 have = sizeof(struct drm_tessera_status);
	__u8 whole[4096];

	ASSERT_EQ(0, ask(self, sizeof(whole)));
	EXPECT_EQ(have, self->args.size);
	EXPECT_TRUE(uapi_all_zero(self->data + have, sizeof(whole) - have));
	memcpy(whole, self->data, sizeof(whole));
	for (__u32 size = 8; size < have + 40; size++) {
		uapi_poison(self->data, sizeof(whole));
		ASSERT_EQ(0, ask(self, size));
		ASSERT_EQ(have, self->args.size);
		ASSERT_EQ(0, memcmp(whole, self->data, size));
		ASSERT_TRUE(uapi_poisoned(self->data + size, sizeof(whole) - size));
	}
}

TEST_F(status, bad_pointers)
{
	const __u32 size = sizeof(struct drm_tessera_status) + 8;
	struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

	uapi_bad_ptrs(self->data, size, bad);
	for (unsigned int i = 0; i < UAPI_BAD_PTRS; i++) {
		self->args.status = bad[i].addr;
		EXPECT_EQ(-EFAULT, ask(self, size)) {
			TH_LOG("pointer: %s", bad[i].what);
		}
	}
}

TEST_F(status, handles_that_are_no_run)
{
	const __u32 never[] = { 0, self->run + 1, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	struct drm_tessera_status status;
	int other = uapi_open(NULL);

	ASSERT_LE(0, other);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++) {
		self->args.handle = never[i];
		EXPECT_EQ(-ENOENT, ask(self, 4096));
	}
	EXPECT_EQ(-ENOENT, uapi_status(other, self->run, &status));
	close(other);
	ASSERT_EQ(0, uapi_close_run(self->b.fd, self->run));
	self->args.handle = self->run;
	EXPECT_EQ(-ENOENT, ask(self, 4096));
}

TEST_F(status, run_that_ended_well)
{
	struct drm_tessera_status status;
	__s64 now = uapi_now();

	ASSERT_EQ(0, uapi_status(self->b.fd, self->run, &status));
	EXPECT_EQ(DRM_TESSERA_STATUS_VERSION, status.version);
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, status.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_NONE, status.failure_class);
	EXPECT_EQ(DRM_TESSERA_VERDICT_RECORD, status.verdict_source);
	EXPECT_EQ(0, status.flags & ~DRM_TESSERA_STATUS_INLINE);
	EXPECT_EQ(0, status.poison_code);
	EXPECT_EQ(0, status.poison_run);
	EXPECT_EQ(0, status.epoch);
	EXPECT_EQ(0, status.pad);
	EXPECT_EQ(self->b.info.reset_generation, status.reset_generation);
	EXPECT_LT(0, status.queued_ns);
	EXPECT_LE(status.queued_ns, status.staged_ns);
	EXPECT_LE(status.staged_ns, status.launched_ns);
	EXPECT_LE(status.launched_ns, status.completed_ns);
	EXPECT_LE(status.completed_ns, status.retired_ns);
	EXPECT_GE(now, (__s64)status.retired_ns);
	EXPECT_TRUE(uapi_all_zero(&status.fault, sizeof(status.fault)));
	EXPECT_TRUE(uapi_all_zero(&status.stall, sizeof(status.stall)));
}

/* FL-5: where, and with which status a kernel ended itself. */
TEST_F(status, kernel_that_failed)
{
	struct drm_tessera_status status;
	__u32 program, run;

	ASSERT_EQ(0, uapi_exit_program(self->b.fd, 0x1234567, &program));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, program, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, status.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, status.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, status.failure_class);
	EXPECT_EQ(DRM_TESSERA_VERDICT_RECORD, status.verdict_source);
	EXPECT_EQ(DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED,
		  status.flags & ~DRM_TESSERA_STATUS_INLINE);
	EXPECT_EQ(TSR_FAULT_KERNEL, status.fault.cause);
	EXPECT_EQ(TSR_PROC_DM0, status.fault.processor);
	/* The store to EXIT is the fifth instruction. */
	EXPECT_EQ(self->b.info.limits.image_base[0] + 16, status.fault.pc);
	EXPECT_EQ(0x1234567, status.fault.address);
	EXPECT_EQ(0, status.fault.kernel);
	EXPECT_TRUE(uapi_all_zero(&status.stall, sizeof(status.stall)));
	/* RUN-11: the run before it has its own. */
	ASSERT_EQ(0, uapi_status(self->b.fd, self->run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_TRUE(uapi_all_zero(&status.fault, sizeof(status.fault)));
}

TEST_F(status, phases_of_runs_that_wait)
{
	__u32 depth = self->b.info.limits.staged_depth, runs[16], n = depth + 2;
	struct drm_tessera_status status;
	struct uapi_gate gate;

	ASSERT_GE(16, n);
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	for (__u32 i = 0; i < n; i++)
		ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &gate, &runs[i]));
	ASSERT_EQ(0, uapi_wait_phase(self->b.fd, runs[0], DRM_TESSERA_PHASE_LAUNCHED));
	for (__u32 i = 1; i < depth; i++)
		EXPECT_EQ(0, uapi_wait_phase(self->b.fd, runs[i], DRM_TESSERA_PHASE_STAGED));
	for (__u32 i = 0; i < n; i++) {
		ASSERT_EQ(0, uapi_status(self->b.fd, runs[i], &status));
		/* RUN-2: only as many are staged as there are banks. */
		EXPECT_EQ(i == 0 ? DRM_TESSERA_PHASE_LAUNCHED : i < depth ?
			  DRM_TESSERA_PHASE_STAGED : DRM_TESSERA_PHASE_QUEUED, status.phase);
		EXPECT_EQ(DRM_TESSERA_VERDICT_NONE, status.verdict_source);
		EXPECT_NE(0, status.queued_ns);
		EXPECT_EQ(i < depth, status.staged_ns != 0);
		EXPECT_EQ(i < 1, status.launched_ns != 0);
		EXPECT_EQ(0, status.completed_ns);
		EXPECT_EQ(0, status.retired_ns);
		EXPECT_EQ(0, status.flags);
	}
	*gate.word = 1;
	for (__u32 i = 0; i < n; i++) {
		ASSERT_EQ(0, uapi_end(self->b.fd, runs[i], &status));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	}
	uapi_gate_free(self->b.fd, &gate);
}

/* The record belongs to the run: it outlives program and context. */
TEST_F(status, everything_else_is_gone)
{
	struct drm_tessera_status before, after;

	ASSERT_EQ(0, uapi_status(self->b.fd, self->run, &before));
	ASSERT_EQ(0, uapi_program_destroy(self->b.fd, self->b.program));
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	ASSERT_EQ(0, uapi_status(self->b.fd, self->run, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

TEST_HARNESS_MAIN

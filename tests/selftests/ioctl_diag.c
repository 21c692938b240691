// SPDX-License-Identifier: MIT
/* RUN_DIAG: figures of processors, device print; when they are there and when not (DX-1, DX-2). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define PRINT(c)	RV_POKE(TSR_REG_CORE + TSR_CORE_PRINT, c)

FIXTURE(diag) {
	struct uapi_bench b;
	__u32 program;			/* prints "hi", ends */
	__u16 x, y;
	__u32 run;			/* of it, with both flags; has ended */
	struct drm_tessera_run_diag args;
	char data[4096];
};

static const __u32 code[] = { PRINT('h'), PRINT('i'), PRINT('\n'), RV_EXIT(0) };

static int submit(FIXTURE_DATA(diag) *self, __u32 flags, __u32 *ret_run)
{
	struct drm_tessera_run run;
	int ret;

	uapi_run_init(&run, self->program);
	run.flags = flags;
	ret = uapi_submit(self->b.fd, self->b.context, &run);
	*ret_run = run.handle;
	return ret ? ret : uapi_wait(self->b.fd, run.handle, uapi_soon());
}

FIXTURE_SETUP(diag)
{
	struct uapi_prog p;

	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(DRM_TESSERA_CAP_PROFILE | DRM_TESSERA_CAP_PRINT, self->b.info.caps &
		  (DRM_TESSERA_CAP_PROFILE | DRM_TESSERA_CAP_PRINT));
	uapi_prog_init_core(&p, &self->b.info.limits);
	self->x = p.ranges[0].x0;
	self->y = p.ranges[0].y0;
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	ASSERT_EQ(0, uapi_prog_create(self->b.fd, &p, &self->program));
	ASSERT_EQ(0, submit(self, DRM_TESSERA_RUN_PROFILE | DRM_TESSERA_RUN_PRINT, &self->run));
	uapi_poison(self->data, sizeof(self->data));
	self->args = (struct drm_tessera_run_diag){
		.handle = self->run, .size = sizeof(self->data), .data = UAPI_PTR(self->data),
	};
}

FIXTURE_TEARDOWN(diag)
{
	uapi_bench_close(&self->b);
}

static int ask(FIXTURE_DATA(diag) *self, __u32 what, __u32 size)
{
	struct drm_tessera_run_diag before;
	int ret;

	self->args.what = what;
	self->args.size = size;
	before = self->args;
	ret = uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_DIAG, &self->args);
	if (ret && memcmp(&before, &self->args, sizeof(before)))
		return -EPROTO;
	if (ret && !uapi_poisoned(self->data, sizeof(self->data)))
		return -EBADMSG;
	return ret;
}

TEST_F(diag, every_pad_bit)
{
	for (unsigned int bit = 0; bit < 32; bit++) {
		self->args.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, ask(self, DRM_TESSERA_DIAG_PROCS, 4096));
	}
}

TEST_F(diag, unknown_question)
{
	static const __u32 whats[] = { 2, 3, 255, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(whats); i++)
		EXPECT_EQ(-EINVAL, ask(self, whats[i], 4096));
}

TEST_F(diag, handles_that_are_no_run)
{
	const __u32 never[] = { 0, self->run + 1, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	int other = uapi_open(NULL);

	ASSERT_LE(0, other);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++) {
		self->args.handle = never[i];
		EXPECT_EQ(-ENOENT, ask(self, DRM_TESSERA_DIAG_PRINT, 4096));
	}
	self->args.handle = self->run;
	EXPECT_EQ(-ENOENT, uapi_ioctl(other, DRM_IOCTL_TESSERA_RUN_DIAG, &self->args));
	close(other);
	ASSERT_EQ(0, uapi_close_run(self->b.fd, self->run));
	EXPECT_EQ(-ENOENT, ask(self, DRM_TESSERA_DIAG_PRINT, 4096));
}

TEST_F(diag, run_without_the_flag)
{
	static const struct {
		__u32 flags;
		int procs, print;
	} rows[] = {
		{ 0, -EOPNOTSUPP, -EOPNOTSUPP },
		{ DRM_TESSERA_RUN_PROFILE, 0, -EOPNOTSUPP },
		{ DRM_TESSERA_RUN_PRINT, -EOPNOTSUPP, 0 },
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(rows); i++) {
		ASSERT_EQ(0, submit(self, rows[i].flags, &self->args.handle));
		EXPECT_EQ(rows[i].procs, ask(self, DRM_TESSERA_DIAG_PROCS, 4096));
		uapi_poison(self->data, sizeof(self->data));
		EXPECT_EQ(rows[i].print, ask(self, DRM_TESSERA_DIAG_PRINT, 4096));
		uapi_poison(self->data, sizeof(self->data));
	}
}

TEST_F(diag, run_that_has_not_ended)
{
	struct drm_tessera_run run;
	struct uapi_gate gate;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	uapi_run_init(&run, gate.program);
	uapi_run_set_dispatch(&run, gate.dispatch, gate.dispatch_size);
	run.flags = DRM_TESSERA_RUN_RECORDS;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
	self->args.handle = run.handle;
	EXPECT_EQ(-EBUSY, ask(self, DRM_TESSERA_DIAG_PROCS, 4096));
	EXPECT_EQ(-EBUSY, ask(self, DRM_TESSERA_DIAG_PRINT, 4096));
	*gate.word = 1;
	ASSERT_EQ(0, uapi_wait(self->b.fd, run.handle, uapi_soon()));
	EXPECT_EQ(0, ask(self, DRM_TESSERA_DIAG_PROCS, 4096));
	uapi_gate_free(self->b.fd, &gate);
}

TEST_F(diag, bad_pointers)
{
	for (__u32 what = 0; what < 2; what++) {
		struct uapi_bad_ptr bad[UAPI_BAD_PTRS];
		__u32 size;

		self->args.data = 1;
		ASSERT_EQ(0, ask(self, what, 0));
		size = self->args.size;
		uapi_bad_ptrs(self->data, size, bad);
		for (unsigned int i = 0; i < UAPI_BAD_PTRS; i++) {
			self->args.data = bad[i].addr;
			EXPECT_EQ(-EFAULT, ask(self, what, size + 8)) {
				TH_LOG("pointer: %s", bad[i].what);
			}
		}
		self->args.data = UAPI_PTR(self->data);
	}
}

TEST_F(diag, every_size)
{
	char whole[4096];

	for (__u32 what = 0; what < 2; what++) {
		__u32 have;

		self->args.data = UAPI_PTR(self->data);
		ASSERT_EQ(0, ask(self, what, 0));
		have = self->args.size;
		ASSERT_GT(sizeof(whole), have);
		ASSERT_EQ(0, ask(self, what, have));
		memcpy(whole, self->data, sizeof(whole));
		for (__u32 size = 0; size < have + 8; size++) {
			__u32 got = size < have ? size : have;

			uapi_poison(self->data, sizeof(self->data));
			ASSERT_EQ(0, ask(self, what, size));
			ASSERT_EQ(have, self->args.size);
			ASSERT_EQ(0, memcmp(whole, self->data, got));
			ASSERT_TRUE(uapi_poisoned(self->data + got, sizeof(self->data) - got));
		}
		uapi_poison(self->data, sizeof(self->data));
		/* Only what there is is written, however large the buffer says it is. */
		EXPECT_EQ(0, ask(self, what, 0xffffffff));
		EXPECT_TRUE(uapi_poisoned(self->data + have, sizeof(self->data) - have));
	}
}

TEST_F(diag, printed_line_is_tagged)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "%u,%u dm0: hi\n", self->x, self->y);
	memset(self->data, 0, sizeof(self->data));
	ASSERT_EQ(0, ask(self, DRM_TESSERA_DIAG_PRINT, 4096));
	EXPECT_EQ(strlen(expected), self->args.size);
	EXPECT_STREQ(expected, self->data);
}

TEST_F(diag, figures_of_a_processor)
{
	struct drm_tessera_proc_stats *stats = (void *)self->data;

	ASSERT_EQ(0, ask(self, DRM_TESSERA_DIAG_PROCS, 4096));
	ASSERT_EQ(sizeof(*stats), self->args.size);
	EXPECT_EQ(self->x, stats->x);
	EXPECT_EQ(self->y, stats->y);
	EXPECT_EQ(TSR_PROC_DM0, stats->processor);
	/* Up to the store to EXIT: one jump is never executed. */
	EXPECT_EQ(UAPI_ARRAY_SIZE(code) - 1, stats->instructions);
	EXPECT_LE(stats->instructions, stats->cycles);
	EXPECT_EQ(0, stats->noc_read);
	EXPECT_EQ(0, stats->noc_written);
}

/* DX-3: a run that waits behind another has its own figures, and leaves the other's alone. */
TEST_F(diag, successor_erases_nothing)
{
	struct drm_tessera_run_submit args;
	struct drm_tessera_run runs[4];
	char expected[64];

	snprintf(expected, sizeof(expected), "%u,%u dm0: hi\n", self->x, self->y);
	for (int i = 0; i < 4; i++) {
		uapi_run_init(&runs[i], i == 1 ? self->b.program : self->program);
		runs[i].flags = DRM_TESSERA_RUN_RECORDS;
	}
	uapi_submit_init(&args, self->b.context, runs, 4);
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args));
	ASSERT_EQ(0, uapi_wait(self->b.fd, runs[3].handle, uapi_soon()));
	for (int i = 0; i < 4; i++) {
		struct drm_tessera_proc_stats *stats = (void *)self->data;

		self->args.handle = runs[i].handle;
		memset(self->data, 0, sizeof(self->data));
		ASSERT_EQ(0, ask(self, DRM_TESSERA_DIAG_PRINT, 4096));
		EXPECT_STREQ(i == 1 ? "" : expected, self->data);
		ASSERT_EQ(0, ask(self, DRM_TESSERA_DIAG_PROCS, 4096));
		EXPECT_EQ(i == 1 ? 5 : UAPI_ARRAY_SIZE(code) - 1, stats->instructions);
	}
}

TEST_HARNESS_MAIN

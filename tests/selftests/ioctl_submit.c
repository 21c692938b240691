// SPDX-License-Identifier: MIT
/* RUN_SUBMIT: the fields of the call and of one run. A refusal changes nothing (RUN-3). */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(submit) {
	struct uapi_bench b;
	__u64 last_id;
	struct drm_tessera_counters before;
	struct drm_tessera_run run;
	struct drm_tessera_run_submit args;
};

/* A run that is accepted, for the ids. */
static __u64 next_id(struct uapi_bench *b)
{
	struct drm_tessera_status status;
	struct drm_tessera_run run;

	uapi_run_init(&run, b->program);
	if (uapi_submit(b->fd, b->context, &run) || uapi_end(b->fd, run.handle, &status) ||
	    uapi_close_run(b->fd, run.handle) || uapi_settle(b->fd))
		return 0;
	return run.id;
}

FIXTURE_SETUP(submit)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	self->last_id = next_id(&self->b);
	ASSERT_NE(0, self->last_id);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	uapi_run_init(&self->run, self->b.program);
	uapi_submit_init(&self->args, self->b.context, &self->run, 1);
}

FIXTURE_TEARDOWN(submit)
{
	uapi_bench_close(&self->b);
}

/* The call must be refused by @expected and say so; the run's record is as before. */
static int refused(FIXTURE_DATA(submit) *self, int expected)
{
	struct drm_tessera_run_submit before = self->args, args = before;
	struct drm_tessera_run run = self->run;
	int ret = uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args);

	if (ret != expected)
		return ret ? ret : -EALREADY;
	/* Written on failure, these two and no other. */
	before.accepted = 0;
	before.error = expected;
	if (memcmp(&before, &args, sizeof(args)))
		return -EPROTO;
	if (memcmp(&run, &self->run, sizeof(run)))
		return -EBADMSG;
	return expected;
}

/*
 * Only runs_refused moved, by @n; else a refusal left a reference, a lease or a place in the
 * queue behind. The next id: a gap would mean that a refused run had one.
 */
#define EXPECT_REFUSALS(n) do {									\
	struct drm_tessera_counters delta = { .runs_refused = (n) };				\
												\
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));				\
	EXPECT_EQ(self->last_id + 1, next_id(&self->b));					\
} while (0)

TEST_F(submit, every_flag_bit_of_the_call)
{
	for (unsigned int bit = 2; bit < 32; bit++) {
		self->args.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
		self->args.flags |= DRM_TESSERA_SUBMIT_FLAGS;
		EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
	}
	EXPECT_REFUSALS(60);
}

TEST_F(submit, claimed_without_holding_the_claim)
{
	self->args.flags = DRM_TESSERA_SUBMIT_CLAIMED;
	EXPECT_EQ(-ESTALE, refused(self, -ESTALE));
	EXPECT_REFUSALS(1);
}

TEST_F(submit, pad_of_a_run)
{
	for (unsigned int bit = 0; bit < 32; bit++) {
		self->run.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
	}
	EXPECT_REFUSALS(32);
}

TEST_F(submit, unknown_context)
{
	const __u32 handles[] = { 0, self->b.context + 1, 77, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(handles); i++) {
		self->args.context = handles[i];
		EXPECT_EQ(-ENOENT, refused(self, -ENOENT));
	}
	EXPECT_REFUSALS(5);
}

TEST_F(submit, context_of_another_file)
{
	int other = uapi_open(NULL);
	__u32 context, run;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, uapi_context(other, 0, &context));
	ASSERT_EQ(0, uapi_context(other, 0, &context));
	EXPECT_EQ(-ENOENT, uapi_submit_program(self->b.fd, context, self->b.program, &run));
	/* Nor does the program exist there. */
	EXPECT_EQ(-ENOENT, uapi_submit_program(other, context, self->b.program, &run));
	close(other);
	EXPECT_REFUSALS(2);
}

TEST_F(submit, counts_of_runs)
{
	__u32 limit = self->b.info.limits.batch;
	const __u32 over[] = { limit + 1, 2 * limit, 0x7fffffff, 0x80000000, 0xffffffff };

	self->args.run_count = 0;
	EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(over); i++) {
		self->args.run_count = over[i];
		EXPECT_EQ(-E2BIG, refused(self, -E2BIG));
	}
	EXPECT_REFUSALS(6);
}

/* F43, F51: count times stride does not overflow, for neither is ever large. */
TEST_F(submit, strides)
{
	const __u32 size = sizeof(struct drm_tessera_run);
	const __u32 bad[] = {
		0, 8, size - 8, size - 1, size + 1, size + 4, 4095, 4097, 4104, 8192,
		0x7ffffff8, 0x80000000, 0xfffffff8, 0xffffffff,
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(bad); i++) {
		self->args.run_stride = bad[i];
		self->args.run_count = 1;
		EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
		self->args.run_count = self->b.info.limits.batch;
		EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
	}
	EXPECT_REFUSALS(2 * UAPI_ARRAY_SIZE(bad));
}

TEST_F(submit, bad_pointers_to_runs)
{
	struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

	uapi_bad_ptrs(&self->run, sizeof(self->run), bad);
	for (unsigned int i = 0; i < UAPI_BAD_PTRS; i++) {
		/* The read-only one is read, and found not to take the handle. */
		self->args.runs = bad[i].addr;
		EXPECT_EQ(-EFAULT, refused(self, -EFAULT)) {
			TH_LOG("pointer: %s", bad[i].what);
		}
	}
	EXPECT_REFUSALS(UAPI_BAD_PTRS);
}

/* Found out before a run is accepted: of a call that fails nothing is. */
TEST_F(submit, bad_pointers_to_the_call)
{
	struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

	uapi_bad_ptrs(&self->args, sizeof(self->args), bad);
	for (unsigned int i = 0; i < UAPI_BAD_PTRS; i++) {
		EXPECT_EQ(-EFAULT, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT,
					      (void *)(uintptr_t)bad[i].addr)) {
			TH_LOG("pointer: %s", bad[i].what);
		}
	}
	EXPECT_REFUSALS(0);
}

/* A call of a later header, or anywhere in memory, is the same call. */
TEST_F(submit, size_and_place_of_the_call)
{
	__u8 area[2 * sizeof(self->args)] __attribute__((aligned(8))) = { 0 };
	struct drm_tessera_run_submit ret;

	memcpy(area, &self->args, sizeof(self->args));
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_RUN_SUBMIT,
						     area), area));
	memcpy(&ret, area, sizeof(ret));
	EXPECT_EQ(1, ret.accepted);
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run.handle, uapi_soon()));
	for (unsigned int at = 1; at < 8; at++) {
		memcpy(area + at, &self->args, sizeof(self->args));
		ASSERT_EQ(0, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, area + at));
		memcpy(&ret, area + at, sizeof(ret));
		EXPECT_EQ(1, ret.accepted);
		EXPECT_EQ(0, ret.error);
		EXPECT_EQ(0, uapi_wait(self->b.fd, self->run.handle, uapi_soon()));
	}
	EXPECT_EQ(self->last_id + 8, self->run.id);
}

/* One output can be written and the next cannot: neither is. */
TEST_F(submit, record_whose_end_is_read_only)
{
	const size_t split = offsetof(struct drm_tessera_run, id);
	__u8 *area = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_tessera_run *run = (void *)(area + 4096 - split);

	ASSERT_NE(MAP_FAILED, (void *)area);
	self->run.handle = 0x12345678;
	self->run.id = 0x123456789abcdefull;
	*run = self->run;
	ASSERT_EQ(0, mprotect(area + 4096, 4096, PROT_READ));
	self->args.runs = UAPI_PTR(run);
	EXPECT_EQ(-EFAULT, refused(self, -EFAULT));
	EXPECT_EQ(0, memcmp(&self->run, run, sizeof(*run)));
	EXPECT_REFUSALS(1);
}

TEST_F(submit, unknown_program)
{
	const __u32 handles[] = { 0, self->b.program + 1, 77, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(handles); i++) {
		self->run.program = handles[i];
		EXPECT_EQ(-ENOENT, refused(self, -ENOENT));
	}
	EXPECT_REFUSALS(5);
}

TEST_F(submit, destroyed_program)
{
	__u32 program;

	ASSERT_EQ(0, uapi_exit_program(self->b.fd, 0, &program));
	ASSERT_EQ(0, uapi_program_destroy(self->b.fd, program));
	self->run.program = program;
	EXPECT_EQ(-ENOENT, refused(self, -ENOENT));
}

TEST_F(submit, every_flag_bit_of_a_run)
{
	for (unsigned int bit = 3; bit < 32; bit++) {
		self->run.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
		self->run.flags |= DRM_TESSERA_RUN_FLAGS;
		EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
	}
	EXPECT_REFUSALS(58);
}

TEST_F(submit, sizes_of_the_dispatch_blob)
{
	const __u32 size = sizeof(uapi_dispatch_none);
	const __u32 bad[] = {
		0, 1, size - 4, size - 1, size + 1, size + 4, size + 8, 4096, 0x7fffffff,
		0x80000000, 0xffffffff,
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(bad); i++) {
		self->run.dispatch_size = bad[i];
		EXPECT_EQ(-EINVAL, refused(self, -EINVAL));
	}
	EXPECT_REFUSALS(UAPI_ARRAY_SIZE(bad));
}

/* F63: found out at submit, not when the run starts. */
TEST_F(submit, bad_pointers_to_the_dispatch_blob)
{
	struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

	uapi_bad_ptrs(&uapi_dispatch_none, sizeof(uapi_dispatch_none), bad);
	for (unsigned int i = 0; i < UAPI_READ_ONLY; i++) {
		self->run.dispatch = bad[i].addr;
		EXPECT_EQ(-EFAULT, refused(self, -EFAULT)) {
			TH_LOG("pointer: %s", bad[i].what);
		}
	}
	EXPECT_REFUSALS(UAPI_READ_ONLY);
}

TEST_F(submit, every_field_of_the_dispatch_header)
{
	struct tessera_dispatch_header header = uapi_dispatch_none;
	__u32 *words = (__u32 *)&header, n = 0;

	uapi_run_set_dispatch(&self->run, &header, sizeof(header));
	for (unsigned int i = 0; i < sizeof(header) / 4; i++) {
		__u32 was = words[i];
		const __u32 bad[] = { was + 1, was - 1, was ^ 0x100, was ^ 0x80000000, 0xffffffff };

		for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(bad); k++, n++) {
			words[i] = bad[k];
			EXPECT_EQ(-EINVAL, refused(self, -EINVAL)) {
				TH_LOG("word %u: %#x", i, bad[k]);
			}
		}
		words[i] = was;
	}
	EXPECT_REFUSALS(n);
}

/* F55: counts are checked before they are multiplied, or anything is read. */
TEST_F(submit, counts_of_syncobjs)
{
	__u32 limit = self->b.info.limits.syncs;
	const __u32 over[] = { limit + 1, 2 * limit, 0x7fffffff, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(over); i++) {
		self->run.in_sync_count = over[i];
		EXPECT_EQ(-E2BIG, refused(self, -E2BIG));
		self->run.in_sync_count = 0;
		self->run.out_sync_count = over[i];
		EXPECT_EQ(-E2BIG, refused(self, -E2BIG));
		self->run.out_sync_count = 0;
	}
	EXPECT_REFUSALS(10);
}

TEST_F(submit, bad_pointers_to_syncobjs)
{
	struct drm_tessera_sync syncs[2] = { { 0 } };
	struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

	ASSERT_EQ(0, uapi_syncobj(self->b.fd, true, &syncs[0].handle));
	syncs[1] = syncs[0];
	uapi_bad_ptrs(syncs, sizeof(syncs), bad);
	for (unsigned int i = 0; i < UAPI_READ_ONLY; i++) {
		self->run.in_sync_count = 2;
		self->run.in_syncs = bad[i].addr;
		EXPECT_EQ(-EFAULT, refused(self, -EFAULT));
		self->run.in_sync_count = 0;
		self->run.out_sync_count = 2;
		self->run.out_syncs = bad[i].addr;
		EXPECT_EQ(-EFAULT, refused(self, -EFAULT));
		self->run.out_sync_count = 0;
	}
	/* More fences: the one made for out-syncobjs leaks when the run is refused. */
	EXPECT_REFUSALS(2 * UAPI_READ_ONLY);
}

TEST_F(submit, pointers_that_no_count_needs)
{
	struct drm_tessera_status status;

	self->run.in_syncs = 1;
	self->run.out_syncs = 0xffff888000000000ull;
	self->run.user_data = 0x123456789abcdef0ull;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &self->run));
	ASSERT_EQ(0, uapi_end(self->b.fd, self->run.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_EQ(0x123456789abcdef0ull, status.user_data);
	EXPECT_EQ(self->last_id + 1, status.run_id);
	EXPECT_EQ(self->run.id, status.run_id);
}

/* In and out values of a record: only what is out is written, and in values of it are ignored. */
TEST_F(submit, outputs_of_an_accepted_run)
{
	struct drm_tessera_run before;

	self->run.handle = 0xffffffff;
	self->run.id = -1ull;
	before = self->run;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &self->run));
	EXPECT_NE(0, self->run.handle);
	EXPECT_NE(before.handle, self->run.handle);
	EXPECT_EQ(self->last_id + 1, self->run.id);
	before.handle = self->run.handle;
	before.id = self->run.id;
	EXPECT_EQ(0, memcmp(&before, &self->run, sizeof(before)));
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run.handle, uapi_soon()));
}

/* Read before the run's record is read: handles of the call, then of the runs in it. */
TEST_F(submit, refused_calls_count_once_each)
{
	struct drm_tessera_counters own;

	self->run.program = 0;
	for (unsigned int i = 0; i < 100; i++)
		EXPECT_EQ(-ENOENT, refused(self, -ENOENT));
	ASSERT_EQ(0, uapi_context_counters(self->b.fd, self->b.context, &own));
	/* Another number: refusals are counted per run, or not for the context. */
	EXPECT_EQ(100, own.runs_refused);
	EXPECT_EQ(1, own.runs_accepted);
	EXPECT_REFUSALS(100);
}

TEST_HARNESS_MAIN

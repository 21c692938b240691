// SPDX-License-Identifier: MIT
/* QUERY: everything there is to ask, and every wrong way to ask. */
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(query) {
	struct uapi_bench b;
	struct drm_tessera_query args;
	__u8 data[4096];
};

FIXTURE_SETUP(query)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	self->args = (struct drm_tessera_query){
		.size = sizeof(self->data), .data = UAPI_PTR(self->data),
	};
	uapi_poison(self->data, sizeof(self->data));
}

FIXTURE_TEARDOWN(query)
{
	uapi_bench_close(&self->b);
}

/* The call as it stands; the arguments and the data must be as before when it fails. */
static int ask(FIXTURE_DATA(query) *self)
{
	struct drm_tessera_query before = self->args;
	int ret = uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_QUERY, &self->args);

	if (ret && memcmp(&before, &self->args, sizeof(before)))
		return -EPROTO;
	if (ret && !uapi_poisoned(self->data, sizeof(self->data)))
		return -EBADMSG;
	return ret;
}

static const struct {
	__u32 what, size;
} kinds[] = {
	{ DRM_TESSERA_QUERY_DEVICE, sizeof(struct drm_tessera_device_info) },
	{ DRM_TESSERA_QUERY_COUNTERS, sizeof(struct drm_tessera_counters) },
	{ DRM_TESSERA_QUERY_CONTEXT, sizeof(struct drm_tessera_counters) },
};

static void choose(FIXTURE_DATA(query) *self, unsigned int kind)
{
	self->args.what = kinds[kind].what;
	self->args.index = kinds[kind].what == DRM_TESSERA_QUERY_CONTEXT ? self->b.context : 0;
	self->args.size = sizeof(self->data);
	self->args.data = UAPI_PTR(self->data);
	uapi_poison(self->data, sizeof(self->data));
}

TEST_F(query, limits_agree_with_each_other)
{
	const struct tessera_limits *l = &self->b.info.limits;
	__u32 gone = 0;

	for (__u32 i = 0; i < TESSERA_MAX_CORES; i++) {
		bool bit = l->harvested[i / 64] >> i % 64 & 1;

		gone += bit;
		if (bit)
			EXPECT_LT(i, l->grid_width * l->grid_height);
	}
	EXPECT_LE(1, l->grid_width);
	EXPECT_GE(TESSERA_MAX_DIM, l->grid_width);
	EXPECT_LE(1, l->grid_height);
	EXPECT_GE(TESSERA_MAX_DIM, l->grid_height);
	EXPECT_EQ(l->grid_width * l->grid_height - gone, l->cores);
	EXPECT_LE(1, l->cores);
	EXPECT_LE(TSR_L1_BASE, l->arg_base);
	for (int i = 0; i < TSR_PROCS_PER_CORE; i++) {
		EXPECT_LT(l->arg_base, l->image_base[i]);
		EXPECT_GE(l->cb_base, l->image_base[i] + l->image_slot);
	}
	EXPECT_GE(TSR_L1_BASE + l->l1_size, l->cb_base);
	EXPECT_LE(1, l->queue_capacity);
	EXPECT_LE(1, l->staged_depth);
	EXPECT_LE(1, l->parallelism);
	EXPECT_LE(l->parallelism, l->staged_depth);
	EXPECT_LE(1, l->batch);
	EXPECT_LE(1, l->syncs);
	EXPECT_LE(1, l->no_progress_ms);
	EXPECT_LE(1, l->claim_hold_ms);
}

TEST_F(query, device_says_what_it_is)
{
	const struct drm_tessera_device_info *info = &self->b.info;

	EXPECT_EQ(DRM_TESSERA_HEALTH_GOOD, info->health);
	EXPECT_EQ(0, strncmp(info->isa, "rv32im", 6));
	EXPECT_NE(NULL, memchr(info->isa, 0, sizeof(info->isa)));
	EXPECT_NE(NULL, memchr(info->name, 0, sizeof(info->name)));
	EXPECT_NE(0, info->name[0]);
	/* A bit nobody has a name for would be a promise nobody can hold it to. */
	EXPECT_EQ(0, info->caps & ~(DRM_TESSERA_CAP_PROFILE | DRM_TESSERA_CAP_PRINT |
				    DRM_TESSERA_CAP_DETERMINISTIC));
}

TEST_F(query, size_of_zero_asks_for_the_size)
{
	for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(kinds); k++) {
		choose(self, k);
		self->args.size = 0;
		self->args.data = 1;
		EXPECT_EQ(0, ask(self));
		EXPECT_EQ(kinds[k].size, self->args.size);
	}
}

TEST_F(query, shorter_buffer_gets_the_beginning)
{
	__u8 whole[4096];

	for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(kinds); k++) {
		choose(self, k);
		ASSERT_EQ(0, ask(self));
		memcpy(whole, self->data, sizeof(whole));
		for (__u32 size = 1; size <= kinds[k].size; size++) {
			choose(self, k);
			self->args.size = size;
			ASSERT_EQ(0, ask(self));
			ASSERT_EQ(kinds[k].size, self->args.size);
			ASSERT_EQ(0, memcmp(whole, self->data, size));
			ASSERT_TRUE(uapi_poisoned(self->data + size, sizeof(whole) - size));
		}
	}
}

/* F53: no byte of the answer is left from the stack. */
TEST_F(query, longer_buffer_is_filled_with_zeroes)
{
	for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(kinds); k++) {
		__u32 size = kinds[k].size;

		choose(self, k);
		self->args.size = size + 1;
		ASSERT_EQ(0, ask(self));
		EXPECT_EQ(size, self->args.size);
		EXPECT_EQ(0, self->data[size]);
		EXPECT_TRUE(uapi_poisoned(self->data + size + 1, sizeof(self->data) - size - 1));

		choose(self, k);
		ASSERT_EQ(0, ask(self));
		EXPECT_EQ(size, self->args.size);
		EXPECT_TRUE(uapi_all_zero(self->data + size, sizeof(self->data) - size));
	}
}

TEST_F(query, unbounded_size)
{
	static const __u32 sizes[] = { 4097, 8192, 0x7fffffff, 0x80000000, 0xffffffff };

	for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(kinds); k++) {
		for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(sizes); i++) {
			choose(self, k);
			self->args.size = sizes[i];
			EXPECT_EQ(-E2BIG, ask(self));
		}
	}
}

TEST_F(query, unknown_question)
{
	static const __u32 whats[] = { 3, 4, 16, 255, 256, 65536, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(whats); i++) {
		self->args.what = whats[i];
		EXPECT_EQ(-EINVAL, ask(self));
	}
}

TEST_F(query, index_where_there_is_none)
{
	static const __u32 indices[] = { 1, 2, 0x80000000, 0xffffffff };

	for (unsigned int k = 0; k < 2; k++) {
		for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(indices); i++) {
			choose(self, k);
			self->args.index = indices[i];
			EXPECT_EQ(-EINVAL, ask(self));
		}
	}
}

TEST_F(query, every_bit_of_pad)
{
	for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(kinds); k++) {
		for (unsigned int bit = 0; bit < 32; bit++) {
			choose(self, k);
			self->args.pad = 1u << bit;
			EXPECT_EQ(-EINVAL, ask(self));
			self->args.pad = 0;
		}
	}
}

TEST_F(query, unknown_context)
{
	static const __u32 never[] = { 0, 2, 77, 0x7fffffff, 0x80000000, 0xffffffff };

	self->args.what = DRM_TESSERA_QUERY_CONTEXT;
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++) {
		self->args.index = never[i];
		EXPECT_EQ(-ENOENT, ask(self));
	}
}

TEST_F(query, destroyed_context)
{
	choose(self, 2);
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	EXPECT_EQ(-ENOENT, ask(self));
}

TEST_F(query, context_of_another_file)
{
	int other = uapi_open(NULL);

	ASSERT_LE(0, other);
	choose(self, 2);
	EXPECT_EQ(-ENOENT, uapi_ioctl(other, DRM_IOCTL_TESSERA_QUERY, &self->args));
	close(other);
}

TEST_F(query, bad_pointers)
{
	for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(kinds); k++) {
		struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

		uapi_bad_ptrs(self->data, kinds[k].size + 8, bad);
		for (unsigned int i = 0; i < UAPI_BAD_PTRS; i++) {
			choose(self, k);
			/* Not the size that would come back, so that it is seen if it does. */
			self->args.size = kinds[k].size + 8;
			self->args.data = bad[i].addr;
			EXPECT_EQ(-EFAULT, ask(self)) {
				TH_LOG("kind %u, pointer: %s", k, bad[i].what);
			}
		}
	}
}

TEST_F(query, gauges_follow_objects)
{
	struct drm_tessera_counters before, delta = { .contexts = 1, .buffers = 1 };
	__u32 context, bo;

	ASSERT_EQ(0, uapi_counters(self->b.fd, &before));
	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &context));
	ASSERT_EQ(0, uapi_bo(self->b.fd, 1, &bo));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &before, &delta));
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, context));
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, bo));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &before, NULL));
}

/* One context's counters say nothing of another's runs. */
TEST_F(query, counters_of_a_context_are_its_own)
{
	struct drm_tessera_counters mine, other;
	struct drm_tessera_status status;
	__u32 context, run;

	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &context));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_context_counters(self->b.fd, self->b.context, &mine));
	ASSERT_EQ(0, uapi_context_counters(self->b.fd, context, &other));
	EXPECT_EQ(1, mine.runs_accepted);
	EXPECT_EQ(1, mine.runs_staged);
	EXPECT_EQ(1, mine.runs_launched);
	EXPECT_EQ(1, mine.runs_completed);
	EXPECT_EQ(1, mine.runs_retired);
	/* More: a lease or claim leaked; fewer: the run went without. */
	EXPECT_EQ(1, mine.leases_taken);
	EXPECT_EQ(1, mine.leases_returned);
	EXPECT_EQ(1, mine.claims_taken);
	EXPECT_EQ(1, mine.claims_released);
	EXPECT_EQ(0, mine.runs);
	EXPECT_EQ(0, mine.queue_depth);
	EXPECT_TRUE(uapi_all_zero(&other, sizeof(other)));
}

TEST_HARNESS_MAIN

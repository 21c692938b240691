// SPDX-License-Identifier: MIT
/* Host tensors and their staging buffers, as far as no device is needed. */
#include "common_rig.h"
#include "kselftest_harness.h"
#include "staging.h"

FIXTURE(staged) {
	struct rig *rig;
	uint32_t data[16];
	struct tsr_staged_tensor t;
};

FIXTURE_SETUP(staged)
{
	self->rig = rig_new();
	rig_add_usual(self->rig);
	ASSERT_EQ(0, tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_INOUT, 64));
	self->t = (struct tsr_staged_tensor){ .memory = self->data, .size = sizeof(self->data) };
}

FIXTURE_TEARDOWN(staged)
{
	rig_free(self->rig);
}

static int submit(FIXTURE_DATA(staged) *self, size_t n)
{
	struct rig *rig = self->rig;
	struct tsr_run *run;

	rig->diag = tsr_diag_free(rig->diag);
	return tsr_submit_staged(rig->op, rig->ctx, &self->t, n, NULL, &run, &rig->diag);
}

TEST_F(staged, no_device_memory_fails_before_the_factory)
{
	struct tsr_library_stats stats;

	/* An offline device has no memory: that is where a submit ends. */
	EXPECT_EQ(-ENODEV, submit(self, 1));
	EXPECT_EQ(0, self->rig->factory_calls);
	EXPECT_EQ(TSR_STAGE_DECLARE, tsr_diag_stage(self->rig->diag));
	tsr_library_stats(self->rig->dev, &stats);
	EXPECT_EQ(0, stats.bytes_to_device);
	EXPECT_EQ(0, stats.staging_made);
}

#define EXPECT_BAD(name) do {							\
	const struct tsr_finding *f;						\
										\
	EXPECT_EQ(-EINVAL, submit(self, 1));					\
	EXPECT_EQ(true, rig_only(self->rig, "V26", 1));				\
	f = rig_finding(self->rig, "V26", 0);					\
	ASSERT_NE(NULL, f);							\
	EXPECT_STREQ(name, f->field);						\
	EXPECT_STREQ("tensor 0", f->path);					\
	EXPECT_EQ(0, self->rig->factory_calls);					\
} while (0)

TEST_F(staged, both_memory_and_buffer)
{
	ASSERT_EQ(0, tsr_buffer_new_offline(self->rig->dev, 4096, 1, &self->t.buffer));
	EXPECT_BAD("buffer");
	tsr_buffer_unref(self->t.buffer);
}

TEST_F(staged, offset_into_host_memory)
{
	self->t.offset = 16;
	EXPECT_BAD("offset");
}

TEST_F(staged, host_memory_without_size)
{
	self->t.size = 0;
	EXPECT_BAD("size");
}

TEST_F(staged, reserved_field)
{
	self->t.reserved[1] = 1;
	EXPECT_BAD("reserved");
}

TEST_F(staged, more_than_any_machine_has)
{
	self->t.size = UINT64_MAX - 3;
	EXPECT_EQ(-E2BIG, submit(self, 1));
	EXPECT_EQ(0, self->rig->factory_calls);
}

/* A buffer of the device needs no staging, and goes where every tensor goes. */
TEST_F(staged, buffer_is_bound_as_it_is)
{
	struct tsr_buffer *buffer;

	ASSERT_EQ(0, tsr_buffer_new_offline(self->rig->dev, 4096, 1, &buffer));
	self->t = (struct tsr_staged_tensor){ .buffer = buffer, .offset = 16 };
	EXPECT_EQ(-ENODEV, submit(self, 1));
	EXPECT_EQ(1, self->rig->factory_calls);
	EXPECT_EQ(TSR_STAGE_SUBMIT, tsr_diag_stage(self->rig->diag));
	self->t.offset = 8;
	EXPECT_EQ(-EINVAL, submit(self, 1));
	EXPECT_EQ(true, rig_only(self->rig, "V26", 1));
	tsr_buffer_unref(buffer);
}

TEST_F(staged, neither_memory_nor_buffer_or_another_number)
{
	self->t = (struct tsr_staged_tensor){ 0 };
	EXPECT_EQ(-EINVAL, submit(self, 1));
	EXPECT_STREQ("buffer", rig_finding(self->rig, "V26", 0)->field);
	EXPECT_EQ(-EINVAL, submit(self, 0));
	EXPECT_STREQ("count", rig_finding(self->rig, "V26", 0)->field);
}

static struct tsr_staging *fake(struct rig *rig, uint64_t size, uint32_t handle)
{
	struct tsr_staging *staging = calloc(1, sizeof(*staging));

	if (!staging || tsr_buffer_new_offline(rig->dev, size, handle, &staging->buffer))
		abort();
	return staging;
}

TEST_F(staged, staging_that_fits_is_taken_again)
{
	struct rig *rig = self->rig;
	struct tsr_staging *small = fake(rig, 4096, 1), *large = fake(rig, 16384, 2), *got;

	tsr_staging_put(rig->op, large);
	tsr_staging_put(rig->op, small);
	ASSERT_EQ(0, tsr_staging_get(rig->op, 4097, &got));
	EXPECT_EQ(large, got);
	/* The only free one is too small, and cannot grow: it is still there afterwards. */
	got = NULL;
	EXPECT_EQ(-ENODEV, tsr_staging_get(rig->op, 4097, &got));
	EXPECT_EQ(NULL, got);
	EXPECT_EQ(1, rig->op->staging_count);
	ASSERT_EQ(0, tsr_staging_get(rig->op, 4096, &got));
	EXPECT_EQ(small, got);
	EXPECT_EQ(4096, got->buffer->size);
	tsr_staging_free(small);
	tsr_staging_put(rig->op, large);
}

TEST_F(staged, no_more_is_kept_than_is_of_use)
{
	struct rig *rig = self->rig;

	/* Those beyond the limit are freed: the leak checker would say so if not. */
	for (uint32_t i = 0; i < TSR_STAGING_KEEPS + 3; i++)
		tsr_staging_put(rig->op, fake(rig, 4096, i + 1));
	EXPECT_EQ(TSR_STAGING_KEEPS, rig->op->staging_count);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* Batches, as far as no device is needed: what is refused, where, and with which diagnostic. */
#include "common_rig.h"
#include "kselftest_harness.h"

FIXTURE(batch) {
	struct rig *rig;
	struct tsr_submission list[3];
	struct tsr_run *runs[3];
	struct tsr_batch batch;
};

FIXTURE_SETUP(batch)
{
	self->rig = rig_new();
	rig_add_usual(self->rig);
	for (size_t i = 0; i < 3; i++)
		self->list[i].op = self->rig->op;
	memset(&self->batch, 0x55, sizeof(self->batch));
}

FIXTURE_TEARDOWN(batch)
{
	rig_free(self->rig);
}

static int submit(FIXTURE_DATA(batch) *self, size_t n, uint32_t flags)
{
	self->rig->diag = tsr_diag_free(self->rig->diag);
	return tsr_submit_batch(self->rig->ctx, self->list, n, flags, self->runs, &self->batch,
				&self->rig->diag);
}

TEST_F(batch, wrong_counts_and_flags)
{
	EXPECT_EQ(-EINVAL, submit(self, 0, 0));
	EXPECT_EQ(-EINVAL, self->batch.error);
	EXPECT_EQ(0, self->batch.accepted);
	EXPECT_EQ(-E2BIG, submit(self, 65, 0));
	for (unsigned int bit = 0; bit < 32; bit++)
		if (1u << bit != TSR_SUBMIT_NONBLOCK && 1u << bit != TSR_SUBMIT_CLAIMED)
			EXPECT_EQ(-EINVAL, submit(self, 1, 1u << bit));
	EXPECT_EQ(0, self->rig->factory_calls);
	EXPECT_EQ(NULL, self->rig->diag);
}

TEST_F(batch, wrong_fields_of_a_submission)
{
	struct tsr_submit_options options = { .flags = TSR_SUBMIT_NONBLOCK };
	struct tsr_staged_tensor host = { 0 };

	self->list[0].options = &options;
	EXPECT_EQ(-EINVAL, submit(self, 1, 0));
	options.flags = TSR_SUBMIT_PROFILE;
	self->list[0].reserved[2] = 1;
	EXPECT_EQ(-EINVAL, submit(self, 1, 0));
	self->list[0].reserved[2] = 0;
	self->list[0].tensors = self->rig->tensors;
	self->list[0].staged_tensors = &host;
	EXPECT_EQ(-EINVAL, submit(self, 1, 0));
	EXPECT_EQ(0, self->rig->factory_calls);
	EXPECT_NE(NULL, self->rig->diag);
}

/* Only the device was missing: all three were prepared, and none was accepted. */
TEST_F(batch, all_are_prepared_before_the_kernel_is_asked)
{
	struct tsr_library_stats stats;

	EXPECT_EQ(-ENODEV, submit(self, 3, 0));
	EXPECT_EQ(3, self->rig->factory_calls);
	EXPECT_EQ(0, self->batch.accepted);
	EXPECT_EQ(-ENODEV, self->batch.error);
	EXPECT_EQ(TSR_STAGE_SUBMIT, tsr_diag_stage(self->rig->diag));
	tsr_library_stats(self->rig->dev, &stats);
	/* More than one: the batch was not one call. */
	EXPECT_EQ(1, stats.submit_refusals);
	EXPECT_EQ(0, stats.submits);
}

TEST_F(batch, nothing_after_a_finding_is_looked_at)
{
	self->list[1].tensor_count = 2;
	self->list[1].tensors = self->rig->tensors;
	/* The kernel would have been asked for the first one, whose refusal comes first. */
	EXPECT_EQ(-ENODEV, submit(self, 3, 0));
	EXPECT_EQ(2, self->rig->factory_calls);
	self->list[0] = self->list[1];
	EXPECT_EQ(-EINVAL, submit(self, 3, 0));
	EXPECT_EQ(3, self->rig->factory_calls);
	EXPECT_EQ(true, rig_only(self->rig, "V26", 1));
	EXPECT_EQ(-EINVAL, tsr_diag_cause(self->rig->diag));
}

TEST_F(batch, nobody_wants_the_diagnostic)
{
	self->list[0].tensor_count = 2;
	self->list[0].tensors = self->rig->tensors;
	EXPECT_EQ(-EINVAL, tsr_submit_batch(self->rig->ctx, self->list, 1, 0, self->runs,
					    &self->batch, NULL));
}

TEST_HARNESS_MAIN

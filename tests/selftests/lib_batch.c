// SPDX-License-Identifier: MIT
/* Batches through the library: accepted in order, refused from one on. */
#include "common_lib.h"
#include "kselftest_harness.h"

#define N	4

FIXTURE(batch) {
	struct lib l;
	struct tsr_tensor tensor;
	struct tsr_submit_options options[N];
	struct tsr_submission list[N];
	struct tsr_run *runs[N];
	struct tsr_batch batch;
	struct tsr_status status;
};

FIXTURE_SETUP(batch)
{
	ASSERT_EQ(0, lib_open(&self->l));
	self->tensor.buffer = self->l.buffer;
	for (size_t i = 0; i < N; i++) {
		self->options[i].user_data = 100 + i;
		self->list[i] = (struct tsr_submission){
			.op = self->l.op,
			.tensors = &self->tensor,
			.tensor_count = 1,
			.options = &self->options[i],
		};
	}
}

FIXTURE_TEARDOWN(batch)
{
	for (size_t i = 0; i < N; i++)
		tsr_run_unref(self->runs[i]);
	lib_close(&self->l);
}

static int submit(FIXTURE_DATA(batch) *self, size_t n, uint32_t flags)
{
	self->l.diag = tsr_diag_free(self->l.diag);
	return tsr_submit_batch(self->l.ctx, self->list, n, flags, self->runs, &self->batch,
				&self->l.diag);
}

TEST_F(batch, all_are_accepted_and_each_has_its_own_status)
{
	struct tsr_counters counters;

	ASSERT_EQ(0, submit(self, N, 0));
	EXPECT_EQ(N, self->batch.accepted);
	EXPECT_EQ(0, self->batch.error);
	EXPECT_EQ(NULL, self->l.diag);
	for (size_t i = 0; i < N; i++) {
		EXPECT_EQ(0, tsr_run_wait(self->runs[i], -1));
		EXPECT_EQ(0, tsr_run_verdict(self->runs[i]));
		ASSERT_EQ(0, tsr_run_status(self->runs[i], &self->status));
		EXPECT_EQ(100 + i, self->status.user_data);
		if (i)
			EXPECT_LT(tsr_run_id(self->runs[i - 1]), tsr_run_id(self->runs[i]));
	}
	ASSERT_EQ(0, tsr_context_counters(self->l.ctx, &counters));
	EXPECT_EQ(N, counters.runs_accepted);
	EXPECT_EQ(0, counters.runs_refused);
	EXPECT_EQ(N, lib_stats(&self->l).submits);
	EXPECT_EQ(N, lib_stats(&self->l).factory_calls);
}

TEST_F(batch, full_queue_accepts_the_first_ones)
{
	struct tsr_context_options small = { .queue_capacity = 2 };
	struct lib_owner owner = { 0 };

	tsr_context_unref(self->l.ctx);
	ASSERT_EQ(0, tsr_context_new(self->l.dev, &small, &self->l.ctx));
	self->l.what = LIB_LOOP;
	self->l.owner = &owner;
	ASSERT_EQ(0, submit(self, N, TSR_SUBMIT_NONBLOCK));
	EXPECT_EQ(2, self->batch.accepted);
	EXPECT_EQ(-EAGAIN, self->batch.error);
	ASSERT_NE(NULL, self->l.diag);
	EXPECT_EQ(TSR_STAGE_SUBMIT, tsr_diag_stage(self->l.diag));
	EXPECT_EQ(-EAGAIN, tsr_diag_cause(self->l.diag));
	/* What was refused holds nothing any more, what was accepted does. */
	EXPECT_EQ(2, atomic_load(&owner.references));
	EXPECT_EQ(-EAGAIN, submit(self, 1, TSR_SUBMIT_NONBLOCK));
	EXPECT_EQ(0, self->batch.accepted);
	for (int i = 1; i >= 0; i--)
		EXPECT_EQ(0, tsr_run_cancel(self->runs[i]));
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(0, tsr_run_wait(self->runs[i], -1));
	EXPECT_EQ(0, atomic_load(&owner.references));
}

TEST_F(batch, finding_ends_it_behind_what_was_right)
{
	struct tsr_tensor none = { 0 };

	self->list[2].tensors = &none;
	ASSERT_EQ(0, submit(self, N, 0));
	EXPECT_EQ(2, self->batch.accepted);
	EXPECT_EQ(-EINVAL, self->batch.error);
	ASSERT_EQ(1, tsr_diag_count(self->l.diag));
	EXPECT_STREQ("V26", tsr_diag_finding(self->l.diag, 0)->rule);
	/* The fourth one was not even looked at. */
	EXPECT_EQ(3, lib_stats(&self->l).factory_calls);
	EXPECT_EQ(0, tsr_run_wait(self->runs[1], -1));
	EXPECT_EQ(0, tsr_run_verdict(self->runs[1]));
	EXPECT_EQ(NULL, self->runs[2]);
}

TEST_F(batch, claimed_only_with_the_claim)
{
	EXPECT_EQ(-ESTALE, submit(self, N, TSR_SUBMIT_CLAIMED));
	EXPECT_EQ(0, self->batch.accepted);
	ASSERT_EQ(0, tsr_claim_acquire(self->l.ctx, -1));
	EXPECT_EQ(0, submit(self, N, TSR_SUBMIT_CLAIMED));
	EXPECT_EQ(N, self->batch.accepted);
	EXPECT_EQ(0, tsr_run_wait(self->runs[N - 1], -1));
	EXPECT_EQ(0, tsr_claim_release(self->l.ctx));
}

TEST_F(batch, staged_tensors_each_in_memory_of_its_own)
{
	uint32_t out[N][LIB_SLOT];
	struct tsr_staged_tensor host[N];

	for (size_t i = 0; i < N; i++) {
		host[i] = (struct tsr_staged_tensor){ .memory = out[i], .size = sizeof(out[i]) };
		self->list[i].tensors = NULL;
		self->list[i].staged_tensors = &host[i];
	}
	self->l.word = 9;
	ASSERT_EQ(0, submit(self, N, 0));
	/* The end of the last one is the end of all. */
	ASSERT_EQ(0, tsr_run_wait(self->runs[N - 1], -1));
	for (size_t i = 0; i < N; i++) {
		EXPECT_EQ(9, out[i][2]);
		EXPECT_EQ(9, out[i][3 * LIB_SLOT / 4 + 2]);
	}
	/* Fewer: runs in flight shared a staging buffer. */
	EXPECT_EQ(N, lib_stats(&self->l).staging_made);
}

LIB_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* Program and dispatch blobs: the kernel's own verifier takes what the library encodes. */
#include "blob.h"
#include "common_rig.h"
#include "kselftest_harness.h"

FIXTURE(blob) {
	struct rig *rig;
};

FIXTURE_SETUP(blob)
{
	self->rig = rig_new();
}

FIXTURE_TEARDOWN(blob)
{
	self->rig = rig_free(self->rig);
}

static int verify(struct rig *rig, struct tsr_blob *ret)
{
	struct tsr_blob_error error = { "" };
	int err = tsr_blob_verify(rig->program->blob, rig->program->blob_size, &rig->dev->limits,
				  ret, &error);

	if (err)
		printf("# refused: %s, section %u record %u\n", error.what, error.section,
		       error.index);
	return err;
}

static int fill_words(struct rig *rig, const struct tsr_factory_input *input,
		      struct tsr_resources *res)
{
	const int64_t common[] = { 100, 101 }, a[] = { -1, 2 }, b[] = { 3 };
	struct tsr_semaphore s = { .id = input->first_free_semaphore_id, .initial = 9 };
	struct tsr_entry *e;

	tsr_resources_add_entry(res, RIG_MOVER, &e);
	tsr_entry_add_words(e, 2, 1, b, 1);
	tsr_entry_add_words(e, 1, 0, a, 2);
	tsr_entry_set_common(e, common, 2);
	return tsr_resources_add_semaphore(res, &s);
}

TEST_F(blob, words_go_to_their_cores_in_the_order_of_the_program)
{
	static const uint32_t words[] = { 100, 101, UINT32_MAX, 2, 3 };
	struct tsr_blob blob;
	struct tsr_dispatch dispatch;

	rig_add_usual(self->rig);
	ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, 0, 4, NULL));
	self->rig->fill = fill_words;
	ASSERT_EQ(0, rig_prepare(self->rig));
	ASSERT_EQ(0, verify(self->rig, &blob));
	ASSERT_EQ(2, blob.n_descriptors);
	EXPECT_STREQ("math", blob.strings + blob.descriptors[0].name);
	EXPECT_STREQ("reader", blob.strings + blob.descriptors[1].name);
	EXPECT_STREQ("op", blob.strings + blob.header->name);
	EXPECT_EQ(0, memcmp(blob.header->fingerprint, &self->rig->program->digest, 16));
	ASSERT_EQ(2, blob.n_args);
	EXPECT_EQ(1, blob.args[0].x);
	EXPECT_EQ(2, blob.args[0].words);
	EXPECT_EQ(1, blob.args[1].y);
	ASSERT_EQ(2, blob.n_semaphores);
	EXPECT_EQ(4, blob.semaphores[0].initial);
	EXPECT_EQ(1, blob.semaphores[1].id);
	EXPECT_EQ(9, blob.semaphores[1].initial);
	/* One range for all: operation, kernels and semaphores have the same cores. */
	EXPECT_EQ(1, blob.n_ranges);
	ASSERT_EQ(0, tsr_dispatch_check(self->rig->call->dispatch.data,
					self->rig->call->dispatch.count, &blob, &dispatch));
	ASSERT_EQ(ARRAY_SIZE(words), blob.words);
	EXPECT_EQ(0, memcmp(dispatch.words, words, sizeof(words)));
}

TEST_F(blob, appended_words_come_after_the_callers)
{
	static const uint32_t appended[] = { TSR_APPENDED_RANK, TSR_APPENDED_CORES,
					     TSR_APPENDED_TENSOR };
	static const uint32_t words[] = { 100, 101, 0, 6, 4096, UINT32_MAX, 2, 1, 6, 4096,
					  2, 6, 4096, 3, 6, 4096, 4, 6, 4096, 3, 5, 6, 4096 };
	struct tsr_kernel_info info = {
		.name = "reader",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.appended = appended,
		.appended_count = 3,
	};
	struct tsr_blob blob;
	struct tsr_dispatch dispatch;

	info.elf = rig_elf(self->rig, TSR_PROCESSOR_DM0, 4, &info.elf_size);
	ASSERT_EQ(0, tsr_operation_add_kernel(self->rig->op, &info));
	ASSERT_EQ(0, tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 1));
	ASSERT_EQ(0, tsr_buffer_new_offline(self->rig->dev, 4096, 7,
					    &self->rig->tensors[0].buffer));
	self->rig->tensor_count = 1;
	self->rig->fill = fill_words;
	ASSERT_EQ(0, rig_prepare(self->rig));
	ASSERT_EQ(0, verify(self->rig, &blob));
	ASSERT_EQ(0, tsr_dispatch_check(self->rig->call->dispatch.data,
					self->rig->call->dispatch.count, &blob, &dispatch));
	ASSERT_EQ(ARRAY_SIZE(words), blob.words);
	EXPECT_EQ(0, memcmp(dispatch.words, words, sizeof(words)));
	EXPECT_EQ(7, dispatch.bindings[0].handle);
	EXPECT_EQ(4096, dispatch.bindings[0].size);
	free((void *)info.elf);
}

TEST_F(blob, circular_buffers_are_placed_above_each_other_where_cores_meet)
{
	uint32_t base = self->rig->dev->limits.cb_base;
	struct tsr_coreset *left = tsr_coreset_new_rect(0, 0, 0, 1);
	struct tsr_coreset *right = tsr_coreset_new_rect(1, 0, 2, 1);
	struct tsr_circular_buffer list[] = {
		{ .id = 2, .page_size = 32, .page_count = 1 },
		{ .id = 0, .page_size = 48, .page_count = 3, .cores = right },
		{ .id = 0, .page_size = 16, .page_count = 1, .cores = left },
	};
	struct tsr_blob blob;

	rig_add_usual(self->rig);
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		ASSERT_EQ(0, tsr_operation_add_circular_buffer(self->rig->op, &list[i]));
	ASSERT_EQ(0, rig_prepare(self->rig));
	ASSERT_EQ(0, verify(self->rig, &blob));
	ASSERT_EQ(3, blob.n_cbs);
	EXPECT_EQ(base, blob.cbs[0].address);
	EXPECT_EQ(base, blob.cbs[1].address);
	EXPECT_EQ(2, blob.cbs[2].id);
	EXPECT_EQ(base + 144, blob.cbs[2].address);
	tsr_coreset_free(left);
	tsr_coreset_free(right);
}

static unsigned int seed;

static unsigned int random_below(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 12) % n;
}

/* Some cores of the operation; at least one. */
static struct tsr_coreset *random_set(const struct tsr_coreset *from)
{
	struct tsr_coreset *set = tsr_coreset_new();
	struct tsr_core cores[64];
	size_t n = tsr_coreset_cores(from, cores, 64);

	tsr_coreset_add(set, cores[0].x, cores[0].y);
	for (size_t i = 0; i < n; i++)
		if (random_below(2))
			tsr_coreset_add(set, cores[i].x, cores[i].y);
	return set;
}

static int fill_random(struct rig *rig, const struct tsr_factory_input *input,
		       struct tsr_resources *res)
{
	const struct tsr_selector both[] = { RIG_MOVER, RIG_COMPUTE };
	int64_t words[16] = { 0 };

	for (int k = 0; k < 2; k++) {
		struct tsr_core cores[64];
		size_t n = tsr_coreset_cores(input->cores, cores, 64);
		struct tsr_entry *e;

		if (random_below(4) == 0)
			continue;
		tsr_resources_add_entry(res, both[k], &e);
		for (size_t i = n; i-- > 0;)
			if (random_below(2))
				tsr_entry_add_words(e, cores[i].x, cores[i].y, words,
						    random_below(16));
		tsr_entry_set_common(e, words, random_below(5));
	}
	for (uint32_t id = input->first_free_semaphore_id; id < 16; id += 1 + random_below(5)) {
		struct tsr_coreset *set = random_set(input->cores);
		struct tsr_semaphore s = { .id = id, .initial = id, .cores = set };

		tsr_resources_add_semaphore(res, &s);
		tsr_coreset_free(set);
	}
	return 0;
}

/* Whatever passes the library's checks passes the kernel's: two implementations, one answer. */
TEST(random_programs_verify)
{
	for (unsigned int round = 0; round < 300; round++) {
		struct rig *rig = rig_new();
		struct tsr_coreset *working = tsr_device_cores(rig->dev), *cores;
		struct tsr_operation *old = rig->op;
		struct tsr_blob blob;
		struct tsr_dispatch dispatch;

		seed = round;
		cores = random_set(working);
		ASSERT_EQ(0, tsr_operation_new(rig->dev, "random", cores, &rig->op));
		ASSERT_EQ(0, tsr_operation_set_factory(rig->op, old->factory, rig, NULL));
		tsr_operation_unref(old);
		rig_add_usual(rig);
		for (uint32_t i = 0; i < random_below(4); i++)
			ASSERT_EQ(0, tsr_operation_add_semaphore(rig->op, i, i, NULL));
		for (uint32_t i = 0; i < random_below(6); i++) {
			struct tsr_coreset *set = random_set(cores);
			struct tsr_circular_buffer cb = { .id = i, .page_size = 16 + 16 * i,
							  .page_count = 1 + i, .cores = set };

			ASSERT_EQ(0, tsr_operation_add_circular_buffer(rig->op, &cb));
			tsr_coreset_free(set);
		}
		rig->fill = fill_random;
		ASSERT_EQ(0, rig_prepare(rig));
		ASSERT_EQ(0, verify(rig, &blob));
		ASSERT_EQ(0, tsr_dispatch_check(rig->call->dispatch.data,
						rig->call->dispatch.count, &blob, &dispatch));
		tsr_coreset_free(working);
		tsr_coreset_free(cores);
		rig_free(rig);
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* Declaring operations and filling resources: what is refused at once, and what is copied. */
#include "common_rig.h"
#include "kselftest_harness.h"

FIXTURE(operation) {
	struct rig *rig;
};

FIXTURE_SETUP(operation)
{
	self->rig = rig_new();
}

FIXTURE_TEARDOWN(operation)
{
	self->rig = rig_free(self->rig);
}

#define SOURCE	.source_text = "void kernel_main(void) { }"

TEST_F(operation, kernels_that_cannot_be)
{
	static const uint32_t unknown[] = { 3 };
	const struct {
		struct tsr_kernel_info info;
		int err;
	} cases[] = {
		{ { .name = "k", .kind = 3, .processor = 0, SOURCE }, -EINVAL },
		{ { .name = "k", .kind = 0, .processor = 0, SOURCE }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_COMPUTE, .processor = 0, SOURCE }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, .processor = 2, SOURCE },
		  -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, .processor = 3, SOURCE },
		  -EINVAL },
		{ { .name = NULL, .kind = TSR_KERNEL_DATA_MOVEMENT, SOURCE }, -EINVAL },
		{ { .name = "", .kind = TSR_KERNEL_DATA_MOVEMENT, SOURCE }, -EINVAL },
		{ { .name = "a\nb", .kind = TSR_KERNEL_DATA_MOVEMENT, SOURCE }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, SOURCE, .elf = "x",
		    .elf_size = 1 }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, .elf = "x" }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, SOURCE, .pad = 1 }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, SOURCE, .options = 2 },
		  -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, SOURCE,
		    .reserved = { 0, 0, 1 } }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, SOURCE, .appended = unknown,
		    .appended_count = 1 }, -EINVAL },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT,
		    .source_path = "/nonexistent/k.c" }, -ENOENT },
		{ { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, .source_path = "/" }, -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT_EQ(cases[i].err, tsr_operation_add_kernel(self->rig->op, &cases[i].info)) {
			TH_LOG("case %zu", i);
		}
	}
	EXPECT_EQ(0, self->rig->op->kernels.count);
	EXPECT_EQ(0, self->rig->op->descriptors.count);
}

TEST_F(operation, names_and_canonical_kernels_are_unique)
{
	struct tsr_kernel *handle = tsr_kernel_new();

	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "a", TSR_PROCESSOR_DM0, NULL, NULL));
	EXPECT_EQ(-EEXIST, rig_add_prebuilt(self->rig, "a", TSR_PROCESSOR_COMPUTE, NULL, NULL));
	EXPECT_EQ(-EEXIST, rig_add_prebuilt(self->rig, "b", TSR_PROCESSOR_DM1, NULL, NULL));
	EXPECT_EQ(0, rig_add_prebuilt(self->rig, "b", TSR_PROCESSOR_DM1, handle, NULL));
	EXPECT_EQ(-EBUSY, rig_add_prebuilt(self->rig, "c", TSR_PROCESSOR_COMPUTE, handle, NULL));
	EXPECT_EQ(2, self->rig->op->kernels.count);
	EXPECT_EQ(2, self->rig->op->descriptors.count);
	tsr_kernel_unref(handle);
}

TEST_F(operation, the_first_submit_freezes_it)
{
	struct tsr_circular_buffer cb = { .page_size = 16, .page_count = 1 };

	rig_add_usual(self->rig);
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(-EPERM, rig_add_prebuilt(self->rig, "c", TSR_PROCESSOR_DM1, NULL, NULL));
	EXPECT_EQ(-EPERM, tsr_operation_add_descriptor(self->rig->op, "math", self->rig->cores,
						       NULL, 0));
	EXPECT_EQ(-EPERM, tsr_operation_add_circular_buffer(self->rig->op, &cb));
	EXPECT_EQ(-EPERM, tsr_operation_add_semaphore(self->rig->op, 0, 0, NULL));
	EXPECT_EQ(-EPERM, tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 1));
	EXPECT_EQ(-EPERM, tsr_operation_set_factory(self->rig->op, self->rig->op->factory, NULL,
						    NULL));
}

TEST_F(operation, other_declarations_that_cannot_be)
{
	struct tsr_operation *op = self->rig->op, *other;
	struct tsr_circular_buffer cb = { .page_size = 16, .page_count = 1, .reserved = { 1 } };
	char long_name[65];

	memset(long_name, 'x', 64);
	long_name[64] = '\0';
	EXPECT_EQ(-EINVAL, tsr_operation_new(self->rig->dev, NULL, self->rig->cores, &other));
	EXPECT_EQ(-EINVAL, tsr_operation_new(self->rig->dev, long_name, self->rig->cores, &other));
	EXPECT_EQ(-EINVAL, tsr_operation_new(self->rig->dev, "x", NULL, &other));
	EXPECT_EQ(-EINVAL, tsr_operation_add_circular_buffer(op, &cb));
	EXPECT_EQ(-EINVAL, tsr_operation_add_tensor(op, 0, 1));
	EXPECT_EQ(-EINVAL, tsr_operation_add_tensor(op, 4, 1));
	EXPECT_EQ(-EINVAL, tsr_operation_add_tensor(op, TSR_ACCESS_IN, 0));
	EXPECT_EQ(-ENOENT, tsr_operation_add_descriptor(op, "none", self->rig->cores, NULL, 0));
	EXPECT_EQ(-EINVAL, tsr_operation_add_descriptor(op, "none", NULL, NULL, 0));
	EXPECT_EQ(-EEXIST, tsr_operation_set_factory(op, op->factory, NULL, NULL));
}

static int destroyed;

static void destroy(void *ctx)
{
	destroyed += ctx == &destroyed;
}

static int no_fill(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	return 0;
}

TEST_F(operation, the_factory_context_goes_with_the_operation)
{
	struct tsr_operation *op;

	ASSERT_EQ(0, tsr_operation_new(self->rig->dev, "x", self->rig->cores, &op));
	EXPECT_EQ(-EINVAL, tsr_operation_set_factory(op, NULL, &destroyed, destroy));
	ASSERT_EQ(0, tsr_operation_set_factory(op, no_fill, &destroyed, destroy));
	tsr_operation_ref(op);
	tsr_operation_unref(op);
	EXPECT_EQ(0, destroyed);
	EXPECT_EQ(NULL, tsr_operation_unref(op));
	EXPECT_EQ(1, destroyed);
	EXPECT_EQ(NULL, tsr_operation_unref(NULL));
}

TEST_F(operation, options_that_cannot_be)
{
	struct tsr_sync sync = { 1 };
	const struct tsr_submit_options bad[] = {
		{ .flags = 16 }, { .reserved = { 1 } }, { .in_count = 1 },
		{ .out_count = 1 },
	};
	struct tsr_submit_options many = { .in_count = 17, .in_syncs = &sync };
	struct tsr_run *run;

	rig_add_usual(self->rig);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, tsr_submit(self->rig->op, self->rig->ctx, NULL, 0, &bad[i],
					      &run, NULL));
	EXPECT_EQ(0, self->rig->factory_calls);
	EXPECT_EQ(-E2BIG, tsr_submit(self->rig->op, self->rig->ctx, NULL, 0, &many, &run, NULL));
}

TEST_F(operation, a_context_of_another_device)
{
	struct rig *other = rig_new();
	struct tsr_run *run;

	rig_add_usual(self->rig);
	EXPECT_EQ(-EXDEV, tsr_submit(self->rig->op, other->ctx, NULL, 0, NULL, &run, NULL));
	rig_free(other);
}

/* --- resources ----------------------------------------------------------------------------- */

static struct tsr_entry *kept_entry;
static struct tsr_resources *kept;
static int64_t callers_words[] = { 1, 2, 3 };
static char callers_text[] = "7";

static int fill_and_keep(struct rig *rig, const struct tsr_factory_input *input,
			 struct tsr_resources *res)
{
	kept = tsr_resources_ref(res);
	if (tsr_resources_add_entry(res, RIG_MOVER, &kept_entry) ||
	    tsr_entry_add_words(kept_entry, 0, 0, callers_words, 3))
		return -ENOMEM;
	callers_words[0] = 99;
	return 0;
}

TEST_F(operation, resources_are_copies_and_sealed)
{
	struct tsr_definition d = { "A", callers_text };
	struct tsr_semaphore s = { 0 };
	struct tsr_entry *entry;
	int object;

	rig_add_usual(self->rig);
	self->rig->fill = fill_and_keep;
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(1, ((struct tsr_arg *)kept_entry->args.data)[0].words[0]);
	EXPECT_EQ(-EPERM, tsr_resources_add_entry(kept, RIG_MOVER, &entry));
	EXPECT_EQ(-EPERM, tsr_resources_add_semaphore(kept, &s));
	EXPECT_EQ(-EPERM, tsr_entry_add_words(kept_entry, 1, 0, callers_words, 3));
	EXPECT_EQ(-EPERM, tsr_entry_set_common(kept_entry, callers_words, 3));
	EXPECT_EQ(-EPERM, tsr_entry_add_definition(kept_entry, &d));
	EXPECT_EQ(-EPERM, tsr_entry_define(kept_entry, "A", "1"));
	EXPECT_EQ(-EPERM, tsr_resources_own(kept, &object, NULL, NULL));
	EXPECT_EQ(-EPERM, tsr_resources_own_buffer(kept, NULL));
	EXPECT_EQ(1, kept_entry->args.count);
	tsr_resources_unref(kept);
}

/* The resources are nobody's, and in the pool. 0: the next factory would begin with these words. */
TEST_F(operation, an_entry_kept_beyond_its_resources_is_sealed)
{
	rig_add_usual(self->rig);
	self->rig->fill = fill_and_keep;
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	tsr_resources_unref(kept);
	EXPECT_EQ(-EPERM, tsr_entry_add_words(kept_entry, 1, 0, callers_words, 3));
	EXPECT_EQ(-EPERM, tsr_entry_set_common(kept_entry, callers_words, 3));
	EXPECT_EQ(-EPERM, tsr_entry_define(kept_entry, "A", "1"));
}

static int fill_keep_and_fail(struct rig *rig, const struct tsr_factory_input *input,
			      struct tsr_resources *res)
{
	int err = fill_and_keep(rig, input, res);

	return err ? err : -EXDEV;
}

TEST_F(operation, resources_are_sealed_when_the_factory_fails)
{
	rig_add_usual(self->rig);
	self->rig->fill = fill_keep_and_fail;
	EXPECT_EQ(-EXDEV, rig_submit(self->rig));
	EXPECT_EQ(-EPERM, tsr_entry_add_words(kept_entry, 1, 0, callers_words, 3));
	tsr_resources_unref(kept);
}

static int retained, released;

static void retain(void *object)
{
	retained++;
}

static void release(void *object)
{
	released++;
}

static int fill_owners_then(struct rig *rig, const struct tsr_factory_input *input,
			    struct tsr_resources *res)
{
	static int object, moved;
	struct tsr_entry *entry;

	tsr_resources_own(res, &object, retain, release);
	tsr_resources_own(res, &moved, NULL, release);
	if (rig->factory_calls == 1)
		return -ENOTTY;
	if (rig->factory_calls == 2)
		return tsr_resources_add_entry(res, (struct tsr_selector){ 0 }, &entry);
	return 0;
}

/* After each kind of refusal what was retained is let go, what would have moved stays (LT-4). */
TEST_F(operation, owners_stay_with_the_caller_on_refusal)
{
	struct tsr_library_stats stats;

	rig_add_usual(self->rig);
	self->rig->fill = fill_owners_then;
	EXPECT_EQ(-ENOTTY, rig_submit(self->rig));
	EXPECT_EQ(1, retained);
	EXPECT_EQ(1, released);
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_EQ(2, retained);
	EXPECT_EQ(2, released);
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(3, retained);
	EXPECT_EQ(3, released);
	tsr_library_stats(self->rig->dev, &stats);
	EXPECT_EQ(0, stats.owners_retained);
	EXPECT_EQ(0, stats.owners_released);
	EXPECT_EQ(1, stats.factory_failures);
	EXPECT_EQ(3, stats.factory_calls);
}

TEST_F(operation, one_build_serves_many_submits)
{
	struct tsr_library_stats stats;
	struct tsr_cache_stats cache;

	rig_add_usual(self->rig);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	tsr_library_stats(self->rig->dev, &stats);
	tsr_cache_stats(self->rig->dev, &cache);
	EXPECT_EQ(3, stats.factory_calls);
	EXPECT_EQ(3, stats.plans);
	EXPECT_EQ(1, stats.programs);
	EXPECT_EQ(2, cache.hits);
	EXPECT_EQ(3, stats.submit_refusals);
	tsr_cache_clear(self->rig->dev);
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	tsr_library_stats(self->rig->dev, &stats);
	EXPECT_EQ(2, stats.programs);
}

TEST_HARNESS_MAIN

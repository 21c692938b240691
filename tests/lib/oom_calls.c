// SPDX-License-Identifier: MIT
/*
 * Out of memory in single calls: those that fail anyway, values, and the host engine. As in oom.c:
 * a call works or says -ENOMEM, and the next one works.
 */
#include "common_alloc.h"
#include "common_rig.h"
#include "kselftest_harness.h"

/* --- calls that fail anyway ---------------------------------------------------------------- */

static int fill_wrongly(struct rig *rig, const struct tsr_factory_input *input,
			struct tsr_resources *res)
{
	const int64_t large[] = { INT64_MAX };
	struct tsr_semaphore s = { .id = 99, .initial = -1, .core_type = 7 };
	struct tsr_entry *e;
	int err;

	err = tsr_resources_add_entry(res, (struct tsr_selector){ 9, NULL }, &e);
	if (!err)
		err = tsr_entry_add_words(e, 9, 9, large, 1);
	if (!err)
		err = tsr_entry_define(e, "1A", "\n");
	return err ? err : tsr_resources_add_semaphore(res, &s);
}

static int fill_not(struct rig *rig, const struct tsr_factory_input *input,
		    struct tsr_resources *res)
{
	return -ENOTTY;
}

/* Findings, when there are any, are all of them. */
static void sweep_failure(struct __test_metadata *_metadata, int want, size_t findings,
			  int (*filler)(struct rig *rig, const struct tsr_factory_input *input,
					struct tsr_resources *res))
{
	for (int persistent = 0; persistent < 2; persistent++)
		for (unsigned long k = 1; k < 300; k++) {
			struct rig *rig = rig_new();
			int err;

			rig_add_usual(rig);
			rig->fill = filler;
			alloc_fail(k, persistent);
			err = rig_submit(rig);
			alloc_fail(0, false);
			EXPECT_TRUE(err == want || err == -ENOMEM) {
				TH_LOG("allocation %lu: %d", k, err);
			}
			if (err == -EINVAL && rig->diag)
				EXPECT_EQ(findings, tsr_diag_count(rig->diag));
			EXPECT_EQ(want, rig_submit(rig));
			EXPECT_EQ(findings, tsr_diag_count(rig->diag));
			rig_free(rig);
		}
}

TEST(findings)
{
	sweep_failure(_metadata, -EINVAL, 8, fill_wrongly);
}

TEST(a_factory_that_fails)
{
	sweep_failure(_metadata, -ENOTTY, 1, fill_not);
}

/* --- values and devices -------------------------------------------------------------------- */

static void use_values(struct alloc_try *t, const struct rig *rig)
{
	struct tsr_coreset *set, *copy, *all;
	struct tsr_context *ctx;
	struct tsr_device *dev;

	TRY_NEW(t, set, tsr_coreset_new());
	for (uint16_t i = 0; i < 12; i++)
		TRY(t, 0, tsr_coreset_add_rect(set, (struct tsr_rect){ i + 1, 0, i, 0 }));
	TRY_NEW(t, copy, tsr_coreset_copy(set));
	if (!tsr_coreset_equal(set, copy))
		alloc_wrong(t, "a copy that differs");
	TRY(t, 0, tsr_host_open(NULL, &dev));
	TRY_NEW(t, all, tsr_device_cores(dev));
	TRY(t, 0, tsr_context_new(rig->dev, NULL, &ctx));
	tsr_context_unref(ctx);
	tsr_device_unref(dev);
	tsr_coreset_free(all);
	tsr_coreset_free(copy);
	tsr_coreset_free(set);
}

TEST(core_sets_devices_contexts)
{
	for (int persistent = 0; persistent < 2; persistent++)
		for (unsigned long k = 1; k < 60; k++) {
			struct rig *rig = rig_new();
			struct alloc_try t = { 0 };

			alloc_fail(k, persistent);
			use_values(&t, rig);
			alloc_fail(0, false);
			EXPECT_EQ(NULL, t.wrong) {
				TH_LOG("allocation %lu: %s", k, t.wrong);
			}
			rig_free(rig);
		}
}

/* --- the host engine ----------------------------------------------------------------------- */

static int execute_once(struct tsr_operation *op)
{
	struct tsr_host_run *run = NULL;
	struct tsr_diag *diag = NULL;
	int err = tsr_host_execute(op, NULL, 0, &run, &diag);

	tsr_host_run_free(run);
	tsr_diag_free(diag);
	return err;
}

static void use_host(struct alloc_try *t, const void *elf, size_t size)
{
	const struct tsr_kernel_info info = {
		.name = "mover", .kind = TSR_KERNEL_DATA_MOVEMENT, .elf = elf, .elf_size = size,
	};
	struct tsr_operation *op = NULL;
	struct tsr_coreset *cores;
	struct tsr_device *dev;

	TRY(t, 0, tsr_host_open(NULL, &dev));
	TRY_NEW(t, cores, tsr_coreset_new_rect(0, 0, 1, 1));
	TRY(t, 0, tsr_operation_new(dev, "op", cores, &op));
	TRY(t, 0, tsr_operation_add_kernel(op, &info));
	TRY(t, 0, execute_once(op));
	TRY(t, 0, execute_once(op));
	alloc_fail(0, false);
	tsr_operation_unref(op);
	tsr_coreset_free(cores);
	tsr_device_unref(dev);
}

TEST(host_engine)
{
	struct tsr_device *dev;
	struct rig like = { 0 };
	size_t size;
	void *elf;

	ASSERT_EQ(0, tsr_host_open(NULL, &dev));
	like.dev = dev;
	elf = rig_elf(&like, TSR_PROCESSOR_DM0, 8, &size);
	tsr_device_unref(dev);
	for (int persistent = 0; persistent < 2; persistent++)
		for (unsigned long k = 1; k < 150; k++) {
			struct alloc_try t = { 0 };

			alloc_fail(k, persistent);
			use_host(&t, elf, size);
			EXPECT_EQ(NULL, t.wrong) {
				TH_LOG("allocation %lu: %s", k, t.wrong);
			}
		}
	free(elf);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Out of memory: a life of an operation again and again, the k-th allocation failing, for every
 * k, alone or with all that follow. A call either works or says -ENOMEM; then the same call, made
 * again with memory, works, and in the end the program is the one it always was. Leaks are found
 * when the process ends.
 */
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common_alloc.h"
#include "common_rig.h"
#include "kselftest_harness.h"
#include "memo.h"

#define SOURCE	"#include \"one.h\"\nvoid kernel_main(void) { }\n"

/* What a sweep looks at, of one life. */
struct life {
	struct alloc_try t;
	struct rig *rig;
	struct tsr_kernel *handle;
	bool source;			/* kernels are compiled, by a program that copies a file */
	int owned;			/* references of the object that the run keeps alive */
	void *elf, *math;		/* prebuilt kernels */
	size_t elf_size, math_size;
	struct tsr_digest digest;
};

static char folder[64];

static void retain(void *object)
{
	++*(int *)object;
}

static void release(void *object)
{
	--*(int *)object;
}

static struct life *filling;

/* More than fits into what the pools and arenas begin with. */
static int fill_words(struct tsr_resources *res, struct tsr_entry *e)
{
	static int64_t words[300];
	int err = tsr_entry_set_common(e, words, 3);

	for (uint16_t y = 0; !err && y < 2; y++)
		for (uint16_t x = 0; !err && x < 3; x++)
			err = tsr_entry_add_words(e, 2 - x, y, words, 200);
	for (int i = 0; !err && i < 20 && filling->source; i++) {
		char name[16];

		snprintf(name, sizeof(name), "NAME_%d", (i * 7) % 20);
		err = tsr_entry_define(e, name, "1");
	}
	return err;
}

static int fill(struct rig *rig, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct tsr_semaphore s = { .id = input->first_free_semaphore_id };
	struct tsr_entry *e;
	int err;

	s.cores = tsr_coreset_new_rect(0, 0, 1, 1);
	err = s.cores ? tsr_resources_add_semaphore(res, &s) : -ENOMEM;
	tsr_coreset_free((struct tsr_coreset *)s.cores);
	if (!err)
		err = tsr_resources_add_entry(res, RIG_MOVER, &e);
	if (!err)
		err = fill_words(res, e);
	if (!err)
		err = tsr_resources_own(res, &filling->owned, retain, release);
	return err;
}

static void declare_mover(struct life *l, const struct tsr_coreset *cores, void *elf, size_t size)
{
	const struct tsr_definition definitions[] = { { "BASE", "1" }, { "MORE", "" } };
	const char *const flags[] = { "-O1", "-g0" };
	const uint32_t appended[] = { TSR_APPENDED_RANK, TSR_APPENDED_CORES };
	char path[96];
	struct tsr_kernel_info info = {
		.name = "mover",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = TSR_PROCESSOR_DM0,
		.cores = cores,
		.appended = appended,
		.appended_count = 2,
		.elf = elf,
		.elf_size = size,
	};

	if (l->source) {
		snprintf(path, sizeof(path), "%s/kernel.c", folder);
		info.elf = NULL;
		info.source_path = path;
		info.definitions = definitions;
		info.definition_count = 2;
		info.flags = flags;
		info.flag_count = 2;
	}
	TRY(&l->t, 0, tsr_operation_add_kernel(l->rig->op, &info));
}

static void declare_math(struct life *l, const struct tsr_coreset *left,
			 const struct tsr_coreset *right, void *elf, size_t size)
{
	struct tsr_operation *op = l->rig->op;
	const struct tsr_kernel_info info = {
		.name = "math",
		.kind = TSR_KERNEL_COMPUTE,
		.processor = TSR_PROCESSOR_COMPUTE,
		.handle = l->handle,
		.elf = elf,
		.elf_size = size,
	};

	TRY(&l->t, 0, tsr_operation_add_kernel(op, &info));
	TRY(&l->t, 0, tsr_operation_add_descriptor(op, "math", left, NULL, 0));
	TRY(&l->t, 0, tsr_operation_add_descriptor(op, "math", right, NULL, 0));
}

static void declare_rest(struct life *l, const struct tsr_coreset *cores)
{
	struct tsr_operation *op = l->rig->op;

	for (uint32_t i = 0; i < 10; i++) {
		struct tsr_circular_buffer cb = {
			.id = i, .page_size = 64, .page_count = 1, .cores = cores,
		};

		TRY(&l->t, 0, tsr_operation_add_circular_buffer(op, &cb));
		TRY(&l->t, 0, tsr_operation_add_semaphore(op, i, i, i % 2 ? cores : NULL));
		TRY(&l->t, 0, tsr_operation_add_tensor(op, TSR_ACCESS_IN, 64));
	}
}

/* Allocations of the test itself do not fail. */
static void prepare_life(struct life *l)
{
	uint32_t handle = 1;

	l->rig = rig_new();
	filling = l;
	l->rig->fill = fill;
	l->elf = rig_elf(l->rig, TSR_PROCESSOR_DM0, 8, &l->elf_size);
	l->math = rig_elf(l->rig, TSR_PROCESSOR_COMPUTE, 8, &l->math_size);
	for (size_t i = 0; i < ARRAY_SIZE(l->rig->tensors); i++)
		tsr_buffer_new_offline(l->rig->dev, 4096, handle++, &l->rig->tensors[i].buffer);
}

static void declare(struct life *l)
{
	struct tsr_coreset *left, *right;

	TRY_NEW(&l->t, l->handle, tsr_kernel_new());
	TRY_NEW(&l->t, left, tsr_coreset_new_rect(0, 0, 1, 1));
	TRY_NEW(&l->t, right, tsr_coreset_new_rect(2, 0, 2, 1));
	declare_mover(l, NULL, l->elf, l->elf_size);
	declare_math(l, left, right, l->math, l->math_size);
	declare_rest(l, left);
	tsr_coreset_free(left);
	tsr_coreset_free(right);
}

static int submit(struct life *l, struct tsr_tensor *tensors, size_t count)
{
	struct tsr_run *run = NULL;
	struct tsr_diag *diag = NULL;
	int err = tsr_submit(l->rig->op, l->rig->ctx, tensors, count, NULL, &run, &diag);

	if (run)
		alloc_wrong(&l->t, "a run, though it failed");
	/* Without memory there may be no diagnostic; one that is there says the cause. */
	if (diag && tsr_diag_cause(diag) != err)
		alloc_wrong(&l->t, "the cause of the diagnostic");
	tsr_diag_free(diag);
	return err;
}

static void execute(struct life *l)
{
	struct tsr_tensor tensors[10];
	struct tsr_cache_stats stats;

	for (size_t i = 0; i < ARRAY_SIZE(tensors); i++)
		tensors[i] = (struct tsr_tensor){ .buffer = l->rig->tensors[i % 2].buffer };
	/* All but the device is right. */
	TRY(&l->t, -ENODEV, submit(l, tensors, ARRAY_SIZE(tensors)));
	TRY(&l->t, -ENODEV, submit(l, tensors, ARRAY_SIZE(tensors)));
	alloc_fail(0, false);
	memcpy(l->rig->tensors, tensors, sizeof(l->rig->tensors));
	tsr_cache_stats(l->rig->dev, &stats);
	if (stats.entries != 1 || stats.in_flight || stats.queued || stats.negative_hits)
		alloc_wrong(&l->t, "the cache");
	if (l->owned)
		alloc_wrong(&l->t, "an owner that is kept");
	if (l->rig->dev->programs && stats.uncacheable)
		alloc_wrong(&l->t, "a program without identity");
}

static void take_digest(struct life *l)
{
	struct tsr_resources *res = tsr_resources_new(l->rig->dev, l->rig->op->serial);
	struct tsr_factory_input input = { .first_free_semaphore_id = 10 };
	struct tsr_tensor tensors[10];
	struct tsr_call *call = tsr_call_new(l->rig->dev);
	const struct tsr_shape *shape;
	struct tsr_check c = { .op = l->rig->op, .limits = &l->rig->dev->limits, .res = res,
			       .tensors = tensors, .tensor_count = 10, .plan = &call->plan };

	for (size_t i = 0; i < ARRAY_SIZE(tensors); i++)
		tensors[i] = (struct tsr_tensor){ .buffer = l->rig->tensors[i % 2].buffer };
	if (fill(l->rig, &input, res) || tsr_shape_get(l->rig->op, &shape) ||
	    tsr_plan_begin(&call->plan, shape, res))
		alloc_wrong(&l->t, "planning again");
	c.shape = shape;
	tsr_check_all(&c);
	if (c.findings || tsr_plan_make(&call->plan))
		alloc_wrong(&l->t, "planning again");
	l->digest = tsr_hash(call->plan.bytes.bytes.data, call->plan.bytes.bytes.count);
	tsr_call_free(l->rig->dev, call);
	tsr_resources_let_go(res);
}

static void live(struct life *l, unsigned long k, bool persistent)
{
	prepare_life(l);
	alloc_fail(k, persistent);
	declare(l);
	execute(l);
	alloc_fail(0, false);
	take_digest(l);
	tsr_kernel_unref(l->handle);
	free(l->elf);
	free(l->math);
	rig_free(l->rig);
}

/* Every k until none fails any more. Returns how many there were. */
static unsigned long sweep(struct __test_metadata *_metadata, bool source, bool persistent)
{
	struct life whole = { .source = source };
	unsigned long k, last = 0;

	live(&whole, 0, false);
	EXPECT_EQ(NULL, whole.t.wrong) {
		TH_LOG("with memory: %s", whole.t.wrong);
	}
	for (k = 1; k < 5000 && last + 50 > k; k++) {
		struct life l = { .source = source };

		live(&l, k, persistent);
		if (l.t.retried)
			last = k;
		EXPECT_EQ(NULL, l.t.wrong) {
			TH_LOG("allocation %lu: %s", k, l.t.wrong);
		}
		EXPECT_EQ(0, memcmp(&whole.digest, &l.digest, sizeof(l.digest))) {
			TH_LOG("allocation %lu: another program", k);
		}
	}
	TH_LOG("%lu allocations", last);
	return last;
}

TEST(prebuilt_kernels_one_allocation_fails)
{
	EXPECT_GT(sweep(_metadata, false, false), 50);
}

TEST(prebuilt_kernels_all_allocations_fail_from_one_on)
{
	EXPECT_GT(sweep(_metadata, false, true), 50);
}

/* --- compiled kernels ---------------------------------------------------------------------- */

static void put_file(const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file) || chmod(path, 0755))
		abort();
}

/* A compiler that gives a file that is there already. */
static const char compiler[] =
	"#!/bin/sh\n"
	"case $1 in --version) echo 'copier 1'; exit;; -print-*) exit 1;; esac\n"
	"while [ \"$1\" != -o ]; do shift; done\n"
	"cp \"${0%/*}/kernel.elf\" \"$2\"\n";

static void set_up_compiler(void)
{
	struct rig *rig = rig_new();
	size_t size;
	void *elf = rig_elf(rig, TSR_PROCESSOR_DM0, 8, &size);
	char path[128];

	strcpy(folder, "/tmp/tsr-test-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	put_file("kernel.elf", elf, size);
	put_file("cc", compiler, strlen(compiler));
	put_file("kernel.c", SOURCE, strlen(SOURCE));
	put_file("one.h", "#define ONE 1\n", strlen("#define ONE 1\n"));
	snprintf(path, sizeof(path), "%s/cc", folder);
	setenv("TESSERA_CC", path, 1);
	setenv("TESSERA_IMAGE_CACHE", "off", 1);
	setenv("TMPDIR", folder, 1);
	free(elf);
	rig_free(rig);
}

/* Of the library's directories for a compilation, and of files for its images. */
static size_t left_behind(void)
{
	char pattern[128];
	size_t count;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/tessera-??????", folder);
	glob(pattern, 0, NULL, &found);
	count = found.gl_pathc;
	globfree(&found);
	return count;
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		abort();
}

FIXTURE(compiled) {
};

FIXTURE_SETUP(compiled)
{
	set_up_compiler();
}

FIXTURE_TEARDOWN(compiled)
{
	EXPECT_EQ(0, left_behind());
	remove_folder();
}

TEST_F_TIMEOUT(compiled, one_allocation_fails, 200)
{
	EXPECT_GT(sweep(_metadata, true, false), 100);
}

TEST_F_TIMEOUT(compiled, all_allocations_fail_from_one_on, 200)
{
	EXPECT_GT(sweep(_metadata, true, true), 100);
}

/* Images on disk, in the folder of the test. A cache that cannot be used is no error. */
TEST_F_TIMEOUT(compiled, with_images_on_disk, 200)
{
	unsetenv("TESSERA_IMAGE_CACHE");
	setenv("XDG_CACHE_HOME", folder, 1);
	for (unsigned long k = 150; k < 370; k++) {
		struct life l = { .source = true };

		live(&l, k, k % 2);
		EXPECT_EQ(NULL, l.t.wrong) {
			TH_LOG("allocation %lu: %s", k, l.t.wrong);
		}
		if (k % 4 == 0)
			EXPECT_EQ(0, tsr_image_cache_clear());
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* Runners (RN): saved, loaded elsewhere, run with the factory, and files that are not right. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common_saved.h"
#include "kselftest_harness.h"

FIXTURE(runner) {
	struct saved_op s;
	uint8_t *file;
	size_t size;
	struct tsr_runner *runner;
	struct tsr_diag *diag;
};

FIXTURE_SETUP(runner)
{
	saved_op_new(&self->s);
	self->file = saved_op_file(&self->s, &self->size);
}

FIXTURE_TEARDOWN(runner)
{
	tsr_runner_unref(self->runner);
	tsr_diag_free(self->diag);
	free(self->file);
	saved_op_free(&self->s);
}

static int load(struct _test_data_runner *self, struct tsr_device *dev)
{
	self->diag = tsr_diag_free(self->diag);
	self->runner = tsr_runner_unref(self->runner);
	return tsr_runner_load_memory(dev, self->file, self->size, &self->runner, &self->diag);
}

/* -ENODEV: everything but the device was right. */
static int submit(struct _test_data_runner *self, struct rig *rig, tsr_factory_fn factory)
{
	struct tsr_run *run;

	self->diag = tsr_diag_free(self->diag);
	return tsr_runner_submit(self->runner, rig->ctx, rig->tensors, rig->tensor_count, NULL,
				 factory, &self->s, &run, &self->diag);
}

static struct tsr_library_stats stats_of(struct rig *rig)
{
	struct tsr_library_stats stats;

	tsr_library_stats(rig->dev, &stats);
	return stats;
}

static bool found(const struct tsr_diag *diag, const char *rule, const char *field)
{
	for (size_t i = 0; diag && i < tsr_diag_count(diag); i++)
		if (!strcmp(tsr_diag_finding(diag, i)->rule, rule) &&
		    !strcmp(tsr_diag_finding(diag, i)->field, field))
			return true;
	tsr_diag_print(diag, stdout);
	return false;
}

TEST_F(runner, a_file_has_the_structure)
{
	const struct tsr_runner_info *info;

	ASSERT_EQ(0, load(self, NULL)) {
		tsr_diag_print(self->diag, stdout);
	}
	info = tsr_runner_info(self->runner);
	EXPECT_STREQ("saved", info->name);
	EXPECT_STREQ("rv32im", info->isa);
	EXPECT_EQ(1, info->needs_factory);
	EXPECT_EQ(1, info->cacheable);
	EXPECT_EQ(4, info->limits.grid_width);
	EXPECT_TRUE(tsr_coreset_equal(self->s.rig->cores, info->cores));
	ASSERT_EQ(2, info->tensor_count);
	EXPECT_EQ(4096, info->tensors[1].min_size);
	ASSERT_EQ(2, info->circular_buffer_count);
	EXPECT_EQ(TSR_ELEMENT_BF16, info->circular_buffers[0].format);
	ASSERT_EQ(2, info->semaphore_count);
	EXPECT_EQ(0, info->semaphores[0].supplied);
	EXPECT_EQ(1, info->semaphores[1].supplied);
	EXPECT_EQ(5, info->semaphores[1].initial);
	ASSERT_EQ(4, info->descriptor_count);
	EXPECT_STREQ("math", info->descriptors[1].kernel);
	EXPECT_STREQ("PLACE", info->descriptors[1].definitions[0].name);
	EXPECT_STREQ("2", info->descriptors[1].definitions[0].value);
	EXPECT_STREQ("SCALE", info->descriptors[1].supplied[0].name);
	EXPECT_STREQ("reader", info->descriptors[2].kernel);
	EXPECT_EQ(0, info->descriptors[2].explicit_kernel);
	EXPECT_EQ(1, info->descriptors[3].explicit_kernel);
	EXPECT_EQ(2, info->descriptors[3].appended_count);
	EXPECT_EQ(6, info->descriptors[3].words_count);
	EXPECT_EQ(3, info->descriptors[3].words[0].count);
	EXPECT_NE(NULL, tsr_runner_kernel(self->runner, "second"));
	EXPECT_EQ(NULL, tsr_runner_kernel(self->runner, "reader"));
	EXPECT_EQ(NULL, tsr_runner_kernel(self->runner, "nobody"));
}

TEST_F(runner, a_file_has_no_words)
{
	uint32_t word = htole32(0x5eedf00d);

	/* The factory's words, were they in it, would change the file. */
	for (size_t i = 0; i + 4 <= self->size; i++)
		ASSERT_NE(0, memcmp(self->file + i, &word, 4));
	EXPECT_EQ(1, self->s.calls);
}

static int other_process(const void *file, size_t size, struct saved_op *s)
{
	struct tsr_runner *runner;
	struct tsr_run *run;
	struct tsr_diag *diag = NULL;
	struct rig *rig = rig_new();
	struct tsr_buffer *buffers[2];
	int err;

	/* No compiler: nothing of this may need one. */
	setenv("TESSERA_CC", "/nonexistent", 1);
	if (tsr_runner_load_memory(rig->dev, file, size, &runner, NULL) ||
	    tsr_buffer_new_offline(rig->dev, 4096, 1, &buffers[0]) ||
	    tsr_buffer_new_offline(rig->dev, 8192, 2, &buffers[1]))
		return 1;
	s->second = tsr_runner_kernel(runner, "second");
	s->calls = 0;
	for (int i = 1; i <= 2; i++) {
		const struct tsr_tensor tensors[] = { { buffers[0] }, { buffers[1] } };

		err = tsr_runner_submit(runner, rig->ctx, tensors, 2, NULL, saved_op_factory, s,
					&run, &diag);
		diag = tsr_diag_free(diag);
		if (err != -ENODEV || s->calls != i)
			return 2;
	}
	/* 2 builds would mean that the second call was not found. */
	if (stats_of(rig).programs != 1 || stats_of(rig).compiles)
		return 3;
	tsr_buffer_unref(buffers[0]);
	tsr_buffer_unref(buffers[1]);
	tsr_runner_unref(runner);
	rig_free(rig);
	return 0;
}

TEST_F(runner, another_process_runs_it_with_the_factory_and_without_a_compiler)
{
	struct tsr_kernel *second = self->s.second;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(other_process(self->file, self->size, &self->s));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	self->s.second = second;
}

TEST_F(runner, it_is_the_program_of_the_operation)
{
	struct tsr_runner_info info;

	ASSERT_EQ(0, load(self, self->s.rig->dev));
	info = *tsr_runner_info(self->runner);
	ASSERT_EQ(0, rig_prepare(self->s.rig));
	EXPECT_EQ(0, memcmp(info.fingerprint, self->s.rig->program->digest.bytes, 16));
}

/* The program cache does not take a file's word for what an image was made from. */
TEST_F(runner, a_runner_and_the_operation_do_not_share_programs)
{
	struct tsr_kernel *second = self->s.second;

	ASSERT_EQ(0, load(self, self->s.rig->dev));
	self->s.second = tsr_runner_kernel(self->runner, "second");
	EXPECT_EQ(-ENODEV, submit(self, self->s.rig, saved_op_factory));
	self->s.second = second;
	EXPECT_EQ(1, stats_of(self->s.rig).programs);
	EXPECT_EQ(-ENODEV, rig_submit(self->s.rig));
	/* 1 would mean that what came out of a file ran for the operation. */
	EXPECT_EQ(2, stats_of(self->s.rig).programs);
}

TEST_F(runner, the_factory_is_needed_on_every_call)
{
	const struct tsr_finding *f;

	ASSERT_EQ(0, load(self, self->s.rig->dev));
	self->s.calls = 0;
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(-EINVAL, submit(self, self->s.rig, NULL));
		ASSERT_EQ(1, tsr_diag_count(self->diag));
		f = tsr_diag_finding(self->diag, 0);
		EXPECT_STREQ("RN-2", f->rule);
		EXPECT_STREQ("operation", f->path);
		EXPECT_STREQ("factory", f->field);
		EXPECT_STREQ("none", f->value);
	}
	EXPECT_EQ(0, self->s.calls);
}

TEST_F(runner, a_factory_that_is_not_needed_is_refused)
{
	struct saved_op plain;
	uint8_t *file = self->file;

	saved_op_without_factory(&plain);
	self->file = saved_op_file(&plain, &self->size);
	free(file);
	ASSERT_EQ(0, load(self, plain.rig->dev));
	EXPECT_EQ(0, tsr_runner_info(self->runner)->needs_factory);
	EXPECT_EQ(-EINVAL, submit(self, plain.rig, saved_op_factory));
	EXPECT_TRUE(found(self->diag, "RN-2", "factory"));
	EXPECT_EQ(-ENODEV, submit(self, plain.rig, NULL));
	self->runner = tsr_runner_unref(self->runner);
	saved_op_free(&plain);
}

TEST_F(runner, its_resources_go_through_the_same_checks)
{
	struct tsr_kernel *second = self->s.second;

	ASSERT_EQ(0, load(self, self->s.rig->dev));
	/* A handle of another operation, though of the same name. */
	EXPECT_EQ(-EINVAL, submit(self, self->s.rig, saved_op_factory));
	EXPECT_TRUE(found(self->diag, "V3", "selector"));
	self->s.second = tsr_runner_kernel(self->runner, "second");
	self->s.words_of = 7;
	EXPECT_EQ(-EINVAL, submit(self, self->s.rig, saved_op_factory));
	EXPECT_TRUE(found(self->diag, "V9", "core"));
	self->s.second = second;
}

TEST_F(runner, other_cores_with_words_are_another_program_of_the_same_images)
{
	struct tsr_kernel *second = self->s.second;

	ASSERT_EQ(0, load(self, self->s.rig->dev));
	self->s.second = tsr_runner_kernel(self->runner, "second");
	EXPECT_EQ(-ENODEV, submit(self, self->s.rig, saved_op_factory));
	self->s.words_of = 2;
	EXPECT_EQ(-ENODEV, submit(self, self->s.rig, saved_op_factory));
	EXPECT_EQ(2, stats_of(self->s.rig).programs);
	self->s.second = second;
}

TEST_F(runner, other_definitions_have_no_image)
{
	struct tsr_kernel *second = self->s.second;
	const struct tsr_finding *f;

	ASSERT_EQ(0, load(self, self->s.rig->dev));
	self->s.second = tsr_runner_kernel(self->runner, "second");
	self->s.scale = "4";
	EXPECT_EQ(-EINVAL, submit(self, self->s.rig, saved_op_factory));
	ASSERT_EQ(2, tsr_diag_count(self->diag));
	f = tsr_diag_finding(self->diag, 0);
	EXPECT_STREQ("RN-1", f->rule);
	EXPECT_STREQ("operation/kernel math", f->path);
	EXPECT_STREQ("definitions", f->field);
	EXPECT_STREQ("PLACE=1 SCALE=4", f->value);
	EXPECT_STREQ("PLACE=1 SCALE=3", f->allowed);
	self->s.second = second;
}

TEST_F(runner, another_device_is_a_finding)
{
	struct tessera_limits limits;
	struct tsr_device *dev;

	rig_limits(&limits);
	limits.image_slot += 4096;
	limits.image_base[1] += 4096;
	limits.grid_width = 2;
	limits.harvested[0] = 0;
	limits.cores = 8;
	ASSERT_EQ(0, tsr_device_new_offline(&limits, &dev));
	strcpy(dev->isa, "rv32imc");
	EXPECT_EQ(-EINVAL, load(self, dev));
	/* All of it in one pass. */
	EXPECT_TRUE(found(self->diag, "RN-1", "isa"));
	EXPECT_TRUE(found(self->diag, "RN-1", "image_slot"));
	EXPECT_TRUE(found(self->diag, "RN-1", "image_base"));
	EXPECT_TRUE(found(self->diag, "V17", "cores"));
	EXPECT_TRUE(found(self->diag, "V9", "core"));
	tsr_device_unref(dev);
}

TEST_F(runner, looked_at_without_a_device_it_does_not_run)
{
	ASSERT_EQ(0, load(self, NULL));
	EXPECT_EQ(-EXDEV, submit(self, self->s.rig, saved_op_factory));
}

TEST_F(runner, saving_fails_as_submitting_does)
{
	char path[] = "/tmp/tsr-runner-XXXXXX";
	struct tsr_diag *diag = NULL;

	close(mkstemp(path));
	unlink(path);
	self->s.words_of = 7;
	EXPECT_EQ(-EINVAL, tsr_runner_save(self->s.rig->op, self->s.rig->tensors, 2, path, &diag));
	EXPECT_TRUE(found(diag, "V9", "core"));
	EXPECT_EQ(-1, access(path, F_OK));
	diag = tsr_diag_free(diag);
	self->s.words_of = 5;
	EXPECT_EQ(-ENOENT, tsr_runner_save(self->s.rig->op, self->s.rig->tensors, 2,
					   "/nonexistent/file", &diag));
	EXPECT_EQ(-ENOENT, tsr_diag_cause(diag));
	tsr_diag_free(diag);
	EXPECT_EQ(-ENOENT, tsr_runner_load(NULL, path, &self->runner, &self->diag));
}

TEST_F(runner, equal_operations_give_equal_files)
{
	struct saved_op again;
	uint8_t *file;
	size_t size;

	saved_op_new(&again);
	file = saved_op_file(&again, &size);
	ASSERT_EQ(self->size, size);
	EXPECT_EQ(0, memcmp(self->file, file, size));
	free(file);
	saved_op_free(&again);
}

/* ---- Files that are not right ------------------------------------------------------------- */

TEST_F(runner, a_flipped_bit_is_found)
{
	for (size_t i = 0; i < self->size; i += i < 128 ? 1 : 37) {
		self->file[i] ^= (uint8_t)(1 << (i % 8));
		ASSERT_EQ(-EINVAL, load(self, NULL)) {
			TH_LOG("byte %zu", i);
		}
		ASSERT_STREQ("RN-3", tsr_diag_finding(self->diag, 0)->rule);
		self->file[i] ^= (uint8_t)(1 << (i % 8));
	}
	EXPECT_EQ(0, load(self, NULL));
}

TEST_F(runner, a_truncated_file_is_refused)
{
	size_t size = self->size;

	for (size_t i = 0; i < size; i += i < 128 ? 1 : 61) {
		uint8_t *all = self->file;

		/* Memory of just that size, so that a byte too far shows. */
		self->size = i;
		self->file = malloc(i ? i : 1);
		memcpy(self->file, all, i);
		if (i >= TSR_SAVED_HEADER && i % 2)
			tsr_saved_seal(self->file, i);
		ASSERT_EQ(-EINVAL, load(self, NULL));
		free(self->file);
		self->file = all;
	}
	self->size = size;
}

static uint32_t random_word(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33);
}

/* Where the checksum is right, the checks behind it have to find everything. */
TEST_F_TIMEOUT(runner, mutated_and_sealed_files, 60)
{
	uint8_t *good = malloc(self->size);
	uint64_t state = 1;
	size_t accepted = 0;

	memcpy(good, self->file, self->size);
	for (int round = 0; round < 3000; round++) {
		uint32_t changes = 1 + random_word(&state) % 4;
		int err;

		memcpy(self->file, good, self->size);
		while (changes--) {
			size_t at = 56 + random_word(&state) % (self->size - 56);

			/* Half of them where the structure is, not in the images. */
			if (random_word(&state) % 2)
				at = 56 + random_word(&state) % 1200;
			if (random_word(&state) % 2)
				self->file[at] = (uint8_t)random_word(&state);
			else
				self->file[at] ^= (uint8_t)(1 << random_word(&state) % 8);
		}
		tsr_saved_seal(self->file, self->size);
		err = load(self, NULL);
		ASSERT_TRUE(!err || (err == -EINVAL && tsr_diag_count(self->diag) > 0));
		accepted += !err;
	}
	/* Those whose images changed only: code is not judged. */
	EXPECT_LT(0, accepted);
	free(good);
}

TEST_F(runner, limits_that_cannot_be)
{
	size_t at = TSR_SAVED_HEADER + 4 + strlen("rv32im") + 4;

	for (size_t i = 0; i < tsr_saved_limit_count; i++) {
		uint32_t was, large = UINT32_MAX;

		memcpy(&was, self->file + at + 4 * i, 4);
		memcpy(self->file + at + 4 * i, &large, 4);
		tsr_saved_seal(self->file, self->size);
		EXPECT_EQ(-EINVAL, load(self, NULL));
		EXPECT_STREQ("RN-3", tsr_diag_finding(self->diag, 0)->rule);
		memcpy(self->file + at + 4 * i, &was, 4);
	}
}

TEST_F(runner, a_file_that_is_larger_than_any)
{
	EXPECT_EQ(-EFBIG, tsr_runner_load_memory(NULL, self->file, TSR_SAVED_MAX + 1,
						 &self->runner, &self->diag));
	EXPECT_EQ(-EFBIG, tsr_diag_cause(self->diag));
}

TEST_HARNESS_MAIN

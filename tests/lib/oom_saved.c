// SPDX-License-Identifier: MIT
/*
 * Out of memory in what goes to files: runners, and images on disk. The k-th allocation fails, for
 * every k, alone or with all after it; the call says -ENOMEM and works once there is memory, or
 * works all the same.
 */
#include <unistd.h>

#include "common_alloc.h"
#include "common_saved.h"
#include "kselftest_harness.h"

static int load_once(const void *file, size_t size)
{
	struct tsr_runner *runner = NULL;
	struct tsr_diag *diag = NULL;
	int err = tsr_runner_load_memory(NULL, file, size, &runner, &diag);

	tsr_runner_unref(runner);
	tsr_diag_free(diag);
	return err;
}

TEST(loading_a_runner)
{
	struct saved_op s;
	size_t size;
	void *file;
	unsigned long most;

	saved_op_without_factory(&s);
	file = saved_op_file(&s, &size);
	alloc_fail(0, false);
	ASSERT_EQ(0, load_once(file, size));
	alloc_fail(100000, false);
	ASSERT_EQ(0, load_once(file, size));
	most = alloc_count();
	for (int persistent = 0; persistent < 2; persistent++)
		for (unsigned long k = 1; k <= most + 1; k++) {
			struct alloc_try t = { 0 };

			alloc_fail(k, persistent);
			TRY(&t, 0, load_once(file, size));
			alloc_fail(0, false);
			EXPECT_EQ(NULL, t.wrong) {
				TH_LOG("allocation %lu: %s", k, t.wrong);
			}
		}
	free(file);
	saved_op_free(&s);
}

TEST(saving_a_runner)
{
	char path[] = "/tmp/tsr-runner-XXXXXX";
	struct saved_op s;

	close(mkstemp(path));
	for (int persistent = 0; persistent < 2; persistent++)
		for (unsigned long k = 1; k <= 120; k++) {
			struct alloc_try t = { 0 };

			saved_op_without_factory(&s);
			alloc_fail(k, persistent);
			TRY(&t, 0, tsr_runner_save(s.rig->op, s.rig->tensors, 2, path, NULL));
			alloc_fail(0, false);
			EXPECT_EQ(NULL, t.wrong) {
				TH_LOG("allocation %lu: %s", k, t.wrong);
			}
			saved_op_free(&s);
		}
	unlink(path);
}

static int list_once(void)
{
	struct tsr_image_cache_entry *entries = NULL;
	size_t n;
	int err = tsr_image_cache_entries(&entries, &n);

	free(entries);
	return err;
}

static void use_cache(struct alloc_try *t)
{
	struct tsr_image_cache_stats stats;

	TRY(t, 0, tsr_image_cache_set_limit(1 << 20));
	TRY(t, 0, tsr_image_cache_stats(&stats));
	TRY(t, 0, list_once());
	TRY(t, 0, tsr_image_cache_clear());
}

TEST(images_on_disk)
{
	char dir[] = "/tmp/tsr-cache-XXXXXX", command[64];

	ASSERT_NE(NULL, mkdtemp(dir));
	unsetenv("TESSERA_IMAGE_CACHE");
	setenv("XDG_CACHE_HOME", dir, 1);
	for (int persistent = 0; persistent < 2; persistent++)
		for (unsigned long k = 1; k <= 30; k++) {
			struct alloc_try t = { 0 };

			alloc_fail(k, persistent);
			use_cache(&t);
			alloc_fail(0, false);
			EXPECT_EQ(NULL, t.wrong) {
				TH_LOG("allocation %lu: %s", k, t.wrong);
			}
		}
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ASSERT_EQ(0, system(command));
}

TEST_HARNESS_MAIN

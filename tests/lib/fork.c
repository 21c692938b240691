// SPDX-License-Identifier: MIT
/* A child that inherits a device gets clean errors, and harms nothing (LT-6). */
#include <sys/wait.h>
#include <unistd.h>

#include "common_rig.h"
#include "memo_int.h"
#include "kselftest_harness.h"

static int check_child(struct rig *rig, struct tsr_buffer *buffer)
{
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, 0, 0);
	struct tsr_device_state state;
	struct tsr_counters counters;
	struct tsr_operation *op;
	struct tsr_context *ctx;
	struct tsr_buffer *other;
	struct tsr_run *run;
	void *mem;
	int fd;

	if (tsr_submit(rig->op, rig->ctx, NULL, 0, NULL, &run, NULL) != -EPERM)
		return 1;
	if (tsr_buffer_new(rig->dev, 4096, &other) != -EPERM)
		return 2;
	if (tsr_buffer_map(buffer, &mem) != -EPERM || tsr_buffer_export(buffer, &fd) != -EPERM)
		return 3;
	if (tsr_buffer_import(rig->dev, 0, &other) != -EPERM)
		return 4;
	if (tsr_context_new(rig->dev, NULL, &ctx) != -EPERM)
		return 5;
	if (tsr_operation_new(rig->dev, "x", cores, &op) != -EPERM)
		return 6;
	if (tsr_device_state(rig->dev, &state) != -EPERM ||
	    tsr_device_counters(rig->dev, &counters) != -EPERM ||
	    tsr_context_counters(rig->ctx, &counters) != -EPERM)
		return 7;
	if (rig->factory_calls != 1)
		return 8;
	tsr_coreset_free(cores);
	tsr_buffer_unref(buffer);
	rig_free(rig);
	return 0;
}

TEST(child_gets_eperm_and_the_parent_goes_on)
{
	struct rig *rig = rig_new();
	struct tsr_buffer *buffer;
	int status;
	pid_t pid;

	rig_add_usual(rig);
	ASSERT_EQ(0, tsr_buffer_new_offline(rig->dev, 4096, 1, &buffer));
	EXPECT_EQ(-ENODEV, rig_submit(rig));
	pid = fork();
	if (!pid)
		_exit(check_child(rig, buffer));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ(-ENODEV, rig_submit(rig));
	tsr_buffer_unref(buffer);
	rig_free(rig);
}

/* A lock that another thread held at the fork stays locked in the child for ever. */
TEST(child_can_drop_everything_though_locks_were_held)
{
	struct rig *rig = rig_new();
	struct tsr_buffer *buffer;
	int status;
	pid_t pid;

	ASSERT_EQ(0, tsr_buffer_new_offline(rig->dev, 4096, 1, &buffer));
	pthread_mutex_lock(&rig->dev->buffers_lock);
	pid = fork();
	if (!pid) {
		alarm(10);
		tsr_buffer_unref(buffer);
		_exit(0);
	}
	pthread_mutex_unlock(&rig->dev->buffers_lock);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	tsr_buffer_unref(buffer);
	rig_free(rig);
}

static int destroys;

static void destroyed(void *ctx)
{
	destroys++;
}

/* All that looks at the caches, and the last references; 0, or which call was wrong. */
static int check_caches(struct rig *rig)
{
	struct tsr_cache_limits limits = { 1, 1, 1, 1 };
	struct tsr_library_stats library;
	struct tsr_cache_stats stats;

	tsr_cache_stats(rig->dev, &stats);
	if (stats.misses || stats.entries)
		return 1;
	if (tsr_cache_set_limits(rig->dev, &limits) != -EPERM)
		return 2;
	tsr_cache_limits(rig->dev, &limits);
	if (limits.entries)
		return 3;
	tsr_cache_clear(rig->dev);
	tsr_library_stats(rig->dev, &library);
	if (library.plans)
		return 4;
	tsr_device_set_progress(rig->dev, NULL, NULL);
	rig_free(rig);
	return destroys ? 5 : 0;
}

/* Whatever lock another thread of the parent held, a child's call comes back. */
TEST(child_waits_for_no_lock)
{
	for (int held = 0; held < 5; held++) {
		struct rig *rig = rig_new();
		pthread_mutex_t *const locks[] = {
			&rig->dev->programs->lock, &rig->dev->images->lock,
			&rig->dev->progress_lock, &rig->dev->buffers_lock, &rig->dev->reaper_lock,
		};
		int status;
		pid_t pid;

		rig_add_usual(rig);
		rig->op->factory_destroy = destroyed;
		destroys = 0;
		EXPECT_EQ(-ENODEV, rig_submit(rig));
		pthread_mutex_lock(locks[held]);
		pid = fork();
		if (!pid) {
			alarm(10);
			_exit(check_caches(rig));
		}
		pthread_mutex_unlock(locks[held]);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFEXITED(status)) TH_LOG("lock %d", held);
		EXPECT_EQ(0, WEXITSTATUS(status)) TH_LOG("lock %d", held);
		rig_free(rig);
	}
}

TEST_HARNESS_MAIN

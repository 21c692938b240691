// SPDX-License-Identifier: MIT
/* A child that inherits a device gets clean errors, and harms nothing (LT-6). */
#include <sys/wait.h>
#include <unistd.h>

#include "common_rig.h"
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

TEST_HARNESS_MAIN

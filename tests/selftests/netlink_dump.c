// SPDX-License-Identifier: MIT
/* Dumps of devices and contexts (OB-1, OB-2): the same numbers as the ioctls, and who sees what. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tessera/context.h>
#include <unistd.h>
#include "common_check.h"
#include "common_event.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME	"netlink-dump"

FIXTURE(dump) {
	int fd;
	uint32_t minor;
	__u32 context, program;
	__u64 id;
};

static int new_context(int fd, __u32 priority, __u32 capacity, __u32 *ret_handle, __u64 *ret_id)
{
	struct drm_tessera_context_create args = {
		.priority = priority, .queue_capacity = capacity,
	};
	int err = uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &args);

	*ret_handle = args.handle;
	*ret_id = args.id;
	return err;
}

FIXTURE_SETUP(dump)
{
	ASSERT_EQ(0, soft_create(NAME, ""));
	self->fd = uapi_open(NAME);
	ASSERT_LE(0, self->fd);
	self->minor = event_minor(self->fd);
	ASSERT_EQ(0, new_context(self->fd, DRM_TESSERA_PRIORITY_LOW, 7, &self->context, &self->id));
	ASSERT_EQ(0, uapi_exit_program(self->fd, 0, &self->program));
}

FIXTURE_TEARDOWN(dump)
{
	close(self->fd);
	soft_remove(NAME);
}

static void some_runs(FIXTURE_DATA(dump) *self, int n)
{
	__u32 run;

	while (n--) {
		uapi_submit_program(self->fd, self->context, self->program, &run);
		uapi_wait(self->fd, run, uapi_soon());
		uapi_close_run(self->fd, run);
	}
	uapi_settle(self->fd);
}

TEST_F(dump, device_is_what_the_ioctls_say)
{
	struct drm_tessera_counters counters;
	struct drm_tessera_device_info info;
	struct tsr_device_entry d;

	some_runs(self, 5);
	ASSERT_EQ(0, uapi_counters(self->fd, &counters));
	ASSERT_EQ(0, uapi_info(self->fd, &info));
	ASSERT_EQ(0, event_device(self->minor, &d));
	EXPECT_STREQ(NAME, d.name);
	EXPECT_EQ(info.health, d.health);
	EXPECT_EQ(info.reset_generation, d.reset_generation);
	EXPECT_EQ(info.limits.grid_width, d.grid_width);
	EXPECT_EQ(info.limits.grid_height, d.grid_height);
	EXPECT_EQ(info.limits.cores, d.cores);
	EXPECT_EQ(info.limits.l1_size, d.l1_size);
	EXPECT_EQ(info.limits.queue_capacity, d.queue_capacity);
	EXPECT_EQ(info.limits.staged_depth, d.staged_depth);
	EXPECT_EQ(info.limits.parallelism, d.parallelism);
	EXPECT_EQ(info.limits.no_progress_ms, d.no_progress_ms);
	/* Less: a counter that the specification does not know. */
	EXPECT_EQ((1ull << UAPI_COUNTERS) - 1, d.counters_known);
	EXPECT_EQ(0, event_wrong_counters(&d.counters, d.counters_known, &counters));
	EXPECT_LE(5, d.counters.runs_retired);
	/* Only that it was added. More: events of what is none. */
	EXPECT_EQ(1, d.event_sequence);
}

TEST_F(dump, names_of_counters_are_those_of_the_ioctl)
{
	for (unsigned int i = 0; i < UAPI_COUNTERS; i++)
		EXPECT_STREQ(uapi_counter_name(i), tsr_counter_name(i));
	EXPECT_EQ(NULL, tsr_counter_name(UAPI_COUNTERS));
}

TEST_F(dump, context_is_what_the_ioctls_say)
{
	struct drm_tessera_counters counters;
	struct tsr_context_entry c;
	uint64_t gauges = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5;

	some_runs(self, 3);
	ASSERT_EQ(0, uapi_context_counters(self->fd, self->context, &counters));
	ASSERT_EQ(0, event_context(self->minor, self->id, &c));
	EXPECT_EQ((uint32_t)getpid(), c.pid);
	EXPECT_EQ(getuid(), c.uid);
	EXPECT_EQ(TSR_PRIORITY_LOW, c.priority);
	EXPECT_EQ(7, c.queue_capacity);
	EXPECT_EQ(0, c.depth);
	EXPECT_EQ(0, event_wrong_counters(&c.counters, c.counters_known, &counters));
	EXPECT_EQ(3, c.counters.runs_retired);
	/* Of the device only: a context that says 0 claims to have counted. */
	EXPECT_EQ(0, c.counters_known & gauges);
	EXPECT_NE(0, c.counters_known & 1 << 4);
}

TEST_F(dump, destroyed_context_leaves)
{
	struct tsr_context_entry c;

	ASSERT_EQ(0, uapi_context_destroy(self->fd, self->context));
	EXPECT_EQ(-ENOENT, event_context(self->minor, self->id, &c));
}

TEST_F(dump, unplugged_device_leaves)
{
	struct tsr_context_entry *list;
	struct tsr_device_entry d;
	size_t count;

	ASSERT_EQ(0, event_device(self->minor, &d));
	ASSERT_EQ(0, soft_remove(NAME));
	EXPECT_EQ(-ENODEV, event_device(self->minor, &d));
	EXPECT_EQ(-ENODEV, tsr_context_list(self->minor, &list, &count));
	EXPECT_EQ(-ENODEV, tsr_minor_reset(self->minor, NULL));
}

TEST_F(dump, every_context_once_and_in_order)
{
	enum { MANY = 1500 };
	struct tsr_context_entry *list;
	uint64_t before = 0;
	size_t count;
	__u32 handle;
	__u64 id;

	for (int i = 1; i < MANY; i++)
		ASSERT_EQ(0, new_context(self->fd, DRM_TESSERA_PRIORITY_NORMAL, 0, &handle, &id));
	ASSERT_EQ(0, tsr_context_list(self->minor, &list, &count));
	EXPECT_EQ(MANY, count);
	for (size_t i = 0; i < count; i++) {
		EXPECT_LT(before, list[i].id);
		EXPECT_EQ(self->minor, list[i].minor);
		before = list[i].id;
	}
	free(list);
	/* All devices: these, and what others have. */
	ASSERT_EQ(0, tsr_context_list(TSR_ALL_DEVICES, &list, &count));
	EXPECT_LE(MANY, count);
	free(list);
}

/* As many as fill several messages: the next one begins behind the last of the one before. */
TEST_F_TIMEOUT(dump, every_device_once_and_in_order, 120)
{
	enum { MANY = 50 };
	struct tsr_device_entry *list;
	uint64_t before = 0;
	char name[16];
	size_t count;

	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		ASSERT_EQ(0, soft_create(name, "width=1 height=1"));
	}
	ASSERT_EQ(0, tsr_device_list(&list, &count));
	/* This test's and the default one are there, too. */
	EXPECT_EQ(MANY + 2, count);
	for (size_t i = 0; i < count; i++) {
		EXPECT_LT(before, list[i].instance);
		before = list[i].instance;
	}
	free(list);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		EXPECT_EQ(0, soft_remove(name));
	}
}

TEST_F(dump, unknown_device)
{
	struct tsr_context_entry *list = (void *)1;
	size_t count = 77;

	EXPECT_EQ(-ENODEV, tsr_context_list(4711, &list, &count));
	EXPECT_EQ((void *)1, list);
	EXPECT_EQ(77, count);
	EXPECT_EQ(-ENODEV, tsr_minor_reset(4711, NULL));
}

/* --- privilege ------------------------------------------------------------------------------ */

static int without_privilege(void *arg)
{
	FIXTURE_DATA(dump) *self = arg;
	struct tsr_context_entry c;
	struct tsr_device_entry d;

	/* Its user's, of another process. Those of other users: netlink_run. */
	return uapi_drop_caps() || event_context(self->minor, self->id, &c) ||
	       event_device(self->minor, &d);
}

TEST_F(dump, unprivileged_sees_its_own_contexts)
{
	EXPECT_EQ(0, uapi_in_child(without_privilege, self));
}

static int privileged(void *arg)
{
	FIXTURE_DATA(dump) *self = arg;
	struct tsr_context_entry c;

	return event_context(self->minor, self->id, &c) || c.pid != (uint32_t)getppid();
}

TEST_F(dump, privileged_sees_all_contexts)
{
	EXPECT_EQ(0, uapi_in_child(privileged, self));
}

static int reset_without_privilege(void *arg)
{
	FIXTURE_DATA(dump) *self = arg;
	uint64_t generation = 99;

	if (uapi_drop_caps())
		return 1;
	return tsr_minor_reset(self->minor, &generation) == -EPERM && generation == 99 ? 0 : 2;
}

TEST_F(dump, unprivileged_reset_is_refused)
{
	struct drm_tessera_device_info info;

	EXPECT_EQ(0, uapi_in_child(reset_without_privilege, self));
	ASSERT_EQ(0, uapi_info(self->fd, &info));
	EXPECT_EQ(0, info.reset_generation);
}

TEST_F(dump, reset_moves_the_generation)
{
	struct drm_tessera_device_info info;
	uint64_t generation = 0;

	EXPECT_EQ(0, tsr_minor_reset(self->minor, &generation));
	EXPECT_EQ(1, generation);
	EXPECT_EQ(0, tsr_minor_reset(self->minor, NULL));
	ASSERT_EQ(0, uapi_info(self->fd, &info));
	EXPECT_EQ(2, info.reset_generation);
}

TEST_HARNESS_MAIN

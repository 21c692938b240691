// SPDX-License-Identifier: MIT
/* A poisoned context (FL-1, class QUEUE), CONTEXT_RESET and DEVICE_RESET. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "common_dev.h"
#include "kselftest_harness.h"

FIXTURE(poison) {
	struct uapi_chain c;
};

FIXTURE_SETUP(poison)
{
	ASSERT_EQ(0, uapi_chain_open(&self->c));
}

FIXTURE_TEARDOWN(poison)
{
	uapi_chain_close(&self->c);
}

static int reset_context(int fd, __u32 context, __u32 pad)
{
	struct drm_tessera_context_reset args = { .handle = context, .pad = pad };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_RESET, &args);
}

/* Poisons the context: a run of it depends on one that fails, and @n more are behind it. */
static int poison(FIXTURE_DATA(poison) *self, __u32 *ret_origin, __u32 n, __u32 *ret_behind)
{
	struct drm_tessera_run run;
	int ret = uapi_submit(self->c.b.fd, self->c.other, &self->c.first);

	uapi_run_init(&run, self->c.b.program);
	run.in_syncs = UAPI_PTR(&self->c.sync);
	run.in_sync_count = 1;
	if (!ret)
		ret = uapi_submit(self->c.b.fd, self->c.b.context, &run);
	*ret_origin = run.handle;
	for (__u32 i = 0; i < n && !ret; i++)
		ret = uapi_submit_program(self->c.b.fd, self->c.b.context, self->c.b.program,
					  &ret_behind[i]);
	if (!ret)
		ret = uapi_cancel(self->c.b.fd, self->c.first.handle);
	return ret ? ret : uapi_wait(self->c.b.fd, run.handle, uapi_soon());
}

TEST_F(poison, every_pad_bit_of_reset)
{
	for (unsigned int bit = 0; bit < 32; bit++)
		EXPECT_EQ(-EINVAL, reset_context(self->c.b.fd, self->c.b.context, 1u << bit));
}

TEST_F(poison, handles_that_are_no_context)
{
	static const __u32 never[] = { 0, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	int file = uapi_open(NULL);

	ASSERT_LE(0, file);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++)
		EXPECT_EQ(-ENOENT, reset_context(self->c.b.fd, never[i], 0));
	EXPECT_EQ(-ENOENT, reset_context(file, self->c.b.context, 0));
	close(file);
}

TEST_F(poison, reset_of_a_healthy_context)
{
	EXPECT_EQ(0, reset_context(self->c.b.fd, self->c.b.context, 0));
	EXPECT_EQ(0, uapi_changes(self->c.b.fd, &self->c.before, NULL));
}

TEST_F(poison, queued_runs_name_the_origin)
{
	struct drm_tessera_status origin, status;
	struct drm_tessera_counters after;
	__u32 run, behind[3];
	int fd;

	ASSERT_EQ(0, poison(self, &run, 3, behind));
	ASSERT_EQ(0, uapi_end(self->c.b.fd, run, &origin));
	EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, origin.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_QUEUE, origin.failure_class);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, uapi_end(self->c.b.fd, behind[i], &status));
		EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, status.phase);
		/* FL-1: not a failure of its own. */
		EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
		EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, status.poison_code);
		EXPECT_EQ(origin.run_id, status.poison_run);
		EXPECT_EQ(0, status.launched_ns);
		/* 1: a fence that is made afterwards tells of success. */
		fd = uapi_run_fd(self->c.b.fd, behind[i]);
		EXPECT_EQ(-ECANCELED, dev_fd_error(fd, 1000));
		close(fd);
	}
	ASSERT_EQ(0, uapi_settle(self->c.b.fd));
	ASSERT_EQ(0, uapi_counters(self->c.b.fd, &after));
	EXPECT_EQ(1, after.poisonings - self->c.before.poisonings);
	EXPECT_EQ(4, after.runs_cancelled - self->c.before.runs_cancelled);
}

TEST_F(poison, submits_are_refused_until_reset)
{
	struct drm_tessera_counters delta = { .runs_refused = 3 };
	struct drm_tessera_status status;
	__u32 run;

	ASSERT_EQ(0, poison(self, &run, 0, NULL));
	ASSERT_EQ(0, uapi_settle(self->c.b.fd));
	ASSERT_EQ(0, uapi_counters(self->c.b.fd, &self->c.before));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(-ECANCELED, uapi_submit_program(self->c.b.fd, self->c.b.context,
							  self->c.b.program, &run));
	EXPECT_EQ(0, uapi_changes(self->c.b.fd, &self->c.before, &delta));
	/* Other contexts of the same file are none the worse. */
	ASSERT_EQ(0, uapi_submit_program(self->c.b.fd, self->c.other, self->c.b.program, &run));
	ASSERT_EQ(0, uapi_end(self->c.b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);

	EXPECT_EQ(0, reset_context(self->c.b.fd, self->c.b.context, 0));
	ASSERT_EQ(0, uapi_submit_program(self->c.b.fd, self->c.b.context, self->c.b.program, &run));
	ASSERT_EQ(0, uapi_end(self->c.b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_EQ(0, status.poison_code);
	EXPECT_EQ(0, status.poison_run);
}

TEST_F(poison, poisoned_context_is_destroyed)
{
	__u32 run, behind[2];

	ASSERT_EQ(0, poison(self, &run, 2, behind));
	EXPECT_EQ(0, uapi_context_destroy(self->c.b.fd, self->c.b.context));
	EXPECT_EQ(0, uapi_wait(self->c.b.fd, behind[1], uapi_soon()));
}

/* --- reset of the device ------------------------------------------------------------ */

TEST_F(poison, every_flag_and_pad_bit_of_device_reset)
{
	struct drm_tessera_device_reset args = { .generation = 77 };

	for (unsigned int bit = 0; bit < 32; bit++) {
		args.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->c.b.fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
		args.flags = 0;
		args.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->c.b.fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
		args.pad = 0;
	}
	EXPECT_EQ(77, args.generation);
	EXPECT_EQ(0, uapi_changes(self->c.b.fd, &self->c.before, NULL));
}

static int reset_of_a_plain_user(void *arg)
{
	struct drm_tessera_device_reset args = { 0 };

	if (uapi_drop_caps())
		return 1;
	return uapi_ioctl(*(int *)arg, DRM_IOCTL_TESSERA_DEVICE_RESET, &args) == -EACCES ? 0 : 2;
}

TEST_F(poison, device_reset_without_cap_sys_admin)
{
	EXPECT_EQ(0, uapi_in_child(reset_of_a_plain_user, &self->c.b.fd));
	EXPECT_EQ(0, uapi_changes(self->c.b.fd, &self->c.before, NULL));
}

/* F107, FL-8: the run that executes ends, those behind it go on. */
TEST_F(poison, device_reset_under_load)
{
	struct drm_tessera_device_reset args = { 0 };
	struct drm_tessera_device_info info;
	struct drm_tessera_status status;
	__u32 runs[4];

	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.other, &self->c.first));
	ASSERT_EQ(0, uapi_wait_phase(self->c.b.fd, self->c.first.handle,
				     DRM_TESSERA_PHASE_LAUNCHED));
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, uapi_submit_program(self->c.b.fd, self->c.b.context, self->c.b.program,
						 &runs[i]));
	ASSERT_EQ(0, uapi_ioctl(self->c.b.fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	EXPECT_EQ(self->c.b.info.reset_generation + 1, args.generation);
	ASSERT_EQ(0, uapi_info(self->c.b.fd, &info));
	EXPECT_EQ(args.generation, info.reset_generation);
	EXPECT_EQ(DRM_TESSERA_HEALTH_GOOD, info.health);
	ASSERT_EQ(0, uapi_end(self->c.b.fd, self->c.first.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_RESET, status.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_DEVICE, status.failure_class);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, uapi_end(self->c.b.fd, runs[i], &status));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
		EXPECT_EQ(args.generation, status.reset_generation);
	}
}

/* F37: nothing to kill. */
TEST_F(poison, device_reset_when_everything_has_ended)
{
	struct drm_tessera_device_reset args = { 0 };
	struct drm_tessera_status before, after;
	__u32 run;

	ASSERT_EQ(0, uapi_submit_program(self->c.b.fd, self->c.b.context, self->c.b.program, &run));
	ASSERT_EQ(0, uapi_end(self->c.b.fd, run, &before));
	for (__u64 i = 1; i <= 3; i++) {
		ASSERT_EQ(0, uapi_ioctl(self->c.b.fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
		EXPECT_EQ(self->c.b.info.reset_generation + i, args.generation);
	}
	ASSERT_EQ(0, uapi_status(self->c.b.fd, run, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
	ASSERT_EQ(0, uapi_submit_program(self->c.b.fd, self->c.b.context, self->c.b.program, &run));
	ASSERT_EQ(0, uapi_end(self->c.b.fd, run, &after));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, after.code);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * The module goes and comes back. It cannot go while a run's fence is held by anybody (F19): that
 * is EBUSY, and possible once the fence is closed. Each test leaves the module loaded with the
 * default device, as it found it.
 */
#include "common_harness.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOOPS	20

FIXTURE(rmmod)
{
	struct dev d;
	struct stat node;
};

FIXTURE_SETUP(rmmod)
{
	soft_remove_all();
	ASSERT_EQ(0, dev_open(&self->d, NULL));
	ASSERT_EQ(0, fstat(self->d.fd, &self->node));
	ASSERT_NE(NULL, dev_script(&self->d, TSR_PROC_DM0));
}

FIXTURE_TEARDOWN(rmmod)
{
	dev_close(&self->d);
	/* Whatever went wrong, the tests after this one get their device. */
	EXPECT_EQ(0, soft_load_back(&self->node));
	EXPECT_EQ(0, dev_open(&self->d, NULL));
	EXPECT_EQ(0, dev_good_run(&self->d));
	dev_close(&self->d);
}

static int submit_loop(struct dev *d, uint32_t *ret_run)
{
	struct dev_job *job = dev_job(d);
	int err;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_SPIN));
	err = dev_submit(job, NULL, ret_run);
	free(job);
	return err;
}

static int finished_fence(struct dev *d)
{
	struct dev_job *job = dev_job(d);
	struct drm_tessera_status s;
	uint32_t run;
	int fd;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_WORK, 10));
	if (dev_submit(job, NULL, &run))
		return -EIO;
	fd = uapi_run_fd(d->fd, run);
	dev_finish(d, run, &s);
	dev_job_free(job);
	return fd;
}

TEST_F(rmmod, open_file_keeps_the_module)
{
	EXPECT_EQ(-EBUSY, soft_unload());
	dev_close(&self->d);
	EXPECT_EQ(0, soft_unload_soon());
	EXPECT_EQ(-ENOENT, soft_unload());
}

TEST_F(rmmod, exported_fence_keeps_the_module)
{
	int fd = finished_fence(&self->d);

	ASSERT_LE(0, fd);
	dev_close(&self->d);
	uapi_sleep_ms(100);
	/* 0: the fence's operations are gone, and its close jumps into nowhere. */
	for (int i = 0; i < 10; i++) {
		EXPECT_EQ(-EBUSY, soft_unload());
	}
	EXPECT_EQ(1, dev_fd_error(fd, 1000));
	close(fd);
	EXPECT_EQ(0, soft_unload_soon());
}

TEST_F(rmmod, fence_of_a_stopped_run_keeps_the_module)
{
	uint32_t run;
	int fd;

	ASSERT_EQ(0, submit_loop(&self->d, &run));
	fd = uapi_run_fd(self->d.fd, run);
	ASSERT_LE(0, fd);
	dev_close(&self->d);
	EXPECT_EQ(-ECANCELED, dev_fd_error(fd, 5000));
	EXPECT_EQ(-EBUSY, soft_unload());
	close(fd);
	EXPECT_EQ(0, soft_unload_soon());
}

TEST_F(rmmod, mapped_buffer_keeps_the_module)
{
	struct dev_buf buf;

	ASSERT_EQ(0, dev_buf(&self->d, 65536, &buf));
	dev_close(&self->d);
	EXPECT_EQ(-EBUSY, soft_unload());
	memset(buf.mem, 1, 65536);
	munmap(buf.mem, 65536);
	EXPECT_EQ(0, soft_unload_soon());
}

TEST_F(rmmod, exported_buffer_keeps_the_module)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	struct dev_buf buf;

	ASSERT_EQ(0, dev_buf(&self->d, 4096, &buf));
	prime.handle = buf.handle;
	ASSERT_EQ(0, uapi_ioctl(self->d.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	dev_buf_free(&self->d, &buf);
	dev_close(&self->d);
	EXPECT_EQ(-EBUSY, soft_unload());
	close(prime.fd);
	EXPECT_EQ(0, soft_unload_soon());
}

TEST_F(rmmod, enabled_device_directory_keeps_the_module)
{
	struct dev d;

	ASSERT_EQ(0, soft_open(&d, "rmmod", "width=2 height=1"));
	EXPECT_EQ(0, dev_good_run(&d));
	dev_close(&d);
	dev_close(&self->d);
	EXPECT_EQ(-EBUSY, soft_unload());
	EXPECT_EQ(0, soft_write("rmmod", "enable", "0"));
	EXPECT_EQ(-EBUSY, soft_unload());
	EXPECT_EQ(0, soft_remove("rmmod"));
	EXPECT_EQ(0, soft_unload_soon());
}

/* rmdir of a directory whose device executes: the run ends, the file stays, and is of no use. */
TEST_F(rmmod, device_removed_under_a_launched_run)
{
	struct drm_tessera_counters c;
	struct dev_buf buf;
	uint32_t run;
	struct dev d;
	int fd;

	ASSERT_EQ(0, soft_open(&d, "rmmod", "no_progress_ms=60000"));
	ASSERT_EQ(0, dev_buf(&d, 8192, &buf));
	ASSERT_EQ(0, submit_loop(&d, &run));
	ASSERT_EQ(0, uapi_wait_phase(d.fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	fd = uapi_run_fd(d.fd, run);
	EXPECT_EQ(0, soft_remove("rmmod"));
	EXPECT_EQ(-ENODEV, dev_fd_error(fd, 5000));
	EXPECT_EQ(-ENODEV, uapi_counters(d.fd, &c));
	/* F121: the mapping outlives the device and can be touched. */
	memset(buf.mem, 1, 8192);
	munmap(buf.mem, 8192);
	close(fd);
	dev_close(&d);
	dev_close(&self->d);
	EXPECT_EQ(0, soft_unload_soon());
}

TEST_F_TIMEOUT(rmmod, loads_and_unloads_again_and_again, 120)
{
	dev_close(&self->d);
	for (int i = 0; i < LOOPS; i++) {
		uint32_t run;

		ASSERT_EQ(0, soft_unload_soon());
		ASSERT_EQ(0, soft_load(i % 2 ? "default_config=width=2,height=3,seed=9" : ""));
		ASSERT_EQ(0, dev_open(&self->d, NULL));
		ASSERT_EQ(i % 2 ? 2 : 4, self->d.info.limits.grid_width);
		ASSERT_EQ(i % 2 ? 9 : 1, self->d.info.seed);
		ASSERT_EQ(0, dev_good_run(&self->d));
		/* Every other time with a run that is launched, and stopped by the close. */
		if (i % 4 < 2) {
			ASSERT_EQ(0, submit_loop(&self->d, &run));
		}
		dev_close(&self->d);
	}
	ASSERT_EQ(0, soft_unload_soon());
	ASSERT_EQ(0, soft_load(""));
}

TEST_F(rmmod, bad_parameters_are_refused)
{
	static const char *const bad[] = {
		"default_config=width=0", "default_config=width=65", "default_config=nonsense=1",
		"default_config=width", "default_config=l1_size=1",
		"default_config=width=64,height=64",
	};

	dev_close(&self->d);
	ASSERT_EQ(0, soft_unload_soon());
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, soft_load(bad[i]))
			TH_LOG("%s", bad[i]);
	}
	EXPECT_EQ(0, soft_load("default_device=n"));
	EXPECT_EQ(-ENODEV, dev_open(&self->d, NULL));
	EXPECT_EQ(0, soft_unload_soon());
}

DEV_HARNESS_MAIN

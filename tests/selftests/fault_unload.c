// SPDX-License-Identifier: MIT
/* Images that the device does not let go of (FL-7): kept until a reset, never tried again. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_fault.h"
#include "common_harness.h"

FIXTURE(unload) {
	struct fault f;
};

FIXTURE_SETUP(unload)
{
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=20000"));
}

FIXTURE_TEARDOWN(unload)
{
	fault_close(&self->f);
}

/* A program of its own image, made, executed and given up. 0, or what went wrong. */
static int life(const struct fault *f, bool execute)
{
	struct drm_tessera_status s;
	__u32 program, run;
	int err = uapi_exit_program(f->fd, 7, &program);

	if (err)
		return err;
	if (execute) {
		err = uapi_submit_program(f->fd, f->ctx, program, &run);
		if (!err)
			err = uapi_end(f->fd, run, &s);
		if (!err)
			err = uapi_close_run(f->fd, run);
		if (!err)
			err = uapi_settle(f->fd);
	}
	return uapi_program_destroy(f->fd, program) ?: err;
}

/* Until the resets that were wanted are over: health does not say that one is still to begin. */
static void reset_soon(struct __test_metadata *_metadata, const struct fault *f,
		       __u64 generation)
{
	for (int i = 0; i < 500 && fault_info(f).reset_generation < generation; i++)
		uapi_sleep_ms(10);
	EXPECT_EQ(generation, fault_info(f).reset_generation);
	EXPECT_EQ(DRM_TESSERA_HEALTH_GOOD, fault_info(f).health);
}

/* Fails, and the reset works: that is the proof, and nobody is the worse for it. */
TEST_F(unload, fails_and_a_reset_proves_it)
{
	struct fault *f = &self->f;
	struct drm_tessera_counters c;

	ASSERT_EQ(0, fault_plan(f, "unload fail count=0; reset fail"));
	ASSERT_EQ(0, life(f, true));
	reset_soon(_metadata, f, 1);
	c = fault_counters(f);
	EXPECT_EQ(0, c.images);
	/* 2: tried again after the reset. */
	EXPECT_EQ(1, c.image_unloads);
	EXPECT_EQ(1, fault_hits(f, 0));
	EXPECT_EQ(0, c.images_abandoned);
	EXPECT_EQ(1, c.resets);
	EXPECT_EQ(1, c.resets_failed);
	EXPECT_TRUE(fault_good(f));
	/* The same image again is another one. */
	ASSERT_EQ(0, life(f, true));
	reset_soon(_metadata, f, 2);
	EXPECT_EQ(2, fault_hits(f, 0));
	EXPECT_EQ(2, fault_counters(f).image_loads);
}

/* Double failure: abandoned. Two lives, two calls; three: a handle was resurrected. */
TEST_F(unload, fails_and_so_does_the_reset)
{
	struct drm_tessera_device_reset args = { 0 };
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	__u32 run;

	ASSERT_EQ(0, fault_plan(f, "unload fail count=0; reset fail count=0"));
	ASSERT_EQ(0, life(f, true));
	for (int i = 0; i < 500 && fault_info(f).health != DRM_TESSERA_HEALTH_WEDGED; i++)
		uapi_sleep_ms(10);
	EXPECT_EQ(DRM_TESSERA_HEALTH_WEDGED, fault_info(f).health);
	EXPECT_EQ(-EIO, uapi_submit_program(f->fd, f->ctx, f->program, &run));
	EXPECT_EQ(1, fault_hits(f, 0));
	c = fault_counters(f);
	EXPECT_EQ(1, c.image_unloads);
	EXPECT_EQ(1, c.images_abandoned);
	/* The second life, on the wedged device. */
	ASSERT_EQ(0, life(f, false));
	uapi_sleep_ms(200);
	EXPECT_EQ(2, fault_hits(f, 0));
	c = fault_counters(f);
	EXPECT_EQ(2, c.image_unloads);
	EXPECT_EQ(2, c.images_abandoned);
	EXPECT_EQ(0, fault_info(f).reset_generation);
	/* A reset that works brings the device back; the images are nobody's any more. */
	ASSERT_EQ(0, fault_plan(f, "unload fail count=0"));
	EXPECT_EQ(0, uapi_ioctl(f->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	EXPECT_TRUE(fault_good(f));
	EXPECT_EQ(0, fault_hits(f, 0));
	EXPECT_EQ(2, fault_counters(f).image_unloads);
	EXPECT_EQ(2, fault_counters(f).images_abandoned);
}

/* Abandoned for ever: neither unplug nor the last close tries again. */
TEST_F(unload, abandoned_images_go_with_the_device)
{
	struct fault *f = &self->f;

	ASSERT_EQ(0, fault_plan(f, "unload fail count=0; reset fail count=0"));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, life(f, false));
	}
	EXPECT_EQ(3, fault_hits(f, 0));
	ASSERT_EQ(0, soft_write(f->name, "enable", "0"));
	munmap((void *)f->gate.word, 4096);
	f->gate.dispatch = NULL;
	close(f->fd);
	f->fd = -1;
	uapi_sleep_ms(100);
	/* More: tried by a destructor, or for the programs that the file still had. */
	EXPECT_EQ(3, fault_hits(f, 0));
}

/* Nobody's run is stopped for it (SEC-1): the reset waits for the next run boundary. */
TEST_F(unload, reset_waits_for_the_run_that_executes)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	__u32 run[2];

	ASSERT_EQ(0, fault_plan(f, "unload fail"));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[0]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->other, f->program, &run[1]));
	ASSERT_EQ(0, life(f, false));
	EXPECT_EQ(-ETIME, uapi_wait(f->fd, run[0], uapi_in_ms(100)));
	EXPECT_EQ(0, fault_counters(f).resets);
	*f->gate.word = 1;
	ASSERT_EQ(0, uapi_end(f->fd, run[0], &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
	ASSERT_EQ(0, uapi_end(f->fd, run[1], &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_EQ(1, s.reset_generation);
	EXPECT_EQ(1, fault_counters(f).resets);
}

TEST_HARNESS_MAIN

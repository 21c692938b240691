// SPDX-License-Identifier: MIT
/* Resetting the device on demand, its progress page, and time limits of single runs. */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(reset) {
	struct uapi_bench b;
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(reset)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(reset)
{
	uapi_bench_close(&self->b);
}

static int device_reset(int fd, __u64 *ret_generation)
{
	struct drm_tessera_device_reset args = { 0 };
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args);

	*ret_generation = args.generation;
	return ret;
}

static void on_alarm(int number)
{
}

/* Restarted by signals again and again: each call resets once. */
TEST_F(reset, a_signal_makes_no_second_reset)
{
	const struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct drm_tessera_counters after;
	__u64 generation;
	int ret = 0;

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &every, NULL));
	for (int i = 0; i < 30 && !ret; i++)
		ret = device_reset(self->b.fd, &generation);
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_EQ(0, ret);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(30, after.resets - self->before.resets);
}

TEST_F(reset, every_wrong_field)
{
	struct drm_tessera_device_reset args = { .flags = 1 };

	EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	args = (struct drm_tessera_device_reset){ .pad = 1 };
	EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

static int reset_without_privilege(void *arg)
{
	int *fd = arg;
	__u64 generation;

	return uapi_drop_caps() || device_reset(*fd, &generation) != -EACCES;
}

TEST_F(reset, needs_privilege)
{
	EXPECT_EQ(0, uapi_in_child(reset_without_privilege, &self->b.fd));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(reset, idle_device_moves_its_generation)
{
	struct drm_tessera_device_info info;
	__u64 generation;

	ASSERT_EQ(0, device_reset(self->b.fd, &generation));
	EXPECT_EQ(self->b.info.reset_generation + 1, generation);
	ASSERT_EQ(0, uapi_info(self->b.fd, &info));
	EXPECT_EQ(generation, info.reset_generation);
	EXPECT_EQ(DRM_TESSERA_HEALTH_GOOD, info.health);
}

TEST_F(reset, ends_what_executes_and_keeps_what_is_queued)
{
	struct drm_tessera_counters after;
	struct drm_tessera_status s;
	struct uapi_gate gate;
	__u32 executing, queued[4];
	__u64 generation;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &gate, &executing));
	ASSERT_EQ(0, uapi_wait_phase(self->b.fd, executing, DRM_TESSERA_PHASE_LAUNCHED));
	for (unsigned int i = 0; i < 4; i++)
		ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program,
						 &queued[i]));
	ASSERT_EQ(0, device_reset(self->b.fd, &generation));
	ASSERT_EQ(0, uapi_end(self->b.fd, executing, &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_RESET, s.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_DEVICE, s.failure_class);
	for (unsigned int i = 0; i < 4; i++) {
		ASSERT_EQ(0, uapi_end(self->b.fd, queued[i], &s));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
		/* Innocent, and executed after it (FL-8). */
		EXPECT_EQ(generation, s.reset_generation);
	}
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	/* Two: stopping the run reset the device, and then the request did again. */
	EXPECT_EQ(1, after.resets - self->before.resets);
	uapi_gate_free(self->b.fd, &gate);
}

TEST_F(reset, hundred_under_load)
{
	__u64 generation, last = self->b.info.reset_generation;
	struct drm_tessera_status s;
	__u32 runs[100];

	for (unsigned int i = 0; i < 100; i++) {
		ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program,
						 &runs[i]));
		ASSERT_EQ(0, device_reset(self->b.fd, &generation));
		EXPECT_EQ(last + 1, generation);
		last = generation;
	}
	for (unsigned int i = 0; i < 100; i++) {
		ASSERT_EQ(0, uapi_end(self->b.fd, runs[i], &s));
		if (s.code != DRM_TESSERA_CODE_RESET)
			EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	}
}

TEST_F(reset, run_that_moves_on_is_ended_by_its_own_limit)
{
	struct drm_tessera_counters after;
	struct drm_tessera_run run;
	struct drm_tessera_status s;
	struct uapi_gate gate;

	/* It reads a buffer all the time, which is progress. */
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	uapi_run_init(&run, gate.program);
	uapi_run_set_dispatch(&run, gate.dispatch, gate.dispatch_size);
	run.time_limit_ms = 400;
	ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_TIME_LIMIT, s.code);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, s.failure_class);
	EXPECT_LE(400 * 1000000ull, s.retired_ns - s.launched_ns);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(1, after.timeouts - self->before.timeouts);
	uapi_gate_free(self->b.fd, &gate);
}

TEST_HARNESS_MAIN

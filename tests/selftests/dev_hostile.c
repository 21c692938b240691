// SPDX-License-Identifier: MIT
/*
 * Kernels that move as much as they can for each instruction: their run ends by its limit, and
 * neither it nor its device keeps anybody (SEC-1, SEC-5).
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common_count.h"
#include "common_rv32.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME	"hostile"
#define SLOW	slow_times(1)

FIXTURE(hostile) {
	int fd;
	__u32 context, other, program, exits;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* All but 64 KiB of L1 to all cores, again and again: 200 transfers between two jumps. */
static int multicast_program(int fd, __u32 *ret)
{
	struct uapi_prog *p = calloc(1, sizeof(*p));
	struct drm_tessera_device_info info;
	struct tessera_limits l;
	__u32 code[300], n;
	int err = uapi_info(fd, &info);

	l = info.limits;
	if (!err) {
		const __u32 at = TSR_L1_BASE + 65536;
		const __u32 begin[] = {
			RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_LO, at),
			RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_HI, TSR_NOC_TARGET_MULTICAST |
				(l.grid_height - 1) << 21 | (l.grid_width - 1) << 14),
			RV_POKE(TSR_REG_NOC + TSR_NOC_LOCAL, at),
			RV_POKE(TSR_REG_NOC + TSR_NOC_SIZE, l.l1_size - 65536),
			RV_LI(RV_A5, TSR_REG_NOC + TSR_NOC_COMMAND),
			RV_LI(RV_A4, TSR_NOC_CMD_WRITE),
		};

		memcpy(code, begin, sizeof(begin));
		n = sizeof(begin) / 4;
		for (int i = 0; i < 200; i++)
			code[n++] = RV_SW(RV_A4, 0, RV_A5);
		code[n++] = RV_J(-200 * 4);
		uapi_prog_init(p, &l, 0, 0, l.grid_width - 1, l.grid_height - 1);
		uapi_add_kernel(p, TSR_PROC_DM0, code, n);
		err = uapi_prog_create(fd, p, ret);
	}
	free(p);
	return err;
}

FIXTURE_SETUP(hostile)
{
	ASSERT_EQ(0, soft_create(NAME, "run_limit_ms=0"));
	self->fd = uapi_open(NAME);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, uapi_context(self->fd, 0, &self->context));
	ASSERT_EQ(0, uapi_context(self->fd, 0, &self->other));
	ASSERT_EQ(0, uapi_exit_program(self->fd, 0, &self->exits));
	ASSERT_EQ(0, multicast_program(self->fd, &self->program));
}

FIXTURE_TEARDOWN(hostile)
{
	close(self->fd);
	soft_remove(NAME);
}

static int submit(FIXTURE_DATA(hostile) *self, __u32 limit_ms, __u32 *ret)
{
	struct drm_tessera_run run;
	int err;

	uapi_run_init(&run, self->program);
	run.time_limit_ms = limit_ms;
	err = uapi_submit(self->fd, self->context, &run);
	*ret = run.handle;
	return err;
}

TEST_F(hostile, ends_by_its_limit)
{
	struct drm_tessera_status s;
	__u32 run, innocent;
	double start = now_s();

	ASSERT_EQ(0, submit(self, 3000, &run));
	/* The submitter did not execute it. */
	EXPECT_GT(0.5 * SLOW, now_s() - start);
	ASSERT_EQ(0, uapi_submit_program(self->fd, self->other, self->exits, &innocent));
	ASSERT_EQ(0, uapi_end(self->fd, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_TIME_LIMIT, s.code);
	EXPECT_LE(3000000000ull, s.completed_ns ? s.completed_ns - s.launched_ns :
						  s.retired_ns - s.launched_ns);
	EXPECT_GT(3.0 + 0.5 * SLOW, (s.retired_ns - s.launched_ns) / 1e9);
	ASSERT_EQ(0, uapi_end(self->fd, innocent, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
}

TEST_F(hostile, is_cancelled_at_once)
{
	struct drm_tessera_status s;
	__u32 run;
	double start;

	ASSERT_EQ(0, submit(self, 0, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	start = now_s();
	ASSERT_EQ(0, uapi_cancel(self->fd, run));
	ASSERT_EQ(0, uapi_end(self->fd, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_STOPPED, s.code);
	EXPECT_GT(1.0 * SLOW, now_s() - start);
}

TEST_F(hostile, is_reset_at_once)
{
	struct drm_tessera_device_reset reset = { 0 };
	__u32 run;
	double start;

	ASSERT_EQ(0, submit(self, 0, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	start = now_s();
	ASSERT_EQ(0, uapi_ioctl(self->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &reset));
	EXPECT_GT(1.0 * SLOW, now_s() - start);
}

TEST_F(hostile, is_unplugged_at_once)
{
	__u32 run;
	double start;

	ASSERT_EQ(0, submit(self, 0, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	start = now_s();
	ASSERT_EQ(0, soft_remove(NAME));
	EXPECT_GT(1.0 * SLOW, now_s() - start);
}

TEST_HARNESS_MAIN

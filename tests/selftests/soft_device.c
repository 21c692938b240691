// SPDX-License-Identifier: MIT
/* Virtual devices at work: they come and go under load, and execute as they are configured. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_dev.h"
#include "common_node.h"
#include "kselftest_harness.h"

FIXTURE(soft) {
	struct node_pair pair;
};

FIXTURE_SETUP(soft)
{
	ASSERT_EQ(0, node_pair_make(&self->pair));
}

FIXTURE_TEARDOWN(soft)
{
	EXPECT_EQ(0, node_pair_remove(&self->pair));
}

TEST_F(soft, every_bank_and_the_smallest_device_work)
{
	static const char *const set[][2] = {
		{ "width", "1" }, { "height", "1" }, { "l1_size", "65536" },
		{ "image_slot", "8192" }, { "words", "16" }, { "queue_capacity", "1" },
		{ "inline_budget", "0" },
	};
	char depth[2] = "1";

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(set); i++)
		ASSERT_EQ(0, attr_write(self->pair.a, set[i][0], set[i][1]));
	for (; *depth <= '8'; ++*depth) {
		__u32 context, program, run;
		struct drm_tessera_status status;
		int fd;

		ASSERT_EQ(0, attr_write(self->pair.a, "staged_depth", depth));
		ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
		fd = node_open(self->pair.a);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, uapi_context(fd, 0, &context));
		ASSERT_EQ(0, uapi_exit_program(fd, 0, &program));
		for (int i = 0; i < 20; i++) {
			ASSERT_EQ(0, uapi_submit_program(fd, context, program, &run));
			ASSERT_EQ(0, uapi_end(fd, run, &status));
			EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
		}
		close(fd);
		ASSERT_EQ(0, attr_write(self->pair.a, "enable", "0"));
	}
}

/* The ways a device can go. */
static int go(const char *node, unsigned int way)
{
	switch (way) {
	case 0:
		return attr_write(node, "enable", "0");
	case 1:
		return node_remove(node);
	default: {	/* unbound, as by an administrator */
		char name[32], link[256], path[512];
		ssize_t n;
		int fd, ret = attr_read(node, "node", name, sizeof(name));

		if (ret)
			return ret;
		snprintf(path, sizeof(path), "/sys/class/accel/%s/device", name);
		n = readlink(path, link, sizeof(link) - 1);
		if (n < 0)
			return -errno;
		link[n] = '\0';
		fd = open("/sys/bus/platform/drivers/tessera-soft/unbind", O_WRONLY);
		if (fd < 0)
			return -errno;
		ret = write(fd, strrchr(link, '/') + 1, strlen(strrchr(link, '/') + 1));
		ret = ret < 0 ? -errno : 0;
		close(fd);
		return ret;
	}
	}
}

TEST_F(soft, device_goes_under_open_files_and_a_live_run)
{
	for (unsigned int way = 0; way < 3; way++) {
		struct drm_tessera_device_info info;
		struct drm_tessera_status status;
		struct uapi_gate gate;
		__u32 context, run;
		int fd, idle;
		char value[32];

		ASSERT_EQ(0, node_make(self->pair.b));
		ASSERT_EQ(0, attr_write(self->pair.b, "enable", "1"));
		fd = node_open(self->pair.b);
		idle = node_open(self->pair.b);
		ASSERT_LE(0, fd);
		ASSERT_LE(0, idle);
		ASSERT_EQ(0, uapi_context(fd, 0, &context));
		ASSERT_EQ(0, uapi_gate_new(fd, &gate));
		ASSERT_EQ(0, uapi_gate_submit(fd, context, &gate, &run));
		ASSERT_EQ(0, uapi_wait_phase(fd, run, DRM_TESSERA_PHASE_LAUNCHED));
		int sync = uapi_run_fd(fd, run);

		ASSERT_LE(0, sync);
		ASSERT_EQ(0, go(self->pair.b, way));
		EXPECT_EQ(self->pair.nodes, count_nodes());
		EXPECT_EQ(-ENODEV, dev_fd_error(sync, 5000));
		EXPECT_EQ(-ENODEV, uapi_info(fd, &info));
		EXPECT_EQ(-ENODEV, uapi_info(idle, &info));
		EXPECT_EQ(-ENODEV, uapi_status(fd, run, &status));
		/* The mapping outlives the device. */
		*gate.word = 5;
		EXPECT_EQ(5, *gate.word);
		if (way == 2) {
			EXPECT_EQ(-ENODEV, attr_read(self->pair.b, "node", value, sizeof(value)));
			EXPECT_TRUE(attr_is(self->pair.b, "enable", "1"));
			EXPECT_EQ(-ENODEV, attr_write(self->pair.b, "suspend", "1"));
		}
		close(sync);
		uapi_gate_free(fd, &gate);
		close(fd);
		close(idle);
		if (way == 0)
			EXPECT_EQ(0, attr_write(self->pair.b, "enable", "1"));
		if (way != 1)
			ASSERT_EQ(0, node_remove(self->pair.b));
	}
}

TEST_F_TIMEOUT(soft, bigger_device_works_beside_the_default_one, 120)
{
	struct dev d, e;

	ASSERT_EQ(0, dev_open(&d, NULL));
	ASSERT_EQ(0, attr_write(self->pair.a, "width", "8"));
	ASSERT_EQ(0, attr_write(self->pair.a, "height", "8"));
	ASSERT_EQ(0, attr_write(self->pair.a, "harvested", "0,0 3,1-4,2 7,7"));
	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	ASSERT_EQ(0, dev_open(&e, self->pair.a));
	EXPECT_EQ(16, d.info.limits.cores);
	EXPECT_EQ(58, e.info.limits.cores);
	/* Both layouts are the same, so the same compiled kernels run on both. */
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(0, dev_good_run(&d));
		EXPECT_EQ(0, dev_good_run(&e));
	}
	dev_close(&d);
	EXPECT_EQ(0, dev_good_run(&e));
	dev_close(&e);
}

/* A loop of @rounds on every core, then semaphore and NoC traffic to the first core. */
static int busy_program(int fd, unsigned int rounds, __u32 *ret)
{
	const __u32 code[] = {
		RV_LI(RV_T0, rounds),
		RV_ADDI(RV_T0, RV_T0, -1),
		RV_BNE(RV_T0, RV_ZERO, -4),
		RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_LO, RV_SEM(0, TSR_SEM_VALUE)),
		RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_HI, TSR_NOC_TARGET_CORE),
		RV_POKE(TSR_REG_NOC + TSR_NOC_LOCAL, 1),
		RV_POKE(TSR_REG_NOC + TSR_NOC_COMMAND, TSR_NOC_CMD_SEM_INC),
		RV_EXIT(0),
	};
	struct drm_tessera_device_info info;
	struct uapi_prog p;
	int err = uapi_info(fd, &info);

	if (err)
		return err;
	uapi_prog_init(&p, &info.limits, 0, 0, info.limits.grid_width - 1,
		       info.limits.grid_height - 1);
	for (__u32 proc = 0; proc < TSR_PROCS_PER_CORE; proc++)
		uapi_add_kernel(&p, proc, code, UAPI_ARRAY_SIZE(code));
	uapi_add_semaphore(&p, 0, 0, 0);
	return uapi_prog_create(fd, &p, ret);
}

struct figures {
	struct drm_tessera_status status;
	struct drm_tessera_proc_stats *stats;
	size_t n;
};

static int busy_run(const char *node, unsigned int rounds, struct figures *ret)
{
	struct drm_tessera_run run;
	struct dev d;
	__u32 program;
	int err = dev_open(&d, node);

	memset(ret, 0, sizeof(*ret));
	if (err)
		return err;
	err = busy_program(d.fd, rounds, &program);
	if (!err) {
		uapi_run_init(&run, program);
		run.flags = DRM_TESSERA_RUN_PROFILE;
		err = uapi_submit(d.fd, d.ctx, &run);
	}
	if (!err)
		err = uapi_end(d.fd, run.handle, &ret->status);
	if (!err)
		err = dev_run_stats(&d, run.handle, &ret->stats, &ret->n);
	dev_close(&d);
	return err;
}

TEST_F(soft, deterministic_cycles_do_not_depend_on_who_executes)
{
	static const char *const budgets[] = { "20000", "20000", "0", "1", "5000", "1000000000" };
	struct figures first = { 0 }, now;

	ASSERT_EQ(0, attr_write(self->pair.a, "deterministic", "1"));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(budgets); i++) {
		ASSERT_EQ(0, attr_write(self->pair.a, "inline_budget", budgets[i]));
		ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
		for (int k = 0; k < 2; k++) {
			ASSERT_EQ(0, busy_run(self->pair.a, 3000, &now));
			ASSERT_EQ(DRM_TESSERA_CODE_OK, now.status.code);
			ASSERT_EQ(48, now.n);
			if (!first.stats) {
				first = now;
				continue;
			}
			EXPECT_EQ(0, memcmp(first.stats, now.stats, 48 * sizeof(*now.stats)));
			free(now.stats);
		}
		ASSERT_EQ(0, attr_write(self->pair.a, "enable", "0"));
	}
	EXPECT_LT(6000, first.stats[0].instructions);
	free(first.stats);
}

TEST_F(soft, short_runs_are_executed_inline_long_ones_are_not)
{
	struct figures now;

	ASSERT_EQ(0, attr_write(self->pair.a, "inline_budget", "1000000"));
	/* On slow kernels the long one computes for seconds, which is no progress. */
	ASSERT_EQ(0, attr_write(self->pair.a, "no_progress_ms", "60000"));
	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	ASSERT_EQ(0, busy_run(self->pair.a, 1, &now));
	EXPECT_TRUE(now.status.flags & DRM_TESSERA_STATUS_INLINE);
	free(now.stats);
	ASSERT_EQ(0, busy_run(self->pair.a, 200000, &now));
	EXPECT_FALSE(now.status.flags & DRM_TESSERA_STATUS_INLINE);
	EXPECT_EQ(DRM_TESSERA_CODE_OK, now.status.code);
	free(now.stats);
}

TEST_F(soft, timing_changes_cycles_and_nothing_else)
{
	struct figures slow, fast;

	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	ASSERT_EQ(0, busy_run(self->pair.a, 1000, &fast));
	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "0"));
	ASSERT_EQ(0, attr_write(self->pair.a, "timing/alu", "10"));
	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	ASSERT_EQ(0, busy_run(self->pair.a, 1000, &slow));
	ASSERT_EQ(fast.n, slow.n);
	EXPECT_EQ(fast.stats[0].instructions, slow.stats[0].instructions);
	EXPECT_LT(fast.stats[0].cycles + 9000, slow.stats[0].cycles);
	free(slow.stats);
	free(fast.stats);
}

TEST_F(soft, any_number_of_workers)
{
	static const char *const workers[] = { "1", "2", "1024" };
	struct figures now;

	ASSERT_EQ(0, attr_write(self->pair.a, "inline_budget", "0"));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(workers); i++) {
		ASSERT_EQ(0, attr_write(self->pair.a, "workers", workers[i]));
		ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
		for (int k = 0; k < 50; k++) {
			ASSERT_EQ(0, busy_run(self->pair.a, 50, &now));
			ASSERT_EQ(DRM_TESSERA_CODE_OK, now.status.code);
			free(now.stats);
		}
		ASSERT_EQ(0, attr_write(self->pair.a, "enable", "0"));
	}
}

TEST_F(soft, limit_without_progress_is_the_devices)
{
	struct drm_tessera_status status;
	__u32 program, run;
	struct dev d;

	ASSERT_EQ(0, attr_write(self->pair.a, "no_progress_ms", "200"));
	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	ASSERT_EQ(0, dev_open(&d, self->pair.a));
	ASSERT_EQ(0, uapi_loop_program(d.fd, &program));
	ASSERT_EQ(0, uapi_submit_program(d.fd, d.ctx, program, &run));
	ASSERT_EQ(0, uapi_end(d.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, status.code);
	EXPECT_EQ(TSR_STALL_RUNNING, status.stall.stall_class);
	EXPECT_LE(200000000ull, status.retired_ns - status.launched_ns);
	EXPECT_GE(600000000ull, status.retired_ns - status.launched_ns);
	/* The next one works. */
	ASSERT_EQ(0, uapi_exit_program(d.fd, 0, &program));
	ASSERT_EQ(0, uapi_submit_program(d.fd, d.ctx, program, &run));
	ASSERT_EQ(0, uapi_end(d.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	dev_close(&d);
}

/*
 * A ring: each core waits for the one before it, then raises the semaphore of the next. Nearly
 * all processors sleep all the time, and each wakes one other: a lost wake-up ends the run.
 */
#define RING_LOOP	(1 + 1 + 3 + 5 + 1)

static int ring_program(const struct dev *d, unsigned int rounds, __u32 *ret)
{
	const __u32 code[] = {
		RV_LI(RV_T0, TSR_REG_CORE + TSR_CORE_ARG_BASE),
		RV_LW(RV_T0, 0, RV_T0),
		RV_LW(RV_T1, 0, RV_T0),			/* the next core, as a NoC target */
		RV_LW(RV_T2, 4, RV_T0),			/* 1 for who begins */
		RV_LI(RV_S0, rounds),
		RV_LI(RV_S1, 0),
		RV_POKE(TSR_REG_NOC + TSR_NOC_TARGET_LO, RV_SEM(0, TSR_SEM_VALUE)),
		RV_POKE_REG(TSR_REG_NOC + TSR_NOC_TARGET_HI, RV_T1),
		RV_POKE(TSR_REG_NOC + TSR_NOC_LOCAL, 1),

		RV_ADDI(RV_S1, RV_S1, 1),
		RV_R(0x20, 0, RV_A0, RV_S1, RV_T2),	/* round less 1 for who begins */
		RV_POKE_REG(RV_SEM(0, TSR_SEM_WAIT_MIN), RV_A0),
		RV_POKE(TSR_REG_NOC + TSR_NOC_COMMAND, TSR_NOC_CMD_SEM_INC),
		RV_ADDI(RV_S0, RV_S0, -1),
		RV_BNE(RV_S0, RV_ZERO, -RING_LOOP * 4),
		RV_EXIT(0),
	};
	const struct tessera_limits *limits = &d->info.limits;
	struct uapi_prog p;

	uapi_prog_init(&p, limits, 0, 0, limits->grid_width - 1, limits->grid_height - 1);
	uapi_add_kernel(&p, TSR_PROC_DM1, code, UAPI_ARRAY_SIZE(code));
	for (__u32 i = 0; i < limits->cores; i++)
		uapi_add_args(&p, i % limits->grid_width, i / limits->grid_width, 2);
	uapi_add_semaphore(&p, 0, 0, 0);
	return uapi_prog_create(d->fd, &p, ret);
}

static void *ring_dispatch(const struct dev *d, __u32 *ret_size)
{
	__u32 words[2 * 64], n = d->info.limits.cores, width = d->info.limits.grid_width;

	for (__u32 i = 0; i < n; i++) {
		__u32 next = (i + 1) % n;

		words[2 * i] = TSR_NOC_TARGET_CORE | next / width << 8 | next % width;
		words[2 * i + 1] = i == 0;
	}
	return uapi_dispatch(NULL, 0, words, 2 * n, ret_size);
}

TEST_F_TIMEOUT(soft, no_wake_up_is_lost, 120)
{
	static const char *const set[][3] = {
		/* inline_budget, workers, deterministic */
		{ "0", "1024", "0" }, { "1", "1024", "0" }, { "700", "2", "0" }, { "0", "1", "0" },
		{ "300", "1", "1" },
	};

	ASSERT_EQ(0, attr_write(self->pair.a, "width", "8"));
	ASSERT_EQ(0, attr_write(self->pair.a, "height", "8"));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(set); i++) {
		struct drm_tessera_status status;
		struct drm_tessera_run run;
		__u32 program, size;
		void *dispatch;
		struct dev d;

		ASSERT_EQ(0, attr_write(self->pair.a, "inline_budget", set[i][0]));
		ASSERT_EQ(0, attr_write(self->pair.a, "workers", set[i][1]));
		ASSERT_EQ(0, attr_write(self->pair.a, "deterministic", set[i][2]));
		ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
		ASSERT_EQ(0, dev_open(&d, self->pair.a));
		dispatch = ring_dispatch(&d, &size);
		ASSERT_EQ(0, ring_program(&d, 20, &program));
		for (int k = 0; k < 100; k++) {
			uapi_run_init(&run, program);
			uapi_run_set_dispatch(&run, dispatch, size);
			ASSERT_EQ(0, uapi_submit(d.fd, d.ctx, &run));
			ASSERT_EQ(0, uapi_end(d.fd, run.handle, &status));
			ASSERT_EQ(DRM_TESSERA_CODE_OK, status.code)
				dev_status_print(&status);
			uapi_close_run(d.fd, run.handle);
		}
		free(dispatch);
		dev_close(&d);
		ASSERT_EQ(0, attr_write(self->pair.a, "enable", "0"));
	}
}

TEST_F_TIMEOUT(soft, stopped_at_any_moment, 120)
{
	struct drm_tessera_status status;
	struct drm_tessera_run run;
	__u32 program, exit, size, next;
	unsigned int stopped = 0;
	void *dispatch;
	struct dev d;

	ASSERT_EQ(0, attr_write(self->pair.a, "width", "8"));
	ASSERT_EQ(0, attr_write(self->pair.a, "inline_budget", "2000"));
	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	ASSERT_EQ(0, dev_open(&d, self->pair.a));
	dispatch = ring_dispatch(&d, &size);
	ASSERT_EQ(0, ring_program(&d, 400, &program));
	ASSERT_EQ(0, uapi_exit_program(d.fd, 0, &exit));
	for (int k = 0; k < 200; k++) {
		uapi_run_init(&run, program);
		uapi_run_set_dispatch(&run, dispatch, size);
		ASSERT_EQ(0, uapi_submit(d.fd, d.ctx, &run));
		ASSERT_EQ(0, uapi_submit_program(d.fd, d.ctx, exit, &next));
		for (volatile int spin = 0; spin < k * 500; spin++)
			;
		ASSERT_EQ(0, uapi_cancel(d.fd, run.handle));
		ASSERT_EQ(0, uapi_end(d.fd, run.handle, &status));
		if (status.code == DRM_TESSERA_CODE_STOPPED) {
			EXPECT_EQ(32, status.stall.cores_total);
			stopped++;
		} else if (status.code != DRM_TESSERA_CODE_OK) {
			ASSERT_EQ(DRM_TESSERA_CODE_CANCELLED, status.code);
		}
		/* The run behind it is none the worse. */
		ASSERT_EQ(0, uapi_end(d.fd, next, &status));
		ASSERT_EQ(DRM_TESSERA_CODE_OK, status.code);
		uapi_close_run(d.fd, run.handle);
		uapi_close_run(d.fd, next);
	}
	EXPECT_LT(20, stopped);
	free(dispatch);
	dev_close(&d);
}

TEST_HARNESS_MAIN

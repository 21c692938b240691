// SPDX-License-Identifier: MIT
/* Virtual devices through configfs: every attribute, every refusal, and devices that come and go. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common_dev.h"
#include "kselftest_harness.h"

#define ROOT	"/sys/kernel/config/tessera/"

static int attr_write(const char *node, const char *attr, const char *value)
{
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), ROOT "%s/%s", node, attr);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* Without the newline. */
static int attr_read(const char *node, const char *attr, char *ret, size_t size)
{
	char path[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), ROOT "%s/%s", node, attr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, ret, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	ret[n] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return 0;
}

static bool attr_is(const char *node, const char *attr, const char *value)
{
	char now[4096];

	if (attr_read(node, attr, now, sizeof(now)))
		return false;
	if (strcmp(now, value))
		fprintf(stderr, "# %s/%s is '%s', not '%s'\n", node, attr, now, value);
	return !strcmp(now, value);
}

static int node_make(const char *node)
{
	char path[256];

	snprintf(path, sizeof(path), ROOT "%s", node);
	return mkdir(path, 0755) ? -errno : 0;
}

static int node_remove(const char *node)
{
	char path[256];

	snprintf(path, sizeof(path), ROOT "%s", node);
	return rmdir(path) ? -errno : 0;
}

/* Opens the device that a node says it is. */
static int node_open(const char *node)
{
	char name[32], path[64];
	int ret = attr_read(node, "node", name, sizeof(name));

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/dev/accel/%s", name);
	/* The node in /dev comes from the kernel itself, but its name from udev. */
	for (int i = 0; i < 500 && access(path, R_OK | W_OK); i++)
		uapi_sleep_ms(10);
	ret = open(path, O_RDWR | O_CLOEXEC);
	return ret < 0 ? -errno : ret;
}

static unsigned int count_nodes(void)
{
	unsigned int n = 0;
	char path[64];

	for (int i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), "/sys/class/accel/accel%d", i);
		n += !access(path, F_OK);
	}
	return n;
}

FIXTURE(soft) {
	char a[32], b[32];
	unsigned int nodes;
};

FIXTURE_SETUP(soft)
{
	snprintf(self->a, sizeof(self->a), "a%d", getpid());
	snprintf(self->b, sizeof(self->b), "b%d", getpid());
	self->nodes = count_nodes();
	ASSERT_EQ(0, node_make(self->a));
}

FIXTURE_TEARDOWN(soft)
{
	node_remove(self->a);
	node_remove(self->b);
	EXPECT_EQ(self->nodes, count_nodes());
}

static const struct {
	const char *name, *value;
	__u64 least, most;
	__u32 step;
} numbers[] = {
	{ "width", "4", 1, 64, 1 },
	{ "height", "4", 1, 64, 1 },
	{ "l1_size", "524288", 65536, 4194304, 4096 },
	{ "image_slot", "32768", 4096, 1048576, 4096 },
	{ "words", "256", 16, 4096, 1 },
	{ "seed", "1", 0, 0xffffffff, 1 },
	{ "quantum", "2000", 100, 1000000, 1 },
	{ "workers", NULL, 1, 1024, 1 },
	{ "staged_depth", "2", 1, 8, 1 },
	{ "queue_capacity", "64", 1, 4096, 1 },
	{ "no_progress_ms", "5000", 10, 3600000, 1 },
	{ "inline_budget", "20000", 0, 1000000000, 1 },
	{ "timing/alu", "1", 1, 65535, 1 },
	{ "timing/load", "2", 1, 65535, 1 },
	{ "timing/store", "1", 1, 65535, 1 },
	{ "timing/mul", "3", 1, 65535, 1 },
	{ "timing/div", "20", 1, 65535, 1 },
	{ "timing/branch", "1", 0, 65535, 1 },
	{ "timing/reg", "4", 0, 65535, 1 },
	{ "timing/noc_latency", "60", 0, 65535, 1 },
	{ "timing/noc_hop", "4", 0, 65535, 1 },
	{ "timing/noc_bytes", "32", 1, 65535, 1 },
	{ "timing/tile_matmul", "128", 0, 65535, 1 },
	{ "timing/tile_op", "32", 0, 65535, 1 },
};

TEST_F(soft, attributes_begin_with_their_defaults)
{
	char cpus[16];

	snprintf(cpus, sizeof(cpus), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(numbers); i++)
		EXPECT_TRUE(attr_is(self->a, numbers[i].name,
				    numbers[i].value ? numbers[i].value : cpus));
	EXPECT_TRUE(attr_is(self->a, "deterministic", "0"));
	EXPECT_TRUE(attr_is(self->a, "harvested", ""));
	EXPECT_TRUE(attr_is(self->a, "enable", "0"));
}

TEST_F(soft, numbers_take_their_range_and_nothing_else)
{
	static const char *const bad[] = {
		"\n", "x", "-1", "1 2", "0x", "1.5", "4294967296", "99999999999999999999",
		"18446744073709551617",
	};
	char text[32], before[32];

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(numbers); i++) {
		const char *name = numbers[i].name;

		snprintf(text, sizeof(text), "%llu", numbers[i].most);
		EXPECT_EQ(0, attr_write(self->a, name, text));
		EXPECT_TRUE(attr_is(self->a, name, text));
		snprintf(text, sizeof(text), "%#llx\n", numbers[i].least);
		EXPECT_EQ(0, attr_write(self->a, name, text));
		snprintf(before, sizeof(before), "%llu", numbers[i].least);
		EXPECT_TRUE(attr_is(self->a, name, before));

		for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(bad); k++) {
			EXPECT_EQ(-EINVAL, attr_write(self->a, name, bad[k]))
				TH_LOG("%s: '%s'", name, bad[k]);
		}
		snprintf(text, sizeof(text), "%llu", numbers[i].most + numbers[i].step);
		EXPECT_EQ(-EINVAL, attr_write(self->a, name, text));
		if (numbers[i].least) {
			snprintf(text, sizeof(text), "%llu", numbers[i].least - numbers[i].step);
			EXPECT_EQ(-EINVAL, attr_write(self->a, name, text));
		}
		if (numbers[i].step > 1) {
			snprintf(text, sizeof(text), "%llu", numbers[i].least + 1);
			EXPECT_EQ(-EINVAL, attr_write(self->a, name, text));
		}
		EXPECT_TRUE(attr_is(self->a, name, before));
	}
}

TEST_F(soft, switches_take_yes_and_no)
{
	EXPECT_EQ(0, attr_write(self->a, "deterministic", "y\n"));
	EXPECT_TRUE(attr_is(self->a, "deterministic", "1"));
	EXPECT_EQ(0, attr_write(self->a, "deterministic", "0"));
	EXPECT_TRUE(attr_is(self->a, "deterministic", "0"));
	EXPECT_EQ(-EINVAL, attr_write(self->a, "deterministic", "2"));
	EXPECT_EQ(-EINVAL, attr_write(self->a, "enable", "2"));
	EXPECT_EQ(-EINVAL, attr_write(self->a, "enable", "maybe"));
	EXPECT_TRUE(attr_is(self->a, "enable", "0"));
	EXPECT_EQ(0, attr_write(self->a, "enable", "0"));
}

TEST_F(soft, harvested_cores)
{
	static const struct {
		const char *text, *shown;
	} good[] = {
		{ "1,1", "1,1" },
		{ "  3,0\t1,2\n", "3,0 1,2" },
		{ "0,0-1,1 3,3", "0,0-1,0 0,1-1,1 3,3" },
		{ "0,0 1,0 2,0", "0,0-2,0" },
		{ "63,63", "63,63" },
		{ "0,5-63,5", "0,5-63,5" },
		{ "1,1 1,1", "1,1" },
		{ "\n", "" },
	};
	static const char *const bad[] = {
		"1", "1,", ",1", "1,1,1", "1,1-", "1,1-2", "1,1-2,2x", "2,1-1,1", "1,2-1,1",
		"64,0", "0,64", "0,0-64,0", "0,0-0,64", "-1,0", "65536,0", "65537,1", "a,b", "1,1;2,2",
		"1,1 64,64", "0,0-65537,1",
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(good); i++) {
		EXPECT_EQ(0, attr_write(self->a, "harvested", good[i].text))
			TH_LOG("'%s'", good[i].text);
		EXPECT_TRUE(attr_is(self->a, "harvested", good[i].shown));
	}
	EXPECT_EQ(0, attr_write(self->a, "harvested", "2,3"));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, attr_write(self->a, "harvested", bad[i]))
			TH_LOG("'%s'", bad[i]);
		EXPECT_TRUE(attr_is(self->a, "harvested", "2,3"));
	}
}

TEST_F(soft, longest_list_of_harvested_cores_is_shown_whole)
{
	char text[4096], shown[4096];
	int len = 0;

	/* Every second core of a 32 x 32 grid: nothing to merge. */
	for (int i = 0; i < 1024; i += 2)
		len += snprintf(text + len, sizeof(text) - len, "%s%d,%d", i ? " " : "", i % 32,
				i / 32);
	ASSERT_EQ(0, attr_write(self->a, "harvested", text));
	ASSERT_EQ(0, attr_read(self->a, "harvested", shown, sizeof(shown)));
	EXPECT_STREQ(text, shown);
}

TEST_F(soft, whole_configuration_is_checked_when_enabled)
{
	static const struct {
		const char *set[4][2];
	} bad[] = {
		{ { { "harvested", "4,0" } } },
		{ { { "harvested", "0,4" } } },
		{ { { "harvested", "0,0-3,3" } } },			/* none left */
		{ { { "width", "64" }, { "height", "17" } } },		/* more than 1024 */
		{ { { "image_slot", "135168" } } },			/* more than a quarter */
		{ { { "l1_size", "131072" }, { "image_slot", "32768" }, { "words", "4096" } } },
		{ { { "l1_size", "4194304" }, { "image_slot", "1048576" },
		    { "timing/alu", "65535" } } },
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(bad); i++) {
		ASSERT_EQ(0, node_make(self->b));
		for (unsigned int k = 0; k < 4 && bad[i].set[k][0]; k++)
			EXPECT_EQ(0, attr_write(self->b, bad[i].set[k][0], bad[i].set[k][1]));
		EXPECT_EQ(-EINVAL, attr_write(self->b, "enable", "1"))
			TH_LOG("%s = %s", bad[i].set[0][0], bad[i].set[0][1]);
		EXPECT_TRUE(attr_is(self->b, "enable", "0"));
		EXPECT_EQ(self->nodes, count_nodes());
		ASSERT_EQ(0, node_remove(self->b));
	}
}

TEST_F(soft, attributes_are_busy_while_enabled)
{
	char value[32];
	int fd;

	EXPECT_EQ(-ENODEV, attr_read(self->a, "node", value, sizeof(value)));
	ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
	EXPECT_EQ(0, attr_write(self->a, "enable", "1"));
	EXPECT_TRUE(attr_is(self->a, "enable", "1"));
	EXPECT_EQ(self->nodes + 1, count_nodes());
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(numbers); i++) {
		ASSERT_EQ(0, attr_read(self->a, numbers[i].name, value, sizeof(value)));
		EXPECT_EQ(-EBUSY, attr_write(self->a, numbers[i].name, value));
	}
	EXPECT_EQ(-EBUSY, attr_write(self->a, "deterministic", "0"));
	EXPECT_EQ(-EBUSY, attr_write(self->a, "harvested", "1,1"));
	EXPECT_NE(0, attr_write(self->a, "node", "accel0"));

	fd = node_open(self->a);
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_EQ(0, attr_write(self->a, "enable", "0"));
	EXPECT_EQ(-ENODEV, attr_read(self->a, "node", value, sizeof(value)));
	EXPECT_EQ(0, attr_write(self->a, "width", "5"));
}

TEST_F(soft, names)
{
	EXPECT_EQ(-EEXIST, node_make(self->a));
	EXPECT_EQ(0, node_make("0123456789012345678901234567890"));
	EXPECT_EQ(0, node_remove("0123456789012345678901234567890"));
	EXPECT_EQ(-ENAMETOOLONG, node_make("01234567890123456789012345678901"));
	EXPECT_EQ(0, node_make("100%s%n"));
	EXPECT_EQ(0, attr_write("100%s%n", "enable", "1"));
	EXPECT_EQ(0, node_remove("100%s%n"));
	EXPECT_NE(0, node_make("a/b"));
}

TEST_F(soft, device_is_as_configured)
{
	static const char *const set[][2] = {
		{ "width", "5" }, { "height", "3" }, { "harvested", "4,0 0,2-1,2" },
		{ "l1_size", "262144" }, { "image_slot", "16384" }, { "words", "100" },
		{ "seed", "77" }, { "deterministic", "1" }, { "staged_depth", "3" },
		{ "queue_capacity", "9" }, { "no_progress_ms", "123" },
	};
	struct drm_tessera_device_info info;
	int fd;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(set); i++)
		ASSERT_EQ(0, attr_write(self->a, set[i][0], set[i][1]));
	ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
	fd = node_open(self->a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, uapi_info(fd, &info));
	EXPECT_EQ(5, info.limits.grid_width);
	EXPECT_EQ(3, info.limits.grid_height);
	EXPECT_EQ(12, info.limits.cores);
	EXPECT_EQ(1 << 4 | 1 << 10 | 1 << 11, info.limits.harvested[0]);
	EXPECT_EQ(262144, info.limits.l1_size);
	EXPECT_EQ(16384, info.limits.image_slot);
	EXPECT_EQ(100, info.limits.words);
	EXPECT_EQ(3, info.limits.staged_depth);
	EXPECT_EQ(9, info.limits.queue_capacity);
	EXPECT_EQ(123, info.limits.no_progress_ms);
	EXPECT_EQ(1, info.limits.parallelism);
	EXPECT_EQ(77, info.seed);
	EXPECT_STREQ(self->a, info.name);
	EXPECT_STREQ("rv32im", info.isa);
	EXPECT_TRUE(info.caps & DRM_TESSERA_CAP_DETERMINISTIC);
	close(fd);
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
		ASSERT_EQ(0, attr_write(self->a, set[i][0], set[i][1]));
	for (; *depth <= '8'; ++*depth) {
		__u32 context, program, run;
		struct drm_tessera_status status;
		int fd;

		ASSERT_EQ(0, attr_write(self->a, "staged_depth", depth));
		ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
		fd = node_open(self->a);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, uapi_context(fd, 0, &context));
		ASSERT_EQ(0, uapi_exit_program(fd, 0, &program));
		for (int i = 0; i < 20; i++) {
			ASSERT_EQ(0, uapi_submit_program(fd, context, program, &run));
			ASSERT_EQ(0, uapi_end(fd, run, &status));
			EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
			EXPECT_FALSE(status.flags & DRM_TESSERA_STATUS_INLINE);
		}
		close(fd);
		ASSERT_EQ(0, attr_write(self->a, "enable", "0"));
	}
}

TEST_F_TIMEOUT(soft, created_and_removed_100_times, 120)
{
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, node_make(self->b));
		ASSERT_EQ(0, attr_write(self->b, "enable", "1"));
		ASSERT_EQ(self->nodes + 1, count_nodes());
		if (i % 2)
			ASSERT_EQ(0, attr_write(self->b, "enable", "0"));
		ASSERT_EQ(0, node_remove(self->b));
		ASSERT_EQ(self->nodes, count_nodes());
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

		ASSERT_EQ(0, node_make(self->b));
		ASSERT_EQ(0, attr_write(self->b, "enable", "1"));
		fd = node_open(self->b);
		idle = node_open(self->b);
		ASSERT_LE(0, fd);
		ASSERT_LE(0, idle);
		ASSERT_EQ(0, uapi_context(fd, 0, &context));
		ASSERT_EQ(0, uapi_gate_new(fd, &gate));
		ASSERT_EQ(0, uapi_gate_submit(fd, context, &gate, &run));
		ASSERT_EQ(0, uapi_wait_phase(fd, run, DRM_TESSERA_PHASE_LAUNCHED));
		int sync = uapi_run_fd(fd, run);

		ASSERT_LE(0, sync);
		ASSERT_EQ(0, go(self->b, way));
		EXPECT_EQ(self->nodes, count_nodes());
		EXPECT_EQ(-ENODEV, dev_fd_error(sync, 5000));
		EXPECT_EQ(-ENODEV, uapi_info(fd, &info));
		EXPECT_EQ(-ENODEV, uapi_info(idle, &info));
		EXPECT_EQ(-ENODEV, uapi_status(fd, run, &status));
		/* The mapping outlives the device. */
		*gate.word = 5;
		EXPECT_EQ(5, *gate.word);
		if (way == 2) {
			EXPECT_EQ(-ENODEV, attr_read(self->b, "node", value, sizeof(value)));
			EXPECT_TRUE(attr_is(self->b, "enable", "1"));
		}
		close(sync);
		uapi_gate_free(fd, &gate);
		close(fd);
		close(idle);
		if (way == 0)
			EXPECT_EQ(0, attr_write(self->b, "enable", "1"));
		if (way != 1)
			ASSERT_EQ(0, node_remove(self->b));
	}
}

TEST_F_TIMEOUT(soft, bigger_device_works_beside_the_default_one, 120)
{
	struct dev d, e;

	ASSERT_EQ(0, dev_open(&d, NULL));
	ASSERT_EQ(0, attr_write(self->a, "width", "8"));
	ASSERT_EQ(0, attr_write(self->a, "height", "8"));
	ASSERT_EQ(0, attr_write(self->a, "harvested", "0,0 3,1-4,2 7,7"));
	ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
	ASSERT_EQ(0, dev_open(&e, self->a));
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

	ASSERT_EQ(0, attr_write(self->a, "deterministic", "1"));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(budgets); i++) {
		ASSERT_EQ(0, attr_write(self->a, "inline_budget", budgets[i]));
		ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
		for (int k = 0; k < 2; k++) {
			ASSERT_EQ(0, busy_run(self->a, 3000, &now));
			ASSERT_EQ(DRM_TESSERA_CODE_OK, now.status.code);
			ASSERT_EQ(48, now.n);
			if (!first.stats) {
				first = now;
				continue;
			}
			EXPECT_EQ(0, memcmp(first.stats, now.stats, 48 * sizeof(*now.stats)));
			free(now.stats);
		}
		ASSERT_EQ(0, attr_write(self->a, "enable", "0"));
	}
	EXPECT_LT(6000, first.stats[0].instructions);
	free(first.stats);
}

TEST_F(soft, short_runs_are_executed_inline_long_ones_are_not)
{
	struct figures now;

	ASSERT_EQ(0, attr_write(self->a, "inline_budget", "1000000"));
	ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
	ASSERT_EQ(0, busy_run(self->a, 1, &now));
	EXPECT_TRUE(now.status.flags & DRM_TESSERA_STATUS_INLINE);
	free(now.stats);
	ASSERT_EQ(0, busy_run(self->a, 200000, &now));
	EXPECT_FALSE(now.status.flags & DRM_TESSERA_STATUS_INLINE);
	EXPECT_EQ(DRM_TESSERA_CODE_OK, now.status.code);
	free(now.stats);
}

TEST_F(soft, timing_changes_cycles_and_nothing_else)
{
	struct figures slow, fast;

	ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
	ASSERT_EQ(0, busy_run(self->a, 1000, &fast));
	ASSERT_EQ(0, attr_write(self->a, "enable", "0"));
	ASSERT_EQ(0, attr_write(self->a, "timing/alu", "10"));
	ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
	ASSERT_EQ(0, busy_run(self->a, 1000, &slow));
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

	ASSERT_EQ(0, attr_write(self->a, "inline_budget", "0"));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(workers); i++) {
		ASSERT_EQ(0, attr_write(self->a, "workers", workers[i]));
		ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
		for (int k = 0; k < 50; k++) {
			ASSERT_EQ(0, busy_run(self->a, 50, &now));
			ASSERT_EQ(DRM_TESSERA_CODE_OK, now.status.code);
			free(now.stats);
		}
		ASSERT_EQ(0, attr_write(self->a, "enable", "0"));
	}
}

TEST_F(soft, limit_without_progress_is_the_devices)
{
	struct drm_tessera_status status;
	__u32 program, run;
	struct dev d;

	ASSERT_EQ(0, attr_write(self->a, "no_progress_ms", "200"));
	ASSERT_EQ(0, attr_write(self->a, "enable", "1"));
	ASSERT_EQ(0, dev_open(&d, self->a));
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

TEST_F(soft, module_stays_while_a_directory_exists)
{
	EXPECT_EQ(-1, syscall(SYS_delete_module, "tessera", O_NONBLOCK));
	EXPECT_TRUE(errno == EWOULDBLOCK || errno == EBUSY);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* Virtual devices through configfs: every attribute, every refusal. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
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
	{ "bindings", "64", 1, 4096, 1 },
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
		EXPECT_TRUE(attr_is(self->pair.a, numbers[i].name,
				    numbers[i].value ? numbers[i].value : cpus));
	EXPECT_TRUE(attr_is(self->pair.a, "deterministic", "0"));
	EXPECT_TRUE(attr_is(self->pair.a, "harvested", ""));
	EXPECT_TRUE(attr_is(self->pair.a, "enable", "0"));
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
		EXPECT_EQ(0, attr_write(self->pair.a, name, text));
		EXPECT_TRUE(attr_is(self->pair.a, name, text));
		snprintf(text, sizeof(text), "%#llx\n", numbers[i].least);
		EXPECT_EQ(0, attr_write(self->pair.a, name, text));
		snprintf(before, sizeof(before), "%llu", numbers[i].least);
		EXPECT_TRUE(attr_is(self->pair.a, name, before));

		for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(bad); k++) {
			EXPECT_EQ(-EINVAL, attr_write(self->pair.a, name, bad[k]))
				TH_LOG("%s: '%s'", name, bad[k]);
		}
		snprintf(text, sizeof(text), "%llu", numbers[i].most + numbers[i].step);
		EXPECT_EQ(-EINVAL, attr_write(self->pair.a, name, text));
		if (numbers[i].least) {
			snprintf(text, sizeof(text), "%llu", numbers[i].least - numbers[i].step);
			EXPECT_EQ(-EINVAL, attr_write(self->pair.a, name, text));
		}
		if (numbers[i].step > 1) {
			snprintf(text, sizeof(text), "%llu", numbers[i].least + 1);
			EXPECT_EQ(-EINVAL, attr_write(self->pair.a, name, text));
		}
		EXPECT_TRUE(attr_is(self->pair.a, name, before));
	}
}

TEST_F(soft, switches_take_yes_and_no)
{
	EXPECT_EQ(0, attr_write(self->pair.a, "deterministic", "y\n"));
	EXPECT_TRUE(attr_is(self->pair.a, "deterministic", "1"));
	EXPECT_EQ(0, attr_write(self->pair.a, "deterministic", "0"));
	EXPECT_TRUE(attr_is(self->pair.a, "deterministic", "0"));
	EXPECT_EQ(-EINVAL, attr_write(self->pair.a, "deterministic", "2"));
	EXPECT_EQ(-EINVAL, attr_write(self->pair.a, "enable", "2"));
	EXPECT_EQ(-EINVAL, attr_write(self->pair.a, "enable", "maybe"));
	EXPECT_TRUE(attr_is(self->pair.a, "enable", "0"));
	EXPECT_EQ(0, attr_write(self->pair.a, "enable", "0"));
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
		EXPECT_EQ(0, attr_write(self->pair.a, "harvested", good[i].text))
			TH_LOG("'%s'", good[i].text);
		EXPECT_TRUE(attr_is(self->pair.a, "harvested", good[i].shown));
	}
	EXPECT_EQ(0, attr_write(self->pair.a, "harvested", "2,3"));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, attr_write(self->pair.a, "harvested", bad[i]))
			TH_LOG("'%s'", bad[i]);
		EXPECT_TRUE(attr_is(self->pair.a, "harvested", "2,3"));
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
	ASSERT_EQ(0, attr_write(self->pair.a, "harvested", text));
	ASSERT_EQ(0, attr_read(self->pair.a, "harvested", shown, sizeof(shown)));
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
		ASSERT_EQ(0, node_make(self->pair.b));
		for (unsigned int k = 0; k < 4 && bad[i].set[k][0]; k++)
			EXPECT_EQ(0, attr_write(self->pair.b, bad[i].set[k][0], bad[i].set[k][1]));
		EXPECT_EQ(-EINVAL, attr_write(self->pair.b, "enable", "1"))
			TH_LOG("%s = %s", bad[i].set[0][0], bad[i].set[0][1]);
		EXPECT_TRUE(attr_is(self->pair.b, "enable", "0"));
		EXPECT_EQ(self->pair.nodes, count_nodes());
		ASSERT_EQ(0, node_remove(self->pair.b));
	}
}

TEST_F(soft, attributes_are_busy_while_enabled)
{
	char value[32];
	int fd;

	EXPECT_EQ(-ENODEV, attr_read(self->pair.a, "node", value, sizeof(value)));
	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	EXPECT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	EXPECT_TRUE(attr_is(self->pair.a, "enable", "1"));
	EXPECT_EQ(self->pair.nodes + 1, count_nodes());
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(numbers); i++) {
		ASSERT_EQ(0, attr_read(self->pair.a, numbers[i].name, value, sizeof(value)));
		EXPECT_EQ(-EBUSY, attr_write(self->pair.a, numbers[i].name, value));
	}
	EXPECT_EQ(-EBUSY, attr_write(self->pair.a, "deterministic", "0"));
	EXPECT_EQ(-EBUSY, attr_write(self->pair.a, "harvested", "1,1"));
	EXPECT_NE(0, attr_write(self->pair.a, "node", "accel0"));

	fd = node_open(self->pair.a);
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_EQ(0, attr_write(self->pair.a, "enable", "0"));
	EXPECT_EQ(-ENODEV, attr_read(self->pair.a, "node", value, sizeof(value)));
	EXPECT_EQ(0, attr_write(self->pair.a, "width", "5"));
}

TEST_F(soft, names)
{
	EXPECT_EQ(-EEXIST, node_make(self->pair.a));
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
		{ "seed", "77" }, { "bindings", "5" }, { "deterministic", "1" }, { "staged_depth", "3" },
		{ "queue_capacity", "9" }, { "no_progress_ms", "123" },
	};
	struct drm_tessera_device_info info;
	int fd;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(set); i++)
		ASSERT_EQ(0, attr_write(self->pair.a, set[i][0], set[i][1]));
	ASSERT_EQ(0, attr_write(self->pair.a, "enable", "1"));
	fd = node_open(self->pair.a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, uapi_info(fd, &info));
	EXPECT_EQ(5, info.limits.grid_width);
	EXPECT_EQ(3, info.limits.grid_height);
	EXPECT_EQ(12, info.limits.cores);
	EXPECT_EQ(1 << 4 | 1 << 10 | 1 << 11, info.limits.harvested[0]);
	EXPECT_EQ(262144, info.limits.l1_size);
	EXPECT_EQ(16384, info.limits.image_slot);
	EXPECT_EQ(100, info.limits.words);
	EXPECT_EQ(5, info.limits.bindings);
	EXPECT_EQ(3, info.limits.staged_depth);
	EXPECT_EQ(9, info.limits.queue_capacity);
	EXPECT_EQ(123, info.limits.no_progress_ms);
	EXPECT_EQ(1, info.limits.parallelism);
	EXPECT_EQ(77, info.seed);
	EXPECT_STREQ(self->pair.a, info.name);
	EXPECT_STREQ("rv32im", info.isa);
	EXPECT_TRUE(info.caps & DRM_TESSERA_CAP_DETERMINISTIC);
	close(fd);
}

TEST_F_TIMEOUT(soft, created_and_removed_100_times, 120)
{
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, node_make(self->pair.b));
		ASSERT_EQ(0, attr_write(self->pair.b, "enable", "1"));
		ASSERT_EQ(self->pair.nodes + 1, count_nodes());
		if (i % 2)
			ASSERT_EQ(0, attr_write(self->pair.b, "enable", "0"));
		ASSERT_EQ(0, node_remove(self->pair.b));
		ASSERT_EQ(self->pair.nodes, count_nodes());
	}
}

TEST_F(soft, module_stays_while_a_directory_exists)
{
	EXPECT_EQ(-1, syscall(SYS_delete_module, "tessera", O_NONBLOCK));
	EXPECT_TRUE(errno == EWOULDBLOCK || errno == EBUSY);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* What looks at other people's files, read while they come and go (F81, F105). */
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

static bool stop;

/* A client's whole life, again and again. */
static void *come_and_go(void *arg)
{
	__u32 run, bo;
	long n = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		struct uapi_bench b;

		if (uapi_bench_open(&b))
			return (void *)-1l;
		uapi_bo(b.fd, 8192, &bo);
		for (int i = 0; i < 4; i++)
			uapi_submit_program(b.fd, b.context, b.program, &run);
		uapi_context_destroy(b.fd, b.context);
		uapi_bench_close(&b);
		n++;
	}
	return (void *)n;
}

static long read_all(const char *path)
{
	char data[4096];
	long n = 0, got;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return -errno;
	while ((got = read(fd, data, sizeof(data))) > 0)
		n += got;
	close(fd);
	return n;
}

/* Every file of these patterns, for so long. */
static void read_for(struct __test_metadata *_metadata, const char *pattern, unsigned int ms)
{
	__s64 until = uapi_in_ms(ms);
	unsigned long files = 0;
	pthread_t clients[2];
	void *lives[2];

	stop = false;
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&clients[i], NULL, come_and_go, NULL));
	do {
		glob_t paths;

		ASSERT_EQ(0, glob(pattern, 0, NULL, &paths));
		for (size_t i = 0; i < paths.gl_pathc; i++)
			files += read_all(paths.gl_pathv[i]) >= 0;
		globfree(&paths);
	} while (uapi_now() < until);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++) {
		pthread_join(clients[i], &lives[i]);
		EXPECT_LT(0, (long)lives[i]);
	}
	EXPECT_LT(0, files);
}

TEST(debugfs_read_while_clients_come_and_go)
{
	glob_t paths;

	if (glob("/sys/kernel/debug/accel/*/*", 0, NULL, &paths))
		SKIP(return, "no debugfs");
	globfree(&paths);
	read_for(_metadata, "/sys/kernel/debug/accel/*/*", 500);
}

TEST(fdinfo_read_while_clients_come_and_go)
{
	read_for(_metadata, "/proc/self/fdinfo/*", 500);
}

TEST(fdinfo_names_the_driver)
{
	int fd = uapi_open(NULL);
	char path[64], data[4096];
	ssize_t n;
	int info;

	ASSERT_LE(0, fd);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY);
	ASSERT_LE(0, info);
	n = read(info, data, sizeof(data) - 1);
	ASSERT_LT(0, n);
	data[n] = 0;
	EXPECT_NE(NULL, strstr(data, "drm-driver:\ttessera\n")) {
		TH_LOG("%s", data);
	}
	close(info);
	close(fd);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Every n-th failure of the module's own start: what it has registered when one step fails must go
 * again, for it is unloaded then. The device that it may make is a case of nth_soft.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>
#include "common_harness.h"
#include "common_inject.h"
#include "common_nth.h"

/* More than the start of the module needs; what is before belongs to the kernel's loader. */
#define LAST		120u
#define MANY		100000u

/* In memory: failures in a file system, the network's for one, are nothing to learn from. */
#define COPY		"/dev/shm/tessera-nth.ko"

FIXTURE(module) {
	struct stat node;
};

static int copy_module(void)
{
	const char *path = getenv("TSR_MODULE");
	int from = open(path ? path : TSR_BUILDDIR "/tessera.ko", O_RDONLY | O_CLOEXEC);
	int to = open(COPY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct stat st;
	off_t at = 0;

	if (from < 0 || to < 0 || fstat(from, &st))
		return -errno;
	while (at < st.st_size)
		if (sendfile(to, from, &at, (size_t)(st.st_size - at)) <= 0)
			return -EIO;
	close(from);
	close(to);
	return setenv("TSR_MODULE", COPY, 1);
}

FIXTURE_SETUP(module)
{
	int fd = uapi_open(NULL);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fstat(fd, &self->node));
	close(fd);
	ASSERT_EQ(0, copy_module());
	soft_remove_all();
	inject_prepare();
	ASSERT_EQ(0, soft_unload_soon());
}

FIXTURE_TEARDOWN(module)
{
	inject_restore();
	EXPECT_EQ(0, soft_load_back(&self->node));
	unlink(COPY);
}

TEST_F(module, with_memory)
{
	ASSERT_EQ(0, soft_load("default_device=0"));
	EXPECT_EQ(0, count_nodes());
	EXPECT_EQ(0, soft_unload_soon());
}

/* The number of failures that a load has room for. */
static unsigned int count_failures(void)
{
	struct inject_failure f;

	inject_begin(MANY, false);
	if (soft_load("default_device=0"))
		return 0;
	inject_end(&f);
	return soft_unload_soon() ? 0 : MANY - inject_left();
}

TEST_F_TIMEOUT(module, each_failure, 900)
{
	unsigned int all, k, ours = 0;

	if (inject_missing()) {
		EXPECT_FALSE(nth_debug_kernel());
		SKIP(return, "%s", inject_missing());
	}
	all = count_failures();
	ASSERT_LT(LAST, all);
	for (k = all - LAST; k <= all; k++) {
		struct inject_failure f = { .where = "nowhere" };
		int err;

		inject_begin(k, false);
		err = soft_load("default_device=0");
		if (!inject_end(&f))
			strcpy(f.where, "nowhere");
		ours += f.ours;
		EXPECT_TRUE(!err || err == -ENOMEM || err == -EFAULT) {
			TH_LOG("failure %u in %s: %s", k, f.where, strerror(-err));
		}
		/* A module that failed to start is not there; one that did goes like any other. */
		EXPECT_EQ(err ? -ENOENT : 0, soft_unload_soon()) {
			TH_LOG("failure %u in %s: cannot be unloaded", k, f.where);
		}
		EXPECT_EQ(0, inject_complaints());
	}
	/* None: the failures were all in the loader. */
	EXPECT_LT(10, ours);
	TH_LOG("%u failures, %u in the module's start", LAST, ours);
	EXPECT_EQ(0, inject_leaks());
}

TEST_HARNESS_MAIN

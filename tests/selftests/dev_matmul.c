// SPDX-License-Identifier: MIT
/* The example matmul in two processes on one device, at once: both right. */
#include "common_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static pid_t spawn_matmul(const char *k)
{
	const char *build = getenv("TSR_BUILD");
	char path[512];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(path, sizeof(path), "%s/examples/matmul", build ? build : TSR_BUILDDIR);
	execl(path, path, "--quiet", "--m", "64", "--n", "96", "--k", k, NULL);
	perror(path);
	_exit(127);
}

FIXTURE(matmul)
{
	struct dev d;
};

FIXTURE_SETUP(matmul)
{
	ASSERT_EQ(0, dev_open(&self->d, NULL));
}

FIXTURE_TEARDOWN(matmul)
{
	dev_close(&self->d);
}

/* It checks its results itself, against the host's, three times with other inputs. */
TEST_F_TIMEOUT(matmul, twice_at_once, 170)
{
	struct drm_tessera_counters before, after;
	pid_t a, b;

	ASSERT_EQ(0, uapi_counters(self->d.fd, &before));
	a = spawn_matmul("64");
	b = spawn_matmul("96");
	EXPECT_EQ(0, wait_for(a));
	EXPECT_EQ(0, wait_for(b));
	ASSERT_EQ(0, uapi_counters(self->d.fd, &after));
	/* Both on this device: elsewhere they could not have disturbed each other. */
	EXPECT_EQ(before.runs_accepted + 6, after.runs_accepted);
	EXPECT_EQ(before.runs_failed_local, after.runs_failed_local);
	EXPECT_EQ(0, dev_settled(self->d.fd, &before, 3000));
}

TEST_HARNESS_MAIN

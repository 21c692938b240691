// SPDX-License-Identifier: MIT
/* Files that are inherited: a child's end is not the parent's (F11, U12). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(fork) {
	struct uapi_bench b;
	struct uapi_gate gate;
	__u32 run;
};

FIXTURE_SETUP(fork)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &self->gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &self->run));
	ASSERT_EQ(0, uapi_wait_phase(self->b.fd, self->run, DRM_TESSERA_PHASE_LAUNCHED));
}

FIXTURE_TEARDOWN(fork)
{
	uapi_gate_free(self->b.fd, &self->gate);
	uapi_bench_close(&self->b);
}

static void parent_is_unharmed(struct __test_metadata *_metadata, FIXTURE_DATA(fork) *self)
{
	struct drm_tessera_status status;

	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, self->run, uapi_in_ms(20)));
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, self->run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

static int closes(void *arg)
{
	FIXTURE_DATA(fork) *self = arg;

	munmap((void *)self->gate.word, 4096);
	return close(self->b.fd) ? 1 : 0;
}

TEST_F(fork, child_closes_the_file)
{
	EXPECT_EQ(0, uapi_in_child(closes, self));
	parent_is_unharmed(_metadata, self);
}

/* It is one open file: what the child submits is as good as the parent's own. */
static int submits(void *arg)
{
	FIXTURE_DATA(fork) *self = arg;
	struct drm_tessera_run run;

	uapi_run_init(&run, self->b.program);
	if (uapi_submit(self->b.fd, self->b.context, &run))
		return 101;
	return run.handle;
}

TEST_F(fork, child_submits_and_exits)
{
	struct drm_tessera_status status;
	int run = uapi_in_child(submits, self);

	ASSERT_GT(100, run);
	parent_is_unharmed(_metadata, self);
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

TEST_F(fork, child_is_killed)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		for (;;)
			submits(self);
	}
	uapi_sleep_ms(50);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	parent_is_unharmed(_metadata, self);
	/* What it had submitted ends too. */
	EXPECT_EQ(0, uapi_settle(self->b.fd));
}

static int opens_its_own(void *arg)
{
	struct drm_tessera_status status;
	struct uapi_gate gate;
	struct uapi_bench b;
	__u32 run;

	if (uapi_bench_open(&b) || uapi_gate_new(b.fd, &gate) ||
	    uapi_gate_submit(b.fd, b.context, &gate, &run) || uapi_cancel(b.fd, run) ||
	    uapi_end(b.fd, run, &status))
		return 1;
	return status.code == DRM_TESSERA_CODE_CANCELLED ? 0 : 2;
}

TEST_F(fork, child_has_a_file_of_its_own)
{
	EXPECT_EQ(0, uapi_in_child(opens_its_own, self));
	parent_is_unharmed(_metadata, self);
}

/* F83: the submitter is gone before the run is; nothing of it is needed any more. */
TEST_F(fork, submitter_exits_before_the_run)
{
	struct drm_tessera_status status;
	int runs[4];

	for (int i = 0; i < 4; i++) {
		runs[i] = uapi_in_child(submits, self);
		ASSERT_GT(100, runs[i]);
	}
	*self->gate.word = 1;
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, uapi_end(self->b.fd, runs[i], &status));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	}
}

TEST_HARNESS_MAIN

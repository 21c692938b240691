// SPDX-License-Identifier: MIT
/*
 * Processes that die in the middle of everything (FL-9): what they had is gone in bounded time,
 * and nobody else notices.
 */
#include "common_check.h"
#include "common_harness.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS		100
#define SETTLE_MS	5000

/* The limit is far away: what ends here is ended by the death of its owner. */
FIXTURE(kill)
{
	struct dev d;
	struct drm_tessera_counters base;
};

FIXTURE_SETUP(kill)
{
	ASSERT_EQ(0, soft_open(&self->d, "kill", "no_progress_ms=60000 queue_capacity=8"));
	ASSERT_NE(NULL, dev_script(&self->d, TSR_PROC_DM0));
	ASSERT_EQ(0, uapi_counters(self->d.fd, &self->base));
}

FIXTURE_TEARDOWN(kill)
{
	soft_close(&self->d, "kill");
}

/* ---- Victims ------------------------------------------------------------------------------- */

static struct dev_job *job_of(struct dev *d, const struct dev_buf *buf, const uint32_t *steps,
			      uint32_t count)
{
	struct dev_job *job = dev_job(d);

	dev_job_script(job, TSR_PROC_DM0, 0, 0, steps, count);
	if (buf)
		dev_job_bind(job, TESSERA_ACCESS_INOUT, buf);
	return job;
}

/* Everything a client can have: buffers, programs, contexts, runs in all phases, fences. */
static void live(unsigned int seed)
{
	struct dev_submit how = { 0 };
	struct dev_job *quick, *slow, *loop;
	struct dev_buf buf;
	uint32_t run, ctx;
	struct dev d;

	if (dev_open(&d, "kill") || dev_buf(&d, 65536, &buf) || uapi_context(d.fd, 2, &ctx) ||
	    uapi_syncobj(d.fd, false, &how.out))
		_exit(1);
	quick = job_of(&d, &buf, STEPS(NOC_BUFFER(0, 0, d.info.limits.cb_base, 64,
						  TSR_NOC_CMD_READ)));
	slow = job_of(&d, NULL, STEPS(STEP_WORK, 30000));
	loop = job_of(&d, &buf, STEPS(STEP_SPIN));
	for (;;) {
		unsigned int what = rand_r(&seed) >> 4;
		bool endless = what % 40 == 0;

		how.ctx = what & 1 ? ctx : 0;
		/* A full queue blocks: some die there. Some runs nobody looks at any more. */
		if (dev_submit(endless ? loop : what % 3 ? quick : slow, what & 2 ? &how : NULL,
			       &run))
			_exit(2);
		/* Where it is not cancelled, the victim is soon stuck behind its own run. */
		if ((endless && what & 16) || what % 13 == 0)
			uapi_cancel(d.fd, run);
		if (what & 4)
			uapi_run_fd(d.fd, run);
		if (what % 5 == 0)
			uapi_wait(d.fd, run, uapi_in_ms(1));
		if (what % 11 == 0) {
			uapi_context_destroy(d.fd, ctx);
			uapi_context(d.fd, 2, &ctx);
		}
		if (what & 8)
			uapi_close_run(d.fd, run);
	}
}

/*
 * Runs of its own until it is told to stop, each right, with the right data. Returns how many
 * were not.
 */
static int bystander(int stop)
{
	struct pollfd told = { .fd = stop, .events = POLLIN };
	struct drm_tessera_status s;
	int right = 0, wrong = 0;
	struct dev_buf buf;
	struct dev_job *job;
	uint32_t l1;
	struct dev d;

	if (dev_open(&d, "kill") || dev_buf(&d, 4096, &buf))
		return 100;
	l1 = d.info.limits.cb_base;
	job = job_of(&d, &buf, STEPS(STEP_FILL, l1, 1000, 1024,
				     NOC_BUFFER(0, 0, l1, 4096, TSR_NOC_CMD_WRITE)));
	while (!poll(&told, 1, 0)) {
		uint32_t *w = buf.mem;
		bool ok;

		memset(buf.mem, 0, 4096);
		ok = !dev_execute(job, &s) && s.code == DRM_TESSERA_CODE_OK;
		for (uint32_t i = 0; i < 1024; i++)
			ok = ok && w[i] == 1000 + i;
		ok ? right++ : wrong++;
	}
	if (wrong)
		dev_status_print(&s);
	return right ? wrong : 101;
}

static void kill_and_reap(struct __test_metadata *_metadata, pid_t pid)
{
	int status;

	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	/* It must have been alive: a victim that ended by itself shows nothing. */
	EXPECT_TRUE(WIFSIGNALED(status))
		TH_LOG("the victim ended with %d", WEXITSTATUS(status));
}

TEST_F_TIMEOUT(kill, killed_a_hundred_times_nothing_is_left, 120)
{
	int pipes[2], status;
	unsigned int seed = 1;
	pid_t other, pid;

	ASSERT_EQ(0, pipe(pipes));
	other = fork();
	if (!other)
		_exit(bystander(pipes[0]));
	for (int i = 0; i < KILLS; i++) {
		pid = fork();
		if (!pid)
			live(i);
		usleep(rand_r(&seed) % 25000);
		kill_and_reap(_metadata, pid);
	}
	ASSERT_EQ(1, write(pipes[1], "x", 1));
	ASSERT_EQ(other, waitpid(other, &status, 0));
	EXPECT_EQ(0, status)
		TH_LOG("%d runs of the bystander were wrong", WEXITSTATUS(status));
	/* Any gauge above its start is something that lives for ever. */
	EXPECT_EQ(0, dev_settled(self->d.fd, &self->base, SETTLE_MS));
	EXPECT_EQ(0, dev_good_run(&self->d));
}

TEST_F(kill, counters_balance_after_kills)
{
	struct drm_tessera_counters c;
	uint64_t accepted = 0;
	int64_t until;
	pid_t pid;

	for (int i = 0; i < 10; i++) {
		pid = fork();
		if (!pid)
			live(1000 + i);
		/* In full life, on a slow machine too; or stuck. */
		until = uapi_in_ms(2000);
		do {
			uapi_sleep_ms(5);
			ASSERT_EQ(0, uapi_counters(self->d.fd, &c));
		} while (c.runs_accepted < accepted + 15 && uapi_now() < until);
		kill_and_reap(_metadata, pid);
		accepted = c.runs_accepted;
	}
	ASSERT_EQ(0, dev_settled(self->d.fd, &self->base, SETTLE_MS));
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c));
	EXPECT_LE(50, c.runs_accepted);
	EXPECT_EQ(0, uapi_unbalanced(&c));
	EXPECT_EQ(0, c.runs_quarantined);
	EXPECT_EQ(c.image_loads, c.image_unloads + c.images);
	/* Stopping by the owner's death is neither a timeout nor the device's failure. */
	EXPECT_EQ(0, c.timeouts);
	EXPECT_EQ(0, c.resets);
	EXPECT_EQ(0, c.runs_failed_device);
}

/* ---- One situation each ---------------------------------------------------------------------- */

/* F85: the claim is free again in bounded time. */
TEST_F(kill, holder_of_the_claim_is_killed)
{
	int64_t start;
	int pipes[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		struct dev d;
		uint32_t run;

		if (dev_open(&d, "kill") ||
		    dev_submit(job_of(&d, NULL, STEPS(STEP_SPIN)), NULL, &run) ||
		    uapi_wait_phase(d.fd, run, DRM_TESSERA_PHASE_LAUNCHED) ||
		    write(pipes[1], "x", 1) != 1)
			_exit(1);
		uapi_wait(d.fd, run, UAPI_NO_TIMEOUT);
		_exit(2);
	}
	ASSERT_EQ(1, read(pipes[0], &byte, 1));
	kill_and_reap(_metadata, pid);
	start = uapi_now();
	EXPECT_EQ(0, dev_good_run(&self->d));
	EXPECT_GT(2000, (uapi_now() - start) / 1000000);
	EXPECT_EQ(0, dev_settled(self->d.fd, &self->base, SETTLE_MS));
}

/* F11: a child that inherited the file dies in a wait, in a submit; the parent's run does not. */
TEST_F(kill, child_with_the_inherited_file_is_killed)
{
	struct dev_job *slow = job_of(&self->d, NULL, STEPS(STEP_BEAT, 100, 30000));
	struct dev_job *quick = job_of(&self->d, NULL, STEPS(STEP_WORK, 10));
	struct drm_tessera_status s;
	uint32_t run, extra;
	pid_t pid;

	ASSERT_EQ(0, dev_job_program(quick));
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, dev_submit(slow, NULL, &run));
		pid = fork();
		if (!pid) {
			/* The queue fills up behind the slow run, and the last submit blocks. */
			for (int n = 0; i % 2 && n < 20; n++)
				dev_submit(quick, NULL, &extra);
			uapi_wait(self->d.fd, run, UAPI_NO_TIMEOUT);
			for (;;)
				pause();
		}
		usleep(5000 * i);
		kill_and_reap(_metadata, pid);
		ASSERT_EQ(0, dev_finish(&self->d, run, &s));
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	}
	EXPECT_EQ(0, dev_good_run(&self->d));
	dev_job_free(slow);
	dev_job_free(quick);
}

/* F7: who waits for a run of the dead gets an error, not silence. */
TEST_F(kill, run_that_depends_on_a_killed_process)
{
	struct dev_job *quick = job_of(&self->d, NULL, STEPS(STEP_WORK, 10));
	struct drm_syncobj_handle import = {
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
	};
	struct drm_tessera_status s;
	struct dev_submit how = { 0 };
	int pipes[2], theirs, pidfd;
	uint32_t run;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		struct dev_job *loop;
		struct dev d;
		int fd;

		if (dev_open(&d, "kill"))
			_exit(1);
		loop = job_of(&d, NULL, STEPS(STEP_SPIN));
		/* The second is queued behind the first, and never starts. */
		if (dev_submit(loop, NULL, &run) || dev_submit(loop, NULL, &run))
			_exit(2);
		fd = uapi_run_fd(d.fd, run);
		if (write(pipes[1], &fd, sizeof(fd)) != sizeof(fd))
			_exit(3);
		for (;;)
			pause();
	}
	ASSERT_EQ(sizeof(theirs), read(pipes[0], &theirs, sizeof(theirs)));
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	import.fd = syscall(SYS_pidfd_getfd, pidfd, theirs, 0);
	ASSERT_LE(0, import.fd);
	ASSERT_EQ(0, uapi_syncobj(self->d.fd, false, &import.handle));
	ASSERT_EQ(0, uapi_ioctl(self->d.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import));
	close(import.fd);
	how.in = import.handle;
	ASSERT_EQ(0, dev_submit(quick, &how, &run));
	EXPECT_EQ(-ETIME, uapi_wait(self->d.fd, run, uapi_in_ms(30)));
	kill_and_reap(_metadata, pid);
	ASSERT_EQ(0, dev_finish(&self->d, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, s.code);
	/* It never started: its kernel would have read what was never written. */
	EXPECT_EQ(0, s.launched_ns);
	dev_job_free(quick);
}

/* The file lives as long as one of its holders: the parent's close ends nothing. */
TEST_F(kill, last_holder_of_a_file_is_killed)
{
	int pipes[2], status;
	struct dev d;
	uint32_t run;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, dev_open(&d, "kill"));
	ASSERT_EQ(0, dev_submit(job_of(&d, NULL, STEPS(STEP_SPIN)), NULL, &run));
	ASSERT_EQ(0, uapi_wait_phase(d.fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	pid = fork();
	if (!pid) {
		uapi_wait(d.fd, run, UAPI_NO_TIMEOUT);
		_exit(1);
	}
	dev_close(&d);
	uapi_sleep_ms(50);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(-ETIME, dev_settled(self->d.fd, &self->base, 10));
	kill_and_reap(_metadata, pid);
	EXPECT_EQ(0, dev_settled(self->d.fd, &self->base, SETTLE_MS));
}

DEV_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Runs that never end by themselves: ended by the no-progress limit, by cancel, by the end of
 * their context, file or device; and runs that are only slow, which must live (FL-3, U9, F117).
 */
#include "common_harness.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS	300
#define LIMIT		"no_progress_ms=300"
#define TURNS		20000		/* of a loop between two heartbeats: far below the limit */

FIXTURE(hang)
{
	struct dev d;
	struct dev_job *loop;		/* DM0 of core 1,2 loops for ever */
};

FIXTURE_SETUP(hang)
{
	ASSERT_EQ(0, soft_open(&self->d, "hang", LIMIT));
	ASSERT_NE(NULL, dev_script(&self->d, TSR_PROC_DM0));
	self->loop = dev_job(&self->d);
	dev_job_script(self->loop, TSR_PROC_DM0, 1, 2, STEPS(STEP_SPIN));
}

FIXTURE_TEARDOWN(hang)
{
	free(self->loop);
	soft_close(&self->d, "hang");
}

static uint64_t took_ms(const struct drm_tessera_status *s)
{
	return (s->retired_ns - s->launched_ns) / 1000000;
}

static void expect_code(struct __test_metadata *_metadata, struct dev *d, uint32_t run,
			uint32_t code)
{
	struct drm_tessera_status s;

	ASSERT_EQ(0, dev_finish(d, run, &s));
	EXPECT_EQ(code, s.code)
		dev_status_print(&s);
}

/* ---- The limit ------------------------------------------------------------------------------ */

TEST(limit_is_respected_within_ten_percent)
{
	struct drm_tessera_status s;
	struct dev_job *job;
	struct dev d;

	ASSERT_EQ(0, soft_open(&d, "limit", "no_progress_ms=2000"));
	ASSERT_EQ(2000, d.info.limits.no_progress_ms);
	job = dev_job(&d);
	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_SPIN));
	ASSERT_EQ(0, dev_execute(job, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code);
	/* Earlier: work is declared hung that was not. Later: users wait longer than told. */
	EXPECT_LE(1990, took_ms(&s));
	EXPECT_GE(2200, took_ms(&s));
	dev_job_free(job);
	soft_close(&d, "limit");
}

/* How many beats of TURNS take @ms on this machine. What else it does makes it slower, never faster. */
static uint32_t beats_for(struct __test_metadata *_metadata, struct dev *d, uint32_t ms)
{
	uint64_t ns, best = UINT64_MAX;
	struct drm_tessera_status s;
	uint32_t n = 16;

	for (int tries = 0; tries < 3;) {
		ASSERT_EQ(0, dev_steps(d, TSR_PROC_DM0, 0, 0, STEPS(STEP_BEAT, n, TURNS), &s));
		ASSERT_EQ(DRM_TESSERA_CODE_OK, s.code);
		ns = s.completed_ns - s.launched_ns;
		if (ns <= 40000000) {
			n *= 2;
			best = UINT64_MAX;
			continue;
		}
		best = ns < best ? ns : best;
		tries++;
	}
	return (uint32_t)(n * (ms * 1000000ull) / best) + 1;
}

TEST_F(hang, slow_run_with_heartbeats_outlives_the_limit)
{
	uint32_t beats = beats_for(_metadata, &self->d, 6 * LIMIT_MS);
	struct drm_tessera_counters c;
	struct drm_tessera_status s;

	ASSERT_EQ(0, dev_steps(&self->d, TSR_PROC_DM0, 0, 0, STEPS(STEP_BEAT, beats, TURNS), &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_LT(LIMIT_MS * 3 / 2, took_ms(&s))
		TH_LOG("not slow enough to say anything");
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c));
	/* 1: ended although it progressed. */
	EXPECT_EQ(0, c.timeouts);
}

TEST_F(hang, the_same_work_without_heartbeats_is_ended)
{
	uint32_t beats = beats_for(_metadata, &self->d, 10 * LIMIT_MS);
	struct drm_tessera_status s;

	ASSERT_EQ(0, dev_steps(&self->d, TSR_PROC_DM0, 0, 0, STEPS(STEP_WORK, beats * TURNS), &s));
	EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code);
	EXPECT_EQ(TSR_STALL_RUNNING, s.stall.stall_class);
}

/* Who waits while another core works is not hung: progress is the run's, not the core's. */
TEST_F(hang, wait_for_a_slow_core_is_no_deadlock)
{
	uint32_t beats = beats_for(_metadata, &self->d, 6 * LIMIT_MS);
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(WAIT_SEM(3, 1)));
	dev_job_script(job, TSR_PROC_DM0, 1, 0,
		       STEPS(STEP_BEAT, beats, TURNS,
			     NOC_CORE(0, 0, SEM_REG(3, TSR_SEM_VALUE), 1, 4, TSR_NOC_CMD_SEM_INC)));
	dev_job_semaphore(job, 3, 0);
	ASSERT_EQ(0, dev_execute(job, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code)
		dev_status_print(&s);
	EXPECT_LT(LIMIT_MS * 3 / 2, took_ms(&s));
	dev_job_free(job);
}

/* The limit counts from the launch: time in the queue is nobody's fault. */
TEST_F(hang, short_run_behind_a_slow_one_is_not_timed_out)
{
	uint32_t beats = beats_for(_metadata, &self->d, 6 * LIMIT_MS);
	struct dev_job *slow = dev_job(&self->d), *quick = dev_job(&self->d);
	struct dev_submit other = { 0 };
	struct drm_tessera_counters c;
	uint32_t run[4];

	dev_job_script(slow, TSR_PROC_DM0, 0, 0, STEPS(STEP_BEAT, beats, TURNS));
	dev_job_script(quick, TSR_PROC_DM0, 0, 0, STEPS(STEP_WORK, 1));
	ASSERT_EQ(0, uapi_context(self->d.fd, 0, &other.ctx));
	ASSERT_EQ(0, dev_submit(slow, NULL, &run[0]));
	ASSERT_EQ(0, dev_submit(quick, NULL, &run[1]));
	ASSERT_EQ(0, dev_submit(quick, &other, &run[2]));
	ASSERT_EQ(0, dev_submit(quick, &other, &run[3]));
	for (int i = 0; i < 4; i++)
		expect_code(_metadata, &self->d, run[i], DRM_TESSERA_CODE_OK);
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c));
	EXPECT_EQ(0, c.timeouts);
	dev_job_free(slow);
	dev_job_free(quick);
}

/* ---- Where it stands ------------------------------------------------------------------------ */

/*
 * Ready-but-idle and dispatch-starved cannot be provoked on this device: it gives every processor
 * a slice before any gets a second one, and hands out everything at the launch. Their rows are
 * in the classifier's own test.
 */
TEST_F(hang, record_counts_who_is_through_runs_and_waits)
{
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;

	for (uint16_t y = 0; y < 2; y++) {
		for (uint16_t x = 0; x < 4; x++) {
			if (x == 2 && y == 0)
				dev_job_script(job, TSR_PROC_DM0, x, y, STEPS(WAIT_SEM(0, 7)));
			else if (x == 3 && y == 1)
				dev_job_script(job, TSR_PROC_DM0, x, y, STEPS(STEP_SPIN));
			else
				dev_job_script(job, TSR_PROC_DM0, x, y, STEPS(STEP_WORK, 10));
		}
	}
	dev_job_semaphore(job, 0, 0);
	ASSERT_EQ(0, dev_execute(job, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code);
	/* One still executes: a deadlock it is not, whatever the others wait for. */
	EXPECT_EQ(TSR_STALL_RUNNING, s.stall.stall_class);
	EXPECT_EQ(8, s.stall.cores_total);
	EXPECT_EQ(6, s.stall.cores_completed);
	EXPECT_EQ(1, s.stall.running);
	EXPECT_EQ(1, s.stall.waiting);
	EXPECT_EQ(0, s.stall.ready);
	/* The one that waits is named: a deadlock's victim shows what is missing. */
	EXPECT_EQ(2, s.stall.stuck_x);
	EXPECT_EQ(0, s.stall.stuck_y);
	EXPECT_EQ(2, s.stall.stuck_kernel);
	EXPECT_EQ(SEM_REG(0, TSR_SEM_WAIT_MIN), s.stall.stuck_address);
	dev_job_free(job);
}

TEST_F(hang, wait_for_pages_that_never_come_is_a_deadlock)
{
	struct dev_job *job = dev_job(&self->d);
	uint32_t reg = TSR_REG_CB + 4 * TSR_CB_STRIDE + TSR_CB_WAIT;
	struct drm_tessera_status s;

	dev_job_script(job, TSR_PROC_DM0, 3, 3, STEPS(STEP_STORE, reg, 1));
	dev_job_cb(job, 4, 64, 2, TSR_FORMAT_RAW);
	ASSERT_EQ(0, dev_execute(job, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code);
	EXPECT_EQ(TSR_STALL_DEADLOCK, s.stall.stall_class);
	EXPECT_EQ(reg, s.stall.stuck_address);
	EXPECT_EQ(3, s.stall.stuck_x);
	EXPECT_EQ(3, s.stall.stuck_y);
	dev_job_free(job);
}

/* ---- Out-fences ------------------------------------------------------------------------------ */

/** struct doomed - a launched loop with both kinds of fences, and a run queued behind it */
struct doomed {
	uint32_t run[2], sync[2];
	int fd[2];
};

static void doom(struct __test_metadata *_metadata, struct dev_job *loop, uint32_t ctx,
		 struct doomed *ret)
{
	struct dev *d = loop->d;

	for (int i = 0; i < 2; i++) {
		struct dev_submit how = { .ctx = ctx };

		ASSERT_EQ(0, uapi_syncobj(d->fd, false, &ret->sync[i]));
		how.out = ret->sync[i];
		ASSERT_EQ(0, dev_submit(loop, &how, &ret->run[i]));
		ret->fd[i] = uapi_run_fd(d->fd, ret->run[i]);
		ASSERT_LE(0, ret->fd[i]);
		if (!i) {
			ASSERT_EQ(0, uapi_wait_phase(d->fd, ret->run[0],
						     DRM_TESSERA_PHASE_LAUNCHED));
		}
	}
}

/* Both fences of both runs carry this error, in bounded time: 1 would be a lie, a wait a hang. */
static void expect_fences(struct __test_metadata *_metadata, struct dev *d, struct doomed *doomed,
			  int error)
{
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(error, dev_fd_error(doomed->fd[i], 5000));
		close(doomed->fd[i]);
		if (d) {
			EXPECT_EQ(error, dev_sync_error(d, doomed->sync[i], 5000));
		}
	}
}

TEST_F(hang, fences_of_a_timed_out_run_carry_the_error)
{
	struct doomed doomed;

	doom(_metadata, self->loop, 0, &doomed);
	expect_fences(_metadata, &self->d, &doomed, -ETIME);
	expect_code(_metadata, &self->d, doomed.run[0], DRM_TESSERA_CODE_NO_PROGRESS);
	expect_code(_metadata, &self->d, doomed.run[1], DRM_TESSERA_CODE_NO_PROGRESS);
	EXPECT_EQ(0, dev_good_run(&self->d));
}

/* The other ends of a loop are tried on a device whose limit does not interfere. */
FIXTURE(loop)
{
	struct dev d;
	struct dev_job *job;
};

FIXTURE_SETUP(loop)
{
	ASSERT_EQ(0, soft_open(&self->d, "loop", "no_progress_ms=60000"));
	ASSERT_NE(NULL, dev_script(&self->d, TSR_PROC_DM0));
	self->job = dev_job(&self->d);
	dev_job_script(self->job, TSR_PROC_DM0, 1, 2, STEPS(STEP_SPIN));
}

FIXTURE_TEARDOWN(loop)
{
	free(self->job);
	soft_close(&self->d, "loop");
}

TEST_F(loop, cancel_stops_a_launched_run)
{
	struct drm_tessera_status s;
	struct doomed doomed;

	doom(_metadata, self->job, 0, &doomed);
	EXPECT_EQ(0, uapi_cancel(self->d.fd, doomed.run[1]));
	/* Not yet launched: over at once, while the loop is still there. */
	ASSERT_EQ(0, uapi_end(self->d.fd, doomed.run[1], &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, s.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_CANCELLED, s.code);
	EXPECT_EQ(0, s.launched_ns);
	EXPECT_EQ(-ETIME, uapi_wait(self->d.fd, doomed.run[0], uapi_in_ms(20)));
	EXPECT_EQ(0, uapi_cancel(self->d.fd, doomed.run[0]));
	EXPECT_EQ(0, uapi_cancel(self->d.fd, doomed.run[0]));
	expect_fences(_metadata, &self->d, &doomed, -ECANCELED);
	ASSERT_EQ(0, uapi_end(self->d.fd, doomed.run[0], &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_STOPPED, s.code);
	EXPECT_EQ(TSR_STALL_RUNNING, s.stall.stall_class);
	EXPECT_EQ(1, s.stall.stuck_x);
	EXPECT_EQ(2, s.stall.stuck_y);
	EXPECT_EQ(0, dev_good_run(&self->d));
}

/* Progress for ever is no hang; it can be stopped by who sees it, with what else there is. */
TEST_F(hang, heartbeats_for_ever_end_by_cancel)
{
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;
	uint32_t run;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_BEAT, 0xffffffff, 100));
	ASSERT_EQ(0, dev_submit(job, NULL, &run));
	EXPECT_EQ(-ETIME, uapi_wait(self->d.fd, run, uapi_in_ms(3 * LIMIT_MS)));
	EXPECT_EQ(0, uapi_cancel(self->d.fd, run));
	ASSERT_EQ(0, dev_finish(&self->d, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_STOPPED, s.code);
	EXPECT_EQ(TSR_STALL_RUNNING, s.stall.stall_class);
	EXPECT_EQ(0, dev_good_run(&self->d));
	dev_job_free(job);
}

TEST_F(loop, destroyed_context_stops_its_launched_run)
{
	struct drm_tessera_counters base;
	struct doomed doomed;
	uint32_t ctx;

	ASSERT_EQ(0, dev_job_program(self->job));
	ASSERT_EQ(0, uapi_counters(self->d.fd, &base));
	ASSERT_EQ(0, uapi_context(self->d.fd, 0, &ctx));
	doom(_metadata, self->job, ctx, &doomed);
	EXPECT_EQ(0, uapi_context_destroy(self->d.fd, ctx));
	expect_fences(_metadata, &self->d, &doomed, -ECANCELED);
	uapi_syncobj_destroy(self->d.fd, doomed.sync[0]);
	uapi_syncobj_destroy(self->d.fd, doomed.sync[1]);
	expect_code(_metadata, &self->d, doomed.run[0], DRM_TESSERA_CODE_CONTEXT_GONE);
	expect_code(_metadata, &self->d, doomed.run[1], DRM_TESSERA_CODE_CONTEXT_GONE);
	EXPECT_EQ(0, dev_settled(self->d.fd, &base, 3000));
	EXPECT_EQ(0, dev_good_run(&self->d));
}

TEST_F(loop, closed_file_stops_its_launched_run)
{
	struct drm_tessera_counters base;
	struct doomed doomed;
	struct dev other;
	struct dev_job *job;

	ASSERT_EQ(0, uapi_counters(self->d.fd, &base));
	ASSERT_EQ(0, dev_open(&other, "loop"));
	job = dev_job(&other);
	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_SPIN));
	doom(_metadata, job, 0, &doomed);
	dev_close(&other);
	expect_fences(_metadata, NULL, &doomed, -ECANCELED);
	EXPECT_EQ(0, dev_settled(self->d.fd, &base, 3000));
	EXPECT_EQ(0, dev_good_run(&self->d));
	free(job);
}

TEST_F(loop, unplugged_device_ends_its_launched_run)
{
	struct drm_tessera_counters c;
	struct doomed doomed;

	doom(_metadata, self->job, 0, &doomed);
	EXPECT_EQ(0, soft_write("loop", "enable", "0"));
	expect_fences(_metadata, NULL, &doomed, -ENODEV);
	/* The file is of a device that is gone: nothing else is said any more. */
	EXPECT_EQ(-ENODEV, uapi_counters(self->d.fd, &c));
	EXPECT_EQ(-ENODEV, uapi_wait(self->d.fd, doomed.run[0], 0));
	/* And a new one of that name is another device. */
	EXPECT_EQ(0, soft_write("loop", "enable", "1"));
	EXPECT_EQ(-ENODEV, uapi_counters(self->d.fd, &c));
	dev_close(&self->d);
	ASSERT_EQ(0, dev_open(&self->d, "loop"));
	EXPECT_EQ(0, dev_good_run(&self->d));
}

/* A waiter that sleeps is woken by the end that another thread or process brings about. */
TEST_F(loop, waiter_wakes_when_the_run_is_cancelled)
{
	struct drm_tessera_status s;
	uint32_t run;
	int status;
	pid_t pid;

	ASSERT_EQ(0, dev_submit(self->job, NULL, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->d.fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	pid = fork();
	if (!pid)
		_exit(uapi_wait(self->d.fd, run, UAPI_NO_TIMEOUT) ? 1 : 0);
	uapi_sleep_ms(50);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	EXPECT_EQ(0, uapi_cancel(self->d.fd, run));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, dev_finish(&self->d, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_STOPPED, s.code);
}

/* ---- The bystander --------------------------------------------------------------------------- */

/* Runs of its own, one after the other, until it is told to stop. Returns how many went wrong. */
static int bystander(int stop)
{
	struct pollfd told = { .fd = stop, .events = POLLIN };
	struct drm_tessera_status s;
	struct dev_job *job;
	int wrong = 0, right = 0;
	struct dev d;

	if (dev_open(&d, "hang"))
		return 100;
	job = dev_job(&d);
	dev_job_kernel(job, dev_script(&d, TSR_PROC_DM0), NULL, STEPS(STEP_WORK, 5000));
	while (!poll(&told, 1, 0)) {
		if (dev_execute(job, &s) || s.code != DRM_TESSERA_CODE_OK)
			wrong++;
		else
			right++;
	}
	if (wrong)
		dev_status_print(&s);
	return right > 0 ? wrong : 101;
}

TEST_F(hang, another_process_goes_on_while_runs_hang)
{
	struct drm_tessera_status s;
	int pipes[2], status;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid)
		_exit(bystander(pipes[0]));
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, dev_execute(self->loop, &s));
		EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, s.code);
		/*
		 * The other's runs before and after do not count as this one's progress, or it
		 * would go on for ever. (How exact the limit is, says the test of it; here the
		 * machine is busy.)
		 */
		EXPECT_GE(5000, took_ms(&s));
	}
	ASSERT_EQ(1, write(pipes[1], "x", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status)
		TH_LOG("%d runs of the bystander failed", WEXITSTATUS(status));
}

DEV_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Stops that are not proven and resets that fail (FL-6..FL-8): memory stays where cores may reach
 * it, everybody is told in bounded time, and nobody is told more than is true.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_fault.h"
#include "common_harness.h"

#define MB		(1ull << 20)
#define WITHIN_MS	1000

FIXTURE(reset) {
	struct fault f;
};

FIXTURE_SETUP(reset)
{
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=20000"));
}

FIXTURE_TEARDOWN(reset)
{
	fault_close(&self->f);
}

static void expect_end(struct __test_metadata *_metadata, int fd, __u32 run, __u32 phase,
		       __u32 code, struct drm_tessera_status *s)
{
	ASSERT_EQ(0, uapi_end(fd, run, s));
	EXPECT_EQ(phase, s->phase);
	EXPECT_EQ(code, s->code)
		dev_status_print(s);
}

/* FL-8: a bounded number of attempts; the generation counts those that were confirmed. */
TEST_F(reset, fails_twice_and_works)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	__u32 run[2];

	ASSERT_EQ(0, fault_plan(f, "record drop; reset fail count=2"));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[0]));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->other, f->program, &run[1]));
	*f->gate.word = 1;
	expect_end(_metadata, f->fd, run[0], DRM_TESSERA_PHASE_RETIRED,
		   DRM_TESSERA_CODE_NO_RECORD, &s);
	expect_end(_metadata, f->fd, run[1], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK, &s);
	EXPECT_EQ(1, s.reset_generation);
	EXPECT_EQ(2, fault_hits(f, 1));
	/* 3: failed attempts are counted as resets. 0: it gave up early. */
	EXPECT_EQ(1, fault_counters(f).resets);
	EXPECT_EQ(1, fault_info(f).reset_generation);
	EXPECT_EQ(DRM_TESSERA_HEALTH_GOOD, fault_info(f).health);
	EXPECT_EQ(0, fault_counters(f).runs_quarantined);
	EXPECT_TRUE(fault_good(f));
}

/* What was staged before a reset is staged again; where that fails, it alone does. */
TEST_F(reset, staged_run_cannot_be_staged_again)
{
	struct drm_tessera_device_reset args = { 0 };
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	__u32 run[3];

	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[0]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->other, f->program, &run[1]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[1], DRM_TESSERA_PHASE_STAGED));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->other, f->program, &run[2]));
	ASSERT_EQ(0, fault_plan(f, "stage fail"));
	ASSERT_EQ(0, uapi_ioctl(f->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	expect_end(_metadata, f->fd, run[0], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_RESET, &s);
	expect_end(_metadata, f->fd, run[1], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_STAGE, &s);
	EXPECT_EQ(DRM_TESSERA_CLASS_LOCAL, s.failure_class);
	/* It was staged once, and never launched. */
	EXPECT_LT(0, s.staged_ns);
	EXPECT_EQ(0, s.launched_ns);
	expect_end(_metadata, f->fd, run[2], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK, &s);
	EXPECT_EQ(1, fault_hits(f, 0));
	c = fault_counters(f);
	/* Unequal: the bank of the run that failed was not given back. */
	EXPECT_EQ(c.leases_taken, c.leases_returned);
	EXPECT_EQ(1, c.runs_failed_local);
	EXPECT_TRUE(fault_good(f));
}

/* Never works: wedged. Everybody is woken and told so; the kernel says one line. */
TEST_F(reset, never_works)
{
	enum { QUEUE = 4 };
	struct fault_actor waiters[QUEUE], submitter = { .f = &self->f, .ret = 1 };
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	int fences[QUEUE];
	__u32 run, sync;
	__s64 start;

	ASSERT_EQ(0, fault_plan(f, "record drop; reset fail count=0"));
	ASSERT_EQ(0, uapi_context(f->fd, QUEUE, &submitter.ctx));
	for (int i = 0; i < QUEUE; i++) {
		waiters[i] = (struct fault_actor){ .f = f, .ret = 1 };
		ASSERT_EQ(0, uapi_gate_submit(f->fd, submitter.ctx, &f->gate, &waiters[i].run));
		fences[i] = uapi_run_fd(f->fd, waiters[i].run);
		ASSERT_LE(0, fences[i]);
		ASSERT_EQ(0, pthread_create(&waiters[i].thread, NULL, fault_waits,
					    &waiters[i]));
	}
	ASSERT_EQ(0, pthread_create(&submitter.thread, NULL, fault_submits, &submitter));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, waiters[1].run, DRM_TESSERA_PHASE_STAGED));
	uapi_sleep_ms(50);
	ASSERT_EQ(1, submitter.ret);
	start = uapi_now();
	*f->gate.word = 1;
	pthread_join(submitter.thread, NULL);
	EXPECT_GT(WITHIN_MS, (submitter.back - start) / 1000000);
	EXPECT_EQ(-EIO, submitter.ret);
	for (int i = 0; i < QUEUE; i++) {
		pthread_join(waiters[i].thread, NULL);
		EXPECT_EQ(0, waiters[i].ret);
		EXPECT_GT(WITHIN_MS, (waiters[i].back - start) / 1000000);
		EXPECT_EQ(-EIO, dev_fd_error(fences[i], WITHIN_MS));
		close(fences[i]);
	}
	/* The one that met it: unproven, so it is kept. The others were never launched. */
	expect_end(_metadata, f->fd, waiters[0].run, DRM_TESSERA_PHASE_QUARANTINED,
		   DRM_TESSERA_CODE_NO_RECORD, &s);
	for (int i = 1; i < QUEUE; i++) {
		expect_end(_metadata, f->fd, waiters[i].run, DRM_TESSERA_PHASE_CANCELLED,
			   DRM_TESSERA_CODE_WEDGED, &s);
		EXPECT_EQ(0, s.launched_ns);
		EXPECT_EQ(0, s.reset_generation);
	}
	EXPECT_EQ(-EIO, uapi_submit_program(f->fd, f->other, f->program, &run));
	EXPECT_EQ(-EIO, uapi_claim(f->fd, f->other, DRM_TESSERA_CLAIM_NONBLOCK, 0));
	EXPECT_EQ(DRM_TESSERA_HEALTH_WEDGED, fault_info(f).health);
	/* 1: a generation that never was. */
	EXPECT_EQ(0, fault_info(f).reset_generation);
	c = fault_counters(f);
	EXPECT_EQ(0, c.resets);
	EXPECT_EQ(1, c.runs_quarantined);
	EXPECT_EQ(1, c.runs_launched);
	EXPECT_EQ(QUEUE - 1, c.runs_cancelled);
	EXPECT_EQ(c.leases_taken, c.leases_returned);
	/* Attempts: more than one, and not many. */
	EXPECT_LE(2, fault_hits(f, 1));
	EXPECT_GE(10, fault_hits(f, 1));
	/* Everything but runs is still there. */
	EXPECT_EQ(0, uapi_syncobj(f->fd, true, &sync));
}

/* Not stopped, but reset: proof. Released at exactly that generation, and nothing moves. */
TEST_F(reset, proves_a_stop_that_failed)
{
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	struct uapi_gate writer;
	__u32 run[2];
	int fd = uapi_open(f->name);
	__u32 ctx;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, uapi_context(fd, 0, &ctx));
	ASSERT_EQ(0, fault_writer(fd, &writer));
	ASSERT_EQ(0, fault_plan(f, "quiesce fail; reset fail count=2"));
	ASSERT_EQ(0, uapi_gate_submit(fd, ctx, &writer, &run[0]));
	ASSERT_EQ(0, uapi_wait_phase(fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->ctx, f->program, &run[1]));
	EXPECT_TRUE(fault_writes(&writer));
	ASSERT_EQ(0, uapi_cancel(fd, run[0]));
	expect_end(_metadata, fd, run[0], DRM_TESSERA_PHASE_RETIRED,
		   DRM_TESSERA_CODE_STOP_UNPROVEN, &s);
	EXPECT_EQ(DRM_TESSERA_CLASS_DEVICE, s.failure_class);
	/* 0: ended before the reset that proves it was confirmed. */
	EXPECT_EQ(1, s.reset_generation);
	/* Moves: ended, and its memory given back, while a core writes to it. */
	EXPECT_FALSE(fault_writes(&writer));
	expect_end(_metadata, f->fd, run[1], DRM_TESSERA_PHASE_RETIRED, DRM_TESSERA_CODE_OK, &s);
	EXPECT_EQ(1, s.reset_generation);
	munmap((void *)writer.word, 4096);
	close(fd);
	ASSERT_EQ(0, uapi_settle(f->fd));
	uapi_sleep_ms(50);
	c = fault_counters(f);
	/* 1: memory whose run is proven stopped is kept. */
	EXPECT_EQ(0, c.buffers);
	EXPECT_EQ(0, c.runs_quarantined);
	EXPECT_EQ(1, c.resets);
}

/* The record says success, the stop is unproven: whose verdict, and what of the outputs? */
TEST_F(reset, unproven_stop_is_no_success)
{
	static const char *const plans[] = {
		"completion drop; quiesce fail", "completion drop; quiesce fail; record drop",
		"completion drop; quiesce fail; reset fail count=0",
	};
	struct fault *f = &self->f;
	struct drm_tessera_status s;

	fault_close(f);
	ASSERT_EQ(0, fault_open(f, "no_progress_ms=200"));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(plans); i++) {
		ASSERT_EQ(0, fault_plan(f, plans[i]));
		ASSERT_EQ(0, fault_run(f, f->ctx, &s));
		EXPECT_EQ(DRM_TESSERA_CODE_STOP_UNPROVEN, s.code);
		EXPECT_EQ(i < 2 ? DRM_TESSERA_PHASE_RETIRED : DRM_TESSERA_PHASE_QUARANTINED,
			  s.phase);
		/* RECORD: the status contradicts itself. */
		EXPECT_EQ(DRM_TESSERA_VERDICT_DRIVER, s.verdict_source);
		/* 0: somebody takes outputs that a core may still write to. */
		EXPECT_NE(0, s.flags & DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED);
		EXPECT_EQ(i < 2 ? i + 1 : 2, s.reset_generation);
	}
	EXPECT_EQ(0, fault_counters(f).timeouts);
}

static long long shmem_kb(void)
{
	long long kb = -1;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Shmem: %lld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* A buffer of 32 MB for the writer, filled: what a run keeps that is not proven stopped. */
static int big_writer(int fd, struct uapi_gate *ret)
{
	struct tessera_bind bind = { .size = 32 * MB, .access = TESSERA_ACCESS_OUT };
	struct uapi_gate small;
	void *map;
	int err = fault_writer(fd, &small);

	if (!err)
		err = uapi_bo_map(fd, 32 * MB, &bind.handle, &map);
	if (err)
		return err;
	memset(map, 1, 32 * MB);
	*ret = small;
	ret->bo = bind.handle;
	ret->word = map;
	ret->dispatch = uapi_dispatch(&bind, 1, NULL, 0, &ret->dispatch_size);
	munmap((void *)small.word, 4096);
	return uapi_bo_close(fd, small.bo);
}

/*
 * Neither stopped nor reset: quarantined. The cores do write on, so the buffer must stay after
 * everybody has closed it, and go when the device goes: that stops them.
 */
TEST_F(reset, quarantine_outlives_close_and_ends_with_the_device)
{
	struct fault *f = &self->f;
	long long shmem = shmem_kb();
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	struct uapi_gate writer;
	__u32 run, ctx;
	int fd = uapi_open(f->name);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, uapi_context(fd, 0, &ctx));
	ASSERT_EQ(0, big_writer(fd, &writer));
	ASSERT_EQ(0, fault_plan(f, "quiesce fail; reset fail count=0"));
	ASSERT_EQ(0, uapi_gate_submit(fd, ctx, &writer, &run));
	ASSERT_EQ(0, uapi_wait_phase(fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_cancel(fd, run));
	expect_end(_metadata, fd, run, DRM_TESSERA_PHASE_QUARANTINED,
		   DRM_TESSERA_CODE_STOP_UNPROVEN, &s);
	EXPECT_EQ(0, s.reset_generation);
	EXPECT_EQ(DRM_TESSERA_HEALTH_WEDGED, fault_info(f).health);
	/* Stands: the fault plan stopped the cores after all, and what follows proves nothing. */
	EXPECT_TRUE(fault_writes(&writer));
	EXPECT_EQ(0, uapi_bo_close(fd, writer.bo));
	EXPECT_TRUE(fault_writes(&writer));
	munmap((void *)writer.word, 32 * MB);
	close(fd);
	uapi_sleep_ms(300);
	c = fault_counters(f);
	/* 0: freed under a core that writes to it. */
	EXPECT_EQ(1, c.buffers);
	EXPECT_EQ(1, c.runs_quarantined);
	EXPECT_EQ(1, c.runs);
	EXPECT_LE(30 * 1024, shmem_kb() - shmem);
	/* Its program too, and what it executes. */
	EXPECT_EQ(1, c.programs);
	EXPECT_EQ(1, c.images);
	ASSERT_EQ(0, soft_write(f->name, "enable", "0"));
	/* More: what stopping the device proves is not believed; a leak. */
	EXPECT_GT(8 * 1024, shmem_kb() - shmem);
}

#ifdef DRM_IOCTL_TESSERA_DEVICE_RESET
/* The same, and a later reset that works is the proof: back to good, everything released. */
TEST_F(reset, quarantine_ends_with_a_confirmed_reset)
{
	struct drm_tessera_device_reset args = { 0 };
	struct fault *f = &self->f;
	struct drm_tessera_counters c;
	struct drm_tessera_status s;
	struct uapi_gate writer;
	__u32 run;

	ASSERT_EQ(0, fault_writer(f->fd, &writer));
	ASSERT_EQ(0, fault_plan(f, "quiesce fail; reset fail count=0"));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &writer, &run));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_cancel(f->fd, run));
	expect_end(_metadata, f->fd, run, DRM_TESSERA_PHASE_QUARANTINED,
		   DRM_TESSERA_CODE_STOP_UNPROVEN, &s);
	/* While it fails it says so, and changes nothing. */
	EXPECT_EQ(-EIO, uapi_ioctl(f->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	EXPECT_EQ(0, fault_info(f).reset_generation);
	EXPECT_TRUE(fault_writes(&writer));
	ASSERT_EQ(0, uapi_bo_close(f->fd, writer.bo));
	ASSERT_EQ(0, fault_plan(f, "\n"));
	EXPECT_EQ(0, uapi_ioctl(f->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	EXPECT_EQ(1, fault_info(f).reset_generation);
	EXPECT_EQ(DRM_TESSERA_HEALTH_GOOD, fault_info(f).health);
	EXPECT_FALSE(fault_writes(&writer));
	munmap((void *)writer.word, 4096);
	ASSERT_EQ(0, uapi_settle(f->fd));
	uapi_sleep_ms(50);
	c = fault_counters(f);
	/* 1: what the reset proved is kept for ever. */
	EXPECT_EQ(0, c.buffers);
	EXPECT_EQ(1, c.resets);
	EXPECT_TRUE(fault_good(f));
	/* The status is what it was. */
	expect_end(_metadata, f->fd, run, DRM_TESSERA_PHASE_QUARANTINED,
		   DRM_TESSERA_CODE_STOP_UNPROVEN, &s);
}
#endif

/* The end of a wedged device, with its cores still at work, as root would do it, many times. */
TEST_F_TIMEOUT(reset, wedged_devices_go, 170)
{
	struct fault *f = &self->f;

	for (int i = 0; i < 10; i++) {
		struct drm_tessera_status s;
		struct uapi_gate writer;
		__u32 run;

		ASSERT_EQ(0, fault_writer(f->fd, &writer));
		ASSERT_EQ(0, fault_plan(f, "quiesce fail count=0; reset fail count=0"));
		ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &writer, &run));
		ASSERT_EQ(0, uapi_wait_phase(f->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
		/* Each second time it is the unplug that meets the failing stop. */
		if (i % 2) {
			ASSERT_EQ(0, uapi_cancel(f->fd, run));
			expect_end(_metadata, f->fd, run, DRM_TESSERA_PHASE_QUARANTINED,
				   DRM_TESSERA_CODE_STOP_UNPROVEN, &s);
		}
		EXPECT_EQ(0, soft_write(f->name, "enable", "0"));
		EXPECT_FALSE(fault_writes(&writer));
		munmap((void *)writer.word, 4096);
		munmap((void *)f->gate.word, 4096);
		f->gate.dispatch = NULL;
		fault_close(f);
		ASSERT_EQ(0, fault_open(f, "no_progress_ms=20000"));
	}
}

TEST_HARNESS_MAIN

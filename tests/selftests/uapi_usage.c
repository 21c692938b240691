// SPDX-License-Identifier: MIT
/*
 * Busy time and memory in fdinfo, attributes in sysfs (OB-3): right whatever becomes of a run. A sum
 * that grows at rest is one that was never closed; one that shrinks was counted twice before.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_event.h"
#include "common_fault.h"
#include "kselftest_harness.h"

#define LIMIT_MS	400

FIXTURE(usage) {
	struct fault f;
	uint32_t minor;
};

FIXTURE_SETUP(usage)
{
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=400"));
	self->minor = event_minor(self->f.fd);
}

FIXTURE_TEARDOWN(usage)
{
	fault_close(&self->f);
}

static long long number_in(const char *path, const char *key)
{
	char text[4096], *at = text;
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return -EIO;
	text[n] = '\0';
	if (key) {
		at = strstr(text, key);
		if (!at)
			return -ENOENT;
		at += strlen(key);
	}
	return strtoll(at, NULL, 10);
}

static long long fdinfo(int fd, const char *key)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return number_in(path, key);
}

static long long busy(int fd)
{
	return fdinfo(fd, "drm-engine-grid:\t");
}

static long long attribute(FIXTURE_DATA(usage) *self, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/class/accel/accel%u/%s", self->minor, name);
	return number_in(path, NULL);
}

/* It is not more after a while; the device says the same, for nobody else has used it. */
static void expect_busy(struct __test_metadata *_metadata, FIXTURE_DATA(usage) *self,
			long long least, long long most)
{
	long long ns = busy(self->f.fd);

	EXPECT_LE(least, ns);
	EXPECT_GE(most, ns);
	uapi_sleep_ms(30);
	EXPECT_EQ(ns, busy(self->f.fd));
	EXPECT_EQ(ns, attribute(self, "busy_ns"));
}

static long long took(const struct drm_tessera_status *s)
{
	return (long long)(s->completed_ns - s->launched_ns);
}

TEST_F(usage, grows_while_a_run_executes_and_is_exact_afterwards)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	long long now, before = 0;
	int other = uapi_open(f->name);
	__u32 run;

	EXPECT_EQ(0, busy(f->fd));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	for (int i = 0; i < 5; i++) {
		uapi_sleep_ms(10);
		now = busy(f->fd);
		EXPECT_LE(before + 10000000, now);
		before = now;
	}
	*f->gate.word = 1;
	ASSERT_EQ(0, uapi_end(f->fd, run, &s));
	ASSERT_EQ(0, uapi_settle(f->fd));
	EXPECT_LE(before, took(&s));
	expect_busy(_metadata, self, took(&s), took(&s));
	/* More: time of somebody else's. */
	EXPECT_EQ(0, busy(other));
	close(other);
}

TEST_F(usage, runs_add_up_and_contexts_may_go)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	long long sum = 0;
	__u32 ctx;

	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, uapi_context(f->fd, 0, &ctx));
		ASSERT_EQ(0, fault_run(f, ctx, &s));
		sum += took(&s);
		ASSERT_EQ(0, uapi_context_destroy(f->fd, ctx));
	}
	ASSERT_EQ(0, uapi_settle(f->fd));
	EXPECT_LT(0, sum);
	expect_busy(_metadata, self, sum, sum);
}

/* From launch to the end that somebody made: nothing is completed, and the clock stops. */
static void expect_ended(struct __test_metadata *_metadata, FIXTURE_DATA(usage) *self, __u32 run,
			 __u32 code)
{
	struct drm_tessera_status s;

	ASSERT_EQ(0, uapi_end(self->f.fd, run, &s));
	EXPECT_EQ(code, s.code);
	ASSERT_NE(0, s.launched_ns);
	expect_busy(_metadata, self, 1, (long long)(s.retired_ns - s.launched_ns));
}

TEST_F(usage, timeout)
{
	struct fault *f = &self->f;
	__u32 loop, run;

	ASSERT_EQ(0, uapi_loop_program(f->fd, &loop));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->ctx, loop, &run));
	expect_ended(_metadata, self, run, DRM_TESSERA_CODE_NO_PROGRESS);
	EXPECT_LE(LIMIT_MS * 1000000ll, busy(f->fd));
}

TEST_F(usage, cancelled_while_it_executes_and_before)
{
	struct fault *f = &self->f;
	__u32 run[2];

	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[0]));
	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[1]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_cancel(f->fd, run[1]));
	ASSERT_EQ(0, uapi_cancel(f->fd, run[0]));
	expect_ended(_metadata, self, run[0], DRM_TESSERA_CODE_STOPPED);
}

TEST_F(usage, reset_under_a_run)
{
	struct fault *f = &self->f;
	__u32 run;

	ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
	expect_ended(_metadata, self, run, DRM_TESSERA_CODE_RESET);
	EXPECT_EQ(1, attribute(self, "reset_generation"));
}

TEST_F(usage, stop_unproven_and_half_a_launch)
{
	static const struct {
		const char *plan;
		__u32 code;
	} tries[] = {
		{ "quiesce fail count=1; reset fail count=1", DRM_TESSERA_CODE_STOP_UNPROVEN },
		{ "launch_grid fail", DRM_TESSERA_CODE_LAUNCH_PARTIAL },
		{ "record drop count=1; reset fail count=2", DRM_TESSERA_CODE_NO_RECORD },
	};
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	long long most = 0;
	__u32 run;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(tries); i++) {
		ASSERT_EQ(0, fault_plan(f, tries[i].plan));
		*f->gate.word = 0;
		ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run));
		if (tries[i].code == DRM_TESSERA_CODE_STOP_UNPROVEN) {
			ASSERT_EQ(0, uapi_wait_phase(f->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
			ASSERT_EQ(0, uapi_cancel(f->fd, run));
		} else {
			*f->gate.word = 1;
		}
		ASSERT_EQ(0, uapi_end(f->fd, run, &s));
		EXPECT_EQ(tries[i].code, s.code)
			TH_LOG("%s", tries[i].plan);
		most += (long long)(s.retired_ns - s.launched_ns);
		expect_busy(_metadata, self, 1, most);
	}
}

/* Never launched: nothing was busy. */
TEST_F(usage, launch_that_did_not_begin)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;

	ASSERT_EQ(0, fault_plan(f, "launch_dispatch fail"));
	ASSERT_EQ(0, fault_run(f, f->ctx, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_LAUNCH, s.code);
	expect_busy(_metadata, self, 0, 0);
}

TEST_F(usage, memory_keys)
{
	struct fault *f = &self->f;
	/* In KiB, when it is a multiple. */
	long long before = fdinfo(f->fd, "drm-total-memory:\t");
	__u32 bo;

	ASSERT_LE(0, before);
	ASSERT_EQ(0, uapi_bo(f->fd, 4 << 20, &bo));
	EXPECT_LE(4, fdinfo(f->fd, "drm-total-memory:\t"));
	EXPECT_NE(before, fdinfo(f->fd, "drm-total-memory:\t"));
	ASSERT_EQ(0, uapi_bo_close(f->fd, bo));
	EXPECT_EQ(before, fdinfo(f->fd, "drm-total-memory:\t"));
	EXPECT_LE(0, fdinfo(f->fd, "drm-resident-memory:\t"));
}

TEST_F(usage, attributes_of_the_device)
{
	struct fault *f = &self->f;
	char path[96], text[32] = "";
	__u32 run[3];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/accel/accel%u/health", self->minor);
	file = fopen(path, "r");
	ASSERT_NE(NULL, file);
	EXPECT_NE(NULL, fgets(text, sizeof(text), file));
	fclose(file);
	EXPECT_STREQ("good\n", text);
	EXPECT_EQ(0, attribute(self, "reset_generation"));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[i]));
	EXPECT_EQ(3, attribute(self, "runs"));
	*f->gate.word = 1;
	ASSERT_EQ(0, uapi_settle(f->fd));
	EXPECT_EQ(0, attribute(self, "runs"));
	/* They go with the device. */
	soft_remove(f->name);
	EXPECT_EQ(-ENOENT, attribute(self, "runs"));
}

/* The pipeline and its runs in debugfs are those of the device. */
TEST_F(usage, debugfs)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	char path[160];
	__u32 run[2];

	if (access("/sys/kernel/debug/accel", R_OK))
		SKIP(return, "no debugfs");
	ASSERT_EQ(0, uapi_claim(f->fd, f->ctx, DRM_TESSERA_CLAIM_NONBLOCK, 0));
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[i]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[1], DRM_TESSERA_PHASE_STAGED));
	ASSERT_EQ(0, uapi_status(f->fd, run[0], &s));
	uapi_debugfs(self->minor, "pipeline", path, sizeof(path));
	EXPECT_EQ((long long)s.run_id, number_in(path, "launched: "));
	EXPECT_EQ(1, number_in(path, "staged: "));
	EXPECT_EQ((long long)s.run_id, number_in(path, "bank 0: run "));
	EXPECT_EQ((long long)s.context_id, number_in(path, "claim holder: "));
	uapi_debugfs(self->minor, "runs", path, sizeof(path));
	EXPECT_EQ((long long)s.context_id, number_in(path, "program\n"));
}

TEST_HARNESS_MAIN

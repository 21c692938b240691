// SPDX-License-Identifier: MIT
/* Tracepoints (OB-3): every change of a run's phase, in order, each once, with the run's numbers. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common_event.h"
#include "common_fault.h"
#include "common_rv32.h"
#include "kselftest_harness.h"

#define TRACING	"/sys/kernel/tracing"

FIXTURE(trace) {
	struct fault f;
	uint32_t minor;
	char dir[64];
	char text[65536];
};

static int set(FIXTURE_DATA(trace) *self, const char *name, const char *value)
{
	char path[160];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", self->dir, name);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return -errno;
	err = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

FIXTURE_SETUP(trace)
{
	snprintf(self->dir, sizeof(self->dir), TRACING "/instances/tessera%d", getpid());
	if (mkdir(self->dir, 0700))
		SKIP(return, "no tracefs");
	/* Names of tasks would need the scheduler's text patched while it runs. */
	ASSERT_EQ(0, set(self, "trace_options", "norecord-cmd"));
	ASSERT_EQ(0, set(self, "events/tessera/enable", "1"));
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=60000 image_slot=65536"));
	self->minor = event_minor(self->f.fd);
}

FIXTURE_TEARDOWN(trace)
{
	fault_close(&self->f);
	set(self, "events/tessera/enable", "0");
	rmdir(self->dir);
}

static void read_trace(FIXTURE_DATA(trace) *self)
{
	char path[160];
	size_t n = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/trace", self->dir);
	fd = open(path, O_RDONLY);
	while (fd >= 0 && (got = read(fd, self->text + n, sizeof(self->text) - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	self->text[n] = '\0';
}

/* "queued staged ...": what the trace says of that run, in its order. */
static const char *story(FIXTURE_DATA(trace) *self, __u64 run, char *ret)
{
	char want[64];

	snprintf(want, sizeof(want), ": accel%u run=%llu ", self->minor, run);
	*ret = '\0';
	read_trace(self);
	for (char *line = strtok(self->text, "\n"); line; line = strtok(NULL, "\n")) {
		char *at = strstr(line, want), *name = strstr(line, "tessera_run_");

		if (!at || !name)
			continue;
		strncat(ret, name + strlen("tessera_run_"),
			strcspn(name + strlen("tessera_run_"), ":"));
		strcat(ret, " ");
		at = strstr(line, "phase=");
		if (at) {
			strncat(ret, at, strcspn(at, "\n"));
			strcat(ret, " ");
		}
	}
	return ret;
}

TEST_F(trace, a_run_that_succeeds)
{
	struct drm_tessera_status s;
	char text[1024];

	ASSERT_EQ(0, fault_run(&self->f, self->f.ctx, &s));
	EXPECT_STREQ("queued staged launched complete end phase=retired code=0 poisoned_by=0 ",
		     story(self, s.run_id, text));
}

/* The thread that launched the run. */
static int launched_by(FIXTURE_DATA(trace) *self, __u64 run)
{
	char want[64];

	snprintf(want, sizeof(want), "tessera_run_launched: accel%u run=%llu ", self->minor, run);
	read_trace(self);
	for (char *line = strtok(self->text, "\n"); line; line = strtok(NULL, "\n")) {
		char *task = strchr(line, '-');

		if (strstr(line, want) && task)
			return atoi(task + 1);
	}
	return -1;
}

/* A program on all 16 cores with images of @size bytes. */
static int large_program(int fd, __u32 size, __u32 *ret)
{
	const __u32 code[] = { RV_EXIT(0) };
	struct uapi_prog *p = calloc(1, sizeof(*p));
	struct drm_tessera_device_info info;
	int err = uapi_info(fd, &info);

	if (!err) {
		uapi_prog_init(p, &info.limits, 0, 0, 3, 3);
		for (__u32 proc = 0; proc < 3; proc++) {
			uapi_add_kernel(p, proc, code, UAPI_ARRAY_SIZE(code));
			p->images[proc].mem_size = size;
		}
		err = uapi_prog_create(fd, p, ret);
	}
	free(p);
	return err;
}

/* SEC-5: a submitter launches what is small, and leaves to a worker what loads megabytes. */
TEST_F(trace, a_large_launch_is_a_workers)
{
	struct drm_tessera_status s;
	__u32 small, large, run;

	ASSERT_EQ(0, large_program(self->f.fd, 40 << 10, &small));
	ASSERT_EQ(0, large_program(self->f.fd, 48 << 10, &large));
	ASSERT_EQ(0, uapi_submit_program(self->f.fd, self->f.ctx, small, &run));
	ASSERT_EQ(0, uapi_end(self->f.fd, run, &s));
	EXPECT_EQ(getpid(), launched_by(self, s.run_id));
	ASSERT_EQ(0, uapi_submit_program(self->f.fd, self->f.ctx, large, &run));
	ASSERT_EQ(0, uapi_end(self->f.fd, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_NE(getpid(), launched_by(self, s.run_id));
}

TEST_F(trace, cancelled_before_and_stopped_after_its_launch)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	char text[1024], want[256];
	__u32 run[2];

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, uapi_gate_submit(f->fd, f->ctx, &f->gate, &run[i]));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[0], DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_wait_phase(f->fd, run[1], DRM_TESSERA_PHASE_STAGED));
	ASSERT_EQ(0, uapi_cancel(f->fd, run[1]));
	ASSERT_EQ(0, uapi_end(f->fd, run[1], &s));
	snprintf(want, sizeof(want), "queued staged end phase=cancelled code=%u poisoned_by=0 ",
		 DRM_TESSERA_CODE_CANCELLED);
	EXPECT_STREQ(want, story(self, s.run_id, text));
	ASSERT_EQ(0, uapi_cancel(f->fd, run[0]));
	ASSERT_EQ(0, uapi_end(f->fd, run[0], &s));
	snprintf(want, sizeof(want), "queued staged launched end phase=retired code=%u "
		 "poisoned_by=0 ", DRM_TESSERA_CODE_STOPPED);
	EXPECT_STREQ(want, story(self, s.run_id, text));
}

TEST_F(trace, quarantined_and_resets)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	char text[1024], want[256];

	ASSERT_EQ(0, fault_plan(f, "record drop count=1; reset fail count=3"));
	ASSERT_EQ(0, fault_run(f, f->ctx, &s));
	ASSERT_EQ(DRM_TESSERA_PHASE_QUARANTINED, s.phase);
	snprintf(want, sizeof(want), "queued staged launched complete end phase=quarantined "
		 "code=%u poisoned_by=0 ", DRM_TESSERA_CODE_NO_RECORD);
	EXPECT_STREQ(want, story(self, s.run_id, text));
	ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
	read_trace(self);
	snprintf(want, sizeof(want), "tessera_reset: accel%u generation=0 error=-5", self->minor);
	EXPECT_NE(NULL, strstr(self->text, want));
	snprintf(want, sizeof(want), "tessera_reset: accel%u generation=1 error=0", self->minor);
	EXPECT_NE(NULL, strstr(self->text, want));
}

TEST_F(trace, off_says_nothing)
{
	struct drm_tessera_status s;
	char text[1024];

	ASSERT_EQ(0, set(self, "events/tessera/enable", "0"));
	ASSERT_EQ(0, fault_run(&self->f, self->f.ctx, &s));
	EXPECT_STREQ("", story(self, s.run_id, text));
}

TEST_HARNESS_MAIN

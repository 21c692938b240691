// SPDX-License-Identifier: MIT
/*
 * Device print (DX-2): lines tagged with core and processor, whole, in the order in which each
 * processor printed them, of this run only.
 */
#include "common_harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM	(256 * 1024)

static const char *const procs[] = { "dm0", "dm1", "compute" };

FIXTURE(print)
{
	struct dev d;
	char *text;
};

FIXTURE_SETUP(print)
{
	ASSERT_EQ(0, dev_open(&self->d, NULL));
	ASSERT_TRUE(self->d.info.caps & DRM_TESSERA_CAP_PRINT);
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		ASSERT_NE(NULL, dev_script(&self->d, p));
	self->text = calloc(1, ROOM);
}

FIXTURE_TEARDOWN(print)
{
	free(self->text);
	dev_close(&self->d);
}

static int read_print(struct dev *d, uint32_t run, char *text)
{
	struct drm_tessera_run_diag diag = {
		.handle = run, .what = DRM_TESSERA_DIAG_PRINT, .size = ROOM - 1,
		.data = UAPI_PTR(text),
	};
	int err = uapi_ioctl(d->fd, DRM_IOCTL_TESSERA_RUN_DIAG, &diag);

	if (!err)
		text[diag.size < ROOM ? diag.size : ROOM - 1] = '\0';
	return err;
}

static void print_run(struct __test_metadata *_metadata, struct dev_job *job, char *text,
		      struct drm_tessera_status *ret)
{
	struct dev_submit how = { .flags = DRM_TESSERA_RUN_PRINT };
	uint32_t run;

	ASSERT_EQ(0, dev_submit(job, &how, &run));
	ASSERT_EQ(0, uapi_end(job->d->fd, run, ret));
	ASSERT_EQ(0, read_print(job->d, run, text));
	uapi_close_run(job->d->fd, run);
}

TEST_F(print, every_processor_of_every_core_has_its_lines)
{
	const struct tessera_limits *l = &self->d.info.limits;
	uint32_t next[TSR_PROCS_PER_CORE][TESSERA_MAX_CORES] = { 0 }, total = 0;
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;
	char *rest = self->text, *line;

	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		dev_job_kernel(job, dev_script(&self->d, p), NULL,
			       STEPS(STEP_PRINT, 0xabc0 + p, 4));
	print_run(_metadata, job, self->text, &s);
	ASSERT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_FALSE(s.flags & DRM_TESSERA_STATUS_DIAG_INCOMPLETE);
	while ((line = strsep(&rest, "\n")) && *line) {
		uint32_t x, y, cx, cy, p, id, of, core, proc;
		char tag[16], expected[200];
		int number;

		ASSERT_EQ(8, sscanf(line, "%u,%u %15[^:]: core %u,%u processor %u says %x, line %d",
				    &x, &y, tag, &cx, &cy, &p, &id, &number))
			TH_LOG("\"%s\"", line);
		ASSERT_EQ(1, sscanf(strrchr(line, ' '), " %u", &of));
		ASSERT_GT(TSR_PROCS_PER_CORE, p);
		for (proc = 0; strcmp(tag, procs[proc]); proc++)
			ASSERT_GT(TSR_PROCS_PER_CORE, proc + 1);
		/* The tag is the device's word, the text the kernel's: they agree. */
		EXPECT_EQ(p, proc);
		EXPECT_EQ(x, cx);
		EXPECT_EQ(y, cy);
		EXPECT_EQ(0xabc0 + p, id);
		core = y * l->grid_width + x;
		EXPECT_EQ((int)next[proc][core]++ - 1, number);
		snprintf(expected, sizeof(expected), "%u,%u %s: core %u,%u processor %u says "
			 "%08x, line %d of 4", x, y, procs[proc], x, y, proc, 0xabc0 + proc,
			 number);
		EXPECT_STREQ(expected, line);
		total++;
	}
	EXPECT_EQ(l->cores * TSR_PROCS_PER_CORE * 4, total);
	dev_job_free(job);
}

/* What a kernel said before it went wrong is what one wants to read then. */
TEST_F(print, last_words_of_a_faulting_run)
{
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;

	dev_job_script(job, TSR_PROC_DM1, 2, 0,
		       STEPS(STEP_PRINT, 1, 1,
			     STEP_STORE, TSR_REG_CORE + TSR_CORE_PRINT, 'h',
			     STEP_STORE, TSR_REG_CORE + TSR_CORE_PRINT, 'm', STEP_EBREAK));
	print_run(_metadata, job, self->text, &s);
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	/* The unfinished line, too. */
	EXPECT_STREQ("2,0 dm1: core 2,0 processor 1 says 00000001, line -1 of 1\n2,0 dm1: hm\n",
		     self->text);
	dev_job_free(job);
}

TEST_F(print, runs_do_not_hear_each_other)
{
	struct dev_submit how = { .flags = DRM_TESSERA_RUN_PRINT };
	struct dev_job *job[3];
	struct drm_tessera_status s;
	char expected[100];
	uint32_t run[3];

	for (uint32_t i = 0; i < 3; i++) {
		job[i] = dev_job(&self->d);
		dev_job_script(job[i], TSR_PROC_DM0, i, 1,
			       STEPS(STEP_WORK, 2000, STEP_PRINT, i, 1));
		ASSERT_EQ(0, dev_submit(job[i], &how, &run[i]));
	}
	for (uint32_t i = 0; i < 3; i++) {
		ASSERT_EQ(0, uapi_end(self->d.fd, run[i], &s));
		ASSERT_EQ(0, read_print(&self->d, run[i], self->text));
		snprintf(expected, sizeof(expected), "%u,1 dm0: core %u,1 processor 0 says %08x, "
			 "line -1 of 1\n", i, i, i);
		EXPECT_STREQ(expected, self->text);
		dev_job_free(job[i]);
	}
}

/* More than is kept: what there is, is whole lines from the beginning, and the status says so. */
TEST_F(print, too_much_is_cut_at_a_line)
{
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;
	size_t n;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_PRINT, 5, 2000));
	print_run(_metadata, job, self->text, &s);
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_TRUE(s.flags & DRM_TESSERA_STATUS_DIAG_INCOMPLETE);
	n = strlen(self->text);
	ASSERT_LT(1000, n);
	EXPECT_EQ('\n', self->text[n - 1]);
	EXPECT_EQ(self->text, strstr(self->text, "0,0 dm0: core 0,0 processor 0 says 00000005, "
				     "line -1 of 2000\n"));
	dev_job_free(job);
}

/* Long lines are split, bytes of any value go through, and an empty line is a line. */
TEST_F(print, odd_lines)
{
	struct dev_job *job = dev_job(&self->d);
	uint32_t steps[3 * 220], n = 0;
	struct drm_tessera_status s;
	char *line, *rest = self->text;
	size_t chars = 0;

#define PUT(c)	do { steps[n++] = STEP_STORE; steps[n++] = TSR_REG_CORE + TSR_CORE_PRINT; \
		     steps[n++] = (c); } while (0)
	PUT('\n');
	PUT('%');
	PUT('n');
	PUT('\n');
	for (int i = 0; i < 60; i++)
		PUT('a' + i % 26 + 0x100);	/* the low byte counts */
	PUT(0xe9);
	dev_job_script(job, TSR_PROC_DM0, 0, 0, steps, n);
	print_run(_metadata, job, self->text, &s);
	ASSERT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_STREQ("0,0 dm0: ", strsep(&rest, "\n"));
	EXPECT_STREQ("0,0 dm0: %n", strsep(&rest, "\n"));
	while ((line = strsep(&rest, "\n")) && *line) {
		EXPECT_EQ(0, strncmp(line, "0,0 dm0: ", 9));
		chars += strlen(line) - 9;
	}
	EXPECT_EQ(61, chars);
	dev_job_free(job);
}

TEST_F(print, without_the_flag_there_is_nothing_to_read)
{
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;
	uint32_t run;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_PRINT, 1, 3));
	ASSERT_EQ(0, dev_submit(job, NULL, &run));
	ASSERT_EQ(0, uapi_end(self->d.fd, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	EXPECT_EQ(-EOPNOTSUPP, read_print(&self->d, run, self->text));
	dev_job_free(job);
}

DEV_HARNESS_MAIN

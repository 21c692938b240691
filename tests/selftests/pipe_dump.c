// SPDX-License-Identifier: MIT
/* A failed run leaves a device core dump that tells where everything stood (FL-10). */
#include <drm/tessera_dump.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_dev.h"
#include "kselftest_harness.h"

FIXTURE(dump) {
	struct dev d;
	char *file;
	size_t size;
};

/* Writing to a dump removes it; devcoredump keeps one per device. */
static unsigned int remove_dumps(void)
{
	unsigned int removed = 0;
	glob_t found;

	if (glob("/sys/class/devcoredump/devcd*/data", 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_WRONLY);

		if (fd >= 0 && write(fd, "0", 1) == 1)
			removed++;
		close(fd);
	}
	globfree(&found);
	return removed;
}

static size_t read_dump(char **ret_data)
{
	size_t room = 4 << 20, n = 0;
	glob_t found;
	ssize_t got;
	int fd;

	/* A worker makes it. */
	for (int i = 0; glob("/sys/class/devcoredump/devcd*/data", 0, NULL, &found); i++) {
		if (i == 500)
			return 0;
		uapi_sleep_ms(10);
	}
	fd = open(found.gl_pathv[0], O_RDONLY);
	globfree(&found);
	*ret_data = malloc(room);
	while ((got = read(fd, *ret_data + n, room - n)) > 0)
		n += (size_t)got;
	close(fd);
	return n;
}

FIXTURE_SETUP(dump)
{
	remove_dumps();
	ASSERT_EQ(0, dev_open(&self->d, NULL));
}

FIXTURE_TEARDOWN(dump)
{
	remove_dumps();
	free(self->file);
	dev_close(&self->d);
}

static const struct tessera_dump *head_of(FIXTURE_DATA(dump) *self)
{
	return (const struct tessera_dump *)self->file;
}

static const struct drm_tessera_status *status_of(FIXTURE_DATA(dump) *self)
{
	return (const void *)(self->file + head_of(self)->header_size);
}

static const struct tessera_dump_core *core_of(FIXTURE_DATA(dump) *self, uint16_t x, uint16_t y)
{
	const struct tessera_dump *head = head_of(self);
	const char *at = self->file + head->header_size + head->status_size;

	for (uint32_t i = 0; i < head->cores; i++) {
		const struct tessera_dump_core *c = (const void *)(at + i * head->core_size);

		if (c->x == x && c->y == y)
			return c;
	}
	return NULL;
}

/* The word at an address of the core that the dump shows; 0 also where it is left out. */
static uint32_t word_at(FIXTURE_DATA(dump) *self, uint16_t x, uint16_t y, uint32_t address)
{
	const struct tessera_dump *head = head_of(self);
	const char *at = self->file + self->size - head->memory_size;
	uint32_t word = 0;

	for (uint32_t i = 0; i < head->memories; i++) {
		const struct tessera_dump_memory *m = (const void *)at;

		if (m->x == x && m->y == y && address - m->address < m->size)
			memcpy(&word, at + sizeof(*m) + (address - m->address), sizeof(word));
		at += sizeof(*m) + m->size;
	}
	return at == self->file + self->size ? word : 0xbad;
}

#define ASSERT_DUMP() do {									\
	self->size = read_dump(&self->file);							\
	ASSERT_LT(sizeof(struct tessera_dump), self->size);					\
	ASSERT_EQ(TESSERA_DUMP_MAGIC, head_of(self)->magic);					\
	ASSERT_EQ(TESSERA_DUMP_VERSION, head_of(self)->version);				\
	ASSERT_EQ(head_of(self)->header_size + head_of(self)->status_size +			\
		  head_of(self)->cores * head_of(self)->core_size +				\
		  head_of(self)->memory_size, self->size);					\
} while (0)

TEST_F_TIMEOUT(dump, fault_tells_run_kernel_and_registers, 150)
{
	const struct tessera_dump_core *core;
	struct drm_tessera_status s;

	/* A store to where nothing is. */
	ASSERT_EQ(0, dev_steps(&self->d, TSR_PROC_DM1, 1, 2, STEPS(STEP_STORE, 0x10, 1), &s));
	ASSERT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	ASSERT_DUMP();
	EXPECT_EQ(s.run_id, status_of(self)->run_id);
	EXPECT_EQ(s.fault.pc, status_of(self)->fault.pc);
	EXPECT_STREQ(self->d.info.name, head_of(self)->device);
	EXPECT_LT(0, strlen(head_of(self)->kernel));
	/* Other cores took no part, and have no record. */
	EXPECT_EQ(1, head_of(self)->cores);
	core = core_of(self, 1, 2);
	ASSERT_NE(NULL, core);
	EXPECT_EQ(s.fault.pc, core->procs[TSR_PROC_DM1].pc);
	EXPECT_EQ(0, core->procs[TSR_PROC_DM1].registers[0]);
	EXPECT_EQ(TESSERA_DUMP_OFF, core->procs[TSR_PROC_DM0].state);
}

TEST_F_TIMEOUT(dump, deadlock_tells_what_is_waited_for, 150)
{
	struct dev_job *job = dev_job(&self->d);
	const struct tessera_dump_core *core;
	struct drm_tessera_status s;
	struct drm_tessera_run_submit args;
	struct drm_tessera_run run;
	void *dispatch;
	uint32_t size;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(WAIT_SEM(3, 7)));
	dev_job_semaphore(job, 3, 5);
	dev_job_cb(job, 4, 64, 6, TSR_FORMAT_RAW);
	ASSERT_EQ(0, dev_job_program(job));
	dispatch = uapi_dispatch(NULL, 0, job->words, job->n_words, &size);
	uapi_run_init(&run, job->program);
	uapi_run_set_dispatch(&run, dispatch, size);
	run.time_limit_ms = 200;
	uapi_submit_init(&args, self->d.ctx, &run, 1);
	ASSERT_EQ(0, uapi_ioctl(self->d.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args));
	ASSERT_EQ(0, dev_finish(&self->d, run.handle, &s));
	ASSERT_EQ(DRM_TESSERA_CODE_TIME_LIMIT, s.code);
	ASSERT_DUMP();
	core = core_of(self, 0, 0);
	ASSERT_NE(NULL, core);
	EXPECT_EQ(TESSERA_DUMP_WAITING, core->procs[TSR_PROC_DM0].state);
	EXPECT_EQ(SEM_REG(3, TSR_SEM_WAIT_MIN), core->procs[TSR_PROC_DM0].wait_register);
	EXPECT_EQ(7, core->procs[TSR_PROC_DM0].wait_value);
	EXPECT_EQ(5, core->semaphores[3]);
	EXPECT_EQ(64, core->cbs[4].page_size);
	EXPECT_EQ(6, core->cbs[4].page_count);
	EXPECT_EQ(0, core->cbs[4].pushed);
	/* The memory of a core that is stuck, too. */
	EXPECT_NE(0, word_at(self, 0, 0, core->procs[TSR_PROC_DM0].pc & ~3u));
	free(dispatch);
	dev_job_free(job);
}

/* DX-2: what the core had written is there, though the scrub has cleared it since. */
TEST_F_TIMEOUT(dump, memory_of_the_core_that_faulted, 150)
{
	uint32_t end = TSR_L1_BASE + self->d.info.limits.l1_size, low = end - 8192;
	struct drm_tessera_status s;

	ASSERT_EQ(0, dev_steps(&self->d, TSR_PROC_DM1, 1, 2,
			       STEPS(STEP_STORE, low, 0xcafe0001, STEP_STORE, end - 4, 0xcafe0002,
				     STEP_STORE, 0x10, 1), &s));
	ASSERT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	ASSERT_DUMP();
	EXPECT_EQ(end, head_of(self)->memory_limit);
	EXPECT_EQ(end, head_of(self)->memory_end);
	EXPECT_EQ(0xcafe0001, word_at(self, 1, 2, low));
	EXPECT_EQ(0, word_at(self, 1, 2, low + 4));
	EXPECT_EQ(0xcafe0002, word_at(self, 1, 2, end - 4));
	/* Its program, too: the instruction at which it faulted. 0: the wrong core's memory. */
	EXPECT_NE(0, word_at(self, 1, 2, s.fault.pc & ~3u));
	/* Zeroes are left out: three lines, and the program with its words and stack. */
	EXPECT_GT(65536, head_of(self)->memory_size);
}

/* Bounded: a core that has filled its memory is cut, and the dump says where. */
TEST_F_TIMEOUT(dump, memory_is_cut, 150)
{
	uint32_t size = self->d.info.limits.l1_size, half = size / 2;
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;
	struct dev_buf ones;
	uint32_t low;

	ASSERT_EQ(0, dev_buf(&self->d, half, &ones));
	memset(ones.mem, 0x55, half);
	low = TSR_L1_BASE + half;
	dev_job_script(job, TSR_PROC_DM0, 0, 0,
		       STEPS(NOC_BUFFER(0, 0, low - 16384, half, TSR_NOC_CMD_READ),
			     STEP_STORE, 0x10, 1));
	dev_job_bind(job, TESSERA_ACCESS_IN, &ones);
	ASSERT_EQ(0, dev_execute(job, &s));
	ASSERT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	ASSERT_EQ(0x10, s.fault.address);
	ASSERT_DUMP();
	EXPECT_GT(head_of(self)->memory_limit, head_of(self)->memory_end);
	/* More than a line less than the bound: it stopped early. */
	EXPECT_GE(262144, head_of(self)->memory_size);
	EXPECT_LT(262144 - 2 * 512, head_of(self)->memory_size);
	EXPECT_EQ(0x55555555, word_at(self, 0, 0, head_of(self)->memory_end - 4));
	EXPECT_EQ(0, word_at(self, 0, 0, head_of(self)->memory_end));
	dev_job_free(job);
	dev_buf_free(&self->d, &ones);
}

TEST_F_TIMEOUT(dump, cancelled_run_leaves_none, 150)
{
	struct drm_tessera_status s;
	struct dev_job *job = dev_job(&self->d);
	uint32_t run;
	glob_t found;

	dev_job_script(job, TSR_PROC_DM0, 0, 0, STEPS(STEP_SPIN));
	ASSERT_EQ(0, dev_submit(job, NULL, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->d.fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, uapi_cancel(self->d.fd, run));
	ASSERT_EQ(0, dev_finish(&self->d, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_STOPPED, s.code);
	uapi_sleep_ms(200);
	EXPECT_EQ(GLOB_NOMATCH, glob("/sys/class/devcoredump/devcd*/data", 0, NULL, &found));
	dev_job_free(job);
}

struct remover {
	pthread_t thread;
	volatile bool stop;
	volatile unsigned int removed;
};

static void *remove_all_the_time(void *arg)
{
	struct remover *r = arg;

	while (!r->stop) {
		r->removed += remove_dumps();
		usleep(500);
	}
	return NULL;
}

/* Whether the kernel has said that since the file was opened, or last read. */
static bool kernel_said(int kmsg, const char *what)
{
	char line[8192];
	bool said = false;
	ssize_t n;

	while ((n = read(kmsg, line, sizeof(line) - 1)) > 0) {
		line[n] = '\0';
		said = said || strstr(line, what);
	}
	return said;
}

/* FL-11: whose runs fail at the very moment has done nothing that the kernel should complain of. */
TEST_F_TIMEOUT(dump, removed_while_runs_fail, 150)
{
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int64_t until = uapi_in_ms(60000);
	struct drm_tessera_status s;
	struct remover r = { 0 };
	uint32_t program, run;

	ASSERT_LE(0, kmsg);
	lseek(kmsg, 0, SEEK_END);
	ASSERT_EQ(0, uapi_exit_program(self->d.fd, 1, &program));
	ASSERT_EQ(0, pthread_create(&r.thread, NULL, remove_all_the_time, &r));
	while (r.removed < 100 && uapi_now() < until) {
		ASSERT_EQ(0, uapi_submit_program(self->d.fd, self->d.ctx, program, &run));
		ASSERT_EQ(0, dev_finish(&self->d, run, &s));
		EXPECT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	}
	r.stop = true;
	pthread_join(r.thread, NULL);
	/* Fewer: hardly ever one was made. */
	EXPECT_LT(20, r.removed);
	EXPECT_FALSE(kernel_said(kmsg, "devcoredump"));
	close(kmsg);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Memory of queued runs is charged to the cgroup of who submits them (RUN-14), and at its limit a
 * submit is refused: nobody is killed, and other cgroups go on.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_fault.h"
#include "common_rv32.h"
#include "kselftest_harness.h"

#define WORDS	4096u			/* of a run: 16 KiB that the driver copies */
#define ROOM	(4l << 20)		/* for runs, in the small cgroup */
#define WAS_FULL	1		/* what its eventfd adds up to */
#define HAS_ENDED	2
#define MANY	4000u			/* runs: far more than there is room for */

FIXTURE(memcg) {
	struct fault f;
	char root[64], small[96], other[96];
	int full, go;		/* eventfds from and to who fills the small one: no memory of its */
};

static int write_text(const char *dir, const char *name, const char *text)
{
	char path[160];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	err = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* A number: the only one of a file, or that behind @key. -1: none. */
static long read_number(const char *dir, const char *name, const char *key)
{
	char path[160], text[1024] = "", *at = text;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -1;
	close(fd);
	if (key) {
		at = strstr(text, key);
		at = at ? at + strlen(key) : NULL;
	}
	return at ? strtol(at, NULL, 10) : -1;
}

FIXTURE_SETUP(memcg)
{
	strcpy(self->root, "/tmp/tsr-cgroup-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->root));
	ASSERT_EQ(0, mount("none", self->root, "cgroup2", 0, NULL));
	if (write_text(self->root, "cgroup.subtree_control", "+memory"))
		SKIP(return, "a kernel without the memory controller");
	snprintf(self->small, sizeof(self->small), "%s/small%d", self->root, getpid());
	snprintf(self->other, sizeof(self->other), "%s/other%d", self->root, getpid());
	ASSERT_EQ(0, mkdir(self->small, 0755));
	ASSERT_EQ(0, mkdir(self->other, 0755));
	self->full = eventfd(0, 0);
	self->go = eventfd(0, 0);
	ASSERT_LE(0, self->full);
	ASSERT_LE(0, self->go);
	ASSERT_EQ(0, fault_open(&self->f, "words=4096 queue_capacity=4096 no_progress_ms=100000"));
}

FIXTURE_TEARDOWN(memcg)
{
	fault_close(&self->f);
	rmdir(self->small);
	rmdir(self->other);
	umount2(self->root, MNT_DETACH);
	rmdir(self->root);
}

/* A queue of one process: runs that bring many words. */
struct queue {
	int fd;
	__u32 ctx, program, size;
	void *dispatch;
	unsigned int accepted;
};

static int queue_open(FIXTURE_DATA(memcg) *self, struct queue *q)
{
	static const __u32 code[] = { RV_EXIT(0) };
	static const __u32 words[WORDS];
	struct drm_tessera_device_info info = fault_info(&self->f);
	struct uapi_prog p;

	memset(q, 0, sizeof(*q));
	q->fd = uapi_open(self->f.name);
	if (q->fd < 0 || uapi_context(q->fd, 0, &q->ctx))
		return -1;
	uapi_prog_init_core(&p, &info.limits);
	uapi_add_descriptor(&p, uapi_add_image(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code)), 0,
			    WORDS);
	q->dispatch = uapi_dispatch(NULL, 0, words, WORDS, &q->size);
	return q->dispatch ? uapi_prog_create(q->fd, &p, &q->program) : -1;
}

/* One run more, which nobody observes. */
static int queue_one(struct queue *q)
{
	struct drm_tessera_run_submit args;
	struct drm_tessera_run run;
	int err;

	uapi_run_init(&run, q->program);
	uapi_run_set_dispatch(&run, q->dispatch, q->size);
	uapi_submit_init(&args, q->ctx, &run, 1);
	args.flags = DRM_TESSERA_SUBMIT_NONBLOCK;
	err = uapi_ioctl(q->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args);
	if (err)
		return err;
	q->accepted++;
	return uapi_close_run(q->fd, run.handle);
}

static int close_gate(FIXTURE_DATA(memcg) *self)
{
	__u32 run;
	int err = uapi_gate_submit(self->f.fd, self->f.ctx, &self->f.gate, &run);

	return err ? err : uapi_wait_phase(self->f.fd, run, DRM_TESSERA_PHASE_LAUNCHED);
}

static int charged(void *arg)
{
	FIXTURE_DATA(memcg) *self = arg;
	struct queue q;
	long before, other;

	if (write_text(self->small, "cgroup.procs", "0") || queue_open(self, &q))
		return 1;
	before = read_number(self->small, "memory.current", NULL);
	other = read_number(self->other, "memory.current", NULL);
	for (int i = 0; i < 64; i++)
		if (queue_one(&q))
			return 2;
	/* Less: copies of words that nobody is charged for. */
	if (read_number(self->small, "memory.current", NULL) - before < 64l * WORDS * 4)
		return 3;
	if (read_number(self->other, "memory.current", NULL) != other)
		return 4;
	*self->f.gate.word = 1;
	if (uapi_settle(q.fd))
		return 5;
	/* More: they ended, and nobody has a handle, but they are still charged. */
	return read_number(self->small, "memory.current", NULL) - before < 32l * WORDS * 4 ? 0 : 6;
}

TEST_F(memcg, queued_runs_are_charged_to_the_submitter)
{
	ASSERT_EQ(0, close_gate(self));
	EXPECT_EQ(0, uapi_in_child(charged, self));
}

static int set_limit(FIXTURE_DATA(memcg) *self)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld",
		 read_number(self->small, "memory.current", NULL) + ROOM);
	return write_text(self->small, "memory.max", text);
}

static int fill(void *arg)
{
	FIXTURE_DATA(memcg) *self = arg;
	struct drm_tessera_counters c;
	unsigned int refused = 0;
	struct queue q;
	int err = 0;
	eventfd_t go;

	if (write_text(self->small, "cgroup.procs", "0") || queue_open(self, &q))
		return 1;
	/* From here on this process itself needs no more memory. */
	if (mlockall(MCL_CURRENT) || set_limit(self))
		return 2;
	/* After a refusal there may be a little room again: pages of others were given back. */
	while ((!err || err == -ENOMEM) && refused < 2 && q.accepted < MANY) {
		err = queue_one(&q);
		refused += err == -ENOMEM;
	}
	/* 0: memory without bound. Killed: the limit was paid for with a process. */
	if (err != -ENOMEM)
		return 3;
	if (q.accepted < 32 || q.accepted > ROOM / (WORDS * 4))
		return 4;
	/* A refusal changes nothing else (RUN-3). */
	if (uapi_context_counters(q.fd, q.ctx, &c) || c.runs_refused != 2 ||
	    c.runs_accepted != q.accepted || c.queue_depth != q.accepted)
		return 5;
	if (eventfd_write(self->full, WAS_FULL) || eventfd_read(self->go, &go))
		return 6;
	if (uapi_settle(q.fd))
		return 7;
	if (uapi_context_counters(q.fd, q.ctx, &c) || c.runs_retired != q.accepted)
		return 8;
	return queue_one(&q) || uapi_settle(q.fd) ? 9 : 0;
}

static int goes_on(void *arg)
{
	FIXTURE_DATA(memcg) *self = arg;
	struct drm_tessera_counters c;
	struct queue q;

	if (write_text(self->other, "cgroup.procs", "0") || queue_open(self, &q))
		return 1;
	for (int i = 0; i < 300; i++)
		if (queue_one(&q))
			return 2;
	*self->f.gate.word = 1;
	if (eventfd_write(self->go, 1) || uapi_settle(q.fd))
		return 3;
	return uapi_context_counters(q.fd, q.ctx, &c) || c.runs_retired != 300 ||
	       c.runs_refused ? 4 : 0;
}

/* Once the small one is full; 99: that never was. */
static int begins(FIXTURE_DATA(memcg) *self)
{
	eventfd_t full;

	return !eventfd_read(self->full, &full) && full & WAS_FULL ? goes_on(self) : 99;
}

TEST_F_TIMEOUT(memcg, at_the_limit_a_submit_is_refused, 120)
{
	pid_t other;
	int status;

	ASSERT_EQ(0, close_gate(self));
	other = fork();
	if (!other)
		_exit(begins(self));
	EXPECT_EQ(0, uapi_in_child(fill, self));
	/* 1: the submitter was killed instead. */
	EXPECT_EQ(0, read_number(self->small, "memory.events", "oom_kill "));
	EXPECT_LT(0, read_number(self->small, "memory.events", "max "));
	ASSERT_EQ(0, eventfd_write(self->full, HAS_ENDED));
	ASSERT_EQ(other, waitpid(other, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(fault_good(&self->f));
}

/*
 * FL-11: what does not fit into a cgroup is refused, without a word in the kernel's log, which is
 * looked at after each program of tests.
 */
TEST_F(memcg, a_program_larger_than_the_cgroup)
{
	const size_t size = 15 << 20;
	void *blob = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, blob);
	/* Charged here. */
	memset(blob, 0, size);
	ASSERT_EQ(0, write_text(self->small, "memory.max", "6291456"));
	write_text(self->small, "memory.swap.max", "0");
	pid = fork();
	if (!pid) {
		__u32 program;
		int fd;

		if (write_text(self->small, "cgroup.procs", "0"))
			_exit(1);
		fd = uapi_open(self->f.name);
		_exit(fd < 0 ? 2 : uapi_program(fd, blob, size, &program) == -ENOMEM ? 0 : 3);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	munmap(blob, size);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* In-fences that fail, or whose owner goes: what becomes of the run that waits. */
#include <linux/sync_file.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_check.h"
#include "common_count.h"
#include "common_dev.h"
#include "kselftest_harness.h"

FIXTURE(error) {
	struct uapi_chain c;
};

FIXTURE_SETUP(error)
{
	ASSERT_EQ(0, uapi_chain_open(&self->c));
}

FIXTURE_TEARDOWN(error)
{
	uapi_chain_close(&self->c);
}

/* The second run waits for the first, which has been started. */
static int start(FIXTURE_DATA(error) *self)
{
	int ret = uapi_submit(self->c.b.fd, self->c.other, &self->c.first);

	if (!ret)
		ret = uapi_wait_phase(self->c.b.fd, self->c.first.handle,
				      DRM_TESSERA_PHASE_LAUNCHED);
	return ret ? ret : uapi_submit(self->c.b.fd, self->c.b.context, &self->c.second);
}

#define EXPECT_DEPENDENCY(run) do {								\
	struct drm_tessera_status status;							\
												\
	ASSERT_EQ(0, uapi_end(self->c.b.fd, run, &status));					\
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, status.phase);					\
	EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, status.code);					\
	EXPECT_EQ(DRM_TESSERA_CLASS_QUEUE, status.failure_class);				\
	EXPECT_EQ(DRM_TESSERA_VERDICT_DRIVER, status.verdict_source);				\
	EXPECT_EQ(DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED, status.flags);				\
	EXPECT_EQ(0, status.staged_ns);								\
	EXPECT_EQ(0, status.launched_ns);							\
} while (0)

/* On the device; the context itself may be poisoned (FL-1). */
static void next_run_works(struct __test_metadata *_metadata, FIXTURE_DATA(error) *self)
{
	struct drm_tessera_status status;
	__u32 run, context;

	ASSERT_EQ(0, uapi_context(self->c.b.fd, 0, &context));
	ASSERT_EQ(0, uapi_submit_program(self->c.b.fd, context, self->c.b.program, &run));
	ASSERT_EQ(0, uapi_end(self->c.b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

TEST_F(error, first_run_is_cancelled)
{
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, uapi_cancel(self->c.b.fd, self->c.first.handle));
	EXPECT_DEPENDENCY(self->c.second.handle);
	next_run_works(_metadata, self);
}

/* A timeline's own fence of a point carries no error; the run's fence inside it does. */
TEST_F(error, first_run_signals_a_timeline_point)
{
	__u32 context;

	self->c.sync.point = 0x100000001ull;
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, uapi_cancel(self->c.b.fd, self->c.first.handle));
	EXPECT_DEPENDENCY(self->c.second.handle);
	/* The same when it has failed before. */
	ASSERT_EQ(0, uapi_context(self->c.b.fd, 0, &context));
	ASSERT_EQ(0, uapi_submit(self->c.b.fd, context, &self->c.second));
	EXPECT_DEPENDENCY(self->c.second.handle);
	next_run_works(_metadata, self);
}

TEST_F(error, first_run_faults)
{
	__u32 faulting;

	ASSERT_EQ(0, uapi_exit_program(self->c.b.fd, 3, &faulting));
	uapi_run_init(&self->c.first, faulting);
	self->c.first.out_syncs = UAPI_PTR(&self->c.sync);
	self->c.first.out_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.other, &self->c.first));
	ASSERT_EQ(0, uapi_wait(self->c.b.fd, self->c.first.handle, uapi_soon()));
	/* The error is in the fence when the second run comes. */
	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.b.context, &self->c.second));
	EXPECT_DEPENDENCY(self->c.second.handle);
	next_run_works(_metadata, self);
}

TEST_F(error, error_goes_down_a_chain)
{
	struct drm_tessera_sync chain[4];
	__u32 runs[3], context;

	chain[0] = self->c.sync;
	for (int i = 1; i < 4; i++) {
		chain[i] = (struct drm_tessera_sync){ 0 };
		ASSERT_EQ(0, uapi_syncobj(self->c.b.fd, false, &chain[i].handle));
	}
	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.other, &self->c.first));
	for (int i = 0; i < 3; i++) {
		self->c.second.in_syncs = UAPI_PTR(&chain[i]);
		self->c.second.out_syncs = UAPI_PTR(&chain[i + 1]);
		self->c.second.out_sync_count = 1;
		ASSERT_EQ(0, uapi_context(self->c.b.fd, 0, &context));
		ASSERT_EQ(0, uapi_submit(self->c.b.fd, context, &self->c.second));
		runs[i] = self->c.second.handle;
	}
	ASSERT_EQ(0, uapi_cancel(self->c.b.fd, self->c.first.handle));
	for (int i = 0; i < 3; i++)
		EXPECT_DEPENDENCY(runs[i]);
	/* Its waiters are told as well: the last syncobj is signalled. */
	EXPECT_EQ(0, uapi_syncobj_wait(self->c.b.fd, chain[3].handle, 0, uapi_in_ms(1000)));
	next_run_works(_metadata, self);
}

/* One of several fails; the others are still pending when it does. */
TEST_F(error, one_of_two_in_fences_fails)
{
	struct drm_tessera_sync ins[2] = { self->c.sync };
	struct uapi_gate second_gate;
	struct drm_tessera_run other;

	ASSERT_EQ(0, uapi_gate_new(self->c.b.fd, &second_gate));
	ASSERT_EQ(0, uapi_syncobj(self->c.b.fd, false, &ins[1].handle));
	uapi_run_init(&other, second_gate.program);
	uapi_run_set_dispatch(&other, second_gate.dispatch, second_gate.dispatch_size);
	other.out_syncs = UAPI_PTR(&ins[1]);
	other.out_sync_count = 1;
	self->c.second.in_syncs = UAPI_PTR(ins);
	self->c.second.in_sync_count = 2;
	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.other, &self->c.first));
	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.other, &other));
	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.b.context, &self->c.second));
	ASSERT_EQ(0, uapi_cancel(self->c.b.fd, self->c.first.handle));
	*second_gate.word = 1;
	EXPECT_DEPENDENCY(self->c.second.handle);
	uapi_gate_free(self->c.b.fd, &second_gate);
}

TEST_F(error, waiting_run_is_cancelled)
{
	struct drm_tessera_status status;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, uapi_cancel(self->c.b.fd, self->c.second.handle));
	ASSERT_EQ(0, uapi_wait(self->c.b.fd, self->c.second.handle, uapi_soon()));
	ASSERT_EQ(0, uapi_status(self->c.b.fd, self->c.second.handle, &status));
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, status.phase);
	EXPECT_EQ(DRM_TESSERA_CODE_CANCELLED, status.code);
	/* Its fence comes later, to a run that is gone. */
	*self->c.gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->c.b.fd, self->c.first.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

TEST_F(error, context_of_the_waiting_run_is_destroyed)
{
	struct drm_tessera_status status;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, uapi_context_destroy(self->c.b.fd, self->c.b.context));
	ASSERT_EQ(0, uapi_end(self->c.b.fd, self->c.second.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_CONTEXT_GONE, status.code);
	*self->c.gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->c.b.fd, self->c.first.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

TEST_F(error, syncobj_destroyed_while_a_run_waits)
{
	struct drm_tessera_status status;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, uapi_syncobj_destroy(self->c.b.fd, self->c.sync.handle));
	*self->c.gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->c.b.fd, self->c.second.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

/* F3: runs queued on a pending fence, then their file is closed; over and over. */
TEST_F_TIMEOUT(error, files_closed_while_their_runs_wait, LONG_TIMEOUT)
{
	struct drm_syncobj_handle share = { .handle = self->c.sync.handle };
	unsigned long n = long_count("TSR_CLOSES", 200);
	struct drm_tessera_counters after;

	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.other, &self->c.first));
	ASSERT_EQ(0, uapi_ioctl(self->c.b.fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &share));
	for (unsigned long i = 0; i < n; i++) {
		struct drm_syncobj_handle in = { .fd = share.fd };
		struct drm_tessera_sync sync = { 0 };
		struct uapi_bench b;

		ASSERT_EQ(0, uapi_bench_open(&b));
		ASSERT_EQ(0, uapi_ioctl(b.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &in));
		sync.handle = in.handle;
		self->c.second.program = b.program;
		self->c.second.in_syncs = UAPI_PTR(&sync);
		ASSERT_EQ(0, uapi_submit(b.fd, b.context, &self->c.second));
		uapi_bench_close(&b);
	}
	*self->c.gate.word = 1;
	ASSERT_EQ(0, uapi_settle(self->c.b.fd));
	ASSERT_EQ(0, uapi_counters(self->c.b.fd, &after));
	EXPECT_EQ(n, after.runs_cancelled - self->c.before.runs_cancelled);
	EXPECT_EQ(n + 1, after.runs_accepted - self->c.before.runs_accepted);
	/* More: a context, program or run is kept by a callback in somebody else's fence. */
	EXPECT_EQ(self->c.before.contexts, after.contexts);
	EXPECT_EQ(self->c.before.programs, after.programs);
	close(share.fd);
	ASSERT_EQ(0, uapi_close_run(self->c.b.fd, self->c.first.handle));
	ASSERT_EQ(0, uapi_syncobj_destroy(self->c.b.fd, self->c.sync.handle));
	/* A fence more: one of those that gave up their runs kept its reference. */
	EXPECT_EQ(0, dev_settled(self->c.b.fd, &self->c.before, 5000));
}

/* The child's half: a queued run of its own, whose out-syncobj it sends to the parent. */
static int send_fd(int sock, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static int recv_fd(int sock)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	int fd = -1;

	if (recvmsg(sock, &msg, 0) == 1 && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

static int child_half(int sock, __u32 queue_behind)
{
	struct drm_syncobj_handle share = { 0 };
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_run run;
	struct uapi_gate gate;
	struct uapi_bench b;

	if (uapi_bench_open(&b) || uapi_gate_new(b.fd, &gate) ||
	    uapi_syncobj(b.fd, false, &sync.handle))
		return 1;
	uapi_run_init(&run, gate.program);
	uapi_run_set_dispatch(&run, gate.dispatch, gate.dispatch_size);
	for (__u32 i = 0; i <= queue_behind; i++) {
		run.out_syncs = UAPI_PTR(&sync);
		run.out_sync_count = i == queue_behind;
		if (uapi_submit(b.fd, b.context, &run))
			return 2;
	}
	share.handle = sync.handle;
	if (uapi_ioctl(b.fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &share) || send_fd(sock, share.fd))
		return 3;
	pause();
	return 4;
}

/* F7: A is killed; B, who waits for A's run (queued, or executing), is told in bounded time. */
static void killed(struct __test_metadata *_metadata, FIXTURE_DATA(error) *self, __u32 behind)
{
	struct drm_syncobj_handle in = { 0 };
	struct drm_tessera_sync sync = { 0 };
	int socks[2], status;
	__s64 start;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, socks));
	pid = fork();
	if (!pid)
		_exit(child_half(socks[1], behind));
	in.fd = recv_fd(socks[0]);
	ASSERT_LE(0, in.fd);
	ASSERT_EQ(0, uapi_ioctl(self->c.b.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &in));
	sync.handle = in.handle;
	self->c.second.in_syncs = UAPI_PTR(&sync);
	ASSERT_EQ(0, uapi_submit(self->c.b.fd, self->c.b.context, &self->c.second));
	EXPECT_EQ(-ETIME, uapi_wait(self->c.b.fd, self->c.second.handle, uapi_in_ms(20)));
	start = uapi_now();
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_DEPENDENCY(self->c.second.handle);
	EXPECT_GT(3000000000ll, uapi_now() - start);
	next_run_works(_metadata, self);
}

TEST_F(error, owner_of_an_executing_run_is_killed)
{
	killed(_metadata, self, 0);
}

TEST_F(error, owner_of_a_queued_run_is_killed)
{
	killed(_metadata, self, 3);
}

TEST_HARNESS_MAIN

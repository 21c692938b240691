// SPDX-License-Identifier: MIT
/* RUN_FD: the sync_file of a run (RUN-7), before and after its end, merged and imported. */
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define ROUNDS	200

FIXTURE(fd) {
	struct uapi_bench b;
	struct uapi_gate gate;
	__u32 run;			/* executes until the gate opens */
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(fd)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &self->gate));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &self->run));
}

FIXTURE_TEARDOWN(fd)
{
	uapi_gate_free(self->b.fd, &self->gate);
	uapi_bench_close(&self->b);
}

/* poll(): 1 the run has ended, 0 time-out. */
static int ended(int fd, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int ret = poll(&pfd, 1, timeout_ms);

	return ret == 1 && pfd.revents != POLLIN ? -EIO : ret;
}

/* What the file says: 1 ended well, 0 has not ended, else the error. */
static int status_of(int fd, struct sync_fence_info *fences, unsigned int room)
{
	struct sync_file_info info = {
		.num_fences = room, .sync_fence_info = UAPI_PTR(fences),
	};
	int ret = uapi_ioctl(fd, SYNC_IOC_FILE_INFO, &info);

	if (ret || (room && info.num_fences != room))
		return ret ? ret : -EPROTO;
	return info.status;
}

TEST_F(fd, every_flag_and_pad_bit)
{
	struct drm_tessera_run_fd args = { .handle = self->run, .fd = 77 };

	for (unsigned int bit = 0; bit < 32; bit++) {
		args.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_FD, &args));
		args.flags = 0;
		args.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_FD, &args));
		args.pad = 0;
	}
	EXPECT_EQ(77, args.fd);
}

TEST_F(fd, handles_that_are_no_run)
{
	const __u32 never[] = { 0, self->run + 1, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	int other = uapi_open(NULL), lowest = dup(0);

	ASSERT_LE(0, other);
	close(lowest);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++)
		EXPECT_EQ(-ENOENT, uapi_run_fd(self->b.fd, never[i]));
	EXPECT_EQ(-ENOENT, uapi_run_fd(other, self->run));
	ASSERT_EQ(0, uapi_close_run(self->b.fd, self->run));
	EXPECT_EQ(-ENOENT, uapi_run_fd(self->b.fd, self->run));
	close(other);
	/* Another one: a refused call keeps a descriptor. */
	EXPECT_EQ(lowest - 1, dup(0));
}

/* No descriptor is free: nothing is made, and later there is one. */
TEST_F(fd, no_descriptor_left)
{
	struct rlimit was, none = { 0 };
	int fd;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &was));
	none.rlim_max = was.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	fd = uapi_run_fd(self->b.fd, self->run);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &was));
	EXPECT_EQ(-EMFILE, fd);
	fd = uapi_run_fd(self->b.fd, self->run);
	EXPECT_LE(0, fd);
	close(fd);
}

TEST_F(fd, polled_before_and_after_the_end)
{
	int fd = uapi_run_fd(self->b.fd, self->run);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ended(fd, 30));
	EXPECT_EQ(0, status_of(fd, NULL, 0));
	*self->gate.word = 1;
	EXPECT_EQ(1, ended(fd, 20000));
	EXPECT_EQ(1, status_of(fd, NULL, 0));
	/* The file came first, and the end is known by the handle too. */
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run, 0));
	close(fd);
	/* Made after the end. */
	fd = uapi_run_fd(self->b.fd, self->run);
	ASSERT_LE(0, fd);
	EXPECT_EQ(1, ended(fd, 0));
	EXPECT_EQ(1, status_of(fd, NULL, 0));
	close(fd);
}

TEST_F(fd, is_close_on_exec)
{
	int fd = uapi_run_fd(self->b.fd, self->run);

	ASSERT_LE(0, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	close(fd);
}

TEST_F(fd, names_driver_and_timeline)
{
	struct sync_fence_info fence = { 0 };
	int fd = uapi_run_fd(self->b.fd, self->run);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, status_of(fd, &fence, 1));
	EXPECT_STREQ("tessera", fence.driver_name);
	EXPECT_STREQ("run", fence.obj_name);
	EXPECT_EQ(0, fence.status);
	*self->gate.word = 1;
	ASSERT_EQ(1, ended(fd, 20000));
	EXPECT_EQ(1, status_of(fd, &fence, 1));
	EXPECT_EQ(1, fence.status);
	EXPECT_NE(0, fence.timestamp_ns);
	close(fd);
}

/* Every file of a run is one fence. */
TEST_F(fd, many_files_of_one_run)
{
	struct drm_tessera_counters delta = { .fences = 1 }, now;
	int fds[16];

	for (int i = 0; i < 16; i++) {
		fds[i] = uapi_run_fd(self->b.fd, self->run);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, uapi_counters(self->b.fd, &now));
	EXPECT_EQ(self->before.fences + delta.fences, now.fences);
	*self->gate.word = 1;
	for (int i = 0; i < 16; i++) {
		EXPECT_EQ(1, ended(fds[i], 20000));
		close(fds[i]);
	}
}

#define EXPECT_FENCES(n) do {									\
	struct drm_tessera_counters __now;							\
	__s64 __until = uapi_in_ms(2000);							\
												\
	do {											\
		ASSERT_EQ(0, uapi_counters(self->b.fd, &__now));				\
	} while (__now.fences != (n) && uapi_now() < __until);					\
	EXPECT_EQ(n, __now.fences);								\
} while (0)

/* DESIGN decision 2: the fence outlives everything, and keeps nothing of the run alive. */
TEST_F(fd, outlives_run_context_and_file)
{
	int observer = uapi_open(NULL), fd;
	struct drm_tessera_counters now;
	struct uapi_gate gate;
	struct uapi_bench b;
	__u32 run;

	ASSERT_LE(0, observer);
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_settle(observer));
	ASSERT_EQ(0, uapi_counters(observer, &self->before));
	ASSERT_EQ(0, uapi_bench_open(&b));
	ASSERT_EQ(0, uapi_gate_new(b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(b.fd, b.context, &gate, &run));
	fd = uapi_run_fd(b.fd, run);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, ended(fd, 20));
	/* A mapping holds the file open. */
	munmap((void *)gate.word, 4096);
	uapi_bench_close(&b);
	/* Closing stops the run; whoever holds the file is told. */
	EXPECT_EQ(1, ended(fd, 20000));
	EXPECT_EQ(-ECANCELED, status_of(fd, NULL, 0));
	ASSERT_EQ(0, uapi_settle(observer));
	self->before.fences++;
	uapi_sleep_ms(50);
	ASSERT_EQ(0, uapi_counters(observer, &now));
	EXPECT_EQ(self->before.fences, now.fences);
	EXPECT_EQ(self->before.contexts, now.contexts);
	EXPECT_EQ(self->before.buffers, now.buffers);
	EXPECT_EQ(self->before.programs, now.programs);
	EXPECT_EQ(self->before.runs, now.runs);
	close(fd);
	EXPECT_FENCES(self->before.fences - 1);
	close(observer);
}

static int merge(int a, int b)
{
	struct sync_merge_data args = { .name = "both", .fd2 = b };
	int ret = uapi_ioctl(a, SYNC_IOC_MERGE, &args);

	return ret ? ret : args.fence;
}

TEST_F(fd, merged_files_end_with_the_last)
{
	struct sync_fence_info fences[2] = { 0 };
	struct uapi_gate gate;
	__u32 second;
	int a, b, both;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &gate, &second));
	a = uapi_run_fd(self->b.fd, self->run);
	b = uapi_run_fd(self->b.fd, second);
	both = merge(a, b);
	ASSERT_LE(0, both);
	EXPECT_EQ(0, status_of(both, fences, 2));
	*self->gate.word = 1;
	EXPECT_EQ(1, ended(a, 20000));
	EXPECT_EQ(0, ended(both, 20));
	*gate.word = 1;
	EXPECT_EQ(1, ended(both, 20000));
	EXPECT_EQ(1, status_of(both, NULL, 0));
	close(a);
	close(b);
	close(both);
	uapi_gate_free(self->b.fd, &gate);
}

TEST_F(fd, imported_into_a_syncobj)
{
	struct drm_syncobj_handle import = {
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
	};
	int fd = uapi_run_fd(self->b.fd, self->run);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &import.handle));
	import.fd = fd;
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import));
	close(fd);
	EXPECT_EQ(-ETIME, uapi_syncobj_wait(self->b.fd, import.handle, 0, uapi_in_ms(20)));

	/* And into a run that waits for it. */
	struct drm_tessera_sync sync = { .handle = import.handle };
	struct drm_tessera_run run;
	struct drm_tessera_status status;
	__u32 other;

	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &other));
	uapi_run_init(&run, self->b.program);
	run.in_syncs = UAPI_PTR(&sync);
	run.in_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, other, &run));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, run.handle, uapi_in_ms(20)));
	*self->gate.word = 1;
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, import.handle, 0, uapi_soon()));
	ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

/* A merged file of a good and a failed run, as an in-fence: the error is in there somewhere. */
TEST_F(fd, merged_files_carry_an_error_to_a_run)
{
	struct drm_syncobj_handle import = {
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
	};
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_status status;
	struct drm_tessera_run run;
	__u32 second, other;
	int a, b;

	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &second));
	a = uapi_run_fd(self->b.fd, self->run);
	b = uapi_run_fd(self->b.fd, second);
	import.fd = merge(a, b);
	ASSERT_LE(0, import.fd);
	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &import.handle));
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &import));
	sync.handle = import.handle;
	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &other));
	uapi_run_init(&run, self->b.program);
	run.in_syncs = UAPI_PTR(&sync);
	run.in_sync_count = 1;
	ASSERT_EQ(0, uapi_submit(self->b.fd, other, &run));
	ASSERT_EQ(0, uapi_cancel(self->b.fd, second));
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_DEPENDENCY, status.code);
}

/* The codes that a run can end by here, as a file says them; made before and after the end. */
TEST_F(fd, errors_of_runs)
{
	__u32 failing, run, queued;
	int fd, late;

	fd = uapi_run_fd(self->b.fd, self->run);
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &self->gate, &queued));
	late = uapi_run_fd(self->b.fd, queued);
	ASSERT_EQ(0, uapi_cancel(self->b.fd, queued));
	EXPECT_EQ(1, ended(late, 20000));
	EXPECT_EQ(-ECANCELED, status_of(late, NULL, 0));
	EXPECT_EQ(0, status_of(fd, NULL, 0));
	close(late);

	ASSERT_EQ(0, uapi_cancel(self->b.fd, self->run));
	EXPECT_EQ(1, ended(fd, 20000));
	EXPECT_EQ(-ECANCELED, status_of(fd, NULL, 0));
	close(fd);
	late = uapi_run_fd(self->b.fd, queued);
	EXPECT_EQ(-ECANCELED, status_of(late, NULL, 0));
	close(late);

	ASSERT_EQ(0, uapi_exit_program(self->b.fd, 1, &failing));
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, failing, &run));
	ASSERT_EQ(0, uapi_wait(self->b.fd, run, uapi_soon()));
	late = uapi_run_fd(self->b.fd, run);
	EXPECT_EQ(1, ended(late, 0));
	EXPECT_EQ(-EIO, status_of(late, NULL, 0));
	close(late);
}

/* F19's other half: a fence that only the file holds goes when the file does. */
TEST_F(fd, thousand_files_leave_no_fence)
{
	*self->gate.word = 1;
	for (unsigned int i = 0; i < 1000; i++) {
		int fd = uapi_run_fd(self->b.fd, self->run);

		ASSERT_LE(0, fd);
		close(fd);
	}
	ASSERT_EQ(0, uapi_wait(self->b.fd, self->run, uapi_soon()));
	ASSERT_EQ(0, uapi_close_run(self->b.fd, self->run));
	EXPECT_FENCES(self->before.fences);
}

struct caller {
	int fd;
	__u32 run;
	atomic_uint *arrived;
	int file;
};

static void *ask(void *data)
{
	struct caller *c = data;

	atomic_fetch_add(c->arrived, 1);
	while (atomic_load(c->arrived) < 2)
		;
	c->file = uapi_run_fd(c->fd, c->run);
	return NULL;
}

/* Each makes a fence, and the run takes one: a file of the other would never say that it has ended. */
TEST_F(fd, two_callers_at_once)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		atomic_uint arrived = 0;
		struct caller one = { .fd = self->b.fd, .arrived = &arrived }, other;
		pthread_t thread;

		ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program,
						 &one.run));
		other = one;
		ASSERT_EQ(0, pthread_create(&thread, NULL, ask, &other));
		ask(&one);
		pthread_join(thread, NULL);
		if (!i)
			*self->gate.word = 1;
		ASSERT_LE(0, one.file);
		ASSERT_LE(0, other.file);
		EXPECT_EQ(1, ended(one.file, 20000));
		EXPECT_EQ(1, ended(other.file, 20000));
		close(one.file);
		close(other.file);
		ASSERT_EQ(0, uapi_close_run(self->b.fd, one.run));
	}
	ASSERT_EQ(0, uapi_close_run(self->b.fd, self->run));
	EXPECT_FENCES(self->before.fences);
}

TEST_HARNESS_MAIN

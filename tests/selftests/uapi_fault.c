// SPDX-License-Identifier: MIT
/* User memory that answers late: a submit asleep in a page fault holds up nobody (U11). */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define PAGE	4096ul

FIXTURE(fault) {
	struct uapi_bench b;
	int uffd;
	void *page;			/* faults are ours to answer */
	struct drm_tessera_run run;
	struct drm_tessera_run_submit args, *call;
	pthread_t thread;
	int ret;
};

FIXTURE_SETUP(fault)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };

	ASSERT_EQ(0, uapi_bench_open(&self->b));
	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	ASSERT_LE(0, self->uffd);
	ASSERT_EQ(0, ioctl(self->uffd, UFFDIO_API, &api));
	self->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	uapi_run_init(&self->run, self->b.program);
	uapi_submit_init(&self->args, self->b.context, &self->run, 1);
	self->call = &self->args;
	self->ret = 1;
}

FIXTURE_TEARDOWN(fault)
{
	close(self->uffd);
	uapi_bench_close(&self->b);
}

static int watch(FIXTURE_DATA(fault) *self, __u64 mode)
{
	struct uffdio_register reg = {
		.range = { UAPI_PTR(self->page), PAGE }, .mode = mode,
	};

	return uapi_ioctl(self->uffd, UFFDIO_REGISTER, &reg);
}

static int protect(FIXTURE_DATA(fault) *self, bool on)
{
	struct uffdio_writeprotect wp = {
		.range = { UAPI_PTR(self->page), PAGE },
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	return uapi_ioctl(self->uffd, UFFDIO_WRITEPROTECT, &wp);
}

/* The page is there now, with this content. */
static int fill(FIXTURE_DATA(fault) *self, const void *content)
{
	struct uffdio_copy copy = {
		.dst = UAPI_PTR(self->page), .src = UAPI_PTR(content), .len = PAGE,
	};

	return uapi_ioctl(self->uffd, UFFDIO_COPY, &copy);
}

static bool somebody_faults(FIXTURE_DATA(fault) *self)
{
	struct pollfd pfd = { .fd = self->uffd, .events = POLLIN };
	struct uffd_msg msg;

	return poll(&pfd, 1, 5000) == 1 && read(self->uffd, &msg, sizeof(msg)) == sizeof(msg);
}

static void *submit(void *arg)
{
	FIXTURE_DATA(fault) *self = arg;

	self->ret = uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, self->call);
	return NULL;
}

static void others_go_on(struct __test_metadata *_metadata, FIXTURE_DATA(fault) *self)
{
	struct drm_tessera_status status;
	struct drm_tessera_counters counters;
	struct uapi_bench other;
	__u32 run;

	ASSERT_EQ(0, uapi_bench_open(&other));
	ASSERT_EQ(0, uapi_submit_program(other.fd, other.context, other.program, &run));
	ASSERT_EQ(0, uapi_end(other.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	/* In the same file, and the same context, too. */
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &counters));
	uapi_bench_close(&other);
}

TEST_F(fault, dispatch_blob_comes_late)
{
	__u8 content[PAGE] = { 0 };

	memcpy(content, &uapi_dispatch_none, sizeof(uapi_dispatch_none));
	uapi_run_set_dispatch(&self->run, self->page, sizeof(uapi_dispatch_none));
	ASSERT_EQ(0, watch(self, UFFDIO_REGISTER_MODE_MISSING));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, submit, self));
	ASSERT_TRUE(somebody_faults(self));
	others_go_on(_metadata, self);
	EXPECT_EQ(1, self->ret);
	ASSERT_EQ(0, fill(self, content));
	pthread_join(self->thread, NULL);
	EXPECT_EQ(0, self->ret);
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run.handle, uapi_soon()));
}

TEST_F(fault, program_blob_comes_late)
{
	__u8 content[PAGE] = { 0 };
	__u32 size, program = 0;
	void *blob = uapi_exit_blob(self->b.fd, 0, &size);

	ASSERT_NE(NULL, blob);
	memcpy(content, blob, size);
	free(blob);
	ASSERT_EQ(0, watch(self, UFFDIO_REGISTER_MODE_MISSING));
	pid_t pid = fork();

	if (!pid) {
		/* The child has no userfaultfd: its own page is empty. */
		_exit(uapi_program(self->b.fd, self->page, size, &program) == -EINVAL ? 0 : 1);
	}

	int status;

	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, fill(self, content));
	EXPECT_EQ(0, uapi_program(self->b.fd, self->page, size, &program));
}

/* FL-6: a run that was accepted ends in bounded time, whatever becomes of those after it. */
TEST_F(fault, second_run_of_a_batch_comes_late)
{
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_run runs[2];
	__u8 content[PAGE] = { 0 };

	ASSERT_EQ(0, uapi_syncobj(self->b.fd, false, &sync.handle));
	memcpy(content, &uapi_dispatch_none, sizeof(uapi_dispatch_none));
	runs[0] = runs[1] = self->run;
	runs[0].out_syncs = UAPI_PTR(&sync);
	runs[0].out_sync_count = 1;
	uapi_run_set_dispatch(&runs[1], self->page, sizeof(uapi_dispatch_none));
	uapi_submit_init(&self->args, self->b.context, runs, 2);
	ASSERT_EQ(0, watch(self, UFFDIO_REGISTER_MODE_MISSING));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, submit, self));
	ASSERT_TRUE(somebody_faults(self));
	/* Nobody else does anything with the device meanwhile. */
	EXPECT_EQ(0, uapi_syncobj_wait(self->b.fd, sync.handle, 0, uapi_in_ms(2000)));
	EXPECT_EQ(0, uapi_wait(self->b.fd, runs[0].handle, uapi_in_ms(2000)));
	EXPECT_EQ(1, self->ret);
	ASSERT_EQ(0, fill(self, content));
	pthread_join(self->thread, NULL);
	EXPECT_EQ(0, self->ret);
	EXPECT_EQ(2, self->args.accepted);
	EXPECT_EQ(0, uapi_wait(self->b.fd, runs[1].handle, uapi_soon()));
}

/* The call could be answered when it began. Its run is accepted, and its record says so. */
TEST_F(fault, call_becomes_read_only_during_the_fault)
{
	struct drm_tessera_counters before, after;
	__u8 content[PAGE] = { 0 };

	memcpy(content, &uapi_dispatch_none, sizeof(uapi_dispatch_none));
	uapi_run_set_dispatch(&self->run, self->page, sizeof(uapi_dispatch_none));
	self->call = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->call);
	*self->call = self->args;
	ASSERT_EQ(0, uapi_counters(self->b.fd, &before));
	ASSERT_EQ(0, watch(self, UFFDIO_REGISTER_MODE_MISSING));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, submit, self));
	ASSERT_TRUE(somebody_faults(self));
	ASSERT_EQ(0, mprotect(self->call, PAGE, PROT_READ));
	ASSERT_EQ(0, fill(self, content));
	pthread_join(self->thread, NULL);
	EXPECT_EQ(-EFAULT, self->ret);
	EXPECT_EQ(0, self->call->accepted);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(before.runs_accepted + 1, after.runs_accepted);
	EXPECT_EQ(0, uapi_wait(self->b.fd, self->run.handle, uapi_soon()));
	EXPECT_EQ(0, uapi_close_run(self->b.fd, self->run.handle));
}

/* The context is destroyed while a submit to it sleeps: it is told so when it wakes. */
TEST_F(fault, context_destroyed_during_the_fault)
{
	__u8 content[PAGE] = { 0 };

	memcpy(content, &uapi_dispatch_none, sizeof(uapi_dispatch_none));
	uapi_run_set_dispatch(&self->run, self->page, sizeof(uapi_dispatch_none));
	ASSERT_EQ(0, watch(self, UFFDIO_REGISTER_MODE_MISSING));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, submit, self));
	ASSERT_TRUE(somebody_faults(self));
	ASSERT_EQ(0, uapi_context_destroy(self->b.fd, self->b.context));
	ASSERT_EQ(0, uapi_program_destroy(self->b.fd, self->b.program));
	ASSERT_EQ(0, fill(self, content));
	pthread_join(self->thread, NULL);
	EXPECT_EQ(-ECANCELED, self->ret);
}

/*
 * F67: the submit sleeps where it writes the handle that it has reserved. Who guesses the handle
 * finds no run, and cannot take the reservation away either.
 */
TEST_F(fault, reserved_handle_is_guessed)
{
	struct drm_tessera_run *run = self->page;
	struct drm_tessera_status status;
	__u32 next;

	*run = self->run;
	self->args.runs = UAPI_PTR(run);
	ASSERT_EQ(0, watch(self, UFFDIO_REGISTER_MODE_WP));
	ASSERT_EQ(0, protect(self, true));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, submit, self));
	ASSERT_TRUE(somebody_faults(self));
	for (__u32 handle = 1; handle < 4; handle++) {
		EXPECT_EQ(-ENOENT, uapi_status(self->b.fd, handle, &status));
		EXPECT_EQ(-ENOENT, uapi_wait(self->b.fd, handle, 0));
		EXPECT_EQ(-ENOENT, uapi_cancel(self->b.fd, handle));
		EXPECT_EQ(-ENOENT, uapi_run_fd(self->b.fd, handle));
		EXPECT_EQ(-ENOENT, uapi_close_run(self->b.fd, handle));
	}
	ASSERT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &next));
	EXPECT_EQ(0, run->handle);
	ASSERT_EQ(0, protect(self, false));
	pthread_join(self->thread, NULL);
	ASSERT_EQ(0, self->ret);
	EXPECT_NE(next, run->handle);
	/* Not found: the run was accepted, and lost. */
	EXPECT_EQ(0, uapi_wait(self->b.fd, run->handle, uapi_soon()));
	EXPECT_EQ(0, uapi_close_run(self->b.fd, run->handle));
	EXPECT_EQ(0, uapi_wait(self->b.fd, next, uapi_soon()));
}

/* SEC-2, RUN-6: what changes after it was read makes no difference. */
TEST_F(fault, blob_changed_during_the_call)
{
	struct drm_tessera_status status;
	struct drm_tessera_run *run = self->page;
	struct tessera_dispatch_header dispatch = uapi_dispatch_none;

	*run = self->run;
	uapi_run_set_dispatch(run, &dispatch, sizeof(dispatch));
	self->args.runs = UAPI_PTR(run);
	ASSERT_EQ(0, watch(self, UFFDIO_REGISTER_MODE_WP));
	ASSERT_EQ(0, protect(self, true));
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, submit, self));
	ASSERT_TRUE(somebody_faults(self));
	memset(&dispatch, 0xff, sizeof(dispatch));
	ASSERT_EQ(0, uapi_program_destroy(self->b.fd, self->b.program));
	ASSERT_EQ(0, protect(self, false));
	pthread_join(self->thread, NULL);
	ASSERT_EQ(0, self->ret);
	ASSERT_EQ(0, uapi_end(self->b.fd, run->handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
}

TEST_HARNESS_MAIN

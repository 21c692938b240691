// SPDX-License-Identifier: MIT
/*
 * What the hardware is asked while it goes (hw.h, T6): user memory answers a call after the device
 * was unplugged and stopped. The virtual device complains in the kernel log about an operation
 * that is called after stop, and the runner of the tests looks there.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME	"uapi-seam"
#define PAGE	4096ul

FIXTURE(seam) {
	int fd, uffd;
	__u32 context, program, bo, bound;
	void *page;			/* faults are ours to answer */
	__u8 content[PAGE];		/* with this */
	struct drm_tessera_run run;
	struct drm_tessera_run_submit submit;
	struct drm_tessera_program_create create;
	unsigned long request;
	void *call;
	int ret;
	pthread_t thread;
};

/* Each core may read a buffer, and ends at once. */
static int bound_program(int fd, __u32 *ret)
{
	static const __u32 code[] = { RV_EXIT(0) };
	struct drm_tessera_device_info info;
	struct uapi_prog p;
	int err = uapi_info(fd, &info);

	if (err)
		return err;
	uapi_prog_init_core(&p, &info.limits);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	uapi_add_binding(&p, 16, TESSERA_ACCESS_IN);
	return uapi_prog_create(fd, &p, ret);
}

FIXTURE_SETUP(seam)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	ASSERT_EQ(0, soft_create(NAME, ""));
	self->fd = uapi_open(NAME);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, uapi_context(self->fd, 4, &self->context));
	ASSERT_EQ(0, uapi_exit_program(self->fd, 0, &self->program));
	ASSERT_EQ(0, bound_program(self->fd, &self->bound));
	ASSERT_EQ(0, uapi_bo(self->fd, PAGE, &self->bo));
	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	ASSERT_LE(0, self->uffd);
	ASSERT_EQ(0, ioctl(self->uffd, UFFDIO_API, &api));
	self->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	reg.range.start = UAPI_PTR(self->page);
	reg.range.len = PAGE;
	ASSERT_EQ(0, ioctl(self->uffd, UFFDIO_REGISTER, &reg));
	uapi_run_init(&self->run, self->program);
	uapi_submit_init(&self->submit, self->context, &self->run, 1);
	self->request = DRM_IOCTL_TESSERA_RUN_SUBMIT;
	self->call = &self->submit;
	self->ret = 1;
}

FIXTURE_TEARDOWN(seam)
{
	close(self->uffd);
	munmap(self->page, PAGE);
	close(self->fd);
	soft_remove(NAME);
}

static void *call(void *arg)
{
	FIXTURE_DATA(seam) *self = arg;

	self->ret = uapi_ioctl(self->fd, self->request, self->call);
	return NULL;
}

/* The call begins, and finds user memory when the device is gone. What it answers, or above 0. */
static int over_an_unplug(FIXTURE_DATA(seam) *self)
{
	struct uffdio_copy copy = {
		.dst = UAPI_PTR(self->page), .src = UAPI_PTR(self->content), .len = PAGE,
	};
	struct pollfd pfd = { .fd = self->uffd, .events = POLLIN };
	struct uffd_msg msg;
	int err;

	if (pthread_create(&self->thread, NULL, call, self))
		return 1;
	if (poll(&pfd, 1, 20000) != 1 || read(self->uffd, &msg, sizeof(msg)) != sizeof(msg))
		return 2;
	/* A call that kept the device for the time of a copy would never let this return. */
	err = soft_remove(NAME);
	if (err || self->ret != 1)
		return 3;
	if (ioctl(self->uffd, UFFDIO_COPY, &copy))
		return 4;
	pthread_join(self->thread, NULL);
	return self->ret;
}

/* A program that ends with @status: 0, one whose image the device has already. */
static int create_over_an_unplug(FIXTURE_DATA(seam) *self, __u32 status)
{
	__u32 size;
	void *blob = uapi_exit_blob(self->fd, status, &size);

	if (!blob)
		return 5;
	memcpy(self->content, blob, size);
	free(blob);
	self->create = (struct drm_tessera_program_create){
		.blob = UAPI_PTR(self->page), .size = size,
	};
	self->request = DRM_IOCTL_TESSERA_PROGRAM_CREATE;
	self->call = &self->create;
	return over_an_unplug(self);
}

TEST_F(seam, program_comes_after_the_stop)
{
	EXPECT_EQ(-ENODEV, create_over_an_unplug(self, 3));
	EXPECT_EQ(0, self->create.handle);
}

/* The same program is there: nothing has to be loaded, and it is refused all the same. */
TEST_F(seam, known_program_comes_after_the_stop)
{
	EXPECT_EQ(-ENODEV, create_over_an_unplug(self, 0));
	EXPECT_EQ(0, self->create.handle);
}

/* Behind the dispatch blob comes the first binding of a buffer. */
TEST_F(seam, dispatch_comes_after_the_stop)
{
	const struct tessera_bind bind = {
		.size = PAGE, .handle = self->bo, .access = TESSERA_ACCESS_IN,
	};
	__u32 size;
	void *dispatch = uapi_dispatch(&bind, 1, NULL, 0, &size);

	ASSERT_NE(NULL, dispatch);
	memcpy(self->content, dispatch, size);
	free(dispatch);
	self->run.program = self->bound;
	uapi_run_set_dispatch(&self->run, self->page, size);
	EXPECT_EQ(-ENODEV, over_an_unplug(self));
	EXPECT_EQ(0, self->submit.accepted);
}

TEST_F(seam, run_record_comes_after_the_stop)
{
	memcpy(self->content, &self->run, sizeof(self->run));
	self->submit.runs = UAPI_PTR(self->page);
	EXPECT_EQ(-ENODEV, over_an_unplug(self));
	EXPECT_EQ(0, self->submit.accepted);
}

TEST_F(seam, syncs_come_after_the_stop)
{
	struct drm_tessera_sync sync = { 0 };

	ASSERT_EQ(0, uapi_syncobj(self->fd, true, &sync.handle));
	memcpy(self->content, &sync, sizeof(sync));
	self->run.out_syncs = UAPI_PTR(self->page);
	self->run.out_sync_count = 1;
	EXPECT_EQ(-ENODEV, over_an_unplug(self));
	EXPECT_EQ(0, self->submit.accepted);
}

/* The arguments of other calls: DRM looks once more when it has read them. */
TEST_F(seam, arguments_come_after_the_stop)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_TESSERA_QUERY, DRM_IOCTL_TESSERA_BO_CREATE,
		DRM_IOCTL_TESSERA_CONTEXT_CREATE, DRM_IOCTL_TESSERA_CONTEXT_PAGE,
		DRM_IOCTL_TESSERA_DEVICE_RESET, DRM_IOCTL_TESSERA_CLAIM_ACQUIRE,
		DRM_IOCTL_TESSERA_PROGRAM_DESTROY, DRM_IOCTL_TESSERA_RUN_FD,
	};

	self->content[0] = 1;
	self->call = self->page;
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(requests); i++) {
		self->request = requests[i];
		self->ret = 1;
		EXPECT_EQ(-ENODEV, over_an_unplug(self)) {
			TH_LOG("request %u", i);
		}
		close(self->fd);
		ASSERT_EQ(0, madvise(self->page, PAGE, MADV_DONTNEED));
		ASSERT_EQ(0, soft_create(NAME, ""));
		self->fd = uapi_open(NAME);
		ASSERT_LE(0, self->fd);
	}
}

TEST_HARNESS_MAIN

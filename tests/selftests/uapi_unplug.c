// SPDX-License-Identifier: MIT
/* A device that is unplugged while files are open (F119, F121, F125, FL-9). */
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_check.h"
#include "common_count.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME	"uapi-unplug"

FIXTURE(unplug) {
	int fd;
	__u32 context, program;
	struct uapi_gate gate;
};

FIXTURE_SETUP(unplug)
{
	ASSERT_EQ(0, soft_create(NAME, ""));
	self->fd = uapi_open(NAME);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, uapi_context(self->fd, 4, &self->context));
	ASSERT_EQ(0, uapi_exit_program(self->fd, 0, &self->program));
	ASSERT_EQ(0, uapi_gate_new(self->fd, &self->gate));
}

FIXTURE_TEARDOWN(unplug)
{
	munmap((void *)self->gate.word, 4096);
	close(self->fd);
	soft_remove(NAME);
}

TEST_F(unplug, every_ioctl_says_that_it_is_gone)
{
	__u8 arg[64] = { 0 };

	ASSERT_EQ(0, soft_remove(NAME));
	for (unsigned int nr = 0; nr <= DRM_TESSERA_DEVICE_RESET; nr++)
		EXPECT_EQ(-ENODEV, uapi_ioctl(self->fd, _IOC(_IOC_READ | _IOC_WRITE, 'd',
							      DRM_COMMAND_BASE + nr, 64), arg));
	EXPECT_EQ(-ENODEV, uapi_bo_close(self->fd, self->gate.bo));
	EXPECT_GT(0, uapi_open(NAME));
}

/* Mapped memory stays what it was; nothing is behind it any more. */
TEST_F(unplug, mapping_is_harmless)
{
	void *map;
	__u32 bo;

	ASSERT_EQ(0, uapi_bo_map(self->fd, 65536, &bo, &map));
	memset(map, 1, 4096);
	ASSERT_EQ(0, soft_remove(NAME));
	EXPECT_EQ(1, ((char *)map)[4095]);
	memset(map, 2, 4096);
	EXPECT_EQ(2, ((char *)map)[0]);
	munmap(map, 65536);
}

struct waiter {
	FIXTURE_DATA(unplug) *self;
	pthread_t thread;
	__u32 run;
	int ret;
};

static void *wait_for_it(void *arg)
{
	struct waiter *w = arg;

	w->ret = uapi_wait(w->self->fd, w->run, UAPI_NO_TIMEOUT);
	return NULL;
}

/* F107: everything that was accepted ends, and everybody who waits for it is told. */
TEST_F(unplug, runs_end_and_waiters_return)
{
	struct waiter waiters[4];
	int fds[4];
	struct sync_state {
		struct pollfd pfd;
	} state[4];

	for (int i = 0; i < 4; i++) {
		waiters[i] = (struct waiter){ .self = self, .ret = 1 };
		ASSERT_EQ(0, uapi_gate_submit(self->fd, self->context, &self->gate,
					      &waiters[i].run));
		fds[i] = uapi_run_fd(self->fd, waiters[i].run);
		ASSERT_LE(0, fds[i]);
		state[i].pfd = (struct pollfd){ .fd = fds[i], .events = POLLIN };
		ASSERT_EQ(0, pthread_create(&waiters[i].thread, NULL, wait_for_it, &waiters[i]));
	}
	uapi_sleep_ms(50);
	EXPECT_EQ(0, poll(&state[0].pfd, 1, 0));
	ASSERT_EQ(0, soft_remove(NAME));
	for (int i = 0; i < 4; i++) {
		struct sync_file_info info = { 0 };

		pthread_join(waiters[i].thread, NULL);
		EXPECT_EQ(0, waiters[i].ret);
		EXPECT_EQ(1, poll(&state[i].pfd, 1, 1000));
		ASSERT_EQ(0, uapi_ioctl(fds[i], SYNC_IOC_FILE_INFO, &info));
		EXPECT_EQ(-ENODEV, info.status);
		close(fds[i]);
	}
}

static void *claim_it(void *arg)
{
	struct waiter *w = arg;

	w->ret = uapi_claim(w->self->fd, w->run, 0, uapi_soon());
	return NULL;
}

/* @run is the context that waits. */
TEST_F(unplug, who_waits_for_the_claim_returns)
{
	struct waiter w = { .self = self, .ret = 1 };

	ASSERT_EQ(0, uapi_context(self->fd, 0, &w.run));
	ASSERT_EQ(0, uapi_claim(self->fd, self->context, DRM_TESSERA_CLAIM_NONBLOCK, 0));
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, claim_it, &w));
	uapi_sleep_ms(50);
	ASSERT_EQ(0, soft_remove(NAME));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-ENODEV, w.ret);
}

static void *submit_one_more(void *arg)
{
	struct waiter *w = arg;

	w->ret = uapi_submit_program(w->self->fd, w->self->context, w->self->program, &w->run);
	return NULL;
}

TEST_F(unplug, blocked_submit_returns)
{
	struct waiter w = { .self = self, .ret = 1 };
	__u32 run;

	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, uapi_gate_submit(self->fd, self->context, &self->gate, &run));
	ASSERT_EQ(0, pthread_create(&w.thread, NULL, submit_one_more, &w));
	uapi_sleep_ms(50);
	EXPECT_EQ(1, w.ret);
	ASSERT_EQ(0, soft_remove(NAME));
	pthread_join(w.thread, NULL);
	EXPECT_EQ(-ENODEV, w.ret);
}

/* Also the twin that is plugged in under the same name is another device. */
TEST_F(unplug, plugged_in_again)
{
	int again;
	__u32 run, context, program;

	ASSERT_EQ(0, soft_remove(NAME));
	ASSERT_EQ(0, soft_create(NAME, ""));
	again = uapi_open(NAME);
	ASSERT_LE(0, again);
	EXPECT_EQ(-ENODEV, uapi_submit_program(self->fd, self->context, self->program, &run));
	ASSERT_EQ(0, uapi_context(again, 0, &context));
	ASSERT_EQ(0, uapi_exit_program(again, 0, &program));
	ASSERT_EQ(0, uapi_submit_program(again, context, program, &run));
	EXPECT_EQ(0, uapi_wait(again, run, uapi_soon()));
	close(again);
}

/* Shared memory of a device that is gone, in one that is there. */
TEST_F(unplug, dma_buf_outlives_its_device)
{
	struct drm_prime_handle share = { .handle = self->gate.bo, .flags = DRM_RDWR };
	int fd = uapi_open(NULL);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, uapi_ioctl(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &share));
	ASSERT_EQ(0, soft_remove(NAME));
	*self->gate.word = 3;
	munmap((void *)self->gate.word, 4096);
	close(self->fd);
	EXPECT_EQ(4096, lseek(share.fd, 0, SEEK_END));
	close(share.fd);
	close(fd);
	self->fd = -1;
}

FIXTURE(module) {
};

FIXTURE_SETUP(module)
{
	soft_remove_all();
}

FIXTURE_TEARDOWN(module)
{
}

/* F25: unplugged right after a context with work in it was destroyed. */
TEST_F_TIMEOUT(module, unplugged_right_after_a_context_was_destroyed, LONG_TIMEOUT)
{
	unsigned long n = long_count("TSR_DESTROYS", 20);

	for (unsigned long i = 0; i < n; i++) {
		struct uapi_gate gate;
		__u32 context, run;
		int fd;

		ASSERT_EQ(0, soft_create(NAME, ""));
		fd = uapi_open(NAME);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, uapi_context(fd, 0, &context));
		ASSERT_EQ(0, uapi_gate_new(fd, &gate));
		for (unsigned long k = 0; k < i % 4; k++)
			ASSERT_EQ(0, uapi_gate_submit(fd, context, &gate, &run));
		ASSERT_EQ(0, uapi_context_destroy(fd, context));
		ASSERT_EQ(0, soft_remove(NAME));
		munmap((void *)gate.word, 4096);
		close(fd);
	}
	/* EBUSY: a context that ended after its device keeps it, and so the module. */
	ASSERT_EQ(0, soft_unload_soon());
	ASSERT_EQ(0, soft_load(""));
}

TEST_HARNESS_MAIN

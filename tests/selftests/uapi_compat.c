// SPDX-License-Identifier: MIT
/* The same structs through the entry of 32-bit programs: no conversion, no other result. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define LOW_SIZE	65536

FIXTURE(compat) {
	struct uapi_bench b;
	__u8 *low;			/* memory that 32 bits reach */
};

#if defined(__x86_64__)
/* ioctl is call 54 of the 32-bit table; every argument has 32 bits. */
static int ioctl32(int fd, unsigned long request, void *arg)
{
	long ret = 54;

	asm volatile("int $0x80"
		     : "+a"(ret)
		     : "b"((long)fd), "c"((long)(__u32)request), "d"((long)(uintptr_t)arg)
		     : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}
#else
static int ioctl32(int fd, unsigned long request, void *arg)
{
	return -ENOSYS;
}
#endif

FIXTURE_SETUP(compat)
{
	struct drm_tessera_query *query;

	ASSERT_EQ(0, uapi_bench_open(&self->b));
#if defined(__x86_64__)
	self->low = mmap(NULL, LOW_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->low);
#endif
	query = (void *)self->low;
	if (query) {
		*query = (struct drm_tessera_query){ 0 };
		if (ioctl32(self->b.fd, DRM_IOCTL_TESSERA_QUERY, query) != -ENOSYS)
			return;
	}
	SKIP(return, "no 32-bit calls on this kernel");
}

FIXTURE_TEARDOWN(compat)
{
	uapi_bench_close(&self->b);
}

TEST_F(compat, query)
{
	struct drm_tessera_query *args = (void *)self->low;
	struct drm_tessera_device_info *info = (void *)(self->low + 4096);

	*args = (struct drm_tessera_query){ .size = sizeof(*info), .data = UAPI_PTR(info) };
	ASSERT_EQ(0, ioctl32(self->b.fd, DRM_IOCTL_TESSERA_QUERY, args));
	EXPECT_EQ(sizeof(*info), args->size);
	EXPECT_EQ(0, memcmp(info, &self->b.info, sizeof(*info)));
	args->pad = 1;
	EXPECT_EQ(-EINVAL, ioctl32(self->b.fd, DRM_IOCTL_TESSERA_QUERY, args));
}

TEST_F(compat, run_from_beginning_to_end)
{
	struct drm_tessera_run_submit *submit = (void *)self->low;
	struct drm_tessera_run *run = (void *)(self->low + 4096);
	struct drm_tessera_run_wait *wait = (void *)(self->low + 8192);
	struct drm_tessera_run_status *args = (void *)(self->low + 12288);
	struct drm_tessera_status *status = (void *)(self->low + 16384);
	struct tessera_dispatch_header *dispatch = (void *)(self->low + 20480);

	*dispatch = uapi_dispatch_none;
	uapi_run_init(run, self->b.program);
	uapi_run_set_dispatch(run, dispatch, sizeof(*dispatch));
	run->user_data = 0x123456789abcdefull;
	uapi_submit_init(submit, self->b.context, run, 1);
	ASSERT_EQ(0, ioctl32(self->b.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, submit));
	EXPECT_EQ(1, submit->accepted);
	/* A time beyond 32 bits. */
	*wait = (struct drm_tessera_run_wait){
		.handle = run->handle, .timeout_ns = uapi_soon(),
	};
	ASSERT_EQ(0, ioctl32(self->b.fd, DRM_IOCTL_TESSERA_RUN_WAIT, wait));
	*args = (struct drm_tessera_run_status){
		.handle = run->handle, .size = sizeof(*status), .status = UAPI_PTR(status),
	};
	ASSERT_EQ(0, ioctl32(self->b.fd, DRM_IOCTL_TESSERA_RUN_STATUS, args));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status->code);
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, status->phase);
	EXPECT_EQ(run->id, status->run_id);
	EXPECT_EQ(0x123456789abcdefull, status->user_data);
}

/* DRM converts one of these, and would look into a master that our files do not have. */
TEST_F(compat, ioctls_that_need_a_master)
{
	memset(self->low, 0, 512);
	for (unsigned int size = 4; size <= 64; size *= 2) {
		EXPECT_EQ(-EACCES, ioctl32(self->b.fd, _IOC(3, 'd', 1, size), self->low));
		EXPECT_EQ(-EACCES, ioctl32(self->b.fd, _IOC(3, 'd', 2, size), self->low));
	}
}

TEST_F(compat, unknown_numbers)
{
	const unsigned int beyond = DRM_TESSERA_DEVICE_RESET + 1;

	for (unsigned int nr = beyond; nr < DRM_COMMAND_END - DRM_COMMAND_BASE; nr++)
		EXPECT_EQ(-EINVAL, ioctl32(self->b.fd, _IOC(_IOC_READ | _IOC_WRITE, 'd',
							    DRM_COMMAND_BASE + nr, 64),
					   self->low));
}

TEST_HARNESS_MAIN

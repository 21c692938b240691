// SPDX-License-Identifier: MIT
/* Ioctl numbers, sizes and directions that are not in the header: what DRM makes of them. */
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define NUMBER(dir, nr, size)	_IOC(dir, DRM_IOCTL_BASE, DRM_COMMAND_BASE + (nr), size)
#define RW			(_IOC_READ | _IOC_WRITE)
#define BEYOND			(DRM_TESSERA_DEVICE_RESET + 1)

FIXTURE(numbers) {
	struct uapi_bench b;
	struct drm_tessera_counters before;
	__u8 arg[16384];
};

FIXTURE_SETUP(numbers)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	memset(self->arg, 0, sizeof(self->arg));
}

FIXTURE_TEARDOWN(numbers)
{
	uapi_bench_close(&self->b);
}

/*
 * DRM's own, all of them, with nothing in the struct: no number takes the kernel down. Those that
 * look into the master of a file, which ours do not have, are refused.
 */
TEST_F(numbers, ioctls_of_drm)
{
	static const unsigned int masters[] = { DRM_IOCTL_GET_UNIQUE, DRM_IOCTL_GET_MAGIC };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(masters); i++) {
		EXPECT_EQ(-EACCES, uapi_ioctl(self->b.fd, masters[i], self->arg));
		/* DRM goes by the number alone. */
		EXPECT_EQ(-EACCES, uapi_ioctl(self->b.fd, _IOC(RW, 'x', _IOC_NR(masters[i]), 512),
					      self->arg));
	}
	for (unsigned int nr = 0; nr < 256; nr++) {
		if (nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END)
			continue;
		memset(self->arg, 0, sizeof(self->arg));
		uapi_ioctl(self->b.fd, _IOC(RW, DRM_IOCTL_BASE, nr, 256), self->arg);
	}
	/* It still works. */
	EXPECT_EQ(0, uapi_info(self->b.fd, &self->b.info));
}

/* F41, F49: every number of the driver's range beyond the last. */
TEST_F(numbers, beyond_the_table)
{
	static const unsigned int sizes[] = { 0, 8, 32, 4096, _IOC_SIZEMASK };

	for (unsigned int nr = BEYOND; nr < DRM_COMMAND_END - DRM_COMMAND_BASE; nr++) {
		for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(sizes); i++) {
			EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, NUMBER(RW, nr, sizes[i]),
						      self->arg));
			EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, NUMBER(0, nr, sizes[i]),
						      self->arg));
		}
	}
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

/* All fields zero is an error everywhere but where nothing is asked. */
TEST_F(numbers, zeroes)
{
	static const int expected[] = {
		[DRM_TESSERA_QUERY] = 0,		/* the size of the device's record */
		[DRM_TESSERA_BO_CREATE] = -EINVAL,
		[DRM_TESSERA_BO_MMAP_OFFSET] = -ENOENT,
		[DRM_TESSERA_CONTEXT_CREATE] = 0,	/* of low priority */
		[DRM_TESSERA_CONTEXT_DESTROY] = -ENOENT,
		[DRM_TESSERA_PROGRAM_CREATE] = -EINVAL,
		[DRM_TESSERA_PROGRAM_DESTROY] = -ENOENT,
		[DRM_TESSERA_RUN_SUBMIT] = -EINVAL,
		[DRM_TESSERA_RUN_WAIT] = -ENOENT,
		[DRM_TESSERA_RUN_STATUS] = -EINVAL,
		[DRM_TESSERA_RUN_CANCEL] = -ENOENT,
		[DRM_TESSERA_RUN_CLOSE] = -ENOENT,
		[DRM_TESSERA_RUN_FD] = -ENOENT,
		[DRM_TESSERA_RUN_DIAG] = -ENOENT,
		[DRM_TESSERA_CONTEXT_RESET] = -ENOENT,
		[DRM_TESSERA_CONTEXT_PAGE] = -ENOENT,
		[DRM_TESSERA_CLAIM_ACQUIRE] = -ENOENT,
		[DRM_TESSERA_CLAIM_RELEASE] = -ENOENT,
		[DRM_TESSERA_DEVICE_RESET] = 0,
	};
	static const unsigned int sizes[] = { 8, 16, 24, 32, 40, 4096, 8 };

	for (unsigned int nr = 0; nr < UAPI_ARRAY_SIZE(expected); nr++) {
		/* A shorter struct is extended by zeroes, so its size makes no difference. */
		for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(sizes); i++) {
			memset(self->arg, 0, sizeof(self->arg));
			EXPECT_EQ(expected[nr], uapi_ioctl(self->b.fd, NUMBER(RW, nr, sizes[i]),
							   self->arg)) {
				TH_LOG("number %#x, size %u", nr, sizes[i]);
			}
		}
		/* Nor does a direction that brings nothing in. */
		memset(self->arg, 0xff, sizeof(self->arg));
		EXPECT_EQ(expected[nr], uapi_ioctl(self->b.fd, NUMBER(_IOC_READ, nr, 64),
						   self->arg));
		EXPECT_EQ(expected[nr], uapi_ioctl(self->b.fd, NUMBER(0, nr, 64), self->arg));
	}
}

/* What is longer than the kernel knows comes back as it was. */
TEST_F(numbers, longer_struct)
{
	struct drm_tessera_context_create *args = (void *)self->arg;
	const size_t size = sizeof(*args);

	memset(self->arg, 0x5a, sizeof(self->arg));
	memset(args, 0, size);
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, NUMBER(RW, DRM_TESSERA_CONTEXT_CREATE, size + 64),
				self->arg));
	EXPECT_NE(0, args->handle);
	EXPECT_NE(0, args->id);
	for (size_t i = size; i < sizeof(self->arg); i++)
		ASSERT_EQ(0x5a, self->arg[i]);
}

/* What is shorter gets the outputs it has room for, and no byte beyond. */
TEST_F(numbers, shorter_struct)
{
	struct drm_tessera_context_create *args = (void *)self->arg;

	for (size_t size = 0; size < sizeof(*args); size++) {
		memset(self->arg, 0x5a, sizeof(self->arg));
		memset(args, 0, size);
		ASSERT_EQ(0, uapi_ioctl(self->b.fd, NUMBER(RW, DRM_TESSERA_CONTEXT_CREATE, size),
					self->arg));
		for (size_t i = size; i < 64; i++)
			ASSERT_EQ(0x5a, self->arg[i]);
	}
}

TEST_F(numbers, direction_without_output)
{
	struct drm_tessera_query args = { .what = DRM_TESSERA_QUERY_COUNTERS };

	ASSERT_EQ(0, uapi_ioctl(self->b.fd, NUMBER(_IOC_WRITE, DRM_TESSERA_QUERY, sizeof(args)),
				&args));
	EXPECT_EQ(0, args.size);
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, NUMBER(RW, DRM_TESSERA_QUERY, sizeof(args)), &args));
	EXPECT_EQ(sizeof(struct drm_tessera_counters), args.size);
}

TEST_F(numbers, bad_pointers_to_the_struct)
{
	for (unsigned int nr = 0; nr <= DRM_TESSERA_DEVICE_RESET; nr++) {
		static const unsigned int sizes[] = { 24, 16, 24, 24, 8, 24, 8, 32, 16, 16, 8, 8,
						      16, 24, 8, 8, 16, 8, 16 };
		struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

		uapi_bad_ptrs(self->arg, sizes[nr], bad);
		for (unsigned int i = 0; i < UAPI_READ_ONLY; i++) {
			EXPECT_EQ(-EFAULT, uapi_ioctl(self->b.fd, NUMBER(RW, nr, sizes[nr]),
						      (void *)(uintptr_t)bad[i].addr)) {
				TH_LOG("number %#x, pointer: %s", nr, bad[i].what);
			}
		}
	}
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

/* What the accel node does not offer: modesetting, master, legacy buffers. */
TEST_F(numbers, ioctls_of_display_drivers)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_MODE_GETRESOURCES, DRM_IOCTL_MODE_CREATE_DUMB, DRM_IOCTL_MODE_ADDFB,
		DRM_IOCTL_GEM_FLINK, DRM_IOCTL_GEM_OPEN,
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(requests); i++) {
		EXPECT_GT(0, uapi_ioctl(self->b.fd, requests[i], self->arg)) {
			TH_LOG("request %#lx", requests[i]);
		}
	}
}

TEST_HARNESS_MAIN

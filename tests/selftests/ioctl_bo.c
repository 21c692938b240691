// SPDX-License-Identifier: MIT
/* BO_CREATE, BO_MMAP_OFFSET and mmap: sizes, handles, windows into a buffer. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define PAGE	4096ull

FIXTURE(bo) {
	int fd;
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(bo)
{
	self->fd = uapi_open_idle();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, uapi_counters(self->fd, &self->before));
}

FIXTURE_TEARDOWN(bo)
{
	close(self->fd);
}

static int create(int fd, struct drm_tessera_bo_create *args)
{
	struct drm_tessera_bo_create before = *args;
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_BO_CREATE, args);

	return ret && memcmp(&before, args, sizeof(before)) ? -EPROTO : ret;
}

static int locate(int fd, struct drm_tessera_bo_mmap_offset *args)
{
	struct drm_tessera_bo_mmap_offset before = *args;
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, args);

	return ret && memcmp(&before, args, sizeof(before)) ? -EPROTO : ret;
}

/* mmap of the file: 0 and unmapped again, or a negative errno. */
static int window(int fd, size_t size, int prot, int flags, __u64 offset)
{
	void *map = mmap(NULL, size, prot, flags, fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, size);
	return 0;
}

TEST_F(bo, sizes_are_rounded_up_to_pages)
{
	static const struct {
		__u64 asked, given;
	} sizes[] = {
		{ 1, PAGE }, { 16, PAGE }, { PAGE - 1, PAGE }, { PAGE, PAGE },
		{ PAGE + 1, 2 * PAGE }, { 65535, 65536 }, { 1 << 20, 1 << 20 },
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(sizes); i++) {
		struct drm_tessera_bo_create args = { .size = sizes[i].asked };

		ASSERT_EQ(0, create(self->fd, &args));
		EXPECT_EQ(sizes[i].given, args.size);
		EXPECT_NE(0, args.handle);
	}
}

TEST_F(bo, size_that_is_none)
{
	static const __u64 sizes[] = { 0, -1ull, -2ull, -PAGE + 1 };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(sizes); i++) {
		struct drm_tessera_bo_create args = { .size = sizes[i] };

		EXPECT_EQ(-EINVAL, create(self->fd, &args));
	}
	/* A change: a refused buffer was counted, or kept. */
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, NULL));
}

/* F39, F43: no product of these overflows into a small buffer. */
TEST_F(bo, more_than_all_memory)
{
	static const __u64 sizes[] = {
		1ull << 44, 1ull << 45, 1ull << 52, 1ull << 62, 1ull << 63, (1ull << 63) - PAGE,
		(1ull << 63) + PAGE, -PAGE, -2 * PAGE, 0xffffffff00000000ull,
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(sizes); i++) {
		struct drm_tessera_bo_create args = { .size = sizes[i] };

		EXPECT_EQ(-ENOMEM, create(self->fd, &args));
	}
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, NULL));
}

TEST_F(bo, every_flag_bit_of_create)
{
	for (unsigned int bit = 0; bit < 32; bit++) {
		struct drm_tessera_bo_create args = { .size = PAGE, .flags = 1u << bit };

		EXPECT_EQ(-EINVAL, create(self->fd, &args));
	}
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, NULL));
}

TEST_F(bo, every_flag_bit_of_mmap_offset)
{
	struct drm_tessera_bo_mmap_offset args = { 0 };

	ASSERT_EQ(0, uapi_bo(self->fd, PAGE, &args.handle));
	for (unsigned int bit = 0; bit < 32; bit++) {
		args.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, locate(self->fd, &args));
	}
}

TEST_F(bo, handles_that_are_no_buffer)
{
	static const __u32 never[] = { 0, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	struct drm_tessera_bo_mmap_offset args = { 0 };
	__u32 context, bo;
	int other;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++) {
		args.handle = never[i];
		EXPECT_EQ(-ENOENT, locate(self->fd, &args));
	}
	/* Of another type. */
	ASSERT_EQ(0, uapi_context(self->fd, 0, &context));
	args.handle = context;
	EXPECT_EQ(-ENOENT, locate(self->fd, &args));
	/* Of another file. */
	other = uapi_open(NULL);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, uapi_bo(other, PAGE, &args.handle));
	EXPECT_EQ(-ENOENT, locate(self->fd, &args));
	close(other);
	/* Closed. */
	ASSERT_EQ(0, uapi_bo(self->fd, PAGE, &bo));
	ASSERT_EQ(0, uapi_bo_close(self->fd, bo));
	args.handle = bo;
	EXPECT_EQ(-ENOENT, locate(self->fd, &args));
	EXPECT_EQ(-EINVAL, uapi_bo_close(self->fd, bo));
}

TEST_F(bo, offset_is_the_same_every_time)
{
	struct drm_tessera_bo_mmap_offset first = { 0 }, again;

	ASSERT_EQ(0, uapi_bo(self->fd, 3 * PAGE, &first.handle));
	again = first;
	ASSERT_EQ(0, locate(self->fd, &first));
	ASSERT_EQ(0, locate(self->fd, &again));
	EXPECT_EQ(3 * PAGE, first.size);
	EXPECT_EQ(0, memcmp(&first, &again, sizeof(first)));
}

/* F77: no window reaches beyond the buffer, and none starts inside it. */
TEST_F(bo, windows_of_every_length_and_offset)
{
	struct drm_tessera_bo_mmap_offset args = { 0 };
	__u32 next;
	int rw = PROT_READ | PROT_WRITE;

	ASSERT_EQ(0, uapi_bo(self->fd, 4 * PAGE, &args.handle));
	ASSERT_EQ(0, locate(self->fd, &args));
	/* A neighbour, so that what lies behind is not simply empty. */
	ASSERT_EQ(0, uapi_bo(self->fd, 4 * PAGE, &next));
	ASSERT_EQ(0, locate(self->fd, &(struct drm_tessera_bo_mmap_offset){ .handle = next }));

	for (size_t pages = 1; pages <= 4; pages++)
		EXPECT_EQ(0, window(self->fd, pages * PAGE, rw, MAP_SHARED, args.offset));
	EXPECT_EQ(0, window(self->fd, 1, rw, MAP_SHARED, args.offset));
	for (size_t pages = 5; pages < 4096; pages = pages * 3 / 2)
		EXPECT_EQ(-EINVAL, window(self->fd, pages * PAGE, rw, MAP_SHARED, args.offset));
	EXPECT_EQ(-EINVAL, window(self->fd, 4 * PAGE + 1, rw, MAP_SHARED, args.offset));
	for (__u64 page = 1; page <= 3; page++) {
		int ret = window(self->fd, PAGE, rw, MAP_SHARED, args.offset - page * PAGE);

		EXPECT_EQ(-EINVAL, window(self->fd, PAGE, rw, MAP_SHARED,
					  args.offset + page * PAGE));
		/* What lies before may be the start of somebody else's. */
		EXPECT_TRUE(ret == -EINVAL || ret == -EACCES);
	}
	EXPECT_EQ(-EINVAL, window(self->fd, PAGE, rw, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, window(self->fd, PAGE, rw, MAP_SHARED, 1ull << 62));
	EXPECT_EQ(-EINVAL, window(self->fd, PAGE, rw, MAP_SHARED, 0x7ffffffffffff000ull));
}

TEST_F(bo, private_writable_mapping)
{
	struct drm_tessera_bo_mmap_offset args = { 0 };

	ASSERT_EQ(0, uapi_bo(self->fd, PAGE, &args.handle));
	ASSERT_EQ(0, locate(self->fd, &args));
	/* A copy on write would be neither the buffer nor zero. */
	EXPECT_EQ(-EINVAL, window(self->fd, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
				  args.offset));
	EXPECT_EQ(0, window(self->fd, PAGE, PROT_READ, MAP_SHARED, args.offset));
}

TEST_F(bo, mapping_through_another_file)
{
	struct drm_tessera_bo_mmap_offset args = { 0 };
	int other = uapi_open(NULL);

	ASSERT_LE(0, other);
	ASSERT_EQ(0, uapi_bo(self->fd, PAGE, &args.handle));
	ASSERT_EQ(0, locate(self->fd, &args));
	EXPECT_EQ(-EACCES, window(other, PAGE, PROT_READ, MAP_SHARED, args.offset));
	close(other);
}

TEST_F(bo, mapping_after_the_last_handle)
{
	struct drm_tessera_bo_mmap_offset args = { 0 };

	ASSERT_EQ(0, uapi_bo(self->fd, PAGE, &args.handle));
	ASSERT_EQ(0, locate(self->fd, &args));
	ASSERT_EQ(0, uapi_bo_close(self->fd, args.handle));
	EXPECT_EQ(-EINVAL, window(self->fd, PAGE, PROT_READ, MAP_SHARED, args.offset));
}

TEST_F(bo, mapping_outlives_handle_and_file)
{
	struct drm_tessera_counters delta = { .buffers = 1 };
	int other = uapi_open(NULL);
	void *map;
	__u32 bo;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, uapi_bo_map(other, 2 * PAGE, &bo, &map));
	memset(map, 0x5a, PAGE);
	ASSERT_EQ(0, uapi_bo_close(other, bo));
	close(other);
	/* Less: the memory went while it was mapped. */
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, &delta));
	EXPECT_EQ(0x5a, ((char *)map)[PAGE - 1]);
	((char *)map)[2 * PAGE - 1] = 1;
	/* A part of it is enough to keep it. */
	ASSERT_EQ(0, munmap(map, PAGE));
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, &delta));
	ASSERT_EQ(0, munmap(map + PAGE, PAGE));
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, NULL));
}

TEST_F(bo, mapping_does_not_grow)
{
	void *map;
	__u32 bo;

	ASSERT_EQ(0, uapi_bo_map(self->fd, PAGE, &bo, &map));
	EXPECT_EQ(MAP_FAILED, mremap(map, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	munmap(map, PAGE);
}

/* IO-3: also when the pages were somebody's a moment ago. */
TEST_F(bo, new_memory_is_zero)
{
	const size_t size = 64 * PAGE;

	for (unsigned int round = 0; round < 8; round++) {
		void *map;
		__u32 bo;

		ASSERT_EQ(0, uapi_bo_map(self->fd, size, &bo, &map));
		EXPECT_TRUE(uapi_all_zero(map, size));
		memset(map, 0xff, size);
		munmap(map, size);
		ASSERT_EQ(0, uapi_bo_close(self->fd, bo));
	}
}

TEST_F(bo, two_mappings_are_one_memory)
{
	struct drm_tessera_bo_mmap_offset args = { 0 };
	volatile __u32 *a, *b;
	void *map;

	ASSERT_EQ(0, uapi_bo_map(self->fd, PAGE, &args.handle, &map));
	ASSERT_EQ(0, locate(self->fd, &args));
	a = map;
	b = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->fd, args.offset);
	ASSERT_NE(MAP_FAILED, (void *)b);
	*a = 0x12345678;
	EXPECT_EQ(0x12345678, *b);
}

TEST_F(bo, handles_are_used_again)
{
	__u32 first, second;

	ASSERT_EQ(0, uapi_bo(self->fd, PAGE, &first));
	ASSERT_EQ(0, uapi_bo_close(self->fd, first));
	for (unsigned int i = 0; i < 1000; i++) {
		ASSERT_EQ(0, uapi_bo(self->fd, PAGE, &second));
		ASSERT_EQ(0, uapi_bo_close(self->fd, second));
	}
	/* More: handles leak, and the table grows for ever. */
	EXPECT_EQ(first, second);
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, NULL));
}

TEST_HARNESS_MAIN

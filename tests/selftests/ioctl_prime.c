// SPDX-License-Identifier: MIT
/* Buffers as dma-bufs: between two files, with mmap, and of another driver (udmabuf). */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

#define SIZE	8192u

FIXTURE(prime) {
	struct uapi_bench b;
	int other;			/* another open file */
	__u32 program;			/* adds 1 to the first word of its buffer */
	struct drm_tessera_counters before;
};

FIXTURE_SETUP(prime)
{
	struct uapi_prog p;

	ASSERT_EQ(0, uapi_bench_open(&self->b));
	self->other = uapi_open(NULL);
	ASSERT_LE(0, self->other);
	uapi_prog_init_core(&p, &self->b.info.limits);

	__u32 l1 = p.limits.cb_base;
	const __u32 code[] = {
		RV_READ_BUFFER(0, 0, l1, 16),
		RV_LI(RV_T0, l1),
		RV_LW(RV_T1, 0, RV_T0),
		RV_ADDI(RV_T1, RV_T1, 1),
		RV_SW(RV_T1, 0, RV_T0),
		RV_WRITE_BUFFER(0, 0, l1, 16),
		RV_EXIT(0),
	};

	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	uapi_add_binding(&p, 16, TESSERA_ACCESS_INOUT);
	ASSERT_EQ(0, uapi_prog_create(self->b.fd, &p, &self->program));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(prime)
{
	close(self->other);
	uapi_bench_close(&self->b);
}

static int export(int fd, __u32 handle)
{
	struct drm_prime_handle args = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = uapi_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	return ret ? ret : args.fd;
}

static int import(int fd, int dmabuf, __u32 *ret_handle)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int ret = uapi_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	if (!ret)
		*ret_handle = args.handle;
	return ret;
}

/* A dma-buf that this driver did not make, and the memory behind it. */
static int foreign_of(__u64 size, void **ret_map)
{
	struct udmabuf_create args = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = size };
	int fd = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), ret;

	args.memfd = memfd_create("foreign", MFD_ALLOW_SEALING);
	if (fd < 0 || (int)args.memfd < 0 || ftruncate(args.memfd, size) ||
	    fcntl(args.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -errno;
	*ret_map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, args.memfd, 0);
	ret = ioctl(fd, UDMABUF_CREATE, &args);
	if (ret < 0)
		ret = -errno;
	close(args.memfd);
	close(fd);
	return ret;
}

static int foreign(void **ret_map)
{
	return foreign_of(SIZE, ret_map);
}

/* A run of the program that adds 1; -EIO if it does not end well. */
static int add_one(FIXTURE_DATA(prime) *self, __u32 bo, __u32 *ret_run)
{
	struct tessera_bind bind = {
		.size = SIZE, .handle = bo, .access = TESSERA_ACCESS_INOUT,
	};
	struct drm_tessera_status status;
	struct drm_tessera_run run;
	__u32 size;
	void *dispatch = uapi_dispatch(&bind, 1, NULL, 0, &size);
	int ret;

	uapi_run_init(&run, self->program);
	uapi_run_set_dispatch(&run, dispatch, size);
	ret = uapi_submit(self->b.fd, self->b.context, &run);
	free(dispatch);
	if (ret)
		return ret;
	if (ret_run) {
		*ret_run = run.handle;
		return 0;
	}
	ret = uapi_end(self->b.fd, run.handle, &status);
	return ret ? ret : status.code ? -EIO : uapi_close_run(self->b.fd, run.handle);
}

TEST_F(prime, one_buffer_in_two_files)
{
	struct drm_tessera_bo_mmap_offset there = { 0 };
	volatile __u32 *a, *b;
	void *map;
	__u32 bo;
	int fd;

	ASSERT_EQ(0, uapi_bo_map(self->other, SIZE, &there.handle, &map));
	a = map;
	fd = export(self->other, there.handle);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, import(self->b.fd, fd, &bo));
	close(fd);
	there.handle = bo;
	ASSERT_EQ(0, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &there));
	EXPECT_EQ(SIZE, there.size);
	b = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, self->b.fd, there.offset);
	ASSERT_NE(MAP_FAILED, (void *)b);
	*a = 41;
	EXPECT_EQ(41, *b);
	ASSERT_EQ(0, add_one(self, bo, NULL));
	EXPECT_EQ(42, *a);

	/* Two buffers: the import made a second object. */
	struct drm_tessera_counters delta = { .buffers = 1 }, now;

	ASSERT_EQ(0, uapi_counters(self->b.fd, &now));
	EXPECT_EQ(self->before.buffers + delta.buffers, now.buffers);
}

TEST_F(prime, imported_twice_is_one_handle)
{
	__u32 bo, first, second;
	int fd;

	ASSERT_EQ(0, uapi_bo(self->other, SIZE, &bo));
	fd = export(self->other, bo);
	ASSERT_EQ(0, import(self->b.fd, fd, &first));
	ASSERT_EQ(0, import(self->b.fd, fd, &second));
	EXPECT_EQ(first, second);
	/* And back where it came from. */
	ASSERT_EQ(0, import(self->other, fd, &second));
	EXPECT_EQ(bo, second);
	close(fd);
}

TEST_F(prime, lives_until_the_last_reference)
{
	struct drm_tessera_counters delta = { .buffers = 1 };
	void *map;
	__u32 bo;
	int fd;

	ASSERT_EQ(0, uapi_bo_map(self->other, SIZE, &bo, &map));
	*(__u32 *)map = 7;
	munmap(map, SIZE);
	fd = export(self->other, bo);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, uapi_bo_close(self->other, bo));
	close(self->other);
	self->other = -1;
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
	ASSERT_EQ(0, import(self->b.fd, fd, &bo));
	close(fd);
	ASSERT_EQ(0, add_one(self, bo, NULL));
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, bo));
	ASSERT_EQ(0, uapi_settle(self->b.fd));

	struct drm_tessera_counters now;
	__s64 until = uapi_in_ms(2000);

	do {
		ASSERT_EQ(0, uapi_counters(self->b.fd, &now));
	} while (now.buffers != self->before.buffers && uapi_now() < until);
	EXPECT_EQ(self->before.buffers, now.buffers);
}

/* F77 once more: through the dma-buf. */
TEST_F(prime, mapped_through_the_dma_buf)
{
	volatile __u32 *direct, *shared;
	void *map;
	__u32 bo;
	int fd;

	ASSERT_EQ(0, uapi_bo_map(self->b.fd, SIZE, &bo, &map));
	direct = map;
	fd = export(self->b.fd, bo);
	ASSERT_LE(0, fd);
	shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)shared);
	*shared = 5;
	EXPECT_EQ(5, *direct);
	ASSERT_EQ(0, add_one(self, bo, NULL));
	EXPECT_EQ(6, *shared);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE + 4096, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 4096));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, SIZE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 1ull << 40));
	EXPECT_EQ(SIZE, lseek(fd, 0, SEEK_END));
	close(fd);
}

TEST_F(prime, things_that_cannot_be_imported)
{
	int plain = open("/dev/null", O_RDWR), memfd = memfd_create("plain", 0);
	__u32 bo = 77;

	EXPECT_EQ(-EBADF, import(self->b.fd, -1, &bo));
	EXPECT_EQ(-EBADF, import(self->b.fd, 9999, &bo));
	EXPECT_EQ(-EINVAL, import(self->b.fd, plain, &bo));
	EXPECT_EQ(-EINVAL, import(self->b.fd, memfd, &bo));
	EXPECT_EQ(-EINVAL, import(self->b.fd, self->b.fd, &bo));
	EXPECT_EQ(77, bo);
	close(plain);
	close(memfd);
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(prime, things_that_cannot_be_exported)
{
	static const __u32 never[] = { 0, 77, 0x80000000, 0xffffffff };
	struct drm_prime_handle args = { .flags = 1u << 31 };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++)
		EXPECT_EQ(-ENOENT, export(self->b.fd, never[i]));
	ASSERT_EQ(0, uapi_bo(self->b.fd, SIZE, &args.handle));
	EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args));
}

/* Memory of another driver, bound to a run. */
TEST_F(prime, foreign_buffer_in_a_run)
{
	struct drm_tessera_bo_mmap_offset there = { 0 };
	struct drm_tessera_counters delta = { .buffers = 1 };
	volatile __u32 *word;
	void *map;
	__u32 bo;
	int fd = foreign(&map);

	ASSERT_LE(0, fd);
	word = map;
	*word = 99;
	ASSERT_EQ(0, import(self->b.fd, fd, &bo));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
	ASSERT_EQ(0, add_one(self, bo, NULL));
	EXPECT_EQ(100, *word);
	/* Its owner maps it, not this file. */
	there.handle = bo;
	EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &there));
	close(fd);
	ASSERT_EQ(0, add_one(self, bo, NULL));
	EXPECT_EQ(101, *word);
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, bo));
}

/* Wherever its memory lies: tests/odd/list has a machine with memory above 4 GiB. */
TEST_F(prime, large_foreign_buffers)
{
	for (__u64 size = 1 << 20; size <= 64 << 20; size *= 4) {
		void *map;
		__u32 bo;
		int fd = foreign_of(size, &map);

		ASSERT_LE(0, fd);
		*(volatile __u32 *)map = 5;
		ASSERT_EQ(0, import(self->b.fd, fd, &bo));
		ASSERT_EQ(0, add_one(self, bo, NULL));
		EXPECT_EQ(6, *(volatile __u32 *)map);
		ASSERT_EQ(0, uapi_bo_close(self->b.fd, bo));
		munmap(map, size);
		close(fd);
	}
}

/* F75: the handle is closed while the run is queued; the memory stays until the run has ended. */
TEST_F(prime, foreign_buffer_closed_under_a_queued_run)
{
	struct drm_tessera_status status;
	struct uapi_gate gate;
	volatile __u32 *word;
	__u32 bo, first, run;
	void *map;
	int fd = foreign(&map);

	ASSERT_LE(0, fd);
	word = map;
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &gate, &first));
	ASSERT_EQ(0, import(self->b.fd, fd, &bo));
	ASSERT_EQ(0, add_one(self, bo, &run));
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, bo));
	close(fd);
	EXPECT_EQ(0, *word);
	*gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_EQ(1, *word);
	uapi_gate_free(self->b.fd, &gate);
}

/* What others do with a shared buffer, and what they may know of us: poll() of the dma-buf. */
TEST_F(prime, others_can_wait_for_a_run)
{
	struct pollfd read = { .events = POLLIN }, write = { .events = POLLOUT };
	struct uapi_gate gate;
	__u32 run;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	read.fd = write.fd = export(self->b.fd, gate.bo);
	ASSERT_LE(0, read.fd);
	EXPECT_EQ(1, poll(&write, 1, 0));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &gate, &run));
	/* The run only reads: so may others. */
	EXPECT_EQ(1, poll(&read, 1, 0));
	EXPECT_EQ(0, poll(&write, 1, 50));
	*gate.word = 1;
	EXPECT_EQ(1, poll(&write, 1, 20000));
	EXPECT_EQ(0, uapi_wait(self->b.fd, run, 0));
	close(read.fd);
	uapi_gate_free(self->b.fd, &gate);
}

TEST_F(prime, run_waits_for_what_others_do)
{
	struct dma_buf_import_sync_file theirs = { .flags = DMA_BUF_SYNC_WRITE };
	struct drm_tessera_status status;
	struct uapi_gate gate;
	volatile __u32 *word;
	__u32 bo, other, first, run;
	void *map;
	int fd = foreign(&map);

	ASSERT_LE(0, fd);
	word = map;
	ASSERT_EQ(0, uapi_context(self->b.fd, 0, &other));
	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, other, &gate, &first));
	theirs.fd = uapi_run_fd(self->b.fd, first);
	ASSERT_LE(0, theirs.fd);
	ASSERT_EQ(0, uapi_ioctl(fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &theirs));
	close(theirs.fd);
	ASSERT_EQ(0, import(self->b.fd, fd, &bo));
	ASSERT_EQ(0, add_one(self, bo, &run));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, run, uapi_in_ms(50)));
	/* The device is busy, but a bank is free: without the fence it would be staged. */
	ASSERT_LT(1, self->b.info.limits.staged_depth);
	ASSERT_EQ(0, uapi_status(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_PHASE_QUEUED, status.phase);
	EXPECT_EQ(0, *word);
	*gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, run, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	EXPECT_EQ(1, *word);
	close(fd);
	uapi_gate_free(self->b.fd, &gate);
}

/* The same buffer in both bindings of one run, and by two names. */
TEST_F(prime, shared_buffer_bound_by_two_handles)
{
	struct drm_tessera_status status;
	struct tessera_bind bind[2];
	const __u32 code[] = { RV_EXIT(0) };
	struct drm_tessera_run run;
	struct uapi_prog p;
	__u32 program, size;
	void *dispatch, *map;
	int fd = foreign(&map);

	ASSERT_LE(0, fd);
	uapi_prog_init_core(&p, &self->b.info.limits);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	uapi_add_binding(&p, 16, TESSERA_ACCESS_IN);
	uapi_add_binding(&p, 16, TESSERA_ACCESS_OUT);
	ASSERT_EQ(0, uapi_prog_create(self->b.fd, &p, &program));
	for (unsigned int i = 0; i < 2; i++) {
		bind[i] = (struct tessera_bind){
			.size = SIZE, .access = i ? TESSERA_ACCESS_OUT : TESSERA_ACCESS_IN,
		};
		ASSERT_EQ(0, import(self->b.fd, fd, &bind[i].handle));
	}
	dispatch = uapi_dispatch(bind, 2, NULL, 0, &size);
	uapi_run_init(&run, program);
	uapi_run_set_dispatch(&run, dispatch, size);
	for (unsigned int i = 0; i < 3; i++)
		ASSERT_EQ(0, uapi_submit(self->b.fd, self->b.context, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	free(dispatch);
	close(fd);
}

TEST_HARNESS_MAIN

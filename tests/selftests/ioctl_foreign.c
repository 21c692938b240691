// SPDX-License-Identifier: MIT
/* Fences of another driver (vgem), which runs wait for because they are in a shared buffer. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_check.h"
#include "common_count.h"
#include "kselftest_harness.h"

#define SIZE	4096u

/* Debian has no header of that driver. */
struct vgem_attach {
	__u32 handle, flags;		/* bit 0: a writer's */
	__u32 fence, pad;
};

struct vgem_signal {
	__u32 fence, flags;
};

#define VGEM_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_attach)
#define VGEM_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_signal)

FIXTURE(foreign) {
	struct uapi_bench b;
	int vgem;
	__u32 program;			/* reads its buffer */
};

/* The node of that driver; it has nothing else that could be taken for it. */
static int open_vgem(void)
{
	struct drm_version version;
	char name[8];
	glob_t found;
	int fd = -1, missing;

	/* A kernel may have it built in: what counts is whether it is there. */
	missing = system("modprobe -q vgem");
	if (glob("/dev/dri/card*", 0, NULL, &found))
		return -ENOENT;
	for (size_t i = 0; i < found.gl_pathc && fd < 0; i++) {
		fd = open(found.gl_pathv[i], O_RDWR | O_CLOEXEC);
		version = (struct drm_version){ .name_len = sizeof(name), .name = name };
		memset(name, 0, sizeof(name));
		if (fd >= 0 && (uapi_ioctl(fd, DRM_IOCTL_VERSION, &version) ||
				strncmp(name, "vgem", sizeof(name)))) {
			close(fd);
			fd = -1;
		}
	}
	globfree(&found);
	if (fd < 0 && missing)
		fprintf(stderr, "# no vgem, and modprobe does not find it\n");
	return fd;
}

static int read_program(int fd, const struct tessera_limits *limits, __u32 *ret)
{
	const __u32 code[] = { RV_READ_BUFFER(0, 0, limits->cb_base, 16), RV_EXIT(0) };
	struct uapi_prog p;

	uapi_prog_init_core(&p, limits);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	uapi_add_binding(&p, 16, TESSERA_ACCESS_IN);
	return uapi_prog_create(fd, &p, ret);
}

FIXTURE_SETUP(foreign)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	self->vgem = open_vgem();
	ASSERT_LE(0, self->vgem);
	ASSERT_EQ(0, read_program(self->b.fd, &self->b.info.limits, &self->program));
}

FIXTURE_TEARDOWN(foreign)
{
	close(self->vgem);
	uapi_bench_close(&self->b);
}

/* A buffer of the other driver, as a dma-buf. */
static int foreign_buffer(int vgem, __u32 *ret_handle)
{
	struct drm_mode_create_dumb dumb = { .width = SIZE / 4, .height = 1, .bpp = 32 };
	struct drm_prime_handle args = { .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = uapi_ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);

	args.handle = *ret_handle = dumb.handle;
	if (!ret)
		ret = uapi_ioctl(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);
	return ret ? ret : args.fd;
}

/* A pending fence of somebody who writes to it. It ends by itself, in error, after 10 s. */
static int attach(int vgem, __u32 buffer, __u32 *ret_fence)
{
	struct vgem_attach args = { .handle = buffer, .flags = 1 };
	int ret = uapi_ioctl(vgem, VGEM_ATTACH, &args);

	*ret_fence = args.fence;
	return ret;
}

static int signal_fence(int vgem, __u32 fence)
{
	struct vgem_signal args = { .fence = fence };

	return uapi_ioctl(vgem, VGEM_SIGNAL, &args);
}

/* A run that reads the buffer of that dma-buf, in any file. */
static int submit(int fd, __u32 context, __u32 program, int dmabuf, struct drm_tessera_run *run)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	struct tessera_bind bind = { .size = SIZE, .access = TESSERA_ACCESS_IN };
	int ret = uapi_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);
	void *dispatch;
	__u32 size;

	if (ret)
		return ret;
	bind.handle = args.handle;
	dispatch = uapi_dispatch(&bind, 1, NULL, 0, &size);
	uapi_run_init(run, program);
	uapi_run_set_dispatch(run, dispatch, size);
	ret = uapi_submit(fd, context, run);
	free(dispatch);
	return ret;
}

TEST_F(foreign, run_waits_for_it)
{
	struct drm_tessera_status s;
	struct drm_tessera_run run;
	__u32 buffer, fence;
	int dmabuf = foreign_buffer(self->vgem, &buffer);

	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, attach(self->vgem, buffer, &fence));
	ASSERT_EQ(0, submit(self->b.fd, self->b.context, self->program, dmabuf, &run));
	EXPECT_EQ(-ETIME, uapi_wait(self->b.fd, run.handle, uapi_in_ms(50)));
	ASSERT_EQ(0, signal_fence(self->vgem, fence));
	ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	close(dmabuf);
}

/* It belongs to somebody who never signals it, and goes. */
TEST_F(foreign, its_owner_goes)
{
	struct drm_tessera_status s;
	struct drm_tessera_run run;
	__u32 buffer, fence;
	int dmabuf = foreign_buffer(self->vgem, &buffer);

	ASSERT_LE(0, dmabuf);
	ASSERT_EQ(0, attach(self->vgem, buffer, &fence));
	ASSERT_EQ(0, submit(self->b.fd, self->b.context, self->program, dmabuf, &run));
	close(self->vgem);
	/* vgem signals what its file leaves behind, without an error. */
	ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	close(dmabuf);
}

/* Objects in use of all general caches: those of other drivers' fences are among them. */
static long general_objects(void)
{
	char line[512], name[64];
	long used, sum = 0;
	FILE *file = fopen("/proc/slabinfo", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %ld", name, &used) == 2 && !strncmp(name, "kmalloc-", 8))
			sum += used;
	if (file)
		fclose(file);
	return sum;
}

/* F3: each fence has its run, whose file is closed while it waits; over and over. */
static int close_while_waiting(FIXTURE_DATA(foreign) *self, __u32 buffer, int dmabuf)
{
	struct drm_tessera_run run;
	struct uapi_bench b;
	__u32 fence;
	int err;

	/* What the run before left there may take a moment to be signalled. */
	while ((err = attach(self->vgem, buffer, &fence)) == -EBUSY)
		usleep(100);
	if (!err)
		err = uapi_bench_open(&b);
	if (err)
		return err;
	err = read_program(b.fd, &b.info.limits, &b.program);
	if (!err)
		err = submit(b.fd, b.context, b.program, dmabuf, &run);
	uapi_bench_close(&b);
	return err ? err : signal_fence(self->vgem, fence);
}

TEST_F_TIMEOUT(foreign, files_closed_while_their_runs_wait, LONG_TIMEOUT)
{
	unsigned long n = long_count("TSR_CLOSES", 50), warm = n / 10 + 20;
	struct drm_tessera_counters before, after;
	struct drm_tessera_status s;
	struct drm_tessera_run run;
	long objects;
	__u32 buffer;
	int dmabuf = foreign_buffer(self->vgem, &buffer);

	ASSERT_LE(0, dmabuf);
	/* Somebody has it all the time: its pages, which are dear, do not come and go. */
	ASSERT_EQ(0, submit(self->b.fd, self->b.context, self->program, dmabuf, &run));
	ASSERT_EQ(0, uapi_end(self->b.fd, run.handle, &s));
	ASSERT_EQ(0, uapi_close_run(self->b.fd, run.handle));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &before));
	/* Caches grow at first. */
	for (unsigned long i = 0; i < warm; i++)
		ASSERT_EQ(0, close_while_waiting(self, buffer, dmabuf));
	objects = general_objects();
	for (unsigned long i = 0; i < n; i++)
		ASSERT_EQ(0, close_while_waiting(self, buffer, dmabuf));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &after));
	EXPECT_EQ(n + warm, after.runs_cancelled - before.runs_cancelled);
	EXPECT_EQ(before.contexts, after.contexts);
	EXPECT_EQ(before.buffers, after.buffers);
	EXPECT_EQ(before.programs, after.programs);
	/* One a round: who gave up the run kept its reference to the foreign fence. */
	TH_LOG("%lu closed, %ld more objects", n, general_objects() - objects);
	EXPECT_GT((long)n / 2 + 2000, general_objects() - objects);
	close(dmabuf);
}

TEST_HARNESS_MAIN

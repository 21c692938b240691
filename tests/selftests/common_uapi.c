// SPDX-License-Identifier: MIT
/* Raw ioctls: the device, its objects, runs. Program blobs are in common_prog.c. */
#include "common_slow.h"
#include "common_uapi.h"
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int uapi_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

static bool is_tessera(int fd)
{
	char name[16] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

	return !uapi_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, "tessera");
}

static bool has_name(int fd, const char *name)
{
	struct drm_tessera_device_info info;

	return !name || (!uapi_info(fd, &info) && !strncmp(info.name, name, sizeof(info.name)));
}

int uapi_open(const char *name)
{
	int fd, ret = -ENODEV;
	char path[64];
	glob_t nodes;

	if (glob("/sys/class/accel/accel*", 0, NULL, &nodes))
		return -ENODEV;
	for (size_t i = 0; i < nodes.gl_pathc && ret < 0; i++) {
		snprintf(path, sizeof(path), "/dev/accel/%s", strrchr(nodes.gl_pathv[i], '/') + 1);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			ret = -errno;
		else if (is_tessera(fd) && has_name(fd, name))
			ret = fd;
		else
			close(fd);
	}
	globfree(&nodes);
	return ret;
}

void uapi_debugfs(__u32 minor, const char *file, char *ret, size_t size)
{
	char link[64], parent[128];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/class/accel/accel%u/device", minor);
	n = readlink(link, parent, sizeof(parent) - 1);
	parent[n < 0 ? 0 : n] = '\0';
	name = strrchr(parent, '/');
	snprintf(ret, size, "/sys/kernel/debug/accel/%s/%s", name ? name + 1 : "", file);
}

__s64 uapi_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

__s64 uapi_in_ms(unsigned int ms)
{
	return uapi_now() + ms * 1000000ll;
}

void uapi_sleep_ms(unsigned int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000l };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

static int query(int fd, __u32 what, __u32 index, void *ret, __u32 size)
{
	struct drm_tessera_query args = {
		.what = what, .index = index, .size = size, .data = UAPI_PTR(ret),
	};

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_QUERY, &args);
}

int uapi_info(int fd, struct drm_tessera_device_info *ret)
{
	return query(fd, DRM_TESSERA_QUERY_DEVICE, 0, ret, sizeof(*ret));
}

int uapi_counters(int fd, struct drm_tessera_counters *ret)
{
	return query(fd, DRM_TESSERA_QUERY_COUNTERS, 0, ret, sizeof(*ret));
}

int uapi_context_counters(int fd, __u32 context, struct drm_tessera_counters *ret)
{
	return query(fd, DRM_TESSERA_QUERY_CONTEXT, context, ret, sizeof(*ret));
}

const char *uapi_counter_name(unsigned int index)
{
	static const char *const names[UAPI_COUNTERS] = {
		"contexts", "buffers", "programs", "images", "runs", "fences", "program_creates",
		"image_loads", "image_unloads", "runs_accepted", "runs_refused", "runs_staged",
		"runs_launched", "runs_completed", "runs_failed_local", "runs_failed_queue",
		"runs_failed_device", "runs_cancelled", "runs_quarantined", "runs_retired",
		"leases_taken", "leases_returned", "claims_taken", "claims_released", "resets",
		"scrubs", "timeouts", "queue_depth", "queue_peak", "inline_runs", "poisonings",
		"holds_granted", "holds_revoked", "resets_failed", "images_abandoned",
	};

	return index < UAPI_COUNTERS && names[index] ? names[index] : "?";
}

/* --- objects ------------------------------------------------------------------ */

int uapi_context(int fd, __u32 capacity, __u32 *ret_handle)
{
	struct drm_tessera_context_create args = {
		.priority = DRM_TESSERA_PRIORITY_NORMAL, .queue_capacity = capacity,
	};
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_CREATE, &args);

	if (!ret)
		*ret_handle = args.handle;
	return ret;
}

int uapi_context_destroy(int fd, __u32 handle)
{
	struct drm_tessera_context_destroy args = { .handle = handle };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_CONTEXT_DESTROY, &args);
}

int uapi_bo(int fd, __u64 size, __u32 *ret_handle)
{
	struct drm_tessera_bo_create args = { .size = size };
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_BO_CREATE, &args);

	if (!ret)
		*ret_handle = args.handle;
	return ret;
}

int uapi_bo_map(int fd, __u64 size, __u32 *ret_handle, void **ret_map)
{
	struct drm_tessera_bo_mmap_offset args = { 0 };
	void *map;
	int ret;

	ret = uapi_bo(fd, size, &args.handle);
	if (!ret)
		ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args);
	if (ret)
		return ret;
	map = mmap(NULL, args.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args.offset);
	if (map == MAP_FAILED)
		return -errno;
	*ret_handle = args.handle;
	*ret_map = map;
	return 0;
}

int uapi_bo_close(int fd, __u32 handle)
{
	struct drm_gem_close args = { .handle = handle };

	return uapi_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

int uapi_program(int fd, const void *blob, __u32 size, __u32 *ret_handle)
{
	struct drm_tessera_program_create args = { .blob = UAPI_PTR(blob), .size = size };
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_PROGRAM_CREATE, &args);

	if (!ret)
		*ret_handle = args.handle;
	return ret;
}

int uapi_program_destroy(int fd, __u32 handle)
{
	struct drm_tessera_program_destroy args = { .handle = handle };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_PROGRAM_DESTROY, &args);
}

int uapi_syncobj(int fd, bool signalled, __u32 *ret_handle)
{
	struct drm_syncobj_create args = { .flags = signalled ? DRM_SYNCOBJ_CREATE_SIGNALED : 0 };
	int ret = uapi_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);

	if (!ret)
		*ret_handle = args.handle;
	return ret;
}

int uapi_syncobj_destroy(int fd, __u32 handle)
{
	struct drm_syncobj_destroy args = { .handle = handle };

	return uapi_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
}

int uapi_syncobj_signal(int fd, __u32 handle, __u64 point)
{
	struct drm_syncobj_timeline_array timeline = {
		.handles = UAPI_PTR(&handle), .points = UAPI_PTR(&point), .count_handles = 1,
	};
	struct drm_syncobj_array binary = { .handles = UAPI_PTR(&handle), .count_handles = 1 };

	if (point)
		return uapi_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &timeline);
	return uapi_ioctl(fd, DRM_IOCTL_SYNCOBJ_SIGNAL, &binary);
}

int uapi_syncobj_wait(int fd, __u32 handle, __u64 point, __s64 timeout_ns)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = UAPI_PTR(&handle), .points = UAPI_PTR(&point), .count_handles = 1,
		.timeout_nsec = timeout_ns,
	};

	return uapi_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

/* --- runs ----------------------------------------------------------------------- */

const struct tessera_dispatch_header uapi_dispatch_none = {
	.magic = TESSERA_DISPATCH_MAGIC, .version = TESSERA_BLOB_VERSION,
	.size = sizeof(struct tessera_dispatch_header),
};

void uapi_run_init(struct drm_tessera_run *run, __u32 program)
{
	memset(run, 0, sizeof(*run));
	run->program = program;
	uapi_run_set_dispatch(run, &uapi_dispatch_none, sizeof(uapi_dispatch_none));
}

void uapi_run_set_dispatch(struct drm_tessera_run *run, const void *dispatch, __u32 size)
{
	run->dispatch = UAPI_PTR(dispatch);
	run->dispatch_size = size;
}

void uapi_submit_init(struct drm_tessera_run_submit *submit, __u32 context,
		      struct drm_tessera_run *runs, __u32 count)
{
	memset(submit, 0, sizeof(*submit));
	submit->context = context;
	submit->runs = UAPI_PTR(runs);
	submit->run_count = count;
	submit->run_stride = sizeof(*runs);
}

int uapi_submit(int fd, __u32 context, struct drm_tessera_run *run)
{
	struct drm_tessera_run_submit submit;

	uapi_submit_init(&submit, context, run, 1);
	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit);
}

static int submit_program(int fd, __u32 context, __u32 program, __u32 flags, __u32 *ret_run)
{
	struct drm_tessera_run_submit submit;
	struct drm_tessera_run run;
	int ret;

	uapi_run_init(&run, program);
	uapi_submit_init(&submit, context, &run, 1);
	submit.flags = flags;
	ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit);
	if (!ret)
		*ret_run = run.handle;
	return ret;
}

int uapi_submit_program(int fd, __u32 context, __u32 program, __u32 *ret_run)
{
	return submit_program(fd, context, program, 0, ret_run);
}

int uapi_submit_claimed(int fd, __u32 context, __u32 program, __u32 *ret_run)
{
	return submit_program(fd, context, program, DRM_TESSERA_SUBMIT_CLAIMED, ret_run);
}

int uapi_wait(int fd, __u32 run, __s64 timeout_ns)
{
	struct drm_tessera_run_wait args = { .handle = run, .timeout_ns = timeout_ns };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_RUN_WAIT, &args);
}

int uapi_status(int fd, __u32 run, struct drm_tessera_status *ret)
{
	struct drm_tessera_run_status args = {
		.handle = run, .size = sizeof(*ret), .status = UAPI_PTR(ret),
	};

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_RUN_STATUS, &args);
}

__s64 uapi_soon(void)
{
	return uapi_in_ms(slow_times(20000));
}

int uapi_end(int fd, __u32 run, struct drm_tessera_status *ret)
{
	int err = uapi_wait(fd, run, uapi_soon());

	return err ? err : uapi_status(fd, run, ret);
}

int uapi_wait_phase(int fd, __u32 run, __u32 phase)
{
	__s64 until = uapi_soon();
	struct drm_tessera_status status;
	int ret;

	do {
		ret = uapi_status(fd, run, &status);
		if (ret || status.phase == phase)
			return ret;
		uapi_sleep_ms(1);
	} while (uapi_now() < until);
	return -ETIME;
}

int uapi_cancel(int fd, __u32 run)
{
	struct drm_tessera_run_cancel args = { .handle = run };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_RUN_CANCEL, &args);
}

int uapi_close_run(int fd, __u32 run)
{
	struct drm_tessera_run_close args = { .handle = run };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_RUN_CLOSE, &args);
}

int uapi_run_fd(int fd, __u32 run)
{
	struct drm_tessera_run_fd args = { .handle = run };
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_RUN_FD, &args);

	return ret ? ret : args.fd;
}

int uapi_settle(int fd)
{
	__s64 until = uapi_soon();
	struct drm_tessera_counters counters;
	int ret;

	do {
		ret = uapi_counters(fd, &counters);
		if (ret || !counters.runs)
			return ret;
		uapi_sleep_ms(1);
	} while (uapi_now() < until);
	return -ETIME;
}

int uapi_claim(int fd, __u32 context, __u32 flags, __s64 timeout_ns)
{
	struct drm_tessera_claim_acquire args = {
		.context = context,
		.flags = flags,
		.timeout_ns = timeout_ns,
	};

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_CLAIM_ACQUIRE, &args);
}

int uapi_claim_release(int fd, __u32 context)
{
	struct drm_tessera_claim_release args = { .context = context };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_CLAIM_RELEASE, &args);
}

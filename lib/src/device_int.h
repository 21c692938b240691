/* SPDX-License-Identifier: MIT */
/* The inside of a device: what everything that is made from it shares. */
#ifndef TSR_DEVICE_INT_H
#define TSR_DEVICE_INT_H

#include <errno.h>
#include <pthread.h>

#include <drm/tessera_accel.h>
#include <tessera/cache.h>
#include <tessera/device.h>
#include <tessera/progress.h>

#include "pool.h"
#include "toolchain.h"
#include "util.h"

struct tsr_memo;

/** struct tsr_tally - struct tsr_library_stats, counted by many threads at once */
struct tsr_tally {
	_Atomic uint64_t factory_calls, factory_failures, plans, refused, findings, programs;
	_Atomic uint64_t compiles, compile_failures, submits, submit_refusals, retired;
	_Atomic uint64_t owners_retained, owners_released;
	_Atomic uint64_t bytes_to_device, bytes_from_device, staging_made, staging_reused;
	_Atomic uint64_t waits_page, waits_kernel;
};

/** struct tsr_device - see <tessera/device.h> */
struct tsr_device {
	atomic_uint ref;
	int fd;				/* -1: offline, there is no node */
	const uint32_t *alive;		/* reads 0 in a child after fork() (LT-6) */
	char *path;
	char name[33], isa[33];
	struct tessera_limits limits;
	uint32_t seed;			/* as kernels read it */
	bool disk;			/* images are looked for, and kept, on disk (JIT-3) */
	struct tsr_tally tally;
	struct tsr_toolchain toolchain;
	struct tsr_memo *programs;	/* plan -> struct tsr_program */
	struct tsr_memo *images;	/* source and definitions -> struct tsr_image */
	struct tsr_pool resources;	/* struct tsr_resources, to be used again */
	struct tsr_pool calls;		/* struct tsr_call */
	struct tsr_pool runs;		/* struct tsr_run */
	pthread_mutex_t progress_lock;	/* the next two; inside no other lock */
	tsr_progress_fn progress;
	void *progress_ctx;
	pthread_mutex_t buffers_lock;	/* @buffers, and the last unref of each */
	struct tsr_buffer *buffers;	/* by their links */
	pthread_mutex_t reaper_lock;	/* @orphans, @reaping; inside no other lock */
	struct tsr_run *orphans;	/* runs that nobody observes any more */
	bool reaping;
};

/** tsr_device_check() - first thing in every call: 0, or -EPERM in a child after fork() */
static inline int tsr_device_check(const struct tsr_device *dev)
{
	return likely(*dev->alive) ? 0 : -EPERM;
}

/** tsr_device_new_offline() - a device without a node, for tests and tools: plans, cannot run */
int tsr_device_new_offline(const struct tessera_limits *limits, struct tsr_device **ret_dev);

/** tsr_ioctl() - until it is not interrupted. Return: 0, -errno. */
int tsr_ioctl(const struct tsr_device *dev, unsigned long request, void *arg);

/** tsr_ioctl_once() - a signal ends it with -EINTR */
int tsr_ioctl_once(const struct tsr_device *dev, unsigned long request, void *arg);

/** tsr_limits_from_uapi() - in the public layout */
void tsr_limits_from_uapi(const struct tessera_limits *from, struct tsr_limits *ret_limits);

/** tsr_query_counters() - DRM_TESSERA_QUERY_COUNTERS or _CONTEXT in the public layout */
int tsr_query_counters(const struct tsr_device *dev, uint32_t what, uint32_t index,
		       struct tsr_counters *ret);

/** tsr_place() - index of a core in bitmaps and tables of the device */
static inline uint32_t tsr_place(const struct tessera_limits *limits, uint32_t x, uint32_t y)
{
	return y * limits->grid_width + x;
}

#endif

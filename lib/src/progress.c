// SPDX-License-Identifier: MIT
/* Who watches builds, and what he is told (JIT-4). */
#include <time.h>

#include "progress.h"

TSR_API void tsr_device_set_progress(struct tsr_device *dev, tsr_progress_fn progress, void *ctx)
{
	if (tsr_device_check(dev))
		return;
	pthread_mutex_lock(&dev->progress_lock);
	dev->progress = progress;
	dev->progress_ctx = ctx;
	pthread_mutex_unlock(&dev->progress_lock);
}

static tsr_progress_fn watcher(struct tsr_device *dev, void **ret_ctx)
{
	tsr_progress_fn fn;

	pthread_mutex_lock(&dev->progress_lock);
	fn = dev->progress;
	*ret_ctx = dev->progress_ctx;
	pthread_mutex_unlock(&dev->progress_lock);
	return fn;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t tsr_progress_now(struct tsr_device *dev)
{
	void *ctx;

	return watcher(dev, &ctx) ? now_ns() : 0;
}

void tsr_progress(const struct tsr_image_job *job, enum tsr_progress_event event, uint32_t done)
{
	void *ctx;
	tsr_progress_fn fn = watcher(job->dev, &ctx);
	struct tsr_progress progress = {
		.operation = job->operation,
		.kernel = job->kernel->name,
		.event = event,
		.done = done,
		.total = job->total,
	};

	if (!fn)
		return;
	if (job->begun_ns)
		progress.elapsed_ns = now_ns() - job->begun_ns;
	fn(ctx, &progress);
}

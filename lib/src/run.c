// SPDX-License-Identifier: MIT
/* Runs: observing one, and what happens when its end is seen (LT-1 .. LT-3). */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "codes.h"
#include "run_int.h"
#include "status_int.h"

struct tsr_run *tsr_run_new(struct tsr_context *context, struct tsr_operation *op)
{
	struct tsr_run *run = tsr_pool_get(&context->dev->runs);

	if (!run) {
		run = calloc(1, sizeof(*run));
		if (!run)
			return NULL;
		pthread_mutex_init(&run->lock, NULL);
	}
	tsr_ref_init(&run->ref);
	tsr_ref_init(&run->users);
	atomic_init(&run->ended, false);
	run->context = tsr_context_ref(context);
	run->op = tsr_operation_ref(op);
	return run;
}

void tsr_run_destroy(void *object)
{
	struct tsr_run *run = object;

	pthread_mutex_destroy(&run->lock);
	free(run);
}

/* Back into the pool. The device is held meanwhile: operation and context may be its last users. */
static void recycle(struct tsr_run *run)
{
	struct tsr_device *dev = tsr_device_ref(run->context->dev);

	tsr_operation_unref(run->op);
	tsr_context_unref(run->context);
	run->program = NULL;
	run->res = NULL;
	if (!tsr_device_check(dev))
		run = tsr_pool_put(&dev->runs, run);
	if (run)
		tsr_run_destroy(run);
	tsr_device_unref(dev);
}

void tsr_run_abandon(struct tsr_run *run)
{
	recycle(run);
}

void tsr_run_put(struct tsr_run *run)
{
	struct drm_tessera_run_close close = { .handle = run->handle };

	if (!tsr_ref_put(&run->ref))
		return;
	if (!tsr_device_check(run->context->dev))
		tsr_ioctl(run->context->dev, DRM_IOCTL_TESSERA_RUN_CLOSE, &close);
	/* These are still there only in a child, where letting go frees memory and no more. */
	tsr_program_unref(run->program);
	tsr_resources_let_go(run->res);
	recycle(run);
}

/* Sorted by id: two threads may come here in another order than the kernel accepted their runs. */
void tsr_run_link(struct tsr_run *run)
{
	struct tsr_context *context = run->context;
	struct tsr_run *before;

	tsr_ref_get(&run->ref);
	pthread_mutex_lock(&context->lock);
	before = context->last;
	while (before && before->id > run->id)
		before = before->prev;
	run->prev = before;
	run->next = before ? before->next : context->first;
	if (before)
		before->next = run;
	else
		context->first = run;
	if (run->next)
		run->next->prev = run;
	else
		context->last = run;
	run->linked = true;
	pthread_mutex_unlock(&context->lock);
}

static void unlink_run(struct tsr_run *run)
{
	struct tsr_context *context = run->context;
	bool linked;

	pthread_mutex_lock(&context->lock);
	linked = run->linked;
	if (linked) {
		if (run->prev)
			run->prev->next = run->next;
		else
			context->first = run->next;
		if (run->next)
			run->next->prev = run->prev;
		else
			context->last = run->prev;
		run->linked = false;
	}
	pthread_mutex_unlock(&context->lock);
	if (linked)
		tsr_run_put(run);
}

static int read_status(struct tsr_run *run, struct tsr_status *ret_status)
{
	struct drm_tessera_status status = { 0 };
	struct drm_tessera_run_status arg = {
		.handle = run->handle,
		.size = sizeof(status),
		.status = (uintptr_t)&status,
	};
	int err = tsr_ioctl(run->context->dev, DRM_IOCTL_TESSERA_RUN_STATUS, &arg);

	if (!err)
		tsr_status_from_uapi(&status, ret_status);
	return err;
}

/* A device that cannot be asked any more has gone, and with it the run. */
static void invent_status(struct tsr_run *run)
{
	run->status = (struct tsr_status){
		.run_id = run->id,
		.context_id = run->context->id,
		.phase = TSR_PHASE_QUARANTINED,
		.code = DRM_TESSERA_CODE_DEVICE_GONE,
		.failure_class = TSR_CLASS_DEVICE,
		.verdict_source = DRM_TESSERA_VERDICT_DRIVER,
		.flags = TSR_STATUS_OUTPUTS_UNDEFINED,
	};
}

/* The last phase of a run: its record does not change any more. */
static bool is_final(uint32_t phase)
{
	return phase == TSR_PHASE_RETIRED || phase == TSR_PHASE_CANCELLED ||
	       phase == TSR_PHASE_QUARANTINED;
}

static bool succeeded(const struct tsr_status *status)
{
	return !status->code && status->phase == TSR_PHASE_RETIRED;
}

/* What the first observer does with what the run held. No lock is held (LT-3). */
static void settle(struct tsr_run *run, struct tsr_program *program, struct tsr_resources *res)
{
	tsr_count(&run->context->dev->tally.retired);
	tsr_program_unref(program);
	if (succeeded(&run->status))
		tsr_operation_retired(run->op, res, run->id);
	else
		tsr_resources_let_go(res);
}

int tsr_run_observe(struct tsr_run *run)
{
	struct tsr_program *program = NULL;
	struct tsr_resources *res = NULL;
	bool first;
	int err = 0;

	if (atomic_load_explicit(&run->ended, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&run->lock);
	first = !atomic_load(&run->ended);
	if (first)
		err = read_status(run, &run->status);
	if (err == -ENODEV || err == -ENOENT) {
		invent_status(run);
		err = 0;
	}
	if (first && !err && !is_final(run->status.phase))
		err = -EBUSY;
	if (first && !err) {
		program = run->program;
		res = run->res;
		run->program = NULL;
		run->res = NULL;
		atomic_store_explicit(&run->ended, true, memory_order_release);
	}
	pthread_mutex_unlock(&run->lock);
	if (!first || err)
		return err;
	settle(run, program, res);
	unlink_run(run);
	return 0;
}

/* The first run of the context that has been accepted before @run, with a reference. */
static struct tsr_run *first_before(struct tsr_run *run)
{
	struct tsr_context *context = run->context;
	struct tsr_run *first;

	pthread_mutex_lock(&context->lock);
	first = context->first;
	if (first && first->id < run->id)
		tsr_ref_get(&first->ref);
	else
		first = NULL;
	pthread_mutex_unlock(&context->lock);
	return first;
}

/*
 * Runs of a context end in order, so those before this one have ended too; their owners go before
 * its own do (LT-2).
 */
static void observe_earlier(struct tsr_run *run)
{
	struct tsr_run *first;
	int err = 0;

	while (!err && (first = first_before(run))) {
		err = tsr_run_observe(first);
		/* Where another thread has seen the end, it may not have come to this yet. */
		if (!err)
			unlink_run(first);
		tsr_run_put(first);
	}
}

int tsr_run_await(struct tsr_run *run, int64_t deadline)
{
	struct drm_tessera_run_wait wait = { .handle = run->handle, .timeout_ns = deadline };
	int err;

	if (atomic_load_explicit(&run->ended, memory_order_acquire))
		return 0;
	err = tsr_ioctl(run->context->dev, DRM_IOCTL_TESSERA_RUN_WAIT, &wait);
	if (err && err != -ENODEV && err != -ENOENT)
		return err;
	observe_earlier(run);
	return tsr_run_observe(run);
}

static int64_t deadline_of(int64_t timeout_ns)
{
	struct timespec now;
	int64_t ns;

	if (timeout_ns < 0)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (__builtin_add_overflow((int64_t)now.tv_sec * 1000000000 + now.tv_nsec, timeout_ns, &ns))
		return INT64_MAX;
	return ns;
}

TSR_API int tsr_run_wait(struct tsr_run *run, int64_t timeout_ns)
{
	int err = tsr_device_check(run->context->dev);

	return err ? err : tsr_run_await(run, timeout_ns ? deadline_of(timeout_ns) : 0);
}

TSR_API struct tsr_run *tsr_run_ref(struct tsr_run *run)
{
	tsr_ref_get(&run->users);
	return run;
}

TSR_API struct tsr_run *tsr_run_unref(struct tsr_run *run)
{
	if (!run || !tsr_ref_put(&run->users))
		return NULL;
	/* An end that is already there is seen here, others by the library's thread. */
	if (!tsr_device_check(run->context->dev) && tsr_run_await(run, 0) == -ETIME)
		tsr_reaper_adopt(run);
	else
		tsr_run_put(run);
	return NULL;
}

TSR_API uint64_t tsr_run_id(const struct tsr_run *run)
{
	return run->id;
}

TSR_API int tsr_run_status(struct tsr_run *run, struct tsr_status *ret_status)
{
	struct tsr_status status;
	int err = tsr_device_check(run->context->dev);

	if (err)
		return err;
	if (!atomic_load_explicit(&run->ended, memory_order_acquire)) {
		err = read_status(run, &status);
		if (err)
			return err;
		*ret_status = status;
		return 0;
	}
	*ret_status = run->status;
	return 0;
}

/* What its fence carries, too; an unknown code is an error of the device (FL-1). */
static int verdict_of(const struct tsr_status *status)
{
	const struct tsr_code_info *info = tsr_code_info(status->code);

	if (!info)
		return -EIO;
	if (info->error || succeeded(status))
		return info->error;
	return status->phase == TSR_PHASE_CANCELLED ? -ECANCELED : -EIO;
}

TSR_API int tsr_run_verdict(struct tsr_run *run)
{
	int err = tsr_run_wait(run, 0);

	if (err)
		return err == -ETIME ? -EBUSY : err;
	return verdict_of(&run->status);
}

TSR_API int tsr_run_cancel(struct tsr_run *run)
{
	struct drm_tessera_run_cancel cancel = { .handle = run->handle };
	int err = tsr_device_check(run->context->dev);

	return err ? err : tsr_ioctl(run->context->dev, DRM_IOCTL_TESSERA_RUN_CANCEL, &cancel);
}

TSR_API int tsr_run_fd(struct tsr_run *run, int *ret_fd)
{
	struct drm_tessera_run_fd arg = { .handle = run->handle };
	int err = tsr_device_check(run->context->dev);

	if (!err)
		err = tsr_ioctl(run->context->dev, DRM_IOCTL_TESSERA_RUN_FD, &arg);
	if (err)
		return err;
	*ret_fd = arg.fd;
	return 0;
}

// SPDX-License-Identifier: MIT
/* Runs: observing one, and what happens when its end is seen (LT-1 .. LT-3). */
#include <errno.h>
#include <stdlib.h>

#include "codes.h"
#include "staged.h"
#include "page.h"
#include "staging.h"
#include "status_int.h"

struct tsr_run *tsr_run_new(struct tsr_context *context, struct tsr_operation *op)
{
	struct tsr_run *run = tsr_pool_get(&context->dev->runs);

	if (!run) {
		run = calloc(1, sizeof(*run));
		if (!run)
			return NULL;
		pthread_mutex_init(&run->lock, NULL);
		pthread_cond_init(&run->copied, NULL);
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

	/* Not the condition: in a child that would wait for a thread that was not copied. */
	pthread_mutex_destroy(&run->lock);
	tsr_vec_free(&run->copies);
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
	run->staging = NULL;
	run->copies.count = 0;
	run->detached = false;
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
	tsr_staging_free(run->staging);
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

/** struct held - what a run holds until its end was seen */
struct held {
	struct tsr_program *program;
	struct tsr_resources *res;
	struct tsr_staging *staging;
};

/* What the first observer does with that. No lock is held (LT-3). */
static void settle(struct tsr_run *run, const struct held *held)
{
	tsr_count(&run->context->dev->tally.retired);
	tsr_program_unref(held->program);
	if (held->staging)
		tsr_staged_settle(run, held->staging);
	if (succeeded(&run->status))
		tsr_operation_retired(run->op, held->res, run->id);
	else
		tsr_resources_let_go(held->res);
}

/* Once, and without the lock; who comes meanwhile waits, for there is no end without outputs. */
static void copy_back(struct tsr_run *run)
{
	run->copying = true;
	pthread_mutex_unlock(&run->lock);
	tsr_staged_copy_back(run);
	pthread_mutex_lock(&run->lock);
	run->status.flags |= TSR_STATUS_COPIED_BACK;
	run->copying = false;
	pthread_cond_broadcast(&run->copied);
}

/* 0 when the end has been seen, by this thread if @ret_held has a program then. */
static int observe_locked(struct tsr_run *run, struct held *ret_held)
{
	int err;

	while (run->copying)
		pthread_cond_wait(&run->copied, &run->lock);
	if (atomic_load(&run->ended))
		return 0;
	err = read_status(run, &run->status);
	if (err == -ENODEV || err == -ENOENT)
		invent_status(run);
	else if (err)
		return err;
	if (!is_final(run->status.phase))
		return -EBUSY;
	if (run->copies.count && succeeded(&run->status) && !run->detached)
		copy_back(run);
	*ret_held = (struct held){ run->program, run->res, run->staging };
	run->program = NULL;
	run->res = NULL;
	run->staging = NULL;
	atomic_store_explicit(&run->ended, true, memory_order_release);
	return 0;
}

int tsr_run_observe(struct tsr_run *run)
{
	struct held held = { 0 };
	int err;

	if (atomic_load_explicit(&run->ended, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&run->lock);
	err = observe_locked(run, &held);
	pthread_mutex_unlock(&run->lock);
	if (err || !held.program)
		return err;
	settle(run, &held);
	unlink_run(run);
	return 0;
}

/* Nobody will know when the outputs are there, so nobody can keep their memory until then. */
static void detach(struct tsr_run *run)
{
	if (likely(!run->copies.count))
		return;
	pthread_mutex_lock(&run->lock);
	while (run->copying)
		pthread_cond_wait(&run->copied, &run->lock);
	run->detached = true;
	pthread_mutex_unlock(&run->lock);
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

/* -EBUSY: the page was faster than the record. */
static int await_page(struct tsr_run *run, int64_t deadline)
{
	if (!tsr_page_ended(run->context, run->id, deadline))
		return -EBUSY;
	observe_earlier(run);
	return tsr_run_observe(run);
}

int tsr_run_await(struct tsr_run *run, int64_t deadline)
{
	struct drm_tessera_run_wait wait = { .handle = run->handle, .timeout_ns = deadline };
	struct tsr_device *dev = run->context->dev;
	int err;

	if (atomic_load_explicit(&run->ended, memory_order_acquire))
		return 0;
	err = await_page(run, deadline);
	if (err != -EBUSY) {
		tsr_count(&dev->tally.waits_page);
		return err;
	}
	tsr_count(&dev->tally.waits_kernel);
	err = tsr_ioctl(dev, DRM_IOCTL_TESSERA_RUN_WAIT, &wait);
	if (err && err != -ENODEV && err != -ENOENT)
		return err;
	observe_earlier(run);
	return tsr_run_observe(run);
}

TSR_API int tsr_run_wait(struct tsr_run *run, int64_t timeout_ns)
{
	int err = tsr_device_check(run->context->dev);

	return err ? err : tsr_run_await(run, tsr_deadline(timeout_ns));
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
	if (!tsr_device_check(run->context->dev)) {
		detach(run);
		/* An end that is already there is seen here, others by the library's thread. */
		if (tsr_run_await(run, 0) == -ETIME) {
			tsr_reaper_adopt(run);
			return NULL;
		}
	}
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

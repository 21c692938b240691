// SPDX-License-Identifier: GPL-2.0-only
/* Runs: references, and what an observer may do with one. */
#include <drm/drm_gem.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/sync_file.h>
#include "fence.h"
#include "file.h"
#include "pipeline.h"

static struct kmem_cache *tsr_run_cache;

/* What a run is given back with. (And a cache with a constructor is not zeroed in vain.) */
static void tsr_run_construct(void *mem)
{
	struct tsr_run *run = mem;

	INIT_LIST_HEAD(&run->link);
	INIT_LIST_HEAD(&run->live_link);
	init_waitqueue_head(&run->ended);
}

int tsr_runs_init(void)
{
	tsr_run_cache = kmem_cache_create_usercopy("tessera_run", sizeof(struct tsr_run), 0,
						   SLAB_ACCOUNT, offsetof(struct tsr_run, space),
						   TSR_RUN_SPACE, tsr_run_construct);
	return tsr_run_cache ? 0 : -ENOMEM;
}

void tsr_runs_exit(void)
{
	kmem_cache_destroy(tsr_run_cache);
}

/*
 * The run that ended last is the next one's memory: who waits for each run before the next
 * needs no allocator. Where use after free is looked for, runs are really freed.
 */
static bool tsr_run_spare(struct tsr_context *ctx, struct tsr_run *run)
{
	return !IS_ENABLED(CONFIG_KASAN) && !cmpxchg(&ctx->spare, NULL, run);
}

void tsr_run_free_spare(struct tsr_run *run)
{
	if (run)
		kmem_cache_free(tsr_run_cache, run);
}

struct tsr_run *tsr_run_new(struct tsr_context *ctx, struct tsr_program *prog)
{
	const size_t zero = offsetof(struct tsr_run, ref);
	size_t bos_size = prog->view.n_bindings * sizeof(struct drm_gem_object *);
	size_t bos_at = ALIGN((size_t)prog->dispatch_size, sizeof(u64));
	struct tsr_run *run = xchg(&ctx->spare, NULL);
	u32 i;

	if (!run)
		run = kmem_cache_alloc(tsr_run_cache, TSR_GFP_USER);
	if (!run)
		return NULL;
	memset((void *)run + zero, 0, offsetof(struct tsr_run, dispatch) - zero);
	run->dispatch = bos_at + bos_size <= TSR_RUN_SPACE ? run->space :
			kvmalloc(bos_at + bos_size, TSR_GFP_USER);
	if (!run->dispatch) {
		kmem_cache_free(tsr_run_cache, run);
		return NULL;
	}
	kref_init(&run->ref);
	kref_get(&ctx->ref);
	run->ctx = ctx;
	run->prog = prog;
	/* Mostly a few: not worth a call of memset(), which the compiler would make of it. */
	for (i = 0; i < prog->view.n_bindings; i++)
		WRITE_ONCE(tsr_run_bos(run)[i], NULL);
	run->phase = DRM_TESSERA_PHASE_QUEUED;
	return run;
}

static void tsr_run_free(struct kref *ref)
{
	struct tsr_run *run = container_of(ref, struct tsr_run, ref);
	struct tsr_context *ctx = run->ctx;

	tsr_diag_free(run->diag);
	if (run->fence)
		dma_fence_put(run->fence);
	if (run->dispatch != run->space)
		kvfree(run->dispatch);
	if (!tsr_run_spare(ctx, run))
		kmem_cache_free(tsr_run_cache, run);
	tsr_context_put(ctx);
}

void tsr_run_put(struct tsr_run *run)
{
	kref_put(&run->ref, tsr_run_free);
}

struct tsr_run *tsr_run_get(struct drm_file *file, u32 handle)
{
	struct tsr_file *tfile = to_tsr_file(file);
	struct tsr_run *run;

	xa_lock(&tfile->runs);
	run = xa_load(&tfile->runs, handle);
	if (run)
		kref_get(&run->ref);
	xa_unlock(&tfile->runs);
	return run;
}

void tsr_run_release_resources(struct tsr_run *run)
{
	struct drm_gem_object **bos = tsr_run_bos(run);
	u32 i;

	if (run->deps)
		tsr_deps_free(run);
	for (i = 0; i < run->prog->view.n_bindings; i++)
		if (bos[i])
			drm_gem_object_put(bos[i]);
	tsr_program_put(run->prog);
	run->prog = NULL;
}

/* The macro of the kernel reads whether its timer has fired without saying that this may race. */
static int __no_kcsan tsr_run_wait_until(struct tsr_run *run, s64 timeout_ns)
{
	ktime_t left;

	if (tsr_run_ended(run))
		return 0;
	if (timeout_ns < 0)
		return wait_event_interruptible(run->ended, tsr_run_ended(run));

	left = ktime_sub(timeout_ns, ktime_get());
	if (left <= 0)
		return -ETIME;
	return wait_event_interruptible_hrtimeout(run->ended, tsr_run_ended(run), left);
}

int tsr_ioctl_run_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_run_wait *args = data;
	struct tsr_run *run;
	int ret;

	if (args->flags)
		return -EINVAL;
	run = tsr_run_get(file, args->handle);
	if (!run)
		return -ENOENT;
	ret = tsr_run_wait_until(run, args->timeout_ns);
	tsr_run_put(run);
	return ret;
}

int tsr_ioctl_run_cancel(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(drm);
	struct drm_tessera_run_cancel *args = data;
	unsigned long flags;
	struct tsr_run *run;
	bool pump = false;

	if (args->flags)
		return -EINVAL;
	run = tsr_run_get(file, args->handle);
	if (!run)
		return -ENOENT;

	spin_lock_irqsave(&tdev->lock, flags);
	if (!tsr_run_ended(run) && !run->cancel) {
		run->cancel = true;
		/* In a step of the pipeline, or launched: it is asked there. */
		if (!list_empty(&run->link)) {
			tsr_unqueue(run);
			list_add_tail(&run->link, &tdev->cancels);
		}
		pump = true;
	}
	spin_unlock_irqrestore(&tdev->lock, flags);

	if (pump)
		tsr_pump(tdev, 4);
	tsr_run_put(run);
	return 0;
}

int tsr_ioctl_run_close(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct xarray *runs = &to_tsr_file(file)->runs;
	struct drm_tessera_run_close *args = data;
	struct tsr_run *run;

	if (args->pad)
		return -EINVAL;
	/* A handle that a submit has only reserved (guessed by the caller) stays reserved. */
	xa_lock(runs);
	run = xa_load(runs, args->handle);
	if (run)
		__xa_erase(runs, args->handle);
	xa_unlock(runs);
	if (!run)
		return -ENOENT;
	tsr_run_put(run);
	return 0;
}

/* Make @fence the run's, unless it has one. Whether it is, now. */
static bool tsr_run_set_fence(struct tsr_run *run, struct dma_fence *fence)
{
	struct tsr_device *tdev = run->ctx->tdev;
	bool same, signal = false;
	unsigned long flags;
	int error;

	spin_lock_irqsave(&tdev->lock, flags);
	if (!run->fence) {
		run->fence = dma_fence_get(fence);
		/* Retirement has looked for a fence already: it is ours to signal. */
		signal = tsr_run_ended(run);
	}
	same = run->fence == fence;
	spin_unlock_irqrestore(&tdev->lock, flags);

	if (signal) {
		error = tsr_run_error(run);
		if (error)
			dma_fence_set_error(fence, error);
		dma_fence_signal(fence);
	}
	return same;
}

/*
 * Of the run's fence, made now if the submit had no use for one. The run gets it when there is a
 * file of it: a call that fails leaves no fence.
 */
static struct sync_file *tsr_run_sync_file(struct tsr_run *run)
{
	struct tsr_device *tdev = run->ctx->tdev;
	struct sync_file *file;
	struct dma_fence *fence;
	unsigned long flags;
	bool again;

	do {
		spin_lock_irqsave(&tdev->lock, flags);
		fence = dma_fence_get(run->fence);
		spin_unlock_irqrestore(&tdev->lock, flags);
		if (!fence)
			fence = tsr_fence_new(tdev);
		if (!fence)
			return NULL;
		file = sync_file_create(fence);
		/* Another caller was faster: its fence is the one. */
		again = file && !tsr_run_set_fence(run, fence);
		if (again)
			fput(file->file);
		dma_fence_put(fence);
	} while (again);
	return file;
}

int tsr_ioctl_run_fd(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_run_fd *args = data;
	struct sync_file *sync_file;
	struct tsr_run *run;
	int fd;

	if (args->flags || args->pad)
		return -EINVAL;
	run = tsr_run_get(file, args->handle);
	if (!run)
		return -ENOENT;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		goto out;
	sync_file = tsr_run_sync_file(run);
	if (!sync_file) {
		put_unused_fd(fd);
		fd = -ENOMEM;
		goto out;
	}
	args->fd = fd;
	fd_install(fd, sync_file->file);
out:
	tsr_run_put(run);
	return fd < 0 ? fd : 0;
}

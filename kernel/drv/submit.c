// SPDX-License-Identifier: GPL-2.0-only
/*
 * RUN_SUBMIT. For each run: everything fallible first (copies, look-ups, memory, a
 * place in the queue, a handle), then acceptance, which cannot fail, then what
 * makes it visible (DESIGN decisions 3 and 4).
 */
#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_syncobj.h>
#include <linux/dma-fence-chain.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "bo.h"
#include "copy.h"
#include "fence.h"
#include "file.h"
#include "pipeline.h"
#include "stats.h"
#include "tsr_trace.h"

#define TSR_STRIDE_MAX		4096
/* Steps of the pipeline that one run takes: stage, launch, complete; and some for others. */
#define TSR_TURNS_PER_RUN	3
#define TSR_TURNS_FOR_OTHERS	6

struct tsr_out_sync {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;	/* for a timeline point */
	u64 point;
};

/* struct tsr_submit - one run on its way in */
struct tsr_submit {
	struct tsr_device *tdev;
	struct drm_file *file;
	struct tsr_context *ctx;
	bool nonblock;
	bool claimed;			/* only while the context holds the claim */
	struct drm_tessera_run __user *user;
	struct drm_tessera_run in;
	struct tsr_run *run;
	struct tsr_out_sync *outs;
	u32 n_outs;
	struct dma_fence *fence;	/* of the run, for @outs */
	u32 handle;			/* reserved; 0: none is wanted */
	bool reserved;			/* a place in the queue */
	u64 id;				/* once accepted */
};

static int tsr_submit_read(struct tsr_submit *s, u64 user, u32 stride)
{
	const struct tessera_limits *limits = &s->tdev->config.limits;
	int ret;

	s->user = u64_to_user_ptr(user);
	if (stride == sizeof(s->in))
		ret = tsr_copy_words(&s->in, s->user, sizeof(s->in)) ? 0 : -EFAULT;
	else
		ret = copy_struct_from_user(&s->in, sizeof(s->in), s->user, stride);
	if (ret)
		return ret;
	if (s->in.flags & ~DRM_TESSERA_RUN_FLAGS || s->in.pad)
		return -EINVAL;
	/* Who could ask for the figures? */
	if (s->in.flags & DRM_TESSERA_RUN_NO_HANDLE && s->in.flags & DRM_TESSERA_RUN_RECORDS)
		return -EINVAL;
	if (s->in.in_sync_count > limits->syncs || s->in.out_sync_count > limits->syncs)
		return -E2BIG;
	return 0;
}

/* The reference to @prog becomes the run's, if there is one. */
static int tsr_submit_alloc(struct tsr_submit *s, struct tsr_program *prog)
{
	/* The program tells exactly what a run brings (RUN-6). */
	if (s->in.dispatch_size != prog->dispatch_size)
		return -EINVAL;
	s->run = tsr_run_new(s->ctx, prog);
	if (!s->run)
		return -ENOMEM;
	s->run->user_data = s->in.user_data;
	s->run->time_limit_ms = s->in.time_limit_ms;
	static_assert(DRM_TESSERA_RUN_FLAGS <= U8_MAX);
	s->run->flags = s->in.flags;
	return 0;
}

static int tsr_submit_bind(struct tsr_submit *s, const struct tessera_bind *bind, u32 i)
{
	struct tsr_hw_bind *to = &tsr_run_binds(s->run)[i];
	struct drm_gem_object *obj;
	u64 end, addr;
	int ret;

	obj = tsr_bo_lookup(s->file, bind->handle);
	if (!obj)
		return -ENOENT;
	tsr_run_bos(s->run)[i] = obj;
	s->run->shared |= tsr_resv_shared(obj);
	if (check_add_overflow(bind->offset, bind->size, &end) || end > obj->size)
		return -EINVAL;
	ret = tsr_bo_address(obj, &addr);
	if (ret)
		return ret;
	to->addr = addr + bind->offset;
	to->size = bind->size;
	to->access = bind->access;
	to->pad = 0;
	return 0;
}

/* Each binding becomes, where it is in the private copy, what the backend reads. */
static int tsr_submit_bindings(struct tsr_submit *s, struct tessera_bind *bindings)
{
	u32 i, n = s->run->prog->view.n_bindings;
	int ret;

	static_assert(sizeof(struct tsr_hw_bind) == sizeof(struct tessera_bind));
	for (i = 0; i < n; i++) {
		struct tessera_bind bind = bindings[i];

		ret = tsr_submit_bind(s, &bind, i);
		if (ret)
			return ret;
	}
	return 0;
}

static int tsr_submit_copy(struct tsr_run *run, const void __user *from)
{
	u32 size = run->prog->dispatch_size;

	if (run->dispatch == run->space)
		return tsr_copy_words(run->dispatch, from, size) ? 0 : -EFAULT;
	return copy_from_user(run->dispatch, from, size) ? -EFAULT : 0;
}

static int tsr_submit_dispatch(struct tsr_submit *s)
{
	struct tsr_program *prog = s->run->prog;
	struct tsr_run *run = s->run;
	struct tsr_dispatch dispatch;
	int ret;

	ret = tsr_submit_copy(run, u64_to_user_ptr(s->in.dispatch));
	if (ret)
		return ret;
	ret = tsr_dispatch_check(run->dispatch, prog->dispatch_size, &prog->view, &dispatch);
	if (ret)
		return ret;
	ret = tsr_submit_bindings(s, (struct tessera_bind *)dispatch.bindings);
	if (ret)
		return ret;

	return tsr_diag_new(run, s->in.flags & DRM_TESSERA_RUN_RECORDS);
}

static int tsr_submit_prepare(struct tsr_submit *s)
{
	struct tsr_program *prog = tsr_program_get(s->file, s->in.program);
	int ret;

	if (!prog)
		return -ENOENT;
	ret = tsr_submit_alloc(s, prog);
	if (ret) {
		tsr_program_put(prog);
		return ret;
	}
	ret = tsr_submit_dispatch(s);
	if (ret)
		return ret;
	return s->in.in_sync_count ?
	       tsr_deps_add(s->run, s->file, s->in.in_syncs, s->in.in_sync_count) : 0;
}

static int tsr_submit_out_sync(struct tsr_submit *s, const struct drm_tessera_sync *sync)
{
	struct tsr_out_sync *out = &s->outs[s->n_outs];

	if (sync->flags)
		return -EINVAL;
	out->point = sync->point;
	out->syncobj = drm_syncobj_find(s->file, sync->handle);
	if (!out->syncobj)
		return -ENOENT;
	s->n_outs++;
	if (!sync->point)
		return 0;
	out->chain = dma_fence_chain_alloc();
	return out->chain ? 0 : -ENOMEM;
}

static int tsr_submit_out_syncs(struct tsr_submit *s, u32 n)
{
	const struct drm_tessera_sync __user *from = u64_to_user_ptr(s->in.out_syncs);
	struct drm_tessera_sync sync;
	int ret;
	u32 i;

	s->outs = kcalloc(n, sizeof(*s->outs), TSR_GFP_USER);
	if (!s->outs)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		if (copy_from_user(&sync, &from[i], sizeof(sync)))
			return -EFAULT;
		ret = tsr_submit_out_sync(s, &sync);
		if (ret)
			return ret;
	}
	return 0;
}

static int tsr_submit_outs(struct tsr_submit *s)
{
	u32 n = s->in.out_sync_count;

	if (!n && !s->run->shared)
		return 0;
	s->run->fence = tsr_fence_new(s->tdev);
	if (!s->run->fence)
		return -ENOMEM;
	return n ? tsr_submit_out_syncs(s, n) : 0;
}

/* A place in the queue, or the reason why there is none. Holds the lock. */
static int tsr_submit_place(struct tsr_submit *s)
{
	struct tsr_device *tdev = s->tdev;

	if (s->reserved)
		return 0;
	if (tdev->gone)
		return -ENODEV;
	if (tdev->health == DRM_TESSERA_HEALTH_WEDGED)
		return -EIO;
	if (s->ctx->dead || s->ctx->poison_code)
		return -ECANCELED;
	if (s->claimed && tdev->holder != s->ctx)
		return -ESTALE;
	if (s->ctx->depth >= s->ctx->capacity)
		return -EAGAIN;
	s->ctx->depth++;
	s->reserved = true;
	return 0;
}

static int tsr_submit_try_reserve(struct tsr_submit *s)
{
	int ret;

	spin_lock_irq(&s->tdev->lock);
	ret = tsr_submit_place(s);
	spin_unlock_irq(&s->tdev->lock);
	return ret;
}

static int tsr_submit_reserve(struct tsr_submit *s)
{
	int ret = tsr_submit_try_reserve(s), err;

	if (ret != -EAGAIN || s->nonblock)
		return ret;
	err = wait_event_interruptible(s->ctx->space,
				       (ret = tsr_submit_try_reserve(s)) != -EAGAIN);
	return err ?: ret;
}

static void tsr_submit_unreserve(struct tsr_submit *s)
{
	spin_lock_irq(&s->tdev->lock);
	s->ctx->depth--;
	spin_unlock_irq(&s->tdev->lock);
	wake_up(&s->ctx->space);
}

/* What a submit answers in the user's record of the run. */
static bool tsr_submit_write(struct tsr_submit *s, u32 handle, u64 id)
{
	if (!user_write_access_begin(s->user, sizeof(*s->user)))
		return false;
	unsafe_put_user(handle, &s->user->handle, fault);
	unsafe_put_user(id, &s->user->id, fault);
	user_write_access_end();
	return true;
fault:
	user_write_access_end();
	return false;
}

/*
 * The handle, reserved; and proof that user memory will take it: written is what was read,
 * for the run may be refused yet.
 */
static int tsr_submit_handle(struct tsr_submit *s)
{
	struct tsr_file *tfile = to_tsr_file(s->file);
	u32 handle;
	int ret;

	if (!(s->in.flags & DRM_TESSERA_RUN_NO_HANDLE)) {
		/* Without memory it writes a number, too; another thread's by now, perhaps. */
		ret = xa_alloc(&tfile->runs, &handle, XA_ZERO_ENTRY, xa_limit_31b, TSR_GFP_USER);
		if (ret)
			return ret;
		s->handle = handle;
	}
	return tsr_submit_write(s, s->in.handle, s->in.id) ? 0 : -EFAULT;
}

static void tsr_submit_undo(struct tsr_submit *s)
{
	u32 i;

	if (s->handle)
		xa_release(&to_tsr_file(s->file)->runs, s->handle);
	if (s->reserved)
		tsr_submit_unreserve(s);
	for (i = 0; i < s->n_outs; i++) {
		dma_fence_chain_free(s->outs[i].chain);
		drm_syncobj_put(s->outs[i].syncobj);
	}
	kfree(s->outs);
	if (!s->run)
		return;
	if (s->run->fence)
		tsr_fence_put_unused(s->run->fence);
	s->run->fence = NULL;
	tsr_run_release_resources(s->run);
	tsr_run_put(s->run);
}

/* For buffers that others know: then the fence is where they wait for it. */
static noinline int tsr_submit_share(struct tsr_submit *s)
{
	struct drm_exec exec;
	int ret;

	ret = tsr_submit_reserve(s);
	if (!ret)
		ret = tsr_resv_lock(s->run, &exec);
	if (!ret)
		tsr_resv_publish(s->run, &exec);
	return ret;
}

/* Cannot fail. Holds the lock. On no queue yet. */
static void tsr_submit_take(struct tsr_submit *s)
{
	struct tsr_context *ctx = s->ctx;
	struct tsr_device *tdev = s->tdev;
	struct tsr_run *run = s->run;

	run->queued_ns = ktime_get_ns();
	run->id = ++tdev->next_run_id;
	s->id = run->id;
	list_add_tail(&run->live_link, &ctx->live);
	tdev->unended++;
	ctx->last_run = run->id;
	tsr_count(tdev, ctx, runs, 1);
	tsr_count(tdev, ctx, runs_accepted, 1);
	tsr_count(tdev, ctx, queue_depth, 1);
	ctx->counters.queue_peak = max(ctx->counters.queue_peak, ctx->counters.queue_depth);
	tdev->counters.queue_peak = max(tdev->counters.queue_peak, tdev->counters.queue_depth);
	/* Not later: then it may be gone. */
	trace_tessera_run_queued(run);
}

static void tsr_submit_publish(struct tsr_submit *s)
{
	u32 i;

	for (i = 0; i < s->n_outs; i++) {
		struct tsr_out_sync *out = &s->outs[i];

		if (out->chain)
			drm_syncobj_add_point(out->syncobj, out->chain, s->fence, out->point);
		else
			drm_syncobj_replace_fence(out->syncobj, s->fence);
		drm_syncobj_put(out->syncobj);
	}
	kfree(s->outs);
	dma_fence_put(s->fence);
}

/*
 * Acceptance, if there is a place. From then on the run is the pipeline's, and if it has no
 * handle it may be gone at any time.
 */
static int tsr_submit_accept(struct tsr_submit *s)
{
	u32 turns = TSR_TURNS_PER_RUN + TSR_TURNS_FOR_OTHERS;
	struct tsr_device *tdev = s->tdev;
	int ret;

	spin_lock_irq(&tdev->lock);
	ret = tsr_submit_place(s);
	if (ret) {
		spin_unlock_irq(&tdev->lock);
		return ret;
	}
	if (s->handle)
		kref_get(&s->run->ref);
	if (s->n_outs)
		s->fence = dma_fence_get(s->run->fence);
	tsr_submit_take(s);
	/* User memory, of this run or the next, may take for ever to answer; others wait (FL-6). */
	if (!s->n_outs) {
		tsr_pump_run(tdev, s->run, turns);
		return 0;
	}
	tsr_enqueue(tdev, s->run);
	spin_unlock_irq(&tdev->lock);
	tsr_submit_publish(s);
	tsr_pump(tdev, turns);
	return 0;
}

static int tsr_submit_enter(struct tsr_submit *s)
{
	int ret;

	/* Its fences may call back from now on: to no effect until it is queued. */
	if (s->run->n_deps)
		tsr_deps_arm(s->run);
	ret = tsr_submit_accept(s);
	if (ret != -EAGAIN || s->nonblock)
		return ret;
	ret = tsr_submit_reserve(s);
	return ret ?: tsr_submit_accept(s);
}

static void tsr_submit_answer(struct tsr_submit *s)
{
	/* Was writable a moment ago. Whoever unmapped it since loses his own numbers only. */
	(void)tsr_submit_write(s, s->handle, s->id);
	/* Now others may find, cancel and close it: not touched any more. */
	if (s->handle)
		xa_store(&to_tsr_file(s->file)->runs, s->handle, s->run, 0);
}

static int tsr_submit_one(struct tsr_submit *s, u64 user, u32 stride)
{
	int ret;

	ret = tsr_submit_read(s, user, stride);
	if (!ret)
		ret = tsr_submit_prepare(s);
	if (!ret)
		ret = tsr_submit_outs(s);
	if (!ret)
		ret = tsr_submit_handle(s);
	if (!ret && s->run->shared)
		ret = tsr_submit_share(s);
	if (!ret)
		ret = tsr_submit_enter(s);
	if (ret) {
		tsr_submit_undo(s);
		return ret;
	}
	tsr_submit_answer(s);
	return 0;
}

static int tsr_submit_check(const struct tessera_limits *limits,
			    const struct drm_tessera_run_submit *args)
{
	if (args->flags & ~DRM_TESSERA_SUBMIT_FLAGS || !args->run_count)
		return -EINVAL;
	if (args->run_stride < sizeof(struct drm_tessera_run) || args->run_stride % 8 ||
	    args->run_stride > TSR_STRIDE_MAX)
		return -EINVAL;
	return args->run_count > limits->batch ? -E2BIG : 0;
}

static void tsr_count_refused(struct tsr_device *tdev, struct tsr_context *ctx)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	tsr_count(tdev, ctx, runs_refused, 1);
	spin_unlock_irqrestore(&tdev->lock, flags);
}

/* All but @user, @in and @id, which are written before they are read. */
static void tsr_submit_init(struct tsr_submit *s, struct drm_file *file, struct tsr_context *ctx,
			    u32 flags)
{
	s->tdev = ctx->tdev;
	s->file = file;
	s->ctx = ctx;
	s->nonblock = flags & DRM_TESSERA_SUBMIT_NONBLOCK;
	s->claimed = flags & DRM_TESSERA_SUBMIT_CLAIMED;
	s->run = NULL;
	s->outs = NULL;
	s->n_outs = 0;
	s->fence = NULL;
	s->handle = 0;
	s->reserved = false;
}

static int tsr_submit_batch(struct drm_file *file, struct tsr_context *ctx,
			    struct drm_tessera_run_submit *args)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < args->run_count && !ret; i++) {
		struct tsr_submit s;

		tsr_submit_init(&s, file, ctx, args->flags);
		ret = tsr_submit_one(&s, args->runs + (u64)i * args->run_stride,
				     args->run_stride);
		if (!ret)
			args->accepted++;
	}
	return ret;
}

int tsr_ioctl_run_submit(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(drm);
	struct drm_tessera_run_submit *args = data;
	struct tsr_context *ctx = NULL;
	int ret;

	args->accepted = 0;
	ret = tsr_submit_check(&tdev->config.limits, args);
	if (!ret) {
		ctx = tsr_context_get(file, args->context);
		ret = ctx ? tsr_submit_batch(file, ctx, args) : -ENOENT;
	}
	/* A signal: the call may be made again for what was not accepted. */
	args->error = ret == -ERESTARTSYS ? -EINTR : ret;
	if (ret)
		tsr_count_refused(tdev, ctx);
	if (ctx)
		tsr_context_put(ctx);
	return args->accepted ? 0 : ret;
}

static bool tsr_submit_tell(struct drm_tessera_run_submit __user *user, u32 accepted, s32 error)
{
	if (!user_write_access_begin(user, sizeof(*user)))
		return false;
	unsafe_put_user(accepted, &user->accepted, fault);
	unsafe_put_user(error, &user->error, fault);
	user_write_access_end();
	return true;
fault:
	user_write_access_end();
	return false;
}

long tsr_submit(struct file *file, struct drm_tessera_run_submit __user *user)
{
	struct drm_tessera_run_submit args;
	long ret;

	/* Written is what was read, for DRM may refuse the call yet. */
	if (!tsr_copy_words(&args, user, sizeof(args)) ||
	    !tsr_submit_tell(user, args.accepted, args.error))
		return -EFAULT;
	ret = drm_ioctl_kernel(file, tsr_ioctl_run_submit, &args, 0);
	return tsr_submit_tell(user, args.accepted, args.error) ? ret : -EFAULT;
}

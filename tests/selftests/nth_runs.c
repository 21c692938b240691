// SPDX-License-Identifier: MIT
/* Every n-th failure of a submit in each of its flavours, and of what is done to runs and claims. */
#include <fcntl.h>
#include "common_nth.h"
#include "kselftest_harness.h"

#define BINDINGS	3u

NTH_FIXTURE

/* --- what a submit brings -------------------------------------------------------------------- */

static int with_bindings(struct nth *n)
{
	int err = nth_bind_program(n, BINDINGS);

	for (unsigned int i = 0; !err && i < BINDINGS; i++)
		err = uapi_bo(n->fd, 4096, &n->bo[i]);
	return err;
}

static int export(struct nth *n, __u32 bo, int *ret_fd)
{
	struct drm_prime_handle args = { .handle = bo, .flags = DRM_CLOEXEC | DRM_RDWR };
	int err = uapi_ioctl(n->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	if (!err)
		*ret_fd = args.fd;
	return err;
}

/* Two of the buffers are known to others, too. */
static int with_shared(struct nth *n)
{
	int err = with_bindings(n);

	if (!err)
		err = export(n, n->bo[0], &n->file);
	if (!err)
		err = export(n, n->bo[2], &n->more);
	return err;
}

/* One of the buffers is another device's. */
static int with_imported(struct nth *n)
{
	struct drm_prime_handle args = { .flags = DRM_CLOEXEC | DRM_RDWR };
	int err = with_bindings(n);

	n->other = uapi_open(NTH_OTHER);
	if (n->other < 0)
		return n->other;
	if (!err)
		err = uapi_bo(n->other, 4096, &args.handle);
	if (!err)
		err = uapi_ioctl(n->other, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);
	if (err)
		return err;
	n->file = args.fd;
	err = uapi_bo_close(n->fd, n->bo[1]);
	if (!err)
		err = uapi_ioctl(n->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);
	n->bo[1] = err ? 0 : args.handle;
	return err;
}

/*
 * Its first run was before: that one maps the buffer, and dma_buf_vmap() warns when the other
 * device finds no memory for that, whoever asks.
 */
static int with_mapped_import(struct nth *n)
{
	struct drm_tessera_run run;
	int err = with_imported(n);

	if (!err)
		err = nth_bind(n, BINDINGS, &run);
	if (!err)
		err = nth_submit(n, &run, 1, 0);
	return err ? err : uapi_wait(n->fd, n->runs[0], uapi_soon());
}

/* A run that executes until nth_undo() opens its gate, in a context of its own. */
static int with_gate(struct nth *n, const struct drm_tessera_sync *outs, __u32 n_outs)
{
	struct drm_tessera_run_submit submit;
	struct drm_tessera_run run;
	int err = uapi_gate_new(n->fd, &n->gate);

	if (!err)
		err = uapi_context(n->fd, 0, &n->context);
	if (err)
		return err;
	uapi_run_init(&run, n->gate.program);
	uapi_run_set_dispatch(&run, n->gate.dispatch, n->gate.dispatch_size);
	run.out_syncs = UAPI_PTR(outs);
	run.out_sync_count = n_outs;
	uapi_submit_init(&submit, n->context, &run, 1);
	err = uapi_ioctl(n->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit);
	if (!err)
		n->runs[n->n_runs++] = run.handle;
	return err;
}

static int with_syncobjs(struct nth *n)
{
	int err = uapi_syncobj(n->fd, true, &n->sync);

	return err ? err : uapi_syncobj(n->fd, false, &n->timeline);
}

/* A binary fence and a point that nobody has signalled yet. */
static int with_pending(struct nth *n)
{
	int err = with_syncobjs(n);
	struct drm_tessera_sync outs[] = {
		{ .handle = n->sync }, { .handle = n->timeline, .point = 7 },
	};

	return err ? err : with_gate(n, outs, 2);
}

/* Shared buffers that a run which goes on for ever uses, too. */
static int with_busy_shared(struct nth *n)
{
	struct drm_tessera_run run;
	int err = with_pending(n);

	if (!err)
		err = with_shared(n);
	if (!err)
		err = nth_bind(n, BINDINGS, &run);
	if (!err)
		err = nth_submit(n, &run, 1, 0);
	return err;
}

/* --- submits --------------------------------------------------------------------------------- */

static int submit_plain(struct nth *n)
{
	struct drm_tessera_run run;

	uapi_run_init(&run, n->program);
	return nth_submit(n, &run, 1, 0);
}

static int submit_bound(struct nth *n)
{
	struct drm_tessera_run run;
	int err = nth_bind(n, BINDINGS, &run);

	return err ? err : nth_submit(n, &run, 1, 0);
}

static int submit_flagged(struct nth *n, __u32 flags)
{
	struct drm_tessera_run run;

	uapi_run_init(&run, n->program);
	run.flags = flags;
	return nth_submit(n, &run, 1, 0);
}

static int submit_profiled(struct nth *n)
{
	return submit_flagged(n, DRM_TESSERA_RUN_PROFILE);
}

static int submit_printing(struct nth *n)
{
	return submit_flagged(n, DRM_TESSERA_RUN_PRINT);
}

static int submit_signalling(struct nth *n)
{
	struct drm_tessera_sync outs[] = {
		{ .handle = n->timeline, .point = 1 }, { .handle = n->sync },
		{ .handle = n->timeline, .point = 2 },
	};
	struct drm_tessera_run run;

	uapi_run_init(&run, n->program);
	run.out_syncs = UAPI_PTR(outs);
	run.out_sync_count = 3;
	return nth_submit(n, &run, 1, 0);
}

static int submit_waiting(struct nth *n)
{
	struct drm_tessera_sync ins[] = {
		{ .handle = n->sync }, { .handle = n->timeline, .point = 7 },
	};
	struct drm_tessera_run run;

	uapi_run_init(&run, n->program);
	run.in_syncs = UAPI_PTR(ins);
	run.in_sync_count = 2;
	return nth_submit(n, &run, 1, 0);
}

/* Everything that a run can bring. */
static int submit_all(struct nth *n)
{
	struct drm_tessera_sync ins[] = {
		{ .handle = n->sync }, { .handle = n->timeline, .point = 7 },
	};
	struct drm_tessera_sync outs[] = { { .handle = n->timeline, .point = 9 } };
	struct drm_tessera_run run;
	int err = nth_bind(n, BINDINGS, &run);

	run.in_syncs = UAPI_PTR(ins);
	run.in_sync_count = 2;
	run.out_syncs = UAPI_PTR(outs);
	run.out_sync_count = 1;
	run.flags = DRM_TESSERA_RUN_PROFILE | DRM_TESSERA_RUN_PRINT;
	return err ? err : nth_submit(n, &run, 1, 0);
}

static void reset_syncobj(struct nth *n, __u32 handle)
{
	struct drm_syncobj_array args = { .handles = UAPI_PTR(&handle), .count_handles = 1 };

	if (uapi_ioctl(n->fd, DRM_IOCTL_SYNCOBJ_RESET, &args))
		n->wrong = "a syncobj cannot be reset";
}

static int submit_batch(struct nth *n)
{
	struct drm_tessera_sync out = { .handle = n->timeline, .point = 3 };
	struct drm_tessera_run runs[3];
	int err;

	for (int i = 0; i < 3; i++)
		uapi_run_init(&runs[i], n->program);
	runs[1].out_syncs = UAPI_PTR(&out);
	runs[1].out_sync_count = 1;
	err = nth_submit(n, runs, 3, 0);
	/* What was accepted before the failure has its fence there. */
	if (err)
		reset_syncobj(n, n->timeline);
	return err;
}

static int with_claim(struct nth *n)
{
	int err = uapi_claim(n->fd, n->ctx, DRM_TESSERA_CLAIM_NONBLOCK, 0);

	/* Of the case before: gone when its turn is over. */
	return err == -EALREADY ? 0 : err;
}

static int submit_claimed(struct nth *n)
{
	struct drm_tessera_run run;

	uapi_run_init(&run, n->program);
	return nth_submit(n, &run, 1, DRM_TESSERA_SUBMIT_CLAIMED);
}

NTH_CASE(submit, .act = submit_plain);
NTH_CASE(submit_buffers, .prepare = with_bindings, .act = submit_bound);
NTH_CASE(submit_profile, .act = submit_profiled);
NTH_CASE(submit_print, .act = submit_printing);
NTH_CASE(submit_out_syncs, .prepare = with_syncobjs, .act = submit_signalling);
NTH_CASE(submit_in_syncs, .prepare = with_pending, .act = submit_waiting);
NTH_CASE(submit_shared_buffers, .prepare = with_shared, .act = submit_bound);
NTH_CASE(submit_imported_buffer, .prepare = with_mapped_import, .act = submit_bound);
NTH_CASE(submit_behind_implicit_fences, .prepare = with_busy_shared, .act = submit_all);
NTH_CASE(submit_batch, .prepare = with_syncobjs, .act = submit_batch);
NTH_CASE(submit_claimed, .prepare = with_claim, .act = submit_claimed);

/* --- runs ------------------------------------------------------------------------------------ */

static int with_run(struct nth *n)
{
	int err = submit_plain(n);

	return err ? err : uapi_wait(n->fd, n->runs[0], uapi_soon());
}

static int with_executing_run(struct nth *n)
{
	return with_gate(n, NULL, 0);
}

static int with_queued_run(struct nth *n)
{
	int err = with_pending(n);

	return err ? err : submit_waiting(n);
}

static __u32 last_run(const struct nth *n)
{
	return n->runs[n->n_runs - 1];
}

static int wait_ended(struct nth *n)
{
	struct drm_tessera_run_wait args = { .handle = last_run(n), .timeout_ns = -1 };

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_RUN_WAIT, &args);
}

static int wait_expires(struct nth *n)
{
	struct drm_tessera_run_wait args = {
		.handle = last_run(n), .timeout_ns = uapi_in_ms(2),
	};
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_RUN_WAIT, &args);

	return err == -ETIME ? 0 : err ? err : -EBUSY;
}

static int run_status(struct nth *n)
{
	char room[sizeof(struct drm_tessera_status) + 8];
	struct drm_tessera_run_status args = {
		.handle = last_run(n), .size = sizeof(room), .status = UAPI_PTR(room),
	};

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_RUN_STATUS, &args);
}

static int run_fd(struct nth *n)
{
	struct drm_tessera_run_fd args = { .handle = last_run(n) };
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_RUN_FD, &args);

	if (!err)
		*(n->file ? &n->more : &n->file) = args.fd;
	return err;
}

static int with_run_fd(struct nth *n)
{
	int err = with_executing_run(n);

	return err ? err : run_fd(n);
}

static int run_cancel(struct nth *n)
{
	struct drm_tessera_run_cancel args = { .handle = last_run(n) };

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_RUN_CANCEL, &args);
}

static int run_close(struct nth *n)
{
	struct drm_tessera_run_close args = { .handle = last_run(n) };
	int err = NTH_IOCTL(n, DRM_IOCTL_TESSERA_RUN_CLOSE, &args);

	if (!err)
		n->n_runs--;
	return err;
}

NTH_CASE(wait, .prepare = with_run, .act = wait_ended);
NTH_CASE(wait_expires, .prepare = with_executing_run, .act = wait_expires);
NTH_CASE(status, .prepare = with_run, .act = run_status);
NTH_CASE(fd_of_ended, .prepare = with_run, .act = run_fd);
NTH_CASE(fd_of_executing, .prepare = with_executing_run, .act = run_fd);
NTH_CASE(fd_again, .prepare = with_run_fd, .act = run_fd);
NTH_CASE(cancel_executing, .prepare = with_executing_run, .act = run_cancel);
NTH_CASE(cancel_queued, .prepare = with_queued_run, .act = run_cancel);
NTH_CASE(close, .prepare = with_run, .act = run_close);

/* --- diagnostics ----------------------------------------------------------------------------- */

static int with_diagnostics(struct nth *n)
{
	int err = submit_flagged(n, DRM_TESSERA_RUN_RECORDS);

	return err ? err : uapi_wait(n->fd, n->runs[0], uapi_soon());
}

static int diag(struct nth *n, __u32 what)
{
	char out[4096];
	struct drm_tessera_run_diag args = {
		.handle = last_run(n), .what = what, .size = sizeof(out), .data = UAPI_PTR(out),
	};

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_RUN_DIAG, &args);
}

static int diag_processors(struct nth *n)
{
	return diag(n, DRM_TESSERA_DIAG_PROCS);
}

static int diag_print(struct nth *n)
{
	return diag(n, DRM_TESSERA_DIAG_PRINT);
}

NTH_CASE(diag_processors, .prepare = with_diagnostics, .act = diag_processors);
NTH_CASE(diag_print, .prepare = with_diagnostics, .act = diag_print);

/* --- claims and resets ------------------------------------------------------------------------ */

static int with_context(struct nth *n)
{
	return uapi_context(n->fd, 0, &n->context);
}

static int claim_acquire(struct nth *n)
{
	struct drm_tessera_claim_acquire args = {
		.context = n->context, .timeout_ns = uapi_soon(),
	};

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_CLAIM_ACQUIRE, &args);
}

static int with_held_claim(struct nth *n)
{
	int err = with_context(n);

	return err ? err : claim_acquire(n);
}

static int claim_release(struct nth *n)
{
	struct drm_tessera_claim_release args = { .context = n->context };

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_CLAIM_RELEASE, &args);
}

static int device_reset(struct nth *n)
{
	struct drm_tessera_device_reset args = { 0 };

	return NTH_IOCTL(n, DRM_IOCTL_TESSERA_DEVICE_RESET, &args);
}

NTH_CASE(claim_acquire, .prepare = with_context, .act = claim_acquire);
NTH_CASE(claim_release, .prepare = with_held_claim, .act = claim_release);
NTH_CASE(device_reset, .act = device_reset);

NTH_TESTS

// SPDX-License-Identifier: GPL-2.0-only
/* Status records. */
#include "codes.h"
#include "pipeline.h"
#include "query.h"

u32 tsr_code_class(u32 code)
{
	const struct tsr_code_info *info = tsr_code_info(code);

	return info ? info->failure_class : DRM_TESSERA_CLASS_DEVICE;
}

int tsr_code_errno(u32 code)
{
	const struct tsr_code_info *info = tsr_code_info(code);

	return info ? info->error : -EIO;
}

int tsr_run_error(const struct tsr_run *run)
{
	const struct tsr_outcome *out = &run->outcome;

	return tsr_code_errno(tsr_outcome_poisoned(out) ? out->poison_code : out->code);
}

static void tsr_status_fault(struct drm_tessera_status *status, const struct tsr_outcome *out)
{
	status->fault.cause = out->fault.cause;
	status->fault.x = out->fault.x;
	status->fault.y = out->fault.y;
	status->fault.processor = out->fault.proc;
	status->fault.pc = out->fault.pc;
	status->fault.address = out->fault.address;
	status->fault.kernel = out->fault_kernel;
	status->detail.known = out->fault.asked.known;
	status->detail.object = out->fault.asked.object;
	status->detail.size = out->fault.asked.size;
	status->detail.amount = out->fault.asked.amount;
}

static void tsr_status_stall(struct drm_tessera_status *status, const struct tsr_outcome *out)
{
	status->stall.stall_class = out->stall_class;
	status->stall.cores_completed = out->stall.done;
	status->stall.cores_total = out->stall.cores;
	status->stall.running = out->stall.running;
	status->stall.ready = out->stall.ready;
	status->stall.waiting = out->stall.waiting;
	status->stall.dispatch_done = out->dispatch_done;
	status->stall.stuck_processor = out->stall.stuck_proc;
	status->stall.stuck_x = out->stall.stuck_x;
	status->stall.stuck_y = out->stall.stuck_y;
	status->stall.stuck_pc = out->stall.stuck_pc;
	status->stall.stuck_address = out->stall.stuck_address;
	status->stall.stuck_kernel = out->stuck_kernel;
	if (!out->stall.stuck_address)
		return;
	status->detail.known = TSR_KNOWN_WAIT;
	status->detail.wanted = out->stall.wanted;
	status->detail.present = out->stall.present;
}

static void tsr_status_poison(struct drm_tessera_status *status, const struct tsr_outcome *out)
{
	status->poison_code = out->poison_code;
	status->poison_run = out->poison_run;
}

void tsr_status_fill(struct tsr_run *run, struct drm_tessera_status *status)
{
	const struct tsr_outcome *out = &run->outcome;
	struct tsr_device *tdev = run->ctx->tdev;
	unsigned long flags;

	memset(status, 0, sizeof(*status));
	status->version = DRM_TESSERA_STATUS_VERSION;
	status->run_id = run->id;
	status->context_id = run->ctx->id;
	status->user_data = run->user_data;

	spin_lock_irqsave(&tdev->lock, flags);
	status->phase = run->phase;
	status->reset_generation = tsr_run_ended(run) ? out->reset_generation :
							tdev->reset_generation;
	status->code = out->code;
	status->failure_class = tsr_code_class(out->code);
	status->verdict_source = out->verdict_source;
	status->flags = out->flags;
	status->queued_ns = run->queued_ns;
	status->staged_ns = run->staged_ns;
	status->launched_ns = run->launched_ns;
	status->completed_ns = run->completed_ns;
	status->retired_ns = run->retired_ns;
	if (out->code == DRM_TESSERA_CODE_FAULT)
		tsr_status_fault(status, out);
	else if (out->stall_class != TSR_STALL_NONE)
		tsr_status_stall(status, out);
	else if (tsr_outcome_poisoned(out))
		tsr_status_poison(status, out);
	spin_unlock_irqrestore(&tdev->lock, flags);
}

int tsr_ioctl_run_status(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_run_status *args = data;
	struct drm_tessera_status status;
	u32 room = args->size;
	struct tsr_run *run;
	int ret;

	if (room < 8)
		return -EINVAL;
	if (room > PAGE_SIZE)
		return -E2BIG;
	run = tsr_run_get(file, args->handle);
	if (!run)
		return -ENOENT;
	tsr_status_fill(run, &status);
	tsr_run_put(run);

	ret = tsr_copy_out(args->status, room, &status, sizeof(status));
	if (!ret)
		args->size = sizeof(status);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Runs as others may see them. */
#include <linux/string.h>
#include "pipeline.h"
#include "view.h"

static u32 tsr_queued_waits(struct tsr_device *tdev, const struct tsr_run *run)
{
	struct tsr_context *ctx = run->ctx;

	/* Taken off its queue: it is being staged, or dropped. */
	if (list_empty(&run->link))
		return TESSERA_RUN_WAIT_NONE;
	if (!list_is_first(&run->link, &ctx->queued))
		return TESSERA_RUN_WAIT_ORDER;
	if (atomic_read(&run->deps_pending))
		return TESSERA_RUN_WAIT_FENCES;
	if (tdev->suspended || tdev->health != DRM_TESSERA_HEALTH_GOOD)
		return TESSERA_RUN_WAIT_DEVICE;
	return tsr_claim_admits(tdev, ctx) ? TESSERA_RUN_WAIT_BANK : TESSERA_RUN_WAIT_CLAIM;
}

static u32 tsr_run_waits(struct tsr_device *tdev, const struct tsr_run *run)
{
	switch (run->phase) {
	case DRM_TESSERA_PHASE_QUEUED:
		return tsr_queued_waits(tdev, run);
	case DRM_TESSERA_PHASE_STAGED:
		if (tdev->suspended || tdev->health != DRM_TESSERA_HEALTH_GOOD)
			return TESSERA_RUN_WAIT_DEVICE;
		return TESSERA_RUN_WAIT_LAUNCH;
	case DRM_TESSERA_PHASE_LAUNCHED:
		return TESSERA_RUN_WAIT_CORES;
	case DRM_TESSERA_PHASE_QUARANTINED:
		return TESSERA_RUN_WAIT_PROOF;
	default:
		return TESSERA_RUN_WAIT_NONE;
	}
}

/* Holds tdev->lock: then the run has its program yet. */
static void tsr_run_view(struct tsr_device *tdev, const struct tsr_run *run,
			 struct tsr_run_view *ret)
{
	const struct tsr_blob *view = &run->prog->view;

	ret->id = run->id;
	ret->user_data = run->user_data;
	ret->queued_ns = run->queued_ns;
	ret->staged_ns = run->staged_ns;
	ret->launched_ns = run->launched_ns;
	ret->completed_ns = run->completed_ns;
	ret->phase = run->phase;
	ret->waits = tsr_run_waits(tdev, run);
	ret->fences = atomic_read(&run->deps_pending);
	ret->cores = view->cores;
	memcpy(ret->fingerprint, view->header->fingerprint, sizeof(ret->fingerprint));
	strscpy(ret->program, view->strings + view->header->name, sizeof(ret->program));
}

u32 tsr_runs_view(struct tsr_context *ctx, u64 after, struct tsr_run_view *ret, u32 room)
{
	struct tsr_device *tdev = ctx->tdev;
	const struct tsr_run *run;
	unsigned long flags;
	u32 n = 0;

	spin_lock_irqsave(&tdev->lock, flags);
	/* A context's runs are launched in order: these are older than all that have not ended. */
	list_for_each_entry(run, &tdev->quarantine, link)
		if (n < room && run->ctx == ctx && run->id > after)
			tsr_run_view(tdev, run, &ret[n++]);
	list_for_each_entry(run, &ctx->live, live_link) {
		if (n == room)
			break;
		if (run->id > after)
			tsr_run_view(tdev, run, &ret[n++]);
	}
	spin_unlock_irqrestore(&tdev->lock, flags);
	return n;
}

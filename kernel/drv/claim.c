// SPDX-License-Identifier: GPL-2.0-only
/*
 * The claim: the exclusive right to execute (CL-1). Whose run it is, is
 * tdev->launched. Taken at launch, released after completion was correlated.
 *
 * Effects under the claim: scrub between users (CL-4), launch of both halves,
 * reading of the record and of per-processor figures.
 */
#include "pipeline.h"
#include "stats.h"

void tsr_claim_take(struct tsr_device *tdev, struct tsr_run *run)
{
	kuid_t uid = run->ctx->uid;
	bool scrub = tdev->claim_used && !uid_eq(tdev->claim_uid, uid);
	unsigned long flags;

	/* Nothing runs, and nobody else launches: the pipeline is ours. */
	if (scrub)
		tdev->ops->scrub(tdev->hw);
	tdev->claim_uid = uid;
	tdev->claim_used = true;

	spin_lock_irqsave(&tdev->lock, flags);
	tdev->launched = run;
	if (scrub)
		tsr_count(tdev, NULL, scrubs, 1);
	tsr_count(tdev, run->ctx, claims_taken, 1);
	spin_unlock_irqrestore(&tdev->lock, flags);
}

void tsr_claim_release(struct tsr_device *tdev, struct tsr_run *run)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	tdev->launched = NULL;
	tsr_count(tdev, run->ctx, claims_released, 1);
	spin_unlock_irqrestore(&tdev->lock, flags);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Banks: slots of the pipeline, leased to one run at a time (RUN-4, BK-1). */
#include "pipeline.h"
#include "stats.h"

static struct tsr_bank *tsr_bank_free_slot(struct tsr_device *tdev)
{
	u32 i;

	for (i = 0; i < tdev->config.limits.staged_depth; i++)
		if (!tdev->banks[i].owner)
			return &tdev->banks[i];
	return NULL;
}

bool tsr_bank_available(struct tsr_device *tdev)
{
	return tsr_bank_free_slot(tdev);
}

int tsr_bank_lease(struct tsr_device *tdev, struct tsr_run *run)
{
	struct tsr_bank *bank = tsr_bank_free_slot(tdev);

	if (!bank || bank->generation == U64_MAX)
		return -EBUSY;
	bank->owner = run;
	run->slot = bank - tdev->banks;
	run->generation = ++bank->generation;
	tsr_count(tdev, run->ctx, leases_taken, 1);
	return 0;
}

int tsr_bank_return(struct tsr_device *tdev, struct tsr_run *run)
{
	struct tsr_bank *bank = &tdev->banks[run->slot];

	/* The pool says who owns a bank; a lease only claims to. */
	if (bank->owner != run || bank->generation != run->generation)
		return -ESTALE;
	bank->owner = NULL;
	run->generation = 0;
	tsr_count(tdev, run->ctx, leases_returned, 1);
	return 0;
}

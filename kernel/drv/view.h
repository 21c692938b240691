/* SPDX-License-Identifier: GPL-2.0-only */
/* A run as others may see it: a copy of what is worth telling of one that has not ended. */
#ifndef TSR_VIEW_H
#define TSR_VIEW_H

#include <linux/tessera_netlink.h>
#include "run.h"

#define TSR_VIEW_NAME	64

/* struct tsr_run_view - times that have not come are 0 */
struct tsr_run_view {
	u64 id;
	u64 user_data;
	u64 queued_ns, staged_ns, launched_ns, completed_ns;
	u32 phase;			/* enum drm_tessera_phase */
	u32 waits;			/* enum tessera_run_wait */
	u32 fences;			/* that it waits for */
	u32 cores;
	u64 fingerprint[2];
	char program[TSR_VIEW_NAME];
};

/*
 * tsr_runs_view() - runs of a context that are quarantined or have not ended, ascending by id
 * @ctx: context; takes its device's lock
 * @after: only those with a larger id
 * @ret: room for @room of them
 *
 * Return: how many; fewer than @room: there are no more.
 */
u32 tsr_runs_view(struct tsr_context *ctx, u64 after, struct tsr_run_view *ret, u32 room);

#endif

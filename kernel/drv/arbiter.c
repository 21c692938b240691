// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which run is staged next (RUN-5): FIFO in a context; between contexts priority,
 * then arrival. A context that was passed over often enough goes first once, so
 * that a stream of urgent runs starves nobody.
 */
#include "pipeline.h"

#define TSR_PASSED_OVER_MAX	32

static struct tsr_run *tsr_context_head(struct tsr_context *ctx)
{
	struct tsr_run *run = list_first_entry(&ctx->queued, struct tsr_run, link);

	/* Pairs with tsr_dep_done(): whether one of its fences failed is known from here. */
	return atomic_read_acquire(&run->deps_pending) ? NULL : run;
}

static bool tsr_context_before(const struct tsr_context *a, const struct tsr_run *run_a,
			       const struct tsr_context *b, const struct tsr_run *run_b)
{
	bool starving_a = a->passed_over >= TSR_PASSED_OVER_MAX;
	bool starving_b = b->passed_over >= TSR_PASSED_OVER_MAX;

	if (starving_a != starving_b)
		return starving_a;
	if (!starving_a && a->priority != b->priority)
		return a->priority > b->priority;
	return run_a->id < run_b->id;
}

struct tsr_run *tsr_arbiter_pick(struct tsr_device *tdev)
{
	struct tsr_context *ctx, *best_ctx = NULL;
	struct tsr_run *run, *best = NULL;

	list_for_each_entry(ctx, &tdev->contexts, link) {
		run = tsr_context_head(ctx);
		if (!run || !tsr_claim_admits(tdev, ctx))
			continue;
		ctx->passed_over++;
		if (!best || tsr_context_before(ctx, run, best_ctx, best)) {
			best_ctx = ctx;
			best = run;
		}
	}
	if (!best)
		return NULL;

	best_ctx->passed_over = 0;
	list_del_init(&best->link);
	if (list_empty(&best_ctx->queued))
		list_del_init(&best_ctx->link);
	return best;
}

// SPDX-License-Identifier: MIT
/* Several submits in one call into the kernel. */
#include <errno.h>
#include <stdlib.h>

#include <tessera/batch.h>

#include "submit_int.h"

/** struct batch - submits under way, and what the kernel is told of each */
struct batch {
	struct tsr_submit *submits;
	struct drm_tessera_run *records;
	size_t prepared;		/* of them */
	uint32_t accepted;
	int error;			/* of the first that is not */
};

static int check(const struct tsr_context *context, size_t count, uint32_t flags)
{
	int err = tsr_device_check(context->dev);

	if (err)
		return err;
	if (!count || flags & ~(TSR_SUBMIT_NONBLOCK | TSR_SUBMIT_CLAIMED))
		return -EINVAL;
	return count > context->dev->limits.batch ? -E2BIG : 0;
}

static int prepare_one(struct tsr_context *context, const struct tsr_submission *from,
		       uint32_t flags, struct tsr_submit *s)
{
	const struct tsr_submit_options *o = from->options;

	tsr_submit_init(s, from->op, context, o);
	s->p.tensors = from->tensors;
	s->staged = from->staged_tensors;
	s->p.tensor_count = from->tensor_count;
	if ((from->tensors && from->staged_tensors) ||
	    (o && o->flags & ~(TSR_SUBMIT_PROFILE | TSR_SUBMIT_PRINT)) ||
	    !tsr_all_zero(from->reserved, sizeof(from->reserved)))
		return -EINVAL;
	return tsr_submit_prepare(s, flags);
}

static void prepare(struct batch *b, struct tsr_context *context,
		    const struct tsr_submission *submissions, size_t count, uint32_t flags)
{
	while (b->prepared < count && !b->error) {
		struct tsr_submit *s = &b->submits[b->prepared];

		b->error = prepare_one(context, &submissions[b->prepared], flags, s);
		if (b->error)
			return;
		tsr_submit_record(s, &b->records[b->prepared]);
		b->prepared++;
	}
}

static void send(struct batch *b, struct tsr_context *context, uint32_t flags,
		 struct tsr_run **ret_runs)
{
	int error;

	if (!b->prepared)
		return;
	tsr_submit_send(context, flags, b->records, (uint32_t)b->prepared, &b->accepted, &error);
	/* A refusal by the kernel comes before one that was found in the preparation. */
	if (error)
		b->error = error;
	for (uint32_t i = 0; i < b->accepted; i++)
		ret_runs[i] = tsr_submit_accepted(&b->submits[i], &b->records[i]);
}

static void finish(struct batch *b, size_t begun, struct tsr_diag **reterr_diag)
{
	for (size_t i = 0; i < begun; i++)
		tsr_submit_fini(&b->submits[i]);
	for (size_t i = b->accepted; i < begun; i++) {
		if (i == b->accepted)
			tsr_prepare_report(&b->submits[i].p, b->error, reterr_diag);
		else
			tsr_prepare_report(&b->submits[i].p, b->error, NULL);
	}
}

static void submit(struct batch *b, struct tsr_context *context,
		   const struct tsr_submission *submissions, size_t count, uint32_t flags,
		   struct tsr_run **ret_runs, struct tsr_diag **reterr_diag)
{
	size_t begun;

	prepare(b, context, submissions, count, flags);
	begun = b->prepared + (b->error ? 1 : 0);
	send(b, context, flags, ret_runs);
	finish(b, begun, reterr_diag);
}

TSR_API int tsr_submit_batch(struct tsr_context *context, const struct tsr_submission *submissions,
			     size_t count, uint32_t flags, struct tsr_run **ret_runs,
			     struct tsr_batch *ret_batch, struct tsr_diag **reterr_diag)
{
	struct batch b = { .error = check(context, count, flags) };

	if (!b.error) {
		b.submits = malloc(count * sizeof(*b.submits));
		b.records = malloc(count * sizeof(*b.records));
		b.error = b.submits && b.records ? 0 : -ENOMEM;
	}
	if (!b.error)
		submit(&b, context, submissions, count, flags, ret_runs, reterr_diag);
	else if (reterr_diag)
		*reterr_diag = NULL;
	free(b.submits);
	free(b.records);
	*ret_batch = (struct tsr_batch){ .accepted = b.accepted, .error = b.error };
	return b.accepted ? 0 : b.error;
}

// SPDX-License-Identifier: MIT
/* Submitting: preparation, program, dispatch, in this order, each in its own file. */
#include <errno.h>
#include <stdlib.h>

#include "staged.h"
#include "staging.h"
#include "submit.h"

static int check_options(const struct tsr_submit_options *o, uint32_t flags)
{
	const uint32_t known = TSR_SUBMIT_PROFILE | TSR_SUBMIT_PRINT | TSR_SUBMIT_NONBLOCK |
			       TSR_SUBMIT_CLAIMED;

	if (flags & ~known || !tsr_all_zero(o->reserved, sizeof(o->reserved)) ||
	    (o->in_count && !o->in_syncs) || (o->out_count && !o->out_syncs))
		return -EINVAL;
	return 0;
}

static int check_call(struct tsr_submit *s)
{
	int err = tsr_device_check(s->p.dev);

	s->p.stage = TSR_STAGE_DECLARE;
	if (!err && s->context->dev != s->p.dev)
		err = -EXDEV;
	return err ? err : check_options(s->options, s->flags);
}

static int get_program(struct tsr_submit *s)
{
	bool refuse_full = s->flags & TSR_SUBMIT_NONBLOCK;
	int err;

	s->p.stage = TSR_STAGE_COMPILE;
	err = tsr_program_get(s->p.dev, &s->p.call->plan, refuse_full, &s->program, &s->p.diag);
	if (err && s->p.diag && s->p.diag->stage)
		s->p.stage = s->p.diag->stage;
	return err;
}

static void syncs_to_uapi(const struct tsr_sync *from, uint32_t count, struct drm_tessera_sync *to)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = (struct drm_tessera_sync){
			.handle = from[i].handle,
			.flags = from[i].reserved,	/* the kernel refuses what is not zero */
			.point = from[i].point,
		};
}

static int copy_syncs(struct tsr_submit *s)
{
	const struct tsr_submit_options *o = s->options;
	uint64_t total = (uint64_t)o->in_count + o->out_count;

	if (o->in_count > s->p.dev->limits.syncs || o->out_count > s->p.dev->limits.syncs)
		return -E2BIG;
	if (total > TSR_SUBMIT_FEW)
		s->syncs = calloc((size_t)total, sizeof(*s->syncs));
	if (!s->syncs)
		return -ENOMEM;
	syncs_to_uapi(o->in_syncs, o->in_count, s->syncs);
	syncs_to_uapi(o->out_syncs, o->out_count, s->syncs + o->in_count);
	return 0;
}

/* Everything that can fail comes before the ioctl; what comes after it only hands over. */
static int encode(struct tsr_submit *s)
{
	int err;

	s->p.stage = TSR_STAGE_SUBMIT;
	err = tsr_dispatch_encode(s->p.call, s->p.tensors, s->p.tensor_count);
	if (!err)
		err = copy_syncs(s);
	if (err)
		return err;
	s->run = tsr_run_new(s->context, s->p.op);
	return s->run ? tsr_staged_stage(s) : -ENOMEM;
}

void tsr_submit_init(struct tsr_submit *s, struct tsr_operation *op, struct tsr_context *context,
		     const struct tsr_submit_options *options)
{
	static const struct tsr_submit_options defaults;

	memset(s, 0, offsetof(struct tsr_submit, few));
	s->p.op = op;
	s->p.dev = op->dev;
	s->p.factory = op->factory;
	s->p.factory_ctx = op->factory_ctx;
	s->context = context;
	s->options = options ? options : &defaults;
	s->syncs = s->few;
}

int tsr_submit_prepare(struct tsr_submit *s, uint32_t flags)
{
	int err;

	s->flags = s->options->flags | flags;
	if (s->staged)
		s->p.bind = tsr_staged_bind;
	err = check_call(s);
	if (!err)
		err = tsr_prepare(&s->p);
	if (!err)
		err = get_program(s);
	return err ? err : encode(s);
}

void tsr_submit_record(struct tsr_submit *s, struct drm_tessera_run *ret)
{
	const struct tsr_submit_options *o = s->options;

	*ret = (struct drm_tessera_run){
		.program = s->program->handle,
		.flags = (s->flags & TSR_SUBMIT_PROFILE ? DRM_TESSERA_RUN_PROFILE : 0) |
			 (s->flags & TSR_SUBMIT_PRINT ? DRM_TESSERA_RUN_PRINT : 0),
		.dispatch = (uintptr_t)s->p.call->dispatch.data,
		.dispatch_size = (uint32_t)s->p.call->dispatch.count,
		.in_sync_count = o->in_count,
		.out_sync_count = o->out_count,
		.in_syncs = o->in_count ? (uintptr_t)s->syncs : 0,
		.out_syncs = o->out_count ? (uintptr_t)(s->syncs + o->in_count) : 0,
		.user_data = o->user_data,
		.time_limit_ms = o->time_limit_ms,
	};
}

int tsr_submit_send(struct tsr_context *context, uint32_t flags, struct drm_tessera_run *records,
		    uint32_t count, uint32_t *ret_accepted, int *ret_error)
{
	struct drm_tessera_run_submit arg = {
		.context = context->handle,
		.flags = (flags & TSR_SUBMIT_NONBLOCK ? DRM_TESSERA_SUBMIT_NONBLOCK : 0) |
			 (flags & TSR_SUBMIT_CLAIMED ? DRM_TESSERA_SUBMIT_CLAIMED : 0),
		.runs = (uintptr_t)records,
		.run_count = count,
		.run_stride = sizeof(*records),
	};
	/* Not repeated after a signal: waiting for a place in a queue may be given up. */
	int err = tsr_ioctl_once(context->dev, DRM_IOCTL_TESSERA_RUN_SUBMIT, &arg);

	if (err || arg.error)
		tsr_count(&context->dev->tally.submit_refusals);
	*ret_accepted = err ? 0 : arg.accepted;
	*ret_error = err ? err : arg.error;
	return err;
}

struct tsr_run *tsr_submit_accepted(struct tsr_submit *s, const struct drm_tessera_run *record)
{
	struct tsr_run *run = s->run;

	run->handle = record->handle;
	run->id = record->id;
	run->flags = s->flags;
	run->program = s->program;
	run->res = s->p.res;
	run->staging = s->staging;
	s->run = NULL;
	s->program = NULL;
	s->p.res = NULL;
	s->staging = NULL;
	if (run->res)
		tsr_resources_accept(run->res);
	tsr_run_link(run);
	tsr_count(&s->p.dev->tally.submits);
	return run;
}

void tsr_submit_fini(struct tsr_submit *s)
{
	if (s->run)
		tsr_run_abandon(s->run);
	if (s->staging)
		tsr_staging_put(s->p.op, s->staging);
	if (s->syncs != s->few)
		free(s->syncs);
	tsr_prepare_fini(&s->p);
	tsr_program_unref(s->program);
}

static int submit(struct tsr_submit *s, struct tsr_run **ret_run, struct tsr_diag **reterr_diag)
{
	struct drm_tessera_run record;
	uint32_t accepted;
	int err = tsr_submit_prepare(s, 0), error;

	if (!err) {
		tsr_submit_record(s, &record);
		err = tsr_submit_send(s->context, s->flags, &record, 1, &accepted, &error);
	}
	if (!err)
		*ret_run = tsr_submit_accepted(s, &record);
	tsr_submit_fini(s);
	if (err)
		tsr_prepare_report(&s->p, err, reterr_diag);
	return err;
}

int tsr_submit_with(struct tsr_operation *op, struct tsr_context *context,
		    const struct tsr_tensor *tensors, size_t tensor_count,
		    const struct tsr_submit_options *options, tsr_factory_fn factory,
		    void *factory_ctx, struct tsr_run **ret_run, struct tsr_diag **reterr_diag)
{
	struct tsr_submit s;

	tsr_submit_init(&s, op, context, options);
	s.p.tensors = tensors;
	s.p.tensor_count = tensor_count;
	s.p.factory = factory;
	s.p.factory_ctx = factory_ctx;
	return submit(&s, ret_run, reterr_diag);
}

TSR_API int tsr_submit(struct tsr_operation *op, struct tsr_context *context,
		       const struct tsr_tensor *tensors, size_t tensor_count,
		       const struct tsr_submit_options *options, struct tsr_run **ret_run,
		       struct tsr_diag **reterr_diag)
{
	return tsr_submit_with(op, context, tensors, tensor_count, options, op->factory,
			       op->factory_ctx, ret_run, reterr_diag);
}

TSR_API int tsr_submit_staged(struct tsr_operation *op, struct tsr_context *context,
			      const struct tsr_staged_tensor *tensors, size_t tensor_count,
			      const struct tsr_submit_options *options, struct tsr_run **ret_run,
			      struct tsr_diag **reterr_diag)
{
	struct tsr_submit s;

	tsr_submit_init(&s, op, context, options);
	s.staged = tensors;
	s.p.tensor_count = tensor_count;
	return submit(&s, ret_run, reterr_diag);
}

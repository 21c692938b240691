// SPDX-License-Identifier: MIT
/* Submitting: preparation, program, dispatch, in this order, each in its own file. */
#include <errno.h>
#include <stdlib.h>

#include "prepare.h"
#include "run_int.h"
#include "submit.h"

/** struct submit - one invocation under way */
struct submit {
	struct tsr_prepare p;
	struct tsr_context *context;
	const struct tsr_submit_options *options;
	struct tsr_program *program;
	struct tsr_run *run;
};

static const struct tsr_submit_options defaults;

static int check_options(const struct tsr_submit_options *o)
{
	const uint32_t known = TSR_SUBMIT_PROFILE | TSR_SUBMIT_PRINT | TSR_SUBMIT_NONBLOCK;

	if (o->flags & ~known || o->pad || !tsr_all_zero(o->reserved, sizeof(o->reserved)) ||
	    (o->in_count && !o->in_syncs) || (o->out_count && !o->out_syncs))
		return -EINVAL;
	return 0;
}

static int check_call(struct submit *s)
{
	int err = tsr_device_check(s->p.dev);

	s->p.stage = TSR_STAGE_DECLARE;
	if (!err && s->context->dev != s->p.dev)
		err = -EXDEV;
	return err ? err : check_options(s->options);
}

static int get_program(struct submit *s)
{
	bool refuse_full = s->options->flags & TSR_SUBMIT_NONBLOCK;
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

static void run_to_uapi(const struct submit *s, struct drm_tessera_run *run)
{
	const struct tsr_submit_options *o = s->options;

	*run = (struct drm_tessera_run){
		.program = s->program->handle,
		.flags = (o->flags & TSR_SUBMIT_PROFILE ? DRM_TESSERA_RUN_PROFILE : 0) |
			 (o->flags & TSR_SUBMIT_PRINT ? DRM_TESSERA_RUN_PRINT : 0),
		.dispatch = (uintptr_t)s->p.call->dispatch.data,
		.dispatch_size = (uint32_t)s->p.call->dispatch.count,
		.in_sync_count = o->in_count,
		.out_sync_count = o->out_count,
		.user_data = o->user_data,
	};
}

static int submit_ioctl(const struct submit *s, struct drm_tessera_run *run)
{
	struct drm_tessera_run_submit arg = {
		.context = s->context->handle,
		.flags = s->options->flags & TSR_SUBMIT_NONBLOCK ?
			 DRM_TESSERA_SUBMIT_NONBLOCK : 0,
		.runs = (uintptr_t)run,
		.run_count = 1,
		.run_stride = sizeof(*run),
	};

	/* Not repeated after a signal: waiting for a place in a queue may be given up. */
	return tsr_ioctl_once(s->p.dev, DRM_IOCTL_TESSERA_RUN_SUBMIT, &arg);
}

static int submit_run(const struct submit *s, struct drm_tessera_run *run)
{
	const struct tsr_submit_options *o = s->options;
	struct drm_tessera_sync few[8], *syncs = few;
	uint64_t total = (uint64_t)o->in_count + o->out_count;
	int err;

	if (o->in_count > s->p.dev->limits.syncs || o->out_count > s->p.dev->limits.syncs)
		return -E2BIG;
	if (total > ARRAY_SIZE(few))
		syncs = calloc((size_t)total, sizeof(*syncs));
	if (!syncs)
		return -ENOMEM;
	syncs_to_uapi(o->in_syncs, o->in_count, syncs);
	syncs_to_uapi(o->out_syncs, o->out_count, syncs + o->in_count);
	run->in_syncs = o->in_count ? (uintptr_t)syncs : 0;
	run->out_syncs = o->out_count ? (uintptr_t)(syncs + o->in_count) : 0;
	err = submit_ioctl(s, run);
	if (syncs != few)
		free(syncs);
	return err;
}

/* Everything that can fail comes before the ioctl; what comes after it only hands over. */
static int dispatch(struct submit *s)
{
	struct drm_tessera_run run;
	int err;

	s->p.stage = TSR_STAGE_SUBMIT;
	err = tsr_dispatch_encode(s->p.call, s->p.tensors, s->p.tensor_count);
	if (err)
		return err;
	s->run = tsr_run_new(s->context, s->p.op);
	if (!s->run)
		return -ENOMEM;
	run_to_uapi(s, &run);
	err = submit_run(s, &run);
	if (err) {
		tsr_count(&s->p.dev->tally.submit_refusals);
		tsr_run_abandon(s->run);
		return err;
	}
	s->run->handle = run.handle;
	s->run->id = run.id;
	s->run->flags = s->options->flags;
	s->run->program = s->program;
	s->run->res = s->p.res;
	s->program = NULL;
	s->p.res = NULL;
	if (s->run->res)
		tsr_resources_accept(s->run->res);
	tsr_run_link(s->run);
	tsr_count(&s->p.dev->tally.submits);
	return 0;
}

int tsr_submit_with(struct tsr_operation *op, struct tsr_context *context,
		    const struct tsr_tensor *tensors, size_t tensor_count,
		    const struct tsr_submit_options *options, tsr_factory_fn factory,
		    void *factory_ctx, struct tsr_run **ret_run, struct tsr_diag **reterr_diag)
{
	struct submit s = {
		.p = {
			.op = op,
			.dev = op->dev,
			.tensors = tensors,
			.tensor_count = tensor_count,
			.factory = factory,
			.factory_ctx = factory_ctx,
		},
		.context = context,
		.options = options ? options : &defaults,
	};
	int err = check_call(&s);

	if (!err)
		err = tsr_prepare(&s.p);
	if (!err)
		err = get_program(&s);
	if (!err)
		err = dispatch(&s);
	tsr_prepare_fini(&s.p);
	tsr_program_unref(s.program);
	if (err)
		tsr_prepare_report(&s.p, err, reterr_diag);
	else
		*ret_run = s.run;
	return err;
}

TSR_API int tsr_submit(struct tsr_operation *op, struct tsr_context *context,
		       const struct tsr_tensor *tensors, size_t tensor_count,
		       const struct tsr_submit_options *options, struct tsr_run **ret_run,
		       struct tsr_diag **reterr_diag)
{
	return tsr_submit_with(op, context, tensors, tensor_count, options, op->factory,
			       op->factory_ctx, ret_run, reterr_diag);
}

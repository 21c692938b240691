// SPDX-License-Identifier: MIT
/* Submitting: factory, checks, plan, program, dispatch, in this order, each in its own file. */
#include <errno.h>
#include <stdlib.h>

#include "call.h"
#include "check.h"
#include "run_int.h"

/** struct submit - one invocation under way */
struct submit {
	struct tsr_operation *op;
	struct tsr_context *context;
	struct tsr_device *dev;
	const struct tsr_tensor *tensors;
	size_t tensor_count;
	const struct tsr_submit_options *options;
	const struct tsr_shape *shape;
	struct tsr_call *call;
	struct tsr_resources *res;	/* NULL: the operation has no factory */
	struct tsr_program *program;
	struct tsr_run *run;
	uint32_t stage;
	struct tsr_diag *diag;
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

static int prepare(struct submit *s)
{
	int err = tsr_device_check(s->dev);

	if (!err && s->context->dev != s->dev)
		err = -EXDEV;
	if (!err)
		err = check_options(s->options);
	if (!err)
		err = tsr_shape_get(s->op, &s->shape);
	if (err)
		return err;
	s->call = tsr_call_new(s->dev);
	if (s->op->factory)
		s->res = tsr_resources_new(s->dev, s->op->serial);
	return s->call && (s->res || !s->op->factory) ? 0 : -ENOMEM;
}

/* The findings become the diagnostic of the call, whose error is -EINVAL. */
static int refuse(struct submit *s, struct tsr_check *c)
{
	atomic_fetch_add(&s->dev->tally.findings, c->findings);
	tsr_count(&s->dev->tally.refused);
	s->diag = c->diag;
	return c->diag && !c->diag->incomplete ? -EINVAL : -ENOMEM;
}

static int check_dense(struct submit *s)
{
	struct tsr_check c = { .op = s->op, .shape = s->shape };

	s->stage = TSR_STAGE_DECLARE;
	if (likely(s->shape->dense))
		return 0;
	tsr_check_dense(&c);
	return refuse(s, &c);
}

static int factory_failed(struct submit *s, int err)
{
	tsr_count(&s->dev->tally.factory_failures);
	s->diag = tsr_diag_new();
	tsr_diag_note(s->diag, (struct tsr_note){
		.rule = TSR_RR6,
		.path = tsr_text("operation"),
		.field = "factory",
		.value = tsr_text("%d", err),
		.allowed = tsr_text("0"),
		.message = tsr_text("the factory of operation %s failed", s->op->name),
	});
	/* A positive result is no errno, and no success either. */
	return err > 0 ? -EINVAL : err;
}

static int call_factory(struct submit *s)
{
	struct tsr_factory_input input = {
		.op = s->op,
		.dev = s->dev,
		.tensors = s->tensors,
		.tensor_count = s->tensor_count,
		.cores = s->op->cores,
		.first_free_semaphore_id = (uint32_t)s->op->semaphores.count,
	};
	int err;

	if (!s->op->factory)
		return 0;
	s->stage = TSR_STAGE_FACTORY;
	tsr_count(&s->dev->tally.factory_calls);
	err = s->op->factory(s->op->factory_ctx, &input, s->res);
	s->res->sealed = true;
	return likely(!err) ? 0 : factory_failed(s, err);
}

static int make_plan(struct submit *s)
{
	struct tsr_plan *plan = &s->call->plan;
	struct tsr_check c = {
		.op = s->op,
		.shape = s->shape,
		.limits = &s->dev->limits,
		.res = s->res,
		.tensors = s->tensors,
		.tensor_count = s->tensor_count,
		.plan = plan,
	};
	int err;

	s->stage = TSR_STAGE_VALIDATE;
	err = tsr_plan_begin(plan, s->shape, s->res);
	if (err)
		return err;
	tsr_check_all(&c);
	if (unlikely(c.findings))
		return refuse(s, &c);
	err = tsr_plan_make(plan);
	if (!err)
		tsr_count(&s->dev->tally.plans);
	return err;
}

static int get_program(struct submit *s)
{
	bool refuse_full = s->options->flags & TSR_SUBMIT_NONBLOCK;
	int err;

	s->stage = TSR_STAGE_COMPILE;
	err = tsr_program_get(s->dev, &s->call->plan, refuse_full, &s->program, &s->diag);
	if (err && s->diag && s->diag->stage)
		s->stage = s->diag->stage;
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
		.dispatch = (uintptr_t)s->call->dispatch.data,
		.dispatch_size = (uint32_t)s->call->dispatch.count,
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
	return tsr_ioctl_once(s->dev, DRM_IOCTL_TESSERA_RUN_SUBMIT, &arg);
}

static int submit_run(const struct submit *s, struct drm_tessera_run *run)
{
	const struct tsr_submit_options *o = s->options;
	struct drm_tessera_sync few[8], *syncs = few;
	uint64_t total = (uint64_t)o->in_count + o->out_count;
	int err;

	if (o->in_count > s->dev->limits.syncs || o->out_count > s->dev->limits.syncs)
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

	s->stage = TSR_STAGE_SUBMIT;
	err = tsr_dispatch_encode(s->call, s->tensors, s->tensor_count);
	if (err)
		return err;
	s->run = tsr_run_new(s->context, s->op);
	if (!s->run)
		return -ENOMEM;
	run_to_uapi(s, &run);
	err = submit_run(s, &run);
	if (err) {
		tsr_count(&s->dev->tally.submit_refusals);
		tsr_run_abandon(s->run);
		return err;
	}
	s->run->handle = run.handle;
	s->run->id = run.id;
	s->run->flags = s->options->flags;
	s->run->program = s->program;
	s->run->res = s->res;
	s->program = NULL;
	s->res = NULL;
	if (s->run->res)
		tsr_resources_accept(s->run->res);
	tsr_run_link(s->run);
	tsr_count(&s->dev->tally.submits);
	return 0;
}

static void report(struct submit *s, int err, struct tsr_diag **reterr_diag)
{
	if (!reterr_diag) {
		tsr_diag_free(s->diag);
		return;
	}
	if (!s->diag)
		s->diag = tsr_diag_new();
	/* One that a cache entry shares was completed by its build. */
	if (s->diag && !s->diag->cause) {
		s->diag->cause = err;
		s->diag->stage = s->stage;
	}
	*reterr_diag = s->diag;
}

TSR_API int tsr_submit(struct tsr_operation *op, struct tsr_context *context,
		       const struct tsr_tensor *tensors, size_t tensor_count,
		       const struct tsr_submit_options *options, struct tsr_run **ret_run,
		       struct tsr_diag **reterr_diag)
{
	static int (*const steps[])(struct submit *s) = {
		prepare, check_dense, call_factory, make_plan, get_program, dispatch,
	};
	struct submit s = {
		.op = op,
		.context = context,
		.dev = op->dev,
		.tensors = tensors,
		.tensor_count = tensor_count,
		.options = options ? options : &defaults,
		.stage = TSR_STAGE_DECLARE,
	};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(steps); i++)
		err = steps[i](&s);
	if (s.call)
		tsr_call_free(s.dev, s.call);
	tsr_program_unref(s.program);
	tsr_resources_let_go(s.res);
	if (err)
		report(&s, err, reterr_diag);
	else
		*ret_run = s.run;
	return err;
}

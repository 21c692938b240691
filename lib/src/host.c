// SPDX-License-Identifier: MIT
/* The host engine: the steps of a submit but for the device (EX-1). */
#include <errno.h>
#include <stdlib.h>

#include "buffer_int.h"
#include "call.h"
#include "check.h"
#include "codes.h"
#include "coreset_int.h"
#include "host_int.h"

/* ---- A device without a node -------------------------------------------------------------- */

static int config_from_options(const struct tsr_host_options *o, struct tsr_grid_config *cfg)
{
	uint64_t n;

	if (o->pad || !tsr_all_zero(o->reserved, sizeof(o->reserved)) ||
	    o->grid_width > TESSERA_MAX_DIM || o->grid_height > TESSERA_MAX_DIM)
		return -EINVAL;
	tsr_grid_config_default(cfg);
	cfg->width = o->grid_width ? (u16)o->grid_width : cfg->width;
	cfg->height = o->grid_height ? (u16)o->grid_height : cfg->height;
	cfg->l1_size = o->l1_size ? o->l1_size : cfg->l1_size;
	cfg->image_slot = o->image_slot ? o->image_slot : cfg->image_slot;
	cfg->words = o->words ? o->words : cfg->words;
	cfg->seed = o->seed ? o->seed : cfg->seed;
	n = (uint64_t)cfg->width * cfg->height;
	if (n > TESSERA_MAX_CORES)
		return -EINVAL;
	for (uint32_t i = 0; o->harvested && i < n; i++)
		if (tsr_coreset_contains(o->harvested, (u16)(i % cfg->width),
					 (u16)(i / cfg->width)))
			cfg->harvested[i / 64] |= UINT64_C(1) << (i % 64);
	return tsr_grid_config_check(cfg, NULL);
}

TSR_API int tsr_host_open(const struct tsr_host_options *options, struct tsr_device **ret_dev)
{
	static const struct tsr_host_options defaults;
	const struct tsr_host_options *o = options ? options : &defaults;
	struct tessera_limits limits;
	struct tsr_grid_config cfg;
	struct tsr_device *dev;
	int err = config_from_options(o, &cfg);

	if (err)
		return err;
	tsr_grid_limits(&cfg, &limits);
	limits.no_progress_ms = o->no_progress_ms ? o->no_progress_ms : 5000;
	err = tsr_device_new_offline(&limits, &dev);
	if (err)
		return err;
	strcpy(dev->name, "host");
	dev->seed = cfg.seed;
	dev->disk = true;
	*ret_dev = dev;
	return 0;
}

/* ---- Executing ---------------------------------------------------------------------------- */

/** struct execution - one under way */
struct execution {
	struct tsr_operation *op;
	struct tsr_device *dev;
	const struct tsr_host_tensor *from;
	size_t count;
	struct tsr_buffer *buffers;	/* only to be looked at: size, device, a handle */
	struct tsr_tensor *tensors;
	struct tsr_bound *bound;
	const struct tsr_shape *shape;
	struct tsr_call *call;
	void *blob;
	size_t blob_size;
	struct tsr_host_run *run;
	uint32_t stage;
	struct tsr_diag *diag;
};

static int refuse_factory(struct execution *e)
{
	int err = tsr_device_check(e->dev);

	e->stage = TSR_STAGE_DECLARE;
	if (err || !e->op->factory)
		return err;
	e->diag = tsr_diag_new();
	tsr_diag_note(e->diag, (struct tsr_note){
		.rule = TSR_EX1,
		.path = tsr_text("operation"),
		.field = "factory",
		.value = tsr_text("set"),
		.allowed = tsr_text("none"),
		.message = tsr_text("the host engine has no runtime resources; the factory of "
				    "operation %s was not called", e->op->name),
	});
	return -EOPNOTSUPP;
}

static int take_tensors(struct execution *e)
{
	e->buffers = calloc(e->count + 1, sizeof(*e->buffers));
	e->tensors = calloc(e->count + 1, sizeof(*e->tensors));
	e->bound = calloc(e->count + 1, sizeof(*e->bound));
	if (!e->buffers || !e->tensors || !e->bound)
		return -ENOMEM;
	for (size_t i = 0; i < e->count; i++) {
		if (!tsr_all_zero(e->from[i].reserved, sizeof(e->from[i].reserved)))
			return -EINVAL;
		e->buffers[i].dev = e->dev;
		e->buffers[i].size = e->from[i].size;
		e->buffers[i].handle = (uint32_t)i + 1;
		e->tensors[i].buffer = e->from[i].mem ? &e->buffers[i] : NULL;
		e->tensors[i].size = e->from[i].size;
	}
	return 0;
}

static int refuse(struct execution *e, struct tsr_check *c)
{
	tsr_diag_free(e->diag);
	e->diag = c->diag;
	return c->diag && !c->diag->incomplete ? -EINVAL : -ENOMEM;
}

static int make_plan(struct execution *e)
{
	struct tsr_check c = { .op = e->op, .limits = &e->dev->limits };
	struct tsr_plan *plan;
	int err = tsr_shape_get(e->op, &e->shape);

	if (err)
		return err;
	c.shape = e->shape;
	c.tensors = e->tensors;
	c.tensor_count = e->count;
	if (!e->shape->dense) {
		tsr_check_dense(&c);
		return refuse(e, &c);
	}
	e->stage = TSR_STAGE_VALIDATE;
	e->call = tsr_call_new(e->dev);
	if (!e->call)
		return -ENOMEM;
	plan = &e->call->plan;
	c.plan = plan;
	err = tsr_plan_begin(plan, e->shape, NULL);
	if (err)
		return err;
	tsr_check_all(&c);
	return c.findings ? refuse(e, &c) : tsr_plan_make(plan);
}

static int encode(struct execution *e)
{
	int err;

	e->stage = TSR_STAGE_COMPILE;
	e->diag = tsr_diag_new();
	err = tsr_program_encode(e->dev, &e->call->plan, &e->blob, &e->blob_size, e->diag);
	if (err && e->diag)
		tsr_diag_sort(e->diag);
	return err ? err : tsr_dispatch_encode(e->call, e->tensors, e->count);
}

static int launch(struct execution *e)
{
	struct tsr_grid_config cfg;
	struct tsr_dispatch dispatch;
	struct tsr_blob prog;
	struct tsr_host_job job = { .prog = &prog, .bound = e->bound };
	int err = tsr_host_config(&e->dev->limits, e->dev->seed, &cfg);

	e->stage = TSR_STAGE_PROGRAM;
	if (!err)
		err = tsr_blob_verify(e->blob, e->blob_size, &e->dev->limits, &prog, NULL);
	if (!err)
		err = tsr_dispatch_check(e->call->dispatch.data, e->call->dispatch.count, &prog,
					 &dispatch);
	if (err)
		return err;
	for (size_t i = 0; i < e->count; i++)
		e->bound[i] = (struct tsr_bound){ e->from[i].mem, e->from[i].size,
						  tsr_op_tensor(e->op, i)->access };
	job.words = dispatch.words;
	job.no_progress_ms = e->dev->limits.no_progress_ms;
	e->run = calloc(1, sizeof(*e->run));
	return e->run ? tsr_host_launch(&cfg, &job, e->run) : -ENOMEM;
}

static void report(struct execution *e, int err, struct tsr_diag **reterr_diag)
{
	tsr_host_run_free(e->run);
	if (!reterr_diag) {
		tsr_diag_free(e->diag);
		return;
	}
	if (!e->diag)
		e->diag = tsr_diag_new();
	if (e->diag && !e->diag->cause) {
		e->diag->cause = err;
		e->diag->stage = e->stage;
	}
	*reterr_diag = e->diag;
}

TSR_API int tsr_host_execute(struct tsr_operation *op, const struct tsr_host_tensor *tensors,
			     size_t tensor_count, struct tsr_host_run **ret_run,
			     struct tsr_diag **reterr_diag)
{
	static int (*const steps[])(struct execution *e) = {
		refuse_factory, take_tensors, make_plan, encode, launch,
	};
	struct execution e = {
		.op = op,
		.dev = op->dev,
		.from = tensors,
		.count = tensor_count,
	};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(steps); i++)
		err = steps[i](&e);
	if (e.call)
		tsr_call_free(e.dev, e.call);
	free(e.buffers);
	free(e.tensors);
	free(e.bound);
	free(e.blob);
	if (err) {
		report(&e, err, reterr_diag);
		return err;
	}
	tsr_diag_free(e.diag);
	*ret_run = e.run;
	return 0;
}

/* ---- What it left behind ------------------------------------------------------------------ */

TSR_API struct tsr_host_run *tsr_host_run_free(struct tsr_host_run *run)
{
	if (!run)
		return NULL;
	tsr_vec_free(&run->processors);
	tsr_vec_free(&run->text);
	free(run);
	return NULL;
}

TSR_API int tsr_host_run_verdict(const struct tsr_host_run *run)
{
	return tsr_code_info(run->status.code)->error;
}

TSR_API const struct tsr_status *tsr_host_run_status(const struct tsr_host_run *run)
{
	return &run->status;
}

TSR_API const struct tsr_processor_stats *tsr_host_run_processors(const struct tsr_host_run *run,
								  size_t *ret_count)
{
	*ret_count = run->processors.count;
	return run->processors.data;
}

TSR_API const char *tsr_host_run_print(const struct tsr_host_run *run)
{
	return run->text.data;
}

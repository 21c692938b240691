// SPDX-License-Identifier: MIT
/* The host engine: the steps of a submit but for the device (EX-1). */
#include <errno.h>
#include <stdlib.h>

#include "buffer_int.h"
#include "codes.h"
#include "coreset_int.h"
#include "host_int.h"
#include "prepare.h"

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
	struct tsr_prepare p;
	const struct tsr_host_tensor *from;
	struct tsr_buffer *buffers;	/* only to be looked at: size, device, a handle */
	struct tsr_tensor *tensors;
	struct tsr_bound *bound;
	void *blob;
	size_t blob_size;
	struct tsr_host_run *run;
};

static int refuse_factory(struct execution *e)
{
	int err = tsr_device_check(e->p.dev);

	e->p.stage = TSR_STAGE_DECLARE;
	if (err || !e->p.op->factory)
		return err;
	e->p.diag = tsr_diag_new();
	tsr_diag_note(e->p.diag, (struct tsr_note){
		.rule = TSR_EX1,
		.path = tsr_text("operation"),
		.field = "factory",
		.value = tsr_text("set"),
		.allowed = tsr_text("none"),
		.message = tsr_text("the host engine has no runtime resources; the factory of "
				    "operation %s was not called", e->p.op->name),
	});
	return -EOPNOTSUPP;
}

static int take_tensors(struct execution *e)
{
	e->buffers = calloc(e->p.tensor_count + 1, sizeof(*e->buffers));
	e->tensors = calloc(e->p.tensor_count + 1, sizeof(*e->tensors));
	e->bound = calloc(e->p.tensor_count + 1, sizeof(*e->bound));
	if (!e->buffers || !e->tensors || !e->bound)
		return -ENOMEM;
	for (size_t i = 0; i < e->p.tensor_count; i++) {
		if (!tsr_all_zero(e->from[i].reserved, sizeof(e->from[i].reserved)))
			return -EINVAL;
		e->buffers[i].dev = e->p.dev;
		e->buffers[i].size = e->from[i].size;
		e->buffers[i].handle = (uint32_t)i + 1;
		e->tensors[i].buffer = e->from[i].mem ? &e->buffers[i] : NULL;
		e->tensors[i].size = e->from[i].size;
	}
	e->p.tensors = e->tensors;
	return 0;
}

static int encode(struct execution *e)
{
	int err;

	e->p.stage = TSR_STAGE_COMPILE;
	e->p.diag = tsr_diag_new();
	err = tsr_program_encode(e->p.dev, &e->p.call->plan, &e->blob, &e->blob_size, e->p.diag);
	if (err && e->p.diag)
		tsr_diag_sort(e->p.diag);
	return err ? err : tsr_dispatch_encode(e->p.call, e->tensors, e->p.tensor_count);
}

static int launch(struct execution *e)
{
	struct tsr_grid_config cfg;
	struct tsr_dispatch dispatch;
	struct tsr_blob prog;
	struct tsr_host_job job = { .prog = &prog, .bound = e->bound };
	int err = tsr_host_config(&e->p.dev->limits, e->p.dev->seed, &cfg);

	e->p.stage = TSR_STAGE_PROGRAM;
	if (!err)
		err = tsr_blob_verify(e->blob, e->blob_size, &e->p.dev->limits, &prog, NULL);
	if (!err)
		err = tsr_dispatch_check(e->p.call->dispatch.data, e->p.call->dispatch.count, &prog,
					 &dispatch);
	if (err)
		return err;
	for (size_t i = 0; i < e->p.tensor_count; i++)
		e->bound[i] = (struct tsr_bound){ e->from[i].mem, e->from[i].size,
						  tsr_op_tensor(e->p.op, i)->access };
	job.words = dispatch.words;
	job.no_progress_ms = e->p.dev->limits.no_progress_ms;
	e->run = calloc(1, sizeof(*e->run));
	return e->run ? tsr_host_launch(&cfg, &job, e->run) : -ENOMEM;
}

TSR_API int tsr_host_execute(struct tsr_operation *op, const struct tsr_host_tensor *tensors,
			     size_t tensor_count, struct tsr_host_run **ret_run,
			     struct tsr_diag **reterr_diag)
{
	struct execution e = {
		.p = { .op = op, .dev = op->dev, .tensor_count = tensor_count },
		.from = tensors,
	};
	int err = refuse_factory(&e);

	if (!err)
		err = take_tensors(&e);
	if (!err)
		err = tsr_prepare(&e.p);
	if (!err)
		err = encode(&e);
	if (!err)
		err = launch(&e);
	tsr_prepare_fini(&e.p);
	free(e.buffers);
	free(e.tensors);
	free(e.bound);
	free(e.blob);
	if (err) {
		tsr_host_run_free(e.run);
		tsr_prepare_report(&e.p, err, reterr_diag);
		return err;
	}
	tsr_diag_free(e.p.diag);
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

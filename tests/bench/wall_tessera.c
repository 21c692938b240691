// SPDX-License-Identifier: MIT
/* Ours: the library on the first device, an empty kernel on one core, one buffer, 16 words. */
#include <stdio.h>
#include <stdlib.h>
#include <tessera/tessera.h>

#include "wall.h"

static struct tsr_device *dev;
static struct tsr_context *context;
static struct tsr_operation *op;
static struct tsr_tensor tensor;
static struct tsr_run *runs[WALL_BATCH];

static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	static const int64_t words[16];
	const struct tsr_selector mover = { .select = TSR_SELECT_DATA_MOVEMENT };
	struct tsr_entry *entry;
	int err = tsr_resources_add_entry(res, mover, &entry);

	(void)ctx;
	(void)input;
	return err ? err : tsr_entry_add_words(entry, 0, 0, words, 16);
}

static void declare(void)
{
	const struct tsr_kernel_info mover = {
		.name = "mover",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = TSR_PROCESSOR_DM0,
		.source_text = "void kernel_main(void) { }",
	};
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, 0, 0);

	wall_must(!cores || tsr_operation_new(dev, "empty", cores, &op), "operation");
	tsr_coreset_free(cores);
	wall_must(tsr_operation_add_kernel(op, &mover), "kernel");
	wall_must(tsr_operation_add_tensor(op, TSR_ACCESS_INOUT, 64), "tensor");
	wall_must(tsr_operation_set_factory(op, factory, NULL, NULL), "factory");
}

static void set_up(void)
{
	wall_must(tsr_device_open(NULL, &dev), "tessera device");
	wall_must(tsr_context_new(dev, NULL, &context), "context");
	wall_must(tsr_buffer_new(dev, 4096, &tensor.buffer), "buffer");
	declare();
}

static void end(struct tsr_run *run)
{
	wall_must(tsr_run_wait(run, -1) || tsr_run_verdict(run), "run");
	tsr_run_unref(run);
}

static void round_trip(void)
{
	struct tsr_run *run;

	wall_must(tsr_submit(op, context, &tensor, 1, NULL, &run, NULL), "submit");
	end(run);
}

static void submit(void)
{
	struct tsr_submission one = { .op = op, .tensors = &tensor, .tensor_count = 1 };
	struct tsr_submission all[WALL_BATCH];
	struct tsr_batch batch;

	for (int i = 0; i < WALL_BATCH; i++)
		all[i] = one;
	wall_must(tsr_submit_batch(context, all, WALL_BATCH, 0, runs, &batch, NULL), "batch");
	wall_must(batch.accepted != WALL_BATCH, "batch");
}

static void finish(void)
{
	for (int i = 0; i < WALL_BATCH; i++)
		end(runs[i]);
}

const struct wall_side wall_tessera = {
	.name = "tessera",
	.set_up = set_up,
	.round_trip = round_trip,
	.submit = submit,
	.finish = finish,
};

// SPDX-License-Identifier: MIT
/*
 * The warm path: what the library does for an execution whose program is there already. Everything
 * of a submit but the run and its ioctl: factory, checks, plan, canonical bytes, fingerprint, hit,
 * dispatch blob. tests/bench/run counts the instructions of warm_path() with callgrind.
 *
 * usage: warm_path CORES TIMES [time]      time: print the least ns of a call, of ten parts
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tessera/tessera.h>

#include "buffer_int.h"
#include "grid.h"
#include "prepare.h"

#define WORDS	16
#define MAX_CORES	256

struct bench {
	struct tsr_device *dev;
	struct tsr_operation *op;
	struct tsr_tensor tensor;
	uint16_t width, height;
	struct tsr_core cores[MAX_CORES];	/* row by row */
	int64_t words[MAX_CORES * WORDS];
};

/*
 * One entry, one definition, 16 words for each core, one semaphore. The words of all cores are
 * added by one call, tsr_entry_add_words_many(), as by any factory that has them in an array.
 */
static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct tsr_semaphore semaphore = { .id = input->first_free_semaphore_id, .initial = 1 };
	const struct tsr_selector mover = { .select = TSR_SELECT_DATA_MOVEMENT };
	struct bench *b = ctx;
	struct tsr_entry *entry;
	int err = tsr_resources_add_entry(res, mover, &entry);

	if (!err)
		err = tsr_entry_define(entry, "DEPTH", "4");
	if (!err)
		err = tsr_entry_add_words_many(entry, b->cores, (size_t)b->width * b->height,
					       b->words, WORDS);
	return err ? err : tsr_resources_add_semaphore(res, &semaphore);
}

/* What is counted: a submit but for its run and its ioctl. */
static noinline int warm_path(struct bench *b)
{
	struct tsr_prepare p = {
		.op = b->op,
		.dev = b->dev,
		.tensors = &b->tensor,
		.tensor_count = 1,
		.factory = b->op->factory,
		.factory_ctx = b->op->factory_ctx,
	};
	struct tsr_program *program = NULL;
	struct tsr_diag *diag = NULL;
	int err = tsr_prepare(&p);

	if (!err)
		err = tsr_program_get(b->dev, &p.call->plan, false, &program, &p.diag);
	if (!err)
		err = tsr_dispatch_encode(p.call, &b->tensor, 1);
	tsr_program_unref(program);
	tsr_prepare_fini(&p);
	if (err) {
		tsr_prepare_report(&p, err, &diag);
		tsr_diag_print(diag, stderr);
		tsr_diag_free(diag);
	}
	return err;
}

static int declare(struct bench *b)
{
	const struct tsr_kernel_info mover = {
		.name = "mover",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = TSR_PROCESSOR_DM0,
		.source_text = "void kernel_main(void) { }",
	};
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, b->width - 1, b->height - 1);
	int err = cores ? tsr_operation_new(b->dev, "warm", cores, &b->op) : -ENOMEM;

	tsr_coreset_free(cores);
	if (!err)
		err = tsr_operation_add_kernel(b->op, &mover);
	if (!err)
		err = tsr_operation_add_tensor(b->op, TSR_ACCESS_INOUT, 64);
	if (!err)
		err = tsr_operation_set_factory(b->op, factory, b, NULL);
	return err ? err : tsr_buffer_new_offline(b->dev, 4096, 1, &b->tensor.buffer);
}

static int set_up(struct bench *b, unsigned int cores)
{
	struct tessera_limits limits;
	struct tsr_grid_config cfg;

	tsr_grid_config_default(&cfg);
	cfg.width = 16;
	cfg.height = 16;
	tsr_grid_limits(&cfg, &limits);
	b->width = 1;
	while (b->width * b->width < cores)
		b->width *= 2;
	b->height = (uint16_t)(cores / b->width);
	for (unsigned int i = 0; i < cores; i++)
		b->cores[i] = (struct tsr_core){ i % b->width, i / b->width };
	for (int i = 0; i < MAX_CORES * WORDS; i++)
		b->words[i] = 1000 + i;
	return tsr_device_new_offline(&limits, &b->dev) ? -ENOMEM : declare(b);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The least of ten parts: what else the machine does is left out. */
static int timed(struct bench *b, int times)
{
	double least = 1e18, began;
	int err = 0;

	for (int part = 0; !err && part < 10; part++) {
		began = now();
		for (int i = 0; !err && i < times / 10; i++)
			err = warm_path(b);
		began = (now() - began) / (times / 10);
		least = began < least ? began : least;
	}
	printf("%.1f\n", least);
	return err;
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	struct tsr_cache_stats stats;
	int times = argc > 2 ? atoi(argv[2]) : 1000, err;

	err = set_up(&b, argc > 1 ? (unsigned int)atoi(argv[1]) : 16);
	if (!err && argc > 3)
		err = timed(&b, times);
	for (int i = 0; !err && i < times && argc <= 3; i++)
		err = warm_path(&b);
	if (err) {
		fprintf(stderr, "warm_path: %s\n", strerror(-err));
		return 1;
	}
	tsr_cache_stats(b.dev, &stats);
	tsr_buffer_unref(b.tensor.buffer);
	tsr_operation_unref(b.op);
	tsr_device_unref(b.dev);
	/* All but the first were hits, or this is not the warm path. */
	return stats.builds == 1 && stats.hits == (uint64_t)times - 1 ? 0 : 1;
}

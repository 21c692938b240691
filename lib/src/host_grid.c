// SPDX-License-Identifier: MIT
/* A program on a grid of its own, in this thread, and its end as a status record. */
#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <drm/tessera_codes.h>
#include <tessera/names.h>

#include "codes.h"
#include "host_int.h"
#include "stall.h"

#define SLICE		1000000		/* instructions between looks at the clock */
#define MAX_TEXT	(1u << 20)

int tsr_host_config(const struct tessera_limits *limits, uint32_t seed,
		    struct tsr_grid_config *ret)
{
	struct tessera_limits own;

	tsr_grid_config_default(ret);
	ret->width = limits->grid_width;
	ret->height = limits->grid_height;
	memcpy(ret->harvested, limits->harvested, sizeof(ret->harvested));
	ret->l1_size = limits->l1_size;
	ret->image_slot = limits->image_slot;
	ret->words = limits->words;
	ret->seed = seed;
	ret->deterministic = true;
	if (tsr_grid_config_check(ret, NULL))
		return -EOPNOTSUPP;
	tsr_grid_limits(ret, &own);
	if (own.arg_base != limits->arg_base || own.cb_base != limits->cb_base ||
	    memcmp(own.image_base, limits->image_base, sizeof(own.image_base)) ||
	    limits->semaphores > own.semaphores ||
	    limits->circular_buffers > own.circular_buffers || limits->bindings > TSR_MAX_BINDINGS)
		return -EOPNOTSUPP;
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* As the driver writes it; what is too much is left out, and the status says so. */
static void on_print(void *ctx, u16 x, u16 y, u8 proc, const char *line, u32 len)
{
	struct tsr_host_run *run = ctx;
	char *text = tsr_text("%u,%u %s: %.*s\n", x, y, tsr_processor_name(proc), (int)len, line);
	size_t n = text ? strlen(text) : 0;
	char *to = NULL;

	if (run->text.count + n <= MAX_TEXT)
		to = tsr_vec_add(&run->text, 1, n);
	if (to && text)
		memcpy(to, text, n);
	else
		run->status.flags |= TSR_STATUS_DIAG_INCOMPLETE;
	free(text);
}

static bool in_ranges(const struct tsr_blob *prog, uint32_t first, uint32_t count, uint32_t x,
		      uint32_t y)
{
	for (uint32_t i = first; i < first + count; i++) {
		const struct tessera_range *r = &prog->ranges[i];

		if (x >= r->x0 && x <= r->x1 && y >= r->y0 && y <= r->y1)
			return true;
	}
	return false;
}

/* The descriptor that runs there. */
static uint32_t kernel_at(const struct tsr_blob *prog, uint32_t x, uint32_t y, uint32_t proc)
{
	for (uint32_t i = 0; i < prog->n_descriptors; i++) {
		const struct tessera_descriptor *d = &prog->descriptors[i];

		if (prog->images[d->image].processor == proc &&
		    in_ranges(prog, d->range_first, d->range_count, x, y))
			return i;
	}
	return TSR_NO_KERNEL;
}

static void note_fault(const struct tsr_grid *grid, const struct tsr_blob *prog,
		       struct tsr_run_fault *to)
{
	struct tsr_fault fault;

	tsr_grid_fault(grid, &fault);
	*to = (struct tsr_run_fault){
		.cause = fault.cause,
		.x = fault.x,
		.y = fault.y,
		.processor = fault.proc,
		.pc = fault.pc,
		.address = fault.address,
		.kernel = kernel_at(prog, fault.x, fault.y, fault.proc),
	};
}

static void note_stall(const struct tsr_grid *grid, const struct tsr_blob *prog,
		       struct tsr_run_stall *to)
{
	struct tsr_stall_info stall;

	tsr_grid_stall(grid, &stall);
	*to = (struct tsr_run_stall){
		.stall_class = tsr_stall_classify(stall.running, stall.ready, stall.waiting, true),
		.cores_completed = stall.done,
		.cores_total = stall.cores,
		.running = stall.running,
		.ready = stall.ready,
		.waiting = stall.waiting,
		.dispatch_done = 1,
		.stuck_processor = stall.stuck_proc,
		.stuck_x = stall.stuck_x,
		.stuck_y = stall.stuck_y,
		.stuck_pc = stall.stuck_pc,
		.stuck_address = stall.stuck_address,
		.stuck_kernel = kernel_at(prog, stall.stuck_x, stall.stuck_y, stall.stuck_proc),
	};
}

static void note_end(struct tsr_host_run *run, const struct tsr_grid *grid,
		     const struct tsr_blob *prog, enum tsr_grid_state state)
{
	struct tsr_status *status = &run->status;

	status->phase = TSR_PHASE_RETIRED;
	status->verdict_source = DRM_TESSERA_VERDICT_RECORD;
	if (state == TSR_GRID_FAULT) {
		status->code = DRM_TESSERA_CODE_FAULT;
		note_fault(grid, prog, &status->fault);
	} else if (state != TSR_GRID_DONE) {
		status->code = DRM_TESSERA_CODE_NO_PROGRESS;
		status->verdict_source = DRM_TESSERA_VERDICT_DRIVER;
		note_stall(grid, prog, &status->stall);
	}
	if (status->code)
		status->flags |= TSR_STATUS_OUTPUTS_UNDEFINED;
	status->failure_class = tsr_code_info(status->code)->failure_class;
	status->completed_ns = now_ns();
	status->retired_ns = status->completed_ns;
}

/* All processors that took part. */
static int note_processors(struct tsr_host_run *run, const struct tsr_grid *grid,
			   const struct tsr_grid_config *cfg)
{
	for (uint32_t i = 0; i < (uint32_t)cfg->width * cfg->height * TSR_PROCESSORS; i++) {
		uint32_t place = i / TSR_PROCESSORS, proc = i % TSR_PROCESSORS;
		struct tsr_processor_stats *to;
		struct tsr_proc_stats stats;
		u16 x = (u16)(place % cfg->width), y = (u16)(place / cfg->width);

		if (tsr_grid_stats(grid, x, y, (u8)proc, &stats))
			continue;
		to = tsr_vec_add(&run->processors, sizeof(*to), 1);
		if (!to)
			return -ENOMEM;
		*to = (struct tsr_processor_stats){
			.x = x,
			.y = y,
			.processor = proc,
			.cycles = stats.cycles,
			.instructions = stats.instructions,
			.wait_cycles = stats.wait_cycles,
			.noc_read = stats.noc_read,
			.noc_written = stats.noc_written,
		};
	}
	return 0;
}

/* One worker: WAIT means that everything waits. */
static enum tsr_grid_state run_slices(struct tsr_grid *grid, uint32_t no_progress_ms)
{
	uint64_t moved = now_ns(), progress = tsr_grid_progress(grid), now;
	enum tsr_grid_state state = tsr_grid_run(grid, SLICE);
	bool stopped = false;

	while (state == TSR_GRID_MORE || (stopped && state == TSR_GRID_WAIT)) {
		now = now_ns();
		if (tsr_grid_progress(grid) != progress) {
			progress = tsr_grid_progress(grid);
			moved = now;
		}
		if (!stopped && now - moved > (uint64_t)no_progress_ms * 1000000) {
			tsr_grid_stop(grid);
			stopped = true;
		}
		state = tsr_grid_run(grid, SLICE);
		if (state == TSR_GRID_WAIT && !stopped)
			break;
	}
	if (state == TSR_GRID_WAIT) {
		tsr_grid_stop(grid);
		while (state == TSR_GRID_WAIT || state == TSR_GRID_MORE)
			state = tsr_grid_run(grid, SLICE);
	}
	return state;
}

/*
 * The caller's floating-point environment (rounding, flushing of subnormal numbers, traps, flags)
 * changes no result, and is what it was before.
 */
static enum tsr_grid_state run_to_end(struct tsr_grid *grid, uint32_t no_progress_ms)
{
	enum tsr_grid_state state;
	fenv_t callers;

	fegetenv(&callers);
	fesetenv(FE_DFL_ENV);
	state = run_slices(grid, no_progress_ms);
	fesetenv(&callers);
	return state;
}

static void free_texts(struct tsr_text **texts, uint32_t n)
{
	for (uint32_t i = 0; texts && i < n; i++)
		tsr_text_free(texts[i]);
	free(texts);
}

static struct tsr_text **make_texts(const struct tsr_grid_config *cfg, const struct tsr_blob *prog)
{
	struct tsr_text **texts = calloc(prog->n_images + 1, sizeof(*texts));
	struct tessera_limits limits;

	tsr_grid_limits(cfg, &limits);
	for (uint32_t i = 0; texts && i < prog->n_images; i++) {
		const struct tessera_image *image = &prog->images[i];

		texts[i] = tsr_text_new(&cfg->timing, limits.image_base[image->processor],
					prog->data + image->data_offset, image->text_size);
		if (!texts[i]) {
			free_texts(texts, prog->n_images);
			return NULL;
		}
	}
	return texts;
}

int tsr_host_launch(const struct tsr_grid_config *cfg, const struct tsr_host_job *job,
		    struct tsr_host_run *run)
{
	static _Atomic uint64_t last_id;
	const struct tsr_grid_env env = { .ctx = run, .print = on_print };
	struct tsr_text **texts = make_texts(cfg, job->prog);
	struct tsr_grid *grid = texts ? tsr_grid_new(cfg, &env) : NULL;
	struct tsr_launch launch = {
		.prog = job->prog,
		.texts = texts,
		.words = job->words,
		.bound = job->bound,
		.run_id = atomic_fetch_add(&last_id, 1) + 1,
	};
	char *end = NULL;
	int err = -ENOMEM;

	if (grid) {
		run->status.run_id = launch.run_id;
		run->status.launched_ns = now_ns();
		tsr_grid_launch(grid, &launch);
		note_end(run, grid, job->prog, run_to_end(grid, job->no_progress_ms));
		err = note_processors(run, grid, cfg);
		end = tsr_vec_add(&run->text, 1, 1);
	}
	if (end)
		*end = '\0';
	tsr_grid_free(grid);
	free_texts(texts, job->prog->n_images);
	return end ? err : -ENOMEM;
}

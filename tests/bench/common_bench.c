// SPDX-License-Identifier: MIT
#include "common_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS	24
#define REPEAT	64

void bench_must(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "%s: %s\n", what, ret < 0 ? strerror(-ret) : "failed");
	exit(1);
}

static void op_nothing(void *ctx)
{
	__asm__ volatile("" ::"r"(ctx) : "memory");
}

static double least(bench_op op, void *ctx, unsigned int rounds, unsigned int repeat)
{
	__s64 best = INT64_MAX;

	for (unsigned int i = 0; i < rounds; i++) {
		__s64 began = uapi_now(), took;

		for (unsigned int j = 0; j < repeat; j++)
			op(ctx);
		took = uapi_now() - began;
		if (took < best)
			best = took;
	}
	return (double)best / repeat;
}

double bench_least(bench_op op, void *ctx, unsigned int rounds, unsigned int repeat)
{
	return least(op, ctx, rounds, repeat) - least(op_nothing, NULL, ROUNDS, repeat);
}

double bench_usual(bench_op op, void *ctx)
{
	return bench_least(op, ctx, ROUNDS, REPEAT);
}

void bench_print(const char *name, unsigned int at, double value, const char *unit)
{
	if (at)
		printf("%s/%u %.6g %s\n", name, at, value, unit);
	else
		printf("%s %.6g %s\n", name, value, unit);
	fflush(stdout);
}

double bench_count(const char *name, bench_op op, void *ctx)
{
	double value = bench_usual(op, ctx);

	bench_print(name, 0, value, "instructions");
	return value;
}

/* --- programs ------------------------------------------------------------------- */

static const __u32 record_size[TESSERA_SECTIONS] = {
	[TESSERA_SECTION_RANGES] = sizeof(struct tessera_range),
	[TESSERA_SECTION_IMAGES] = sizeof(struct tessera_image),
	[TESSERA_SECTION_DESCRIPTORS] = sizeof(struct tessera_descriptor),
	[TESSERA_SECTION_ARGS] = sizeof(struct tessera_arg),
	[TESSERA_SECTION_SEMAPHORES] = sizeof(struct tessera_semaphore),
	[TESSERA_SECTION_CBS] = sizeof(struct tessera_cb),
	[TESSERA_SECTION_BINDINGS] = sizeof(struct tessera_binding),
	[TESSERA_SECTION_STRINGS] = 1,
	[TESSERA_SECTION_DATA] = 1,
};

static const char strings[] = "bench\0kernel";

/* An empty blob with room for everything: sections of these counts. */
static __u8 *blob_new(const __u32 *counts)
{
	struct tessera_program_header header = {
		.magic = TESSERA_PROGRAM_MAGIC,
		.version = TESSERA_BLOB_VERSION,
		.range_count = 1,
	};
	__u32 end = sizeof(header);
	__u8 *blob;

	for (int i = 0; i < TESSERA_SECTIONS; i++) {
		header.sections[i].offset = (end + 7) / 8 * 8;
		header.sections[i].count = counts[i];
		end = header.sections[i].offset + counts[i] * record_size[i];
	}
	header.size = end;
	blob = calloc(1, end);
	bench_must(!blob, "memory");
	memcpy(blob, &header, sizeof(header));
	return blob;
}

static void *section(__u8 *blob, int i)
{
	return blob + ((struct tessera_program_header *)blob)->sections[i].offset;
}

static void fill_args(struct tessera_arg *args, __u32 cores, __u32 width, __u32 words)
{
	for (__u32 i = 0; i < cores; i++)
		args[i] = (struct tessera_arg){ i % width, i / width, words };
}

/* @variant makes the code differ. */
static void *make_blob(const struct tessera_limits *limits, const struct bench_shape *shape)
{
	const __u32 code[] = { RV_LI(RV_A0, shape->variant), RV_EXIT(0) };
	__u32 cores = shape->cores ? shape->cores : 1, width = limits->grid_width;
	const __u32 counts[TESSERA_SECTIONS] = {
		[TESSERA_SECTION_RANGES] = 1,
		[TESSERA_SECTION_IMAGES] = 1,
		[TESSERA_SECTION_DESCRIPTORS] = 1,
		[TESSERA_SECTION_ARGS] = shape->words ? cores : 0,
		[TESSERA_SECTION_BINDINGS] = shape->bindings,
		[TESSERA_SECTION_STRINGS] = sizeof(strings),
		[TESSERA_SECTION_DATA] = sizeof(code),
	};
	__u8 *blob = blob_new(counts);
	struct tessera_binding *binding = section(blob, TESSERA_SECTION_BINDINGS);

	*(struct tessera_range *)section(blob, TESSERA_SECTION_RANGES) = (struct tessera_range){
		.x1 = (cores < width ? cores : width) - 1, .y1 = (cores - 1) / width,
	};
	*(struct tessera_image *)section(blob, TESSERA_SECTION_IMAGES) = (struct tessera_image){
		.data_size = sizeof(code), .mem_size = sizeof(code), .text_size = sizeof(code),
		.entry = limits->image_base[TSR_PROC_DM0], .processor = TSR_PROC_DM0,
	};
	*(struct tessera_descriptor *)section(blob, TESSERA_SECTION_DESCRIPTORS) =
		(struct tessera_descriptor){
			.name = 6, .range_count = 1,
			.arg_count = counts[TESSERA_SECTION_ARGS],
		};
	if (shape->words)
		fill_args(section(blob, TESSERA_SECTION_ARGS), cores, width, shape->words);
	for (__u32 i = 0; i < shape->bindings; i++)
		binding[i] = (struct tessera_binding){ 4096, TESSERA_ACCESS_INOUT, 0 };
	memcpy(section(blob, TESSERA_SECTION_STRINGS), strings, sizeof(strings));
	memcpy(section(blob, TESSERA_SECTION_DATA), code, sizeof(code));
	return blob;
}

static void make_dispatch(struct bench_job *job, const struct bench_shape *shape)
{
	__u32 words = shape->words * (shape->cores ? shape->cores : 1);
	struct tessera_bind *binds = calloc(shape->bindings + 1, sizeof(*binds));
	__u32 *data = calloc(words + 1, sizeof(*data));

	bench_must(!binds || !data, "memory");
	job->bos = calloc(shape->bindings + 1, sizeof(*job->bos));
	job->bindings = shape->bindings;
	for (__u32 i = 0; i < shape->bindings; i++) {
		bench_must(uapi_bo(job->fd, 4096, &job->bos[i]), "buffer");
		binds[i] = (struct tessera_bind){ .size = 4096, .access = TESSERA_ACCESS_INOUT };
		binds[i].handle = job->bos[i];
	}
	job->dispatch = uapi_dispatch(binds, shape->bindings, data, words, &job->dispatch_size);
	free(binds);
	free(data);
}

void bench_job_new(struct bench_job *job, int fd, __u32 ctx, const struct bench_shape *shape)
{
	struct drm_tessera_device_info info;
	void *blob;

	memset(job, 0, sizeof(*job));
	job->fd = fd;
	job->ctx = ctx;
	bench_must(uapi_info(fd, &info), "query");
	blob = make_blob(&info.limits, shape);
	bench_must(uapi_program(fd, blob, ((struct tessera_program_header *)blob)->size,
				&job->program), "program");
	free(blob);
	make_dispatch(job, shape);
	uapi_run_init(&job->run, job->program);
	uapi_run_set_dispatch(&job->run, job->dispatch, job->dispatch_size);
	job->run.flags = shape->flags;
}

void bench_job_free(struct bench_job *job)
{
	for (__u32 i = 0; i < job->bindings; i++)
		uapi_bo_close(job->fd, job->bos[i]);
	uapi_program_destroy(job->fd, job->program);
	free(job->bos);
	free(job->dispatch);
}

__u32 bench_submit(const struct bench_job *job)
{
	struct drm_tessera_run run = job->run;

	bench_must(uapi_submit(job->fd, job->ctx, &run), "submit");
	return run.handle;
}

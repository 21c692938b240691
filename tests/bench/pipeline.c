// SPDX-License-Identifier: MIT
/*
 * Instructions of the run pipeline, in a VM that counts them: kernel and this program together.
 * peers.c has what they are compared with.
 *
 * usage: pipeline [no-diag]        no-diag: the module has no diagnostics; only the plain run
 */
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include "common_bench.h"

#define BATCH	32u
#define NOBODY	0x7ffffff0u

struct bench {
	struct bench_job job;
	struct drm_tessera_run batch[BATCH];
	__u32 ended;			/* handle of a run that has ended */
	const struct drm_tessera_context_progress *page;
	__u64 seen;			/* verdicts read from it */
};

static void op_run_handles(void *ctx)
{
	struct bench *b = ctx;
	struct drm_tessera_status status;
	struct drm_tessera_run run = b->job.run;

	bench_must(uapi_submit(b->job.fd, b->job.ctx, &run), "submit");
	bench_must(uapi_wait(b->job.fd, run.handle, UAPI_NO_TIMEOUT), "wait");
	bench_must(uapi_status(b->job.fd, run.handle, &status), "status");
	bench_must((int)status.code, "code");
	bench_must(uapi_close_run(b->job.fd, run.handle), "close");
}

/* The page of the context, from which verdicts of runs without handle are read. */
static void map_page(struct bench *b)
{
	struct drm_tessera_context_page page = { .handle = b->job.ctx };
	struct drm_tessera_bo_mmap_offset map = { 0 };

	bench_must(uapi_ioctl(b->job.fd, DRM_IOCTL_TESSERA_CONTEXT_PAGE, &page), "page");
	map.handle = page.bo;
	bench_must(uapi_ioctl(b->job.fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &map), "page");
	b->page = mmap(NULL, map.size, PROT_READ, MAP_SHARED, b->job.fd, map.offset);
	bench_must(b->page == MAP_FAILED, "page");
	b->seen = b->page->ended;
}

/* Wait for the next run of the context to end; it must be that one, and good. */
static void read_verdict(struct bench *b, __u64 id)
{
	const struct drm_tessera_context_progress *page = b->page;
	const struct drm_tessera_context_result *result;

	while (__atomic_load_n(&page->ended, __ATOMIC_ACQUIRE) <= b->seen)
		sched_yield();
	result = (const void *)((const char *)page + page->result_offset);
	result += b->seen++ & (page->result_count - 1);
	bench_must(result->run_id != id || result->code, "verdict");
}

static void op_run(void *ctx)
{
	struct bench *b = ctx;
	struct drm_tessera_run run = b->job.run;

	run.flags |= DRM_TESSERA_RUN_NO_HANDLE;
	bench_must(uapi_submit(b->job.fd, b->job.ctx, &run), "submit");
	read_verdict(b, run.id);
}

static void op_batch(void *ctx)
{
	struct bench *b = ctx;
	struct drm_tessera_run_submit submit;

	for (unsigned int i = 0; i < BATCH; i++) {
		b->batch[i] = b->job.run;
		b->batch[i].flags |= DRM_TESSERA_RUN_NO_HANDLE;
	}
	uapi_submit_init(&submit, b->job.ctx, b->batch, BATCH);
	bench_must(uapi_ioctl(b->job.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit), "batch");
	bench_must(submit.accepted != BATCH, "batch");
	for (unsigned int i = 0; i < BATCH; i++)
		read_verdict(b, b->batch[i].id);
}

/* The fastest way: one ioctl, and the page. */
static void bench_page(struct bench *b)
{
	map_page(b);
	bench_count("run.single", op_run, b);
	bench_print("run.batch32", 0, bench_usual(op_batch, b) / BATCH, "instructions");
}

static void op_submit(void *ctx)
{
	struct bench *b = ctx;

	bench_must(uapi_close_run(b->job.fd, bench_submit(&b->job)), "close");
}

static void op_batch_handles(void *ctx)
{
	struct bench *b = ctx;
	struct drm_tessera_run_submit submit;

	for (unsigned int i = 0; i < BATCH; i++)
		b->batch[i] = b->job.run;
	uapi_submit_init(&submit, b->job.ctx, b->batch, BATCH);
	bench_must(uapi_ioctl(b->job.fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit), "batch");
	bench_must(submit.accepted != BATCH, "batch");
	for (unsigned int i = 0; i < BATCH; i++)
		bench_must(uapi_close_run(b->job.fd, b->batch[i].handle), "close");
}

static void op_close_nothing(void *ctx)
{
	struct bench *b = ctx;

	bench_must(uapi_close_run(b->job.fd, NOBODY) != -ENOENT, "close of nothing");
}

static void op_refused(void *ctx)
{
	struct bench *b = ctx;
	struct drm_tessera_run run = b->job.run;

	run.program = NOBODY;
	bench_must(uapi_submit(b->job.fd, b->job.ctx, &run) != -ENOENT, "refusal");
}

static void op_wait_ready(void *ctx)
{
	struct bench *b = ctx;

	bench_must(uapi_wait(b->job.fd, b->ended, UAPI_NO_TIMEOUT), "wait");
}

/* The usual way to a verdict, for runs of that shape. */
static double run_of(struct bench *b, __u32 bindings, __u32 words, __u32 flags)
{
	const struct bench_shape shape = { .bindings = bindings, .words = words, .flags = flags };
	struct bench other = { 0 };
	double value;

	bench_job_new(&other.job, b->job.fd, b->job.ctx, &shape);
	value = bench_usual(op_run_handles, &other);
	bench_job_free(&other.job);
	return value;
}

static void bench_shapes(struct bench *b)
{
	double one = run_of(b, 1, 0, 0);

	bench_print("run.per_buffer", 0, (run_of(b, 33, 0, 0) - one) / 32, "instructions");
	bench_print("run.per_64_words", 0, (run_of(b, 1, 256, 0) - one) / 4, "instructions");
	bench_print("run.single_profiled", 0, run_of(b, 1, 16, DRM_TESSERA_RUN_PROFILE),
		    "instructions");
}

/* That it is that module: nobody would see if both were the same. */
static void bench_no_diag(struct bench *b)
{
	struct drm_tessera_run run = b->job.run;

	run.flags = DRM_TESSERA_RUN_PROFILE;
	bench_must(uapi_submit(b->job.fd, b->job.ctx, &run) != -EOPNOTSUPP, "no diagnostics");
	bench_count("run.single_no_diag", op_run_handles, b);
}

int main(int argc, char **argv)
{
	const struct bench_shape shape = { .bindings = 1, .words = 16 };
	int fd = uapi_open(NULL);
	struct bench b = { 0 };
	double batch;
	__u32 ctx;

	bench_must(fd < 0 ? fd : uapi_context(fd, 0, &ctx), "device");
	bench_job_new(&b.job, fd, ctx, &shape);
	if (argc > 1 && !strcmp(argv[1], "no-diag")) {
		bench_no_diag(&b);
		return 0;
	}
	bench_page(&b);
	bench_count("run.single_handles", op_run_handles, &b);
	bench_count("run.submit_inline", op_submit, &b);
	batch = bench_usual(op_batch_handles, &b) / BATCH;
	bench_print("run.batch32_handles", 0, batch - bench_usual(op_close_nothing, &b), "instructions");
	bench_count("run.refused", op_refused, &b);
	b.ended = bench_submit(&b.job);
	bench_count("wait.ready", op_wait_ready, &b);
	bench_shapes(&b);
	return 0;
}

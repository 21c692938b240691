// SPDX-License-Identifier: MIT
/*
 * Instructions of the run pipeline. In a VM that counts them (TSR_VM_ACCEL=icount) a
 * nanosecond of CLOCK_MONOTONIC is one instruction of the guest, kernel and this
 * program together. Elsewhere the numbers are times.
 *
 * Each figure is the least of ROUNDS rounds of REPEAT operations, per operation: what
 * interrupts add is left out. One line each: name, value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common_uapi.h"

#define ROUNDS	24
#define REPEAT	64
#define BATCH	32u

struct bench {
	int fd;
	__u32 ctx;
	struct drm_tessera_run run, batch[BATCH];
	void *dispatch;
	__u32 size;
	__u32 ended;			/* handle of a run that has ended */
	int error;
};

typedef void (*operation)(struct bench *b);

static void check(struct bench *b, int ret)
{
	if (ret && !b->error)
		b->error = ret;
}

static double measure(struct bench *b, operation op)
{
	__s64 least = INT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		__s64 began = uapi_now(), took;

		for (int j = 0; j < REPEAT; j++)
			op(b);
		took = uapi_now() - began;
		if (took < least)
			least = took;
	}
	return (double)least / REPEAT;
}

static void op_nothing(struct bench *b)
{
	__asm__ volatile("" ::"r"(b) : "memory");
}

static void op_getppid(struct bench *b)
{
	check(b, syscall(SYS_getppid) < 0);
}

static void op_query(struct bench *b)
{
	struct drm_tessera_query args = { .what = DRM_TESSERA_QUERY_COUNTERS };

	check(b, uapi_ioctl(b->fd, DRM_IOCTL_TESSERA_QUERY, &args));
}

static void op_run(struct bench *b)
{
	struct drm_tessera_status status;

	check(b, uapi_submit(b->fd, b->ctx, &b->run));
	check(b, uapi_wait(b->fd, b->run.handle, UAPI_NO_TIMEOUT));
	check(b, uapi_status(b->fd, b->run.handle, &status));
	check(b, (int)status.code);
	check(b, uapi_close_run(b->fd, b->run.handle));
}

static void op_submit(struct bench *b)
{
	check(b, uapi_submit(b->fd, b->ctx, &b->run));
	check(b, uapi_close_run(b->fd, b->run.handle));
}

static void op_batch(struct bench *b)
{
	struct drm_tessera_run_submit submit;

	for (unsigned int i = 0; i < BATCH; i++)
		b->batch[i] = b->run;
	uapi_submit_init(&submit, b->ctx, b->batch, BATCH);
	check(b, uapi_ioctl(b->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit));
	check(b, submit.accepted != BATCH);
	for (unsigned int i = 0; i < BATCH; i++)
		check(b, uapi_close_run(b->fd, b->batch[i].handle));
}

static void op_close_nothing(struct bench *b)
{
	check(b, uapi_close_run(b->fd, 0x7ffffff0) != -ENOENT);
}

static void op_refused(struct bench *b)
{
	struct drm_tessera_run run = b->run;

	run.program = 0x7ffffff0;
	check(b, uapi_submit(b->fd, b->ctx, &run) != -ENOENT);
}

static void op_wait_ready(struct bench *b)
{
	check(b, uapi_wait(b->fd, b->ended, UAPI_NO_TIMEOUT));
}

/* A program of one core that ends at once, with so many bindings and words. */
static int prepare(struct bench *b, __u32 bindings, __u32 words, __u32 flags)
{
	static const __u32 code[] = { RV_EXIT(0) };
	struct tessera_bind binds[UAPI_RECORDS] = { 0 };
	struct drm_tessera_device_info info;
	__u32 data[512] = { 0 }, program;
	struct uapi_prog *p = calloc(1, sizeof(*p));
	int ret = uapi_info(b->fd, &info);

	if (!p || ret)
		return -ENOMEM;
	uapi_prog_init_core(p, &info.limits);
	uapi_add_kernel(p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	if (words)
		uapi_add_args(p, p->ranges[0].x0, p->ranges[0].y0, words);
	for (__u32 i = 0; i < bindings; i++) {
		uapi_add_binding(p, 4096, TESSERA_ACCESS_INOUT);
		binds[i] = (struct tessera_bind){ .size = 4096, .access = TESSERA_ACCESS_INOUT };
		check(b, uapi_bo(b->fd, 4096, &binds[i].handle));
	}
	check(b, uapi_prog_create(b->fd, p, &program));
	free(p);
	b->dispatch = uapi_dispatch(binds, bindings, data, words, &b->size);
	uapi_run_init(&b->run, program);
	uapi_run_set_dispatch(&b->run, b->dispatch, b->size);
	b->run.flags = flags;
	return b->error;
}

static double empty;

static double figure(struct bench *b, const char *name, operation op, double per)
{
	double value = (measure(b, op) - empty) / per;

	if (name)
		printf("%-24s %.0f\n", name, value);
	return value;
}

static void bench_runs(struct bench *b)
{
	double one, many, close;

	prepare(b, 1, 16, 0);
	figure(b, "run.single", op_run, 1);
	figure(b, "run.submit_inline", op_submit, 1);
	close = figure(b, NULL, op_close_nothing, 1);
	one = figure(b, NULL, op_batch, BATCH);
	printf("%-24s %.0f\n", "run.batch32", one - close);
	figure(b, "run.refused", op_refused, 1);
	check(b, uapi_submit(b->fd, b->ctx, &b->run));
	b->ended = b->run.handle;
	figure(b, "wait.ready", op_wait_ready, 1);

	prepare(b, 1, 16, DRM_TESSERA_RUN_PROFILE);
	figure(b, "run.single_profiled", op_run, 1);
	one = (prepare(b, 1, 0, 0), figure(b, NULL, op_run, 1));
	many = (prepare(b, 33, 0, 0), figure(b, NULL, op_run, 1));
	printf("%-24s %.0f\n", "run.per_buffer", (many - one) / 32);
	many = (prepare(b, 1, 256, 0), figure(b, NULL, op_run, 1));
	printf("%-24s %.0f\n", "run.per_64_words", (many - one) / 4);
}

int main(void)
{
	struct bench b = { .fd = uapi_open(NULL) };

	if (b.fd < 0 || uapi_context(b.fd, 0, &b.ctx)) {
		fprintf(stderr, "no device\n");
		return 1;
	}
	/* The machine has settled after its boot. */
	uapi_sleep_ms(8000);
	empty = measure(&b, op_nothing);
	figure(&b, "getppid", op_getppid, 1);
	figure(&b, "query.nothing", op_query, 1);
	bench_runs(&b);
	if (b.error)
		fprintf(stderr, "failed: %d\n", b.error);
	return b.error ? 1 : 0;
}

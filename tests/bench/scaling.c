// SPDX-License-Identifier: MIT
/*
 * How the cost of a run grows, in a VM that counts instructions: with what it binds and brings,
 * with the cores that it uses, with the queue, with programs and with processes. Each figure is
 * NAME/N; tests/bench/fit.py finds the shape.
 *
 * usage: scaling DEVICE    a device of 16 x 16 cores, 4096 bindings, 4096 words, a queue of 4096
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_bench.h"

#define PROCESSES	64
#define SLICE_NS	20000000ll	/* for each process, when they compete */
#define BATCH		16u
#define MANY		4096u

struct scaling {
	const char *device;
	int fd;
	__u32 ctx, holder;
};

static void op_run(void *ctx)
{
	const struct bench_job *job = ctx;
	struct drm_tessera_status status;
	__u32 handle = bench_submit(job);

	bench_must(uapi_wait(job->fd, handle, UAPI_NO_TIMEOUT), "wait");
	bench_must(uapi_status(job->fd, handle, &status), "status");
	bench_must((int)status.code, "code");
	bench_must(uapi_close_run(job->fd, handle), "close");
}

/* Submit, wait, status, close. */
static void run_of(struct scaling *s, const char *name, __u32 at, const struct bench_shape *shape)
{
	struct bench_job job;

	bench_job_new(&job, s->fd, s->ctx, shape);
	bench_print(name, at, bench_least(op_run, &job, 6, at > 64 ? 4 : 16), "instructions");
	bench_job_free(&job);
}

static void scale_shapes(struct scaling *s)
{
	for (__u32 n = 1; n <= MANY; n *= 4)
		run_of(s, "scaling.buffers", n, &(struct bench_shape){ .bindings = n });
	for (__u32 n = 16; n <= 4096; n *= 4)
		run_of(s, "scaling.words", n, &(struct bench_shape){ .words = n });
	for (__u32 n = 1; n <= 256; n *= 4)
		run_of(s, "scaling.cores", n, &(struct bench_shape){ .cores = n });
}

/*
 * n runs wait while another context has the claim; then it gives it up. A figure of depth 1 is
 * mostly the worker's wake.
 */
static double through_queue(struct scaling *s, const struct bench_job *job, __u32 *handles, __u32 n)
{
	__s64 began, took;

	bench_must(uapi_claim(s->fd, s->holder, 0, UAPI_NO_TIMEOUT), "claim");
	began = uapi_now();
	for (__u32 i = 0; i < n; i++)
		handles[i] = bench_submit(job);
	bench_must(uapi_claim_release(s->fd, s->holder), "claim");
	bench_must(uapi_wait(s->fd, handles[n - 1], UAPI_NO_TIMEOUT), "wait");
	for (__u32 i = 0; i < n; i++)
		bench_must(uapi_close_run(s->fd, handles[i]), "close");
	took = uapi_now() - began;
	bench_must(uapi_settle(s->fd), "settle");
	return (double)took / n;
}

static void scale_depth(struct scaling *s)
{
	const struct bench_shape shape = { .bindings = 1, .words = 16 };
	static __u32 handles[MANY];
	struct bench_job job;

	bench_job_new(&job, s->fd, s->ctx, &shape);
	for (__u32 n = 1; n <= MANY; n *= 4) {
		double best = through_queue(s, &job, handles, n);

		for (int i = 0; i < 5; i++) {
			double again = through_queue(s, &job, handles, n);

			best = again < best ? again : best;
		}
		bench_print("scaling.depth", n, best, "instructions");
	}
	bench_job_free(&job);
}

/* Every program has an image of its own. */
static void scale_programs(struct scaling *s)
{
	struct bench_shape shape = { 0 };
	struct bench_job job;

	for (__u32 n = 1; n <= 100000; n *= 10) {
		__s64 began = 0;

		/* A tenth of them, or one, is timed: creation at that number. */
		while (shape.variant < n) {
			if (shape.variant == n - (n + 9) / 10)
				began = uapi_now();
			shape.variant++;
			bench_job_new(&job, s->fd, s->ctx, &shape);
			free(job.dispatch);
			free(job.bos);
		}
		bench_print("scaling.program_create", n,
			    (double)(uapi_now() - began) / ((n + 9) / 10), "instructions");
		shape.variant++;
		bench_job_new(&job, s->fd, s->ctx, &shape);
		bench_print("scaling.programs", n, bench_least(op_run, &job, 6, 16),
			    "instructions");
		bench_job_free(&job);
	}
}

/* --- processes ------------------------------------------------------------------ */

/* struct arena - shared by all of them */
struct arena {
	int ready, go, stop;		/* __atomic */
	__u64 runs[PROCESSES];
};

static void compete(const char *device, struct arena *arena, __u32 me)
{
	const struct bench_shape shape = { .bindings = 1, .words = 16 };
	struct drm_tessera_run runs[BATCH];
	struct drm_tessera_run_submit submit;
	struct bench_job job;
	int fd = uapi_open(device);
	__u32 ctx;

	bench_must(fd < 0 ? fd : uapi_context(fd, 0, &ctx), "device");
	bench_job_new(&job, fd, ctx, &shape);
	__atomic_add_fetch(&arena->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&arena->go, __ATOMIC_SEQ_CST))
		uapi_sleep_ms(1);
	while (!__atomic_load_n(&arena->stop, __ATOMIC_SEQ_CST)) {
		for (__u32 i = 0; i < BATCH; i++)
			runs[i] = job.run;
		uapi_submit_init(&submit, ctx, runs, BATCH);
		bench_must(uapi_ioctl(fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit), "submit");
		bench_must(submit.accepted != BATCH, "batch");
		bench_must(uapi_wait(fd, runs[BATCH - 1].handle, UAPI_NO_TIMEOUT), "wait");
		for (__u32 i = 0; i < BATCH; i++)
			bench_must(uapi_close_run(fd, runs[i].handle), "close");
		arena->runs[me] += BATCH;
	}
	exit(0);
}

static void report(const struct arena *arena, __u32 n, double took)
{
	__u64 total = 0, least = ~0ull, most = 0;

	for (__u32 i = 0; i < n; i++) {
		total += arena->runs[i];
		least = arena->runs[i] < least ? arena->runs[i] : least;
		most = arena->runs[i] > most ? arena->runs[i] : most;
	}
	bench_must(!total, "no run at all");
	bench_print("scaling.processes", n, took / total, "instructions");
	bench_print("scaling.fairness", n, (double)least / most, "least/most");
}

static void scale_processes(struct scaling *s, struct arena *arena)
{
	for (__u32 n = 1; n <= PROCESSES; n *= 4) {
		__s64 began;
		int status;

		memset(arena, 0, sizeof(*arena));
		for (__u32 i = 0; i < n; i++)
			if (!fork())
				compete(s->device, arena, i);
		while (__atomic_load_n(&arena->ready, __ATOMIC_SEQ_CST) != (int)n)
			uapi_sleep_ms(1);
		began = uapi_now();
		__atomic_store_n(&arena->go, 1, __ATOMIC_SEQ_CST);
		while (uapi_now() < began + n * SLICE_NS)
			uapi_sleep_ms(10);
		__atomic_store_n(&arena->stop, 1, __ATOMIC_SEQ_CST);
		report(arena, n, uapi_now() - began);
		for (__u32 i = 0; i < n; i++)
			bench_must(wait(&status) < 0 || status, "process");
	}
}

int main(int argc, char **argv)
{
	struct scaling s = { .device = argc > 1 ? argv[1] : NULL };
	struct arena *arena = mmap(NULL, sizeof(*arena), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	bench_must(arena == MAP_FAILED, "memory");
	scale_processes(&s, arena);
	s.fd = uapi_open(s.device);
	bench_must(s.fd < 0 ? s.fd : uapi_context(s.fd, 0, &s.ctx), "device");
	bench_must(uapi_context(s.fd, 0, &s.holder), "context");
	scale_shapes(&s);
	scale_depth(&s);
	scale_programs(&s);
	return 0;
}

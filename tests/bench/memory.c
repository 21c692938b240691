// SPDX-License-Identifier: MIT
/*
 * Kernel memory of one object of each kind: growth of all slabs between a quarter of them and all
 * of them, so that what the first one costs is left out. A device with a queue of COUNT runs is
 * expected under the name that is given.
 *
 * usage: memory DEVICE
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "common_bench.h"

#define COUNT	4096u

struct memory {
	int fd;
	__u32 ctx, holder;		/* while @holder has the claim, runs of @ctx wait */
	struct bench_job job;
};

/* Bytes of all slabs. */
static double slab_bytes(void)
{
	long page = sysconf(_SC_PAGESIZE);
	FILE *f = fopen("/proc/slabinfo", "re");
	unsigned long per_slab, slabs;
	char line[512];
	double sum = 0;

	bench_must(!f, "/proc/slabinfo");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*u %*u %*u %*u %lu : tunables %*u %*u %*u : slabdata %*u %lu",
			   &per_slab, &slabs) == 2)
			sum += (double)per_slab * slabs * page;
	fclose(f);
	bench_must(sum == 0, "/proc/slabinfo");
	return sum;
}

typedef void (*make_one)(struct memory *m, __u32 i);

static void growth(struct memory *m, const char *name, make_one make)
{
	double at_quarter = 0;

	for (__u32 i = 0; i < COUNT; i++) {
		if (i == COUNT / 4)
			at_quarter = slab_bytes();
		make(m, i);
	}
	bench_print(name, 0, (slab_bytes() - at_quarter) / (COUNT - COUNT / 4), "bytes");
}

static void queue_run(struct memory *m, __u32 i)
{
	(void)i;
	bench_submit(&m->job);
}

/* Nothing of what was queued may have ended: it would not be memory of a queue. */
static void check_queued(struct memory *m)
{
	struct drm_tessera_counters counters;

	bench_must(uapi_context_counters(m->fd, m->ctx, &counters), "counters");
	bench_must(counters.queue_depth != COUNT, "all of them queued");
}

static void open_file(struct memory *m, __u32 i)
{
	char path[32];
	int fd;

	(void)i;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", m->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	bench_must(fd < 0 ? -errno : 0, "open");
}

static void make_context(struct memory *m, __u32 i)
{
	__u32 handle;

	(void)i;
	bench_must(uapi_context(m->fd, 0, &handle), "context");
}

static void make_program(struct memory *m, __u32 i)
{
	const struct bench_shape shape = { .variant = i };
	struct bench_job job;

	bench_job_new(&job, m->fd, m->ctx, &shape);
	free(job.dispatch);
	free(job.bos);
}

static void make_same_program(struct memory *m, __u32 i)
{
	(void)i;
	make_program(m, COUNT);
}

static void make_buffer(struct memory *m, __u32 i)
{
	__u32 handle;

	(void)i;
	bench_must(uapi_bo(m->fd, 4096, &handle), "buffer");
}

int main(int argc, char **argv)
{
	const struct rlimit files = { COUNT + 64, COUNT + 64 };
	const struct bench_shape shape = { .bindings = 1, .words = 16 };
	struct memory m = { 0 };

	m.fd = uapi_open(argc > 1 ? argv[1] : NULL);
	bench_must(m.fd < 0 ? m.fd : 0, "device");
	bench_must(setrlimit(RLIMIT_NOFILE, &files), "limit of open files");
	bench_must(uapi_context(m.fd, 0, &m.ctx), "context");
	bench_must(uapi_context(m.fd, 0, &m.holder), "context");
	bench_must(uapi_claim(m.fd, m.holder, 0, UAPI_NO_TIMEOUT), "claim");
	bench_job_new(&m.job, m.fd, m.ctx, &shape);
	growth(&m, "run.bytes_queued", queue_run);
	check_queued(&m);
	bench_must(uapi_claim_release(m.fd, m.holder), "claim");
	growth(&m, "memory.open_file", open_file);
	growth(&m, "memory.context", make_context);
	growth(&m, "memory.program", make_program);
	growth(&m, "memory.program_same_image", make_same_program);
	growth(&m, "memory.buffer", make_buffer);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Measuring in the VM. In one that counts instructions (TSR_VM_ACCEL=icount) a nanosecond of
 * CLOCK_MONOTONIC is an instruction of the guest, kernel and program together; elsewhere it is
 * time. Programs print one line a figure: name, value, unit; tests/bench/guest.py reads them.
 */
#ifndef TSR_TESTS_COMMON_BENCH_H
#define TSR_TESTS_COMMON_BENCH_H

#include "common_uapi.h"

typedef void (*bench_op)(void *ctx);

/** bench_must() - a benchmark that fails has no figures: says what went wrong, and ends */
void bench_must(int ret, const char *what);

/**
 * bench_least() - ns (or instructions) of one operation
 *
 * The least of @rounds rounds of @repeat operations, less that of an empty loop: what interrupts
 * add is left out.
 */
double bench_least(bench_op op, void *ctx, unsigned int rounds, unsigned int repeat);
/** bench_usual() - the same with the rounds of most figures */
double bench_usual(bench_op op, void *ctx);

/** bench_print() - one figure; @at: where on the axis of a scaling, or 0 */
void bench_print(const char *name, unsigned int at, double value, const char *unit);
/** bench_count() - measure as usual and print instructions; returns them */
double bench_count(const char *name, bench_op op, void *ctx);

/**
 * struct bench_job - a program of cores that end at once, and what its runs bring
 *
 * @run is ready to be submitted, or copied.
 */
struct bench_job {
	int fd;
	__u32 ctx, program;
	__u32 *bos, bindings;
	void *dispatch;
	__u32 dispatch_size;
	struct drm_tessera_run run;
};

/** struct bench_shape - what varies; 0 is none, but of @cores: one */
struct bench_shape {
	__u32 cores;			/* from 0,0 on; whole rows, or a part of the first */
	__u32 bindings;			/* INOUT, a page each */
	__u32 words;			/* of every core */
	__u32 flags;			/* DRM_TESSERA_RUN_* */
	__u32 variant;			/* two images are equal if this is */
};

/** bench_job_new() - @fd and @ctx are borrowed */
void bench_job_new(struct bench_job *job, int fd, __u32 ctx, const struct bench_shape *shape);
void bench_job_free(struct bench_job *job);
/** bench_submit() - one run; returns its handle */
__u32 bench_submit(const struct bench_job *job);

#endif

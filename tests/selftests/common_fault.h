/* SPDX-License-Identifier: MIT */
/* A virtual device with a fault plan, and runs that show what it does. For tests as root. */
#ifndef TSR_TESTS_COMMON_FAULT_H
#define TSR_TESTS_COMMON_FAULT_H

#include <pthread.h>
#include "common_check.h"
#include "common_soft.h"

/** struct fault - a device of its own directory, opened, with what most tests need */
struct fault {
	char name[32];
	int fd;
	__u32 ctx, other;		/* two contexts */
	__u32 program;			/* ends at once, well */
	struct uapi_gate gate;		/* runs until opened */
	struct drm_tessera_counters base;
};

/** fault_open() - make the device of these attributes (as soft_create()) and fill @ret */
int fault_open(struct fault *ret, const char *attributes);
/** fault_open_named() - the same in a directory of that name: for tests with several devices */
int fault_open_named(struct fault *ret, const char *name, const char *attributes);
/** fault_close() - close and remove; whatever still runs is ended by that */
void fault_close(struct fault *f);

/** fault_plan() - write a plan */
int fault_plan(const struct fault *f, const char *plan);
/** fault_chaos() - the plan in which everything goes wrong now and then; a seed, one sequence */
int fault_chaos(const struct fault *f, unsigned int seed);
/** fault_hits() - how often rule @i of the plan fired; negative errno */
long fault_hits(const struct fault *f, unsigned int i);

/** fault_counters() - what they have moved since the device was opened, gauges too */
struct drm_tessera_counters fault_counters(const struct fault *f);
/** fault_info() - generation and health */
struct drm_tessera_device_info fault_info(const struct fault *f);

/** fault_run() - submit the program that ends at once, wait for it */
int fault_run(const struct fault *f, __u32 ctx, struct drm_tessera_status *ret);
/** fault_good() - such a run succeeded: the device works */
bool fault_good(const struct fault *f);

/**
 * fault_writer() - a program that counts up in the first word of a bound buffer, for ever
 * @fd: of the device
 * @ret: to be used like a gate, but that nothing opens it; @ret->word is the buffer, mapped
 */
int fault_writer(int fd, struct uapi_gate *ret);
/** fault_writes() - whether the word still moves */
bool fault_writes(const struct uapi_gate *writer);

/** struct fault_actor - a thread that waits for what a failure may leave waiting */
struct fault_actor {
	const struct fault *f;
	__u32 ctx, run;
	pthread_t thread;
	volatile int ret;
	volatile __s64 back;		/* when */
};

/** fault_waits() - for @run, without limit; fault_submits() - one more to @ctx, and waits for room */
void *fault_waits(void *actor);
void *fault_submits(void *actor);

/** fault_took_ms() - from launch to end */
unsigned int fault_took_ms(const struct drm_tessera_status *s);

#endif

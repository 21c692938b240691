/* SPDX-License-Identifier: MIT */
/* What tests of ioctls have in common: bad pointers, bad numbers, counters before and after. */
#ifndef TSR_TESTS_COMMON_CHECK_H
#define TSR_TESTS_COMMON_CHECK_H

#include "common_uapi.h"

/** struct uapi_bad_ptr - a user pointer that an ioctl must answer by EFAULT */
struct uapi_bad_ptr {
	const char *what;
	__u64 addr;
};

#define UAPI_BAD_PTRS		6
/** UAPI_READ_ONLY - the index of one that is bad for outputs only: it holds a copy of @good */
#define UAPI_READ_ONLY		5

/** uapi_bad_ptrs() - of @size bytes; one begins as a copy of @good and ends in a hole */
void uapi_bad_ptrs(const void *good, size_t size, struct uapi_bad_ptr ret[UAPI_BAD_PTRS]);

/** uapi_bad_u32 - values no flag, pad or small number ever has */
extern const __u32 uapi_bad_u32[3];

/** uapi_poison() - fill with a pattern; uapi_poisoned(): whether all of it is still there */
void uapi_poison(void *p, size_t size);
bool uapi_poisoned(const void *p, size_t size);
bool uapi_all_zero(const void *p, size_t size);

/**
 * uapi_changes() - how many device counters moved otherwise than by @delta since @before
 *
 * Prints each one. @delta may be NULL: nothing may have changed. Gauges that fall when a worker
 * gets to it (fences, buffers, programs, images, runs, contexts) get 2 s for it.
 */
int uapi_changes(int fd, const struct drm_tessera_counters *before,
		 const struct drm_tessera_counters *delta);

/**
 * uapi_unbalanced() - of a device at rest, how many of these do not hold; prints each
 *
 * Banks and claims that were taken have come back: otherwise a slot of the pipeline, or the device
 * itself, is lost. An accepted run has one end: more accepted means that one is lost, fewer that
 * one ended twice. What is not 0 in the queue was taken off it twice, or never.
 */
int uapi_unbalanced(const struct drm_tessera_counters *c);

/** uapi_in_child() - fork; @func's result (0..100, or 101 for a negative one) is the child's */
int uapi_in_child(int (*func)(void *arg), void *arg);

/** uapi_drop_caps() - give up all capabilities of this process */
int uapi_drop_caps(void);

/** uapi_open_as() - uapi_open(NULL) as another user, whom the node's mode does not keep out */
int uapi_open_as(unsigned int uid);

/**
 * uapi_open_idle() - uapi_open(NULL), once nobody else has anything on the device
 *
 * What the test before left to a worker would change the counters of this one. Only the first
 * call of a process waits (300 ms at most).
 */
int uapi_open_idle(void);

/** struct uapi_bench - an open file with what most tests start from */
struct uapi_bench {
	int fd;
	struct drm_tessera_device_info info;
	__u32 context;			/* normal, capacity of the limit */
	__u32 program;			/* ends at once, wants nothing */
};

int uapi_bench_open(struct uapi_bench *ret);
void uapi_bench_close(struct uapi_bench *b);

/** struct uapi_chain - a bench, and a run that waits for another one in a second context */
struct uapi_chain {
	struct uapi_bench b;
	__u32 other;			/* context of the first run */
	struct uapi_gate gate;		/* which is this */
	struct drm_tessera_sync sync;	/* from the first run to the second */
	struct drm_tessera_run first, second;	/* neither is submitted yet */
	struct drm_tessera_counters before;
};

int uapi_chain_open(struct uapi_chain *ret);
void uapi_chain_close(struct uapi_chain *chain);

#endif

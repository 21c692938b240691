/* SPDX-License-Identifier: MIT */
/*
 * Failures made by the kernel's fault injection, one at a time, and what the kernel's log says of
 * them. Needs a kernel with FAILSLAB, FAIL_PAGE_ALLOC, FAULT_INJECTION_USERCOPY and its debugfs.
 */
#ifndef TSR_TESTS_COMMON_INJECT_H
#define TSR_TESTS_COMMON_INJECT_H

#include <stdbool.h>

/** struct inject_failure - what was made to fail */
struct inject_failure {
	char kind[32];		/* failslab, fail_page_alloc, fail_usercopy */
	char where[96];		/* the function of the driver, or what the kernel was about */
	bool ours;		/* the driver had asked for it, itself or through others */
	bool copy;		/* from or to user memory */
	bool answer;		/* the DRM core's copy of an ioctl's argument to its caller */
};

/** inject_missing() - why it cannot be; NULL: it can */
const char *inject_missing(void);
/** inject_prepare() - once: all kinds, with a trace each; forget what leaked before */
void inject_prepare(void);
void inject_restore(void);

/** inject_open() - the descriptors that it needs, from here on in this process */
void inject_open(void);

/**
 * inject_begin() - let the @nth allocation or copy from now on fail (0: none)
 * @in_worker: of an unbound worker of the kernel, not of this thread
 */
void inject_begin(unsigned int nth, bool in_worker);
/** inject_end() - no more failures. Whether there was one. */
bool inject_end(struct inject_failure *ret);
/**
 * inject_spare() - no allocation in @function fails, or in what it calls; one function at a time
 * @function: of the kernel, that does not survive it; NULL: the one that inject_prepare() chooses
 */
void inject_spare(const char *function);
/** inject_left() - what was left of the number then; not of a worker */
unsigned int inject_left(void);

/** inject_complaints() - lines of the kernel's log that are complaints since the last look */
int inject_complaints(void);
/** inject_leaks() - what kmemleak finds of the driver, 0 where it is off; takes some seconds */
int inject_leaks(void);

#endif

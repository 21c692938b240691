/* SPDX-License-Identifier: MIT */
/*
 * Included before everything else (mk/test.mk). Kernels with checkers are slower by a factor that is
 * in the environment, TSR_SLOW: the harness lets a test run so much longer before it ends it.
 */
#ifndef TSR_TESTS_COMMON_SLOW_H
#define TSR_TESTS_COMMON_SLOW_H

#include <stdlib.h>
#include <unistd.h>

/** slow_times() - @limit, of something that would end at once, on this kernel */
static inline unsigned int slow_times(unsigned int limit)
{
	const char *slow = getenv("TSR_SLOW");

	return slow ? limit * (unsigned int)atoi(slow) : limit;
}

static inline unsigned int slow_alarm(unsigned int seconds)
{
	return alarm(slow_times(seconds));
}

#define alarm	slow_alarm

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Included before everything else (mk/test.mk). Kernels with checkers are slower by a factor that is
 * in the environment, TSR_SLOW: the harness lets a test run so much longer before it ends it.
 */
#ifndef TSR_TESTS_COMMON_SLOW_H
#define TSR_TESTS_COMMON_SLOW_H

#include <stdlib.h>
#include <unistd.h>

static inline unsigned int slow_alarm(unsigned int seconds)
{
	const char *slow = getenv("TSR_SLOW");

	return alarm(slow ? seconds * (unsigned int)atoi(slow) : seconds);
}

#define alarm	slow_alarm

#endif

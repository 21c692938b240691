/* SPDX-License-Identifier: MIT */
/* Checks inside of kernels: the line of the first one that fails is the exit status. */
#ifndef TSR_TESTS_DEVICE_CHECK_H
#define TSR_TESTS_DEVICE_CHECK_H

#include <tessera.h>

#define CHECK(cond)				\
	do {					\
		if (!(cond))			\
			kernel_exit(__LINE__);	\
	} while (0)

static inline volatile uint32_t *l1_words(uint32_t address)
{
	return (volatile uint32_t *)address;
}

#endif

/* SPDX-License-Identifier: MIT */
/* The harness for tests with device kernels. Include it last. */
#ifndef TSR_TESTS_COMMON_HARNESS_H
#define TSR_TESTS_COMMON_HARNESS_H

#include "common_soft.h"
#include "kselftest_harness.h"

/* An emulated machine is 10 to 20 times slower, and not alone on its host. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	90

/*
 * In place of TEST_HARNESS_MAIN: script.c is compiled before the first test, and inherited by all
 * of them. Without a device they run, and fail, all the same.
 */
#define DEV_HARNESS_MAIN							\
	int main(int argc, char **argv)						\
	{									\
		struct dev d;							\
										\
		if (!dev_open(&d, NULL)) {					\
			for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)	\
				dev_script(&d, p);				\
			dev_close(&d);						\
		}								\
		return test_harness_run(argc, argv);				\
	}

#endif

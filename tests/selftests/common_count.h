/* SPDX-License-Identifier: MIT */
/*
 * Quantities: how often a test does what it does. A few times in `make check`, and as often as
 * tests/long.list says in the long check.
 */
#ifndef TSR_TESTS_COMMON_COUNT_H
#define TSR_TESTS_COMMON_COUNT_H

#include <stdlib.h>

/* The harness has to give a test some limit; what starts the program has the true one. */
#define LONG_TIMEOUT	7200

/** long_count() - the number in that environment variable, or @few without one */
static inline unsigned long long_count(const char *variable, unsigned long few)
{
	const char *text = getenv(variable);
	char *end;
	unsigned long n = text ? strtoul(text, &end, 10) : few;

	/* A test that does nothing must not pass. */
	if (!n || (text && *end))
		abort();
	return n;
}

#endif

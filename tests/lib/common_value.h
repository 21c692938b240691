/* SPDX-License-Identifier: MIT */
/* What the tests of the cache keep in it: counted numbers. */
#ifndef TSR_TESTS_COMMON_VALUE_H
#define TSR_TESTS_COMMON_VALUE_H

#include <stdatomic.h>

#include "memo.h"

struct value {
	atomic_int ref;
	int number;		/* -1 once it is free */
};

/* Above 0 at the end of a test: a reference was lost. Below: one was given up twice. */
extern atomic_int values_live;

/** value_new() - with one reference */
struct value *value_new(int number);

void value_ref(void *value);
void value_unref(void *value);

/** value_take() - its number, for its reference */
int value_take(void *value);

/** value_key() - a number as what a value is built from; *@number outlives the key */
struct tsr_key value_key(const int *number);

#endif

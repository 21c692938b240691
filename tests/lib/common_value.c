// SPDX-License-Identifier: MIT
#include "common_value.h"

#include <stdlib.h>

atomic_int values_live;

struct value *value_new(int number)
{
	struct value *v = calloc(1, sizeof(*v));

	if (!v)
		abort();
	atomic_init(&v->ref, 1);
	v->number = number;
	atomic_fetch_add(&values_live, 1);
	return v;
}

/* No more order than a cache may ask of its values: the thread sanitizer sees what it lacks. */
void value_ref(void *value)
{
	struct value *v = value;

	atomic_fetch_add_explicit(&v->ref, 1, memory_order_relaxed);
}

void value_unref(void *value)
{
	struct value *v = value;

	if (atomic_fetch_sub_explicit(&v->ref, 1, memory_order_acq_rel) != 1)
		return;
	v->number = -1;
	atomic_fetch_sub(&values_live, 1);
	free(v);
}

int value_take(void *value)
{
	int number = ((struct value *)value)->number;

	value_unref(value);
	return number;
}

struct tsr_key value_key(const int *number)
{
	return (struct tsr_key){ number, sizeof(*number), tsr_hash(number, sizeof(*number)), true };
}

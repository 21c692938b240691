/* SPDX-License-Identifier: MIT */
/*
 * The library's allocations, counted and made to fail. The linker sends its calls of malloc() and
 * of what allocates inside the C library through here (--wrap, mk/test.mk); the tests' own calls go
 * the same way, but nothing happens while no sweep is on.
 */
#ifndef TSR_TESTS_COMMON_ALLOC_H
#define TSR_TESTS_COMMON_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** alloc_fail() - the @nth allocation of any thread from now on fails (0: none) */
void alloc_fail(unsigned long nth, bool and_all_after);

/** alloc_count() - allocations since alloc_fail() */
unsigned long alloc_count(void);

/** alloc_failed() - whether one was made to fail since alloc_fail() */
bool alloc_failed(void);

/** struct alloc_try - how a series of calls went while allocations failed */
struct alloc_try {
	const char *wrong;		/* what went wrong first */
	int retried;			/* calls that said -ENOMEM */
};

static inline void alloc_wrong(struct alloc_try *t, const char *what)
{
	if (!t->wrong)
		t->wrong = what;
}

/* Make a call; on -ENOMEM, once more with memory. */
#define TRY(t, want, call)						\
	do {								\
		int err_ = (call);					\
									\
		if (err_ == -ENOMEM && alloc_failed()) {		\
			alloc_fail(0, false);				\
			(t)->retried++;					\
			err_ = (call);					\
		}							\
		if (err_ != (want)) {					\
			printf("# %s: %d\n", #call, err_);		\
			alloc_wrong(t, #call);				\
		}							\
	} while (0)

/* For functions that return an object, or NULL. */
#define TRY_NEW(t, object, call)	TRY(t, 0, ((object) = (call)) ? 0 : -ENOMEM)

#endif

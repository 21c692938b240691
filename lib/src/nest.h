/* SPDX-License-Identifier: MIT */
/*
 * Builds inside builds: who is inside of what, and who waits for whom (PC-6).
 *
 * A build may call the library again (by the progress function), in its own thread or in one that
 * helps it, and may then need what others build. A wait that could not end is refused instead.
 */
#ifndef TSR_NEST_H
#define TSR_NEST_H

#include <stdbool.h>

struct tsr_memo;
struct tsr_memo_entry;

/** struct tsr_nest - a build that is under way, and the one it is inside of */
struct tsr_nest {
	const struct tsr_nest *outer;
	struct tsr_memo *memo;
	struct tsr_memo_entry *entry;
	unsigned int rank;		/* the highest of the memos from here on outwards */
};

/** tsr_nest_current() - the innermost build that this thread works for, or NULL */
const struct tsr_nest *tsr_nest_current(void);

/** tsr_nest_set() - this thread works for @nest from now on; for threads that help a build */
void tsr_nest_set(const struct tsr_nest *nest);

/** struct tsr_nest_wait - one wait; on the waiter's stack */
struct tsr_nest_wait {
	struct tsr_nest_wait *next;
	const struct tsr_nest *inside;
	const struct tsr_memo_entry *target;
};

/**
 * tsr_nest_wait_begin() - all builds that this thread works for wait for @target from now on
 *
 * Return: false when @target itself waits for one of them, at first or at third hand: then nothing
 * has begun.
 */
bool tsr_nest_wait_begin(struct tsr_nest_wait *wait, const struct tsr_memo_entry *target);

/** tsr_nest_wait_end() - the wait is over */
void tsr_nest_wait_end(struct tsr_nest_wait *wait);

#endif

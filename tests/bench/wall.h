/* SPDX-License-Identifier: MIT */
/* Sides of a comparison by the clock: each can do one round trip, and one batch. */
#ifndef TSR_TESTS_WALL_H
#define TSR_TESTS_WALL_H

#define WALL_BATCH	32

/** struct wall_side - a way to have kernels that do nothing executed */
struct wall_side {
	const char *name;
	/** @set_up: everything that is done once; ends the program when it cannot */
	void (*set_up)(void);
	/** @wake: before its turn, and @rest: after it; may be NULL */
	void (*wake)(void);
	void (*rest)(void);
	/** @round_trip: submit one, wait for it, look at how it ended */
	void (*round_trip)(void);
	/** @submit: WALL_BATCH of them, without waiting */
	void (*submit)(void);
	/** @finish: wait for those */
	void (*finish)(void);
};

extern const struct wall_side wall_tessera, wall_pocl, wall_starpu;

/** wall_must() - a comparison that fails has no figures */
void wall_must(int failed, const char *what);

#endif

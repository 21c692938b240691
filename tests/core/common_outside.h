/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a processor can do to the world outside it, at random: NoC, tile unit, registers. */
#ifndef TSR_TEST_OUTSIDE_H
#define TSR_TEST_OUTSIDE_H

#include "common_grid.h"

/** struct outside - a source of numbers */
struct outside {
	u32 state;
};

u32 outside_random(struct outside *o);

/** outside_edgy() - a number on which bounds are easily got wrong */
u32 outside_edgy(struct outside *o);

/** outside_access() - a few stores to registers of a processor of a grid of about 3 x 2 cores */
void outside_access(struct outside *o, struct rv *k);

#endif

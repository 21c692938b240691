// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Cores that are broken on purpose, for fault plans. */
#include "grid_int.h"

int tsr_grid_upset(struct tsr_grid *g, u16 x, u16 y, enum tsr_upset upset, u32 value)
{
	struct tsr_core *c = tsr_core_at(g, x, y);
	u32 i;

	for (i = 0; c && i < TSR_PROCS_PER_CORE; i++) {
		if (c->procs[i].state == TSR_PROC_OFF)
			continue;
		c->upset = upset;
		c->upset_value = value;
		return 0;
	}
	return -ENOENT;
}

/*
 * A core that is lost looks like one that a worker has taken and never puts back: nobody else
 * touches it, and a launch takes it back like any other.
 */
bool tsr_upset_stops(struct tsr_core *c, const struct tsr_proc *p)
{
	u32 i;

	if (c->upset == TSR_UPSET_SLOW || p->hart.instret < c->upset_value)
		return false;
	for (i = 0; c->upset == TSR_UPSET_KILL && i < TSR_PROCS_PER_CORE; i++)
		tsr_proc_set_state(&c->procs[i], TSR_PROC_OFF);
	return true;
}

/* Instructions cost a cycle at least: a processor that will be lost does not get past the place. */
u64 tsr_upset_limit(const struct tsr_proc *p, u64 clock, u64 limit)
{
	const struct tsr_core *c = p->core;
	u64 left = c->upset_value - p->hart.instret;

	if (c->upset == TSR_UPSET_SLOW)
		return clock + (limit - clock) / c->upset_value;
	return limit - clock > left ? clock + left : limit;
}

// SPDX-License-Identifier: GPL-2.0-only
/* A fault plan at work: which rule fires at which event. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include "fault.h"
#include "grid.h"

struct tsr_faults *tsr_faults_new(void)
{
	struct tsr_faults *faults = kzalloc(sizeof(*faults), GFP_KERNEL);

	if (faults) {
		kref_init(&faults->ref);
		spin_lock_init(&faults->lock);
	}
	return faults;
}

struct tsr_faults *tsr_faults_get(struct tsr_faults *faults)
{
	kref_get(&faults->ref);
	return faults;
}

static void tsr_faults_release(struct kref *ref)
{
	kfree(container_of(ref, struct tsr_faults, ref));
}

void tsr_faults_put(struct tsr_faults *faults)
{
	if (faults)
		kref_put(&faults->ref, tsr_faults_release);
}

void tsr_faults_set(struct tsr_faults *faults, const struct tsr_fault_plan *plan)
{
	u32 i;

	guard(spinlock)(&faults->lock);
	faults->plan = *plan;
	faults->launches = 0;
	memset(faults->tally, 0, sizeof(faults->tally));
	/* Rules of one seed are independent all the same. */
	for (i = 0; i < plan->count; i++)
		faults->tally[i].random = plan->rules[i].value[TSR_PLAN_SEED] | (u64)i << 32;
	WRITE_ONCE(faults->armed, plan->count > 0);
}

int tsr_faults_print(struct tsr_faults *faults, bool hits, char *page)
{
	char text[TSR_PLAN_TEXT];
	int len = 0;
	u32 i;

	guard(spinlock)(&faults->lock);
	for (i = 0; i < faults->plan.count; i++) {
		tsr_fault_rule_print(&faults->plan.rules[i], text, sizeof(text));
		if (hits)
			len += sysfs_emit_at(page, len, "%llu ", faults->tally[i].hits);
		len += sysfs_emit_at(page, len, "%s\n", text);
	}
	return len;
}

/* splitmix64: every seed is a good one, zero too */
static u32 tsr_fault_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) >> 32;
}

/* Under the lock: the rule sees an event. Does it fire, if it @may? */
static bool tsr_fault_fires(struct tsr_faults *faults, u32 i, bool may)
{
	const u32 *value = faults->plan.rules[i].value;
	struct tsr_fault_tally *tally = &faults->tally[i];
	u32 late;

	lockdep_assert_held(&faults->lock);
	if (value[TSR_PLAN_RUN] && value[TSR_PLAN_RUN] != faults->launches)
		return false;
	if (++tally->seen < value[TSR_PLAN_NTH])
		return false;
	div_u64_rem(tally->seen - value[TSR_PLAN_NTH], value[TSR_PLAN_EVERY], &late);
	if (late || !may)
		return false;
	if (value[TSR_PLAN_COUNT] && tally->hits >= value[TSR_PLAN_COUNT])
		return false;
	if (value[TSR_PLAN_P] < 1000 &&
	    tsr_fault_random(&tally->random) % 1000 >= value[TSR_PLAN_P])
		return false;
	tally->hits++;
	return true;
}

enum tsr_fault_action tsr_faults_event(struct tsr_faults *faults, enum tsr_fault_point point,
				       struct tsr_fault_rule *ret_rule)
{
	enum tsr_fault_action action = TSR_PLAN_NONE;
	u32 i;

	guard(spinlock)(&faults->lock);
	if (point == TSR_PLAN_DISPATCH)
		faults->launches++;
	for (i = 0; i < faults->plan.count; i++) {
		if (faults->plan.rules[i].point != point ||
		    !tsr_fault_fires(faults, i, action == TSR_PLAN_NONE))
			continue;
		*ret_rule = faults->plan.rules[i];
		action = ret_rule->action;
	}
	return action;
}

static bool tsr_fault_takes_part(const struct tsr_grid *grid, u16 x, u16 y)
{
	struct tsr_proc_stats stats;
	u8 proc;

	for (proc = 0; proc < TSR_PROCS_PER_CORE; proc++)
		if (!tsr_grid_stats(grid, x, y, proc, &stats))
			return true;
	return false;
}

static void tsr_fault_upset(struct tsr_grid *grid, const struct tsr_fault_rule *rule)
{
	const u32 *value = rule->value;
	u16 x = value[TSR_PLAN_X], y = value[TSR_PLAN_Y];

	switch (rule->action) {
	case TSR_PLAN_HANG:
		tsr_grid_upset(grid, x, y, TSR_UPSET_HANG, value[TSR_PLAN_AFTER]);
		break;
	case TSR_PLAN_KILL:
		tsr_grid_upset(grid, x, y, TSR_UPSET_KILL, value[TSR_PLAN_AFTER]);
		break;
	default:
		tsr_grid_upset(grid, x, y, TSR_UPSET_SLOW, value[TSR_PLAN_FACTOR]);
	}
}

void tsr_faults_cores(struct tsr_faults *faults, struct tsr_grid *grid)
{
	u32 i;

	guard(spinlock)(&faults->lock);
	for (i = 0; i < faults->plan.count; i++) {
		const struct tsr_fault_rule *rule = &faults->plan.rules[i];

		if (rule->point == TSR_PLAN_CORES &&
		    tsr_fault_takes_part(grid, rule->value[TSR_PLAN_X], rule->value[TSR_PLAN_Y]) &&
		    tsr_fault_fires(faults, i, true))
			tsr_fault_upset(grid, rule);
	}
}

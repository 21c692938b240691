/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fault plan of a virtual device: rules that say at which event something goes wrong, and how
 * (DESIGN decision 9). Documentation/faultplan.rst describes the text.
 *
 * A plan is plain data: tsr_fault_plan_parse() makes one of a text. struct tsr_faults is a plan
 * at work, with its counters; the virtual device asks it at each event. Without a plan that is one
 * load and one branch.
 */
#ifndef TSR_SOFT_FAULT_H
#define TSR_SOFT_FAULT_H

#include <linux/compiler.h>
#include <linux/kref.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define TSR_PLAN_RULES		16
#define TSR_PLAN_TEXT		200	/* bytes of one rule, printed */

/** enum tsr_fault_point - what is counted */
enum tsr_fault_point {
	/** @TSR_PLAN_STAGE: a bank is filled. */
	TSR_PLAN_STAGE,
	/** @TSR_PLAN_DISPATCH: a launch begins: the first half. */
	TSR_PLAN_DISPATCH,
	/** @TSR_PLAN_GRID: the second half. */
	TSR_PLAN_GRID,
	/** @TSR_PLAN_CORES: the first half has loaded the cores. */
	TSR_PLAN_CORES,
	/** @TSR_PLAN_SEEN_DISPATCH: the dispatcher's boundary is reported. */
	TSR_PLAN_SEEN_DISPATCH,
	/** @TSR_PLAN_SEEN_GRID: the grid's boundary is reported. */
	TSR_PLAN_SEEN_GRID,
	/** @TSR_PLAN_RECORD: the record of a run is written. */
	TSR_PLAN_RECORD,
	/** @TSR_PLAN_QUIESCE: the cores are to be stopped. */
	TSR_PLAN_QUIESCE,
	/** @TSR_PLAN_RESET: the device is to be reset. */
	TSR_PLAN_RESET,
	/** @TSR_PLAN_UNLOAD: an image is given up. */
	TSR_PLAN_UNLOAD,
	TSR_PLAN_POINTS
};

/** enum tsr_fault_action - what happens then */
enum tsr_fault_action {
	/** @TSR_PLAN_NONE: nothing. */
	TSR_PLAN_NONE,
	/** @TSR_PLAN_FAIL: the operation is not done, and says so. */
	TSR_PLAN_FAIL,
	/** @TSR_PLAN_LIE: the operation is done, and says that it failed. */
	TSR_PLAN_LIE,
	/** @TSR_PLAN_DROP: what should be reported or written is not. */
	TSR_PLAN_DROP,
	/** @TSR_PLAN_LATE: it is reported later. */
	TSR_PLAN_LATE,
	/** @TSR_PLAN_CORRUPT: it is written wrong. */
	TSR_PLAN_CORRUPT,
	/** @TSR_PLAN_HANG: a core executes nothing any more. */
	TSR_PLAN_HANG,
	/** @TSR_PLAN_KILL: a core is gone. */
	TSR_PLAN_KILL,
	/** @TSR_PLAN_SLOW: a core takes more cycles. */
	TSR_PLAN_SLOW,
	/** @TSR_PLAN_VANISH: the device is unplugged. */
	TSR_PLAN_VANISH,
	TSR_PLAN_ACTIONS
};

/** enum tsr_fault_key - the numbers of a rule */
enum tsr_fault_key {
	/** @TSR_PLAN_NTH: the first event at which it may fire; counted from 1. */
	TSR_PLAN_NTH,
	/** @TSR_PLAN_EVERY: from then on at every so many events. */
	TSR_PLAN_EVERY,
	/** @TSR_PLAN_COUNT: how often; 0: for ever. */
	TSR_PLAN_COUNT,
	/** @TSR_PLAN_P: with this probability, in thousandths. */
	TSR_PLAN_P,
	/** @TSR_PLAN_SEED: of the generator for that. */
	TSR_PLAN_SEED,
	/** @TSR_PLAN_RUN: at events of the n-th launched run only; 0: of any. */
	TSR_PLAN_RUN,
	/** @TSR_PLAN_MS: milliseconds. */
	TSR_PLAN_MS,
	/** @TSR_PLAN_US: microseconds, added to them. */
	TSR_PLAN_US,
	/** @TSR_PLAN_X: column. */
	TSR_PLAN_X,
	/** @TSR_PLAN_Y: row. */
	TSR_PLAN_Y,
	/** @TSR_PLAN_AFTER: instructions of a processor of the core before it happens. */
	TSR_PLAN_AFTER,
	/** @TSR_PLAN_FACTOR: times the cycles. */
	TSR_PLAN_FACTOR,
	TSR_PLAN_KEYS
};

/** struct tsr_fault_rule - one rule; plain data */
struct tsr_fault_rule {
	/** @point: enum tsr_fault_point. */
	u8 point;
	/** @action: enum tsr_fault_action. */
	u8 action;
	/** @value: by enum tsr_fault_key; what a rule has no use for is the default. */
	u32 value[TSR_PLAN_KEYS];
};

/** struct tsr_fault_plan - plain data; all zero is the empty plan */
struct tsr_fault_plan {
	u32 count;
	struct tsr_fault_rule rules[TSR_PLAN_RULES];
};

/**
 * tsr_fault_plan_parse() - make a plan of a text
 * @text: rules separated by newlines or semicolons; written to
 * @ret: filled on success only
 *
 * Return: 0, -EINVAL malformed, -E2BIG more than TSR_PLAN_RULES rules.
 */
int tsr_fault_plan_parse(char *text, struct tsr_fault_plan *ret);

/** tsr_fault_rule_print() - a rule as text, defaults left out; bytes written */
int tsr_fault_rule_print(const struct tsr_fault_rule *rule, char *buf, size_t size);

/** struct tsr_fault_tally - of one rule */
struct tsr_fault_tally {
	u64 seen;			/* events that it could have fired at */
	u64 hits;			/* at which it fired */
	u64 random;			/* state of its generator */
};

/**
 * struct tsr_faults - a plan at work
 *
 * Belongs to the directory in configfs and to the device that was made of it, whichever lives
 * longer: a plan outlives unbinding and binding again. @lock protects all but @ref; it is the
 * innermost lock of the backend (taken under soft->lock too), never in an interrupt. @armed may be
 * read without it: a plan that is set while an event is on its way counts from the next one.
 */
struct tsr_faults {
	struct kref ref;
	spinlock_t lock;		/* see above */
	bool armed;			/* there is a rule */
	u64 launches;			/* since the plan was set */
	struct tsr_fault_plan plan;
	struct tsr_fault_tally tally[TSR_PLAN_RULES];
};

/** tsr_faults_new() - with an empty plan; NULL when out of memory */
struct tsr_faults *tsr_faults_new(void);
struct tsr_faults *tsr_faults_get(struct tsr_faults *faults);
/** tsr_faults_put() - takes NULL */
void tsr_faults_put(struct tsr_faults *faults);

/** tsr_faults_set() - a valid plan takes effect, all counters at 0 */
void tsr_faults_set(struct tsr_faults *faults, const struct tsr_fault_plan *plan);

/** tsr_faults_print() - one page: rules, one a line; with how often each fired in front if @hits */
int tsr_faults_print(struct tsr_faults *faults, bool hits, char *page);

/** tsr_faults_armed() - whether events matter at all */
static inline bool tsr_faults_armed(const struct tsr_faults *faults)
{
	return unlikely(READ_ONCE(faults->armed));
}

/**
 * tsr_faults_event() - count an event, and say what goes wrong at it
 * @faults: plan
 * @point: what happens; not TSR_PLAN_CORES
 * @ret_rule: the rule that fired; untouched for NONE
 *
 * Every rule of the point sees the event; the first in the plan that would fire does.
 */
enum tsr_fault_action tsr_faults_event(struct tsr_faults *faults, enum tsr_fault_point point,
				       struct tsr_fault_rule *ret_rule);

struct tsr_grid;
/** tsr_faults_cores() - the same for a launch, which is an event for every core that takes part */
void tsr_faults_cores(struct tsr_faults *faults, struct tsr_grid *grid);

#endif

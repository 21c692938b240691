/* SPDX-License-Identifier: MIT */
/*
 * A plan: resources validated and partitioned over descriptors, and their canonical bytes. Made
 * anew for each execution, in memory that is used again.
 */
#ifndef TSR_PLAN_H
#define TSR_PLAN_H

#include "hash.h"
#include "resources_int.h"
#include "shape.h"

/** struct tsr_plan_arg - the own words of one core; the computed ones come after them (RR-10) */
struct tsr_plan_arg {
	struct tsr_core core;
	uint32_t count;			/* of all words: own and appended */
	uint32_t own;
	const uint32_t *words;
};

/** struct tsr_plan_descriptor - what this execution adds to a descriptor of the shape */
struct tsr_plan_descriptor {
	const uint32_t *common;
	uint32_t common_count;
	uint32_t arg_first, arg_count;	/* in plan->args, row-major */
	size_t key_start, key_end;	/* in the canonical bytes: what its image is made from */
};

/** struct tsr_plan - of one execution */
struct tsr_plan {
	const struct tsr_shape *shape;
	const struct tsr_resources *res;	/* NULL: no resources */
	struct tsr_writer bytes;		/* canonical */
	struct tsr_vec entry_of;	/* int32_t by kernel: index of its entry, or -1 */
	struct tsr_vec arg_of;		/* uint32_t by kernel and place: 1 + index in the entry */
	struct tsr_vec semaphores;	/* uint32_t: indices in the resources, by id */
	struct tsr_vec args;		/* struct tsr_plan_arg, of all descriptors in order */
	struct tsr_vec descriptors;	/* struct tsr_plan_descriptor, in canonical order */
	uint32_t words;			/* that a dispatch blob brings */
};

/** tsr_plan_begin() - empty tables for one execution. 0, -ENOMEM. */
int tsr_plan_begin(struct tsr_plan *plan, const struct tsr_shape *shape,
		   const struct tsr_resources *res);

/** tsr_plan_make() - partition and serialise what the checks have approved. 0, -ENOMEM, -E2BIG. */
int tsr_plan_make(struct tsr_plan *plan);

/** tsr_plan_fini() - give the memory back */
void tsr_plan_fini(struct tsr_plan *plan);

static inline int32_t *tsr_plan_entry_of(struct tsr_plan *plan)
{
	return plan->entry_of.data;
}

/** tsr_plan_arg_of() - the row of a kernel, indexed by place */
static inline uint32_t *tsr_plan_arg_of(struct tsr_plan *plan, size_t kernel)
{
	return (uint32_t *)plan->arg_of.data + kernel * plan->shape->places;
}

#endif

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

/**
 * struct tsr_plan_run - neighbours in a descriptor's list of cores that have equally many words
 *
 * The words that the library computes come after a core's own ones (RR-10).
 */
struct tsr_plan_run {
	uint32_t first, count;		/* cores, in the list of the shape's descriptor */
	uint32_t own;			/* words of each of them, without the computed ones */
	const uint32_t *words;		/* of all of them in a row, or NULL when they are scattered */
};

/** struct tsr_plan_descriptor - what this execution adds to a descriptor of the shape */
struct tsr_plan_descriptor {
	const uint32_t *common;
	uint32_t common_count;
	const struct tsr_arg *args;	/* of the kernel's entry */
	const uint32_t *arg_of;		/* 1 + index in @args by place; NULL: as listed */
	uint32_t arg_count;		/* of @args */
	uint32_t run_first, run_count;	/* in plan->runs, row-major */
	size_t key_start, key_end;	/* in the canonical bytes: what its image is made from */
};

/** struct tsr_plan_kernel - the entry of a logical kernel */
struct tsr_plan_kernel {
	int32_t entry;			/* its index, or -1 */
	bool as_listed;			/* its words are those of its only descriptor's first cores */
};

/** struct tsr_plan - of one execution */
struct tsr_plan {
	const struct tsr_shape *shape;
	const struct tsr_resources *res;	/* NULL: no resources */
	struct tsr_writer bytes;		/* canonical */
	struct tsr_vec kernels;		/* struct tsr_plan_kernel */
	struct tsr_vec arg_of;		/* uint32_t by kernel and place, see above */
	struct tsr_vec semaphores;	/* uint32_t: indices in the resources, by id */
	struct tsr_vec runs;		/* struct tsr_plan_run, of all descriptors in order */
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

static inline const struct tsr_plan_descriptor *tsr_plan_descriptor(const struct tsr_plan *plan,
								    size_t i)
{
	return (const struct tsr_plan_descriptor *)plan->descriptors.data + i;
}

/** tsr_plan_runs() - those of a descriptor */
static inline const struct tsr_plan_run *tsr_plan_runs(const struct tsr_plan *plan,
						       const struct tsr_plan_descriptor *p)
{
	return (const struct tsr_plan_run *)plan->runs.data + p->run_first;
}

/** tsr_plan_arg() - the own words of core i of a descriptor, or NULL */
static inline const struct tsr_arg *tsr_plan_arg(const struct tsr_plan_descriptor *p,
						 const struct tsr_shape_descriptor *d, uint32_t i)
{
	uint32_t index;

	if (likely(!p->arg_of))
		return i < p->arg_count ? &p->args[i] : NULL;
	index = p->arg_of[d->places[i]];
	return index ? &p->args[index - 1] : NULL;
}

static inline struct tsr_plan_kernel *tsr_plan_kernel(const struct tsr_plan *plan, size_t kernel)
{
	return (struct tsr_plan_kernel *)plan->kernels.data + kernel;
}

/** tsr_plan_arg_of() - the row of a kernel, indexed by place; not initialised */
static inline uint32_t *tsr_plan_arg_of(const struct tsr_plan *plan, size_t kernel)
{
	return (uint32_t *)plan->arg_of.data + kernel * plan->shape->places;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The shape of a frozen operation: everything that follows from its declaration and its device,
 * worked out once, so that an execution only adds what its resources say.
 */
#ifndef TSR_SHAPE_H
#define TSR_SHAPE_H

#include "hash.h"
#include "operation_int.h"

#define TSR_SCHEMA	1	/* of the canonical bytes, Documentation/library.rst */

/** struct tsr_shape_kernel - a logical kernel */
struct tsr_shape_kernel {
	uint16_t *descriptor_of;	/* by place: 1 + index in shape->descriptors, or 0 */
	struct tsr_coreset cores;	/* of all its descriptors */
	uint32_t descriptors;		/* how many */
	const struct tsr_shape_descriptor *last;	/* of them */
};

/** struct tsr_shape_descriptor - a kernel on a set of cores */
struct tsr_shape_descriptor {
	uint32_t kernel;
	const struct tsr_coreset *cores;
	struct tsr_core *list;		/* its cores inside the grid, row-major */
	uint16_t *places;		/* the same cores */
	uint32_t count;
	const struct tsr_def **defs;	/* base definitions, by name, each name once */
	uint32_t def_count;
	size_t start;			/* in shape->bytes: the descriptor's fixed bytes */
	size_t identity;		/* from here on: source digest, then base definitions */
	size_t defs_start;		/* from here on: base definitions */
	size_t end;
};

/** struct tsr_shape_cb - a placed circular buffer */
struct tsr_shape_cb {
	const struct tsr_cb_decl *decl;
	uint64_t address;		/* in L1; beyond its end is finding V22 */
};

/** struct tsr_shape - immutable once made */
struct tsr_shape {
	const struct tsr_operation *op;
	uint32_t places;		/* of the grid: width * height */
	uint32_t core_count;		/* of the operation */
	bool refused;			/* the declaration alone has findings */
	bool dense;			/* RR-3 holds */
	bool known;			/* every image has an identity (FP-3) */
	uint64_t bits[TESSERA_MAX_CORES / 64];	/* the operation's cores, by place */
	uint16_t *rank;			/* by place: row-major number in the operation */
	struct tsr_shape_kernel *kernels;	/* as declared */
	struct tsr_shape_descriptor *descriptors;	/* in canonical order */
	struct tsr_shape_cb *cbs;	/* in canonical order */
	const struct tsr_semaphore_decl **semaphores;	/* by id */
	struct tsr_writer bytes;	/* canonical: prefix, then the descriptors' parts */
	size_t prefix;			/* bytes of it */
	size_t cores_start, cores_end;	/* in it: the operation's own cores */
};

static inline bool tsr_shape_has(const struct tsr_shape *shape, uint32_t place)
{
	return shape->bits[place / 64] >> (place % 64) & 1;
}

/** tsr_shape_get() - the shape of an operation, made by the first call. 0, -errno: nothing is. */
int tsr_shape_get(struct tsr_operation *op, const struct tsr_shape **ret_shape);

/** tsr_shape_serialise() - write the canonical bytes that do not depend on resources */
int tsr_shape_serialise(struct tsr_shape *shape);

/** tsr_shape_free() - takes NULL */
void tsr_shape_free(struct tsr_shape *shape);

#endif

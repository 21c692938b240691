/* SPDX-License-Identifier: MIT */
/* Validation: everything that is wrong with an execution, found in one pass (RR-7). */
#ifndef TSR_CHECK_H
#define TSR_CHECK_H

#include "diag_int.h"
#include "plan.h"
#include "resources_int.h"
#include "shape.h"

/** struct tsr_check - a validation under way */
struct tsr_check {
	const struct tsr_operation *op;
	const struct tsr_shape *shape;
	const struct tessera_limits *limits;
	const struct tsr_resources *res;	/* NULL: none */
	const struct tsr_tensor *tensors;
	size_t tensor_count;
	struct tsr_plan *plan;			/* learns which entry and words belong where */
	struct tsr_diag *diag;			/* NULL until something was found */
	size_t findings;
};

/** tsr_found() - add a finding; takes the note's texts */
void tsr_found(struct tsr_check *c, struct tsr_note note);

/** tsr_check_declaration() - whether the declaration alone has findings. 0, -ENOMEM. */
int tsr_check_declaration(const struct tsr_shape *shape, bool *ret_refused);

/** tsr_check_dense() - RR-3, before the factory is called */
void tsr_check_dense(struct tsr_check *c);

/** tsr_check_all() - declaration, tensors and resources; in the order of the rules */
void tsr_check_all(struct tsr_check *c);

/*
 * The parts, each for some rules. Every one of them looks at everything and goes on after a
 * finding. @path is what the object is called, for the finding.
 */
void tsr_check_operation(struct tsr_check *c);
void tsr_check_tensors(struct tsr_check *c);
void tsr_check_resources(struct tsr_check *c);
void tsr_check_semaphores(struct tsr_check *c);

#define TSR_NO_INDEX	SIZE_MAX

/** struct tsr_path - what an object is called: "@what @name", "@what @index", or only "@what" */
struct tsr_path {
	const char *what;
	const char *name;	/* NULL: by its index, unless that is TSR_NO_INDEX */
	size_t index;
};

/** tsr_path_text() - "path/part index" as new text, or less: NULL, TSR_NO_INDEX */
char *tsr_path_text(const struct tsr_path *path, const char *part, size_t index);

/** tsr_check_defs() - V6, V7, V8 of one list of definitions */
void tsr_check_defs(struct tsr_check *c, const struct tsr_def *defs, size_t count,
		    const struct tsr_path *path);

/** tsr_check_set() - a set that must not be empty, reversed or outside the operation (V17, V21) */
void tsr_check_set(struct tsr_check *c, const struct tsr_coreset *set, enum tsr_rule_no outside,
		   const struct tsr_path *path);

#endif

/* SPDX-License-Identifier: MIT */
/* An operation with a bit of everything, for runner files. */
#ifndef TSR_TESTS_COMMON_SAVED_H
#define TSR_TESTS_COMMON_SAVED_H

#include "common_rig.h"
#include "saved.h"

/** struct saved_op - the operation; its factory's context */
struct saved_op {
	struct rig *rig;		/* with two tensors */
	struct tsr_kernel *second;	/* explicit mover "second" */
	const char *scale;		/* what the factory defines */
	uint32_t words_of;		/* cores that get words */
	int calls;
};

/**
 * saved_op_new() - compute kernel in two descriptors with definitions, a prebuilt canonical mover, an
 * explicit one with appended words, circular buffers, semaphores of both kinds
 */
void saved_op_new(struct saved_op *s);
void saved_op_free(struct saved_op *s);

/** saved_op_factory() - the factory of an operation; @ctx is the struct saved_op */
int saved_op_factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res);

/** saved_op_file() - the content of its file; free() it */
void *saved_op_file(struct saved_op *s, size_t *ret_size);

/** saved_op_without_factory() - two prebuilt kernels */
void saved_op_without_factory(struct saved_op *s);

#endif

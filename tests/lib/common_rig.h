/* SPDX-License-Identifier: MIT */
/* A library without a device: everything of a submit but its last step works. */
#ifndef TSR_TESTS_COMMON_RIG_H
#define TSR_TESTS_COMMON_RIG_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/tessera.h>

#include "buffer_int.h"
#include "call.h"
#include "check.h"
#include "diag_int.h"
#include "operation_int.h"
#include "program.h"

/** struct rig - a 4 x 4 grid without core (3,3), one operation on columns 0-2, rows 0-1 */
struct rig {
	struct tsr_device *dev;
	struct tsr_context *ctx;
	struct tsr_operation *op;
	struct tsr_coreset *cores;
	struct tsr_tensor tensors[2];
	size_t tensor_count;
	struct tsr_diag *diag;		/* of the last rig_submit() or rig_prepare() */
	struct tsr_call *call;		/* of the last rig_prepare(), its plan and dispatch blob */
	struct tsr_program *program;	/* of the last rig_prepare() */
	struct tsr_resources *res;	/* the last ones the factory filled */
	/* What the factory does; its result is the factory's. */
	int (*fill)(struct rig *rig, const struct tsr_factory_input *input,
		    struct tsr_resources *res);
	int factory_calls;
};

/** rig_new() - with a device and a context; the operation has nothing but its factory */
struct rig *rig_new(void);

/** rig_limits() - the limits of the rig's device */
void rig_limits(struct tessera_limits *limits);

struct rig *rig_free(struct rig *rig);

/** rig_elf() - a prebuilt image for a processor of the rig: @words instructions. free() it. */
void *rig_elf(const struct rig *rig, uint32_t processor, size_t words, size_t *ret_size);

/** rig_add_prebuilt() - declare a kernel with such an image; NULL @cores, @handle as declared */
int rig_add_prebuilt(struct rig *rig, const char *name, uint32_t processor,
		     struct tsr_kernel *handle, const struct tsr_coreset *cores);

/** rig_add_source() - declare a kernel with a source text */
int rig_add_source(struct rig *rig, const char *name, uint32_t processor,
		   struct tsr_kernel *handle, const char *text);

/** rig_add_usual() - canonical mover and compute kernel "reader" and "math", prebuilt */
void rig_add_usual(struct rig *rig);

/**
 * rig_submit() - tsr_submit(); findings are in rig->diag
 *
 * Return: -ENODEV when everything but the device was right.
 */
int rig_submit(struct rig *rig);

/** rig_prepare() - the same steps, keeping what they made. 0, -errno with rig->diag. */
int rig_prepare(struct rig *rig);

/** rig_drop() - forget what rig_prepare() kept */
void rig_drop(struct rig *rig);

/** rig_finding() - the first finding of a rule in rig->diag, or NULL; @nth more to skip */
const struct tsr_finding *rig_finding(const struct rig *rig, const char *rule, size_t nth);

/** rig_only() - whether @rule has @n findings in rig->diag and no other rule has any */
bool rig_only(const struct rig *rig, const char *rule, size_t n);

#define RIG_COMPUTE	((struct tsr_selector){ TSR_SELECT_COMPUTE, NULL })
#define RIG_MOVER	((struct tsr_selector){ TSR_SELECT_DATA_MOVEMENT, NULL })

#endif

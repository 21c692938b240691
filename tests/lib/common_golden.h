/* SPDX-License-Identifier: MIT */
/* Structures described as text (tests/golden/structures), made with the library. */
#ifndef TSR_TESTS_COMMON_GOLDEN_H
#define TSR_TESTS_COMMON_GOLDEN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/tessera.h>

#include "call.h"
#include "check.h"

#define GOLDEN_LINES	200

/** struct golden - one described structure, and what was made of it */
struct golden {
	char name[64];
	char *lines[GOLDEN_LINES];	/* without name and end */
	size_t line_count, resources_at;	/* the line "resources", or @line_count */
	struct tsr_device *dev;
	struct tsr_operation *op;
	struct tsr_resources *res;
	struct tsr_call *call;
	struct tsr_kernel *handles[8];	/* by the order of "kernel" lines; NULL: canonical */
	char kernel_names[8][64];
	size_t kernel_count;
	struct tsr_digest digest;	/* of call->plan.bytes */
};

/** golden_open() - tests/golden/NAME of this checkout, or abort */
FILE *golden_open(const char *name);

/** golden_read() - the next description of a file; false at its end */
bool golden_read(FILE *in, struct golden *ret);

/** golden_make() - declare the operation, call its factory, check, plan, hash; or abort */
void golden_make(struct golden *golden);

/** golden_free() - everything that golden_read() and golden_make() made */
void golden_free(struct golden *golden);

#endif

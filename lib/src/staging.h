/* SPDX-License-Identifier: MIT */
/*
 * Staging: device memory for the host tensors of one run, one buffer for all of them. It is kept
 * with the operation between runs (IO-5), and is nobody else's while a run is in flight (IO-6).
 */
#ifndef TSR_STAGING_H
#define TSR_STAGING_H

#include "buffer_int.h"
#include "operation_int.h"

#define TSR_STAGING_KEEPS	8	/* that are free, of one operation */
#define TSR_STAGING_ALIGN	64

/** struct tsr_staging - a mapped buffer */
struct tsr_staging {
	struct tsr_staging *next;	/* op->staging, while it is free */
	struct tsr_buffer *buffer;
	uint8_t *memory;
};

/** tsr_staging_get() - one of @size bytes or more. 0, -errno and nothing has changed. */
int tsr_staging_get(struct tsr_operation *op, uint64_t size, struct tsr_staging **ret_staging);

/** tsr_staging_put() - the device does not touch it any more: keep it; takes NULL */
void tsr_staging_put(struct tsr_operation *op, struct tsr_staging *staging);

/** tsr_staging_free() - give it up, in whatever state; takes NULL */
void tsr_staging_free(struct tsr_staging *staging);

/** tsr_staging_fini() - the operation goes */
void tsr_staging_fini(struct tsr_operation *op);

#endif

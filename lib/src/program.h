/* SPDX-License-Identifier: MIT */
/* A program: immutable structure that the device knows by a handle. No word, no address of data. */
#ifndef TSR_PROGRAM_H
#define TSR_PROGRAM_H

#include "memo.h"
#include "plan.h"

/**
 * struct tsr_program - one program of the kernel driver
 *
 * Holds no reference to its device: it lives in the device's cache, or in a run, which holds one.
 */
struct tsr_program {
	atomic_uint ref;
	uint32_t handle;
	struct tsr_device *dev;
	struct tsr_digest digest;
	void *blob;		/* of an offline device only, for tests and tools */
	size_t blob_size;
};

/** tsr_program_memo - for tsr_memo_new(): canonical bytes -> program */
extern const struct tsr_memo_ops tsr_program_memo;

/** tsr_program_unref() - takes NULL; the device must still be there */
void tsr_program_unref(struct tsr_program *program);

/**
 * tsr_program_encode() - the program blob of a plan, for whoever executes or saves it himself
 * @dev: whose images and limits count
 * @plan: made, not refused
 * @ret_blob: free with free()
 * @ret_size: its bytes
 * @diag: takes the findings; may be NULL
 *
 * Return: 0; -ENOEXEC, -E2BIG with findings; -ENOMEM.
 */
int tsr_program_encode(struct tsr_device *dev, const struct tsr_plan *plan, void **ret_blob,
		       size_t *ret_size, struct tsr_diag *diag);

/** tsr_program_get() - the program of a plan, from the cache or built. See tsr_memo_get(). */
int tsr_program_get(struct tsr_device *dev, const struct tsr_plan *plan, bool refuse,
		    struct tsr_program **ret_program, struct tsr_diag **reterr_diag);

#endif

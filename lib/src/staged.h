/* SPDX-License-Identifier: MIT */
/* Host tensors: where they are staged, and the two copies. */
#ifndef TSR_STAGED_H
#define TSR_STAGED_H

#include "submit_int.h"

/** struct tsr_copy - one tensor of a run in program mode */
struct tsr_copy {
	void *memory;		/* to be copied back to, or NULL */
	uint64_t offset, size;	/* in the staging buffer */
	uint64_t to_device, from_device;
};

/** tsr_staged_bind() - find room for all host tensors; copies nothing. 0, -errno. */
int tsr_staged_bind(struct tsr_prepare *p);

/** tsr_staged_stage() - copy what kernels read, note what to copy back. 0, -ENOMEM. */
int tsr_staged_stage(struct tsr_submit *s);

/** tsr_staged_copy_back() - the run succeeded; no lock is held, and nobody else does it */
void tsr_staged_copy_back(struct tsr_run *run);

/** tsr_staged_settle() - the end was seen: keep the buffer, unless the device may touch it */
void tsr_staged_settle(struct tsr_run *run, struct tsr_staging *staging);

#endif

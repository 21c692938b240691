/* SPDX-License-Identifier: MIT */
/* A submit under way: prepare all of it, ask the kernel, hand over. */
#ifndef TSR_SUBMIT_INT_H
#define TSR_SUBMIT_INT_H

#include <tessera/staged.h>

#include "prepare.h"
#include "run_int.h"

#define TSR_SUBMIT_FEW	8

/** struct tsr_submit - one invocation under way */
struct tsr_submit {
	struct tsr_prepare p;
	struct tsr_context *context;
	const struct tsr_submit_options *options;
	uint32_t flags;				/* TSR_SUBMIT_* */
	const struct tsr_staged_tensor *staged;	/* p.tensors are made of them, if not NULL */
	struct tsr_staging *staging;		/* NULL: nothing is in host memory */
	struct tsr_program *program;
	struct tsr_run *run;
	struct drm_tessera_sync *syncs;		/* @few, or more */
	struct drm_tessera_sync few[TSR_SUBMIT_FEW];
};

/** tsr_submit_init() - with the operation's factory; tensors are put in next */
void tsr_submit_init(struct tsr_submit *s, struct tsr_operation *op, struct tsr_context *context,
		     const struct tsr_submit_options *options);

/** tsr_submit_prepare() - everything that can fail, but for the kernel's answer; more @flags */
int tsr_submit_prepare(struct tsr_submit *s, uint32_t flags);

/** tsr_submit_record() - what the kernel is told; valid as long as @s */
void tsr_submit_record(struct tsr_submit *s, struct drm_tessera_run *ret);

/**
 * tsr_submit_send() - ask the kernel. 0 when any was accepted, -errno
 * @ret_accepted: how many; as the next, also on failure
 * @ret_error: of the first that was not
 */
int tsr_submit_send(struct tsr_context *context, uint32_t flags, struct drm_tessera_run *records,
		    uint32_t count, uint32_t *ret_accepted, int *ret_error);

/** tsr_submit_accepted() - hand over to the run, which is the caller's. Cannot fail. */
struct tsr_run *tsr_submit_accepted(struct tsr_submit *s, const struct drm_tessera_run *record);

/** tsr_submit_fini() - what was not handed over, but the diagnostic */
void tsr_submit_fini(struct tsr_submit *s);

#endif

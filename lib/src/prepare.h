/* SPDX-License-Identifier: MIT */
/* From an operation to its plan: what submits, the host engine and saved runners have in common. */
#ifndef TSR_PREPARE_H
#define TSR_PREPARE_H

#include "call.h"
#include "diag_int.h"

/** struct tsr_prepare - one invocation under way */
struct tsr_prepare {
	struct tsr_operation *op;
	struct tsr_device *dev;
	const struct tsr_tensor *tensors;
	size_t tensor_count;
	tsr_factory_fn factory;		/* NULL: there are no resources */
	void *factory_ctx;
	int (*bind)(struct tsr_prepare *p);	/* makes @tensors before the factory; may be NULL */
	const struct tsr_shape *shape;
	struct tsr_call *call;
	struct tsr_resources *res;	/* NULL: no factory */
	uint32_t stage;			/* enum tsr_stage, as far as it came */
	struct tsr_diag *diag;		/* NULL until something was found */
};

/**
 * tsr_prepare() - freeze, check what comes before the factory, call it, check all, plan
 *
 * Return: 0 with a plan in @call; -EINVAL with findings; the factory's own error; -ENOMEM.
 */
int tsr_prepare(struct tsr_prepare *p);

/** tsr_prepare_fini() - give back what is still there, but the diagnostic */
void tsr_prepare_fini(struct tsr_prepare *p);

/** tsr_prepare_report() - the diagnostic of an invocation that failed, to the caller or away */
void tsr_prepare_report(struct tsr_prepare *p, int err, struct tsr_diag **reterr_diag);

#endif

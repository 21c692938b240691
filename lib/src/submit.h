/* SPDX-License-Identifier: MIT */
#ifndef TSR_SUBMIT_H
#define TSR_SUBMIT_H

#include <tessera/run.h>

/** tsr_submit_with() - tsr_submit() with this factory, or none, instead of the operation's own */
int tsr_submit_with(struct tsr_operation *op, struct tsr_context *context,
		    const struct tsr_tensor *tensors, size_t tensor_count,
		    const struct tsr_submit_options *options, tsr_factory_fn factory,
		    void *factory_ctx, struct tsr_run **ret_run, struct tsr_diag **reterr_diag);

#endif

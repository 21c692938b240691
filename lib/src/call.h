/* SPDX-License-Identifier: MIT */
/* One invocation under way: its plan, its dispatch blob. Memory that is used again. */
#ifndef TSR_CALL_H
#define TSR_CALL_H

#include "plan.h"
#include "program.h"

struct tsr_tensor;

/** struct tsr_call - scratch memory of one submit */
struct tsr_call {
	struct tsr_plan plan;
	struct tsr_vec dispatch;	/* the blob, 8-aligned */
	struct tsr_vec tensors;		/* struct tsr_tensor: where host tensors are staged */
};

/** tsr_call_new() - from the device's pool when it has any; NULL when out of memory */
struct tsr_call *tsr_call_new(struct tsr_device *dev);

/** tsr_call_free() - back into the pool */
void tsr_call_free(struct tsr_device *dev, struct tsr_call *call);

/** tsr_call_destroy() - for the pool */
void tsr_call_destroy(void *object);

/** tsr_dispatch_encode() - words and bindings of this execution, as <drm/tessera_blob.h> says */
int tsr_dispatch_encode(struct tsr_call *call, const struct tsr_tensor *tensors,
			size_t tensor_count);

#endif

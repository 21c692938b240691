// SPDX-License-Identifier: MIT
/* Encoding dispatch blobs: everything of a run that is not structure. */
#include <errno.h>
#include <stdlib.h>

#include <drm/tessera_blob.h>

#include "buffer_int.h"
#include "call.h"

struct tsr_call *tsr_call_new(struct tsr_device *dev)
{
	struct tsr_call *call = tsr_pool_get(&dev->calls);

	return call ? call : calloc(1, sizeof(*call));
}

void tsr_call_destroy(void *object)
{
	struct tsr_call *call = object;

	tsr_plan_fini(&call->plan);
	tsr_vec_free(&call->dispatch);
	tsr_vec_free(&call->tensors);
	free(call);
}

void tsr_call_free(struct tsr_device *dev, struct tsr_call *call)
{
	call = tsr_pool_put(&dev->calls, call);
	if (call)
		tsr_call_destroy(call);
}

static uint64_t tensor_size(const struct tsr_tensor *t)
{
	return t->size ? t->size : t->buffer->size - t->offset;
}

static void put_bindings(struct tessera_bind *to, const struct tsr_operation *op,
			 const struct tsr_tensor *tensors, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (struct tessera_bind){
			.offset = tensors[i].offset,
			.size = tensor_size(&tensors[i]),
			.handle = tensors[i].buffer->handle,
			.access = tsr_op_tensor(op, i)->access,
		};
}

/* A word that the library computes, after the caller's own (RR-10). */
static uint32_t appended_word(const struct tsr_shape *shape, uint32_t what, struct tsr_core core,
			      const struct tsr_tensor *tensors)
{
	switch (what) {
	case TSR_APPENDED_RANK:
		return shape->rank[tsr_place(&shape->op->dev->limits, core.x, core.y)];
	case TSR_APPENDED_CORES:
		return shape->core_count;
	default:
		return (uint32_t)tensor_size(&tensors[what - TSR_APPENDED_TENSOR]);
	}
}

/* One core after the other: own words, then computed ones. */
static uint32_t *put_cores(uint32_t *to, const struct tsr_plan *plan, size_t descriptor,
			   const struct tsr_plan_run *run, const struct tsr_tensor *tensors)
{
	const struct tsr_plan_descriptor *p = tsr_plan_descriptor(plan, descriptor);
	const struct tsr_shape_descriptor *d = &plan->shape->descriptors[descriptor];
	const struct tsr_kernel_decl *k = tsr_op_kernel(plan->shape->op, d->kernel);

	for (uint32_t i = run->first; i < run->first + run->count; i++) {
		if (run->own)
			memcpy(to, tsr_plan_arg(p, d, i)->words, run->own * sizeof(*to));
		to += run->own;
		for (uint32_t a = 0; a < k->appended_count; a++)
			*to++ = appended_word(plan->shape, k->appended[a], d->list[i], tensors);
	}
	return to;
}

static uint32_t *put_words(uint32_t *to, const struct tsr_plan *plan, size_t descriptor,
			   const struct tsr_tensor *tensors)
{
	const struct tsr_plan_descriptor *p = tsr_plan_descriptor(plan, descriptor);
	const struct tsr_plan_run *run = tsr_plan_runs(plan, p);
	uint32_t kernel = plan->shape->descriptors[descriptor].kernel;
	bool appended = tsr_op_kernel(plan->shape->op, kernel)->appended_count;

	if (p->common_count)
		memcpy(to, p->common, p->common_count * sizeof(*to));
	to += p->common_count;
	for (const struct tsr_plan_run *end = run + p->run_count; run < end; run++) {
		if (appended || !run->words) {
			to = put_cores(to, plan, descriptor, run, tensors);
			continue;
		}
		memcpy(to, run->words, (size_t)run->count * run->own * sizeof(*to));
		to += (size_t)run->count * run->own;
	}
	return to;
}

int tsr_dispatch_encode(struct tsr_call *call, const struct tsr_tensor *tensors,
			size_t tensor_count)
{
	const struct tsr_plan *plan = &call->plan;
	struct tessera_dispatch_header *header;
	struct tessera_bind *bindings;
	uint32_t *words;
	uint64_t size = sizeof(*header) + tensor_count * sizeof(*bindings) +
			(uint64_t)plan->words * sizeof(*words);

	if (size > UINT32_MAX)
		return -E2BIG;
	call->dispatch.count = 0;
	header = tsr_vec_add(&call->dispatch, 1, (size_t)size);
	if (!header)
		return -ENOMEM;
	*header = (struct tessera_dispatch_header){
		.magic = TESSERA_DISPATCH_MAGIC,
		.version = TESSERA_BLOB_VERSION,
		.size = (uint32_t)size,
		.bindings = (uint32_t)tensor_count,
		.words = plan->words,
	};
	bindings = (struct tessera_bind *)(header + 1);
	put_bindings(bindings, plan->shape->op, tensors, tensor_count);
	words = (uint32_t *)(bindings + tensor_count);
	for (size_t i = 0; i < plan->shape->op->descriptors.count; i++)
		words = put_words(words, plan, i, tensors);
	return 0;
}

// SPDX-License-Identifier: MIT
/* Declaring operations; kernels are declared in kernel.c. */
#include <errno.h>
#include <stdlib.h>

#include "operation_int.h"
#include "resources_int.h"
#include "shape.h"
#include "staging.h"

static _Atomic uint64_t last_serial;

TSR_API int tsr_operation_new(struct tsr_device *dev, const char *name,
			      const struct tsr_coreset *cores, struct tsr_operation **ret_op)
{
	struct tsr_operation *op;
	int err = tsr_device_check(dev);

	if (err)
		return err;
	if (!tsr_name_ok(name) || !cores)
		return -EINVAL;
	op = calloc(1, sizeof(*op));
	if (op)
		op->cores = tsr_coreset_copy(cores);
	if (!op || !op->cores) {
		free(op);
		return -ENOMEM;
	}
	tsr_ref_init(&op->ref);
	op->serial = atomic_fetch_add(&last_serial, 1) + 1;
	op->dev = tsr_device_ref(dev);
	strcpy(op->name, name);
	pthread_mutex_init(&op->lock, NULL);
	*ret_op = op;
	return 0;
}

TSR_API struct tsr_operation *tsr_operation_ref(struct tsr_operation *op)
{
	tsr_ref_get(&op->ref);
	return op;
}

static void free_kernels(struct tsr_operation *op)
{
	struct tsr_kernel_decl *list = op->kernels.data;

	for (size_t i = 0; i < op->kernels.count; i++) {
		tsr_source_free(list[i].source);
		tsr_defs_fini(&list[i].defs);
		free(list[i].appended);
		tsr_kernel_unref(list[i].handle);
	}
	tsr_vec_free(&op->kernels);
}

static void free_sets(struct tsr_operation *op)
{
	struct tsr_descriptor_decl *descriptors = op->descriptors.data;
	struct tsr_cb_decl *cbs = op->cbs.data;
	struct tsr_semaphore_decl *semaphores = op->semaphores.data;

	for (size_t i = 0; i < op->descriptors.count; i++) {
		tsr_coreset_free(descriptors[i].cores);
		tsr_defs_fini(&descriptors[i].defs);
	}
	for (size_t i = 0; i < op->cbs.count; i++)
		tsr_coreset_free(cbs[i].cores);
	for (size_t i = 0; i < op->semaphores.count; i++)
		tsr_coreset_free(semaphores[i].cores);
	tsr_vec_free(&op->descriptors);
	tsr_vec_free(&op->cbs);
	tsr_vec_free(&op->semaphores);
	tsr_coreset_free(op->cores);
}

TSR_API struct tsr_operation *tsr_operation_unref(struct tsr_operation *op)
{
	struct tsr_device *dev;

	if (!op || !tsr_ref_put(&op->ref))
		return NULL;
	dev = op->dev;
	tsr_resources_let_go(op->last);
	/* What it would end is the parent's. */
	if (op->factory_destroy && !tsr_device_check(op->dev))
		op->factory_destroy(op->factory_ctx);
	tsr_shape_free(atomic_load(&op->shape));
	tsr_staging_fini(op);
	free_kernels(op);
	free_sets(op);
	tsr_vec_free(&op->tensors);
	pthread_mutex_destroy(&op->lock);
	free(op);
	tsr_device_unref(dev);
	return NULL;
}

TSR_API const char *tsr_operation_name(const struct tsr_operation *op)
{
	return op->name;
}

TSR_API const struct tsr_coreset *tsr_operation_cores(const struct tsr_operation *op)
{
	return op->cores;
}

/* A copy of a set that may be NULL. */
static int copy_set(const struct tsr_coreset *cores, struct tsr_coreset **ret)
{
	*ret = cores ? tsr_coreset_copy(cores) : NULL;
	return cores && !*ret ? -ENOMEM : 0;
}

TSR_API int tsr_operation_add_circular_buffer(struct tsr_operation *op,
					      const struct tsr_circular_buffer *buffer)
{
	struct tsr_coreset *cores;
	struct tsr_cb_decl *cb;

	if (atomic_load(&op->shape))
		return -EPERM;
	if (!tsr_all_zero(buffer->reserved, sizeof(buffer->reserved)))
		return -EINVAL;
	if (copy_set(buffer->cores, &cores))
		return -ENOMEM;
	cb = tsr_vec_add(&op->cbs, sizeof(*cb), 1);
	if (!cb) {
		tsr_coreset_free(cores);
		return -ENOMEM;
	}
	*cb = (struct tsr_cb_decl){ buffer->id, buffer->page_size, buffer->page_count,
				    buffer->format, cores };
	return 0;
}

TSR_API int tsr_operation_add_semaphore(struct tsr_operation *op, uint32_t id, uint32_t initial,
					const struct tsr_coreset *cores)
{
	struct tsr_semaphore_decl *semaphore;
	struct tsr_coreset *copy;

	if (atomic_load(&op->shape))
		return -EPERM;
	if (copy_set(cores, &copy))
		return -ENOMEM;
	semaphore = tsr_vec_add(&op->semaphores, sizeof(*semaphore), 1);
	if (!semaphore) {
		tsr_coreset_free(copy);
		return -ENOMEM;
	}
	*semaphore = (struct tsr_semaphore_decl){ id, initial, copy };
	return 0;
}

TSR_API int tsr_operation_add_tensor(struct tsr_operation *op, uint32_t access, uint64_t min_size)
{
	struct tsr_tensor_decl *tensor;

	if (atomic_load(&op->shape))
		return -EPERM;
	if (!access || access > TSR_ACCESS_INOUT || !min_size)
		return -EINVAL;
	tensor = tsr_vec_add(&op->tensors, sizeof(*tensor), 1);
	if (!tensor)
		return -ENOMEM;
	*tensor = (struct tsr_tensor_decl){ access, min_size };
	return 0;
}

TSR_API int tsr_operation_set_factory(struct tsr_operation *op, tsr_factory_fn factory, void *ctx,
				      void (*destroy)(void *ctx))
{
	if (atomic_load(&op->shape))
		return -EPERM;
	if (!factory)
		return -EINVAL;
	if (op->factory)
		return -EEXIST;
	op->factory = factory;
	op->factory_ctx = ctx;
	op->factory_destroy = destroy;
	return 0;
}

void tsr_operation_retired(struct tsr_operation *op, struct tsr_resources *res, uint64_t run_id)
{
	struct tsr_resources *old = res;

	pthread_mutex_lock(&op->lock);
	/* Runs of one operation in several contexts may be observed out of order. */
	if (run_id > op->last_run) {
		old = op->last;
		op->last = res;
		op->last_run = run_id;
	}
	pthread_mutex_unlock(&op->lock);
	tsr_resources_let_go(old);
}

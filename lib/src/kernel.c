// SPDX-License-Identifier: MIT
/* Handles of logical kernels, definitions, and their declaration in an operation. */
#include <errno.h>
#include <stdlib.h>

#include "operation_int.h"

TSR_API struct tsr_kernel *tsr_kernel_new(void)
{
	struct tsr_kernel *kernel = calloc(1, sizeof(*kernel));

	if (kernel)
		tsr_ref_init(&kernel->ref);
	return kernel;
}

TSR_API struct tsr_kernel *tsr_kernel_ref(struct tsr_kernel *kernel)
{
	tsr_ref_get(&kernel->ref);
	return kernel;
}

TSR_API struct tsr_kernel *tsr_kernel_unref(struct tsr_kernel *kernel)
{
	if (kernel && tsr_ref_put(&kernel->ref))
		free(kernel);
	return NULL;
}

static char *copy_sized(const char *text, size_t size)
{
	char *copy = malloc(size + 1);

	if (copy) {
		memcpy(copy, text, size);
		copy[size] = '\0';
	}
	return copy;
}

int tsr_defs_add(struct tsr_defs *defs, const struct tsr_definition *d)
{
	const char *name = d->name ? d->name : "";
	size_t name_size = d->name_size && d->name ? d->name_size : strlen(name);
	size_t value_size = d->value ? d->value_size : 0;
	struct tsr_def def = { 0 }, *p;

	if (d->value && !value_size)
		value_size = strlen(d->value);
	if (name_size > UINT32_MAX || value_size > UINT32_MAX)
		return -ENOMEM;
	def.name = copy_sized(name, name_size);
	def.value = d->value ? copy_sized(d->value, value_size) : NULL;
	def.name_size = (uint32_t)name_size;
	def.value_size = (uint32_t)value_size;
	p = def.name && (def.value || !d->value) ? tsr_vec_add(&defs->list, sizeof(def), 1) : NULL;
	if (!p) {
		free(def.name);
		free(def.value);
		return -ENOMEM;
	}
	*p = def;
	return 0;
}

void tsr_defs_fini(struct tsr_defs *defs)
{
	struct tsr_def *list = defs->list.data;

	for (size_t i = 0; i < defs->list.count; i++) {
		free(list[i].name);
		free(list[i].value);
	}
	tsr_vec_free(&defs->list);
}

static int check_info(const struct tsr_operation *op, const struct tsr_kernel_info *info)
{
	bool compute = info->kind == TSR_KERNEL_COMPUTE;

	if (!tsr_name_ok(info->name) || (!compute && info->kind != TSR_KERNEL_DATA_MOVEMENT) ||
	    info->processor >= TSR_PROCESSORS ||
	    compute != (info->processor == TSR_PROCESSOR_COMPUTE) ||
	    info->options & ~TSR_KERNEL_UNCACHED || info->pad ||
	    !tsr_all_zero(info->reserved, sizeof(info->reserved)))
		return -EINVAL;
	for (size_t i = 0; i < info->appended_count; i++)
		if (info->appended[i] != TSR_APPENDED_RANK &&
		    info->appended[i] != TSR_APPENDED_CORES &&
		    (info->appended[i] < TSR_APPENDED_TENSOR ||
		     info->appended[i] - TSR_APPENDED_TENSOR > 0xffff))
			return -EINVAL;
	for (size_t i = 0; i < op->kernels.count; i++) {
		const struct tsr_kernel_decl *k = tsr_op_kernel(op, i);

		if (!strcmp(k->name, info->name) ||
		    (!info->handle && !k->handle && k->kind == info->kind))
			return -EEXIST;
	}
	return 0;
}

static void kernel_decl_fini(struct tsr_kernel_decl *k)
{
	tsr_source_free(k->source);
	tsr_defs_fini(&k->defs);
	free(k->appended);
	tsr_kernel_unref(k->handle);
}

/* @source: NULL: what @info says; else taken over, also when it fails */
static int copy_info(struct tsr_kernel_decl *k, const struct tsr_kernel_info *info,
		     struct tsr_source *source)
{
	int err = 0;

	*k = (struct tsr_kernel_decl){ .kind = info->kind, .processor = info->processor };
	strcpy(k->name, info->name);
	k->source = source;
	if (!source)
		err = tsr_source_new(info, &k->source);
	for (size_t i = 0; !err && i < info->definition_count; i++)
		err = tsr_defs_add(&k->defs, &info->definitions[i]);
	if (!err && info->appended_count) {
		k->appended = calloc(info->appended_count, sizeof(*k->appended));
		if (!k->appended)
			return -ENOMEM;
		memcpy(k->appended, info->appended,
		       info->appended_count * sizeof(*k->appended));
		k->appended_count = (uint32_t)info->appended_count;
	}
	return err;
}

/* Bind a handle, once for good: the serial is only ever set from 0. */
static int bind_handle(struct tsr_operation *op, struct tsr_kernel *handle)
{
	uint64_t unbound = 0;

	if (!atomic_compare_exchange_strong(&handle->bound_to, &unbound, UINT64_MAX))
		return -EBUSY;
	strcpy(handle->owner, op->name);
	atomic_store(&handle->bound_to, op->serial);
	return 0;
}

/* The whole operation, which an explicit descriptor replaces later. */
static int add_first_descriptor(struct tsr_operation *op, uint32_t kernel,
				const struct tsr_coreset *cores)
{
	struct tsr_descriptor_decl *d = tsr_vec_add(&op->descriptors, sizeof(*d), 1);

	if (!d)
		return -ENOMEM;
	*d = (struct tsr_descriptor_decl){ .kernel = kernel };
	if (cores) {
		d->cores = tsr_coreset_copy(cores);
		if (!d->cores) {
			op->descriptors.count--;
			return -ENOMEM;
		}
	}
	return 0;
}

static void drop_last_descriptor(struct tsr_operation *op)
{
	struct tsr_descriptor_decl *list = op->descriptors.data;

	tsr_coreset_free(list[--op->descriptors.count].cores);
}

int tsr_operation_add_source(struct tsr_operation *op, const struct tsr_kernel_info *info,
			     struct tsr_source *source)
{
	struct tsr_kernel_decl k = { 0 }, *p;
	int err = atomic_load(&op->shape) ? -EPERM : check_info(op, info);

	if (err) {
		tsr_source_free(source);
		return err;
	}
	err = copy_info(&k, info, source);
	p = err ? NULL : tsr_vec_add(&op->kernels, sizeof(k), 1);
	if (!err && !p)
		err = -ENOMEM;
	if (!err) {
		err = add_first_descriptor(op, (uint32_t)op->kernels.count - 1, info->cores);
		if (!err && info->handle) {
			err = bind_handle(op, info->handle);
			if (err)
				drop_last_descriptor(op);
		}
		if (err)
			op->kernels.count--;
	}
	if (err) {
		kernel_decl_fini(&k);
		return err;
	}
	if (info->handle)
		k.handle = tsr_kernel_ref(info->handle);
	k.has_descriptor = info->cores != NULL;
	*p = k;
	return 0;
}

TSR_API int tsr_operation_add_kernel(struct tsr_operation *op, const struct tsr_kernel_info *info)
{
	return tsr_operation_add_source(op, info, NULL);
}

/* The descriptor that stands for "all of the operation", or a new one. */
static struct tsr_descriptor_decl *next_descriptor(struct tsr_operation *op, uint32_t kernel)
{
	struct tsr_descriptor_decl *list = op->descriptors.data;
	struct tsr_kernel_decl *k = (struct tsr_kernel_decl *)op->kernels.data + kernel;

	for (size_t i = 0; !k->has_descriptor && i < op->descriptors.count; i++)
		if (list[i].kernel == kernel)
			return &list[i];
	list = tsr_vec_add(&op->descriptors, sizeof(*list), 1);
	if (list)
		*list = (struct tsr_descriptor_decl){ .kernel = kernel };
	return list;
}

static int find_kernel(const struct tsr_operation *op, const char *name, uint32_t *ret_kernel)
{
	for (size_t i = 0; i < op->kernels.count; i++)
		if (!strcmp(tsr_op_kernel(op, i)->name, name)) {
			*ret_kernel = (uint32_t)i;
			return 0;
		}
	return -ENOENT;
}

TSR_API int tsr_operation_add_descriptor(struct tsr_operation *op, const char *kernel,
					 const struct tsr_coreset *cores,
					 const struct tsr_definition *definitions,
					 size_t definition_count)
{
	struct tsr_defs defs = { 0 };
	struct tsr_descriptor_decl *d = NULL;
	struct tsr_coreset *copy;
	uint32_t index;
	int err;

	if (atomic_load(&op->shape))
		return -EPERM;
	if (!kernel || !cores)
		return -EINVAL;
	err = find_kernel(op, kernel, &index);
	for (size_t i = 0; !err && i < definition_count; i++)
		err = tsr_defs_add(&defs, &definitions[i]);
	copy = err ? NULL : tsr_coreset_copy(cores);
	if (copy)
		d = next_descriptor(op, index);
	if (!d) {
		tsr_coreset_free(copy);
		tsr_defs_fini(&defs);
		return err ? err : -ENOMEM;
	}
	d->cores = copy;
	d->defs = defs;
	((struct tsr_kernel_decl *)op->kernels.data)[index].has_descriptor = true;
	return 0;
}

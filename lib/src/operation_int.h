/* SPDX-License-Identifier: MIT */
/* The inside of an operation: what was declared, and the handles of its kernels. */
#ifndef TSR_OPERATION_INT_H
#define TSR_OPERATION_INT_H

#include <tessera/operation.h>

#include "coreset_int.h"
#include "device_int.h"
#include "source.h"

struct tsr_shape;
struct tsr_staging;

/** struct tsr_kernel - see <tessera/kernel.h> */
struct tsr_kernel {
	atomic_uint ref;
	_Atomic uint64_t bound_to;	/* serial of the operation, or 0 (RR-8) */
	char owner[64];			/* its name, for findings; written before @bound_to */
};

/** struct tsr_def - a definition with its sizes counted; not yet judged */
struct tsr_def {
	char *name, *value;		/* @value NULL is finding V7; each ends with an extra NUL */
	uint32_t name_size, value_size;
};

/** struct tsr_defs - definitions in the order in which they came */
struct tsr_defs {
	struct tsr_vec list;		/* struct tsr_def */
};

/** tsr_defs_add() - append a copy. 0, -ENOMEM. */
int tsr_defs_add(struct tsr_defs *defs, const struct tsr_definition *definition);
void tsr_defs_fini(struct tsr_defs *defs);

/** struct tsr_descriptor_decl - a kernel on a set of cores */
struct tsr_descriptor_decl {
	uint32_t kernel;
	struct tsr_coreset *cores;	/* NULL: the operation's */
	struct tsr_defs defs;
};

/** struct tsr_kernel_decl - a logical kernel */
struct tsr_kernel_decl {
	char name[64];
	uint32_t kind, processor;
	struct tsr_kernel *handle;	/* NULL: canonical of its kind */
	struct tsr_source *source;
	struct tsr_defs defs;
	uint32_t *appended;
	uint32_t appended_count;
	bool has_descriptor;
};

struct tsr_cb_decl {
	uint32_t id, page_size, page_count, format;
	struct tsr_coreset *cores;	/* NULL: the operation's */
};

struct tsr_semaphore_decl {
	uint32_t id, initial;
	struct tsr_coreset *cores;	/* NULL: the operation's */
};

struct tsr_tensor_decl {
	uint32_t access;
	uint64_t min_size;
};

/** struct tsr_operation - see <tessera/operation.h> */
struct tsr_operation {
	atomic_uint ref;
	uint64_t serial;		/* never used again in this process */
	struct tsr_device *dev;
	char name[64];
	struct tsr_coreset *cores;
	struct tsr_vec kernels;		/* struct tsr_kernel_decl */
	struct tsr_vec descriptors;	/* struct tsr_descriptor_decl */
	struct tsr_vec cbs;		/* struct tsr_cb_decl */
	struct tsr_vec semaphores;	/* struct tsr_semaphore_decl */
	struct tsr_vec tensors;		/* struct tsr_tensor_decl */
	tsr_factory_fn factory;
	void *factory_ctx;
	void (*factory_destroy)(void *ctx);
	pthread_mutex_t lock;		/* making @shape; what is below; inside no other lock */
	_Atomic(struct tsr_shape *) shape;	/* NULL until the first submit */
	struct tsr_resources *last;	/* owners of the last successful run (LT-2) */
	uint64_t last_run;		/* its id */
	struct tsr_staging *staging;	/* free ones, the last used first */
	uint32_t staging_count;
};

static inline const struct tsr_kernel_decl *tsr_op_kernel(const struct tsr_operation *op, size_t i)
{
	return (const struct tsr_kernel_decl *)op->kernels.data + i;
}

static inline const struct tsr_descriptor_decl *tsr_op_descriptor(const struct tsr_operation *op,
								  size_t i)
{
	return (const struct tsr_descriptor_decl *)op->descriptors.data + i;
}

static inline const struct tsr_cb_decl *tsr_op_cb(const struct tsr_operation *op, size_t i)
{
	return (const struct tsr_cb_decl *)op->cbs.data + i;
}

static inline const struct tsr_semaphore_decl *tsr_op_semaphore(const struct tsr_operation *op,
								size_t i)
{
	return (const struct tsr_semaphore_decl *)op->semaphores.data + i;
}

static inline const struct tsr_tensor_decl *tsr_op_tensor(const struct tsr_operation *op, size_t i)
{
	return (const struct tsr_tensor_decl *)op->tensors.data + i;
}

/** tsr_op_set() - a declared set, where NULL stands for all of the operation's cores */
static inline const struct tsr_coreset *tsr_op_set(const struct tsr_operation *op,
						   const struct tsr_coreset *cores)
{
	return cores ? cores : op->cores;
}

/** tsr_operation_add_source() - add a kernel with this source, which is taken over, or NULL */
int tsr_operation_add_source(struct tsr_operation *op, const struct tsr_kernel_info *info,
			     struct tsr_source *source);

/** tsr_operation_retired() - a run succeeded: keep its owners instead of the last ones (LT-2) */
void tsr_operation_retired(struct tsr_operation *op, struct tsr_resources *res, uint64_t run_id);

#endif

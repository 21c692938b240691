/* SPDX-License-Identifier: MIT */
/*
 * An operation: declared kernels, the cores they may use, and an optional factory that supplies
 * resources for each execution.
 *
 * Declare it from one thread. The first submit freezes it: what declares returns -EPERM from then
 * on, and the operation may be submitted from several threads. Most of what is declared is
 * checked at submit, together with the resources, so that all findings come in one pass (RR-7).
 */
#ifndef TESSERA_OPERATION_H
#define TESSERA_OPERATION_H

#include <stddef.h>
#include <stdint.h>
#include <tessera/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_coreset;
struct tsr_device;
struct tsr_resources;

/*
 * struct tsr_operation - an operation
 */
struct tsr_operation;

/**
 * tsr_operation_new() - declare an operation
 * @dev: that will execute it
 * @name: 1 .. 63 printable bytes, shown in dumps
 * @cores: its worker cores; copied
 * @ret_op: release with tsr_operation_unref()
 *
 * Return: 0, -EINVAL, -ENOMEM, -EPERM after fork.
 */
int tsr_operation_new(struct tsr_device *dev, const char *name, const struct tsr_coreset *cores,
		      struct tsr_operation **ret_op);

/**
 * tsr_operation_ref() - one more reference
 * @op: the operation
 *
 * Return: @op.
 */
struct tsr_operation *tsr_operation_ref(struct tsr_operation *op);

/**
 * tsr_operation_unref() - drop a reference; takes NULL
 * @op: the operation
 *
 * A run holds its operation. The last reference releases the owners of its last successful run
 * (LT-2) and calls the factory's destroy function.
 *
 * Return: NULL.
 */
struct tsr_operation *tsr_operation_unref(struct tsr_operation *op);

/**
 * tsr_operation_name() - what it is called
 * @op: the operation
 *
 * Return: the name, borrowed.
 */
const char *tsr_operation_name(const struct tsr_operation *op);

/**
 * tsr_operation_cores() - its worker cores
 * @op: the operation
 *
 * Return: the set, borrowed: do not change it.
 */
const struct tsr_coreset *tsr_operation_cores(const struct tsr_operation *op);

/**
 * tsr_operation_add_kernel() - declare a logical kernel
 * @op: the operation
 * @info: all of it is copied
 *
 * With @info->cores NULL the kernel runs on all of the operation's cores, unless
 * tsr_operation_add_descriptor() says otherwise.
 *
 * Return: 0; -EINVAL unknown kind, processor of another kind, bad name, no or several sources;
 * -EEXIST name taken, or a second canonical kernel of a kind; -EBUSY handle bound before;
 * -ENOENT and others of open() for @info->source_path; -EPERM frozen; -ENOMEM.
 */
int tsr_operation_add_kernel(struct tsr_operation *op, const struct tsr_kernel_info *info);

/**
 * tsr_operation_add_descriptor() - specialise a kernel for some cores (RR-9)
 * @op: the operation
 * @kernel: name of a declared kernel
 * @cores: where; disjoint from its other descriptors (V20), inside the operation (V21)
 * @definitions: base definitions of this descriptor only, on top of the kernel's
 * @definition_count: number of @definitions
 *
 * Return: 0, -ENOENT no such kernel, -EINVAL, -EPERM frozen, -ENOMEM.
 */
int tsr_operation_add_descriptor(struct tsr_operation *op, const char *kernel,
				 const struct tsr_coreset *cores,
				 const struct tsr_definition *definitions, size_t definition_count);

/**
 * enum tsr_element - what the tiles of a circular buffer hold
 */
enum tsr_element {
	/** @TSR_ELEMENT_RAW: bytes; no tile operation */
	TSR_ELEMENT_RAW = 0,
	/** @TSR_ELEMENT_INT8: tile of 1024 bytes */
	TSR_ELEMENT_INT8 = 1,
	/** @TSR_ELEMENT_INT32: tile of 4096 bytes */
	TSR_ELEMENT_INT32 = 2,
	/** @TSR_ELEMENT_BF16: tile of 2048 bytes */
	TSR_ELEMENT_BF16 = 3,
	/** @TSR_ELEMENT_FP32: tile of 4096 bytes */
	TSR_ELEMENT_FP32 = 4
};

/**
 * struct tsr_circular_buffer - declaration of a circular buffer
 */
struct tsr_circular_buffer {
	/** @id: below limits.circular_buffers, once a core */
	uint32_t id;
	/** @page_size: bytes, multiple of 16 */
	uint32_t page_size;
	/** @page_count: at least 1 */
	uint32_t page_count;
	/** @format: enum tsr_element */
	uint32_t format;
	/** @cores: NULL for all of the operation's; copied */
	const struct tsr_coreset *cores;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * tsr_operation_add_circular_buffer() - declare one; the library places it in L1
 * @op: the operation
 * @buffer: the buffer
 *
 * Buffers of one id on disjoint cores may differ. Sizes and ids are checked at submit (V22).
 *
 * Return: 0, -EINVAL, -EPERM frozen, -ENOMEM.
 */
int tsr_operation_add_circular_buffer(struct tsr_operation *op,
				      const struct tsr_circular_buffer *buffer);

/**
 * tsr_operation_add_semaphore() - declare a compiler-managed semaphore
 * @op: the operation
 * @id: all ids together are 0 .. N-1, each once; checked at submit before the factory runs (RR-3)
 * @initial: value at the start of each run
 * @cores: NULL for all of the operation's; copied
 *
 * Return: 0, -EPERM frozen, -ENOMEM.
 */
int tsr_operation_add_semaphore(struct tsr_operation *op, uint32_t id, uint32_t initial,
				const struct tsr_coreset *cores);

/**
 * enum tsr_access - how kernels may use a tensor (IO-1); a bit mask
 */
enum tsr_access {
	/** @TSR_ACCESS_IN: kernels read it */
	TSR_ACCESS_IN = 1,
	/** @TSR_ACCESS_OUT: kernels write it */
	TSR_ACCESS_OUT = 2,
	/** @TSR_ACCESS_INOUT: both */
	TSR_ACCESS_INOUT = 3
};

/**
 * tsr_operation_add_tensor() - declare the next tensor; the first has index 0, as kernels name it
 * @op: the operation
 * @access: enum tsr_access
 * @min_size: bytes that a run must bind at least; at least 1
 *
 * Return: 0, -EINVAL, -EPERM frozen, -ENOMEM.
 */
int tsr_operation_add_tensor(struct tsr_operation *op, uint32_t access, uint64_t min_size);

/**
 * struct tsr_tensor - device memory bound at one index
 */
struct tsr_tensor {
	/** @buffer: the memory */
	struct tsr_buffer *buffer;
	/** @offset: bytes into it, multiple of 16 */
	uint64_t offset;
	/** @size: bytes, or 0 for all that follows @offset */
	uint64_t size;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * struct tsr_factory_input - what a factory knows (RR-2); borrowed for the call
 */
struct tsr_factory_input {
	/** @op: the operation */
	struct tsr_operation *op;
	/** @dev: its device */
	struct tsr_device *dev;
	/** @tensors: of this execution */
	const struct tsr_tensor *tensors;
	/** @tensor_count: number of @tensors */
	size_t tensor_count;
	/** @cores: the operation's worker cores */
	const struct tsr_coreset *cores;
	/** @first_free_semaphore_id: lowest id it may define */
	uint32_t first_free_semaphore_id;
};

/**
 * typedef tsr_factory_fn - supplies the resources of one execution
 * @ctx: as registered
 * @input: what is known
 * @res: to be filled; sealed when the function returns
 *
 * Called exactly once per execution, before anything is built (RR-1), by the thread that submits.
 * An error ends the invocation and is kept as its cause (RR-6).
 *
 * Return: 0 or a negative errno.
 */
typedef int (*tsr_factory_fn)(void *ctx, const struct tsr_factory_input *input,
			      struct tsr_resources *res);

/**
 * tsr_operation_set_factory() - register the factory
 * @op: the operation
 * @factory: the function
 * @ctx: handed to it
 * @destroy: called with @ctx when the operation goes; may be NULL
 *
 * Return: 0, -EINVAL no function, -EEXIST there is one, -EPERM frozen. After a failure @ctx is
 * still the caller's.
 */
int tsr_operation_set_factory(struct tsr_operation *op, tsr_factory_fn factory, void *ctx,
			      void (*destroy)(void *ctx));

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Program mode (RUN-13): host memory as tensors. The library stages what the kernels read and
 * copies back what they wrote. Any thread.
 */
#ifndef TESSERA_STAGED_H
#define TESSERA_STAGED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_buffer;
struct tsr_context;
struct tsr_diag;
struct tsr_operation;
struct tsr_run;
struct tsr_submit_options;

/**
 * struct tsr_staged_tensor - what is bound at one index: host memory, or a device buffer
 */
struct tsr_staged_tensor {
	/** @memory: on the host; read when declared IN, written when OUT, both when INOUT */
	void *memory;
	/** @buffer: device memory instead, which is bound as it is; NULL with @memory */
	struct tsr_buffer *buffer;
	/** @offset: bytes into @buffer, multiple of 16; 0 with @memory */
	uint64_t offset;
	/** @size: bytes of @memory, at least 1; of @buffer as in struct tsr_tensor */
	uint64_t size;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * tsr_submit_staged() - tsr_submit() with tensors in host memory
 * @op: what; frozen by this
 * @context: in which queue
 * @tensors: one for each declared tensor
 * @tensor_count: number of @tensors
 * @options: or NULL for the defaults
 * @ret_run: release with tsr_run_unref()
 * @reterr_diag: why it failed; free with tsr_diag_free(); may be NULL
 *
 * Memory of IN and INOUT tensors is copied to the device before this returns, and may be changed
 * or freed then if it is IN. After success OUT and INOUT tensors are copied back, once, by the
 * thread that observes the end, before tsr_run_wait() returns to anybody: their memory has to stay
 * until then. After a failure nothing is copied back (TSR_STATUS_COPIED_BACK in the status). A run
 * whose last reference is dropped before its end was observed is detached: it copies nothing back,
 * and the memory may be freed.
 *
 * The device memory is the library's, kept with the operation and used again by runs whose tensors
 * fit. Bytes of an OUT tensor that no kernel writes are undefined afterwards.
 *
 * Return: as tsr_submit(); -ENOMEM, -ENODEV no device memory, before the factory was called;
 * -E2BIG tensors of more than 2^63 bytes.
 */
int tsr_submit_staged(struct tsr_operation *op, struct tsr_context *context,
		    const struct tsr_staged_tensor *tensors, size_t tensor_count,
		    const struct tsr_submit_options *options, struct tsr_run **ret_run,
		    struct tsr_diag **reterr_diag);

/**
 * struct tsr_transfer - bytes that were copied for one tensor of a run (IO-2)
 */
struct tsr_transfer {
	/** @to_device: before the run */
	uint64_t to_device;
	/** @from_device: after it */
	uint64_t from_device;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * tsr_run_transfers() - what was copied, tensor by tensor
 * @run: the run
 * @ret_transfers: array of @max elements, filled as far as it goes
 * @max: 0 to ask for the number
 *
 * Return: the number of tensors, 0 for a run that was not submitted with tsr_submit_staged();
 * -EBUSY not ended; -EPERM after fork; -ENODEV.
 */
int tsr_run_transfers(struct tsr_run *run, struct tsr_transfer *ret_transfers, size_t max);

#ifdef __cplusplus
}
#endif

#endif

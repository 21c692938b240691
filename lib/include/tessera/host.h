/* SPDX-License-Identifier: MIT */
/*
 * The host reference engine (EX-1): executes an operation in this process, with the same engine
 * that the virtual device has, for debugging and for golden results. No node, no driver.
 *
 * It takes operations of any device, a real one or one of tsr_host_open(), and has that device's
 * limits and L1 layout. It has no runtime resources: an operation with a factory is refused, and
 * its factory is not called. Any thread; each execution has a grid of its own, whose memory is
 * clear at first.
 */
#ifndef TESSERA_HOST_H
#define TESSERA_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_coreset;
struct tsr_device;
struct tsr_diag;
struct tsr_operation;
struct tsr_processor_stats;
struct tsr_status;

/**
 * struct tsr_host_options - a grid; all zero is the default
 */
struct tsr_host_options {
	/** @grid_width: 1 .. 64 columns; 0 for 4 */
	uint32_t grid_width;
	/** @grid_height: 1 .. 64 rows, at most 1024 cores; 0 for 4 */
	uint32_t grid_height;
	/** @l1_size: 64 KiB .. 4 MiB, multiple of 4096; 0 for 512 KiB */
	uint32_t l1_size;
	/** @image_slot: 4 KiB .. l1_size / 4, multiple of 4096; 0 for 32 KiB */
	uint32_t image_slot;
	/** @words: 16 .. 4096 of a processor; 0 for 256 */
	uint32_t words;
	/** @seed: as kernels read it; 0 for 1 */
	uint32_t seed;
	/** @no_progress_ms: an execution is ended after so long; 0 for 5000 */
	uint32_t no_progress_ms;
	/** @pad: zero */
	uint32_t pad;
	/** @harvested: cores that do not work; NULL for none; copied */
	const struct tsr_coreset *harvested;
	/** @reserved: zero */
	uint64_t reserved[4];
};

/**
 * tsr_host_open() - a device without a node, for the host engine only
 * @options: or NULL for the defaults
 * @ret_dev: release with tsr_device_unref()
 *
 * Operations are declared on it, validated and compiled as on any other. What needs a node
 * (buffers, submits, state, counters) returns -ENODEV.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int tsr_host_open(const struct tsr_host_options *options, struct tsr_device **ret_dev);

/**
 * struct tsr_host_tensor - memory of the caller, bound at one index
 */
struct tsr_host_tensor {
	/** @mem: read and written in place */
	void *mem;
	/** @size: bytes, at least as declared */
	uint64_t size;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/* What an execution left behind; belongs to one thread at a time. */
struct tsr_host_run;

/**
 * tsr_host_execute() - execute an operation, from its validation to the end of its kernels
 * @op: what; frozen by this
 * @tensors: one for each declared tensor
 * @tensor_count: number of @tensors
 * @ret_run: how it went, well or not; free with tsr_host_run_free()
 * @reterr_diag: why it was not executed; free with tsr_diag_free(); may be NULL
 *
 * Processors take turns in one thread, so equal inputs give equal results and equal cycles. Where
 * all of them wait for each other, or nothing moves for limits.no_progress_ms, the execution is
 * ended, as a device would.
 *
 * Return: 0 it was executed, see tsr_host_run_verdict(); -EOPNOTSUPP the operation has a factory
 * (finding EX-1), or its device has a layout that the engine cannot have; -EINVAL with findings;
 * -ENOEXEC a kernel does not build; -E2BIG; -ENOMEM; -EPERM after fork.
 */
int tsr_host_execute(struct tsr_operation *op, const struct tsr_host_tensor *tensors,
		     size_t tensor_count, struct tsr_host_run **ret_run,
		     struct tsr_diag **reterr_diag);

/**
 * tsr_host_run_free() - forget an execution
 * @run: the execution, or NULL
 *
 * Return: NULL.
 */
struct tsr_host_run *tsr_host_run_free(struct tsr_host_run *run);

/**
 * tsr_host_run_verdict() - how it ended, as tsr_run_verdict() says it
 * @run: the execution
 *
 * Return: 0 succeeded; -EIO a kernel faulted; -ETIME no progress.
 */
int tsr_host_run_verdict(const struct tsr_host_run *run);

/**
 * tsr_host_run_status() - how it ended, in full
 * @run: the execution
 *
 * Return: the record, with fault and stall; borrowed.
 */
const struct tsr_status *tsr_host_run_status(const struct tsr_host_run *run);

/**
 * tsr_host_run_processors() - figures of all processors that took part
 * @run: the execution
 * @ret_count: number of them
 *
 * Return: the figures, ascending by (y, x, processor); borrowed.
 */
const struct tsr_processor_stats *tsr_host_run_processors(const struct tsr_host_run *run,
							  size_t *ret_count);

/**
 * tsr_host_run_print() - device print
 * @run: the execution
 *
 * Return: lines "x,y processor: text"; borrowed.
 */
const char *tsr_host_run_print(const struct tsr_host_run *run);

#ifdef __cplusplus
}
#endif

#endif

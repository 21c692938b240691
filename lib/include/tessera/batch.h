/* SPDX-License-Identifier: MIT */
/* Several runs submitted by one call into the kernel. Any thread. */
#ifndef TESSERA_BATCH_H
#define TESSERA_BATCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_context;
struct tsr_diag;
struct tsr_staged_tensor;
struct tsr_operation;
struct tsr_run;
struct tsr_submit_options;
struct tsr_tensor;

/**
 * struct tsr_submission - what tsr_submit() or tsr_submit_staged() would be called with
 */
struct tsr_submission {
	/** @op: what */
	struct tsr_operation *op;
	/** @tensors: device memory, one for each declared tensor; NULL with @staged_tensors */
	const struct tsr_tensor *tensors;
	/** @staged_tensors: host memory instead */
	const struct tsr_staged_tensor *staged_tensors;
	/** @tensor_count: number of either */
	size_t tensor_count;
	/** @options: or NULL; of its flags only TSR_SUBMIT_PROFILE and TSR_SUBMIT_PRINT */
	const struct tsr_submit_options *options;
	/** @reserved: zero */
	uint64_t reserved[3];
};

/**
 * struct tsr_batch - how far a batch came
 */
struct tsr_batch {
	/** @accepted: runs accepted, from the first on */
	size_t accepted;
	/** @error: 0, or the negative errno of submission number @accepted */
	int error;
	/** @reserved: zero */
	uint32_t reserved[5];
};

/**
 * tsr_submit_batch() - queue several runs, in order
 * @context: in which queue
 * @submissions: what; each is prepared like a submit of its own
 * @count: 1 .. limits.batch
 * @flags: TSR_SUBMIT_NONBLOCK, TSR_SUBMIT_CLAIMED, for all of them
 * @ret_runs: array of @count elements, of which the accepted ones are filled in; release each with
 *            tsr_run_unref()
 * @ret_batch: how far it came; written also on failure
 * @reterr_diag: why the first refusal; also when runs before it were accepted; may be NULL
 *
 * Everything is prepared first: factories are called, programs built, tensors staged, in order. The
 * first refusal, by whomever, ends the batch: what was prepared before it is queued, what comes
 * after it is not looked at. Each run is accepted whole or not at all, and has its own status.
 * (Who repeats a failed call never submits twice.)
 *
 * Return: 0 when one or more were accepted, see @ret_batch; else the error of the first one, as
 * tsr_submit() has it; -EINVAL no submission, unknown @flags; -E2BIG more than limits.batch.
 */
int tsr_submit_batch(struct tsr_context *context, const struct tsr_submission *submissions,
		     size_t count, uint32_t flags, struct tsr_run **ret_runs,
		     struct tsr_batch *ret_batch, struct tsr_diag **reterr_diag);

#ifdef __cplusplus
}
#endif

#endif

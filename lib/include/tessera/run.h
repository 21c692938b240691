/* SPDX-License-Identifier: MIT */
/* A run: one execution of an operation, submitted once. Any thread. */
#ifndef TESSERA_RUN_H
#define TESSERA_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <tessera/operation.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_context;
struct tsr_diag;
struct tsr_status;

/*
 * struct tsr_run - observes one run
 */
struct tsr_run;

#define TSR_SUBMIT_PROFILE	(1u << 0)	/* keep figures for tsr_run_processors() */
#define TSR_SUBMIT_PRINT	(1u << 1)	/* keep device print for tsr_run_print() */
#define TSR_SUBMIT_NONBLOCK	(1u << 2)	/* a full queue refuses, see below */
#define TSR_SUBMIT_CLAIMED	(1u << 3)	/* only while the context holds the claim */

/**
 * struct tsr_sync - a DRM syncobj of the device's file
 */
struct tsr_sync {
	/** @handle: of the syncobj */
	uint32_t handle;
	/** @reserved: zero */
	uint32_t reserved;
	/** @point: on its timeline, or 0 for a binary one */
	uint64_t point;
};

/**
 * struct tsr_submit_options - all zero is the default
 */
struct tsr_submit_options {
	/** @flags: TSR_SUBMIT_* */
	uint32_t flags;
	/** @in_count: number of @in_syncs */
	uint32_t in_count;
	/** @out_count: number of @out_syncs */
	uint32_t out_count;
	/** @time_limit_ms: most time from launch to completion (FL-3), or 0 for no limit */
	uint32_t time_limit_ms;
	/** @in_syncs: the run starts after all of them */
	const struct tsr_sync *in_syncs;
	/** @out_syncs: signalled when the run ends */
	const struct tsr_sync *out_syncs;
	/** @user_data: comes back in the status */
	uint64_t user_data;
	/** @reserved: zero */
	uint64_t reserved[4];
};

/**
 * tsr_submit() - execute an operation
 * @op: what; frozen by this
 * @context: in which queue
 * @tensors: one for each declared tensor
 * @tensor_count: number of @tensors
 * @options: or NULL for the defaults
 * @ret_run: release with tsr_run_unref()
 * @reterr_diag: why it failed; free with tsr_diag_free(); may be NULL
 *
 * Calls the factory once, validates, looks the program up by its structure and builds it if it is
 * new, then queues the run. While the context's queue is full (-EAGAIN), or the limit of programs
 * being built is reached (-EBUSY), it blocks, or refuses with TSR_SUBMIT_NONBLOCK. Everything that
 * was passed may be changed or freed when it returns; the content of device buffers is not copied
 * (LT-1).
 *
 * Return: 0; -EINVAL with findings; the factory's own error; -ENOEXEC a kernel does not build;
 * -E2BIG; -EAGAIN, -EBUSY full; -EINTR a signal came while it waited; -ECANCELED the context is
 * poisoned; -EXDEV objects of several devices; -EDEADLK it was called by a
 * progress function, in a build that would have to wait for itself; -ESTALE with TSR_SUBMIT_CLAIMED, and the context does not hold the claim (any
 * more), or a source changed while it was compiled; -EIO the device is wedged; -ENOMEM; -ENODEV;
 * -EPERM after fork. After a failure nothing runs, and nothing is kept.
 */
int tsr_submit(struct tsr_operation *op, struct tsr_context *context,
	       const struct tsr_tensor *tensors, size_t tensor_count,
	       const struct tsr_submit_options *options, struct tsr_run **ret_run,
	       struct tsr_diag **reterr_diag);

/**
 * tsr_run_ref() - one more reference
 * @run: the run
 *
 * Return: @run.
 */
struct tsr_run *tsr_run_ref(struct tsr_run *run);

/**
 * tsr_run_unref() - drop a reference; takes NULL
 * @run: the run
 *
 * The last one detaches: it neither waits nor cancels (RUN-9). A thread of the library then
 * observes the retirement and releases the owners.
 *
 * Return: NULL.
 */
struct tsr_run *tsr_run_unref(struct tsr_run *run);

/**
 * tsr_run_id() - unique on the device, ascending, never used again
 * @run: the run
 *
 * Return: the id.
 */
uint64_t tsr_run_id(const struct tsr_run *run);

/**
 * tsr_run_wait() - wait until the run has ended, well or not
 * @run: the run
 * @timeout_ns: from now; 0 asks, negative waits for ever
 *
 * Looks at the progress page of the context first, which costs no system call, spins on it for
 * some 20 microseconds at most, and sleeps then. Whoever sees the end first copies outputs back
 * (tsr_submit_staged()) and releases the owners on the way (LT-3).
 *
 * Return: 0 it has ended, see tsr_run_verdict(); -ETIME not yet, the run stays live; -EPERM;
 * -ENODEV.
 */
int tsr_run_wait(struct tsr_run *run, int64_t timeout_ns);

/**
 * tsr_run_verdict() - how it ended, as an errno: the one that its fence carries
 * @run: the run
 *
 * Return: 0 succeeded; -EBUSY not ended; -EIO a kernel faulted, or the device failed; -ETIME no
 * progress; -ECANCELED cancelled, stopped, or its context poisoned or gone; -ENODEV gone; -EPERM
 * after fork. The status says it more exactly.
 */
int tsr_run_verdict(struct tsr_run *run);

/**
 * tsr_run_status() - copy the status record, at any time.
 * @run: the run
 * @ret_status: filled in
 *
 * Return: 0, -EPERM, -ENODEV.
 */
int tsr_run_status(struct tsr_run *run, struct tsr_status *ret_status);

/**
 * tsr_run_cancel() - end it
 * @run: the run
 *
 * One not yet launched ends at once, a launched one is asked to stop and ends soon; one that has
 * ended stays as it is.
 *
 * Return: 0, -EPERM, -ENODEV.
 */
int tsr_run_cancel(struct tsr_run *run);

/**
 * tsr_run_fd() - a sync_file, readable when the run has ended; the caller closes it
 * @run: the run
 * @ret_fd: the descriptor
 *
 * Return: 0, -errno.
 */
int tsr_run_fd(struct tsr_run *run, int *ret_fd);

/**
 * struct tsr_processor_stats - what one processor did in one run
 */
struct tsr_processor_stats {
	/** @x: column */
	uint16_t x;
	/** @y: row */
	uint16_t y;
	/** @processor: enum tsr_processor */
	uint32_t processor;
	/** @cycles: from launch to its end */
	uint64_t cycles;
	/** @instructions: retired */
	uint64_t instructions;
	/** @wait_cycles: stalled */
	uint64_t wait_cycles;
	/** @noc_read: bytes */
	uint64_t noc_read;
	/** @noc_written: bytes */
	uint64_t noc_written;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * tsr_run_processors() - figures of all processors that took part, ascending by (y, x, processor)
 * @run: submitted with TSR_SUBMIT_PROFILE
 * @ret_stats: array, free with free()
 * @ret_count: of its elements
 *
 * Return: 0, -EBUSY not ended, -EOPNOTSUPP submitted without the flag, -ENOMEM, -EPERM.
 */
int tsr_run_processors(struct tsr_run *run, struct tsr_processor_stats **ret_stats,
		       size_t *ret_count);

/**
 * tsr_run_print() - device print: lines "x,y processor: text"
 * @run: submitted with TSR_SUBMIT_PRINT
 * @ret_text: ends with NUL, free with free()
 *
 * Return: as tsr_run_processors().
 */
int tsr_run_print(struct tsr_run *run, char **ret_text);

#ifdef __cplusplus
}
#endif

#endif

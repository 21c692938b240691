/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Tessera: ioctls of the DRM accel driver for grid accelerators.
 *
 * Rules that hold for every ioctl:
 *
 * - Every flag, pad and reserved field that is not defined must be zero (EINVAL).
 * - Structs never change size. What may grow is pointed to and carries its size
 *   or stride: a shorter one is zero-extended; the unknown tail of a longer one
 *   must be zero when read by the kernel (E2BIG) and is zeroed when written.
 * - Timeouts are absolute CLOCK_MONOTONIC nanoseconds; negative waits for ever.
 * - 0 is the only success. ENOENT unknown handle, EINVAL malformed, E2BIG over a
 *   limit, EAGAIN full, EBUSY in use, ESTALE old epoch or generation, ETIME wait
 *   expired, ECANCELED cancelled or poisoned, EIO device error, ENODEV gone,
 *   EOPNOTSUPP missing capability, EACCES priority, EFAULT bad pointer, ENOMEM,
 *   EINTR a signal came first.
 * - Outputs are written on success only, unless a field says otherwise.
 * - Handles belong to the open file and mean nothing in another one; never 0.
 */
#ifndef TESSERA_ACCEL_H
#define TESSERA_ACCEL_H

#if defined(__KERNEL__)
#include <drm/drm.h>
#else
#include <drm.h>	/* from libdrm; see pkg-config libdrm */
#endif
#include <drm/tessera_blob.h>
#include <drm/tessera_codes.h>
#include <drm/tessera_grid.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* --- query ------------------------------------------------------------------ */

/** enum drm_tessera_query_what - what DRM_IOCTL_TESSERA_QUERY writes */
enum drm_tessera_query_what {
	/** @DRM_TESSERA_QUERY_DEVICE: struct drm_tessera_device_info; index 0. */
	DRM_TESSERA_QUERY_DEVICE = 0,
	/** @DRM_TESSERA_QUERY_COUNTERS: struct drm_tessera_counters of the device; index 0. */
	DRM_TESSERA_QUERY_COUNTERS = 1,
	/** @DRM_TESSERA_QUERY_CONTEXT: struct drm_tessera_counters; index is a context handle. */
	DRM_TESSERA_QUERY_CONTEXT = 2,
};

/** struct drm_tessera_query - argument of DRM_IOCTL_TESSERA_QUERY */
struct drm_tessera_query {
	/** @what: enum drm_tessera_query_what. */
	__u32 what;
	/** @index: which object; see @what. */
	__u32 index;
	/** @size: in: bytes at @data (0 asks for the size only); out: bytes the kernel knows. */
	__u32 size;
	/** @pad: zero. */
	__u32 pad;
	/** @data: user pointer. */
	__u64 data;
};

#define DRM_TESSERA_HEALTH_GOOD		0	/* accepts and executes runs */
#define DRM_TESSERA_HEALTH_RESETTING	1
#define DRM_TESSERA_HEALTH_WEDGED	2	/* only a reset helps */
#define DRM_TESSERA_HEALTH_GONE		3

#define DRM_TESSERA_CAP_PROFILE		(1ull << 0)	/* DRM_TESSERA_RUN_PROFILE */
#define DRM_TESSERA_CAP_PRINT		(1ull << 1)	/* DRM_TESSERA_RUN_PRINT */
#define DRM_TESSERA_CAP_DETERMINISTIC	(1ull << 2)	/* equal runs take equal cycles (DEV-5) */

/** struct drm_tessera_device_info - limits and state of a device */
struct drm_tessera_device_info {
	/** @limits: fixed for the life of the device. */
	struct tessera_limits limits;
	/** @caps: DRM_TESSERA_CAP_*. */
	__u64 caps;
	/** @reset_generation: number of resets so far. */
	__u64 reset_generation;
	/** @health: DRM_TESSERA_HEALTH_*. */
	__u32 health;
	/** @seed: of the device, as kernels read it. */
	__u32 seed;
	/** @isa: RISC-V ISA string for compilers, NUL-terminated, e.g. "rv32im". */
	char isa[32];
	/** @name: of the device, NUL-terminated. */
	char name[32];
};

/**
 * struct drm_tessera_counters - what happened so far (OB-1)
 *
 * Monotonic, except those marked gauge. Append-only.
 */
struct drm_tessera_counters {
	/** @contexts: gauge: live contexts. */
	__u64 contexts;
	/** @buffers: gauge: live buffers, imported ones included. */
	__u64 buffers;
	/** @programs: gauge: live programs. */
	__u64 programs;
	/** @images: gauge: live distinct images (device only). */
	__u64 images;
	/** @runs: gauge: accepted and not yet released runs. */
	__u64 runs;
	/** @fences: gauge: live run fences (device only). */
	__u64 fences;
	/** @program_creates: programs created. */
	__u64 program_creates;
	/** @image_loads: images made resident. */
	__u64 image_loads;
	/** @image_unloads: images given up. */
	__u64 image_unloads;
	/** @runs_accepted: accepted by a submit. */
	__u64 runs_accepted;
	/** @runs_refused: submits refused, one per refused batch. */
	__u64 runs_refused;
	/** @runs_staged: put into a bank. */
	__u64 runs_staged;
	/** @runs_launched: handed to the cores. */
	__u64 runs_launched;
	/** @runs_completed: both boundaries seen. */
	__u64 runs_completed;
	/** @runs_failed_local: retired with a code of class LOCAL. */
	__u64 runs_failed_local;
	/** @runs_failed_queue: of class QUEUE. */
	__u64 runs_failed_queue;
	/** @runs_failed_device: of class DEVICE. */
	__u64 runs_failed_device;
	/** @runs_cancelled: ended CANCELLED. */
	__u64 runs_cancelled;
	/** @runs_quarantined: stop unproven. */
	__u64 runs_quarantined;
	/** @runs_retired: ended RETIRED, well or not. */
	__u64 runs_retired;
	/** @leases_taken: of banks. */
	__u64 leases_taken;
	/** @leases_returned: of banks. */
	__u64 leases_returned;
	/** @claims_taken: one for each launch. */
	__u64 claims_taken;
	/** @claims_released: equal to claims_taken when nothing executes. */
	__u64 claims_released;
	/** @resets: of the device. */
	__u64 resets;
	/** @scrubs: of L1, semaphores and circular buffers. */
	__u64 scrubs;
	/** @timeouts: runs ended by the no-progress limit or their own time limit. */
	__u64 timeouts;
	/** @queue_depth: gauge: accepted and not yet launched. */
	__u64 queue_depth;
	/** @queue_peak: highest queue_depth so far. */
	__u64 queue_peak;
	/** @inline_runs: completed in the submitter's own call. */
	__u64 inline_runs;
	/** @poisonings: times that a context was poisoned by a code of class QUEUE. */
	__u64 poisonings;
	/** @holds_granted: times that a context got the claim to hold. */
	__u64 holds_granted;
	/** @holds_revoked: times that one lost it to the hold limit. */
	__u64 holds_revoked;
	/** @resets_failed: attempts of a reset that failed. */
	__u64 resets_failed;
	/** @images_abandoned: could not be unloaded, nor the device reset; never tried again. */
	__u64 images_abandoned;
};

/* --- buffers ---------------------------------------------------------------- */

/** struct drm_tessera_bo_create - argument of DRM_IOCTL_TESSERA_BO_CREATE */
struct drm_tessera_bo_create {
	/** @size: bytes, >= 1; rounded up to whole pages. Out: the rounded size. */
	__u64 size;
	/** @flags: zero. */
	__u32 flags;
	/** @handle: out: GEM handle. Content is zero (IO-3). */
	__u32 handle;
};

/** struct drm_tessera_bo_mmap_offset - argument of DRM_IOCTL_TESSERA_BO_MMAP_OFFSET */
struct drm_tessera_bo_mmap_offset {
	/** @handle: GEM handle; EINVAL for an imported buffer. */
	__u32 handle;
	/** @flags: zero. */
	__u32 flags;
	/** @offset: out: for mmap() of the device file. */
	__u64 offset;
	/** @size: out: bytes of the buffer. */
	__u64 size;
};

/* --- contexts --------------------------------------------------------------- */

#define DRM_TESSERA_PRIORITY_LOW	0
#define DRM_TESSERA_PRIORITY_NORMAL	1
#define DRM_TESSERA_PRIORITY_HIGH	2	/* needs CAP_SYS_NICE (EACCES) */

/** struct drm_tessera_context_create - argument of DRM_IOCTL_TESSERA_CONTEXT_CREATE */
struct drm_tessera_context_create {
	/** @flags: zero. */
	__u32 flags;
	/** @priority: DRM_TESSERA_PRIORITY_*. */
	__u32 priority;
	/** @queue_capacity: 1 .. limits.queue_capacity, or 0 for the limit (E2BIG above). */
	__u32 queue_capacity;
	/** @handle: out. */
	__u32 handle;
	/** @id: out: unique on the device, for events and dumps. */
	__u64 id;
};

/**
 * struct drm_tessera_context_destroy - argument of DRM_IOCTL_TESSERA_CONTEXT_DESTROY
 *
 * Runs not yet launched end CANCELLED; a launched one is asked to stop. Does not
 * wait. Run handles stay valid. Closing the file does the same to all contexts.
 */
struct drm_tessera_context_destroy {
	/** @handle: of the context. */
	__u32 handle;
	/** @pad: zero. */
	__u32 pad;
};

/**
 * struct drm_tessera_context_reset - argument of DRM_IOCTL_TESSERA_CONTEXT_RESET
 *
 * Makes a poisoned context usable again: waits until the runs that the poisoning
 * cancelled have ended, then forgets its cause. 0 for a context that is not poisoned.
 */
struct drm_tessera_context_reset {
	/** @handle: of the context. */
	__u32 handle;
	/** @pad: zero. */
	__u32 pad;
};

/**
 * struct drm_tessera_context_page - argument of DRM_IOCTL_TESSERA_CONTEXT_PAGE
 *
 * A buffer into which the driver writes whenever a run of the context ends, so that
 * waiting for it, and learning how it ended, needs no system call while it is short:
 * struct drm_tessera_context_progress, and behind it a ring of struct
 * drm_tessera_context_result. The driver never reads it. The same buffer at every call;
 * its handle is the caller's to close.
 */
struct drm_tessera_context_page {
	/** @handle: of the context. */
	__u32 handle;
	/** @bo: out: GEM handle, for DRM_IOCTL_TESSERA_BO_MMAP_OFFSET. */
	__u32 bo;
};

/** struct drm_tessera_context_progress - at the start of a context's page */
struct drm_tessera_context_progress {
	/** @ended_through: every run of this context with an id up to this one has ended. */
	__u64 ended_through;
	/** @failed: runs of this context that ended with a code other than OK, or cancelled. */
	__u64 failed;
	/**
	 * @ended: runs of this context that have ended; written last. The result of the k-th
	 * (from 0) is at index k modulo @result_count. A reader copies it, then reads @ended
	 * again: as long as @ended - k < @result_count nothing has written there meanwhile.
	 */
	__u64 ended;
	/** @result_count: power of two, above the queue capacity of the context. */
	__u32 result_count;
	/** @result_offset: bytes from the start of the page to the first result. */
	__u32 result_offset;
};

/** struct drm_tessera_context_result - how one run of a context ended */
struct drm_tessera_context_result {
	/** @run_id: of the run; 0: it ended before the page was asked for. */
	__u64 run_id;
	/** @user_data: of its submit. */
	__u64 user_data;
	/** @code: DRM_TESSERA_CODE_*. */
	__u32 code;
	/** @poison_code: of the run that poisoned the context, if this one was cancelled for it. */
	__u32 poison_code;
	/** @phase: DRM_TESSERA_PHASE_*: RETIRED, CANCELLED or QUARANTINED. */
	__u32 phase;
	/** @flags: DRM_TESSERA_STATUS_*. */
	__u32 flags;
};

/* --- claim ------------------------------------------------------------------ */

#define DRM_TESSERA_CLAIM_NONBLOCK	(1u << 0)	/* EAGAIN instead of waiting */

/**
 * struct drm_tessera_claim_acquire - argument of DRM_IOCTL_TESSERA_CLAIM_ACQUIRE
 *
 * The context holds the claim across runs: only its runs execute until it releases
 * it, is destroyed, or loses it. Waiters are served in order. While others wait, a
 * claim held for longer than limits.claim_hold_ms is revoked when its current run
 * ends: a SUBMIT_CLAIMED then fails with ESTALE. EALREADY: held, or waited for, by
 * this context. ETIME: not granted in time.
 */
struct drm_tessera_claim_acquire {
	/** @context: handle. */
	__u32 context;
	/** @flags: DRM_TESSERA_CLAIM_*. */
	__u32 flags;
	/** @timeout_ns: absolute CLOCK_MONOTONIC; negative waits for ever. */
	__s64 timeout_ns;
};

/**
 * struct drm_tessera_claim_release - argument of DRM_IOCTL_TESSERA_CLAIM_RELEASE
 *
 * ESTALE: not held (any more).
 */
struct drm_tessera_claim_release {
	/** @context: handle. */
	__u32 context;
	/** @pad: zero. */
	__u32 pad;
};

/**
 * struct drm_tessera_device_reset - argument of DRM_IOCTL_TESSERA_DEVICE_RESET
 *
 * Needs CAP_SYS_ADMIN (EACCES). The run that executes ends with code RESET; queued
 * runs execute afterwards. EIO: the device did not come back, and is wedged. A call that
 * a signal interrupted goes on when the same thread calls again: it is one reset.
 */
struct drm_tessera_device_reset {
	/** @flags: zero. */
	__u32 flags;
	/** @pad: zero. */
	__u32 pad;
	/** @generation: out: reset generation afterwards. */
	__u64 generation;
};

/* --- programs --------------------------------------------------------------- */

/** struct drm_tessera_program_create - argument of DRM_IOCTL_TESSERA_PROGRAM_CREATE */
struct drm_tessera_program_create {
	/** @blob: user pointer to a program blob (tessera_blob.h). */
	__u64 blob;
	/** @size: bytes; E2BIG above limits.program_size. */
	__u32 size;
	/** @flags: zero. */
	__u32 flags;
	/** @handle: out. */
	__u32 handle;
	/** @pad: zero. */
	__u32 pad;
};

/** struct drm_tessera_program_destroy - argument of DRM_IOCTL_TESSERA_PROGRAM_DESTROY */
struct drm_tessera_program_destroy {
	/** @handle: of the program; runs in flight keep what they need. */
	__u32 handle;
	/** @pad: zero. */
	__u32 pad;
};

/* --- runs ------------------------------------------------------------------- */

/** struct drm_tessera_sync - syncobj to wait for or to signal */
struct drm_tessera_sync {
	/** @handle: of the syncobj. */
	__u32 handle;
	/** @flags: zero. */
	__u32 flags;
	/** @point: timeline point, or 0 for a binary syncobj. */
	__u64 point;
};

#define DRM_TESSERA_RUN_PROFILE		(1u << 0)	/* keep figures for RUN_DIAG */
#define DRM_TESSERA_RUN_PRINT		(1u << 1)	/* keep device print for RUN_DIAG */
#define DRM_TESSERA_RUN_RECORDS		0x3u		/* those two */
/*
 * No handle is made (it comes back 0), so there is nothing to wait for, ask or close: how the run
 * ended is told by the context's page, by its out-syncs, and by events. Not with those two.
 */
#define DRM_TESSERA_RUN_NO_HANDLE	(1u << 2)
#define DRM_TESSERA_RUN_FLAGS		0x7u

/** struct drm_tessera_run - one run of a batch */
struct drm_tessera_run {
	/** @program: handle. */
	__u32 program;
	/** @flags: DRM_TESSERA_RUN_*. */
	__u32 flags;
	/** @dispatch: user pointer to a dispatch blob (tessera_blob.h), copied once (RUN-6). */
	__u64 dispatch;
	/** @dispatch_size: bytes. */
	__u32 dispatch_size;
	/** @in_sync_count: at most limits.syncs (E2BIG). */
	__u32 in_sync_count;
	/** @out_sync_count: at most limits.syncs (E2BIG). */
	__u32 out_sync_count;
	/** @handle: out: run handle; 0 with DRM_TESSERA_RUN_NO_HANDLE. */
	__u32 handle;
	/** @in_syncs: user pointer to struct drm_tessera_sync; the run starts after all of them. */
	__u64 in_syncs;
	/** @out_syncs: user pointer to struct drm_tessera_sync; signalled when the run ends. */
	__u64 out_syncs;
	/** @id: out: unique on the device, ascending, never reused (RUN-4). */
	__u64 id;
	/** @user_data: comes back in the status record. */
	__u64 user_data;
	/** @time_limit_ms: most time from launch to completion (FL-3), or 0 for no limit. */
	__u32 time_limit_ms;
	/** @pad: zero. */
	__u32 pad;
};

#define DRM_TESSERA_SUBMIT_NONBLOCK	(1u << 0)	/* a full queue refuses with EAGAIN */
#define DRM_TESSERA_SUBMIT_CLAIMED	(1u << 1)	/* only while the context holds the claim */
#define DRM_TESSERA_SUBMIT_FLAGS	0x3u

/**
 * struct drm_tessera_run_submit - argument of DRM_IOCTL_TESSERA_RUN_SUBMIT
 *
 * Runs are accepted in order, each whole or not at all; the first refusal ends
 * the batch. If none was accepted the ioctl fails with that run's error. If some
 * were, it succeeds: @accepted tells how many, @error why the next one was
 * refused. (So a caller that repeats a failed call never submits twice.)
 * ECANCELED: the context is poisoned (until CONTEXT_RESET) or being destroyed.
 * ESTALE: SUBMIT_CLAIMED, and the context does not hold the claim (any more).
 * EIO: the device is wedged.
 */
struct drm_tessera_run_submit {
	/** @context: handle. */
	__u32 context;
	/** @flags: DRM_TESSERA_SUBMIT_*. */
	__u32 flags;
	/** @runs: user pointer to @run_count records, each @run_stride bytes apart. */
	__u64 runs;
	/** @run_count: 1 .. limits.batch (EINVAL for 0, E2BIG above). */
	__u32 run_count;
	/**
	 * @run_stride: bytes of one record; multiple of 8, at least
	 * sizeof(struct drm_tessera_run), at most 4096.
	 */
	__u32 run_stride;
	/** @accepted: out: runs accepted; also written (0) on failure. */
	__u32 accepted;
	/** @error: out: 0, or the negative errno of run number @accepted; also on failure. */
	__s32 error;
};

/** struct drm_tessera_run_wait - argument of DRM_IOCTL_TESSERA_RUN_WAIT */
struct drm_tessera_run_wait {
	/** @handle: of the run. */
	__u32 handle;
	/** @flags: zero. */
	__u32 flags;
	/**
	 * @timeout_ns: absolute CLOCK_MONOTONIC; a past time polls; negative waits for ever.
	 * ETIME leaves the run live. 0 means the run has ended, well or not: see its status.
	 */
	__s64 timeout_ns;
};

#define DRM_TESSERA_VERDICT_NONE	0	/* not decided yet */
#define DRM_TESSERA_VERDICT_RECORD	1	/* from the device's record of this run */
#define DRM_TESSERA_VERDICT_DRIVER	2	/* the driver ended the run */

#define DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED	(1u << 0)
#define DRM_TESSERA_STATUS_DIAG_INCOMPLETE	(1u << 1)
#define DRM_TESSERA_STATUS_INLINE		(1u << 2)	/* executed by the submitter */

#define DRM_TESSERA_STATUS_VERSION	1

/** struct drm_tessera_fault - the first fault of a run (FL-5) */
struct drm_tessera_fault {
	/** @cause: TSR_FAULT_*. */
	__u32 cause;
	/** @x: column. */
	/** @y: row. */
	__u16 x, y;
	/** @processor: TSR_PROC_*. */
	__u32 processor;
	/** @pc: address of the instruction. */
	__u32 pc;
	/** @address: depends on the cause, see the device manual. */
	__u64 address;
	/** @kernel: descriptor index, or ~0. */
	__u32 kernel;
	/** @pad: zero. */
	__u32 pad;
};

/** struct drm_tessera_stall - where a run stood when it was stopped (FL-4) */
struct drm_tessera_stall {
	/** @stall_class: TSR_STALL_*. */
	__u32 stall_class;
	/** @cores_completed: cores whose processors all ended. */
	__u32 cores_completed;
	/** @cores_total: cores that take part. */
	__u32 cores_total;
	/** @running: processors. */
	__u32 running;
	/** @ready: processors launched that never executed. */
	__u32 ready;
	/** @waiting: processors stalled on a semaphore or circular buffer. */
	__u32 waiting;
	/** @dispatch_done: 1 when the dispatcher had finished. */
	__u32 dispatch_done;
	/** @stuck_processor: TSR_PROC_*. */
	__u32 stuck_processor;
	/** @stuck_x: column of the first processor not done. */
	/** @stuck_y: its row. */
	__u16 stuck_x, stuck_y;
	/** @stuck_pc: where it stands. */
	__u32 stuck_pc;
	/** @stuck_address: register waited on, or 0. */
	__u32 stuck_address;
	/** @stuck_kernel: descriptor index, or ~0. */
	__u32 stuck_kernel;
};

/**
 * struct drm_tessera_detail - what the processor of the fault or stall record wanted (FL-12)
 *
 * A field is valid when its bit in @known is set. With a fault @object, @size and @amount are of a
 * tensor (bytes) or, when the cause is TSR_FAULT_CB, of a circular buffer (pages).
 */
struct drm_tessera_detail {
	/** @known: TSR_KNOWN_*. */
	__u32 known;
	/** @object: index of the binding, or of the circular buffer. */
	__u32 object;
	/** @size: of it: bytes, or pages. */
	__u64 size;
	/** @amount: bytes, or pages, that were asked for. */
	__u32 amount;
	/** @wanted: stall: value of the semaphore, or pages, waited for. */
	__u32 wanted;
	/** @present: stall: value of the semaphore; or pages free, or readable, as waited for. */
	__u32 present;
	/** @pad: zero. */
	__u32 pad;
};

/** struct drm_tessera_status - status record of one run; times in CLOCK_MONOTONIC ns, 0 is never */
struct drm_tessera_status {
	/** @version: DRM_TESSERA_STATUS_VERSION. */
	__u32 version;
	/** @phase: enum drm_tessera_phase. */
	__u32 phase;
	/** @run_id: unique on the device. */
	__u64 run_id;
	/** @context_id: as CONTEXT_CREATE gave it. */
	__u64 context_id;
	/** @epoch: reserved for the runtime's epoch; 0. */
	__u64 epoch;
	/** @reset_generation: of the device when the run ended, or now. */
	__u64 reset_generation;
	/** @user_data: from the submit. */
	__u64 user_data;
	/** @code: enum drm_tessera_code: this run's own. */
	__u32 code;
	/** @failure_class: DRM_TESSERA_CLASS_*, of @code. */
	__u32 failure_class;
	/** @poison_code: of the run that poisoned the context, or 0. */
	__u32 poison_code;
	/** @verdict_source: DRM_TESSERA_VERDICT_*. */
	__u32 verdict_source;
	/** @poison_run: its id, or 0. */
	__u64 poison_run;
	/** @flags: DRM_TESSERA_STATUS_*. */
	__u32 flags;
	/** @pad: zero. */
	__u32 pad;
	/** @queued_ns: when accepted. */
	__u64 queued_ns;
	/** @staged_ns: when put into a bank; @queued_ns if the device was idle. */
	__u64 staged_ns;
	/** @launched_ns: when its launch began; @queued_ns if the device was idle. */
	__u64 launched_ns;
	/** @completed_ns: when both boundaries had been seen. */
	__u64 completed_ns;
	/** @retired_ns: when it ended; @completed_ns if it succeeded. */
	__u64 retired_ns;
	/** @fault: valid when code is FAULT. */
	struct drm_tessera_fault fault;
	/** @stall: valid when code is NO_PROGRESS or STOPPED. */
	struct drm_tessera_stall stall;
	/** @detail: of @fault or @stall. */
	struct drm_tessera_detail detail;
};

/** struct drm_tessera_run_status - argument of DRM_IOCTL_TESSERA_RUN_STATUS */
struct drm_tessera_run_status {
	/** @handle: of the run. */
	__u32 handle;
	/** @size: in: bytes at @status, >= 8; out: bytes that the kernel knows. */
	__u32 size;
	/** @status: user pointer to struct drm_tessera_status. */
	__u64 status;
};

/**
 * struct drm_tessera_run_cancel - argument of DRM_IOCTL_TESSERA_RUN_CANCEL
 *
 * A run not yet launched ends CANCELLED at once; a launched one is asked to stop
 * and ends soon. 0 for a run that has already ended: nothing changes.
 */
struct drm_tessera_run_cancel {
	/** @handle: of the run. */
	__u32 handle;
	/** @flags: zero. */
	__u32 flags;
};

/** struct drm_tessera_run_close - argument of DRM_IOCTL_TESSERA_RUN_CLOSE: detach only (RUN-9) */
struct drm_tessera_run_close {
	/** @handle: of the run. */
	__u32 handle;
	/** @pad: zero. */
	__u32 pad;
};

/**
 * struct drm_tessera_run_fd - argument of DRM_IOCTL_TESSERA_RUN_FD
 *
 * The file is a sync_file: poll() reports POLLIN when the run has ended; it can be
 * merged, waited for by others and imported into a syncobj. It carries the run's
 * error, keeps no memory of the run, and keeps the module loaded.
 */
struct drm_tessera_run_fd {
	/** @handle: of the run. */
	__u32 handle;
	/** @flags: zero; the descriptor is close-on-exec. */
	__u32 flags;
	/** @fd: out. */
	__s32 fd;
	/** @pad: zero. */
	__u32 pad;
};

/** enum drm_tessera_diag_what - what DRM_IOCTL_TESSERA_RUN_DIAG reads */
enum drm_tessera_diag_what {
	/** @DRM_TESSERA_DIAG_PROCS: array of struct drm_tessera_proc_stats; needs RUN_PROFILE. */
	DRM_TESSERA_DIAG_PROCS = 0,
	/** @DRM_TESSERA_DIAG_PRINT: text, lines of "x,y processor: ..."; needs RUN_PRINT. */
	DRM_TESSERA_DIAG_PRINT = 1,
};

/** struct drm_tessera_proc_stats - of one processor of one run; sorted by (y, x, processor) */
struct drm_tessera_proc_stats {
	/** @x: column. */
	/** @y: row. */
	__u16 x, y;
	/** @processor: TSR_PROC_*. */
	__u32 processor;
	/** @cycles: its clock when it ended. */
	__u64 cycles;
	/** @instructions: retired. */
	__u64 instructions;
	/** @wait_cycles: stalled on semaphores, circular buffers and barriers. */
	__u64 wait_cycles;
	/** @noc_read: bytes. */
	__u64 noc_read;
	/** @noc_written: bytes. */
	__u64 noc_written;
};

/**
 * struct drm_tessera_run_diag - argument of DRM_IOCTL_TESSERA_RUN_DIAG
 *
 * EBUSY before the run has ended, EOPNOTSUPP when it was submitted without the flag.
 */
struct drm_tessera_run_diag {
	/** @handle: of the run. */
	__u32 handle;
	/** @what: enum drm_tessera_diag_what. */
	__u32 what;
	/** @size: in: bytes at @data; out: bytes there are. A shorter buffer gets the beginning. */
	__u32 size;
	/** @pad: zero. */
	__u32 pad;
	/** @data: user pointer. */
	__u64 data;
};

/* --- numbers ---------------------------------------------------------------- */

#define DRM_TESSERA_QUERY		0x00
#define DRM_TESSERA_BO_CREATE		0x01
#define DRM_TESSERA_BO_MMAP_OFFSET	0x02
#define DRM_TESSERA_CONTEXT_CREATE	0x03
#define DRM_TESSERA_CONTEXT_DESTROY	0x04
#define DRM_TESSERA_PROGRAM_CREATE	0x05
#define DRM_TESSERA_PROGRAM_DESTROY	0x06
#define DRM_TESSERA_RUN_SUBMIT		0x07
#define DRM_TESSERA_RUN_WAIT		0x08
#define DRM_TESSERA_RUN_STATUS		0x09
#define DRM_TESSERA_RUN_CANCEL		0x0a
#define DRM_TESSERA_RUN_CLOSE		0x0b
#define DRM_TESSERA_RUN_FD		0x0c
#define DRM_TESSERA_RUN_DIAG		0x0d
#define DRM_TESSERA_CONTEXT_RESET	0x0e
#define DRM_TESSERA_CONTEXT_PAGE	0x0f
#define DRM_TESSERA_CLAIM_ACQUIRE	0x10
#define DRM_TESSERA_CLAIM_RELEASE	0x11
#define DRM_TESSERA_DEVICE_RESET	0x12

#define DRM_TESSERA_IOWR(nr, type)	DRM_IOWR(DRM_COMMAND_BASE + (nr), type)
#define DRM_TESSERA_IOW(nr, type)	DRM_IOW(DRM_COMMAND_BASE + (nr), type)

#define DRM_IOCTL_TESSERA_QUERY \
	DRM_TESSERA_IOWR(DRM_TESSERA_QUERY, struct drm_tessera_query)
#define DRM_IOCTL_TESSERA_BO_CREATE \
	DRM_TESSERA_IOWR(DRM_TESSERA_BO_CREATE, struct drm_tessera_bo_create)
#define DRM_IOCTL_TESSERA_BO_MMAP_OFFSET \
	DRM_TESSERA_IOWR(DRM_TESSERA_BO_MMAP_OFFSET, struct drm_tessera_bo_mmap_offset)
#define DRM_IOCTL_TESSERA_CONTEXT_CREATE \
	DRM_TESSERA_IOWR(DRM_TESSERA_CONTEXT_CREATE, struct drm_tessera_context_create)
#define DRM_IOCTL_TESSERA_CONTEXT_DESTROY \
	DRM_TESSERA_IOW(DRM_TESSERA_CONTEXT_DESTROY, struct drm_tessera_context_destroy)
#define DRM_IOCTL_TESSERA_PROGRAM_CREATE \
	DRM_TESSERA_IOWR(DRM_TESSERA_PROGRAM_CREATE, struct drm_tessera_program_create)
#define DRM_IOCTL_TESSERA_PROGRAM_DESTROY \
	DRM_TESSERA_IOW(DRM_TESSERA_PROGRAM_DESTROY, struct drm_tessera_program_destroy)
#define DRM_IOCTL_TESSERA_RUN_SUBMIT \
	DRM_TESSERA_IOWR(DRM_TESSERA_RUN_SUBMIT, struct drm_tessera_run_submit)
#define DRM_IOCTL_TESSERA_RUN_WAIT \
	DRM_TESSERA_IOW(DRM_TESSERA_RUN_WAIT, struct drm_tessera_run_wait)
#define DRM_IOCTL_TESSERA_RUN_STATUS \
	DRM_TESSERA_IOWR(DRM_TESSERA_RUN_STATUS, struct drm_tessera_run_status)
#define DRM_IOCTL_TESSERA_RUN_CANCEL \
	DRM_TESSERA_IOW(DRM_TESSERA_RUN_CANCEL, struct drm_tessera_run_cancel)
#define DRM_IOCTL_TESSERA_RUN_CLOSE \
	DRM_TESSERA_IOW(DRM_TESSERA_RUN_CLOSE, struct drm_tessera_run_close)
#define DRM_IOCTL_TESSERA_RUN_FD \
	DRM_TESSERA_IOWR(DRM_TESSERA_RUN_FD, struct drm_tessera_run_fd)
#define DRM_IOCTL_TESSERA_RUN_DIAG \
	DRM_TESSERA_IOWR(DRM_TESSERA_RUN_DIAG, struct drm_tessera_run_diag)
#define DRM_IOCTL_TESSERA_CONTEXT_RESET \
	DRM_TESSERA_IOW(DRM_TESSERA_CONTEXT_RESET, struct drm_tessera_context_reset)
#define DRM_IOCTL_TESSERA_CONTEXT_PAGE \
	DRM_TESSERA_IOWR(DRM_TESSERA_CONTEXT_PAGE, struct drm_tessera_context_page)
#define DRM_IOCTL_TESSERA_CLAIM_ACQUIRE \
	DRM_TESSERA_IOW(DRM_TESSERA_CLAIM_ACQUIRE, struct drm_tessera_claim_acquire)
#define DRM_IOCTL_TESSERA_CLAIM_RELEASE \
	DRM_TESSERA_IOW(DRM_TESSERA_CLAIM_RELEASE, struct drm_tessera_claim_release)
#define DRM_IOCTL_TESSERA_DEVICE_RESET \
	DRM_TESSERA_IOWR(DRM_TESSERA_DEVICE_RESET, struct drm_tessera_device_reset)

#if defined(__cplusplus)
}
#endif

#endif

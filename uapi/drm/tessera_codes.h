/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Phases, codes and failure classes of runs. Constants only. Numbers are never
 * reused. Names, descriptions and hints are in kernel/core/codes.c.
 */
#ifndef TESSERA_CODES_H
#define TESSERA_CODES_H

/**
 * enum drm_tessera_phase - of a run (RUN-1); compare for equality only
 * @DRM_TESSERA_PHASE_QUEUED: accepted
 * @DRM_TESSERA_PHASE_STAGED: has a bank
 * @DRM_TESSERA_PHASE_LAUNCHED: has the claim and executes
 * @DRM_TESSERA_PHASE_COMPLETE: both boundaries were seen; not yet retired
 * @DRM_TESSERA_PHASE_RETIRED: ended after its launch, or failed to launch; see the code
 * @DRM_TESSERA_PHASE_CANCELLED: ended before its launch
 * @DRM_TESSERA_PHASE_QUARANTINED: ended, but its stop is unproven: its memory is kept
 */
enum drm_tessera_phase {
	DRM_TESSERA_PHASE_QUEUED = 1,
	DRM_TESSERA_PHASE_STAGED = 2,
	DRM_TESSERA_PHASE_LAUNCHED = 3,
	DRM_TESSERA_PHASE_COMPLETE = 4,
	DRM_TESSERA_PHASE_RETIRED = 5,
	DRM_TESSERA_PHASE_CANCELLED = 6,
	DRM_TESSERA_PHASE_QUARANTINED = 7,
};

#define DRM_TESSERA_CLASS_NONE		0
#define DRM_TESSERA_CLASS_LOCAL		1	/* only this run fails */
#define DRM_TESSERA_CLASS_QUEUE		2	/* the context is poisoned */
#define DRM_TESSERA_CLASS_DEVICE	3	/* the device is stopped and reset */

/**
 * enum drm_tessera_code - why a run failed; each has one class for ever (FL-1)
 * @DRM_TESSERA_CODE_OK: it did not
 * @DRM_TESSERA_CODE_FAULT: LOCAL: see the fault record
 * @DRM_TESSERA_CODE_NO_PROGRESS: LOCAL: see the stall record
 * @DRM_TESSERA_CODE_STOPPED: LOCAL: cancelled after its launch
 * @DRM_TESSERA_CODE_CANCELLED: LOCAL: cancelled before its launch
 * @DRM_TESSERA_CODE_CONTEXT_GONE: LOCAL: its context was destroyed
 * @DRM_TESSERA_CODE_DEPENDENCY: QUEUE: an in-fence carried an error
 * @DRM_TESSERA_CODE_NO_RECORD: DEVICE: complete without a status record
 * @DRM_TESSERA_CODE_STAGE: LOCAL: staging failed, not started
 * @DRM_TESSERA_CODE_LAUNCH: LOCAL: launch failed, not started
 * @DRM_TESSERA_CODE_LAUNCH_PARTIAL: DEVICE: launch failed half-way
 * @DRM_TESSERA_CODE_STOP_UNPROVEN: DEVICE: cores did not stop
 * @DRM_TESSERA_CODE_DEVICE_GONE: DEVICE: unplugged or unbound
 * @DRM_TESSERA_CODE_WEDGED: DEVICE: a reset had failed before its launch
 * @DRM_TESSERA_CODE_BAD_RECORD: QUEUE: its record was written for another run
 * @DRM_TESSERA_CODE_RESET: DEVICE: the device was reset while it executed
 * @DRM_TESSERA_CODE_TIME_LIMIT: LOCAL: executed longer than its submit, or others, allowed
 */
enum drm_tessera_code {
	DRM_TESSERA_CODE_OK = 0,
	DRM_TESSERA_CODE_FAULT = 1,
	DRM_TESSERA_CODE_NO_PROGRESS = 2,
	DRM_TESSERA_CODE_STOPPED = 3,
	DRM_TESSERA_CODE_CANCELLED = 4,
	DRM_TESSERA_CODE_CONTEXT_GONE = 5,
	DRM_TESSERA_CODE_DEPENDENCY = 6,
	DRM_TESSERA_CODE_NO_RECORD = 7,
	DRM_TESSERA_CODE_STAGE = 8,
	DRM_TESSERA_CODE_LAUNCH = 9,
	DRM_TESSERA_CODE_LAUNCH_PARTIAL = 10,
	DRM_TESSERA_CODE_STOP_UNPROVEN = 11,
	DRM_TESSERA_CODE_DEVICE_GONE = 12,
	DRM_TESSERA_CODE_WEDGED = 13,
	DRM_TESSERA_CODE_BAD_RECORD = 14,
	DRM_TESSERA_CODE_RESET = 15,
	DRM_TESSERA_CODE_TIME_LIMIT = 16,
};

#endif

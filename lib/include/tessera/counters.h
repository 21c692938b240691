/* SPDX-License-Identifier: MIT */
/* Counters of a device or a context (OB-1): tsr_device_counters(), tsr_context_counters(). */
#ifndef TESSERA_COUNTERS_H
#define TESSERA_COUNTERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tsr_counters - of a device or a context, from the kernel (OB-1); (g) is a gauge
 */
struct tsr_counters {
	/** @contexts: (g) live */
	uint64_t contexts;
	/** @buffers: (g) live */
	uint64_t buffers;
	/** @programs: (g) live */
	uint64_t programs;
	/** @images: (g) live distinct images, device only */
	uint64_t images;
	/** @runs: (g) accepted and not released */
	uint64_t runs;
	/** @fences: (g) live, device only */
	uint64_t fences;
	/** @program_creates: programs created */
	uint64_t program_creates;
	/** @image_loads: images made resident */
	uint64_t image_loads;
	/** @image_unloads: images given up */
	uint64_t image_unloads;
	/** @runs_accepted: runs taken into a queue */
	uint64_t runs_accepted;
	/** @runs_refused: submits refused */
	uint64_t runs_refused;
	/** @runs_staged: runs that got a bank */
	uint64_t runs_staged;
	/** @runs_launched: runs that got the claim */
	uint64_t runs_launched;
	/** @runs_completed: both boundaries seen */
	uint64_t runs_completed;
	/** @runs_failed_local: only the run failed */
	uint64_t runs_failed_local;
	/** @runs_failed_queue: the context was poisoned */
	uint64_t runs_failed_queue;
	/** @runs_failed_device: the device was reset */
	uint64_t runs_failed_device;
	/** @runs_cancelled: ended without a launch */
	uint64_t runs_cancelled;
	/** @runs_quarantined: end not proven */
	uint64_t runs_quarantined;
	/** @runs_retired: resources released */
	uint64_t runs_retired;
	/** @leases_taken: of banks */
	uint64_t leases_taken;
	/** @leases_returned: of banks */
	uint64_t leases_returned;
	/** @claims_taken: rights to execute */
	uint64_t claims_taken;
	/** @claims_released: and given back */
	uint64_t claims_released;
	/** @resets: of the device */
	uint64_t resets;
	/** @scrubs: of L1 and semaphores */
	uint64_t scrubs;
	/** @timeouts: runs ended for want of progress */
	uint64_t timeouts;
	/** @queue_depth: (g) accepted and not launched */
	uint64_t queue_depth;
	/** @queue_peak: highest queue_depth so far */
	uint64_t queue_peak;
	/** @inline_runs: completed in the submitter's own call */
	uint64_t inline_runs;
	/** @poisonings: times that a context was poisoned */
	uint64_t poisonings;
	/** @holds_granted: times that a context got the claim to hold */
	uint64_t holds_granted;
	/** @holds_revoked: times that one lost it to the hold limit */
	uint64_t holds_revoked;
	/** @resets_failed: attempts of a reset that failed, device only */
	uint64_t resets_failed;
	/** @images_abandoned: could be neither unloaded nor reset, device only */
	uint64_t images_abandoned;
	/** @reserved: zero */
	uint64_t reserved[3];
};

#ifdef __cplusplus
}
#endif

#endif

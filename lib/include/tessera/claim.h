/* SPDX-License-Identifier: MIT */
/* The claim: the exclusive right to execute, held by a context across runs (CL-2). Any thread. */
#ifndef TESSERA_CLAIM_H
#define TESSERA_CLAIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_context;

/**
 * tsr_claim_acquire() - let only the runs of this context execute
 * @context: that will hold the claim
 * @timeout_ns: from now; 0 asks, negative waits for ever
 *
 * Contexts get it in the order in which they ask, as soon as what others had staged has executed.
 * It is held until tsr_claim_release(), or until the context goes. While others wait, a claim held
 * for longer than limits.claim_hold_ms is lost when its current run ends: the next submit with
 * TSR_SUBMIT_CLAIMED is refused with -ESTALE, one without it is queued like any other.
 *
 * Return: 0; -EAGAIN asked, and not to be had now; -ETIME not granted in time; -EALREADY this
 * context holds it, or waits for it; -EINTR a signal came while it waited, and its place in the
 * order is lost; -ECANCELED the context goes; -EIO the device is wedged; -EPERM after fork;
 * -ENODEV.
 */
int tsr_claim_acquire(struct tsr_context *context, int64_t timeout_ns);

/**
 * tsr_claim_release() - let others execute again
 * @context: that holds the claim
 *
 * Runs that it has queued execute all the same, in their turn.
 *
 * Return: 0; -ESTALE not held (any more); -EPERM after fork; -ENODEV.
 */
int tsr_claim_release(struct tsr_context *context);

#ifdef __cplusplus
}
#endif

#endif

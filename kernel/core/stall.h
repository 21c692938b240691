/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Classification of a run that made no progress (FL-4): one pure function. */
#ifndef TSR_STALL_H
#define TSR_STALL_H

#include "port.h"

/**
 * tsr_stall_classify() - why a run stands still, by priority
 * @running: processors that would execute
 * @ready: processors launched that never executed
 * @waiting: processors stalled on a semaphore or circular buffer
 * @dispatch_done: whether the dispatcher's boundary was seen
 *
 * Return: TSR_STALL_* other than NONE.
 */
u32 tsr_stall_classify(u32 running, u32 ready, u32 waiting, bool dispatch_done);

#endif

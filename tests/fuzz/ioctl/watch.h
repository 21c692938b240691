/* SPDX-License-Identifier: MIT */
/*
 * What looks at the workers from outside: calls that take too long are interrupted, and one that
 * cannot be is a hang; lines of the kernel log that are complaints.
 */
#ifndef TSR_FUZZ_WATCH_H
#define TSR_FUZZ_WATCH_H

#include "world.h"

/** watch_start() - a thread for these workers; watch_stop() ends it. watch_stop(): hangs seen */
int watch_start(struct worker *workers, uint32_t count);
uint32_t watch_stop(void);

/** klog_open() - the kernel log from now on, and the patterns of tests/complaints; -errno */
int klog_open(void);
/** klog_complaints() - new lines that match; printed */
uint32_t klog_complaints(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Device core dumps. */
#ifndef TSR_COREDUMP_H
#define TSR_COREDUMP_H

#include "device.h"

int tsr_dump_init(struct tsr_device *tdev);
void tsr_dump_fini(struct tsr_device *tdev);
/* tsr_dump_flush() - the last picture has been handed over; none is taken any more */
void tsr_dump_flush(struct tsr_device *tdev);
/* tsr_dump_take() - if the run failed by itself; pipeline thread, cores stopped, not scrubbed */
void tsr_dump_take(struct tsr_device *tdev, struct tsr_run *run);

#endif

/* SPDX-License-Identifier: MIT */
/* Telling of builds. */
#ifndef TSR_PROGRESS_INT_H
#define TSR_PROGRESS_INT_H

#include <tessera/progress.h>

#include "image.h"

/** tsr_progress_now() - CLOCK_MONOTONIC, for tsr_image_job.begun_ns; 0 when nobody watches */
uint64_t tsr_progress_now(struct tsr_device *dev);

/** tsr_progress() - tell of one event; no lock may be held */
void tsr_progress(const struct tsr_image_job *job, enum tsr_progress_event event, uint32_t done);

#endif

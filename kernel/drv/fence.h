/* SPDX-License-Identifier: GPL-2.0-only */
/* The one object of a run that escapes to others (DESIGN decision 2). */
#ifndef TSR_FENCE_H
#define TSR_FENCE_H

#include <linux/dma-fence.h>

struct tsr_device;

/*
 * tsr_fence_new() - unsignalled fence that holds the device and the module
 *
 * Process context of an ioctl. NULL: out of memory. Given up by dma_fence_put(),
 * or, if nobody else has ever seen it, by tsr_fence_put_unused().
 */
struct dma_fence *tsr_fence_new(struct tsr_device *tdev);
/* tsr_fence_put_unused() - drop the only reference, in an ioctl */
void tsr_fence_put_unused(struct dma_fence *fence);

#endif

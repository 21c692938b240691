/* SPDX-License-Identifier: MIT */
#ifndef TSR_STATUS_INT_H
#define TSR_STATUS_INT_H

#include <drm/tessera_accel.h>
#include <tessera/status.h>

/** tsr_status_from_uapi() - the kernel's record as the public one */
void tsr_status_from_uapi(const struct drm_tessera_status *from, struct tsr_status *ret);

#endif

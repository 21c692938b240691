/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSR_QUERY_H
#define TSR_QUERY_H

#include <drm/drm_file.h>

int tsr_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file);
/* tsr_copy_out() - @have bytes of @src to @user, which has room for @room; the rest is zeroed */
int tsr_copy_out(u64 user, u32 room, const void *src, u32 have);

#endif

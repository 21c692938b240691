/* SPDX-License-Identifier: GPL-2.0-only */
/* Per open file: handle tables. A run never points here (DESIGN decision 5). */
#ifndef TSR_FILE_H
#define TSR_FILE_H

#include <drm/drm_file.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

struct tsr_usage;

struct tsr_file {
	struct xarray contexts;
	struct xarray programs;
	struct xarray runs;
	struct tsr_usage *usage;
	kuid_t uid;			/* of the opener: whose work this is (CL-4, PC-8) */
};

int tsr_file_open(struct drm_device *drm, struct drm_file *file);
void tsr_file_postclose(struct drm_device *drm, struct drm_file *file);

static inline struct tsr_file *to_tsr_file(struct drm_file *file)
{
	return file->driver_priv;
}

#endif

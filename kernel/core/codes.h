/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The table of failure codes (FL-1, FL-2), for the driver, the library and the tools. */
#ifndef TSR_CODES_H
#define TSR_CODES_H

#include "port.h"
#include <drm/tessera_codes.h>

/**
 * struct tsr_code_info - what is known about a code
 * @name: short, for tables
 * @failure_class: DRM_TESSERA_CLASS_*
 * @error: negative errno that a fence carries
 * @description: what happened, a sentence
 * @hint: what to look at, a sentence or ""
 */
struct tsr_code_info {
	const char *name;
	u32 failure_class;
	int error;
	const char *description;
	const char *hint;
};

/**
 * tsr_code_info() - look a code up
 * @code: enum drm_tessera_code, or anything
 *
 * Return: static record, or NULL for an unknown code, whose class is DEVICE.
 */
const struct tsr_code_info *tsr_code_info(u32 code);

#endif

/* SPDX-License-Identifier: MIT */
/* Encoding a plan as a program blob, exactly as <drm/tessera_blob.h> describes it. */
#ifndef TSR_PROGRAM_BLOB_H
#define TSR_PROGRAM_BLOB_H

#include "image.h"
#include "plan.h"

/** struct tsr_counts - what a blob has of everything that the device limits */
struct tsr_counts {
	size_t ranges, images, size;
};

/**
 * tsr_program_blob() - encode
 * @plan: made, not refused
 * @images: one for each descriptor, in canonical order; equal ones are stored once
 * @digest: the fingerprint
 * @ret_blob: free with free()
 * @ret_size: its bytes
 * @ret_counts: to compare with the limits
 *
 * Return: 0, -ENOMEM, -E2BIG larger than a blob can be.
 */
int tsr_program_blob(const struct tsr_plan *plan, struct tsr_image *const *images,
		     const struct tsr_digest *digest, void **ret_blob, size_t *ret_size,
		     struct tsr_counts *ret_counts);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Verifier of program blobs: pure, no allocation, no trust. Runs once, when a
 * program is created; what it found is recorded so that a submit only compares.
 */
#ifndef TSR_BLOB_H
#define TSR_BLOB_H

#include "port.h"
#include <drm/tessera_blob.h>
#include <drm/tessera_grid.h>

/**
 * struct tsr_blob - a verified program blob, as typed tables
 *
 * Every pointer points into the blob that was verified, which must stay
 * unchanged as long as this is used.
 */
struct tsr_blob {
	const struct tessera_program_header *header;
	const struct tessera_range *ranges;
	const struct tessera_image *images;
	const struct tessera_descriptor *descriptors;
	const struct tessera_arg *args;
	const struct tessera_semaphore *semaphores;
	const struct tessera_cb *cbs;
	const struct tessera_binding *bindings;
	const char *strings;
	const u8 *data;
	u32 n_ranges, n_images, n_descriptors, n_args, n_semaphores, n_cbs, n_bindings;
	u32 strings_size, data_size;
	u32 words;		/* that a run must bring */
	u32 cores;		/* with at least one descriptor */
};

/** struct tsr_blob_error - what the verifier refused first, for debug output and the library */
struct tsr_blob_error {
	const char *what;	/* static text naming the rule */
	u32 section;		/* enum tessera_section, or TESSERA_SECTIONS for the header */
	u32 index;		/* record in that section */
};

/**
 * tsr_blob_verify() - check a program blob against a device's limits (RR-13, SEC-2)
 * @blob: private copy, 8-aligned
 * @size: bytes
 * @limits: of the device
 * @ret: filled on success only
 * @reterr: filled on failure only; may be NULL
 *
 * Refuses what V9, V13..V22 refuse, from raw numbers, and any other layout than
 * the one that tessera_blob.h describes. Time is bounded by limits.
 *
 * Return: 0, -EINVAL (malformed or a rule broken), -E2BIG (a count or size over a limit).
 */
int tsr_blob_verify(const void *blob, size_t size, const struct tessera_limits *limits,
		    struct tsr_blob *ret, struct tsr_blob_error *reterr);

/**
 * struct tsr_dispatch - a checked dispatch blob
 */
struct tsr_dispatch {
	const struct tessera_bind *bindings;
	const u32 *words;
};

/**
 * tsr_dispatch_check() - compare a dispatch blob with the program it is for (RUN-6)
 * @blob: private copy, 8-aligned
 * @size: bytes
 * @prog: verified program
 * @ret: filled on success only
 *
 * Checks all but what only the driver knows: handles and buffer sizes.
 *
 * Return: 0, -EINVAL.
 */
int tsr_dispatch_check(const void *blob, size_t size, const struct tsr_blob *prog,
		       struct tsr_dispatch *ret);

#endif

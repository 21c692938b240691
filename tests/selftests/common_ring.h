/* SPDX-License-Identifier: MIT */
/*
 * A job in which every core depends on every other: the ring all-reduce of the examples
 * (examples/collective/kernels/ring.c), with its host reference.
 */
#ifndef TSR_TESTS_COMMON_RING_H
#define TSR_TESTS_COMMON_RING_H

#include "common_dev.h"

/** struct ring - the job, its buffers and its kernel */
struct ring {
	struct dev_job *job;
	struct dev_image image;
	struct dev_buf in, out;
	uint32_t ranks, chunk;		/* cores; 32-bit words */
};

/** ring_new() - over all working cores; @chunk: words of a chunk, a multiple of 4 */
int ring_new(struct dev *d, uint32_t chunk, struct ring *ret);
void ring_free(struct ring *ring);
/** ring_fill() - inputs of a seed; outputs are overwritten with rubbish */
void ring_fill(struct ring *ring, uint32_t seed);
/** ring_wrong() - number of words of the result that are not the sum over all cores */
uint32_t ring_wrong(const struct ring *ring);

#endif

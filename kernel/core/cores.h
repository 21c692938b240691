/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sets of cores as bitmaps: bit y * width + x. A set has no order and no
 * decomposition into rectangles, so equal sets are equal bytes (RR-11).
 */
#ifndef TSR_CORES_H
#define TSR_CORES_H

#include "port.h"
#include <drm/tessera_blob.h>

#define TSR_CORES_WORDS		(TESSERA_MAX_CORES / 64)

/** struct tsr_cores - a set of cores of one grid */
struct tsr_cores {
	u64 bits[TSR_CORES_WORDS];
};

/** tsr_cores_has() - is (x, y) in the set; the coordinate must be inside the grid */
static inline bool tsr_cores_has(const struct tsr_cores *set, u32 width, u32 x, u32 y)
{
	u32 bit = y * width + x;

	return set->bits[bit / 64] >> (bit % 64) & 1;
}

/**
 * tsr_cores_meets_rect() - does any core of a rectangle belong to the set
 * @set: the set
 * @width: of the grid
 * @rect: ordered and inside the grid
 */
bool tsr_cores_meets_rect(const struct tsr_cores *set, u32 width, const struct tessera_range *rect);

/**
 * tsr_cores_add_rect() - add the cores of a rectangle to the set
 * @set: the set
 * @width: of the grid
 * @rect: ordered and inside the grid
 */
void tsr_cores_add_rect(struct tsr_cores *set, u32 width, const struct tessera_range *rect);

/** tsr_cores_meet() - do two sets share a core */
bool tsr_cores_meet(const struct tsr_cores *a, const struct tsr_cores *b);

/** tsr_cores_within() - are all cores of @set in @outer */
bool tsr_cores_within(const struct tsr_cores *set, const struct tsr_cores *outer);

/** tsr_cores_add() - add the cores of @other to @set */
void tsr_cores_add(struct tsr_cores *set, const struct tsr_cores *other);

/** tsr_cores_count() - number of cores in the set */
u32 tsr_cores_count(const struct tsr_cores *set);

#endif

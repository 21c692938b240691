/* SPDX-License-Identifier: MIT */
/* What a compiler's failure says of the kernel (PC-5). */
#ifndef TSR_VERDICT_H
#define TSR_VERDICT_H

#include <stdbool.h>

#include "process.h"

/* The linker script's own words when code, data and stack are larger than the slot. */
#define TSR_DOES_NOT_FIT	"the kernel does not fit"

/**
 * tsr_verdict_lasts() - whether a compile that failed would fail every time
 *
 * Only when the compiler ran to its end, found a place in the source, or a name in the link, that
 * is wrong, and said nothing of memory, space, descriptors, signals or of a bug of its own.
 */
bool tsr_verdict_lasts(const struct tsr_ending *ending);

#endif

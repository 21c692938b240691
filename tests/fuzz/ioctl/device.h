/* SPDX-License-Identifier: MIT */
/* The virtual device that is fuzzed, and whether anything is left on it. */
#ifndef TSR_FUZZ_DEVICE_H
#define TSR_FUZZ_DEVICE_H

#include "world.h"

/** device_make() - a small device with short time limits; fills @ret. @deterministic: DEV-5 */
int device_make(struct world *ret, bool deterministic);
/** device_remove() - unplug it; -EBUSY, ... */
int device_remove(struct world *world);

/** device_left() - live objects once all has come to rest (10 s at most); each is printed */
uint32_t device_left(struct world *world);

#endif

/* SPDX-License-Identifier: MIT */
/* An image cache of the test's own, and kernels that go through it. */
#ifndef TSR_TESTS_COMMON_IMAGES_H
#define TSR_TESTS_COMMON_IMAGES_H

#include "common_rig.h"

#define IMAGES_EMPTY	"void kernel_main(void) { }\n"

/** images_begin() - an empty directory, whose path @ret_dir (64 bytes) gets, is the cache now */
int images_begin(char *ret_dir);
/** images_end() - remove it, whatever a test did to its modes */
int images_end(const char *dir);

/** images_rig() - a device that uses the cache, and an operation with one kernel */
struct rig *images_rig(const char *name, const char *text);
/** images_compiles() - compilers that a new device starts for a kernel: 0 when it is on disk */
int images_compiles(const char *text);
/** images_stats() - of this process */
struct tsr_image_cache_stats images_stats(void);

#endif

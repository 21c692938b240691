/* SPDX-License-Identifier: MIT */
/* Watching a long build (JIT-4). */
#ifndef TESSERA_PROGRESS_H
#define TESSERA_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_device;

/**
 * enum tsr_progress_event - what has happened to a kernel
 */
enum tsr_progress_event {
	/** @TSR_PROGRESS_COMPILING: its compiler is started */
	TSR_PROGRESS_COMPILING = 1,
	/** @TSR_PROGRESS_BUILT: it was compiled, or taken out of its ELF file */
	TSR_PROGRESS_BUILT = 2,
	/** @TSR_PROGRESS_STORED: it was found in the image cache on disk */
	TSR_PROGRESS_STORED = 3,
	/** @TSR_PROGRESS_FOUND: it was there already, or another thread built it meanwhile */
	TSR_PROGRESS_FOUND = 4,
	/** @TSR_PROGRESS_FAILED: it does not build */
	TSR_PROGRESS_FAILED = 5
};

/**
 * struct tsr_progress - one event; borrowed for the call
 */
struct tsr_progress {
	/** @operation: its name */
	const char *operation;
	/** @kernel: its name */
	const char *kernel;
	/** @event: enum tsr_progress_event */
	uint32_t event;
	/** @done: images of this build that have ended, this one included */
	uint32_t done;
	/** @total: images of this build */
	uint32_t total;
	/** @pad: zero */
	uint32_t pad;
	/** @elapsed_ns: since this kernel was begun */
	uint64_t elapsed_ns;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * typedef tsr_progress_fn - is told of each event
 * @ctx: as registered
 * @progress: the event
 *
 * Called by the threads that compile, by several at once when several kernels are built. It may
 * call the library; the build goes on when it returns. A program that is prepared in it is built at
 * once, in the place of the build that it is called by; one that cannot be had before that build
 * has ended is -EDEADLK.
 */
typedef void (*tsr_progress_fn)(void *ctx, const struct tsr_progress *progress);

/**
 * tsr_device_set_progress() - ask for events of all builds of a device
 * @dev: the device
 * @progress: the function; NULL for none
 * @ctx: handed to it
 *
 * Builds that are under way may still call the function that was registered before. Programs that
 * are found in the program cache are not built, and cause no event.
 */
void tsr_device_set_progress(struct tsr_device *dev, tsr_progress_fn progress, void *ctx);

#ifdef __cplusplus
}
#endif

#endif

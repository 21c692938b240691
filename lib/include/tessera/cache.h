/* SPDX-License-Identifier: MIT */
/* The program cache of a device (PC), and the library's counters. Any thread. */
#ifndef TESSERA_CACHE_H
#define TESSERA_CACHE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_device;

/**
 * struct tsr_cache_limits - all non-zero (PC-3)
 */
struct tsr_cache_limits {
	/** @entries: programs kept; 128 */
	uint32_t entries;
	/** @in_flight: programs being built at once; 16 */
	uint32_t in_flight;
	/** @queued: distinct keys waiting for that; 64 */
	uint32_t queued;
	/** @pad: zero */
	uint32_t pad;
	/** @bytes: retained; 64 MiB */
	uint64_t bytes;
	/** @reserved: zero */
	uint64_t reserved[4];
};

/**
 * struct tsr_cache_stats - of the program cache (PC-7); (g) is a gauge
 */
struct tsr_cache_stats {
	/** @entries: (g) programs kept, negative ones included */
	uint64_t entries;
	/** @bytes: (g) retained */
	uint64_t bytes;
	/** @hits: found */
	uint64_t hits;
	/** @misses: not found; built by the caller */
	uint64_t misses;
	/** @waits: found being built by another, waited for */
	uint64_t waits;
	/** @negative_hits: found to be unbuildable */
	uint64_t negative_hits;
	/** @builds: builds begun */
	uint64_t builds;
	/** @evictions: given up to keep a limit */
	uint64_t evictions;
	/** @collisions: equal digest, other bytes */
	uint64_t collisions;
	/** @uncacheable: built without being cached */
	uint64_t uncacheable;
	/** @in_flight: (g) being built */
	uint64_t in_flight;
	/** @peak_in_flight: highest in_flight so far */
	uint64_t peak_in_flight;
	/** @queued: (g) distinct keys waiting to be built */
	uint64_t queued;
	/** @refusals: refused because the queue was full */
	uint64_t refusals;
	/** @clears: calls of tsr_cache_clear() */
	uint64_t clears;
	/** @reserved: zero */
	uint64_t reserved[8];
};

/**
 * tsr_cache_stats() - copy the statistics
 * @dev: the device
 * @ret_stats: filled in
 */
void tsr_cache_stats(struct tsr_device *dev, struct tsr_cache_stats *ret_stats);

/**
 * tsr_cache_limits() - copy the limits
 * @dev: the device
 * @ret_limits: filled in
 */
void tsr_cache_limits(struct tsr_device *dev, struct tsr_cache_limits *ret_limits);

/**
 * tsr_cache_set_limits() - and evict at once until they hold.
 * @dev: the device
 * @limits: the new ones
 *
 * Return: 0, -EINVAL.
 */
int tsr_cache_set_limits(struct tsr_device *dev, const struct tsr_cache_limits *limits);

/**
 * tsr_cache_clear() - forget all programs; runs in flight keep theirs
 * @dev: the device
 */
void tsr_cache_clear(struct tsr_device *dev);

/**
 * struct tsr_library_stats - what the library did for a device so far (OB-1)
 */
struct tsr_library_stats {
	/** @factory_calls: factories called */
	uint64_t factory_calls;
	/** @factory_failures: that returned an error */
	uint64_t factory_failures;
	/** @plans: resources validated and partitioned */
	uint64_t plans;
	/** @refused: invocations refused with findings */
	uint64_t refused;
	/** @findings: of all of them */
	uint64_t findings;
	/** @programs: programs built and created */
	uint64_t programs;
	/** @compiles: compilers started */
	uint64_t compiles;
	/** @compile_failures: that did not make an image */
	uint64_t compile_failures;
	/** @image_hits: images found built */
	uint64_t image_hits;
	/** @submits: runs accepted */
	uint64_t submits;
	/** @submit_refusals: runs refused by the device */
	uint64_t submit_refusals;
	/** @retired: runs whose end was observed */
	uint64_t retired;
	/** @owners_retained: owners taken over by runs */
	uint64_t owners_retained;
	/** @owners_released: and released, each once */
	uint64_t owners_released;
	/** @bytes_to_device: of host tensors, copied before runs (IO-2) */
	uint64_t bytes_to_device;
	/** @bytes_from_device: and copied back after them */
	uint64_t bytes_from_device;
	/** @staging_made: staging buffers allocated, or grown */
	uint64_t staging_made;
	/** @staging_reused: runs that found one (IO-5) */
	uint64_t staging_reused;
	/** @waits_page: waits that the progress page answered */
	uint64_t waits_page;
	/** @waits_kernel: waits that asked the kernel, which may have slept */
	uint64_t waits_kernel;
	/** @reserved: zero */
	uint64_t reserved[2];
};

/**
 * tsr_library_stats() - copy the counters
 * @dev: the device
 * @ret_stats: filled in
 */
void tsr_library_stats(struct tsr_device *dev, struct tsr_library_stats *ret_stats);

#ifdef __cplusplus
}
#endif

#endif

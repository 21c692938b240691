/* SPDX-License-Identifier: MIT */
/* A device: the open node, its limits, its counters. Any thread. */
#ifndef TESSERA_DEVICE_H
#define TESSERA_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <tessera/counters.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_coreset;

/*
 * struct tsr_device - an open device
 */
struct tsr_device;

/**
 * enum tsr_processor - the processors of a core
 */
enum tsr_processor {
	/** @TSR_PROCESSOR_DM0: data movement, by custom the reader */
	TSR_PROCESSOR_DM0 = 0,
	/** @TSR_PROCESSOR_DM1: data movement, by custom the writer */
	TSR_PROCESSOR_DM1 = 1,
	/** @TSR_PROCESSOR_COMPUTE: owns the tile unit */
	TSR_PROCESSOR_COMPUTE = 2,
	/** @TSR_PROCESSORS: how many there are */
	TSR_PROCESSORS = 3
};

/**
 * struct tsr_limits - what a device allows (RR-12); sizes in bytes
 */
struct tsr_limits {
	/** @grid_width: columns */
	uint32_t grid_width;
	/** @grid_height: rows */
	uint32_t grid_height;
	/** @cores: working ones, see tsr_device_cores() */
	uint32_t cores;
	/** @l1_size: L1 memory of a core */
	uint32_t l1_size;
	/** @arg_base: L1 address of the launch words */
	uint32_t arg_base;
	/** @image_base: L1 address of each processor's image */
	uint32_t image_base[3];
	/** @image_slot: room for one: text, data, bss and stack */
	uint32_t image_slot;
	/** @cb_base: lowest L1 address of circular buffers */
	uint32_t cb_base;
	/** @words: own + common words of a processor (V13) */
	uint32_t words;
	/** @semaphores: of a core (V15) */
	uint32_t semaphores;
	/** @circular_buffers: of a core */
	uint32_t circular_buffers;
	/** @bindings: tensors of one run */
	uint32_t bindings;
	/** @images: of one program */
	uint32_t images;
	/** @descriptors: of one program */
	uint32_t descriptors;
	/** @ranges: rectangles of one program */
	uint32_t ranges;
	/** @program_size: of a program blob */
	uint32_t program_size;
	/** @queue_capacity: runs accepted and not retired, a context */
	uint32_t queue_capacity;
	/** @staged_depth: runs staged or executing */
	uint32_t staged_depth;
	/** @parallelism: runs executing at once */
	uint32_t parallelism;
	/** @batch: runs in one submit */
	uint32_t batch;
	/** @syncs: in-fences, and out-fences, of a run */
	uint32_t syncs;
	/** @no_progress_ms: a run is ended after so long (FL-3) */
	uint32_t no_progress_ms;
	/** @claim_hold_ms: a held claim may be lost after so long, if others wait (CL-2) */
	uint32_t claim_hold_ms;
	/** @reserved: zero */
	uint32_t reserved[7];
};

/**
 * enum tsr_health - health of a device
 */
enum tsr_health {
	/** @TSR_HEALTH_GOOD: accepts and executes runs */
	TSR_HEALTH_GOOD = 0,
	/** @TSR_HEALTH_RESETTING: will be good again */
	TSR_HEALTH_RESETTING = 1,
	/** @TSR_HEALTH_WEDGED: only a reset helps */
	TSR_HEALTH_WEDGED = 2,
	/** @TSR_HEALTH_GONE: unplugged */
	TSR_HEALTH_GONE = 3
};

#define TSR_CAP_PROFILE		(UINT64_C(1) << 0)	/* TSR_SUBMIT_PROFILE works */
#define TSR_CAP_PRINT		(UINT64_C(1) << 1)	/* TSR_SUBMIT_PRINT works */
#define TSR_CAP_DETERMINISTIC	(UINT64_C(1) << 2)	/* equal runs take equal cycles */

/**
 * struct tsr_device_state - what may change while a device is open, and its capabilities
 */
struct tsr_device_state {
	/** @caps: TSR_CAP_* */
	uint64_t caps;
	/** @reset_generation: resets so far */
	uint64_t reset_generation;
	/** @health: enum tsr_health */
	uint32_t health;
	/** @seed: as kernels read it */
	uint32_t seed;
	/** @reserved: zero */
	uint32_t reserved[4];
};

/**
 * tsr_device_open() - open a device
 * @path: of the node, or NULL for the first node under /sys/class/accel whose driver is tessera
 * @ret_dev: release with tsr_device_unref()
 *
 * Return: 0; -ENODEV no such device, or another driver's node; -EACCES no access; another errno
 * of open().
 */
int tsr_device_open(const char *path, struct tsr_device **ret_dev);

/**
 * tsr_device_ref() - one more reference
 * @dev: the device
 *
 * Return: @dev.
 */
struct tsr_device *tsr_device_ref(struct tsr_device *dev);

/**
 * tsr_device_unref() - drop a reference; the last one closes the node; takes NULL
 * @dev: the device
 *
 * Return: NULL.
 */
struct tsr_device *tsr_device_unref(struct tsr_device *dev);

/**
 * tsr_device_limits() - copy the limits, which never change
 * @dev: the device
 * @ret_limits: filled in
 */
void tsr_device_limits(const struct tsr_device *dev, struct tsr_limits *ret_limits);

/**
 * tsr_device_name() - name of the device
 * @dev: the device
 *
 * Return: the name, borrowed.
 */
const char *tsr_device_name(const struct tsr_device *dev);

/**
 * tsr_device_isa() - RISC-V ISA string of its processors, e.g. "rv32im"
 * @dev: the device
 *
 * Return: the string, borrowed.
 */
const char *tsr_device_isa(const struct tsr_device *dev);

/**
 * tsr_device_path() - path of the node
 * @dev: the device
 *
 * Return: the path, borrowed.
 */
const char *tsr_device_path(const struct tsr_device *dev);

/**
 * tsr_device_fd() - the open node, for syncobj calls of libdrm
 * @dev: the device
 *
 * Return: the descriptor, borrowed: never close it.
 */
int tsr_device_fd(const struct tsr_device *dev);

/**
 * tsr_device_cores() - the working cores (all but the harvested)
 * @dev: the device
 *
 * Return: a new set; NULL: no memory.
 */
struct tsr_coreset *tsr_device_cores(const struct tsr_device *dev);

/**
 * tsr_device_state() - read health and the like.
 * @dev: the device
 * @ret_state: filled in
 *
 * Return: 0, -EPERM after fork, -ENODEV.
 */
int tsr_device_state(struct tsr_device *dev, struct tsr_device_state *ret_state);

/**
 * tsr_device_counters() - read the kernel's counters.
 * @dev: the device
 * @ret_counters: filled in
 *
 * Return: 0, -EPERM after fork, -ENODEV.
 */
int tsr_device_counters(struct tsr_device *dev, struct tsr_counters *ret_counters);

/**
 * tsr_device_reset() - stop everything and begin again
 * @dev: the device
 * @ret_generation: its reset generation afterwards; may be NULL
 *
 * The run that executes ends with code RESET, queued ones execute afterwards.
 *
 * Return: 0; -EACCES needs CAP_SYS_ADMIN; -EIO it did not come back, and is wedged; -EPERM after
 * fork; -ENODEV.
 */
int tsr_device_reset(struct tsr_device *dev, uint64_t *ret_generation);

#ifdef __cplusplus
}
#endif

#endif

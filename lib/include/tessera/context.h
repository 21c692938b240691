/* SPDX-License-Identifier: MIT */
/* A context: an ordered queue of runs with a priority. Any thread. */
#ifndef TESSERA_CONTEXT_H
#define TESSERA_CONTEXT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_device;
struct tsr_counters;

/*
 * struct tsr_context - a queue
 */
struct tsr_context;

/**
 * enum tsr_priority - of a context against others
 */
enum tsr_priority {
	/** @TSR_PRIORITY_NORMAL: the default */
	TSR_PRIORITY_NORMAL = 0,
	/** @TSR_PRIORITY_LOW: behind the others, never starved */
	TSR_PRIORITY_LOW = 1,
	/** @TSR_PRIORITY_HIGH: needs CAP_SYS_NICE */
	TSR_PRIORITY_HIGH = 2
};

/**
 * struct tsr_context_options - all zero is the default
 */
struct tsr_context_options {
	/** @priority: enum tsr_priority */
	uint32_t priority;
	/** @queue_capacity: 1 .. the limit, or 0 for the limit */
	uint32_t queue_capacity;
	/** @reserved: zero */
	uint32_t reserved[6];
};

/**
 * tsr_context_new() - create a queue
 * @dev: where
 * @options: or NULL for the defaults
 * @ret_context: release with tsr_context_unref()
 *
 * Return: 0; -EINVAL; -E2BIG capacity above the limit; -EACCES priority; -EPERM after fork;
 * -ENOMEM.
 */
int tsr_context_new(struct tsr_device *dev, const struct tsr_context_options *options,
		    struct tsr_context **ret_context);

/**
 * tsr_context_ref() - one more reference
 * @context: the queue
 *
 * Return: @context.
 */
struct tsr_context *tsr_context_ref(struct tsr_context *context);

/**
 * tsr_context_unref() - drop a reference; takes NULL
 * @context: the queue
 *
 * A run holds its context, so runs that were accepted still come to their end.
 *
 * Return: NULL.
 */
struct tsr_context *tsr_context_unref(struct tsr_context *context);

/**
 * tsr_context_id() - unique on the device, as events and dumps name it
 * @context: the queue
 *
 * Return: the id.
 */
uint64_t tsr_context_id(const struct tsr_context *context);

/**
 * tsr_context_device() - where it is
 * @context: the queue
 *
 * Return: the device, borrowed.
 */
struct tsr_device *tsr_context_device(const struct tsr_context *context);

/**
 * tsr_context_counters() - read the kernel's counters of this context.
 * @context: the queue
 * @ret_counters: filled in
 *
 * Return: 0, -errno.
 */
int tsr_context_counters(struct tsr_context *context, struct tsr_counters *ret_counters);

/**
 * tsr_context_reset() - make a poisoned context usable again
 * @context: the queue
 *
 * Waits until the runs that the poisoning cancelled have ended, then forgets its cause. Nothing
 * happens to a context that is not poisoned.
 *
 * Return: 0, -EPERM after fork, -ENODEV.
 */
int tsr_context_reset(struct tsr_context *context);

#ifdef __cplusplus
}
#endif

#endif

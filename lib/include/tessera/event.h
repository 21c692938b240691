/* SPDX-License-Identifier: MIT */
/*
 * What there is and what happens on all devices of this machine, by netlink: no node is opened,
 * no privilege is needed to look. Only in the initial network namespace.
 */
#ifndef TESSERA_EVENT_H
#define TESSERA_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include <tessera/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* struct tsr_listener - a subscription to events; one thread at a time */
struct tsr_listener;

/** enum tsr_event_type - what happened */
enum tsr_event_type {
	/** @TSR_EVENT_DEVICE_ADDED: first of an instance */
	TSR_EVENT_DEVICE_ADDED = 1,
	/** @TSR_EVENT_DEVICE_GONE: last of an instance */
	TSR_EVENT_DEVICE_GONE = 2,
	/** @TSR_EVENT_DEVICE_RESET: reset_generation has moved */
	TSR_EVENT_DEVICE_RESET = 3,
	/** @TSR_EVENT_DEVICE_WEDGED: resets failed */
	TSR_EVENT_DEVICE_WEDGED = 4,
	/** @TSR_EVENT_RUN_FAILED: its code has a failure class */
	TSR_EVENT_RUN_FAILED = 5,
	/** @TSR_EVENT_RUN_QUARANTINED: its stop is not proven */
	TSR_EVENT_RUN_QUARANTINED = 6,
	/** @TSR_EVENT_CLAIM_TAKEN: a context holds the claim */
	TSR_EVENT_CLAIM_TAKEN = 7,
	/** @TSR_EVENT_CLAIM_LOST: and not any more, unasked */
	TSR_EVENT_CLAIM_LOST = 8
};

/** struct tsr_event - one event */
struct tsr_event {
	/** @sequence: 1, 2, 3 ... for each instance */
	uint64_t sequence;
	/** @instance: of the device, never used again */
	uint64_t instance;
	/** @time_ns: CLOCK_MONOTONIC */
	uint64_t time_ns;
	/** @reset_generation: of the device */
	uint64_t reset_generation;
	/** @context: its id, or 0: none is concerned */
	uint64_t context;
	/** @run: its id, or 0: none is concerned */
	uint64_t run;
	/** @minor: N of /dev/accel/accelN */
	uint32_t minor;
	/** @type: enum tsr_event_type */
	uint32_t type;
	/** @phase: enum tsr_phase of a run */
	uint32_t phase;
	/** @code: of a run, see tsr_code_name() */
	uint32_t code;
	/** @failure_class: enum tsr_class of @code */
	uint32_t failure_class;
	/** @pad: zero */
	uint32_t pad;
	/** @name: of the device, in its own events; else empty */
	char name[32];
	/** @reserved: zero */
	uint64_t reserved[4];
};

/**
 * tsr_listener_open() - subscribe to the events of all devices, those to come included
 * @ret_listener: release with tsr_listener_close()
 *
 * Events of the moment before may still come; those of them that do not are no loss.
 *
 * Return: 0; -ENODEV the driver is not loaded, or this is not the initial network namespace;
 * -ENOMEM; -EMFILE and the like.
 */
int tsr_listener_open(struct tsr_listener **ret_listener);

/**
 * tsr_listener_close() - unsubscribe
 * @listener: or NULL
 *
 * Return: NULL.
 */
struct tsr_listener *tsr_listener_close(struct tsr_listener *listener);

/**
 * tsr_listener_fd() - for poll(): readable when tsr_listener_next() should be called
 * @listener: the subscription
 *
 * Call it with timeout 0 until it says -ETIME; then the descriptor tells of more.
 *
 * Return: the descriptor, borrowed; never read from it.
 */
int tsr_listener_fd(const struct tsr_listener *listener);

/**
 * tsr_listener_next() - the next event
 * @listener: the subscription
 * @timeout_ns: from now; 0 asks, negative waits for ever
 * @ret_event: the event
 *
 * Events of one device come in order, and each once. Who reads too slowly loses some: that is
 * said by -ENOBUFS, at once when it is noticed and before any event that follows the gap, once or
 * twice for one loss. Nobody waits for a listener. After it, tsr_device_list() tells how things
 * are, and the next call here goes on.
 *
 * Return: 0; -ETIME none came; -ENOBUFS some were lost; -ENODEV the driver was unloaded: close, and
 * open again when it is back; -EPERM after fork; -ENOMEM.
 */
int tsr_listener_next(struct tsr_listener *listener, int64_t timeout_ns,
		      struct tsr_event *ret_event);

/**
 * tsr_listener_lost() - how many events are known to have been lost so far
 * @listener: the subscription
 *
 * A loss is counted when the next event of that device has shown how long the gap was.
 *
 * Return: their number.
 */
uint64_t tsr_listener_lost(const struct tsr_listener *listener);

/**
 * tsr_event_name() - of an event's type: "run-failed"
 * @type: enum tsr_event_type
 *
 * Return: static; an unknown one is called so, in a text of the calling thread.
 */
const char *tsr_event_name(uint32_t type);

/** struct tsr_device_entry - a device as it is */
struct tsr_device_entry {
	/** @instance: never used again, as @minor may be */
	uint64_t instance;
	/** @reset_generation: resets so far */
	uint64_t reset_generation;
	/** @event_sequence: this is not older than that event */
	uint64_t event_sequence;
	/** @counters_known: bit n: field n was measured */
	uint64_t counters_known;
	/** @minor: N of /dev/accel/accelN */
	uint32_t minor;
	/** @health: enum tsr_health */
	uint32_t health;
	/** @grid_width: columns */
	uint32_t grid_width;
	/** @grid_height: rows */
	uint32_t grid_height;
	/** @cores: working ones */
	uint32_t cores;
	/** @l1_size: bytes of a core */
	uint32_t l1_size;
	/** @queue_capacity: runs of a context */
	uint32_t queue_capacity;
	/** @staged_depth: runs staged or executing */
	uint32_t staged_depth;
	/** @parallelism: runs executing */
	uint32_t parallelism;
	/** @no_progress_ms: a run is ended after so long */
	uint32_t no_progress_ms;
	/** @name: of the device */
	char name[32];
	/** @counters: 0 where @counters_known says no */
	struct tsr_counters counters;
	/** @reserved: zero */
	uint64_t reserved[4];
};

/**
 * tsr_device_list() - all devices of this machine
 * @ret_devices: array in the order in which they were added, free with free()
 * @ret_count: of its elements
 *
 * Return: 0, -ENODEV as tsr_listener_open(), -ENOMEM and the like.
 */
int tsr_device_list(struct tsr_device_entry **ret_devices, size_t *ret_count);

#define TSR_ALL_DEVICES		UINT32_MAX	/* instead of a minor */
#define TSR_NO_PROCESS		0		/* instead of a process that cannot be seen from here */

/** struct tsr_context_entry - a context as it is */
struct tsr_context_entry {
	/** @id: as tsr_context_id() */
	uint64_t id;
	/** @counters_known: bit n: field n was measured */
	uint64_t counters_known;
	/** @minor: of its device */
	uint32_t minor;
	/** @pid: process that created it, or TSR_NO_PROCESS */
	uint32_t pid;
	/** @uid: user for whom it works */
	uint32_t uid;
	/** @priority: enum tsr_priority */
	uint32_t priority;
	/** @queue_capacity: runs accepted and not ended, at most */
	uint32_t queue_capacity;
	/** @depth: and now */
	uint32_t depth;
	/** @counters: 0 where @counters_known says no */
	struct tsr_counters counters;
	/** @reserved: zero */
	uint64_t reserved[4];
};

/**
 * tsr_context_list() - the contexts that the caller may see
 * @minor: of one device, or TSR_ALL_DEVICES
 * @ret_contexts: array in the order of devices and ids, free with free()
 * @ret_count: of its elements
 *
 * All with CAP_NET_ADMIN or CAP_SYS_ADMIN, else those of the calling user.
 *
 * Return: as tsr_device_list(); -ENODEV also when there is no such device.
 */
int tsr_context_list(uint32_t minor, struct tsr_context_entry **ret_contexts, size_t *ret_count);

/**
 * tsr_minor_reset() - reset a device without opening it, and wait for the result
 * @minor: of the device
 * @ret_generation: reset generation afterwards, or NULL
 *
 * Return: 0; -EPERM without CAP_NET_ADMIN; -ENODEV; -EIO it did not come back, and is wedged; -EINTR a
 * signal came first, it may happen yet.
 */
int tsr_minor_reset(uint32_t minor, uint64_t *ret_generation);

/**
 * tsr_counter_name() - of a field of struct tsr_counters: "runs_accepted"
 * @index: of the field
 *
 * Return: static; NULL behind the last one.
 */
const char *tsr_counter_name(size_t index);

#ifdef __cplusplus
}
#endif

#endif

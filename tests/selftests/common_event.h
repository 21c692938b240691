/* SPDX-License-Identifier: MIT */
/* Devices as netlink shows them, and events as they come. */
#ifndef TSR_TESTS_COMMON_EVENT_H
#define TSR_TESTS_COMMON_EVENT_H

#include <tessera/event.h>
#include "common_uapi.h"

/** event_minor() - of an open node */
uint32_t event_minor(int fd);

/** event_device() - the entry of a minor. 0, -ENODEV, an error of tsr_device_list(). */
int event_device(uint32_t minor, struct tsr_device_entry *ret);
/** event_context() - the entry of a context by minor and id. 0, -ENOENT, an error. */
int event_context(uint32_t minor, uint64_t id, struct tsr_context_entry *ret);

/** event_wrong_counters() - how many known counters differ; prints each */
int event_wrong_counters(const struct tsr_counters *got, uint64_t known,
			 const struct drm_tessera_counters *want);

/** event_next() - the next one of that device, within 10 s; others are passed over */
int event_next(struct tsr_listener *l, uint32_t minor, struct tsr_event *ret);
/** event_none() - whether that device says nothing more for 200 ms */
bool event_none(struct tsr_listener *l, uint32_t minor);

#endif

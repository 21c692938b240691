/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events (OB-2). Whoever sees one leaves a record in a ring; a worker sends it to those who
 * listen. A full ring loses its oldest records, and the numbers of the others show the gap.
 */
#ifndef TSR_EVENT_H
#define TSR_EVENT_H

#include <linux/spinlock.h>
#include <linux/tessera_netlink.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#define TSR_EVENTS	256

struct tsr_context;
struct tsr_device;
struct tsr_run;

/* struct tsr_event - a record; ids that do not apply are 0 */
struct tsr_event {
	u64 sequence;
	u64 time_ns;
	u64 reset_generation;
	u64 context;
	u64 run;
	u32 type;			/* enum tessera_event_type */
	u32 phase;
	u32 code;
};

/* struct tsr_events - of one device */
struct tsr_events {
	spinlock_t lock;		/* irq-safe, inside all others; protects all but @work */
	bool open;			/* between DEVICE_ADDED and DEVICE_GONE */
	u64 recorded;			/* number of the last event */
	u64 taken;			/* and of the last one that the worker took, or skipped */
	struct work_struct work;
	struct tsr_event ring[TSR_EVENTS];	/* by number */
};

/* event.c */

void tsr_events_init(struct tsr_device *tdev);
/* tsr_events_open() - from now on events count; the first is DEVICE_ADDED */
void tsr_events_open(struct tsr_device *tdev);
/* tsr_events_close() - DEVICE_GONE is the last one; waits until it was sent. May sleep. */
void tsr_events_close(struct tsr_device *tdev);
/* tsr_event_last() - number of the last event */
u64 tsr_event_last(struct tsr_device *tdev);

/*
 * tsr_event() - something happened to the device; tsr_event_context(), tsr_event_run(): to one
 * of those. Any context, under any lock, in a fence's signalling path: takes one spinlock,
 * allocates nothing, waits for nobody. Costs next to nothing when nobody listens.
 */
void tsr_event(struct tsr_device *tdev, u32 type);
void tsr_event_context(struct tsr_device *tdev, u32 type, const struct tsr_context *ctx);
void tsr_event_run(struct tsr_device *tdev, u32 type, const struct tsr_run *run, u32 phase);
/* tsr_event_run_end() - what there is to tell when a run has ended in @phase, if anything */
void tsr_event_run_end(struct tsr_device *tdev, const struct tsr_run *run, u32 phase);

/* netlink.c */

int tsr_netlink_init(void);
void tsr_netlink_exit(void);
/* tsr_netlink_listened() - whether anybody listens to events; any context */
bool tsr_netlink_listened(void);
/* tsr_netlink_send() - to all who listen; those whose buffers are full are told so. May sleep. */
void tsr_netlink_send(struct tsr_device *tdev, const struct tsr_event *event);

/* tsr_netlink_add_device() - show it in dumps and open its events; once it is registered */
void tsr_netlink_add_device(struct tsr_device *tdev);
/* tsr_netlink_remove_device() - the reverse, if it was added; last thing at unplug */
void tsr_netlink_remove_device(struct tsr_device *tdev);
/* tsr_netlink_add_context() - show it in dumps, as one of the calling process. 0, -ENOMEM. */
int tsr_netlink_add_context(struct tsr_context *ctx);
/* tsr_netlink_remove_context() - the reverse, added or not; nobody has a reference any more */
void tsr_netlink_remove_context(struct tsr_context *ctx);

#endif

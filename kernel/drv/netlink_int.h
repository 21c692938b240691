/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of netlink share: messages, and the walk of a dump over devices and contexts. */
#ifndef TSR_NETLINK_INT_H
#define TSR_NETLINK_INT_H

#include <drm/drm_file.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <net/genetlink.h>
#include "context.h"

/* Devices that are plugged in, in the order of their instances. */
extern struct list_head tsr_devices;
extern struct mutex tsr_devices_lock;

static inline u32 tsr_minor(const struct tsr_device *tdev)
{
	return tdev->drm.accel->index;
}

/* netlink.c */

/* tsr_device_at() - the device of a minor, or NULL; holds tsr_devices_lock */
struct tsr_device *tsr_device_at(u32 minor);
/* tsr_put_counters() - a nest of counters; bit n of @absent: not attribute n. 0, -EMSGSIZE. */
int tsr_put_counters(struct sk_buff *skb, int attr, const struct drm_tessera_counters *from,
		     u64 absent);
/* tsr_dump_put() - begin one message of a dump; NULL: no room */
void *tsr_dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);

/* netlink_walk.c */

/* struct tsr_walk - where a dump over contexts stands */
struct tsr_walk {
	u64 instance;			/* all of it was sent */
	u64 current_instance;		/* some contexts of it were */
	unsigned long context;		/* up to this one */
	u64 run;			/* and of the one behind it, runs up to this one */
	bool all;			/* everybody's contexts, or @uid's */
	kuid_t uid;
	bool one_device;		/* only that minor's */
	u32 minor;
	u64 one_context;		/* only that one; 0: all */
	void *batch;			/* memory of the dump's own */
};

/*
 * tsr_walk_start() - begin a dump
 * @minor: attribute of the request, or NULL
 *
 * The caller sees the contexts of its user; with CAP_NET_ADMIN or CAP_SYS_ADMIN all.
 *
 * Return: the walk, which tessera_nl_walk_done() frees; or ERR_PTR: -ENODEV, -ENOMEM.
 */
struct tsr_walk *tsr_walk_start(struct netlink_callback *cb, const struct nlattr *minor);

static inline struct tsr_walk *tsr_walk(const struct netlink_callback *cb)
{
	return *(struct tsr_walk **)cb->ctx;
}

/*
 * tsr_walk_contexts() - go on with a dump
 * @put: all of a context into the message: 0, or -EMSGSIZE: to be called for it again
 */
int tsr_walk_contexts(struct sk_buff *skb, struct netlink_callback *cb,
		      int (*put)(struct sk_buff *skb, struct netlink_callback *cb,
				 struct tsr_context *ctx));

#endif

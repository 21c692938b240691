// SPDX-License-Identifier: GPL-2.0-only
/* The walk of a dump over the contexts of devices, in as many messages as it takes. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/slab.h>
#include <net/sock.h>
#include "netlink_gen.h"
#include "netlink_int.h"

/*
 * Whose contexts are seen: of the user who opened the socket, and only if it is who asks. Either
 * may have been talked into it by the other.
 */
static kuid_t tsr_walk_uid(const struct netlink_callback *cb)
{
	kuid_t uid = NETLINK_CB(cb->skb).sk->sk_uid;

	return uid_eq(uid, current_fsuid()) ? uid : INVALID_UID;
}

struct tsr_walk *tsr_walk_start(struct netlink_callback *cb, const struct nlattr *minor)
{
	struct tsr_walk *walk = kzalloc(sizeof(*walk), GFP_KERNEL);
	bool found;

	if (!walk)
		return ERR_PTR(-ENOMEM);
	if (minor) {
		walk->one_device = true;
		walk->minor = nla_get_u32(minor);
		mutex_lock(&tsr_devices_lock);
		found = tsr_device_at(walk->minor);
		mutex_unlock(&tsr_devices_lock);
		if (!found) {
			NL_SET_BAD_ATTR(genl_info_dump(cb)->extack, minor);
			kfree(walk);
			return ERR_PTR(-ENODEV);
		}
	}
	/* Now: who reads the rest may be another process, to which the socket was given. */
	walk->all = netlink_capable(cb->skb, CAP_NET_ADMIN) ||
		    netlink_capable(cb->skb, CAP_SYS_ADMIN);
	walk->uid = tsr_walk_uid(cb);
	*(struct tsr_walk **)cb->ctx = walk;
	return walk;
}

int tessera_nl_walk_done(struct netlink_callback *cb)
{
	struct tsr_walk *walk = tsr_walk(cb);

	kfree(walk->batch);
	kfree(walk);
	return 0;
}

static bool tsr_walk_shows(const struct tsr_walk *walk, const struct tsr_context *ctx)
{
	return (walk->all || uid_eq(ctx->uid, walk->uid)) &&
	       (!walk->one_context || ctx->id == walk->one_context);
}

/* The first context behind *@id that may be shown, with a reference. */
static struct tsr_context *tsr_context_after(struct tsr_device *tdev, unsigned long *id,
					     const struct tsr_walk *walk)
{
	struct tsr_context *ctx;

	xa_lock(&tdev->all_contexts);
	do {
		ctx = xa_find_after(&tdev->all_contexts, id, ULONG_MAX, XA_PRESENT);
	} while (ctx && (!tsr_walk_shows(walk, ctx) || !kref_get_unless_zero(&ctx->ref)));
	xa_unlock(&tdev->all_contexts);
	return ctx;
}

/* False: the message is full. */
static bool tsr_walk_device(struct sk_buff *skb, struct netlink_callback *cb,
			    struct tsr_device *tdev,
			    int (*put)(struct sk_buff *skb, struct netlink_callback *cb,
				       struct tsr_context *ctx))
{
	struct tsr_walk *walk = tsr_walk(cb);
	struct tsr_context *ctx;
	unsigned long id;
	int ret;

	if (walk->current_instance != tdev->instance) {
		walk->current_instance = tdev->instance;
		walk->context = 0;
		walk->run = 0;
	}
	id = walk->context;
	while ((ctx = tsr_context_after(tdev, &id, walk))) {
		ret = put(skb, cb, ctx);
		tsr_context_put(ctx);
		if (ret)
			return false;
		walk->context = id;
		walk->run = 0;
	}
	return true;
}

int tsr_walk_contexts(struct sk_buff *skb, struct netlink_callback *cb,
		      int (*put)(struct sk_buff *skb, struct netlink_callback *cb,
				 struct tsr_context *ctx))
{
	struct tsr_walk *walk = tsr_walk(cb);
	struct tsr_device *tdev;

	mutex_lock(&tsr_devices_lock);
	list_for_each_entry(tdev, &tsr_devices, netlink_link) {
		if (tdev->instance <= walk->instance ||
		    (walk->one_device && tsr_minor(tdev) != walk->minor))
			continue;
		if (!tsr_walk_device(skb, cb, tdev, put))
			break;
		walk->instance = tdev->instance;
	}
	mutex_unlock(&tsr_devices_lock);
	return skb->len;
}

// SPDX-License-Identifier: GPL-2.0-only
/* The dump of contexts (OB-2). */
#include <linux/pid.h>
#include <linux/user_namespace.h>
#include <net/sock.h>
#include "netlink_gen.h"
#include "netlink_int.h"

/* What a context does not count: absent there, for a 0 would say that it was measured. */
#define TSR_DEVICE_ONLY \
	(BIT_ULL(TESSERA_A_COUNTERS_CONTEXTS) | BIT_ULL(TESSERA_A_COUNTERS_BUFFERS) | \
	 BIT_ULL(TESSERA_A_COUNTERS_PROGRAMS) | BIT_ULL(TESSERA_A_COUNTERS_IMAGES) | \
	 BIT_ULL(TESSERA_A_COUNTERS_FENCES) | BIT_ULL(TESSERA_A_COUNTERS_PROGRAM_CREATES) | \
	 BIT_ULL(TESSERA_A_COUNTERS_IMAGE_LOADS) | BIT_ULL(TESSERA_A_COUNTERS_IMAGE_UNLOADS) | \
	 BIT_ULL(TESSERA_A_COUNTERS_RESETS) | BIT_ULL(TESSERA_A_COUNTERS_SCRUBS) | \
	 BIT_ULL(TESSERA_A_COUNTERS_RESETS_FAILED) | BIT_ULL(TESSERA_A_COUNTERS_IMAGES_ABANDONED))

static int tsr_put_context(struct sk_buff *skb, struct tsr_context *ctx, struct user_namespace *ns)
{
	struct tsr_device *tdev = ctx->tdev;
	struct drm_tessera_counters counters;
	pid_t pid = pid_vnr(ctx->owner);
	unsigned long flags;
	u32 depth;

	spin_lock_irqsave(&tdev->lock, flags);
	counters = ctx->counters;
	depth = ctx->depth;
	spin_unlock_irqrestore(&tdev->lock, flags);

	if (nla_put_u32(skb, TESSERA_A_CONTEXT_MINOR, tsr_minor(tdev)) ||
	    nla_put_u64_64bit(skb, TESSERA_A_CONTEXT_ID, ctx->id, TESSERA_A_CONTEXT_PAD) ||
	    (pid && nla_put_u32(skb, TESSERA_A_CONTEXT_PID, pid)) ||
	    nla_put_u32(skb, TESSERA_A_CONTEXT_UID, from_kuid_munged(ns, ctx->uid)) ||
	    nla_put_u32(skb, TESSERA_A_CONTEXT_PRIORITY, ctx->priority) ||
	    nla_put_u32(skb, TESSERA_A_CONTEXT_QUEUE_CAPACITY, ctx->capacity) ||
	    nla_put_u32(skb, TESSERA_A_CONTEXT_DEPTH, depth))
		return -EMSGSIZE;
	return tsr_put_counters(skb, TESSERA_A_CONTEXT_COUNTERS, &counters, TSR_DEVICE_ONLY);
}

int tsr_netlink_add_context(struct tsr_context *ctx)
{
	ctx->owner = get_pid(task_tgid(current));
	return xa_insert(&ctx->tdev->all_contexts, ctx->id, ctx, TSR_GFP_USER);
}

void tsr_netlink_remove_context(struct tsr_context *ctx)
{
	xa_erase(&ctx->tdev->all_contexts, ctx->id);
	put_pid(ctx->owner);
}

int tessera_nl_context_get_start(struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);

	return PTR_ERR_OR_ZERO(tsr_walk_start(cb, info->attrs[TESSERA_A_CONTEXT_MINOR]));
}

static int tsr_dump_context(struct sk_buff *skb, struct netlink_callback *cb,
			    struct tsr_context *ctx)
{
	struct user_namespace *ns = sk_user_ns(NETLINK_CB(cb->skb).sk);
	void *head = tsr_dump_put(skb, cb, TESSERA_CMD_CONTEXT_GET);

	if (!head)
		return -EMSGSIZE;
	if (tsr_put_context(skb, ctx, ns)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

int tessera_nl_context_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return tsr_walk_contexts(skb, cb, tsr_dump_context);
}

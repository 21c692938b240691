// SPDX-License-Identifier: GPL-2.0-only
/* The dump of runs (OB-2). */
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <net/sock.h>
#include "netlink_gen.h"
#include "netlink_int.h"
#include "view.h"

/* Runs are looked at under the device's lock, so many at once. */
#define TSR_RUNS_AT_ONCE	16

int tessera_nl_run_get_start(struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct nlattr *context = info->attrs[TESSERA_A_RUN_CONTEXT];
	struct nlattr *minor = info->attrs[TESSERA_A_RUN_MINOR];
	struct tsr_walk *walk;

	/* An id without its device names nothing; nor does 0. */
	if (context && (!minor || !nla_get_u64(context))) {
		NL_SET_BAD_ATTR(info->extack, context);
		return -EINVAL;
	}
	walk = tsr_walk_start(cb, minor);
	if (IS_ERR(walk))
		return PTR_ERR(walk);
	walk->one_context = context ? nla_get_u64(context) : 0;
	walk->batch = kcalloc(TSR_RUNS_AT_ONCE, sizeof(struct tsr_run_view), GFP_KERNEL);
	if (walk->batch)
		return 0;
	tessera_nl_walk_done(cb);
	return -ENOMEM;
}

static int tsr_put_time(struct sk_buff *skb, int attr, u64 ns)
{
	return ns ? nla_put_u64_64bit(skb, attr, ns, TESSERA_A_RUN_PAD) : 0;
}

static int tsr_put_owner(struct sk_buff *skb, const struct tsr_context *ctx,
			 struct user_namespace *ns)
{
	pid_t pid = pid_vnr(ctx->owner);

	if (nla_put_u32(skb, TESSERA_A_RUN_MINOR, tsr_minor(ctx->tdev)) ||
	    nla_put_u64_64bit(skb, TESSERA_A_RUN_CONTEXT, ctx->id, TESSERA_A_RUN_PAD) ||
	    (pid && nla_put_u32(skb, TESSERA_A_RUN_PID, pid)) ||
	    nla_put_u32(skb, TESSERA_A_RUN_UID, from_kuid_munged(ns, ctx->uid)) ||
	    nla_put_u32(skb, TESSERA_A_RUN_PRIORITY, ctx->priority))
		return -EMSGSIZE;
	return 0;
}

static int tsr_put_run(struct sk_buff *skb, const struct tsr_run_view *run)
{
	if (nla_put_u64_64bit(skb, TESSERA_A_RUN_ID, run->id, TESSERA_A_RUN_PAD) ||
	    nla_put_u32(skb, TESSERA_A_RUN_PHASE, run->phase) ||
	    nla_put_u32(skb, TESSERA_A_RUN_WAITS, run->waits) ||
	    nla_put_u32(skb, TESSERA_A_RUN_FENCES, run->fences) ||
	    nla_put_u32(skb, TESSERA_A_RUN_CORES, run->cores) ||
	    nla_put_string(skb, TESSERA_A_RUN_PROGRAM, run->program) ||
	    nla_put(skb, TESSERA_A_RUN_FINGERPRINT, sizeof(run->fingerprint), run->fingerprint) ||
	    nla_put_u64_64bit(skb, TESSERA_A_RUN_USER_DATA, run->user_data, TESSERA_A_RUN_PAD) ||
	    tsr_put_time(skb, TESSERA_A_RUN_QUEUED, run->queued_ns) ||
	    tsr_put_time(skb, TESSERA_A_RUN_STAGED, run->staged_ns) ||
	    tsr_put_time(skb, TESSERA_A_RUN_LAUNCHED, run->launched_ns) ||
	    tsr_put_time(skb, TESSERA_A_RUN_COMPLETED, run->completed_ns))
		return -EMSGSIZE;
	return 0;
}

static int tsr_dump_run(struct sk_buff *skb, struct netlink_callback *cb,
			const struct tsr_context *ctx, const struct tsr_run_view *run)
{
	struct user_namespace *ns = sk_user_ns(NETLINK_CB(cb->skb).sk);
	void *head = tsr_dump_put(skb, cb, TESSERA_CMD_RUN_GET);

	if (!head)
		return -EMSGSIZE;
	if (tsr_put_owner(skb, ctx, ns) || tsr_put_run(skb, run)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static int tsr_dump_runs(struct sk_buff *skb, struct netlink_callback *cb, struct tsr_context *ctx)
{
	struct tsr_walk *walk = tsr_walk(cb);
	struct tsr_run_view *runs = walk->batch;
	u32 i, n;

	do {
		n = tsr_runs_view(ctx, walk->run, runs, TSR_RUNS_AT_ONCE);
		for (i = 0; i < n; i++) {
			if (tsr_dump_run(skb, cb, ctx, &runs[i]))
				return -EMSGSIZE;
			walk->run = runs[i].id;
		}
	} while (n == TSR_RUNS_AT_ONCE);
	return 0;
}

int tessera_nl_run_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return tsr_walk_contexts(skb, cb, tsr_dump_runs);
}

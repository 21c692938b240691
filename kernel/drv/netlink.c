// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink (OB-2): dumps, reset, and the messages of events. The tables are made from
 * Documentation/netlink/specs/tessera.yaml; initial network namespace only.
 */
#include "netlink_gen.h"
#include "netlink_int.h"
#include "run.h"

LIST_HEAD(tsr_devices);
DEFINE_MUTEX(tsr_devices_lock);		/* tsr_devices and tsr_instances; outside tdev->lock */
static u64 tsr_instances;

#define TSR_ATTR_OF(counter) \
	(2 + offsetof(struct drm_tessera_counters, counter) / sizeof(u64))

/* New counters go into the specification, too, in the same order; then make netlink. */
static_assert(sizeof(struct drm_tessera_counters) / sizeof(u64) <= TESSERA_A_COUNTERS_MAX - 1);
static_assert(TSR_ATTR_OF(contexts) == TESSERA_A_COUNTERS_CONTEXTS);
static_assert(TSR_ATTR_OF(runs_accepted) == TESSERA_A_COUNTERS_RUNS_ACCEPTED);
static_assert(TSR_ATTR_OF(runs_retired) == TESSERA_A_COUNTERS_RUNS_RETIRED);
static_assert(TSR_ATTR_OF(scrubs) == TESSERA_A_COUNTERS_SCRUBS);
static_assert(TSR_ATTR_OF(inline_runs) == TESSERA_A_COUNTERS_INLINE_RUNS);
static_assert(TSR_ATTR_OF(images_abandoned) == TESSERA_A_COUNTERS_IMAGES_ABANDONED);
static_assert(TESSERA_A_COUNTERS_MAX < 64);
static_assert((u32)TESSERA_HEALTH_GOOD == DRM_TESSERA_HEALTH_GOOD);
static_assert((u32)TESSERA_HEALTH_RESETTING == DRM_TESSERA_HEALTH_RESETTING);
static_assert((u32)TESSERA_HEALTH_WEDGED == DRM_TESSERA_HEALTH_WEDGED);
static_assert((u32)TESSERA_HEALTH_GONE == DRM_TESSERA_HEALTH_GONE);

/* --- messages ------------------------------------------------------------------------------- */

int tsr_put_counters(struct sk_buff *skb, int attr, const struct drm_tessera_counters *from,
		     u64 absent)
{
	const u64 *value = (const u64 *)from;
	struct nlattr *nest = nla_nest_start(skb, attr);
	size_t i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < sizeof(*from) / sizeof(*value); i++)
		if (!(absent & BIT_ULL(i + 2)) &&
		    nla_put_u64_64bit(skb, i + 2, value[i], TESSERA_A_COUNTERS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int tsr_put_limits(struct sk_buff *skb, const struct tessera_limits *l)
{
	struct nlattr *nest = nla_nest_start(skb, TESSERA_A_DEVICE_LIMITS);

	if (!nest ||
	    nla_put_u32(skb, TESSERA_A_LIMITS_GRID_WIDTH, l->grid_width) ||
	    nla_put_u32(skb, TESSERA_A_LIMITS_GRID_HEIGHT, l->grid_height) ||
	    nla_put_u32(skb, TESSERA_A_LIMITS_CORES, l->cores) ||
	    nla_put_u32(skb, TESSERA_A_LIMITS_L1_SIZE, l->l1_size) ||
	    nla_put_u32(skb, TESSERA_A_LIMITS_QUEUE_CAPACITY, l->queue_capacity) ||
	    nla_put_u32(skb, TESSERA_A_LIMITS_STAGED_DEPTH, l->staged_depth) ||
	    nla_put_u32(skb, TESSERA_A_LIMITS_PARALLELISM, l->parallelism) ||
	    nla_put_u32(skb, TESSERA_A_LIMITS_NO_PROGRESS_MS, l->no_progress_ms))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int tsr_put_device(struct sk_buff *skb, struct tsr_device *tdev)
{
	struct drm_tessera_counters counters;
	/* First: the rest may tell of later events, but of no earlier state. */
	u64 sequence = tsr_event_last(tdev);
	unsigned long flags;
	u64 generation;
	u32 health;

	spin_lock_irqsave(&tdev->lock, flags);
	counters = tdev->counters;
	generation = tdev->reset_generation;
	health = tdev->health;
	spin_unlock_irqrestore(&tdev->lock, flags);

	if (nla_put_u32(skb, TESSERA_A_DEVICE_MINOR, tsr_minor(tdev)) ||
	    nla_put_u64_64bit(skb, TESSERA_A_DEVICE_INSTANCE, tdev->instance,
			      TESSERA_A_DEVICE_PAD) ||
	    nla_put_string(skb, TESSERA_A_DEVICE_NAME, tdev->name) ||
	    nla_put_u32(skb, TESSERA_A_DEVICE_HEALTH, health) ||
	    nla_put_u64_64bit(skb, TESSERA_A_DEVICE_RESET_GENERATION, generation,
			      TESSERA_A_DEVICE_PAD) ||
	    nla_put_u64_64bit(skb, TESSERA_A_DEVICE_EVENT_SEQUENCE, sequence,
			      TESSERA_A_DEVICE_PAD) ||
	    tsr_put_limits(skb, &tdev->config.limits))
		return -EMSGSIZE;
	return tsr_put_counters(skb, TESSERA_A_DEVICE_COUNTERS, &counters, 0);
}

static int tsr_put_event(struct sk_buff *skb, const struct tsr_device *tdev,
			 const struct tsr_event *event)
{
	if (nla_put_u32(skb, TESSERA_A_EVENT_MINOR, tsr_minor(tdev)) ||
	    nla_put_u64_64bit(skb, TESSERA_A_EVENT_INSTANCE, tdev->instance,
			      TESSERA_A_EVENT_PAD) ||
	    nla_put_u64_64bit(skb, TESSERA_A_EVENT_SEQUENCE, event->sequence,
			      TESSERA_A_EVENT_PAD) ||
	    nla_put_u32(skb, TESSERA_A_EVENT_TYPE, event->type) ||
	    nla_put_u64_64bit(skb, TESSERA_A_EVENT_TIME, event->time_ns, TESSERA_A_EVENT_PAD) ||
	    nla_put_u64_64bit(skb, TESSERA_A_EVENT_RESET_GENERATION, event->reset_generation,
			      TESSERA_A_EVENT_PAD))
		return -EMSGSIZE;
	if (!event->context)
		return nla_put_string(skb, TESSERA_A_EVENT_NAME, tdev->name);
	if (nla_put_u64_64bit(skb, TESSERA_A_EVENT_CONTEXT, event->context, TESSERA_A_EVENT_PAD))
		return -EMSGSIZE;
	if (event->run &&
	    (nla_put_u64_64bit(skb, TESSERA_A_EVENT_RUN, event->run, TESSERA_A_EVENT_PAD) ||
	     nla_put_u32(skb, TESSERA_A_EVENT_PHASE, event->phase) ||
	     nla_put_u32(skb, TESSERA_A_EVENT_CODE, event->code) ||
	     nla_put_u32(skb, TESSERA_A_EVENT_CLASS, tsr_code_class(event->code))))
		return -EMSGSIZE;
	return 0;
}

/* --- events --------------------------------------------------------------------------------- */

bool tsr_netlink_listened(void)
{
	return genl_has_listeners(&tessera_nl_family, &init_net, TESSERA_NLGRP_EVENTS);
}

void tsr_netlink_send(struct tsr_device *tdev, const struct tsr_event *event)
{
	struct sk_buff *skb = genlmsg_new(256, GFP_KERNEL);
	void *head;

	/* The next number would show that one is missing, but there may be no next one. */
	if (!skb) {
		genl_set_err(&tessera_nl_family, &init_net, 0, TESSERA_NLGRP_EVENTS, -ENOBUFS);
		return;
	}
	head = genlmsg_put(skb, 0, 0, &tessera_nl_family, 0, TESSERA_CMD_EVENT_NTF);
	if (!head || tsr_put_event(skb, tdev, event)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast(&tessera_nl_family, skb, 0, TESSERA_NLGRP_EVENTS, GFP_KERNEL);
}

/* --- devices -------------------------------------------------------------------------------- */

void tsr_netlink_add_device(struct tsr_device *tdev)
{
	mutex_lock(&tsr_devices_lock);
	tdev->instance = ++tsr_instances;
	list_add_tail(&tdev->netlink_link, &tsr_devices);
	mutex_unlock(&tsr_devices_lock);
	tsr_events_open(tdev);
}

void tsr_netlink_remove_device(struct tsr_device *tdev)
{
	if (!tdev->instance)
		return;
	mutex_lock(&tsr_devices_lock);
	list_del(&tdev->netlink_link);
	mutex_unlock(&tsr_devices_lock);
	tsr_events_close(tdev);
}

struct tsr_device *tsr_device_at(u32 minor)
{
	struct tsr_device *tdev;

	lockdep_assert_held(&tsr_devices_lock);
	list_for_each_entry(tdev, &tsr_devices, netlink_link)
		if (tsr_minor(tdev) == minor)
			return tdev;
	return NULL;
}

/* The device that a request is about, with a reference. */
static struct tsr_device *tsr_device_asked(struct genl_info *info)
{
	struct tsr_device *tdev;

	if (GENL_REQ_ATTR_CHECK(info, TESSERA_A_DEVICE_MINOR))
		return ERR_PTR(-EINVAL);
	mutex_lock(&tsr_devices_lock);
	tdev = tsr_device_at(nla_get_u32(info->attrs[TESSERA_A_DEVICE_MINOR]));
	if (tdev)
		drm_dev_get(&tdev->drm);
	mutex_unlock(&tsr_devices_lock);
	if (tdev)
		return tdev;
	NL_SET_BAD_ATTR(info->extack, info->attrs[TESSERA_A_DEVICE_MINOR]);
	return ERR_PTR(-ENODEV);
}

int tessera_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct tsr_device *tdev = tsr_device_asked(info);
	struct sk_buff *reply;
	int ret = -ENOMEM;
	void *head;

	if (IS_ERR(tdev))
		return PTR_ERR(tdev);
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		goto out;
	ret = -EMSGSIZE;
	head = genlmsg_put_reply(reply, info, &tessera_nl_family, 0, TESSERA_CMD_DEVICE_GET);
	if (!head || tsr_put_device(reply, tdev)) {
		nlmsg_free(reply);
		goto out;
	}
	genlmsg_end(reply, head);
	ret = genlmsg_reply(reply, info);
out:
	drm_dev_put(&tdev->drm);
	return ret;
}

void *tsr_dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &tessera_nl_family, NLM_F_MULTI, cmd);
}

int tessera_nl_device_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	u64 *sent = (void *)cb->ctx;	/* instances up to this one */
	struct tsr_device *tdev;
	void *head;

	mutex_lock(&tsr_devices_lock);
	list_for_each_entry(tdev, &tsr_devices, netlink_link) {
		if (tdev->instance <= *sent)
			continue;
		head = tsr_dump_put(skb, cb, TESSERA_CMD_DEVICE_GET);
		if (!head)
			break;
		if (tsr_put_device(skb, tdev)) {
			genlmsg_cancel(skb, head);
			break;
		}
		genlmsg_end(skb, head);
		*sent = tdev->instance;
	}
	mutex_unlock(&tsr_devices_lock);
	return skb->len;
}

int tessera_nl_device_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct tsr_device *tdev = tsr_device_asked(info);
	struct sk_buff *reply;
	u64 generation;
	void *head;
	int ret;

	if (IS_ERR(tdev))
		return PTR_ERR(tdev);
	/* Before the deed: afterwards there must be no reason to say that it failed. */
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	ret = reply ? tsr_device_request_reset(tdev, &generation) : -ENOMEM;
	if (ret)
		goto err;
	head = genlmsg_put_reply(reply, info, &tessera_nl_family, 0, TESSERA_CMD_DEVICE_RESET);
	if (!head || nla_put_u32(reply, TESSERA_A_DEVICE_MINOR, tsr_minor(tdev)) ||
	    nla_put_u64_64bit(reply, TESSERA_A_DEVICE_RESET_GENERATION, generation,
			      TESSERA_A_DEVICE_PAD)) {
		ret = -EMSGSIZE;
		goto err;
	}
	genlmsg_end(reply, head);
	drm_dev_put(&tdev->drm);
	return genlmsg_reply(reply, info);
err:
	drm_dev_put(&tdev->drm);
	nlmsg_free(reply);
	/* The error travels in a message: nothing would make it a restart. */
	return ret == -ERESTARTSYS ? -EINTR : ret;
}

/* --- family --------------------------------------------------------------------------------- */

int tsr_netlink_init(void)
{
	/* The generator has no word for it: devices belong to no network namespace. */
	tessera_nl_family.netnsok = false;
	return genl_register_family(&tessera_nl_family);
}

void tsr_netlink_exit(void)
{
	genl_unregister_family(&tessera_nl_family);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/tessera.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_TESSERA_GEN_H
#define _LINUX_TESSERA_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <linux/tessera_netlink.h>

int tessera_nl_context_get_start(struct netlink_callback *cb);
int tessera_nl_run_get_start(struct netlink_callback *cb);
int tessera_nl_walk_done(struct netlink_callback *cb);

int tessera_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info);
int tessera_nl_device_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int tessera_nl_context_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int tessera_nl_device_reset_doit(struct sk_buff *skb, struct genl_info *info);
int tessera_nl_run_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);

enum {
	TESSERA_NLGRP_EVENTS,
};

extern struct genl_family tessera_nl_family;

#endif /* _LINUX_TESSERA_GEN_H */

// SPDX-License-Identifier: GPL-2.0-only
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/tessera.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <linux/tessera_netlink.h>

/* TESSERA_CMD_DEVICE_GET - do */
static const struct nla_policy tessera_device_get_nl_policy[TESSERA_A_DEVICE_MINOR + 1] = {
	[TESSERA_A_DEVICE_MINOR] = { .type = NLA_U32, },
};

/* TESSERA_CMD_CONTEXT_GET - dump */
static const struct nla_policy tessera_context_get_nl_policy[TESSERA_A_CONTEXT_MINOR + 1] = {
	[TESSERA_A_CONTEXT_MINOR] = { .type = NLA_U32, },
};

/* TESSERA_CMD_DEVICE_RESET - do */
static const struct nla_policy tessera_device_reset_nl_policy[TESSERA_A_DEVICE_MINOR + 1] = {
	[TESSERA_A_DEVICE_MINOR] = { .type = NLA_U32, },
};

/* TESSERA_CMD_RUN_GET - dump */
static const struct nla_policy tessera_run_get_nl_policy[TESSERA_A_RUN_CONTEXT + 1] = {
	[TESSERA_A_RUN_MINOR] = { .type = NLA_U32, },
	[TESSERA_A_RUN_CONTEXT] = { .type = NLA_U64, },
};

/* Ops table for tessera */
static const struct genl_split_ops tessera_nl_ops[] = {
	{
		.cmd		= TESSERA_CMD_DEVICE_GET,
		.doit		= tessera_nl_device_get_doit,
		.policy		= tessera_device_get_nl_policy,
		.maxattr	= TESSERA_A_DEVICE_MINOR,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TESSERA_CMD_DEVICE_GET,
		.dumpit	= tessera_nl_device_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TESSERA_CMD_CONTEXT_GET,
		.start		= tessera_nl_context_get_start,
		.dumpit		= tessera_nl_context_get_dumpit,
		.done		= tessera_nl_walk_done,
		.policy		= tessera_context_get_nl_policy,
		.maxattr	= TESSERA_A_CONTEXT_MINOR,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TESSERA_CMD_DEVICE_RESET,
		.doit		= tessera_nl_device_reset_doit,
		.policy		= tessera_device_reset_nl_policy,
		.maxattr	= TESSERA_A_DEVICE_MINOR,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TESSERA_CMD_RUN_GET,
		.start		= tessera_nl_run_get_start,
		.dumpit		= tessera_nl_run_get_dumpit,
		.done		= tessera_nl_walk_done,
		.policy		= tessera_run_get_nl_policy,
		.maxattr	= TESSERA_A_RUN_CONTEXT,
		.flags		= GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group tessera_nl_mcgrps[] = {
	[TESSERA_NLGRP_EVENTS] = { "events", },
};

struct genl_family tessera_nl_family __ro_after_init = {
	.name		= TESSERA_FAMILY_NAME,
	.version	= TESSERA_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= tessera_nl_ops,
	.n_split_ops	= ARRAY_SIZE(tessera_nl_ops),
	.mcgrps		= tessera_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(tessera_nl_mcgrps),
};

/* SPDX-License-Identifier: MIT */
/* What the files of netlink share: a connection, a request, the attributes of counters. */
#ifndef TSR_NETLINK_H
#define TSR_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include <linux/tessera_netlink.h>
#include <tessera/event.h>

/** struct tsr_netlink - a connection */
struct tsr_netlink {
	struct nl_sock *sock;
	int family;
	int events;			/* group of the family */
};

/** tsr_netlink_errno() - of an error of libnl, either sign: the one place where they end */
int tsr_netlink_errno(int nl_error);

/** tsr_netlink_open() - connect and find the family. Return: 0, -ENODEV it is not there, ... */
int tsr_netlink_open(struct tsr_netlink *ret);
void tsr_netlink_close(struct tsr_netlink *nl);

/** struct tsr_request - a request and what becomes of its answers */
struct tsr_request {
	uint8_t command;		/* TESSERA_CMD_*, or one of nlctrl */
	bool dump;
	int name_attr;			/* 0: no name */
	const char *name;
	int minor_attr;			/* 0: no minor */
	uint32_t minor;
	int id_attr;			/* 0: no id */
	uint64_t id;
	/** @parse: one answer; 0 or -errno, which ends it */
	int (*parse)(struct nlattr **attrs, void *arg);
	int max_attr;
	const struct nla_policy *policy;
	void *arg;
};

/** tsr_netlink_request() - send, and parse all answers. Return: 0, the kernel's or our -errno. */
int tsr_netlink_request(const struct tsr_request *request);

/**
 * tsr_netlink_list() - a dump, in an array that the caller frees
 * @request: parse() adds to its argument, a struct tsr_vec
 *
 * Return: as tsr_netlink_request(); outputs are written on success only.
 */
int tsr_netlink_list(struct tsr_request *request, void **ret_list, size_t *ret_count);

/* Attributes that are absent leave @ret as it is. */
void tsr_attr_u32(struct nlattr *attr, uint32_t *ret);
void tsr_attr_u64(struct nlattr *attr, uint64_t *ret);
void tsr_attr_text(struct nlattr *attr, char *ret, size_t size);
/** tsr_attr_priority() - enum tsr_priority of DRM_TESSERA_PRIORITY_* */
uint32_t tsr_attr_priority(uint32_t priority);

#endif

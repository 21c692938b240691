// SPDX-License-Identifier: MIT
/* Generic netlink over libnl: connections, requests, and what libnl's errors mean here. */
#include <errno.h>
#include <stdio.h>

#include <drm/tessera_accel.h>
#include <linux/genetlink.h>
#include <tessera/context.h>

#include "netlink.h"
#include "util.h"

static const int errnos[] = {
	[NLE_SUCCESS] = 0,
	[NLE_FAILURE] = EIO,
	[NLE_INTR] = EINTR,
	[NLE_BAD_SOCK] = EBADF,
	[NLE_AGAIN] = EAGAIN,
	[NLE_NOMEM] = ENOMEM,
	[NLE_EXIST] = EEXIST,
	[NLE_INVAL] = EINVAL,
	[NLE_RANGE] = ERANGE,
	[NLE_MSGSIZE] = EMSGSIZE,
	[NLE_OPNOTSUPP] = EOPNOTSUPP,
	[NLE_AF_NOSUPPORT] = EAFNOSUPPORT,
	[NLE_OBJ_NOTFOUND] = ENODEV,
	[NLE_NOATTR] = EPROTO,
	[NLE_MISSING_ATTR] = EPROTO,
	[NLE_AF_MISMATCH] = EPROTO,
	[NLE_SEQ_MISMATCH] = EPROTO,
	[NLE_MSG_OVERFLOW] = EMSGSIZE,
	[NLE_MSG_TRUNC] = EMSGSIZE,
	[NLE_NOADDR] = EADDRNOTAVAIL,
	[NLE_MSG_TOOSHORT] = EPROTO,
	[NLE_OBJ_MISMATCH] = EPROTO,
	[NLE_BUSY] = EBUSY,
	[NLE_PROTO_MISMATCH] = EPROTO,
	[NLE_NOACCESS] = EACCES,
	[NLE_PERM] = EPERM,
	[NLE_PARSE_ERR] = EPROTO,
	[NLE_NODEV] = ENODEV,
	[NLE_IMMUTABLE] = EPERM,
	[NLE_DUMP_INTR] = EAGAIN,
};

int tsr_netlink_errno(int nl_error)
{
	size_t code = (size_t)(nl_error < 0 ? -nl_error : nl_error);

	if (!code)
		return 0;
	return code < ARRAY_SIZE(errnos) && errnos[code] ? -errnos[code] : -EPROTO;
}

void tsr_netlink_close(struct tsr_netlink *nl)
{
	nl_socket_free(nl->sock);
	nl->sock = NULL;
}

/* --- requests ------------------------------------------------------------------------------- */

struct answer {
	const struct tsr_request *request;
	bool done;
	int err;
};

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct answer *answer = arg;
	const struct tsr_request *request = answer->request;
	struct nlattr *attrs[TESSERA_A_COUNTERS_MAX + 1];
	int err;

	_Static_assert((int)TESSERA_A_COUNTERS_MAX >= (int)CTRL_ATTR_MCAST_GROUPS,
		       "answers of nlctrl, too");
	err = tsr_netlink_errno(genlmsg_parse(nlmsg_hdr(msg), 0, attrs, request->max_attr,
					      (struct nla_policy *)request->policy));
	if (!err)
		err = request->parse(attrs, request->arg);
	if (!answer->err)
		answer->err = err;
	return NL_OK;
}

static int on_end(struct nl_msg *msg, void *arg)
{
	struct answer *answer = arg;

	(void)msg;
	answer->done = true;
	return NL_STOP;
}

/* The kernel's own errno: libnl's translation would blur it. */
static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *arg)
{
	struct answer *answer = arg;

	(void)from;
	answer->done = true;
	answer->err = error->error;
	return NL_STOP;
}

static int send_request(struct tsr_netlink *nl, const struct tsr_request *request)
{
	struct nl_msg *msg = nlmsg_alloc();
	int err = -NLE_NOMEM;

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, nl->family, 0,
			       request->dump ? NLM_F_DUMP : 0, request->command,
			       TESSERA_FAMILY_VERSION)) {
		err = 0;
		if (request->name_attr)
			err = nla_put_string(msg, request->name_attr, request->name);
		if (!err && request->minor_attr)
			err = nla_put_u32(msg, request->minor_attr, request->minor);
		if (!err && request->id_attr)
			err = nla_put_u64(msg, request->id_attr, request->id);
	}
	if (!err)
		err = nl_send_auto(nl->sock, msg);
	nlmsg_free(msg);
	return err < 0 ? tsr_netlink_errno(err) : 0;
}

static int receive_answers(struct tsr_netlink *nl, const struct tsr_request *request)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	struct answer answer = { .request = request };
	int err = 0;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_answer, &answer);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, &answer);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, &answer);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &answer);
	while (!answer.done && err >= 0)
		err = nl_recvmsgs(nl->sock, cb);
	nl_cb_put(cb);
	if (answer.err)
		return answer.err;
	return answer.done ? 0 : tsr_netlink_errno(err);
}

static int ask(struct tsr_netlink *nl, const struct tsr_request *request)
{
	int err = send_request(nl, request);

	return err ? err : receive_answers(nl, request);
}

static int on_group(struct tsr_netlink *nl, struct nlattr *group)
{
	struct nlattr *attrs[CTRL_ATTR_MCAST_GRP_MAX + 1];
	int err = nla_parse_nested(attrs, CTRL_ATTR_MCAST_GRP_MAX, group, NULL);

	if (err)
		return tsr_netlink_errno(err);
	if (attrs[CTRL_ATTR_MCAST_GRP_NAME] && attrs[CTRL_ATTR_MCAST_GRP_ID] &&
	    !nla_strcmp(attrs[CTRL_ATTR_MCAST_GRP_NAME], TESSERA_MCGRP_EVENTS))
		nl->events = (int)nla_get_u32(attrs[CTRL_ATTR_MCAST_GRP_ID]);
	return 0;
}

static int on_family(struct nlattr **attrs, void *arg)
{
	struct tsr_netlink *nl = arg;
	struct nlattr *group;
	int left, err = 0;

	if (!attrs[CTRL_ATTR_FAMILY_ID] || !attrs[CTRL_ATTR_MCAST_GROUPS])
		return -EPROTO;
	nl->family = nla_get_u16(attrs[CTRL_ATTR_FAMILY_ID]);
	nla_for_each_nested(group, attrs[CTRL_ATTR_MCAST_GROUPS], left)
		err = err ? err : on_group(nl, group);
	return err;
}

/* By a request of our own: genl_ctrl_resolve() says "not found" whatever went wrong. */
static int find_family(struct tsr_netlink *nl)
{
	static const struct nla_policy policy[CTRL_ATTR_MCAST_GROUPS + 1] = {
		[CTRL_ATTR_FAMILY_ID] = { .type = NLA_U16 },
		[CTRL_ATTR_MCAST_GROUPS] = { .type = NLA_NESTED },
	};
	const struct tsr_request request = {
		.command = CTRL_CMD_GETFAMILY,
		.name_attr = CTRL_ATTR_FAMILY_NAME,
		.name = TESSERA_FAMILY_NAME,
		.parse = on_family,
		.max_attr = CTRL_ATTR_MCAST_GROUPS,
		.policy = policy,
		.arg = nl,
	};
	int err;

	nl->family = GENL_ID_CTRL;
	err = ask(nl, &request);
	if (err)
		return err == -ENOENT ? -ENODEV : err;
	return nl->events ? 0 : -EPROTO;
}

int tsr_netlink_open(struct tsr_netlink *ret)
{
	struct tsr_netlink nl = { .sock = nl_socket_alloc() };
	int err;

	if (!nl.sock)
		return -ENOMEM;
	err = tsr_netlink_errno(genl_connect(nl.sock));
	if (!err)
		err = find_family(&nl);
	if (err) {
		tsr_netlink_close(&nl);
		return err;
	}
	*ret = nl;
	return 0;
}

int tsr_netlink_request(const struct tsr_request *request)
{
	struct tsr_netlink nl;
	int err = tsr_netlink_open(&nl);

	if (err)
		return err;
	err = ask(&nl, request);
	tsr_netlink_close(&nl);
	return err;
}

int tsr_netlink_list(struct tsr_request *request, void **ret_list, size_t *ret_count)
{
	struct tsr_vec list = { 0 };
	int err;

	request->dump = true;
	request->arg = &list;
	err = tsr_netlink_request(request);
	if (err) {
		tsr_vec_free(&list);
		return err;
	}
	*ret_list = list.data;
	*ret_count = list.count;
	return 0;
}

/* --- attributes ----------------------------------------------------------------------------- */

void tsr_attr_u32(struct nlattr *attr, uint32_t *ret)
{
	if (attr)
		*ret = nla_get_u32(attr);
}

void tsr_attr_u64(struct nlattr *attr, uint64_t *ret)
{
	if (attr)
		*ret = nla_get_u64(attr);
}

void tsr_attr_text(struct nlattr *attr, char *ret, size_t size)
{
	if (attr)
		snprintf(ret, size, "%s", nla_get_string(attr));
}

uint32_t tsr_attr_priority(uint32_t priority)
{
	switch (priority) {
	case DRM_TESSERA_PRIORITY_LOW:
		return TSR_PRIORITY_LOW;
	case DRM_TESSERA_PRIORITY_HIGH:
		return TSR_PRIORITY_HIGH;
	default:
		return TSR_PRIORITY_NORMAL;
	}
}

// SPDX-License-Identifier: MIT
/* Requests to the netlink family: right ones, and with a wrong number in them. */
#include "ops.h"
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/tessera_netlink.h>
#include <string.h>
#include <sys/socket.h>
#include "damage.h"

struct request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	struct nlattr attr;
	uint32_t minor;
};

/* Until the end of what was asked for. */
static int answer(int sock)
{
	union {
		struct nlmsghdr nl;
		char bytes[16384];
	} in;

	for (;;) {
		ssize_t n = recv(sock, &in, sizeof(in), 0);

		if (n < 0)
			return -errno;
		for (struct nlmsghdr *h = &in.nl; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((struct nlmsgerr *)NLMSG_DATA(h))->error;
			if (h->nlmsg_type == NLMSG_DONE)
				return 0;
		}
	}
}

int op_netlink(struct worker *w, const struct call *c)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct request r = {
		.nl = {
			.nlmsg_len = sizeof(r), .nlmsg_type = w->world->family,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | (c->a & 1 ? NLM_F_DUMP : 0),
			.nlmsg_seq = 1,
		},
		.genl = { .cmd = 1 + c->b % TESSERA_CMD_MAX, .version = 1 },
		.attr = { .nla_len = NLA_HDRLEN + 4, .nla_type = TESSERA_A_DEVICE_MINOR },
		.minor = w->world->minor,
	};
	int ret;

	if (r.genl.cmd == TESSERA_CMD_DEVICE_RESET && c->b % 16)
		r.genl.cmd = TESSERA_CMD_CONTEXT_GET;
	if (c->a & 2)
		r.nl.nlmsg_len -= NLA_HDRLEN + 4;
	damage(c, DAMAGE_ARGS, &r.genl, sizeof(r) - sizeof(r.nl));
	/* Without an answer netlink would drop it, and time would pass. */
	r.nl.nlmsg_type = w->world->family;
	call_begin(w, OP_NETLINK);
	ret = sendto(w->netlink, &r, r.nl.nlmsg_len, 0, (void *)&kernel, sizeof(kernel));
	ret = ret < 0 ? -errno : answer(w->netlink);
	return call_end(w, OP_NETLINK, ret);
}

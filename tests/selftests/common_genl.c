// SPDX-License-Identifier: MIT
#include "common_genl.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void begin(struct genl *g, __u16 type, __u8 command, __u16 flags)
{
	memset(&g->request, 0, sizeof(g->request));
	g->request.nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	g->request.nl.nlmsg_type = type;
	g->request.nl.nlmsg_flags = NLM_F_REQUEST | flags;
	g->request.nl.nlmsg_seq = ++g->seq;
	g->request.genl.cmd = command;
	g->request.genl.version = 1;
}

void genl_begin(struct genl *g, __u8 command, __u16 flags)
{
	begin(g, g->family, command, NLM_F_ACK | flags);
}

void genl_add(struct genl *g, __u16 type, const void *data, __u16 size)
{
	struct nlattr *a = (void *)((char *)&g->request + NLMSG_ALIGN(g->request.nl.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + size;
	memcpy(a + 1, data, size);
	g->request.nl.nlmsg_len = NLMSG_ALIGN(g->request.nl.nlmsg_len) + NLA_ALIGN(a->nla_len);
}

int genl_send(struct genl *g, size_t size)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	return sendto(g->sock, &g->request, size, 0, (void *)&kernel, sizeof(kernel)) < 0 ? -errno : 0;
}

int genl_answer(struct genl *g)
{
	union {
		struct nlmsghdr nl;
		char bytes[65536];
	} in;

	for (g->got = 0;;) {
		ssize_t n = recv(g->sock, &in, sizeof(in), 0);
		struct nlmsghdr *h = &in.nl;

		if (n < 0)
			return errno == EAGAIN ? GENL_NO_ANSWER : -errno;
		for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			/* Left over from one whose answer could not be read. */
			if (h->nlmsg_seq != g->seq)
				continue;
			g->got += h->nlmsg_type == g->family;
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((struct nlmsgerr *)NLMSG_DATA(h))->error;
			if (h->nlmsg_type == NLMSG_DONE)
				return *(int *)NLMSG_DATA(h);
		}
	}
}

int genl_ask(struct genl *g)
{
	int err = genl_send(g, g->request.nl.nlmsg_len);

	return err ? err : genl_answer(g);
}

/* The number of the family, which the controller tells. */
static __u16 resolve(struct genl *g)
{
	union {
		struct nlmsghdr nl;
		char bytes[16384];
	} in;
	ssize_t n;

	begin(g, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	genl_add(g, CTRL_ATTR_FAMILY_NAME, TESSERA_FAMILY_NAME, sizeof(TESSERA_FAMILY_NAME));
	if (genl_send(g, g->request.nl.nlmsg_len))
		return 0;
	n = recv(g->sock, &in, sizeof(in), 0);
	if (n < (ssize_t)NLMSG_LENGTH(GENL_HDRLEN) || in.nl.nlmsg_type != GENL_ID_CTRL)
		return 0;
	for (char *p = (char *)NLMSG_DATA(&in.nl) + GENL_HDRLEN; p < in.bytes + n;) {
		struct nlattr *a = (void *)p;

		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			return *(__u16 *)(a + 1);
		p += NLA_ALIGN(a->nla_len);
	}
	return 0;
}

int genl_open(struct genl *ret)
{
	struct timeval soon = { .tv_usec = 200000 };

	ret->seq = 0;
	ret->sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (ret->sock < 0)
		return -errno;
	setsockopt(ret->sock, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	ret->family = resolve(ret);
	if (ret->family)
		return 0;
	genl_close(ret);
	return -ENOENT;
}

void genl_close(struct genl *g)
{
	close(g->sock);
}

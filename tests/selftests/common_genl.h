/* SPDX-License-Identifier: MIT */
/* Messages of our generic netlink family, byte by byte: also those that no library sends. */
#ifndef TSR_TESTS_COMMON_GENL_H
#define TSR_TESTS_COMMON_GENL_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/tessera_netlink.h>
#include "common_uapi.h"

#define GENL_NO_ANSWER	1	/* dropped without a word, as netlink does with what is no message */

/** struct genl - a socket, and a request under construction */
struct genl {
	int sock;
	__u16 family;
	__u32 seq;			/* of the request; answers to others are passed over */
	unsigned int got;		/* messages of the family that came with the last answer */
	struct {
		struct nlmsghdr nl;
		struct genlmsghdr genl;
		__u8 attrs[1000];
	} request;
};

/** genl_open() - 0, or -errno: -ENOENT, there is no such family. An answer is waited for 200 ms. */
int genl_open(struct genl *ret);
void genl_close(struct genl *g);

void genl_begin(struct genl *g, __u8 command, __u16 flags);
void genl_add(struct genl *g, __u16 type, const void *data, __u16 size);

/** genl_send() - so much of the request, of one piece. 0 or -errno. */
int genl_send(struct genl *g, size_t size);
/** genl_answer() - until an error, an acknowledgement or the end of a dump: 0, -errno, GENL_NO_ANSWER */
int genl_answer(struct genl *g);
/** genl_ask() - both, with the whole request */
int genl_ask(struct genl *g);

#endif

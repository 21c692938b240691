// SPDX-License-Identifier: MIT
/* Messages that no library sends: each wrong one has its error, and changes nothing. */
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/tessera_netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "common_check.h"
#include "common_event.h"
#include "kselftest_harness.h"

#define NO_ANSWER	1	/* dropped without a word, as netlink does with what is no message */

/* One request under construction. */
struct request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	__u8 attrs[1000];
};

FIXTURE(bad) {
	int sock, fd;
	uint32_t minor;
	__u16 family;
	__u64 context;
	struct request r;
	struct drm_tessera_counters before;
	__u64 generation;
};

static void begin(FIXTURE_DATA(bad) *self, __u16 family, __u8 command, __u16 flags)
{
	memset(&self->r, 0, sizeof(self->r));
	self->r.nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	self->r.nl.nlmsg_type = family;
	self->r.nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	self->r.nl.nlmsg_seq = 1;
	self->r.genl.cmd = command;
	self->r.genl.version = 1;
}

static void add(FIXTURE_DATA(bad) *self, __u16 type, const void *data, __u16 size)
{
	struct nlattr *a = (void *)((char *)&self->r + NLMSG_ALIGN(self->r.nl.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + size;
	memcpy(a + 1, data, size);
	self->r.nl.nlmsg_len = NLMSG_ALIGN(self->r.nl.nlmsg_len) + NLA_ALIGN(a->nla_len);
}

/* Until an error, an acknowledgement or the end of a dump. 0, -errno, or NO_ANSWER. */
static int answer(FIXTURE_DATA(bad) *self)
{
	union {
		struct nlmsghdr nl;
		char bytes[65536];
	} in;

	for (;;) {
		ssize_t n = recv(self->sock, &in, sizeof(in), 0);
		struct nlmsghdr *h = &in.nl;

		if (n < 0)
			return errno == EAGAIN ? NO_ANSWER : -errno;
		for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((struct nlmsgerr *)NLMSG_DATA(h))->error;
			if (h->nlmsg_type == NLMSG_DONE)
				return *(int *)NLMSG_DATA(h);
		}
	}
}

static int ask_sized(FIXTURE_DATA(bad) *self, size_t size)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (sendto(self->sock, &self->r, size, 0, (void *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	return answer(self);
}

static int ask(FIXTURE_DATA(bad) *self)
{
	return ask_sized(self, self->r.nl.nlmsg_len);
}

/* The number of the family, which the controller tells. */
static __u16 resolve(FIXTURE_DATA(bad) *self)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	union {
		struct nlmsghdr nl;
		char bytes[16384];
	} in;
	ssize_t n;

	begin(self, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	self->r.nl.nlmsg_flags = NLM_F_REQUEST;
	add(self, CTRL_ATTR_FAMILY_NAME, TESSERA_FAMILY_NAME, sizeof(TESSERA_FAMILY_NAME));
	sendto(self->sock, &self->r, self->r.nl.nlmsg_len, 0, (void *)&kernel, sizeof(kernel));
	n = recv(self->sock, &in, sizeof(in), 0);
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

FIXTURE_SETUP(bad)
{
	struct timeval soon = { .tv_usec = 200000 };
	struct drm_tessera_device_info info;

	self->sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	ASSERT_LE(0, self->sock);
	setsockopt(self->sock, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	self->family = resolve(self);
	ASSERT_NE(0, self->family);
	self->fd = uapi_open_idle();
	ASSERT_LE(0, self->fd);
	self->minor = event_minor(self->fd);
	self->context = 4711;
	ASSERT_EQ(0, uapi_counters(self->fd, &self->before));
	ASSERT_EQ(0, uapi_info(self->fd, &info));
	self->generation = info.reset_generation;
}

/* Whatever was asked: nothing has happened, and a right request is answered. */
FIXTURE_TEARDOWN(bad)
{
	struct drm_tessera_device_info info;
	struct tsr_device_entry d;

	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, NULL));
	EXPECT_EQ(0, uapi_info(self->fd, &info));
	EXPECT_EQ(self->generation, info.reset_generation);
	EXPECT_EQ(0, event_device(self->minor, &d));
	close(self->fd);
	close(self->sock);
}

TEST_F(bad, right_ones_first)
{
	begin(self, self->family, TESSERA_CMD_DEVICE_GET, 0);
	add(self, TESSERA_A_DEVICE_MINOR, &self->minor, 4);
	EXPECT_EQ(0, ask(self));
	begin(self, self->family, TESSERA_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(0, ask(self));
	begin(self, self->family, TESSERA_CMD_CONTEXT_GET, NLM_F_DUMP);
	EXPECT_EQ(0, ask(self));
	begin(self, self->family, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
	EXPECT_EQ(0, ask(self));
	begin(self, self->family, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
	add(self, TESSERA_A_RUN_MINOR, &self->minor, 4);
	add(self, TESSERA_A_RUN_CONTEXT, &self->context, 8);
	EXPECT_EQ(0, ask(self));
}

TEST_F(bad, context_without_a_device_and_of_every_other_size)
{
	static const __u8 zero[64];

	begin(self, self->family, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
	add(self, TESSERA_A_RUN_CONTEXT, &self->context, 8);
	EXPECT_EQ(-EINVAL, ask(self));
	/* 8 zeroes are no context; the others no number. */
	for (__u16 size = 0; size <= sizeof(zero); size++) {
		begin(self, self->family, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
		add(self, TESSERA_A_RUN_MINOR, &self->minor, 4);
		add(self, TESSERA_A_RUN_CONTEXT, zero, size);
		EXPECT_GT(0, ask(self))
			TH_LOG("context of %u bytes", size);
	}
}

TEST_F(bad, without_a_minor)
{
	begin(self, self->family, TESSERA_CMD_DEVICE_GET, 0);
	EXPECT_EQ(-EINVAL, ask(self));
	begin(self, self->family, TESSERA_CMD_DEVICE_RESET, 0);
	EXPECT_EQ(-EINVAL, ask(self));
}

TEST_F(bad, minor_of_every_other_size)
{
	static const __u8 zero[64];
	static const struct {
		__u8 command;
		__u16 flags, attr;
	} calls[] = {
		{ TESSERA_CMD_DEVICE_GET, 0, TESSERA_A_DEVICE_MINOR },
		{ TESSERA_CMD_DEVICE_RESET, 0, TESSERA_A_DEVICE_MINOR },
		{ TESSERA_CMD_CONTEXT_GET, NLM_F_DUMP, TESSERA_A_CONTEXT_MINOR },
		{ TESSERA_CMD_RUN_GET, NLM_F_DUMP, TESSERA_A_RUN_MINOR },
	};

	for (unsigned int c = 0; c < UAPI_ARRAY_SIZE(calls); c++) {
		for (__u16 size = 0; size <= sizeof(zero); size++) {
			if (size == 4)
				continue;
			begin(self, self->family, calls[c].command, calls[c].flags);
			add(self, calls[c].attr, zero, size);
			EXPECT_GT(0, ask(self))
				TH_LOG("command %u, minor of %u bytes", calls[c].command, size);
		}
	}
}

TEST_F(bad, devices_that_are_not_there)
{
	static const __u32 minors[] = { 63, 4711, 0x7fffffff, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(minors); i++) {
		begin(self, self->family, TESSERA_CMD_DEVICE_GET, 0);
		add(self, TESSERA_A_DEVICE_MINOR, &minors[i], 4);
		EXPECT_EQ(-ENODEV, ask(self));
		begin(self, self->family, TESSERA_CMD_DEVICE_RESET, 0);
		add(self, TESSERA_A_DEVICE_MINOR, &minors[i], 4);
		EXPECT_EQ(-ENODEV, ask(self));
		begin(self, self->family, TESSERA_CMD_CONTEXT_GET, NLM_F_DUMP);
		add(self, TESSERA_A_CONTEXT_MINOR, &minors[i], 4);
		EXPECT_EQ(-ENODEV, ask(self));
		begin(self, self->family, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
		add(self, TESSERA_A_RUN_MINOR, &minors[i], 4);
		EXPECT_EQ(-ENODEV, ask(self));
	}
}

TEST_F(bad, attributes_that_are_not_there)
{
	for (__u16 type = 0; type < 64; type++) {
		if (type == TESSERA_A_DEVICE_MINOR)
			continue;
		begin(self, self->family, TESSERA_CMD_DEVICE_RESET, 0);
		add(self, TESSERA_A_DEVICE_MINOR, &self->minor, 4);
		add(self, type, &self->minor, 4);
		EXPECT_EQ(-EINVAL, ask(self))
			TH_LOG("attribute %u", type);
	}
}

TEST_F(bad, commands_that_are_not_there)
{
	for (unsigned int command = 0; command < 256; command++) {
		if ((command >= TESSERA_CMD_DEVICE_GET && command <= TESSERA_CMD_DEVICE_RESET) ||
		    command == TESSERA_CMD_RUN_GET)
			continue;
		begin(self, self->family, (__u8)command, 0);
		EXPECT_EQ(-EOPNOTSUPP, ask(self));
		begin(self, self->family, (__u8)command, NLM_F_DUMP);
		EXPECT_EQ(-EOPNOTSUPP, ask(self));
	}
	/* No single context or run; no dump of resets. */
	begin(self, self->family, TESSERA_CMD_CONTEXT_GET, 0);
	EXPECT_EQ(-EOPNOTSUPP, ask(self));
	begin(self, self->family, TESSERA_CMD_RUN_GET, 0);
	EXPECT_EQ(-EOPNOTSUPP, ask(self));
	begin(self, self->family, TESSERA_CMD_DEVICE_RESET, NLM_F_DUMP);
	EXPECT_EQ(-EOPNOTSUPP, ask(self));
}

/* Lengths that lie: of the message, of an attribute. */
TEST_F(bad, truncated_messages)
{
	begin(self, self->family, TESSERA_CMD_DEVICE_RESET, 0);
	add(self, TESSERA_A_DEVICE_MINOR, &self->minor, 4);
	for (size_t size = 0; size < self->r.nl.nlmsg_len; size += 4)
		EXPECT_NE(0, ask_sized(self, size));
	for (__u32 len = 0; len < self->r.nl.nlmsg_len; len++) {
		struct request whole = self->r;

		self->r.nl.nlmsg_len = len;
		EXPECT_NE(0, ask_sized(self, whole.nl.nlmsg_len));
		self->r = whole;
	}
}

TEST_F(bad, attribute_lengths_that_lie)
{
	for (__u32 len = 0; len < 65536; len = len < 16 ? len + 1 : len * 2 + 1) {
		struct nlattr *a = (void *)self->r.attrs;

		begin(self, self->family, TESSERA_CMD_DEVICE_RESET, 0);
		add(self, TESSERA_A_DEVICE_MINOR, &self->minor, 4);
		if (len == a->nla_len)
			continue;
		a->nla_len = (__u16)len;
		EXPECT_GT(0, ask(self))
			TH_LOG("attribute length %u", len);
	}
}

/* Rubbish behind a good header. It may be a right dump by chance, but never a reset. */
TEST_F(bad, rubbish)
{
	static const __u8 commands[] = {
		TESSERA_CMD_DEVICE_GET, TESSERA_CMD_CONTEXT_GET, TESSERA_CMD_RUN_GET,
	};

	srand(1);
	fcntl(self->sock, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 20000; i++) {
		begin(self, self->family, commands[rand() % 3], rand() % 2 ? NLM_F_DUMP : 0);
		for (unsigned int b = 0; b < 64; b++)
			self->r.attrs[b] = (__u8)(rand() % 4 ? rand() % 16 : rand());
		self->r.nl.nlmsg_len += (__u32)rand() % 65;
		ask(self);
	}
}

/* A dump that nobody reads holds nothing that a device needs. */
TEST_F(bad, dump_left_unread)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	__u32 context[300];

	for (int i = 0; i < 300; i++)
		ASSERT_EQ(0, uapi_context(self->fd, 0, &context[i]));
	begin(self, self->family, TESSERA_CMD_CONTEXT_GET, NLM_F_DUMP);
	ASSERT_LT(0, sendto(self->sock, &self->r, self->r.nl.nlmsg_len, 0, (void *)&kernel,
			    sizeof(kernel)));
	for (int i = 0; i < 300; i++)
		EXPECT_EQ(0, uapi_context_destroy(self->fd, context[i]));
	/* Only one dump at a time, of one socket. */
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, NULL));
	EXPECT_EQ(0, answer(self));
}

TEST_HARNESS_MAIN

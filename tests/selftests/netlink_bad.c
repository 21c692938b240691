// SPDX-License-Identifier: MIT
/* Messages that no library sends: each wrong one has its error, and changes nothing. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "common_event.h"
#include "common_genl.h"
#include "kselftest_harness.h"

FIXTURE(bad) {
	struct genl g;
	int fd;
	uint32_t minor;
	__u64 context;
	struct drm_tessera_counters before;
	__u64 generation;
};

FIXTURE_SETUP(bad)
{
	struct drm_tessera_device_info info;

	ASSERT_EQ(0, genl_open(&self->g));
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
	genl_close(&self->g);
}

TEST_F(bad, right_ones_first)
{
	genl_begin(&self->g, TESSERA_CMD_DEVICE_GET, 0);
	genl_add(&self->g, TESSERA_A_DEVICE_MINOR, &self->minor, 4);
	EXPECT_EQ(0, genl_ask(&self->g));
	genl_begin(&self->g, TESSERA_CMD_DEVICE_GET, NLM_F_DUMP);
	EXPECT_EQ(0, genl_ask(&self->g));
	genl_begin(&self->g, TESSERA_CMD_CONTEXT_GET, NLM_F_DUMP);
	EXPECT_EQ(0, genl_ask(&self->g));
	genl_begin(&self->g, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
	EXPECT_EQ(0, genl_ask(&self->g));
	genl_begin(&self->g, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
	genl_add(&self->g, TESSERA_A_RUN_MINOR, &self->minor, 4);
	genl_add(&self->g, TESSERA_A_RUN_CONTEXT, &self->context, 8);
	EXPECT_EQ(0, genl_ask(&self->g));
}

TEST_F(bad, context_without_a_device_and_of_every_other_size)
{
	static const __u8 zero[64];

	genl_begin(&self->g, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
	genl_add(&self->g, TESSERA_A_RUN_CONTEXT, &self->context, 8);
	EXPECT_EQ(-EINVAL, genl_ask(&self->g));
	/* 8 zeroes are no context; the others no number. */
	for (__u16 size = 0; size <= sizeof(zero); size++) {
		genl_begin(&self->g, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
		genl_add(&self->g, TESSERA_A_RUN_MINOR, &self->minor, 4);
		genl_add(&self->g, TESSERA_A_RUN_CONTEXT, zero, size);
		EXPECT_GT(0, genl_ask(&self->g))
			TH_LOG("context of %u bytes", size);
	}
}

TEST_F(bad, without_a_minor)
{
	genl_begin(&self->g, TESSERA_CMD_DEVICE_GET, 0);
	EXPECT_EQ(-EINVAL, genl_ask(&self->g));
	genl_begin(&self->g, TESSERA_CMD_DEVICE_RESET, 0);
	EXPECT_EQ(-EINVAL, genl_ask(&self->g));
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
			genl_begin(&self->g, calls[c].command, calls[c].flags);
			genl_add(&self->g, calls[c].attr, zero, size);
			EXPECT_GT(0, genl_ask(&self->g))
				TH_LOG("command %u, minor of %u bytes", calls[c].command, size);
		}
	}
}

TEST_F(bad, devices_that_are_not_there)
{
	static const __u32 minors[] = { 63, 4711, 0x7fffffff, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(minors); i++) {
		genl_begin(&self->g, TESSERA_CMD_DEVICE_GET, 0);
		genl_add(&self->g, TESSERA_A_DEVICE_MINOR, &minors[i], 4);
		EXPECT_EQ(-ENODEV, genl_ask(&self->g));
		genl_begin(&self->g, TESSERA_CMD_DEVICE_RESET, 0);
		genl_add(&self->g, TESSERA_A_DEVICE_MINOR, &minors[i], 4);
		EXPECT_EQ(-ENODEV, genl_ask(&self->g));
		genl_begin(&self->g, TESSERA_CMD_CONTEXT_GET, NLM_F_DUMP);
		genl_add(&self->g, TESSERA_A_CONTEXT_MINOR, &minors[i], 4);
		EXPECT_EQ(-ENODEV, genl_ask(&self->g));
		genl_begin(&self->g, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
		genl_add(&self->g, TESSERA_A_RUN_MINOR, &minors[i], 4);
		EXPECT_EQ(-ENODEV, genl_ask(&self->g));
	}
}

TEST_F(bad, attributes_that_are_not_there)
{
	for (__u16 type = 0; type < 64; type++) {
		if (type == TESSERA_A_DEVICE_MINOR)
			continue;
		genl_begin(&self->g, TESSERA_CMD_DEVICE_RESET, 0);
		genl_add(&self->g, TESSERA_A_DEVICE_MINOR, &self->minor, 4);
		genl_add(&self->g, type, &self->minor, 4);
		EXPECT_EQ(-EINVAL, genl_ask(&self->g))
			TH_LOG("attribute %u", type);
	}
}

TEST_F(bad, commands_that_are_not_there)
{
	for (unsigned int command = 0; command < 256; command++) {
		if ((command >= TESSERA_CMD_DEVICE_GET && command <= TESSERA_CMD_DEVICE_RESET) ||
		    command == TESSERA_CMD_RUN_GET)
			continue;
		genl_begin(&self->g, (__u8)command, 0);
		EXPECT_EQ(-EOPNOTSUPP, genl_ask(&self->g));
		genl_begin(&self->g, (__u8)command, NLM_F_DUMP);
		EXPECT_EQ(-EOPNOTSUPP, genl_ask(&self->g));
	}
	/* No single context or run; no dump of resets. */
	genl_begin(&self->g, TESSERA_CMD_CONTEXT_GET, 0);
	EXPECT_EQ(-EOPNOTSUPP, genl_ask(&self->g));
	genl_begin(&self->g, TESSERA_CMD_RUN_GET, 0);
	EXPECT_EQ(-EOPNOTSUPP, genl_ask(&self->g));
	genl_begin(&self->g, TESSERA_CMD_DEVICE_RESET, NLM_F_DUMP);
	EXPECT_EQ(-EOPNOTSUPP, genl_ask(&self->g));
}

/* Lengths that lie: of the message, of an attribute. */
TEST_F(bad, truncated_messages)
{
	__u32 whole, *len = &self->g.request.nl.nlmsg_len;

	genl_begin(&self->g, TESSERA_CMD_DEVICE_RESET, 0);
	genl_add(&self->g, TESSERA_A_DEVICE_MINOR, &self->minor, 4);
	whole = *len;
	for (size_t size = 0; size < whole; size += 4) {
		int err = genl_send(&self->g, size);

		EXPECT_NE(0, err ? err : genl_answer(&self->g));
	}
	for (*len = 0; *len < whole; ++*len) {
		int err = genl_send(&self->g, whole);

		EXPECT_NE(0, err ? err : genl_answer(&self->g));
	}
}

TEST_F(bad, attribute_lengths_that_lie)
{
	for (__u32 len = 0; len < 65536; len = len < 16 ? len + 1 : len * 2 + 1) {
		struct nlattr *a = (void *)self->g.request.attrs;

		genl_begin(&self->g, TESSERA_CMD_DEVICE_RESET, 0);
		genl_add(&self->g, TESSERA_A_DEVICE_MINOR, &self->minor, 4);
		if (len == a->nla_len)
			continue;
		a->nla_len = (__u16)len;
		EXPECT_GT(0, genl_ask(&self->g))
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
	fcntl(self->g.sock, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 20000; i++) {
		genl_begin(&self->g, commands[rand() % 3], rand() % 2 ? NLM_F_DUMP : 0);
		for (unsigned int b = 0; b < 64; b++)
			self->g.request.attrs[b] = (__u8)(rand() % 4 ? rand() % 16 : rand());
		self->g.request.nl.nlmsg_len += (__u32)rand() % 65;
		genl_ask(&self->g);
	}
}

/* A dump that nobody reads holds nothing that a device needs. */
TEST_F(bad, dump_left_unread)
{
	__u32 context[300];

	for (int i = 0; i < 300; i++)
		ASSERT_EQ(0, uapi_context(self->fd, 0, &context[i]));
	genl_begin(&self->g, TESSERA_CMD_CONTEXT_GET, NLM_F_DUMP);
	ASSERT_EQ(0, genl_send(&self->g, self->g.request.nl.nlmsg_len));
	for (int i = 0; i < 300; i++)
		EXPECT_EQ(0, uapi_context_destroy(self->fd, context[i]));
	/* Only one dump at a time, of one socket. */
	EXPECT_EQ(0, uapi_changes(self->fd, &self->before, NULL));
	EXPECT_EQ(0, genl_answer(&self->g));
}

TEST_HARNESS_MAIN

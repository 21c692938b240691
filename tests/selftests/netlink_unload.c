// SPDX-License-Identifier: MIT
/* The module goes while others listen: they neither keep it nor are left without an answer. */
#include <unistd.h>
#include "common_event.h"
#include "common_harness.h"

FIXTURE(unload)
{
	struct stat node;
	uint32_t minor;
};

FIXTURE_SETUP(unload)
{
	int fd = uapi_open(NULL);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fstat(fd, &self->node));
	self->minor = event_minor(fd);
	close(fd);
}

FIXTURE_TEARDOWN(unload)
{
	/* The tests after this one get their device. */
	EXPECT_EQ(0, soft_load_back(&self->node));
}

TEST_F(unload, with_listeners)
{
	struct tsr_listener *l[4], *again;
	struct tsr_event e;

	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, tsr_listener_open(&l[i]));
	ASSERT_EQ(0, soft_unload_soon());
	for (int i = 0; i < 4; i++) {
		/* First what happened, then that nothing will happen any more, for good. */
		ASSERT_EQ(0, event_next(l[i], self->minor, &e));
		EXPECT_EQ(TSR_EVENT_DEVICE_GONE, e.type);
		EXPECT_EQ(-ENODEV, tsr_listener_next(l[i], -1, &e));
		EXPECT_EQ(-ENODEV, tsr_listener_next(l[i], 0, &e));
	}
	EXPECT_EQ(-ENODEV, tsr_listener_open(&again));
	ASSERT_EQ(0, soft_load(""));
	/* Another family of that name: the old listeners stay what they are. */
	for (int i = 0; i < 4; i++) {
		EXPECT_EQ(-ENODEV, tsr_listener_next(l[i], 0, &e));
		tsr_listener_close(l[i]);
	}
	ASSERT_EQ(0, tsr_listener_open(&again));
	EXPECT_EQ(0, tsr_minor_reset(self->minor, NULL));
	EXPECT_EQ(0, event_next(again, self->minor, &e));
	tsr_listener_close(again);
}

TEST_F(unload, without_the_driver)
{
	struct tsr_context_entry *contexts;
	struct tsr_device_entry *devices;
	struct tsr_listener *l;
	size_t count;

	ASSERT_EQ(0, soft_unload_soon());
	EXPECT_EQ(-ENODEV, tsr_listener_open(&l));
	EXPECT_EQ(-ENODEV, tsr_device_list(&devices, &count));
	EXPECT_EQ(-ENODEV, tsr_context_list(TSR_ALL_DEVICES, &contexts, &count));
	EXPECT_EQ(-ENODEV, tsr_minor_reset(0, NULL));
	EXPECT_EQ(NULL, tsr_listener_close(NULL));
}

/* A full socket loses also the message that the family went. */
TEST_F(unload, listener_that_overflowed)
{
	struct tsr_listener *l;
	struct tsr_event e;
	bool lost = false;
	int err;

	ASSERT_EQ(0, tsr_listener_open(&l));
	for (int i = 0; i < 2000; i++)
		ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
	ASSERT_EQ(0, soft_unload_soon());
	do {
		err = tsr_listener_next(l, 5000000000, &e);
		lost |= err == -ENOBUFS;
	} while (!err || err == -ENOBUFS);
	EXPECT_TRUE(lost);
	EXPECT_EQ(-ENODEV, err);
	tsr_listener_close(l);
}

TEST_F(unload, again_and_again)
{
	struct tsr_listener *l;
	struct tsr_event e;

	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, tsr_listener_open(&l));
		ASSERT_EQ(0, soft_unload_soon());
		ASSERT_EQ(0, soft_load(""));
		EXPECT_EQ(0, tsr_listener_next(l, 5000000000, &e));
		EXPECT_EQ(TSR_EVENT_DEVICE_GONE, e.type);
		EXPECT_EQ(-ENODEV, tsr_listener_next(l, 5000000000, &e));
		tsr_listener_close(l);
	}
}

TEST_HARNESS_MAIN

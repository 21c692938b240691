// SPDX-License-Identifier: MIT
/* Each event has its cause, each cause its event, and the numbers have no gap (OB-2). */
#include <linux/genetlink.h>
#include <linux/tessera_netlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tessera/status.h>
#include <unistd.h>
#include "common_event.h"
#include "common_fault.h"
#include "common_harness.h"

FIXTURE(event) {
	struct fault f;
	struct tsr_listener *listener;
	uint32_t minor;
	uint64_t sequence;
};

FIXTURE_SETUP(event)
{
	struct tsr_event e;

	ASSERT_EQ(0, tsr_listener_open(&self->listener));
	ASSERT_EQ(0, fault_open(&self->f, "claim_hold_ms=50"));
	self->minor = event_minor(self->f.fd);
	ASSERT_EQ(0, event_next(self->listener, self->minor, &e));
	EXPECT_EQ(TSR_EVENT_DEVICE_ADDED, e.type);
	EXPECT_EQ(1, e.sequence);
	EXPECT_STREQ(self->f.name, e.name);
	self->sequence = 1;
}

FIXTURE_TEARDOWN(event)
{
	fault_close(&self->f);
	tsr_listener_close(self->listener);
}

/* The next event is of that type, and the one after the last. */
static int expect_event(FIXTURE_DATA(event) *self, uint32_t type, struct tsr_event *e)
{
	int err = event_next(self->listener, self->minor, e);

	if (err || e->type != type || e->sequence != ++self->sequence) {
		fprintf(stderr, "# error %d, event %s %llu instead of %s %llu\n", err,
			err ? "" : tsr_event_name(e->type),
			err ? 0ull : (unsigned long long)e->sequence, tsr_event_name(type),
			(unsigned long long)self->sequence);
		return -1;
	}
	return 0;
}

/* The numbers that the next events have when the library reads them. */
static uint64_t told[4];
static unsigned int to_tell;

static void tell(void *message)
{
	struct nlmsghdr *hdr = message;
	struct genlmsghdr *genl = NLMSG_DATA(hdr);
	char *at = (char *)genl + GENL_HDRLEN, *end = (char *)hdr + hdr->nlmsg_len;
	struct nlattr *a;

	if (!to_tell || hdr->nlmsg_type <= GENL_ID_CTRL || genl->cmd != TESSERA_CMD_EVENT_NTF)
		return;
	for (; at < end; at += NLA_ALIGN(a->nla_len)) {
		a = (struct nlattr *)at;
		if (a->nla_type == TESSERA_A_EVENT_SEQUENCE)
			memcpy(at + NLA_HDRLEN, &told[--to_tell], sizeof(told[0]));
	}
}

/* In the place of libc's, for the library as well. */
ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t n = syscall(SYS_recvmsg, fd, m, flags);

	if (n > 0)
		tell(m->msg_iov->iov_base);
	return n;
}

/*
 * What happened before the listener was opened is no loss, though some of it may come and some not:
 * it was on its way then, and the kernel leaves events out for whom is slow.
 */
TEST_F(event, older_ones_are_no_loss)
{
	const uint64_t numbers[] = { 3, 7, 11, 14 };
	struct tsr_listener *late;
	struct tsr_event e;

	for (int i = 0; i < 9; i++)
		ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
	/* All were sent: nothing else is on its way. */
	for (int i = 0; i < 9; i++)
		ASSERT_EQ(0, expect_event(self, TSR_EVENT_DEVICE_RESET, &e));
	ASSERT_EQ(10, e.sequence);
	ASSERT_EQ(0, tsr_listener_open(&late));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
		told[3 - i] = numbers[i];
	}
	to_tell = 4;
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, event_next(late, self->minor, &e));
		EXPECT_EQ(numbers[i], e.sequence);
		/* More: older ones were counted. */
		EXPECT_EQ(0, tsr_listener_lost(late));
	}
	/* 12 and 13 are missed. */
	EXPECT_EQ(-ENOBUFS, event_next(late, self->minor, &e));
	EXPECT_EQ(2, tsr_listener_lost(late));
	ASSERT_EQ(0, event_next(late, self->minor, &e));
	EXPECT_EQ(14, e.sequence);
	EXPECT_EQ(0, to_tell);
	tsr_listener_close(late);
}

TEST_F(event, a_run_that_succeeds_is_none)
{
	EXPECT_TRUE(fault_good(&self->f));
	EXPECT_TRUE(event_none(self->listener, self->minor));
}

TEST_F(event, run_failed)
{
	struct drm_tessera_status s;
	__u32 program, run;
	struct tsr_event e;

	ASSERT_EQ(0, uapi_exit_program(self->f.fd, 3, &program));
	ASSERT_EQ(0, uapi_submit_program(self->f.fd, self->f.ctx, program, &run));
	ASSERT_EQ(0, uapi_end(self->f.fd, run, &s));
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_RUN_FAILED, &e));
	EXPECT_EQ(s.run_id, e.run);
	EXPECT_EQ(s.context_id, e.context);
	EXPECT_EQ(s.code, e.code);
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, e.code);
	EXPECT_EQ(TSR_CLASS_LOCAL, e.failure_class);
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, e.phase);
	EXPECT_EQ(0, e.name[0]);
	/* Between the launch and now: its own time, not that of the message. */
	EXPECT_LE(s.launched_ns, e.time_ns);
	EXPECT_GE((uint64_t)uapi_now(), e.time_ns);
}

TEST_F(event, run_cancelled_says_so)
{
	struct drm_tessera_status s;
	struct tsr_event e;
	__u32 first, second;

	ASSERT_EQ(0, uapi_gate_submit(self->f.fd, self->f.ctx, &self->f.gate, &first));
	ASSERT_EQ(0, uapi_submit_program(self->f.fd, self->f.ctx, self->f.program, &second));
	ASSERT_EQ(0, uapi_cancel(self->f.fd, second));
	ASSERT_EQ(0, uapi_end(self->f.fd, second, &s));
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_RUN_FAILED, &e));
	EXPECT_EQ(s.run_id, e.run);
	EXPECT_EQ(DRM_TESSERA_CODE_CANCELLED, e.code);
	EXPECT_EQ(DRM_TESSERA_PHASE_CANCELLED, e.phase);
	*self->f.gate.word = 1;
	EXPECT_EQ(0, uapi_end(self->f.fd, first, &s));
	EXPECT_TRUE(event_none(self->listener, self->minor));
}

TEST_F(event, device_reset_by_failure)
{
	struct drm_tessera_status s;
	struct tsr_event e;

	ASSERT_EQ(0, fault_plan(&self->f, "record drop"));
	ASSERT_EQ(0, fault_run(&self->f, self->f.ctx, &s));
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_DEVICE_RESET, &e));
	EXPECT_EQ(1, e.reset_generation);
	EXPECT_EQ(0, e.run);
	EXPECT_STREQ(self->f.name, e.name);
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_RUN_FAILED, &e));
	EXPECT_EQ(DRM_TESSERA_CODE_NO_RECORD, e.code);
	EXPECT_EQ(TSR_CLASS_DEVICE, e.failure_class);
	EXPECT_EQ(1, e.reset_generation);
}

TEST_F(event, device_reset_by_request)
{
	uint64_t generation;
	struct tsr_event e;

	ASSERT_EQ(0, tsr_minor_reset(self->minor, &generation));
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_DEVICE_RESET, &e));
	EXPECT_EQ(generation, e.reset_generation);
}

TEST_F(event, wedged_and_quarantined)
{
	struct drm_tessera_status s;
	struct tsr_event e;

	ASSERT_EQ(0, fault_plan(&self->f, "record drop; reset fail count=0"));
	ASSERT_EQ(0, fault_run(&self->f, self->f.ctx, &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_QUARANTINED, s.phase);
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_DEVICE_WEDGED, &e));
	EXPECT_EQ(0, e.reset_generation);
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_RUN_FAILED, &e));
	EXPECT_EQ(DRM_TESSERA_PHASE_QUARANTINED, e.phase);
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_RUN_QUARANTINED, &e));
	EXPECT_EQ(s.run_id, e.run);
	EXPECT_EQ(s.code, e.code);
	EXPECT_EQ(-EIO, tsr_minor_reset(self->minor, NULL));
	EXPECT_EQ(0, expect_event(self, TSR_EVENT_DEVICE_WEDGED, &e));
}

static int acquire(int fd, __u32 context)
{
	struct drm_tessera_claim_acquire args = { .context = context, .timeout_ns = -1 };

	return uapi_ioctl(fd, DRM_IOCTL_TESSERA_CLAIM_ACQUIRE, &args);
}

/* Held, then revoked because another waits for longer than the limit. */
TEST_F(event, claim_taken_and_lost)
{
	struct tsr_event first, e;

	ASSERT_EQ(0, acquire(self->f.fd, self->f.ctx));
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_CLAIM_TAKEN, &first));
	EXPECT_NE(0, first.context);
	EXPECT_EQ(0, first.run);
	ASSERT_EQ(0, acquire(self->f.fd, self->f.other));
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_CLAIM_LOST, &e));
	EXPECT_EQ(first.context, e.context);
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_CLAIM_TAKEN, &e));
	EXPECT_NE(first.context, e.context);
}

TEST_F(event, device_gone_is_the_last)
{
	struct tsr_event e;
	__u32 run;

	ASSERT_EQ(0, uapi_gate_submit(self->f.fd, self->f.ctx, &self->f.gate, &run));
	ASSERT_EQ(0, uapi_wait_phase(self->f.fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	ASSERT_EQ(0, soft_remove(self->f.name));
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_RUN_FAILED, &e));
	EXPECT_EQ(DRM_TESSERA_CODE_DEVICE_GONE, e.code);
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_DEVICE_GONE, &e));
	EXPECT_STREQ(self->f.name, e.name);
	EXPECT_TRUE(event_none(self->listener, self->minor));
}

/* The same minor again: another instance, which counts from 1. */
TEST_F(event, plugged_in_again)
{
	struct tsr_event gone, e;

	ASSERT_EQ(0, soft_remove(self->f.name));
	ASSERT_EQ(0, expect_event(self, TSR_EVENT_DEVICE_GONE, &gone));
	ASSERT_EQ(0, soft_create(self->f.name, ""));
	do {
		ASSERT_EQ(0, tsr_listener_next(self->listener, 10000000000, &e));
	} while (strcmp(e.name, self->f.name));
	EXPECT_EQ(TSR_EVENT_DEVICE_ADDED, e.type);
	EXPECT_EQ(1, e.sequence);
	EXPECT_LT(gone.instance, e.instance);
	EXPECT_EQ(0, tsr_listener_lost(self->listener));
}

/* What happened before is not told, and is no loss. */
TEST_F(event, listener_that_comes_late)
{
	struct tsr_listener *late;
	struct tsr_event e;

	for (int i = 0; i < 5; i++)
		ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
	ASSERT_EQ(0, tsr_listener_open(&late));
	ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
	do {
		ASSERT_EQ(0, event_next(late, self->minor, &e));
	} while (e.reset_generation < 6);
	EXPECT_EQ(7, e.sequence);
	EXPECT_EQ(0, tsr_listener_lost(late));
	EXPECT_TRUE(event_none(late, self->minor));
	EXPECT_EQ(NULL, tsr_listener_close(late));
}

TEST_F(event, descriptor_can_be_polled)
{
	struct pollfd pfd = { .fd = tsr_listener_fd(self->listener), .events = POLLIN };
	struct tsr_event e;

	EXPECT_EQ(-ETIME, tsr_listener_next(self->listener, 0, &e));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	ASSERT_EQ(0, tsr_minor_reset(self->minor, NULL));
	EXPECT_EQ(1, poll(&pfd, 1, 10000));
	EXPECT_EQ(0, tsr_listener_next(self->listener, 0, &e));
	EXPECT_EQ(-ETIME, tsr_listener_next(self->listener, 0, &e));
}

static int listen_without_privilege(void *arg)
{
	FIXTURE_DATA(event) *self = arg;
	struct tsr_listener *l;
	__u32 program, run;
	struct tsr_event e;

	/* Inherited: not of this process (LT-6). */
	if (tsr_listener_next(self->listener, 0, &e) != -EPERM)
		return 1;
	if (uapi_drop_caps() || tsr_listener_open(&l))
		return 2;
	if (uapi_exit_program(self->f.fd, 3, &program) ||
	    uapi_submit_program(self->f.fd, self->f.ctx, program, &run) ||
	    event_next(l, self->minor, &e))
		return 3;
	return e.type == TSR_EVENT_RUN_FAILED ? 0 : 4;
}

/* Who holds a claim must be able to see that it is lost. */
TEST_F(event, unprivileged_listener)
{
	EXPECT_EQ(0, uapi_in_child(listen_without_privilege, self));
}

TEST_HARNESS_MAIN

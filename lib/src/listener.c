// SPDX-License-Identifier: MIT
/* A subscription to events. It counts their numbers, so that a loss is seen and said. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "netlink.h"
#include "util.h"

#define MESSAGE_SIZE	8192		/* of an event, or of the controller's about a family */
#define SOCKET_SIZE	(1 << 20)	/* the kernel cuts it to its own limit */

/* One device, as its events tell of it. */
struct seen {
	uint64_t instance;
	uint64_t next;			/* earlier ones came, are counted as lost, or precede it all */
	uint32_t minor;
};

struct tsr_listener {
	struct tsr_netlink nl;
	pid_t pid;			/* of who opened it (LT-6) */
	struct tsr_vec seen;		/* of struct seen */
	uint64_t lost;
	bool unloaded;
	bool doubtful;			/* a message was lost: perhaps that of the unloading */
	bool held;			/* @event was read, and not returned yet */
	bool counted;			/* its number was looked at */
	struct tsr_event event;
	union {
		struct nlmsghdr align;
		char message[MESSAGE_SIZE];
	};
};

/* --- numbers -------------------------------------------------------------------------------- */

static struct seen *find_seen(struct tsr_listener *l, uint64_t instance)
{
	struct seen *seen = l->seen.data;

	for (size_t i = 0; i < l->seen.count; i++)
		if (seen[i].instance == instance)
			return &seen[i];
	return NULL;
}

static void forget_minor(struct tsr_listener *l, uint32_t minor)
{
	struct seen *seen = l->seen.data;

	for (size_t i = 0; i < l->seen.count;)
		if (seen[i].minor == minor)
			seen[i] = seen[--l->seen.count];
		else
			i++;
}

static int add_seen(struct tsr_listener *l, const struct seen *new)
{
	struct seen *seen;

	forget_minor(l, new->minor);
	seen = tsr_vec_add(&l->seen, sizeof(*seen), 1);
	if (!seen)
		return -ENOMEM;
	*seen = *new;
	return 0;
}

/* 0; -ENOBUFS there is a gap before this event. */
static int account(struct tsr_listener *l, const struct tsr_event *event)
{
	struct seen *seen = find_seen(l, event->instance);
	uint64_t gap;

	if (!seen) {
		const struct seen new = {
			.instance = event->instance, .minor = event->minor, .next = 1,
		};

		if (add_seen(l, &new))
			return -ENOMEM;
		seen = find_seen(l, event->instance);
	}
	gap = event->sequence > seen->next ? event->sequence - seen->next : 0;
	/* At first some may come that were on their way at open: no loss, if others of them do not. */
	if (event->sequence >= seen->next)
		seen->next = event->sequence + 1;
	l->lost += gap;
	if (event->type == TSR_EVENT_DEVICE_GONE)
		forget_minor(l, event->minor);
	return gap ? -ENOBUFS : 0;
}

/* --- messages ------------------------------------------------------------------------------- */

static int parse_event(struct nlmsghdr *hdr, struct tsr_event *ret)
{
	static const struct nla_policy policy[TESSERA_A_EVENT_MAX + 1] = {
		[TESSERA_A_EVENT_MINOR] = { .type = NLA_U32 },
		[TESSERA_A_EVENT_INSTANCE] = { .type = NLA_U64 },
		[TESSERA_A_EVENT_SEQUENCE] = { .type = NLA_U64 },
		[TESSERA_A_EVENT_TYPE] = { .type = NLA_U32 },
		[TESSERA_A_EVENT_TIME] = { .type = NLA_U64 },
		[TESSERA_A_EVENT_RESET_GENERATION] = { .type = NLA_U64 },
		[TESSERA_A_EVENT_NAME] = { .type = NLA_STRING },
		[TESSERA_A_EVENT_CONTEXT] = { .type = NLA_U64 },
		[TESSERA_A_EVENT_RUN] = { .type = NLA_U64 },
		[TESSERA_A_EVENT_PHASE] = { .type = NLA_U32 },
		[TESSERA_A_EVENT_CODE] = { .type = NLA_U32 },
		[TESSERA_A_EVENT_CLASS] = { .type = NLA_U32 },
	};
	struct nlattr *a[TESSERA_A_EVENT_MAX + 1];

	if (genlmsg_parse(hdr, 0, a, TESSERA_A_EVENT_MAX, (struct nla_policy *)policy) ||
	    !a[TESSERA_A_EVENT_MINOR] || !a[TESSERA_A_EVENT_INSTANCE] ||
	    !a[TESSERA_A_EVENT_SEQUENCE] || !a[TESSERA_A_EVENT_TYPE])
		return -EPROTO;
	memset(ret, 0, sizeof(*ret));
	tsr_attr_u32(a[TESSERA_A_EVENT_MINOR], &ret->minor);
	tsr_attr_u64(a[TESSERA_A_EVENT_INSTANCE], &ret->instance);
	tsr_attr_u64(a[TESSERA_A_EVENT_SEQUENCE], &ret->sequence);
	tsr_attr_u32(a[TESSERA_A_EVENT_TYPE], &ret->type);
	tsr_attr_u64(a[TESSERA_A_EVENT_TIME], &ret->time_ns);
	tsr_attr_u64(a[TESSERA_A_EVENT_RESET_GENERATION], &ret->reset_generation);
	tsr_attr_text(a[TESSERA_A_EVENT_NAME], ret->name, sizeof(ret->name));
	tsr_attr_u64(a[TESSERA_A_EVENT_CONTEXT], &ret->context);
	tsr_attr_u64(a[TESSERA_A_EVENT_RUN], &ret->run);
	tsr_attr_u32(a[TESSERA_A_EVENT_PHASE], &ret->phase);
	tsr_attr_u32(a[TESSERA_A_EVENT_CODE], &ret->code);
	tsr_attr_u32(a[TESSERA_A_EVENT_CLASS], &ret->failure_class);
	return 0;
}

/* The controller tells when a family goes. */
static bool says_unloaded(const struct tsr_listener *l, struct nlmsghdr *hdr)
{
	struct nlattr *attrs[CTRL_ATTR_MAX + 1];

	return genlmsg_valid_hdr(hdr, 0) &&
	       genlmsg_hdr(hdr)->cmd == CTRL_CMD_DELFAMILY &&
	       !genlmsg_parse(hdr, 0, attrs, CTRL_ATTR_MAX, NULL) && attrs[CTRL_ATTR_FAMILY_ID] &&
	       nla_get_u16(attrs[CTRL_ATTR_FAMILY_ID]) == l->nl.family;
}

/* 1: @ret is an event. 0: it was something else. -EAGAIN: nothing. -ENOBUFS: there was no room. */
static int receive(struct tsr_listener *l, struct tsr_event *ret)
{
	struct sockaddr_nl from;
	struct iovec iov = { l->message, sizeof(l->message) };
	struct msghdr m = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1,
	};
	struct nlmsghdr *hdr = &l->align;
	ssize_t n = recvmsg(nl_socket_get_fd(l->nl.sock), &m, MSG_DONTWAIT);

	/* libnl makes -NLE_NOMEM of ENOBUFS, which here is all that matters: so not by libnl. */
	if (n < 0)
		return -errno;
	if (m.msg_flags & MSG_TRUNC || from.nl_pid || !nlmsg_ok(hdr, (int)n))
		return 0;
	if (hdr->nlmsg_type == GENL_ID_CTRL) {
		l->unloaded = says_unloaded(l, hdr);
		return 0;
	}
	return hdr->nlmsg_type == l->nl.family && genlmsg_valid_hdr(hdr, 0) &&
	       genlmsg_hdr(hdr)->cmd == TESSERA_CMD_EVENT_NTF && !parse_event(hdr, ret);
}

/* --- waiting -------------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* INT64_MAX: never. */
static int64_t deadline_in(int64_t timeout_ns)
{
	int64_t now = timeout_ns ? now_ns() : 0;

	return timeout_ns < 0 || timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

/* Until there is something to read, or a signal came. @deadline: INT64_MAX for ever. */
static int wait_readable(const struct tsr_listener *l, int64_t deadline)
{
	struct pollfd pfd = { .fd = nl_socket_get_fd(l->nl.sock), .events = POLLIN };
	int64_t left = deadline == INT64_MAX ? 0 : deadline - now_ns();
	struct timespec t = { .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };
	int n;

	if (left < 0)
		return -ETIME;
	n = ppoll(&pfd, 1, deadline == INT64_MAX ? NULL : &t, NULL);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return n ? 0 : -ETIME;
}

/* Whether the family is still the one that was subscribed to. 0, or why that cannot be said. */
static int check_family(struct tsr_listener *l)
{
	struct tsr_netlink nl;
	int err = tsr_netlink_open(&nl);

	if (err && err != -ENODEV)
		return err;
	l->unloaded = err || nl.family != l->nl.family;
	l->doubtful = false;
	if (!err)
		tsr_netlink_close(&nl);
	return 0;
}

static int next_event(struct tsr_listener *l, int64_t deadline, struct tsr_event *ret)
{
	int err;

	for (;;) {
		if (l->unloaded)
			return -ENODEV;
		err = receive(l, ret);
		if (err > 0)
			return 0;
		if (err == -ENOBUFS)
			l->doubtful = true;
		if (!err)
			continue;
		if (err != -EAGAIN)
			return err;
		if (l->doubtful) {
			err = check_family(l);
			if (err)
				return err;
			continue;
		}
		err = wait_readable(l, deadline);
		if (err)
			return err;
	}
}

TSR_API int tsr_listener_next(struct tsr_listener *l, int64_t timeout_ns,
			      struct tsr_event *ret_event)
{
	int err;

	if (getpid() != l->pid)
		return -EPERM;
	if (!l->held) {
		err = next_event(l, deadline_in(timeout_ns), &l->event);
		if (err)
			return err;
		l->held = true;
		l->counted = false;
	}
	if (!l->counted) {
		err = account(l, &l->event);
		l->counted = err != -ENOMEM;
		if (err)
			return err;
	}
	l->held = false;
	*ret_event = l->event;
	return 0;
}

/* --- life ----------------------------------------------------------------------------------- */

/* Families that go are told of in the only group of nlctrl, whose number is the family's. */
static int subscribe(struct tsr_listener *l)
{
	int err;

	nl_socket_set_buffer_size(l->nl.sock, SOCKET_SIZE, 0);
	err = nl_socket_add_memberships(l->nl.sock, GENL_ID_CTRL, l->nl.events, 0);
	return tsr_netlink_errno(err);
}

/* What has happened so far is no loss. */
static int note_devices(struct tsr_listener *l)
{
	struct tsr_device_entry *devices;
	size_t count;
	int err = tsr_device_list(&devices, &count);

	if (err)
		return err;
	for (size_t i = 0; !err && i < count; i++)
		err = add_seen(l, &(const struct seen){
			.instance = devices[i].instance,
			.minor = devices[i].minor,
			.next = devices[i].event_sequence + 1,
		});
	free(devices);
	return err;
}

TSR_API int tsr_listener_open(struct tsr_listener **ret_listener)
{
	struct tsr_listener *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->pid = getpid();
	err = tsr_netlink_open(&l->nl);
	if (!err)
		err = subscribe(l);
	if (!err)
		err = note_devices(l);
	if (err) {
		tsr_listener_close(l);
		return err;
	}
	*ret_listener = l;
	return 0;
}

TSR_API struct tsr_listener *tsr_listener_close(struct tsr_listener *l)
{
	if (l) {
		tsr_netlink_close(&l->nl);
		tsr_vec_free(&l->seen);
		free(l);
	}
	return NULL;
}

TSR_API int tsr_listener_fd(const struct tsr_listener *l)
{
	return nl_socket_get_fd(l->nl.sock);
}

TSR_API uint64_t tsr_listener_lost(const struct tsr_listener *l)
{
	return l->lost;
}

/* --- names ---------------------------------------------------------------------------------- */

TSR_API const char *tsr_event_name(uint32_t type)
{
	static const char *const names[] = {
		[TSR_EVENT_DEVICE_ADDED] = "device-added",
		[TSR_EVENT_DEVICE_GONE] = "device-gone",
		[TSR_EVENT_DEVICE_RESET] = "device-reset",
		[TSR_EVENT_DEVICE_WEDGED] = "device-wedged",
		[TSR_EVENT_RUN_FAILED] = "run-failed",
		[TSR_EVENT_RUN_QUARANTINED] = "run-quarantined",
		[TSR_EVENT_CLAIM_TAKEN] = "claim-taken",
		[TSR_EVENT_CLAIM_LOST] = "claim-lost",
	};
	static _Thread_local char text[48];

	_Static_assert(ARRAY_SIZE(names) == TESSERA_EVENT_TYPE_MAX + 1, "every event has a name");
	if (type < ARRAY_SIZE(names) && names[type])
		return names[type];
	snprintf(text, sizeof(text), "unknown event %u", type);
	return text;
}

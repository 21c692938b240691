/* SPDX-License-Identifier: MIT */
/*
 * What several processes did and saw, put together and checked: every accepted run ends once and
 * says so to everybody in the same way; order is kept; nothing is lost, and nothing done twice.
 *
 * The checker knows nothing of the device, so that it can be shown histories that are wrong.
 */
#ifndef TSR_TESTS_COMMON_HISTORY_H
#define TSR_TESTS_COMMON_HISTORY_H

#include <drm/tessera_accel.h>
#include <stdbool.h>
#include <stddef.h>

/** enum history_type - of one line of the history; what @a and @b are */
enum history_type {
	/** @HISTORY_SUBMITTED: accepted; a: when the call began, b: when it came back */
	HISTORY_SUBMITTED = 1,
	/** @HISTORY_STATUS: a record was read; a: launched_ns, b: retired_ns */
	HISTORY_STATUS,
	/** @HISTORY_FENCE: a fence of it was signalled; a: 1, or the error */
	HISTORY_FENCE,
	/** @HISTORY_EFFECT: after its end; a: how often it was executed, by what it wrote */
	HISTORY_EFFECT,
	/** @HISTORY_EVENT: a netlink event that it failed, or was quarantined; a: type of event */
	HISTORY_EVENT,
	/** @HISTORY_PAGE: run: ended_through of the context's page */
	HISTORY_PAGE,
	/** @HISTORY_KILLED: the client is no more, what it had may have no observer */
	HISTORY_KILLED,
};

/** struct history_event - one line; those of one client are in its order */
struct history_event {
	__u32 type;			/* enum history_type */
	__u32 client;			/* never used again */
	__u64 context, run;		/* ids of the device */
	__u64 user_data;		/* of the submit, and of the record */
	__u32 phase, code, poison;
	__u32 pad;
	__s64 a, b;
};

/** struct history - all of them, and the device's own account */
struct history {
	struct history_event *events;
	size_t count, room;
	bool events_lost;		/* the netlink listener lost some */
	/* Moved since the beginning; runs of others than the clients: none. */
	__u64 accepted, ended;
	/* Clients killed between the call and the line that tells of it: that many at most. */
	__u64 unlogged;
};

#define HISTORY_RULES(X)									\
	X(ID_TWICE, "two submits got the same id")						\
	X(ID_BACK, "an id is lower than that of a run submitted before")			\
	X(LOST, "a run has no end")								\
	X(TWO_ENDS, "two looks at the end of a run differ")					\
	X(BACK, "a phase went back")								\
	X(NOT_MINE, "a record is of another run")						\
	X(ORDER, "runs of a context were not launched in order")				\
	X(OVERLAP, "two runs executed at the same time")					\
	X(EFFECT, "executed more or less often than the status says")				\
	X(FENCE, "a fence does not say what the status says")					\
	X(EVENT, "an event does not say what the status says, or came twice")			\
	X(NO_EVENT, "a run failed without an event")						\
	X(PAGE, "the progress page says that a run has ended which has not, or went back")	\
	X(STRANGER, "a run was seen that nobody submitted")					\
	X(TOTAL, "the device counted otherwise than its clients")

#define HISTORY_ENUM(name, text)	RULE_##name,
enum history_rule {
	HISTORY_RULES(HISTORY_ENUM)
	RULE_COUNT
};

/** struct history_verdict - how often each rule was broken */
struct history_verdict {
	__u64 wrong[RULE_COUNT];
	__u64 runs, ok, failed, unknown;	/* how they ended, as far as somebody saw it */
};

void history_add(struct history *h, const struct history_event *event);
void history_free(struct history *h);

/**
 * history_check() - check them all; of all clients
 *
 * Says on stderr what the first few violations are. Return: how many there are.
 */
__u64 history_check(struct history *h, struct history_verdict *ret);

#endif

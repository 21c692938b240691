/* SPDX-License-Identifier: MIT */
/* A process that uses a device in every way, and writes down what it did and saw. */
#ifndef TSR_TESTS_COMMON_CLIENT_H
#define TSR_TESTS_COMMON_CLIENT_H

#include "common_history.h"
#include "common_uapi.h"

#define CLIENT_LINES	(1u << 17)
#define CLIENT_BATCH	3	/* most runs that it may have been given and not written down */

/** struct client_log - shared with the process that checks it, which may outlive the client */
struct client_log {
	size_t count;
	struct history_event lines[CLIENT_LINES];
};

/**
 * client_live() - be a client, in a process of its own, until @stop is set or the log is full
 * @name: of the device
 * @number: goes into every line
 * @calm: no run is endless, or has a limit that may end it: what it does takes no time but work
 *
 * Return: 0, or the errno of what should not fail.
 */
int client_live(const char *name, __u32 number, unsigned int seed, bool calm,
		struct client_log *log, const int *stop);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Processes that use a device as everybody may, while others are killed, reset it, or fail on it:
 * each run of theirs must succeed, with the right data.
 */
#ifndef TSR_TESTS_COMMON_BYSTANDER_H
#define TSR_TESTS_COMMON_BYSTANDER_H

#include <sys/types.h>
#include "common_uapi.h"

#define BYSTANDERS	2

struct bystander_page;

/** struct bystanders - they share a page with who started them */
struct bystanders {
	struct bystander_page *page;
	pid_t pids[BYSTANDERS];
};

/** bystanders_start() - on the device of that name; returns when each has run once, or -errno */
int bystanders_start(struct bystanders *b, const char *name);
/** bystanders_pause() - until none of them has a run; they go on after bystanders_go() */
int bystanders_pause(struct bystanders *b);
void bystanders_go(struct bystanders *b);
/** bystanders_may_be_reset() - a run that ends by a reset of the device is right, too */
void bystanders_may_be_reset(struct bystanders *b, bool may);
/**
 * bystanders_stop() - end them
 *
 * Return: how many of their runs were wrong, or -errno: one died, or did nothing.
 */
long bystanders_stop(struct bystanders *b);

#endif

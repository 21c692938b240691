// SPDX-License-Identifier: MIT
/*
 * Comparisons by the clock, in one process: in each round every side has a turn, so what the
 * machine does meanwhile meets all of them. One line each: "time SIDE WHAT ROUND ns"; what is made
 * of them is in tests/bench/pairs.py.
 *
 * usage: wall ROUNDS SIDE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wall.h"

#define TRIPS	64
#define BATCHES	4

static const struct wall_side *const sides[] = { &wall_tessera, &wall_pocl, &wall_starpu };

#define SIDES	(sizeof(sides) / sizeof(sides[0]))

void wall_must(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "wall: %s: failed (%d)\n", what, failed);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static const struct wall_side *find(const char *name)
{
	for (size_t i = 0; i < SIDES; i++)
		if (!strcmp(sides[i]->name, name))
			return sides[i];
	wall_must(1, name);
	return NULL;
}

static void turn(const struct wall_side *side, int round)
{
	double began, submitted = 0, all = 0;

	if (side->wake)
		side->wake();
	side->round_trip();
	began = now();
	for (int i = 0; i < TRIPS; i++)
		side->round_trip();
	printf("time %s round_trip %d %.0f\n", side->name, round, (now() - began) / TRIPS);
	for (int i = 0; i < BATCHES; i++) {
		began = now();
		side->submit();
		submitted += now() - began;
		side->finish();
		all += now() - began;
	}
	printf("time %s submit %d %.0f\n", side->name, round, submitted / BATCHES / WALL_BATCH);
	printf("time %s batch %d %.0f\n", side->name, round, all / BATCHES / WALL_BATCH);
	if (side->rest)
		side->rest();
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0;

	wall_must(rounds <= 0, "usage: wall ROUNDS SIDE...");
	for (int i = 2; i < argc; i++)
		find(argv[i])->set_up();
	for (int round = 0; round < rounds; round++)
		for (int i = 2; i < argc; i++)
			turn(find(argv[i]), round);
	fflush(stdout);
	/* The sides have threads of their own; nothing of them is of use any more. */
	_Exit(0);
}

// SPDX-License-Identifier: MIT
/*
 * The rate of this machine's time-stamp counter in kHz, which is also that of an emulated one. A
 * guest that shares a busy host cannot measure it: its reference is a timer that comes late.
 */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static double now(unsigned long long *ret_ticks)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	*ret_ticks = __rdtsc();
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void)
{
	struct timespec interval = { .tv_nsec = 50000000 };
	unsigned long long ticks[2];
	double ns = now(&ticks[0]);

	nanosleep(&interval, NULL);
	ns = now(&ticks[1]) - ns;
	printf("%.0f\n", (ticks[1] - ticks[0]) / ns * 1e6);
	return 0;
}

// SPDX-License-Identifier: MIT
/* Greatest common divisors: remainders, one after the other. */
#include "start.h"

uint32_t work(void)
{
	uint32_t state = 1, sum = 0;

	for (int i = 0; i < 1500000; i++) {
		uint32_t a = next_random(&state) | 1, b = next_random(&state) | 1;

		while (b) {
			uint32_t rest = a % b;

			a = b;
			b = rest;
		}
		sum += a;
	}
	return sum;
}

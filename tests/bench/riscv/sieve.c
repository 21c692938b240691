// SPDX-License-Identifier: MIT
/* Primes below a quarter of a million: byte stores with a stride. */
#include "start.h"

#define N	250000u

static uint8_t composite[N];

static uint32_t sieve(void)
{
	uint32_t primes = 0;

	for (uint32_t i = 0; i < N; i++)
		composite[i] = 0;
	for (uint32_t i = 2; i < N; i++) {
		if (composite[i])
			continue;
		primes++;
		for (uint32_t j = i + i; j < N; j += i)
			composite[j] = 1;
	}
	return primes;
}

uint32_t work(void)
{
	uint32_t sum = 0;

	for (int i = 0; i < 40; i++)
		sum += sieve();
	return sum;
}

// SPDX-License-Identifier: MIT
/* Recursion: calls, returns and the stack. */
#include "start.h"

__attribute__((noinline)) static uint32_t fibonacci(uint32_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

uint32_t work(void)
{
	return fibonacci(33);
}

// SPDX-License-Identifier: MIT
/* float in C: the compiler's calls arrive at the functions that tests/core/softfloat.c checks. */
#include "check.h"

static volatile float a = 3.0f, b = -0.5f, zero = 0.0f;
static volatile int32_t seven = 7;
static volatile uint32_t large = 4000000000u;
static volatile int64_t wide = -(1ll << 40);
static volatile uint64_t wider = 1ull << 63;

void kernel_main(void)
{
	volatile float nothing = zero / zero;

	CHECK(a + b == 2.5f);
	CHECK(a - b == 3.5f);
	CHECK(a * b == -1.5f);
	CHECK(a / b == -6.0f);
	CHECK(-a == -3.0f);
	CHECK(a > b && a >= b && b < a && b <= a && a != b && !(a == b));
	CHECK(nothing != nothing && !(nothing < a) && !(nothing >= a));
	CHECK((float)seven == 7.0f && (int32_t)(a * b) == -1);
	CHECK((float)large == 4e9f && (uint32_t)(float)large == large);
	CHECK((float)wide == -0x1p40f && (int64_t)(float)wide == wide);
	CHECK((float)wider == 0x1p63f && (uint64_t)(float)wider == wider);
}

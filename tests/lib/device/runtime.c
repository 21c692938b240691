// SPDX-License-Identifier: MIT
/* What the compiler calls: memory functions and arithmetic on 64 bits. */
#include "check.h"

static uint8_t zero[40];
static uint32_t data = 0x12345678;
static volatile uint64_t sink;

static uint8_t a[64], b[64];

static void memory(uint32_t n)
{
	for (uint32_t i = 0; i < 64; i++) {
		a[i] = (uint8_t)(i * 7);
		b[i] = 0xee;
	}
	memcpy(b + n % 4, a + 1, n);
	CHECK(memcmp(b + n % 4, a + 1, n) == 0);
	CHECK(b[n % 4 + n] == 0xee);
	memmove(a + 3, a + 1, n);
	CHECK(memcmp(a + 3, b + n % 4, n) == 0);
	memmove(a + 1, a + 3, n);
	CHECK(memcmp(a + 1, b + n % 4, n) == 0);
	memset(b + 1, 0x5a, n);
	CHECK(n == 0 || (b[1] == 0x5a && b[n] == 0x5a));
	CHECK(memcmp("a", "b", 1) < 0 && memcmp("b", "a", 1) > 0);
}

static void divide_unsigned(uint64_t x, uint64_t y)
{
	uint64_t q = x / y, r = x % y;

	CHECK(r < y);
	CHECK(q * y + r == x);
}

static void divide_signed(int64_t x, int64_t y)
{
	int64_t q = x / y, r = x % y;

	CHECK(q * y + r == x);
	CHECK(r == 0 || (r < 0) == (x < 0));
	CHECK((r < 0 ? -r : r) < (y < 0 ? -y : y));
}

static void division(void)
{
	uint64_t x = 0x9e3779b97f4a7c15;

	for (uint32_t i = 0; i < 40; i++) {
		uint64_t y = (x >> (i % 60)) | 1;

		x = x * 6364136223846793005u + 1442695040888963407u;
		divide_unsigned(x, y);
		divide_unsigned(x >> 33, y);
		divide_signed((int64_t)x, (int64_t)(y >> 1) | 1);
		divide_signed((int64_t)x, -((int64_t)(y >> 1) | 1));
	}
	sink = 1000000007ull * 998244353;
	CHECK(sink / 1000000007u == 998244353 && sink % 998244353 == 0);
}

static void shifts(void)
{
	volatile uint64_t v = 0x8123456789abcdef;

	for (int n = 0; n < 64; n++) {
		CHECK((v << n) == v * (1ull << n));
		CHECK((v >> n) == v / (1ull << n));
		CHECK(((int64_t)v >> n) == ~(int64_t)(~v >> n));
	}
}

/* Called by name: clang expands these for itself. */
int __clzsi2(uint32_t v);
int __ctzsi2(uint32_t v);
int __popcountsi2(uint32_t v);
uint64_t __ashldi3(uint64_t v, int n);
uint64_t __lshrdi3(uint64_t v, int n);
int64_t __ashrdi3(int64_t v, int n);

static void helpers(void)
{
	volatile uint64_t v = 0x8123456789abcdef;

	for (int n = 0; n < 64; n++) {
		CHECK(__ashldi3(v, n) == v << n);
		CHECK(__lshrdi3(v, n) == v >> n);
		CHECK(__ashrdi3((int64_t)v, n) == (int64_t)v >> n);
	}
	CHECK(__clzsi2(1) == 31 && __clzsi2(0x80000000) == 0 && __clzsi2(0) == 32);
	CHECK(__ctzsi2(0x80000000) == 31 && __ctzsi2(1) == 0 && __ctzsi2(0) == 32);
	CHECK(__popcountsi2(0xffffffff) == 32 && __popcountsi2(0x101) == 2);
}

void kernel_main(void)
{
	CHECK(data == 0x12345678);
	for (uint32_t i = 0; i < sizeof(zero); i++)
		CHECK(((volatile uint8_t *)zero)[i] == 0);
	data = zero[3] + 1u;
	for (uint32_t n = 0; n < 40; n++)
		memory(n);
	division();
	shifts();
	helpers();
}

// SPDX-License-Identifier: MIT
/* float of device kernels, function by function, against the host's floating point. */
#include <math.h>
#include <string.h>

#include "kselftest_harness.h"

/* Names of the compiler's own library: other ones here. */
#define __addsf3	soft_add
#define __subsf3	soft_sub
#define __mulsf3	soft_mul
#define __divsf3	soft_div
#define __negsf2	soft_neg
#define __eqsf2		soft_eq
#define __nesf2		soft_ne
#define __ltsf2		soft_lt
#define __lesf2		soft_le
#define __gtsf2		soft_gt
#define __gesf2		soft_ge
#define __unordsf2	soft_unordered
#define __fixsfsi	soft_to_i32
#define __fixunssfsi	soft_to_u32
#define __fixsfdi	soft_to_i64
#define __fixunssfdi	soft_to_u64
#define __floatsisf	soft_from_i32
#define __floatunsisf	soft_from_u32
#define __floatdisf	soft_from_i64
#define __floatundisf	soft_from_u64
#include "../../lib/device/softfloat.inc"

#define ROUNDS		2000000

static float number(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* All NaNs are one. */
static uint32_t bits(float f)
{
	uint32_t b;

	memcpy(&b, &f, sizeof(b));
	return isnan(f) ? QUIET_NAN : b;
}

/* Where rounding, overflow and subnormal numbers begin, and what lies beside. */
static const uint32_t edges[] = {
	0, 1, 2, 3, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x33800000,
	0x34000000, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001,
	0x3fc00000, 0x4b000000, 0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000, 0x4f7fffff,
	0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000, 0x7e800000, 0x7f000000,
	0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
};

static uint64_t state = 0x853c49e6748fea9b;

static uint32_t draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* An edge, a number near another, or any; so that sums cancel and products are small often. */
static uint32_t any(uint32_t other)
{
	switch (draw() % 4) {
	case 0:
		return edges[draw() % (sizeof(edges) / sizeof(edges[0]))] ^ (draw() & SIGN);
	case 1:
		return (other ^ (draw() & SIGN)) + draw() % 64 - 32;
	case 2:
		return (other & SIGN) | ((draw() % 255) << 23) | (draw() & draw() & (HIDDEN - 1));
	default:
		return draw();
	}
}

static bool arithmetic(uint32_t a, uint32_t b)
{
	float x = number(a), y = number(b);

	return soft_add(a, b) == bits(x + y) && soft_sub(a, b) == bits(x - y) &&
	       soft_mul(a, b) == bits(x * y) && soft_div(a, b) == bits(x / y);
}

static bool order(uint32_t a, uint32_t b)
{
	float x = number(a), y = number(b);

	return (soft_eq(a, b) == 0) == (x == y) && (soft_ne(a, b) != 0) == (x != y) &&
	       (soft_lt(a, b) < 0) == (x < y) && (soft_le(a, b) <= 0) == (x <= y) &&
	       (soft_gt(a, b) > 0) == (x > y) && (soft_ge(a, b) >= 0) == (x >= y) &&
	       (soft_unordered(a, b) != 0) == (isnan(x) || isnan(y));
}

TEST(every_pair_of_edges)
{
	const uint32_t n = sizeof(edges) / sizeof(edges[0]);
	uint32_t i, j;

	for (i = 0; i < 2 * n; i++) {
		for (j = 0; j < 2 * n; j++) {
			uint32_t a = edges[i / 2] ^ (i % 2 ? SIGN : 0);
			uint32_t b = edges[j / 2] ^ (j % 2 ? SIGN : 0);

			EXPECT_TRUE(arithmetic(a, b) && order(a, b))
				TH_LOG("%08x %08x", a, b);
		}
	}
}

TEST(random_pairs)
{
	uint32_t i, a = 0, b;

	for (i = 0; i < ROUNDS; i++) {
		b = any(a);
		a = any(b);
		ASSERT_TRUE(arithmetic(a, b) && order(a, b))
			TH_LOG("%08x %08x", a, b);
	}
}

static uint64_t clamped(float f, float low, float beyond, uint64_t min, uint64_t max, bool negative)
{
	if (isnan(f))
		return 0;
	if (f < low)
		return min;
	if (f >= beyond)
		return max;
	return negative ? (uint64_t)(int64_t)f : (uint64_t)f;
}

static bool to_integers(uint32_t a)
{
	float f = number(a);

	return soft_to_i32(a) == (int32_t)clamped(f, -0x1p31f, 0x1p31f, 1ull << 31, INT32_MAX,
						  true) &&
	       soft_to_u32(a) == (uint32_t)clamped(f, 0, 0x1p32f, 0, UINT32_MAX, false) &&
	       soft_to_i64(a) == (int64_t)clamped(f, -0x1p63f, 0x1p63f, 1ull << 63, INT64_MAX,
						  true) &&
	       soft_to_u64(a) == clamped(f, 0, 0x1p64f, 0, UINT64_MAX, false);
}

static bool from_integers(uint64_t v)
{
	return soft_from_i32((int32_t)v) == bits((float)(int32_t)v) &&
	       soft_from_u32((uint32_t)v) == bits((float)(uint32_t)v) &&
	       soft_from_i64((int64_t)v) == bits((float)(int64_t)v) &&
	       soft_from_u64(v) == bits((float)v);
}

TEST(integers)
{
	uint32_t i, j, a = 0;

	for (i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		for (j = 0; j < 2; j++)
			EXPECT_TRUE(to_integers(edges[i] ^ (j ? SIGN : 0)))
				TH_LOG("%08x", edges[i] ^ (j ? SIGN : 0));
	for (i = 0; i < 64; i++)
		for (j = 0; j < 5; j++)
			EXPECT_TRUE(from_integers((1ull << i) + j - 2))
				TH_LOG("2^%u %+d", i, (int)j - 2);
	for (i = 0; i < ROUNDS; i++) {
		uint64_t v = ((uint64_t)draw() << 32 | draw()) >> draw() % 64;

		a = any(a);
		ASSERT_TRUE(to_integers(a)) TH_LOG("%08x", a);
		ASSERT_TRUE(from_integers(v)) TH_LOG("%016llx", (unsigned long long)v);
	}
}

TEST(sign)
{
	EXPECT_EQ(soft_neg(0x3f800000), 0xbf800000);
	EXPECT_EQ(soft_neg(0x80000000), 0);
}

TEST_HARNESS_MAIN

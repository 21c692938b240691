// SPDX-License-Identifier: MIT
/* Sets of cores as bitmaps: each word of them counts (RR-11). */
#include <string.h>

#include "cores.h"
#include "kselftest_harness.h"

TEST(two_sets_meet_in_any_word)
{
	for (u32 i = 0; i < TSR_CORES_WORDS * 64; i++) {
		struct tsr_cores a = { }, b = { };

		a.bits[i / 64] = 1ull << i % 64;
		ASSERT_FALSE(tsr_cores_meet(&a, &b));
		b.bits[i / 64] = ~a.bits[i / 64];
		ASSERT_FALSE(tsr_cores_meet(&a, &b));
		b.bits[i / 64] = a.bits[i / 64];
		ASSERT_TRUE(tsr_cores_meet(&a, &b));
	}
}

TEST(a_set_is_within_another_by_every_word)
{
	for (u32 i = 0; i < TSR_CORES_WORDS * 64; i++) {
		struct tsr_cores set = { }, outer;

		memset(&outer, 0xff, sizeof(outer));
		set.bits[i / 64] = 1ull << i % 64;
		ASSERT_TRUE(tsr_cores_within(&set, &outer));
		outer.bits[i / 64] &= ~set.bits[i / 64];
		ASSERT_FALSE(tsr_cores_within(&set, &outer));
	}
}

TEST(all_words_are_added_and_counted)
{
	struct tsr_cores sum = { };

	for (u32 i = 0; i < TSR_CORES_WORDS * 64; i++) {
		struct tsr_cores one = { };

		one.bits[i / 64] = 1ull << i % 64;
		tsr_cores_add(&sum, &one);
		tsr_cores_add(&sum, &one);
		ASSERT_EQ(i + 1, tsr_cores_count(&sum));
	}
}

TEST_HARNESS_MAIN

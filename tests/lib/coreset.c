// SPDX-License-Identifier: MIT
/* Core sets (RR-11). */
#include "common_rig.h"
#include "coreset_int.h"
#include "kselftest_harness.h"

static void print(const struct tsr_coreset *set, char *buf)
{
	tsr_coreset_print(set, buf, 256);
}

TEST(order_and_decomposition_do_not_matter)
{
	struct tsr_coreset *a = tsr_coreset_new_rect(0, 0, 3, 3), *b = tsr_coreset_new();
	char text_a[256], text_b[256];

	for (int y = 3; y >= 0; y--)
		for (int x = 0; x <= 3; x += 2)
			tsr_coreset_add_rect(b, (struct tsr_rect){ x, y, x + 1, y });
	EXPECT_TRUE(tsr_coreset_equal(a, b));
	EXPECT_EQ(1, tsr_coreset_rects(b, NULL, 0));
	print(a, text_a);
	print(b, text_b);
	EXPECT_STREQ("{(0,0)-(3,3)}", text_a);
	EXPECT_STREQ(text_a, text_b);
	tsr_coreset_remove(b, 1, 1);
	EXPECT_FALSE(tsr_coreset_equal(a, b));
	EXPECT_EQ(15, tsr_coreset_count(b));
	tsr_coreset_free(a);
	tsr_coreset_free(b);
}

TEST(rectangles_are_disjoint_and_cover_the_set)
{
	unsigned int seed = 1;

	for (int round = 0; round < 200; round++) {
		struct tsr_coreset *set = tsr_coreset_new(), *sum = tsr_coreset_new();
		struct tsr_rect rects[2048];
		size_t n, cores = 0;

		for (int i = 0; i < 300; i++) {
			seed = seed * 1103515245 + 12345;
			tsr_coreset_add(set, seed >> 8 & 63, seed >> 16 & 63);
		}
		n = tsr_coreset_rects(set, rects, 2048);
		for (size_t i = 0; i < n; i++) {
			cores += (rects[i].x1 - rects[i].x0 + 1u) *
				 (rects[i].y1 - rects[i].y0 + 1u);
			tsr_coreset_add_rect(sum, rects[i]);
			if (i)
				ASSERT_TRUE(rects[i - 1].y0 < rects[i].y0 ||
					    (rects[i - 1].y0 == rects[i].y0 &&
					     rects[i - 1].x0 < rects[i].x0));
		}
		ASSERT_EQ(tsr_coreset_count(set), cores);
		ASSERT_TRUE(tsr_coreset_equal(set, sum));
		tsr_coreset_free(set);
		tsr_coreset_free(sum);
	}
}

TEST(cores_are_listed_row_by_row)
{
	struct tsr_coreset *set = tsr_coreset_new();
	struct tsr_core list[3];

	tsr_coreset_add(set, 63, 63);
	tsr_coreset_add(set, 5, 0);
	tsr_coreset_add(set, 2, 1);
	tsr_coreset_add(set, 2, 1);
	ASSERT_EQ(3, tsr_coreset_cores(set, list, 3));
	EXPECT_EQ(5, list[0].x);
	EXPECT_EQ(2, list[1].x);
	EXPECT_EQ(63, list[2].y);
	EXPECT_EQ(3, tsr_coreset_cores(set, NULL, 0));
	EXPECT_TRUE(tsr_coreset_contains(set, 63, 63));
	EXPECT_FALSE(tsr_coreset_contains(set, 64, 63));
	EXPECT_FALSE(tsr_coreset_contains(set, 63, 64));
	tsr_coreset_free(set);
}

TEST(print_is_cut_where_there_is_no_room)
{
	struct tsr_coreset *set = tsr_coreset_new();
	char small[8], none[1] = { 'x' };

	EXPECT_EQ(2, tsr_coreset_print(set, small, sizeof(small)));
	EXPECT_STREQ("{}", small);
	tsr_coreset_add(set, 1, 2);
	tsr_coreset_add(set, 3, 3);
	EXPECT_EQ(13, tsr_coreset_print(set, small, sizeof(small)));
	EXPECT_STREQ("{(1,2) ", small);
	EXPECT_EQ(13, tsr_coreset_print(set, none, 1));
	EXPECT_EQ('\0', none[0]);
	EXPECT_EQ(13, tsr_coreset_print(set, NULL, 0));
	tsr_coreset_free(set);
}

TEST(reversed_and_distant_rectangles_are_kept_aside)
{
	struct tsr_coreset *a = tsr_coreset_new(), *b = tsr_coreset_new(), *copy;
	struct tsr_rect reversed = { 2, 0, 1, 0 }, far = { 0, 0, 64, 0 };
	char text[256];

	EXPECT_EQ(0, tsr_coreset_add_rect(a, reversed));
	EXPECT_EQ(0, tsr_coreset_add_rect(a, far));
	EXPECT_EQ(0, tsr_coreset_add_rect(b, far));
	EXPECT_EQ(0, tsr_coreset_add_rect(b, reversed));
	EXPECT_EQ(0, tsr_coreset_add_rect(b, reversed));
	EXPECT_EQ(0, tsr_coreset_count(a));
	EXPECT_TRUE(tsr_coreset_equal(a, b));
	copy = tsr_coreset_copy(b);
	EXPECT_TRUE(tsr_coreset_equal(a, copy));
	print(copy, text);
	EXPECT_STREQ("{(0,0)-(64,0) (2,0)-(1,0)}", text);
	tsr_coreset_free(a);
	tsr_coreset_free(b);
	tsr_coreset_free(copy);
	EXPECT_EQ(NULL, tsr_coreset_free(NULL));
}

TEST(subset_and_intersection)
{
	struct tsr_coreset *outer = tsr_coreset_new_rect(0, 0, 2, 2);
	struct tsr_coreset *inner = tsr_coreset_new_rect(1, 1, 2, 2);
	struct tsr_coreset *beside = tsr_coreset_new_rect(3, 0, 3, 5);
	struct tsr_coreset rest;

	EXPECT_TRUE(tsr_coreset_subset(inner, outer));
	EXPECT_FALSE(tsr_coreset_subset(outer, inner));
	EXPECT_TRUE(tsr_coreset_intersects(inner, outer));
	EXPECT_FALSE(tsr_coreset_intersects(beside, outer));
	EXPECT_FALSE(tsr_coreset_subset(beside, outer));
	tsr_coreset_minus(outer, inner, &rest);
	EXPECT_EQ(5, tsr_coreset_count(&rest));
	tsr_coreset_minus(outer, outer, &rest);
	EXPECT_EQ(0, tsr_coreset_count(&rest));
	EXPECT_EQ(0, rest.height);
	tsr_coreset_free(outer);
	tsr_coreset_free(inner);
	tsr_coreset_free(beside);
}

TEST_HARNESS_MAIN

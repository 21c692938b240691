// SPDX-License-Identifier: MIT
/*
 * Devices of other shapes: a ring all-reduce, in which each core depends on all others, is right on
 * every one of them, with one worker and with several, again and again. And limits are what
 * the configuration says, or the configuration is refused.
 */
#include "common_harness.h"
#include "common_ring.h"

FIXTURE(grid)
{
	struct dev d;
	struct ring ring;
};

FIXTURE_VARIANT(grid)
{
	const char *attributes;
	uint32_t width, height, cores, chunk, times;
};

#define GRID(name, _width, _height, _cores, _chunk, _times, text) \
	FIXTURE_VARIANT_ADD(grid, name) { \
		.attributes = "width=" #_width " height=" #_height " " text, \
		.width = _width, .height = _height, .cores = _cores, .chunk = _chunk, \
		.times = _times, \
	}

GRID(one_core, 1, 1, 1, 64, 3, "");
GRID(one_row, 7, 1, 7, 16, 3, "");
GRID(one_column, 1, 64, 64, 4, 1, "");
GRID(default_shape_one_worker, 4, 4, 16, 16, 3, "workers=1");
GRID(square_one_worker, 8, 8, 64, 4, 2, "workers=1");
GRID(square_several_workers_fifty_times, 8, 8, 64, 4, 50, "workers=8");
GRID(square_small_quantum, 8, 8, 64, 4, 5, "workers=8 quantum=100");
GRID(square_all_by_workers, 8, 8, 64, 4, 5, "workers=8 inline_budget=0");
GRID(square_one_bank, 8, 8, 64, 4, 3, "staged_depth=1 queue_capacity=1");
GRID(square_eight_banks, 8, 8, 64, 4, 3, "staged_depth=8");
GRID(large_harvested, 16, 16, 236, 4, 2, "harvested=3,0-3,15;7,7-8,8 workers=8");
GRID(small_l1, 4, 4, 16, 16, 2, "l1_size=131072 image_slot=8192 words=64");
GRID(large_l1, 4, 4, 16, 16, 2, "l1_size=4194304 image_slot=65536 words=4096");

FIXTURE_SETUP(grid)
{
	ASSERT_EQ(0, soft_open(&self->d, "grid", variant->attributes));
	ASSERT_EQ(0, ring_new(&self->d, variant->chunk, &self->ring));
}

FIXTURE_TEARDOWN(grid)
{
	ring_free(&self->ring);
	soft_close(&self->d, "grid");
}

TEST_F(grid, ring_is_right_everywhere)
{
	struct drm_tessera_status s;

	ASSERT_EQ(variant->width, self->d.info.limits.grid_width);
	ASSERT_EQ(variant->height, self->d.info.limits.grid_height);
	ASSERT_EQ(variant->cores, self->d.info.limits.cores);
	for (uint32_t i = 0; i < variant->times; i++) {
		ring_fill(&self->ring, i);
		ASSERT_EQ(0, dev_execute(self->ring.job, &s));
		ASSERT_EQ(DRM_TESSERA_CODE_OK, s.code)
			dev_status_print(&s);
		/* Words wrong in one repetition only: an order that semaphores did not keep. */
		ASSERT_EQ(0, ring_wrong(&self->ring))
			TH_LOG("repetition %u", i);
	}
}

/* ---- Configurations ------------------------------------------------------------------------- */

TEST(limits_are_what_the_directory_says)
{
	struct dev d;

	ASSERT_EQ(0, soft_open(&d, "said", "width=5 height=3 l1_size=262144 image_slot=16384 "
			       "words=128 seed=77 staged_depth=3 queue_capacity=9 "
			       "no_progress_ms=1234 harvested=4,2"));
	EXPECT_EQ(5, d.info.limits.grid_width);
	EXPECT_EQ(3, d.info.limits.grid_height);
	EXPECT_EQ(14, d.info.limits.cores);
	EXPECT_EQ(1 << 14, d.info.limits.harvested[0]);
	EXPECT_EQ(262144, d.info.limits.l1_size);
	EXPECT_EQ(16384, d.info.limits.image_slot);
	EXPECT_EQ(128, d.info.limits.words);
	EXPECT_EQ(77, d.info.seed);
	EXPECT_EQ(3, d.info.limits.staged_depth);
	EXPECT_EQ(9, d.info.limits.queue_capacity);
	EXPECT_EQ(1234, d.info.limits.no_progress_ms);
	EXPECT_STREQ("said", d.info.name);
	EXPECT_FALSE(d.info.caps & DRM_TESSERA_CAP_DETERMINISTIC);
	EXPECT_EQ(0, dev_good_run(&d));
	soft_close(&d, "said");
}

TEST(attributes_are_fixed_while_enabled)
{
	ASSERT_EQ(0, soft_create("fixed", "width=2"));
	EXPECT_EQ(-EBUSY, soft_write("fixed", "width", "3"));
	EXPECT_EQ(-EBUSY, soft_write("fixed", "harvested", "0,0"));
	EXPECT_EQ(-EBUSY, soft_write("fixed", "timing/alu", "2"));
	EXPECT_EQ(0, soft_write("fixed", "enable", "0"));
	EXPECT_EQ(0, soft_write("fixed", "width", "3"));
	EXPECT_EQ(0, soft_write("fixed", "enable", "1"));
	EXPECT_EQ(0, soft_remove("fixed"));
}

/* Bad values are refused, not corrected (FL-3). */
TEST(bad_configurations_are_refused)
{
	static const char *const bad[] = {
		"width=0", "width=65", "height=0", "width=-1", "width=x", "width=4294967300",
		"width=64 height=64",			/* 4096 cores */
		"l1_size=4096", "l1_size=65537", "l1_size=8388608",
		"image_slot=1", "l1_size=65536 image_slot=32768", "words=15", "words=5000",
		"harvested=9,9", "harvested=0,0-3,3", "harvested=3,3-0,0", "harvested=a",
		"quantum=1", "workers=0", "staged_depth=0", "staged_depth=9", "queue_capacity=0",
		"no_progress_ms=0", "no_progress_ms=9", "deterministic=2", "timing/alu=0",
		"timing/noc_bytes=0", "timing/div=65536",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, soft_create("bad", bad[i]))
			TH_LOG("%s", bad[i]);
	}
	soft_remove("bad");
}

/* Several devices at once share nothing: each has its own counters, users and runs. */
TEST(several_devices_at_once)
{
	static const char *const name[] = { "one", "two", "three" };
	static const char *const shape[] = { "width=1 height=1", "width=3 height=2", "height=9" };
	struct drm_tessera_counters c;
	struct dev d[3];

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, soft_open(&d[i], name[i], shape[i]));
	for (int i = 0; i < 3; i++) {
		for (int n = 0; n <= i; n++)
			EXPECT_EQ(0, dev_good_run(&d[i]));
	}
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, uapi_counters(d[i].fd, &c));
		EXPECT_EQ(i + 1, c.runs_accepted);
		EXPECT_EQ(1, c.contexts);
	}
	soft_close(&d[1], name[1]);
	EXPECT_EQ(0, dev_good_run(&d[0]));
	EXPECT_EQ(0, dev_good_run(&d[2]));
	soft_close(&d[0], name[0]);
	soft_close(&d[2], name[2]);
}

DEV_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* The stall classifier and the table of codes, over all that they can be given. */
#include <drm/tessera_grid.h>
#include "codes.h"
#include "stall.h"
#include "kselftest_harness.h"

/* Few, many, and the largest: only zero or not matters. */
static const u32 counts[] = { 0, 1, 3072, 0xffffffff };

TEST(every_combination_has_the_class_of_its_first_reason)
{
	for (size_t i = 0; i < 4 * 4 * 4 * 2; i++) {
		u32 running = counts[i % 4], ready = counts[i / 4 % 4], waiting = counts[i / 16 % 4];
		bool done = i / 64;
		u32 want = TSR_STALL_UNKNOWN;

		/* From the last reason to the first (FL-4). */
		if (!done)
			want = TSR_STALL_DISPATCH;
		if (waiting)
			want = TSR_STALL_DEADLOCK;
		if (ready)
			want = TSR_STALL_READY;
		if (running)
			want = TSR_STALL_RUNNING;
		EXPECT_EQ(want, tsr_stall_classify(running, ready, waiting, done));
	}
}

TEST(every_code_has_a_name_a_class_and_an_errno)
{
	EXPECT_EQ(NULL, tsr_code_info(DRM_TESSERA_CODE_TIME_LIMIT + 1));
	EXPECT_EQ(NULL, tsr_code_info(0xffffffff));
	for (u32 code = 0; code <= DRM_TESSERA_CODE_TIME_LIMIT; code++) {
		const struct tsr_code_info *info = tsr_code_info(code);

		ASSERT_NE(NULL, info);
		ASSERT_NE(NULL, info->name);
		EXPECT_LT(0, strlen(info->description));
		ASSERT_NE(NULL, info->hint);
		EXPECT_EQ(code == DRM_TESSERA_CODE_OK, info->failure_class == DRM_TESSERA_CLASS_NONE);
		EXPECT_EQ(code == DRM_TESSERA_CODE_OK, info->error == 0);
		EXPECT_GE(0, info->error);
		EXPECT_LE(info->failure_class, DRM_TESSERA_CLASS_DEVICE);
		for (u32 other = 0; other < code; other++)
			EXPECT_NE(0, strcmp(info->name, tsr_code_info(other)->name));
	}
}

/* FL-1: fixed for ever. A change here is a change of the interface. */
TEST(classes_are_fixed)
{
	static const u8 want[] = {
		[DRM_TESSERA_CODE_OK] = DRM_TESSERA_CLASS_NONE,
		[DRM_TESSERA_CODE_FAULT] = DRM_TESSERA_CLASS_LOCAL,
		[DRM_TESSERA_CODE_NO_PROGRESS] = DRM_TESSERA_CLASS_LOCAL,
		[DRM_TESSERA_CODE_STOPPED] = DRM_TESSERA_CLASS_LOCAL,
		[DRM_TESSERA_CODE_CANCELLED] = DRM_TESSERA_CLASS_LOCAL,
		[DRM_TESSERA_CODE_CONTEXT_GONE] = DRM_TESSERA_CLASS_LOCAL,
		[DRM_TESSERA_CODE_DEPENDENCY] = DRM_TESSERA_CLASS_QUEUE,
		[DRM_TESSERA_CODE_NO_RECORD] = DRM_TESSERA_CLASS_DEVICE,
		[DRM_TESSERA_CODE_STAGE] = DRM_TESSERA_CLASS_LOCAL,
		[DRM_TESSERA_CODE_LAUNCH] = DRM_TESSERA_CLASS_LOCAL,
		[DRM_TESSERA_CODE_LAUNCH_PARTIAL] = DRM_TESSERA_CLASS_DEVICE,
		[DRM_TESSERA_CODE_STOP_UNPROVEN] = DRM_TESSERA_CLASS_DEVICE,
		[DRM_TESSERA_CODE_DEVICE_GONE] = DRM_TESSERA_CLASS_DEVICE,
		[DRM_TESSERA_CODE_WEDGED] = DRM_TESSERA_CLASS_DEVICE,
		[DRM_TESSERA_CODE_BAD_RECORD] = DRM_TESSERA_CLASS_QUEUE,
		[DRM_TESSERA_CODE_RESET] = DRM_TESSERA_CLASS_DEVICE,
		[DRM_TESSERA_CODE_TIME_LIMIT] = DRM_TESSERA_CLASS_LOCAL,
	};

	for (u32 code = 0; code < ARRAY_SIZE(want); code++)
		EXPECT_EQ(want[code], tsr_code_info(code)->failure_class);
}

TEST_HARNESS_MAIN

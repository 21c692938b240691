// SPDX-License-Identifier: GPL-2.0-only
/* Why a run stands still (FL-4): the whole table, in the kernel's build of it. */
#include <drm/tessera_grid.h>
#include <kunit/test.h>
#include "stall.h"

static void first_reason_by_priority(struct kunit *test)
{
	u32 mask, want;

	/* Bits: dispatch done, waiting, ready, running. The highest one that is set decides. */
	for (mask = 0; mask < 16; mask++) {
		if (mask & 8)
			want = TSR_STALL_RUNNING;
		else if (mask & 4)
			want = TSR_STALL_READY;
		else if (mask & 2)
			want = TSR_STALL_DEADLOCK;
		else
			want = mask & 1 ? TSR_STALL_UNKNOWN : TSR_STALL_DISPATCH;
		KUNIT_EXPECT_EQ_MSG(test, want,
				    tsr_stall_classify(mask & 8 ? U32_MAX : 0, mask & 4 ? 1 : 0,
						       mask & 2 ? 7 : 0, mask & 1),
				    "mask %u", mask);
	}
}

static struct kunit_case stall_cases[] = {
	KUNIT_CASE(first_reason_by_priority),
	{ }
};

static struct kunit_suite stall_suite = {
	.name = "tessera_stall",
	.test_cases = stall_cases,
};

kunit_test_suites(&stall_suite);

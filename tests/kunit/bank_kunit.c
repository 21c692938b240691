// SPDX-License-Identifier: GPL-2.0-only
/* Leases of banks: {slot, generation}, and whose word counts (RUN-4, BK-1). */
#include <kunit/test.h>
#include "pipeline.h"

#define BANKS	3

struct bank_rig {
	struct tsr_device *tdev;
	struct tsr_context *ctx;
	struct tsr_run *run[BANKS + 1];
};

/* A device of so many banks that nobody drives. */
static int bank_init(struct kunit *test)
{
	struct bank_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig->tdev = kunit_kzalloc(test, sizeof(*rig->tdev), GFP_KERNEL);
	rig->ctx = kunit_kzalloc(test, sizeof(*rig->ctx), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->tdev);
	KUNIT_ASSERT_NOT_NULL(test, rig->ctx);
	spin_lock_init(&rig->tdev->lock);
	rig->tdev->config.limits.staged_depth = BANKS;
	for (i = 0; i <= BANKS; i++) {
		rig->run[i] = kunit_kzalloc(test, sizeof(*rig->run[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, rig->run[i]);
		rig->run[i]->ctx = rig->ctx;
	}
	test->priv = rig;
	return 0;
}

static int lease(struct bank_rig *rig, u32 i)
{
	int ret;

	spin_lock_irq(&rig->tdev->lock);
	ret = tsr_bank_lease(rig->tdev, rig->run[i]);
	spin_unlock_irq(&rig->tdev->lock);
	return ret;
}

static int give_back(struct bank_rig *rig, u32 i)
{
	int ret;

	spin_lock_irq(&rig->tdev->lock);
	ret = tsr_bank_return(rig->tdev, rig->run[i]);
	spin_unlock_irq(&rig->tdev->lock);
	return ret;
}

static void as_many_leases_as_banks(struct kunit *test)
{
	struct bank_rig *rig = test->priv;
	u32 i;

	for (i = 0; i < BANKS; i++) {
		KUNIT_EXPECT_TRUE(test, tsr_bank_available(rig->tdev));
		KUNIT_EXPECT_EQ(test, 0, lease(rig, i));
		KUNIT_EXPECT_EQ(test, i, rig->run[i]->slot);
		KUNIT_EXPECT_EQ(test, 1ull, rig->run[i]->generation);
	}
	KUNIT_EXPECT_FALSE(test, tsr_bank_available(rig->tdev));
	KUNIT_EXPECT_EQ(test, -EBUSY, lease(rig, BANKS));
	/* A refused lease that counted would look like a leak for ever. */
	KUNIT_EXPECT_EQ(test, (u64)BANKS, rig->tdev->counters.leases_taken);
	KUNIT_EXPECT_EQ(test, (u64)BANKS, rig->ctx->counters.leases_taken);
}

static void a_bank_leased_again_has_another_generation(struct kunit *test)
{
	struct bank_rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, 0, lease(rig, 0));
	KUNIT_ASSERT_EQ(test, 0, give_back(rig, 0));
	KUNIT_EXPECT_EQ(test, 0ull, rig->run[0]->generation);
	KUNIT_ASSERT_EQ(test, 0, lease(rig, 1));
	KUNIT_EXPECT_EQ(test, 0u, rig->run[1]->slot);
	KUNIT_EXPECT_EQ(test, 2ull, rig->run[1]->generation);
}

static void a_lease_is_returned_once(struct kunit *test)
{
	struct bank_rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, 0, lease(rig, 0));
	KUNIT_EXPECT_EQ(test, 0, give_back(rig, 0));
	KUNIT_EXPECT_EQ(test, -ESTALE, give_back(rig, 0));
	/* Two would mean that the bank was given to nobody, twice. */
	KUNIT_EXPECT_EQ(test, 1ull, rig->tdev->counters.leases_returned);
}

/* What a run remembers of an old lease does not free the bank of its next owner. */
static void an_old_lease_frees_nothing(struct kunit *test)
{
	struct bank_rig *rig = test->priv;
	u64 old;

	KUNIT_ASSERT_EQ(test, 0, lease(rig, 0));
	old = rig->run[0]->generation;
	KUNIT_ASSERT_EQ(test, 0, give_back(rig, 0));
	KUNIT_ASSERT_EQ(test, 0, lease(rig, 1));
	rig->run[0]->generation = old;
	KUNIT_EXPECT_EQ(test, -ESTALE, give_back(rig, 0));
	KUNIT_EXPECT_PTR_EQ(test, rig->run[1], rig->tdev->banks[0].owner);
	KUNIT_EXPECT_EQ(test, 0, give_back(rig, 1));
}

/* The same run, the same slot, another lease: only the generation tells. */
static void the_generation_tells_leases_of_one_run_apart(struct kunit *test)
{
	struct bank_rig *rig = test->priv;
	u64 old;

	KUNIT_ASSERT_EQ(test, 0, lease(rig, 0));
	old = rig->run[0]->generation;
	KUNIT_ASSERT_EQ(test, 0, give_back(rig, 0));
	KUNIT_ASSERT_EQ(test, 0, lease(rig, 0));
	rig->run[0]->generation = old;
	KUNIT_EXPECT_EQ(test, -ESTALE, give_back(rig, 0));
}

static void leasing_ends_before_the_generation_wraps(struct kunit *test)
{
	struct bank_rig *rig = test->priv;

	rig->tdev->banks[0].generation = U64_MAX - 1;
	KUNIT_EXPECT_EQ(test, 0, lease(rig, 0));
	KUNIT_EXPECT_EQ(test, U64_MAX, rig->run[0]->generation);
	KUNIT_EXPECT_EQ(test, 0, give_back(rig, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, lease(rig, 0));
}

static struct kunit_case bank_cases[] = {
	KUNIT_CASE(as_many_leases_as_banks),
	KUNIT_CASE(a_bank_leased_again_has_another_generation),
	KUNIT_CASE(a_lease_is_returned_once),
	KUNIT_CASE(an_old_lease_frees_nothing),
	KUNIT_CASE(the_generation_tells_leases_of_one_run_apart),
	KUNIT_CASE(leasing_ends_before_the_generation_wraps),
	{ }
};

static struct kunit_suite bank_suite = {
	.name = "tessera_bank",
	.init = bank_init,
	.test_cases = bank_cases,
};

kunit_test_suites(&bank_suite);

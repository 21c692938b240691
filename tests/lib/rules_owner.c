// SPDX-License-Identifier: MIT
/* Rules of validation, as in rules.c: owners, tensors, counts; before and around the factory. */
#include "common_rules.h"
#include "kselftest_harness.h"

FIXTURE(rules_owner) {
	struct rig *rig;
};

FIXTURE_SETUP(rules_owner)
{
	self->rig = rig_new();
	rig_add_usual(self->rig);
}

FIXTURE_TEARDOWN(rules_owner)
{
	self->rig = rig_free(self->rig);
}

/* --- owners, tensors, counts -------------------------------------------------------------- */

static int retained, released;

static void retain(void *object)
{
	retained++;
}

static void release(void *object)
{
	released++;
}

static struct tsr_buffer *foreign;

FILL(fill_v23)
{
	tsr_resources_own(res, &retained, retain, release);
	tsr_resources_own(res, NULL, retain, release);
	tsr_resources_own(res, &retained, retain, NULL);
	tsr_resources_own_buffer(res, NULL);
	tsr_resources_own_buffer(res, foreign);
	return 0;
}

TEST_F(rules_owner, v23_owner_missing_or_of_another_device)
{
	struct rig *other = rig_new();

	ASSERT_EQ(0, tsr_buffer_new_offline(other->dev, 4096, 1, &foreign));
	self->rig->fill = fill_v23;
	EXPECT_REFUSED("V23", 4);
	EXPECT_FINDING("V23", 0, "resources/owner 1", "object", "NULL", "not NULL");
	EXPECT_FINDING("V23", 1, "resources/owner 2", "release", "NULL", "not NULL");
	EXPECT_FINDING("V23", 2, "resources/owner 3", "object", "NULL", "not NULL");
	EXPECT_FINDING("V23", 3, "resources/owner 4", "buffer", "a buffer of another device",
		       "a buffer of device offline");
	/* What was refused keeps nothing (LT-4). */
	EXPECT_EQ(1, retained);
	EXPECT_EQ(1, released);
	tsr_buffer_unref(foreign);
	rig_free(other);
}

TEST_F(rules_owner, v26_tensors_that_cannot_be_bound)
{
	struct rig *other = rig_new(), *rig = self->rig;

	ASSERT_EQ(0, tsr_operation_add_tensor(rig->op, TSR_ACCESS_IN, 64));
	ASSERT_EQ(0, tsr_operation_add_tensor(rig->op, TSR_ACCESS_OUT, 4096));
	ASSERT_EQ(0, tsr_buffer_new_offline(rig->dev, 4096, 1, &rig->tensors[1].buffer));
	ASSERT_EQ(0, tsr_buffer_new_offline(other->dev, 4096, 1, &foreign));
	rig->tensor_count = 1;
	EXPECT_REFUSED("V26", 1);
	EXPECT_FINDING("V26", 0, "tensors", "count", "1", "2");
	rig->tensor_count = 2;
	rig->tensors[1].offset = 16;
	EXPECT_REFUSED("V26", 2);
	EXPECT_FINDING("V26", 0, "tensor 0", "buffer", "NULL", "a buffer of device offline");
	EXPECT_FINDING("V26", 1, "tensor 1", "size", "4080", "4096..4080");
	rig->tensors[0].buffer = foreign;
	rig->tensors[1].offset = 8;
	EXPECT_REFUSED("V26", 2);
	EXPECT_FINDING("V26", 0, "tensor 0", "buffer", "of another device",
		       "a buffer of device offline");
	EXPECT_FINDING("V26", 1, "tensor 1", "offset", "8", "a multiple of 16, up to 4096");
	rig->tensors[0].buffer = tsr_buffer_ref(rig->tensors[1].buffer);
	rig->tensors[0].size = 5000;
	rig->tensors[1].offset = 0;
	EXPECT_REFUSED("V26", 1);
	EXPECT_FINDING("V26", 0, "tensor 0", "size", "5000", "64..4096");
	rig->tensors[0].size = 64;
	EXPECT_EQ(-ENODEV, rig_submit(rig));
	tsr_buffer_unref(foreign);
	rig_free(other);
}

TEST_F(rules_owner, v27_more_tensors_than_the_device_binds)
{
	self->rig->dev->limits.bindings = 1;
	ASSERT_EQ(0, tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 64));
	ASSERT_EQ(0, tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 64));
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_FINDING("V27", 0, "operation", "tensors", "2", "0..1");
}

TEST_F(rules_owner, v27_program_larger_than_the_device_takes)
{
	self->rig->dev->limits.program_size = 256;
	EXPECT_EQ(-E2BIG, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "V27", 1));
	EXPECT_EQ(TSR_STAGE_PROGRAM, tsr_diag_stage(self->rig->diag));
	EXPECT_STREQ("program bytes", rig_finding(self->rig, "V27", 0)->field);
	EXPECT_STREQ("0..256", rig_finding(self->rig, "V27", 0)->allowed);
}

/* --- before and around the factory --------------------------------------------------------- */

TEST_F(rules_owner, rr3_ids_not_dense_and_the_factory_is_not_called)
{
	ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, 0, 0, NULL));
	ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, 2, 0, NULL));
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "RR-3", 1));
	EXPECT_EQ(TSR_STAGE_DECLARE, tsr_diag_stage(self->rig->diag));
	EXPECT_FINDING("RR-3", 0, "operation/semaphore 2", "id", "2", "1");
	EXPECT_EQ(0, self->rig->factory_calls);
}

FILL(fill_fails)
{
	return -ENOTTY;
}

TEST_F(rules_owner, rr6_error_of_the_factory_is_kept)
{
	self->rig->fill = fill_fails;
	EXPECT_EQ(-ENOTTY, rig_submit(self->rig));
	EXPECT_EQ(-ENOTTY, tsr_diag_cause(self->rig->diag));
	EXPECT_EQ(TSR_STAGE_FACTORY, tsr_diag_stage(self->rig->diag));
	ASSERT_TRUE(rig_only(self->rig, "RR-6", 1));
}

FILL(fill_everything_wrong)
{
	static const int64_t bad[] = { 4294967296LL };
	const struct tsr_semaphore s = { .id = 99, .core_type = 9, .initial = -5 };
	struct tsr_entry *e = entry_of(res, RIG_MOVER);

	entry_of(res, (struct tsr_selector){ 0, NULL });
	tsr_entry_add_words(e, 9, 9, bad, 1);
	tsr_resources_add_semaphore(res, &s);
	tsr_resources_own(res, NULL, NULL, NULL);
	return 0;
}

TEST_F(rules_owner, all_findings_come_in_one_pass_in_the_order_of_the_rules)
{
	static const char *const order[] = { "V1", "V9", "V12", "V15", "V18", "V19", "V23" };
	struct tsr_library_stats stats;

	self->rig->fill = fill_everything_wrong;
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	ASSERT_EQ(ARRAY_SIZE(order), tsr_diag_count(self->rig->diag));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		EXPECT_STREQ(order[i], tsr_diag_finding(self->rig->diag, i)->rule);
	EXPECT_EQ(NULL, tsr_diag_finding(self->rig->diag, ARRAY_SIZE(order)));
	tsr_library_stats(self->rig->dev, &stats);
	/* Nothing was planned or built: a program would be one made from refused resources. */
	EXPECT_EQ(1, stats.factory_calls);
	EXPECT_EQ(1, stats.refused);
	EXPECT_EQ(ARRAY_SIZE(order), stats.findings);
	EXPECT_EQ(0, stats.plans);
	EXPECT_EQ(0, stats.programs);
}

TEST(every_rule_has_an_id_and_words)
{
	size_t n;
	const struct tsr_rule *rules = tsr_rules(&n);

	EXPECT_EQ(TSR_RULE_COUNT, n);
	for (size_t i = 0; i < n; i++) {
		ASSERT_NE(NULL, rules[i].id);
		EXPECT_NE('\0', rules[i].refuses[0]);
		for (size_t k = 0; k < i; k++)
			EXPECT_NE(0, strcmp(rules[k].id, rules[i].id));
	}
}

TEST_HARNESS_MAIN

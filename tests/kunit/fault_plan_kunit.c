// SPDX-License-Identifier: GPL-2.0-only
/* Fault plans: text to data and back, and which event a rule fires at. */
#include <kunit/test.h>
#include "fault.h"

struct plan_rig {
	struct tsr_fault_plan plan;
	char text[1024];
};

static int plan_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct plan_rig), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static int parse(struct kunit *test, const char *text)
{
	struct plan_rig *rig = test->priv;

	strscpy(rig->text, text, sizeof(rig->text));
	return tsr_fault_plan_parse(rig->text, &rig->plan);
}

/* A rule in its printed form: what is a default is not printed. */
static const char *const canonical[] = {
	"stage fail",
	"launch_dispatch fail nth=3",
	"launch_grid fail every=2 count=0",
	"launch_grid lie run=7",
	"completion drop",
	"completion drop boundary=dispatch",
	"completion late ms=20 us=5",
	"record drop p=500 seed=4294967295",
	"record corrupt",
	"quiesce fail",
	"reset fail count=3",
	"unload fail",
	"core hang x=63 y=63 after=4294967295",
	"core kill x=1",
	"core slow factor=1000",
	"vanish",
	"vanish at=quiesce",
};

static void every_rule_reads_as_it_prints(struct kunit *test)
{
	struct plan_rig *rig = test->priv;
	char line[TSR_PLAN_TEXT];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(canonical); i++) {
		KUNIT_ASSERT_EQ_MSG(test, 0, parse(test, canonical[i]), "%s", canonical[i]);
		KUNIT_EXPECT_EQ(test, 1u, rig->plan.count);
		tsr_fault_rule_print(&rig->plan.rules[0], line, sizeof(line));
		KUNIT_EXPECT_STREQ(test, canonical[i], line);
	}
}

static void what_is_wrong_is_refused(struct kunit *test)
{
	static const char *const bad[] = {
		"nothing", "stage", "stage drop", "stage fail nth=0", "stage fail nth",
		"stage fail nth=", "stage fail nth=x", "stage fail nth=1 nth=1",
		"stage fail nth=4294967296", "stage fail run=1", "stage fail x=1",
		"record drop p=0", "record drop p=1001", "completion late",
		"completion late ms=3600001", "completion drop boundary=neither",
		"completion drop boundary=grid boundary=grid", "core slow", "core slow factor=1",
		"core hang x=64", "core hang y=64", "vanish at=nowhere", "vanish at=stage run=1",
		"stage fail ; core", "stage fail fail",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, parse(test, bad[i]), "%s", bad[i]);
}

static void as_many_rules_as_fit(struct kunit *test)
{
	struct plan_rig *rig = test->priv;
	char text[TSR_PLAN_RULES * 11 + 12] = "";
	u32 i;

	for (i = 0; i < TSR_PLAN_RULES; i++)
		strlcat(text, "stage fail;", sizeof(text));
	KUNIT_EXPECT_EQ(test, 0, parse(test, text));
	KUNIT_EXPECT_EQ(test, (u32)TSR_PLAN_RULES, rig->plan.count);
	strlcat(text, "stage fail", sizeof(text));
	KUNIT_EXPECT_EQ(test, -E2BIG, parse(test, text));
}

static void a_longest_rule_fits_its_text(struct kunit *test)
{
	struct plan_rig *rig = test->priv;
	char longest[256], line[TSR_PLAN_TEXT];

	snprintf(longest, sizeof(longest),
		 "core hang nth=%u every=%u count=%u p=999 seed=%u run=%u x=63 y=63 after=%u",
		 U32_MAX, U32_MAX, U32_MAX, U32_MAX, U32_MAX, U32_MAX);
	KUNIT_ASSERT_EQ(test, 0, parse(test, longest));
	/* A cut text could not be read back. */
	KUNIT_EXPECT_LT(test, tsr_fault_rule_print(&rig->plan.rules[0], line, sizeof(line)),
			(int)sizeof(line) - 1);
}

/* Events 1..n of one rule, as bits. */
static u32 fired(struct kunit *test, const char *text, u32 n)
{
	struct plan_rig *rig = test->priv;
	struct tsr_faults *faults = tsr_faults_new();
	struct tsr_fault_rule rule;
	u32 i, bits = 0;

	KUNIT_ASSERT_NOT_NULL(test, faults);
	KUNIT_EXPECT_EQ(test, 0, parse(test, text));
	tsr_faults_set(faults, &rig->plan);
	for (i = 0; i < n; i++)
		if (tsr_faults_event(faults, TSR_PLAN_STAGE, &rule) != TSR_PLAN_NONE)
			bits |= BIT(i);
	tsr_faults_put(faults);
	return bits;
}

static void a_rule_fires_when_it_says(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0x001u, fired(test, "stage fail", 10));
	KUNIT_EXPECT_EQ(test, 0x004u, fired(test, "stage fail nth=3", 10));
	KUNIT_EXPECT_EQ(test, 0x3ffu, fired(test, "stage fail count=0", 10));
	KUNIT_EXPECT_EQ(test, 0x00fu, fired(test, "stage fail count=4", 10));
	KUNIT_EXPECT_EQ(test, 0x124u, fired(test, "stage fail nth=3 every=3 count=0", 10));
	KUNIT_EXPECT_EQ(test, 0x024u, fired(test, "stage fail nth=3 every=3 count=2", 10));
	KUNIT_EXPECT_EQ(test, 0x000u, fired(test, "record drop", 10));
	/* Two rules: the first that may fire does, and the other is not used up by it. */
	KUNIT_EXPECT_EQ(test, 0x003u, fired(test, "stage fail; stage fail nth=2", 10));
}

static void chance_is_the_seeds(struct kunit *test)
{
	u32 a = fired(test, "stage fail count=0 p=500 seed=1", 32);

	KUNIT_EXPECT_EQ(test, a, fired(test, "stage fail count=0 p=500 seed=1", 32));
	KUNIT_EXPECT_NE(test, a, fired(test, "stage fail count=0 p=500 seed=2", 32));
	KUNIT_EXPECT_GT(test, hweight32(a), 4u);
	KUNIT_EXPECT_LT(test, hweight32(a), 28u);
}

static struct kunit_case plan_cases[] = {
	KUNIT_CASE(every_rule_reads_as_it_prints),
	KUNIT_CASE(what_is_wrong_is_refused),
	KUNIT_CASE(as_many_rules_as_fit),
	KUNIT_CASE(a_longest_rule_fits_its_text),
	KUNIT_CASE(a_rule_fires_when_it_says),
	KUNIT_CASE(chance_is_the_seeds),
	{ }
};

static struct kunit_suite plan_suite = {
	.name = "tessera_fault_plan",
	.init = plan_init,
	.test_cases = plan_cases,
};

kunit_test_suites(&plan_suite);

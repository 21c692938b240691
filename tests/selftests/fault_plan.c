// SPDX-License-Identifier: MIT
/* The text of a fault plan: what is taken, how it reads back, what is refused, when rules fire. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "common_fault.h"
#include "common_node.h"
#include "common_harness.h"

FIXTURE(plan) {
	struct fault f;
};

FIXTURE_SETUP(plan)
{
	ASSERT_EQ(0, fault_open(&self->f, ""));
}

FIXTURE_TEARDOWN(plan)
{
	fault_close(&self->f);
}

/* Also the whole language: each kind of rule, each key, defaults left out when read back. */
static const struct {
	const char *text, *reads;	/* NULL: as written */
} good[] = {
	{ "stage fail", NULL },
	{ "stage fail nth=3", NULL },
	{ "stage fail nth=1 count=1", "stage fail" },
	{ "  stage\tfail  count=0x10 ", "stage fail count=16" },
	{ "stage fail count=0 nth=4294967295", "stage fail nth=4294967295 count=0" },
	{ "stage fail every=2 count=0 p=1 seed=4294967295",
	  "stage fail every=2 count=0 p=1 seed=4294967295" },
	{ "launch_dispatch fail run=2", NULL },
	{ "launch_grid fail", NULL },
	{ "launch_grid lie", NULL },
	{ "completion drop", NULL },
	{ "completion drop boundary=grid", "completion drop" },
	{ "completion drop boundary=dispatch", NULL },
	{ "completion late ms=3600000", NULL },
	{ "completion late boundary=dispatch ms=1 us=1000000", NULL },
	{ "completion late us=1", NULL },
	{ "record drop", NULL },
	{ "record corrupt", NULL },
	{ "quiesce fail run=1", NULL },
	{ "reset fail nth=2 count=4", NULL },
	{ "unload fail", NULL },
	{ "core hang", NULL },
	{ "core hang x=63 y=63 after=4294967295", NULL },
	{ "core kill x=1 y=2", NULL },
	{ "core slow factor=2", NULL },
	{ "core slow x=1 factor=1000", NULL },
	{ "vanish", NULL },
	{ "vanish at=launch_grid", "vanish" },
	{ "vanish at=stage", NULL },
	{ "vanish at=launch_dispatch run=3", NULL },
	{ "vanish at=completion", NULL },
	{ "vanish at=record", NULL },
	{ "vanish at=quiesce", NULL },
	{ "vanish at=reset p=500", NULL },
	{ ";;\n ; \n", "" },
	{ "", "" },
};

TEST_F(plan, takes_every_kind_of_rule)
{
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(good); i++) {
		EXPECT_EQ(0, fault_plan(&self->f, *good[i].text ? good[i].text : "\n"))
			TH_LOG("%s", good[i].text);
		EXPECT_TRUE(attr_is(self->f.name, "fault_plan",
				    good[i].reads ? good[i].reads : good[i].text));
	}
}

static const char *const bad[] = {
	"x", "stage", "fail", "stage drop", "stage fail fail", "stage fail nth", "stage fail nth=",
	"stage fail nth=0", "stage fail nth=-1", "stage fail nth=4294967296", "stage fail nth=x",
	"stage fail nth=1 nth=1", "stage fail =1", "stage fail every=0", "stage fail p=0",
	"stage fail p=1001", "stage fail ms=1", "stage fail run=1", "stage fail x=1",
	"stage fail, reset fail", "stage failed", "stages fail", "stage=fail", "STAGE fail",
	"completion late", "completion late ms=0", "completion late ms=3600001",
	"completion late us=1000001", "completion drop ms=1", "completion drop boundary=both",
	"completion drop boundary=", "completion drop boundary=grid boundary=grid",
	"completion drop at=stage", "completion fail", "record", "record lie", "reset lie",
	"quiesce lie", "unload fail run=1", "core", "core hang x=64", "core hang y=64",
	"core hang factor=2", "core slow", "core slow factor=1", "core slow factor=1001",
	"core slow factor=2 after=1", "vanish fail", "vanish at=core", "vanish at=unload",
	"vanish boundary=grid", "vanish at=stage run=1", "stage fail\nx", "stage fail;reset",
};

TEST_F(plan, malformed_changes_nothing)
{
	static const char plan[] = "core slow x=1 factor=3";

	ASSERT_EQ(0, fault_plan(&self->f, plan));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, fault_plan(&self->f, bad[i]))
			TH_LOG("%s", bad[i]);
		EXPECT_TRUE(attr_is(self->f.name, "fault_plan", plan));
	}
	/* Neither the counters: hits of the plan that stands are kept. */
	ASSERT_EQ(0, fault_plan(&self->f, "stage fail"));
	ASSERT_FALSE(fault_good(&self->f));
	ASSERT_EQ(1, fault_hits(&self->f, 0));
	EXPECT_EQ(-EINVAL, fault_plan(&self->f, "stage"));
	EXPECT_EQ(1, fault_hits(&self->f, 0));
	/* And a good one begins anew. */
	EXPECT_EQ(0, fault_plan(&self->f, "stage fail nth=9"));
	EXPECT_EQ(0, fault_hits(&self->f, 0));
}

TEST_F(plan, has_at_most_16_rules)
{
	char text[4096] = "", page[4096];

	/* Of the longest kind: what reads back still fits a page, with hits. */
	for (int i = 0; i < 17; i++) {
		ASSERT_EQ(0, fault_plan(&self->f, *text ? text : "\n"));
		strcat(text, "completion late boundary=dispatch nth=4294967295 every=4294967295 "
		       "count=4294967295 p=999 seed=4294967295 run=4294967295 ms=3600000 "
		       "us=1000000\n");
	}
	EXPECT_EQ(-E2BIG, fault_plan(&self->f, text));
	EXPECT_EQ(0, attr_read(self->f.name, "fault_hits", page, sizeof(page)));
	EXPECT_EQ(0, fault_hits(&self->f, 15));
	EXPECT_EQ(-ENOENT, fault_hits(&self->f, 16));
}

/* Which of ten runs fail, as a string of digits. */
static void pattern(const struct fault *f, const char *plan, char ret[11])
{
	struct drm_tessera_status s;

	fault_plan(f, plan);
	for (int i = 0; i < 10; i++)
		ret[i] = fault_run(f, f->ctx, &s) ? '?' : s.code ? '1' : '0';
	ret[10] = '\0';
}

TEST_F(plan, selectors_choose_events)
{
	static const struct {
		const char *plan, *fails;
	} tries[] = {
		{ "stage fail", "1000000000" },
		{ "stage fail nth=4", "0001000000" },
		{ "stage fail nth=4 count=3", "0001110000" },
		{ "stage fail nth=4 count=0", "0001111111" },
		{ "stage fail nth=2 every=3 count=0", "0100100100" },
		{ "stage fail nth=2 every=3 count=2", "0100100000" },
		{ "stage fail nth=2 every=3; stage fail nth=3", "0110000000" },
		/* One event, one rule: the second waits for the next one. */
		{ "stage fail; stage fail nth=1; stage fail nth=4", "1101000000" },
		{ "launch_dispatch fail run=5", "0000100000" },
		/* The second event of that run: there is none. */
		{ "launch_dispatch fail run=5 nth=2", "0000000000" },
		/* A run that was not staged is not launched: run= does not count it. */
		{ "stage fail nth=2; launch_dispatch fail run=2", "0110000000" },
		{ "stage fail p=1000 count=0", "1111111111" },
		{ "\n", "0000000000" },
	};
	char fails[11];

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(tries); i++) {
		pattern(&self->f, tries[i].plan, fails);
		EXPECT_STREQ(tries[i].fails, fails)
			TH_LOG("%s", tries[i].plan);
	}
}

TEST_F(plan, chance_follows_its_seed)
{
	char a[11], b[11], plan[64];
	int differ = 0, ones = 0;

	for (int seed = 0; seed < 10; seed++) {
		snprintf(plan, sizeof(plan), "stage fail count=0 p=500 seed=%d", seed);
		pattern(&self->f, plan, a);
		pattern(&self->f, plan, b);
		EXPECT_STREQ(a, b);
		snprintf(plan, sizeof(plan), "stage fail count=0 p=500 seed=%d", seed + 100);
		pattern(&self->f, plan, b);
		differ += !!strcmp(a, b);
		for (int i = 0; i < 10; i++)
			ones += a[i] == '1';
	}
	/* 0: the seed is ignored. All or none of 100: the probability is. */
	EXPECT_LE(8, differ);
	EXPECT_LT(25, ones);
	EXPECT_GT(75, ones);
}

TEST_F(plan, belongs_to_the_directory)
{
	struct fault *f = &self->f;

	/* Written while disabled, it is there from the first event on. */
	ASSERT_EQ(0, soft_write(f->name, "enable", "0"));
	ASSERT_EQ(0, fault_plan(f, "stage fail count=2"));
	ASSERT_EQ(0, soft_write(f->name, "enable", "1"));
	close(f->fd);
	f->gate.dispatch = NULL;
	f->fd = uapi_open(f->name);
	ASSERT_LE(0, f->fd);
	ASSERT_EQ(0, uapi_context(f->fd, 0, &f->other));
	ASSERT_EQ(0, uapi_exit_program(f->fd, 0, &f->program));
	EXPECT_FALSE(fault_good(f));
	EXPECT_EQ(1, fault_hits(f, 0));
	/* It is read, and written, although the device is enabled. */
	EXPECT_EQ(-EBUSY, soft_write(f->name, "seed", "5"));
	EXPECT_TRUE(attr_is(f->name, "fault_plan", "stage fail count=2"));
	EXPECT_EQ(0, fault_plan(f, "\n"));
	EXPECT_TRUE(fault_good(f));
	EXPECT_TRUE(attr_is(f->name, "fault_hits", ""));
	EXPECT_EQ(-EACCES, attr_write(f->name, "fault_hits", "1"));
}

static int write_as_nobody(void *arg)
{
	const struct fault *f = arg;

	if (setgid(65534) || setuid(65534))
		return 100;
	return fault_plan(f, "stage fail") == -EACCES ? 0 : 1;
}

/* SEC-4: 1: anybody who can look at configfs breaks devices. */
TEST_F(plan, needs_privilege)
{
	EXPECT_EQ(0, uapi_in_child(write_as_nobody, &self->f));
	EXPECT_TRUE(attr_is(self->f.name, "fault_plan", ""));
}

/* One device's plan is no other's. */
TEST_F(plan, touches_no_other_device)
{
	struct dev d;

	ASSERT_EQ(0, fault_plan(&self->f, "stage fail count=0"));
	ASSERT_EQ(0, soft_open(&d, "innocent", ""));
	ASSERT_NE(NULL, dev_script(&d, TSR_PROC_DM0));
	EXPECT_EQ(0, dev_good_run(&d));
	soft_close(&d, "innocent");
	EXPECT_FALSE(fault_good(&self->f));
}

TEST_HARNESS_MAIN

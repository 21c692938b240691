// SPDX-License-Identifier: MIT
/* Rules of validation, as in rules.c: semaphores, descriptors, L1. */
#include "common_rules.h"
#include "kselftest_harness.h"

FIXTURE(rules_place) {
	struct rig *rig;
};

FIXTURE_SETUP(rules_place)
{
	self->rig = rig_new();
	rig_add_usual(self->rig);
}

FIXTURE_TEARDOWN(rules_place)
{
	self->rig = rig_free(self->rig);
}

static struct tsr_kernel *some_handle;

/* --- semaphores --------------------------------------------------------------------------- */

static const struct tsr_semaphore *semaphores;
static size_t semaphore_count;

FILL(fill_semaphores)
{
	for (size_t i = 0; i < semaphore_count; i++)
		if (tsr_resources_add_semaphore(res, &semaphores[i]))
			abort();
	return 0;
}

#define SEMAPHORES(...)								\
	static const struct tsr_semaphore list[] = { __VA_ARGS__ };		\
	semaphores = list;							\
	semaphore_count = ARRAY_SIZE(list);					\
	self->rig->fill = fill_semaphores

TEST_F(rules_place, v14_id_below_first_free)
{
	SEMAPHORES({ .id = 1 }, { .id = 2 });

	ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, 1, 5, NULL));
	ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, 0, 5, NULL));
	EXPECT_REFUSED("V14", 1);
	EXPECT_FINDING("V14", 0, "resources/semaphore 0", "id", "1", "2..15");
}

TEST_F(rules_place, v15_id_at_the_limit)
{
	SEMAPHORES({ .id = 15 }, { .id = 16 });

	EXPECT_REFUSED("V15", 1);
	EXPECT_FINDING("V15", 0, "resources/semaphore 1", "id", "16", "0..15");
	EXPECT_STREQ("2 semaphores are used, the device's limit is 16",
		     rig_finding(self->rig, "V15", 0)->message);
}

TEST_F(rules_place, v15_operation_declares_more_than_the_device_has)
{
	for (uint32_t i = 0; i < 17; i++)
		ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, i, 0, NULL));
	EXPECT_REFUSED("V15", 1);
	EXPECT_FINDING("V15", 0, "operation/semaphore 16", "id", "16", "below 16");
}

TEST_F(rules_place, v16_id_twice_on_disjoint_ranges)
{
	struct tsr_coreset *a = tsr_coreset_new_rect(0, 0, 0, 0);
	struct tsr_coreset *b = tsr_coreset_new_rect(1, 0, 1, 0);
	const struct tsr_semaphore list[] = { { .id = 3, .cores = a }, { .id = 4 },
					      { .id = 3, .cores = b } };

	semaphores = list;
	semaphore_count = 3;
	self->rig->fill = fill_semaphores;
	EXPECT_REFUSED("V16", 1);
	EXPECT_FINDING("V16", 0, "resources/semaphore 2", "id", "3", "each id once");
	tsr_coreset_free(a);
	tsr_coreset_free(b);
}

TEST_F(rules_place, v17_semaphore_range_empty_reversed_or_outside)
{
	struct tsr_coreset *empty = tsr_coreset_new(), *reversed = tsr_coreset_new();
	struct tsr_coreset *outside = tsr_coreset_new_rect(2, 1, 3, 1);
	const struct tsr_semaphore list[] = { { .id = 0, .cores = empty },
					      { .id = 1, .cores = reversed },
					      { .id = 2, .cores = outside } };

	tsr_coreset_add_rect(reversed, (struct tsr_rect){ 1, 0, 0, 0 });
	semaphores = list;
	semaphore_count = 3;
	self->rig->fill = fill_semaphores;
	EXPECT_REFUSED("V17", 3);
	EXPECT_FINDING("V17", 0, "resources/semaphore 0", "cores", "{}", "{(0,0)-(2,1)}");
	EXPECT_FINDING("V17", 1, "resources/semaphore 1", "cores", "{(1,0)-(0,0)}",
		       "{(0,0)-(2,1)}");
	EXPECT_FINDING("V17", 2, "resources/semaphore 2", "cores", "{(3,1)}", "{(0,0)-(2,1)}");
	tsr_coreset_free(empty);
	tsr_coreset_free(reversed);
	tsr_coreset_free(outside);
}

TEST_F(rules_place, v17_descriptor_range_empty_or_reversed)
{
	struct tsr_coreset *empty = tsr_coreset_new(), *reversed = tsr_coreset_new();

	tsr_coreset_add_rect(reversed, (struct tsr_rect){ 0, 1, 0, 0 });
	some_handle = tsr_kernel_new();
	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "writer", TSR_PROCESSOR_DM1, some_handle, empty));
	ASSERT_EQ(0, tsr_operation_add_descriptor(self->rig->op, "writer", reversed, NULL, 0));
	EXPECT_REFUSED("V17", 2);
	EXPECT_FINDING("V17", 0, "operation/kernel writer/descriptor 2", "cores", "{}",
		       "{(0,0)-(2,1)}");
	EXPECT_FINDING("V17", 1, "operation/kernel writer/descriptor 3", "cores",
		       "{(0,1)-(0,0)}", "{(0,0)-(2,1)}");
	tsr_coreset_free(empty);
	tsr_coreset_free(reversed);
	some_handle = tsr_kernel_unref(some_handle);
}

TEST_F(rules_place, v17_operation_on_a_harvested_core)
{
	struct tsr_coreset *cores = tsr_coreset_new_rect(2, 2, 3, 3);
	struct tsr_operation *op = self->rig->op;

	ASSERT_EQ(0, tsr_operation_new(self->rig->dev, "harvested", cores, &self->rig->op));
	tsr_operation_unref(op);
	rig_add_usual(self->rig);
	EXPECT_REFUSED("V17", 1);
	EXPECT_FINDING("V17", 0, "operation", "cores", "{(3,3)}", "{(0,0)-(3,2) (0,3)-(2,3)}");
	tsr_coreset_free(cores);
}

TEST_F(rules_place, v18_initial_value_does_not_fit)
{
	SEMAPHORES({ .id = 0, .initial = 4294967295LL }, { .id = 1, .initial = 4294967296LL },
		   { .id = 2, .initial = -1 });

	EXPECT_REFUSED("V18", 2);
	EXPECT_FINDING("V18", 0, "resources/semaphore 1", "initial", "4294967296",
		       "0..4294967295");
	EXPECT_FINDING("V18", 1, "resources/semaphore 2", "initial", "-1", "0..4294967295");
}

TEST_F(rules_place, v19_unknown_core_type)
{
	SEMAPHORES({ .id = 0, .core_type = 1 });

	EXPECT_REFUSED("V19", 1);
	EXPECT_FINDING("V19", 0, "resources/semaphore 0", "core_type", "1", "0 (worker)");
}

/* --- descriptors -------------------------------------------------------------------------- */

TEST_F(rules_place, v20_descriptors_of_a_kernel_overlap_without_words)
{
	struct tsr_coreset *a = tsr_coreset_new_rect(0, 0, 1, 0);
	struct tsr_coreset *b = tsr_coreset_new_rect(1, 0, 2, 1);

	some_handle = tsr_kernel_new();
	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "writer", TSR_PROCESSOR_DM1, some_handle, a));
	ASSERT_EQ(0, tsr_operation_add_descriptor(self->rig->op, "writer", b, NULL, 0));
	EXPECT_REFUSED("V20", 1);
	EXPECT_FINDING("V20", 0, "operation/kernel writer", "cores", "{(1,0)-(2,1)}",
		       "disjoint from {(0,0)-(1,0)} of kernel writer");
	EXPECT_CORE("V20", 0, 1, 0);
	tsr_coreset_free(a);
	tsr_coreset_free(b);
	some_handle = tsr_kernel_unref(some_handle);
}

TEST_F(rules_place, v21_descriptor_reaches_outside_the_operation)
{
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, 0, 3);

	some_handle = tsr_kernel_new();
	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "writer", TSR_PROCESSOR_DM1, some_handle, cores));
	EXPECT_REFUSED("V21", 1);
	EXPECT_FINDING("V21", 0, "operation/kernel writer/descriptor 2", "cores", "{(0,2)-(0,3)}",
		       "{(0,0)-(2,1)}");
	tsr_coreset_free(cores);
	some_handle = tsr_kernel_unref(some_handle);
}

TEST_F(rules_place, v24_two_kernels_on_one_processor_of_a_core)
{
	struct tsr_coreset *cores = tsr_coreset_new_rect(2, 1, 2, 1);

	some_handle = tsr_kernel_new();
	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "second", TSR_PROCESSOR_DM0, some_handle, cores));
	EXPECT_REFUSED("V24", 1);
	EXPECT_CORE("V24", 0, 2, 1);
	EXPECT_FINDING("V24", 0, "operation/kernel second", "cores", "{(2,1)}",
		       "disjoint from {(0,0)-(2,1)} of kernel reader");
	tsr_coreset_free(cores);
	some_handle = tsr_kernel_unref(some_handle);
}

/* --- L1 ----------------------------------------------------------------------------------- */

TEST_F(rules_place, v22_circular_buffers_exceed_l1_of_a_core)
{
	struct tessera_limits *limits = &self->rig->dev->limits;
	uint32_t room = 0x100000u + limits->l1_size - limits->cb_base;
	struct tsr_coreset *right = tsr_coreset_new_rect(2, 0, 2, 0);
	struct tsr_circular_buffer all = { .id = 0, .page_size = room, .page_count = 1 };
	struct tsr_circular_buffer one = { .id = 1, .page_size = 16, .page_count = 1,
					   .cores = right };
	char value[32], allowed[32];

	ASSERT_EQ(0, tsr_operation_add_circular_buffer(self->rig->op, &all));
	ASSERT_EQ(0, tsr_operation_add_circular_buffer(self->rig->op, &one));
	EXPECT_REFUSED("V22", 1);
	snprintf(value, sizeof(value), "%u", limits->l1_size + 16);
	snprintf(allowed, sizeof(allowed), "%u", limits->l1_size);
	EXPECT_FINDING("V22", 0, "operation/circular buffers", "L1 bytes", value, allowed);
	EXPECT_CORE("V22", 0, 2, 0);
	/* The breakdown. */
	EXPECT_NE(NULL, strstr(rig_finding(self->rig, "V22", 0)->message, "words 0x"));
	EXPECT_NE(NULL, strstr(rig_finding(self->rig, "V22", 0)->message, "2 circular buffers"));
	tsr_coreset_free(right);
}

TEST_F(rules_place, v25_circular_buffers_declared_wrongly)
{
	struct tsr_circular_buffer bad[] = {
		{ .id = 32, .page_size = 16, .page_count = 1 },
		{ .id = 0, .page_size = 24, .page_count = 1 },
		{ .id = 1, .page_size = 0, .page_count = 1 },
		{ .id = 2, .page_size = 16, .page_count = 0 },
		{ .id = 3, .page_size = 16, .page_count = 1, .format = 5 },
		{ .id = 4, .page_size = 16, .page_count = 1 },
		{ .id = 4, .page_size = 16, .page_count = 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ASSERT_EQ(0, tsr_operation_add_circular_buffer(self->rig->op, &bad[i]));
	EXPECT_REFUSED("V25", 6);
	EXPECT_FINDING("V25", 0, "operation/circular buffer 32", "id", "32", "below 32");
	EXPECT_FINDING("V25", 1, "operation/circular buffer 0", "page_size", "24",
		       "a multiple of 16");
	EXPECT_FINDING("V25", 2, "operation/circular buffer 1", "page_size", "0",
		       "a multiple of 16");
	EXPECT_FINDING("V25", 3, "operation/circular buffer 2", "page_count", "0", "at least 1");
	EXPECT_FINDING("V25", 4, "operation/circular buffer 3", "format", "5", "below 5");
	EXPECT_FINDING("V25", 5, "operation/circular buffer 4", "id", "4", "once a core");
}

TEST_HARNESS_MAIN

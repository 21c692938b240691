// SPDX-License-Identifier: MIT
/*
 * Every rule of validation (RR-7): provoked alone, its finding checked field by field. A wrong
 * number of findings means that a rule also fires where it should not, or not for every case.
 * Here: kernels, definitions, words.
 */
#include "common_rules.h"
#include "kselftest_harness.h"

FIXTURE(rules) {
	struct rig *rig;
};

FIXTURE_SETUP(rules)
{
	self->rig = rig_new();
	rig_add_usual(self->rig);
}

FIXTURE_TEARDOWN(rules)
{
	self->rig = rig_free(self->rig);
}

static const int64_t words[] = { 1, 2, 3 };
static struct tsr_kernel *some_handle;

/* --- what is allowed on purpose ----------------------------------------------------------- */

TEST_F(rules, no_resources_at_all)
{
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(TSR_STAGE_SUBMIT, tsr_diag_stage(self->rig->diag));
	EXPECT_EQ(0, tsr_diag_count(self->rig->diag));
	EXPECT_EQ(1, self->rig->factory_calls);
}

FILL(fill_empty_entry_and_semaphore_0)
{
	struct tsr_semaphore s = { .id = input->first_free_semaphore_id };

	entry_of(res, RIG_COMPUTE);
	return tsr_resources_add_semaphore(res, &s);
}

TEST_F(rules, empty_entry_and_semaphore_0)
{
	self->rig->fill = fill_empty_entry_and_semaphore_0;
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(0, tsr_diag_count(self->rig->diag));
}

/* --- selectors ---------------------------------------------------------------------------- */

FILL(fill_v1)
{
	entry_of(res, (struct tsr_selector){ 7, NULL });
	entry_of(res, (struct tsr_selector){ TSR_SELECT_HANDLE, NULL });
	return 0;
}

TEST_F(rules, v1_unknown_selector)
{
	self->rig->fill = fill_v1;
	EXPECT_REFUSED("V1", 2);
	EXPECT_FINDING("V1", 0, "resources/entry 0", "selector", "7",
		       "COMPUTE, DATA_MOVEMENT, or a handle");
	EXPECT_FINDING("V1", 1, "resources/entry 1", "selector", "a handle that is NULL",
		       "COMPUTE, DATA_MOVEMENT, or a handle");
}

FILL(fill_handle)
{
	entry_of(res, (struct tsr_selector){ TSR_SELECT_HANDLE, some_handle });
	return 0;
}

TEST_F(rules, v2_handle_never_bound)
{
	some_handle = tsr_kernel_new();
	self->rig->fill = fill_handle;
	EXPECT_REFUSED("V2", 1);
	EXPECT_FINDING("V2", 0, "resources/entry 0", "selector", "an unbound handle",
		       "a handle bound to operation op");
	some_handle = tsr_kernel_unref(some_handle);
}

TEST_F(rules, v3_handle_of_another_operation_of_the_same_name)
{
	struct rig *other = rig_new();

	some_handle = tsr_kernel_new();
	ASSERT_EQ(0, rig_add_prebuilt(other, "k", TSR_PROCESSOR_DM1, some_handle, NULL));
	self->rig->fill = fill_handle;
	EXPECT_REFUSED("V3", 1);
	EXPECT_FINDING("V3", 0, "resources/entry 0", "selector",
		       "a handle bound to operation op", "a handle bound to this operation op");
	/* Bound once: it cannot be bound to a second operation, nor again to the first. */
	EXPECT_EQ(-EBUSY, rig_add_prebuilt(other, "l", TSR_PROCESSOR_DM0, some_handle, NULL));
	some_handle = tsr_kernel_unref(some_handle);
	rig_free(other);
}

FILL(fill_compute_entry)
{
	entry_of(res, RIG_COMPUTE);
	return 0;
}

TEST_F(rules, v4_no_descriptor_of_that_kernel)
{
	self->rig = rig_free(self->rig);
	self->rig = rig_new();
	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "reader", TSR_PROCESSOR_DM0, NULL, NULL));
	self->rig->fill = fill_compute_entry;
	EXPECT_REFUSED("V4", 1);
	EXPECT_FINDING("V4", 0, "resources/entry 0", "selector", "COMPUTE",
		       "a kernel that operation op has");
}

TEST_F(rules, v4_operation_without_kernels)
{
	self->rig = rig_free(self->rig);
	self->rig = rig_new();
	EXPECT_REFUSED("V4", 1);
	EXPECT_FINDING("V4", 0, "operation", "kernels", "0", "at least 1");
}

FILL(fill_v5)
{
	entry_of(res, RIG_COMPUTE);
	entry_of(res, RIG_MOVER);
	entry_of(res, RIG_COMPUTE);
	return 0;
}

TEST_F(rules, v5_two_entries_for_one_kernel)
{
	self->rig->fill = fill_v5;
	EXPECT_REFUSED("V5", 1);
	EXPECT_FINDING("V5", 0, "resources/entry 2", "selector", "kernel math", "each kernel once");
}

/* --- definitions: on a source, which is never compiled because of them -------------------- */

static void add_source_kernel(struct rig *rig)
{
	if (rig_add_source(rig, "src", TSR_PROCESSOR_DM1, some_handle,
			   "void kernel_main(void) { }\n"))
		abort();
}

static int define(struct tsr_resources *res, const struct tsr_definition *d, size_t n)
{
	struct tsr_entry *e = entry_of(res, (struct tsr_selector){ TSR_SELECT_HANDLE,
								   some_handle });

	for (size_t i = 0; i < n; i++)
		if (tsr_entry_add_definition(e, &d[i]))
			abort();
	return 0;
}

FILL(fill_v6)
{
	static const struct tsr_definition d[] = {
		{ "", "1" }, { NULL, "1" }, { "1A", "1" }, { "A-B", "1" },
		{ "A\0B", "1", .name_size = 3 }, { "\xc3\xa4", "1" }, { "_ok9", "1" },
	};

	return define(res, d, ARRAY_SIZE(d));
}

TEST_F(rules, v6_definition_name_is_no_identifier)
{
	some_handle = tsr_kernel_new();
	add_source_kernel(self->rig);
	self->rig->fill = fill_v6;
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	/* Two of them are empty, so the second one is a name twice as well. */
	EXPECT_EQ(7, tsr_diag_count(self->rig->diag));
	EXPECT_FINDING("V6", 0, "resources/kernel src/definition 0", "name", "\"\"",
		       "[A-Za-z_][A-Za-z0-9_]*");
	EXPECT_FINDING("V6", 2, "resources/kernel src/definition 2", "name", "\"1A\"",
		       "[A-Za-z_][A-Za-z0-9_]*");
	EXPECT_FINDING("V6", 4, "resources/kernel src/definition 4", "name", "\"A\\x00B\"",
		       "[A-Za-z_][A-Za-z0-9_]*");
	EXPECT_FINDING("V6", 5, "resources/kernel src/definition 5", "name", "\"\\xc3\\xa4\"",
		       "[A-Za-z_][A-Za-z0-9_]*");
	EXPECT_EQ(NULL, rig_finding(self->rig, "V6", 6));
	EXPECT_NE(NULL, rig_finding(self->rig, "V8", 0));
	some_handle = tsr_kernel_unref(some_handle);
}

FILL(fill_v7)
{
	static const struct tsr_definition d[] = {
		{ "A", NULL }, { "B", "1\n2" }, { "C", "1\0002", .value_size = 3 }, { "D", "" },
	};

	return define(res, d, ARRAY_SIZE(d));
}

TEST_F(rules, v7_definition_value_missing_or_not_one_line)
{
	some_handle = tsr_kernel_new();
	add_source_kernel(self->rig);
	self->rig->fill = fill_v7;
	EXPECT_REFUSED("V7", 3);
	EXPECT_FINDING("V7", 0, "resources/kernel src/definition 0", "value", "NULL",
		       "one line without NUL");
	EXPECT_FINDING("V7", 1, "resources/kernel src/definition 1", "value", "\"1\\x0a2\"",
		       "one line without NUL");
	EXPECT_FINDING("V7", 2, "resources/kernel src/definition 2", "value", "\"1\\x002\"",
		       "one line without NUL");
	some_handle = tsr_kernel_unref(some_handle);
}

FILL(fill_v8)
{
	static const struct tsr_definition d[] = { { "A", "1" }, { "B", "1" }, { "A", "1" } };

	return define(res, d, ARRAY_SIZE(d));
}

TEST_F(rules, v8_definition_twice_with_an_equal_value)
{
	some_handle = tsr_kernel_new();
	add_source_kernel(self->rig);
	self->rig->fill = fill_v8;
	EXPECT_REFUSED("V8", 1);
	EXPECT_FINDING("V8", 0, "resources/kernel src/definition 2", "name", "\"A\"",
		       "each name once");
	some_handle = tsr_kernel_unref(some_handle);
}

FILL(fill_definition_on_prebuilt)
{
	return tsr_entry_define(entry_of(res, RIG_COMPUTE), "A", "1");
}

TEST_F(rules, jit1_definition_on_a_prebuilt_image)
{
	self->rig->fill = fill_definition_on_prebuilt;
	EXPECT_REFUSED("JIT-1", 1);
	EXPECT_FINDING("JIT-1", 0, "resources/kernel math", "definitions", "1", "0");
}

/* --- words -------------------------------------------------------------------------------- */

FILL(fill_v9)
{
	struct tsr_entry *e = entry_of(res, RIG_MOVER);

	tsr_entry_add_words(e, 3, 0, words, 3);		/* in the grid, outside the operation */
	tsr_entry_add_words(e, 0, 2, words, 3);
	tsr_entry_add_words(e, 4, 0, words, 3);		/* outside the grid: not core (0,1) */
	tsr_entry_add_words(e, 65535, 65535, words, 3);
	return 0;
}

TEST_F(rules, v9_coordinate_outside_the_operation)
{
	self->rig->fill = fill_v9;
	EXPECT_REFUSED("V9", 4);
	EXPECT_FINDING("V9", 0, "resources/kernel reader/words 0", "core", "(3,0)",
		       "{(0,0)-(2,1)}");
	EXPECT_CORE("V9", 0, 3, 0);
	EXPECT_CORE("V9", 2, 4, 0);
	EXPECT_CORE("V9", 3, 65535, 65535);
}

FILL(fill_v10)
{
	struct tsr_entry *e = entry_of(res, RIG_MOVER);

	tsr_entry_add_words(e, 1, 1, words, 3);
	tsr_entry_add_words(e, 1, 1, words, 0);		/* also with no words */
	tsr_entry_add_words(entry_of(res, RIG_COMPUTE), 1, 1, words, 3);	/* another kernel */
	return 0;
}

TEST_F(rules, v10_coordinate_twice_for_one_kernel)
{
	self->rig->fill = fill_v10;
	EXPECT_REFUSED("V10", 1);
	EXPECT_FINDING("V10", 0, "resources/kernel reader/words 1", "core", "(1,1)",
		       "each core once");
	EXPECT_CORE("V10", 0, 1, 1);
}

FILL(fill_v11)
{
	struct tsr_entry *e = entry_of(res, (struct tsr_selector){ TSR_SELECT_HANDLE,
								   some_handle });

	tsr_entry_add_words(e, 0, 0, words, 3);
	tsr_entry_add_words(e, 2, 1, words, 3);
	return 0;
}

TEST_F(rules, v11_coordinate_in_no_descriptor_of_the_kernel)
{
	struct tsr_coreset *left = tsr_coreset_new_rect(0, 0, 0, 1);
	struct tsr_coreset *middle = tsr_coreset_new_rect(1, 0, 1, 0);

	some_handle = tsr_kernel_new();
	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "writer", TSR_PROCESSOR_DM1, some_handle, left));
	ASSERT_EQ(0, tsr_operation_add_descriptor(self->rig->op, "writer", middle, NULL, 0));
	self->rig->fill = fill_v11;
	EXPECT_REFUSED("V11", 1);
	EXPECT_FINDING("V11", 0, "resources/kernel writer/words 1", "core", "(2,1)",
		       "{(0,0)-(1,0) (0,1)}");
	EXPECT_CORE("V11", 0, 2, 1);
	tsr_coreset_free(left);
	tsr_coreset_free(middle);
	some_handle = tsr_kernel_unref(some_handle);
}

FILL(fill_v12)
{
	static const int64_t edge[] = { -2147483648LL, 4294967295LL, -1 };
	static const int64_t bad[] = { 0, 4294967296LL, -2147483649LL };
	struct tsr_entry *e = entry_of(res, RIG_MOVER);

	tsr_entry_add_words(e, 0, 0, edge, 3);
	tsr_entry_add_words(e, 2, 1, bad, 3);
	tsr_entry_set_common(e, bad, 2);
	return 0;
}

TEST_F(rules, v12_word_does_not_fit)
{
	self->rig->fill = fill_v12;
	EXPECT_REFUSED("V12", 3);
	EXPECT_FINDING("V12", 0, "resources/kernel reader/words 1", "word[1]", "4294967296",
		       "-2147483648..4294967295");
	EXPECT_CORE("V12", 0, 2, 1);
	EXPECT_FINDING("V12", 1, "resources/kernel reader/words 1", "word[2]", "-2147483649",
		       "-2147483648..4294967295");
	EXPECT_FINDING("V12", 2, "resources/kernel reader/common words", "word[1]", "4294967296",
		       "-2147483648..4294967295");
	EXPECT_CORE("V12", 2, -1, -1);
}

static uint32_t own_words, common_words;

FILL(fill_v13)
{
	int64_t *many = calloc(own_words + common_words + 1, sizeof(*many));
	struct tsr_entry *e = entry_of(res, RIG_MOVER);

	tsr_entry_add_words(e, 1, 0, many, own_words);
	tsr_entry_set_common(e, many, common_words);
	free(many);
	return 0;
}

TEST_F(rules, v13_too_many_words)
{
	uint32_t limit = self->rig->dev->limits.words;
	char value[32], allowed[32];

	self->rig->fill = fill_v13;
	own_words = limit - 10;
	common_words = 10;
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	common_words = 11;
	EXPECT_REFUSED("V13", 1);
	snprintf(value, sizeof(value), "%u", limit + 1);
	snprintf(allowed, sizeof(allowed), "0..%u", limit);
	EXPECT_FINDING("V13", 0, "resources/kernel reader/words 0", "words", value, allowed);
	EXPECT_CORE("V13", 0, 1, 0);
	own_words = 0;
	common_words = limit + 1;
	/* Too many for the kernel as such, and for the core that has no words of its own. */
	EXPECT_REFUSED("V13", 2);
	EXPECT_FINDING("V13", 1, "resources/kernel reader/common words", "words", value, allowed);
}

TEST_HARNESS_MAIN

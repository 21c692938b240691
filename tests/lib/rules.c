// SPDX-License-Identifier: MIT
/*
 * Every rule of validation (RR-7): provoked alone, its finding checked field by field. A wrong
 * number of findings means that a rule also fires where it should not, or not for every case.
 */
#include "common_rig.h"
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

static struct tsr_entry *entry_of(struct tsr_resources *res, struct tsr_selector selector)
{
	struct tsr_entry *entry;

	if (tsr_resources_add_entry(res, selector, &entry))
		abort();
	return entry;
}

#define FILL(name) \
	static int name(struct rig *rig, const struct tsr_factory_input *input, \
			struct tsr_resources *res)

#define EXPECT_FINDING(rule_, nth, path_, field_, value_, allowed_) do {		\
	const struct tsr_finding *f_ = rig_finding(self->rig, rule_, nth);		\
	ASSERT_NE(NULL, f_);								\
	EXPECT_STREQ(path_, f_->path);							\
	EXPECT_STREQ(field_, f_->field);						\
	EXPECT_STREQ(value_, f_->value);						\
	EXPECT_STREQ(allowed_, f_->allowed);						\
	EXPECT_NE('\0', f_->message[0]);						\
} while (0)

#define EXPECT_CORE(rule_, nth, x_, y_) do {						\
	const struct tsr_finding *f_ = rig_finding(self->rig, rule_, nth);		\
	ASSERT_NE(NULL, f_);								\
	EXPECT_EQ(x_, f_->x);								\
	EXPECT_EQ(y_, f_->y);								\
} while (0)

#define EXPECT_REFUSED(rule_, n_) do {							\
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));					\
	ASSERT_TRUE(rig_only(self->rig, rule_, n_));					\
	EXPECT_EQ(-EINVAL, tsr_diag_cause(self->rig->diag));				\
	EXPECT_EQ(TSR_STAGE_VALIDATE, tsr_diag_stage(self->rig->diag));			\
} while (0)

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

TEST_F(rules, v14_id_below_first_free)
{
	SEMAPHORES({ .id = 1 }, { .id = 2 });

	ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, 1, 5, NULL));
	ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, 0, 5, NULL));
	EXPECT_REFUSED("V14", 1);
	EXPECT_FINDING("V14", 0, "resources/semaphore 0", "id", "1", "2..15");
}

TEST_F(rules, v15_id_at_the_limit)
{
	SEMAPHORES({ .id = 15 }, { .id = 16 });

	EXPECT_REFUSED("V15", 1);
	EXPECT_FINDING("V15", 0, "resources/semaphore 1", "id", "16", "0..15");
	EXPECT_STREQ("2 semaphores are used, the device's limit is 16",
		     rig_finding(self->rig, "V15", 0)->message);
}

TEST_F(rules, v15_operation_declares_more_than_the_device_has)
{
	for (uint32_t i = 0; i < 17; i++)
		ASSERT_EQ(0, tsr_operation_add_semaphore(self->rig->op, i, 0, NULL));
	EXPECT_REFUSED("V15", 1);
	EXPECT_FINDING("V15", 0, "operation/semaphore 16", "id", "16", "below 16");
}

TEST_F(rules, v16_id_twice_on_disjoint_ranges)
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

TEST_F(rules, v17_semaphore_range_empty_reversed_or_outside)
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

TEST_F(rules, v17_descriptor_range_empty_or_reversed)
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

TEST_F(rules, v17_operation_on_a_harvested_core)
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

TEST_F(rules, v18_initial_value_does_not_fit)
{
	SEMAPHORES({ .id = 0, .initial = 4294967295LL }, { .id = 1, .initial = 4294967296LL },
		   { .id = 2, .initial = -1 });

	EXPECT_REFUSED("V18", 2);
	EXPECT_FINDING("V18", 0, "resources/semaphore 1", "initial", "4294967296",
		       "0..4294967295");
	EXPECT_FINDING("V18", 1, "resources/semaphore 2", "initial", "-1", "0..4294967295");
}

TEST_F(rules, v19_unknown_core_type)
{
	SEMAPHORES({ .id = 0, .core_type = 1 });

	EXPECT_REFUSED("V19", 1);
	EXPECT_FINDING("V19", 0, "resources/semaphore 0", "core_type", "1", "0 (worker)");
}

/* --- descriptors -------------------------------------------------------------------------- */

TEST_F(rules, v20_descriptors_of_a_kernel_overlap_without_words)
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

TEST_F(rules, v21_descriptor_reaches_outside_the_operation)
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

TEST_F(rules, v24_two_kernels_on_one_processor_of_a_core)
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

TEST_F(rules, v22_circular_buffers_exceed_l1_of_a_core)
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

TEST_F(rules, v25_circular_buffers_declared_wrongly)
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

TEST_F(rules, v23_owner_missing_or_of_another_device)
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

TEST_F(rules, v26_tensors_that_cannot_be_bound)
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

TEST_F(rules, v27_more_tensors_than_the_device_binds)
{
	self->rig->dev->limits.bindings = 1;
	ASSERT_EQ(0, tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 64));
	ASSERT_EQ(0, tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 64));
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_FINDING("V27", 0, "operation", "tensors", "2", "0..1");
}

TEST_F(rules, v27_program_larger_than_the_device_takes)
{
	self->rig->dev->limits.program_size = 256;
	EXPECT_EQ(-E2BIG, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "V27", 1));
	EXPECT_EQ(TSR_STAGE_PROGRAM, tsr_diag_stage(self->rig->diag));
	EXPECT_STREQ("program bytes", rig_finding(self->rig, "V27", 0)->field);
	EXPECT_STREQ("0..256", rig_finding(self->rig, "V27", 0)->allowed);
}

/* --- before and around the factory --------------------------------------------------------- */

TEST_F(rules, rr3_ids_not_dense_and_the_factory_is_not_called)
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

TEST_F(rules, rr6_error_of_the_factory_is_kept)
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

TEST_F(rules, all_findings_come_in_one_pass_in_the_order_of_the_rules)
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

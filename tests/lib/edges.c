// SPDX-License-Identifier: MIT
/* Corners of checks, plans and cache that no ordinary use comes to; "make coverage" names them. */
#include "common_alloc.h"
#include "common_rig.h"
#include "kselftest_harness.h"
#include "memo.h"
#include "prepare.h"

#include <sys/wait.h>
#include <unistd.h>

FIXTURE(edge) {
	struct rig *rig;
};

FIXTURE_SETUP(edge)
{
	self->rig = rig_new();
}

FIXTURE_TEARDOWN(edge)
{
	rig_free(self->rig);
}

static int fill_odd(struct rig *rig, const struct tsr_factory_input *input,
		    struct tsr_resources *res)
{
	const int64_t words[] = { 7, 8, 9 };
	struct tsr_entry *e;
	int err = tsr_resources_add_entry(res, RIG_MOVER, &e);

	for (uint16_t x = 0; !err && x < 3; x++)
		err = tsr_entry_add_words(e, x, 0, words, 3);
	return err;
}

/* In order, but not one behind the other, since words begin at multiples of 8 bytes. */
TEST_F(edge, an_odd_number_of_words_for_each_core)
{
	static const uint32_t want[] = { 7, 8, 9, 7, 8, 9, 7, 8, 9 };
	const struct tsr_vec *blob;

	rig_add_usual(self->rig);
	self->rig->fill = fill_odd;
	ASSERT_EQ(0, rig_prepare(self->rig));
	blob = &self->rig->call->dispatch;
	ASSERT_GT(blob->count, sizeof(want));
	EXPECT_EQ(0, memcmp((char *)blob->data + blob->count - sizeof(want), want, sizeof(want)));
}

static struct tsr_entry *stray;

static int fill_badly(struct rig *rig, const struct tsr_factory_input *input,
		      struct tsr_resources *res)
{
	static int64_t many[5000];
	const int64_t bad[] = { INT64_MIN };
	struct tsr_entry *e;
	int err = tsr_resources_add_entry(res, RIG_MOVER, &e);

	if (!err)
		err = tsr_entry_add_words(e, 0, 0, many, rig->dev->limits.words + 1);
	if (!err)
		err = tsr_entry_add_words(e, 0, 9, many, 1);
	if (!err)
		err = tsr_entry_add_words(e, 1, 0, bad, 0);
	if (!err)
		err = tsr_entry_add_words(e, 2, 0, bad, 1);
	if (!err)
		err = tsr_entry_define(e, "-A", "1");
	if (!err)
		err = tsr_entry_define(e, "a name that is no identifier and of which only the "
				       "first sixty-four bytes are shown", "1");
	if (!err)
		err = tsr_resources_add_entry(res, (struct tsr_selector){ 9, NULL }, &stray);
	return err ? err : tsr_entry_add_words(stray, 0, 0, many, 1);
}

TEST_F(edge, findings_of_one_execution)
{
	rig_add_usual(self->rig);
	self->rig->fill = fill_badly;
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_NE(NULL, rig_finding(self->rig, "V1", 0));
	EXPECT_NE(NULL, rig_finding(self->rig, "V6", 1));
	EXPECT_NE(NULL, rig_finding(self->rig, "V9", 0));
	EXPECT_NE(NULL, rig_finding(self->rig, "V12", 0));
	EXPECT_NE(NULL, rig_finding(self->rig, "V13", 0));
}

static int fill_too_much(struct rig *rig, const struct tsr_factory_input *input,
			 struct tsr_resources *res)
{
	static int64_t many[5000];
	struct tsr_entry *e;
	int err = tsr_resources_add_entry(res, RIG_MOVER, &e);

	return err ? err : tsr_entry_add_words(e, 0, 0, many, rig->dev->limits.words + 1);
}

TEST_F(edge, too_many_words_for_the_first_core)
{
	rig_add_usual(self->rig);
	self->rig->fill = fill_too_much;
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_TRUE(rig_only(self->rig, "V13", 1));
}

static uint32_t room_left;

static int fill_up_to(struct rig *rig, const struct tsr_factory_input *input,
		      struct tsr_resources *res)
{
	static int64_t many[5000];
	struct tsr_entry *e;
	int err = tsr_resources_add_entry(res, RIG_MOVER, &e);

	return err ? err : tsr_entry_add_words(e, 0, 0, many, rig->dev->limits.words - room_left);
}

TEST_F(edge, appended_words_take_room)
{
	static const uint32_t appended[] = { TSR_APPENDED_RANK, TSR_APPENDED_CORES };
	struct tsr_kernel_info info = {
		.name = "reader", .kind = TSR_KERNEL_DATA_MOVEMENT, .appended = appended,
		.appended_count = ARRAY_SIZE(appended),
	};

	info.elf = rig_elf(self->rig, TSR_PROCESSOR_DM0, 4, &info.elf_size);
	ASSERT_EQ(0, tsr_operation_add_kernel(self->rig->op, &info));
	free((void *)info.elf);
	self->rig->fill = fill_up_to;
	room_left = 2;
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	room_left = 1;
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_TRUE(rig_only(self->rig, "V13", 1));
}

static int fail_positively(struct rig *rig, const struct tsr_factory_input *input,
			   struct tsr_resources *res)
{
	return 5;
}

TEST_F(edge, a_factory_with_a_positive_result_has_failed)
{
	rig_add_usual(self->rig);
	self->rig->fill = fail_positively;
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_TRUE(rig_only(self->rig, "RR-6", 1));
}

TEST_F(edge, tensors_beyond_their_buffer)
{
	struct tsr_tensor *t = self->rig->tensors;

	rig_add_usual(self->rig);
	tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 16);
	tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 16);
	self->rig->tensor_count = 2;
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, tsr_buffer_new_offline(self->rig->dev, 64, 1 + i, &t[i].buffer));
	t[0].offset = 80;
	t[1].reserved[0] = 1;
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_STREQ("offset", rig_finding(self->rig, "V26", 0)->field);
	EXPECT_STREQ("reserved", rig_finding(self->rig, "V26", 1)->field);
}

/* --- declarations -------------------------------------------------------------------------- */

/* An operation on other cores than the rig's. */
static void use_cores(struct rig *rig, struct tsr_rect rect)
{
	struct tsr_coreset *cores = tsr_coreset_new();

	tsr_coreset_add_rect(cores, rect);
	rig->op = tsr_operation_unref(rig->op);
	if (tsr_operation_new(rig->dev, "op", cores, &rig->op))
		abort();
	rig_add_usual(rig);
	tsr_coreset_free(cores);
}

TEST_F(edge, operations_on_impossible_cores)
{
	static const struct tsr_rect rects[] = { { 2, 0, 1, 0 }, { 0, 0, 9, 0 }, { 0, 0, 0, 9 } };

	for (size_t i = 0; i < ARRAY_SIZE(rects); i++) {
		use_cores(self->rig, rects[i]);
		EXPECT_EQ(-EINVAL, rig_submit(self->rig));
		EXPECT_NE(NULL, rig_finding(self->rig, "V17", 0));
	}
	self->rig->op = tsr_operation_unref(self->rig->op);
	tsr_coreset_free(self->rig->cores);
	self->rig->cores = tsr_coreset_new();
	ASSERT_EQ(0, tsr_operation_new(self->rig->dev, "op", self->rig->cores, &self->rig->op));
	rig_add_usual(self->rig);
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_STREQ("{}", rig_finding(self->rig, "V17", 0)->value);
}

/* Refused by the declaration; its words are judged nevertheless. */
TEST_F(edge, words_of_a_refused_declaration)
{
	static const struct tsr_circular_buffer bad = { .id = 99, .page_size = 16, .page_count = 1 };

	rig_add_usual(self->rig);
	tsr_operation_add_circular_buffer(self->rig->op, &bad);
	self->rig->fill = fill_odd;
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_TRUE(rig_only(self->rig, "V25", 1));
}

TEST_F(edge, kernels_that_ask_for_too_much)
{
	const struct tsr_definition definition = { "A", "1" };
	static uint32_t appended[5000];
	struct tsr_kernel_info info = {
		.name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, .definitions = &definition,
		.definition_count = 1, .appended = appended,
		.appended_count = self->rig->dev->limits.words + 1,
	};

	for (size_t i = 0; i < ARRAY_SIZE(appended); i++)
		appended[i] = TSR_APPENDED_TENSOR + i % 2;
	tsr_operation_add_tensor(self->rig->op, TSR_ACCESS_IN, 16);
	info.elf = rig_elf(self->rig, 0, 8, &info.elf_size);
	ASSERT_EQ(0, tsr_operation_add_kernel(self->rig->op, &info));
	free((void *)info.elf);
	EXPECT_EQ(-EINVAL, rig_submit(self->rig));
	EXPECT_NE(NULL, rig_finding(self->rig, "V13", 0));
	EXPECT_NE(NULL, rig_finding(self->rig, "V26", 1));
	EXPECT_NE(NULL, rig_finding(self->rig, "JIT-1", 0));
}

/* Rows of cores, from below and from above: descriptors and buffers come in canonical order. */
TEST_F(edge, parts_in_any_order_and_images_of_odd_size)
{
	struct tsr_kernel_info info = { .name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT };
	struct tsr_coreset *rows[2];

	for (uint16_t i = 0; i < 2; i++)
		rows[i] = tsr_coreset_new_rect(0, i, 2, i);
	info.elf = rig_elf(self->rig, 0, 9, &info.elf_size);
	ASSERT_EQ(0, tsr_operation_add_kernel(self->rig->op, &info));
	free((void *)info.elf);
	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "math", TSR_PROCESSOR_COMPUTE, NULL, NULL));
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < 2; i++) {
			struct tsr_circular_buffer cb = {
				.id = pass, .page_size = 16, .page_count = 1,
				.cores = rows[pass ? i : 1 - i],
			};

			tsr_operation_add_circular_buffer(self->rig->op, &cb);
		}
	tsr_operation_add_descriptor(self->rig->op, "k", rows[1], NULL, 0);
	tsr_operation_add_descriptor(self->rig->op, "k", rows[0], NULL, 0);
	tsr_operation_add_descriptor(self->rig->op, "math", rows[0], NULL, 0);
	tsr_operation_add_descriptor(self->rig->op, "math", rows[1], NULL, 0);
	EXPECT_EQ(0, rig_prepare(self->rig));
	tsr_coreset_free(rows[0]);
	tsr_coreset_free(rows[1]);
}

/* --- no room ------------------------------------------------------------------------------- */

static int fill_with_definitions(struct rig *rig, const struct tsr_factory_input *input,
				 struct tsr_resources *res)
{
	struct tsr_semaphore s = { .id = 1 };
	struct tsr_entry *e;

	return tsr_resources_add_entry(res, RIG_MOVER, &e) ?: tsr_entry_define(e, "A", "1") ?:
	       tsr_resources_add_semaphore(res, &s);
}

/* The canonical bytes end somewhere: after each number of bytes. */
TEST_F(edge, no_memory_for_the_next_canonical_byte)
{
	struct tsr_plan *plan;
	size_t size;

	rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, "void kernel_main(void) { }");
	self->rig->fill = fill_with_definitions;
	ASSERT_EQ(0, rig_prepare(self->rig));
	plan = &self->rig->call->plan;
	size = plan->bytes.bytes.count;
	for (size_t room = 1; room < size; room++) {
		tsr_vec_free(&plan->bytes.bytes);
		plan->bytes.bytes = (struct tsr_vec){ malloc(room), 0, room };
		plan->bytes.err = 0;
		plan->runs.count = 0;
		alloc_fail(1, true);
		EXPECT_EQ(-ENOMEM, tsr_plan_make(plan));
		alloc_fail(0, false);
	}
}

TEST_F(edge, more_calls_at_once_than_are_kept)
{
	struct tsr_call *calls[2 * TSR_POOL_KEEPS];

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		calls[i] = tsr_call_new(self->rig->dev);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		tsr_call_free(self->rig->dev, calls[i]);
}

TEST_F(edge, a_child_prepares_nothing)
{
	struct tsr_prepare p = { .op = self->rig->op, .dev = self->rig->dev };
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(tsr_prepare(&p) == -EPERM ? 0 : 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Many rectangles, and two descriptors in one place: each text and list may be out of memory. */
TEST_F(edge, no_memory_on_a_checkerboard)
{
	for (unsigned long k = 1; k < 200; k++) {
		struct tsr_coreset *cores = tsr_coreset_new();
		struct tsr_device *dev;
		struct rig rig = { 0 };
		int err;

		for (uint16_t i = 0; i < 128; i++)
			tsr_coreset_add(cores, i % 16, i / 16);
		for (uint16_t i = 0; i < 128; i += 2)
			tsr_coreset_remove(cores, i % 16 + (i / 16) % 2, i / 16);
		tsr_host_open(&(struct tsr_host_options){ .grid_width = 16, .grid_height = 16 },
			      &dev);
		rig.dev = dev;
		tsr_context_new(dev, NULL, &rig.ctx);
		ASSERT_EQ(0, tsr_operation_new(dev, "op", cores, &rig.op));
		rig_add_usual(&rig);
		tsr_operation_add_descriptor(rig.op, "reader", cores, NULL, 0);
		tsr_operation_add_descriptor(rig.op, "reader", cores, NULL, 0);
		alloc_fail(k, false);
		err = rig_submit(&rig);
		alloc_fail(0, false);
		EXPECT_TRUE(err == -EINVAL || err == -ENOMEM);
		EXPECT_EQ(-EINVAL, rig_submit(&rig));
		EXPECT_TRUE(rig_only(&rig, "V20", 1));
		tsr_diag_free(rig.diag);
		tsr_operation_unref(rig.op);
		tsr_context_unref(rig.ctx);
		tsr_device_unref(dev);
		tsr_coreset_free(cores);
	}
}

/* --- the cache ----------------------------------------------------------------------------- */

static void no_ref(void *value)
{
}

static const struct tsr_memo_ops ops = { no_ref, no_ref };

static void build_large(void *ctx, struct tsr_built *ret)
{
	ret->value = ctx;
	ret->bytes = 1000;
}

static int get_sized(struct tsr_memo *memo, const void *bytes, size_t size)
{
	struct tsr_key key = { bytes, size, tsr_hash(bytes, size), true };
	static char value;
	void *p;

	return tsr_memo_get(memo, &key, false, build_large, &value, &p, NULL);
}

TEST(keys_of_different_sizes_collide_and_bytes_evict)
{
	struct tsr_memo *memo = tsr_memo_new(&ops);
	struct tsr_cache_limits limits;
	struct tsr_cache_stats stats;

	tsr_memo_set_digest_bytes(memo, 0);
	tsr_memo_limits(memo, &limits);
	limits.pad = 1;
	EXPECT_EQ(-EINVAL, tsr_memo_set_limits(memo, &limits));
	limits.pad = 0;
	limits.bytes = 5000;
	ASSERT_EQ(0, tsr_memo_set_limits(memo, &limits));
	for (size_t size = 1; size < 20; size++)
		EXPECT_EQ(0, get_sized(memo, "abcdefghijklmnopqrst", size));
	tsr_memo_stats(memo, &stats);
	EXPECT_LE(stats.bytes, 5000);
	EXPECT_GT(stats.evictions, 10);
	tsr_memo_free(memo);
}

TEST(a_table_that_cannot_grow_still_works)
{
	struct tsr_memo *memo = tsr_memo_new(&ops);
	struct tsr_cache_limits limits;
	struct tsr_cache_stats stats;

	tsr_memo_limits(memo, &limits);
	limits.entries = 1000;
	ASSERT_EQ(0, tsr_memo_set_limits(memo, &limits));
	for (int i = 0; i < 400; i++) {
		/* The entry itself comes first, then the wider table. */
		alloc_fail(2, false);
		EXPECT_EQ(0, get_sized(memo, &i, sizeof(i)));
	}
	alloc_fail(0, false);
	for (int i = 0; i < 400; i++)
		EXPECT_EQ(0, get_sized(memo, &i, sizeof(i)));
	tsr_memo_stats(memo, &stats);
	EXPECT_EQ(400, stats.hits);
	tsr_memo_free(memo);
}

TEST_HARNESS_MAIN

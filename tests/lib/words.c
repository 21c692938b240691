// SPDX-License-Identifier: MIT
/*
 * Words of many cores in one call: whatever they are, the same as one call for each core. The
 * measure is always the other way: canonical bytes, digest, dispatch blob, text of all findings.
 */
#include "common_alloc.h"
#include "common_rig.h"
#include "kselftest_harness.h"

#define MAX_CORES	12
#define MAX_WORDS	5000

/* What a factory adds, in one call or in many. */
static struct batch {
	struct tsr_selector selector;
	struct tsr_core cores[MAX_CORES];
	size_t core_count, count;
	int64_t words[MAX_CORES * MAX_WORDS];
	size_t common_count;
	bool one_before;		/* words of core (2,1) come first, by a call of their own */
} batch;

static bool in_one_call;

static int add_batch(struct tsr_entry *e)
{
	int err = 0;

	if (in_one_call)
		return tsr_entry_add_words_many(e, batch.cores, batch.core_count, batch.words,
						batch.count);
	for (size_t i = 0; !err && i < batch.core_count; i++)
		err = tsr_entry_add_words(e, batch.cores[i].x, batch.cores[i].y,
					  batch.words + i * batch.count, batch.count);
	return err;
}

static int fill(struct rig *rig, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	const int64_t before[] = { 70, 71, 72 };
	struct tsr_entry *e;
	int err = tsr_resources_add_entry(res, batch.selector, &e);

	if (!err && batch.one_before)
		err = tsr_entry_add_words(e, 2, 1, before, 3);
	if (!err)
		err = add_batch(e);
	return err ? err : tsr_entry_set_common(e, batch.words, batch.common_count);
}

static struct rig *rig_with(struct tsr_kernel *handle)
{
	struct tsr_coreset *left = tsr_coreset_new_rect(0, 0, 0, 1);
	struct rig *rig = rig_new();

	rig_add_usual(rig);
	if (handle && rig_add_prebuilt(rig, "left", TSR_PROCESSOR_DM1, handle, left))
		abort();
	rig->fill = fill;
	tsr_coreset_free(left);
	return rig;
}

static unsigned int seed;

static unsigned int random_below(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 12) % n;
}

/* Some cores of the operation, in its order or in another, with as many words for each. */
static void random_batch(void)
{
	bool backwards = random_below(2), all = random_below(2);

	batch.selector = random_below(2) ? RIG_MOVER : RIG_COMPUTE;
	batch.one_before = random_below(2);
	batch.core_count = 0;
	for (uint16_t i = 0; i < (batch.one_before ? 5 : 6); i++)
		if (all || random_below(2))
			batch.cores[batch.core_count++] = (struct tsr_core){ i % 3, i / 3 };
	for (size_t i = 0; backwards && i < batch.core_count / 2; i++) {
		struct tsr_core *a = &batch.cores[i], *b = &batch.cores[batch.core_count - 1 - i];
		struct tsr_core old = *a;

		*a = *b;
		*b = old;
	}
	batch.count = random_below(20);
	batch.common_count = random_below(3);
	for (size_t i = 0; i < batch.core_count * batch.count; i++)
		batch.words[i] = (int64_t)random_below(1000) - 500;
}

static bool same_bytes(const struct tsr_vec *a, const struct tsr_vec *b)
{
	return a->count == b->count && !memcmp(a->data, b->data, a->count);
}

TEST(one_call_is_the_same_as_a_call_for_each_core)
{
	for (unsigned int round = 0; round < 200; round++) {
		struct rig *each = rig_with(NULL), *many = rig_with(NULL);

		seed = round;
		random_batch();
		in_one_call = false;
		ASSERT_EQ(0, rig_prepare(each));
		in_one_call = true;
		ASSERT_EQ(0, rig_prepare(many));
		EXPECT_TRUE(same_bytes(&each->call->plan.bytes.bytes,
				       &many->call->plan.bytes.bytes));
		EXPECT_EQ(0, memcmp(&each->program->digest, &many->program->digest,
				    sizeof(each->program->digest)));
		EXPECT_EQ(each->call->plan.words, many->call->plan.words);
		EXPECT_TRUE(same_bytes(&each->call->dispatch, &many->call->dispatch)) {
			TH_LOG("round %u", round);
		}
		rig_free(each);
		rig_free(many);
	}
}

/* The findings of a submit of the batch, as text; free() it. */
static char *findings(struct tsr_kernel *handle, bool at_once, struct rig **ret_rig)
{
	struct rig *rig = rig_with(handle);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	in_one_call = at_once;
	batch.selector.handle = handle;
	if (rig_submit(rig) != -EINVAL)
		fprintf(out, "accepted\n");
	tsr_diag_print(rig->diag, out);
	fclose(out);
	*ret_rig = rig;
	return text;
}

TEST(the_findings_are_the_same)
{
	static const struct tsr_core cores[] = {
		{ 0, 1 }, { 3, 0 }, { 0, 1 }, { 65535, 65535 }, { 2, 1 }, { 0, 0 },
	};
	struct tsr_kernel *handle = tsr_kernel_new(), *other = tsr_kernel_new();
	struct rig *each, *many;
	char *text_each, *text_many;

	memset(&batch, 0, sizeof(batch));
	batch.selector.select = TSR_SELECT_HANDLE;
	memcpy(batch.cores, cores, sizeof(cores));
	batch.core_count = ARRAY_SIZE(cores);
	batch.count = MAX_WORDS;
	batch.words[MAX_WORDS * 2 + 3] = INT64_MAX;
	batch.words[MAX_WORDS * 5 + 4] = INT32_MIN - 1LL;
	text_many = findings(handle, true, &many);
	text_each = findings(other, false, &each);
	EXPECT_STREQ(text_each, text_many);
	EXPECT_NE(NULL, rig_finding(many, "V9", 1));
	EXPECT_EQ(NULL, rig_finding(many, "V9", 2));
	EXPECT_NE(NULL, rig_finding(many, "V10", 0));
	EXPECT_NE(NULL, rig_finding(many, "V11", 0));
	EXPECT_NE(NULL, rig_finding(many, "V12", 1));
	EXPECT_EQ(NULL, rig_finding(many, "V12", 2));
	EXPECT_NE(NULL, rig_finding(many, "V13", 5));
	EXPECT_EQ(0, rig_finding(many, "V12", 0)->x);
	EXPECT_EQ(1, rig_finding(many, "V12", 0)->y);
	free(text_each);
	free(text_many);
	rig_free(each);
	rig_free(many);
	tsr_kernel_unref(handle);
	tsr_kernel_unref(other);
}

static struct tsr_resources *kept;
static struct tsr_entry *kept_entry;
static int results[5];
static size_t counts[5];

/* Too many of them, or none. */
static int fill_extremes(struct rig *rig, const struct tsr_factory_input *input,
			 struct tsr_resources *res)
{
	static const struct { size_t cores, words; } extreme[] = {
		{ 0, 16 }, { SIZE_MAX / 2, 16 }, { SIZE_MAX, 0 }, { 1, UINT32_MAX }, { 3, 1 },
	};
	int err = tsr_resources_add_entry(res, RIG_MOVER, &kept_entry);

	kept = tsr_resources_ref(res);
	for (size_t i = 0; !err && i < ARRAY_SIZE(extreme); i++) {
		results[i] = tsr_entry_add_words_many(kept_entry, extreme[i].cores ? batch.cores :
						      NULL, extreme[i].cores, batch.words,
						      extreme[i].words);
		counts[i] = kept_entry->args.count;
	}
	return err;
}

TEST(none_too_many_and_sealed)
{
	struct rig *rig = rig_with(NULL);

	for (uint16_t i = 0; i < 3; i++)
		batch.cores[i] = (struct tsr_core){ i, 0 };
	rig->fill = fill_extremes;
	EXPECT_EQ(-ENODEV, rig_submit(rig));
	EXPECT_EQ(0, results[0]);
	for (int i = 1; i < 4; i++) {
		EXPECT_EQ(-ENOMEM, results[i]);
		EXPECT_EQ(0, counts[i]);
	}
	EXPECT_EQ(0, results[4]);
	EXPECT_EQ(3, counts[4]);
	EXPECT_EQ(-EPERM, tsr_entry_add_words_many(kept_entry, batch.cores, 1, batch.words, 1));
	EXPECT_EQ(-EPERM, tsr_entry_add_words_many(kept_entry, NULL, 0, NULL, 0));
	EXPECT_EQ(3, kept_entry->args.count);
	tsr_resources_unref(kept);
	rig_free(rig);
}

static unsigned long failing;
static bool and_all_after, added_some;
static unsigned int refused;

/* One allocation of the call fails; once more, it works. */
static int fill_with_failure(struct rig *rig, const struct tsr_factory_input *input,
			     struct tsr_resources *res)
{
	const int64_t before[] = { 1, INT64_MAX };
	struct tsr_entry *e;
	int err = tsr_resources_add_entry(res, RIG_MOVER, &e);

	if (!err)
		err = tsr_entry_add_words(e, 2, 1, before, 2);
	if (err)
		return err;
	alloc_fail(failing, and_all_after);
	err = add_batch(e);
	alloc_fail(0, false);
	if (!err)
		return 0;
	added_some |= err != -ENOMEM || e->args.count != 1 || res->bad_words.count != 1;
	refused++;
	return add_batch(e);
}

/* Room for words, for cores, and three times for words that do not fit, of several cores. */
TEST(out_of_memory_adds_nothing)
{
	memset(&batch, 0, sizeof(batch));
	in_one_call = true;
	for (uint16_t i = 0; i < 5; i++)
		batch.cores[i] = (struct tsr_core){ i % 3, i / 3 };
	for (uint16_t i = 5; i < MAX_CORES; i++)
		batch.cores[i] = (struct tsr_core){ i, 9 };
	batch.core_count = MAX_CORES;
	batch.count = 500;
	for (size_t i = 0; i < batch.core_count; i++)
		for (size_t j = 0; j < 3; j++)
			batch.words[i * batch.count + j * 7] = INT64_MIN;
	for (int persistent = 0; persistent < 2; persistent++)
		for (failing = 1; failing < 10; failing++) {
			struct rig *rig = rig_with(NULL);

			and_all_after = persistent;
			rig->fill = fill_with_failure;
			EXPECT_EQ(-EINVAL, rig_submit(rig));
			EXPECT_NE(NULL, rig_finding(rig, "V12", 3 * MAX_CORES));
			EXPECT_EQ(NULL, rig_finding(rig, "V12", 3 * MAX_CORES + 1));
			EXPECT_EQ(NULL, rig_finding(rig, "V10", 0));
			rig_free(rig);
		}
	EXPECT_FALSE(added_some);
	/* One of each: words, cores, bad words from 8 to 16, 32 and 64; twice. */
	EXPECT_EQ(10, refused);
}

TEST_HARNESS_MAIN

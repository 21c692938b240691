// SPDX-License-Identifier: MIT
/*
 * Fingerprints (FP): what is in them and what is not. Each case changes one thing against the base
 * case. Structure must change the canonical bytes; the rest must change the dispatch blob. A case
 * that changes neither is a field that somebody forgot.
 */
#include "common_rig.h"
#include "kselftest_harness.h"

/* What varies. The base case is all zero. */
enum vary {
	BASE,
	OPERATION_NAME, OPERATION_CORES,
	KERNEL_NAME, KERNEL_PROCESSOR, KERNEL_CORES, KERNEL_IMAGE, KERNEL_APPENDED,
	BASE_DEFINITION_NAME, BASE_DEFINITION_VALUE,
	DEFINITION_NAME, DEFINITION_VALUE, DEFINITION_MORE,
	SOURCE_TEXT, SOURCE_FLAG,
	CB_ID, CB_PAGE_SIZE, CB_PAGE_COUNT, CB_FORMAT, CB_CORES,
	COMPILER_SEMAPHORE_INITIAL, COMPILER_SEMAPHORE_CORES, COMPILER_SEMAPHORE_MORE,
	SEMAPHORE_ID, SEMAPHORE_INITIAL, SEMAPHORE_CORES, SEMAPHORE_MORE,
	TENSOR_ACCESS, TENSOR_MIN_SIZE,
	WORD_COUNT, WORD_CORE, COMMON_COUNT,
	STRUCTURE_END,

	WORD_VALUE, COMMON_VALUE, TENSOR_BUFFER, TENSOR_OFFSET, TENSOR_SIZE,
	DISPATCH_END,

	OWNER, ORDER_OF_WORDS, ORDER_OF_ENTRIES, ORDER_OF_SEMAPHORES, ORDER_OF_DEFINITIONS,
	ORDER_OF_KERNELS, DECOMPOSITION,
	SAME_END,
};

static enum vary vary;

/* @changed in the case that varies it, else @usual */
#define IF(what, changed, usual)	(vary == (what) ? (changed) : (usual))

static struct tsr_coreset *set_of(uint16_t x0, uint16_t y0, uint16_t x1, uint16_t y1)
{
	struct tsr_coreset *set;

	if (vary != DECOMPOSITION)
		return tsr_coreset_new_rect(x0, y0, x1, y1);
	set = tsr_coreset_new();
	for (uint16_t x = x1 + 1; x-- > x0;)
		tsr_coreset_add_rect(set, (struct tsr_rect){ x, y0, x, y1 });
	return set;
}

static void add_words(struct tsr_entry *e)
{
	static const int64_t a[] = { 10, 11, 12 }, b[] = { 20, 99 };
	const int64_t common[] = { IF(COMMON_VALUE, 1, 0), 5, 6 };
	const int64_t word[] = { IF(WORD_VALUE, 77, 20) };
	uint16_t x = IF(WORD_CORE, 2, 1);

	if (vary == ORDER_OF_WORDS)
		tsr_entry_add_words(e, x, 0, word, 1);
	tsr_entry_add_words(e, 0, 0, a, IF(WORD_COUNT, 2, 3));
	if (vary != ORDER_OF_WORDS)
		tsr_entry_add_words(e, x, 0, word, 1);
	tsr_entry_add_words(e, 0, 1, b, 0);
	tsr_entry_set_common(e, common, IF(COMMON_COUNT, 3, 2));
}

static void add_definitions(struct tsr_resources *res, struct tsr_kernel *handle)
{
	struct tsr_entry *e;

	tsr_resources_add_entry(res, (struct tsr_selector){ TSR_SELECT_HANDLE, handle }, &e);
	if (vary == ORDER_OF_DEFINITIONS)
		tsr_entry_define(e, "SECOND", "2");
	tsr_entry_define(e, IF(DEFINITION_NAME, "FIRSU", "FIRST"),
			 IF(DEFINITION_VALUE, "2", "1"));
	if (vary != ORDER_OF_DEFINITIONS)
		tsr_entry_define(e, "SECOND", "2");
	if (vary == DEFINITION_MORE)
		tsr_entry_define(e, "THIRD", "");
}

static void add_semaphore(struct tsr_resources *res, uint32_t id, int64_t initial,
			  const struct tsr_coreset *cores)
{
	struct tsr_semaphore s = { .id = id, .initial = initial, .cores = cores };

	if (tsr_resources_add_semaphore(res, &s))
		abort();
}

static struct tsr_kernel *handle;
static int owned;

static void no_release(void *object)
{
}

static int fill(struct rig *rig, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	uint32_t first = input->first_free_semaphore_id;
	struct tsr_coreset *some = set_of(0, 0, IF(SEMAPHORE_CORES, 1, 2), 0);
	struct tsr_entry *e;

	if (vary == ORDER_OF_ENTRIES)
		add_definitions(res, handle);
	tsr_resources_add_entry(res, RIG_MOVER, &e);
	add_words(e);
	if (vary != ORDER_OF_ENTRIES)
		add_definitions(res, handle);
	if (vary == ORDER_OF_SEMAPHORES)
		add_semaphore(res, first + 3, 0, NULL);
	add_semaphore(res, first + IF(SEMAPHORE_ID, 1, 0), IF(SEMAPHORE_INITIAL, 8, 7), some);
	if (vary != ORDER_OF_SEMAPHORES)
		add_semaphore(res, first + 3, 0, NULL);
	if (vary == SEMAPHORE_MORE)
		add_semaphore(res, first + 4, 0, NULL);
	if (vary == OWNER)
		tsr_resources_own(res, &owned, no_release, no_release);
	tsr_coreset_free(some);
	return 0;
}

static void declare_reader(struct rig *rig)
{
	static const uint32_t appended[] = { TSR_APPENDED_RANK, TSR_APPENDED_TENSOR };
	struct tsr_coreset *cores = set_of(0, 0, IF(KERNEL_CORES, 1, 2), 1);
	struct tsr_kernel_info info = {
		.name = IF(KERNEL_NAME, "readez", "reader"),
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = IF(KERNEL_PROCESSOR, TSR_PROCESSOR_DM1, TSR_PROCESSOR_DM0),
		.cores = cores,
		.appended = appended,
		.appended_count = IF(KERNEL_APPENDED, 1, 2),
	};

	info.elf = rig_elf(rig, info.processor, IF(KERNEL_IMAGE, 9, 8), &info.elf_size);
	if (vary == WORD_CORE || vary == KERNEL_CORES || vary == OPERATION_CORES)
		info.appended_count = 2;
	if (tsr_operation_add_kernel(rig->op, &info))
		abort();
	free((void *)info.elf);
	tsr_coreset_free(cores);
}

static void declare_math(struct rig *rig)
{
	const struct tsr_definition base[] = {
		{ IF(BASE_DEFINITION_NAME, "BASF", "BASE"), IF(BASE_DEFINITION_VALUE, "4", "3") },
	};
	const char *const flags[] = { "-g0", "-O1" };
	struct tsr_kernel_info info = {
		.name = "math",
		.kind = TSR_KERNEL_COMPUTE,
		.processor = TSR_PROCESSOR_COMPUTE,
		.handle = handle,
		.source_text = IF(SOURCE_TEXT, "void kernel_main(void) {  }",
				  "void kernel_main(void) { }"),
		.definitions = base,
		.definition_count = 1,
		.flags = flags,
		.flag_count = IF(SOURCE_FLAG, 2, 1),
	};

	if (tsr_operation_add_kernel(rig->op, &info))
		abort();
}

static void declare_rest(struct rig *rig)
{
	struct tsr_coreset *cores = set_of(0, 0, 2, IF(CB_CORES, 0, 1));
	struct tsr_coreset *one = set_of(IF(COMPILER_SEMAPHORE_CORES, 1, 0), 0, 2, 1);
	struct tsr_circular_buffer cb = {
		.id = IF(CB_ID, 5, 4),
		.page_size = IF(CB_PAGE_SIZE, 2064, 2048),
		.page_count = IF(CB_PAGE_COUNT, 3, 2),
		.format = IF(CB_FORMAT, TSR_ELEMENT_FP32, TSR_ELEMENT_BF16),
		.cores = cores,
	};

	tsr_operation_add_circular_buffer(rig->op, &cb);
	tsr_operation_add_semaphore(rig->op, 0, IF(COMPILER_SEMAPHORE_INITIAL, 1, 0), one);
	if (vary == COMPILER_SEMAPHORE_MORE)
		tsr_operation_add_semaphore(rig->op, 1, 0, NULL);
	tsr_operation_add_tensor(rig->op, IF(TENSOR_ACCESS, TSR_ACCESS_INOUT, TSR_ACCESS_IN),
				 IF(TENSOR_MIN_SIZE, 65, 64));
	tsr_coreset_free(cores);
	tsr_coreset_free(one);
}

static struct rig *declare(void)
{
	struct rig *rig = rig_new();
	struct tsr_operation *old = rig->op;
	struct tsr_coreset *cores = set_of(0, 0, 2, IF(OPERATION_CORES, 2, 1));
	tsr_factory_fn factory = old->factory;

	handle = tsr_kernel_new();
	if (tsr_operation_new(rig->dev, IF(OPERATION_NAME, "oq", "op"), cores, &rig->op) ||
	    tsr_operation_set_factory(rig->op, factory, rig, NULL))
		abort();
	tsr_operation_unref(old);
	tsr_coreset_free(cores);
	rig->fill = fill;
	if (vary == ORDER_OF_KERNELS)
		declare_math(rig);
	declare_reader(rig);
	if (vary != ORDER_OF_KERNELS)
		declare_math(rig);
	declare_rest(rig);
	tsr_buffer_new_offline(rig->dev, 8192, IF(TENSOR_BUFFER, 12, 11), &rig->tensors[0].buffer);
	rig->tensors[0].offset = IF(TENSOR_OFFSET, 32, 16);
	rig->tensors[0].size = IF(TENSOR_SIZE, 4096, 4080);
	rig->tensor_count = 1;
	return rig;
}

/* Everything but the program, which needs a compiler. */
struct made {
	void *canonical, *dispatch;
	size_t canonical_size, dispatch_size;
};

static void make(struct made *ret)
{
	struct rig *rig = declare();
	const struct tsr_shape *shape;
	struct tsr_factory_input input = { .first_free_semaphore_id = rig->op->semaphores.count };
	struct tsr_resources *res = tsr_resources_new(rig->dev, rig->op->serial);
	struct tsr_call *call = tsr_call_new(rig->dev);
	struct tsr_check check = {
		.op = rig->op, .limits = &rig->dev->limits, .res = res,
		.tensors = rig->tensors, .tensor_count = 1, .plan = &call->plan,
	};

	if (fill(rig, &input, res) || tsr_shape_get(rig->op, &shape) ||
	    tsr_plan_begin(&call->plan, shape, res))
		abort();
	check.shape = shape;
	tsr_check_all(&check);
	tsr_diag_print(check.diag, stderr);
	if (check.findings || tsr_plan_make(&call->plan) ||
	    tsr_dispatch_encode(call, rig->tensors, 1))
		abort();
	ret->canonical_size = call->plan.bytes.bytes.count;
	ret->canonical = malloc(ret->canonical_size);
	memcpy(ret->canonical, call->plan.bytes.bytes.data, ret->canonical_size);
	ret->dispatch_size = call->dispatch.count;
	ret->dispatch = malloc(ret->dispatch_size);
	memcpy(ret->dispatch, call->dispatch.data, ret->dispatch_size);
	tsr_call_free(rig->dev, call);
	tsr_resources_let_go(res);
	tsr_kernel_unref(handle);
	rig_free(rig);
}

static void unmake(struct made *made)
{
	free(made->canonical);
	free(made->dispatch);
}

static bool same_canonical(const struct made *a, const struct made *b)
{
	return a->canonical_size == b->canonical_size &&
	       !memcmp(a->canonical, b->canonical, a->canonical_size);
}

static bool same_dispatch(const struct made *a, const struct made *b)
{
	return a->dispatch_size == b->dispatch_size &&
	       !memcmp(a->dispatch, b->dispatch, a->dispatch_size);
}

TEST(every_structural_field_changes_the_fingerprint)
{
	struct made base, other;
	struct tsr_digest a, b;

	vary = BASE;
	make(&base);
	a = tsr_hash(base.canonical, base.canonical_size);
	for (vary = BASE + 1; vary < STRUCTURE_END; vary++) {
		make(&other);
		b = tsr_hash(other.canonical, other.canonical_size);
		EXPECT_FALSE(same_canonical(&base, &other)) {
			TH_LOG("case %d", vary);
		}
		EXPECT_NE(0, memcmp(&a, &b, sizeof(a)));
		unmake(&other);
	}
	unmake(&base);
}

TEST(everything_else_changes_the_dispatch_blob_only)
{
	struct made base, other;

	vary = BASE;
	make(&base);
	for (vary = STRUCTURE_END + 1; vary < DISPATCH_END; vary++) {
		make(&other);
		EXPECT_TRUE(same_canonical(&base, &other)) {
			TH_LOG("case %d", vary);
		}
		EXPECT_FALSE(same_dispatch(&base, &other)) {
			TH_LOG("case %d", vary);
		}
		unmake(&other);
	}
	unmake(&base);
}

TEST(order_decomposition_and_owners_change_nothing)
{
	struct made base, other;

	vary = BASE;
	make(&base);
	for (vary = DISPATCH_END + 1; vary < SAME_END; vary++) {
		make(&other);
		EXPECT_TRUE(same_canonical(&base, &other)) {
			TH_LOG("case %d", vary);
		}
		EXPECT_TRUE(same_dispatch(&base, &other)) {
			TH_LOG("case %d", vary);
		}
		unmake(&other);
	}
	unmake(&base);
}

static int fill_nothing(struct rig *rig, const struct tsr_factory_input *input,
			struct tsr_resources *res)
{
	return 0;
}

TEST(empty_resources_differ_from_none)
{
	struct rig *with = rig_new(), *without = rig_new();
	struct tsr_digest empty;

	with->fill = fill_nothing;
	without->op->factory = NULL;
	rig_add_usual(with);
	rig_add_usual(without);
	ASSERT_EQ(0, rig_prepare(with));
	ASSERT_EQ(0, rig_prepare(without));
	empty = with->program->digest;
	EXPECT_NE(0, memcmp(&empty, &without->program->digest, sizeof(empty)));
	rig_free(with);
	rig_free(without);
}

TEST(the_digest_is_xxh3_128_in_canonical_byte_order)
{
	/* The reference's test value for the empty string and for "a" with seed 0. */
	static const uint8_t empty[16] = { 0x99, 0xaa, 0x06, 0xd3, 0x01, 0x47, 0x98, 0xd8,
					   0x60, 0x01, 0xc3, 0x24, 0x46, 0x8d, 0x49, 0x7f };
	struct tsr_digest digest = tsr_hash("", 0);

	EXPECT_EQ(0, memcmp(digest.bytes, empty, sizeof(empty)));
}

TEST_HARNESS_MAIN

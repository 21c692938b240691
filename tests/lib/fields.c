// SPDX-License-Identifier: MIT
/*
 * Every field of every record that describes an execution, by table (FP-5): another value changes
 * the canonical bytes, or else the dispatch blob, or is refused. A field that does none of these is
 * a defect, and so is one that is not in the table: the rows must cover each record without a gap.
 */
#include <limits.h>

#include "common_rig.h"
#include "kselftest_harness.h"

/* What an execution is described by. */
static struct {
	struct tsr_kernel_info kernel;
	struct tsr_definition base, own;	/* of the kernel, of its entry */
	struct tsr_selector selector;
	struct tsr_circular_buffer cb;
	struct tsr_semaphore semaphore;
	struct tsr_tensor tensor;
} spec;

enum effect { STRUCTURE, DISPATCH, REFUSED, SAME };

static struct tsr_kernel *handle;
static struct tsr_coreset *some, *others;
static struct tsr_buffer *buffers[2];
static const uint32_t ranks[] = { TSR_APPENDED_RANK, TSR_APPENDED_CORES };
static const uint32_t sizes[] = { TSR_APPENDED_TENSOR, TSR_APPENDED_CORES };
static const char *const flags[] = { "-O1", "-g0" }, *const other_flags[] = { "-O2", "-g0" };
static const struct tsr_definition other_base = { "OTHER", "1" };
static const char text[] = "void kernel_main(void) { }", other_text[] = "void kernel_main(void) {}";

/* What a field becomes: a number of its size, or a pointer. */
union other {
	uint64_t number;
	const void *pointer;
};

#define ROW(record, field, effect, ...)					\
	{ #record "." #field, (char *)&spec.record.field - (char *)&spec,	\
	  sizeof(spec.record.field), effect, { __VA_ARGS__ } }
#define NUMBER(record, field, effect, value)	ROW(record, field, effect, .number = (value))
#define POINTER(record, field, effect, value)	ROW(record, field, effect, .pointer = (value))

struct row {
	const char *name;
	size_t offset, size;
	enum effect effect;
	union other other;
};

static size_t list_rows(struct row *ret)
{
	const struct row rows[] = {
		POINTER(kernel, name, STRUCTURE, "another"),
		NUMBER(kernel, kind, REFUSED, TSR_KERNEL_COMPUTE),	/* DM0 does not suit it */
		NUMBER(kernel, processor, STRUCTURE, TSR_PROCESSOR_DM1),
		POINTER(kernel, handle, REFUSED, NULL),	/* the entry's selector names it */
		POINTER(kernel, source_path, REFUSED, "/dev/null"),	/* two sources */
		POINTER(kernel, source_text, STRUCTURE, other_text),
		POINTER(kernel, elf, REFUSED, text),	/* two sources */
		NUMBER(kernel, elf_size, SAME, 4),	/* of no file */
		POINTER(kernel, definitions, STRUCTURE, &other_base),
		NUMBER(kernel, definition_count, STRUCTURE, 0),
		POINTER(kernel, flags, STRUCTURE, other_flags),
		NUMBER(kernel, flag_count, STRUCTURE, 2),
		POINTER(kernel, cores, STRUCTURE, others),
		POINTER(kernel, appended, STRUCTURE, sizes),
		NUMBER(kernel, appended_count, STRUCTURE, 2),
		NUMBER(kernel, options, SAME, TSR_KERNEL_UNCACHED),	/* no cache: no key */
		NUMBER(kernel, pad, REFUSED, 1),
		NUMBER(kernel, reserved, REFUSED, 1),
		POINTER(base, name, STRUCTURE, "C"),
		POINTER(base, value, STRUCTURE, "22"),
		NUMBER(base, name_size, STRUCTURE, 3),
		NUMBER(base, value_size, STRUCTURE, 1),
		POINTER(own, name, STRUCTURE, "C"),
		POINTER(own, value, STRUCTURE, "22"),
		NUMBER(own, name_size, STRUCTURE, 3),
		NUMBER(own, value_size, STRUCTURE, 1),
		NUMBER(selector, select, REFUSED, TSR_SELECT_COMPUTE),
		POINTER(selector, handle, REFUSED, NULL),
		NUMBER(cb, id, STRUCTURE, 3),
		NUMBER(cb, page_size, STRUCTURE, 48),
		NUMBER(cb, page_count, STRUCTURE, 5),
		NUMBER(cb, format, STRUCTURE, TSR_ELEMENT_FP32),
		POINTER(cb, cores, STRUCTURE, others),
		NUMBER(cb, reserved, REFUSED, 1),
		NUMBER(semaphore, id, STRUCTURE, 5),
		NUMBER(semaphore, core_type, REFUSED, 1),	/* there is one type only */
		NUMBER(semaphore, initial, STRUCTURE, 9),
		POINTER(semaphore, cores, STRUCTURE, others),
		NUMBER(semaphore, reserved, REFUSED, 1),
		POINTER(tensor, buffer, DISPATCH, buffers[1]),
		NUMBER(tensor, offset, DISPATCH, 32),
		NUMBER(tensor, size, DISPATCH, 256),
		NUMBER(tensor, reserved, REFUSED, 1),
	};

	memcpy(ret, rows, sizeof(rows));
	return ARRAY_SIZE(rows);
}

static void describe(void)
{
	memset(&spec, 0, sizeof(spec));
	spec.base = (struct tsr_definition){ "BASE", "12" };
	spec.own = (struct tsr_definition){ "OWN_", "12" };
	spec.kernel = (struct tsr_kernel_info){
		.name = "k", .kind = TSR_KERNEL_DATA_MOVEMENT, .handle = handle,
		.source_text = text, .definitions = &spec.base, .definition_count = 1,
		.flags = flags, .flag_count = 1, .cores = some, .appended = ranks,
		.appended_count = 1,
	};
	spec.selector = (struct tsr_selector){ TSR_SELECT_HANDLE, handle };
	spec.cb = (struct tsr_circular_buffer){ .id = 1, .page_size = 32, .page_count = 2,
						.cores = some };
	spec.semaphore = (struct tsr_semaphore){ .id = 2, .cores = some };
	spec.tensor = (struct tsr_tensor){ .buffer = buffers[0], .offset = 16, .size = 128 };
}

static int fill(struct rig *rig, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct tsr_entry *e;

	return tsr_resources_add_entry(res, spec.selector, &e) ?:
	       tsr_entry_add_definition(e, &spec.own) ?:
	       tsr_resources_add_semaphore(res, &spec.semaphore);
}

/* Canonical bytes and dispatch blob of what is described. */
struct made {
	char *canonical, *dispatch;
	size_t canonical_size, dispatch_size;
};

static char *copy(const struct tsr_vec *vec, size_t *ret_size)
{
	char *data = malloc(vec->count);

	*ret_size = vec->count;
	return memcpy(data, vec->data, vec->count);
}

static int plan(struct rig *rig, struct tsr_resources *res, struct made *ret)
{
	struct tsr_factory_input input = { 0 };
	struct tsr_call *call = tsr_call_new(rig->dev);
	struct tsr_check check = { .op = rig->op, .limits = &rig->dev->limits, .res = res,
				   .tensors = &spec.tensor, .tensor_count = 1,
				   .plan = &call->plan };
	int err = fill(rig, &input, res);

	if (!err)
		err = tsr_shape_get(rig->op, &check.shape);
	if (!err)
		err = tsr_plan_begin(&call->plan, check.shape, res);
	if (!err)
		tsr_check_all(&check);
	tsr_diag_free(check.diag);
	err = err ?: check.findings ? -EINVAL : tsr_plan_make(&call->plan);
	err = err ?: tsr_dispatch_encode(call, &spec.tensor, 1);
	if (!err) {
		ret->canonical = copy(&call->plan.bytes.bytes, &ret->canonical_size);
		ret->dispatch = copy(&call->dispatch, &ret->dispatch_size);
	}
	tsr_call_free(rig->dev, call);
	return err;
}

static int make(struct rig *rig, struct made *ret)
{
	struct tsr_resources *res;
	int err;

	memset(ret, 0, sizeof(*ret));
	tsr_operation_unref(rig->op);
	if (tsr_operation_new(rig->dev, "op", rig->cores, &rig->op))
		abort();
	tsr_operation_add_tensor(rig->op, TSR_ACCESS_IN, 16);
	err = tsr_operation_add_kernel(rig->op, &spec.kernel) ?:
	      tsr_operation_add_circular_buffer(rig->op, &spec.cb);
	if (err)
		return err;
	res = tsr_resources_new(rig->dev, rig->op->serial);
	err = plan(rig, res, ret);
	tsr_resources_let_go(res);
	return err;
}

/* Handles are bound once: a new one for each operation. */
static int make_with(struct rig *rig, const struct row *row, struct made *ret)
{
	int err;

	handle = tsr_kernel_new();
	describe();
	if (row && row->other.number)
		memcpy((char *)&spec + row->offset, &row->other,
		       row->size < sizeof(row->other) ? row->size : sizeof(row->other));
	else if (row)
		memset((char *)&spec + row->offset, 0, row->size);
	err = make(rig, ret);
	tsr_kernel_unref(handle);
	return err;
}

static enum effect effect_of(const struct made *a, const struct made *b)
{
	if (a->canonical_size != b->canonical_size ||
	    memcmp(a->canonical, b->canonical, a->canonical_size))
		return STRUCTURE;
	return a->dispatch_size != b->dispatch_size ||
	       memcmp(a->dispatch, b->dispatch, a->dispatch_size) ? DISPATCH : SAME;
}

static struct rig *set_up(void)
{
	struct rig *rig = rig_new();

	some = tsr_coreset_new_rect(0, 0, 1, 1);
	others = tsr_coreset_new_rect(0, 0, 2, 0);
	for (int i = 0; i < 2; i++)
		tsr_buffer_new_offline(rig->dev, 4096, 10 + i, &buffers[i]);
	return rig;
}

static void tear_down(struct rig *rig)
{
	for (int i = 0; i < 2; i++)
		tsr_buffer_unref(buffers[i]);
	tsr_coreset_free(some);
	tsr_coreset_free(others);
	rig_free(rig);
}

TEST(each_field_changes_what_it_should)
{
	struct rig *rig = set_up();
	struct row rows[64];
	size_t n = list_rows(rows);
	struct made base, other;

	ASSERT_EQ(0, make_with(rig, NULL, &base));
	for (size_t i = 0; i < n; i++) {
		int err = make_with(rig, &rows[i], &other);

		EXPECT_EQ(rows[i].effect, err ? REFUSED : effect_of(&base, &other)) {
			TH_LOG("%s: %d", rows[i].name, err);
		}
		free(other.canonical);
		free(other.dispatch);
	}
	free(base.canonical);
	free(base.dispatch);
	tear_down(rig);
}

/* Rows are in the order of the fields: each begins where the one before ends, but for padding. */
TEST(the_table_has_every_field)
{
	struct row rows[64];
	size_t n = list_rows(rows), end = 0;

	for (size_t i = 0; i < n; i++) {
		size_t align = rows[i].size % 8 ? 4 : 8;

		EXPECT_EQ((end + align - 1) / align * align, rows[i].offset) {
			TH_LOG("before %s", rows[i].name);
		}
		end = rows[i].offset + rows[i].size;
	}
	EXPECT_EQ(sizeof(spec), end);
}

TEST_HARNESS_MAIN

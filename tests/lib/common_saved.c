// SPDX-License-Identifier: MIT
#include "common_saved.h"

#include <unistd.h>

#include "source.h"

static const char source[] =
	"#include <tessera.h>\n"
	"#ifndef SCALE\n"
	"#error SCALE\n"
	"#endif\n"
	"static volatile int sink;\n"
	"void kernel_main(void) { sink = SCALE + PLACE; }\n";

static int add_entry(struct saved_op *s, struct tsr_resources *res, struct tsr_selector selector,
		     uint32_t words_of)
{
	static const int64_t words[] = { 7, -1, 4294967295 };
	struct tsr_entry *entry;
	int err = tsr_resources_add_entry(res, selector, &entry);

	for (uint32_t i = 0; !err && i < words_of; i++)
		err = tsr_entry_add_words(entry, (uint16_t)(i % 3), (uint16_t)(i / 3), words,
					  1 + i % 3);
	if (!err && selector.select == TSR_SELECT_COMPUTE)
		err = tsr_entry_define(entry, "SCALE", s->scale);
	if (!err)
		err = tsr_entry_set_common(entry, words, 2);
	return err;
}

int saved_op_factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	const struct tsr_semaphore semaphore = { .id = input->first_free_semaphore_id,
						 .initial = 5 };
	struct saved_op *s = ctx;
	int err;

	s->calls++;
	err = tsr_resources_add_semaphore(res, &semaphore);
	if (!err)
		err = add_entry(s, res, RIG_COMPUTE, s->words_of);
	if (!err)
		err = add_entry(s, res, (struct tsr_selector){ TSR_SELECT_HANDLE, s->second }, 6);
	return err;
}

static void add_compute(struct tsr_operation *op)
{
	struct tsr_coreset *left = tsr_coreset_new_rect(0, 0, 0, 1);
	struct tsr_coreset *right = tsr_coreset_new_rect(1, 0, 2, 1);
	const struct tsr_definition place[] = { { "PLACE", "1" }, { "PLACE", "2" } };
	struct tsr_kernel_info info = {
		.name = "math",
		.kind = TSR_KERNEL_COMPUTE,
		.processor = TSR_PROCESSOR_COMPUTE,
		.source_text = source,
	};

	if (tsr_operation_add_kernel(op, &info) ||
	    tsr_operation_add_descriptor(op, "math", left, &place[0], 1) ||
	    tsr_operation_add_descriptor(op, "math", right, &place[1], 1))
		abort();
	tsr_coreset_free(left);
	tsr_coreset_free(right);
}

static void add_second(struct saved_op *s)
{
	static const uint32_t appended[] = { TSR_APPENDED_RANK, TSR_APPENDED_TENSOR };
	struct tsr_kernel_info info = {
		.name = "second",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = TSR_PROCESSOR_DM1,
		.handle = s->second,
		.source_text = "void kernel_main(void) { }\n",
		.appended = appended,
		.appended_count = 2,
	};

	if (tsr_operation_add_kernel(s->rig->op, &info))
		abort();
}

static void add_tensors(struct rig *rig)
{
	if (tsr_operation_add_tensor(rig->op, TSR_ACCESS_IN, 100) ||
	    tsr_operation_add_tensor(rig->op, TSR_ACCESS_OUT, 4096) ||
	    tsr_buffer_new_offline(rig->dev, 4096, 1, &rig->tensors[0].buffer) ||
	    tsr_buffer_new_offline(rig->dev, 8192, 2, &rig->tensors[1].buffer))
		abort();
	rig->tensor_count = 2;
}

void saved_op_new(struct saved_op *s)
{
	const struct tsr_circular_buffer cbs[] = {
		{ .id = 0, .page_size = 2048, .page_count = 2, .format = TSR_ELEMENT_BF16 },
		{ .id = 3, .page_size = 16, .page_count = 1 },
	};
	struct tsr_operation *op;

	*s = (struct saved_op){ .rig = rig_new(), .second = tsr_kernel_new(), .scale = "3",
				.words_of = 5 };
	tsr_operation_unref(s->rig->op);
	if (tsr_operation_new(s->rig->dev, "saved", s->rig->cores, &op) ||
	    tsr_operation_set_factory(op, saved_op_factory, s, NULL) ||
	    tsr_operation_add_circular_buffer(op, &cbs[0]) ||
	    tsr_operation_add_circular_buffer(op, &cbs[1]) ||
	    tsr_operation_add_semaphore(op, 0, 9, NULL))
		abort();
	s->rig->op = op;
	add_compute(op);
	if (rig_add_prebuilt(s->rig, "reader", TSR_PROCESSOR_DM0, NULL, NULL))
		abort();
	add_second(s);
	add_tensors(s->rig);
}

void saved_op_without_factory(struct saved_op *s)
{
	*s = (struct saved_op){ .rig = rig_new() };
	tsr_operation_unref(s->rig->op);
	if (tsr_operation_new(s->rig->dev, "plain", s->rig->cores, &s->rig->op))
		abort();
	rig_add_usual(s->rig);
	add_tensors(s->rig);
}

void saved_op_free(struct saved_op *s)
{
	rig_free(s->rig);
	tsr_kernel_unref(s->second);
}

void *saved_op_file(struct saved_op *s, size_t *ret_size)
{
	char path[] = "/tmp/tsr-runner-XXXXXX";
	struct tsr_diag *diag = NULL;
	char *data;

	close(mkstemp(path));
	if (tsr_runner_save(s->rig->op, s->rig->tensors, 2, path, &diag) ||
	    tsr_read_file(path, TSR_SAVED_MAX, &data, ret_size)) {
		tsr_diag_print(diag, stdout);
		abort();
	}
	unlink(path);
	return data;
}

// SPDX-License-Identifier: MIT
/*
 * The whole way, from C text to the status: library, module, virtual device. One operation whose
 * kernel does what the factory's words say; how it ends is told by verdict, status, figures and
 * print. What each of them means in detail is the subject of the other dev_ tests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/tessera.h>

#include "common_harness.h"

enum { DO_WRITE, DO_JUMP, DO_UNBOUND, DO_WAIT, DO_LOOP, DO_ASSERT };

static const char source[] =
	"#include <tessera.h>\n"
	"enum { DO_WRITE, DO_JUMP, DO_UNBOUND, DO_WAIT, DO_LOOP, DO_ASSERT };\n"
	"void kernel_main(void)\n"
	"{\n"
	"	uint32_t rank = get_arg_val(1), l1 = get_write_ptr(0);\n"
	"	volatile uint32_t *w = (volatile uint32_t *)l1;\n"
	"\n"
	"	device_print(\"rank %u does %u\\n\", rank, get_arg_val(0));\n"
	"	switch (get_arg_val(0)) {\n"
	"	case DO_WRITE:\n"
	"		noc_async_read(get_noc_addr_from_binding(0, rank * 16), l1, 16);\n"
	"		noc_async_read_barrier();\n"
	"		w[0] += FACTOR * rank;\n"
	"		noc_async_write(l1, get_noc_addr_from_binding(1, rank * 16), 16);\n"
	"		noc_async_write_barrier();\n"
	"		break;\n"
	"	case DO_JUMP:\n"
	"		((void (*)(void))0x40000000)();\n"
	"		break;\n"
	"	case DO_UNBOUND:\n"
	"		noc_async_read(get_noc_addr_from_binding(2, 0), l1, 16);\n"
	"		break;\n"
	"	case DO_WAIT:\n"
	"		noc_semaphore_wait(get_semaphore_ptr(get_arg_val(2)), 1);\n"
	"		break;\n"
	"	case DO_LOOP:\n"
	"		for (;;)\n"
	"			__asm__ volatile(\"\");\n"
	"	case DO_ASSERT:\n"
	"		ASSERT(rank == 1000);\n"
	"	}\n"
	"}\n";

FIXTURE(library)
{
	struct tsr_device *dev;
	struct tsr_context *context;
	struct tsr_operation *op;
	struct tsr_coreset *cores;
	struct tsr_buffer *in, *out;
	uint32_t *in_mem, *out_mem;
	size_t count;
	uint32_t what;			/* for the factory: what the core `at` does; others write */
	struct tsr_core at;
	unsigned int calls;
};

static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	FIXTURE_DATA(library) *self = ctx;
	const struct tsr_semaphore sem = { .id = input->first_free_semaphore_id };
	const struct tsr_selector mover = { TSR_SELECT_DATA_MOVEMENT, NULL };
	struct tsr_core core[64];
	struct tsr_entry *entry;
	size_t n = tsr_coreset_cores(input->cores, core, 64);
	int err;

	self->calls++;
	err = tsr_resources_add_semaphore(res, &sem);
	if (!err)
		err = tsr_resources_add_entry(res, mover, &entry);
	if (!err)
		err = tsr_entry_define(entry, "FACTOR", "3u");
	for (size_t i = 0; !err && i < n; i++) {
		bool here = core[i].x == self->at.x && core[i].y == self->at.y;
		const int64_t words[] = { here ? self->what : DO_WRITE, (int64_t)i, sem.id };

		err = tsr_entry_add_words(entry, core[i].x, core[i].y, words, 3);
	}
	return err;
}

static int declare(FIXTURE_DATA(library) *self)
{
	const struct tsr_kernel_info kernel = {
		.name = "worker", .kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = TSR_PROCESSOR_DM1, .source_text = source,
	};
	const struct tsr_circular_buffer cb = { .id = 0, .page_size = 64, .page_count = 1 };
	int err;

	err = tsr_operation_new(self->dev, "all kinds", self->cores, &self->op);
	if (!err)
		err = tsr_operation_add_kernel(self->op, &kernel);
	if (!err)
		err = tsr_operation_add_circular_buffer(self->op, &cb);
	if (!err)
		err = tsr_operation_add_tensor(self->op, TSR_ACCESS_IN, self->count * 16);
	if (!err)
		err = tsr_operation_add_tensor(self->op, TSR_ACCESS_OUT, self->count * 16);
	return err ? err : tsr_operation_set_factory(self->op, factory, self, NULL);
}

FIXTURE_SETUP(library)
{
	char node[64];
	struct dev d;
	void *mem;

	ASSERT_EQ(0, soft_open(&d, "library", "no_progress_ms=300"));
	dev_close(&d);
	ASSERT_EQ(0, soft_node("library", node, sizeof(node)));
	ASSERT_EQ(0, tsr_device_open(node, &self->dev));
	EXPECT_STREQ("library", tsr_device_name(self->dev));
	ASSERT_EQ(0, tsr_context_new(self->dev, NULL, &self->context));
	self->cores = tsr_device_cores(self->dev);
	self->count = tsr_coreset_count(self->cores);
	ASSERT_EQ(0, tsr_buffer_new(self->dev, 4096, &self->in));
	ASSERT_EQ(0, tsr_buffer_map(self->in, &mem));
	self->in_mem = mem;
	ASSERT_EQ(0, tsr_buffer_new(self->dev, 4096, &self->out));
	ASSERT_EQ(0, tsr_buffer_map(self->out, &mem));
	self->out_mem = mem;
	ASSERT_EQ(0, declare(self));
}

FIXTURE_TEARDOWN(library)
{
	tsr_operation_unref(self->op);
	tsr_buffer_unref(self->in);
	tsr_buffer_unref(self->out);
	tsr_coreset_free(self->cores);
	tsr_context_unref(self->context);
	tsr_device_unref(self->dev);
	soft_remove("library");
}

static struct tsr_run *submit(struct __test_metadata *_metadata, FIXTURE_DATA(library) *self,
			      uint32_t what, struct tsr_core at)
{
	const struct tsr_submit_options options = {
		.flags = TSR_SUBMIT_PROFILE | TSR_SUBMIT_PRINT, .user_data = what,
	};
	const struct tsr_tensor tensors[] = { { .buffer = self->in }, { .buffer = self->out } };
	struct tsr_diag *diag = NULL;
	struct tsr_run *run;
	int err;

	self->what = what;
	self->at = at;
	err = tsr_submit(self->op, self->context, tensors, 2, &options, &run, &diag);
	tsr_diag_print(diag, stderr);
	ASSERT_EQ(0, err);
	return run;
}

/* The good case, which is also what must work after each bad one. */
static void check_good(struct __test_metadata *_metadata, FIXTURE_DATA(library) *self,
		       uint32_t start)
{
	struct tsr_run *run;

	for (size_t i = 0; i < self->count * 4; i++)
		self->in_mem[i] = start + i;
	memset(self->out_mem, 0xff, 4096);
	run = submit(_metadata, self, DO_WRITE, (struct tsr_core){ 0, 0 });
	ASSERT_EQ(0, tsr_run_wait(run, 20000000000));
	EXPECT_EQ(0, tsr_run_verdict(run));
	for (size_t i = 0; i < self->count; i++) {
		EXPECT_EQ(start + 4 * i + 3 * i, self->out_mem[4 * i]);
		EXPECT_EQ(start + 4 * i + 1, self->out_mem[4 * i + 1]);
	}
	EXPECT_EQ(0xffffffff, self->out_mem[self->count * 4]);
	tsr_run_unref(run);
}

static void check_bad(struct __test_metadata *_metadata, FIXTURE_DATA(library) *self,
		      uint32_t what, int verdict, struct tsr_status *ret)
{
	struct tsr_run *run = submit(_metadata, self, what, (struct tsr_core){ 3, 2 });
	char *text, expected[64];

	ASSERT_EQ(0, tsr_run_wait(run, 20000000000));
	EXPECT_EQ(verdict, tsr_run_verdict(run));
	ASSERT_EQ(0, tsr_run_status(run, ret));
	EXPECT_EQ(what, ret->user_data);
	EXPECT_EQ(TSR_CLASS_LOCAL, ret->failure_class);
	EXPECT_TRUE(ret->flags & TSR_STATUS_OUTPUTS_UNDEFINED);
	ASSERT_EQ(0, tsr_run_print(run, &text));
	snprintf(expected, sizeof(expected), "3,2 dm1: rank 11 does %u\n", what);
	EXPECT_NE(NULL, strstr(text, expected))
		TH_LOG("%s", text);
	free(text);
	tsr_run_unref(run);
	check_good(_metadata, self, what * 1000);
}

static void expect_fault(struct __test_metadata *_metadata, const struct tsr_status *s,
			 uint32_t cause)
{
	EXPECT_EQ(cause, s->fault.cause);
	EXPECT_EQ(3, s->fault.x);
	EXPECT_EQ(2, s->fault.y);
	EXPECT_EQ(TSR_PROCESSOR_DM1, s->fault.processor);
	EXPECT_NE(0, s->fault.pc);
	EXPECT_EQ(0, s->fault.kernel);
}

static void expect_stall(struct __test_metadata *_metadata, const struct tsr_status *s,
			 uint32_t stall_class)
{
	EXPECT_EQ(stall_class, s->stall.stall_class);
	EXPECT_EQ(3, s->stall.stuck_x);
	EXPECT_EQ(2, s->stall.stuck_y);
	EXPECT_EQ(TSR_PROCESSOR_DM1, s->stall.stuck_processor);
	EXPECT_NE(0, s->stall.stuck_pc);
	EXPECT_EQ(15, s->stall.cores_completed);
	EXPECT_EQ(16, s->stall.cores_total);
}

/* One test, for all of it is one program: built once, however it ends. */
TEST_F_TIMEOUT(library, one_program_and_all_its_ends, 120)
{
	struct tsr_library_stats stats;
	struct tsr_cache_stats cache;
	struct tsr_status s;

	ASSERT_EQ(16, self->count);
	check_good(_metadata, self, 7);
	check_bad(_metadata, self, DO_JUMP, -EIO, &s);
	expect_fault(_metadata, &s, TSR_FAULT_FETCH);
	EXPECT_EQ(0x40000000, s.fault.address);
	check_bad(_metadata, self, DO_UNBOUND, -EIO, &s);
	expect_fault(_metadata, &s, TSR_FAULT_BUFFER_UNBOUND);
	check_bad(_metadata, self, DO_ASSERT, -EIO, &s);
	expect_fault(_metadata, &s, TSR_FAULT_BREAKPOINT);
	check_bad(_metadata, self, DO_WAIT, -ETIME, &s);
	expect_stall(_metadata, &s, TSR_STALL_DEADLOCK);
	check_bad(_metadata, self, DO_LOOP, -ETIME, &s);
	expect_stall(_metadata, &s, TSR_STALL_RUNNING);

	/* Eleven executions: as many factory calls (RR-1), one build, and hits for the rest. */
	tsr_library_stats(self->dev, &stats);
	tsr_cache_stats(self->dev, &cache);
	EXPECT_EQ(11, self->calls);
	EXPECT_EQ(11, stats.factory_calls);
	EXPECT_EQ(1, stats.programs);
	EXPECT_EQ(10, cache.hits);
	EXPECT_EQ(11, stats.retired);
}

DEV_HARNESS_MAIN

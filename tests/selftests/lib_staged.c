// SPDX-License-Identifier: MIT
/* Program mode: host tensors, counted byte by byte (IO-1 .. IO-6). */
#include <malloc.h>
#include <pthread.h>

#include "common_lib.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	90

#define WORDS	16
#define BYTES	(WORDS * 4)

/* out = in + inout, inout = inout + 1; both are written before anything goes wrong. */
static const char source[] =
	"#include <tessera.h>\n"
	"static uint32_t in[16] __attribute__((aligned(16)));\n"
	"static uint32_t inout[16] __attribute__((aligned(16)));\n"
	"static uint32_t out[16] __attribute__((aligned(16)));\n"
	"void kernel_main(void)\n"
	"{\n"
	"	uint32_t what = get_arg_val(0);\n"
	"\n"
	"	if (what == 2)\n"
	"		for (;;)\n"
	"			__asm__ volatile(\"\");\n"
	"	noc_async_read(get_noc_addr_from_binding(0, 0), (uint32_t)in, 64);\n"
	"	noc_async_read(get_noc_addr_from_binding(1, 0), (uint32_t)inout, 64);\n"
	"	noc_async_read_barrier();\n"
	"	for (int i = 0; i < 16; i++) {\n"
	"		out[i] = in[i] + inout[i];\n"
	"		inout[i]++;\n"
	"	}\n"
	"	noc_async_write((uint32_t)inout, get_noc_addr_from_binding(1, 0), 64);\n"
	"	noc_async_write((uint32_t)out, get_noc_addr_from_binding(2, 0), 64);\n"
	"	noc_async_write_barrier();\n"
	"	if (what == 1)\n"
	"		noc_async_read(get_noc_addr_from_binding(3, 0), (uint32_t)in, 16);\n"
	"}\n";

enum { GOOD, FAULTS, LOOPS };

FIXTURE(staged) {
	struct tsr_device *dev;
	struct tsr_context *ctx;
	struct tsr_operation *op;
	int64_t what;
	uint32_t in[WORDS], inout[WORDS], out[WORDS];
	struct tsr_staged_tensor t[3];
	struct tsr_library_stats before;
	struct tsr_status status;
};

static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct tsr_selector mover = { TSR_SELECT_DATA_MOVEMENT, NULL };
	struct tsr_entry *entry;
	int err = tsr_resources_add_entry(res, mover, &entry);

	return err ? err : tsr_entry_set_common(entry, ctx, 1) ? -ENOMEM :
	       tsr_entry_add_words(entry, 0, 0, ctx, 1);
}

static int declare(FIXTURE_DATA(staged) *self)
{
	static const uint32_t access[] = { TSR_ACCESS_IN, TSR_ACCESS_INOUT, TSR_ACCESS_OUT };
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, 0, 0);
	struct tsr_kernel_info info = {
		.name = "adder",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.source_text = source,
	};
	int err = tsr_operation_new(self->dev, "host", cores, &self->op);

	if (!err)
		err = tsr_operation_add_kernel(self->op, &info);
	for (int i = 0; !err && i < 3; i++)
		err = tsr_operation_add_tensor(self->op, access[i], BYTES);
	if (!err)
		err = tsr_operation_set_factory(self->op, factory, &self->what, NULL);
	tsr_coreset_free(cores);
	return err;
}

FIXTURE_SETUP(staged)
{
	ASSERT_EQ(0, tsr_device_open(NULL, &self->dev));
	ASSERT_EQ(0, tsr_context_new(self->dev, NULL, &self->ctx));
	ASSERT_EQ(0, declare(self));
	for (uint32_t i = 0; i < WORDS; i++) {
		self->in[i] = 100 * i;
		self->inout[i] = i;
		self->out[i] = 0x55555555;
	}
	self->t[0] = (struct tsr_staged_tensor){ .memory = self->in, .size = BYTES };
	self->t[1] = (struct tsr_staged_tensor){ .memory = self->inout, .size = BYTES };
	self->t[2] = (struct tsr_staged_tensor){ .memory = self->out, .size = BYTES };
	tsr_library_stats(self->dev, &self->before);
}

FIXTURE_TEARDOWN(staged)
{
	tsr_operation_unref(self->op);
	tsr_context_unref(self->ctx);
	tsr_device_unref(self->dev);
}

static int submit(FIXTURE_DATA(staged) *self, struct tsr_run **ret_run)
{
	struct tsr_diag *diag = NULL;
	int err = tsr_submit_staged(self->op, self->ctx, self->t, 3, NULL, ret_run, &diag);

	if (err)
		tsr_diag_print(diag, stdout);
	tsr_diag_free(diag);
	return err;
}

static int finish(FIXTURE_DATA(staged) *self, struct tsr_run *run, struct tsr_transfer *ret)
{
	int err = tsr_run_wait(run, -1);

	if (!err)
		err = tsr_run_status(run, &self->status);
	if (!err && ret && tsr_run_transfers(run, ret, 3) != 3)
		err = -EPROTO;
	if (!err)
		err = tsr_run_verdict(run);
	tsr_run_unref(run);
	return err;
}

static int execute(FIXTURE_DATA(staged) *self, struct tsr_transfer *ret)
{
	struct tsr_run *run;
	int err = submit(self, &run);

	return err ? err : finish(self, run, ret);
}

static struct tsr_library_stats moved(FIXTURE_DATA(staged) *self)
{
	struct tsr_library_stats now;

	tsr_library_stats(self->dev, &now);
	now.bytes_to_device -= self->before.bytes_to_device;
	now.bytes_from_device -= self->before.bytes_from_device;
	now.staging_made -= self->before.staging_made;
	now.staging_reused -= self->before.staging_reused;
	return now;
}

#define EXPECT_MOVED(to, from) do {						\
	EXPECT_EQ(to, moved(self).bytes_to_device);				\
	EXPECT_EQ(from, moved(self).bytes_from_device);				\
} while (0)

TEST_F(staged, each_direction_moves_exactly_its_bytes)
{
	struct tsr_transfer moves[3];

	ASSERT_EQ(0, execute(self, moves));
	for (uint32_t i = 0; i < WORDS; i++) {
		EXPECT_EQ(100 * i, self->in[i]);
		EXPECT_EQ(i + 1, self->inout[i]);
		EXPECT_EQ(101 * i, self->out[i]);
	}
	/* More is a needless copy, less a missing one (IO-2). */
	EXPECT_EQ(BYTES, moves[0].to_device);
	EXPECT_EQ(0, moves[0].from_device);
	EXPECT_EQ(BYTES, moves[1].to_device);
	EXPECT_EQ(BYTES, moves[1].from_device);
	EXPECT_EQ(0, moves[2].to_device);
	EXPECT_EQ(BYTES, moves[2].from_device);
	EXPECT_MOVED(2 * BYTES, 2 * BYTES);
	EXPECT_EQ(TSR_STATUS_COPIED_BACK, self->status.flags & TSR_STATUS_COPIED_BACK);
	EXPECT_EQ(0, self->status.flags & TSR_STATUS_OUTPUTS_UNDEFINED);
}

/* The kernel has written both tensors on the device before it faults. */
TEST_F(staged, nothing_comes_back_after_a_failure)
{
	struct tsr_transfer moves[3];

	self->what = FAULTS;
	EXPECT_EQ(-EIO, execute(self, moves));
	EXPECT_STREQ("buffer-unbound", tsr_fault_name(self->status.fault.cause));
	for (uint32_t i = 0; i < WORDS; i++) {
		EXPECT_EQ(i, self->inout[i]);
		EXPECT_EQ(0x55555555, self->out[i]);
	}
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(0, moves[i].from_device);
	EXPECT_MOVED(2 * BYTES, 0);
	EXPECT_EQ(0, self->status.flags & TSR_STATUS_COPIED_BACK);
	EXPECT_EQ(TSR_STATUS_OUTPUTS_UNDEFINED,
		  self->status.flags & TSR_STATUS_OUTPUTS_UNDEFINED);
	/* What the failed run left on the device is not what the next one reads. */
	self->what = GOOD;
	EXPECT_EQ(0, execute(self, moves));
	EXPECT_EQ(101 * 7, self->out[7]);
}

TEST_F(staged, input_may_be_changed_when_submit_returns)
{
	struct tsr_run *run;

	ASSERT_EQ(0, submit(self, &run));
	memset(self->in, 0xff, sizeof(self->in));
	ASSERT_EQ(0, finish(self, run, NULL));
	EXPECT_EQ(101 * 9, self->out[9]);
}

TEST_F(staged, device_buffer_is_not_copied)
{
	struct tsr_transfer moves[3];
	struct tsr_buffer *buffer;
	uint32_t *mem;

	ASSERT_EQ(0, tsr_buffer_new(self->dev, 4096, &buffer));
	ASSERT_EQ(0, tsr_buffer_map(buffer, (void **)&mem));
	for (uint32_t i = 0; i < WORDS; i++)
		mem[4 + i] = 1000;
	self->t[0] = (struct tsr_staged_tensor){ .buffer = buffer, .offset = 16 };
	ASSERT_EQ(0, execute(self, moves));
	EXPECT_EQ(1003, self->out[3]);
	EXPECT_EQ(0, moves[0].to_device);
	EXPECT_MOVED(BYTES, 2 * BYTES);
	tsr_buffer_unref(buffer);
}

TEST_F(staged, staging_is_used_again_by_what_fits)
{
	static uint32_t large[3][8192];

	for (int i = 0; i < 10; i++)
		ASSERT_EQ(0, execute(self, NULL));
	EXPECT_EQ(1, moved(self).staging_made);
	EXPECT_EQ(9, moved(self).staging_reused);
	for (int i = 0; i < 3; i++) {
		self->t[i].memory = large[i];
		self->t[i].size = sizeof(large[i]);
	}
	ASSERT_EQ(0, execute(self, NULL));
	ASSERT_EQ(0, execute(self, NULL));
	EXPECT_EQ(2, moved(self).staging_made);
	EXPECT_EQ(10, moved(self).staging_reused);
	EXPECT_EQ(2, large[1][0]);
	self->t[2].size = BYTES;
	ASSERT_EQ(0, execute(self, NULL));
	EXPECT_EQ(2, moved(self).staging_made);
	EXPECT_EQ(2, large[2][0]);
}

TEST_F(staged, growing_fails_and_leaves_everything)
{
	struct tsr_counters before, after;
	struct tsr_run *run;

	ASSERT_EQ(0, execute(self, NULL));
	ASSERT_EQ(0, tsr_device_counters(self->dev, &before));
	self->t[2].size = UINT64_C(1) << 46;
	for (int i = 0; i < 20; i++)
		EXPECT_EQ(-ENOMEM, submit(self, &run));
	self->t[2].size = BYTES;
	ASSERT_EQ(0, execute(self, NULL));
	ASSERT_EQ(0, tsr_device_counters(self->dev, &after));
	EXPECT_EQ(before.buffers, after.buffers);
	EXPECT_EQ(1, moved(self).staging_made);
	/* Nothing of those that failed was staged. */
	EXPECT_MOVED(4 * BYTES, 4 * BYTES);
}

TEST_F(staged, runs_in_flight_do_not_share)
{
	struct tsr_run *blocked, *next;
	uint32_t other[WORDS] = { 0 };

	self->what = LOOPS;
	ASSERT_EQ(0, submit(self, &blocked));
	self->what = GOOD;
	self->t[2].memory = other;
	ASSERT_EQ(0, submit(self, &next));
	EXPECT_EQ(2, moved(self).staging_made);
	EXPECT_EQ(-EBUSY, tsr_run_transfers(next, NULL, 0));
	EXPECT_EQ(0, tsr_run_cancel(blocked));
	EXPECT_EQ(-ECANCELED, finish(self, blocked, NULL));
	ASSERT_EQ(0, finish(self, next, NULL));
	EXPECT_EQ(0x55555555, self->out[1]);
	EXPECT_EQ(101, other[1]);
	/* Both have come back. */
	ASSERT_EQ(0, submit(self, &blocked));
	ASSERT_EQ(0, submit(self, &next));
	EXPECT_EQ(0, finish(self, next, NULL));
	EXPECT_EQ(0, finish(self, blocked, NULL));
	EXPECT_EQ(2, moved(self).staging_made);
}

TEST_F(staged, wait_for_a_later_run_brings_the_earlier_outputs)
{
	struct tsr_run *first, *second;
	uint32_t other[WORDS] = { 0 };

	ASSERT_EQ(0, submit(self, &first));
	self->t[1].memory = self->in;
	self->t[2].memory = other;
	ASSERT_EQ(0, submit(self, &second));
	ASSERT_EQ(0, finish(self, second, NULL));
	EXPECT_EQ(101 * 5, self->out[5]);
	EXPECT_EQ(1000, other[5]);
	EXPECT_EQ(0, finish(self, first, NULL));
	EXPECT_MOVED(4 * BYTES, 4 * BYTES);
}

TEST_F(staged, detached_run_writes_to_nobodys_memory)
{
	struct tsr_run *run;

	ASSERT_EQ(0, submit(self, &run));
	tsr_run_unref(run);
	self->t[2].memory = self->in;
	self->t[1].memory = self->in;
	ASSERT_EQ(0, execute(self, NULL));
	EXPECT_EQ(0x55555555, self->out[0]);
	EXPECT_EQ(3, self->inout[3]);
	EXPECT_MOVED(4 * BYTES, 2 * BYTES);
}

/* The record of a run is lost, and the device cannot be reset: it might write on for ever. */
TEST_F(staged, memory_of_unproven_run_is_not_used_again)
{
	static const char name[] = "lib-staged";
	struct tsr_run *run;
	char node[64];

	tsr_operation_unref(self->op);
	tsr_context_unref(self->ctx);
	tsr_device_unref(self->dev);
	ASSERT_EQ(0, soft_create(name, ""));
	ASSERT_EQ(0, soft_node(name, node, sizeof(node)));
	ASSERT_EQ(0, tsr_device_open(node, &self->dev));
	ASSERT_EQ(0, tsr_context_new(self->dev, NULL, &self->ctx));
	ASSERT_EQ(0, declare(self));
	tsr_library_stats(self->dev, &self->before);
	ASSERT_EQ(0, execute(self, NULL));
	ASSERT_EQ(0, soft_write(name, "fault_plan", "record drop; reset fail count=0"));
	self->out[0] = 0x55555555;
	EXPECT_EQ(-EIO, execute(self, NULL));
	EXPECT_EQ(TSR_PHASE_QUARANTINED, self->status.phase);
	EXPECT_EQ(0, self->status.flags & TSR_STATUS_COPIED_BACK);
	EXPECT_EQ(0x55555555, self->out[0]);
	EXPECT_EQ(1, moved(self).staging_made);
	/* The device takes nothing any more, but what is staged for it would be in new memory. */
	EXPECT_EQ(-EIO, submit(self, &run));
	EXPECT_EQ(2, moved(self).staging_made);
	EXPECT_EQ(-EIO, tsr_device_reset(self->dev, NULL));
	EXPECT_EQ(0, soft_remove(name));
}

struct observer {
	struct tsr_run *run;
	const uint8_t *last;
	bool early;
};

static void *observe(void *arg)
{
	struct observer *o = arg;

	tsr_run_wait(o->run, -1);
	o->early = *o->last != 0;
	return NULL;
}

/* Whoever comes back from a wait has the outputs, whichever thread copied them. */
TEST_F(staged, no_observer_is_early)
{
	size_t size = 1 << 20;
	uint8_t *large = malloc(size);
	struct observer o[4];
	pthread_t threads[4];

	self->t[2].memory = large;
	self->t[2].size = size;
	for (int i = 0; i < 8; i++) {
		struct tsr_run *run;

		large[size - 1] = 0x55;
		ASSERT_EQ(0, submit(self, &run));
		for (int t = 0; t < 4; t++) {
			o[t] = (struct observer){ run, large + size - 1, false };
			ASSERT_EQ(0, pthread_create(&threads[t], NULL, observe, &o[t]));
		}
		for (int t = 0; t < 4; t++) {
			ASSERT_EQ(0, pthread_join(threads[t], NULL));
			ASSERT_EQ(false, o[t].early);
		}
		ASSERT_EQ(0, finish(self, run, NULL));
	}
	/* Copied once each, though four looked. */
	EXPECT_MOVED(8 * 2 * BYTES, 8 * (BYTES + size));
	free(large);
}

TEST_F(staged, thousand_runs_do_not_grow_memory)
{
	struct tsr_counters before, after;
	size_t heap = 0;

	for (int i = 0; i < 1050; i++) {
		self->what = i % 100 ? GOOD : FAULTS;
		ASSERT_EQ(i % 100 ? 0 : -EIO, execute(self, NULL));
		if (i == 49) {
			heap = mallinfo2().uordblks;
			ASSERT_EQ(0, tsr_device_counters(self->dev, &before));
		}
	}
	ASSERT_EQ(0, tsr_device_counters(self->dev, &after));
	EXPECT_EQ(heap, mallinfo2().uordblks);
	EXPECT_EQ(before.buffers, after.buffers);
	EXPECT_EQ(before.programs, after.programs);
	EXPECT_EQ(1, moved(self).staging_made);
}

TEST_HARNESS_MAIN

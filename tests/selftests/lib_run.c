// SPDX-License-Identifier: MIT
/* Runs through the library: words, verdicts, fences, waiting, diagnostics. */
#include <poll.h>
#include <sys/wait.h>

#include "common_lib.h"
#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	90

FIXTURE(run) {
	struct lib l;
	struct tsr_status status;
};

FIXTURE_SETUP(run)
{
	ASSERT_EQ(0, lib_open(&self->l));
}

FIXTURE_TEARDOWN(run)
{
	lib_close(&self->l);
}

TEST_F(run, each_core_reads_its_words)
{
	self->l.word = 42;
	self->l.extra = 3;
	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	EXPECT_EQ(TSR_PHASE_RETIRED, self->status.phase);
	EXPECT_EQ(0, self->status.code);
	for (unsigned int rank = 0; rank < 4; rank++) {
		EXPECT_EQ(rank ? 2 : 5, lib_slot(&self->l, rank)[0]);
		EXPECT_EQ(1, lib_slot(&self->l, rank)[1]);
		EXPECT_EQ(42, lib_slot(&self->l, rank)[2]);
		EXPECT_EQ(1042, lib_slot(&self->l, rank)[3]);
	}
}

/* The same structure, new words each time: stale ones would be those of the run before (PC-2). */
TEST_F(run, a_hit_brings_all_words_anew)
{
	struct tsr_cache_stats cache;

	for (int i = 1; i <= 3; i++) {
		self->l.word = -i;
		ASSERT_EQ(0, lib_run(&self->l, &self->status));
		for (unsigned int rank = 0; rank < 4; rank++)
			EXPECT_EQ((uint32_t)-i, lib_slot(&self->l, rank)[2]);
	}
	tsr_cache_stats(self->l.dev, &cache);
	EXPECT_EQ(1, cache.builds);
	EXPECT_EQ(2, cache.hits);
	EXPECT_EQ(1, lib_stats(&self->l).programs);
	EXPECT_EQ(3, lib_stats(&self->l).factory_calls);
}

TEST_F(run, a_core_without_words_reads_none)
{
	self->l.word = 5;
	self->l.extra = 9;
	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	self->l.cores = 2;
	self->l.extra = 0;
	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	EXPECT_EQ(2, lib_slot(&self->l, 0)[0]);
	EXPECT_EQ(2, lib_slot(&self->l, 1)[0]);
	EXPECT_EQ(0, lib_slot(&self->l, 2)[0]);
	EXPECT_EQ(0, lib_slot(&self->l, 2)[2]);
	EXPECT_EQ(0, lib_slot(&self->l, 3)[0]);
}

TEST_F(run, the_library_compiles_with_definitions)
{
	lib_close(&self->l);
	ASSERT_EQ(0, lib_open_source(&self->l, "3"));
	self->l.word = 5;
	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	EXPECT_EQ(15, lib_slot(&self->l, 0)[2]);
	EXPECT_EQ(1, lib_stats(&self->l).compiles);
}

TEST_F(run, faults_name_core_processor_and_pc)
{
	struct tsr_limits limits;

	tsr_device_limits(self->l.dev, &limits);
	self->l.what = LIB_JUMP;
	self->l.cores = 1;
	EXPECT_EQ(-EIO, lib_run(&self->l, &self->status));
	EXPECT_STREQ("fault", tsr_code_name(self->status.code));
	EXPECT_STREQ("fetch", tsr_fault_name(self->status.fault.cause));
	EXPECT_EQ(0, self->status.fault.x);
	EXPECT_EQ(0, self->status.fault.y);
	EXPECT_EQ(TSR_PROCESSOR_DM0, self->status.fault.processor);
	self->l.what = LIB_UNBOUND;
	EXPECT_EQ(-EIO, lib_run(&self->l, &self->status));
	EXPECT_STREQ("buffer-unbound", tsr_fault_name(self->status.fault.cause));
	EXPECT_GE(self->status.fault.pc, limits.image_base[0]);
	EXPECT_LT(self->status.fault.pc, limits.image_base[0] + limits.image_slot);
	self->l.what = LIB_REPORT;
	EXPECT_EQ(0, lib_run(&self->l, &self->status));
}

TEST_F(run, a_semaphore_that_nobody_raises_is_a_deadlock)
{
	self->l.what = LIB_WAIT;
	EXPECT_EQ(-ETIME, lib_run(&self->l, &self->status));
	EXPECT_STREQ("no-progress", tsr_code_name(self->status.code));
	EXPECT_STREQ("deadlock", tsr_stall_name(self->status.stall.stall_class));
	EXPECT_EQ(4, self->status.stall.waiting);
	self->l.what = LIB_REPORT;
	EXPECT_EQ(0, lib_run(&self->l, &self->status));
}

TEST_F(run, a_wait_that_expires_leaves_the_run_live)
{
	struct tsr_run *run;

	self->l.what = LIB_LOOP;
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &run));
	EXPECT_EQ(-ETIME, tsr_run_wait(run, 1000000));
	EXPECT_EQ(-EBUSY, tsr_run_verdict(run));
	ASSERT_EQ(0, tsr_run_status(run, &self->status));
	EXPECT_NE(TSR_PHASE_RETIRED, self->status.phase);
	EXPECT_EQ(0, tsr_run_cancel(run));
	EXPECT_EQ(0, tsr_run_wait(run, -1));
	EXPECT_EQ(-ECANCELED, tsr_run_verdict(run));
	EXPECT_EQ(0, tsr_run_cancel(run));
	ASSERT_EQ(0, tsr_run_status(run, &self->status));
	EXPECT_STREQ("stopped", tsr_code_name(self->status.code));
	tsr_run_unref(run);
}

TEST_F(run, fences_order_runs_and_the_file_polls)
{
	struct tsr_sync in = { 0 }, out = { 0 };
	struct tsr_submit_options options = { .in_count = 1, .in_syncs = &in, .out_count = 1,
					      .out_syncs = &out, .user_data = 77 };
	int fd = tsr_device_fd(self->l.dev), file;
	struct tsr_run *run;
	struct pollfd poll_file = { .events = POLLIN };

	ASSERT_EQ(0, drmSyncobjCreate(fd, 0, &in.handle));
	ASSERT_EQ(0, drmSyncobjCreate(fd, 0, &out.handle));
	/* An in-fence must be there: one that is signalled lets the run start. */
	ASSERT_EQ(0, drmSyncobjSignal(fd, &in.handle, 1));
	ASSERT_EQ(0, lib_submit(&self->l, &options, &run));
	ASSERT_EQ(0, tsr_run_fd(run, &file));
	poll_file.fd = file;
	EXPECT_EQ(1, poll(&poll_file, 1, 30000));
	EXPECT_EQ(0, tsr_run_wait(run, 0));
	EXPECT_EQ(0, drmSyncobjWait(fd, &out.handle, 1, 0, 0, NULL));
	ASSERT_EQ(0, tsr_run_status(run, &self->status));
	EXPECT_EQ(77, self->status.user_data);
	EXPECT_EQ(tsr_run_id(run), self->status.run_id);
	close(file);
	tsr_run_unref(run);
	drmSyncobjDestroy(fd, in.handle);
	drmSyncobjDestroy(fd, out.handle);
}

TEST_F(run, a_full_queue_refuses_who_does_not_wait)
{
	struct tsr_context_options small = { .queue_capacity = 2 };
	struct tsr_submit_options nonblock = { .flags = TSR_SUBMIT_NONBLOCK };
	struct tsr_run *runs[3];

	tsr_context_unref(self->l.ctx);
	ASSERT_EQ(0, tsr_context_new(self->l.dev, &small, &self->l.ctx));
	self->l.what = LIB_LOOP;
	ASSERT_EQ(0, lib_submit(&self->l, &nonblock, &runs[0]));
	ASSERT_EQ(0, lib_submit(&self->l, &nonblock, &runs[1]));
	EXPECT_EQ(-EAGAIN, lib_submit(&self->l, &nonblock, &runs[2]));
	EXPECT_EQ(TSR_STAGE_SUBMIT, tsr_diag_stage(self->l.diag));
	EXPECT_EQ(1, lib_stats(&self->l).submit_refusals);
	for (int i = 1; i >= 0; i--)
		EXPECT_EQ(0, tsr_run_cancel(runs[i]));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(0, tsr_run_wait(runs[i], -1));
		EXPECT_EQ(-ECANCELED, tsr_run_verdict(runs[i]));
		tsr_run_unref(runs[i]);
	}
}

TEST_F(run, figures_and_print)
{
	struct tsr_submit_options options = { .flags = TSR_SUBMIT_PROFILE | TSR_SUBMIT_PRINT };
	struct tsr_processor_stats *stats;
	struct tsr_run *run, *plain;
	char *text;
	size_t n;

	self->l.what = LIB_PRINT;
	self->l.word = 12;
	ASSERT_EQ(0, lib_submit(&self->l, &options, &run));
	ASSERT_EQ(0, tsr_run_wait(run, -1));
	EXPECT_EQ(0, tsr_run_verdict(run));
	ASSERT_EQ(0, tsr_run_processors(run, &stats, &n));
	ASSERT_EQ(4, n);
	EXPECT_EQ(1, stats[1].x);
	EXPECT_EQ(0, stats[1].y);
	EXPECT_GT(stats[0].instructions, 10);
	EXPECT_EQ(16, stats[0].noc_written);
	free(stats);
	ASSERT_EQ(0, tsr_run_print(run, &text));
	EXPECT_NE(NULL, strstr(text, "0,1 dm0: hello 12\n"));
	free(text);
	tsr_run_unref(run);
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &plain));
	ASSERT_EQ(0, tsr_run_wait(plain, -1));
	EXPECT_EQ(-EOPNOTSUPP, tsr_run_processors(plain, &stats, &n));
	EXPECT_EQ(-EOPNOTSUPP, tsr_run_print(plain, &text));
	tsr_run_unref(plain);
}

TEST_F(run, buffers_are_shared_through_dma_buf)
{
	struct tsr_buffer *same, *imported;
	struct lib other;
	uint32_t *mem;
	int fd;

	ASSERT_EQ(0, lib_open(&other));
	ASSERT_EQ(0, tsr_buffer_export(self->l.buffer, &fd));
	ASSERT_EQ(0, tsr_buffer_import(self->l.dev, fd, &same));
	EXPECT_EQ(self->l.buffer, same);
	tsr_buffer_unref(same);
	ASSERT_EQ(0, tsr_buffer_import(other.dev, fd, &imported));
	EXPECT_EQ(4096, tsr_buffer_size(imported));
	close(fd);
	ASSERT_EQ(0, tsr_buffer_map(imported, (void **)&mem));
	tsr_buffer_unref(other.buffer);
	other.buffer = imported;
	other.word = 9;
	ASSERT_EQ(0, lib_run(&other, &self->status));
	EXPECT_EQ(9, mem[2]);
	EXPECT_EQ(9, lib_slot(&self->l, 0)[2]);
	lib_close(&other);
}

TEST_F(run, a_child_is_refused_and_harms_nothing)
{
	struct tsr_run *run;
	int status;
	pid_t pid;

	self->l.what = LIB_LOOP;
	ASSERT_EQ(0, lib_submit(&self->l, NULL, &run));
	pid = fork();
	if (!pid) {
		struct tsr_run *other;
		int bad = tsr_run_wait(run, -1) != -EPERM || tsr_run_cancel(run) != -EPERM ||
			  tsr_run_status(run, &self->status) != -EPERM ||
			  lib_submit(&self->l, NULL, &other) != -EPERM;

		tsr_run_unref(run);
		lib_close(&self->l);
		_exit(bad);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(-EBUSY, tsr_run_verdict(run));
	EXPECT_EQ(0, tsr_run_cancel(run));
	EXPECT_EQ(0, tsr_run_wait(run, -1));
	tsr_run_unref(run);
	self->l.what = LIB_REPORT;
	EXPECT_EQ(0, lib_run(&self->l, &self->status));
}

TEST(opening_what_is_no_device)
{
	struct tsr_device *dev;

	EXPECT_EQ(-ENOENT, tsr_device_open("/dev/accel/accel250", &dev));
	EXPECT_EQ(-ENODEV, tsr_device_open("/dev/null", &dev));
}

TEST_F(run, counters_of_device_and_context)
{
	struct tsr_counters device, context;
	struct tsr_device_state state;

	ASSERT_EQ(0, lib_run(&self->l, &self->status));
	ASSERT_EQ(0, tsr_device_counters(self->l.dev, &device));
	ASSERT_EQ(0, tsr_context_counters(self->l.ctx, &context));
	EXPECT_EQ(1, context.runs_accepted);
	EXPECT_EQ(1, context.runs_retired);
	EXPECT_GE(device.runs_retired, 1);
	ASSERT_EQ(0, tsr_device_state(self->l.dev, &state));
	EXPECT_STREQ("good", tsr_health_name(state.health));
	EXPECT_EQ(self->status.context_id, tsr_context_id(self->l.ctx));
}

LIB_HARNESS_MAIN

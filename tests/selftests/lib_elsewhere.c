// SPDX-License-Identifier: MIT
/* One operation executed on the device, on the host engine, and as a runner in another process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tessera/tessera.h>
#include <unistd.h>

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	90

#define ROW	64	/* bytes of each tensor for a core */

/* Each core mixes its row with its rank, its words and what its neighbour sends. */
static const char source[] =
	"#include <tessera.h>\n"
	"enum { IN, OUT };\n"
	"void kernel_main(void)\n"
	"{\n"
	"	uint32_t n = get_arg_count(), rank = get_arg_val(n - 2), cores = get_arg_val(n - 1);\n"
	"	uint32_t next = (rank + 1) % cores, row = get_write_ptr(0), box = get_write_ptr(1);\n"
	"	uint32_t x = next % 2, y = next / 2, own = n > 2 ? get_arg_val(0) : 5;\n"
	"	volatile uint32_t *v = (volatile uint32_t *)row, *w = (volatile uint32_t *)box;\n"
	"	noc_async_read_page(rank, tensor_accessor(IN, 64), row);\n"
	"	noc_async_read_barrier();\n"
	"	noc_async_write(row, get_noc_addr(x, y, box), 64);\n"
	"	noc_async_write_barrier();\n"
	"	noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);\n"
	"	noc_async_atomic_barrier();\n"
	"	noc_semaphore_wait_min(get_semaphore_ptr(0), 1);\n"
	"	for (uint32_t i = 0; i < 16; i++)\n"
	"		v[i] = v[i] * 7 + w[i] + rank * own + get_seed();\n"
	"	noc_async_write_page(rank, tensor_accessor(OUT, 64), row);\n"
	"	noc_async_write_barrier();\n"
	"	DPRINT(\"rank {}\\n\", rank);\n"
	"}\n";

FIXTURE(elsewhere) {
	struct tsr_device *dev;
	struct tsr_context *ctx;
	struct tsr_operation *op;
	struct tsr_buffer *in, *out;
	uint32_t *from, *to;
};

static int declare(struct tsr_device *dev, struct tsr_operation **ret_op)
{
	static const uint32_t appended[] = { TSR_APPENDED_RANK, TSR_APPENDED_CORES };
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, 1, 1);
	struct tsr_kernel_info info = {
		.name = "mix", .kind = TSR_KERNEL_DATA_MOVEMENT, .source_text = source,
		.appended = appended, .appended_count = 2,
	};
	int err = tsr_operation_new(dev, "mix", cores, ret_op);

	tsr_coreset_free(cores);
	if (!err)
		err = tsr_operation_add_kernel(*ret_op, &info);
	for (uint32_t id = 0; !err && id < 2; id++)
		err = tsr_operation_add_circular_buffer(*ret_op, &(struct tsr_circular_buffer){
			.id = id, .page_size = ROW, .page_count = 1 });
	if (!err)
		err = tsr_operation_add_semaphore(*ret_op, 0, 0, NULL);
	if (!err)
		err = tsr_operation_add_tensor(*ret_op, TSR_ACCESS_IN, 4 * ROW);
	return err ? err : tsr_operation_add_tensor(*ret_op, TSR_ACCESS_OUT, 4 * ROW);
}

static int open_all(struct _test_data_elsewhere *self)
{
	int err = tsr_device_open(NULL, &self->dev);

	if (!err)
		err = tsr_context_new(self->dev, NULL, &self->ctx);
	if (!err)
		err = tsr_buffer_new(self->dev, 4 * ROW, &self->in);
	if (!err)
		err = tsr_buffer_new(self->dev, 4 * ROW, &self->out);
	if (!err)
		err = tsr_buffer_map(self->in, (void **)&self->from);
	if (!err)
		err = tsr_buffer_map(self->out, (void **)&self->to);
	for (uint32_t i = 0; !err && i < ROW; i++)
		self->from[i] = i * 2654435761u;
	return err;
}

FIXTURE_SETUP(elsewhere)
{
	ASSERT_EQ(0, open_all(self));
	ASSERT_EQ(0, declare(self->dev, &self->op));
}

static void close_all(struct _test_data_elsewhere *self)
{
	tsr_buffer_unref(self->in);
	tsr_buffer_unref(self->out);
	tsr_operation_unref(self->op);
	tsr_context_unref(self->ctx);
	tsr_device_unref(self->dev);
}

FIXTURE_TEARDOWN(elsewhere)
{
	close_all(self);
}

static int finish(struct tsr_run *run)
{
	int err = tsr_run_wait(run, -1);

	return err ? err : tsr_run_verdict(run);
}

TEST_F(elsewhere, the_host_engine_gives_what_the_device_gives)
{
	const struct tsr_tensor tensors[] = { { .buffer = self->in }, { .buffer = self->out } };
	const struct tsr_submit_options options = { .flags = TSR_SUBMIT_PROFILE |
							     TSR_SUBMIT_PRINT };
	uint32_t out[ROW] = { 0 };
	const struct tsr_host_tensor host[] = { { .mem = self->from, .size = 4 * ROW },
						{ .mem = out, .size = sizeof(out) } };
	const struct tsr_processor_stats *golden;
	struct tsr_processor_stats *figures;
	struct tsr_host_run *host_run;
	struct tsr_diag *diag = NULL;
	struct tsr_run *run;
	size_t n, golden_n;

	ASSERT_EQ(0, tsr_submit(self->op, self->ctx, tensors, 2, &options, &run, &diag)) {
		tsr_diag_print(diag, stdout);
	}
	ASSERT_EQ(0, finish(run));
	ASSERT_EQ(0, tsr_host_execute(self->op, host, 2, &host_run, &diag));
	ASSERT_EQ(0, tsr_host_run_verdict(host_run));
	EXPECT_NE(0, out[1]);
	EXPECT_EQ(0, memcmp(out, self->to, sizeof(out)));
	ASSERT_EQ(0, tsr_run_processors(run, &figures, &n));
	golden = tsr_host_run_processors(host_run, &golden_n);
	ASSERT_EQ(golden_n, n);
	for (size_t i = 0; i < n; i++) {
		EXPECT_EQ(golden[i].x, figures[i].x);
		EXPECT_EQ(golden[i].y, figures[i].y);
		EXPECT_EQ(golden[i].instructions, figures[i].instructions);
		EXPECT_EQ(golden[i].noc_read, figures[i].noc_read);
		EXPECT_EQ(golden[i].noc_written, figures[i].noc_written);
	}
	EXPECT_NE(NULL, strstr(tsr_host_run_print(host_run), "1,1 dm0: rank 3\n"));
	free(figures);
	tsr_host_run_free(host_run);
	tsr_run_unref(run);
}

static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	const int64_t *word = ctx;
	struct tsr_entry *entry;
	int err = tsr_resources_add_entry(res, (struct tsr_selector){ TSR_SELECT_DATA_MOVEMENT,
								      NULL }, &entry);

	for (uint16_t i = 0; !err && i < 4; i++)
		err = tsr_entry_add_words(entry, i % 2, i / 2, word, 1);
	return err;
}

/* With words: what a core gives depends on them. */
static uint32_t expected(const uint32_t *in, uint32_t rank, uint32_t i, uint32_t word, uint32_t seed)
{
	return in[rank * 16 + i] * 7 + in[(rank + 3) % 4 * 16 + i] + rank * word + seed;
}

static int run_elsewhere(const char *path)
{
	struct _test_data_elsewhere self = { 0 };
	struct tsr_library_stats stats;
	struct tsr_device_state state;
	struct tsr_runner *runner;
	struct tsr_run *run;
	int err = open_all(&self);

	setenv("TESSERA_CC", "/nonexistent", 1);
	if (err || tsr_runner_load(self.dev, path, &runner, NULL) ||
	    tsr_device_state(self.dev, &state))
		return 1;
	for (int64_t word = 11; word < 14; word++) {
		const struct tsr_tensor tensors[] = { { .buffer = self.in },
						      { .buffer = self.out } };

		if (tsr_runner_submit(runner, self.ctx, tensors, 2, NULL, factory, &word, &run,
				      NULL) || finish(run))
			return 2;
		tsr_run_unref(run);
		for (uint32_t i = 0; i < ROW; i++)
			if (self.to[i] != expected(self.from, i / 16, i % 16, (uint32_t)word,
						   state.seed))
				return 3;
	}
	tsr_library_stats(self.dev, &stats);
	/* One program for three executions, no compiler, the factory every time (RN-2). */
	if (stats.factory_calls != 3 || stats.programs != 1 || stats.compiles)
		return 4;
	if (tsr_runner_submit(runner, self.ctx, NULL, 0, NULL, NULL, NULL, &run, NULL) != -EINVAL)
		return 5;
	tsr_runner_unref(runner);
	close_all(&self);
	return 0;
}

TEST_F(elsewhere, a_runner_in_another_process)
{
	const struct tsr_tensor tensors[] = { { .buffer = self->in }, { .buffer = self->out } };
	char path[] = "/tmp/tsr-runner-XXXXXX";
	struct tsr_diag *diag = NULL;
	int64_t word = 3;
	int status;
	pid_t pid;

	close(mkstemp(path));
	ASSERT_EQ(0, tsr_operation_set_factory(self->op, factory, &word, NULL));
	ASSERT_EQ(0, tsr_runner_save(self->op, tensors, 2, path, &diag)) {
		tsr_diag_print(diag, stdout);
	}
	pid = fork();
	if (!pid)
		_exit(run_elsewhere(path));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	unlink(path);
}

TEST_F(elsewhere, images_on_disk_serve_the_next_process)
{
	char dir[] = "/tmp/tsr-cache-XXXXXX";
	struct tsr_image_cache_stats cache;

	ASSERT_NE(NULL, mkdtemp(dir));
	unsetenv("TESSERA_IMAGE_CACHE");
	setenv("XDG_CACHE_HOME", dir, 1);
	for (int i = 0; i < 2; i++) {
		struct tsr_library_stats stats;
		struct tsr_device *dev;
		struct tsr_operation *op;
		struct tsr_context *ctx;
		struct tsr_buffer *in, *out;
		struct tsr_run *run;

		ASSERT_EQ(0, tsr_device_open(NULL, &dev));
		ASSERT_EQ(0, tsr_context_new(dev, NULL, &ctx));
		ASSERT_EQ(0, tsr_buffer_new(dev, 4 * ROW, &in));
		ASSERT_EQ(0, tsr_buffer_new(dev, 4 * ROW, &out));
		ASSERT_EQ(0, declare(dev, &op));
		ASSERT_EQ(0, tsr_submit(op, ctx, (struct tsr_tensor[]){ { .buffer = in },
					{ .buffer = out } }, 2, NULL, &run, NULL));
		EXPECT_EQ(0, finish(run));
		tsr_library_stats(dev, &stats);
		/* 1 the second time would mean that the image was not kept. */
		EXPECT_EQ(!i, stats.compiles);
		tsr_run_unref(run);
		tsr_buffer_unref(in);
		tsr_buffer_unref(out);
		tsr_operation_unref(op);
		tsr_context_unref(ctx);
		tsr_device_unref(dev);
	}
	ASSERT_EQ(0, tsr_image_cache_stats(&cache));
	EXPECT_EQ(1, cache.entries);
	EXPECT_EQ(1, cache.hits);
	EXPECT_EQ(0, tsr_image_cache_clear());
}

TEST_HARNESS_MAIN

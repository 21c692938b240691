// SPDX-License-Identifier: MIT
/* The host engine (EX-1): the examples' kernels, what it refuses, and how executions end. */
#include <errno.h>
#include <fenv.h>
#include <unistd.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <drm/tessera_codes.h>

#include "common_plain.h"
#include "device_int.h"
#include "kselftest_harness.h"

FIXTURE(host) {
	struct tsr_device *dev;
	struct tsr_operation *op;
	struct tsr_host_run *run;
	struct tsr_diag *diag;
};

FIXTURE_SETUP(host)
{
	setenv("TESSERA_IMAGE_CACHE", "off", 1);
	ASSERT_EQ(0, tsr_host_open(NULL, &self->dev));
}

FIXTURE_TEARDOWN(host)
{
	tsr_host_run_free(self->run);
	tsr_diag_free(self->diag);
	tsr_operation_unref(self->op);
	tsr_device_unref(self->dev);
}

static uint32_t random_word(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* One kernel on core (0,0). */
static int declare(struct tsr_device *dev, const char *text, struct tsr_operation **ret_op)
{
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, 0, 0);
	struct tsr_kernel_info info = {
		.name = "k",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = TSR_PROCESSOR_DM0,
		.source_text = text,
	};
	int err = tsr_operation_new(dev, "one", cores, ret_op);

	tsr_coreset_free(cores);
	return err ? err : tsr_operation_add_kernel(*ret_op, &info);
}

#define EXECUTE(tensors, n) \
	tsr_host_execute(self->op, tensors, n, &self->run, &self->diag)

/* ---- The examples ------------------------------------------------------------------------- */

TEST_F(host, collective)
{
	enum { CORES = 16, WORDS = 8 * CORES };
	static uint32_t in[CORES][WORDS], out[CORES][WORDS];
	const struct tsr_host_tensor tensors[] = { { in, sizeof(in) }, { out, sizeof(out) } };
	const struct tsr_processor_stats *figures;
	uint32_t seed = 1;
	size_t n;

	for (int i = 0; i < CORES * WORDS; i++)
		in[i / WORDS][i % WORDS] = random_word(&seed);
	ASSERT_EQ(0, plain_ring(self->dev, 32, &self->op));
	ASSERT_EQ(0, EXECUTE(tensors, 2));
	ASSERT_EQ(0, tsr_host_run_verdict(self->run)) {
		tsr_status_print(tsr_host_run_status(self->run), stdout);
	}
	for (int w = 0; w < WORDS; w++) {
		uint32_t sum = 0;

		for (int rank = 0; rank < CORES; rank++)
			sum += in[rank][w];
		for (int rank = 0; rank < CORES; rank++)
			ASSERT_EQ(sum, out[rank][w]);
	}
	figures = tsr_host_run_processors(self->run, &n);
	ASSERT_EQ(CORES, n);
	EXPECT_LT(100, figures[15].instructions);
	EXPECT_EQ(3, figures[15].x);
	EXPECT_EQ(3, figures[15].y);
	EXPECT_STREQ("", tsr_host_run_print(self->run));
}

static uint16_t bf16(int32_t v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return (uint16_t)(bits >> 16);
}

static size_t at(uint32_t tiles, uint32_t row, uint32_t column)
{
	return (row / 32 * tiles + column / 32) * 1024 + row % 32 * 32 + column % 32;
}

TEST_F(host, matmul)
{
	enum { M = 3, N = 7, K = 2 };
	static uint16_t a[M * K * 1024], b[K * N * 1024];
	static float c[M * N * 1024];
	const struct tsr_host_tensor tensors[] = {
		{ a, sizeof(a) }, { b, sizeof(b) }, { c, sizeof(c) },
	};

	for (uint32_t i = 0; i < M * 32; i++)
		for (uint32_t k = 0; k < K * 32; k++)
			a[at(K, i, k)] = bf16((int32_t)((i * 5 + k * 3) % 11) - 5);
	for (uint32_t k = 0; k < K * 32; k++)
		for (uint32_t j = 0; j < N * 32; j++)
			b[at(N, k, j)] = bf16((int32_t)((k * 7 + j * 2) % 13) - 6);
	ASSERT_EQ(0, plain_matmul(self->dev, M, N, K, &self->op));
	ASSERT_EQ(0, EXECUTE(tensors, 3));
	ASSERT_EQ(0, tsr_host_run_verdict(self->run));
	for (uint32_t i = 0; i < M * 32; i++)
		for (uint32_t j = 0; j < N * 32; j++) {
			int32_t sum = 0;

			for (uint32_t k = 0; k < K * 32; k++)
				sum += ((int32_t)((i * 5 + k * 3) % 11) - 5) *
				       ((int32_t)((k * 7 + j * 2) % 13) - 6);
			ASSERT_EQ(sum, (int32_t)c[at(N, i, j)]);
		}
}

static int32_t pixel(uint8_t (*p)[64], int32_t y, int32_t x)
{
	return p[y < 0 ? 0 : y > 15 ? 15 : y][x < 0 ? 0 : x > 63 ? 63 : x];
}

TEST_F(host, filter)
{
	static uint8_t in[16][64], out[16][64];
	const struct tsr_host_tensor tensors[] = { { in, sizeof(in) }, { out, sizeof(out) } };
	uint32_t seed = 3;

	for (int i = 0; i < 16 * 64; i++)
		in[i / 64][i % 64] = (uint8_t)random_word(&seed);
	ASSERT_EQ(0, plain_filter(self->dev, 64, &self->op));
	ASSERT_EQ(0, EXECUTE(tensors, 2));
	ASSERT_EQ(0, tsr_host_run_verdict(self->run)) {
		tsr_status_print(tsr_host_run_status(self->run), stdout);
	}
	for (int32_t y = 0; y < 16; y++)
		for (int32_t x = 0; x < 64; x++) {
			int32_t sum = 0;

			for (int32_t i = 0; i < 9; i++)
				sum += pixel(in, y + i / 3 - 1, x + i % 3 - 1) *
				       (i == 4 ? 4 : i % 2 ? 2 : 1);
			ASSERT_EQ(sum >> 4, out[y][x]);
		}
}

TEST_F(host, equal_inputs_give_equal_cycles)
{
	static uint32_t in[16 * 16 * 4], out[16 * 16 * 4];
	const struct tsr_host_tensor tensors[] = { { in, sizeof(in) }, { out, sizeof(out) } };
	uint64_t cycles[2][16];

	ASSERT_EQ(0, plain_ring(self->dev, 16, &self->op));
	for (int i = 0; i < 2; i++) {
		const struct tsr_processor_stats *figures;
		size_t n;

		ASSERT_EQ(0, EXECUTE(tensors, 2));
		figures = tsr_host_run_processors(self->run, &n);
		for (size_t k = 0; k < n; k++)
			cycles[i][k] = figures[k].cycles;
		self->run = tsr_host_run_free(self->run);
	}
	EXPECT_EQ(0, memcmp(cycles[0], cycles[1], sizeof(cycles[0])));
}

TEST_F(host, other_grids)
{
	struct tsr_coreset *harvested = tsr_coreset_new_rect(1, 1, 1, 1);
	const struct tsr_host_options options = {
		.grid_width = 3, .grid_height = 2, .l1_size = 256 << 10, .image_slot = 16 << 10,
		.words = 32, .seed = 77, .harvested = harvested,
	};
	struct tsr_operation *op;
	struct tsr_limits limits;
	uint32_t out[4] = { 0 };
	const struct tsr_host_tensor tensor = { out, sizeof(out) };
	struct tsr_device *dev;

	ASSERT_EQ(0, tsr_host_open(&options, &dev));
	tsr_coreset_free(harvested);
	tsr_device_limits(dev, &limits);
	EXPECT_EQ(5, limits.cores);
	EXPECT_EQ(32, limits.words);
	EXPECT_STREQ("host", tsr_device_name(dev));
	ASSERT_EQ(0, declare(dev, "#include <tessera.h>\n"
			     "void kernel_main(void)\n"
			     "{\n"
			     "	struct tensor_accessor out = tensor_accessor(0, 16);\n"
			     "	static volatile uint32_t v[4] __attribute__((aligned(16)));\n"
			     "	v[1] = get_seed();\n"
			     "	noc_async_write_page(0, out, (uint32_t)v);\n"
			     "	noc_async_write_barrier();\n"
			     "}\n", &op));
	ASSERT_EQ(0, tsr_operation_add_tensor(op, TSR_ACCESS_OUT, 16));
	ASSERT_EQ(0, tsr_host_execute(op, &tensor, 1, &self->run, &self->diag)) {
		tsr_diag_print(self->diag, stdout);
	}
	EXPECT_EQ(0, tsr_host_run_verdict(self->run));
	EXPECT_EQ(77, out[1]);
	tsr_operation_unref(op);
	tsr_device_unref(dev);
}

/* Three sums of fp32: of subnormal numbers, and two that are rounded. */
static const char sums_kernel[] =
	"#include <tessera.h>\n"
	"static volatile uint32_t a[1024] __attribute__((aligned(16)));\n"
	"static volatile uint32_t b[1024] __attribute__((aligned(16)));\n"
	"void kernel_main(void)\n"
	"{\n"
	"	a[0] = 1; b[0] = 1;\n"
	"	a[1] = 0x3f800000; b[1] = 0x33000000;\n"
	"	a[2] = 0xbf800000; b[2] = 0xb3000000;\n"
	"	tsr_reg_write(TSR_REG_TILE + TSR_TILE_FORMAT, TSR_FORMAT_FP32);\n"
	"	tsr_reg_write(TSR_REG_TILE + TSR_TILE_A, (uint32_t)a);\n"
	"	tsr_reg_write(TSR_REG_TILE + TSR_TILE_B, (uint32_t)b);\n"
	"	tsr_reg_write(TSR_REG_TILE + TSR_TILE_OP, TSR_TILE_ADD);\n"
	"	tsr_reg_write(TSR_REG_TILE + TSR_TILE_OP, TSR_TILE_STORE);\n"
	"	noc_async_write((uint32_t)a, get_noc_addr_from_binding(0, 0), 16);\n"
	"	noc_async_write_barrier();\n"
	"}\n";

/* What a program built with -ffast-math has from its beginning, and fesetround(), and traps. */
TEST_F(host, the_callers_floating_point_changes_nothing)
{
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, 0, 0);
	struct tsr_kernel_info info = {
		.name = "sums",
		.kind = TSR_KERNEL_COMPUTE,
		.processor = TSR_PROCESSOR_COMPUTE,
		.source_text = sums_kernel,
	};
	static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	uint32_t out[4];
	const struct tsr_host_tensor tensor = { out, sizeof(out) };

	ASSERT_EQ(0, tsr_operation_new(self->dev, "sums", cores, &self->op));
	tsr_coreset_free(cores);
	ASSERT_EQ(0, tsr_operation_add_kernel(self->op, &info));
	ASSERT_EQ(0, tsr_operation_add_tensor(self->op, TSR_ACCESS_OUT, 16));
	for (size_t i = 0; i < 2 * ARRAY_SIZE(modes); i++) {
		unsigned int before, after;
		int rounding, err;

		fesetround(modes[i / 2]);
#ifdef __SSE2__
		/* FTZ and DAZ; and no exception is masked. */
		_mm_setcsr((_mm_getcsr() & ~0x1fbfu) | (i % 2 ? 0x8040 : 0x1f80));
		before = _mm_getcsr();
#endif
		err = EXECUTE(&tensor, 1);
		rounding = fegetround();
#ifdef __SSE2__
		after = _mm_getcsr();
		EXPECT_EQ(before, after);
#endif
		fesetenv(FE_DFL_ENV);
		ASSERT_EQ(0, err) tsr_diag_print(self->diag, stdout);
		EXPECT_EQ(modes[i / 2], rounding);
		EXPECT_EQ(0, tsr_host_run_verdict(self->run));
		EXPECT_EQ(2, out[0]);
		EXPECT_EQ(0x3f800000, out[1]);
		EXPECT_EQ(0xbf800000, out[2]);
		tsr_host_run_free(self->run);
		self->run = NULL;
	}
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	++*(int *)ctx;
	return 0;
}

TEST_F(host, a_factory_is_refused_before_it_is_called)
{
	const struct tsr_finding *f;
	struct tsr_library_stats stats;
	int calls = 0;

	ASSERT_EQ(0, declare(self->dev, "void kernel_main(void) { }\n", &self->op));
	ASSERT_EQ(0, tsr_operation_set_factory(self->op, factory, &calls, NULL));
	EXPECT_EQ(-EOPNOTSUPP, EXECUTE(NULL, 0));
	tsr_library_stats(self->dev, &stats);
	/* 1 would mean that it was called although its engine cannot use what it gives. */
	EXPECT_EQ(0, calls);
	EXPECT_EQ(0, stats.factory_calls);
	EXPECT_EQ(0, stats.compiles);
	ASSERT_EQ(1, tsr_diag_count(self->diag));
	f = tsr_diag_finding(self->diag, 0);
	EXPECT_STREQ("EX-1", f->rule);
	EXPECT_STREQ("operation", f->path);
	EXPECT_STREQ("factory", f->field);
	EXPECT_EQ(-EOPNOTSUPP, tsr_diag_cause(self->diag));
	EXPECT_EQ(TSR_STAGE_DECLARE, tsr_diag_stage(self->diag));
}

TEST_F(host, bad_tensors_are_findings)
{
	char mem[64];
	const struct tsr_host_tensor few = { mem, 15 }, none = { NULL, 64 };

	ASSERT_EQ(0, declare(self->dev, "void kernel_main(void) { }\n", &self->op));
	ASSERT_EQ(0, tsr_operation_add_tensor(self->op, TSR_ACCESS_IN, 16));
	EXPECT_EQ(-EINVAL, EXECUTE(NULL, 0));
	EXPECT_STREQ("V26", tsr_diag_finding(self->diag, 0)->rule);
	self->diag = tsr_diag_free(self->diag);
	EXPECT_EQ(-EINVAL, EXECUTE(&few, 1));
	EXPECT_STREQ("size", tsr_diag_finding(self->diag, 0)->field);
	self->diag = tsr_diag_free(self->diag);
	EXPECT_EQ(-EINVAL, EXECUTE(&none, 1));
	EXPECT_STREQ("buffer", tsr_diag_finding(self->diag, 0)->field);
	EXPECT_EQ(-EINVAL, tsr_host_execute(self->op, &none, 1, &self->run, NULL));
}

TEST_F(host, declarations_are_checked_as_ever)
{
	ASSERT_EQ(0, declare(self->dev, "void kernel_main(void) { }\n", &self->op));
	ASSERT_EQ(0, tsr_operation_add_semaphore(self->op, 2, 0, NULL));
	EXPECT_EQ(-EINVAL, EXECUTE(NULL, 0));
	EXPECT_STREQ("RR-3", tsr_diag_finding(self->diag, 0)->rule);
	self->diag = tsr_diag_free(self->diag);
	self->op = tsr_operation_unref(self->op);
	ASSERT_EQ(0, declare(self->dev, "#error no\n", &self->op));
	EXPECT_EQ(-ENOEXEC, EXECUTE(NULL, 0));
	EXPECT_STREQ("JIT-2", tsr_diag_finding(self->diag, 0)->rule);
	EXPECT_EQ(TSR_STAGE_COMPILE, tsr_diag_stage(self->diag));
}

TEST_F(host, a_layout_that_the_engine_cannot_have)
{
	ASSERT_EQ(0, declare(self->dev, "void kernel_main(void) { }\n", &self->op));
	self->dev->limits.cb_base += 16;
	EXPECT_EQ(-EOPNOTSUPP, EXECUTE(NULL, 0));
}

TEST_F(host, bad_options)
{
	const struct tsr_host_options bad[] = {
		{ .grid_width = 65 }, { .grid_width = 64, .grid_height = 17 }, { .l1_size = 100 },
		{ .image_slot = 5000 }, { .words = 15 }, { .pad = 1 }, { .reserved = { 1 } },
	};
	struct tsr_device *dev;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, tsr_host_open(&bad[i], &dev));
}

TEST_F(host, there_is_no_node)
{
	struct tsr_device_state state;
	struct tsr_buffer *buffer;

	EXPECT_EQ(-ENODEV, tsr_buffer_new(self->dev, 64, &buffer));
	EXPECT_EQ(-ENODEV, tsr_device_state(self->dev, &state));
}

/* ---- Ends --------------------------------------------------------------------------------- */

TEST_F(host, a_fault_names_kernel_and_address)
{
	const struct tsr_status *status;

	ASSERT_EQ(0, declare(self->dev, "void kernel_main(void) { *(volatile int *)0x7ffffff0 = 1; }\n",
			     &self->op));
	ASSERT_EQ(0, EXECUTE(NULL, 0));
	EXPECT_EQ(-EIO, tsr_host_run_verdict(self->run));
	status = tsr_host_run_status(self->run);
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, status->code);
	EXPECT_EQ(TSR_CLASS_LOCAL, status->failure_class);
	EXPECT_EQ(0x7ffffff0, status->fault.address);
	EXPECT_EQ(0, status->fault.kernel);
	EXPECT_EQ(TSR_STATUS_OUTPUTS_UNDEFINED, status->flags);
}

TEST_F(host, a_deadlock_ends_at_once)
{
	const struct tsr_status *status;

	ASSERT_EQ(0, declare(self->dev, "#include <tessera.h>\n"
			     "void kernel_main(void)\n"
			     "{ noc_semaphore_wait_min(get_semaphore_ptr(0), 1); }\n", &self->op));
	ASSERT_EQ(0, tsr_operation_add_semaphore(self->op, 0, 0, NULL));
	ASSERT_EQ(0, EXECUTE(NULL, 0));
	EXPECT_EQ(-ETIME, tsr_host_run_verdict(self->run));
	status = tsr_host_run_status(self->run);
	EXPECT_EQ(DRM_TESSERA_CODE_NO_PROGRESS, status->code);
	EXPECT_STREQ("deadlock", tsr_stall_name(status->stall.stall_class));
	EXPECT_EQ(1, status->stall.waiting);
	EXPECT_EQ(0, status->stall.stuck_kernel);
}

TEST_F(host, an_endless_loop_ends_when_nothing_moves)
{
	self->dev->limits.no_progress_ms = 50;
	ASSERT_EQ(0, declare(self->dev, "void kernel_main(void) { for (;;) __asm__ volatile(\"\"); }\n",
			     &self->op));
	ASSERT_EQ(0, EXECUTE(NULL, 0));
	EXPECT_EQ(-ETIME, tsr_host_run_verdict(self->run));
	EXPECT_STREQ("running-stalled",
		     tsr_stall_name(tsr_host_run_status(self->run)->stall.stall_class));
}

TEST_F(host, device_print)
{
	ASSERT_EQ(0, declare(self->dev, "#include <tessera.h>\n"
			     "void kernel_main(void) { DPRINT(\"number {}\\n\", 42); }\n",
			     &self->op));
	ASSERT_EQ(0, EXECUTE(NULL, 0)) {
		tsr_diag_print(self->diag, stdout);
	}
	EXPECT_STREQ("0,0 dm0: number 42\n", tsr_host_run_print(self->run));
}

TEST_HARNESS_MAIN

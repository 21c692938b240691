// SPDX-License-Identifier: MIT
/* Every function of the device-side API, on the grid engine. Kernels: tests/lib/device/. */
#include "kselftest_harness.h"

#include "common_device.h"

#define KERNEL(name)	"tests/lib/device/" name ".c"
#define RUN(d)							\
	do {							\
		enum tsr_grid_state state_ = device_run(d);	\
		EXPECT_EQ(state_, TSR_GRID_DONE) {		\
			if (state_ == TSR_GRID_FAULT)		\
				TH_LOG("%s", device_fault_text(d)); \
		}						\
	} while (0)

TEST(words_identity_and_time)
{
	static const char *const flags[] = { "-DKERNEL_COMPILE_TIME_ARGS=7,8,9", NULL };
	static const u32 common[] = { 100, 200 };
	struct device *d = device_new(2, 2);
	u32 page[4] = { 0 }, proc, i;

	ASSERT_NE(d, NULL);
	device_bind(d, page, sizeof(page), TESSERA_ACCESS_IN);
	for (proc = 0; proc < TSR_PROCS_PER_CORE; proc++) {
		struct device_kernel *k = device_kernel(d, KERNEL("core"), proc, device_range(d),
							flags);

		ASSERT_NE(k, NULL);
		device_common(k, common, 2);
		for (i = 0; i < 3; i++) {
			u32 words[] = { i % 2, i / 2, proc, d->cfg.l1_size };

			device_words(k, i % 2, i / 2, words, 4);
		}
	}
	RUN(d);
	device_free(d);
}

static void end_of_kernel(struct __test_metadata *_metadata, int how, u32 cause, u64 address)
{
	struct device *d = device_new(1, 1);
	enum tsr_grid_state state;
	char flag[16];
	const char *flags[] = { flag, NULL };

	snprintf(flag, sizeof(flag), "-DEND=%d", how);
	ASSERT_NE(d, NULL);
	ASSERT_NE(device_kernel(d, KERNEL("end"), TSR_PROC_DM1, device_range(d), flags), NULL);
	state = device_run(d);
	EXPECT_EQ(state, cause ? TSR_GRID_FAULT : TSR_GRID_DONE);
	EXPECT_EQ(d->fault.cause, cause);
	if (cause) {
		EXPECT_EQ(d->fault.proc, TSR_PROC_DM1);
		EXPECT_GE(d->fault.pc, d->limits.image_base[TSR_PROC_DM1]);
	}
	if (address)
		EXPECT_EQ(d->fault.address, address);
	device_free(d);
}

TEST(kernel_returns)
{
	end_of_kernel(_metadata, 0, TSR_FAULT_NONE, 0);
}

TEST(kernel_exits_with_zero)
{
	end_of_kernel(_metadata, 1, TSR_FAULT_NONE, 0);
}

TEST(kernel_exits_with_a_status)
{
	end_of_kernel(_metadata, 2, TSR_FAULT_KERNEL, 7);
}

TEST(assertion_fails)
{
	end_of_kernel(_metadata, 3, TSR_FAULT_BREAKPOINT, 0);
}

TEST(word_that_was_not_sent)
{
	end_of_kernel(_metadata, 4, TSR_FAULT_BREAKPOINT, 0);
}

TEST(transfers)
{
	u32 in[64], out[48] = { 0 }, i;
	struct device *d = device_new(3, 2);

	ASSERT_NE(d, NULL);
	for (i = 0; i < 64; i++)
		in[i] = i;
	device_bind(d, in, sizeof(in), TESSERA_ACCESS_IN);
	device_bind(d, out, sizeof(out), TESSERA_ACCESS_OUT);
	device_cb(d, 0, 64, 4, TSR_FORMAT_RAW);
	device_semaphore(d, 0, 0);
	ASSERT_NE(device_kernel(d, KERNEL("noc"), TSR_PROC_DM0, device_range(d), NULL), NULL);
	RUN(d);
	EXPECT_EQ(out[0], 0xabcd);
	EXPECT_EQ(out[1], 1);
	EXPECT_EQ(out[2], 2);
	for (i = 0; i < 16; i++) {
		EXPECT_EQ(out[16 + i], 32 + i);
		EXPECT_EQ(out[32 + i], 16 + i);
	}
	device_free(d);
}

TEST(semaphores)
{
	struct device *d = device_new(2, 1);
	u32 i;

	ASSERT_NE(d, NULL);
	for (i = 0; i < 4; i++)
		device_semaphore(d, i, i ? 0 : 5);
	device_cb(d, 0, 64, 1, TSR_FORMAT_RAW);
	ASSERT_NE(device_kernel(d, KERNEL("semaphore"), TSR_PROC_COMPUTE, device_range(d), NULL),
		  NULL);
	RUN(d);
	device_free(d);
}

TEST(circular_buffers)
{
	struct device *d = device_new(1, 1);

	ASSERT_NE(d, NULL);
	device_cb(d, 3, 32, 4, TSR_FORMAT_RAW);
	device_cb(d, 4, 2048, 1, TSR_FORMAT_BF16);
	device_cb(d, 5, 1024, 1, TSR_FORMAT_INT8);
	device_cb(d, 6, 4096, 1, TSR_FORMAT_FP32);
	device_cb(d, 7, 4096, 1, TSR_FORMAT_INT32);
	ASSERT_NE(device_kernel(d, KERNEL("cb"), TSR_PROC_DM0, device_range(d), NULL), NULL);
	ASSERT_NE(device_kernel(d, KERNEL("cb"), TSR_PROC_DM1, device_range(d), NULL), NULL);
	RUN(d);
	device_free(d);
}

TEST(tile_unit)
{
	struct device *d = device_new(1, 1);

	ASSERT_NE(d, NULL);
	device_cb(d, 0, 1024, 2, TSR_FORMAT_INT8);
	device_cb(d, 1, 1024, 2, TSR_FORMAT_INT8);
	device_cb(d, 2, 4096, 2, TSR_FORMAT_INT32);
	device_cb(d, 3, 4096, 2, TSR_FORMAT_FP32);
	device_cb(d, 4, 2048, 2, TSR_FORMAT_BF16);
	ASSERT_NE(device_kernel(d, KERNEL("tile"), TSR_PROC_COMPUTE, device_range(d), NULL), NULL);
	RUN(d);
	device_free(d);
}

TEST(print)
{
	struct device *d = device_new(1, 1);

	ASSERT_NE(d, NULL);
	ASSERT_NE(device_kernel(d, KERNEL("print"), TSR_PROC_DM0, device_range(d), NULL), NULL);
	RUN(d);
	EXPECT_STREQ(d->prints,
		     "0,0 0: plain 4294967295 -2147483648 0xbeef 18446744073709551615\n"
		     "0,0 0: -5 0 7 a text z %\n"
		     "0,0 0: [  -42] [-0042] [0000001f] [12345]\n"
		     "0,0 0: 1234567890123 -1234567890123 123456789abc 3 0x100\n"
		     "0,0 0: no newline at the end\n");
	device_free(d);
}

TEST(brace_formats)
{
	struct device *d = device_new(1, 1);

	ASSERT_NE(d, NULL);
	ASSERT_NE(device_kernel(d, KERNEL("dprint"), TSR_PROC_DM1, device_range(d), NULL), NULL);
	RUN(d);
	EXPECT_STREQ(d->prints,
		     "0,0 1: nothing\n"
		     "0,0 1: 200 -300 -2147483648 4294967295 -1\n"
		     "0,0 1: 18446744073709551615 -9223372036854775807 3\n"
		     "0,0 1: text x true false literal\n"
		     "0,0 1: 0xbeef 0x100\n"
		     "0,0 1: [  -42] [-0042] [abc] [0xabc] [0000001f] [0x00001f] [7]\n"
		     "0,0 1: {} {1} } 100%\n"
		     "0,0 1: 0.100000 -1.500000 3000000000.000000 1.000000 float:0x71800000 nan\n"
		     "0,0 1: inf -0.000000\n"
		     "0,0 1: 1 2 3 4 5 6 7 8 9 10 11 12\n"
		     "0,0 1: no newline at the end\n");
	device_free(d);
}

/* Mistakes that the compiler does not see end the run. */
TEST(brace_format_of_another_type)
{
	static const char *const mistakes[] = {
		"-DMISTAKE=\"{:q}\", 1", "-DMISTAKE=\"{:5s}\", text", "-DMISTAKE=\"{:x}\", yes",
		"-DMISTAKE=\"{:}\", tenth", "-DMISTAKE=\"{:4\", 1", "-DMISTAKE=\"{:x}\", l1",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		const char *flags[] = { mistakes[i], "-Wno-unused", NULL };
		struct device *d = device_new(1, 1);

		ASSERT_NE(d, NULL);
		ASSERT_NE(device_kernel(d, KERNEL("dprint"), TSR_PROC_DM0, device_range(d), flags),
			  NULL);
		EXPECT_EQ(device_run(d), TSR_GRID_FAULT)
			TH_LOG("%s", flags[0]);
		EXPECT_EQ(d->fault.cause, TSR_FAULT_BREAKPOINT)
			TH_LOG("%s", flags[0]);
		device_free(d);
	}
}

TEST(floats)
{
	static const char *const optimise[] = { "-O2", "-O0", "-Oz" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(optimise); i++) {
		const char *flags[] = { optimise[i], NULL };
		struct device *d = device_new(1, 1);

		ASSERT_NE(d, NULL);
		ASSERT_NE(device_kernel(d, KERNEL("float"), TSR_PROC_COMPUTE, device_range(d), flags),
			  NULL);
		RUN(d);
		device_free(d);
	}
}

TEST(names_of_tt_metal)
{
	u32 in[64], i;
	struct device *d = device_new(2, 2);

	ASSERT_NE(d, NULL);
	for (i = 0; i < 64; i++)
		in[i] = i;
	device_bind(d, in, sizeof(in), TESSERA_ACCESS_IN);
	device_cb(d, 0, 1024, 1, TSR_FORMAT_INT8);
	device_cb(d, 1, 1024, 1, TSR_FORMAT_INT8);
	device_cb(d, 16, 4096, 1, TSR_FORMAT_INT32);
	device_cb(d, 24, 64, 1, TSR_FORMAT_RAW);
	device_semaphore(d, 0, 0);
	device_semaphore(d, 1, 0);
	ASSERT_NE(device_kernel(d, KERNEL("ttmetal"), TSR_PROC_COMPUTE, device_range(d), NULL), NULL);
	RUN(d);
	device_free(d);
}

static void runtime(struct __test_metadata *_metadata, const char *optimise)
{
	const char *flags[] = { optimise, NULL };
	struct device *d = device_new(1, 1);

	ASSERT_NE(d, NULL);
	ASSERT_NE(device_kernel(d, KERNEL("runtime"), TSR_PROC_DM0, device_range(d), flags), NULL);
	RUN(d);
	device_free(d);
}

TEST(compiler_support)
{
	runtime(_metadata, "-O2");
}

TEST(compiler_support_for_size)
{
	runtime(_metadata, "-Oz");
}

TEST(compiler_support_without_optimisation)
{
	runtime(_metadata, "-O0");
}

/* ---- Compiling ---------------------------------------------------------------------------- */

static int compile(const char *source, u32 size, const char *flag, char *ret_text)
{
	const char *flags[] = { "-DEND=0", flag, NULL };

	return device_compile(source, 0x00108000, size, flags, "/dev/null", ret_text);
}

TEST(kernel_that_leaves_no_stack_does_not_link)
{
	char text[DEVICE_TEXT];

	EXPECT_NE(compile(KERNEL("runtime"), 0x1000, NULL, text), 0);
	EXPECT_NE(strstr(text, "less than 1 KiB"), NULL) {
		TH_LOG("%s", text);
	}
}

TEST(header_is_clean)
{
	static const char *const flags[] = {
		"-std=c99", "-std=c11", "-std=c2x", "-Wpedantic", "-Wshadow", "-Wconversion",
		"-Wundef", "-Wcast-align", "-DTESSERA_NO_ASSERT", "-O0", "-Os", "-g",
	};
	char text[DEVICE_TEXT];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		EXPECT_EQ(compile(KERNEL("end"), 0x8000, flags[i], text), 0) {
			TH_LOG("%s: %s", flags[i], text);
		}
	}
}

/* What must not compile, and what the compiler says. */
static const struct mistake {
	const char *kernel, *flag, *text;
} mistakes[] = {
	{ KERNEL("dprint"), "-DMISTAKE=\"{} {}\", 1", "more or fewer {} than there are arguments" },
	{ KERNEL("dprint"), "-DMISTAKE=\"{}\", 1, 2", "more or fewer {} than there are arguments" },
	{ KERNEL("dprint"), "-DMISTAKE=\"none\", 1", "more or fewer {} than there are arguments" },
	{ KERNEL("dprint"), "-DMISTAKE=\"{}\"", "more or fewer {} than there are arguments" },
	{ KERNEL("dprint"), "-DMISTAKE=\"%u\", 1u", "more or fewer {} than there are arguments" },
	{ KERNEL("dprint"), "-DMISTAKE=\"{{}}\", 1", "more or fewer {} than there are arguments" },
	{ KERNEL("dprint"), "-DMISTAKE=\"{{{\", 1", "a placeholder is {} or {:SPEC}" },
	{ KERNEL("dprint"), "-DMISTAKE=\"{0}\", 1", "a placeholder is {} or {:SPEC}" },
	{ KERNEL("dprint"), "-DMISTAKE=\"{x}\", 1", "a placeholder is {} or {:SPEC}" },
	{ KERNEL("dprint"), "-DMISTAKE=\"{}\", 1.0", "type 'double' not compatible" },
	{ KERNEL("dprint"), "-DMISTAKE=\"{}\", tensor_accessor(0,1)", "not compatible" },
	{ KERNEL("dprint"), "-DMISTAKE=text", "expected" },
	{ KERNEL("dprint"), "-DMISTAKE=\"0123456789012345678901234567890123456789012345678901234567890"
			    "123456789012345678901234567890123456789012345678901234567890123456789\"",
	  "a format has 128 characters at most" },
	{ KERNEL("tile"), "-DTSR_KERNEL_PROC=0", "the tile unit belongs to the compute processor" },
	{ KERNEL("tile"), "-DTSR_KERNEL_PROC=1", "the tile unit belongs to the compute processor" },
	{ KERNEL("ttmetal"), "-DTRANSPOSE=mm_init(0,1,2,1)", "the tile unit does not transpose" },
	{ KERNEL("ttmetal"), "-DTRANSPOSE=mm_init_short(0,1,1)", "the tile unit does not transpose" },
	{ KERNEL("ttmetal"), "-DTRANSPOSE=matmul_tiles(0,1,0,0,0,1)", "the tile unit does not transpose" },
};

TEST(tile_calls_compile_for_the_compute_processor_only)
{
	char text[DEVICE_TEXT];

	EXPECT_EQ(0, compile(KERNEL("tile"), 0x8000, "-DTSR_KERNEL_PROC=2", text)) TH_LOG("%s", text);
	/* What is included and not called is no mistake. */
	EXPECT_EQ(0, compile(KERNEL("noc"), 0x8000, "-DTSR_KERNEL_PROC=0", text)) TH_LOG("%s", text);
}

TEST(mistakes_that_do_not_compile)
{
	char text[DEVICE_TEXT];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		EXPECT_NE(compile(mistakes[i].kernel, 0x8000, mistakes[i].flag, text), 0)
			TH_LOG("%s", mistakes[i].flag);
		EXPECT_NE(strstr(text, mistakes[i].text), NULL)
			TH_LOG("%s: %s", mistakes[i].flag, text);
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/* Compilation (JIT): what is built, how often, and what is said when it cannot be. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blob.h"
#include "common_rig.h"
#include "image.h"
#include "kselftest_harness.h"

#define EMPTY	"void kernel_main(void) { }\n"

FIXTURE(compile) {
	struct rig *rig;
	char dir[64];
};

FIXTURE_SETUP(compile)
{
	self->rig = rig_new();
	strcpy(self->dir, "/tmp/tsr-test-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(compile)
{
	char command[128];

	self->rig = rig_free(self->rig);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	ASSERT_EQ(0, system(command));
}

static void put_file(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
}

static struct tsr_library_stats stats_of(struct rig *rig)
{
	struct tsr_library_stats stats;

	tsr_library_stats(rig->dev, &stats);
	return stats;
}

TEST_F(compile, a_kernel_becomes_an_image_of_its_processor)
{
	const struct tessera_limits *limits = &self->rig->dev->limits;
	struct tsr_blob blob;

	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM1, NULL,
				    "#include <tessera.h>\n"
				    "static int table[100] = { 1 };\n"
				    "static int zeroes[1000];\n"
				    "void kernel_main(void)\n"
				    "{\n"
				    "	volatile int *p = zeroes;\n"
				    "	p[5] = table[get_arg_val(0)];\n"
				    "}\n"));
	ASSERT_EQ(0, rig_prepare(self->rig));
	ASSERT_EQ(0, tsr_blob_verify(self->rig->program->blob, self->rig->program->blob_size,
				     limits, &blob, NULL));
	ASSERT_EQ(1, blob.n_images);
	EXPECT_EQ(TSR_PROCESSOR_DM1, blob.images[0].processor);
	EXPECT_EQ(limits->image_base[1], blob.images[0].entry);
	EXPECT_GE(blob.images[0].data_size, blob.images[0].text_size + 400);
	EXPECT_LE(blob.images[0].data_size, 2000);
	/* With bss, without the stack. */
	EXPECT_GE(blob.images[0].mem_size, blob.images[0].data_size + 4000);
	EXPECT_LE(blob.images[0].mem_size, blob.images[0].data_size + 4100);
}

TEST_F(compile, an_error_is_a_finding_with_everything_one_needs)
{
	struct tsr_kernel_info info = {
		.name = "broken",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.source_text = "void kernel_main(void)\n{\n\tint x = NO_SUCH_THING + WIDTH;\n}\n",
		.definitions = &(struct tsr_definition){ "WIDTH", "12" },
		.definition_count = 1,
	};
	const struct tsr_finding *f;

	ASSERT_EQ(0, tsr_operation_add_kernel(self->rig->op, &info));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	EXPECT_EQ(TSR_STAGE_COMPILE, tsr_diag_stage(self->rig->diag));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 1));
	f = tsr_diag_finding(self->rig->diag, 0);
	EXPECT_STREQ("operation/kernel broken", f->path);
	EXPECT_NE(NULL, strstr(f->output, "broken:3:"));
	EXPECT_NE(NULL, strstr(f->output, "NO_SUCH_THING"));
	EXPECT_NE(NULL, strstr(f->command, "--target=riscv32-unknown-elf"));
	EXPECT_NE(NULL, strstr(f->command, "-DWIDTH=12"));
	EXPECT_STREQ("broken", f->source);
	EXPECT_STREQ("WIDTH=12", f->definitions);
}

TEST_F(compile, format_mistake)
{
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL,
				    "#include <tessera.h>\n"
				    "void kernel_main(void) { device_print(\"%s\\n\", 5); }\n"));
	EXPECT_EQ(-ENOEXEC, rig_prepare(self->rig));
}

TEST_F(compile, errors_of_all_kernels_come_together_and_are_remembered)
{
	struct tsr_cache_stats cache;

	ASSERT_EQ(0, rig_add_source(self->rig, "a", TSR_PROCESSOR_DM0, NULL, "#error one\n"));
	ASSERT_EQ(0, rig_add_source(self->rig, "b", TSR_PROCESSOR_COMPUTE, NULL,
				    "#error two\n"));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 2));
	EXPECT_EQ(2, stats_of(self->rig).compiles);
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 2));
	/* 4 would mean that what cannot compile is compiled again (PC-5). */
	EXPECT_EQ(2, stats_of(self->rig).compiles);
	EXPECT_EQ(2, stats_of(self->rig).compile_failures);
	tsr_cache_stats(self->rig->dev, &cache);
	EXPECT_EQ(1, cache.negative_hits);
	EXPECT_EQ(1, cache.builds);
}

static const char *defined;

static int fill_definition(struct rig *rig, const struct tsr_factory_input *input,
			   struct tsr_resources *res)
{
	struct tsr_entry *entry;

	return tsr_resources_add_entry(res, RIG_MOVER, &entry) ?:
	       tsr_entry_define(entry, "VALUE", defined);
}

#define NEEDS_VALUE \
	"#if VALUE != 7 && VALUE != 8\n#error VALUE\n#endif\n" EMPTY

TEST_F(compile, definitions_reach_the_compiler_and_override_base_ones)
{
	struct tsr_definition base[] = { { "VALUE", "1" }, { "TEXT", "\"a 'b' $(c)\"" } };
	struct tsr_kernel_info info = {
		.name = "k",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.source_text = "_Static_assert(sizeof(TEXT) == 11, \"quotes\");\n" NEEDS_VALUE,
		.definitions = base,
		.definition_count = 2,
	};

	ASSERT_EQ(0, tsr_operation_add_kernel(self->rig->op, &info));
	self->rig->fill = fill_definition;
	defined = "7";
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(0, tsr_diag_count(self->rig->diag));
	defined = "8";
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(2, stats_of(self->rig).programs);
	defined = "7";
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	/* 3 would mean that an equal structure was built twice. */
	EXPECT_EQ(2, stats_of(self->rig).programs);
	defined = "9";
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
}

TEST_F(compile, equal_kernels_of_one_program_are_compiled_once)
{
	struct tsr_coreset *left = tsr_coreset_new_rect(0, 0, 0, 1);
	struct tsr_coreset *right = tsr_coreset_new_rect(1, 0, 2, 1);
	struct tsr_definition edge = { "EDGE", "1" };
	struct tsr_coreset *half = tsr_coreset_new_rect(2, 0, 2, 1);
	struct tsr_blob blob;

	tsr_coreset_remove(right, 2, 0);
	tsr_coreset_remove(right, 2, 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, EMPTY));
	ASSERT_EQ(0, tsr_operation_add_descriptor(self->rig->op, "k", left, NULL, 0));
	ASSERT_EQ(0, tsr_operation_add_descriptor(self->rig->op, "k", right, NULL, 0));
	ASSERT_EQ(0, tsr_operation_add_descriptor(self->rig->op, "k", half, &edge, 1));
	ASSERT_EQ(0, rig_prepare(self->rig));
	ASSERT_EQ(0, tsr_blob_verify(self->rig->program->blob, self->rig->program->blob_size,
				     &self->rig->dev->limits, &blob, NULL));
	EXPECT_EQ(3, blob.n_descriptors);
	EXPECT_EQ(2, blob.n_images);
	EXPECT_EQ(2, stats_of(self->rig).compiles);
	tsr_coreset_free(left);
	tsr_coreset_free(right);
	tsr_coreset_free(half);
}

TEST_F(compile, another_operation_finds_the_image)
{
	struct tsr_operation *first = self->rig->op;

	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, EMPTY));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	ASSERT_EQ(0, tsr_operation_new(self->rig->dev, "other", self->rig->cores,
				       &self->rig->op));
	tsr_operation_unref(first);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, EMPTY));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(2, stats_of(self->rig).programs);
	EXPECT_EQ(1, stats_of(self->rig).compiles);
	EXPECT_EQ(1, stats_of(self->rig).image_hits);
}

static int declare_file(struct rig *rig, const char *dir, struct tsr_operation **ret_op)
{
	char path[128];
	struct tsr_kernel_info info = {
		.name = "k",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.source_path = path,
	};
	int err;

	snprintf(path, sizeof(path), "%s/k.c", dir);
	err = tsr_operation_new(rig->dev, "op", rig->cores, ret_op);
	return err ? err : tsr_operation_add_kernel(*ret_op, &info);
}

TEST_F(compile, a_changed_include_is_another_kernel)
{
	struct tsr_operation *first = self->rig->op;

	put_file(self->dir, "k.c", "#include \"inner.h\"\n" EMPTY);
	put_file(self->dir, "inner.h", "#include \"deep.h\"\n");
	put_file(self->dir, "deep.h", "#define DEEP 1\n");
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, declare_file(self->rig, self->dir, &self->rig->op));
		if (i == 2)
			put_file(self->dir, "deep.h", "#error DEEP\n");
		if (i < 2)
			EXPECT_EQ(-ENODEV, rig_submit(self->rig));
		tsr_operation_unref(self->rig->op);
	}
	/* 2 would mean that an unchanged kernel was compiled again. */
	EXPECT_EQ(1, stats_of(self->rig).compiles);
	ASSERT_EQ(0, declare_file(self->rig, self->dir, &self->rig->op));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	EXPECT_EQ(2, stats_of(self->rig).compiles);
	tsr_operation_unref(self->rig->op);
	self->rig->op = first;
}

TEST_F(compile, an_include_that_changes_after_the_declaration_is_not_built_in_silence)
{
	struct tsr_operation *first = self->rig->op;
	struct tsr_cache_stats cache;

	put_file(self->dir, "k.c", "#include \"inner.h\"\n" EMPTY);
	put_file(self->dir, "inner.h", "#define A 1\n");
	ASSERT_EQ(0, declare_file(self->rig, self->dir, &self->rig->op));
	tsr_operation_unref(first);
	put_file(self->dir, "inner.h", "#define A 2\n");
	EXPECT_EQ(-ESTALE, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 1));
	tsr_cache_stats(self->rig->dev, &cache);
	EXPECT_EQ(0, cache.entries);
	/* The source as it was declared can be built again, and now it is the same. */
	put_file(self->dir, "inner.h", "#define A 1\n");
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
}

TEST_F(compile, a_file_is_read_when_it_is_declared)
{
	struct tsr_operation *first = self->rig->op;

	put_file(self->dir, "k.c", EMPTY);
	ASSERT_EQ(0, declare_file(self->rig, self->dir, &self->rig->op));
	tsr_operation_unref(first);
	put_file(self->dir, "k.c", "#error too late\n");
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
}

TEST_F(compile, a_kernel_too_large_for_its_slot)
{
	ASSERT_EQ(0, rig_add_source(self->rig, "large", TSR_PROCESSOR_DM0, NULL,
				    "char big[1 << 20];\n"
				    "void kernel_main(void) { *(volatile char *)big = 1; }\n"));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "V22", 1));
	EXPECT_STREQ("image bytes", rig_finding(self->rig, "V22", 0)->field);
	EXPECT_NE(NULL, strstr(rig_finding(self->rig, "V22", 0)->output, "does not fit"));
}

TEST_F(compile, a_kernel_marked_uncached_is_built_every_time)
{
	struct tsr_kernel_info info = {
		.name = "k",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.source_text = EMPTY,
		.options = TSR_KERNEL_UNCACHED,
	};
	struct tsr_cache_stats cache;

	ASSERT_EQ(0, tsr_operation_add_kernel(self->rig->op, &info));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	tsr_cache_stats(self->rig->dev, &cache);
	EXPECT_EQ(2, cache.uncacheable);
	EXPECT_EQ(0, cache.entries);
	EXPECT_EQ(0, cache.misses);
	EXPECT_EQ(2, stats_of(self->rig).compiles);
}

TEST_F(compile, no_compiler)
{
	setenv("TESSERA_CC", "/nonexistent/cc", 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, EMPTY));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 1));
	EXPECT_NE(NULL, strstr(rig_finding(self->rig, "JIT-2", 0)->message, "/nonexistent/cc"));
}

TEST_F(compile, no_set_up)
{
	setenv("TESSERA_CC", "clang", 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, EMPTY));
	self->rig->dev->toolchain.ready = true;
	self->rig->dev->toolchain.compiler = strdup("clang");
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 1));
	EXPECT_NE(NULL, strstr(rig_finding(self->rig, "JIT-2", 0)->message, "TESSERA_DEVICE_DIR"));
}

TEST_F(compile, a_compiler_that_talks_a_lot)
{
	char script[128];

	put_file(self->dir, "cc", "#!/bin/sh\n[ \"$1\" = --version ] && echo clang 1 && exit 0\n"
		 "yes this goes on | head -c 3000000\nexit 1\n");
	snprintf(script, sizeof(script), "%s/cc", self->dir);
	chmod(script, 0755);
	setenv("TESSERA_CC", script, 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, EMPTY));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 1));
	EXPECT_LE(strlen(rig_finding(self->rig, "JIT-2", 0)->output), 256u << 10);
	EXPECT_GE(strlen(rig_finding(self->rig, "JIT-2", 0)->output), 200u << 10);
}

TEST_F(compile, a_compiler_that_dies)
{
	char script[128];

	put_file(self->dir, "cc", "#!/bin/sh\n[ \"$1\" = --version ] && echo clang 1 && exit 0\n"
		 "case $1 in -print*) exit 1;; esac\nkill -SEGV $$\n");
	snprintf(script, sizeof(script), "%s/cc", self->dir);
	chmod(script, 0755);
	setenv("TESSERA_CC", script, 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, EMPTY));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	EXPECT_NE(NULL, strstr(rig_finding(self->rig, "JIT-2", 0)->message, "signal 11"));
}

TEST_F(compile, kernels_are_compiled_at_the_same_time)
{
	char script[128];
	struct tsr_cache_stats images;

	put_file(self->dir, "cc", "#!/bin/sh\n[ \"$1\" = --version ] && echo clang 1 && exit 0\n"
		 "sleep 0.3\nexec clang \"$@\"\n");
	snprintf(script, sizeof(script), "%s/cc", self->dir);
	chmod(script, 0755);
	setenv("TESSERA_CC", script, 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "a", TSR_PROCESSOR_DM0, NULL, EMPTY));
	ASSERT_EQ(0, rig_add_source(self->rig, "b", TSR_PROCESSOR_COMPUTE, NULL, EMPTY));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	tsr_memo_stats(self->rig->dev->images, &images);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1, images.peak_in_flight);
}

TEST_HARNESS_MAIN

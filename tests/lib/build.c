// SPDX-License-Identifier: MIT
/* How kernels are built (JIT): what is refused, by which compiler, and what one sees of it. */
#include <sys/stat.h>
#include <unistd.h>

#include "common_rig.h"
#include "kselftest_harness.h"

#define EMPTY	"void kernel_main(void) { }\n"

FIXTURE(build) {
	struct rig *rig;
	char dir[64];
};

FIXTURE_SETUP(build)
{
	self->rig = rig_new();
	strcpy(self->dir, "/tmp/tsr-test-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(build)
{
	char command[128];

	self->rig = rig_free(self->rig);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	ASSERT_EQ(0, system(command));
	unsetenv("TESSERA_CC");
}

TEST_F(build, a_function_that_is_not_declared_is_an_error)
{
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL,
				    "#include <tessera.h>\n"
				    "void kernel_main(void) { get_arg_vall(0); }\n"));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 1));
	EXPECT_NE(NULL, strstr(tsr_diag_finding(self->rig->diag, 0)->output, "get_arg_vall"));
}

TEST_F(build, a_pointer_that_was_a_number_is_an_error)
{
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL,
				    "volatile int *p;\n"
				    "void kernel_main(void) { int n = 64; p = n; }\n"));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-2", 1));
}

TEST_F(build, include_paths_of_the_environment_do_not_count)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/outside.h", self->dir);
	file = fopen(path, "w");
	fclose(file);
	setenv("CPATH", self->dir, 1);
	setenv("C_INCLUDE_PATH", self->dir, 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL,
				    "#include <outside.h>\n" EMPTY));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	unsetenv("CPATH");
	unsetenv("C_INCLUDE_PATH");
}

/* Speaks like GCC and, like GCC, does not know what only clang does. */
static const char gcc_like[] =
	"#!/bin/sh\n"
	"[ \"$1\" = --version ] && echo 'riscv32-unknown-elf-gcc (GCC) 12.2.0' && exit\n"
	"for a; do case $a in --target=*|-fuse-ld=lld) echo \"unknown $a\" >&2; exit 1;; esac; done\n"
	"exec clang --target=riscv32-unknown-elf -fuse-ld=lld \"$@\"\n";

TEST_F(build, a_gcc_cross_compiler_by_configuration)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/gcc", self->dir);
	file = fopen(path, "w");
	fputs(gcc_like, file);
	fclose(file);
	chmod(path, 0755);
	setenv("TESSERA_CC", path, 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL,
				    "#include <tessera.h>\n" EMPTY));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
}

/* The real one, where it is installed. */
TEST_F(build, a_gcc_that_is_installed)
{
	if (system("command -v riscv64-unknown-elf-gcc >/dev/null"))
		SKIP(return, "riscv64-unknown-elf-gcc is not installed");
	setenv("TESSERA_CC", "riscv64-unknown-elf-gcc", 1);
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL,
				    "#include <tessera.h>\n"
				    "void kernel_main(void) { get_arg_val(get_arg_val(0) / 7); }\n"));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
}

/* ---- Progress ----------------------------------------------------------------------------- */

struct seen {
	pthread_mutex_t lock;
	struct tsr_device *dev;
	unsigned int count[6], most_done, total;
	bool named, timed, callable;
};

static void see(void *ctx, const struct tsr_progress *p)
{
	struct seen *s = ctx;
	struct tsr_library_stats stats;

	/* It may call the library (EX-3). */
	tsr_library_stats(s->dev, &stats);
	tsr_device_set_progress(s->dev, see, s);
	pthread_mutex_lock(&s->lock);
	s->callable = true;
	s->count[p->event]++;
	s->total = p->total;
	if (p->done > s->most_done)
		s->most_done = p->done;
	s->named = !strcmp(p->operation, "op") && (p->kernel[0] == 'a' || p->kernel[0] == 'b');
	if (p->event == TSR_PROGRESS_BUILT)
		s->timed = p->elapsed_ns > 1000000;
	pthread_mutex_unlock(&s->lock);
}

TEST_F(build, progress_of_every_kernel)
{
	struct seen s = { .lock = PTHREAD_MUTEX_INITIALIZER, .dev = self->rig->dev };

	tsr_device_set_progress(self->rig->dev, see, &s);
	ASSERT_EQ(0, rig_add_source(self->rig, "a", TSR_PROCESSOR_DM0, NULL, EMPTY));
	ASSERT_EQ(0, rig_add_source(self->rig, "b", TSR_PROCESSOR_COMPUTE, NULL, EMPTY));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(2, s.count[TSR_PROGRESS_COMPILING]);
	EXPECT_EQ(2, s.count[TSR_PROGRESS_BUILT]);
	EXPECT_EQ(2, s.most_done);
	EXPECT_EQ(2, s.total);
	EXPECT_TRUE(s.named && s.timed && s.callable);
	/* Found programs are not built: more events would mean that this one was. */
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(2, s.count[TSR_PROGRESS_BUILT] + s.count[TSR_PROGRESS_FOUND]);
	tsr_device_set_progress(self->rig->dev, NULL, NULL);
}

/* What a progress function submits: its own program again, and another one. */
struct submits {
	struct rig *rig;
	struct tsr_operation *own, *other;
	atomic_int own_result, other_result, calls;
};

static int submit_op(struct submits *s, struct tsr_operation *op)
{
	struct tsr_run *run;

	return tsr_submit(op, s->rig->ctx, NULL, 0, NULL, &run, NULL);
}

static void submit_inside(void *ctx, const struct tsr_progress *p)
{
	struct submits *s = ctx;

	if (p->event != TSR_PROGRESS_COMPILING || strcmp(p->operation, "op"))
		return;
	atomic_fetch_add(&s->calls, 1);
	s->own_result = submit_op(s, s->own);
	s->other_result = submit_op(s, s->other);
}

/*
 * Kernels are compiled by several threads, which all call the function: none of them may wait for
 * the program that it works for. The other program is built, though only one may be in flight.
 */
TEST_F(build, a_progress_function_that_submits)
{
	struct tsr_cache_limits limits;
	struct submits s = { .rig = self->rig, .own = self->rig->op };
	struct tsr_kernel_info info = {
		.name = "c",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = TSR_PROCESSOR_DM0,
		.source_text = "\n" EMPTY,	/* an image of its own */
	};

	tsr_cache_limits(self->rig->dev, &limits);
	limits.in_flight = 1;
	ASSERT_EQ(0, tsr_cache_set_limits(self->rig->dev, &limits));
	tsr_device_set_progress(self->rig->dev, submit_inside, &s);
	ASSERT_EQ(0, rig_add_source(self->rig, "a", TSR_PROCESSOR_DM0, NULL, EMPTY));
	ASSERT_EQ(0, rig_add_source(self->rig, "b", TSR_PROCESSOR_COMPUTE, NULL, EMPTY));
	ASSERT_EQ(0, tsr_operation_new(self->rig->dev, "other", self->rig->cores, &s.other));
	ASSERT_EQ(0, tsr_operation_add_kernel(s.other, &info));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_EQ(2, s.calls);
	EXPECT_EQ(-EDEADLK, s.own_result);
	EXPECT_EQ(-ENODEV, s.other_result);
	tsr_device_set_progress(self->rig->dev, NULL, NULL);
	tsr_operation_unref(s.other);
}

TEST_F(build, progress_of_a_kernel_that_fails)
{
	struct seen s = { .lock = PTHREAD_MUTEX_INITIALIZER, .dev = self->rig->dev };

	tsr_device_set_progress(self->rig->dev, see, &s);
	ASSERT_EQ(0, rig_add_source(self->rig, "a", TSR_PROCESSOR_DM0, NULL, "#error no\n"));
	ASSERT_EQ(0, rig_add_prebuilt(self->rig, "b", TSR_PROCESSOR_COMPUTE, NULL, NULL));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	EXPECT_EQ(1, s.count[TSR_PROGRESS_COMPILING]);
	EXPECT_EQ(1, s.count[TSR_PROGRESS_FAILED]);
	EXPECT_EQ(1, s.count[TSR_PROGRESS_BUILT]);
	tsr_device_set_progress(self->rig->dev, NULL, NULL);
}

TEST_F(build, progress_of_a_kernel_that_is_on_disk)
{
	struct seen s = { .lock = PTHREAD_MUTEX_INITIALIZER };

	unsetenv("TESSERA_IMAGE_CACHE");
	setenv("XDG_CACHE_HOME", self->dir, 1);
	for (int i = 0; i < 2; i++) {
		struct rig *rig = rig_new();

		s.dev = rig->dev;
		rig->dev->disk = true;
		tsr_device_set_progress(rig->dev, see, &s);
		ASSERT_EQ(0, rig_add_source(rig, "a", TSR_PROCESSOR_DM0, NULL, EMPTY));
		EXPECT_EQ(-ENODEV, rig_submit(rig));
		rig_free(rig);
	}
	EXPECT_EQ(1, s.count[TSR_PROGRESS_BUILT]);
	EXPECT_EQ(1, s.count[TSR_PROGRESS_STORED]);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
#include "common_lib.h"

static const char source[] =
	"#include <tessera.h>\n"
	"#ifndef SCALE\n"
	"#define SCALE 1\n"
	"#endif\n"
	"void kernel_main(void)\n"
	"{\n"
	"	static uint32_t out[4] __attribute__((aligned(16)));\n"
	"	uint32_t n = get_arg_count(), rank = get_arg_val(n - 1);\n"
	"	uint32_t what = n > 1 ? get_arg_val(0) : 0;\n"
	"\n"
	"	if (what == 1)\n"
	"		for (;;)\n"
	"			__asm__ volatile(\"\");\n"
	"	if (what == 2)\n"
	"		((void (*)(void))0x00000010)();\n"
	"	if (what == 3)\n"
	"		noc_async_read(get_noc_addr_from_binding(1, 0), (uint32_t)out, 16);\n"
	"	if (what == 4)\n"
	"		noc_semaphore_wait(get_semaphore_ptr(0), 1);\n"
	"	if (what == 5)\n"
	"		DPRINT(\"hello {}\\n\", get_arg_val(1));\n"
	"	out[0] = n - 1;\n"
	"	out[1] = get_common_arg_count();\n"
	"	out[2] = n > 2 ? get_arg_val(1) * SCALE : 0;\n"
	"	out[3] = out[1] ? get_common_arg_val(0) : 0;\n"
	"	noc_async_write((uint32_t)out, get_noc_addr_from_binding(0, rank * 64), 16);\n"
	"	noc_async_write_barrier();\n"
	"}\n";

static void *elf;
static size_t elf_size;

static int read_elf(const char *path)
{
	FILE *file = fopen(path, "r");
	long size;

	if (!file)
		return -errno;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	elf = malloc(size);
	elf_size = fread(elf, 1, size, file);
	fclose(file);
	return elf_size == (size_t)size ? 0 : -EIO;
}

int lib_build(void)
{
	char path[] = "/tmp/tsr-lib-XXXXXX", command[1024];
	struct tsr_device *dev;
	struct tsr_limits limits;
	int err = tsr_device_open(NULL, &dev);
	FILE *to;

	if (err) {
		printf("# no device: %s\n", strerror(-err));
		return err;
	}
	tsr_device_limits(dev, &limits);
	tsr_device_unref(dev);
	close(mkstemp(path));
	snprintf(command, sizeof(command),
		 "clang --target=riscv32-unknown-elf -march=rv32im -mabi=ilp32 -mcmodel=medany "
		 "-ffreestanding -nostdlib -std=gnu11 -O2 -I%s/lib/device -I%s/uapi -fuse-ld=lld "
		 "-Wl,-T,%s/lib/device/tessera.ld -Wl,--defsym=__image_base=0x%x "
		 "-Wl,--defsym=__image_size=0x%x -o %s -xc - %s/lib/device/crt0.c", TSR_SRCDIR,
		 TSR_SRCDIR, TSR_SRCDIR, limits.image_base[0], limits.image_slot, path, TSR_SRCDIR);
	to = popen(command, "w");
	if (!to)
		return -errno;
	fputs(source, to);
	err = pclose(to) ? -ENOEXEC : read_elf(path);
	unlink(path);
	return err;
}

static void retain(void *object)
{
	atomic_fetch_add(&((struct lib_owner *)object)->references, 1);
}

static void release(void *object)
{
	struct lib_owner *owner = object;

	atomic_fetch_sub(&owner->references, 1);
	atomic_fetch_add(&owner->released, 1);
}

static int fill_words(struct lib *l, const struct tsr_factory_input *input,
		      struct tsr_entry *entry)
{
	int64_t words[64] = { l->what, l->word };
	struct tsr_core cores[4];
	size_t n = tsr_coreset_cores(input->cores, cores, 4);
	int err = 0;

	for (size_t i = 2; i < 64; i++)
		words[i] = 7;
	for (size_t i = 0; !err && i < n && i < l->cores; i++)
		err = tsr_entry_add_words(entry, cores[i].x, cores[i].y, words,
					  i ? 2 : 2 + l->extra);
	if (l->bad)
		err = tsr_entry_add_words(entry, 60, 60, words, 1);
	words[0] = l->word + 1000;
	return err ? err : tsr_entry_set_common(entry, words, 1);
}

static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct tsr_semaphore semaphore = { .id = input->first_free_semaphore_id };
	struct tsr_entry *entry;
	struct lib *l = ctx;
	int err = tsr_resources_add_semaphore(res, &semaphore);

	if (!err && l->owner)
		err = tsr_resources_own(res, l->owner, retain, release);
	if (!err && l->error)
		err = l->error;
	if (!err)
		err = tsr_resources_add_entry(res, (struct tsr_selector){ TSR_SELECT_DATA_MOVEMENT,
									  NULL }, &entry);
	return err ? err : fill_words(l, input, entry);
}

static int declare(struct lib *l, const char *scale)
{
	static const uint32_t appended[] = { TSR_APPENDED_RANK };
	struct tsr_coreset *cores = tsr_coreset_new_rect(0, 0, 1, 1);
	struct tsr_definition definition = { "SCALE", scale };
	struct tsr_kernel_info info = {
		.name = "report",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.source_text = scale ? source : NULL,
		.elf = scale ? NULL : elf,
		.elf_size = scale ? 0 : elf_size,
		.definitions = &definition,
		.definition_count = scale != NULL,
		.appended = appended,
		.appended_count = 1,
	};
	int err = tsr_operation_new(l->dev, "lib", cores, &l->op);

	if (!err)
		err = tsr_operation_add_kernel(l->op, &info);
	if (!err)
		err = tsr_operation_add_tensor(l->op, TSR_ACCESS_OUT, 4 * LIB_SLOT);
	if (!err)
		err = tsr_operation_set_factory(l->op, factory, l, NULL);
	tsr_coreset_free(cores);
	return err;
}

int lib_open_source(struct lib *l, const char *scale)
{
	int err;

	*l = (struct lib){ .cores = 4 };
	err = tsr_device_open(NULL, &l->dev);
	if (!err)
		err = tsr_context_new(l->dev, NULL, &l->ctx);
	if (!err)
		err = tsr_buffer_new(l->dev, 4096, &l->buffer);
	if (!err)
		err = tsr_buffer_map(l->buffer, (void **)&l->mem);
	if (!err)
		err = declare(l, scale);
	if (err)
		printf("# lib_open: %s\n", strerror(-err));
	return err;
}

int lib_open(struct lib *l)
{
	return lib_open_source(l, NULL);
}

void lib_close(struct lib *l)
{
	tsr_diag_free(l->diag);
	tsr_operation_unref(l->op);
	tsr_buffer_unref(l->buffer);
	tsr_context_unref(l->ctx);
	tsr_device_unref(l->dev);
}

int lib_submit(struct lib *l, const struct tsr_submit_options *options, struct tsr_run **ret_run)
{
	struct tsr_tensor tensor = { .buffer = l->buffer };

	l->diag = tsr_diag_free(l->diag);
	return tsr_submit(l->op, l->ctx, &tensor, 1, options, ret_run, &l->diag);
}

int lib_run(struct lib *l, struct tsr_status *ret_status)
{
	struct tsr_run *run;
	int err = lib_submit(l, NULL, &run);

	if (err) {
		tsr_diag_print(l->diag, stdout);
		return err;
	}
	err = tsr_run_wait(run, -1);
	if (!err)
		err = tsr_run_status(run, ret_status);
	if (!err)
		err = tsr_run_verdict(run);
	tsr_run_unref(run);
	return err;
}

struct tsr_library_stats lib_stats(const struct lib *l)
{
	struct tsr_library_stats stats;

	tsr_library_stats(l->dev, &stats);
	return stats;
}

bool lib_eventually(atomic_int *counter, int value)
{
	for (int i = 0; i < 1000; i++) {
		if (atomic_load(counter) == value)
			return true;
		usleep(10000);
	}
	return false;
}

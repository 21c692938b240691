// SPDX-License-Identifier: MIT
#include "common_plain.h"

#include <stdio.h>
#include <stdlib.h>

static const char wrapper[] =
	"#include <tessera.h>\n"
	"static inline uint32_t appended(uint32_t i) { return get_arg_val(i); }\n"
	"static uint32_t word(uint32_t i);\n"
	"static uint32_t common(uint32_t i);\n"
	"#define get_arg_val(i) word(i)\n"
	"#define get_common_arg_val(i) common(i)\n"
	"#define get_arg_count() 16u\n"
	"#include \"%s/%s\"\n"
	"static uint32_t word(uint32_t i)\n"
	"{\n"
	"	uint32_t rank = appended(0), cores = appended(1);\n"
	"	(void)rank; (void)cores; return %s;\n"
	"}\n"
	"static __attribute__((unused)) uint32_t common(uint32_t i) { (void)i; return %s; }\n";

int plain_add_kernel(struct tsr_operation *op, const char *path, uint32_t processor,
		     struct tsr_kernel *handle, const char *words, const char *common)
{
	static const uint32_t appended[] = { TSR_APPENDED_RANK, TSR_APPENDED_CORES };
	struct tsr_kernel_info info = {
		.name = path,
		.kind = processor == TSR_PROCESSOR_COMPUTE ? TSR_KERNEL_COMPUTE :
							     TSR_KERNEL_DATA_MOVEMENT,
		.processor = processor,
		.handle = handle,
		.appended = appended,
		.appended_count = 2,
		.definitions = &(struct tsr_definition){ "REDUCE_OP", "REDUCE_SUM" },
		.definition_count = 1,
	};
	char *text;
	int err;

	if (asprintf(&text, wrapper, TSR_SRCDIR, path, words, common) < 0)
		abort();
	info.source_text = text;
	err = tsr_operation_add_kernel(op, &info);
	free(text);
	return err;
}

static int declare(struct tsr_device *dev, const char *name, const uint64_t *sizes, size_t inputs,
		   struct tsr_operation **ret_op)
{
	struct tsr_coreset *cores = tsr_device_cores(dev);
	int err = tsr_operation_new(dev, name, cores, ret_op);

	tsr_coreset_free(cores);
	for (size_t i = 0; !err && i <= inputs; i++)
		err = tsr_operation_add_tensor(*ret_op, i < inputs ? TSR_ACCESS_IN : TSR_ACCESS_OUT,
					       sizes[i]);
	return err;
}

static int add_cb(struct tsr_operation *op, uint32_t id, uint32_t page, uint32_t pages,
		  uint32_t format)
{
	return tsr_operation_add_circular_buffer(op, &(struct tsr_circular_buffer){
		.id = id, .page_size = page, .page_count = pages, .format = format });
}

static uint32_t core_count(struct tsr_device *dev, uint32_t *ret_width)
{
	struct tsr_limits limits;

	tsr_device_limits(dev, &limits);
	*ret_width = limits.grid_width;
	return limits.cores;
}

int plain_ring(struct tsr_device *dev, uint32_t bytes, struct tsr_operation **ret_op)
{
	uint32_t width, cores = core_count(dev, &width);
	uint64_t sizes[2] = { (uint64_t)bytes * cores * cores, (uint64_t)bytes * cores * cores };
	char words[160], common[64];
	int err = declare(dev, "ring", sizes, 1, ret_op);

	/* Semaphore, rank, and the next core around the ring, row-major. */
	snprintf(words, sizeof(words), "i == 0 ? 0 : i == 1 ? rank : i == 2 ? "
		 "(rank + 1) %% cores %% %u : (rank + 1) %% cores / %u", width, width);
	snprintf(common, sizeof(common), "i == 0 ? %u : %u", cores, bytes);
	if (!err)
		err = plain_add_kernel(*ret_op, "examples/collective/kernels/ring.c",
				       TSR_PROCESSOR_DM0, NULL, words, common);
	if (!err)
		err = add_cb(*ret_op, 0, bytes * cores, 1, TSR_ELEMENT_RAW);
	if (!err)
		err = add_cb(*ret_op, 1, bytes * cores, 1, TSR_ELEMENT_RAW);
	return err ? err : tsr_operation_add_semaphore(*ret_op, 0, 0, NULL);
}

/* Two movers: both explicit. */
static int add_pipeline(struct tsr_operation *op, const char *const paths[3],
			const char *const words[3], const char *common)
{
	struct tsr_kernel *handle = tsr_kernel_new();
	int err = 0;

	for (uint32_t i = 0; !err && i < 3; i++)
		err = plain_add_kernel(op, paths[i], i, i == 1 ? handle : NULL, words[i], common);
	tsr_kernel_unref(handle);
	return err;
}

int plain_matmul(struct tsr_device *dev, uint32_t m, uint32_t n, uint32_t k,
		struct tsr_operation **ret_op)
{
	static const char *const paths[] = {
		"examples/matmul/kernels/reader.c", "examples/matmul/kernels/writer.c",
		"examples/matmul/kernels/compute.c",
	};
	uint64_t sizes[3] = { m * k * 2048, k * n * 2048, m * n * 4096 };
	char words[160], common[64];
	const char *const same[] = { words, words, words };
	int err = declare(dev, "matmul", sizes, 2, ret_op);

	snprintf(words, sizeof(words), "i == 0 ? %u * rank / cores : "
		 "%u * (rank + 1) / cores - %u * rank / cores", m * n, m * n, m * n);
	snprintf(common, sizeof(common), "i == 0 ? %u : %u", k, n);
	if (!err)
		err = add_pipeline(*ret_op, paths, same, common);
	if (!err)
		err = add_cb(*ret_op, 0, 2048, 2, TSR_ELEMENT_BF16);
	if (!err)
		err = add_cb(*ret_op, 1, 2048, 2, TSR_ELEMENT_BF16);
	return err ? err : add_cb(*ret_op, 2, 4096, 2, TSR_ELEMENT_FP32);
}

int plain_filter(struct tsr_device *dev, uint32_t pitch, struct tsr_operation **ret_op)
{
	static const char *const paths[] = {
		"examples/filter/kernels/reader.c", "examples/filter/kernels/writer.c",
		"examples/filter/kernels/compute.c",
	};
	uint32_t width, cores = core_count(dev, &width);
	uint64_t sizes[2] = { (uint64_t)pitch * cores, (uint64_t)pitch * cores };
	char reader[320], common[160];
	const char *const words[] = { reader, "i == 0 ? rank : 1", "1" };
	int err = declare(dev, "filter", sizes, 1, ret_op);

	snprintf(reader, sizeof(reader), "i == 0 ? 0 : i == 1 ? rank : i == 2 ? 1 : "
		 "i == 3 ? (rank - 1) %% %u : i == 4 ? (rank - 1) / %u %% %u : i == 5 ? rank > 0 : "
		 "i == 6 ? (rank + 1) %% %u : i == 7 ? (rank + 1) / %u : rank + 1 < cores",
		 width, width, width, width, width);
	snprintf(common, sizeof(common), "i == 0 ? %u : i == 1 ? 1 : i == 2 ? 4 : i == 3 ? 0 : "
		 "(1 + (i != 4 && i != 6 && i != 10 && i != 12)) << (i == 8)", pitch);
	if (!err)
		err = add_pipeline(*ret_op, paths, words, common);
	if (!err)
		err = add_cb(*ret_op, 0, pitch, 3, TSR_ELEMENT_RAW);
	if (!err)
		err = add_cb(*ret_op, 1, pitch, 4, TSR_ELEMENT_RAW);
	return err ? err : tsr_operation_add_semaphore(*ret_op, 0, 0, NULL);
}

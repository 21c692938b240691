// SPDX-License-Identifier: MIT
#include "common_rig.h"

#include <elf.h>

#include "grid.h"

void rig_limits(struct tessera_limits *limits)
{
	struct tsr_grid_config cfg;

	tsr_grid_config_default(&cfg);
	cfg.width = 4;
	cfg.height = 4;
	cfg.harvested[0] = 1u << 15;
	tsr_grid_limits(&cfg, limits);
	limits->queue_capacity = 64;
	limits->staged_depth = 2;
	limits->parallelism = 1;
	limits->batch = 64;
	limits->syncs = 16;
	limits->no_progress_ms = 5000;
}

static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct rig *rig = ctx;

	rig->factory_calls++;
	return rig->fill ? rig->fill(rig, input, res) : 0;
}

struct rig *rig_new(void)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct tessera_limits limits;

	rig_limits(&limits);
	rig->cores = tsr_coreset_new_rect(0, 0, 2, 1);
	if (tsr_device_new_offline(&limits, &rig->dev) ||
	    tsr_context_new(rig->dev, NULL, &rig->ctx) ||
	    tsr_operation_new(rig->dev, "op", rig->cores, &rig->op) ||
	    tsr_operation_set_factory(rig->op, factory, rig, NULL))
		abort();
	return rig;
}

struct rig *rig_free(struct rig *rig)
{
	rig_drop(rig);
	tsr_diag_free(rig->diag);
	tsr_resources_unref(rig->res);
	for (size_t i = 0; i < ARRAY_SIZE(rig->tensors); i++)
		tsr_buffer_unref(rig->tensors[i].buffer);
	tsr_operation_unref(rig->op);
	tsr_context_unref(rig->ctx);
	tsr_device_unref(rig->dev);
	tsr_coreset_free(rig->cores);
	free(rig);
	return NULL;
}

void *rig_elf(const struct rig *rig, uint32_t processor, size_t words, size_t *ret_size)
{
	uint32_t base = rig->dev->limits.image_base[processor];
	size_t size = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr) + words * 4;
	uint8_t *file = calloc(1, size);
	Elf32_Ehdr *header = (void *)file;
	Elf32_Phdr *segment = (void *)(header + 1);

	*header = (Elf32_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = base,
		.e_phoff = sizeof(*header),
		.e_ehsize = sizeof(*header),
		.e_phentsize = sizeof(*segment),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf32_Shdr),
	};
	*segment = (Elf32_Phdr){
		.p_type = PT_LOAD,
		.p_offset = sizeof(*header) + sizeof(*segment),
		.p_vaddr = base,
		.p_paddr = base,
		.p_filesz = (Elf32_Word)words * 4,
		.p_memsz = (Elf32_Word)words * 4,
		.p_flags = PF_R | PF_X,
		.p_align = 4,
	};
	for (size_t i = 0; i < words; i++) {
		uint32_t nop = 0x00000013;

		memcpy(file + segment->p_offset + i * 4, &nop, 4);
	}
	*ret_size = size;
	return file;
}

static uint32_t kind_of(uint32_t processor)
{
	return processor == TSR_PROCESSOR_COMPUTE ? TSR_KERNEL_COMPUTE : TSR_KERNEL_DATA_MOVEMENT;
}

int rig_add_prebuilt(struct rig *rig, const char *name, uint32_t processor,
		     struct tsr_kernel *handle, const struct tsr_coreset *cores)
{
	struct tsr_kernel_info info = {
		.name = name,
		.kind = kind_of(processor),
		.processor = processor,
		.handle = handle,
		.cores = cores,
	};
	int err;

	info.elf = rig_elf(rig, processor, 8, &info.elf_size);
	err = tsr_operation_add_kernel(rig->op, &info);
	free((void *)info.elf);
	return err;
}

int rig_add_source(struct rig *rig, const char *name, uint32_t processor,
		   struct tsr_kernel *handle, const char *text)
{
	struct tsr_kernel_info info = {
		.name = name,
		.kind = kind_of(processor),
		.processor = processor,
		.handle = handle,
		.source_text = text,
	};

	return tsr_operation_add_kernel(rig->op, &info);
}

void rig_add_usual(struct rig *rig)
{
	if (rig_add_prebuilt(rig, "reader", TSR_PROCESSOR_DM0, NULL, NULL) ||
	    rig_add_prebuilt(rig, "math", TSR_PROCESSOR_COMPUTE, NULL, NULL))
		abort();
}

int rig_submit(struct rig *rig)
{
	struct tsr_run *run;

	rig->diag = tsr_diag_free(rig->diag);
	return tsr_submit(rig->op, rig->ctx, rig->tensors, rig->tensor_count, NULL, &run,
			  &rig->diag);
}

static int run_factory(struct rig *rig, struct tsr_resources **ret_res)
{
	struct tsr_factory_input input = {
		.op = rig->op,
		.dev = rig->dev,
		.tensors = rig->tensors,
		.tensor_count = rig->tensor_count,
		.cores = rig->op->cores,
		.first_free_semaphore_id = (uint32_t)rig->op->semaphores.count,
	};
	int err;

	*ret_res = NULL;
	if (!rig->op->factory)
		return 0;
	*ret_res = tsr_resources_new(rig->dev, rig->op->serial);
	err = rig->op->factory(rig->op->factory_ctx, &input, *ret_res);
	(*ret_res)->sealed = true;
	return err;
}

int rig_prepare(struct rig *rig)
{
	const struct tsr_shape *shape;
	struct tsr_resources *res;
	struct tsr_check check;
	int err = tsr_shape_get(rig->op, &shape);

	rig_drop(rig);
	rig->diag = tsr_diag_free(rig->diag);
	if (!err)
		err = run_factory(rig, &res);
	if (err)
		return err;
	tsr_resources_unref(rig->res);
	rig->res = res;
	rig->call = tsr_call_new(rig->dev);
	err = tsr_plan_begin(&rig->call->plan, shape, res);
	check = (struct tsr_check){
		.op = rig->op,
		.shape = shape,
		.limits = &rig->dev->limits,
		.res = res,
		.tensors = rig->tensors,
		.tensor_count = rig->tensor_count,
		.plan = &rig->call->plan,
	};
	if (err)
		return err;
	tsr_check_all(&check);
	rig->diag = check.diag;
	if (check.findings)
		return -EINVAL;
	err = tsr_plan_make(&rig->call->plan);
	if (!err)
		err = tsr_program_get(rig->dev, &rig->call->plan, false, &rig->program,
				      &rig->diag);
	if (err)
		tsr_diag_print(rig->diag, stdout);
	return err ? err : tsr_dispatch_encode(rig->call, rig->tensors, rig->tensor_count);
}

void rig_drop(struct rig *rig)
{
	if (rig->call)
		tsr_call_free(rig->dev, rig->call);
	rig->call = NULL;
	tsr_program_unref(rig->program);
	rig->program = NULL;
}

const struct tsr_finding *rig_finding(const struct rig *rig, const char *rule, size_t nth)
{
	for (size_t i = 0; rig->diag && i < tsr_diag_count(rig->diag); i++) {
		const struct tsr_finding *f = tsr_diag_finding(rig->diag, i);

		if (!strcmp(f->rule, rule) && !nth--)
			return f;
	}
	return NULL;
}

bool rig_only(const struct rig *rig, const char *rule, size_t n)
{
	size_t count = rig->diag ? tsr_diag_count(rig->diag) : 0, same = 0;

	for (size_t i = 0; i < count; i++)
		same += !strcmp(tsr_diag_finding(rig->diag, i)->rule, rule);
	if (same == n && count == n)
		return true;
	tsr_diag_print(rig->diag, stdout);
	return false;
}

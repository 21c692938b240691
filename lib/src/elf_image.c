// SPDX-License-Identifier: MIT
/*
 * Taking an image out of an ELF file: what is loaded from the slot's base on, and the sizes that
 * the linker script says. A prebuilt file is the caller's, so nothing in it is trusted.
 */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

#include "image.h"

struct elf {
	const struct tsr_image_job *job;
	struct tsr_diag *diag;
	Elf *elf;
	const uint8_t *file;
	size_t file_size;
	uint64_t base, slot;
	uint64_t data_end, text_end, mem_end;	/* addresses; 0 is not known */
	uint64_t entry;
};

static int refuse(struct elf *e, enum tsr_rule_no rule, const char *field, uint64_t value,
		  char *allowed, const char *message)
{
	tsr_diag_note(e->diag, (struct tsr_note){
		.rule = rule,
		.path = tsr_text("operation/kernel %s", e->job->kernel->name),
		.field = field,
		.value = tsr_text("0x%llx", (unsigned long long)value),
		.allowed = allowed,
		.message = tsr_text("%s", message),
	});
	return rule == TSR_V22 ? -E2BIG : -ENOEXEC;
}

static char *slot_text(const struct elf *e)
{
	return tsr_text("0x%llx..0x%llx", (unsigned long long)e->base,
			(unsigned long long)(e->base + e->slot - 1));
}

static int check_header(struct elf *e)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(e->elf, &header))
		return refuse(e, TSR_JIT1, "file", 0, tsr_text("an ELF file"), "it is no ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_machine != EM_RISCV || header.e_type != ET_EXEC)
		return refuse(e, TSR_JIT1, "machine", header.e_machine,
			      tsr_text("a 32-bit little-endian RISC-V executable"),
			      "the file is for another machine");
	e->entry = header.e_entry;
	return 0;
}

/* A loaded segment: inside the slot, its bytes inside the file. */
static int check_segment(struct elf *e, const GElf_Phdr *p)
{
	if (p->p_vaddr < e->base || p->p_vaddr - e->base > e->slot)
		return refuse(e, TSR_JIT1, "address", p->p_vaddr, slot_text(e),
			      "a segment lies outside the processor's slot");
	if (p->p_memsz > e->slot - (p->p_vaddr - e->base))
		return refuse(e, TSR_V22, "image bytes", p->p_vaddr - e->base + p->p_memsz,
			      tsr_text("0x%llx", (unsigned long long)e->slot),
			      "the image is larger than its slot");
	if (p->p_filesz > p->p_memsz || p->p_offset > e->file_size ||
	    p->p_filesz > e->file_size - p->p_offset)
		return refuse(e, TSR_JIT1, "file size", p->p_filesz, tsr_text("inside the file"),
			      "a segment is not in the file");
	return 0;
}

static int measure(struct elf *e)
{
	size_t n;

	if (elf_getphdrnum(e->elf, &n) || n > 64)
		return refuse(e, TSR_JIT1, "segments", n, tsr_text("up to 64"),
			      "the file has no segments, or too many");
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;
		int err;

		if (!gelf_getphdr(e->elf, (int)i, &p) || p.p_type != PT_LOAD || !p.p_memsz)
			continue;
		err = check_segment(e, &p);
		if (err)
			return err;
		if (p.p_filesz && p.p_vaddr + p.p_filesz > e->data_end)
			e->data_end = p.p_vaddr + p.p_filesz;
		if (p.p_vaddr + p.p_memsz > e->mem_end)
			e->mem_end = p.p_vaddr + p.p_memsz;
		if ((p.p_flags & PF_X) && p.p_vaddr + p.p_filesz > e->text_end)
			e->text_end = p.p_vaddr + p.p_filesz;
	}
	return 0;
}

static void copy_segments(const struct elf *e, uint8_t *data)
{
	size_t n = 0;

	elf_getphdrnum(e->elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(e->elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_filesz)
			memcpy(data + (p.p_vaddr - e->base), e->file + p.p_offset, p.p_filesz);
	}
}

static int check_sizes(struct elf *e)
{
	if (e->data_end <= e->base)
		return refuse(e, TSR_JIT1, "data", 0, slot_text(e), "the image is empty");
	e->text_end &= ~UINT64_C(3);
	if (e->text_end <= e->base || e->text_end > e->data_end)
		return refuse(e, TSR_JIT1, "text", e->text_end, slot_text(e),
			      "the image has no code at its beginning");
	if (e->entry % 4 || e->entry < e->base || e->entry >= e->text_end)
		return refuse(e, TSR_JIT1, "entry", e->entry, slot_text(e),
			      "the entry is not in the code");
	return 0;
}

static int make_image(struct elf *e, struct tsr_image **ret_image)
{
	size_t size = (size_t)(e->data_end - e->base);
	struct tsr_image *image = calloc(1, sizeof(*image) + size);

	if (!image)
		return -ENOMEM;
	tsr_ref_init(&image->ref);
	image->processor = e->job->kernel->processor;
	image->data_size = (uint32_t)size;
	image->mem_size = (uint32_t)(e->mem_end - e->base);
	image->text_size = (uint32_t)(e->text_end - e->base);
	image->entry = (uint32_t)e->entry;
	copy_segments(e, image->data);
	*ret_image = image;
	return 0;
}

int tsr_image_from_elf(const struct tsr_image_job *job, const void *file, size_t size,
		       struct tsr_image **ret_image, struct tsr_diag *diag)
{
	const struct tessera_limits *limits = &job->dev->limits;
	struct elf e = {
		.job = job,
		.diag = diag,
		.file = file,
		.file_size = size,
		.base = limits->image_base[job->kernel->processor],
		.slot = limits->image_slot,
	};
	int err;

	elf_version(EV_CURRENT);
	/* It is only read, in spite of the type. */
	e.elf = elf_memory((char *)file, size);
	if (!e.elf)
		return -ENOMEM;
	if (elf_kind(e.elf) != ELF_K_ELF) {
		elf_end(e.elf);
		return refuse(&e, TSR_JIT1, "file", size, tsr_text("an ELF file"),
			      "it is no ELF file");
	}
	err = check_header(&e);
	if (!err)
		err = measure(&e);
	if (!err)
		err = check_sizes(&e);
	if (!err)
		err = make_image(&e, ret_image);
	elf_end(e.elf);
	return err;
}

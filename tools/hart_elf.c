// SPDX-License-Identifier: MIT
/* Loads a bare RV32 ELF file into one flat memory. */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hart_elf.h"
#include "tool.h"

#define SPACE_ABOVE	(8u << 20)	/* for heap and stack */
#define SPACE_MOST	(1u << 30)

struct span {
	uint64_t from, to;
};

static void span_add(struct span *s, uint64_t from, uint64_t size)
{
	if (!s->to || from < s->from)
		s->from = from;
	if (from + size > s->to)
		s->to = from + size;
}

/* Where the program lies; false when it cannot be loaded. */
static bool measure(Elf *elf, struct span *all, struct span *text)
{
	size_t count, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, i, &ph))
			return false;
		if (ph.p_type != PT_LOAD || !ph.p_memsz)
			continue;
		if (ph.p_filesz > ph.p_memsz)
			return false;
		span_add(all, ph.p_vaddr, ph.p_memsz);
		if (ph.p_flags & PF_X)
			span_add(text, ph.p_vaddr, ph.p_filesz);
	}
	return all->to > all->from && all->to <= UINT32_MAX &&
	       all->to - all->from <= SPACE_MOST;
}

static bool copy_segments(Elf *elf, struct hart_image *image)
{
	size_t count, size, i;
	GElf_Phdr ph;
	char *file = elf_rawfile(elf, &size);

	if (!file || elf_getphdrnum(elf, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, i, &ph))
			return false;
		if (ph.p_type != PT_LOAD || !ph.p_filesz)
			continue;
		if (ph.p_offset > size || ph.p_filesz > size - ph.p_offset)
			return false;
		memcpy(image->mem + (ph.p_vaddr - image->base), file + ph.p_offset, ph.p_filesz);
	}
	return true;
}

static void note_symbol(struct hart_image *image, const char *name, uint32_t value)
{
	if (!strcmp(name, "tohost"))
		image->tohost = value;
	else if (!strcmp(name, "begin_signature"))
		image->begin_signature = value;
	else if (!strcmp(name, "end_signature"))
		image->end_signature = value;
}

static void read_symbols(Elf *elf, struct hart_image *image)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Data *data;
	const char *name;
	int i;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; data && gelf_getsym(data, i, &sym); i++) {
			name = elf_strptr(elf, sh.sh_link, sym.st_name);
			if (name && sym.st_shndx != SHN_UNDEF)
				note_symbol(image, name, sym.st_value);
		}
	}
}

static int load(const char *path, Elf *elf, struct hart_image *image)
{
	struct span all = { 0 }, text = { 0 };
	uint64_t end;
	GElf_Ehdr eh;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS32 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    eh.e_machine != EM_RISCV)
		return tool_error("%s: not a 32-bit RISC-V ELF file", path);
	if (!measure(elf, &all, &text))
		return tool_error("%s: no segments that could be loaded", path);
	image->base = all.from & ~0xfffu;
	end = (all.to + SPACE_ABOVE) & ~(uint64_t)0xfff;
	if (end > UINT32_MAX - 0xfff)
		end = (all.to + 3) & ~(uint64_t)3;
	image->size = end - image->base;
	image->text = text.from & ~3u;
	image->text_size = (text.to - image->text + 3) & ~3u;
	image->entry = eh.e_entry;
	image->mem = calloc(1, image->size);
	if (!image->mem)
		return tool_error("%s: out of memory", path);
	if (!copy_segments(elf, image)) {
		hart_image_free(image);
		return tool_error("%s: segments outside of the file", path);
	}
	read_symbols(elf, image);
	return 0;
}

int hart_image_load(const char *path, struct hart_image *ret)
{
	struct hart_image image = { 0 };
	int fd, status;
	Elf *elf;

	elf_version(EV_CURRENT);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tool_error("%s: %m", path);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	status = elf ? load(path, elf, &image) : tool_error("%s: %s", path, elf_errmsg(-1));
	elf_end(elf);
	close(fd);
	if (!status)
		*ret = image;
	return status;
}

void hart_image_free(struct hart_image *image)
{
	free(image->mem);
	image->mem = NULL;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdlib.h>
#include <string.h>

#include "common_elf.h"

void elf_head_init(struct elf_head *h, u32 entry)
{
	memset(h, 0, sizeof(*h));
	memcpy(h->eh.e_ident, ELFMAG, SELFMAG);
	h->eh.e_ident[EI_CLASS] = ELFCLASS32;
	h->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	h->eh.e_ident[EI_VERSION] = EV_CURRENT;
	h->eh.e_type = ET_EXEC;
	h->eh.e_machine = EM_RISCV;
	h->eh.e_version = EV_CURRENT;
	h->eh.e_entry = entry;
	h->eh.e_phoff = offsetof(struct elf_head, ph);
	h->eh.e_shoff = offsetof(struct elf_head, sh);
	h->eh.e_ehsize = sizeof(h->eh);
	h->eh.e_phentsize = sizeof(h->ph[0]);
	h->eh.e_phnum = ARRAY_SIZE(h->ph);
	h->eh.e_shentsize = sizeof(h->sh[0]);
	h->eh.e_shnum = ARRAY_SIZE(h->sh);
	h->eh.e_shstrndx = 2;
	/* Each begins with one that is none. */
	h->sh[1] = (Elf32_Shdr){
		.sh_type = SHT_SYMTAB, .sh_offset = offsetof(struct elf_head, sym),
		.sh_size = sizeof(h->sym[0]), .sh_link = 2, .sh_entsize = sizeof(h->sym[0]),
	};
	h->sh[2] = (Elf32_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct elf_head, names), .sh_size = 1,
	};
}

void elf_head_symbol(struct elf_head *h, const char *name, u32 value)
{
	u32 n = h->sh[1].sh_size / sizeof(h->sym[0]), at = h->sh[2].sh_size;

	if (n == ARRAY_SIZE(h->sym) || at + strlen(name) >= sizeof(h->names))
		abort();
	h->sym[n] = (Elf32_Sym){ .st_name = at, .st_value = value, .st_shndx = SHN_ABS };
	strcpy(h->names + at, name);
	h->sh[1].sh_size += sizeof(h->sym[0]);
	h->sh[2].sh_size += strlen(name) + 1;
}

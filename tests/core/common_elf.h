/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ELF files for tessera hart run, and for qemu-riscv32: all but what is in their segments. */
#ifndef TSR_TEST_ELF_H
#define TSR_TEST_ELF_H

#include <elf.h>

#include "port.h"

/** struct elf_head - the beginning of a file; the test fills in the two segments */
struct elf_head {
	Elf32_Ehdr eh;
	Elf32_Phdr ph[2];
	Elf32_Shdr sh[3];
	Elf32_Sym sym[4];
	char names[48];
};

/** elf_head_init() - of a RISC-V program without symbols */
void elf_head_init(struct elf_head *h, u32 entry);

/** elf_head_symbol() - one more, of three */
void elf_head_symbol(struct elf_head *h, const char *name, u32 value);

#endif

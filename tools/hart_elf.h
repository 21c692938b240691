/* SPDX-License-Identifier: MIT */
#ifndef TESSERA_HART_ELF_H
#define TESSERA_HART_ELF_H

#include <stdbool.h>
#include <stdint.h>

/** struct hart_image - a bare RV32 program, loaded */
struct hart_image {
	uint8_t *mem;		/* zeroed RAM, from the lowest address of the file */
	uint32_t base, size;
	uint32_t text, text_size;	/* executable segments, and what lies between */
	uint32_t entry;
	/* symbols; 0 when the file has none */
	uint32_t tohost, begin_signature, end_signature;
};

/** hart_image_load() - 0, or the status of tool_error() with nothing to free */
int hart_image_load(const char *path, struct hart_image *ret);
void hart_image_free(struct hart_image *image);

#endif

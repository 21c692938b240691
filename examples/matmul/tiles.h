/* SPDX-License-Identifier: MIT */
/* Matrices on the host, and as the tiles that kernels work on. */
#ifndef MATMUL_TILES_H
#define MATMUL_TILES_H

#include <stddef.h>
#include <stdint.h>

#define TILE	32

/** tiles_of() - tiles that cover @n rows or columns */
static inline uint32_t tiles_of(uint32_t n)
{
	return (n + TILE - 1) / TILE;
}

/** bf16_from_float() - round to nearest even */
uint16_t bf16_from_float(float v);

/** bf16_to_float() - exact */
float bf16_to_float(uint16_t v);

/** tiles_pack() - @rows x @columns of bf16 as tiles, row-major; the rim is filled with zeros */
void tiles_pack(uint16_t *tiles, const uint16_t *matrix, uint32_t rows, uint32_t columns);

/** tiles_at() - element of a matrix of fp32 tiles that has @columns columns */
float tiles_at(const float *tiles, uint32_t columns, uint32_t row, uint32_t column);

#endif

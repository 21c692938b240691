// SPDX-License-Identifier: MIT
#include "tiles.h"

#include <string.h>

uint16_t bf16_from_float(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	if ((bits & 0x7fffffff) > 0x7f800000)
		return (uint16_t)(bits >> 16 | 0x40);	/* NaN stays one */
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float bf16_to_float(uint16_t v)
{
	uint32_t bits = (uint32_t)v << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Index of an element in a matrix of tiles. */
static size_t index_of(uint32_t columns, uint32_t row, uint32_t column)
{
	size_t tile = (size_t)(row / TILE) * tiles_of(columns) + column / TILE;

	return tile * TILE * TILE + row % TILE * TILE + column % TILE;
}

void tiles_pack(uint16_t *tiles, const uint16_t *matrix, uint32_t rows, uint32_t columns)
{
	memset(tiles, 0, (size_t)tiles_of(rows) * tiles_of(columns) * TILE * TILE * sizeof(*tiles));
	for (uint32_t row = 0; row < rows; row++)
		for (uint32_t column = 0; column < columns; column++)
			tiles[index_of(columns, row, column)] =
				matrix[(size_t)row * columns + column];
}

float tiles_at(const float *tiles, uint32_t columns, uint32_t row, uint32_t column)
{
	return tiles[index_of(columns, row, column)];
}

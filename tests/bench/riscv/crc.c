// SPDX-License-Identifier: MIT
/* A bitwise checksum: shifts and branches that depend on the data. */
#include "start.h"

static uint8_t data[16384];

uint32_t work(void)
{
	uint32_t state = 1, crc = ~0u;

	for (uint32_t i = 0; i < sizeof(data); i++)
		data[i] = next_random(&state);
	for (int round = 0; round < 150; round++) {
		for (uint32_t i = 0; i < sizeof(data); i++) {
			crc ^= data[i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
		}
	}
	return crc;
}

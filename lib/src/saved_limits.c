// SPDX-License-Identifier: MIT
/* The limits that a runner file has: those that structure is checked against, in this order. */
#include <stddef.h>

#include "saved.h"

#define LIMIT(field, least, most) \
	{ #field, offsetof(struct tessera_limits, field), \
	  sizeof(((struct tessera_limits *)0)->field), least, most }
#define SIZE_MOST	(256u << 20)

const struct tsr_saved_limit tsr_saved_limits[] = {
	LIMIT(grid_width, 1, TESSERA_MAX_DIM),
	LIMIT(grid_height, 1, TESSERA_MAX_DIM),
	LIMIT(cores, 1, TESSERA_MAX_CORES),
	LIMIT(l1_size, 4096, SIZE_MOST),
	LIMIT(arg_base, 0, UINT32_MAX - SIZE_MOST),
	LIMIT(image_base[0], 0, UINT32_MAX - SIZE_MOST),
	LIMIT(image_base[1], 0, UINT32_MAX - SIZE_MOST),
	LIMIT(image_base[2], 0, UINT32_MAX - SIZE_MOST),
	LIMIT(image_slot, 4096, SIZE_MOST),
	LIMIT(cb_base, 0, UINT32_MAX - SIZE_MOST),
	LIMIT(words, 0, 65536),
	LIMIT(semaphores, 0, 4096),
	LIMIT(circular_buffers, 0, 64),
	LIMIT(bindings, 0, 65535),
	LIMIT(images, 1, 16384),
	LIMIT(descriptors, 1, 16384),
	LIMIT(ranges, 1, 65536),
	LIMIT(program_size, 1, TSR_SAVED_MAX),
};

const size_t tsr_saved_limit_count = ARRAY_SIZE(tsr_saved_limits);

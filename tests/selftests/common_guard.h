/* SPDX-License-Identifier: MIT */
/* What tests with device code at random share: numbers that a seed tells, and guarded buffers. */
#ifndef TSR_TESTS_COMMON_GUARD_H
#define TSR_TESTS_COMMON_GUARD_H

#include <string.h>
#include "common_dev.h"

#define GUARD_BYTE	0x5a

/** guard_random() - the next number after @state, which is not 0 */
static inline uint32_t guard_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/** guard_buf() - a buffer that nobody may write to */
static inline int guard_buf(struct dev *d, uint32_t size, struct dev_buf *ret)
{
	int err = dev_buf(d, size, ret);

	if (!err)
		memset(ret->mem, GUARD_BYTE, size);
	return err;
}

/** guard_intact() - nobody has */
static inline bool guard_intact(const struct dev_buf *buf)
{
	const uint8_t *p = buf->mem;

	for (uint32_t i = 0; i < buf->size; i++)
		if (p[i] != GUARD_BYTE)
			return false;
	return true;
}

#endif

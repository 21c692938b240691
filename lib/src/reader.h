/* SPDX-License-Identifier: MIT */
/*
 * Reading what tsr_writer wrote, out of bytes that nobody vouches for. The first thing that is not
 * there sets @bad, and from then on everything reads as zero or NULL.
 */
#ifndef TSR_READER_H
#define TSR_READER_H

#include "util.h"

/** struct tsr_reader - what is left */
struct tsr_reader {
	const uint8_t *p;
	size_t left;
	bool bad;
};

/** tsr_read_raw() - @size bytes, borrowed; NULL when there are less */
static inline const uint8_t *tsr_read_raw(struct tsr_reader *r, size_t size)
{
	const uint8_t *p = r->p;

	if (r->bad || size > r->left) {
		r->bad = true;
		return NULL;
	}
	r->p += size;
	r->left -= size;
	return p;
}

static inline uint32_t tsr_read32(struct tsr_reader *r)
{
	const uint8_t *p = tsr_read_raw(r, sizeof(uint32_t));
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t tsr_read64(struct tsr_reader *r)
{
	uint64_t low = tsr_read32(r);

	return low | (uint64_t)tsr_read32(r) << 32;
}

/** tsr_read_bytes() - a length, then so many bytes, borrowed; NULL when they are not there */
static inline const uint8_t *tsr_read_bytes(struct tsr_reader *r, uint32_t *ret_size)
{
	*ret_size = tsr_read32(r);
	return tsr_read_raw(r, *ret_size);
}

/** tsr_read_count() - a number of elements, of which each takes @least bytes; 0 when impossible */
static inline uint32_t tsr_read_count(struct tsr_reader *r, size_t least)
{
	uint32_t n = tsr_read32(r);

	if (n > r->left / least) {
		r->bad = true;
		return 0;
	}
	return n;
}

#endif

/* SPDX-License-Identifier: MIT */
/* XXH3-128 in canonical (big-endian) byte order, and canonical bytes for it (FP-1). */
#ifndef TSR_HASH_H
#define TSR_HASH_H

#include <errno.h>

#include "util.h"

/** struct tsr_digest - 128 bits */
struct tsr_digest {
	uint8_t bytes[16];
};

/** tsr_hash() - of one string of bytes */
struct tsr_digest tsr_hash(const void *data, size_t size);

/*
 * Canonical bytes: little endian, fixed widths, every sequence prefixed by its length. Each call
 * appends; the first failure is kept and the rest does nothing.
 */
struct tsr_writer {
	struct tsr_vec bytes;
	int err;
};

/** tsr_write_room() - @size bytes to fill in, or NULL when out of memory */
static inline uint8_t *tsr_write_room(struct tsr_writer *w, size_t size)
{
	uint8_t *p = likely(!w->err) ? tsr_vec_add(&w->bytes, 1, size) : NULL;

	if (unlikely(!p))
		w->err = -ENOMEM;
	return p;
}

void tsr_write32(struct tsr_writer *w, uint32_t value);
void tsr_write64(struct tsr_writer *w, uint64_t value);
/** tsr_write_raw() - bytes without a length: for what has a fixed size */
void tsr_write_raw(struct tsr_writer *w, const void *data, size_t size);
/** tsr_write_bytes() - length, then the bytes */
void tsr_write_bytes(struct tsr_writer *w, const void *data, size_t size);
/** tsr_write_string() - tsr_write_bytes() without the NUL */
void tsr_write_string(struct tsr_writer *w, const char *text);

struct tsr_coreset;
/** tsr_write_cores() - number of rectangles, then x0 y0 x1 y1 of each, 16 bits each */
void tsr_write_cores(struct tsr_writer *w, const struct tsr_coreset *cores);

#endif

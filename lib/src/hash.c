// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include <xxhash.h>

#include "coreset_int.h"
#include "hash.h"

struct tsr_digest tsr_hash(const void *data, size_t size)
{
	XXH128_canonical_t canonical;
	struct tsr_digest digest;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
	memcpy(digest.bytes, canonical.digest, sizeof(digest.bytes));
	return digest;
}

void tsr_write32(struct tsr_writer *w, uint32_t value)
{
	uint8_t *p = tsr_write_room(w, sizeof(value));

	if (p)
		tsr_store32(p, value);
}

void tsr_write64(struct tsr_writer *w, uint64_t value)
{
	uint8_t *p = tsr_write_room(w, sizeof(value));

	if (p)
		tsr_store64(p, value);
}

void tsr_write_raw(struct tsr_writer *w, const void *data, size_t size)
{
	uint8_t *p = size ? tsr_write_room(w, size) : NULL;

	if (p)
		memcpy(p, data, size);
}

void tsr_write_bytes(struct tsr_writer *w, const void *data, size_t size)
{
	if (size > UINT32_MAX)
		w->err = -EINVAL;
	tsr_write32(w, (uint32_t)size);
	tsr_write_raw(w, data, size);
}

void tsr_write_string(struct tsr_writer *w, const char *text)
{
	tsr_write_bytes(w, text, strlen(text));
}

void tsr_write_cores(struct tsr_writer *w, const struct tsr_coreset *cores)
{
	struct tsr_rect rects[32];
	struct tsr_rect *list = rects;
	size_t n = tsr_coreset_rects(cores, rects, ARRAY_SIZE(rects));

	if (n > ARRAY_SIZE(rects)) {
		list = malloc(n * sizeof(*list));
		if (!list) {
			w->err = -ENOMEM;
			return;
		}
		tsr_coreset_rects(cores, list, n);
	}
	tsr_write32(w, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		tsr_write32(w, list[i].x0 | (uint32_t)list[i].y0 << 16);
		tsr_write32(w, list[i].x1 | (uint32_t)list[i].y1 << 16);
	}
	if (list != rects)
		free(list);
}

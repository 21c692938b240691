// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "cores.h"

/* The part of a rectangle's row that lies in one word of the bitmap. */
static u64 row_mask(u32 first, u32 last, u32 word)
{
	u32 from = first > word * 64 ? first - word * 64 : 0;
	u32 to = last < word * 64 + 63 ? last - word * 64 : 63;

	return (~0ull >> (63 - to)) & (~0ull << from);
}

bool tsr_cores_meets_rect(const struct tsr_cores *set, u32 width, const struct tessera_range *rect)
{
	for (u32 y = rect->y0; y <= rect->y1; y++) {
		u32 first = y * width + rect->x0;
		u32 last = y * width + rect->x1;

		for (u32 word = first / 64; word <= last / 64; word++)
			if (set->bits[word] & row_mask(first, last, word))
				return true;
	}
	return false;
}

void tsr_cores_add_rect(struct tsr_cores *set, u32 width, const struct tessera_range *rect)
{
	for (u32 y = rect->y0; y <= rect->y1; y++) {
		u32 first = y * width + rect->x0;
		u32 last = y * width + rect->x1;

		for (u32 word = first / 64; word <= last / 64; word++)
			set->bits[word] |= row_mask(first, last, word);
	}
}

bool tsr_cores_meet(const struct tsr_cores *a, const struct tsr_cores *b)
{
	for (u32 i = 0; i < TSR_CORES_WORDS; i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}

bool tsr_cores_within(const struct tsr_cores *set, const struct tsr_cores *outer)
{
	for (u32 i = 0; i < TSR_CORES_WORDS; i++)
		if (set->bits[i] & ~outer->bits[i])
			return false;
	return true;
}

void tsr_cores_add(struct tsr_cores *set, const struct tsr_cores *other)
{
	for (u32 i = 0; i < TSR_CORES_WORDS; i++)
		set->bits[i] |= other->bits[i];
}

u32 tsr_cores_count(const struct tsr_cores *set)
{
	u32 n = 0;

	for (u32 i = 0; i < TSR_CORES_WORDS; i++)
		for (u64 bits = set->bits[i]; bits; bits &= bits - 1)
			n++;
	return n;
}

// SPDX-License-Identifier: MIT
/* Core sets: bitmaps, so that equal sets are equal whatever they were made from (RR-11). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "coreset_int.h"

/* Bits first .. last of a row. */
static uint64_t span(unsigned int first, unsigned int last)
{
	return (~UINT64_C(0) >> (63 - (last - first))) << first;
}

static void trim(struct tsr_coreset *set)
{
	while (set->height && !set->rows[set->height - 1])
		set->height--;
}

TSR_API struct tsr_coreset *tsr_coreset_new(void)
{
	return calloc(1, sizeof(struct tsr_coreset));
}

TSR_API struct tsr_coreset *tsr_coreset_new_rect(uint16_t x0, uint16_t y0, uint16_t x1, uint16_t y1)
{
	struct tsr_coreset *set = tsr_coreset_new();

	if (set && tsr_coreset_add_rect(set, (struct tsr_rect){ x0, y0, x1, y1 }))
		return tsr_coreset_free(set);
	return set;
}

TSR_API struct tsr_coreset *tsr_coreset_copy(const struct tsr_coreset *set)
{
	struct tsr_coreset *copy = tsr_coreset_new();

	if (copy && tsr_coreset_assign(copy, set))
		return tsr_coreset_free(copy);
	return copy;
}

TSR_API struct tsr_coreset *tsr_coreset_free(struct tsr_coreset *set)
{
	if (set)
		tsr_coreset_fini(set);
	free(set);
	return NULL;
}

void tsr_coreset_fini(struct tsr_coreset *set)
{
	tsr_vec_free(&set->strays);
	memset(set->rows, 0, sizeof(set->rows));
	set->height = 0;
}

int tsr_coreset_assign(struct tsr_coreset *to, const struct tsr_coreset *from)
{
	to->strays.count = 0;
	if (from->strays.count) {
		void *p = tsr_vec_add(&to->strays, sizeof(struct tsr_rect), from->strays.count);

		if (!p)
			return -ENOMEM;
		memcpy(p, from->strays.data, from->strays.count * sizeof(struct tsr_rect));
	}
	for (uint32_t y = from->height; y < to->height; y++)
		to->rows[y] = 0;
	memcpy(to->rows, from->rows, from->height * sizeof(from->rows[0]));
	to->height = from->height;
	return 0;
}

static bool stray(struct tsr_rect r)
{
	return r.x0 > r.x1 || r.y0 > r.y1 || r.x1 >= TSR_CORESET_DIM || r.y1 >= TSR_CORESET_DIM;
}

static int compare_rects(const struct tsr_rect *a, const struct tsr_rect *b)
{
	return memcmp(a, b, sizeof(*a));
}

/* Strays are a sorted set, so that they do not depend on the order of adding either. */
static int add_stray(struct tsr_coreset *set, struct tsr_rect rect)
{
	struct tsr_rect *list = set->strays.data;
	size_t i = set->strays.count;

	for (size_t k = 0; k < set->strays.count; k++)
		if (!compare_rects(&list[k], &rect))
			return 0;
	if (!tsr_vec_add(&set->strays, sizeof(rect), 1))
		return -ENOMEM;
	list = set->strays.data;
	for (; i > 0 && compare_rects(&list[i - 1], &rect) > 0; i--)
		list[i] = list[i - 1];
	list[i] = rect;
	return 0;
}

TSR_API int tsr_coreset_add_rect(struct tsr_coreset *set, struct tsr_rect rect)
{
	if (stray(rect))
		return add_stray(set, rect);
	for (unsigned int y = rect.y0; y <= rect.y1; y++)
		set->rows[y] |= span(rect.x0, rect.x1);
	if (set->height <= rect.y1)
		set->height = rect.y1 + 1u;
	return 0;
}

TSR_API int tsr_coreset_add(struct tsr_coreset *set, uint16_t x, uint16_t y)
{
	return tsr_coreset_add_rect(set, (struct tsr_rect){ x, y, x, y });
}

TSR_API void tsr_coreset_remove(struct tsr_coreset *set, uint16_t x, uint16_t y)
{
	if (!tsr_coreset_contains(set, x, y))
		return;
	set->rows[y] &= ~(UINT64_C(1) << x);
	trim(set);
}

TSR_API bool tsr_coreset_contains(const struct tsr_coreset *set, uint16_t x, uint16_t y)
{
	return x < TSR_CORESET_DIM && y < set->height && (set->rows[y] >> x & 1);
}

TSR_API size_t tsr_coreset_count(const struct tsr_coreset *set)
{
	size_t n = 0;

	for (uint32_t y = 0; y < set->height; y++)
		n += (size_t)__builtin_popcountll(set->rows[y]);
	return n;
}

TSR_API bool tsr_coreset_equal(const struct tsr_coreset *a, const struct tsr_coreset *b)
{
	return a->height == b->height && a->strays.count == b->strays.count &&
	       !memcmp(a->rows, b->rows, a->height * sizeof(a->rows[0])) &&
	       (!a->strays.count || !memcmp(a->strays.data, b->strays.data,
					    a->strays.count * sizeof(struct tsr_rect)));
}

TSR_API bool tsr_coreset_subset(const struct tsr_coreset *inner, const struct tsr_coreset *outer)
{
	if (inner->height > outer->height)
		return false;
	for (uint32_t y = 0; y < inner->height; y++)
		if (inner->rows[y] & ~outer->rows[y])
			return false;
	return true;
}

TSR_API bool tsr_coreset_intersects(const struct tsr_coreset *a, const struct tsr_coreset *b)
{
	for (uint32_t y = 0; y < a->height && y < b->height; y++)
		if (a->rows[y] & b->rows[y])
			return true;
	return false;
}

void tsr_coreset_minus(const struct tsr_coreset *a, const struct tsr_coreset *b,
		       struct tsr_coreset *ret)
{
	*ret = (struct tsr_coreset){ .height = a->height };
	for (uint32_t y = 0; y < a->height; y++)
		ret->rows[y] = a->rows[y] & ~b->rows[y];
	trim(ret);
}

bool tsr_coreset_first(const struct tsr_coreset *set, struct tsr_core *ret_core)
{
	return tsr_coreset_cores(set, ret_core, 1) > 0;
}

TSR_API size_t tsr_coreset_cores(const struct tsr_coreset *set, struct tsr_core *ret_cores,
				 size_t max)
{
	size_t n = 0;

	for (uint32_t y = 0; y < set->height; y++)
		for (uint64_t row = set->rows[y]; row; row &= row - 1, n++)
			if (n < max)
				ret_cores[n] = (struct tsr_core){ (uint16_t)__builtin_ctzll(row),
								  (uint16_t)y };
	return n;
}

/* Whether row y has a run of cores that is exactly x0 .. x1. */
static bool has_run(const struct tsr_coreset *set, unsigned int x0, unsigned int x1, uint32_t y)
{
	uint64_t run = span(x0, x1), around = run;

	if (y >= set->height)
		return false;
	if (x0 > 0)
		around |= UINT64_C(1) << (x0 - 1);
	if (x1 < 63)
		around |= UINT64_C(1) << (x1 + 1);
	return (set->rows[y] & around) == run;
}

TSR_API size_t tsr_coreset_rects(const struct tsr_coreset *set, struct tsr_rect *ret_rects,
				 size_t max)
{
	size_t n = 0;

	for (uint32_t y = 0; y < set->height; y++) {
		uint64_t row = set->rows[y];

		while (row) {
			unsigned int x0 = (unsigned int)__builtin_ctzll(row), x1 = x0;
			uint32_t y1 = y;

			while (x1 < 63 && (row >> (x1 + 1) & 1))
				x1++;
			row &= ~span(x0, x1);
			if (y && has_run(set, x0, x1, y - 1))
				continue;
			while (has_run(set, x0, x1, y1 + 1))
				y1++;
			if (n < max)
				ret_rects[n] = (struct tsr_rect){ (uint16_t)x0, (uint16_t)y,
								  (uint16_t)x1, (uint16_t)y1 };
			n++;
		}
	}
	return n;
}

/* snprintf() at @at of @size bytes that may already be full. */
static size_t print_rect(char *buf, size_t size, size_t at, const char *before, struct tsr_rect r)
{
	char *to = at < size ? buf + at : NULL;
	size_t room = at < size ? size - at : 0;
	int n;

	if (r.x0 == r.x1 && r.y0 == r.y1)
		n = snprintf(to, room, "%s(%u,%u)", before, r.x0, r.y0);
	else
		n = snprintf(to, room, "%s(%u,%u)-(%u,%u)", before, r.x0, r.y0, r.x1, r.y1);
	return at + (size_t)n;
}

TSR_API size_t tsr_coreset_print(const struct tsr_coreset *set, char *buf, size_t size)
{
	struct tsr_rect rects[TSR_CORESET_DIM * TSR_CORESET_DIM / 2];
	size_t n = tsr_coreset_rects(set, rects, ARRAY_SIZE(rects)), at = 1;
	const struct tsr_rect *strays = set->strays.data;

	if (size > 1)
		buf[0] = '{';
	for (size_t i = 0; i < n; i++)
		at = print_rect(buf, size, at, i ? " " : "", rects[i]);
	for (size_t i = 0; i < set->strays.count; i++)
		at = print_rect(buf, size, at, n + i ? " " : "", strays[i]);
	if (at + 1 < size)
		buf[at] = '}';
	at++;
	if (size)
		buf[at < size ? at : size - 1] = '\0';
	return at;
}

char *tsr_coreset_text(const struct tsr_coreset *set)
{
	size_t n = tsr_coreset_print(set, NULL, 0);
	char *text = malloc(n + 1);

	if (text)
		tsr_coreset_print(set, text, n + 1);
	return text;
}

/* SPDX-License-Identifier: MIT */
/* Sets of cores (RR-11): the order in which a set was put together does not matter. */
#ifndef TESSERA_CORESET_H
#define TESSERA_CORESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tsr_core - a place in the grid: column and row
 */
struct tsr_core {
	/** @x: column */
	uint16_t x;
	/** @y: row */
	uint16_t y;
};

/**
 * struct tsr_rect - rectangle of cores, both ends inclusive
 */
struct tsr_rect {
	/** @x0: first column */
	uint16_t x0;
	/** @y0: first row */
	uint16_t y0;
	/** @x1: last column */
	uint16_t x1;
	/** @y1: last row */
	uint16_t y1;
};

/*
 * struct tsr_coreset - a set of cores; a value that belongs to one thread at a time
 */
struct tsr_coreset;

/**
 * tsr_coreset_new() - an empty set
 *
 * Return: NULL when out of memory. Free with tsr_coreset_free().
 */
struct tsr_coreset *tsr_coreset_new(void);

/**
 * tsr_coreset_new_rect() - the cores of one rectangle, see tsr_coreset_add_rect()
 * @x0: first column
 * @y0: first row
 * @x1: last column
 * @y1: last row
 *
 * Return: a new set; NULL: no memory.
 */
struct tsr_coreset *tsr_coreset_new_rect(uint16_t x0, uint16_t y0, uint16_t x1, uint16_t y1);

/**
 * tsr_coreset_copy() - a second set with the same cores
 * @set: the set
 *
 * Return: a new set; NULL: no memory.
 */
struct tsr_coreset *tsr_coreset_copy(const struct tsr_coreset *set);

/**
 * tsr_coreset_free() - free a set; takes NULL
 * @set: the set
 *
 * Return: NULL.
 */
struct tsr_coreset *tsr_coreset_free(struct tsr_coreset *set);

/**
 * tsr_coreset_add_rect() - add all cores of a rectangle
 * @set: the set
 * @rect: its corners
 *
 * A reversed rectangle, or one beyond column or row 63, adds no core. It is kept, and whatever
 * the set is then used for is refused with finding V17, which shows the rectangle.
 *
 * Return: 0, -ENOMEM.
 */
int tsr_coreset_add_rect(struct tsr_coreset *set, struct tsr_rect rect);

/**
 * tsr_coreset_add() - add one core
 * @set: the set
 * @x: column
 * @y: row
 *
 * Return: as tsr_coreset_add_rect().
 */
int tsr_coreset_add(struct tsr_coreset *set, uint16_t x, uint16_t y);

/**
 * tsr_coreset_remove() - take one core out, if it is in
 * @set: the set
 * @x: column
 * @y: row
 */
void tsr_coreset_remove(struct tsr_coreset *set, uint16_t x, uint16_t y);

/**
 * tsr_coreset_contains() - whether a core is in
 * @set: the set
 * @x: column
 * @y: row
 *
 * Return: whether it is.
 */
bool tsr_coreset_contains(const struct tsr_coreset *set, uint16_t x, uint16_t y);

/**
 * tsr_coreset_count() - number of cores
 * @set: the set
 *
 * Return: the number.
 */
size_t tsr_coreset_count(const struct tsr_coreset *set);

/**
 * tsr_coreset_equal() - whether both hold the same cores
 * @a: one set
 * @b: the other
 *
 * Return: whether they do.
 */
bool tsr_coreset_equal(const struct tsr_coreset *a, const struct tsr_coreset *b);

/**
 * tsr_coreset_subset() - whether every core of @inner is in @outer
 * @inner: the smaller set
 * @outer: the larger set
 *
 * Return: whether it is.
 */
bool tsr_coreset_subset(const struct tsr_coreset *inner, const struct tsr_coreset *outer);

/**
 * tsr_coreset_intersects() - whether some core is in both
 * @a: one set
 * @b: the other
 *
 * Return: whether there is one.
 */
bool tsr_coreset_intersects(const struct tsr_coreset *a, const struct tsr_coreset *b);

/**
 * tsr_coreset_cores() - list the cores, row by row (ascending y, then x)
 * @set: the set
 * @ret_cores: filled with the first @max cores; may be NULL when @max is 0
 * @max: room
 *
 * Return: number of cores in the set.
 */
size_t tsr_coreset_cores(const struct tsr_coreset *set, struct tsr_core *ret_cores, size_t max);

/**
 * tsr_coreset_rects() - list the set as disjoint rectangles
 * @set: the set
 * @ret_rects: filled with the first @max; may be NULL when @max is 0
 * @max: room
 *
 * Equal sets give equal lists: runs of each row, joined downwards while they stay the same,
 * ascending by (y0, x0).
 *
 * Return: number of rectangles; the first @max of them are written to @ret_rects.
 */
size_t tsr_coreset_rects(const struct tsr_coreset *set, struct tsr_rect *ret_rects, size_t max);

/**
 * tsr_coreset_print() - the set as text: "{(0,0)-(3,1) (0,2)}", "{}" when empty
 * @set: the set
 * @buf: where to write; may be NULL when @size is 0
 * @size: bytes of @buf
 *
 * Equal sets print the same. As snprintf(): writes at most @size bytes with the final NUL.
 *
 * Return: length of the whole text.
 */
size_t tsr_coreset_print(const struct tsr_coreset *set, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif

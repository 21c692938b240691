/* SPDX-License-Identifier: MIT */
/*
 * One wrong field in a struct that is right. The number in a call says in which of the structs
 * that it hands over, in which 32-bit word, and how:
 *
 *   bits 0..1   part: enum damage_part
 *   bits 2..4   way: a value of the table, one bit, plus or minus a little, a bad pointer
 *   bits 5..15  word, modulo their number
 *   bits 16..31 the value: index, bit or number
 */
#ifndef TSR_FUZZ_DAMAGE_H
#define TSR_FUZZ_DAMAGE_H

#include "input.h"

/* KERNEL_ADDRESS - where no user may look */
#define KERNEL_ADDRESS	0xffff800000000000ull

enum damage_part {
	DAMAGE_ARGS,		/* the argument of the ioctl */
	DAMAGE_FIRST,		/* what it points to: a blob, the records of runs */
	DAMAGE_SECOND,		/* what that points to: dispatch blobs, lists of syncobjs */
	DAMAGE_POINTER,		/* where the argument itself lies */
};

uint32_t damage_random(struct random *r);

/** damage() - change @size bytes at @p if it is this @part's turn */
void damage(const struct call *c, enum damage_part part, void *p, size_t size);

#endif

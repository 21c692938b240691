/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Random programs for processors, to be run by two implementations and compared. */
#ifndef TSR_TEST_RANDOM_H
#define TSR_TEST_RANDOM_H

#include "port.h"

#define MEMORY		256	/* bytes of memory of a snippet, around its base */
#define RECORD		(MEMORY + 128)	/* and its registers at the end */
#define CODE_MAX	(1u << 18)	/* instructions in a program */
#define DATA_MAX	(1u << 20)	/* words */

/** struct program - code being generated, and its data, all of which is its result */
struct program {
	u32 base, data_base;	/* addresses of code and of data */
	u32 *code, n;
	u32 *data, words;
	u64 random;		/* state; not 0 */
};

void program_put(struct program *p, u32 word);

/* Always two instructions. */
void program_li(struct program *p, u32 rd, u32 v);

/** program_edges() - each operation on each pair of edge values; the data are the results */
void program_edges(struct program *p);

/**
 * program_random() - up to 256 programs, one after the other
 *
 * Each has a record in data: MEMORY bytes of memory, where it starts with random words, and its
 * 32 registers at the end.
 */
void program_random(struct program *p, u32 snippets);

/**
 * program_rewrite() - store an instruction over what follows, which is none, and FENCE.I
 *
 * From then on, code that was decoded before is of no use.
 */
void program_rewrite(struct program *p);

#endif

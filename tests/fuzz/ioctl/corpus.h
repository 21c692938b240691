/* SPDX-License-Identifier: MIT */
/*
 * Inputs worth changing: those of the tree, and per thread those that took new edges. Each thread
 * has its own, so that what it generates depends on the seed and on what it accepted, and on
 * nothing else. The numbers of accepted inputs are written down: with them a thread generates the
 * same inputs again on a kernel that takes other edges, or that has no KCOV.
 */
#ifndef TSR_FUZZ_CORPUS_H
#define TSR_FUZZ_CORPUS_H

#include "input.h"

struct corpus;

/**
 * corpus_open() - NULL: out of memory, or a file that is none
 * @seeds: directory, or NULL
 * @out: directory for what is accepted, or NULL
 * @accepted: file of numbers, and how many edges were new, that an earlier run wrote to @out;
 *	NULL: decide by coverage
 */
struct corpus *corpus_open(const char *seeds, const char *out, const char *accepted,
			   uint32_t thread);
void corpus_close(struct corpus *corpus);

/** corpus_next() - input @number: new, or changed from one that is there */
void corpus_next(const struct corpus *corpus, struct random *r, struct input *ret);
/** corpus_offer() - after input @number took @fresh new edges */
void corpus_offer(struct corpus *corpus, uint64_t number, const struct input *in, uint32_t fresh);
/** corpus_size() - inputs; @ret_accepted: without those of the tree */
uint32_t corpus_size(const struct corpus *corpus, uint32_t *ret_accepted);

/** corpus_seed() - input @i of the tree, as it is, or NULL */
const struct input *corpus_seed(const struct corpus *corpus, uint32_t i);

#endif

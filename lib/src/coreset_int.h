/* SPDX-License-Identifier: MIT */
/* The inside of core sets, for those that embed or index them. */
#ifndef TSR_CORESET_INT_H
#define TSR_CORESET_INT_H

#include <tessera/coreset.h>

#include "util.h"

#define TSR_CORESET_DIM		64

/** struct tsr_coreset - one bit a core, one word a row; all zero is the empty set */
struct tsr_coreset {
	uint64_t rows[TSR_CORESET_DIM];
	uint32_t height;	/* rows from here on are empty */
	struct tsr_vec strays;	/* struct tsr_rect: reversed, or beyond the last row or column */
};

/** tsr_coreset_fini() - free what an embedded set holds; it is empty then */
void tsr_coreset_fini(struct tsr_coreset *set);

/** tsr_coreset_assign() - make @to, which may hold anything valid, equal to @from. 0, -ENOMEM. */
int tsr_coreset_assign(struct tsr_coreset *to, const struct tsr_coreset *from);

/** tsr_coreset_text() - as new text; NULL when out of memory */
char *tsr_coreset_text(const struct tsr_coreset *set);

/** tsr_coreset_minus() - @ret = @a without @b; strays stay out */
void tsr_coreset_minus(const struct tsr_coreset *a, const struct tsr_coreset *b,
		       struct tsr_coreset *ret);

/** tsr_coreset_first() - the first core in row-major order; false when empty */
bool tsr_coreset_first(const struct tsr_coreset *set, struct tsr_core *ret_core);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Private to the blob verifier: what its two halves share. */
#ifndef TSR_BLOB_INT_H
#define TSR_BLOB_INT_H

#include "blob.h"
#include "cores.h"

/** struct tsr_verify - a verification under way */
struct tsr_verify {
	const struct tessera_limits *limits;
	struct tsr_blob prog;
	struct tsr_cores operation;	/* the operation's cores */
	struct tsr_blob_error error;	/* the first refusal */
};

/** tsr_refuse() - record a refusal; returns @err */
static inline int tsr_refuse(struct tsr_verify *v, int err, u32 section, u32 index,
			     const char *what)
{
	v->error = (struct tsr_blob_error){ .what = what, .section = section, .index = index };
	return err;
}

/**
 * tsr_blob_rules() - check the records, once the layout is known to be right
 * @v: limits and prog's tables and counts are set; fills in the rest of prog
 */
int tsr_blob_rules(struct tsr_verify *v);

#endif

/* SPDX-License-Identifier: MIT */
/* Building a diagnostic: rules by number, findings one by one. */
#ifndef TSR_DIAG_INT_H
#define TSR_DIAG_INT_H

#include <tessera/diagnostic.h>

#include "util.h"

/* Numbers of the rules, in the order of the table in rules.c, in which findings are reported. */
enum tsr_rule_no {
	TSR_RR3, TSR_RR6,
	TSR_V1, TSR_V2, TSR_V3, TSR_V4, TSR_V5, TSR_V6, TSR_V7, TSR_V8, TSR_V9, TSR_V10, TSR_V11,
	TSR_V12, TSR_V13, TSR_V14, TSR_V15, TSR_V16, TSR_V17, TSR_V18, TSR_V19, TSR_V20, TSR_V21,
	TSR_V22, TSR_V23, TSR_V24, TSR_V25, TSR_V26, TSR_V27,
	TSR_JIT1, TSR_JIT2, TSR_PC4, TSR_RR13, TSR_RN1, TSR_RN2, TSR_RN3, TSR_EX1,
	TSR_RULE_COUNT
};

/** struct tsr_diag - reference-counted, since a negative cache entry shares its findings */
struct tsr_diag {
	atomic_uint ref;
	int cause;
	uint32_t stage;
	struct tsr_vec findings;	/* struct tsr_finding_entry */
	bool incomplete;		/* out of memory while reporting */
};

/** struct tsr_finding_entry - a finding and what it owns */
struct tsr_finding_entry {
	struct tsr_finding f;
	enum tsr_rule_no rule;
	char *owned[8];			/* all strings but the rule; NULL where memory was short */
};

/**
 * struct tsr_note - a finding to be added; every text is new memory that the diagnostic takes
 *
 * Texts come from tsr_text(); NULL counts as "".
 */
struct tsr_note {
	enum tsr_rule_no rule;
	char *path;
	char *value;
	char *allowed;
	char *message;
	const char *field;		/* copied */
	bool at_core;
	uint16_t x, y;
};

/** tsr_diag_new() - NULL when out of memory */
struct tsr_diag *tsr_diag_new(void);

/** tsr_diag_ref() - one more owner; from then on it must not change */
struct tsr_diag *tsr_diag_ref(struct tsr_diag *diag);

/** tsr_diag_bytes() - what it retains: records and texts; 0 for NULL */
size_t tsr_diag_bytes(const struct tsr_diag *diag);

/** tsr_diag_note() - add a finding; @diag may be NULL, then only the note's texts are freed */
void tsr_diag_note(struct tsr_diag *diag, struct tsr_note note);

/** tsr_diag_compile() - add what only compile findings have to the last finding; texts as above */
void tsr_diag_compile(struct tsr_diag *diag, char *output, char *command, char *source,
		      char *definitions);

/** tsr_diag_sort() - into the order of the rules, keeping the order within one */
void tsr_diag_sort(struct tsr_diag *diag);

/** tsr_diag_append() - copy the findings of @from, which may be NULL, to the end of @diag */
void tsr_diag_append(struct tsr_diag *diag, const struct tsr_diag *from);

#endif

/* SPDX-License-Identifier: MIT */
/* Which edges of the driver a call takes, by KCOV of the debug kernel. Without it: nothing. */
#ifndef TSR_FUZZ_COVER_H
#define TSR_FUZZ_COVER_H

#include <stdint.h>

struct cover;

/** cover_open() - for this thread, until cover_close(); NULL: the kernel has no KCOV */
struct cover *cover_open(void);
struct cover *cover_close(struct cover *cover);

/* Around a call; they take NULL. */
void cover_begin(struct cover *cover);
void cover_end(struct cover *cover);

/** cover_new() - edges that no thread had seen before, since the last time; 0 for NULL */
uint32_t cover_new(struct cover *cover);
/** cover_total() - edges seen by all threads */
uint32_t cover_total(void);

#endif

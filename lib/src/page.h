/* SPDX-License-Identifier: MIT */
/*
 * The progress page of a context: the driver writes the id of the last run up to which all have
 * ended. It is mapped by the first wait, and lives as long as the context.
 */
#ifndef TSR_PAGE_H
#define TSR_PAGE_H

#include "context_int.h"

/* How long a wait spins: a wake across CPUs takes 100 us and more. */
#define TSR_SPIN_NS	20000

/**
 * tsr_page_ended() - whether the page says that a run has ended
 * @context: of the run
 * @id: of the run
 * @deadline: absolute, as in the ioctls: 0 looks once, else it spins, briefly
 *
 * False says nothing: ask the kernel.
 */
bool tsr_page_ended(struct tsr_context *context, uint64_t id, int64_t deadline);

/** tsr_page_unmap() - the context goes */
void tsr_page_unmap(struct tsr_context *context);

#endif

/* SPDX-License-Identifier: MIT */
/* The inside of a run, and how its end is observed. */
#ifndef TSR_RUN_INT_H
#define TSR_RUN_INT_H

#include <tessera/run.h>
#include <tessera/status.h>

#include "context_int.h"
#include "operation_int.h"
#include "program.h"
#include "resources_int.h"

/**
 * struct tsr_run - see <tessera/run.h>
 *
 * @users counts those who look at it, @ref those who need its memory: each user, the context while
 * nobody has seen its end, and who is looking at it right now.
 */
struct tsr_run {
	atomic_uint ref;
	atomic_uint users;
	uint32_t handle;
	uint32_t flags;				/* TSR_SUBMIT_* */
	uint64_t id;
	struct tsr_context *context;
	struct tsr_operation *op;
	struct tsr_program *program;		/* NULL once its end was seen, as the next one */
	struct tsr_resources *res;
	struct tsr_staging *staging;
	struct tsr_vec copies;			/* struct tsr_copy, in program mode */
	atomic_bool ended;			/* @status is final */
	/* Observing the end, and the next three members; inside no other lock. */
	pthread_mutex_t lock;
	pthread_cond_t copied;			/* @copying is over */
	bool copying;				/* by the one thread that observes the end */
	bool detached;				/* nothing is to be copied back */
	struct tsr_status status;		/* once ended */
	struct tsr_run *next, *prev;		/* context->first; protected by its lock */
	bool linked;
	struct tsr_run *orphan;			/* dev->orphans */
};

/** tsr_run_new() - from the device's pool when it has any; NULL when out of memory */
struct tsr_run *tsr_run_new(struct tsr_context *context, struct tsr_operation *op);

/** tsr_run_abandon() - a new run that was not accepted: free it, and nothing else */
void tsr_run_abandon(struct tsr_run *run);

/** tsr_run_link() - an accepted run: it is in its context's list until its end is seen */
void tsr_run_link(struct tsr_run *run);

/** tsr_run_observe() - the kernel says that the run has ended: see how, once; release its owners */
int tsr_run_observe(struct tsr_run *run);

/** tsr_run_await() - wait in the kernel, then observe; @deadline as in the ioctl */
int tsr_run_await(struct tsr_run *run, int64_t deadline);

/** tsr_run_put() - drop a reference to its memory */
void tsr_run_put(struct tsr_run *run);

/** tsr_run_destroy() - for the pool */
void tsr_run_destroy(void *object);

/** tsr_reaper_adopt() - nobody looks at the run any more: a thread of the library does */
void tsr_reaper_adopt(struct tsr_run *run);

#endif

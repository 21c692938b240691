/* SPDX-License-Identifier: MIT */
/* The library on a real node: one operation whose kernel does what its first word says. */
#ifndef TSR_TESTS_COMMON_LIB_H
#define TSR_TESTS_COMMON_LIB_H

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/tessera.h>
#include <unistd.h>
#include <xf86drm.h>

/* What the kernel does, its word 0. */
enum lib_do {
	LIB_REPORT,	/* write {words, common words, word 1, common word 0} to the tensor */
	LIB_LOOP,	/* for ever, without progress */
	LIB_JUMP,	/* into nowhere */
	LIB_UNBOUND,	/* read tensor 1, which is not bound */
	LIB_WAIT,	/* for semaphore 0 to become 1 */
	LIB_PRINT,	/* "hello" and word 1 */
};

#define LIB_SLOT	64	/* bytes of the tensor for each core, by its rank */

/** struct lib - an open device and an operation on columns 0-1, rows 0-1 */
struct lib {
	struct tsr_device *dev;
	struct tsr_context *ctx;
	struct tsr_operation *op;
	struct tsr_buffer *buffer;
	uint32_t *mem;
	struct tsr_diag *diag;
	/* What the factory supplies. */
	enum lib_do what;
	int64_t word;			/* word 1 of each core */
	size_t extra;			/* more words of core (0,0), all 7 */
	unsigned int cores;		/* how many cores get words, row-major; the default is 4 */
	int error;			/* the factory fails with it */
	bool bad;			/* one finding */
	struct lib_owner *owner;	/* kept alive, when not NULL */
};

/** struct lib_owner - an owner that counts */
struct lib_owner {
	atomic_int references;		/* taken and not given back */
	atomic_int released;		/* times */
};

/** lib_build() - compile the kernel, once for all tests; call it first in main() */
int lib_build(void);

/** lib_open() - a device with the operation, its kernel prebuilt. 0, or -errno after saying why. */
int lib_open(struct lib *l);
/** lib_open_source() - the same, but the library compiles it, with the definition SCALE */
int lib_open_source(struct lib *l, const char *scale);
void lib_close(struct lib *l);

/** lib_submit() - one run; findings in l->diag */
int lib_submit(struct lib *l, const struct tsr_submit_options *options, struct tsr_run **ret_run);

/** lib_run() - submit and wait. 0, the submit's error, or the verdict with @ret_status. */
int lib_run(struct lib *l, struct tsr_status *ret_status);

/** lib_slot() - what a core wrote: rank is row-major in the operation */
static inline const uint32_t *lib_slot(const struct lib *l, unsigned int rank)
{
	return l->mem + rank * LIB_SLOT / 4;
}

/** lib_stats() - the library's counters */
struct tsr_library_stats lib_stats(const struct lib *l);

/** lib_eventually() - wait up to 10 s until a counter has a value */
bool lib_eventually(atomic_int *counter, int value);

#define LIB_HARNESS_MAIN						\
	int main(int argc, char **argv)					\
	{								\
		lib_build();						\
		return test_harness_run(argc, argv);			\
	}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The n-th failure: a call that works is made again and again, and each allocation and each copy
 * from or to user memory inside it fails once (/proc/self/fail-nth of a kernel with
 * FAULT_INJECTION). A call that fails must say why, leave everything as it was, and work when made
 * again. A case says only what its call needs, and what the call is.
 */
#ifndef TSR_TESTS_COMMON_NTH_H
#define TSR_TESTS_COMMON_NTH_H

#include "common_check.h"
#include "common_node.h"

#define NTH_BOS		4
#define NTH_RUNS	4
#define NTH_ALSO	4
/** NTH_OTHER - name of a second device, made by nth_begin() */
#define NTH_OTHER	"nth-other"

/**
 * struct nth - what the call of a case needs and makes
 *
 * All but the first part is zero before each prepare(), and given back by nth_undo() when it is
 * not: a case has nothing to clean up.
 */
struct nth {
	char path[64];			/* of the node */
	int fd;				/* open file with the next two */
	__u32 ctx, program;		/* the program ends at once and wants nothing */
	struct drm_tessera_device_info info;
	const char *wrong;		/* what the call did wrong, besides its result */

	int other, file, more;		/* descriptors */
	__u32 bo[NTH_BOS];		/* of @fd */
	void *mem;			/* a mapping */
	size_t size;
	__u32 context, binder, made;	/* a context; two programs of @fd */
	__u32 sync, timeline;		/* syncobjs of @fd */
	__u32 runs[NTH_RUNS];
	unsigned int n_runs;
	struct uapi_gate gate;		/* opened before runs are waited for */
	void *blob;			/* free()d */
	__u32 blob_size;
	const char *node;		/* a directory in configfs */
	void *object;			/* given to @release */
	void (*release)(void *object);
};

/** struct nth_case - a call, and what must be there before */
struct nth_case {
	/** @prepare: may be NULL. 0 or a negative errno. */
	int (*prepare)(struct nth *n);
	/** @act: the call. 0 or a negative errno; looks at what it got. */
	int (*act)(struct nth *n);
	/** @also: errnos it may fail with besides ENOMEM (memory) and EFAULT (copies). */
	int also[NTH_ALSO];
	/** @in_worker: the failures are those of the kernel's unbound workers. */
	bool in_worker;
	/** @spare: a function of the kernel in which nothing fails, or NULL; see inject_spare(). */
	const char *spare;
};

/** nth_begin() - once, before all tests of a program; what it did is undone at its exit */
void nth_begin(void);

/** nth_missing() - why failures cannot be made here; NULL: they can. A debug kernel must. */
const char *nth_missing(void);
bool nth_debug_kernel(void);

int nth_open(struct nth *n);
void nth_close(struct nth *n);

/** nth_plain() - the case once, with memory. Number of things that went wrong, each printed. */
int nth_plain(struct nth *n, const struct nth_case *c);
/** nth_sweep() - the case with every failure. The same; @ret_failures: how many there were. */
int nth_sweep(struct nth *n, const struct nth_case *c, unsigned int *ret_failures);

/** nth_leaks() - objects of the driver that kmemleak has found since nth_begin(), printed */
int nth_leaks(void);

/* --- for cases ------------------------------------------------------------------------------ */

/** nth_ioctl() - uapi_ioctl() that notes when a failed call has changed its argument */
int nth_ioctl(struct nth *n, int fd, unsigned long request, void *arg, size_t size);
#define NTH_IOCTL(n, request, args)	nth_ioctl(n, (n)->fd, request, args, sizeof(*(args)))

/** nth_submit() - runs in n->ctx; accepted ones go to n->runs. 0: all of them */
int nth_submit(struct nth *n, struct drm_tessera_run *runs, __u32 count, __u32 flags);
/** nth_bind_program() - n->binder: wants that many buffers of a page; each is written */
int nth_bind_program(struct nth *n, unsigned int bindings);
/** nth_bind() - n->bo[0..@count) as the dispatch blob n->blob of a run of n->binder */
int nth_bind(struct nth *n, unsigned int count, struct drm_tessera_run *run);

/* The tests of a program, and its main(). NTH_CASE()s stand between. */
#define NTH_FIXTURE							\
	FIXTURE(nth) {							\
		struct nth n;						\
	};								\
									\
	FIXTURE_VARIANT(nth) {						\
		struct nth_case c;					\
	};								\
									\
	FIXTURE_SETUP(nth)						\
	{								\
		ASSERT_EQ(0, nth_open(&self->n));			\
	}								\
									\
	FIXTURE_TEARDOWN(nth)						\
	{								\
		nth_close(&self->n);					\
	}

#define NTH_CASE(name, ...)						\
	FIXTURE_VARIANT_ADD(nth, name) {				\
		.c = { __VA_ARGS__ },					\
	}

#define NTH_TESTS							\
	TEST_F_TIMEOUT(nth, with_memory, 60)				\
	{								\
		EXPECT_EQ(0, nth_plain(&self->n, &variant->c));		\
	}								\
									\
	TEST_F_TIMEOUT(nth, each_failure, 600)				\
	{								\
		unsigned int failures;					\
									\
		if (nth_missing()) {					\
			EXPECT_FALSE(nth_debug_kernel());		\
			SKIP(return, "%s", nth_missing());		\
		}							\
		EXPECT_EQ(0, nth_sweep(&self->n, &variant->c, &failures)); \
		/* None: nothing was tested. */				\
		EXPECT_LT(0, failures);					\
		TH_LOG("%u failures", failures);			\
	}								\
									\
	/* Runs last: fixtures run in the order of their declaration. */ \
	FIXTURE(leaks) {						\
	};								\
									\
	FIXTURE_SETUP(leaks)						\
	{								\
	}								\
									\
	FIXTURE_TEARDOWN(leaks)						\
	{								\
	}								\
									\
	TEST_F_TIMEOUT(leaks, none, 300)				\
	{								\
		if (nth_missing())					\
			SKIP(return, "%s", nth_missing());		\
		EXPECT_EQ(0, nth_leaks());				\
	}								\
									\
	int main(int argc, char **argv)					\
	{								\
		nth_begin();						\
		return test_harness_run(argc, argv);			\
	}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The ioctls, raw: for tests that say what the kernel does, without the library. Functions
 * return 0 or a negative errno (or a descriptor, or a handle), and print nothing.
 *
 * A test that wants one wrong field takes the struct that is right from here, breaks it, and
 * makes the ioctl itself by uapi_ioctl().
 */
#ifndef TSR_TESTS_COMMON_UAPI_H
#define TSR_TESTS_COMMON_UAPI_H

#include <drm/tessera_accel.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common_rv32.h"

#define UAPI_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define UAPI_PTR(p)		((__u64)(uintptr_t)(p))
#define UAPI_NO_TIMEOUT		(-1ll)

/** uapi_open() - a new open file of the device of that name (NULL: the first one) */
int uapi_open(const char *name);

/**
 * uapi_debugfs() - the path of a file of the device in debugfs
 * @minor: of the device
 * @ret: of 160 bytes or more; what it names need not be there
 */
void uapi_debugfs(__u32 minor, const char *file, char *ret, size_t size);

/** uapi_ioctl() - one call, not repeated */
int uapi_ioctl(int fd, unsigned long request, void *arg);

/** uapi_soon() - a time-out for what would end at once: 20 s, longer on slow kernels; it only guards */
__s64 uapi_soon(void);
/** uapi_now() - CLOCK_MONOTONIC ns; uapi_in_ms() - a time-out so far from now */
__s64 uapi_now(void);
__s64 uapi_in_ms(unsigned int ms);
void uapi_sleep_ms(unsigned int ms);

int uapi_info(int fd, struct drm_tessera_device_info *ret);
int uapi_counters(int fd, struct drm_tessera_counters *ret);
int uapi_context_counters(int fd, __u32 context, struct drm_tessera_counters *ret);

/** uapi_counter_name() - of the 64-bit counter at that index, for messages */
const char *uapi_counter_name(unsigned int index);
#define UAPI_COUNTERS	(sizeof(struct drm_tessera_counters) / sizeof(__u64))

/* --- objects ------------------------------------------------------------------ */

int uapi_context(int fd, __u32 capacity, __u32 *ret_handle);
int uapi_context_destroy(int fd, __u32 handle);
int uapi_bo(int fd, __u64 size, __u32 *ret_handle);
/** uapi_bo_map() - a buffer and its shared, writable mapping */
int uapi_bo_map(int fd, __u64 size, __u32 *ret_handle, void **ret_map);
int uapi_bo_close(int fd, __u32 handle);
int uapi_program(int fd, const void *blob, __u32 size, __u32 *ret_handle);
int uapi_program_destroy(int fd, __u32 handle);

int uapi_syncobj(int fd, bool signalled, __u32 *ret_handle);
int uapi_syncobj_destroy(int fd, __u32 handle);
int uapi_syncobj_signal(int fd, __u32 handle, __u64 point);	/* point 0: binary */
/** uapi_syncobj_wait() - -ETIME; a syncobj without a fence is -EINVAL */
int uapi_syncobj_wait(int fd, __u32 handle, __u64 point, __s64 timeout_ns);

/* --- program blobs ------------------------------------------------------------ */

#define UAPI_RECORDS	72
#define UAPI_BYTES	8192

/**
 * struct uapi_prog - a program under construction
 *
 * The records are the file's, to be changed at will before uapi_prog_blob(), which puts in
 * offsets, sizes and nothing else. header.sections[].count are the numbers of records.
 */
struct uapi_prog {
	struct tessera_limits limits;
	struct tessera_program_header header;
	struct tessera_range ranges[UAPI_RECORDS];
	struct tessera_image images[UAPI_RECORDS];
	struct tessera_descriptor descriptors[UAPI_RECORDS];
	struct tessera_arg args[UAPI_RECORDS];
	struct tessera_semaphore semaphores[UAPI_RECORDS];
	struct tessera_cb cbs[UAPI_RECORDS];
	struct tessera_binding bindings[UAPI_RECORDS];
	char strings[UAPI_BYTES];
	__u8 data[UAPI_BYTES];
};

/** uapi_prog_init() - nothing yet but a name and the operation: all of @x0,y0..@x1,y1, range 0 */
void uapi_prog_init(struct uapi_prog *p, const struct tessera_limits *limits, __u16 x0, __u16 y0,
		    __u16 x1, __u16 y1);
/** uapi_prog_init_core() - the same for one core: the first that is not harvested */
void uapi_prog_init_core(struct uapi_prog *p, const struct tessera_limits *limits);

/* Each appends a record and returns its index. */
__u32 uapi_add_range(struct uapi_prog *p, __u16 x0, __u16 y0, __u16 x1, __u16 y1);
__u32 uapi_add_image(struct uapi_prog *p, __u32 processor, const __u32 *code, __u32 words);
__u32 uapi_add_descriptor(struct uapi_prog *p, __u32 image, __u32 range, __u32 common_words);
/** uapi_add_args() - own words of a core, for the descriptor added last */
__u32 uapi_add_args(struct uapi_prog *p, __u16 x, __u16 y, __u32 words);
__u32 uapi_add_semaphore(struct uapi_prog *p, __u32 id, __u32 initial, __u32 range);
__u32 uapi_add_cb(struct uapi_prog *p, __u32 id, __u32 page_size, __u32 pages, __u32 address,
		  __u32 range);
__u32 uapi_add_binding(struct uapi_prog *p, __u64 min_size, __u32 access);
/** uapi_add_kernel() - image and descriptor over the operation */
__u32 uapi_add_kernel(struct uapi_prog *p, __u32 processor, const __u32 *code, __u32 words);

/** uapi_prog_blob() - memory of exactly the blob's size; free() it */
void *uapi_prog_blob(const struct uapi_prog *p, __u32 *ret_size);
/** uapi_prog_create() - PROGRAM_CREATE of it */
int uapi_prog_create(int fd, const struct uapi_prog *p, __u32 *ret_handle);

/** uapi_dispatch() - a dispatch blob; free() it. @binds and @words are copied. */
void *uapi_dispatch(const struct tessera_bind *binds, __u32 n_binds, const __u32 *words,
		    __u32 n_words, __u32 *ret_size);

/* --- programs that most tests need ------------------------------------------------ */

/** uapi_exit_blob() - one core ends at once with @status; no words, no bindings */
void *uapi_exit_blob(int fd, __u32 status, __u32 *ret_size);
int uapi_exit_program(int fd, __u32 status, __u32 *ret_handle);
/** uapi_loop_program() - one core that never ends: NO_PROGRESS after the limit */
int uapi_loop_program(int fd, __u32 *ret_handle);

/**
 * struct uapi_gate - a run that executes until the test opens a gate
 *
 * One core reads the first word of a bound buffer again and again, which is progress, and ends
 * when it is not 0 any more.
 */
struct uapi_gate {
	__u32 program, bo;
	volatile __u32 *word;		/* the gate: 0 is closed */
	void *dispatch;
	__u32 dispatch_size;
};

int uapi_gate_new(int fd, struct uapi_gate *ret);
void uapi_gate_free(int fd, struct uapi_gate *gate);
/** uapi_gate_submit() - a run of it; uapi_wait_phase() tells when it is LAUNCHED */
int uapi_gate_submit(int fd, __u32 context, struct uapi_gate *gate, __u32 *ret_run);

/* --- runs ----------------------------------------------------------------------- */

/** uapi_dispatch_none - the dispatch blob of a program that wants nothing */
extern const struct tessera_dispatch_header uapi_dispatch_none;

/** uapi_run_init() - a record that is right for a program without words and bindings */
void uapi_run_init(struct drm_tessera_run *run, __u32 program);
/** uapi_run_set_dispatch() - with this dispatch blob instead */
void uapi_run_set_dispatch(struct drm_tessera_run *run, const void *dispatch, __u32 size);
void uapi_submit_init(struct drm_tessera_run_submit *submit, __u32 context,
		      struct drm_tessera_run *runs, __u32 count);

/** uapi_submit() - one run, blocking; handle and id are in @run */
int uapi_submit(int fd, __u32 context, struct drm_tessera_run *run);
/** uapi_submit_program() - one run of a program that wants nothing */
int uapi_submit_program(int fd, __u32 context, __u32 program, __u32 *ret_run);
/** uapi_submit_claimed() - the same, while @context holds the claim: -ESTALE if not */
int uapi_submit_claimed(int fd, __u32 context, __u32 program, __u32 *ret_run);

int uapi_wait(int fd, __u32 run, __s64 timeout_ns);
int uapi_status(int fd, __u32 run, struct drm_tessera_status *ret);
/** uapi_end() - wait until uapi_soon(), then the status */
int uapi_end(int fd, __u32 run, struct drm_tessera_status *ret);
/** uapi_wait_phase() - until the run is in that phase; -ETIME after uapi_soon() */
int uapi_wait_phase(int fd, __u32 run, __u32 phase);
int uapi_cancel(int fd, __u32 run);
int uapi_close_run(int fd, __u32 run);
/** uapi_run_fd() - the descriptor */
int uapi_run_fd(int fd, __u32 run);

int uapi_claim(int fd, __u32 context, __u32 flags, __s64 timeout_ns);
int uapi_claim_release(int fd, __u32 context);

/** uapi_settle() - wait (uapi_soon()) until no accepted run is left on the device: gauge runs is 0 */
int uapi_settle(int fd);

#endif

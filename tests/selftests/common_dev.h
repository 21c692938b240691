/* SPDX-License-Identifier: MIT */
/*
 * Device kernels for tests, above common_uapi.h: compile one, put it on cores together with words,
 * semaphores, circular buffers and bindings, submit it, look at how it ended. Functions return 0
 * or a negative errno unless they say otherwise, and say on stderr what no test expects.
 */
#ifndef TSR_TESTS_COMMON_DEV_H
#define TSR_TESTS_COMMON_DEV_H

#include "common_uapi.h"
#include "kernels/script.h"

/* ---- The device ----------------------------------------------------------------------------- */

/** struct dev - an open file of a device, with one context */
struct dev {
	int fd;
	uint32_t ctx;
	struct drm_tessera_device_info info;
};

/** dev_open() - open the device of that name (NULL: the first one) */
int dev_open(struct dev *d, const char *name);
void dev_close(struct dev *d);

/**
 * dev_settled() - wait until the gauges of live objects are those of @base
 *
 * What a process leaves behind goes when its runs have been stopped, and fences by a worker: in
 * bounded time, not at once. Return: 0, or -ETIME with the gauges printed.
 */
int dev_settled(int fd, const struct drm_tessera_counters *base, unsigned int ms);

/** struct dev_buf - a buffer, mapped */
struct dev_buf {
	uint32_t handle;
	uint64_t size;
	void *mem;
};

int dev_buf(struct dev *d, uint64_t size, struct dev_buf *ret);
void dev_buf_free(struct dev *d, struct dev_buf *buf);

/* ---- Images --------------------------------------------------------------------------------- */

/** struct dev_image - what one processor executes */
struct dev_image {
	struct tessera_image rec;	/* data_offset is put in by the job */
	uint8_t *data;
	uint8_t *elf;			/* NULL: made of words */
	size_t elf_size;
	uint32_t moved;			/* how far from where it was linked */
};

/**
 * dev_compile() - compile a kernel by clang, as the library does
 * @source: path below the checkout
 * @define: "NAME=VALUE", or NULL
 *
 * The ELF file is kept in /tmp. A kernel must hold no absolute address, and be small (8 KiB
 * with its stack): then one file does for all processors of all devices.
 */
int dev_compile(const struct dev *d, const char *source, const char *define, uint32_t processor,
		struct dev_image *ret);
/** dev_script() - kernels/script.c for a processor; lives as long as the process. NULL: failed. */
const struct dev_image *dev_script(const struct dev *d, uint32_t processor);
/** dev_words_image() - instruction words as they are, from the beginning of the slot */
int dev_words_image(const struct dev *d, uint32_t processor, const uint32_t *words, uint32_t count,
		    struct dev_image *ret);
void dev_image_free(struct dev_image *image);
/** dev_symbol() - address of a symbol of a compiled kernel; 0: there is none */
uint32_t dev_symbol(const struct dev_image *image, const char *name);

/* ---- Jobs ----------------------------------------------------------------------------------- */

#define JOB_RANGES	128
#define JOB_KERNELS	64
#define JOB_ARGS	1024
#define JOB_RECORDS	16
#define JOB_WORDS	16384

/** struct dev_job - a program, and what a run of it brings */
struct dev_job {
	struct dev *d;
	struct tessera_range ranges[JOB_RANGES];
	const struct dev_image *images[JOB_KERNELS];	/* distinct ones */
	struct tessera_descriptor kernels[JOB_KERNELS];
	struct tessera_arg args[JOB_ARGS];
	struct tessera_semaphore semaphores[JOB_RECORDS];
	struct tessera_cb cbs[JOB_RECORDS];
	struct tessera_binding bindings[JOB_RECORDS];
	struct tessera_bind binds[JOB_RECORDS];
	uint32_t words[JOB_WORDS];
	uint32_t n_op, n_ranges, n_images, n_kernels, n_args, n_semaphores, n_cbs, n_bindings;
	uint32_t n_words;
	uint32_t cb_end;		/* L1 address behind the last circular buffer */
	uint32_t program;		/* handle; 0: not created yet */
};

/** dev_job() - an empty job; its operation is all working cores */
struct dev_job *dev_job(struct dev *d);
/** dev_job_free() - destroys the program too; takes NULL, returns NULL */
struct dev_job *dev_job_free(struct dev_job *job);

/** dev_job_kernel() - an image on a rectangle of cores (NULL: all), with words for all of them */
void dev_job_kernel(struct dev_job *job, const struct dev_image *image,
		    const struct tessera_range *cores, const uint32_t *common, uint32_t count);
/** dev_job_own() - own words of one core for the last kernel; ascending by (y, x) */
void dev_job_own(struct dev_job *job, uint16_t x, uint16_t y, const uint32_t *words,
		 uint32_t count);
/** dev_job_script() - script.c on one core; @steps are its words */
void dev_job_script(struct dev_job *job, uint32_t processor, uint16_t x, uint16_t y,
		    const uint32_t *steps, uint32_t count);
void dev_job_semaphore(struct dev_job *job, uint32_t id, uint32_t initial);
/** dev_job_cb() - on all cores, behind the ones before. Return: its L1 address. */
uint32_t dev_job_cb(struct dev_job *job, uint32_t id, uint32_t page_size, uint32_t pages,
		    uint32_t format);
void dev_job_bind(struct dev_job *job, uint32_t access, const struct dev_buf *buf);

/* Words and their number, for the functions above. */
#define STEPS(...)	((const uint32_t[]){ __VA_ARGS__ }), \
			(sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

/* Words of a NoC command to or from a bound buffer, a core, a rectangle. */
#define NOC_BUFFER(binding, offset, local, size, command) \
	STEP_NOC, TSR_NOC_TARGET_BUFFER | (uint32_t)((uint64_t)(offset) >> 32) << 16 | (binding), \
	(uint32_t)(offset), local, size, command
#define NOC_CORE(x, y, address, local, size, command) \
	STEP_NOC, TSR_NOC_TARGET_CORE | (y) << 8 | (x), address, local, size, command
#define NOC_RECT(x0, y0, x1, y1, address, local, size, command) \
	STEP_NOC, TSR_NOC_TARGET_MULTICAST | (uint32_t)(y1) << 21 | (x1) << 14 | (y0) << 7 | (x0), \
	address, local, size, command
#define SEM_REG(id, reg)	(TSR_REG_SEM + (id) * TSR_SEM_STRIDE + (reg))
#define WAIT_SEM(id, value)	STEP_STORE, SEM_REG(id, TSR_SEM_WAIT_MIN), value

/** dev_job_program() - create the program, once */
int dev_job_program(struct dev_job *job);

/* ---- Runs ----------------------------------------------------------------------------------- */

/** struct dev_submit - how to submit; all zero is plain */
struct dev_submit {
	uint32_t ctx;			/* 0: the device's */
	uint32_t flags;			/* DRM_TESSERA_RUN_* */
	uint32_t submit_flags;		/* DRM_TESSERA_SUBMIT_* */
	uint32_t in, out;		/* binary syncobjs, or 0 */
	uint64_t user_data;
	uint64_t id;			/* out: of the run */
};

/** dev_submit() - @how may be NULL */
int dev_submit(struct dev_job *job, struct dev_submit *how, uint32_t *ret_run);
/** dev_finish() - wait, read the status, close the handle */
int dev_finish(struct dev *d, uint32_t run, struct drm_tessera_status *ret);
/** dev_execute() - submit and finish */
int dev_execute(struct dev_job *job, struct drm_tessera_status *ret);
/** dev_steps() - the same for a script on one core, in a job of its own */
int dev_steps(struct dev *d, uint32_t processor, uint16_t x, uint16_t y, const uint32_t *steps,
	      uint32_t count, struct drm_tessera_status *ret);
/** dev_good_run() - a run on all cores and processors; 0: it succeeded, the device works */
int dev_good_run(struct dev *d);
/** dev_run_stats() - figures of a run submitted with RUN_PROFILE; free() them */
int dev_run_stats(struct dev *d, uint32_t run, struct drm_tessera_proc_stats **ret, size_t *ret_n);
void dev_status_print(const struct drm_tessera_status *s);

/** dev_fd_error() - wait until a sync_file is signalled. Return: 1, or the error it carries. */
int dev_fd_error(int fd, unsigned int ms);
/** dev_sync_error() - the same for a binary syncobj */
int dev_sync_error(struct dev *d, uint32_t handle, unsigned int ms);

#endif

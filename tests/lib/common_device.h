/* SPDX-License-Identifier: MIT */
/*
 * Device kernels on the grid engine in this process: compile with clang, link with
 * lib/device/tessera.ld, load, run. No library, no driver.
 */
#ifndef TSR_TESTS_COMMON_DEVICE_H
#define TSR_TESTS_COMMON_DEVICE_H

#include "grid.h"

#define DEVICE_KERNELS		8
#define DEVICE_CORES		64
#define DEVICE_WORDS		32
#define DEVICE_BUFFERS		4
#define DEVICE_SEMAPHORES	4
#define DEVICE_CBS		8
#define DEVICE_TEXT		8192

/** struct device_kernel - one descriptor and its words */
struct device_kernel {
	struct tessera_range range;
	u32 common[DEVICE_WORDS], n_common;
	struct {
		u16 x, y;
		u32 words[DEVICE_WORDS], count;
	} core[DEVICE_CORES];
	u32 cores;
};

/** struct device - a grid and the program being put together for it */
struct device {
	struct tsr_grid_config cfg;
	struct tessera_limits limits;
	struct tsr_grid *grid;
	struct device_kernel kernels[DEVICE_KERNELS];
	struct tsr_text *texts[DEVICE_KERNELS];
	struct tessera_image images[DEVICE_KERNELS];
	u8 *data;
	u32 data_size, n_kernels;
	struct tessera_semaphore semaphores[DEVICE_SEMAPHORES];
	struct tessera_cb cbs[DEVICE_CBS];
	struct tsr_bound bound[DEVICE_BUFFERS];
	u32 n_semaphores, n_cbs, n_bound, cb_next;
	struct tsr_fault fault;		/* after TSR_GRID_FAULT */
	struct tsr_stall_info stall;	/* after TSR_GRID_STOPPED */
	char prints[DEVICE_TEXT];	/* "x,y p: line\n" ... */
	u32 prints_size;
};

/** device_new() - a grid of @width x @height cores; NULL: no memory */
struct device *device_new(u16 width, u16 height);

/** device_free() - takes NULL, returns NULL */
struct device *device_free(struct device *d);

/** device_range() - all cores */
struct tessera_range device_range(const struct device *d);

/**
 * device_compile() - C source to ELF
 * @source: path, relative to the source tree
 * @base, @size: of the image slot
 * @flags: more arguments for the compiler, ends with NULL; may be NULL
 * @elf: path of the result
 * @ret_text: what the compiler said, at most DEVICE_TEXT bytes with NUL
 *
 * Return: exit status of the compiler.
 */
int device_compile(const char *source, u32 base, u32 size, const char *const *flags,
		   const char *elf, char *ret_text);

/** device_kernel() - compile a kernel and put it on cores. Return: it, or NULL after saying why. */
struct device_kernel *device_kernel(struct device *d, const char *source, u32 processor,
				    struct tessera_range range, const char *const *flags);

/** device_words() - own words of a core; cores of a kernel ascending by (y, x) */
void device_words(struct device_kernel *k, u16 x, u16 y, const u32 *words, u32 count);

/** device_common() - common words of a kernel */
void device_common(struct device_kernel *k, const u32 *words, u32 count);

void device_semaphore(struct device *d, u32 id, u32 initial);
/** device_cb() - a circular buffer on all cores. Return: its L1 address. */
u32 device_cb(struct device *d, u32 id, u32 page_size, u32 page_count, u32 format);
void device_bind(struct device *d, void *mem, u64 size, u32 access);

/**
 * device_run() - launch and execute to the end
 *
 * Return: DONE; FAULT with @d->fault; STOPPED with @d->stall: everything waited for something.
 */
enum tsr_grid_state device_run(struct device *d);

/** device_fault_text() - the fault as a sentence, for messages; static */
const char *device_fault_text(const struct device *d);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The virtual grid: cores with L1, semaphores, circular buffers, processors, a
 * NoC and tile units, executing one launched program. Used by the soft device
 * in the kernel, by the host engine in the library and by tests.
 *
 * Time is virtual: each processor has a clock in cycles. A transfer takes effect
 * when it is issued; its barrier moves the clock to when it would be done.
 *
 * Threads: configure and launch from one thread while nothing runs. Then
 * tsr_grid_run() may be called by several workers at once; each takes whole
 * cores. tsr_grid_stop() may be called from anywhere.
 */
#ifndef TSR_GRID_CORE_H
#define TSR_GRID_CORE_H

#include "asked.h"
#include "port.h"
#include "blob.h"

/** struct tsr_timing - cost in cycles; all at most 65535 */
struct tsr_timing {
	u32 alu;		/* any instruction not named below */
	u32 load;		/* L1 load */
	u32 store;
	u32 mul;
	u32 div;
	u32 branch;		/* added when a branch or jump is taken */
	u32 reg;		/* added for a register access */
	u32 noc_latency;	/* of a transfer */
	u32 noc_hop;		/* per core on the way (Manhattan distance) */
	u32 noc_bytes;		/* bytes per cycle; >= 1 */
	u32 tile_matmul;	/* 32 x 32 x 32 multiply-accumulate */
	u32 tile_op;		/* any other tile operation */
};

/** struct tsr_grid_config - plain data; tsr_grid_config_check() says whether it is valid */
struct tsr_grid_config {
	u16 width, height;	/* 1 .. TESSERA_MAX_DIM; at most TESSERA_MAX_CORES cores */
	u64 harvested[16];	/* bit y * width + x; at least one core must be left */
	u32 l1_size;		/* 64 KiB .. 4 MiB, multiple of 4096 */
	u32 image_slot;		/* 4 KiB .. l1_size / 4, multiple of 4096 */
	u32 words;		/* 16 .. 4096 */
	u32 bindings;		/* buffers of a run; 1 .. TSR_MAX_BINDINGS */
	u32 seed;
	bool deterministic;	/* one worker; equal inputs give equal cycles (DEV-5) */
	u32 quantum;		/* cycles that a core may run ahead of others; 100 .. 1000000 */
	struct tsr_timing timing;
};

#define TSR_SEMAPHORES		16
#define TSR_CIRCULAR_BUFFERS	32
#define TSR_MAX_BINDINGS	4096

/** tsr_grid_config_default() - 4 x 4 cores of 512 KiB, and every other default */
void tsr_grid_config_default(struct tsr_grid_config *cfg);

/**
 * tsr_grid_config_check() - is a configuration valid?
 * @cfg: configuration
 * @ret_field: names the bad field; may be NULL
 *
 * Beyond the ranges stated above: alu, load, store, mul and div are at least 1, and an image
 * slot full of any one of them costs less than 2^31 cycles.
 *
 * Return: 0, or -EINVAL.
 */
int tsr_grid_config_check(const struct tsr_grid_config *cfg, const char **ret_field);

/**
 * tsr_grid_limits() - the part of the limits that follows from the grid; L1 layout included
 * @cfg: valid configuration
 * @limits: cleared, then filled but for queue_capacity and what follows it; the counts of
 *	images, descriptors, ranges and the program size are defaults
 */
void tsr_grid_limits(const struct tsr_grid_config *cfg, struct tessera_limits *limits);

struct tsr_grid;
struct tsr_text;		/* predecoded code of one image, immutable, shared */

/** struct tsr_grid_env - what the grid calls; each may be NULL */
struct tsr_grid_env {
	void *ctx;
	/** @kick: a core became ready while a worker may sleep; any context of a worker. */
	void (*kick)(void *ctx);
	/** @print: one line of device print, without newline, no NUL; a worker's context. */
	void (*print)(void *ctx, u16 x, u16 y, u8 proc, const char *line, u32 len);
};

/** tsr_grid_new() - NULL when out of memory; @cfg must be valid; @env may be NULL */
struct tsr_grid *tsr_grid_new(const struct tsr_grid_config *cfg, const struct tsr_grid_env *env);
/** tsr_grid_free() - takes NULL, returns NULL; nothing may be running */
struct tsr_grid *tsr_grid_free(struct tsr_grid *grid);

/**
 * tsr_text_new() - predecode the code of an image (once per program image)
 *
 * Never refuses code: what is not an instruction decodes to a fault.
 * Return: NULL when out of memory. Free with tsr_text_free(), which takes NULL.
 */
struct tsr_text *tsr_text_new(const struct tsr_timing *timing, u32 base, const void *code,
			      u32 size);
struct tsr_text *tsr_text_free(struct tsr_text *text);

/** struct tsr_bound - a bound buffer as the NoC sees it */
struct tsr_bound {
	void *mem;
	u64 size;
	u32 access;		/* TESSERA_ACCESS_* */
};

/** struct tsr_launch - all that a launch needs; what it points to stays valid until the end */
struct tsr_launch {
	const struct tsr_blob *prog;
	struct tsr_text *const *texts;	/* one per image */
	const u32 *words;
	const struct tsr_bound *bound;	/* prog->n_bindings of them */
	u64 run_id;
};

/**
 * tsr_grid_launch() - load images, words, semaphores and circular buffers; make cores ready
 *
 * Cannot fail: the program was verified for this grid's limits. Nothing may be running, and
 * nobody ask for more than tsr_grid_progress(); who runs it next must be ordered after it.
 * Cores of the program start with what the program says; L1 outside images, words
 * keeps its content from the run before (tsr_grid_scrub() clears it).
 */
void tsr_grid_launch(struct tsr_grid *grid, const struct tsr_launch *launch);

/** enum tsr_upset - what is wrong with a core */
enum tsr_upset {
	TSR_UPSET_NONE,
	/** @TSR_UPSET_HANG: executes nothing any more; its processors stay where they are. */
	TSR_UPSET_HANG,
	/** @TSR_UPSET_KILL: gone; its processors are in no count but never end. */
	TSR_UPSET_KILL,
	/** @TSR_UPSET_SLOW: everything takes so many times the cycles. */
	TSR_UPSET_SLOW,
};

/**
 * tsr_grid_upset() - break a core for this launch, for fault plans
 * @grid: after tsr_grid_launch(), before the first tsr_grid_run()
 * @x: column
 * @y: row
 * @upset: how
 * @value: HANG, KILL: instructions that a processor of it executes before, about;
 *	SLOW: the factor, 1 .. 65535
 *
 * Return: 0, -ENOENT when the core takes no part.
 */
int tsr_grid_upset(struct tsr_grid *grid, u16 x, u16 y, enum tsr_upset upset, u32 value);

enum tsr_grid_state {
	TSR_GRID_MORE,		/* the budget is used up; call again */
	TSR_GRID_WAIT,		/* nothing for this worker now; others run, or all wait */
	TSR_GRID_DONE,		/* all processors ended without fault */
	TSR_GRID_FAULT,		/* a processor faulted; nothing runs any more */
	TSR_GRID_STOPPED,	/* tsr_grid_stop() took effect; nothing runs any more */
};

/**
 * tsr_grid_run() - execute for about @budget instructions
 *
 * Bytes that transfers and tile operations move count, too: eight of them as an instruction. Stop
 * and budget are looked at after each step, which is a slice, or what a slice does until it has
 * moved 128 KiB and the largest single piece, or executed for 16384 cycles; the largest transfer is
 * performed in such pieces.
 *
 * DONE, FAULT and STOPPED are returned only when no worker is inside any more
 * for the launched program, to every caller that asks from then on.
 */
enum tsr_grid_state tsr_grid_run(struct tsr_grid *grid, u64 budget);

/** tsr_grid_worst_step() - the most work between two looks so far, in bytes; 8 an instruction */
u64 tsr_grid_worst_step(struct tsr_grid *grid);

/** tsr_grid_stop() - ask running workers to leave; each does within one step */
void tsr_grid_stop(struct tsr_grid *grid);

/**
 * tsr_grid_scrub() - clear L1, semaphores, circular buffers, tile registers of all cores (CL-4)
 *
 * Nothing may be running; may sleep. Cores that nothing has touched since the last time are
 * clear and cost nothing.
 */
void tsr_grid_scrub(struct tsr_grid *grid);

/** tsr_grid_progress() - a number that moves when the run makes progress (FL-3); any thread */
u64 tsr_grid_progress(const struct tsr_grid *grid);

/** struct tsr_fault - the first fault of a run (FL-5) */
struct tsr_fault {
	u32 cause;		/* TSR_FAULT_* */
	u16 x, y;
	u8 proc;
	u32 pc;
	u64 address;		/* see TSR_FAULT_*; for buffers the byte offset */
	struct tsr_asked asked;
};

/** tsr_grid_fault() - valid after FAULT */
void tsr_grid_fault(const struct tsr_grid *grid, struct tsr_fault *ret);

/** struct tsr_stall_info - where the processors stand; after a stop, or a moving picture */
struct tsr_stall_info {
	u32 cores;		/* that take part */
	u32 done;		/* cores whose processors have all ended */
	u32 running;		/* processors that would execute */
	u32 ready;		/* processors launched that never executed */
	u32 waiting;		/* processors stalled on a semaphore or circular buffer */
	u16 stuck_x, stuck_y;	/* of the first processor not done, waiting ones before others */
	u8 stuck_proc;
	u32 stuck_pc;
	u32 stuck_address;	/* register waited on, or 0 */
	u32 wanted, present;	/* with @stuck_address: values or pages, see drm_tessera_detail */
};

/** tsr_grid_stall() - any thread, not in an interrupt or during a launch; pcs are of slice ends */
void tsr_grid_stall(const struct tsr_grid *grid, struct tsr_stall_info *ret);

/** struct tsr_proc_stats - of one processor since launch */
struct tsr_proc_stats {
	u64 cycles;		/* its clock when it ended, or now */
	u64 instructions;
	u64 wait_cycles;	/* stalled: semaphores, circular buffers, barriers */
	u64 noc_read;		/* bytes */
	u64 noc_written;	/* bytes */
};

/** tsr_grid_stats() - 0, or -ENOENT when (x, y, proc) took no part; when nothing runs */
int tsr_grid_stats(const struct tsr_grid *grid, u16 x, u16 y, u8 proc, struct tsr_proc_stats *ret);

/** tsr_grid_l1() - a core's L1, for tests and dumps; NULL for no such core */
u8 *tsr_grid_l1(struct tsr_grid *grid, u16 x, u16 y);

#endif

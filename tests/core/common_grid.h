/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Programs for grid tests, built as the tables that the verifier would hand over. */
#ifndef TSR_TEST_GRID_H
#define TSR_TEST_GRID_H

#include "common_rv.h"
#include "grid.h"

#define PROG_MAX	24

/** struct prog - a program and everything a launch of it needs */
struct prog {
	struct tsr_grid_config cfg;
	struct tessera_limits limits;
	struct tessera_program_header header;
	struct tessera_range ranges[64];
	struct tessera_image images[PROG_MAX];
	struct tessera_descriptor descriptors[PROG_MAX];
	struct tessera_arg args[256];
	struct tessera_semaphore sems[TSR_SEMAPHORES];
	struct tessera_cb cbs[TSR_CIRCULAR_BUFFERS];
	struct tessera_binding bindings[8];
	struct tsr_bound bound[8];
	u32 data[PROG_MAX * 256];
	u32 words[4096];
	struct tsr_text *texts[PROG_MAX];
	struct tsr_blob blob;
	struct tsr_launch launch;
};

/**
 * grid_new_plain() - a grid of the default size, without its last core (3, 3), that does the same
 * every time
 * @ret_cfg: its configuration
 */
struct tsr_grid *grid_new_plain(struct tsr_grid_config *ret_cfg);

void prog_init(struct prog *p, const struct tsr_grid_config *cfg);
void prog_fini(struct prog *p);

/** prog_kernel() - @code on a rectangle of cores; ends by EXIT 0 if it runs off its end */
void prog_kernel(struct prog *p, const struct rv *code, u32 proc, u32 x0, u32 y0, u32 x1, u32 y1);

/** prog_common() - common words of the latest kernel; before its prog_args() */
void prog_common(struct prog *p, const u32 *words, u32 count);
/** prog_args() - words of one core of the latest kernel, ascending by (y, x) */
void prog_args(struct prog *p, u32 x, u32 y, const u32 *words, u32 count);
void prog_sem(struct prog *p, u32 id, u32 initial, u32 x0, u32 y0, u32 x1, u32 y1);
/** prog_cb() - on all cores, at cb_base + offset */
void prog_cb(struct prog *p, u32 id, u32 page_size, u32 pages, u32 offset, u32 format);
void prog_bind(struct prog *p, void *mem, u64 size, u32 access);

void prog_launch(struct prog *p, struct tsr_grid *grid);

/** grid_finish() - run until it ends or all wait */
enum tsr_grid_state grid_finish(struct tsr_grid *grid, u64 budget);

/** grid_word() - of a core's L1 */
static inline u32 grid_word(struct tsr_grid *grid, u32 x, u32 y, u32 address)
{
	return tsr_get32(tsr_grid_l1(grid, x, y) + (address - TSR_L1_BASE));
}

/** rv_exit() - end the processor with a status */
static inline void rv_exit(struct rv *p, u32 status)
{
	rv_store(p, TSR_REG_CORE + TSR_CORE_EXIT, status);
}

/** rv_noc() - issue a transfer */
static inline void rv_noc(struct rv *p, u32 cmd, u32 hi, u32 lo, u32 local, u32 size)
{
	rv_store(p, TSR_REG_NOC + TSR_NOC_TARGET_HI, hi);
	rv_store(p, TSR_REG_NOC + TSR_NOC_TARGET_LO, lo);
	rv_store(p, TSR_REG_NOC + TSR_NOC_LOCAL, local);
	rv_store(p, TSR_REG_NOC + TSR_NOC_SIZE, size);
	rv_store(p, TSR_REG_NOC + TSR_NOC_COMMAND, cmd);
}

#define SEM(id, reg)	(TSR_REG_SEM + (id) * TSR_SEM_STRIDE + TSR_SEM_##reg)
#define CB(id, reg)	(TSR_REG_CB + (id) * TSR_CB_STRIDE + TSR_CB_##reg)
#define CORE(x, y)	(TSR_NOC_TARGET_CORE | (y) << 8 | (x))
#define MCAST(x0, y0, x1, y1) \
	(TSR_NOC_TARGET_MULTICAST | (x0) | (y0) << 7 | (x1) << 14 | (y1) << 21)
#define BUFFER(index)	(TSR_NOC_TARGET_BUFFER | (index))

#endif

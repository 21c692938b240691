/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside of the grid. Who may touch what:
 *
 * A core belongs to the worker that took it from the ready heap, with its processors,
 * circular buffers and tile unit, until it is put back. Its semaphores, the state and
 * wait of its processors, and the heap are under grid->lock, except that the owner
 * reads the state of its own processors freely. L1 is written by anybody, as on
 * hardware; programs order their accesses by semaphores, whose changes go through the
 * lock.
 */
#ifndef TSR_GRID_INT_H
#define TSR_GRID_INT_H

#include "grid.h"
#include "hart.h"

#define TSR_PRINT_LINE		120	/* bytes; a longer line is split */
#define TSR_SLICE_SOLO		50000	/* cycles that a lone processor runs at once */
#define TSR_SLICE_WORK		0x100000	/* bytes of work after which a slice ends */
#define TSR_STEP_WORK		0x20000		/* and the worker looks around */
#define TSR_STEP_CYCLES		16384	/* the same for instructions, whatever the slice may do */
#define TSR_REG_WORK		128	/* of a register access, for a step only */
#define TSR_WORK_PER_INSN	8		/* bytes that cost what one does */
#define TSR_TARGET_WORK		64		/* of a transfer, besides its bytes */
#define TSR_LOAD_PIECE		0x40000		/* bytes loaded or cleared between reschedules */
#define TSR_ARG_BASE		(TSR_L1_BASE + 0x400)
#define TSR_TILE_ELEMENTS	(TSR_TILE_DIM * TSR_TILE_DIM)
#define TSR_NOC_CLASSES		3

struct tsr_core;

enum tsr_proc_state {
	TSR_PROC_OFF,		/* takes no part */
	TSR_PROC_READY,		/* runs, or would */
	TSR_PROC_WAIT,		/* stalled; see its wait */
	TSR_PROC_DONE,
};

enum tsr_wait_kind {
	TSR_WAIT_SEM_EQ,
	TSR_WAIT_SEM_MIN,
	TSR_WAIT_CB_FREE,
	TSR_WAIT_CB_FILLED,
};

/** struct tsr_wait - what a stalled processor waits for */
struct tsr_wait {
	u8 kind;		/* enum tsr_wait_kind */
	u8 id;			/* of the semaphore or circular buffer */
	u32 value;
	u32 present;		/* pages that were there at the latest look; under the lock */
};

/** struct tsr_transfer - one command, taken apart */
struct tsr_transfer {
	u32 command;
	u32 kind;		/* TSR_NOC_TARGET_CORE, ... */
	u32 lo, hi, local, size;
	u64 offset;		/* BUFFER */
	u32 x0, y0, x1, y1;	/* CORE, MULTICAST */
	u32 sem;		/* number of the semaphore addressed, or TSR_SEMAPHORES */
	u64 when;		/* clock at which it is done */
	u32 x, y;		/* the next target; behind the last row: its own core */
	u32 done;		/* bytes of that target */
};

/** struct tsr_noc - NoC interface of one processor */
struct tsr_noc {
	u32 target_lo, target_hi, local, size;
	u64 free;		/* when the interface has sent what was issued before */
	u64 done[TSR_NOC_CLASSES];
	u64 read, written;	/* bytes */
	bool moving;		/* @rest was issued and is not done */
	struct tsr_transfer rest;
};

/** struct tsr_proc - a processor */
struct tsr_proc {
	struct tsr_hart hart;
	struct tsr_core *core;
	u8 index;		/* TSR_PROC_* */
	u8 state;		/* enum tsr_proc_state */
	bool started;
	bool woken;		/* the access it stalled at is done at wake_at */
	u8 line_len;
	struct tsr_wait wait;
	u64 wake_at;
	u64 wait_cycles;
	u64 slice_work, step_work;	/* hart.work when the slice, or this step of it, began */
	u64 slice_clock, slice_end;	/* hart.cycles when the slice began, and its limit */
	u32 seen_pc;		/* pc at the last boundary, for the stall record */
	u32 arg_base, arg_count, common_base, common_count;
	u32 cycle_hi;
	struct tsr_noc noc;
	char line[TSR_PRINT_LINE];
};

#define TSR_HISTORY		8

/**
 * struct tsr_history - the latest changes of a counter and their clocks, ascending
 *
 * Processors run ahead of each other by a quantum. A wait that finds its condition true
 * must not continue before the change that made it so: that change is looked up here.
 */
struct tsr_history {
	u32 value[TSR_HISTORY];
	u64 when[TSR_HISTORY];
	u32 count;		/* changes; the latest is at (count - 1) % TSR_HISTORY */
};

struct tsr_sem {
	u32 value;
	struct tsr_history past;
};

/** struct tsr_cbuf - circular buffer; page_count is 0 when not configured */
struct tsr_cbuf {
	u32 base, page_size, page_count, format;
	u32 read, write;	/* next page */
	u32 filled;
	u32 pushed, popped;	/* pages since launch, modulo 2^32 */
	struct tsr_history pushes, pops;
};

/** struct tsr_tile - tile unit */
struct tsr_tile {
	u32 a, b, dst, format;
	u32 *regs;		/* TSR_TILE_REGS tiles, then two of scratch */
};

enum tsr_core_state {
	TSR_CORE_IDLE,		/* nothing to execute */
	TSR_CORE_READY,		/* in the heap */
	TSR_CORE_RUNNING,	/* owned by a worker */
};

struct tsr_core {
	struct tsr_proc procs[TSR_PROCS_PER_CORE];
	struct tsr_sem sems[TSR_SEMAPHORES];
	struct tsr_cbuf cbs[TSR_CIRCULAR_BUFFERS];
	struct tsr_tile tile;
	struct tsr_grid *grid;
	u8 *l1;			/* NULL: harvested */
	u64 launch;		/* last launch that prepared this core */
	u64 progress;		/* written by the owner, read by anybody */
	u64 key;		/* clock of its earliest ready processor */
	u32 index, pos;		/* of the core; in the heap */
	u16 x, y;
	u8 state;		/* enum tsr_core_state */
	u8 dirty;		/* must be scrubbed */
	u8 upset;		/* enum tsr_upset; set while nothing runs */
	u8 used;		/* bit per processor that takes part; set while nothing runs */
	u32 upset_value;
	u32 sems_used, cbs_used;	/* bit per id: touched; the first under the lock */
	struct tsr_core *next_paused;
	struct tsr_proc *paused_proc;	/* whose slice is not over */
};

struct tsr_grid {
	struct tsr_grid_config cfg;
	struct tsr_grid_env env;
	struct tessera_limits limits;
	struct tsr_core *cores;	/* width * height */
	u32 n_cores;
	struct tsr_launch launch;
	u64 launches;
	struct tsr_core **active;	/* cores that this launch prepared */
	u32 loaded_cores, loaded;	/* while launching: n_active and live to be */
	u32 piece;		/* bytes loaded since the last reschedule */
	atomic_t stop;

	tsr_lock lock;		/* all below but at launch, and see the top of this file */
	struct tsr_core **heap;	/* by key, then index */
	u32 n_heap;
	struct tsr_core *paused;	/* cores whose slice was left, to be taken first */
	u64 worst_step;		/* most work of a step since creation, in bytes; 8 an instruction */
	u32 n_active;
	u32 inside;		/* workers in tsr_grid_run() */
	u32 starved;		/* workers that were sent away and not kicked since */
	u32 live;		/* processors that have not ended */
	struct tsr_fault fault;
};

static inline struct tsr_proc *tsr_proc_of(struct tsr_hart *h)
{
	return container_of(h, struct tsr_proc, hart);
}

static inline struct tsr_core *tsr_core_at(const struct tsr_grid *g, u32 x, u32 y)
{
	struct tsr_core *c;

	if (x >= g->cfg.width || y >= g->cfg.height)
		return NULL;
	c = &g->cores[y * g->cfg.width + x];
	return c->l1 ? c : NULL;
}

/* [addr, addr + size) lies in L1 */
static inline bool tsr_in_l1(const struct tsr_grid *g, u32 addr, u32 size)
{
	return addr >= TSR_L1_BASE && (u64)(addr - TSR_L1_BASE) + size <= g->cfg.l1_size;
}

static inline u8 *tsr_l1_at(const struct tsr_core *c, u32 addr)
{
	return c->l1 + (addr - TSR_L1_BASE);
}

/*
 * The state is written under the lock, or by the owner; who looks without the lock looks
 * again under it.
 */
static inline void tsr_proc_set_state(struct tsr_proc *p, enum tsr_proc_state state)
{
	/* Pairs with tsr_proc_waits(). */
	smp_store_release(&p->state, (u8)state);
}

static inline bool tsr_proc_waits(const struct tsr_proc *p)
{
	/* Pairs with tsr_proc_set_state(). */
	return smp_load_acquire(&p->state) == TSR_PROC_WAIT;
}

/* FL-3; one writer, so no atomic addition */
static inline void tsr_progress(struct tsr_core *c)
{
	/* Pairs with tsr_grid_progress(). */
	smp_store_release(&c->progress, c->progress + 1);
}

/* L1 of the core is written: it must be scrubbed. */
static inline void tsr_core_dirty(struct tsr_core *c)
{
	/* Set by anybody, cleared while nothing runs: no order is needed, only no tearing. */
	if (!smp_load_acquire(&c->dirty))
		smp_store_release(&c->dirty, 1);	/* see above */
}

/* Move the clock to @when and count the difference as waiting. */
static inline void tsr_proc_wait_until(struct tsr_proc *p, u64 when)
{
	if (when > p->hart.cycles) {
		p->wait_cycles += when - p->hart.cycles;
		p->hart.cycles = when;
	}
}

static inline void tsr_history_start(struct tsr_history *h, u32 value)
{
	h->value[0] = value;
	h->when[0] = 0;
	h->count = 1;
}

/* Returns the clock of the change: no earlier than that of the one before. */
static inline u64 tsr_history_add(struct tsr_history *h, u32 value, u64 when)
{
	u64 last = h->when[(h->count - 1) % TSR_HISTORY];
	u32 at = h->count++ % TSR_HISTORY;

	h->value[at] = value;
	h->when[at] = when > last ? when : last;
	return h->when[at];
}

/* All that counts for a step; what counts for a slice is hart.work alone. */
static inline u64 tsr_proc_work(const struct tsr_proc *p)
{
	return p->hart.work + p->hart.looked;
}

static inline bool tsr_step_over(const struct tsr_proc *p)
{
	return tsr_proc_work(p) - p->step_work >= TSR_STEP_WORK;
}

static inline bool tsr_slice_full(const struct tsr_proc *p)
{
	return p->hart.work - p->slice_work >= TSR_SLICE_WORK;
}

/* Leave the interpreter after this instruction when much was moved; step() decides. */
static inline enum tsr_access tsr_proc_worked(struct tsr_proc *p, u64 bytes)
{
	p->hart.work += bytes;
	return tsr_step_over(p) || tsr_slice_full(p) ? TSR_ACCESS_YIELD : TSR_ACCESS_OK;
}

/* regs.c */
extern const struct tsr_bus tsr_grid_bus;
/** tsr_grid_system() - do the SYSTEM instruction that the hart stopped at, or fault */
enum tsr_access tsr_grid_system(struct tsr_proc *p);
/** tsr_print_flush() - hand the unfinished line over */
void tsr_print_flush(struct tsr_proc *p);

/* sem.c; @reg: offset in the block */
enum tsr_access tsr_sem_load(struct tsr_proc *p, u32 reg, u32 *ret);
enum tsr_access tsr_sem_store(struct tsr_proc *p, u32 reg, u32 value);
/** tsr_sem_change() - set or add, at clock @when, and wake who waited for it */
void tsr_sem_change(struct tsr_proc *by, struct tsr_core *c, u32 id, bool add, u32 value, u64 when);
u32 tsr_sem_value(const struct tsr_core *c, u32 id);

/* cb.c */
enum tsr_access tsr_cb_load(struct tsr_proc *p, u32 reg, u32 *ret);
enum tsr_access tsr_cb_store(struct tsr_proc *p, u32 reg, u32 value);

/* noc.c */
enum tsr_access tsr_noc_load(struct tsr_proc *p, u32 reg, u32 *ret);
enum tsr_access tsr_noc_store(struct tsr_proc *p, u32 reg, u32 value);
/** tsr_noc_continue() - a step of the transfer that is under way, noc.moving */
void tsr_noc_continue(struct tsr_proc *p);

/* tile.c */
enum tsr_access tsr_tile_load(struct tsr_proc *p, u32 reg, u32 *ret);
enum tsr_access tsr_tile_store(struct tsr_proc *p, u32 reg, u32 value);

/* sched.c */
/** tsr_sched_wake() - under the lock: @p continues at clock @when; lowers the limit of @by */
void tsr_sched_wake(struct tsr_proc *p, u64 when, struct tsr_proc *by);
/** tsr_sched_take_kick() - under the lock: must the caller kick, once unlocked? */
bool tsr_sched_take_kick(struct tsr_grid *g);
/** tsr_sched_kick() - without the lock */
void tsr_sched_kick(struct tsr_grid *g);
/** tsr_upset_stops() - under the lock, by the core's owner: it is lost, and never released */
bool tsr_upset_stops(struct tsr_core *c, const struct tsr_proc *p);
/** tsr_upset_limit() - where a slice ends that begins at @clock and would end at @limit */
u64 tsr_upset_limit(const struct tsr_proc *p, u64 clock, u64 limit);
/** tsr_sched_start() - while nothing runs: a core with processors, all at clock 0, is ready */
void tsr_sched_start(struct tsr_core *c);

/** tsr_wait_reg() - address of the register that a wait belongs to */
u32 tsr_wait_reg(const struct tsr_wait *w);

#endif

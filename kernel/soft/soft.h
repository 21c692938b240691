/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The virtual device (DEV-2): a hardware backend that executes runs with the
 * engine of kernel/core, in the submitter's own call and in worker threads.
 */
#ifndef TSR_SOFT_H
#define TSR_SOFT_H

#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "config.h"
#include "fault.h"

struct config_item;
struct platform_device;
struct task_struct;

/** struct tsr_soft_bank - one pipeline slot: a run staged, executing or just ended */
struct tsr_soft_bank {
	const struct tsr_hw_job *job;	/* NULL: never staged */
	struct tsr_hw_record record;	/* run_id is 0 until the run has ended; soft->lock */
};

/** struct tsr_soft_worker - a thread that executes */
struct tsr_soft_worker {
	struct tsr_soft *soft;
	struct task_struct *task;
	int seen;			/* soft->kicks before it last asked for work */
};

#define TSR_SOFT_LATE		8

/** struct tsr_soft_late - a boundary that is reported later than it was seen */
struct tsr_soft_late {
	struct tsr_soft *soft;
	struct hrtimer timer;
	u64 run_id;
	u32 boundary;
};

/**
 * struct tsr_soft - one virtual device
 *
 * @lock is the innermost lock of the backend but for the engine's own, which may be
 * taken under it. It protects who is inside the engine and how the launched run ended:
 * @open, @stopping, @ended, @inside, and the records. @current_bank changes only while
 * nobody is inside, by the thread that drives the pipeline.
 *
 * Who is inside may call the engine, until tsr_soft_leave(): workers from tsr_soft_enter() on,
 * the launching thread from the first half of the launch to the second. Launch, scrub and reset
 * need @inside to be 0 and @open to be false; then nobody can enter. A worker that found nothing
 * to do sleeps until @kicks has moved from the value that it read before it asked: a kick in
 * between is not lost.
 */
struct tsr_soft {
	struct tsr_soft_config config;
	struct tsr_grid_config grid_config;
	struct tsr_hw_config hw_config;
	struct tsr_device *tdev;
	struct tsr_grid *grid;

	struct tsr_soft_bank banks[TSR_SOFT_MAX_BANKS];
	struct tsr_soft_bank *current_bank;	/* of the last launch */

	spinlock_t lock;		/* see above */
	bool open;			/* workers may enter */
	bool stopping;			/* nobody may */
	bool ended;			/* the launched run has its record */
	u32 inside;			/* threads in the engine */
	wait_queue_head_t idle;		/* @inside is 0 */

	atomic_t kicks;
	wait_queue_head_t work;		/* workers sleep here, exclusively */
	struct tsr_soft_worker *workers;
	u32 n_workers;			/* that were started */

	struct tsr_faults *faults;	/* never NULL */
	struct tsr_soft_late late[TSR_SOFT_LATE];
	unsigned long late_busy;	/* bit per @late, atomic: from taking it until it fired */
	unsigned long vanished;		/* bit 0, atomic: says nothing more, will be unplugged */
	struct work_struct vanish;
	bool stopped;			/* unplugged; once */
};

/**
 * tsr_soft_called() - an operation was called: complain if that was after stop
 * @name: of the operation
 *
 * That is a fault of the driver (see hw.h); no user can make it happen.
 */
static inline void tsr_soft_called(const struct tsr_soft *soft, const char *name)
{
	WARN_ONCE(READ_ONCE(soft->stopped), "tessera: %s called after stop\n", name);
}

/* ops.c */
extern const struct tsr_hw_ops tsr_soft_ops;

/** tsr_soft_new() - a device of a valid configuration, at rest, or ERR_PTR */
struct tsr_soft *tsr_soft_new(const struct tsr_soft_config *cfg);

/* workers.c */

/** tsr_soft_workers_start() - start the threads; none is left when it fails */
int tsr_soft_workers_start(struct tsr_soft *soft);
/** tsr_soft_workers_stop() - stop the threads; waits for each to leave its slice */
void tsr_soft_workers_stop(struct tsr_soft *soft);
/** tsr_soft_launch_dispatch(), tsr_soft_launch_grid() - see struct tsr_hw_ops */
int tsr_soft_launch_dispatch(void *hw, u32 slot);
int tsr_soft_launch_grid(void *hw, u32 slot);
/** tsr_soft_quiesce() - stop the run in bounded time; 0 when nobody is or can get inside */
int tsr_soft_quiesce(struct tsr_soft *soft);
/** tsr_soft_kick() - for struct tsr_grid_env */
void tsr_soft_kick(void *ctx);

/* fault_soft.c */

void tsr_soft_faults_init(struct tsr_soft *soft);
/** tsr_soft_faults_stop() - nothing is late any more; after the workers have stopped */
void tsr_soft_faults_stop(struct tsr_soft *soft);
/** tsr_soft_fault_slow() - for tsr_soft_fault() */
enum tsr_fault_action tsr_soft_fault_slow(struct tsr_soft *soft, enum tsr_fault_point point);
/** tsr_soft_seen_slow() - for tsr_soft_seen() */
u32 tsr_soft_seen_slow(struct tsr_soft *soft, u64 run_id, u32 boundary);
/** tsr_soft_record_slow() - the record of the launched run was written; holds soft->lock */
void tsr_soft_record_slow(struct tsr_soft *soft, struct tsr_hw_record *record);

/**
 * tsr_soft_fault() - what goes wrong at this event
 *
 * Process context, soft->lock may be held; does not allocate.
 */
static inline enum tsr_fault_action tsr_soft_fault(struct tsr_soft *soft,
						   enum tsr_fault_point point)
{
	return tsr_faults_armed(soft->faults) ? tsr_soft_fault_slow(soft, point) : TSR_PLAN_NONE;
}

/** tsr_soft_seen() - a boundary was seen. What the driver is told of it now: all, or 0 (plan). */
static inline u32 tsr_soft_seen(struct tsr_soft *soft, u64 run_id, u32 boundary)
{
	return tsr_faults_armed(soft->faults) ? tsr_soft_seen_slow(soft, run_id, boundary) :
						boundary;
}

/* platform.c */

/** tsr_soft_wq - drained when the last device has gone */
extern struct workqueue_struct *tsr_soft_wq;

/** tsr_soft_device_new() - make a device and its node from a configuration, or ERR_PTR */
struct platform_device *tsr_soft_device_new(const struct tsr_soft_config *cfg);
/** tsr_soft_device_free() - unplug; takes NULL, returns NULL */
struct platform_device *tsr_soft_device_free(struct platform_device *pdev);
/** tsr_soft_device_minor() - number of /dev/accel/accelN, -ENODEV while not bound */
int tsr_soft_device_minor(struct platform_device *pdev);
/** tsr_soft_device_power() - what a suspend and a resume of the machine do to the device */
int tsr_soft_device_power(struct platform_device *pdev, bool on);

/* configfs.c */
int tsr_soft_configfs_init(void);
void tsr_soft_configfs_exit(void);

/** tsr_soft_init() - for the module: driver, configfs, default device */
int tsr_soft_init(void);
/** tsr_soft_exit() - nothing of it is in use any more */
void tsr_soft_exit(void);

#endif

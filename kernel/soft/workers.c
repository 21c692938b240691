// SPDX-License-Identifier: GPL-2.0-only
/* Who executes a run: the thread that launched it, for a while, then the workers. */
#include <linux/ktime.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "soft.h"

/* A worker looks for others who want its CPU about so often. */
#define TSR_SLICE_NS		NSEC_PER_MSEC
#define TSR_SLICE_FIRST		1024		/* instructions */
#define TSR_SLICE_LEAST		64
#define TSR_SLICE_MOST		65536		/* 512 KiB moved: 2 ms under an emulator */
/* Limits of what a launch executes itself, besides the budget. */
#define TSR_INLINE_SLICE	1024
#define TSR_INLINE_NS		(500 * NSEC_PER_USEC)
#define TSR_QUIESCE_LIMIT	HZ

/* A worker may call the engine, until tsr_soft_leave(). */
static bool tsr_soft_enter(struct tsr_soft *soft)
{
	guard(spinlock)(&soft->lock);
	if (soft->stopping || soft->ended || !soft->open)
		return false;
	soft->inside++;
	return true;
}

/* The record of the run that was launched; the first one stands (RUN-11). */
static void tsr_soft_record(struct tsr_soft *soft, enum tsr_hw_end end)
{
	struct tsr_hw_record *record = &soft->current_bank->record;

	lockdep_assert_held(&soft->lock);
	record->end = end;
	if (end == TSR_HW_END_FAULT)
		tsr_grid_fault(soft->grid, &record->fault);
	if (end != TSR_HW_END_OK)
		tsr_grid_stall(soft->grid, &record->stall);
	record->run_id = soft->current_bank->job->run_id;
	soft->ended = true;
	soft->open = false;
	if (tsr_faults_armed(soft->faults))
		tsr_soft_record_slow(soft, record);
}

static bool tsr_soft_leave(struct tsr_soft *soft, enum tsr_grid_state state)
{
	bool first;

	guard(spinlock)(&soft->lock);
	first = !soft->ended && (state == TSR_GRID_DONE || state == TSR_GRID_FAULT);
	if (first)
		tsr_soft_record(soft, state == TSR_GRID_DONE ? TSR_HW_END_OK : TSR_HW_END_FAULT);
	/* Who waits put itself on the queue before it looked at @inside, under the lock. */
	if (!--soft->inside && waitqueue_active(&soft->idle))
		wake_up_all(&soft->idle);
	return first;
}

/* A worker's visit to the engine. *ret_ended: the run that it saw end, and is to report, or 0. */
static enum tsr_grid_state tsr_soft_step(struct tsr_soft *soft, u64 budget, u64 *ret_ended)
{
	enum tsr_grid_state state;
	u64 run_id;

	*ret_ended = 0;
	if (!tsr_soft_enter(soft))
		return TSR_GRID_WAIT;
	run_id = soft->current_bank->job->run_id;
	state = tsr_grid_run(soft->grid, budget);
	/* After this the run may be gone. */
	if (tsr_soft_leave(soft, state))
		*ret_ended = run_id;
	return state;
}

/* In slices, until there is no more to do here, or it has been enough. */
static enum tsr_grid_state tsr_soft_slices(struct tsr_soft *soft)
{
	u32 left = soft->config.inline_budget;
	enum tsr_grid_state state;
	u64 start = 0;

	while (left) {
		u32 slice = min(left, TSR_INLINE_SLICE);

		state = tsr_grid_run(soft->grid, slice);
		if (state != TSR_GRID_MORE)
			return state;
		left -= slice;
		/* Many runs end in their first slice and need no clock. */
		if (!start)
			start = ktime_get_ns();
		else if (ktime_get_ns() - start > TSR_INLINE_NS)
			break;
		cond_resched();
	}
	return TSR_GRID_MORE;
}

/* In this thread, which is inside; and leave. *ret_seen: what the driver is to be told of now. */
static bool tsr_soft_run_inline(struct tsr_soft *soft, u32 *ret_seen)
{
	u64 run_id = soft->current_bank->job->run_id;
	enum tsr_grid_state state = tsr_soft_slices(soft);

	*ret_seen = tsr_soft_leave(soft, state) ?
		    tsr_soft_seen(soft, run_id, TSR_BOUNDARY_GRID) : 0;
	return state != TSR_GRID_MORE && state != TSR_GRID_WAIT;
}

void tsr_soft_kick(void *ctx)
{
	struct tsr_soft *soft = ctx;

	atomic_inc(&soft->kicks);
	if (wq_has_sleeper(&soft->work))
		wake_up(&soft->work);
}

/* Let the workers execute what is launched. */
static void tsr_soft_workers_wake(struct tsr_soft *soft)
{
	scoped_guard(spinlock, &soft->lock)
		soft->open = !soft->ended;
	atomic_inc(&soft->kicks);
	wake_up_all(&soft->work);
}

static bool tsr_soft_left(struct tsr_soft *soft)
{
	guard(spinlock)(&soft->lock);
	return !soft->inside;
}

/*
 * The launching thread goes inside, alone: no worker may enter before @open. It leaves in
 * launch_grid. False when a stop is unproven.
 */
static bool tsr_soft_take(struct tsr_soft *soft)
{
	spin_lock(&soft->lock);
	/* A worker may still be on its way out of the run before. */
	while (soft->ended && !soft->stopping && soft->inside) {
		spin_unlock(&soft->lock);
		wait_event(soft->idle, tsr_soft_left(soft));
		spin_lock(&soft->lock);
	}
	if (!soft->ended || soft->stopping) {
		spin_unlock(&soft->lock);
		return false;
	}
	soft->ended = false;
	soft->inside = 1;
	spin_unlock(&soft->lock);
	return true;
}

/* As addressed in bo_map, and checked: what the engine takes. */
static const struct tsr_bound *tsr_soft_bound(const struct tsr_hw_bind *binds)
{
	static_assert(sizeof(struct tsr_bound) == sizeof(struct tsr_hw_bind));
	static_assert(offsetof(struct tsr_bound, mem) == offsetof(struct tsr_hw_bind, addr));
	static_assert(offsetof(struct tsr_bound, size) == offsetof(struct tsr_hw_bind, size));
	static_assert(offsetof(struct tsr_bound, access) == offsetof(struct tsr_hw_bind, access));
	static_assert(sizeof(((struct tsr_bound *)0)->mem) == sizeof(binds->addr));
	return (const struct tsr_bound *)binds;
}

int tsr_soft_launch_dispatch(void *hw, u32 slot)
{
	struct tsr_soft *soft = hw;
	struct tsr_soft_bank *bank = &soft->banks[slot];
	const struct tsr_hw_job *job = bank->job;
	const struct tsr_launch launch = {
		.prog = job->prog,
		.texts = (struct tsr_text *const *)job->images,
		.words = job->words,
		.bound = tsr_soft_bound(job->binds),
		.run_id = job->run_id,
	};

	if (tsr_soft_fault(soft, TSR_PLAN_DISPATCH) == TSR_PLAN_FAIL)
		return -EIO;
	if (!tsr_soft_take(soft))
		return -EBUSY;
	soft->current_bank = bank;
	tsr_grid_launch(soft->grid, &launch);
	if (tsr_faults_armed(soft->faults))
		tsr_faults_cores(soft->faults, soft->grid);
	return tsr_soft_seen(soft, job->run_id, TSR_BOUNDARY_DISPATCH);
}

int tsr_soft_launch_grid(void *hw, u32 slot)
{
	struct tsr_soft *soft = hw;
	enum tsr_fault_action action;
	u32 seen;

	action = tsr_soft_fault(soft, TSR_PLAN_GRID);
	if (action == TSR_PLAN_FAIL) {
		tsr_soft_leave(soft, TSR_GRID_WAIT);
		return -EIO;
	}
	if (!tsr_soft_run_inline(soft, &seen))
		tsr_soft_workers_wake(soft);
	return action == TSR_PLAN_LIE ? -EIO : (int)seen;
}

static bool tsr_soft_kicked(struct tsr_soft_worker *worker)
{
	return kthread_should_stop() || atomic_read(&worker->soft->kicks) != worker->seen;
}

/* Slices of about a millisecond, on a machine of any speed. */
static u64 tsr_soft_adapt(u64 budget, u64 took)
{
	if (took > 2 * TSR_SLICE_NS && budget > TSR_SLICE_LEAST)
		return budget / 2;
	if (took < TSR_SLICE_NS / 2 && budget < TSR_SLICE_MOST)
		return budget * 2;
	return budget;
}

static int tsr_soft_work(void *data)
{
	struct tsr_soft_worker *worker = data;
	struct tsr_soft *soft = worker->soft;
	u64 budget = TSR_SLICE_FIRST, start, now, ended;
	enum tsr_grid_state state;

	while (!kthread_should_stop()) {
		wait_event_idle_exclusive(soft->work, tsr_soft_kicked(worker));
		worker->seen = atomic_read(&soft->kicks);
		/* Pairs with tsr_soft_kick(): what it announces is seen from here. */
		smp_mb();
		start = ktime_get_ns();
		while (!kthread_should_stop()) {
			state = tsr_soft_step(soft, budget, &ended);
			if (ended && tsr_soft_seen(soft, ended, TSR_BOUNDARY_GRID))
				tsr_device_boundary(soft->tdev, ended, TSR_BOUNDARY_GRID);
			if (state != TSR_GRID_MORE)
				break;
			now = ktime_get_ns();
			budget = tsr_soft_adapt(budget, now - start);
			start = now;
			cond_resched();
		}
	}
	return 0;
}

int tsr_soft_workers_start(struct tsr_soft *soft)
{
	u32 cores = soft->hw_config.limits.cores;
	u32 n = min3(soft->config.workers, cores, num_online_cpus());
	u32 i;

	if (soft->grid_config.deterministic)
		n = 1;
	soft->workers = kcalloc(n, sizeof(*soft->workers), GFP_KERNEL);
	if (!soft->workers)
		return -ENOMEM;

	for (i = 0; i < n; i++) {
		struct tsr_soft_worker *worker = &soft->workers[i];

		worker->soft = soft;
		worker->task = kthread_run(tsr_soft_work, worker, "%s/%u", soft->config.name, i);
		if (IS_ERR(worker->task)) {
			int ret = PTR_ERR(worker->task);

			tsr_soft_workers_stop(soft);
			return ret;
		}
		soft->n_workers++;
	}
	return 0;
}

void tsr_soft_workers_stop(struct tsr_soft *soft)
{
	scoped_guard(spinlock, &soft->lock)
		soft->stopping = true;
	tsr_grid_stop(soft->grid);
	while (soft->n_workers)
		kthread_stop(soft->workers[--soft->n_workers].task);
	kfree(soft->workers);
	soft->workers = NULL;
}

int tsr_soft_quiesce(struct tsr_soft *soft)
{
	scoped_guard(spinlock, &soft->lock)
		soft->stopping = true;
	tsr_grid_stop(soft->grid);
	if (!wait_event_timeout(soft->idle, tsr_soft_left(soft), TSR_QUIESCE_LIMIT))
		return -ETIMEDOUT;

	guard(spinlock)(&soft->lock);
	if (soft->current_bank && !soft->ended)
		tsr_soft_record(soft, TSR_HW_END_STOPPED);
	soft->stopping = false;
	return 0;
}

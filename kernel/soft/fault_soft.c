// SPDX-License-Identifier: GPL-2.0-only
/* What a fault plan does to a virtual device. */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include "device.h"
#include "soft.h"
#include "tsr_compat.h"

/* ---- Late boundaries ---- */

static enum hrtimer_restart tsr_soft_late_fire(struct hrtimer *timer)
{
	struct tsr_soft_late *late = container_of(timer, struct tsr_soft_late, timer);
	struct tsr_soft *soft = late->soft;
	u32 boundary = late->boundary;
	u64 run_id = late->run_id;

	tsr_device_boundary(soft->tdev, run_id, boundary);
	/* Pairs with tsr_soft_late(): what it holds has been read. */
	clear_bit_unlock(late - soft->late, &soft->late_busy);
	return HRTIMER_NORESTART;
}

static void tsr_soft_late_init(struct tsr_soft *soft, struct tsr_soft_late *late)
{
	late->soft = soft;
#ifdef TSR_HAVE_HRTIMER_SETUP
	hrtimer_setup(&late->timer, tsr_soft_late_fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(&late->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	late->timer.function = tsr_soft_late_fire;
#endif
}

/* False: as many are late already as there is room for; then it is in time. */
static bool tsr_soft_late(struct tsr_soft *soft, u64 run_id, u32 boundary,
			  const struct tsr_fault_rule *rule)
{
	u64 us = (u64)rule->value[TSR_PLAN_MS] * USEC_PER_MSEC + rule->value[TSR_PLAN_US];
	u32 i;

	for (i = 0; i < TSR_SOFT_LATE; i++) {
		if (test_and_set_bit_lock(i, &soft->late_busy))
			continue;
		soft->late[i].run_id = run_id;
		soft->late[i].boundary = boundary;
		hrtimer_start(&soft->late[i].timer, ns_to_ktime(us * NSEC_PER_USEC),
			      HRTIMER_MODE_REL);
		return true;
	}
	return false;
}

/* ---- A device that goes ---- */

/*
 * The way of every unplugged device: its driver is unbound. If somebody else was faster there is
 * nothing to do; a device bound again meanwhile is another one.
 */
static void tsr_soft_vanish_work(struct work_struct *work)
{
	struct tsr_soft *soft = container_of(work, struct tsr_soft, vanish);
	struct drm_device *drm = &soft->tdev->drm;

	if (!READ_ONCE(soft->stopped))
		device_release_driver(drm->dev);
	drm_dev_put(drm);
}

static void tsr_soft_vanish(struct tsr_soft *soft)
{
	if (test_and_set_bit(0, &soft->vanished))
		return;
	drm_dev_get(&soft->tdev->drm);
	queue_work(tsr_soft_wq, &soft->vanish);
}

/* ---- The plan ---- */

static enum tsr_fault_action tsr_soft_event(struct tsr_soft *soft, enum tsr_fault_point point,
					    struct tsr_fault_rule *ret_rule)
{
	enum tsr_fault_action action = tsr_faults_event(soft->faults, point, ret_rule);

	if (action != TSR_PLAN_VANISH)
		return action;
	tsr_soft_vanish(soft);
	return TSR_PLAN_NONE;
}

enum tsr_fault_action tsr_soft_fault_slow(struct tsr_soft *soft, enum tsr_fault_point point)
{
	struct tsr_fault_rule rule;

	return tsr_soft_event(soft, point, &rule);
}

u32 tsr_soft_seen_slow(struct tsr_soft *soft, u64 run_id, u32 boundary)
{
	enum tsr_fault_point point = boundary == TSR_BOUNDARY_GRID ? TSR_PLAN_SEEN_GRID :
								     TSR_PLAN_SEEN_DISPATCH;
	struct tsr_fault_rule rule;

	switch (tsr_soft_event(soft, point, &rule)) {
	case TSR_PLAN_DROP:
		return 0;
	case TSR_PLAN_LATE:
		if (tsr_soft_late(soft, run_id, boundary, &rule))
			return 0;
		break;
	default:
		break;
	}
	return test_bit(0, &soft->vanished) ? 0 : boundary;
}

void tsr_soft_record_slow(struct tsr_soft *soft, struct tsr_hw_record *record)
{
	lockdep_assert_held(&soft->lock);
	switch (tsr_soft_fault_slow(soft, TSR_PLAN_RECORD)) {
	case TSR_PLAN_DROP:
		memset(record, 0, sizeof(*record));
		break;
	case TSR_PLAN_CORRUPT:
		record->run_id++;
		break;
	default:
		break;
	}
}

void tsr_soft_faults_init(struct tsr_soft *soft)
{
	u32 i;

	for (i = 0; i < TSR_SOFT_LATE; i++)
		tsr_soft_late_init(soft, &soft->late[i]);
	INIT_WORK(&soft->vanish, tsr_soft_vanish_work);
}

void tsr_soft_faults_stop(struct tsr_soft *soft)
{
	u32 i;

	for (i = 0; i < TSR_SOFT_LATE; i++)
		hrtimer_cancel(&soft->late[i].timer);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Events: the ring of a device, and the worker that empties it. */
#include <linux/cleanup.h>
#include <linux/ktime.h>
#include "run.h"

static void __tsr_event(struct tsr_device *tdev, struct tsr_event event)
{
	struct tsr_events *events = &tdev->events;

	lockdep_assert_held(&events->lock);
	if (!events->open)
		return;
	event.sequence = ++events->recorded;
	event.time_ns = ktime_get_ns();
	event.reset_generation = READ_ONCE(tdev->reset_generation);
	events->ring[event.sequence % TSR_EVENTS] = event;
	/* Under the lock, so that nothing is queued once tsr_events_close() has closed it. */
	if (tsr_netlink_listened())
		queue_work(system_unbound_wq, &events->work);
	else
		events->taken = event.sequence;
}

static void tsr_event_record(struct tsr_device *tdev, struct tsr_event event)
{
	guard(spinlock_irqsave)(&tdev->events.lock);
	__tsr_event(tdev, event);
}

void tsr_event(struct tsr_device *tdev, u32 type)
{
	tsr_event_record(tdev, (struct tsr_event){ .type = type });
}

void tsr_event_context(struct tsr_device *tdev, u32 type, const struct tsr_context *ctx)
{
	tsr_event_record(tdev, (struct tsr_event){ .type = type, .context = ctx->id });
}

void tsr_event_run(struct tsr_device *tdev, u32 type, const struct tsr_run *run, u32 phase)
{
	tsr_event_record(tdev, (struct tsr_event){
		.type = type,
		.context = run->ctx->id,
		.run = run->id,
		.phase = phase,
		.code = run->outcome.code,
	});
}

void tsr_event_run_end(struct tsr_device *tdev, const struct tsr_run *run, u32 phase)
{
	if (tsr_code_class(run->outcome.code) != DRM_TESSERA_CLASS_NONE)
		tsr_event_run(tdev, TESSERA_EVENT_TYPE_RUN_FAILED, run, phase);
	if (phase == DRM_TESSERA_PHASE_QUARANTINED)
		tsr_event_run(tdev, TESSERA_EVENT_TYPE_RUN_QUARANTINED, run, phase);
}

u64 tsr_event_last(struct tsr_device *tdev)
{
	guard(spinlock_irqsave)(&tdev->events.lock);
	return tdev->events.recorded;
}

static bool tsr_event_take(struct tsr_events *events, struct tsr_event *ret)
{
	guard(spinlock_irqsave)(&events->lock);
	if (events->taken == events->recorded)
		return false;
	if (events->recorded - events->taken > TSR_EVENTS)
		events->taken = events->recorded - TSR_EVENTS;
	*ret = events->ring[++events->taken % TSR_EVENTS];
	return true;
}

static void tsr_event_work(struct work_struct *work)
{
	struct tsr_device *tdev = container_of(work, struct tsr_device, events.work);
	struct tsr_event event;

	while (tsr_event_take(&tdev->events, &event)) {
		tsr_netlink_send(tdev, &event);
		cond_resched();
	}
}

void tsr_events_init(struct tsr_device *tdev)
{
	spin_lock_init(&tdev->events.lock);
	INIT_WORK(&tdev->events.work, tsr_event_work);
}

void tsr_events_open(struct tsr_device *tdev)
{
	guard(spinlock_irqsave)(&tdev->events.lock);
	tdev->events.open = true;
	__tsr_event(tdev, (struct tsr_event){ .type = TESSERA_EVENT_TYPE_DEVICE_ADDED });
}

void tsr_events_close(struct tsr_device *tdev)
{
	scoped_guard(spinlock_irqsave, &tdev->events.lock) {
		__tsr_event(tdev, (struct tsr_event){ .type = TESSERA_EVENT_TYPE_DEVICE_GONE });
		tdev->events.open = false;
	}
	flush_work(&tdev->events.work);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints (OB-3): each change of a run's phase, and resets. Off, each is one no-op. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tessera

#if !defined(TSR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TSR_TRACE_H

#include <linux/tracepoint.h>
#include "run.h"

DECLARE_EVENT_CLASS(tessera_run,
	TP_PROTO(const struct tsr_run *run),
	TP_ARGS(run),
	TP_STRUCT__entry(
		__field(u64, run)
		__field(u64, context)
		__field(u32, minor)
		__field(u32, slot)
	),
	TP_fast_assign(
		__entry->run = run->id;
		__entry->context = run->ctx->id;
		__entry->minor = run->ctx->tdev->drm.accel->index;
		__entry->slot = run->slot;
	),
	TP_printk("accel%u run=%llu context=%llu bank=%u", __entry->minor, __entry->run,
		  __entry->context, __entry->slot)
);

/* Accepted; it has no bank yet. */
DEFINE_EVENT(tessera_run, tessera_run_queued, TP_PROTO(const struct tsr_run *run), TP_ARGS(run));
DEFINE_EVENT(tessera_run, tessera_run_staged, TP_PROTO(const struct tsr_run *run), TP_ARGS(run));
DEFINE_EVENT(tessera_run, tessera_run_launched, TP_PROTO(const struct tsr_run *run), TP_ARGS(run));
DEFINE_EVENT(tessera_run, tessera_run_complete, TP_PROTO(const struct tsr_run *run), TP_ARGS(run));

/* It has ended: retired, cancelled or quarantined. */
TRACE_EVENT(tessera_run_end,
	TP_PROTO(const struct tsr_run *run, u32 phase),
	TP_ARGS(run, phase),
	TP_STRUCT__entry(
		__field(u64, run)
		__field(u64, context)
		__field(u64, poison_run)
		__field(u32, minor)
		__field(u32, phase)
		__field(u32, code)
	),
	TP_fast_assign(
		__entry->run = run->id;
		__entry->context = run->ctx->id;
		__entry->poison_run = tsr_outcome_poisoned(&run->outcome) ?
				      run->outcome.poison_run : 0;
		__entry->minor = run->ctx->tdev->drm.accel->index;
		__entry->phase = phase;
		__entry->code = run->outcome.code;
	),
	TP_printk("accel%u run=%llu context=%llu phase=%s code=%u poisoned_by=%llu",
		  __entry->minor, __entry->run, __entry->context,
		  __print_symbolic(__entry->phase,
				   { DRM_TESSERA_PHASE_RETIRED, "retired" },
				   { DRM_TESSERA_PHASE_CANCELLED, "cancelled" },
				   { DRM_TESSERA_PHASE_QUARANTINED, "quarantined" }),
		  __entry->code, __entry->poison_run)
);

/* An attempt to reset the device; error 0: confirmed, generation has moved. */
TRACE_EVENT(tessera_reset,
	TP_PROTO(const struct tsr_device *tdev, int error),
	TP_ARGS(tdev, error),
	TP_STRUCT__entry(
		__field(u64, generation)
		__field(u32, minor)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->generation = tdev->reset_generation;
		__entry->minor = tdev->drm.accel->index;
		__entry->error = error;
	),
	TP_printk("accel%u generation=%llu error=%d", __entry->minor, __entry->generation,
		  __entry->error)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE tsr_trace
#include <trace/define_trace.h>

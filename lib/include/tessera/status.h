/* SPDX-License-Identifier: MIT */
/* The status record of a run; codes have names in <tessera/names.h>. */
#ifndef TESSERA_STATUS_H
#define TESSERA_STATUS_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum tsr_phase - of a run; compare for equality only
 */
enum tsr_phase {
	/** @TSR_PHASE_QUEUED: accepted */
	TSR_PHASE_QUEUED = 1,
	/** @TSR_PHASE_STAGED: in a bank */
	TSR_PHASE_STAGED = 2,
	/** @TSR_PHASE_LAUNCHED: executing */
	TSR_PHASE_LAUNCHED = 3,
	/** @TSR_PHASE_COMPLETE: executed, not yet released */
	TSR_PHASE_COMPLETE = 4,
	/** @TSR_PHASE_RETIRED: over */
	TSR_PHASE_RETIRED = 5,
	/** @TSR_PHASE_CANCELLED: over, never launched */
	TSR_PHASE_CANCELLED = 6,
	/** @TSR_PHASE_QUARANTINED: its end is not proven */
	TSR_PHASE_QUARANTINED = 7
};

/**
 * enum tsr_class - how far a failure reaches (FL-1)
 */
enum tsr_class {
	/** @TSR_CLASS_NONE: no failure */
	TSR_CLASS_NONE = 0,
	/** @TSR_CLASS_LOCAL: only this run */
	TSR_CLASS_LOCAL = 1,
	/** @TSR_CLASS_QUEUE: its context is poisoned */
	TSR_CLASS_QUEUE = 2,
	/** @TSR_CLASS_DEVICE: the device is reset */
	TSR_CLASS_DEVICE = 3
};

#define TSR_STATUS_OUTPUTS_UNDEFINED	(1u << 0)
#define TSR_STATUS_DIAG_INCOMPLETE	(1u << 1)
#define TSR_STATUS_INLINE		(1u << 2)	/* executed in the submitter's call */
#define TSR_STATUS_COPIED_BACK	(1u << 16)	/* host tensors have the outputs (IO-1) */

#define TSR_NO_KERNEL		UINT32_MAX	/* no descriptor is known */

/**
 * struct tsr_run_fault - what a processor did wrong (FL-5); all zero when there was no fault
 */
struct tsr_run_fault {
	/** @cause: see tsr_fault_name(); 0 for none */
	uint32_t cause;
	/** @x: column */
	uint16_t x;
	/** @y: row */
	uint16_t y;
	/** @processor: enum tsr_processor */
	uint32_t processor;
	/** @pc: where it was */
	uint32_t pc;
	/** @address: what it touched, or what the cause says */
	uint64_t address;
	/** @kernel: descriptor index, or TSR_NO_KERNEL */
	uint32_t kernel;
	/** @reserved: zero */
	uint32_t reserved;
};

/**
 * struct tsr_run_stall - where a run stood when it was ended (FL-4)
 */
struct tsr_run_stall {
	/** @stall_class: see tsr_stall_name(); 0 for none */
	uint32_t stall_class;
	/** @cores_completed: cores that were through */
	uint32_t cores_completed;
	/** @cores_total: cores that took part */
	uint32_t cores_total;
	/** @running: processors that would execute */
	uint32_t running;
	/** @ready: processors that never executed */
	uint32_t ready;
	/** @waiting: processors stalled */
	uint32_t waiting;
	/** @dispatch_done: whether all was handed out */
	uint32_t dispatch_done;
	/** @stuck_processor: enum tsr_processor */
	uint32_t stuck_processor;
	/** @stuck_x: column */
	uint16_t stuck_x;
	/** @stuck_y: row */
	uint16_t stuck_y;
	/** @stuck_pc: where it is */
	uint32_t stuck_pc;
	/** @stuck_address: register waited on, or 0 */
	uint32_t stuck_address;
	/** @stuck_kernel: descriptor index, or TSR_NO_KERNEL */
	uint32_t stuck_kernel;
};

/**
 * struct tsr_status - of one run; times are CLOCK_MONOTONIC ns, 0 is never
 */
struct tsr_status {
	/** @run_id: its id */
	uint64_t run_id;
	/** @context_id: its context's id */
	uint64_t context_id;
	/** @epoch: of the runtime */
	uint64_t epoch;
	/** @reset_generation: of the device when it ended, or now */
	uint64_t reset_generation;
	/** @user_data: from the submit */
	uint64_t user_data;
	/** @phase: enum tsr_phase */
	uint32_t phase;
	/** @code: its own; 0 is success; see tsr_code_name() */
	uint32_t code;
	/** @failure_class: enum tsr_class, of @code */
	uint32_t failure_class;
	/** @poison_code: of the run that poisoned it, or 0 */
	uint32_t poison_code;
	/** @poison_run: that run's id, or 0 */
	uint64_t poison_run;
	/** @verdict_source: 0 none, 1 device record, 2 driver */
	uint32_t verdict_source;
	/** @flags: TSR_STATUS_* */
	uint32_t flags;
	/** @queued_ns: accepted */
	uint64_t queued_ns;
	/** @staged_ns: in a bank */
	uint64_t staged_ns;
	/** @launched_ns: started */
	uint64_t launched_ns;
	/** @completed_ns: executed */
	uint64_t completed_ns;
	/** @retired_ns: released */
	uint64_t retired_ns;
	/** @fault: of a code that is a fault */
	struct tsr_run_fault fault;
	/** @stall: of a run that was ended */
	struct tsr_run_stall stall;
	/** @reserved: zero */
	uint64_t reserved[8];
};

/**
 * tsr_status_print() - all of it for people, with what to do about a failure
 * @status: the record
 * @out: where to print
 */
void tsr_status_print(const struct tsr_status *status, FILE *out);

#ifdef __cplusplus
}
#endif

#endif

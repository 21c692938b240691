/* SPDX-License-Identifier: MIT */
/* The status record of a run; codes have names in <tessera/names.h>. */
#ifndef TESSERA_STATUS_H
#define TESSERA_STATUS_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** enum tsr_phase - of a run; compare for equality only */
enum tsr_phase {
	TSR_PHASE_QUEUED = 1,		/**< @TSR_PHASE_QUEUED: accepted */
	TSR_PHASE_STAGED = 2,		/**< @TSR_PHASE_STAGED: in a bank */
	TSR_PHASE_LAUNCHED = 3,		/**< @TSR_PHASE_LAUNCHED: executing */
	TSR_PHASE_COMPLETE = 4,		/**< @TSR_PHASE_COMPLETE: executed, not yet released */
	TSR_PHASE_RETIRED = 5,		/**< @TSR_PHASE_RETIRED: over */
	TSR_PHASE_CANCELLED = 6,	/**< @TSR_PHASE_CANCELLED: over, never launched */
	TSR_PHASE_QUARANTINED = 7	/**< @TSR_PHASE_QUARANTINED: its end is not proven */
};

/** enum tsr_class - how far a failure reaches (FL-1) */
enum tsr_class {
	TSR_CLASS_NONE = 0,		/**< @TSR_CLASS_NONE: no failure */
	TSR_CLASS_LOCAL = 1,		/**< @TSR_CLASS_LOCAL: only this run */
	TSR_CLASS_QUEUE = 2,		/**< @TSR_CLASS_QUEUE: its context is poisoned */
	TSR_CLASS_DEVICE = 3		/**< @TSR_CLASS_DEVICE: the device is reset */
};

#define TSR_STATUS_OUTPUTS_UNDEFINED	(1u << 0)
#define TSR_STATUS_DIAG_INCOMPLETE	(1u << 1)
#define TSR_STATUS_INLINE		(1u << 2)	/* executed in the submitter's call */

#define TSR_NO_KERNEL		UINT32_MAX	/* no descriptor is known */

/** struct tsr_run_fault - what a processor did wrong (FL-5); all zero when there was no fault */
struct tsr_run_fault {
	uint32_t cause;			/**< @cause: see tsr_fault_name(); 0 for none */
	uint16_t x, y;			/**< @x: column; @y: row */
	uint32_t processor;		/**< @processor: enum tsr_processor */
	uint32_t pc;			/**< @pc: where it was */
	uint64_t address;		/**< @address: what it touched, or what the cause says */
	uint32_t kernel;		/**< @kernel: descriptor index, or TSR_NO_KERNEL */
	uint32_t reserved;		/**< @reserved: zero */
};

/** struct tsr_run_stall - where a run stood when it was ended (FL-4) */
struct tsr_run_stall {
	uint32_t stall_class;		/**< @stall_class: see tsr_stall_name(); 0 for none */
	uint32_t cores_completed;	/**< @cores_completed: cores that were through */
	uint32_t cores_total;		/**< @cores_total: cores that took part */
	uint32_t running;		/**< @running: processors that would execute */
	uint32_t ready;			/**< @ready: processors that never executed */
	uint32_t waiting;		/**< @waiting: processors stalled */
	uint32_t dispatch_done;		/**< @dispatch_done: whether all was handed out */
	uint32_t stuck_processor;	/**< @stuck_processor: enum tsr_processor */
	uint16_t stuck_x, stuck_y;	/**< @stuck_x: column; @stuck_y: row */
	uint32_t stuck_pc;		/**< @stuck_pc: where it is */
	uint32_t stuck_address;		/**< @stuck_address: register waited on, or 0 */
	uint32_t stuck_kernel;		/**< @stuck_kernel: descriptor index, or TSR_NO_KERNEL */
};

/** struct tsr_status - of one run; times are CLOCK_MONOTONIC ns, 0 is never */
struct tsr_status {
	uint64_t run_id;		/**< @run_id: its id */
	uint64_t context_id;		/**< @context_id: its context's id */
	uint64_t epoch;			/**< @epoch: of the runtime */
	uint64_t reset_generation;	/**< @reset_generation: of the device when it ended, or now */
	uint64_t user_data;		/**< @user_data: from the submit */
	uint32_t phase;			/**< @phase: enum tsr_phase */
	uint32_t code;			/**< @code: its own; 0 is success; see tsr_code_name() */
	uint32_t failure_class;		/**< @failure_class: enum tsr_class, of @code */
	uint32_t poison_code;		/**< @poison_code: of the run that poisoned it, or 0 */
	uint64_t poison_run;		/**< @poison_run: that run's id, or 0 */
	uint32_t verdict_source;	/**< @verdict_source: 0 none, 1 device record, 2 driver */
	uint32_t flags;			/**< @flags: TSR_STATUS_* */
	uint64_t queued_ns;		/**< @queued_ns: accepted */
	uint64_t staged_ns;		/**< @staged_ns: in a bank */
	uint64_t launched_ns;		/**< @launched_ns: started */
	uint64_t completed_ns;		/**< @completed_ns: executed */
	uint64_t retired_ns;		/**< @retired_ns: released */
	struct tsr_run_fault fault;	/**< @fault: of a code that is a fault */
	struct tsr_run_stall stall;	/**< @stall: of a run that was ended */
	uint64_t reserved[8];		/**< @reserved: zero */
};

/** tsr_status_print() - all of it for people, with what to do about a failure */
void tsr_status_print(const struct tsr_status *status, FILE *out);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* The runs of a device that have not ended, by netlink: what waits for what. See event.h. */
#ifndef TESSERA_RUN_LIST_H
#define TESSERA_RUN_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <tessera/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** enum tsr_waits - what a run waits for */
enum tsr_waits {
	/** @TSR_WAITS_NONE: nothing, it is on its way to the next phase */
	TSR_WAITS_NONE = 0,
	/** @TSR_WAITS_ORDER: earlier runs of its context */
	TSR_WAITS_ORDER = 1,
	/** @TSR_WAITS_FENCES: fences that were submitted with it */
	TSR_WAITS_FENCES = 2,
	/** @TSR_WAITS_DEVICE: suspended, being reset, or wedged */
	TSR_WAITS_DEVICE = 3,
	/** @TSR_WAITS_CLAIM: another context holds the claim, or will */
	TSR_WAITS_CLAIM = 4,
	/** @TSR_WAITS_BANK: a free bank, or its turn for one */
	TSR_WAITS_BANK = 5,
	/** @TSR_WAITS_LAUNCH: staged, those before it execute */
	TSR_WAITS_LAUNCH = 6,
	/** @TSR_WAITS_CORES: it executes */
	TSR_WAITS_CORES = 7,
	/** @TSR_WAITS_PROOF: quarantined until its cores are proven to have stopped */
	TSR_WAITS_PROOF = 8
};

/** struct tsr_run_entry - a run as it is; times are CLOCK_MONOTONIC in ns, 0: not yet */
struct tsr_run_entry {
	/** @id: as tsr_run_id() */
	uint64_t id;
	/** @context: as tsr_context_id() */
	uint64_t context;
	/** @user_data: as submitted */
	uint64_t user_data;
	/** @queued_ns: accepted */
	uint64_t queued_ns;
	/** @staged_ns: in a bank */
	uint64_t staged_ns;
	/** @launched_ns: started */
	uint64_t launched_ns;
	/** @completed_ns: executed */
	uint64_t completed_ns;
	/** @fingerprint: of its program; 0, 0: it has none */
	uint64_t fingerprint[2];
	/** @minor: of its device */
	uint32_t minor;
	/** @pid: process that created its context, or TSR_NO_PROCESS */
	uint32_t pid;
	/** @uid: user for whom it works */
	uint32_t uid;
	/** @priority: enum tsr_priority of its context */
	uint32_t priority;
	/** @phase: enum tsr_phase */
	uint32_t phase;
	/** @waits: enum tsr_waits */
	uint32_t waits;
	/** @fences: that it waits for */
	uint32_t fences;
	/** @cores: of its program */
	uint32_t cores;
	/** @program: name, cut to fit */
	char program[64];
	/** @reserved: zero */
	uint64_t reserved[4];
};

/**
 * tsr_run_list() - the runs that the caller may see and that have not ended, or are quarantined
 * @minor: of one device, or TSR_ALL_DEVICES
 * @context: id of one context of that device, or 0
 * @ret_runs: array in the order of devices, contexts and ids, free with free()
 * @ret_count: of its elements
 *
 * Those of the contexts that tsr_context_list() shows. Not one moment is shown, but several: a run
 * may have gone on since another one was looked at.
 *
 * Return: as tsr_context_list(); -EINVAL @context without a device.
 */
int tsr_run_list(uint32_t minor, uint64_t context, struct tsr_run_entry **ret_runs,
		 size_t *ret_count);

/**
 * tsr_waits_name() - of enum tsr_waits: "fences"
 * @waits: a number
 *
 * Return: as the names of names.h.
 */
const char *tsr_waits_name(uint32_t waits);

#ifdef __cplusplus
}
#endif

#endif

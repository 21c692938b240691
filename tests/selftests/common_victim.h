/* SPDX-License-Identifier: MIT */
/* Processes to be killed, each in the middle of something. */
#ifndef TSR_TESTS_COMMON_VICTIM_H
#define TSR_TESTS_COMMON_VICTIM_H

#include <sys/types.h>
#include "common_uapi.h"

/*
 * What they are in the middle of: a state in which the process stays, or something that it does
 * again and again.
 */
#define VICTIM_POINTS(X)									\
	X(opening) X(querying)									\
	X(creating_buffers) X(faulting_in_mappings) X(creating_programs) X(creating_contexts)	\
	X(submitting) X(submitting_batches) X(refused) X(executing_inline)			\
	X(program_blob_in_a_page_fault) X(batch_in_a_page_fault) X(answer_in_a_page_fault)	\
	X(blocked_by_a_full_queue) X(queued) X(staged) X(launched) X(writing_to_its_mapping)	\
	X(waiting) X(waiting_with_a_timeout) X(polling_runs)					\
	X(polling_a_descriptor) X(making_descriptors) X(descriptor_held_by_another)		\
	X(waiting_for_a_syncobj) X(waiting_for_a_submit) X(depending) X(signalling_a_timeline)	\
	X(holding_the_claim) X(executing_in_a_hold) X(waiting_for_the_claim) X(passing_the_claim) \
	X(resetting_the_device) X(poisoning_and_resetting_a_context) X(poisoned)		\
	X(cancelling_queued_runs) X(cancelling_launched_runs) X(destroying_contexts)		\
	X(detached) X(reading_status) X(reading_figures) X(failing) X(reading_dumps)		\
	X(listing_devices) X(listing_contexts) X(listening) X(opening_listeners)		\
	X(with_progress_pages) X(exporting_and_importing) X(executing_with_a_shared_buffer)	\
	X(reading_debugfs) X(making_devices) X(in_many_threads) X(closing)

#define VICTIM_ENUM(name)	VICTIM_##name,
enum victim_point {
	VICTIM_POINTS(VICTIM_ENUM)
	VICTIM_COUNT
};

/** struct victim_word - what a victim says when it is where it shall die */
struct victim_word {
	int fd;			/* a descriptor that its murderer takes over, or -1 */
};

/**
 * victim_live() - be that victim, in a process of its own; never returns
 * @name: of the device
 * @ready: where a struct victim_word is written
 *
 * A victim that cannot get where it shall be exits, and says why on stderr.
 */
_Noreturn void victim_live(enum victim_point point, const char *name, int ready,
			   unsigned int seed);

/** victim_device() - the directory in configfs that VICTIM_making_devices made, if it did */
void victim_device(pid_t pid, char *ret, size_t size);

#endif

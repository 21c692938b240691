/* SPDX-License-Identifier: MIT */
#ifndef TSR_CONTEXT_INT_H
#define TSR_CONTEXT_INT_H

#include <tessera/context.h>

#include "device_int.h"

struct drm_tessera_context_progress;
struct tsr_run;

/** struct tsr_context - a queue of the kernel, and the runs in it whose end nobody has seen yet */
struct tsr_context {
	atomic_uint ref;
	uint32_t handle;
	uint64_t id;
	struct tsr_device *dev;
	_Atomic(const struct drm_tessera_context_progress *) page;	/* see page.h */
	pthread_mutex_t lock;		/* @first, @last; inside no other lock */
	struct tsr_run *first, *last;	/* in order of submission; holds a reference to each */
};

#endif

/* SPDX-License-Identifier: MIT */
#ifndef TSR_BUFFER_INT_H
#define TSR_BUFFER_INT_H

#include <tessera/buffer.h>

#include "device_int.h"

/** struct tsr_buffer - one GEM handle; a handle has one such object at most */
struct tsr_buffer {
	atomic_uint ref;
	uint32_t handle;
	struct tsr_device *dev;
	uint64_t size;
	int import_fd;			/* dma-buf of an imported buffer, for mapping, else -1 */
	pthread_mutex_t map_lock;	/* @mem while it is NULL */
	_Atomic(void *) mem;
	struct tsr_buffer *next, *prev;	/* dev->buffers */
};

/** tsr_buffer_new_offline() - a buffer of an offline device: a size and a handle, no memory */
int tsr_buffer_new_offline(struct tsr_device *dev, uint64_t size, uint32_t handle,
			   struct tsr_buffer **ret_buffer);

#endif

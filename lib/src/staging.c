// SPDX-License-Identifier: MIT
/* Staging buffers, kept with their operation. */
#include <errno.h>
#include <stdlib.h>

#include "staging.h"

static int make(struct tsr_device *dev, uint64_t size, struct tsr_staging *ret)
{
	struct tsr_buffer *buffer;
	void *memory;
	int err = tsr_buffer_new(dev, size, &buffer);

	if (err)
		return err;
	err = tsr_buffer_map(buffer, &memory);
	if (err) {
		tsr_buffer_unref(buffer);
		return err;
	}
	ret->buffer = buffer;
	ret->memory = memory;
	tsr_count(&dev->tally.staging_made);
	return 0;
}

/* The one used last that is large enough; else any one, to be grown. */
static struct tsr_staging *take(struct tsr_operation *op, uint64_t size)
{
	struct tsr_staging **at, *found;

	pthread_mutex_lock(&op->lock);
	for (at = &op->staging; *at && (*at)->buffer->size < size; at = &(*at)->next)
		;
	if (!*at)
		at = &op->staging;
	found = *at;
	if (found) {
		*at = found->next;
		op->staging_count--;
	}
	pthread_mutex_unlock(&op->lock);
	return found;
}

static int grow(struct tsr_device *dev, struct tsr_staging *staging, uint64_t size)
{
	struct tsr_buffer *old = staging->buffer;
	int err = make(dev, size, staging);

	if (!err)
		tsr_buffer_unref(old);
	return err;
}

static int make_first(struct tsr_device *dev, uint64_t size, struct tsr_staging **ret_staging)
{
	struct tsr_staging *staging = calloc(1, sizeof(*staging));
	int err = staging ? make(dev, size, staging) : -ENOMEM;

	if (err)
		free(staging);
	else
		*ret_staging = staging;
	return err;
}

int tsr_staging_get(struct tsr_operation *op, uint64_t size, struct tsr_staging **ret_staging)
{
	struct tsr_staging *staging = take(op, size);
	int err = 0;

	if (!staging)
		return make_first(op->dev, size, ret_staging);
	if (staging->buffer->size < size)
		err = grow(op->dev, staging, size);
	else
		tsr_count(&op->dev->tally.staging_reused);
	if (err)
		tsr_staging_put(op, staging);
	else
		*ret_staging = staging;
	return err;
}

void tsr_staging_free(struct tsr_staging *staging)
{
	if (staging)
		tsr_buffer_unref(staging->buffer);
	free(staging);
}

void tsr_staging_put(struct tsr_operation *op, struct tsr_staging *staging)
{
	if (!staging)
		return;
	pthread_mutex_lock(&op->lock);
	if (op->staging_count < TSR_STAGING_KEEPS) {
		op->staging_count++;
		staging->next = op->staging;
		op->staging = staging;
		staging = NULL;
	}
	pthread_mutex_unlock(&op->lock);
	tsr_staging_free(staging);
}

void tsr_staging_fini(struct tsr_operation *op)
{
	struct tsr_staging *staging;

	while ((staging = op->staging)) {
		op->staging = staging->next;
		tsr_staging_free(staging);
	}
}

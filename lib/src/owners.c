// SPDX-License-Identifier: MIT
/* What resources keep alive: taken when it is named, released once, under no lock (LT). */
#include <errno.h>

#include "buffer_int.h"
#include "resources_int.h"

static struct tsr_owner *next_owner(struct tsr_resources *res)
{
	struct tsr_owner *owner = tsr_vec_add(&res->owners, sizeof(*owner), 1);

	if (owner)
		*owner = (struct tsr_owner){ 0 };
	return owner;
}

TSR_API int tsr_resources_own_buffer(struct tsr_resources *res, struct tsr_buffer *buffer)
{
	struct tsr_owner *owner;

	if (res->sealed)
		return -EPERM;
	owner = next_owner(res);
	if (!owner)
		return -ENOMEM;
	owner->bad = !buffer || buffer->dev != res->dev;
	if (buffer)
		owner->buffer = tsr_buffer_ref(buffer);
	owner->held = buffer != NULL;
	return 0;
}

TSR_API int tsr_resources_own(struct tsr_resources *res, void *object,
			      void (*retain)(void *object), void (*release)(void *object))
{
	struct tsr_owner *owner;

	if (res->sealed)
		return -EPERM;
	owner = next_owner(res);
	if (!owner)
		return -ENOMEM;
	owner->object = object;
	owner->release = release;
	owner->bad = !object || !release;
	owner->held = !owner->bad && retain;
	if (owner->held)
		retain(object);
	return 0;
}

void tsr_resources_accept(struct tsr_resources *res)
{
	res->accepted = true;
	atomic_fetch_add_explicit(&res->dev->tally.owners_retained, res->owners.count,
				  memory_order_relaxed);
}

static void release(const struct tsr_owner *owner, bool accepted)
{
	if (owner->buffer)
		tsr_buffer_unref(owner->buffer);
	else if (!owner->bad && (owner->held || accepted))
		owner->release(owner->object);
}

void tsr_resources_let_go(struct tsr_resources *res)
{
	if (!res)
		return;
	/* A child's copies are not the parent's objects. */
	for (size_t i = 0; i < res->owners.count && !tsr_device_check(res->dev); i++) {
		release((struct tsr_owner *)res->owners.data + i, res->accepted);
		if (res->accepted)
			tsr_count(&res->dev->tally.owners_released);
	}
	res->owners.count = 0;
	tsr_resources_unref(res);
}

// SPDX-License-Identifier: MIT
/* Host tensors (IO-1 .. IO-6). */
#include <errno.h>

#include "diag_int.h"
#include "staged.h"
#include "staging.h"

static void bad(struct tsr_submit *s, size_t i, const char *field, char *value, char *allowed,
		const char *message)
{
	if (!s->p.diag)
		s->p.diag = tsr_diag_new();
	tsr_count(&s->p.dev->tally.findings);
	tsr_diag_note(s->p.diag, (struct tsr_note){
		.rule = TSR_V26,
		.path = tsr_text("tensor %zu", i),
		.field = field,
		.value = value,
		.allowed = allowed,
		.message = tsr_text("%s", message),
	});
}

/* What is left, a buffer and its range, is checked with the other tensors. */
static bool check_tensor(struct tsr_submit *s, size_t i, const struct tsr_staged_tensor *t)
{
	if (t->memory && t->buffer)
		bad(s, i, "buffer", tsr_text("not NULL"), tsr_text("NULL"),
		    "a tensor is in host memory or in a buffer, not in both");
	else if (t->memory && t->offset)
		bad(s, i, "offset", tsr_text("%llu", (unsigned long long)t->offset), tsr_text("0"),
		    "host memory begins where it begins");
	else if (t->memory && !t->size)
		bad(s, i, "size", tsr_text("0"), tsr_text("at least 1"),
		    "the size of host memory has to be said");
	else if (!tsr_all_zero(t->reserved, sizeof(t->reserved)))
		bad(s, i, "reserved", tsr_text("not zero"), tsr_text("0"),
		    "reserved fields must be zero");
	else
		return true;
	return false;
}

/* Where each tensor will be, as offsets into one buffer. */
static int place(struct tsr_submit *s, struct tsr_tensor *to, uint64_t *ret_size)
{
	uint64_t end = 0;
	bool good = true;

	for (size_t i = 0; i < s->p.tensor_count; i++) {
		const struct tsr_staged_tensor *t = &s->staged[i];

		good &= check_tensor(s, i, t);
		to[i] = (struct tsr_tensor){ t->buffer, t->offset, t->size, { 0 } };
		if (!t->memory)
			continue;
		to[i].offset = end;
		if (t->size > INT64_MAX - TSR_STAGING_ALIGN - end)
			return -E2BIG;
		end += (t->size + TSR_STAGING_ALIGN - 1) & ~(uint64_t)(TSR_STAGING_ALIGN - 1);
	}
	*ret_size = end;
	if (!good)
		tsr_count(&s->p.dev->tally.refused);
	return good ? 0 : -EINVAL;
}

int tsr_staged_bind(struct tsr_prepare *p)
{
	struct tsr_submit *s = (struct tsr_submit *)((char *)p - offsetof(struct tsr_submit, p));
	struct tsr_tensor *tensors;
	uint64_t size;
	int err;

	s->p.call->tensors.count = 0;
	tensors = tsr_vec_add(&s->p.call->tensors, sizeof(*tensors), s->p.tensor_count);
	if (!tensors && s->p.tensor_count)
		return -ENOMEM;
	err = place(s, tensors, &size);
	if (!err && size)
		err = tsr_staging_get(s->p.op, size, &s->staging);
	if (err)
		return err;
	for (size_t i = 0; i < s->p.tensor_count; i++)
		if (s->staged[i].memory)
			tensors[i].buffer = s->staging->buffer;
	s->p.tensors = tensors;
	return 0;
}

static uint64_t copy_in(const struct tsr_submit *s, size_t i, struct tsr_copy *ret)
{
	const struct tsr_staged_tensor *host = &s->staged[i];
	uint32_t access = tsr_op_tensor(s->p.op, i)->access;

	*ret = (struct tsr_copy){ 0 };
	if (!host->memory)
		return 0;
	ret->offset = s->p.tensors[i].offset;
	ret->size = host->size;
	if (access & TSR_ACCESS_OUT)
		ret->memory = host->memory;
	if (!(access & TSR_ACCESS_IN))
		return 0;
	memcpy(s->staging->memory + ret->offset, host->memory, host->size);
	ret->to_device = host->size;
	return host->size;
}

int tsr_staged_stage(struct tsr_submit *s)
{
	struct tsr_copy *copies;
	uint64_t bytes = 0;

	if (likely(!s->staged))
		return 0;
	copies = tsr_vec_add(&s->run->copies, sizeof(*copies), s->p.tensor_count);
	if (!copies && s->p.tensor_count)
		return -ENOMEM;
	for (size_t i = 0; i < s->p.tensor_count; i++)
		bytes += copy_in(s, i, &copies[i]);
	tsr_count_by(&s->p.dev->tally.bytes_to_device, bytes);
	return 0;
}

void tsr_staged_copy_back(struct tsr_run *run)
{
	struct tsr_copy *copy = run->copies.data;
	uint64_t bytes = 0;

	for (size_t i = 0; i < run->copies.count; i++, copy++) {
		if (!copy->memory)
			continue;
		memcpy(copy->memory, run->staging->memory + copy->offset, copy->size);
		copy->from_device = copy->size;
		bytes += copy->size;
	}
	tsr_count_by(&run->context->dev->tally.bytes_from_device, bytes);
}

void tsr_staged_settle(struct tsr_run *run, struct tsr_staging *staging)
{
	/* Where the end is not proven the memory may still change: the driver keeps it. */
	if (run->status.phase == TSR_PHASE_QUARANTINED)
		tsr_staging_free(staging);
	else
		tsr_staging_put(run->op, staging);
}

TSR_API int tsr_run_transfers(struct tsr_run *run, struct tsr_transfer *ret_transfers, size_t max)
{
	const struct tsr_copy *copies = run->copies.data;
	int err = tsr_run_wait(run, 0);

	if (err)
		return err == -ETIME ? -EBUSY : err;
	for (size_t i = 0; i < run->copies.count && i < max; i++)
		ret_transfers[i] = (struct tsr_transfer){
			.to_device = copies[i].to_device,
			.from_device = copies[i].from_device,
		};
	return (int)run->copies.count;
}

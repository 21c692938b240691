// SPDX-License-Identifier: MIT
/* Checks of caller-defined semaphores, which are also sorted here, and of tensors. */
#include <errno.h>
#include <stdlib.h>

#include "buffer_int.h"
#include "check.h"

static void bad_semaphore(struct tsr_check *c, enum tsr_rule_no rule, size_t i, const char *field,
			  char *value, char *allowed, char *message)
{
	tsr_found(c, (struct tsr_note){
		.rule = rule,
		.path = tsr_text("resources/semaphore %zu", i),
		.field = field,
		.value = value,
		.allowed = allowed,
		.message = message,
	});
}

/* V14, V15, V18, V19 */
static void check_semaphore(struct tsr_check *c, size_t i, const struct tsr_semaphore_res *s)
{
	uint32_t first_free = (uint32_t)c->op->semaphores.count;

	if (unlikely(s->id < first_free))
		bad_semaphore(c, TSR_V14, i, "id", tsr_text("%u", s->id),
			      tsr_text("%u..%u", first_free, c->limits->semaphores - 1),
			      tsr_text("ids below %u belong to the operation", first_free));
	if (unlikely(s->id >= c->limits->semaphores))
		bad_semaphore(c, TSR_V15, i, "id", tsr_text("%u", s->id),
			      tsr_text("%u..%u", first_free, c->limits->semaphores - 1),
			      tsr_text("%zu semaphores are used, the device's limit is %u",
				       c->op->semaphores.count + c->res->semaphores.count,
				       c->limits->semaphores));
	if (unlikely(s->initial < 0 || s->initial > (int64_t)UINT32_MAX))
		bad_semaphore(c, TSR_V18, i, "initial", tsr_text("%lld", (long long)s->initial),
			      tsr_text("0..4294967295"),
			      tsr_text("the initial value does not fit into 32 bits"));
	if (unlikely(s->core_type != TESSERA_CORE_TYPE_WORKER))
		bad_semaphore(c, TSR_V19, i, "core_type", tsr_text("%u", s->core_type),
			      tsr_text("0 (worker)"), tsr_text("there is no such core type"));
}

static void check_semaphore_set(struct tsr_check *c, size_t i, const struct tsr_semaphore_res *s)
{
	const struct tsr_path path = { "resources/semaphore", NULL, i };

	if (!s->all)
		tsr_check_set(c, &s->cores, TSR_V17, &path);
}

/* Insert index i into the order by id; equal ids are neighbours then (V16). */
static void insert(struct tsr_check *c, size_t i)
{
	const struct tsr_semaphore_res *list = c->res->semaphores.data;
	uint32_t *order = c->plan->semaphores.data;
	size_t k = i;

	for (; k > 0 && list[order[k - 1]].id > list[i].id; k--)
		order[k] = order[k - 1];
	order[k] = (uint32_t)i;
	if (unlikely(k > 0 && list[order[k - 1]].id == list[i].id))
		bad_semaphore(c, TSR_V16, i, "id", tsr_text("%u", list[i].id),
			      tsr_text("each id once"),
			      tsr_text("semaphore %u of the resources has that id", order[k - 1]));
}

void tsr_check_semaphores(struct tsr_check *c)
{
	const struct tsr_semaphore_res *list = c->res ? c->res->semaphores.data : NULL;

	for (size_t i = 0; c->res && i < c->res->semaphores.count; i++) {
		check_semaphore(c, i, &list[i]);
		check_semaphore_set(c, i, &list[i]);
		insert(c, i);
	}
}

static void bad_tensor(struct tsr_check *c, size_t i, const char *field, char *value, char *allowed,
		       const char *message)
{
	tsr_found(c, (struct tsr_note){
		.rule = TSR_V26,
		.path = tsr_text("tensor %zu", i),
		.field = field,
		.value = value,
		.allowed = allowed,
		.message = tsr_text("%s", message),
	});
}

static void check_tensor(struct tsr_check *c, size_t i)
{
	const struct tsr_tensor *t = &c->tensors[i];
	uint64_t min = tsr_op_tensor(c->op, i)->min_size, whole, size;

	if (unlikely(!t->buffer || t->buffer->dev != c->op->dev)) {
		bad_tensor(c, i, "buffer", tsr_text(t->buffer ? "of another device" : "NULL"),
			   tsr_text("a buffer of device %s", c->op->dev->name),
			   "there is nothing to bind");
		return;
	}
	whole = t->buffer->size;
	if (unlikely(t->offset % 16 || t->offset > whole)) {
		bad_tensor(c, i, "offset", tsr_text("%llu", (unsigned long long)t->offset),
			   tsr_text("a multiple of 16, up to %llu", (unsigned long long)whole),
			   "a tensor cannot begin there");
		return;
	}
	size = t->size ? t->size : whole - t->offset;
	if (unlikely(size < min || size > whole - t->offset))
		bad_tensor(c, i, "size", tsr_text("%llu", (unsigned long long)size),
			   tsr_text("%llu..%llu", (unsigned long long)min,
				    (unsigned long long)(whole - t->offset)),
			   "the tensor is smaller than declared, or larger than its buffer");
	if (unlikely(!tsr_all_zero(t->reserved, sizeof(t->reserved))))
		bad_tensor(c, i, "reserved", tsr_text("not zero"), tsr_text("0"),
			   "reserved fields must be zero");
}

void tsr_check_tensors(struct tsr_check *c)
{
	if (unlikely(c->tensor_count != c->op->tensors.count)) {
		tsr_found(c, (struct tsr_note){
			.rule = TSR_V26,
			.path = tsr_text("tensors"),
			.field = "count",
			.value = tsr_text("%zu", c->tensor_count),
			.allowed = tsr_text("%zu", c->op->tensors.count),
			.message = tsr_text("another number of tensors than was declared"),
		});
		return;
	}
	for (size_t i = 0; i < c->tensor_count; i++)
		check_tensor(c, i);
}

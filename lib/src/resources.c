// SPDX-License-Identifier: MIT
/* Resources: a builder that copies what it is given, and judges nothing (RR-4, RR-5). */
#include <errno.h>
#include <stdlib.h>

#include "resources_int.h"

struct tsr_resources *tsr_resources_new(struct tsr_device *dev, uint64_t serial)
{
	struct tsr_resources *res = tsr_pool_get(&dev->resources);

	if (!res)
		res = calloc(1, sizeof(*res));
	if (!res)
		return NULL;
	tsr_ref_init(&res->ref);
	res->dev = tsr_device_ref(dev);
	res->serial = serial;
	return res;
}

static void reset(struct tsr_resources *res)
{
	struct tsr_semaphore_res *semaphores = res->semaphores.data;

	for (size_t i = 0; i < res->semaphores.count; i++)
		tsr_vec_free(&semaphores[i].cores.strays);
	for (size_t i = 0; i < res->entry_count; i++) {
		struct tsr_entry *entry = ((struct tsr_entry **)res->entries.data)[i];

		entry->args.count = 0;
		entry->defs.count = 0;
	}
	res->entry_count = 0;
	res->semaphores.count = 0;
	res->owners.count = 0;
	res->bad_words.count = 0;
	res->sealed = false;
	res->accepted = false;
	res->dev = NULL;
	tsr_arena_reset(&res->arena);
}

void tsr_resources_destroy(void *object)
{
	struct tsr_resources *res = object;
	struct tsr_entry **entries = res->entries.data;

	for (size_t i = 0; i < res->entries.count; i++) {
		tsr_vec_free(&entries[i]->args);
		tsr_vec_free(&entries[i]->defs);
		free(entries[i]);
	}
	tsr_vec_free(&res->entries);
	tsr_vec_free(&res->semaphores);
	tsr_vec_free(&res->owners);
	tsr_vec_free(&res->bad_words);
	tsr_arena_fini(&res->arena);
	free(res);
}

TSR_API struct tsr_resources *tsr_resources_ref(struct tsr_resources *res)
{
	tsr_ref_get(&res->ref);
	return res;
}

TSR_API struct tsr_resources *tsr_resources_unref(struct tsr_resources *res)
{
	struct tsr_device *dev;

	if (!res || !tsr_ref_put(&res->ref))
		return NULL;
	dev = res->dev;
	reset(res);
	/* In a child the pool's lock may be held for ever. */
	if (!tsr_device_check(dev))
		res = tsr_pool_put(&dev->resources, res);
	if (res)
		tsr_resources_destroy(res);
	tsr_device_unref(dev);
	return NULL;
}

TSR_API int tsr_resources_add_semaphore(struct tsr_resources *res,
					const struct tsr_semaphore *semaphore)
{
	struct tsr_semaphore_res *s;

	if (res->sealed)
		return -EPERM;
	if (!tsr_all_zero(semaphore->reserved, sizeof(semaphore->reserved)))
		return -EINVAL;
	s = tsr_vec_add(&res->semaphores, sizeof(*s), 1);
	if (!s)
		return -ENOMEM;
	s->id = semaphore->id;
	s->core_type = semaphore->core_type;
	s->initial = semaphore->initial;
	s->all = !semaphore->cores;
	s->cores.height = 0;
	s->cores.strays = (struct tsr_vec){ 0 };
	if (semaphore->cores && tsr_coreset_assign(&s->cores, semaphore->cores)) {
		res->semaphores.count--;
		return -ENOMEM;
	}
	return 0;
}

/* The next entry; one of an earlier execution is used again. */
static struct tsr_entry *next_entry(struct tsr_resources *res)
{
	struct tsr_entry **slot, *entry;

	if (res->entry_count < res->entries.count)
		return ((struct tsr_entry **)res->entries.data)[res->entry_count];
	entry = calloc(1, sizeof(*entry));
	slot = entry ? tsr_vec_add(&res->entries, sizeof(*slot), 1) : NULL;
	if (!slot) {
		free(entry);
		return NULL;
	}
	*slot = entry;
	return entry;
}

TSR_API int tsr_resources_add_entry(struct tsr_resources *res, struct tsr_selector selector,
				    struct tsr_entry **ret_entry)
{
	struct tsr_entry *entry;

	if (res->sealed)
		return -EPERM;
	entry = next_entry(res);
	if (!entry)
		return -ENOMEM;
	res->entry_count++;
	entry->res = res;
	entry->select = selector.select;
	entry->handle = selector.handle;
	entry->bound_to = 0;
	entry->common_count = 0;
	if (selector.handle) {
		entry->bound_to = atomic_load(&selector.handle->bound_to);
		if (entry->bound_to && entry->bound_to != res->serial)
			memcpy(entry->owner, selector.handle->owner, sizeof(entry->owner));
	}
	*ret_entry = entry;
	return 0;
}

/* Two words as four halves; the low ones are at LOW and LOW + 2. */
typedef uint32_t halves __attribute__((vector_size(16)));
#define LOW	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Narrow the words, four at a time; the result has all bits of all high halves. */
static uint32_t narrow(uint32_t *to, const int64_t *from, size_t n)
{
	halves a, b, low, any = { 0 };

	for (; n >= 4; n -= 4, from += 4, to += 4) {
		memcpy(&a, from, sizeof(a));
		memcpy(&b, from + 2, sizeof(b));
		any |= a | b;
		low = __builtin_shufflevector(a, b, LOW, LOW + 2, LOW + 4, LOW + 6);
		memcpy(to, &low, sizeof(low));
	}
	for (; n; n--, from++, to++) {
		*to = (uint32_t)*from;
		any[!LOW] |= (uint32_t)((uint64_t)*from >> 32);
	}
	return any[!LOW] | any[!LOW + 2];
}

static int note_bad_words(struct tsr_resources *res, const uint32_t *words, const int64_t *from,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct tsr_bad_word *bad;

		if (from[i] >= INT32_MIN && from[i] <= (int64_t)UINT32_MAX)
			continue;
		bad = tsr_vec_add(&res->bad_words, sizeof(*bad), 1);
		if (!bad)
			return -ENOMEM;
		*bad = (struct tsr_bad_word){ words, i, from[i] };
	}
	return 0;
}

/* A copy of the words as the device will see them. */
static int copy_words(struct tsr_resources *res, const int64_t *from, size_t count,
		      const uint32_t **ret_words)
{
	uint32_t *words;

	if (count > UINT32_MAX / sizeof(*words))
		return -ENOMEM;
	words = tsr_arena_get(&res->arena, count * sizeof(*words));
	if (!words)
		return -ENOMEM;
	*ret_words = words;
	return narrow(words, from, count) ? note_bad_words(res, words, from, count) : 0;
}

TSR_API int tsr_entry_add_words(struct tsr_entry *entry, uint16_t x, uint16_t y,
				const int64_t *words, size_t count)
{
	struct tsr_resources *res = entry->res;
	struct tsr_arg *arg;
	int err;

	if (res->sealed)
		return -EPERM;
	arg = tsr_vec_add(&entry->args, sizeof(*arg), 1);
	if (!arg)
		return -ENOMEM;
	arg->x = x;
	arg->y = y;
	arg->count = (uint32_t)count;
	err = copy_words(res, words, count, &arg->words);
	if (err)
		entry->args.count--;
	return err;
}

TSR_API int tsr_entry_set_common(struct tsr_entry *entry, const int64_t *words, size_t count)
{
	int err;

	if (entry->res->sealed)
		return -EPERM;
	err = copy_words(entry->res, words, count, &entry->common);
	if (!err)
		entry->common_count = (uint32_t)count;
	return err;
}

TSR_API int tsr_entry_add_definition(struct tsr_entry *entry, const struct tsr_definition *d)
{
	struct tsr_arena *arena = &entry->res->arena;
	const char *name = d->name ? d->name : "";
	size_t name_size = d->name && d->name_size ? d->name_size : strlen(name);
	size_t value_size = d->value && !d->value_size ? strlen(d->value) : d->value_size;
	struct tsr_def *def;

	if (entry->res->sealed)
		return -EPERM;
	if (name_size > INT32_MAX || value_size > INT32_MAX)
		return -ENOMEM;
	def = tsr_vec_add(&entry->defs, sizeof(*def), 1);
	if (!def)
		return -ENOMEM;
	def->name = tsr_arena_copy(arena, name, name_size);
	def->value = d->value ? tsr_arena_copy(arena, d->value, value_size) : NULL;
	def->name_size = (uint32_t)name_size;
	def->value_size = d->value ? (uint32_t)value_size : 0;
	if (def->name && (def->value || !d->value))
		return 0;
	entry->defs.count--;
	return -ENOMEM;
}

TSR_API int tsr_entry_define(struct tsr_entry *entry, const char *name, const char *value)
{
	struct tsr_definition d = { .name = name, .value = value };

	return tsr_entry_add_definition(entry, &d);
}

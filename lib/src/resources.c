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
	res->sealed = false;
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
	/* Until it is somebody's: an entry that a factory has kept cannot be written (RR-5). */
	res->sealed = true;
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
	entry->common = NULL;
	entry->common_count = 0;
	if (selector.handle) {
		entry->bound_to = atomic_load(&selector.handle->bound_to);
		if (entry->bound_to && entry->bound_to != res->serial)
			memcpy(entry->owner, selector.handle->owner, sizeof(entry->owner));
	}
	*ret_entry = entry;
	return 0;
}

/* Two words as four halves, wherever they lie; the low ones are at LOW and LOW + 2. */
typedef uint32_t halves __attribute__((vector_size(16), aligned(4), may_alias));
#define LOW	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline halves low_halves(halves a, halves b)
{
	return __builtin_shufflevector(a, b, LOW, LOW + 2, LOW + 4, LOW + 6);
}

/* Narrow the words, eight at a time; the result has all bits of all high halves. */
static inline uint32_t narrow(uint32_t *to, const int64_t *from, size_t n)
{
	size_t whole = n & ~(size_t)7, i = 0;
	halves any = { 0 };
	uint32_t rest = 0;

	for (; i != whole; i += 8) {
		const halves *in = (const halves *)(from + i);
		halves a = in[0], b = in[1], c = in[2], d = in[3];

		any |= a;
		any |= b;
		any |= c;
		any |= d;
		*(halves *)(to + i) = low_halves(a, b);
		*(halves *)(to + i + 4) = low_halves(c, d);
	}
	for (i = whole; i != n; i++) {
		to[i] = (uint32_t)from[i];
		rest |= (uint32_t)((uint64_t)from[i] >> 32);
	}
	return any[!LOW] | any[!LOW + 2] | rest;
}

static TSR_SLOW int note_bad_words(struct tsr_resources *res, const uint32_t *words,
				   const int64_t *from, size_t n)
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

#define MAX_WORDS	(UINT32_MAX / sizeof(uint32_t) - 1)

/* Either there is room for the words of so many cores now, or -ENOMEM. */
static TSR_SLOW int make_room(struct tsr_entry *entry, size_t core_count, size_t count)
{
	size_t size;

	if (count > MAX_WORDS || __builtin_mul_overflow(core_count, count * sizeof(uint32_t), &size))
		return -ENOMEM;
	if (!tsr_arena_reserve(&entry->res->arena, size))
		return -ENOMEM;
	if (core_count <= entry->args.room - entry->args.count)
		return 0;
	return tsr_vec_grow(&entry->args, sizeof(struct tsr_arg), core_count);
}

/*
 * The words of the last so many cores do not all fit into 32 bits: that is found later, or -ENOMEM
 * now, and then they were not added.
 */
static TSR_SLOW int keep_bad_words(struct tsr_entry *entry, size_t core_count, const int64_t *from)
{
	struct tsr_vec *args = &entry->args, *bad_words = &entry->res->bad_words;
	const struct tsr_arg *arg = (struct tsr_arg *)args->data + args->count - core_count;
	size_t noted = bad_words->count;

	for (size_t i = 0; i < core_count; i++, from += arg->count, arg++) {
		if (!note_bad_words(entry->res, arg->words, from, arg->count))
			continue;
		args->count -= core_count;
		bad_words->count = noted;
		return -ENOMEM;
	}
	return 0;
}

static TSR_SLOW int add_one_with_room(struct tsr_entry *entry, uint16_t x, uint16_t y,
				      const int64_t *words, size_t count)
{
	int err = make_room(entry, 1, count);

	return err ? err : tsr_entry_add_words(entry, x, y, words, count);
}

TSR_API int tsr_entry_add_words(struct tsr_entry *entry, uint16_t x, uint16_t y,
				const int64_t *words, size_t count)
{
	struct tsr_resources *res = entry->res;
	struct tsr_vec *args = &entry->args;
	struct tsr_arg *arg;
	uint32_t *copy;

	if (unlikely(res->sealed))
		return -EPERM;
	if (unlikely(args->count == args->room || count > MAX_WORDS ||
		     count * sizeof(*copy) > tsr_arena_left(&res->arena)))
		return add_one_with_room(entry, x, y, words, count);
	copy = tsr_arena_take(&res->arena, count * sizeof(*copy));
	arg = (struct tsr_arg *)args->data + args->count++;
	*arg = (struct tsr_arg){ x, y, (uint32_t)count, copy };
	if (likely(!narrow(copy, words, count)))
		return 0;
	return keep_bad_words(entry, 1, words);
}

static TSR_SLOW int add_many_with_room(struct tsr_entry *entry, const struct tsr_core *cores,
				       size_t core_count, const int64_t *words, size_t count)
{
	int err = make_room(entry, core_count, count);

	return err ? err : tsr_entry_add_words_many(entry, cores, core_count, words, count);
}

/* One behind the other without gaps, so that all are narrowed in one go. */
TSR_API int tsr_entry_add_words_many(struct tsr_entry *entry, const struct tsr_core *cores,
				     size_t core_count, const int64_t *words, size_t count)
{
	struct tsr_resources *res = entry->res;
	struct tsr_vec *args = &entry->args;
	struct tsr_arg *arg;
	uint32_t *copy, *next;
	size_t total;

	if (unlikely(res->sealed))
		return -EPERM;
	if (unlikely(!core_count))
		return 0;
	if (unlikely(core_count > args->room - args->count || count > MAX_WORDS ||
		     __builtin_mul_overflow(core_count, count, &total) ||
		     total > tsr_arena_left(&res->arena) / sizeof(*copy)))
		return add_many_with_room(entry, cores, core_count, words, count);
	copy = next = tsr_arena_take(&res->arena, total * sizeof(*copy));
	arg = (struct tsr_arg *)args->data + args->count;
	args->count += core_count;
	for (const struct tsr_arg *end = arg + core_count; arg != end; arg++, cores++) {
		*arg = (struct tsr_arg){ cores->x, cores->y, (uint32_t)count, next };
		next += count;
	}
	if (likely(!narrow(copy, words, total)))
		return 0;
	return keep_bad_words(entry, core_count, words);
}

TSR_API int tsr_entry_set_common(struct tsr_entry *entry, const int64_t *words, size_t count)
{
	struct tsr_resources *res = entry->res;
	uint32_t *copy = NULL;
	int err = 0;

	if (res->sealed)
		return -EPERM;
	if (count)
		copy = count > MAX_WORDS ? NULL : tsr_arena_get(&res->arena, count * sizeof(*copy));
	if (count && !copy)
		return -ENOMEM;
	if (narrow(copy, words, count))
		err = note_bad_words(res, copy, words, count);
	if (err)
		return err;
	entry->common = copy;
	entry->common_count = (uint32_t)count;
	return 0;
}

static size_t text_size(const char *text, size_t size)
{
	if (!text)
		return 0;
	return size ? size : strlen(text);
}

static char *put_text(char *to, const char *text, size_t size)
{
	memcpy(to, text, size);
	to[size] = '\0';
	return to;
}

TSR_API int tsr_entry_add_definition(struct tsr_entry *entry, const struct tsr_definition *d)
{
	size_t name_size = text_size(d->name, d->name_size);
	size_t value_size = text_size(d->value, d->value_size);
	struct tsr_def *def;
	char *texts;

	if (entry->res->sealed)
		return -EPERM;
	if (name_size > INT32_MAX || value_size > INT32_MAX)
		return -ENOMEM;
	texts = tsr_arena_get(&entry->res->arena, name_size + value_size + 2);
	def = texts ? tsr_vec_add(&entry->defs, sizeof(*def), 1) : NULL;
	if (!def)
		return -ENOMEM;
	def->name = put_text(texts, d->name ? d->name : "", name_size);
	def->name_size = (uint32_t)name_size;
	def->value = d->value ? put_text(texts + name_size + 1, d->value, value_size) : NULL;
	def->value_size = (uint32_t)value_size;
	return 0;
}

TSR_API int tsr_entry_define(struct tsr_entry *entry, const char *name, const char *value)
{
	struct tsr_definition d = { .name = name, .value = value };

	return tsr_entry_add_definition(entry, &d);
}

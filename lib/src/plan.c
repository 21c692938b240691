// SPDX-License-Identifier: MIT
/* Making a plan: words go to descriptors, structure goes into canonical bytes (FP-1). */
#include <errno.h>
#include <stdlib.h>

#include "plan.h"

/* A table of @n elements of @size bytes; what it held before does not matter. */
static void *table(struct tsr_vec *vec, size_t size, size_t n)
{
	vec->count = 0;
	return tsr_vec_add(vec, size, n ? n : 1);
}

int tsr_plan_begin(struct tsr_plan *plan, const struct tsr_shape *shape,
		   const struct tsr_resources *res)
{
	const struct tsr_operation *op = shape->op;
	size_t rows = op->kernels.count * shape->places;

	plan->shape = shape;
	plan->res = res;
	plan->bytes.bytes.count = 0;
	plan->bytes.err = 0;
	plan->runs.count = 0;
	plan->words = 0;
	if (!table(&plan->kernels, sizeof(struct tsr_plan_kernel), op->kernels.count) ||
	    !table(&plan->arg_of, sizeof(uint32_t), rows) ||
	    !table(&plan->descriptors, sizeof(struct tsr_plan_descriptor),
		   op->descriptors.count) ||
	    !table(&plan->semaphores, sizeof(uint32_t), res ? res->semaphores.count : 0))
		return -ENOMEM;
	for (size_t i = 0; i < op->kernels.count; i++)
		tsr_plan_kernel(plan, i)->entry = -1;
	return 0;
}

void tsr_plan_fini(struct tsr_plan *plan)
{
	tsr_vec_free(&plan->bytes.bytes);
	tsr_vec_free(&plan->kernels);
	tsr_vec_free(&plan->arg_of);
	tsr_vec_free(&plan->semaphores);
	tsr_vec_free(&plan->runs);
	tsr_vec_free(&plan->descriptors);
}

static uint8_t *put_bytes(uint8_t *to, const char *text, uint32_t size)
{
	to = tsr_store32(to, size);
	memcpy(to, text, size);
	return to + size;
}

/* Base definitions and those of the entry, by name; the entry's one counts where both have it. */
static void write_merged(struct tsr_writer *w, const struct tsr_shape_descriptor *d,
			 const struct tsr_entry *entry, const size_t *by_name)
{
	const struct tsr_def *own = entry->defs.data;
	size_t size = d->end - d->defs_start, b = 0, o = 0;
	uint32_t count = 0;
	uint8_t *start, *to;

	for (size_t i = 0; i < entry->defs.count; i++)
		size += 8 + (size_t)own[i].name_size + own[i].value_size;
	start = tsr_write_room(w, size);
	if (!start)
		return;
	to = start + 4;
	for (; b < d->def_count || o < entry->defs.count; count++) {
		const struct tsr_def *def;
		int order;

		if (b == d->def_count)
			order = 1;
		else if (o == entry->defs.count)
			order = -1;
		else
			order = strcmp(d->defs[b]->name, own[by_name[o]].name);
		def = order < 0 ? d->defs[b] : &own[by_name[o]];
		b += order <= 0;
		o += order >= 0;
		to = put_bytes(to, def->name, def->name_size);
		to = put_bytes(to, def->value, def->value_size);
	}
	tsr_store32(start, count);
	/* A name that both have took less room than was asked for. */
	w->bytes.count -= size - (size_t)(to - start);
}

static void write_defs(struct tsr_writer *w, const struct tsr_shape_descriptor *d,
		       const struct tsr_entry *entry)
{
	const struct tsr_def *own = entry->defs.data;
	size_t few[16], n = entry->defs.count;
	size_t *by_name = n <= ARRAY_SIZE(few) ? few : calloc(n, sizeof(*by_name));

	if (!by_name) {
		w->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		size_t k = i;

		for (; k > 0 && strcmp(own[by_name[k - 1]].name, own[i].name) > 0; k--)
			by_name[k] = by_name[k - 1];
		by_name[k] = i;
	}
	write_merged(w, d, entry, by_name);
	if (by_name != few)
		free(by_name);
}

/* How many cores from @i on, which has words, make a run; and whether the words are scattered. */
static uint32_t run_length(const struct tsr_plan_descriptor *p,
			   const struct tsr_shape_descriptor *d, uint32_t i, uint32_t own,
			   bool *ret_scattered)
{
	const struct tsr_arg *arg = tsr_plan_arg(p, d, i);
	const uint32_t *next = arg->words;
	uint32_t n = 0;

	*ret_scattered = false;
	for (; arg && arg->count == own; arg = tsr_plan_arg(p, d, i + n)) {
		*ret_scattered |= arg->words != next;
		next = arg->words + own;
		if (i + ++n == d->count)
			break;
	}
	return n;
}

/* The same where the words are in the order of the cores, as they mostly are. */
static uint32_t listed_run_length(const struct tsr_plan_descriptor *p, uint32_t i, uint32_t own,
				  bool *ret_scattered)
{
	const struct tsr_arg *first = p->args + i, *end = p->args + p->arg_count, *arg = first;
	const uint32_t *next = first->words;
	bool scattered = false;

	for (; arg < end && arg->count == own; arg++, next += own)
		if (unlikely(arg->words != next)) {
			scattered = true;
			next = arg->words;
		}
	*ret_scattered = scattered;
	return (uint32_t)(arg - first);
}

/* Cores from @i on that have no words of their own. */
static uint32_t empty_run_length(const struct tsr_plan_descriptor *p,
				 const struct tsr_shape_descriptor *d, uint32_t i)
{
	uint32_t n = 0;

	for (; i + n < d->count; n++) {
		const struct tsr_arg *arg = tsr_plan_arg(p, d, i + n);

		if (arg && arg->count)
			break;
	}
	return n;
}

/* The words of the descriptor's cores, row-major: neighbours with equally many make a run. */
static int take_runs(struct tsr_plan *plan, const struct tsr_shape_descriptor *d,
		     struct tsr_plan_descriptor *p)
{
	for (uint32_t i = 0; i < d->count;) {
		struct tsr_plan_run *run = tsr_vec_add(&plan->runs, sizeof(*run), 1);
		const struct tsr_arg *arg = tsr_plan_arg(p, d, i);
		uint32_t own = arg ? arg->count : 0;
		bool scattered = true;

		if (!run)
			return -ENOMEM;
		run->first = i;
		run->own = own;
		if (!own)
			run->count = empty_run_length(p, d, i);
		else if (likely(!p->arg_of))
			run->count = listed_run_length(p, i, own, &scattered);
		else
			run->count = run_length(p, d, i, own, &scattered);
		run->words = scattered ? NULL : arg->words;
		i += run->count;
	}
	p->run_count = (uint32_t)plan->runs.count - p->run_first;
	return 0;
}

/* How many words each core gets, and how many a dispatch blob brings. */
static int write_runs(struct tsr_plan *plan, const struct tsr_plan_descriptor *p,
		      uint32_t appended)
{
	const struct tsr_plan_run *runs = tsr_plan_runs(plan, p);
	uint8_t *to = tsr_write_room(&plan->bytes, 8 + 8 * (size_t)p->run_count);
	uint64_t words = (uint64_t)plan->words + p->common_count;

	if (!to)
		return -ENOMEM;
	to = tsr_store32(to, p->common_count);
	to = tsr_store32(to, p->run_count);
	for (uint32_t i = 0; i < p->run_count; i++) {
		to = tsr_store32(to, runs[i].count);
		to = tsr_store32(to, runs[i].own + appended);
		words += (uint64_t)runs[i].count * (runs[i].own + appended);
	}
	plan->words = (uint32_t)words;
	return words > UINT32_MAX ? -E2BIG : 0;
}

static int make_descriptor(struct tsr_plan *plan, size_t i)
{
	const struct tsr_shape_descriptor *d = &plan->shape->descriptors[i];
	struct tsr_plan_descriptor *p = (struct tsr_plan_descriptor *)plan->descriptors.data + i;
	const uint8_t *fixed = plan->shape->bytes.bytes.data;
	const struct tsr_plan_kernel *k = tsr_plan_kernel(plan, d->kernel);
	const struct tsr_entry *entry = k->entry < 0 ? NULL :
					tsr_res_entry(plan->res, (size_t)k->entry);
	bool own_defs = entry && entry->defs.count;
	int err;

	p->common = entry ? entry->common : NULL;
	p->common_count = entry ? entry->common_count : 0;
	p->args = entry ? entry->args.data : NULL;
	p->arg_count = entry ? (uint32_t)entry->args.count : 0;
	p->arg_of = entry && !k->as_listed ? tsr_plan_arg_of(plan, d->kernel) : NULL;
	p->run_first = (uint32_t)plan->runs.count;
	p->key_start = plan->bytes.bytes.count + (d->identity - d->start);
	tsr_write_raw(&plan->bytes, fixed + d->start, (own_defs ? d->defs_start : d->end) -
		      d->start);
	if (own_defs)
		write_defs(&plan->bytes, d, entry);
	p->key_end = plan->bytes.bytes.count;
	err = take_runs(plan, d, p);
	if (err)
		return err;
	return write_runs(plan, p, tsr_op_kernel(plan->shape->op, d->kernel)->appended_count);
}

static void write_semaphore(struct tsr_plan *plan, const struct tsr_semaphore_res *s)
{
	const struct tsr_shape *shape = plan->shape;
	const uint8_t *fixed = shape->bytes.bytes.data;
	size_t all = s->all ? shape->cores_end - shape->cores_start : 0;
	uint8_t *to = tsr_write_room(&plan->bytes, 12 + all);

	if (!to)
		return;
	to = tsr_store32(to, s->id);
	to = tsr_store32(to, (uint32_t)s->initial);
	to = tsr_store32(to, s->core_type);
	if (s->all)
		memcpy(to, fixed + shape->cores_start, all);
	else
		tsr_write_cores(&plan->bytes, &s->cores);
}

static void write_semaphores(struct tsr_plan *plan)
{
	const struct tsr_semaphore_res *list = plan->res ? plan->res->semaphores.data : NULL;
	const uint32_t *order = plan->semaphores.data;
	uint32_t n = plan->res ? (uint32_t)plan->res->semaphores.count : 0;
	uint8_t *to = tsr_write_room(&plan->bytes, 8);

	if (!to)
		return;
	/* No resources, and empty ones, are two structures (FP-3). */
	to = tsr_store32(to, plan->res != NULL);
	tsr_store32(to, n);
	for (uint32_t i = 0; i < n; i++)
		write_semaphore(plan, &list[order[i]]);
}

int tsr_plan_make(struct tsr_plan *plan)
{
	int err = 0;

	tsr_write_raw(&plan->bytes, plan->shape->bytes.bytes.data, plan->shape->prefix);
	for (size_t i = 0; !err && i < plan->shape->op->descriptors.count; i++)
		err = make_descriptor(plan, i);
	if (err)
		return err;
	write_semaphores(plan);
	return plan->bytes.err;
}

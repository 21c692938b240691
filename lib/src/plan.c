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
	plan->args.count = 0;
	plan->words = 0;
	if (!table(&plan->entry_of, sizeof(int32_t), op->kernels.count) ||
	    !table(&plan->arg_of, sizeof(uint32_t), rows) ||
	    !table(&plan->descriptors, sizeof(struct tsr_plan_descriptor),
		   op->descriptors.count) ||
	    !table(&plan->semaphores, sizeof(uint32_t), res ? res->semaphores.count : 0))
		return -ENOMEM;
	memset(plan->entry_of.data, 0xff, op->kernels.count * sizeof(int32_t));
	memset(plan->arg_of.data, 0, rows * sizeof(uint32_t));
	return 0;
}

void tsr_plan_fini(struct tsr_plan *plan)
{
	tsr_vec_free(&plan->bytes.bytes);
	tsr_vec_free(&plan->entry_of);
	tsr_vec_free(&plan->arg_of);
	tsr_vec_free(&plan->semaphores);
	tsr_vec_free(&plan->args);
	tsr_vec_free(&plan->descriptors);
}

/* Base definitions and those of the entry, by name; the entry's one counts where both have it. */
static void write_merged(struct tsr_writer *w, const struct tsr_shape_descriptor *d,
			 const struct tsr_entry *entry, size_t *by_name)
{
	const struct tsr_def *own = entry->defs.data;
	size_t count_at = w->bytes.count, b = 0, o = 0;
	uint32_t count = 0;

	tsr_write32(w, 0);
	while (b < d->def_count || o < entry->defs.count) {
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
		tsr_write_bytes(w, def->name, def->name_size);
		tsr_write_bytes(w, def->value, def->value_size);
		count++;
	}
	if (!w->err)
		tsr_store32((uint8_t *)w->bytes.data + count_at, count);
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

/* The words of the descriptor's cores, row-major; a core without words has no record. */
static int take_args(struct tsr_plan *plan, const struct tsr_shape_descriptor *d,
		     struct tsr_plan_descriptor *p, const struct tsr_entry *entry)
{
	const struct tessera_limits *limits = &plan->shape->op->dev->limits;
	uint32_t appended = tsr_op_kernel(plan->shape->op, d->kernel)->appended_count;
	const uint32_t *arg_of = tsr_plan_arg_of(plan, d->kernel);
	const struct tsr_arg *args = entry ? entry->args.data : NULL;
	struct tsr_plan_arg *to = tsr_vec_add(&plan->args, sizeof(*to), d->count);
	uint32_t n = 0, words = 0;

	if (!to && d->count)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->count; i++) {
		uint32_t index = arg_of[tsr_place(limits, d->list[i].x, d->list[i].y)];
		uint32_t own = index ? args[index - 1].count : 0;

		if (!(own + appended))
			continue;
		to[n].core = d->list[i];
		to[n].count = own + appended;
		to[n].own = own;
		to[n].words = index ? args[index - 1].words : NULL;
		words += own + appended;
		n++;
	}
	plan->args.count -= d->count - n;
	p->arg_count = n;
	if (__builtin_add_overflow(plan->words, words, &plan->words))
		return -E2BIG;
	return 0;
}

static void write_args(struct tsr_plan *plan, const struct tsr_plan_descriptor *p)
{
	const struct tsr_plan_arg *args = (struct tsr_plan_arg *)plan->args.data + p->arg_first;
	uint8_t *to = tsr_write_room(&plan->bytes, 8 + 8 * (size_t)p->arg_count);

	if (!to)
		return;
	to = tsr_store32(to, p->common_count);
	to = tsr_store32(to, p->arg_count);
	for (uint32_t i = 0; i < p->arg_count; i++) {
		to = tsr_store32(to, args[i].core.x | (uint32_t)args[i].core.y << 16);
		to = tsr_store32(to, args[i].count);
	}
}

static int make_descriptor(struct tsr_plan *plan, size_t i)
{
	const struct tsr_shape_descriptor *d = &plan->shape->descriptors[i];
	struct tsr_plan_descriptor *p = (struct tsr_plan_descriptor *)plan->descriptors.data + i;
	const uint8_t *fixed = plan->shape->bytes.bytes.data;
	int32_t index = tsr_plan_entry_of(plan)[d->kernel];
	const struct tsr_entry *entry = index < 0 ? NULL :
					tsr_res_entry(plan->res, (size_t)index);
	bool own_defs = entry && entry->defs.count;
	int err;

	p->common = entry ? entry->common : NULL;
	p->common_count = entry ? entry->common_count : 0;
	p->arg_first = (uint32_t)plan->args.count;
	p->key_start = plan->bytes.bytes.count + (d->identity - d->start);
	tsr_write_raw(&plan->bytes, fixed + d->start, (own_defs ? d->defs_start : d->end) -
		      d->start);
	if (own_defs)
		write_defs(&plan->bytes, d, entry);
	p->key_end = plan->bytes.bytes.count;
	err = take_args(plan, d, p, entry);
	if (err || __builtin_add_overflow(plan->words, p->common_count, &plan->words))
		return err ? err : -E2BIG;
	write_args(plan, p);
	return 0;
}

static void write_semaphores(struct tsr_plan *plan)
{
	const struct tsr_semaphore_res *list = plan->res ? plan->res->semaphores.data : NULL;
	size_t n = plan->res ? plan->res->semaphores.count : 0;
	const uint8_t *fixed = plan->shape->bytes.bytes.data;
	struct tsr_writer *w = &plan->bytes;

	/* No resources, and empty ones, are two structures (FP-3). */
	tsr_write32(w, plan->res != NULL);
	tsr_write32(w, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		const struct tsr_semaphore_res *s =
			&list[((const uint32_t *)plan->semaphores.data)[i]];

		tsr_write32(w, s->id);
		tsr_write32(w, (uint32_t)s->initial);
		tsr_write32(w, s->core_type);
		if (s->all)
			tsr_write_raw(w, fixed + plan->shape->cores_start,
				      plan->shape->cores_end - plan->shape->cores_start);
		else
			tsr_write_cores(w, &s->cores);
	}
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

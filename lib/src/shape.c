// SPDX-License-Identifier: MIT
/* Working out the shape of an operation when it is frozen. */
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "shape.h"

void tsr_shape_free(struct tsr_shape *shape)
{
	if (!shape)
		return;
	for (size_t i = 0; shape->kernels && i < shape->op->kernels.count; i++)
		free(shape->kernels[i].descriptor_of);
	for (size_t i = 0; shape->descriptors && i < shape->op->descriptors.count; i++) {
		free(shape->descriptors[i].list);
		free(shape->descriptors[i].places);
		free(shape->descriptors[i].defs);
	}
	free(shape->kernels);
	free(shape->descriptors);
	free(shape->cbs);
	free(shape->semaphores);
	free(shape->rank);
	tsr_vec_free(&shape->bytes.bytes);
	free(shape);
}

/* Arrays for everything; one element more than needed, so that none is empty. */
static int allocate(struct tsr_shape *shape)
{
	const struct tsr_operation *op = shape->op;

	shape->rank = calloc(shape->places, sizeof(*shape->rank));
	shape->kernels = calloc(op->kernels.count + 1, sizeof(*shape->kernels));
	shape->descriptors = calloc(op->descriptors.count + 1, sizeof(*shape->descriptors));
	shape->cbs = calloc(op->cbs.count + 1, sizeof(*shape->cbs));
	shape->semaphores = calloc(op->semaphores.count + 1, sizeof(*shape->semaphores));
	if (!shape->rank || !shape->kernels || !shape->descriptors || !shape->cbs ||
	    !shape->semaphores)
		return -ENOMEM;
	for (size_t i = 0; i < op->kernels.count; i++) {
		shape->kernels[i].descriptor_of = calloc(shape->places, sizeof(uint16_t));
		if (!shape->kernels[i].descriptor_of)
			return -ENOMEM;
	}
	return 0;
}

/* The cores of a set that are inside the grid, row-major. */
static int list_cores(const struct tsr_shape *shape, const struct tsr_coreset *set,
		      struct tsr_core **ret_list, uint32_t *ret_count)
{
	const struct tessera_limits *limits = &shape->op->dev->limits;
	size_t n = tsr_coreset_count(set), kept = 0;
	struct tsr_core *list = calloc(n + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	tsr_coreset_cores(set, list, n);
	for (size_t i = 0; i < n; i++)
		if (list[i].x < limits->grid_width && list[i].y < limits->grid_height)
			list[kept++] = list[i];
	*ret_list = list;
	*ret_count = (uint32_t)kept;
	return 0;
}

static int number_cores(struct tsr_shape *shape)
{
	struct tsr_core *list;
	int err = list_cores(shape, shape->op->cores, &list, &shape->core_count);

	if (err)
		return err;
	for (uint32_t i = 0; i < shape->core_count; i++) {
		uint32_t place = tsr_place(&shape->op->dev->limits, list[i].x, list[i].y);

		shape->bits[place / 64] |= UINT64_C(1) << (place % 64);
		shape->rank[place] = (uint16_t)i;
	}
	free(list);
	return 0;
}

/* By kind, name, first core: descriptors of one kernel are disjoint, or refused (V20). */
static int compare_descriptors(const struct tsr_operation *op,
			       const struct tsr_descriptor_decl *a,
			       const struct tsr_descriptor_decl *b)
{
	const struct tsr_kernel_decl *ka = tsr_op_kernel(op, a->kernel);
	const struct tsr_kernel_decl *kb = tsr_op_kernel(op, b->kernel);
	struct tsr_core ca = { 0 }, cb = { 0 };
	int names = strcmp(ka->name, kb->name);

	if (ka->kind != kb->kind)
		return ka->kind < kb->kind ? -1 : 1;
	if (names)
		return names;
	tsr_coreset_first(tsr_op_set(op, a->cores), &ca);
	tsr_coreset_first(tsr_op_set(op, b->cores), &cb);
	if (ca.y != cb.y)
		return ca.y < cb.y ? -1 : 1;
	return (ca.x > cb.x) - (ca.x < cb.x);
}

/* The later definition of a name counts, as for a compiler; sorted by name. */
static void put_def(struct tsr_shape_descriptor *d, const struct tsr_def *def)
{
	uint32_t i = d->def_count;
	int order = 1;

	while (i > 0 && (order = strcmp(d->defs[i - 1]->name, def->name)) > 0)
		i--;
	if (i > 0 && !order) {
		d->defs[i - 1] = def;
		return;
	}
	memmove(&d->defs[i + 1], &d->defs[i], (d->def_count - i) * sizeof(d->defs[0]));
	d->defs[i] = def;
	d->def_count++;
}

static int fill_places(struct tsr_shape *shape, struct tsr_shape_descriptor *d)
{
	const struct tessera_limits *limits = &shape->op->dev->limits;

	d->places = calloc(d->count + 1, sizeof(d->places[0]));
	if (!d->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->count; i++)
		d->places[i] = (uint16_t)tsr_place(limits, d->list[i].x, d->list[i].y);
	return 0;
}

static int fill_descriptor(struct tsr_shape *shape, struct tsr_shape_descriptor *d,
			   const struct tsr_descriptor_decl *decl)
{
	const struct tsr_kernel_decl *kernel = tsr_op_kernel(shape->op, decl->kernel);
	const struct tsr_defs *own[] = { &kernel->defs, &decl->defs };
	int err;

	d->kernel = decl->kernel;
	d->cores = tsr_op_set(shape->op, decl->cores);
	d->defs = calloc(own[0]->list.count + own[1]->list.count + 1, sizeof(d->defs[0]));
	if (!d->defs)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		for (size_t k = 0; k < own[i]->list.count; k++)
			put_def(d, (const struct tsr_def *)own[i]->list.data + k);
	err = list_cores(shape, d->cores, &d->list, &d->count);
	return err ? err : fill_places(shape, d);
}

static int order_descriptors(struct tsr_shape *shape)
{
	const struct tsr_operation *op = shape->op;
	size_t n = op->descriptors.count;
	uint32_t *order = calloc(n + 1, sizeof(*order));
	int err = order ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++) {
		size_t k = i;

		for (; k > 0 && compare_descriptors(op, tsr_op_descriptor(op, order[k - 1]),
						    tsr_op_descriptor(op, i)) > 0; k--)
			order[k] = order[k - 1];
		order[k] = (uint32_t)i;
	}
	for (size_t i = 0; !err && i < n; i++)
		err = fill_descriptor(shape, &shape->descriptors[i],
				      tsr_op_descriptor(op, order[i]));
	free(order);
	return err;
}

/* Which descriptor of a kernel has a core; the first where they overlap, which is refused. */
static void map_descriptors(struct tsr_shape *shape)
{
	for (size_t i = 0; i < shape->op->descriptors.count; i++) {
		const struct tsr_shape_descriptor *d = &shape->descriptors[i];
		struct tsr_shape_kernel *kernel = &shape->kernels[d->kernel];

		kernel->descriptors++;
		kernel->last = d;
		for (uint32_t c = 0; c < d->count; c++) {
			if (!kernel->descriptor_of[d->places[c]])
				kernel->descriptor_of[d->places[c]] = (uint16_t)(i + 1);
			tsr_coreset_add(&kernel->cores, d->list[c].x, d->list[c].y);
		}
	}
}

static int compare_cbs(const struct tsr_operation *op, const struct tsr_cb_decl *a,
		       const struct tsr_cb_decl *b)
{
	struct tsr_core ca = { 0 }, cb = { 0 };

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	tsr_coreset_first(tsr_op_set(op, a->cores), &ca);
	tsr_coreset_first(tsr_op_set(op, b->cores), &cb);
	if (ca.y != cb.y)
		return ca.y < cb.y ? -1 : 1;
	return (ca.x > cb.x) - (ca.x < cb.x);
}

static void order_rest(struct tsr_shape *shape)
{
	const struct tsr_operation *op = shape->op;
	size_t k;

	for (size_t i = 0; i < op->cbs.count; i++) {
		for (k = i; k > 0 && compare_cbs(op, shape->cbs[k - 1].decl, tsr_op_cb(op, i)) > 0;
		     k--)
			shape->cbs[k] = shape->cbs[k - 1];
		shape->cbs[k].decl = tsr_op_cb(op, i);
	}
	for (size_t i = 0; i < op->semaphores.count; i++) {
		const struct tsr_semaphore_decl *s = tsr_op_semaphore(op, i);

		for (k = i; k > 0 && shape->semaphores[k - 1]->id > s->id; k--)
			shape->semaphores[k] = shape->semaphores[k - 1];
		shape->semaphores[k] = s;
	}
	shape->dense = true;
	for (size_t i = 0; i < op->semaphores.count; i++)
		shape->dense &= shape->semaphores[i]->id == i;
}

/*
 * Circular buffers stand above each other in canonical order, each at the lowest address that is
 * free on all of its cores.
 */
static int place_cbs(struct tsr_shape *shape)
{
	const struct tessera_limits *limits = &shape->op->dev->limits;
	uint64_t *top = calloc(shape->places, sizeof(*top));

	if (!top)
		return -ENOMEM;
	for (size_t i = 0; i < shape->op->cbs.count; i++) {
		struct tsr_shape_cb *cb = &shape->cbs[i];
		uint64_t size = (uint64_t)cb->decl->page_size * cb->decl->page_count;
		struct tsr_core *list;
		uint32_t n;
		int err = list_cores(shape, tsr_op_set(shape->op, cb->decl->cores), &list, &n);

		if (err) {
			free(top);
			return err;
		}
		cb->address = limits->cb_base;
		for (uint32_t c = 0; c < n; c++)
			if (top[tsr_place(limits, list[c].x, list[c].y)] > cb->address)
				cb->address = top[tsr_place(limits, list[c].x, list[c].y)];
		for (uint32_t c = 0; c < n; c++)
			top[tsr_place(limits, list[c].x, list[c].y)] =
				cb->address + ((size + 15) & ~UINT64_C(15));
		free(list);
	}
	free(top);
	return 0;
}

static int shape_fill(struct tsr_shape *shape)
{
	int err = allocate(shape);

	if (err)
		return err;
	order_rest(shape);
	err = number_cores(shape);
	if (!err)
		err = order_descriptors(shape);
	if (!err)
		err = place_cbs(shape);
	if (err)
		return err;
	map_descriptors(shape);
	err = tsr_shape_serialise(shape);
	return err ? err : tsr_check_declaration(shape, &shape->refused);
}

static int shape_new(struct tsr_operation *op, struct tsr_shape **ret_shape)
{
	struct tsr_shape *shape = calloc(1, sizeof(*shape));
	int err;

	if (!shape)
		return -ENOMEM;
	shape->op = op;
	shape->places = (uint32_t)op->dev->limits.grid_width * op->dev->limits.grid_height;
	err = shape_fill(shape);
	if (err)
		tsr_shape_free(shape);
	else
		*ret_shape = shape;
	return err;
}

int tsr_shape_get(struct tsr_operation *op, const struct tsr_shape **ret_shape)
{
	struct tsr_shape *shape = atomic_load_explicit(&op->shape, memory_order_acquire);
	int err = 0;

	if (unlikely(!shape)) {
		pthread_mutex_lock(&op->lock);
		shape = atomic_load(&op->shape);
		if (!shape)
			err = shape_new(op, &shape);
		if (!err)
			atomic_store_explicit(&op->shape, shape, memory_order_release);
		pthread_mutex_unlock(&op->lock);
	}
	if (!err)
		*ret_shape = shape;
	return err;
}

// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include <drm/tessera_blob.h>

#include "coreset_int.h"
#include "program_blob.h"

/* A set that has been written, to be named again by records with the same set. */
struct written_set {
	const struct tsr_coreset *cores;
	uint32_t first, count;
};

struct encoder {
	const struct tsr_plan *plan;
	struct tsr_image *const *images;
	struct tsr_vec sections[TESSERA_SECTIONS];	/* records, or bytes */
	struct tsr_vec sets;				/* struct written_set */
	bool short_of_memory;
};

static const size_t record_size[TESSERA_SECTIONS] = {
	[TESSERA_SECTION_RANGES] = sizeof(struct tessera_range),
	[TESSERA_SECTION_IMAGES] = sizeof(struct tessera_image),
	[TESSERA_SECTION_DESCRIPTORS] = sizeof(struct tessera_descriptor),
	[TESSERA_SECTION_ARGS] = sizeof(struct tessera_arg),
	[TESSERA_SECTION_SEMAPHORES] = sizeof(struct tessera_semaphore),
	[TESSERA_SECTION_CBS] = sizeof(struct tessera_cb),
	[TESSERA_SECTION_BINDINGS] = sizeof(struct tessera_binding),
	[TESSERA_SECTION_STRINGS] = 1,
	[TESSERA_SECTION_DATA] = 1,
};

/* @n zeroed records more; NULL when out of memory, which the end of the encoding reports, or 0. */
static void *add(struct encoder *e, enum tessera_section section, size_t n)
{
	void *p = n ? tsr_vec_add(&e->sections[section], record_size[section], n) : NULL;

	if (!n)
		return NULL;
	if (p)
		memset(p, 0, n * record_size[section]);
	else
		e->short_of_memory = true;
	return p;
}

static uint32_t add_string(struct encoder *e, const char *text)
{
	uint32_t offset = (uint32_t)e->sections[TESSERA_SECTION_STRINGS].count;
	char *p = add(e, TESSERA_SECTION_STRINGS, strlen(text) + 1);

	if (p)
		strcpy(p, text);
	return offset;
}

/* The ranges of a set, written once for all records that have an equal one. */
static struct written_set add_set(struct encoder *e, const struct tsr_coreset *cores)
{
	struct written_set set = { cores, 0, 0 }, *sets = e->sets.data, *slot;
	size_t n = tsr_coreset_rects(cores, NULL, 0);
	struct tsr_rect *rects;

	for (size_t i = 0; i < e->sets.count; i++)
		if (tsr_coreset_equal(sets[i].cores, cores))
			return sets[i];
	_Static_assert(sizeof(struct tsr_rect) == sizeof(struct tessera_range) &&
		       offsetof(struct tsr_rect, x1) == offsetof(struct tessera_range, x1) &&
		       offsetof(struct tsr_rect, y0) == offsetof(struct tessera_range, y0),
		       "a range is a rectangle");
	set.first = (uint32_t)e->sections[TESSERA_SECTION_RANGES].count;
	set.count = (uint32_t)n;
	rects = add(e, TESSERA_SECTION_RANGES, n);
	slot = rects ? tsr_vec_add(&e->sets, sizeof(*slot), 1) : NULL;
	if (!slot) {
		e->short_of_memory = true;
		return set;
	}
	tsr_coreset_rects(cores, rects, n);
	*slot = set;
	return set;
}

/* The index of an image, which is stored at its first use; data begins at multiples of 8. */
static uint32_t add_image(struct encoder *e, size_t descriptor)
{
	const struct tsr_image *image = e->images[descriptor];
	struct tsr_vec *data = &e->sections[TESSERA_SECTION_DATA];
	struct tessera_image *record;
	uint32_t index = 0;
	uint8_t *bytes;

	for (size_t i = 0; i < descriptor; i++) {
		const struct tessera_descriptor *d =
			(struct tessera_descriptor *)e->sections[TESSERA_SECTION_DESCRIPTORS].data;

		if (e->images[i] == image)
			return d[i].image;
	}
	index = (uint32_t)e->sections[TESSERA_SECTION_IMAGES].count;
	if (data->count % 8)
		add(e, TESSERA_SECTION_DATA, 8 - data->count % 8);
	record = add(e, TESSERA_SECTION_IMAGES, 1);
	if (!record)
		return 0;
	record->data_offset = (uint32_t)data->count;
	record->data_size = image->data_size;
	record->mem_size = image->mem_size;
	record->text_size = image->text_size;
	record->entry = image->entry;
	record->processor = image->processor;
	bytes = add(e, TESSERA_SECTION_DATA, image->data_size);
	if (bytes)
		memcpy(bytes, image->data, image->data_size);
	return index;
}

/* A record for each core that has words. */
static void add_args(struct encoder *e, size_t descriptor)
{
	const struct tsr_shape_descriptor *d = &e->plan->shape->descriptors[descriptor];
	const struct tsr_plan_descriptor *p = tsr_plan_descriptor(e->plan, descriptor);
	const struct tsr_plan_run *run = tsr_plan_runs(e->plan, p), *end = run + p->run_count;
	uint32_t appended = tsr_op_kernel(e->plan->shape->op, d->kernel)->appended_count;

	for (; run < end; run++) {
		struct tessera_arg *to = NULL;

		if (run->own + appended)
			to = add(e, TESSERA_SECTION_ARGS, run->count);
		for (uint32_t i = 0; to && i < run->count; i++) {
			to[i].x = d->list[run->first + i].x;
			to[i].y = d->list[run->first + i].y;
			to[i].words = run->own + appended;
		}
	}
}

static void add_descriptor(struct encoder *e, size_t i)
{
	const struct tsr_shape_descriptor *d = &e->plan->shape->descriptors[i];
	const struct tsr_vec *args = &e->sections[TESSERA_SECTION_ARGS];
	struct tessera_descriptor *record;
	struct written_set set;
	uint32_t name, image, first = (uint32_t)args->count;

	/* Images are looked up in the descriptors before this one: they must all be there. */
	if (e->short_of_memory)
		return;
	set = add_set(e, d->cores);
	name = add_string(e, tsr_op_kernel(e->plan->shape->op, d->kernel)->name);
	image = add_image(e, i);
	add_args(e, i);
	record = add(e, TESSERA_SECTION_DESCRIPTORS, 1);
	if (!record)
		return;
	record->image = image;
	record->name = name;
	record->range_first = set.first;
	record->range_count = set.count;
	record->arg_first = first;
	record->arg_count = (uint32_t)args->count - first;
	record->common_words = tsr_plan_descriptor(e->plan, i)->common_count;
}

static void add_semaphore(struct encoder *e, uint32_t id, uint32_t initial, uint32_t core_type,
			  const struct tsr_coreset *cores)
{
	struct written_set set = add_set(e, cores);
	struct tessera_semaphore *record = add(e, TESSERA_SECTION_SEMAPHORES, 1);

	if (!record)
		return;
	record->id = id;
	record->initial = initial;
	record->core_type = core_type;
	record->range_first = set.first;
	record->range_count = set.count;
}

/* The operation's have the lower ids (V14), so both together are ascending. */
static void add_semaphores(struct encoder *e)
{
	const struct tsr_operation *op = e->plan->shape->op;
	const struct tsr_resources *res = e->plan->res;
	const struct tsr_semaphore_res *own = res ? res->semaphores.data : NULL;
	const uint32_t *order = e->plan->semaphores.data;

	for (size_t i = 0; i < op->semaphores.count; i++) {
		const struct tsr_semaphore_decl *s = e->plan->shape->semaphores[i];

		add_semaphore(e, s->id, s->initial, TESSERA_CORE_TYPE_WORKER,
			      tsr_op_set(op, s->cores));
	}
	for (size_t i = 0; res && i < res->semaphores.count; i++) {
		const struct tsr_semaphore_res *s = &own[order[i]];

		add_semaphore(e, s->id, (uint32_t)s->initial, s->core_type,
			      s->all ? op->cores : &s->cores);
	}
}

static void add_cbs(struct encoder *e)
{
	const struct tsr_shape *shape = e->plan->shape;

	for (size_t i = 0; i < shape->op->cbs.count; i++) {
		const struct tsr_cb_decl *cb = shape->cbs[i].decl;
		struct written_set set = add_set(e, tsr_op_set(shape->op, cb->cores));
		struct tessera_cb *record = add(e, TESSERA_SECTION_CBS, 1);

		if (!record)
			return;
		record->id = cb->id;
		record->page_size = cb->page_size;
		record->page_count = cb->page_count;
		record->address = (uint32_t)shape->cbs[i].address;
		record->format = cb->format;
		record->range_first = set.first;
		record->range_count = set.count;
	}
}

static void add_bindings(struct encoder *e)
{
	const struct tsr_operation *op = e->plan->shape->op;
	struct tessera_binding *to = add(e, TESSERA_SECTION_BINDINGS, op->tensors.count);

	for (size_t i = 0; to && i < op->tensors.count; i++) {
		to[i].access = tsr_op_tensor(op, i)->access;
		to[i].min_size = tsr_op_tensor(op, i)->min_size;
	}
}

/* Lay the sections out: each at a multiple of 8, in order, nothing in between. */
static uint64_t lay_out(struct encoder *e, struct tessera_program_header *header)
{
	uint64_t end = sizeof(*header);

	for (size_t i = 0; i < TESSERA_SECTIONS; i++) {
		end = (end + 7) & ~UINT64_C(7);
		header->sections[i].offset = (uint32_t)end;
		header->sections[i].count = (uint32_t)e->sections[i].count;
		end += e->sections[i].count * record_size[i];
	}
	return end;
}

static int assemble(struct encoder *e, struct tessera_program_header *header, void **ret_blob,
		    size_t *ret_size)
{
	uint64_t size = lay_out(e, header);
	uint8_t *blob;

	if (e->short_of_memory)
		return -ENOMEM;
	if (size > UINT32_MAX)
		return -E2BIG;
	blob = calloc(1, (size_t)size);
	if (!blob)
		return -ENOMEM;
	header->size = (uint32_t)size;
	memcpy(blob, header, sizeof(*header));
	for (size_t i = 0; i < TESSERA_SECTIONS; i++)
		if (e->sections[i].count)
			memcpy(blob + header->sections[i].offset, e->sections[i].data,
			       e->sections[i].count * record_size[i]);
	*ret_blob = blob;
	*ret_size = (size_t)size;
	return 0;
}

int tsr_program_blob(const struct tsr_plan *plan, struct tsr_image *const *images,
		     const struct tsr_digest *digest, void **ret_blob, size_t *ret_size,
		     struct tsr_counts *ret_counts)
{
	const struct tsr_operation *op = plan->shape->op;
	struct encoder e = { .plan = plan, .images = images };
	struct tessera_program_header header = {
		.magic = TESSERA_PROGRAM_MAGIC,
		.version = TESSERA_BLOB_VERSION,
	};
	struct written_set all = add_set(&e, op->cores);
	int err;

	memcpy(header.fingerprint, digest->bytes, sizeof(header.fingerprint));
	header.name = add_string(&e, op->name);
	header.range_first = all.first;
	header.range_count = all.count;
	for (size_t i = 0; i < op->descriptors.count; i++)
		add_descriptor(&e, i);
	add_semaphores(&e);
	add_cbs(&e);
	add_bindings(&e);
	err = assemble(&e, &header, ret_blob, ret_size);
	ret_counts->ranges = e.sections[TESSERA_SECTION_RANGES].count;
	ret_counts->images = e.sections[TESSERA_SECTION_IMAGES].count;
	ret_counts->size = err ? 0 : *ret_size;
	for (size_t i = 0; i < TESSERA_SECTIONS; i++)
		tsr_vec_free(&e.sections[i]);
	tsr_vec_free(&e.sets);
	return err;
}

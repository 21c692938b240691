// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Verifier of program blobs, second half: what the records say. The V-numbers
 * are those of the specification.
 *
 * Time is bounded by the device's limits, whatever the blob holds: the sets of
 * one kind (descriptors of a processor, circular buffers of an id) must be
 * disjoint, and so must the rectangles of a set; the first that is not ends the
 * verification. So all rectangles that are looked at add up to the cores times
 * the processors, or times the circular buffers.
 */
#include "blob_int.h"
#include "grid.h"

#define HEADER		TESSERA_SECTIONS

/* Index windows for marking what is used: the stack holds one of them at a time. */
#define MARKS		2048

/* For the search of overlapping circular buffers: so many cores at once. */
#define CB_CORES	4
#define CB_PER_CORE	64

struct marks {
	u64 bits[MARKS / 64];
};

/* Mark [first, first + count) as far as it lies in the window that starts at base. */
static void mark(struct marks *m, u32 base, u32 first, u32 count)
{
	u64 from = first > base ? first : base;
	u64 to = (u64)first + count < (u64)base + MARKS ? (u64)first + count : (u64)base + MARKS;

	for (u64 i = from; i < to; i++)
		m->bits[(i - base) / 64] |= 1ull << ((i - base) % 64);
}

/* The first index in the window that is below end and not marked, or end. */
static u32 first_unmarked(const struct marks *m, u32 base, u32 end)
{
	for (u32 i = base; i < end && i - base < MARKS; i++)
		if (!(m->bits[(i - base) / 64] >> ((i - base) % 64) & 1))
			return i;
	return end;
}

static bool name_ok(const struct tsr_blob *prog, u32 name)
{
	return name < prog->strings_size;
}

/* Collect a record's rectangles: at least one, inside the section, sharing no core. */
static int read_set(struct tsr_verify *v, u32 section, u32 index, u32 first, u32 count,
		    struct tsr_cores *ret)
{
	u32 width = v->limits->grid_width;
	struct tsr_cores set = { };

	if (!count)
		return tsr_refuse(v, -EINVAL, section, index, "no cores (V17)");
	if (first > v->prog.n_ranges || count > v->prog.n_ranges - first)
		return tsr_refuse(v, -EINVAL, section, index, "ranges outside the section");
	for (u32 i = first; i < first + count; i++) {
		if (tsr_cores_meets_rect(&set, width, &v->prog.ranges[i]))
			return tsr_refuse(v, -EINVAL, section, index, "ranges of one set overlap");
		tsr_cores_add_rect(&set, width, &v->prog.ranges[i]);
	}
	*ret = set;
	return 0;
}

static int read_inner_set(struct tsr_verify *v, u32 section, u32 index, u32 first, u32 count,
			  struct tsr_cores *ret)
{
	int err = read_set(v, section, index, first, count, ret);

	if (err)
		return err;
	if (!tsr_cores_within(ret, &v->operation))
		return tsr_refuse(v, -EINVAL, section, index,
				  "cores outside the operation (V17, V21)");
	return 0;
}

static int check_strings(struct tsr_verify *v)
{
	const struct tsr_blob *prog = &v->prog;

	if (prog->strings_size && prog->strings[prog->strings_size - 1])
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_STRINGS, prog->strings_size - 1,
				  "last string does not end");
	if (!name_ok(prog, prog->header->name))
		return tsr_refuse(v, -EINVAL, HEADER, 0, "name outside the strings");
	return 0;
}

static int check_ranges(struct tsr_verify *v)
{
	const struct tessera_limits *limits = v->limits;
	struct tsr_cores harvested;

	for (u32 i = 0; i < TSR_CORES_WORDS; i++)
		harvested.bits[i] = limits->harvested[i];
	for (u32 i = 0; i < v->prog.n_ranges; i++) {
		const struct tessera_range *r = &v->prog.ranges[i];

		if (r->x0 > r->x1 || r->y0 > r->y1)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_RANGES, i,
					  "range reversed (V17)");
		if (r->x1 >= limits->grid_width || r->y1 >= limits->grid_height)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_RANGES, i,
					  "range outside the grid (V17)");
		if (tsr_cores_meets_rect(&harvested, limits->grid_width, r))
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_RANGES, i,
					  "range covers a harvested core (V17)");
	}
	return read_set(v, HEADER, 0, v->prog.header->range_first, v->prog.header->range_count,
			&v->operation);
}

/* Every range must serve a record: a blob holds nothing that is not used. */
static int check_ranges_used(struct tsr_verify *v)
{
	const struct tsr_blob *prog = &v->prog;

	for (u32 base = 0; base < prog->n_ranges; base += MARKS) {
		struct marks m = { };
		u32 end = prog->n_ranges - base < MARKS ? prog->n_ranges : base + MARKS;
		u32 i;

		mark(&m, base, prog->header->range_first, prog->header->range_count);
		for (i = 0; i < prog->n_descriptors; i++)
			mark(&m, base, prog->descriptors[i].range_first,
			     prog->descriptors[i].range_count);
		for (i = 0; i < prog->n_semaphores; i++)
			mark(&m, base, prog->semaphores[i].range_first,
			     prog->semaphores[i].range_count);
		for (i = 0; i < prog->n_cbs; i++)
			mark(&m, base, prog->cbs[i].range_first, prog->cbs[i].range_count);
		i = first_unmarked(&m, base, end);
		if (i < end)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_RANGES, i, "range not used");
	}
	return 0;
}

static int check_image(struct tsr_verify *v, u32 i)
{
	const struct tessera_image *image = &v->prog.images[i];
	u32 base;

	if (image->processor >= TSR_PROCS_PER_CORE)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_IMAGES, i, "no such processor");
	if (image->mem_size > v->limits->image_slot)
		return tsr_refuse(v, -E2BIG, TESSERA_SECTION_IMAGES, i,
				  "image larger than its slot (V22)");
	if (!image->data_size || image->data_size > image->mem_size)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_IMAGES, i,
				  "data empty or larger than the image");
	if (image->data_offset > v->prog.data_size ||
	    image->data_size > v->prog.data_size - image->data_offset)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_IMAGES, i,
				  "data outside the section");
	if (image->text_size % 4 || image->text_size > image->data_size)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_IMAGES, i,
				  "text not a multiple of 4, or larger than the data");
	base = v->limits->image_base[image->processor];
	if (image->entry % 4 || image->entry < base || image->entry - base >= image->text_size)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_IMAGES, i,
				  "entry misaligned or outside the text");
	return 0;
}

/*
 * Every byte of DATA must serve an image, but for zeroes that align the next
 * image, or the end, to 8. Images may share bytes, and come in any order.
 */
static int check_data_used(struct tsr_verify *v)
{
	const struct tsr_blob *prog = &v->prog;
	u64 end = 0;

	for (;;) {
		u64 aligned = end, next = end;

		while (aligned % 8 && aligned < prog->data_size && !prog->data[aligned])
			aligned++;
		for (u32 i = 0; i < prog->n_images; i++) {
			const struct tessera_image *image = &prog->images[i];
			u64 image_end = (u64)image->data_offset + image->data_size;

			if (image->data_offset <= aligned && image_end > next)
				next = image_end;
		}
		if (next == end && aligned == prog->data_size)
			return 0;
		if (next == end)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_DATA, (u32)end,
					  "data that no image uses");
		end = next;
	}
}

static int check_images(struct tsr_verify *v)
{
	const struct tsr_blob *prog = &v->prog;
	int err;

	for (u32 i = 0; i < prog->n_images; i++) {
		err = check_image(v, i);
		if (err)
			return err;
	}
	for (u32 base = 0; base < prog->n_images; base += MARKS) {
		struct marks m = { };
		u32 end = prog->n_images - base < MARKS ? prog->n_images : base + MARKS;
		u32 i;

		for (i = 0; i < prog->n_descriptors; i++)
			mark(&m, base, prog->descriptors[i].image, 1);
		i = first_unmarked(&m, base, end);
		if (i < end)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_IMAGES, i, "image not used");
	}
	return check_data_used(v);
}

/* The arg records of one descriptor; adds up its words. */
static int check_args(struct tsr_verify *v, const struct tessera_descriptor *d,
		      const struct tsr_cores *set, u64 *words)
{
	const struct tessera_limits *limits = v->limits;
	s64 last = -1;

	for (u32 i = d->arg_first; i < d->arg_first + d->arg_count; i++) {
		const struct tessera_arg *arg = &v->prog.args[i];
		s64 place = (s64)arg->y * limits->grid_width + arg->x;

		if (arg->x >= limits->grid_width || arg->y >= limits->grid_height)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_ARGS, i,
					  "core outside the grid (V9)");
		if (place <= last)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_ARGS, i,
					  "cores not ascending, or one twice (V10)");
		if (!tsr_cores_has(set, limits->grid_width, arg->x, arg->y))
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_ARGS, i,
					  "core outside the descriptor (V11)");
		if (!arg->words)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_ARGS, i,
					  "record of no words");
		if ((u64)arg->words + d->common_words > limits->words)
			return tsr_refuse(v, -E2BIG, TESSERA_SECTION_ARGS, i,
					  "too many words (V13)");
		*words += arg->words;
		last = place;
	}
	return 0;
}

static int check_descriptor(struct tsr_verify *v, u32 i, u32 arg_first, struct tsr_cores *used,
			    u64 *words)
{
	const struct tessera_descriptor *d = &v->prog.descriptors[i];
	struct tsr_cores set;
	int err;

	if (d->pad)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_DESCRIPTORS, i, "pad is not zero");
	if (d->image >= v->prog.n_images)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_DESCRIPTORS, i, "no such image");
	if (!name_ok(&v->prog, d->name))
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_DESCRIPTORS, i,
				  "name outside the strings");
	err = read_inner_set(v, TESSERA_SECTION_DESCRIPTORS, i, d->range_first, d->range_count,
			     &set);
	if (err)
		return err;
	used += v->prog.images[d->image].processor;
	if (tsr_cores_meet(used, &set))
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_DESCRIPTORS, i,
				  "another descriptor has that processor of a core (V20)");
	tsr_cores_add(used, &set);
	if (d->arg_first != arg_first || d->arg_count > v->prog.n_args - arg_first)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_DESCRIPTORS, i,
				  "arg records not consecutive, or outside the section");
	if (d->common_words > v->limits->words)
		return tsr_refuse(v, -E2BIG, TESSERA_SECTION_DESCRIPTORS, i,
				  "too many common words (V13)");
	*words += d->common_words;
	return check_args(v, d, &set, words);
}

static int check_descriptors(struct tsr_verify *v)
{
	struct tsr_cores used[TSR_PROCS_PER_CORE] = { };
	struct tsr_blob *prog = &v->prog;
	u32 arg_first = 0;
	u64 words = 0;

	if (!prog->n_descriptors)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_DESCRIPTORS, 0, "no descriptor");
	for (u32 i = 0; i < prog->n_descriptors; i++) {
		int err = check_descriptor(v, i, arg_first, used, &words);

		if (err)
			return err;
		arg_first += prog->descriptors[i].arg_count;
	}
	if (arg_first != prog->n_args)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_ARGS, arg_first,
				  "arg record of no descriptor");
	/* A dispatch blob's size is 32 bits. */
	if (words * sizeof(u32) + (u64)prog->n_bindings * sizeof(struct tessera_bind) +
	    sizeof(struct tessera_dispatch_header) > 0xffffffffu)
		return tsr_refuse(v, -E2BIG, TESSERA_SECTION_ARGS, 0, "too many words in all");
	prog->words = (u32)words;
	for (u32 i = 1; i < TSR_PROCS_PER_CORE; i++)
		tsr_cores_add(&used[0], &used[i]);
	prog->cores = tsr_cores_count(&used[0]);
	return 0;
}

static int check_semaphores(struct tsr_verify *v)
{
	for (u32 i = 0; i < v->prog.n_semaphores; i++) {
		const struct tessera_semaphore *s = &v->prog.semaphores[i];
		struct tsr_cores set;
		int err;

		if (s->pad)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_SEMAPHORES, i,
					  "pad is not zero");
		if (s->id >= v->limits->semaphores)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_SEMAPHORES, i,
					  "no such semaphore (V15)");
		if (i && s->id <= s[-1].id)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_SEMAPHORES, i,
					  "ids not ascending, or one twice (V16)");
		if (s->core_type != TESSERA_CORE_TYPE_WORKER)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_SEMAPHORES, i,
					  "unknown core type (V19)");
		err = read_inner_set(v, TESSERA_SECTION_SEMAPHORES, i, s->range_first,
				     s->range_count, &set);
		if (err)
			return err;
	}
	return 0;
}

static int check_cb(struct tsr_verify *v, u32 i)
{
	const struct tessera_cb *cb = &v->prog.cbs[i];

	if (cb->pad)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_CBS, i, "pad is not zero");
	if (cb->id >= v->limits->circular_buffers)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_CBS, i, "no such circular buffer");
	if (cb->format >= TSR_FORMATS)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_CBS, i, "unknown format");
	if (!cb->page_size || cb->page_size % 16 || !cb->page_count)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_CBS, i,
				  "no pages, or not of a multiple of 16 bytes");
	if (cb->address % 16 || cb->address < v->limits->cb_base)
		return tsr_refuse(v, -EINVAL, TESSERA_SECTION_CBS, i,
				  "address misaligned or below the circular buffers' memory");
	if ((u64)cb->address + (u64)cb->page_size * cb->page_count >
	    (u64)TSR_L1_BASE + v->limits->l1_size)
		return tsr_refuse(v, -E2BIG, TESSERA_SECTION_CBS, i, "outside L1 (V22)");
	return 0;
}

/* No core has two circular buffers of one id. */
static int check_cb_ids(struct tsr_verify *v, u32 id)
{
	struct tsr_cores used = { };

	for (u32 i = 0; i < v->prog.n_cbs; i++) {
		const struct tessera_cb *cb = &v->prog.cbs[i];
		struct tsr_cores set;
		int err;

		if (cb->id != id)
			continue;
		err = read_inner_set(v, TESSERA_SECTION_CBS, i, cb->range_first, cb->range_count,
				     &set);
		if (err)
			return err;
		if (tsr_cores_meet(&used, &set))
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_CBS, i,
					  "circular buffer twice on a core");
		tsr_cores_add(&used, &set);
	}
	return 0;
}

static bool cbs_overlap(const struct tessera_cb *a, const struct tessera_cb *b)
{
	return a->address < (u64)b->address + (u64)b->page_size * b->page_count &&
	       b->address < (u64)a->address + (u64)a->page_size * a->page_count;
}

struct cb_list {
	u16 cb[CB_CORES][CB_PER_CORE];
	u8 count[CB_CORES];
};

/* Add circular buffer @i to the list of a core, unless it overlaps one that is there. */
static int add_cb(struct tsr_verify *v, struct cb_list *list, u32 core, u32 i)
{
	for (u32 n = 0; n < list->count[core]; n++)
		if (cbs_overlap(&v->prog.cbs[list->cb[core][n]], &v->prog.cbs[i]))
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_CBS, i,
					  "two circular buffers overlap on a core (V22)");
	list->cb[core][list->count[core]++] = (u16)i;
	return 0;
}

/* Cores (x .. x + CB_CORES - 1, y): their circular buffers are apart in L1. */
static int check_cb_memory(struct tsr_verify *v, u32 x, u32 y)
{
	struct cb_list list = { };

	for (u32 i = 0; i < v->prog.n_cbs; i++) {
		const struct tessera_range *r = &v->prog.ranges[v->prog.cbs[i].range_first];

		for (u32 n = 0; n < v->prog.cbs[i].range_count; n++, r++) {
			if (y < r->y0 || y > r->y1 || x + CB_CORES <= r->x0 || x > r->x1)
				continue;
			for (u32 core = 0; core < CB_CORES; core++) {
				int err = 0;

				if (x + core >= r->x0 && x + core <= r->x1)
					err = add_cb(v, &list, core, i);
				if (err)
					return err;
			}
		}
	}
	return 0;
}

static int check_cbs(struct tsr_verify *v)
{
	const struct tessera_limits *limits = v->limits;
	int err = 0;

	/* What the lists above can hold; each id is at most once on a core. */
	if (v->prog.n_cbs && (limits->circular_buffers > CB_PER_CORE || v->prog.n_cbs > 0xffff))
		return tsr_refuse(v, -E2BIG, TESSERA_SECTION_CBS, 0, "too many circular buffers");
	for (u32 i = 0; !err && i < v->prog.n_cbs; i++)
		err = check_cb(v, i);
	for (u32 id = 0; !err && v->prog.n_cbs && id < limits->circular_buffers; id++)
		err = check_cb_ids(v, id);
	for (u32 y = 0; !err && v->prog.n_cbs && y < limits->grid_height; y++)
		for (u32 x = 0; !err && x < limits->grid_width; x += CB_CORES)
			err = check_cb_memory(v, x, y);
	return err;
}

static int check_bindings(struct tsr_verify *v)
{
	for (u32 i = 0; i < v->prog.n_bindings; i++) {
		const struct tessera_binding *b = &v->prog.bindings[i];

		if (b->pad)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_BINDINGS, i,
					  "pad is not zero");
		if (!b->access || b->access > TESSERA_ACCESS_INOUT)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_BINDINGS, i,
					  "unknown access");
		if (!b->min_size)
			return tsr_refuse(v, -EINVAL, TESSERA_SECTION_BINDINGS, i,
					  "size of zero");
	}
	return 0;
}

int tsr_blob_rules(struct tsr_verify *v)
{
	static int (*const rules[])(struct tsr_verify *v) = {
		check_strings,
		check_ranges,
		check_images,
		check_descriptors,
		check_semaphores,
		check_cbs,
		check_bindings,
		check_ranges_used,
	};
	int err = 0;

	for (u32 i = 0; !err && i < ARRAY_SIZE(rules); i++)
		err = rules[i](v);
	return err;
}

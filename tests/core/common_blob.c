// SPDX-License-Identifier: MIT
#include "common_blob.h"
#include "grid.h"

static const struct {
	size_t record, table;
} tables[TESSERA_SECTIONS] = {
	{ sizeof(struct tessera_range), offsetof(struct model, ranges) },
	{ sizeof(struct tessera_image), offsetof(struct model, images) },
	{ sizeof(struct tessera_descriptor), offsetof(struct model, descriptors) },
	{ sizeof(struct tessera_arg), offsetof(struct model, args) },
	{ sizeof(struct tessera_semaphore), offsetof(struct model, semaphores) },
	{ sizeof(struct tessera_cb), offsetof(struct model, cbs) },
	{ sizeof(struct tessera_binding), offsetof(struct model, bindings) },
	{ 1, offsetof(struct model, strings) },
	{ 1, offsetof(struct model, data) },
};

u32 model_record_size(u32 section)
{
	return tables[section].record;
}

void *model_table(struct model *m, u32 section)
{
	return (u8 *)m + tables[section].table;
}

void model_limits(struct tessera_limits *limits)
{
	*limits = (struct tessera_limits){
		.grid_width = 4, .grid_height = 4, .cores = 15,
		.l1_size = 0x40000, .arg_base = 0x100000,
		.image_base = { 0x104000, 0x108000, 0x10c000 }, .image_slot = 0x4000,
		.cb_base = 0x110000, .words = 341, .semaphores = 16, .circular_buffers = 32,
		.bindings = 8, .images = 6, .descriptors = 6, .ranges = 24,
		.program_size = 0x10000, .harvested = { 1 << 15 },
	};
}

#define SET(m, section, field, ...) do {						\
	static const __typeof__((m)->field[0]) init[] = { __VA_ARGS__ };		\
	memcpy((m)->field, init, sizeof(init));						\
	(m)->header.sections[TESSERA_SECTION_##section].count = ARRAY_SIZE(init);	\
} while (0)

void model_valid(struct model *m)
{
	static const char strings[] = "program\0reader\0writer\0math";

	memset(m, 0, sizeof(*m));
	m->header = (struct tessera_program_header){
		.magic = TESSERA_PROGRAM_MAGIC, .version = TESSERA_BLOB_VERSION,
		.fingerprint = { 1, 2 }, .range_count = 2,
	};
	SET(m, RANGES, ranges,
	    { 0, 0, 3, 2 }, { 0, 3, 2, 3 },		/* the operation, reader, semaphores */
	    { 0, 0, 1, 1 }, { 2, 0, 3, 1 },		/* two writers, circular buffers */
	    { 1, 2, 2, 3 });				/* math */
	SET(m, IMAGES, images,
	    { 0, 32, 0x4000, 24, 0x104000, TSR_PROC_DM0 },
	    { 32, 20, 20, 20, 0x108010, TSR_PROC_DM1 },
	    { 56, 40, 64, 4, 0x10c000, TSR_PROC_COMPUTE });
	SET(m, DESCRIPTORS, descriptors,
	    { .image = 0, .name = 8, .range_first = 0, .range_count = 2, .arg_count = 3,
	      .common_words = 2 },
	    { .image = 1, .name = 15, .range_first = 2, .range_count = 1, .arg_first = 3,
	      .arg_count = 2 },
	    { .image = 1, .name = 15, .range_first = 3, .range_count = 1, .arg_first = 5,
	      .common_words = 341 },
	    { .image = 2, .name = 22, .range_first = 4, .range_count = 1, .arg_first = 5,
	      .arg_count = 2, .common_words = 1 });
	SET(m, ARGS, args,
	    { 0, 0, 5 }, { 3, 0, 1 }, { 2, 3, 339 },	/* reader */
	    { 0, 0, 341 }, { 0, 1, 7 },			/* writer, left */
	    { 1, 2, 4 }, { 2, 2, 4 });			/* math */
	SET(m, SEMAPHORES, semaphores,
	    { .id = 0, .initial = 7, .range_first = 0, .range_count = 2 },
	    { .id = 3, .initial = 0xffffffff, .range_first = 2, .range_count = 2 },
	    { .id = 15, .range_first = 4, .range_count = 1 });
	SET(m, CBS, cbs,
	    { 0, 2048, 4, 0x110000, TSR_FORMAT_BF16, 2, 1 },
	    { 0, 4096, 2, 0x110000, TSR_FORMAT_FP32, 3, 1 },
	    { 31, 16, 1, 0x112000, TSR_FORMAT_RAW, 2, 2 },
	    { 2, 1024, 1, 0x13fc00, TSR_FORMAT_INT8, 0, 2 });
	SET(m, BINDINGS, bindings,
	    { 4096, TESSERA_ACCESS_IN }, { 1, TESSERA_ACCESS_OUT },
	    { 1ull << 40, TESSERA_ACCESS_INOUT });
	memcpy(m->strings, strings, sizeof(strings));
	m->header.sections[TESSERA_SECTION_STRINGS].count = sizeof(strings);
	memset(m->data, 0x13, 96);
	memset(m->data + 52, 0, 4);			/* aligns the third image */
	m->header.sections[TESSERA_SECTION_DATA].count = 96;
}

void *model_build(const struct model *m, size_t *ret_size)
{
	struct tessera_program_header header = m->header;
	size_t end = sizeof(header);
	u8 *blob;

	for (u32 i = 0; i < TESSERA_SECTIONS; i++) {
		header.sections[i].offset = (end + 7) / 8 * 8;
		end = header.sections[i].offset + header.sections[i].count * tables[i].record;
	}
	header.size = end;
	blob = calloc(1, end);
	memcpy(blob, &header, sizeof(header));
	for (u32 i = 0; i < TESSERA_SECTIONS; i++)
		memcpy(blob + header.sections[i].offset, (const u8 *)m + tables[i].table,
		       header.sections[i].count * tables[i].record);
	*ret_size = end;
	return blob;
}

/* --- the second opinion: one core, one byte at a time ------------------------- */

struct opinion {
	const struct tessera_limits *limits;
	const struct tessera_program_header *header;
	const void *table[TESSERA_SECTIONS];
	u32 n[TESSERA_SECTIONS];
	u32 wrong;
};

static void must(struct opinion *o, bool ok)
{
	if (!ok)
		o->wrong |= ORACLE_EINVAL;
}

static void must_fit(struct opinion *o, bool ok)
{
	if (!ok)
		o->wrong |= ORACLE_E2BIG;
}

/* How many rectangles of a set hold a core. */
static u32 covered(const struct opinion *o, u32 first, u32 count, u32 x, u32 y)
{
	const struct tessera_range *ranges = o->table[TESSERA_SECTION_RANGES];
	u32 n = 0;

	for (u64 i = first; i < (u64)first + count && i < o->n[TESSERA_SECTION_RANGES]; i++)
		n += x >= ranges[i].x0 && x <= ranges[i].x1 && y >= ranges[i].y0 &&
		     y <= ranges[i].y1;
	return n;
}

static bool in_operation(const struct opinion *o, u32 x, u32 y)
{
	return covered(o, o->header->range_first, o->header->range_count, x, y);
}

static void see_set(struct opinion *o, u32 first, u32 count)
{
	must(o, count >= 1 && (u64)first + count <= o->n[TESSERA_SECTION_RANGES]);
	for (u32 y = 0; y < o->limits->grid_height; y++) {
		for (u32 x = 0; x < o->limits->grid_width; x++) {
			u32 n = covered(o, first, count, x, y);

			must(o, n <= 1);
			must(o, !n || in_operation(o, x, y));
		}
	}
}

static bool uses(u32 first, u32 count, u32 i)
{
	return i >= first && i < (u64)first + count;
}

static void see_ranges(struct opinion *o)
{
	const struct tessera_range *r = o->table[TESSERA_SECTION_RANGES];
	const struct tessera_descriptor *d = o->table[TESSERA_SECTION_DESCRIPTORS];
	const struct tessera_semaphore *s = o->table[TESSERA_SECTION_SEMAPHORES];
	const struct tessera_cb *c = o->table[TESSERA_SECTION_CBS];

	for (u32 i = 0; i < o->n[TESSERA_SECTION_RANGES]; i++, r++) {
		bool used = uses(o->header->range_first, o->header->range_count, i);

		for (u32 k = 0; k < o->n[TESSERA_SECTION_DESCRIPTORS]; k++)
			used |= uses(d[k].range_first, d[k].range_count, i);
		for (u32 k = 0; k < o->n[TESSERA_SECTION_SEMAPHORES]; k++)
			used |= uses(s[k].range_first, s[k].range_count, i);
		for (u32 k = 0; k < o->n[TESSERA_SECTION_CBS]; k++)
			used |= uses(c[k].range_first, c[k].range_count, i);
		must(o, used);
		must(o, r->x0 <= r->x1 && r->y0 <= r->y1);
		must(o, r->x1 < o->limits->grid_width && r->y1 < o->limits->grid_height);
		for (u32 y = r->y0; y <= r->y1 && y < o->limits->grid_height; y++) {
			for (u32 x = r->x0; x <= r->x1 && x < o->limits->grid_width; x++) {
				u32 bit = y * o->limits->grid_width + x;

				must(o, !(o->limits->harvested[bit / 64] >> bit % 64 & 1));
			}
		}
	}
	see_set(o, o->header->range_first, o->header->range_count);
}

static void see_images(struct opinion *o)
{
	const struct tessera_image *image = o->table[TESSERA_SECTION_IMAGES];
	const struct tessera_descriptor *d = o->table[TESSERA_SECTION_DESCRIPTORS];
	const u8 *data = o->table[TESSERA_SECTION_DATA];
	u32 n = o->n[TESSERA_SECTION_IMAGES], size = o->n[TESSERA_SECTION_DATA];
	u8 *served = calloc(1, size + 1);

	for (u32 i = 0; i < n; i++) {
		bool used = false;

		for (u32 k = 0; k < o->n[TESSERA_SECTION_DESCRIPTORS]; k++)
			used |= d[k].image == i;
		must(o, used);
		must(o, image[i].processor < 3);
		must_fit(o, image[i].mem_size <= o->limits->image_slot);
		must(o, image[i].data_size >= 1 && image[i].data_size <= image[i].mem_size);
		must(o, (u64)image[i].data_offset + image[i].data_size <= size);
		must(o, image[i].text_size % 4 == 0 && image[i].text_size <= image[i].data_size);
		must(o, image[i].entry % 4 == 0);
		if (image[i].processor < 3) {
			u64 base = o->limits->image_base[image[i].processor];

			must(o, image[i].entry >= base &&
				image[i].entry < base + image[i].text_size);
		}
		for (u64 k = image[i].data_offset;
		     k < (u64)image[i].data_offset + image[i].data_size && k < size; k++)
			served[k] = 1;
	}
	/* Zeroes up to the next multiple of 8 serve too, when they follow an image. */
	for (u32 k = 1; k < size; k++)
		if (!served[k] && !data[k] && k % 8 && served[k - 1])
			served[k] = 2;
	for (u32 k = 0; k < size; k++)
		must(o, served[k]);
	free(served);
}

static void see_args(struct opinion *o, const struct tessera_descriptor *d, u64 *words)
{
	const struct tessera_arg *a = o->table[TESSERA_SECTION_ARGS];
	u64 end = (u64)d->arg_first + d->arg_count;

	must_fit(o, d->common_words <= o->limits->words);
	*words += d->common_words;
	for (u64 i = d->arg_first; i < end && i < o->n[TESSERA_SECTION_ARGS]; i++) {
		must(o, a[i].words >= 1);
		must_fit(o, (u64)a[i].words + d->common_words <= o->limits->words);
		must(o, a[i].x < o->limits->grid_width && a[i].y < o->limits->grid_height);
		must(o, covered(o, d->range_first, d->range_count, a[i].x, a[i].y));
		if (i > d->arg_first)
			must(o, a[i].y > a[i - 1].y ||
				(a[i].y == a[i - 1].y && a[i].x > a[i - 1].x));
		*words += a[i].words;
	}
}

static void see_descriptors(struct opinion *o, u64 *ret_words, u32 *ret_cores)
{
	const struct tessera_descriptor *d = o->table[TESSERA_SECTION_DESCRIPTORS];
	const struct tessera_image *image = o->table[TESSERA_SECTION_IMAGES];
	u32 n = o->n[TESSERA_SECTION_DESCRIPTORS];
	u64 args = 0;

	must(o, n >= 1);
	for (u32 i = 0; i < n; i++) {
		must(o, !d[i].pad && d[i].image < o->n[TESSERA_SECTION_IMAGES]);
		must(o, d[i].name < o->n[TESSERA_SECTION_STRINGS]);
		must(o, d[i].arg_first == args);
		args += d[i].arg_count;
		see_set(o, d[i].range_first, d[i].range_count);
		see_args(o, &d[i], ret_words);
	}
	must(o, args == o->n[TESSERA_SECTION_ARGS]);
	for (u32 y = 0; y < o->limits->grid_height; y++) {
		for (u32 x = 0; x < o->limits->grid_width; x++) {
			u32 procs[3] = { 0 };

			for (u32 i = 0; i < n; i++)
				if (d[i].image < o->n[TESSERA_SECTION_IMAGES] &&
				    image[d[i].image].processor < 3)
					procs[image[d[i].image].processor] +=
						covered(o, d[i].range_first, d[i].range_count, x, y);
			must(o, procs[0] <= 1 && procs[1] <= 1 && procs[2] <= 1);
			*ret_cores += procs[0] || procs[1] || procs[2];
		}
	}
}

static void see_semaphores(struct opinion *o)
{
	const struct tessera_semaphore *s = o->table[TESSERA_SECTION_SEMAPHORES];

	for (u32 i = 0; i < o->n[TESSERA_SECTION_SEMAPHORES]; i++) {
		must(o, !s[i].pad && s[i].core_type == 0 && s[i].id < o->limits->semaphores);
		must(o, !i || s[i].id > s[i - 1].id);
		see_set(o, s[i].range_first, s[i].range_count);
	}
}

static void see_cbs(struct opinion *o)
{
	const struct tessera_cb *c = o->table[TESSERA_SECTION_CBS];
	u32 n = o->n[TESSERA_SECTION_CBS];

	for (u32 i = 0; i < n; i++) {
		unsigned __int128 end = (unsigned __int128)c[i].page_size * c[i].page_count;

		must(o, !c[i].pad && c[i].id < o->limits->circular_buffers && c[i].format < 5);
		must(o, c[i].page_size >= 16 && c[i].page_size % 16 == 0 && c[i].page_count >= 1);
		must(o, c[i].address >= o->limits->cb_base && c[i].address % 16 == 0);
		must_fit(o, c[i].address + end <= 0x100000u + o->limits->l1_size);
		see_set(o, c[i].range_first, c[i].range_count);
	}
	for (u32 i = 0; i < n; i++) {
		for (u32 k = 0; k < i; k++) {
			u64 size_i = (u64)c[i].page_size * c[i].page_count;
			u64 size_k = (u64)c[k].page_size * c[k].page_count;
			bool apart = c[i].address + (unsigned __int128)size_i <= c[k].address ||
				     c[k].address + (unsigned __int128)size_k <= c[i].address;

			for (u32 core = 0; core < o->limits->grid_width * o->limits->grid_height;
			     core++) {
				u32 x = core % o->limits->grid_width, y = core / o->limits->grid_width;

				if (covered(o, c[i].range_first, c[i].range_count, x, y) &&
				    covered(o, c[k].range_first, c[k].range_count, x, y))
					must(o, apart && c[i].id != c[k].id);
			}
		}
	}
}

static void see_bindings(struct opinion *o)
{
	const struct tessera_binding *b = o->table[TESSERA_SECTION_BINDINGS];

	for (u32 i = 0; i < o->n[TESSERA_SECTION_BINDINGS]; i++)
		must(o, !b[i].pad && b[i].min_size >= 1 && b[i].access >= 1 && b[i].access <= 3);
}

static bool see_layout(struct opinion *o, const u8 *blob, size_t size)
{
	const struct tessera_limits *l = o->limits;
	const struct tessera_program_header *h = o->header;
	const u64 most[TESSERA_SECTIONS] = {
		l->ranges, l->images, l->descriptors, l->cores * 3ull, l->semaphores,
		l->cores * (u64)l->circular_buffers, l->bindings, l->program_size, l->program_size,
	};
	unsigned __int128 end = sizeof(*h);

	must_fit(o, size <= l->program_size);
	must(o, size >= sizeof(*h));
	if (size < sizeof(*h))
		return false;
	must(o, h->magic == TESSERA_PROGRAM_MAGIC && h->version == TESSERA_BLOB_VERSION);
	must(o, h->size == size && !h->flags && !h->pad);
	for (u32 i = 0; i < TESSERA_SECTIONS; i++) {
		must_fit(o, h->sections[i].count <= most[i]);
		for (; end % 8; end++)
			must(o, end >= size || !blob[(size_t)end]);
		must(o, h->sections[i].offset == end);
		end += (unsigned __int128)h->sections[i].count * tables[i].record;
		o->table[i] = blob + h->sections[i].offset;
		o->n[i] = h->sections[i].count;
	}
	must(o, end == size);
	return !o->wrong;
}

u32 oracle(const void *blob, size_t size, const struct tessera_limits *limits, u64 *ret_words,
	   u32 *ret_cores)
{
	struct opinion o = { .limits = limits, .header = blob };
	const char *strings;

	*ret_words = 0;
	*ret_cores = 0;
	if (!see_layout(&o, blob, size))
		return o.wrong;
	strings = o.table[TESSERA_SECTION_STRINGS];
	must(&o, o.header->name < o.n[TESSERA_SECTION_STRINGS]);
	must(&o, !o.n[TESSERA_SECTION_STRINGS] || !strings[o.n[TESSERA_SECTION_STRINGS] - 1]);
	see_ranges(&o);
	see_images(&o);
	see_descriptors(&o, ret_words, ret_cores);
	see_semaphores(&o);
	see_cbs(&o);
	see_bindings(&o);
	return o.wrong;
}

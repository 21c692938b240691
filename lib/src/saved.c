// SPDX-License-Identifier: MIT
/*
 * Decoding a runner file (RN-3). Nothing in it is trusted: every count is bounded by the bytes that
 * are left, the program blob goes through the driver's verifier, and what all of it declares is
 * declared and planned again (saved_check.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "coreset_int.h"
#include "reader.h"
#include "saved.h"

/** struct parse - a file being decoded; the first thing that is wrong ends it */
struct parse {
	struct tsr_saved *saved;
	struct tsr_reader r;
	struct tsr_diag *diag;
	int err;
};

int tsr_saved_refuse(struct tsr_diag *diag, const char *path, const char *field, char *value,
		     char *allowed, const char *message)
{
	tsr_diag_note(diag, (struct tsr_note){
		.rule = TSR_RN3,
		.path = tsr_text("%s", path),
		.field = field,
		.value = value,
		.allowed = allowed,
		.message = tsr_text("%s", message),
	});
	return -EINVAL;
}

static void bad(struct parse *p, const char *path, const char *field, const char *message)
{
	if (!p->err)
		p->err = tsr_saved_refuse(p->diag, path, field, NULL, NULL, message);
}

/* Zeroed memory for @n elements, which the file has the bytes for; one more, so never none. */
static void *get(struct parse *p, size_t n, size_t size)
{
	void *mem = p->err ? NULL : tsr_arena_get(&p->saved->arena, (n + 1) * size);

	if (mem)
		memset(mem, 0, (n + 1) * size);
	else if (!p->err)
		p->err = -ENOMEM;
	return mem;
}

/* A text with its length; the size is stored where a NUL inside would show. */
static const char *text(struct parse *p, size_t *ret_size)
{
	uint32_t size;
	const uint8_t *bytes = tsr_read_bytes(&p->r, &size);
	char *copy = bytes && !p->err ? tsr_arena_copy(&p->saved->arena, bytes, size) : NULL;

	if (bytes && !copy && !p->err)
		p->err = -ENOMEM;
	if (ret_size)
		*ret_size = size;
	return copy ? copy : "";
}

static const struct tsr_definition *definitions(struct parse *p, size_t *ret_count)
{
	uint32_t n = tsr_read_count(&p->r, 8);
	struct tsr_definition *list = get(p, n, sizeof(*list));

	for (uint32_t i = 0; list && i < n; i++) {
		list[i].name = text(p, &list[i].name_size);
		list[i].value = text(p, &list[i].value_size);
	}
	*ret_count = list ? n : 0;
	return list;
}

static const uint32_t *numbers(struct parse *p, size_t *ret_count)
{
	uint32_t n = tsr_read_count(&p->r, 4);
	uint32_t *list = get(p, n, sizeof(*list));

	for (uint32_t i = 0; list && i < n; i++)
		list[i] = tsr_read32(&p->r);
	*ret_count = list ? n : 0;
	return list;
}

/* ---- Header and limits -------------------------------------------------------------------- */

static int parse_header(struct parse *p)
{
	struct tsr_saved *saved = p->saved;
	const uint8_t *sum;
	uint32_t flags;
	struct tsr_digest digest;

	if (saved->size < TSR_SAVED_HEADER || memcmp(saved->file, TSR_SAVED_MAGIC, 8)) {
		bad(p, "file", "magic", "this is no runner file");
		return p->err;
	}
	tsr_read_raw(&p->r, 8);
	if (tsr_read32(&p->r) != TSR_SAVED_FORMAT || tsr_read32(&p->r) != TSR_SCHEMA)
		bad(p, "file", "format", "the file is of another version of the library");
	if (tsr_read64(&p->r) != saved->size)
		bad(p, "file", "size", "the file is truncated, or has grown");
	memcpy(saved->info.fingerprint, tsr_read_raw(&p->r, 16), 16);
	sum = tsr_read_raw(&p->r, 16);
	digest = tsr_hash(saved->file + TSR_SAVED_HEADER - 8, saved->size - TSR_SAVED_HEADER + 8);
	if (memcmp(sum, digest.bytes, sizeof(digest.bytes)))
		bad(p, "file", "checksum", "the file is damaged");
	flags = tsr_read32(&p->r);
	if (flags & ~TSR_SAVED_FACTORY || tsr_read32(&p->r))
		bad(p, "file", "flags", "there are unknown flags");
	saved->info.needs_factory = flags & TSR_SAVED_FACTORY;
	saved->digest = tsr_hash(saved->file, saved->size);
	return p->err;
}

static void parse_limit(struct parse *p, const struct tsr_saved_limit *limit)
{
	uint8_t *field = (uint8_t *)&p->saved->limits + limit->offset;
	uint32_t value = tsr_read32(&p->r);
	uint16_t half = (uint16_t)value;

	if (!p->r.bad && !p->err && (value < limit->least || value > limit->most))
		p->err = tsr_saved_refuse(p->diag, "file/limits", limit->name,
					  tsr_text("%u", value), tsr_text("%u..%u", limit->least,
									  limit->most),
					  "no device has such a limit");
	if (limit->bytes == sizeof(half))
		memcpy(field, &half, sizeof(half));
	else
		memcpy(field, &value, sizeof(value));
}

static void parse_limits(struct parse *p)
{
	struct tessera_limits *l = &p->saved->limits;
	uint32_t places, cores;

	if (tsr_read32(&p->r) != tsr_saved_limit_count)
		bad(p, "file/limits", "count", "there are more or fewer limits");
	for (size_t i = 0; i < tsr_saved_limit_count; i++)
		parse_limit(p, &tsr_saved_limits[i]);
	for (size_t i = 0; i < ARRAY_SIZE(l->harvested); i++)
		l->harvested[i] = tsr_read64(&p->r);
	places = (uint32_t)l->grid_width * l->grid_height;
	cores = places;
	for (uint32_t i = 0; i < TESSERA_MAX_CORES; i++)
		if (l->harvested[i / 64] >> (i % 64) & 1)
			cores -= i < places ? 1 : TESSERA_MAX_CORES;
	if (places > TESSERA_MAX_CORES || cores != l->cores || l->image_slot > l->l1_size)
		bad(p, "file/limits", "cores", "the limits contradict each other");
}

/* ---- Descriptors and the program ---------------------------------------------------------- */

static void parse_descriptor(struct parse *p, struct tsr_saved_descriptor *d,
			     struct tsr_runner_descriptor *info)
{
	d->flags = tsr_read32(&p->r);
	if (d->flags & ~(TSR_SAVED_EXPLICIT | TSR_SAVED_UNKNOWN | TSR_SAVED_PREBUILT))
		bad(p, "file/descriptors", "flags", "there are unknown flags");
	d->identity = tsr_read_raw(&p->r, sizeof(struct tsr_digest));
	info->explicit_kernel = d->flags & TSR_SAVED_EXPLICIT;
	info->appended = numbers(p, &info->appended_count);
	info->definitions = definitions(p, &info->definition_count);
	info->supplied = definitions(p, &info->supplied_count);
}

static void parse_body(struct parse *p)
{
	struct tsr_saved *saved = p->saved;
	struct tsr_runner_descriptor *descriptors;
	size_t isa;
	uint32_t n;

	saved->info.isa = text(p, &isa);
	if (!isa || isa > 32 || strlen(saved->info.isa) != isa)
		bad(p, "file", "isa", "there is no ISA");
	parse_limits(p);
	saved->semaphores = tsr_read32(&p->r);
	n = tsr_read_count(&p->r, 4 + sizeof(struct tsr_digest) + 3 * 4);
	descriptors = get(p, n, sizeof(*descriptors));
	if (!p->err)
		saved->descriptors = calloc(n + 1, sizeof(*saved->descriptors));
	if (!p->err && !saved->descriptors)
		p->err = -ENOMEM;
	if (p->err)
		return;
	saved->info.descriptors = descriptors;
	saved->info.descriptor_count = n;
	saved->info.cacheable = 1;
	for (uint32_t i = 0; i < n && !p->err; i++) {
		parse_descriptor(p, &saved->descriptors[i], &descriptors[i]);
		saved->info.cacheable &= !(saved->descriptors[i].flags & TSR_SAVED_UNKNOWN);
	}
	n = tsr_read32(&p->r);
	saved->blob_at = tsr_read_raw(&p->r, n);
	saved->blob_size = n;
	if (p->r.bad || p->r.left)
		bad(p, "file", "size", "something is missing at the end, or left over");
}

static void verify_blob(struct parse *p)
{
	struct tsr_saved *saved = p->saved;
	struct tsr_blob_error error = { 0 };
	char path[64];

	saved->blob = malloc(saved->blob_size ? saved->blob_size : 1);
	if (!saved->blob) {
		p->err = -ENOMEM;
		return;
	}
	memcpy(saved->blob, saved->blob_at, saved->blob_size);
	if (tsr_blob_verify(saved->blob, saved->blob_size, &saved->limits, &saved->prog, &error)) {
		snprintf(path, sizeof(path), "program/section %u/record %u", error.section,
			 error.index);
		bad(p, path, "", error.what ? error.what : "the program is malformed");
	} else if (saved->prog.n_descriptors != saved->info.descriptor_count ||
		   saved->semaphores > saved->prog.n_semaphores) {
		bad(p, "file/descriptors", "count", "file and program contradict each other");
	}
}

/* ---- What tools see ----------------------------------------------------------------------- */

static const struct tsr_coreset *cores_of(struct parse *p, uint32_t first, uint32_t count)
{
	struct tsr_coreset *set = p->err ? NULL : tsr_coreset_new();
	struct tsr_coreset **slot = set ? tsr_vec_add(&p->saved->sets, sizeof(set), 1) : NULL;

	if (!slot) {
		tsr_coreset_free(set);
		if (!p->err)
			p->err = -ENOMEM;
		return NULL;
	}
	*slot = set;
	for (uint32_t i = first; i < first + count; i++) {
		const struct tessera_range *r = &p->saved->prog.ranges[i];

		if (tsr_coreset_add_rect(set, (struct tsr_rect){ r->x0, r->y0, r->x1, r->y1 }))
			p->err = -ENOMEM;
	}
	return set;
}

static int make_image(struct tsr_saved *saved, size_t i, struct tsr_image **ret_image)
{
	const struct tessera_descriptor *d = saved->prog.descriptors;
	const struct tessera_image *from = &saved->prog.images[d[i].image];
	struct tsr_image *image;

	/* One for all descriptors of an image, as when it was saved. */
	for (size_t k = 0; k < i; k++)
		if (d[k].image == d[i].image) {
			*ret_image = saved->descriptors[k].image;
			tsr_ref_get(&(*ret_image)->ref);
			return 0;
		}
	image = malloc(sizeof(*image) + from->data_size);
	if (!image)
		return -ENOMEM;
	*image = (struct tsr_image){ .processor = from->processor, .data_size = from->data_size,
				     .mem_size = from->mem_size, .text_size = from->text_size,
				     .entry = from->entry };
	tsr_ref_init(&image->ref);
	memcpy(image->data, saved->prog.data + from->data_offset, from->data_size);
	*ret_image = image;
	return 0;
}

static void show_image(const struct tsr_image *image, struct tsr_runner_image *to)
{
	struct tsr_digest digest = tsr_hash(image->data, image->data_size);

	to->text_size = image->text_size;
	to->data_size = image->data_size;
	to->mem_size = image->mem_size;
	to->entry = image->entry;
	to->data = image->data;
	memcpy(to->digest, digest.bytes, sizeof(to->digest));
}

static void show_descriptor(struct parse *p, size_t i)
{
	struct tsr_saved *saved = p->saved;
	const struct tessera_descriptor *d = &saved->prog.descriptors[i];
	struct tsr_runner_descriptor *to = (struct tsr_runner_descriptor *)
					   saved->info.descriptors + i;
	struct tsr_runner_words *words = get(p, d->arg_count, sizeof(*words));

	to->kernel = saved->prog.strings + d->name;
	to->processor = saved->prog.images[d->image].processor;
	to->kind = to->processor == TSR_PROCESSOR_COMPUTE ? TSR_KERNEL_COMPUTE :
							   TSR_KERNEL_DATA_MOVEMENT;
	to->common_words = d->common_words;
	to->cores = cores_of(p, d->range_first, d->range_count);
	for (uint32_t k = 0; words && k < d->arg_count; k++) {
		const struct tessera_arg *arg = &saved->prog.args[d->arg_first + k];

		words[k] = (struct tsr_runner_words){ arg->x, arg->y, arg->words };
	}
	to->words = words;
	to->words_count = words ? d->arg_count : 0;
	if (!p->err)
		p->err = make_image(saved, i, &saved->descriptors[i].image);
	if (!p->err)
		show_image(saved->descriptors[i].image, &to->image);
}

static void show_semaphores(struct parse *p)
{
	const struct tsr_blob *prog = &p->saved->prog;
	struct tsr_runner_semaphore *to = get(p, prog->n_semaphores, sizeof(*to));

	for (uint32_t i = 0; to && i < prog->n_semaphores; i++) {
		const struct tessera_semaphore *s = &prog->semaphores[i];

		to[i] = (struct tsr_runner_semaphore){
			.id = s->id,
			.initial = s->initial,
			.core_type = s->core_type,
			.supplied = i >= p->saved->semaphores,
			.cores = cores_of(p, s->range_first, s->range_count),
		};
	}
	p->saved->info.semaphores = to;
	p->saved->info.semaphore_count = prog->n_semaphores;
}

static void show_cbs(struct parse *p)
{
	const struct tsr_blob *prog = &p->saved->prog;
	struct tsr_circular_buffer *to = get(p, prog->n_cbs, sizeof(*to));

	for (uint32_t i = 0; to && i < prog->n_cbs; i++) {
		const struct tessera_cb *cb = &prog->cbs[i];

		to[i] = (struct tsr_circular_buffer){
			.id = cb->id,
			.page_size = cb->page_size,
			.page_count = cb->page_count,
			.format = cb->format,
			.cores = cores_of(p, cb->range_first, cb->range_count),
		};
	}
	p->saved->info.circular_buffers = to;
	p->saved->info.circular_buffer_count = prog->n_cbs;
}

static void show_tensors(struct parse *p)
{
	const struct tsr_blob *prog = &p->saved->prog;
	struct tsr_runner_tensor *to = get(p, prog->n_bindings, sizeof(*to));

	for (uint32_t i = 0; to && i < prog->n_bindings; i++)
		to[i] = (struct tsr_runner_tensor){ .access = prog->bindings[i].access,
						    .min_size = prog->bindings[i].min_size };
	p->saved->info.tensors = to;
	p->saved->info.tensor_count = prog->n_bindings;
}

static void show(struct parse *p)
{
	struct tsr_saved *saved = p->saved;
	const struct tessera_program_header *header = saved->prog.header;

	saved->info.name = saved->prog.strings + header->name;
	tsr_limits_from_uapi(&saved->limits, &saved->info.limits);
	saved->info.cores = cores_of(p, header->range_first, header->range_count);
	for (size_t i = 0; !p->err && i < saved->info.descriptor_count; i++)
		show_descriptor(p, i);
	show_semaphores(p);
	show_cbs(p);
	show_tensors(p);
}

/* ---- The whole ---------------------------------------------------------------------------- */

int tsr_saved_parse(uint8_t *file, size_t size, struct tsr_saved **ret_saved, struct tsr_diag *diag)
{
	struct tsr_saved *saved = calloc(1, sizeof(*saved));
	struct parse p = { .saved = saved, .r = { .p = file, .left = size }, .diag = diag };

	if (!saved) {
		free(file);
		return -ENOMEM;
	}
	tsr_ref_init(&saved->ref);
	saved->file = file;
	saved->size = size;
	if (!parse_header(&p))
		parse_body(&p);
	if (!p.err)
		verify_blob(&p);
	if (!p.err)
		show(&p);
	if (p.err) {
		tsr_saved_unref(saved);
		return p.err;
	}
	*ret_saved = saved;
	return 0;
}

struct tsr_saved *tsr_saved_ref(struct tsr_saved *saved)
{
	tsr_ref_get(&saved->ref);
	return saved;
}

void tsr_saved_unref(struct tsr_saved *saved)
{
	struct tsr_coreset **sets;

	if (!saved || !tsr_ref_put(&saved->ref))
		return;
	for (size_t i = 0; saved->descriptors && i < saved->info.descriptor_count; i++) {
		tsr_image_unref(saved->descriptors[i].image);
		tsr_vec_free(&saved->descriptors[i].key);
	}
	sets = saved->sets.data;
	for (size_t i = 0; i < saved->sets.count; i++)
		tsr_coreset_free(sets[i]);
	tsr_vec_free(&saved->sets);
	tsr_arena_fini(&saved->arena);
	free(saved->descriptors);
	free(saved->blob);
	free(saved->file);
	free(saved);
}

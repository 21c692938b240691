// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Verifier of program blobs, first half: header, layout of the sections,
 * strings. What the records say is checked in blob_rules.c. Nothing here looks
 * at a byte before it is known to lie inside the blob.
 */
#include "blob_int.h"
#include "grid.h"

#define HEADER	TESSERA_SECTIONS	/* as a section in struct tsr_blob_error */

static const struct {
	u32 record;		/* bytes */
	const char *over;
} sections[TESSERA_SECTIONS] = {
	[TESSERA_SECTION_RANGES] = { sizeof(struct tessera_range), "too many ranges" },
	[TESSERA_SECTION_IMAGES] = { sizeof(struct tessera_image), "too many images" },
	[TESSERA_SECTION_DESCRIPTORS] = { sizeof(struct tessera_descriptor),
					  "too many descriptors" },
	[TESSERA_SECTION_ARGS] = { sizeof(struct tessera_arg), "too many arg records" },
	[TESSERA_SECTION_SEMAPHORES] = { sizeof(struct tessera_semaphore),
					 "too many semaphores (V15)" },
	[TESSERA_SECTION_CBS] = { sizeof(struct tessera_cb), "too many circular buffers" },
	[TESSERA_SECTION_BINDINGS] = { sizeof(struct tessera_binding), "too many bindings" },
	[TESSERA_SECTION_STRINGS] = { 1, "too many bytes of strings" },
	[TESSERA_SECTION_DATA] = { 1, "too many bytes of data" },
};

/* The most records that each section can have on this device, duplicates being refused. */
static u64 section_limit(const struct tessera_limits *limits, u32 section)
{
	switch (section) {
	case TESSERA_SECTION_RANGES:
		return limits->ranges;
	case TESSERA_SECTION_IMAGES:
		return limits->images;
	case TESSERA_SECTION_DESCRIPTORS:
		return limits->descriptors;
	case TESSERA_SECTION_ARGS:
		return (u64)limits->cores * TSR_PROCS_PER_CORE;
	case TESSERA_SECTION_SEMAPHORES:
		return limits->semaphores;
	case TESSERA_SECTION_CBS:
		return (u64)limits->cores * limits->circular_buffers;
	case TESSERA_SECTION_BINDINGS:
		return limits->bindings;
	default:
		return limits->program_size;
	}
}

static int verify_header(struct tsr_verify *v, size_t size)
{
	const struct tessera_program_header *header = v->prog.header;

	if (size > v->limits->program_size)
		return tsr_refuse(v, -E2BIG, HEADER, 0, "blob larger than the device's limit");
	if (size < sizeof(*header))
		return tsr_refuse(v, -EINVAL, HEADER, 0, "blob shorter than its header");
	if (header->magic != TESSERA_PROGRAM_MAGIC)
		return tsr_refuse(v, -EINVAL, HEADER, 0, "not a program blob");
	if (header->version != TESSERA_BLOB_VERSION)
		return tsr_refuse(v, -EINVAL, HEADER, 0, "unknown version");
	if (header->size != size)
		return tsr_refuse(v, -EINVAL, HEADER, 0, "size is not the blob's size");
	if (header->flags)
		return tsr_refuse(v, -EINVAL, HEADER, 0, "unknown flags");
	if (header->pad)
		return tsr_refuse(v, -EINVAL, HEADER, 0, "pad is not zero");
	return 0;
}

static bool all_zero(const u8 *p, u64 n)
{
	while (n--)
		if (*p++)
			return false;
	return true;
}

/*
 * Sections follow each other in order, each at the end of the one before rounded
 * up to 8, and end where the blob ends. Every count is capped before it is used.
 */
static int verify_layout(struct tsr_verify *v, const u8 *blob)
{
	const struct tessera_program_header *header = v->prog.header;
	u64 end = sizeof(*header);

	for (u32 i = 0; i < TESSERA_SECTIONS; i++) {
		const struct tessera_section_entry *entry = &header->sections[i];
		u64 start = (end + 7) & ~7ull;

		if (entry->count > section_limit(v->limits, i))
			return tsr_refuse(v, -E2BIG, i, 0, sections[i].over);
		if (entry->offset != start)
			return tsr_refuse(v, -EINVAL, i, 0, "section not where it must be");
		if (start > header->size ||
		    (u64)entry->count * sections[i].record > header->size - start)
			return tsr_refuse(v, -EINVAL, i, 0, "section ends outside the blob");
		if (!all_zero(blob + end, start - end))
			return tsr_refuse(v, -EINVAL, i, 0, "bytes before the section not zero");
		end = start + (u64)entry->count * sections[i].record;
	}
	if (end != header->size)
		return tsr_refuse(v, -EINVAL, HEADER, 0, "bytes after the last section");
	return 0;
}

static void set_tables(struct tsr_blob *prog, const u8 *blob)
{
	const struct tessera_section_entry *entry = prog->header->sections;

	prog->ranges = (const void *)(blob + entry[TESSERA_SECTION_RANGES].offset);
	prog->images = (const void *)(blob + entry[TESSERA_SECTION_IMAGES].offset);
	prog->descriptors = (const void *)(blob + entry[TESSERA_SECTION_DESCRIPTORS].offset);
	prog->args = (const void *)(blob + entry[TESSERA_SECTION_ARGS].offset);
	prog->semaphores = (const void *)(blob + entry[TESSERA_SECTION_SEMAPHORES].offset);
	prog->cbs = (const void *)(blob + entry[TESSERA_SECTION_CBS].offset);
	prog->bindings = (const void *)(blob + entry[TESSERA_SECTION_BINDINGS].offset);
	prog->strings = (const char *)(blob + entry[TESSERA_SECTION_STRINGS].offset);
	prog->data = blob + entry[TESSERA_SECTION_DATA].offset;
	prog->n_ranges = entry[TESSERA_SECTION_RANGES].count;
	prog->n_images = entry[TESSERA_SECTION_IMAGES].count;
	prog->n_descriptors = entry[TESSERA_SECTION_DESCRIPTORS].count;
	prog->n_args = entry[TESSERA_SECTION_ARGS].count;
	prog->n_semaphores = entry[TESSERA_SECTION_SEMAPHORES].count;
	prog->n_cbs = entry[TESSERA_SECTION_CBS].count;
	prog->n_bindings = entry[TESSERA_SECTION_BINDINGS].count;
	prog->strings_size = entry[TESSERA_SECTION_STRINGS].count;
	prog->data_size = entry[TESSERA_SECTION_DATA].count;
}

static int verify(struct tsr_verify *v, const void *blob, size_t size)
{
	int err;

	if ((u32)v->limits->grid_width * v->limits->grid_height > TESSERA_MAX_CORES)
		return tsr_refuse(v, -EINVAL, HEADER, 0, "device has too many cores");
	err = verify_header(v, size);
	if (!err)
		err = verify_layout(v, blob);
	if (err)
		return err;
	set_tables(&v->prog, blob);
	return tsr_blob_rules(v);
}

int tsr_blob_verify(const void *blob, size_t size, const struct tessera_limits *limits,
		    struct tsr_blob *ret, struct tsr_blob_error *reterr)
{
	struct tsr_verify v = { .limits = limits, .prog.header = blob };
	int err = verify(&v, blob, size);

	if (!err)
		*ret = v.prog;
	else if (reterr)
		*reterr = v.error;
	return err;
}

int tsr_dispatch_check(const void *blob, size_t size, const struct tsr_blob *prog,
		       struct tsr_dispatch *ret)
{
	const struct tessera_dispatch_header *header = blob;
	const struct tessera_bind *binds = (const void *)(header + 1);
	u64 need = sizeof(*header) + (u64)prog->n_bindings * sizeof(*binds) +
		   (u64)prog->words * sizeof(u32);

	if (size != need || size < sizeof(*header) || header->size != size)
		return -EINVAL;
	if (header->magic != TESSERA_DISPATCH_MAGIC || header->version != TESSERA_BLOB_VERSION ||
	    header->pad)
		return -EINVAL;
	if (header->bindings != prog->n_bindings || header->words != prog->words)
		return -EINVAL;
	for (u32 i = 0; i < prog->n_bindings; i++) {
		u64 end;

		if (binds[i].access != prog->bindings[i].access || binds[i].offset % 16 ||
		    binds[i].size < prog->bindings[i].min_size ||
		    check_add_overflow(binds[i].offset, binds[i].size, &end))
			return -EINVAL;
	}
	ret->bindings = binds;
	ret->words = (const u32 *)(binds + prog->n_bindings);
	return 0;
}

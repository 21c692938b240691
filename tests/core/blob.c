// SPDX-License-Identifier: MIT
/* The verifier of program blobs: every field, every limit, every layout. */
#include "common_blob.h"
#include "grid.h"
#include "kselftest_harness.h"

#define HEADER	TESSERA_SECTIONS

FIXTURE(blob) {
	struct tessera_limits limits;
	struct model m;
};

FIXTURE_SETUP(blob)
{
	model_limits(&self->limits);
	model_valid(&self->m);
}

FIXTURE_TEARDOWN(blob)
{
}

static int verify_model(const struct model *m, const struct tessera_limits *limits,
			struct tsr_blob_error *error)
{
	struct tsr_blob prog;
	size_t size;
	void *blob = model_build(m, &size);
	int err = tsr_blob_verify(blob, size, limits, &prog, error);

	free(blob);
	return err;
}

TEST_F(blob, valid_program_is_described)
{
	struct tsr_blob prog;
	size_t size;
	void *blob = model_build(&self->m, &size);
	u32 cores;
	u64 words;

	ASSERT_EQ(0, oracle(blob, size, &self->limits, &words, &cores));
	ASSERT_EQ(0, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
	EXPECT_EQ(blob, prog.header);
	EXPECT_EQ(5, prog.n_ranges);
	EXPECT_EQ(3, prog.n_images);
	EXPECT_EQ(4, prog.n_descriptors);
	EXPECT_EQ(7, prog.n_args);
	EXPECT_EQ(3, prog.n_semaphores);
	EXPECT_EQ(4, prog.n_cbs);
	EXPECT_EQ(3, prog.n_bindings);
	EXPECT_EQ(96, prog.data_size);
	EXPECT_EQ(2 + 5 + 1 + 339 + 0 + 341 + 7 + 341 + 1 + 4 + 4, prog.words);
	EXPECT_EQ(words, prog.words);
	EXPECT_EQ(15, prog.cores);
	EXPECT_EQ(cores, prog.cores);
	EXPECT_EQ(0, memcmp(prog.ranges, self->m.ranges, 5 * sizeof(*prog.ranges)));
	EXPECT_EQ(0, memcmp(prog.cbs, self->m.cbs, 4 * sizeof(*prog.cbs)));
	EXPECT_STREQ("math", prog.strings + prog.descriptors[3].name);
	free(blob);
}

TEST_F(blob, outputs_are_written_in_their_case_only)
{
	struct tsr_blob prog;
	struct tsr_blob_error error = { "untouched", 77, 77 };
	size_t size;
	u8 *blob = model_build(&self->m, &size);

	ASSERT_EQ(0, tsr_blob_verify(blob, size, &self->limits, &prog, &error));
	EXPECT_STREQ("untouched", error.what);
	memset(&prog, 0x55, sizeof(prog));
	blob[0] ^= 1;
	ASSERT_EQ(-EINVAL, tsr_blob_verify(blob, size, &self->limits, &prog, &error));
	EXPECT_STREQ("not a program blob", error.what);
	EXPECT_EQ(0x55555555, prog.words);
	ASSERT_EQ(-EINVAL, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
	free(blob);
}

/* One field of the valid program is changed; what is refused, and where. */
static const struct flip {
	const char *name;
	u32 section, index, offset, width;
	u64 value;
	int err;
	u32 in, at;
} flips[] = {
#define FIELD(section, type, index, field) \
	#section "[" #index "]." #field, TESSERA_SECTION_##section, index, \
	offsetof(struct tessera_##type, field), sizeof(((struct tessera_##type *)0)->field)
#define HEAD(field) "header." #field, HEADER, 0, offsetof(struct tessera_program_header, field), \
	sizeof(((struct tessera_program_header *)0)->field)
#define IN(section) TESSERA_SECTION_##section
#define MAX32 0xffffffffu
	{ HEAD(magic), 0, -EINVAL, HEADER, 0 },
	{ HEAD(magic), TESSERA_DISPATCH_MAGIC, -EINVAL, HEADER, 0 },
	{ HEAD(version), 0, -EINVAL, HEADER, 0 },
	{ HEAD(version), 2, -EINVAL, HEADER, 0 },
	{ HEAD(flags), 1, -EINVAL, HEADER, 0 },
	{ HEAD(flags), 1u << 31, -EINVAL, HEADER, 0 },
	{ HEAD(fingerprint[0]), ~0ull, 0, 0, 0 },
	{ HEAD(fingerprint[1]), 0, 0, 0, 0 },
	{ HEAD(name), 26, 0, 0, 0 },
	{ HEAD(name), 27, -EINVAL, HEADER, 0 },
	{ HEAD(name), MAX32, -EINVAL, HEADER, 0 },
	{ HEAD(range_first), 1, -EINVAL, IN(DESCRIPTORS), 0 },	/* now outside */
	{ HEAD(range_first), 4, -EINVAL, HEADER, 0 },
	{ HEAD(range_first), 5, -EINVAL, HEADER, 0 },
	{ HEAD(range_first), MAX32, -EINVAL, HEADER, 0 },
	{ HEAD(range_count), 0, -EINVAL, HEADER, 0 },
	{ HEAD(range_count), 1, -EINVAL, IN(DESCRIPTORS), 0 },	/* now outside */
	{ HEAD(range_count), 3, -EINVAL, HEADER, 0 },
	{ HEAD(range_count), 6, -EINVAL, HEADER, 0 },
	{ HEAD(range_count), MAX32, -EINVAL, HEADER, 0 },
	{ HEAD(pad), 1, -EINVAL, HEADER, 0 },

	{ FIELD(RANGES, range, 1, x0), 2, -EINVAL, IN(DESCRIPTORS), 3 },
	{ FIELD(RANGES, range, 1, x0), 3, -EINVAL, IN(RANGES), 1 },	/* reversed */
	{ FIELD(RANGES, range, 1, x0), 0xffff, -EINVAL, IN(RANGES), 1 },
	{ FIELD(RANGES, range, 1, x1), 3, -EINVAL, IN(RANGES), 1 },	/* harvested */
	{ FIELD(RANGES, range, 1, x1), 4, -EINVAL, IN(RANGES), 1 },	/* outside */
	{ FIELD(RANGES, range, 1, x1), 0xffff, -EINVAL, IN(RANGES), 1 },
	{ FIELD(RANGES, range, 1, y0), 2, -EINVAL, HEADER, 0 },		/* overlaps */
	{ FIELD(RANGES, range, 1, y0), 4, -EINVAL, IN(RANGES), 1 },
	{ FIELD(RANGES, range, 1, y1), 2, -EINVAL, IN(RANGES), 1 },
	{ FIELD(RANGES, range, 1, y1), 4, -EINVAL, IN(RANGES), 1 },
	{ FIELD(RANGES, range, 1, y1), 0xffff, -EINVAL, IN(RANGES), 1 },
	{ FIELD(RANGES, range, 0, x0), 1, -EINVAL, IN(ARGS), 0 },
	{ FIELD(RANGES, range, 0, x1), 4, -EINVAL, IN(RANGES), 0 },
	{ FIELD(RANGES, range, 3, x0), 1, -EINVAL, IN(DESCRIPTORS), 2 },	/* V20 */

	{ FIELD(IMAGES, image, 0, data_offset), 1, -EINVAL, IN(DATA), 0 },
	{ FIELD(IMAGES, image, 1, data_offset), 0, -EINVAL, IN(DATA), 32 },
	{ FIELD(IMAGES, image, 1, data_offset), 31, -EINVAL, IN(DATA), 51 },
	{ FIELD(IMAGES, image, 1, data_offset), 36, -EINVAL, IN(DATA), 32 },
	{ FIELD(IMAGES, image, 2, data_offset), 52, -EINVAL, IN(DATA), 92 },
	{ FIELD(IMAGES, image, 2, data_offset), 57, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, data_offset), 96, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, data_offset), 97, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, data_offset), MAX32, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, data_size), 0, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, data_size), 3, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, data_size), 39, -EINVAL, IN(DATA), 95 },
	{ FIELD(IMAGES, image, 2, data_size), 41, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, data_size), MAX32, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, mem_size), 0, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, mem_size), 39, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, mem_size), 40, 0, 0, 0 },
	{ FIELD(IMAGES, image, 2, mem_size), 0x4000, 0, 0, 0 },
	{ FIELD(IMAGES, image, 2, mem_size), 0x4001, -E2BIG, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, mem_size), MAX32, -E2BIG, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, text_size), 0, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, text_size), 3, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, text_size), 40, 0, 0, 0 },
	{ FIELD(IMAGES, image, 2, text_size), 44, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 2, text_size), 0xfffffffc, -EINVAL, IN(IMAGES), 2 },
	{ FIELD(IMAGES, image, 1, entry), 0, -EINVAL, IN(IMAGES), 1 },
	{ FIELD(IMAGES, image, 1, entry), 0x107ffc, -EINVAL, IN(IMAGES), 1 },
	{ FIELD(IMAGES, image, 1, entry), 0x108000, 0, 0, 0 },
	{ FIELD(IMAGES, image, 1, entry), 0x108002, -EINVAL, IN(IMAGES), 1 },
	{ FIELD(IMAGES, image, 1, entry), 0x108014, -EINVAL, IN(IMAGES), 1 },
	{ FIELD(IMAGES, image, 1, entry), 0xfffffffc, -EINVAL, IN(IMAGES), 1 },
	{ FIELD(IMAGES, image, 1, processor), 0, -EINVAL, IN(IMAGES), 1 },	/* entry */
	{ FIELD(IMAGES, image, 1, processor), 3, -EINVAL, IN(IMAGES), 1 },
	{ FIELD(IMAGES, image, 1, processor), MAX32, -EINVAL, IN(IMAGES), 1 },

	{ FIELD(DESCRIPTORS, descriptor, 3, image), 0, -EINVAL, IN(IMAGES), 2 },	/* unused */
	{ FIELD(DESCRIPTORS, descriptor, 2, image), 0, -EINVAL, IN(DESCRIPTORS), 2 },
	{ FIELD(DESCRIPTORS, descriptor, 2, image), 3, -EINVAL, IN(DESCRIPTORS), 2 },
	{ FIELD(DESCRIPTORS, descriptor, 2, image), MAX32, -EINVAL, IN(DESCRIPTORS), 2 },
	{ FIELD(DESCRIPTORS, descriptor, 0, name), 0, 0, 0, 0 },
	{ FIELD(DESCRIPTORS, descriptor, 0, name), 26, 0, 0, 0 },
	{ FIELD(DESCRIPTORS, descriptor, 0, name), 27, -EINVAL, IN(DESCRIPTORS), 0 },
	{ FIELD(DESCRIPTORS, descriptor, 0, name), MAX32, -EINVAL, IN(DESCRIPTORS), 0 },
	{ FIELD(DESCRIPTORS, descriptor, 0, range_first), 1, -EINVAL, IN(ARGS), 1 },
	{ FIELD(DESCRIPTORS, descriptor, 1, range_first), 3, -EINVAL, IN(ARGS), 3 },
	{ FIELD(DESCRIPTORS, descriptor, 3, range_first), 5, -EINVAL, IN(DESCRIPTORS), 3 },
	{ FIELD(DESCRIPTORS, descriptor, 3, range_first), MAX32, -EINVAL, IN(DESCRIPTORS), 3 },
	{ FIELD(DESCRIPTORS, descriptor, 0, range_count), 0, -EINVAL, IN(DESCRIPTORS), 0 },
	{ FIELD(DESCRIPTORS, descriptor, 0, range_count), 1, -EINVAL, IN(ARGS), 2 },
	{ FIELD(DESCRIPTORS, descriptor, 0, range_count), 6, -EINVAL, IN(DESCRIPTORS), 0 },
	{ FIELD(DESCRIPTORS, descriptor, 0, range_count), MAX32, -EINVAL, IN(DESCRIPTORS), 0 },
	{ FIELD(DESCRIPTORS, descriptor, 1, range_count), 2, -EINVAL, IN(DESCRIPTORS), 2 },
	{ FIELD(DESCRIPTORS, descriptor, 1, arg_first), 2, -EINVAL, IN(DESCRIPTORS), 1 },
	{ FIELD(DESCRIPTORS, descriptor, 1, arg_first), 4, -EINVAL, IN(DESCRIPTORS), 1 },
	{ FIELD(DESCRIPTORS, descriptor, 1, arg_first), MAX32, -EINVAL, IN(DESCRIPTORS), 1 },
	{ FIELD(DESCRIPTORS, descriptor, 0, arg_count), 0, -EINVAL, IN(DESCRIPTORS), 1 },
	{ FIELD(DESCRIPTORS, descriptor, 3, arg_count), 0, -EINVAL, IN(ARGS), 5 },
	{ FIELD(DESCRIPTORS, descriptor, 3, arg_count), 1, -EINVAL, IN(ARGS), 6 },
	{ FIELD(DESCRIPTORS, descriptor, 3, arg_count), 3, -EINVAL, IN(DESCRIPTORS), 3 },
	{ FIELD(DESCRIPTORS, descriptor, 3, arg_count), MAX32, -EINVAL, IN(DESCRIPTORS), 3 },
	{ FIELD(DESCRIPTORS, descriptor, 2, common_words), 0, 0, 0, 0 },
	{ FIELD(DESCRIPTORS, descriptor, 2, common_words), 340, 0, 0, 0 },
	{ FIELD(DESCRIPTORS, descriptor, 2, common_words), 342, -E2BIG, IN(DESCRIPTORS), 2 },
	{ FIELD(DESCRIPTORS, descriptor, 2, common_words), MAX32, -E2BIG, IN(DESCRIPTORS), 2 },
	{ FIELD(DESCRIPTORS, descriptor, 0, common_words), 3, -E2BIG, IN(ARGS), 2 },
	{ FIELD(DESCRIPTORS, descriptor, 1, common_words), 1, -E2BIG, IN(ARGS), 3 },
	{ FIELD(DESCRIPTORS, descriptor, 2, pad), 1, -EINVAL, IN(DESCRIPTORS), 2 },

	{ FIELD(ARGS, arg, 0, x), 3, -EINVAL, IN(ARGS), 1 },		/* twice */
	{ FIELD(ARGS, arg, 1, x), 0, -EINVAL, IN(ARGS), 1 },
	{ FIELD(ARGS, arg, 2, x), 3, -EINVAL, IN(ARGS), 2 },		/* harvested */
	{ FIELD(ARGS, arg, 2, x), 4, -EINVAL, IN(ARGS), 2 },
	{ FIELD(ARGS, arg, 2, x), 0xffff, -EINVAL, IN(ARGS), 2 },
	{ FIELD(ARGS, arg, 2, y), 0, -EINVAL, IN(ARGS), 2 },		/* not ascending */
	{ FIELD(ARGS, arg, 2, y), 4, -EINVAL, IN(ARGS), 2 },
	{ FIELD(ARGS, arg, 2, y), 0xffff, -EINVAL, IN(ARGS), 2 },
	{ FIELD(ARGS, arg, 4, y), 2, -EINVAL, IN(ARGS), 4 },		/* V11 */
	{ FIELD(ARGS, arg, 2, words), 0, -EINVAL, IN(ARGS), 2 },
	{ FIELD(ARGS, arg, 2, words), 338, 0, 0, 0 },
	{ FIELD(ARGS, arg, 2, words), 340, -E2BIG, IN(ARGS), 2 },
	{ FIELD(ARGS, arg, 2, words), MAX32, -E2BIG, IN(ARGS), 2 },
	{ FIELD(ARGS, arg, 3, words), 342, -E2BIG, IN(ARGS), 3 },

	{ FIELD(SEMAPHORES, semaphore, 0, id), 2, 0, 0, 0 },
	{ FIELD(SEMAPHORES, semaphore, 0, id), 3, -EINVAL, IN(SEMAPHORES), 1 },
	{ FIELD(SEMAPHORES, semaphore, 2, id), 3, -EINVAL, IN(SEMAPHORES), 2 },
	{ FIELD(SEMAPHORES, semaphore, 2, id), 14, 0, 0, 0 },
	{ FIELD(SEMAPHORES, semaphore, 2, id), 16, -EINVAL, IN(SEMAPHORES), 2 },
	{ FIELD(SEMAPHORES, semaphore, 2, id), MAX32, -EINVAL, IN(SEMAPHORES), 2 },
	{ FIELD(SEMAPHORES, semaphore, 2, initial), MAX32, 0, 0, 0 },
	{ FIELD(SEMAPHORES, semaphore, 2, core_type), 1, -EINVAL, IN(SEMAPHORES), 2 },
	{ FIELD(SEMAPHORES, semaphore, 2, core_type), MAX32, -EINVAL, IN(SEMAPHORES), 2 },
	{ FIELD(SEMAPHORES, semaphore, 1, range_first), 1, 0, 0, 0 },
	{ FIELD(SEMAPHORES, semaphore, 1, range_first), 4, -EINVAL, IN(SEMAPHORES), 1 },
	{ FIELD(SEMAPHORES, semaphore, 1, range_first), MAX32, -EINVAL, IN(SEMAPHORES), 1 },
	{ FIELD(SEMAPHORES, semaphore, 1, range_count), 0, -EINVAL, IN(SEMAPHORES), 1 },
	{ FIELD(SEMAPHORES, semaphore, 1, range_count), 3, 0, 0, 0 },
	{ FIELD(SEMAPHORES, semaphore, 1, range_count), 4, -EINVAL, IN(SEMAPHORES), 1 },
	{ FIELD(SEMAPHORES, semaphore, 1, range_count), MAX32, -EINVAL, IN(SEMAPHORES), 1 },
	{ FIELD(SEMAPHORES, semaphore, 1, pad), 1u << 31, -EINVAL, IN(SEMAPHORES), 1 },

	{ FIELD(CBS, cb, 0, id), 1, 0, 0, 0 },
	{ FIELD(CBS, cb, 0, id), 31, -EINVAL, IN(CBS), 2 },		/* twice on a core */
	{ FIELD(CBS, cb, 2, id), 32, -EINVAL, IN(CBS), 2 },
	{ FIELD(CBS, cb, 2, id), MAX32, -EINVAL, IN(CBS), 2 },
	{ FIELD(CBS, cb, 3, page_size), 0, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, page_size), 8, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, page_size), 16, 0, 0, 0 },
	{ FIELD(CBS, cb, 3, page_size), 1032, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, page_size), 1040, -E2BIG, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, page_size), 0xfffffff0, -E2BIG, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, page_count), 0, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, page_count), 2, -E2BIG, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, page_count), 1u << 22, -E2BIG, IN(CBS), 3 },	/* 2^32 bytes */
	{ FIELD(CBS, cb, 3, page_count), MAX32, -E2BIG, IN(CBS), 3 },
	{ FIELD(CBS, cb, 0, page_count), 5, -EINVAL, IN(CBS), 2 },	/* overlap */
	{ FIELD(CBS, cb, 0, address), 0, -EINVAL, IN(CBS), 0 },
	{ FIELD(CBS, cb, 0, address), 0x10fff0, -EINVAL, IN(CBS), 0 },
	{ FIELD(CBS, cb, 0, address), 0x110008, -EINVAL, IN(CBS), 0 },
	{ FIELD(CBS, cb, 0, address), 0x110010, -EINVAL, IN(CBS), 2 },
	{ FIELD(CBS, cb, 0, address), 0x112010, 0, 0, 0 },
	{ FIELD(CBS, cb, 3, address), 0x13fc10, -E2BIG, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, address), 0x140000, -E2BIG, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, address), 0xfffffff0, -E2BIG, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, format), 4, 0, 0, 0 },
	{ FIELD(CBS, cb, 3, format), 5, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, format), MAX32, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, range_first), 1, 0, 0, 0 },
	{ FIELD(CBS, cb, 3, range_first), 4, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, range_first), MAX32, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, range_count), 0, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, range_count), 3, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, range_count), MAX32, -EINVAL, IN(CBS), 3 },
	{ FIELD(CBS, cb, 3, pad), 1, -EINVAL, IN(CBS), 3 },

	{ FIELD(BINDINGS, binding, 2, min_size), 0, -EINVAL, IN(BINDINGS), 2 },
	{ FIELD(BINDINGS, binding, 2, min_size), 1, 0, 0, 0 },
	{ FIELD(BINDINGS, binding, 2, min_size), ~0ull, 0, 0, 0 },
	{ FIELD(BINDINGS, binding, 2, access), 0, -EINVAL, IN(BINDINGS), 2 },
	{ FIELD(BINDINGS, binding, 2, access), 1, 0, 0, 0 },
	{ FIELD(BINDINGS, binding, 2, access), 4, -EINVAL, IN(BINDINGS), 2 },
	{ FIELD(BINDINGS, binding, 2, access), MAX32, -EINVAL, IN(BINDINGS), 2 },
	{ FIELD(BINDINGS, binding, 2, pad), 1, -EINVAL, IN(BINDINGS), 2 },

	{ "name[0].end", IN(STRINGS), 26, 0, 1, 'x', -EINVAL, IN(STRINGS), 26 },
	{ "name[0].inner", IN(STRINGS), 7, 0, 1, 'x', 0, 0, 0 },
	{ "data.pad", IN(DATA), 52, 0, 1, 1, -EINVAL, IN(DATA), 52 },
	{ "data.pad", IN(DATA), 55, 0, 1, 1, -EINVAL, IN(DATA), 52 },
	{ "data.byte", IN(DATA), 56, 0, 1, 0xff, 0, 0, 0 },
};

TEST_F(blob, every_wrong_field_is_refused_where_it_is)
{
	for (u32 i = 0; i < ARRAY_SIZE(flips); i++) {
		const struct flip *f = &flips[i];
		struct tsr_blob_error error = { "accepted", 0, 0 };
		struct model m = self->m;
		u8 *record = f->section == HEADER ? (u8 *)&m.header :
			model_table(&m, f->section) +
			(size_t)f->index * model_record_size(f->section);
		int err;

		memcpy(record + f->offset, &f->value, f->width);
		err = verify_model(&m, &self->limits, &error);
		EXPECT_EQ(f->err, err)
			TH_LOG("%s = %#llx: %s", f->name, (long long)f->value, error.what);
		if (!err || err != f->err)
			continue;
		EXPECT_EQ(f->in, error.section)
			TH_LOG("%s = %#llx: %s", f->name, (long long)f->value, error.what);
		EXPECT_EQ(f->at, error.index)
			TH_LOG("%s = %#llx: %s", f->name, (long long)f->value, error.what);
	}
}

#define MANY	3000u

/* The model's blob, with MANY ranges behind its own: 1,000 cores of a grid of 32 x 32, one each. */
static void *build_with_many_ranges(const struct model *m, size_t *ret_size)
{
	size_t size, at, more = MANY * sizeof(struct tessera_range);
	u8 *small = model_build(m, &size), *blob = malloc(size + more);
	struct tessera_program_header *header = (void *)blob;

	memcpy(blob, small, size);
	at = header->sections[TESSERA_SECTION_RANGES].offset +
	     header->sections[TESSERA_SECTION_RANGES].count * sizeof(struct tessera_range);
	memcpy(blob + at + more, small + at, size - at);
	for (u32 i = 0; i < MANY; i++) {
		u32 x = i % 1000 % 32, y = i % 1000 / 32;
		struct tessera_range one = { x, y, x, y };

		memcpy(blob + at + i * sizeof(one), &one, sizeof(one));
	}
	header->size += more;
	header->sections[TESSERA_SECTION_RANGES].count += MANY;
	for (u32 i = TESSERA_SECTION_RANGES + 1; i < TESSERA_SECTIONS; i++)
		header->sections[i].offset += more;
	free(small);
	*ret_size = size + more;
	return blob;
}

/*
 * The verifier remembers 2,048 of them at a time: what is not used is found in any part. With 5 and
 * 2,000 before, 43 more are the first part.
 */
TEST_F(blob, the_range_that_serves_nothing_is_found_among_thousands)
{
	static const u32 used[] = { 1000, 1, 42, 43, 44, 999 };
	u32 first = self->m.header.sections[TESSERA_SECTION_RANGES].count;
	struct tsr_blob_error error = { "accepted", 0, 0 };
	struct tsr_blob prog;

	self->limits.grid_width = 32;
	self->limits.grid_height = 32;
	self->limits.cores = 1024;
	self->limits.harvested[0] = 0;
	self->limits.ranges = first + MANY;
	self->limits.program_size = 1 << 20;
	self->m.header.range_count = 1;
	self->m.ranges[0] = (struct tessera_range){ 0, 0, 31, 31 };
	self->m.ranges[1] = (struct tessera_range){ 0, 0, 3, 3 };
	self->m.descriptors[0].range_first = 1;
	self->m.descriptors[0].range_count = 1;
	self->m.cbs[3].range_count = 1;
	for (u32 i = 0; i < 3; i++)
		self->m.semaphores[i] = (struct tessera_semaphore){
			.id = i, .range_first = first + 1000 * i, .range_count = 1000,
		};
	for (u32 i = 0; i < ARRAY_SIZE(used); i++) {
		size_t size;
		void *blob;
		int err;

		self->m.semaphores[2].range_count = used[i];
		blob = build_with_many_ranges(&self->m, &size);
		err = tsr_blob_verify(blob, size, &self->limits, &prog, &error);
		EXPECT_EQ(used[i] == 1000 ? 0 : -EINVAL, err)
			TH_LOG("%u used: %s, section %u, record %u", used[i], error.what,
			       error.section, error.index);
		if (err)
			EXPECT_EQ(first + 2000 + used[i], error.index);
		free(blob);
	}
}

TEST_F(blob, every_limit_at_its_edge)
{
	static const struct {
		size_t offset;
		u32 needed;
		int err;
		u32 section;
	} edges[] = {
#define LIMIT(field, ...) { offsetof(struct tessera_limits, field), __VA_ARGS__ }
		LIMIT(ranges, 5, -E2BIG, IN(RANGES)),
		LIMIT(images, 3, -E2BIG, IN(IMAGES)),
		LIMIT(descriptors, 4, -E2BIG, IN(DESCRIPTORS)),
		LIMIT(bindings, 3, -E2BIG, IN(BINDINGS)),
		LIMIT(semaphores, 16, -EINVAL, IN(SEMAPHORES)),
		LIMIT(circular_buffers, 32, -EINVAL, IN(CBS)),
		LIMIT(words, 341, -E2BIG, IN(ARGS)),
		LIMIT(image_slot, 0x4000, -E2BIG, IN(IMAGES)),
		LIMIT(l1_size, 0x40000, -E2BIG, IN(CBS)),
		LIMIT(cores, 3, -E2BIG, IN(ARGS)),
	};

	for (u32 i = 0; i < ARRAY_SIZE(edges); i++) {
		struct tessera_limits limits = self->limits;
		struct tsr_blob_error error = { "accepted", 0, 0 };

		memcpy((u8 *)&limits + edges[i].offset, &edges[i].needed, 4);
		EXPECT_EQ(0, verify_model(&self->m, &limits, &error))
			TH_LOG("edge %u: %s", i, error.what);
		memcpy((u8 *)&limits + edges[i].offset, &(u32){ edges[i].needed - 1 }, 4);
		EXPECT_EQ(edges[i].err, verify_model(&self->m, &limits, &error))
			TH_LOG("edge %u: %s", i, error.what);
		EXPECT_EQ(edges[i].section, error.section)
			TH_LOG("edge %u: %s", i, error.what);
	}
}

TEST_F(blob, counts_over_a_limit_are_refused_before_anything_is_read)
{
	size_t size;
	u8 *blob = model_build(&self->m, &size);
	struct tessera_program_header *header = (void *)blob;
	struct tsr_blob prog;

	for (u32 i = 0; i < TESSERA_SECTIONS; i++) {
		static const u32 most[TESSERA_SECTIONS] = {
			24, 6, 6, 45, 16, 480, 8, 0x10000, 0x10000
		};
		u32 good = header->sections[i].count;

		header->sections[i].count = most[i];
		EXPECT_EQ(-EINVAL, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
		header->sections[i].count = most[i] + 1;
		EXPECT_EQ(-E2BIG, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
		header->sections[i].count = 1u << 31;
		EXPECT_EQ(-E2BIG, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
		header->sections[i].count = MAX32;
		EXPECT_EQ(-E2BIG, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
		header->sections[i].count = good;
	}
	self->limits.program_size = size;
	EXPECT_EQ(0, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
	self->limits.program_size = size - 1;
	EXPECT_EQ(-E2BIG, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
	free(blob);
}

TEST_F(blob, sections_lie_in_one_way_only)
{
	size_t size;
	u8 *blob = model_build(&self->m, &size);
	struct tessera_program_header *header = (void *)blob;
	struct tsr_blob prog;

	for (u32 i = 0; i < TESSERA_SECTIONS; i++) {
		u32 good = header->sections[i].offset;
		u32 values[] = { 0, good - 8, good - 1, good + 1, good + 8, (u32)size, MAX32 };

		for (u32 k = 0; k < ARRAY_SIZE(values); k++) {
			header->sections[i].offset = values[k];
			EXPECT_EQ(-EINVAL, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
		}
		header->sections[i].offset = good;
	}
	/* The five bytes between STRINGS and DATA. */
	for (u32 k = 1; k <= 5; k++) {
		u8 *pad = blob + header->sections[TESSERA_SECTION_DATA].offset - k;

		*pad = 1;
		EXPECT_EQ(-EINVAL, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
		*pad = 0;
	}
	EXPECT_EQ(0, tsr_blob_verify(blob, size, &self->limits, &prog, NULL));
	free(blob);
}

TEST_F(blob, cut_or_lengthened_anywhere)
{
	size_t size;
	u8 *blob = model_build(&self->m, &size);
	struct tsr_blob prog;

	for (size_t cut = 0; cut < size + 16; cut++) {
		u8 *copy = calloc(1, cut ? cut : 1);
		int told;

		memcpy(copy, blob, cut < size ? cut : size);
		EXPECT_EQ(cut == size ? 0 : -EINVAL,
			  tsr_blob_verify(copy, cut, &self->limits, &prog, NULL));
		/* Also with a header that admits it. */
		if (cut >= sizeof(*prog.header)) {
			((struct tessera_program_header *)copy)->size = cut;
			told = tsr_blob_verify(copy, cut, &self->limits, &prog, NULL);
			EXPECT_EQ(cut == size ? 0 : -EINVAL, told);
		}
		free(copy);
	}
	free(blob);
}

TEST_F(blob, device_with_more_cores_than_sets_can_hold)
{
	self->limits.grid_width = 64;
	self->limits.grid_height = 17;
	EXPECT_EQ(-EINVAL, verify_model(&self->m, &self->limits, NULL));
}

TEST_F(blob, device_with_more_circular_buffers_than_the_verifier_lists)
{
	struct tsr_blob_error error;

	self->limits.circular_buffers = 64;
	EXPECT_EQ(0, verify_model(&self->m, &self->limits, NULL));
	self->limits.circular_buffers = 65;
	EXPECT_EQ(-E2BIG, verify_model(&self->m, &self->limits, &error));
	EXPECT_EQ(IN(CBS), error.section);
}

TEST_F(blob, more_words_than_the_size_of_a_dispatch_can_say)
{
	struct tsr_blob_error error;

	self->limits.words = MAX32;
	self->m.args[0].words = 0x3fffffff;
	EXPECT_EQ(-E2BIG, verify_model(&self->m, &self->limits, &error));
	EXPECT_STREQ("too many words in all", error.what);
}

TEST_F(blob, program_without_descriptors_is_refused)
{
	struct tsr_blob_error error;

	for (u32 i = 0; i < TESSERA_SECTIONS; i++)
		if (i != TESSERA_SECTION_RANGES && i != TESSERA_SECTION_STRINGS)
			self->m.header.sections[i].count = 0;
	self->m.header.sections[TESSERA_SECTION_RANGES].count = 2;
	EXPECT_EQ(-EINVAL, verify_model(&self->m, &self->limits, &error));
	EXPECT_STREQ("no descriptor", error.what);
}

TEST_F(blob, smallest_program_is_accepted)
{
	self->m.header = (struct tessera_program_header){
		.magic = TESSERA_PROGRAM_MAGIC, .version = 1, .range_count = 1,
	};
	self->m.descriptors[0] = (struct tessera_descriptor){ .range_count = 1 };
	self->m.images[0] = (struct tessera_image){ 0, 4, 4, 4, 0x104000, 0 };
	self->m.strings[0] = 0;
	self->m.header.sections[TESSERA_SECTION_RANGES].count = 1;
	self->m.header.sections[TESSERA_SECTION_IMAGES].count = 1;
	self->m.header.sections[TESSERA_SECTION_DESCRIPTORS].count = 1;
	self->m.header.sections[TESSERA_SECTION_STRINGS].count = 1;
	self->m.header.sections[TESSERA_SECTION_DATA].count = 4;
	EXPECT_EQ(0, verify_model(&self->m, &self->limits, NULL));
}

TEST_HARNESS_MAIN

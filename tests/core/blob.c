// SPDX-License-Identifier: MIT
/* The verifier of program and dispatch blobs: every field, every boundary, random damage. */
#include <time.h>
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

/* What a blob and the second opinion agree on. */
static bool agree(const void *blob, size_t size, const struct tessera_limits *limits)
{
	struct tsr_blob prog;
	u64 words;
	u32 cores, wrong = oracle(blob, size, limits, &words, &cores);
	int err = tsr_blob_verify(blob, size, limits, &prog, NULL);

	if (err == -EINVAL)
		return wrong & ORACLE_EINVAL;
	if (err == -E2BIG)
		return wrong & ORACLE_E2BIG;
	return !err && !wrong && prog.words == words && prog.cores == cores;
}

TEST_F(blob, every_word_at_every_boundary)
{
	static const u32 values[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 23, 24, 25, 31, 32, 33, 45, 46, 339, 340, 341,
		342, 479, 480, 481, 0x3fff, 0x4000, 0x4001, 0xffff, 0x10000, 0x10001, 0x100000,
		0x104000, 0x108000, 0x10c000, 0x10fff0, 0x110000, 0x13fff0, 0x140000, 0x7fffffff,
		0x80000000, 0xfffffff0, 0xfffffffc, 0xffffffff, 0x20000, 0x30000, 0x40000, 0x10003,
	};
	size_t size;
	u8 *blob = model_build(&self->m, &size);

	for (size_t at = 0; at + 4 <= size; at += 4) {
		u32 good;

		memcpy(&good, blob + at, 4);
		for (u32 i = 0; i < ARRAY_SIZE(values) + 2; i++) {
			u32 value = i < ARRAY_SIZE(values) ? values[i] :
				i == ARRAY_SIZE(values) ? good + 1 : good - 1;

			memcpy(blob + at, &value, 4);
			EXPECT_TRUE(agree(blob, size, &self->limits))
				TH_LOG("word at %zu: %#x", at, value);
		}
		memcpy(blob + at, &good, 4);
	}
	EXPECT_TRUE(agree(blob, size, &self->limits));
	free(blob);
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

static u64 random_state = 0x2545f4914f6cdd1d;

static u32 random_u32(u32 below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 16) % below;
}

static void damage(struct model *m)
{
	u32 section = random_u32(TESSERA_SECTIONS + 1);
	u8 *record = (u8 *)&m->header;
	u32 size = sizeof(m->header);

	if (section < TESSERA_SECTIONS) {
		u32 n = m->header.sections[section].count;

		u32 room = section < TESSERA_SECTION_STRINGS ? MODEL_RECORDS : MODEL_BYTES;

		size = model_record_size(section);
		n = n < room ? n : room;
		record = (u8 *)model_table(m, section) + (n ? random_u32(n) : 0) * size;
	}
	switch (random_u32(8)) {
	case 0:
		record[random_u32(size)] ^= 1 << random_u32(8);
		break;
	case 1:		/* one record more, or fewer: often right */
		if (section == TESSERA_SECTIONS)
			break;
		if (random_u32(2) && m->header.sections[section].count < MODEL_RECORDS)
			m->header.sections[section].count++;
		else if (m->header.sections[section].count)
			m->header.sections[section].count--;
		break;
	case 2:		/* the same record again */
		if (section < TESSERA_SECTIONS && m->header.sections[section].count < 30)
			memcpy((u8 *)model_table(m, section) +
			       m->header.sections[section].count++ * size, record, size);
		break;
	case 3: {	/* swap two records */
		u8 other[64], *p;

		if (section == TESSERA_SECTIONS || !m->header.sections[section].count ||
		    m->header.sections[section].count > MODEL_RECORDS)
			break;
		p = (u8 *)model_table(m, section) +
			random_u32(m->header.sections[section].count) * size;
		memcpy(other, p, size);
		memmove(p, record, size);
		memcpy(record, other, size);
		break;
	}
	default:	/* a small number in a random half-word */
		if (size >= 2) {
			u16 value = random_u32(6);

			memcpy(record + random_u32(size / 2) * 2, &value, 2);
		}
	}
}

TEST_F(blob, random_damage)
{
	u32 accepted = 0;

	for (u32 i = 0; i < 200000; i++) {
		struct model m = self->m;
		struct tsr_blob prog;
		size_t size;
		void *blob;

		for (u32 n = random_u32(4) + 1; n; n--)
			damage(&m);
		for (u32 n = 0; n < TESSERA_SECTIONS; n++)
			if (m.header.sections[n].count > MODEL_RECORDS &&
			    n < TESSERA_SECTION_STRINGS)
				m.header.sections[n].count = MODEL_RECORDS;
		m.header.sections[TESSERA_SECTION_STRINGS].count %= MODEL_BYTES;
		m.header.sections[TESSERA_SECTION_DATA].count %= MODEL_BYTES;
		blob = model_build(&m, &size);
		ASSERT_TRUE(agree(blob, size, &self->limits))
			TH_LOG("round %u", i);
		accepted += !tsr_blob_verify(blob, size, &self->limits, &prog, NULL);
		free(blob);
	}
	/* Neither all nor none, or this test would show nothing. */
	EXPECT_GT(accepted, 5000);
	EXPECT_LT(accepted, 150000);
}

TEST_F(blob, biggest_program_is_verified_in_bounded_time)
{
	struct tessera_limits limits = {
		.grid_width = 32, .grid_height = 32, .cores = 1024, .l1_size = 0x100000,
		.image_base = { 0x104000, 0x108000, 0x10c000 }, .image_slot = 0x4000,
		.cb_base = 0x110000, .words = 4096, .semaphores = 16, .circular_buffers = 32,
		.bindings = 8, .images = 6, .descriptors = 4096, .ranges = 4096,
		.program_size = 4 << 20,
	};
	const u32 counts[TESSERA_SECTIONS] = { 1024, 3, 3072, 3072, 16, 32768, 0, 1, 4 };
	size_t at[TESSERA_SECTIONS], size = sizeof(struct tessera_program_header);
	struct tessera_program_header *header;
	struct timespec start, stop;
	struct tsr_blob prog;
	u8 *blob;

	for (u32 i = 0; i < TESSERA_SECTIONS; i++) {
		at[i] = (size + 7) / 8 * 8;
		size = at[i] + counts[i] * (size_t)model_record_size(i);
	}
	blob = calloc(1, size);
	header = (void *)blob;
	*header = (struct tessera_program_header){
		.magic = TESSERA_PROGRAM_MAGIC, .version = 1, .size = size, .range_count = 1024,
	};
	for (u32 i = 0; i < TESSERA_SECTIONS; i++)
		header->sections[i] = (struct tessera_section_entry){ at[i], counts[i] };
	for (u32 i = 0; i < 1024; i++)
		((struct tessera_range *)(blob + at[0]))[i] =
			(struct tessera_range){ i % 32, i / 32, i % 32, i / 32 };
	for (u32 i = 0; i < 3; i++)
		((struct tessera_image *)(blob + at[1]))[i] =
			(struct tessera_image){ 0, 4, 4, 4, limits.image_base[i], i };
	for (u32 i = 0; i < 3072; i++) {
		((struct tessera_descriptor *)(blob + at[2]))[i] = (struct tessera_descriptor){
			i / 1024, 0, i % 1024, 1, i, 1, 2048, 0 };
		((struct tessera_arg *)(blob + at[3]))[i] =
			(struct tessera_arg){ i % 32, i / 32 % 32, 2048 };
	}
	for (u32 i = 0; i < 16; i++)
		((struct tessera_semaphore *)(blob + at[4]))[i] =
			(struct tessera_semaphore){ .id = i, .range_count = 1024 };
	for (u32 i = 0; i < 32768; i++)
		((struct tessera_cb *)(blob + at[5]))[i] = (struct tessera_cb){
			i / 1024, 16, 1, 0x110000 + i / 1024 * 16, 0, i % 1024, 1, 0 };

	clock_gettime(CLOCK_MONOTONIC, &start);
	ASSERT_EQ(0, tsr_blob_verify(blob, size, &limits, &prog, NULL));
	clock_gettime(CLOCK_MONOTONIC, &stop);
	EXPECT_EQ(3072 * 4096, prog.words);
	EXPECT_EQ(1024, prog.cores);
	TH_LOG("%zu bytes in %ld ms", size, (long)((stop.tv_sec - start.tv_sec) * 1000 +
						  (stop.tv_nsec - start.tv_nsec) / 1000000));
	EXPECT_LT(stop.tv_sec - start.tv_sec, 10);
	free(blob);
}

TEST_F(blob, device_with_more_cores_than_sets_can_hold)
{
	self->limits.grid_width = 64;
	self->limits.grid_height = 17;
	EXPECT_EQ(-EINVAL, verify_model(&self->m, &self->limits, NULL));
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

/* --- dispatch blobs ------------------------------------------------------------ */

FIXTURE(dispatch) {
	struct tessera_limits limits;
	struct tsr_blob prog;
	void *blob;
	struct tessera_dispatch_header *header;
	struct tessera_bind *binds;
	u32 *words;
	size_t size;
};

FIXTURE_SETUP(dispatch)
{
	struct model m;
	size_t size;

	model_limits(&self->limits);
	model_valid(&m);
	self->blob = model_build(&m, &size);
	ASSERT_EQ(0, tsr_blob_verify(self->blob, size, &self->limits, &self->prog, NULL));
	self->size = sizeof(*self->header) + 3 * sizeof(*self->binds) + self->prog.words * 4;
	self->header = calloc(1, self->size);
	self->binds = (void *)(self->header + 1);
	self->words = (void *)(self->binds + 3);
	*self->header = (struct tessera_dispatch_header){
		TESSERA_DISPATCH_MAGIC, 1, self->size, 3, self->prog.words, 0
	};
	for (u32 i = 0; i < 3; i++)
		self->binds[i] = (struct tessera_bind){
			i * 16, self->prog.bindings[i].min_size, i + 1, self->prog.bindings[i].access
		};
}

FIXTURE_TEARDOWN(dispatch)
{
	free(self->header);
	free(self->blob);
}

TEST_F(dispatch, right_one_is_accepted)
{
	struct tsr_dispatch ret;

	ASSERT_EQ(0, tsr_dispatch_check(self->header, self->size, &self->prog, &ret));
	EXPECT_EQ(self->binds, ret.bindings);
	EXPECT_EQ(self->words, ret.words);
}

TEST_F(dispatch, every_wrong_header_word)
{
	static const u32 values[] = { 0, 1, 2, 3, 4, 0x7fffffff, 0x80000000, 0xffffffff };
	u32 *word = (u32 *)self->header;
	struct tsr_dispatch ret = { 0 };

	for (u32 i = 0; i < sizeof(*self->header) / 4; i++) {
		u32 good = word[i];

		for (u32 k = 0; k < ARRAY_SIZE(values) + 2; k++) {
			word[i] = k < ARRAY_SIZE(values) ? values[k] :
				k == ARRAY_SIZE(values) ? good + 1 : good - 1;
			EXPECT_EQ(word[i] == good ? 0 : -EINVAL,
				  tsr_dispatch_check(self->header, self->size, &self->prog, &ret));
		}
		word[i] = good;
	}
}

TEST_F(dispatch, every_wrong_binding)
{
	struct tsr_dispatch ret = { 0 };

	for (u32 i = 0; i < 3; i++) {
		struct tessera_bind *b = &self->binds[i], good = *b;

#define REFUSED(field, value) do {						\
	b->field = value;							\
	EXPECT_EQ(-EINVAL, tsr_dispatch_check(self->header, self->size,	\
					      &self->prog, &ret));		\
	*b = good;								\
} while (0)
		REFUSED(size, good.size - 1);
		REFUSED(size, 0);
		if (i)				/* past 2^64 with the offset */
			REFUSED(size, ~0ull);
		REFUSED(offset, 8);
		REFUSED(offset, 1);
		b->size += 16;
		REFUSED(offset, ~15ull);
		REFUSED(access, 0);
		REFUSED(access, 4);
		REFUSED(access, good.access ^ 1);
		REFUSED(access, good.access ^ 2);
		REFUSED(access, good.access | 4);
		b->size = good.size + 1;
		b->offset = 1ull << 62;
		b->handle = 0xffffffff;
		EXPECT_EQ(0, tsr_dispatch_check(self->header, self->size, &self->prog, &ret));
		*b = good;
	}
}

TEST_F(dispatch, cut_or_lengthened_anywhere)
{
	struct tsr_dispatch ret;

	for (size_t cut = 0; cut < self->size + 16; cut++) {
		u8 *copy = calloc(1, cut ? cut : 1);

		memcpy(copy, self->header, cut < self->size ? cut : self->size);
		EXPECT_EQ(cut == self->size ? 0 : -EINVAL,
			  tsr_dispatch_check(copy, cut, &self->prog, &ret));
		if (cut >= sizeof(*self->header)) {
			((struct tessera_dispatch_header *)copy)->size = cut;
			EXPECT_EQ(cut == self->size ? 0 : -EINVAL,
				  tsr_dispatch_check(copy, cut, &self->prog, &ret));
		}
		free(copy);
	}
}

TEST_HARNESS_MAIN

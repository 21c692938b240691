// SPDX-License-Identifier: MIT
/* The verifier of program blobs and a second opinion, on damaged blobs; and its time. */
#include <time.h>
#include "common_blob.h"
#include "grid.h"
#include "kselftest_harness.h"

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

TEST_HARNESS_MAIN

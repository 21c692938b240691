// SPDX-License-Identifier: MIT
/* PROGRAM_CREATE and PROGRAM_DESTROY: fields, blobs at their limits, sharing of images. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common_check.h"
#include "kselftest_harness.h"

FIXTURE(program) {
	struct uapi_bench b;
	struct drm_tessera_counters before;
	struct uapi_prog p;		/* one core, exits */
	__u8 *blob;
	__u32 size;
};

static const __u32 code[] = { RV_EXIT(0) };

FIXTURE_SETUP(program)
{
	ASSERT_EQ(0, uapi_bench_open(&self->b));
	uapi_prog_init_core(&self->p, &self->b.info.limits);
	uapi_add_kernel(&self->p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	self->blob = uapi_prog_blob(&self->p, &self->size);
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
}

FIXTURE_TEARDOWN(program)
{
	free(self->blob);
	uapi_bench_close(&self->b);
}

/* PROGRAM_CREATE; what it made is destroyed again. */
static int try_args(int fd, struct drm_tessera_program_create args)
{
	struct drm_tessera_program_create before = args;
	int ret = uapi_ioctl(fd, DRM_IOCTL_TESSERA_PROGRAM_CREATE, &args);

	if (ret)
		return memcmp(&before, &args, sizeof(args)) ? -EPROTO : ret;
	return args.handle ? uapi_program_destroy(fd, args.handle) : -EBADMSG;
}

static int try_size(FIXTURE_DATA(program) *self, __u32 size)
{
	return try_args(self->b.fd, (struct drm_tessera_program_create){
		.blob = UAPI_PTR(self->blob), .size = size, .handle = 0xa5a5a5a5,
	});
}

static int try_prog(int fd, const struct uapi_prog *p)
{
	__u32 handle;
	int ret = uapi_prog_create(fd, p, &handle);

	return ret ? ret : uapi_program_destroy(fd, handle);
}

TEST_F(program, every_flag_and_pad_bit)
{
	struct drm_tessera_program_create args = {
		.blob = UAPI_PTR(self->blob), .size = self->size,
	};

	EXPECT_EQ(0, try_args(self->b.fd, args));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	for (unsigned int bit = 0; bit < 32; bit++) {
		args.flags = 1u << bit;
		EXPECT_EQ(-EINVAL, try_args(self->b.fd, args));
		args.flags = 0;
		args.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, try_args(self->b.fd, args));
		args.pad = 0;
	}
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

TEST_F(program, sizes_that_are_not_the_blobs)
{
	__u32 limit = self->b.info.limits.program_size;
	const __u32 over[] = { limit + 1, limit * 2, 0x7fffffff, 0x80000000, 0xffffffff };

	for (__u32 size = 0; size < sizeof(struct tessera_program_header); size++)
		EXPECT_EQ(-EINVAL, try_size(self, size));
	EXPECT_EQ(-EINVAL, try_size(self, self->size - 1));
	EXPECT_EQ(-EINVAL, try_size(self, self->size - 8));
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(over); i++)
		EXPECT_EQ(-E2BIG, try_size(self, over[i]));
	self->blob = realloc(self->blob, limit);
	memset(self->blob + self->size, 0, limit - self->size);
	EXPECT_EQ(-EINVAL, try_size(self, self->size + 1));
	EXPECT_EQ(-EINVAL, try_size(self, self->size + 8));
	EXPECT_EQ(-EINVAL, try_size(self, limit));
	EXPECT_EQ(0, try_size(self, self->size));
}

/* A blob as large as the limit is taken, one of 8 bytes more is not. */
TEST_F(program, largest_blob)
{
	__u32 limit = self->b.info.limits.program_size, name = self->size;
	struct tessera_program_header *header;
	struct tessera_section_entry *strings, *data;
	__u32 image = self->p.images[0].data_size;

	/* All room that is left is filled by strings. */
	for (unsigned int more = 0; more <= 8; more += 8) {
		__u32 size = limit / 8 * 8 + more;
		__u8 *blob = calloc(1, size);

		memcpy(blob, self->blob, self->size);
		header = (void *)blob;
		header->size = size;
		strings = &header->sections[TESSERA_SECTION_STRINGS];
		data = &header->sections[TESSERA_SECTION_DATA];
		memset(blob + data->offset, 0, name - data->offset);
		strings->count += (size - image) / 8 * 8 - data->offset;
		data->offset = (size - image) / 8 * 8;
		header->size = data->offset + image;
		memcpy(blob + data->offset, code, image);
		EXPECT_EQ(header->size > limit ? -E2BIG : 0,
			  try_args(self->b.fd, (struct drm_tessera_program_create){
				.blob = UAPI_PTR(blob), .size = header->size }));
		free(blob);
	}
}

TEST_F(program, bad_pointers)
{
	struct uapi_bad_ptr bad[UAPI_BAD_PTRS];

	uapi_bad_ptrs(self->blob, self->size, bad);
	for (unsigned int i = 0; i < UAPI_BAD_PTRS; i++) {
		/* A read-only blob is as good as any. */
		int expected = i == UAPI_READ_ONLY ? 0 : -EFAULT;

		EXPECT_EQ(expected, try_args(self->b.fd, (struct drm_tessera_program_create){
			.blob = bad[i].addr, .size = self->size })) {
			TH_LOG("pointer: %s", bad[i].what);
		}
	}
}

/* Fuzzing is done natively; here every word of the header goes through the ioctl. */
TEST_F(program, every_header_field)
{
	const size_t name = offsetof(struct tessera_program_header, name) / 4;
	const size_t strings = offsetof(struct tessera_program_header,
					sections[TESSERA_SECTION_STRINGS].count) / 4;
	__u32 *words = (__u32 *)self->blob;

	for (size_t i = 0; i < sizeof(struct tessera_program_header) / 4; i++) {
		__u32 was = words[i];

		if (i >= offsetof(struct tessera_program_header, fingerprint) / 4 &&
		    i < name)
			continue;
		for (unsigned int k = 0; k < UAPI_ARRAY_SIZE(uapi_bad_u32) + 2; k++) {
			int ret;

			/* Any name inside is right, and one more zero after the last string. */
			if ((i == name && k < 2) || (i == strings && k == 0))
				continue;
			words[i] = k == 0 ? was + 1 : k == 1 ? was ^ 0x10000 : uapi_bad_u32[k - 2];
			ret = try_size(self, self->size);
			EXPECT_TRUE(ret == -EINVAL || ret == -E2BIG) {
				TH_LOG("word %zu: %#x gives %d", i, words[i], ret);
			}
		}
		words[i] = was;
	}
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, NULL));
}

/* U4: each below the limit, and their sum above. */
TEST_F(program, words_at_the_limit)
{
	__u32 limit = self->b.info.limits.words, most = 0xffffffff;
	const struct {
		__u32 common, own;
		int expected;
	} rows[] = {
		{ limit, 0, 0 }, { limit - 1, 0, 0 }, { limit + 1, 0, -E2BIG }, { most, 0, -E2BIG },
		{ 0, limit, 0 }, { 0, limit + 1, -E2BIG }, { 0, most, -E2BIG },
		{ limit - 1, 1, 0 }, { limit - 1, 2, -E2BIG }, { limit, 1, -E2BIG },
		{ limit / 2, limit - limit / 2, 0 }, { limit / 2, limit - limit / 2 + 1, -E2BIG },
		{ 1, most, -E2BIG }, { most, 1, -E2BIG }, { 0x80000000, 0x80000000, -E2BIG },
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(rows); i++) {
		struct uapi_prog p = self->p;

		p.descriptors[0].common_words = rows[i].common;
		if (rows[i].own)
			uapi_add_args(&p, p.ranges[0].x0, p.ranges[0].y0, rows[i].own);
		EXPECT_EQ(rows[i].expected, try_prog(self->b.fd, &p)) {
			TH_LOG("%u common words and %u own", rows[i].common, rows[i].own);
		}
	}
}

/* U6: none of them hangs the device, for none gets there. */
TEST_F(program, cores_outside_the_grid)
{
	__u16 w = self->b.info.limits.grid_width, h = self->b.info.limits.grid_height;
	const struct tessera_range ranges[] = {
		{ w, 0, w, 0 }, { 0, h, 0, h }, { 0, 0, w, 0 }, { 0, 0, 0, h },
		{ 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 65535, 65535, 65535, 65535 },
		{ 0, 0, 65535, 65535 }, { 32768, 0, 32768, 0 },
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(ranges); i++) {
		struct uapi_prog p = self->p;

		p.ranges[0] = ranges[i];
		EXPECT_EQ(-EINVAL, try_prog(self->b.fd, &p));
	}
}

/* U7: nothing at all is refused, not divided by. */
TEST_F(program, nothing_of_something)
{
	static const __u32 sections[] = {
		TESSERA_SECTION_RANGES, TESSERA_SECTION_IMAGES, TESSERA_SECTION_DESCRIPTORS,
		TESSERA_SECTION_STRINGS, TESSERA_SECTION_DATA,
	};

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(sections); i++) {
		struct uapi_prog p = self->p;

		p.header.sections[sections[i]].count = 0;
		EXPECT_EQ(-EINVAL, try_prog(self->b.fd, &p));
	}
	for (unsigned int i = 0; i < 3; i++) {
		struct uapi_prog p = self->p;

		if (i == 0)
			p.header.range_count = 0;
		else if (i == 1)
			p.descriptors[0].range_count = 0;
		else
			p.images[0].data_size = 0;
		EXPECT_EQ(-EINVAL, try_prog(self->b.fd, &p));
	}
}

TEST_F(program, semaphores_and_bindings_at_the_limit)
{
	const struct tessera_limits *l = &self->b.info.limits;
	struct uapi_prog p = self->p;

	uapi_add_semaphore(&p, l->semaphores - 1, 0xffffffff, 0);
	EXPECT_EQ(0, try_prog(self->b.fd, &p));
	p.semaphores[0].id = l->semaphores;
	EXPECT_EQ(-EINVAL, try_prog(self->b.fd, &p));

	ASSERT_GT(UAPI_RECORDS, l->bindings);
	p = self->p;
	for (__u32 i = 0; i < l->bindings; i++)
		uapi_add_binding(&p, -1ull, TESSERA_ACCESS_INOUT);
	EXPECT_EQ(0, try_prog(self->b.fd, &p));
	uapi_add_binding(&p, 1, TESSERA_ACCESS_IN);
	EXPECT_EQ(-E2BIG, try_prog(self->b.fd, &p));
}

TEST_F(program, every_pad_bit_of_destroy)
{
	struct drm_tessera_program_destroy args = { .handle = self->b.program };
	__u32 run;

	for (unsigned int bit = 0; bit < 32; bit++) {
		args.pad = 1u << bit;
		EXPECT_EQ(-EINVAL, uapi_ioctl(self->b.fd, DRM_IOCTL_TESSERA_PROGRAM_DESTROY,
					      &args));
	}
	EXPECT_EQ(0, uapi_submit_program(self->b.fd, self->b.context, self->b.program, &run));
}

TEST_F(program, handles_that_are_no_program)
{
	static const __u32 never[] = { 0, 77, 0x7fffffff, 0x80000000, 0xffffffff };
	int other = uapi_open(NULL);
	__u32 context;

	ASSERT_LE(0, other);
	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(never); i++)
		EXPECT_EQ(-ENOENT, uapi_program_destroy(self->b.fd, never[i]));
	ASSERT_EQ(0, uapi_context(other, 0, &context));
	EXPECT_EQ(-ENOENT, uapi_program_destroy(other, self->b.program));
	EXPECT_EQ(-ENOENT, uapi_program_destroy(other, context));
	EXPECT_EQ(0, uapi_program_destroy(self->b.fd, self->b.program));
	EXPECT_EQ(-ENOENT, uapi_program_destroy(self->b.fd, self->b.program));
	close(other);
}

static int run_it(FIXTURE_DATA(program) *self, __u32 program)
{
	struct drm_tessera_status status;
	__u32 run;
	int ret = uapi_submit_program(self->b.fd, self->b.context, program, &run);

	if (!ret)
		ret = uapi_end(self->b.fd, run, &status);
	return ret ? ret : (int)status.code;
}

/* PC-8: equal programs share an image, and nothing else. */
TEST_F(program, equal_programs_are_two)
{
	/* The image of the fixture's own program is the same once more. */
	struct drm_tessera_counters delta = { .programs = 2, .program_creates = 2 };
	__u32 a, b;

	ASSERT_EQ(0, uapi_program(self->b.fd, self->blob, self->size, &a));
	ASSERT_EQ(0, uapi_program(self->b.fd, self->blob, self->size, &b));
	EXPECT_NE(a, b);
	/* More image_loads: content was not compared; fewer programs: one stands for two. */
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
	EXPECT_EQ(0, uapi_program_destroy(self->b.fd, a));
	EXPECT_EQ(0, uapi_program_destroy(self->b.fd, self->b.program));
	EXPECT_EQ(0, run_it(self, b));
}

TEST_F(program, another_image_is_loaded)
{
	struct drm_tessera_counters delta = {
		.programs = 1, .program_creates = 1, .images = 1, .image_loads = 1,
	};
	__u32 program;

	ASSERT_EQ(0, uapi_exit_program(self->b.fd, 7, &program));
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, run_it(self, program));
	ASSERT_EQ(0, uapi_settle(self->b.fd));
	ASSERT_EQ(0, uapi_counters(self->b.fd, &self->before));
	EXPECT_EQ(0, uapi_program_destroy(self->b.fd, program));
	delta = (struct drm_tessera_counters){
		.programs = -1ull, .images = -1ull, .image_unloads = 1,
	};
	EXPECT_EQ(0, uapi_changes(self->b.fd, &self->before, &delta));
}

struct other_user {
	const __u8 *blob;
	__u32 size;
};

static int program_of_another_user(void *arg)
{
	const struct other_user *user = arg;
	struct drm_tessera_counters before, after;
	int fd = uapi_open_as(54321);
	__u32 program;

	if (fd < 0)
		return 1;
	if (uapi_counters(fd, &before) || uapi_program(fd, user->blob, user->size, &program) ||
	    uapi_counters(fd, &after))
		return 2;
	return after.images - before.images == 1 && after.image_loads - before.image_loads == 1 ?
		0 : 3;
}

/* PC-8: whether an image is there already says what others run. */
TEST_F(program, images_are_not_shared_between_users)
{
	struct other_user user = { self->blob, self->size };

	EXPECT_EQ(0, uapi_in_child(program_of_another_user, &user));
}

/* SEC-2: what was verified is what runs. */
TEST_F(program, blob_changed_after_the_call)
{
	__u32 program;

	ASSERT_EQ(0, uapi_program(self->b.fd, self->blob, self->size, &program));
	memset(self->blob, 0xff, self->size);
	EXPECT_EQ(0, run_it(self, program));
}

TEST_F(program, destroyed_while_it_runs)
{
	struct drm_tessera_status status;
	struct uapi_gate gate;
	__u32 first, second;

	ASSERT_EQ(0, uapi_gate_new(self->b.fd, &gate));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &gate, &first));
	ASSERT_EQ(0, uapi_gate_submit(self->b.fd, self->b.context, &gate, &second));
	ASSERT_EQ(0, uapi_program_destroy(self->b.fd, gate.program));
	ASSERT_EQ(0, uapi_bo_close(self->b.fd, gate.bo));
	*gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->b.fd, first, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	ASSERT_EQ(0, uapi_end(self->b.fd, second, &status));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, status.code);
	uapi_gate_free(self->b.fd, &gate);
	ASSERT_EQ(0, uapi_settle(self->b.fd));
}

TEST_HARNESS_MAIN

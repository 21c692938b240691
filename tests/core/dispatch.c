// SPDX-License-Identifier: MIT
/* The check of dispatch blobs against their program. */
#include "common_blob.h"
#include "kselftest_harness.h"

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

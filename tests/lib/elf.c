// SPDX-License-Identifier: MIT
/* Prebuilt ELF files come from the caller: damaged ones are refused, with a finding (JIT-1). */
#include <elf.h>

#include "common_rig.h"
#include "image.h"
#include "kselftest_harness.h"

FIXTURE(elf) {
	struct rig *rig;
	uint8_t *file;
	size_t size;
	Elf32_Ehdr *header;
	Elf32_Phdr *segment;
	struct tsr_kernel_decl kernel;
	struct tsr_image_job job;
	struct tsr_image *image;
	struct tsr_diag *diag;
};

FIXTURE_SETUP(elf)
{
	self->rig = rig_new();
	self->file = rig_elf(self->rig, TSR_PROCESSOR_DM1, 16, &self->size);
	self->header = (void *)self->file;
	self->segment = (void *)(self->header + 1);
	strcpy(self->kernel.name, "k");
	self->kernel.processor = TSR_PROCESSOR_DM1;
	self->job.dev = self->rig->dev;
	self->job.kernel = &self->kernel;
	self->diag = tsr_diag_new();
}

FIXTURE_TEARDOWN(elf)
{
	tsr_image_unref(self->image);
	tsr_diag_free(self->diag);
	free(self->file);
	rig_free(self->rig);
}

static int load(struct tsr_image_job *job, const void *file, size_t size,
		struct tsr_image **image, struct tsr_diag *diag)
{
	return tsr_image_from_elf(job, file, size, image, diag);
}

#define LOAD() load(&self->job, self->file, self->size, &self->image, self->diag)

#define EXPECT_FIELD(err_, rule_, field_) do {				\
	EXPECT_EQ(err_, LOAD());					\
	ASSERT_EQ(1, tsr_diag_count(self->diag));			\
	EXPECT_STREQ(rule_, tsr_diag_finding(self->diag, 0)->rule);	\
	EXPECT_STREQ(field_, tsr_diag_finding(self->diag, 0)->field);	\
} while (0)

TEST_F(elf, what_is_loaded_is_the_image)
{
	self->segment->p_memsz = 128;
	ASSERT_EQ(0, LOAD());
	EXPECT_EQ(64, self->image->data_size);
	EXPECT_EQ(64, self->image->text_size);
	EXPECT_EQ(128, self->image->mem_size);
	EXPECT_EQ(self->header->e_entry, self->image->entry);
	EXPECT_EQ(TSR_PROCESSOR_DM1, self->image->processor);
}

TEST_F(elf, no_elf)
{
	self->file[0] = 'X';
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "file");
}

TEST_F(elf, another_machine)
{
	self->header->e_machine = EM_ARM;
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "machine");
}

TEST_F(elf, another_class)
{
	self->header->e_ident[EI_CLASS] = ELFCLASS64;
	EXPECT_EQ(-ENOEXEC, LOAD());
}

TEST_F(elf, linked_for_another_processor)
{
	self->segment->p_vaddr = self->rig->dev->limits.image_base[0];
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "address");
}

TEST_F(elf, larger_than_the_slot)
{
	self->segment->p_memsz = self->rig->dev->limits.image_slot + 4;
	EXPECT_FIELD(-E2BIG, "V22", "image bytes");
}

TEST_F(elf, segment_beyond_the_file)
{
	self->segment->p_offset = self->size - 60;
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "file size");
}

TEST_F(elf, segment_offset_wraps)
{
	self->segment->p_offset = UINT32_MAX;
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "file size");
}

TEST_F(elf, entry_outside_the_code)
{
	self->header->e_entry += 64;
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "entry");
}

TEST_F(elf, entry_misaligned)
{
	self->header->e_entry += 2;
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "entry");
}

TEST_F(elf, no_code)
{
	self->segment->p_flags = PF_R | PF_W;
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "text");
}

TEST_F(elf, nothing_loaded)
{
	self->segment->p_type = PT_NOTE;
	EXPECT_FIELD(-ENOEXEC, "JIT-1", "data");
}

/* Any single damaged byte, any length: an image or a finding, nothing else. */
TEST_F(elf, every_damaged_byte_and_every_length)
{
	for (size_t at = 0; at < self->size; at++)
		for (int bit = 0; bit < 8; bit++) {
			self->file[at] ^= 1 << bit;
			if (!LOAD())
				tsr_image_unref(self->image);
			self->image = NULL;
			self->file[at] ^= 1 << bit;
		}
	for (size_t size = 1; size < self->size; size++) {
		uint8_t *cut = malloc(size);

		memcpy(cut, self->file, size);
		if (!load(&self->job, cut, size, &self->image, self->diag))
			tsr_image_unref(self->image);
		self->image = NULL;
		free(cut);
	}
}

TEST_F(elf, a_bad_file_is_refused_at_submit)
{
	struct tsr_kernel_info info = {
		.name = "bad",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.elf = "not an ELF file",
		.elf_size = 15,
	};

	ASSERT_EQ(0, tsr_operation_add_kernel(self->rig->op, &info));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	ASSERT_TRUE(rig_only(self->rig, "JIT-1", 1));
	EXPECT_EQ(TSR_STAGE_COMPILE, tsr_diag_stage(self->rig->diag));
}

TEST_HARNESS_MAIN

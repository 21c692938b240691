// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tessera hart run against another implementation: random RV32IM programs, run by it and by
 * qemu-riscv32, must leave the same registers and memory and count the same instructions.
 *
 * TSR_SEED picks other programs, TSR_ROUNDS more of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "common_elf.h"
#include "common_random.h"
#include "common_rv.h"

#define SNIPPETS	256	/* in one program */

static void file_fill(struct elf_head *f, const struct program *p)
{
	u32 code = p->n * 4, data = p->words * 4;

	elf_head_init(f, p->base);
	f->ph[0] = (Elf32_Phdr){ PT_LOAD, 4096, p->base, p->base, code, code,
				 PF_R | PF_W | PF_X, 4096 };
	f->ph[1] = (Elf32_Phdr){ PT_LOAD, 4096 + CODE_MAX * 4, p->data_base, p->data_base, data,
				 data, PF_R | PF_W, 4096 };
	elf_head_symbol(f, "begin_signature", p->data_base);
	elf_head_symbol(f, "end_signature", p->data_base + data);
}

/* The end: write(1, data, size) where there is such a call, else nothing; exit(0). */
static void put_end(struct program *p, bool write)
{
	program_li(p, A7, 64);
	program_li(p, A0, 1);
	program_li(p, A1, p->data_base);
	program_li(p, A2, p->words * 4);
	program_put(p, write ? ECALL() : NOP());
	program_li(p, A7, 93);
	program_li(p, A0, 0);
	program_put(p, ECALL());
}

static void file_write(struct program *p, const char *path, bool write)
{
	u32 n = p->n;
	struct elf_head f;
	FILE *out = fopen(path, "w");

	put_end(p, write);
	file_fill(&f, p);
	fwrite(&f, sizeof(f), 1, out);
	fseek(out, 4096, SEEK_SET);
	fwrite(p->code, 4, p->n, out);
	fseek(out, 4096 + CODE_MAX * 4, SEEK_SET);
	fwrite(p->data, 4, p->words, out);
	fclose(out);
	chmod(path, 0700);
	p->n = n;
}

FIXTURE(hart_qemu) {
	struct program p;
	u32 *theirs;
	char dir[32], command[512];
	u64 ours_count;
};

FIXTURE_SETUP(hart_qemu)
{
	struct program *p = &self->p;
	const char *seed = getenv("TSR_SEED");

	p->base = 0x10000;
	p->data_base = 0x400000;
	p->code = calloc(CODE_MAX, 4);
	p->data = calloc(DATA_MAX, 4);
	p->random = 0x9e3779b97f4a7c15ull ^ (seed ? strtoull(seed, NULL, 0) : 0);
	self->theirs = calloc(DATA_MAX, 4);
	strcpy(self->dir, "/tmp/tessera-hart-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(hart_qemu)
{
	snprintf(self->command, sizeof(self->command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(self->command));
	free(self->p.code);
	free(self->p.data);
	free(self->theirs);
}

/* The rest is one function a step, each 0 or what went wrong. */
static int run_qemu(FIXTURE_DATA(hart_qemu) *self, const char *options)
{
	FILE *f;
	size_t n;

	snprintf(self->command, sizeof(self->command),
		 "timeout 60 qemu-riscv32 %s %s/theirs.elf >%s/theirs", options, self->dir, self->dir);
	if (system(self->command))
		return -1;
	snprintf(self->command, sizeof(self->command), "%s/theirs", self->dir);
	f = fopen(self->command, "r");
	n = fread(self->theirs, 4, DATA_MAX, f);
	fclose(f);
	return n == self->p.words ? 0 : -2;
}

static int run_ours(FIXTURE_DATA(hart_qemu) *self)
{
	unsigned long long count = 0;
	FILE *f;
	u32 i;

	snprintf(self->command, sizeof(self->command),
		 "%s/tessera hart run --json --max-insns=100000000 --signature=%s/ours "
		 "%s/ours.elf", TSR_BUILDDIR, self->dir, self->dir);
	f = popen(self->command, "r");
	if (fscanf(f, "{\"end\":\"exit\",\"status\":0,\"instructions\":%llu,", &count) != 1)
		count = 0;
	while (fgetc(f) != EOF)
		;
	if (pclose(f) || !count)
		return -3;
	self->ours_count = count;
	snprintf(self->command, sizeof(self->command), "%s/ours", self->dir);
	f = fopen(self->command, "r");
	for (i = 0; i < self->p.words && fscanf(f, "%x", &self->p.data[i]) == 1; i++)
		;
	fclose(f);
	return i == self->p.words ? 0 : -4;
}

static int run_both(FIXTURE_DATA(hart_qemu) *self, const char *options)
{
	char path[64];
	int err;

	snprintf(path, sizeof(path), "%s/theirs.elf", self->dir);
	file_write(&self->p, path, true);
	snprintf(path, sizeof(path), "%s/ours.elf", self->dir);
	file_write(&self->p, path, false);
	err = run_qemu(self, options);
	return err ? err : run_ours(self);
}

/* Index of the first word that differs, or their number. */
static u32 first_difference(const FIXTURE_DATA(hart_qemu) *self)
{
	u32 i;

	for (i = 0; i < self->p.words; i++)
		if (self->p.data[i] != self->theirs[i])
			break;
	return i;
}

#define EXPECT_SAME()									\
	do {										\
		u32 i_ = first_difference(self), at_ = i_ % (RECORD / 4);		\
											\
		EXPECT_EQ(self->p.words, i_) {						\
			TH_LOG("word %u is %08x, not %08x: snippet %u, %s %d", i_,	\
			       self->p.data[i_], self->theirs[i_], i_ / (RECORD / 4),	\
			       at_ < MEMORY / 4 ? "memory" : "register",		\
			       at_ < MEMORY / 4 ? (int)at_ * 4 - MEMORY / 2 :		\
			       (int)(at_ - MEMORY / 4));				\
		}									\
	} while (0)

TEST_F(hart_qemu, edge_values)
{
	program_edges(&self->p);
	ASSERT_EQ(0, run_both(self, ""));
	EXPECT_SAME();
}

/* Code at low and high addresses, below and above its data, near and far. */
TEST_F_TIMEOUT(hart_qemu, random_programs, 600)
{
	static const u32 places[][2] = {
		{ 0x10000, 0x400000 }, { 0x7ff00000, 0x7fe00000 }, { 0x80000000, 0x80200000 },
		{ 0x00900000, 0x00100000 },
	};
	const char *rounds = getenv("TSR_ROUNDS");
	u32 i, count = rounds ? strtoul(rounds, NULL, 0) : 24;

	for (i = 0; i < count; i++) {
		self->p.base = places[i % 4][0];
		self->p.data_base = places[i % 4][1];
		self->p.n = 0;
		program_random(&self->p, SNIPPETS);
		ASSERT_EQ(0, run_both(self, "")) {
			TH_LOG("round %u", i);
		}
		EXPECT_SAME();
	}
}

/* The same, decoded instruction by instruction. */
TEST_F(hart_qemu, random_programs_after_a_rewrite)
{
	program_rewrite(&self->p);
	program_random(&self->p, SNIPPETS);
	ASSERT_EQ(0, run_both(self, ""));
	EXPECT_SAME();
}

static u64 count_lines(const char *path, const char *begin)
{
	char line[256];
	FILE *f = fopen(path, "r");
	u64 n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !strncmp(line, begin, strlen(begin));
	if (f)
		fclose(f);
	return n;
}

/* qemu logs each instruction; the last one, which ends the program, is not retired. */
TEST_F(hart_qemu, instructions_are_counted)
{
	char options[96], log[64];
	u32 rewrite;

	for (rewrite = 0; rewrite < 2; rewrite++) {
		self->p.n = 0;
		if (rewrite)
			program_rewrite(&self->p);
		program_random(&self->p, 48);
		snprintf(log, sizeof(log), "%s/log", self->dir);
		snprintf(options, sizeof(options), "-singlestep -d nochain,exec -D %s", log);
		ASSERT_EQ(0, run_both(self, options));
		EXPECT_SAME();
		EXPECT_EQ(count_lines(log, "Trace "), self->ours_count + 1);
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* tessera hart run: on ELF files written here, byte by byte. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "common_elf.h"
#include "common_rv.h"

#define BASE	0x80000000u
#define TOHOST	(BASE + 0x1000)
#define SIG	(BASE + 0x1010)

/* Code at BASE, 64 bytes of data at TOHOST, and symbols. */
struct file {
	struct elf_head head;
	u32 data[16];
	u32 code[RV_MAX];
};

FIXTURE(hart_run) {
	struct file f;
	char path[64], sig[64], output[512];
};

FIXTURE_SETUP(hart_run)
{
	struct file *f = &self->f;

	memset(f, 0, sizeof(*f));
	elf_head_init(&f->head, BASE);
	snprintf(self->path, sizeof(self->path), "/tmp/tessera-hart-%d.elf", getpid());
	snprintf(self->sig, sizeof(self->sig), "/tmp/tessera-hart-%d.sig", getpid());
	f->head.ph[0] = (Elf32_Phdr){ .p_type = PT_LOAD, .p_offset = offsetof(struct file, code),
				 .p_vaddr = BASE, .p_flags = PF_R | PF_X };
	f->head.ph[1] = (Elf32_Phdr){ .p_type = PT_LOAD, .p_offset = offsetof(struct file, data),
				 .p_vaddr = TOHOST, .p_filesz = sizeof(f->data),
				 .p_memsz = sizeof(f->data), .p_flags = PF_R | PF_W };
	elf_head_symbol(&f->head, "tohost", TOHOST);
	elf_head_symbol(&f->head, "begin_signature", SIG);
	elf_head_symbol(&f->head, "end_signature", SIG + 8);
}

FIXTURE_TEARDOWN(hart_run)
{
	unlink(self->path);
	unlink(self->sig);
}

/* Writes the file, runs the tool on it; output and exit status. */
static int run(struct file *f, const struct rv *k, const char *path, const char *options, char *out)
{
	char command[512];
	FILE *p = fopen(path, "w");

	memcpy(f->code, k->code, k->n * 4);
	f->head.ph[0].p_filesz = f->head.ph[0].p_memsz = k->n * 4;
	fwrite(f, sizeof(*f), 1, p);
	fclose(p);
	snprintf(command, sizeof(command), "%s/tessera hart run %s %s 2>&1", TSR_BUILDDIR, path,
		 options);
	p = popen(command, "r");
	out[fread(out, 1, 511, p)] = 0;
	return WEXITSTATUS(pclose(p));
}

#define RUN(k, options) run(&self->f, k, self->path, options, self->output)

static void rv_end(struct rv *k, u32 status)
{
	rv_li(k, A0, status);
	rv_put(k, ADDI(A7, ZERO, 93));
	rv_put(k, ECALL());
}

TEST_F(hart_run, exit_status_is_that_of_the_program)
{
	struct rv k = { .n = 0 };

	rv_end(&k, 0);
	EXPECT_EQ(0, RUN(&k, ""));
	EXPECT_NE(NULL, strstr(self->output, "3 instructions in ")) {
		TH_LOG("%s", self->output);
	}
	EXPECT_NE(NULL, strstr(self->output, "million instr/s"));
	k.n = 0;
	rv_end(&k, 0x1042);
	EXPECT_EQ(0x42, RUN(&k, ""));
}

TEST_F(hart_run, tohost_ends_the_program)
{
	const u32 values[] = { 1, 5 << 1 | 1, 256 << 1 | 1 };
	const int status[] = { 0, 5, 1 };
	u32 i;

	for (i = 0; i < 3; i++) {
		struct rv k = { .n = 0 };

		rv_store(&k, TOHOST, values[i]);
		rv_put(&k, SW(ZERO, T5, 4));
		rv_put(&k, JAL(ZERO, -8));
		EXPECT_EQ(status[i], RUN(&k, ""));
	}
}

TEST_F(hart_run, signature_is_written)
{
	struct rv k = { .n = 0 };
	char text[96] = "";
	FILE *f;

	rv_store(&k, SIG, 0x1234abcd);
	rv_store(&k, SIG + 4, 7);
	rv_end(&k, 0);
	snprintf(text, sizeof(text), "--signature=%s", self->sig);
	ASSERT_EQ(0, RUN(&k, text));
	f = fopen(self->sig, "r");
	ASSERT_NE(NULL, f);
	text[fread(text, 1, 63, f)] = 0;
	fclose(f);
	EXPECT_STREQ("1234abcd\n00000007\n", text);
	self->f.head.sym[3].st_value = BASE + 0x10000000;
	EXPECT_EQ(2, RUN(&k, "--signature=/dev/null"));
}

/* Traps go to mtvec with mcause, mepc, mtval; mret returns. a0 is the sum of what was right. */
TEST_F(hart_run, machine_mode_is_enough_for_test_programs)
{
	struct rv k = { .n = 0 };
	u32 handler, setup, i;
	const struct {
		u32 insn, cause, tval;
	} traps[] = {
		{ 0xffffffff, 2, 0xffffffff }, { EBREAK(), 3, 0 }, { LW(T0, ZERO, 4), 5, 4 },
		{ SW(T0, ZERO, 8), 7, 8 }, { ECALL(), 11, 0 }, { CSRRW(ZERO, 0xf14, T0), 2,
		CSRRW(ZERO, 0xf14, T0) }, { LH(T0, S0, 1), 4, BASE + 1 }, { SW(T0, S0, 2), 6, BASE + 2 },
	};

	setup = rv_put(&k, 0);
	handler = k.n;
	rv_put(&k, CSRRS(S2, 0x342, ZERO));
	rv_put(&k, CSRRS(S3, 0x343, ZERO));
	rv_put(&k, CSRRS(T1, 0x341, ZERO));
	rv_put(&k, ADDI(T1, T1, 4));
	rv_put(&k, CSRRW(ZERO, 0x341, T1));
	rv_put(&k, MRET());
	k.code[setup] = JAL(ZERO, (s32)(k.n - setup) * 4);
	rv_put(&k, CSRRS(T0, 0xf14, ZERO));	/* mhartid is 0 */
	rv_put(&k, ADD(A0, T0, ZERO));
	rv_li(&k, S0, BASE);
	rv_li(&k, T0, BASE + handler * 4);
	rv_put(&k, CSRRW(ZERO, 0x305, T0));
	for (i = 0; i < ARRAY_SIZE(traps); i++) {
		u32 skip;

		rv_put(&k, traps[i].insn);
		rv_li(&k, T2, traps[i].cause);
		skip = rv_put(&k, 0);
		rv_li(&k, T2, traps[i].tval);
		rv_put(&k, BNE(S3, T2, 8));
		rv_put(&k, ADDI(A0, A0, 1));
		k.code[skip] = BNE(S2, T2, (s32)(k.n - skip) * 4);
	}
	/* plain storage, with set and clear */
	rv_put(&k, CSRRWI(ZERO, 0x744, 8));
	rv_put(&k, CSRRSI(ZERO, 0x744, 3));
	rv_put(&k, CSRRS(T0, 0x744, ZERO));
	rv_put(&k, ADD(A0, A0, T0));
	/* misa cannot be written */
	rv_put(&k, CSRRWI(ZERO, 0x301, 16));
	rv_put(&k, CSRRS(T0, 0x301, ZERO));
	rv_put(&k, ADD(A0, A0, T0));
	rv_put(&k, ADDI(A7, ZERO, 93));
	rv_put(&k, ECALL());
	EXPECT_EQ(ARRAY_SIZE(traps) + 11, (size_t)RUN(&k, "--strict-align")) {
		TH_LOG("%s", self->output);
	}
}

TEST_F(hart_run, misaligned_accesses_are_performed_unless_strict)
{
	struct rv k = { .n = 0 };

	rv_li(&k, T0, SIG);
	rv_li(&k, T1, 0x55);
	rv_put(&k, SW(T1, T0, 1));
	rv_put(&k, LBU(A0, T0, 1));
	rv_put(&k, ADDI(A7, ZERO, 93));
	rv_put(&k, ECALL());
	EXPECT_EQ(0x55, RUN(&k, ""));
	EXPECT_EQ(125, RUN(&k, "--strict-align"));
	EXPECT_NE(NULL, strstr(self->output, "misaligned store, pc 0x80000010"));
	EXPECT_EQ(125, RUN(&k, "--strict-align --json"));
	EXPECT_EQ('{', self->output[0]);
	EXPECT_NE(NULL, strstr(self->output, "\"end\":\"fault\""));
}

TEST_F(hart_run, an_endless_program_is_limited)
{
	struct rv k = { .n = 0 };

	rv_put(&k, JAL(ZERO, 0));
	EXPECT_EQ(124, RUN(&k, "--max-insns=100000"));
}

TEST_F(hart_run, bad_calls_and_bad_files_are_refused)
{
	struct rv k = { .n = 0 };

	rv_end(&k, 0);
	EXPECT_EQ(2, RUN(&k, "--max-insns=many"));
	EXPECT_EQ(2, RUN(&k, "--no-such-option"));
	EXPECT_EQ(2, RUN(&k, "another"));
	self->f.head.ph[1].p_filesz = 0x1000000;
	EXPECT_EQ(2, RUN(&k, ""));
	self->f.head.ph[1].p_memsz = 0x1000000;
	EXPECT_EQ(2, RUN(&k, ""));
	self->f.head.ph[1].p_vaddr = 16;
	EXPECT_EQ(2, RUN(&k, ""));
	self->f.head.eh.e_machine = EM_386;
	EXPECT_EQ(2, RUN(&k, ""));
	memset(&self->f, 0, sizeof(self->f));
	EXPECT_EQ(2, RUN(&k, ""));
}

TEST_HARNESS_MAIN

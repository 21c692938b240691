// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Every instruction of RV32I and M, on the predecoded path and decoded one at a time. */
#include "kselftest_harness.h"

#include "common_machine.h"

#define MIN	0x80000000u
#define MAX	0x7fffffffu
#define M1	0xffffffffu

/* one instruction: t2 = t0 op t1 */
static const struct {
	const char *name;
	u32 word, a, b, want;
} alu[] = {
	{ "lui", LUI(D, 0x12345), 0, 0, 0x12345000 },
	{ "lui top", LUI(D, 0xfffff), 0, 0, 0xfffff000 },
	{ "auipc", AUIPC(D, 0x1), 0, 0, BASE + 0x1000 },
	{ "auipc back", AUIPC(D, 0xfffff), 0, 0, BASE - 0x1000 },
	{ "addi", ADDI(D, A, 2047), 1, 0, 2048 },
	{ "addi negative", ADDI(D, A, -2048), 0, 0, (u32)-2048 },
	{ "addi wraps", ADDI(D, A, 1), M1, 0, 0 },
	{ "addi 0", ADDI(D, A, 0), 77, 0, 77 },
	{ "li", ADDI(D, ZERO, -5), 0, 0, (u32)-5 },
	{ "slti less", SLTI(D, A, -1), MIN, 0, 1 },
	{ "slti not", SLTI(D, A, -1), 0, 0, 0 },
	{ "slti equal", SLTI(D, A, 5), 5, 0, 0 },
	{ "sltiu sign-extends", SLTIU(D, A, -1), 0x7fffffff, 0, 1 },
	{ "sltiu not", SLTIU(D, A, 1), 1, 0, 0 },
	{ "seqz", SLTIU(D, A, 1), 0, 0, 1 },
	{ "xori", XORI(D, A, -1), 0x0f0f0f0f, 0, 0xf0f0f0f0 },
	{ "ori", ORI(D, A, -2048), 0x55, 0, 0xfffff855 },
	{ "andi", ANDI(D, A, -16), 0x12345678, 0, 0x12345670 },
	{ "slli 0", SLLI(D, A, 0), 0x81, 0, 0x81 },
	{ "slli 31", SLLI(D, A, 31), 3, 0, MIN },
	{ "srli 31", SRLI(D, A, 31), MIN, 0, 1 },
	{ "srli 1", SRLI(D, A, 1), M1, 0, MAX },
	{ "srai 31", SRAI(D, A, 31), MIN, 0, M1 },
	{ "srai positive", SRAI(D, A, 4), 0x70, 0, 7 },
	{ "add", ADD(D, A, B), MAX, 1, MIN },
	{ "sub", SUB(D, A, B), 0, 1, M1 },
	{ "sll uses 5 bits", SLL(D, A, B), 1, 33, 2 },
	{ "sll 31", SLL(D, A, B), 1, 31, MIN },
	{ "srl uses 5 bits", SRL(D, A, B), 0x80, 0xffffffe4, 8 },
	{ "sra uses 5 bits", SRA(D, A, B), MIN, 0x3f, M1 },
	{ "slt", SLT(D, A, B), MIN, MAX, 1 },
	{ "slt not", SLT(D, A, B), MAX, MIN, 0 },
	{ "sltu", SLTU(D, A, B), MAX, MIN, 1 },
	{ "sltu not", SLTU(D, A, B), M1, M1, 0 },
	{ "xor", XOR(D, A, B), 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0 },
	{ "or", OR(D, A, B), 0xff00ff00, 0x0ff00ff0, 0xfff0fff0 },
	{ "and", AND(D, A, B), 0xff00ff00, 0x0ff00ff0, 0x0f000f00 },
	{ "mul", MUL(D, A, B), 0x10001, 0x10001, 0x20001 },
	{ "mul negative", MUL(D, A, B), M1, 7, (u32)-7 },
	{ "mulh", MULH(D, A, B), MIN, MIN, 0x40000000 },
	{ "mulh -1 -1", MULH(D, A, B), M1, M1, 0 },
	{ "mulh -1 1", MULH(D, A, B), M1, 1, M1 },
	{ "mulhu", MULHU(D, A, B), M1, M1, 0xfffffffe },
	{ "mulhu min", MULHU(D, A, B), MIN, MIN, 0x40000000 },
	{ "mulhsu -1 max", MULHSU(D, A, B), M1, M1, M1 },
	{ "mulhsu min", MULHSU(D, A, B), MIN, M1, MIN },
	{ "mulhsu positive", MULHSU(D, A, B), MAX, M1, 0x7ffffffe },
	{ "div", DIV(D, A, B), (u32)-20, 6, (u32)-3 },
	{ "div by 0", DIV(D, A, B), 20, 0, M1 },
	{ "div 0 by 0", DIV(D, A, B), 0, 0, M1 },
	{ "div min by 1", DIV(D, A, B), MIN, 1, MIN },
	{ "div overflow", DIV(D, A, B), MIN, M1, MIN },
	{ "divu", DIVU(D, A, B), (u32)-20, 6, 715827879 },
	{ "divu by 0", DIVU(D, A, B), MIN, 0, M1 },
	{ "divu min by -1", DIVU(D, A, B), MIN, M1, 0 },
	{ "rem", REM(D, A, B), (u32)-20, 6, (u32)-2 },
	{ "rem positive", REM(D, A, B), 20, (u32)-6, 2 },
	{ "rem by 0", REM(D, A, B), (u32)-20, 0, (u32)-20 },
	{ "rem overflow", REM(D, A, B), MIN, M1, 0 },
	{ "remu", REMU(D, A, B), (u32)-20, 6, 2 },
	{ "remu by 0", REMU(D, A, B), M1, 0, M1 },
	{ "remu by -1", REMU(D, A, B), MIN, M1, MIN },
	{ "fence", FENCE(), 0, 0, 0 },
	{ "fence.tso", 0x8330000f, 0, 0, 0 },
	{ "pause", 0x0100000f, 0, 0, 0 },
	{ "fence.i", FENCE_I(), 0, 0, 0 },
};

TEST(alu_instructions_give_their_results)
{
	struct machine m;
	u32 i, mode;

	for (i = 0; i < ARRAY_SIZE(alu); i++) {
		for (mode = 0; mode < 2; mode++) {
			u32 code[] = { alu[i].word, ECALL() };

			setup(&m, code, 2, mode);
			m.hart.x[A] = alu[i].a;
			m.hart.x[B] = alu[i].b;
			EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
			EXPECT_EQ(alu[i].want, m.hart.x[D]) {
				TH_LOG("%s, mode %u", alu[i].name, mode);
			}
			EXPECT_EQ(BASE + 4, m.hart.pc);
			EXPECT_EQ(1, m.hart.instret);
			teardown(&m);
		}
	}
}

/* The same operations with rd = x0 and with rs = x0. */
TEST(x0_is_never_written)
{
	struct machine m;
	u32 i, mode;

	for (i = 0; i < ARRAY_SIZE(alu); i++) {
		for (mode = 0; mode < 2; mode++) {
			u32 code[] = { alu[i].word & ~(31u << 7), ADD(D, ZERO, ZERO), ECALL() };

			if (alu[i].word == FENCE() || (alu[i].word & 0x7f) == 0x0f)
				continue;
			setup(&m, code, 3, mode);
			m.hart.x[A] = alu[i].a;
			m.hart.x[B] = alu[i].b;
			m.hart.x[D] = 99;
			EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
			EXPECT_EQ(0, m.hart.x[0]);
			EXPECT_EQ(0, m.hart.x[D]);
			teardown(&m);
		}
	}
}

TEST(x0_as_destination_of_loads_and_jumps)
{
	const u32 code[] = { LW(ZERO, A, 0), JAL(ZERO, 8), EBREAK(), AUIPC(B, 0),
			     JALR(ZERO, B, 12), EBREAK(), ADDI(D, ZERO, 1), ECALL() };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 8, mode);
		m.hart.x[A] = BASE;
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		EXPECT_EQ(ECALL(), m.hart.address);
		EXPECT_EQ(0, m.hart.x[0]);
		EXPECT_EQ(1, m.hart.x[D]);
		teardown(&m);
	}
}

static const struct {
	const char *name;
	u32 word, a, b;
	bool taken;
} branches[] = {
	{ "beq", BEQ(A, B, 8), 5, 5, true }, { "beq not", BEQ(A, B, 8), 5, 6, false },
	{ "bne", BNE(A, B, 8), 5, 6, true }, { "bne not", BNE(A, B, 8), 6, 6, false },
	{ "blt", BLT(A, B, 8), MIN, MAX, true }, { "blt not", BLT(A, B, 8), MAX, MIN, false },
	{ "blt equal", BLT(A, B, 8), 1, 1, false },
	{ "bge", BGE(A, B, 8), MAX, MIN, true }, { "bge not", BGE(A, B, 8), MIN, MAX, false },
	{ "bge equal", BGE(A, B, 8), M1, M1, true },
	{ "bltu", BLTU(A, B, 8), MAX, MIN, true }, { "bltu not", BLTU(A, B, 8), MIN, MAX, false },
	{ "bltu equal", BLTU(A, B, 8), 3, 3, false },
	{ "bgeu", BGEU(A, B, 8), MIN, MAX, true }, { "bgeu not", BGEU(A, B, 8), MAX, MIN, false },
	{ "bgeu equal", BGEU(A, B, 8), 0, 0, true },
};

TEST(branches_are_taken_or_not)
{
	struct machine m;
	u32 i, mode;

	for (i = 0; i < ARRAY_SIZE(branches); i++) {
		for (mode = 0; mode < 2; mode++) {
			u32 code[] = { branches[i].word, ADDI(D, ZERO, 1), ECALL() };

			setup(&m, code, 3, mode);
			m.hart.x[A] = branches[i].a;
			m.hart.x[B] = branches[i].b;
			EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
			EXPECT_EQ(!branches[i].taken, m.hart.x[D]) {
				TH_LOG("%s, mode %u", branches[i].name, mode);
			}
			EXPECT_EQ(branches[i].taken ? 1 : 2, m.hart.instret);
			EXPECT_EQ(branches[i].taken ? 12 : 2, m.hart.cycles);
			teardown(&m);
		}
	}
}

TEST(branches_go_backwards)
{
	const u32 code[] = { JAL(ZERO, 12), ADDI(D, D, 1), ECALL(), ADDI(A, A, -1),
			     BNE(A, ZERO, -4), BEQ(A, A, -16) };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 6, mode);
		m.hart.x[A] = 10;
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		EXPECT_EQ(1, m.hart.x[D]);
		EXPECT_EQ(BASE + 8, m.hart.pc);
		/* jal, 10 x (addi, bne), beq, addi */
		EXPECT_EQ(23, m.hart.instret);
		EXPECT_EQ(23 + 11 * 11, m.hart.cycles);
		teardown(&m);
	}
}

TEST(jal_links_and_jumps)
{
	const u32 code[] = { NOP(), JAL(RA, 8), EBREAK(), ECALL() };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 4, mode);
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		EXPECT_EQ(BASE + 12, m.hart.pc);
		EXPECT_EQ(BASE + 8, m.hart.x[RA]);
		teardown(&m);
	}
}

TEST(jalr_clears_the_lowest_bit_and_reads_before_it_links)
{
	const u32 code[] = { NOP(), JALR(A, A, 3), EBREAK(), ECALL() };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 4, mode);
		m.hart.x[A] = BASE + 10;	/* + 3 = BASE + 13 -> BASE + 12 */
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		EXPECT_EQ(BASE + 12, m.hart.pc);
		EXPECT_EQ(BASE + 8, m.hart.x[A]);
		teardown(&m);
	}
}

static const struct {
	const char *name;
	u32 word, want;
} loads[] = {
	{ "lb", LB(D, A, 0), 0x01 }, { "lb sign", LB(D, A, 3), 0xffffff84 },
	{ "lbu", LBU(D, A, 3), 0x84 }, { "lh", LH(D, A, 0), 0x0201 },
	{ "lh sign", LH(D, A, 2), 0xffff8483 }, { "lhu", LHU(D, A, 2), 0x8483 },
	{ "lw", LW(D, A, 0), 0x84830201 }, { "lw negative offset", LW(D, A, -4), 0x11223344 },
	{ "lb negative offset", LB(D, A, -2048), 0x5a },
};

TEST(loads_extend_and_are_little_endian)
{
	struct machine m;
	u32 i, mode;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		for (mode = 0; mode < 2; mode++) {
			u32 code[] = { loads[i].word, ECALL() };

			setup(&m, code, 2, mode);
			memcpy(m.hart.mem + 0x1000, "\x01\x02\x83\x84", 4);
			memcpy(m.hart.mem + 0xffc, "\x44\x33\x22\x11", 4);
			m.hart.mem[0x800] = 0x5a;
			m.hart.x[A] = DATA;
			EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
			EXPECT_EQ(loads[i].want, m.hart.x[D]) {
				TH_LOG("%s, mode %u", loads[i].name, mode);
			}
			EXPECT_EQ(2, m.hart.cycles);
			teardown(&m);
		}
	}
}

TEST(stores_write_their_bytes_only)
{
	const u32 code[] = { SW(B, A, 0), SH(B, A, 6), SB(B, A, 9), SW(B, A, -2048), ECALL() };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 5, mode);
		memset(m.hart.mem + 0x1000, 0xee, 16);
		m.hart.x[A] = DATA;
		m.hart.x[B] = 0x84838281;
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		EXPECT_EQ(0, memcmp(m.hart.mem + 0x1000,
				    "\x81\x82\x83\x84\xee\xee\x81\x82\xee\x81\xee", 11));
		EXPECT_EQ(0, memcmp(m.hart.mem + 0x800, "\x81\x82\x83\x84", 4));
		EXPECT_EQ(12, m.hart.cycles);
		teardown(&m);
	}
}

/* ---- faults ---- */

static const struct {
	const char *name;
	u32 word, a, cause, pc;
	u64 address;
} faults[] = {
	{ "all zero", 0, 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4, 0 },
	{ "all ones", M1, 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4, M1 },
	{ "compressed", 0x00000001, 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4, 1 },
	{ "load funct3 3", rv_i(0, A, 3, D, 3), DATA, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_i(0, A, 3, D, 3) },
	{ "load funct3 6", rv_i(0, A, 6, D, 3), DATA, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_i(0, A, 6, D, 3) },
	{ "store funct3 3", rv_s(0, B, A, 3), DATA, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_s(0, B, A, 3) },
	{ "branch funct3 2", rv_b(8, A, A, 2), 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_b(8, A, A, 2) },
	{ "jalr funct3 1", rv_i(0, A, 1, D, 0x67), BASE, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_i(0, A, 1, D, 0x67) },
	{ "slli with bit 30", rv_i(0x401, A, 1, D, 0x13), 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_i(0x401, A, 1, D, 0x13) },
	{ "slli by 32", rv_i(0x20, A, 1, D, 0x13), 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_i(0x20, A, 1, D, 0x13) },
	{ "srai by 32", rv_i(0x420, A, 5, D, 0x13), 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_i(0x420, A, 5, D, 0x13) },
	{ "op funct7 2", rv_r(2, B, A, 0, D, 0x33), 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_r(2, B, A, 0, D, 0x33) },
	{ "and with funct7 0x20", rv_r(0x20, B, A, 7, D, 0x33), 0, TSR_FAULT_ILLEGAL_INSN,
	  BASE + 4, rv_r(0x20, B, A, 7, D, 0x33) },
	{ "misc-mem funct3 2", 0x0000200f, 0, TSR_FAULT_ILLEGAL_INSN, BASE + 4, 0x200f },
	{ "amo", rv_r(0, B, A, 2, D, 0x2f), DATA, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_r(0, B, A, 2, D, 0x2f) },
	{ "float load", rv_i(0, A, 2, D, 0x07), DATA, TSR_FAULT_ILLEGAL_INSN, BASE + 4,
	  rv_i(0, A, 2, D, 0x07) },
	{ "lh misaligned", LH(D, A, 1), DATA, TSR_FAULT_LOAD_MISALIGNED, BASE + 4, DATA + 1 },
	{ "lhu misaligned", LHU(D, A, 3), DATA, TSR_FAULT_LOAD_MISALIGNED, BASE + 4, DATA + 3 },
	{ "lw misaligned 1", LW(D, A, 1), DATA, TSR_FAULT_LOAD_MISALIGNED, BASE + 4, DATA + 1 },
	{ "lw misaligned 2", LW(D, A, 2), DATA, TSR_FAULT_LOAD_MISALIGNED, BASE + 4, DATA + 2 },
	{ "sh misaligned", SH(B, A, 1), DATA, TSR_FAULT_STORE_MISALIGNED, BASE + 4, DATA + 1 },
	{ "sw misaligned", SW(B, A, 3), DATA, TSR_FAULT_STORE_MISALIGNED, BASE + 4, DATA + 3 },
	{ "lw below", LW(D, A, -4), BASE, TSR_FAULT_LOAD_RANGE, BASE + 4, BASE - 4 },
	{ "lb below", LB(D, A, -1), BASE, TSR_FAULT_LOAD_RANGE, BASE + 4, BASE - 1 },
	{ "lw above", LW(D, A, 0), BASE + SIZE, TSR_FAULT_LOAD_RANGE, BASE + 4, BASE + SIZE },
	{ "lh above", LH(D, A, 0), BASE + SIZE, TSR_FAULT_LOAD_RANGE, BASE + 4, BASE + SIZE },
	{ "lbu above", LBU(D, A, 0), BASE + SIZE, TSR_FAULT_LOAD_RANGE, BASE + 4, BASE + SIZE },
	{ "lw null", LW(D, ZERO, 0), 0, TSR_FAULT_LOAD_RANGE, BASE + 4, 0 },
	{ "lw top", LW(D, ZERO, -4), 0, TSR_FAULT_LOAD_RANGE, BASE + 4, 0xfffffffc },
	{ "lw wraps", LW(D, A, 4), 0xfffffffc, TSR_FAULT_LOAD_RANGE, BASE + 4, 0 },
	{ "sw above", SW(B, A, 0), BASE + SIZE, TSR_FAULT_STORE_RANGE, BASE + 4, BASE + SIZE },
	{ "sh above", SH(B, A, 0), BASE + SIZE, TSR_FAULT_STORE_RANGE, BASE + 4, BASE + SIZE },
	{ "sb below", SB(B, A, -1), BASE, TSR_FAULT_STORE_RANGE, BASE + 4, BASE - 1 },
	{ "jalr nowhere", JALR(RA, ZERO, 0), 0, TSR_FAULT_FETCH, BASE + 4, 0 },
	{ "jalr misaligned", JALR(RA, A, 2), BASE, TSR_FAULT_FETCH, BASE + 4, BASE + 2 },
	{ "jalr above", JALR(RA, A, 0), BASE + SIZE, TSR_FAULT_FETCH, BASE + 4, BASE + SIZE },
	{ "jal below", JAL(RA, -8), 0, TSR_FAULT_FETCH, BASE + 4, BASE - 4 },
	{ "jal misaligned", JAL(RA, 6), 0, TSR_FAULT_FETCH, BASE + 4, BASE + 10 },
	{ "branch below", BEQ(A, A, -16), 0, TSR_FAULT_FETCH, BASE + 4, BASE - 12 },
	{ "branch misaligned", BNE(A, ZERO, 6), 1, TSR_FAULT_FETCH, BASE + 4, BASE + 10 },
};

TEST(faults_name_cause_pc_and_address)
{
	struct machine m;
	u32 i, mode;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		for (mode = 0; mode < 2; mode++) {
			u32 code[] = { ADDI(S0, ZERO, 1), faults[i].word, ECALL() };

			setup(&m, code, 3, mode);
			m.hart.x[A] = faults[i].a;
			m.hart.x[D] = 0x1234;
			EXPECT_EQ(TSR_EXIT_FAULT, tsr_hart_run(&m.hart)) {
				TH_LOG("%s, mode %u", faults[i].name, mode);
			}
			EXPECT_EQ(faults[i].cause, m.hart.cause) {
				TH_LOG("%s, mode %u", faults[i].name, mode);
			}
			EXPECT_EQ(faults[i].pc, m.hart.fault_pc) {
				TH_LOG("%s, mode %u", faults[i].name, mode);
			}
			EXPECT_EQ(faults[i].address, m.hart.address) {
				TH_LOG("%s, mode %u", faults[i].name, mode);
			}
			EXPECT_EQ(0x1234, m.hart.x[D]);
			EXPECT_EQ(1, m.hart.x[S0]);
			teardown(&m);
		}
	}
}

TEST(untaken_branch_to_nowhere_is_no_fault)
{
	const u32 code[] = { BNE(ZERO, ZERO, 6), BEQ(A, ZERO, -64), ECALL() };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 3, mode);
		m.hart.x[A] = 1;
		EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
		EXPECT_EQ(BASE + 8, m.hart.pc);
		teardown(&m);
	}
}

TEST(a_faulting_jump_does_not_link)
{
	const u32 code[] = { JALR(RA, A, 0) };
	struct machine m;
	u32 mode;

	for (mode = 0; mode < 2; mode++) {
		setup(&m, code, 1, mode);
		m.hart.x[A] = BASE + 6;
		m.hart.x[RA] = 7;
		EXPECT_EQ(TSR_EXIT_FAULT, tsr_hart_run(&m.hart));
		EXPECT_EQ(7, m.hart.x[RA]);
		teardown(&m);
	}
}

TEST(system_instructions_go_to_the_host)
{
	const u32 words[] = { ECALL(), EBREAK(), MRET(), WFI(), CSRRW(D, 0x305, A) };
	struct machine m;
	u32 i, mode;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		for (mode = 0; mode < 2; mode++) {
			u32 code[] = { NOP(), words[i] };

			setup(&m, code, 2, mode);
			EXPECT_EQ(TSR_EXIT_SYSTEM, tsr_hart_run(&m.hart));
			EXPECT_EQ(words[i], m.hart.address);
			EXPECT_EQ(BASE + 4, m.hart.pc);
			EXPECT_EQ(1, m.hart.instret);
			teardown(&m);
		}
	}
}

TEST(code_that_runs_off_memory_faults_there)
{
	const u32 code[] = { NOP() };
	struct machine m;

	setup(&m, code, 1, false);
	m.mem[SIZE / 4 - 1] = NOP();
	m.hart.pc = BASE + SIZE - 4;
	EXPECT_EQ(TSR_EXIT_FAULT, tsr_hart_run(&m.hart));
	EXPECT_EQ(TSR_FAULT_FETCH, m.hart.cause);
	EXPECT_EQ(BASE + SIZE, m.hart.fault_pc);
	EXPECT_EQ(BASE + SIZE, m.hart.address);
}

TEST(code_continues_outside_of_the_text)
{
	const u32 code[] = { ADDI(D, D, 1), ADDI(D, D, 2), ADDI(D, D, 4), JAL(RA, -8), ECALL() };
	struct machine m;

	/* only the first instruction is predecoded; the jump comes back before the end */
	setup(&m, code, 5, false);
	m.text = tsr_text_decode(&timing, BASE, BASE, code, 4);
	m.hart.text = m.text;
	m.hart.limit = 60;
	EXPECT_EQ(TSR_EXIT_LIMIT, tsr_hart_run(&m.hart));
	EXPECT_EQ(BASE + 16, m.hart.x[RA]);
	EXPECT_LE(60, m.hart.cycles);
	EXPECT_EQ(1, m.hart.x[D] & 1);
	teardown(&m);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * Does what its words say: the words of its own core, or if it has none the common ones. The
 * instructions that may fault or stall stand in functions of their own, at a global symbol, so
 * that a test can compare the pc of a record with it.
 */
#include <tessera.h>

#include "script.h"

#define STEP_FUNC	static __attribute__((noinline)) void

STEP_FUNC do_load(uint32_t address)
{
	uint32_t value;

	__asm__ volatile(".globl at_load\nat_load: lw %0, 0(%1)" : "=r"(value) : "r"(address)
			 : "memory");
}

STEP_FUNC do_store(uint32_t address, uint32_t value)
{
	__asm__ volatile(".globl at_store\nat_store: sw %1, 0(%0)" : : "r"(address), "r"(value)
			 : "memory");
}

STEP_FUNC do_load_byte(uint32_t address)
{
	uint32_t value;

	__asm__ volatile(".globl at_load_byte\nat_load_byte: lbu %0, 0(%1)" : "=r"(value)
			 : "r"(address) : "memory");
}

STEP_FUNC do_store_byte(uint32_t address, uint32_t value)
{
	__asm__ volatile(".globl at_store_byte\nat_store_byte: sb %1, 0(%0)" : : "r"(address),
			 "r"(value) : "memory");
}

STEP_FUNC do_load_half(uint32_t address)
{
	uint32_t value;

	__asm__ volatile(".globl at_load_half\nat_load_half: lh %0, 0(%1)" : "=r"(value)
			 : "r"(address) : "memory");
}

STEP_FUNC do_store_half(uint32_t address, uint32_t value)
{
	__asm__ volatile(".globl at_store_half\nat_store_half: sh %1, 0(%0)" : : "r"(address),
			 "r"(value) : "memory");
}

STEP_FUNC do_jump(uint32_t address)
{
	__asm__ volatile(".globl at_jump\nat_jump: jalr x0, 0(%0)" : : "r"(address) : "memory");
}

STEP_FUNC do_illegal(void)
{
	__asm__ volatile(".globl at_illegal\nat_illegal: .word 0xffffffff" : : : "memory");
}

STEP_FUNC do_ebreak(void)
{
	__asm__ volatile(".globl at_ebreak\nat_ebreak: ebreak" : : : "memory");
}

STEP_FUNC do_ecall(void)
{
	__asm__ volatile(".globl at_ecall\nat_ecall: ecall" : : : "memory");
}

STEP_FUNC do_spin(void)
{
	__asm__ volatile(".globl at_spin\nat_spin: addi t0, t0, 1\nxori t0, t0, 7\nj at_spin\n"
			 ".globl at_spin_end\nat_spin_end:" : : : "t0", "memory");
}

STEP_FUNC do_work(uint32_t n)
{
	while (n--)
		__asm__ volatile("" : : "r"(n));
}

static void do_noc(volatile uint32_t *w)
{
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_TARGET_HI, w[0]);
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_TARGET_LO, w[1]);
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_LOCAL, w[2]);
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_SIZE, w[3]);
	do_store(TSR_REG_NOC + TSR_NOC_COMMAND, w[4]);
}

static void do_beat(uint32_t n, uint32_t m)
{
	while (n--) {
		kernel_heartbeat();
		do_work(m);
	}
}

static void do_fill(uint32_t address, uint32_t value, uint32_t n)
{
	while (n--) {
		*(volatile uint32_t *)address = value++;
		address += 4;
	}
}

static void do_dirty(uint32_t address, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (((volatile uint32_t *)address)[i])
			kernel_exit(i + 1);
}

static void do_print(uint32_t id, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		device_print("core %u,%u processor %u says %08x, line %d of %u\n", my_x(), my_y(),
			     my_processor(), id, (int)i - 1, n);
}

static void do_regs(uint32_t address, uint32_t n, uint32_t stride, uint32_t to)
{
	while (n--) {
		*(volatile uint32_t *)to = tsr_reg_read(address);
		address += stride;
		to += 4;
	}
}

/* Returns how many words the step has after its number. */
static uint32_t other_step(uint32_t step, volatile uint32_t *w)
{
	uint64_t now;

	switch (step) {
	case STEP_BEAT:
		do_beat(w[0], w[1]);
		return 2;
	case STEP_FILL:
		do_fill(w[0], w[1], w[2]);
		return 3;
	case STEP_FAIL_IF:
		if (*(volatile uint32_t *)w[0] != w[1])
			kernel_exit(1);
		return 2;
	case STEP_PRINT:
		do_print(w[0], w[1]);
		return 2;
	case STEP_CYCLES:
		now = get_cycle_count();
		((volatile uint32_t *)w[0])[0] = (uint32_t)now;
		((volatile uint32_t *)w[0])[1] = (uint32_t)(now >> 32);
		return 1;
	case STEP_DIRTY:
		do_dirty(w[0], w[1]);
		return 2;
	case STEP_REGS:
		do_regs(w[0], w[1], w[2], w[3]);
		return 4;
	default:
		kernel_exit(0xbad);
	}
}

static uint32_t one_step(uint32_t step, volatile uint32_t *w)
{
	switch (step) {
	case STEP_LOAD:
		do_load(w[0]);
		return 1;
	case STEP_STORE:
		do_store(w[0], w[1]);
		return 2;
	case STEP_LOAD_BYTE:
		do_load_byte(w[0]);
		return 1;
	case STEP_STORE_BYTE:
		do_store_byte(w[0], w[1]);
		return 2;
	case STEP_LOAD_HALF:
		do_load_half(w[0]);
		return 1;
	case STEP_STORE_HALF:
		do_store_half(w[0], w[1]);
		return 2;
	case STEP_JUMP:
		do_jump(w[0]);
		return 1;
	case STEP_ILLEGAL:
		do_illegal();
		return 0;
	case STEP_EBREAK:
		do_ebreak();
		return 0;
	case STEP_ECALL:
		do_ecall();
		return 0;
	case STEP_NOC:
		do_noc(w);
		return 5;
	case STEP_SPIN:
		do_spin();
		return 0;
	case STEP_WORK:
		do_work(w[0]);
		return 1;
	default:
		return other_step(step, w);
	}
}

void kernel_main(void)
{
	bool own = get_arg_count() > 0;
	uint32_t at = own ? get_arg_addr(0) : get_common_arg_addr(0);
	volatile uint32_t *w = (volatile uint32_t *)at;
	uint32_t n = own ? get_arg_count() : get_common_arg_count();

	for (uint32_t i = 0; i < n && w[i] != STEP_END;) {
		uint32_t step = w[i];

		i += 1 + one_step(step, w + i + 1);
	}
}

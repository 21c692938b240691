/* SPDX-License-Identifier: MIT */
/*
 * Registers, launch words, identity, time, assertions, end. Part of tessera.h.
 */
#ifndef TESSERA_DEVICE_CORE_H
#define TESSERA_DEVICE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <drm/tessera_grid.h>

/* Every kernel defines this; start-up code calls it. */
void kernel_main(void);

/* Part of the start-up code: there is no <string.h> here. */
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/*
 * L1 is shared with the other processors of the core and written by the NoC, so
 * a pointer to it is volatile. tt_l1_ptr says nothing here; it is kept so that
 * "volatile tt_l1_ptr uint32_t *" still compiles.
 */
#define tt_l1_ptr
#define FORCE_INLINE		static inline __attribute__((always_inline))

/* The compiler moves no memory access across this. */
#define TSR_COMPILER_BARRIER()	__asm__ volatile("" : : : "memory")

/* Values of a semaphore that says whether data is there. */
#define INVALID			0
#define VALID			1

/*
 * Names that need nothing here: L1 is not cached; where a processor waits is in the stall
 * record, and when it did what in its profile.
 */
#define invalidate_l1_cache()	TSR_COMPILER_BARRIER()
#define WAYPOINT(name)		((void)sizeof(name))
#define DeviceZoneScopedN(name)	((void)sizeof(name))

FORCE_INLINE uint32_t tsr_reg_read(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

FORCE_INLINE void tsr_reg_write(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

FORCE_INLINE uint32_t tsr_core_reg(uint32_t offset)
{
	return tsr_reg_read(TSR_REG_CORE + offset);
}

/*
 * ASSERT() - end the run with TSR_FAULT_BREAKPOINT when @cond is false
 *
 * The line number keeps the compiler from merging two assertions into one
 * instruction, so the pc in the fault record names the one that failed.
 */
#ifdef TESSERA_NO_ASSERT
#define ASSERT(cond)		((void)sizeof(!(cond)))
#else
#define ASSERT(cond)									\
	do {										\
		if (__builtin_expect(!(cond), 0)) {					\
			__asm__ volatile("ebreak # line %0" : : "i"(__LINE__));		\
			__builtin_unreachable();					\
		}									\
	} while (0)
#endif

/* ---- Launch words ------------------------------------------------------------------------- */

/* Number of words that this processor of this core got; the caller's come first (RR-10). */
FORCE_INLINE uint32_t get_arg_count(void)
{
	return tsr_core_reg(TSR_CORE_ARG_COUNT);
}

/* Number of words that all cores of this kernel share. */
FORCE_INLINE uint32_t get_common_arg_count(void)
{
	return tsr_core_reg(TSR_CORE_COMMON_COUNT);
}

/* L1 address of word @i. */
FORCE_INLINE uint32_t get_arg_addr(uint32_t i)
{
	return tsr_core_reg(TSR_CORE_ARG_BASE) + 4 * i;
}

FORCE_INLINE uint32_t get_common_arg_addr(uint32_t i)
{
	return tsr_core_reg(TSR_CORE_COMMON_BASE) + 4 * i;
}

/* Word @i of this core; a word that was not sent fails an assertion. */
FORCE_INLINE uint32_t get_arg_val(uint32_t i)
{
	ASSERT(i < get_arg_count());
	return *(volatile uint32_t *)get_arg_addr(i);
}

FORCE_INLINE uint32_t get_common_arg_val(uint32_t i)
{
	ASSERT(i < get_common_arg_count());
	return *(volatile uint32_t *)get_common_arg_addr(i);
}

/*
 * get_compile_time_arg_val() - constant @i of the definition KERNEL_COMPILE_TIME_ARGS
 *
 * The definition is a list: "4,32,0x100". Definitions with names of their own read better.
 */
#ifdef KERNEL_COMPILE_TIME_ARGS
#define get_compile_time_arg_val(i)	(((const uint32_t[]){ KERNEL_COMPILE_TIME_ARGS })[i])
#endif

/* ---- Identity ----------------------------------------------------------------------------- */

FORCE_INLINE uint32_t my_x(void)
{
	return tsr_core_reg(TSR_CORE_X);
}

FORCE_INLINE uint32_t my_y(void)
{
	return tsr_core_reg(TSR_CORE_Y);
}

/* Coordinates are the same in the host's view and on the NoC: there is no translation. */
FORCE_INLINE uint32_t get_absolute_logical_x(void)
{
	return my_x();
}

FORCE_INLINE uint32_t get_absolute_logical_y(void)
{
	return my_y();
}

/* TSR_PROC_DM0, TSR_PROC_DM1 or TSR_PROC_COMPUTE. */
FORCE_INLINE uint32_t my_processor(void)
{
	return tsr_core_reg(TSR_CORE_PROC);
}

FORCE_INLINE uint32_t get_grid_width(void)
{
	return tsr_core_reg(TSR_CORE_GRID_WIDTH);
}

FORCE_INLINE uint32_t get_grid_height(void)
{
	return tsr_core_reg(TSR_CORE_GRID_HEIGHT);
}

FORCE_INLINE uint32_t get_l1_size(void)
{
	return tsr_core_reg(TSR_CORE_L1_SIZE);
}

/* Number of buffers bound to this run. */
FORCE_INLINE uint32_t get_binding_count(void)
{
	return tsr_core_reg(TSR_CORE_BINDINGS);
}

FORCE_INLINE uint64_t get_run_id(void)
{
	return ((uint64_t)tsr_core_reg(TSR_CORE_RUN_HI) << 32) | tsr_core_reg(TSR_CORE_RUN_LO);
}

/* The device's seed: equal seeds give equal runs (DEV-5). */
FORCE_INLINE uint32_t get_seed(void)
{
	return tsr_core_reg(TSR_CORE_SEED);
}

/* ---- Time, progress, end ------------------------------------------------------------------- */

/* Cycles of this processor since launch. Reading the low half latches the high one. */
FORCE_INLINE uint64_t get_cycle_count(void)
{
	uint32_t lo, hi;

	TSR_COMPILER_BARRIER();
	lo = tsr_core_reg(TSR_CORE_CYCLE_LO);
	hi = tsr_core_reg(TSR_CORE_CYCLE_HI);
	TSR_COMPILER_BARRIER();
	return ((uint64_t)hi << 32) | lo;
}

/* Says that a long computation is alive; else a run without progress is ended (FL-3). */
FORCE_INLINE void kernel_heartbeat(void)
{
	tsr_reg_write(TSR_REG_CORE + TSR_CORE_HEARTBEAT, 1);
}

/* Ends this processor. Zero is success; anything else ends the run with TSR_FAULT_KERNEL. */
FORCE_INLINE __attribute__((noreturn)) void kernel_exit(uint32_t status)
{
	TSR_COMPILER_BARRIER();
	tsr_reg_write(TSR_REG_CORE + TSR_CORE_EXIT, status);
	__builtin_unreachable();
}

#endif

/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * What a processor of the grid sees: memory map, registers, formats, fault
 * causes. Constants only, so that C, assembler, the kernel module, the library
 * and device kernels include this one file. Documentation/device.rst explains
 * every register; where the two differ, that is a defect.
 *
 * Sizes and counts are never here: they come from the device's limits (RR-12).
 */
#ifndef TESSERA_GRID_H
#define TESSERA_GRID_H

/* Processors of a core. Also the bit numbers of a processor mask. */
#define TSR_PROC_DM0			0	/* data movement, by custom the reader */
#define TSR_PROC_DM1			1	/* data movement, by custom the writer */
#define TSR_PROC_COMPUTE		2	/* owns the tile unit */
#define TSR_PROCS_PER_CORE		3

/* Address space of a processor: 32 bit, little endian. All else faults. */
#define TSR_L1_BASE			0x00100000u	/* own L1, limits.l1_size bytes */
#define TSR_REG_BASE			0xf0000000u	/* registers, 32-bit access only */

/*
 * Core block: identity, launch parameters, progress, print, end.
 * Loads of write-only registers return 0; stores to read-only ones fault.
 */
#define TSR_REG_CORE			0xf0000000u
#define TSR_CORE_X			0x00	/* ro: own column */
#define TSR_CORE_Y			0x04	/* ro: own row */
#define TSR_CORE_PROC			0x08	/* ro: TSR_PROC_* */
#define TSR_CORE_GRID_WIDTH		0x0c	/* ro */
#define TSR_CORE_GRID_HEIGHT		0x10	/* ro */
#define TSR_CORE_L1_SIZE		0x14	/* ro: bytes */
#define TSR_CORE_ARG_BASE		0x18	/* ro: L1 address of this processor's own words */
#define TSR_CORE_ARG_COUNT		0x1c	/* ro */
#define TSR_CORE_COMMON_BASE		0x20	/* ro: L1 address of its common words */
#define TSR_CORE_COMMON_COUNT		0x24	/* ro */
#define TSR_CORE_RUN_LO			0x28	/* ro: run id, low half */
#define TSR_CORE_RUN_HI			0x2c	/* ro: run id, high half */
#define TSR_CORE_SEED			0x30	/* ro: the device's seed */
#define TSR_CORE_BINDINGS		0x34	/* ro: number of bound buffers */
#define TSR_CORE_CYCLE_LO		0x38	/* ro: cycles since launch; latches _HI */
#define TSR_CORE_CYCLE_HI		0x3c	/* ro */
#define TSR_CORE_HEARTBEAT		0x40	/* wo: any store is progress (FL-3) */
#define TSR_CORE_PRINT			0x44	/* wo: low byte appended to the print line */
#define TSR_CORE_EXIT			0x48	/* wo: ends this processor; non-zero is a failure */

/* Semaphores: limits.semaphores of them, 16 bytes apart, 32 bits unsigned each. */
#define TSR_REG_SEM			0xf0010000u
#define TSR_SEM_STRIDE			0x10
#define TSR_SEM_VALUE			0x00	/* rw: the value; also the NoC address of it */
#define TSR_SEM_WAIT_EQ			0x04	/* wo: stalls until value == stored word */
#define TSR_SEM_WAIT_MIN		0x08	/* wo: stalls until value >= stored word */
#define TSR_SEM_ADD			0x0c	/* wo: adds atomically, modulo 2^32 */

/* Circular buffers: limits.circular_buffers of them, 64 bytes apart. */
#define TSR_REG_CB			0xf0020000u
#define TSR_CB_STRIDE			0x40
#define TSR_CB_RESERVE			0x00	/* wo: stalls until n pages are free */
#define TSR_CB_PUSH			0x04	/* wo: n pages are now readable */
#define TSR_CB_WAIT			0x08	/* wo: stalls until n pages are readable */
#define TSR_CB_POP			0x0c	/* wo: n pages are now free */
#define TSR_CB_WRITE_PTR		0x10	/* ro: L1 address of the next page to fill */
#define TSR_CB_READ_PTR			0x14	/* ro: L1 address of the next page to read */
#define TSR_CB_AVAILABLE		0x18	/* ro: readable pages */
#define TSR_CB_FREE			0x1c	/* ro: free pages */
#define TSR_CB_PAGE_SIZE		0x20	/* ro: bytes */
#define TSR_CB_PAGE_COUNT		0x24	/* ro */
#define TSR_CB_FORMAT			0x28	/* ro: TSR_FORMAT_* */

/* NoC interface: one per processor. A store to COMMAND issues the transfer. */
#define TSR_REG_NOC			0xf0030000u
#define TSR_NOC_TARGET_LO		0x00	/* rw: see TSR_NOC_TARGET_* */
#define TSR_NOC_TARGET_HI		0x04	/* rw */
#define TSR_NOC_LOCAL			0x08	/* rw: own L1 address, or the operand */
#define TSR_NOC_SIZE			0x0c	/* rw: bytes */
#define TSR_NOC_COMMAND			0x10	/* wo: TSR_NOC_CMD_* */
#define TSR_NOC_BARRIER			0x14	/* wo: stalls until the classes stored are done */
#define TSR_NOC_PENDING			0x18	/* ro: classes not yet done, as in BARRIER */

#define TSR_NOC_CMD_READ		1	/* target -> own L1 */
#define TSR_NOC_CMD_WRITE		2	/* own L1 -> target, also multicast (not to self) */
#define TSR_NOC_CMD_WRITE_LOOPBACK	3	/* multicast that includes the sender */
#define TSR_NOC_CMD_WRITE_WORD		4	/* LOCAL is the 32-bit value written */
#define TSR_NOC_CMD_SEM_INC		5	/* LOCAL is added to the target semaphore */

#define TSR_NOC_CLASS_READ		0x1
#define TSR_NOC_CLASS_WRITE		0x2
#define TSR_NOC_CLASS_ATOMIC		0x4

/*
 * TARGET_HI, bits 31:30 are the kind.
 *  CORE       7:0 column, 15:8 row; TARGET_LO is an address in that core: L1 or
 *             the VALUE register of a semaphore.
 *  MULTICAST  6:0 x0, 13:7 y0, 20:14 x1, 27:21 y1, all inclusive; harvested cores
 *             in the rectangle are skipped; TARGET_LO as for CORE. Write only.
 *  BUFFER     15:0 binding index, 29:16 bits 45:32 of the byte offset into the
 *             binding; TARGET_LO is its bits 31:0.
 */
#define TSR_NOC_TARGET_CORE		0x00000000u
#define TSR_NOC_TARGET_MULTICAST	0x40000000u
#define TSR_NOC_TARGET_BUFFER		0x80000000u
#define TSR_NOC_TARGET_KIND		0xc0000000u

/* Tile unit: compute processor only. A store to OP executes. */
#define TSR_REG_TILE			0xf0040000u
#define TSR_TILE_A			0x00	/* rw: L1 address of operand A or the result */
#define TSR_TILE_B			0x04	/* rw: L1 address of operand B */
#define TSR_TILE_DST			0x08	/* rw: register, 0 .. TSR_TILE_REGS - 1 */
#define TSR_TILE_FORMAT			0x0c	/* rw: TSR_FORMAT_* of operands or result */
#define TSR_TILE_OP			0x10	/* wo: TSR_TILE_* below */

#define TSR_TILE_DIM			32	/* 32 x 32 elements, row-major, dense */
#define TSR_TILE_REGS			16	/* registers of 32 x 32 32-bit elements */

#define TSR_TILE_ZERO			1	/* dst = 0 */
#define TSR_TILE_LOAD			2	/* dst = A, converted to the accumulator type */
#define TSR_TILE_STORE			3	/* memory at A = dst, converted to FORMAT */
#define TSR_TILE_MATMUL			4	/* dst += A x B */
#define TSR_TILE_ADD			5	/* dst = A + B, by element, as the next */
#define TSR_TILE_SUB			6	/* dst = A - B */
#define TSR_TILE_MUL			7	/* dst = A * B */
#define TSR_TILE_MAX			8	/* dst = max(A, B) */
#define TSR_TILE_RELU			9	/* dst = max(dst, 0) */
#define TSR_TILE_ADD_DST		10	/* dst = dst + A */
#define TSR_TILE_MUL_DST		11	/* dst = dst * A */
#define TSR_TILE_MAX_DST		12	/* dst = max(dst, A) */
#define TSR_TILE_TO_FP32		13	/* dst: int32 -> fp32 */
#define TSR_TILE_TO_INT32		14	/* dst: fp32 -> int32, see below */

/*
 * Element formats. INT8 and INT32 accumulate as int32 (modulo 2^32), BF16 and
 * FP32 as fp32; a store from fp32 rounds to nearest even, to INT8 saturates.
 * TO_INT32 rounds to nearest even and saturates; NaN becomes 0.
 */
#define TSR_FORMAT_RAW			0	/* bytes; no tile operation */
#define TSR_FORMAT_INT8			1	/* tile of 1024 bytes */
#define TSR_FORMAT_INT32		2	/* 4096 bytes */
#define TSR_FORMAT_BF16			3	/* 2048 bytes */
#define TSR_FORMAT_FP32			4	/* 4096 bytes */
#define TSR_FORMATS			5

/* Why a processor stopped (FL-5). The fault record holds one of these. */
#define TSR_FAULT_NONE			0
#define TSR_FAULT_ILLEGAL_INSN		1	/* address: the instruction word */
#define TSR_FAULT_BREAKPOINT		2	/* ebreak, a failed device assertion */
#define TSR_FAULT_ECALL			3	/* the grid has no environment to call */
#define TSR_FAULT_FETCH			4	/* pc outside L1 or misaligned */
#define TSR_FAULT_LOAD_MISALIGNED	5
#define TSR_FAULT_STORE_MISALIGNED	6
#define TSR_FAULT_LOAD_RANGE		7	/* nothing is mapped there */
#define TSR_FAULT_STORE_RANGE		8	/* nothing, or a read-only register */
#define TSR_FAULT_NOC_COMMAND		9	/* unknown, size 0, local range outside L1 */
#define TSR_FAULT_NOC_TARGET		10	/* no such core, or a range outside it */
#define TSR_FAULT_BUFFER_UNBOUND	11	/* binding index not bound to this run */
#define TSR_FAULT_BUFFER_RANGE		12	/* range outside the binding */
#define TSR_FAULT_BUFFER_READ		13	/* read of an OUT binding */
#define TSR_FAULT_BUFFER_WRITE		14	/* write to an IN binding */
#define TSR_FAULT_SEMAPHORE		15	/* no such semaphore */
#define TSR_FAULT_CB			16	/* none such, too many pages, over its end */
#define TSR_FAULT_TILE			17	/* bad op, format, register, range, processor */
#define TSR_FAULT_KERNEL		18	/* ended with a status; address: the status */
#define TSR_FAULTS			19

/* What is known of a failure beside its cause and address (FL-12); the rest is unknown, not 0. */
#define TSR_KNOWN_OBJECT		(1u << 0)	/* index of the tensor or circular buffer */
#define TSR_KNOWN_SIZE			(1u << 1)	/* of it: bytes, or pages */
#define TSR_KNOWN_AMOUNT		(1u << 2)	/* bytes or pages asked for */
#define TSR_KNOWN_READ			(1u << 3)	/* it was a load or a read */
#define TSR_KNOWN_WRITE			(1u << 4)	/* it was a store or a write */
#define TSR_KNOWN_WAIT			(1u << 5)	/* value waited for, and the one there is */

/* Why a run made no progress, by priority (FL-4). */
#define TSR_STALL_NONE			0	/* it did, or nobody asked */
#define TSR_STALL_RUNNING		1	/* a processor executes */
#define TSR_STALL_READY			2	/* launched, but none ever executed */
#define TSR_STALL_DEADLOCK		3	/* all that is left waits */
#define TSR_STALL_DISPATCH		4	/* the dispatcher never finished */
#define TSR_STALL_UNKNOWN		5
#define TSR_STALLS			6

#endif

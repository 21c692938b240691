/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Format of a device core dump (FL-10), as /sys/class/devcoredump shows it: a header,
 * the status record of the run (struct drm_tessera_status, as it was when the dump was
 * made), then one record for each core that took part, ascending by (y, x), then pieces
 * of memory of the core that faulted or is stuck. Little endian.
 */
#ifndef TESSERA_DUMP_H
#define TESSERA_DUMP_H

#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define TESSERA_DUMP_MAGIC	0x44525354u	/* "TSRD" */
#define TESSERA_DUMP_VERSION	2	/* 1 ended with the core records */

#define TESSERA_DUMP_OFF	0	/* takes no part */
#define TESSERA_DUMP_READY	1	/* executes, or would */
#define TESSERA_DUMP_WAITING	2	/* stalled on a semaphore or circular buffer */
#define TESSERA_DUMP_DONE	3

/** struct tessera_dump_proc - a processor */
struct tessera_dump_proc {
	/** @state: TESSERA_DUMP_*. */
	__u32 state;
	/** @pc: where it stands. */
	__u32 pc;
	/** @wait_register: address of the register it is stalled at, or 0. */
	__u32 wait_register;
	/** @wait_value: what it stored there. */
	__u32 wait_value;
	/** @cycles: its clock. */
	__u64 cycles;
	/** @instructions: retired. */
	__u64 instructions;
	/** @registers: x0 .. x31. */
	__u32 registers[32];
};

/** struct tessera_dump_cb - a circular buffer; all zero when not configured */
struct tessera_dump_cb {
	/** @page_size: bytes. */
	__u32 page_size;
	/** @page_count: pages. */
	__u32 page_count;
	/** @pushed: pages since launch, modulo 2^32. */
	__u32 pushed;
	/** @popped: pages since launch, modulo 2^32. */
	__u32 popped;
};

/** struct tessera_dump_core - a core */
struct tessera_dump_core {
	/** @x: column. */
	/** @y: row. */
	__u16 x, y;
	/** @pad: zero. */
	__u32 pad;
	/** @procs: by TSR_PROC_*. */
	struct tessera_dump_proc procs[3];
	/** @semaphores: values. */
	__u32 semaphores[16];
	/** @cbs: by id. */
	struct tessera_dump_cb cbs[32];
};

#define TESSERA_DUMP_LINE	256	/* bytes: what is zero is left out by so many */

/** struct tessera_dump_memory - a piece of a core's memory; its bytes follow */
struct tessera_dump_memory {
	/** @x: column of the core. */
	/** @y: row. */
	__u16 x, y;
	/** @address: as the core's processors see it. */
	__u32 address;
	/** @size: bytes, a multiple of TESSERA_DUMP_LINE. */
	__u32 size;
	/** @pad: zero. */
	__u32 pad;
};

/** struct tessera_dump - start of the file */
struct tessera_dump {
	/** @magic: TESSERA_DUMP_MAGIC. */
	__u32 magic;
	/** @version: TESSERA_DUMP_VERSION. */
	__u32 version;
	/** @header_size: bytes of this struct; the status record follows it. */
	__u32 header_size;
	/** @status_size: bytes of the status record; the first core record follows it. */
	__u32 status_size;
	/** @core_size: bytes of one core record. */
	__u32 core_size;
	/** @cores: number of core records. */
	__u32 cores;
	/** @fingerprint: of the program, as its blob said. */
	__u64 fingerprint[2];
	/** @device: name, NUL-terminated. */
	char device[32];
	/** @program: name, cut to fit, NUL-terminated. */
	char program[64];
	/** @kernel: name of the kernel that faulted or is stuck, likewise; "" for none. */
	char kernel[64];
	/** @memories: pieces of memory, ascending by address; what lies between them is zero. */
	__u32 memories;
	/** @memory_size: bytes of all pieces with their headers. */
	__u32 memory_size;
	/** @memory_end: address up to which memory was looked at; 0: not at all. */
	__u32 memory_end;
	/** @memory_limit: address at which it ends; more than @memory_end: the rest is missing. */
	__u32 memory_limit;
};

#if defined(__cplusplus)
}
#endif

#endif

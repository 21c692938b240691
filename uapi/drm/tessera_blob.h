/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Binary format of program and dispatch blobs, and the limits they are checked
 * against. Little endian, naturally aligned, the same on 32 and 64 bit.
 *
 * A program blob is a header and, in the order of enum tessera_section, its
 * sections. Each section starts at the end of the one before, rounded up to 8;
 * the bytes in between are zero. Sections do not overlap, and nothing is left over:
 * every rectangle and image is used, every byte of DATA belongs to an image but for
 * zeroes up to the next multiple of 8, and there is at least one descriptor. Records
 * may share rectangles, images may share data. A blob has exactly one layout, and the
 * verifier (kernel/core/blob.c) accepts no other.
 *
 * A program blob holds structure only: no word, no address of a buffer or bank
 * (SPEC section 1). What a run must bring follows from it:
 *
 *   words = for each descriptor in order: its common words, then for each of
 *           its arg records in order: the words of that core.
 *
 * A dispatch blob is struct tessera_dispatch_header, the bindings, then the words.
 */
#ifndef TESSERA_BLOB_H
#define TESSERA_BLOB_H

#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * struct tessera_limits - what a device allows; the only source of sizes (RR-12)
 *
 * All sizes in bytes. Reported by DRM_TESSERA_QUERY_DEVICE.
 */
struct tessera_limits {
	/** @grid_width: columns; cores have x in 0 .. grid_width - 1. */
	__u16 grid_width;
	/** @grid_height: rows. */
	__u16 grid_height;
	/** @cores: working cores: grid_width * grid_height less the harvested ones. */
	__u32 cores;
	/** @l1_size: L1 memory of each core. */
	__u32 l1_size;
	/** @arg_base: L1 address where launch words start. */
	__u32 arg_base;
	/** @image_base: L1 address of the image slot of each processor. */
	__u32 image_base[3];
	/** @image_slot: size of one image slot: text, data, bss and stack. */
	__u32 image_slot;
	/** @cb_base: lowest L1 address a circular buffer may use; it may use all above. */
	__u32 cb_base;
	/** @words: most unique + common words of one processor of one core (V13). */
	__u32 words;
	/** @semaphores: semaphores of a core; ids are 0 .. semaphores - 1 (V15). */
	__u32 semaphores;
	/** @circular_buffers: circular buffers of a core. */
	__u32 circular_buffers;
	/** @bindings: most buffers bound to one run. */
	__u32 bindings;
	/** @images: most images of one program. */
	__u32 images;
	/** @descriptors: most descriptors of one program. */
	__u32 descriptors;
	/** @ranges: most rectangles of one program, all sections together. */
	__u32 ranges;
	/** @program_size: largest program blob. */
	__u32 program_size;
	/** @queue_capacity: accepted and not retired runs of one context, at most (RUN-2). */
	__u32 queue_capacity;
	/** @staged_depth: banks: runs staged or executing at once (RUN-2). */
	__u32 staged_depth;
	/** @parallelism: runs executing at once (RUN-2). */
	__u32 parallelism;
	/** @batch: most runs in one submit. */
	__u32 batch;
	/** @syncs: most in-syncobjs, and most out-syncobjs, of one run. */
	__u32 syncs;
	/** @no_progress_ms: a run without progress for so long is ended (FL-3). */
	__u32 no_progress_ms;
	/** @claim_hold_ms: a held claim may be revoked after so long, if others wait (CL-2). */
	__u32 claim_hold_ms;
	/**
	 * @run_limit_ms: a run that executes for longer is ended while runs of others wait,
	 * whatever progress it makes (SEC-1); 0 is no limit.
	 */
	__u32 run_limit_ms;
	/** @pad: zero. */
	__u32 pad;
	/** @harvested: bit y * grid_width + x is set for a core that must not be used. */
	__u64 harvested[16];
};

#define TESSERA_MAX_CORES	1024	/* grid_width * grid_height */
#define TESSERA_MAX_DIM		64	/* grid_width, grid_height */

#define TESSERA_PROGRAM_MAGIC	0x50525354u	/* "TSRP" */
#define TESSERA_DISPATCH_MAGIC	0x44525354u	/* "TSRD" */
#define TESSERA_BLOB_VERSION	1

/** enum tessera_section - sections of a program blob, in file order */
enum tessera_section {
	TESSERA_SECTION_RANGES,		/* struct tessera_range */
	TESSERA_SECTION_IMAGES,		/* struct tessera_image */
	TESSERA_SECTION_DESCRIPTORS,	/* struct tessera_descriptor */
	TESSERA_SECTION_ARGS,		/* struct tessera_arg */
	TESSERA_SECTION_SEMAPHORES,	/* struct tessera_semaphore */
	TESSERA_SECTION_CBS,		/* struct tessera_cb */
	TESSERA_SECTION_BINDINGS,	/* struct tessera_binding */
	TESSERA_SECTION_STRINGS,	/* bytes; every string ends with NUL */
	TESSERA_SECTION_DATA,		/* bytes: image contents */
	TESSERA_SECTIONS
};

/** struct tessera_section_entry - where a section lies */
struct tessera_section_entry {
	/** @offset: bytes from the start of the blob. */
	__u32 offset;
	/** @count: records; bytes for STRINGS and DATA. */
	__u32 count;
};

/** struct tessera_program_header - start of a program blob */
struct tessera_program_header {
	/** @magic: TESSERA_PROGRAM_MAGIC. */
	__u32 magic;
	/** @version: TESSERA_BLOB_VERSION. */
	__u32 version;
	/** @size: of the whole blob. */
	__u32 size;
	/** @flags: zero. */
	__u32 flags;
	/** @fingerprint: for dumps and events only; the kernel trusts nothing to it (RR-13). */
	__u64 fingerprint[2];
	/** @name: offset into STRINGS. */
	__u32 name;
	/** @range_first: the operation's cores (V17, V21). */
	__u32 range_first;
	/** @range_count: number of rectangles, >= 1. */
	__u32 range_count;
	/** @pad: zero. */
	__u32 pad;
	/** @sections: where each lies, in the order of enum tessera_section. */
	struct tessera_section_entry sections[TESSERA_SECTIONS];
};

/** struct tessera_range - rectangle of cores, inclusive; x0 <= x1, y0 <= y1 */
struct tessera_range {
	/** @x0: left column. */
	/** @y0: top row. */
	/** @x1: right column, >= x0. */
	/** @y1: bottom row, >= y0. */
	__u16 x0, y0, x1, y1;
};

/**
 * struct tessera_image - code and data of one processor, linked for its slot
 *
 * data_size bytes are copied to the slot's base, and the rest up to mem_size is zeroed,
 * for every launch. The slot above mem_size is free for the stack, and holds what the
 * run before left there, or zeroes.
 */
struct tessera_image {
	/** @data_offset: into DATA. */
	__u32 data_offset;
	/** @data_size: 1 .. mem_size. */
	__u32 data_size;
	/** @mem_size: text, data and bss; at most limits.image_slot. */
	__u32 mem_size;
	/** @text_size: leading bytes that are code, multiple of 4, at most data_size. */
	__u32 text_size;
	/** @entry: address inside the text, multiple of 4. */
	__u32 entry;
	/** @processor: TSR_PROC_*. */
	__u32 processor;
};

/** struct tessera_descriptor - one image on a set of cores */
struct tessera_descriptor {
	/** @image: index; the image gives the processor. */
	__u32 image;
	/** @name: kernel name: offset into STRINGS. */
	__u32 name;
	/** @range_first: first of its cores in RANGES. */
	__u32 range_first;
	/** @range_count: number of rectangles, >= 1. */
	__u32 range_count;
	/** @arg_first: first of its arg records; those of descriptors follow each other. */
	__u32 arg_first;
	/** @arg_count: number of arg records. */
	__u32 arg_count;
	/** @common_words: words that all its cores share. */
	__u32 common_words;
	/** @pad: zero. */
	__u32 pad;
};

/** struct tessera_arg - how many own words one core has; none listed is none */
struct tessera_arg {
	/** @x: column. */
	/** @y: row. */
	__u16 x, y;
	/** @words: own words of that core, >= 1. */
	__u32 words;
};

#define TESSERA_CORE_TYPE_WORKER	0

/** struct tessera_semaphore - initial value of a semaphore on a set of cores */
struct tessera_semaphore {
	/** @id: ascending; each at most once (V16). */
	__u32 id;
	/** @initial: value at launch. */
	__u32 initial;
	/** @core_type: TESSERA_CORE_TYPE_WORKER. */
	__u32 core_type;
	/** @range_first: first of its cores in RANGES. */
	__u32 range_first;
	/** @range_count: number of rectangles, >= 1. */
	__u32 range_count;
	/** @pad: zero. */
	__u32 pad;
};

/** struct tessera_cb - circular buffer on a set of cores */
struct tessera_cb {
	/** @id: below limits.circular_buffers; each at most once on a core. */
	__u32 id;
	/** @page_size: multiple of 16. */
	__u32 page_size;
	/** @page_count: >= 1. */
	__u32 page_count;
	/** @address: in L1, >= limits.cb_base, multiple of 16. */
	__u32 address;
	/** @format: TSR_FORMAT_*. */
	__u32 format;
	/** @range_first: first of its cores in RANGES. */
	__u32 range_first;
	/** @range_count: number of rectangles, >= 1. */
	__u32 range_count;
	/** @pad: zero. */
	__u32 pad;
};

#define TESSERA_ACCESS_IN	1u	/* kernels read */
#define TESSERA_ACCESS_OUT	2u	/* kernels write */
#define TESSERA_ACCESS_INOUT	3u

/** struct tessera_binding - what a run must bind at this index */
struct tessera_binding {
	/** @min_size: bytes, >= 1. */
	__u64 min_size;
	/** @access: TESSERA_ACCESS_*. */
	__u32 access;
	/** @pad: zero. */
	__u32 pad;
};

/** struct tessera_dispatch_header - start of a dispatch blob */
struct tessera_dispatch_header {
	/** @magic: TESSERA_DISPATCH_MAGIC. */
	__u32 magic;
	/** @version: TESSERA_BLOB_VERSION. */
	__u32 version;
	/** @size: of the whole blob. */
	__u32 size;
	/** @bindings: number of struct tessera_bind that follow. */
	__u32 bindings;
	/** @words: number of __u32 after those. */
	__u32 words;
	/** @pad: zero. */
	__u32 pad;
};

/** struct tessera_bind - one bound buffer of a run */
struct tessera_bind {
	/** @offset: into the buffer, multiple of 16. */
	__u64 offset;
	/** @size: >= the program's min_size. */
	__u64 size;
	/** @handle: GEM handle. */
	__u32 handle;
	/** @access: equal to the program's. */
	__u32 access;
};

#if defined(__cplusplus)
}
#endif

#endif

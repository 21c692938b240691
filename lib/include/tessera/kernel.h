/* SPDX-License-Identifier: MIT */
/* Logical kernels (RR-8): how an operation declares them and how resources select them. */
#ifndef TESSERA_KERNEL_H
#define TESSERA_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_coreset;

/*
 * struct tsr_kernel - handle of a logical kernel, for an operation that has several of one kind
 *
 * Made unbound; bound once, for good, by tsr_operation_add_kernel(). Any thread.
 */
struct tsr_kernel;

/**
 * tsr_kernel_new() - an unbound handle
 *
 * Return: a new handle, for tsr_kernel_unref(); NULL: no memory.
 */
struct tsr_kernel *tsr_kernel_new(void);

/**
 * tsr_kernel_ref() - one more reference
 * @kernel: the handle
 *
 * Return: @kernel.
 */
struct tsr_kernel *tsr_kernel_ref(struct tsr_kernel *kernel);

/**
 * tsr_kernel_unref() - drop a reference; takes NULL; the operation holds its own
 * @kernel: the handle
 *
 * Return: NULL.
 */
struct tsr_kernel *tsr_kernel_unref(struct tsr_kernel *kernel);

/**
 * enum tsr_kernel_kind - kinds of kernels
 */
enum tsr_kernel_kind {
	/** @TSR_KERNEL_COMPUTE: on the compute processor */
	TSR_KERNEL_COMPUTE = 1,
	/** @TSR_KERNEL_DATA_MOVEMENT: on DM0 or DM1 */
	TSR_KERNEL_DATA_MOVEMENT = 2
};

/**
 * enum tsr_select - what a selector names
 */
enum tsr_select {
	/** @TSR_SELECT_COMPUTE: the canonical compute kernel */
	TSR_SELECT_COMPUTE = 1,
	/** @TSR_SELECT_DATA_MOVEMENT: the canonical mover */
	TSR_SELECT_DATA_MOVEMENT = 2,
	/** @TSR_SELECT_HANDLE: the kernel bound to a handle */
	TSR_SELECT_HANDLE = 3
};

/**
 * struct tsr_selector - names one logical kernel of an operation, never a descriptor
 */
struct tsr_selector {
	/** @select: enum tsr_select */
	uint32_t select;
	/** @handle: for TSR_SELECT_HANDLE, else NULL */
	const struct tsr_kernel *handle;
};

/**
 * struct tsr_definition - preprocessor definition of a kernel: -D name=value
 *
 * A size of 0 means that the string ends with NUL. Other sizes let validation see, and refuse,
 * what a NUL would hide (V6, V7).
 */
struct tsr_definition {
	/** @name: a C identifier */
	const char *name;
	/** @value: may be empty, not NULL; one line */
	const char *value;
	/** @name_size: bytes of @name, or 0 */
	size_t name_size;
	/** @value_size: bytes of @value, or 0 */
	size_t value_size;
};

/**
 * enum tsr_appended - words that the library computes for each core, see struct tsr_kernel_info
 */
enum tsr_appended {
	/** @TSR_APPENDED_RANK: row-major number of the core */
	TSR_APPENDED_RANK = 1,
	/** @TSR_APPENDED_CORES: number of cores of the operation */
	TSR_APPENDED_CORES = 2,
	/** @TSR_APPENDED_TENSOR: + i: bytes of tensor i, low word */
	TSR_APPENDED_TENSOR = 0x100
};

/*
 * What the kernel is built from is more than the library can see (FP-3): programs with it are
 * built every time, never cached. An #include "..." is seen; an #include of a macro is not.
 */
#define TSR_KERNEL_UNCACHED	(1u << 0)

/**
 * struct tsr_kernel_info - declaration of a logical kernel
 *
 * Exactly one of @source_path, @source_text and @elf is set. A source is C, compiled for the
 * device; its entry is `void kernel_main(void)`. Everything is copied, files are read at once.
 */
struct tsr_kernel_info {
	/** @name: unique in the operation, 1 .. 63 bytes, printable */
	const char *name;
	/** @kind: enum tsr_kernel_kind */
	uint32_t kind;
	/** @processor: enum tsr_processor, must suit @kind */
	uint32_t processor;
	/** @handle: bound by this call; NULL: canonical of its kind */
	struct tsr_kernel *handle;
	/** @source_path: C file; its folder is searched for "..." */
	const char *source_path;
	/** @source_text: C text */
	const char *source_text;
	/** @elf: prebuilt image, linked for the processor's slot */
	const void *elf;
	/** @elf_size: bytes of @elf */
	size_t elf_size;
	/** @definitions: base ones; resources override */
	const struct tsr_definition *definitions;
	/** @definition_count: number of @definitions */
	size_t definition_count;
	/** @flags: more arguments for the compiler, one each */
	const char *const *flags;
	/** @flag_count: number of @flags */
	size_t flag_count;
	/** @cores: of the first descriptor; NULL: see below */
	const struct tsr_coreset *cores;
	/**
	 * @appended: enum tsr_appended, in this order after the caller's own words of every core
	 * (RR-10). A kernel finds them at the end of its words.
	 */
	const uint32_t *appended;
	/** @appended_count: number of @appended */
	size_t appended_count;
	/** @options: TSR_KERNEL_* */
	uint32_t options;
	/** @pad: zero */
	uint32_t pad;
	/** @reserved: zero */
	uint64_t reserved[3];
};

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* What is in a runner, for tools: plain data, borrowed from the runner, never changing. */
#ifndef TESSERA_RUNNER_INFO_H
#define TESSERA_RUNNER_INFO_H

#include <stddef.h>
#include <stdint.h>
#include <tessera/device.h>
#include <tessera/operation.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_coreset;

/**
 * struct tsr_runner_words - cores with words, when it was saved
 */
struct tsr_runner_words {
	/** @x: column */
	uint16_t x;
	/** @y: row */
	uint16_t y;
	/** @count: own words and those the library computes */
	uint32_t count;
};

/**
 * struct tsr_runner_image - code and data of one processor
 */
struct tsr_runner_image {
	/** @text_size: bytes of code */
	uint32_t text_size;
	/** @data_size: bytes of code and data */
	uint32_t data_size;
	/** @mem_size: with bss */
	uint32_t mem_size;
	/** @entry: L1 address */
	uint32_t entry;
	/** @digest: XXH3-128 of the bytes */
	uint8_t digest[16];
	/** @data: the bytes */
	const void *data;
};

/**
 * struct tsr_runner_descriptor - a kernel on a set of cores
 */
struct tsr_runner_descriptor {
	/** @kernel: its name */
	const char *kernel;
	/** @kind: enum tsr_kernel_kind */
	uint32_t kind;
	/** @processor: enum tsr_processor */
	uint32_t processor;
	/** @explicit_kernel: 1: it has a handle, see tsr_runner_kernel(); 0: canonical */
	uint32_t explicit_kernel;
	/** @common_words: when it was saved */
	uint32_t common_words;
	/** @cores: where */
	const struct tsr_coreset *cores;
	/** @definitions: base ones */
	const struct tsr_definition *definitions;
	/** @definition_count: number of them */
	size_t definition_count;
	/** @supplied: definitions of the factory that it was built with */
	const struct tsr_definition *supplied;
	/** @supplied_count: number of them */
	size_t supplied_count;
	/** @appended: enum tsr_appended */
	const uint32_t *appended;
	/** @appended_count: number of them */
	size_t appended_count;
	/** @words: cores with words */
	const struct tsr_runner_words *words;
	/** @words_count: number of them */
	size_t words_count;
	/** @image: what runs there */
	struct tsr_runner_image image;
};

/**
 * struct tsr_runner_semaphore - of the operation or of the factory
 */
struct tsr_runner_semaphore {
	/** @id: ascending */
	uint32_t id;
	/** @initial: value at launch */
	uint32_t initial;
	/** @core_type: enum tsr_core_type */
	uint32_t core_type;
	/** @supplied: 1: by the factory; 0: compiler-managed */
	uint32_t supplied;
	/** @cores: where */
	const struct tsr_coreset *cores;
};

/**
 * struct tsr_runner_tensor - a tensor that a run binds
 */
struct tsr_runner_tensor {
	/** @access: enum tsr_access */
	uint32_t access;
	/** @pad: zero */
	uint32_t pad;
	/** @min_size: bytes at least */
	uint64_t min_size;
};

/**
 * struct tsr_runner_info - a runner
 */
struct tsr_runner_info {
	/** @name: of the operation */
	const char *name;
	/** @isa: of the processors that it was built for */
	const char *isa;
	/** @fingerprint: of the structure that was saved (FP-1) */
	uint8_t fingerprint[16];
	/** @needs_factory: 1: on every call (RN-2) */
	uint32_t needs_factory;
	/** @cacheable: 0: some source had no identity (FP-3) */
	uint32_t cacheable;
	/** @limits: of the device that it was saved with, as far as they matter */
	struct tsr_limits limits;
	/** @cores: of the operation */
	const struct tsr_coreset *cores;
	/** @tensors: in order */
	const struct tsr_runner_tensor *tensors;
	/** @tensor_count: number of them */
	size_t tensor_count;
	/** @circular_buffers: by id and place */
	const struct tsr_circular_buffer *circular_buffers;
	/** @circular_buffer_count: number of them */
	size_t circular_buffer_count;
	/** @semaphores: by id */
	const struct tsr_runner_semaphore *semaphores;
	/** @semaphore_count: number of them */
	size_t semaphore_count;
	/** @descriptors: in canonical order */
	const struct tsr_runner_descriptor *descriptors;
	/** @descriptor_count: number of them */
	size_t descriptor_count;
};

#ifdef __cplusplus
}
#endif

#endif

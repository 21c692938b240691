/* SPDX-License-Identifier: MIT */
/* A program blob under construction, and a second, slow opinion on blobs. */
#ifndef TSR_TESTS_COMMON_BLOB_H
#define TSR_TESTS_COMMON_BLOB_H

#include "blob.h"

#define MODEL_RECORDS	64
#define MODEL_BYTES	1024

/** struct model - the records of a blob; offsets and sizes are put in by model_build() */
struct model {
	struct tessera_program_header header;
	struct tessera_range ranges[MODEL_RECORDS];
	struct tessera_image images[MODEL_RECORDS];
	struct tessera_descriptor descriptors[MODEL_RECORDS];
	struct tessera_arg args[MODEL_RECORDS];
	struct tessera_semaphore semaphores[MODEL_RECORDS];
	struct tessera_cb cbs[MODEL_RECORDS];
	struct tessera_binding bindings[MODEL_RECORDS];
	char strings[MODEL_BYTES];
	u8 data[MODEL_BYTES];
};

/** model_record_size() - bytes of one record of a section */
u32 model_record_size(u32 section);

/** model_table() - where the model keeps a section's records */
void *model_table(struct model *m, u32 section);

/** model_limits() - a 4 x 4 grid without core (3, 3) */
void model_limits(struct tessera_limits *limits);

/** model_valid() - a program that has several of everything, and that is right */
void model_valid(struct model *m);

/** model_build() - the blob, in memory of exactly its size; free() it */
void *model_build(const struct model *m, size_t *ret_size);

#define ORACLE_EINVAL	1u
#define ORACLE_E2BIG	2u

/**
 * oracle() - what is wrong with a blob, found without any cleverness
 *
 * Return: 0 for a valid blob, else which errors would be right to report.
 */
u32 oracle(const void *blob, size_t size, const struct tessera_limits *limits, u64 *ret_words,
	   u32 *ret_cores);

#endif

// SPDX-License-Identifier: MIT
/*
 * libFuzzer target for the verifier of program blobs. The first bytes pick the
 * limits; a second, slow opinion (tests/core/common_blob.c) must agree with it.
 *
 *   make fuzz T=blob SECONDS=600
 *
 * An empty corpus gets a valid blob from the custom mutator.
 */
#include <stdlib.h>
#include <string.h>
#include "common_blob.h"
#include "grid.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);
size_t LLVMFuzzerMutate(u8 *bytes, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(u8 *bytes, size_t size, size_t max, unsigned int seed);

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
	struct tessera_limits limits;
	struct tsr_dispatch dispatch;
	struct tsr_blob prog;
	u32 cores, wrong;
	u64 words;
	void *copy;
	int err;

	if (size < 2)
		return 0;
	model_limits(&limits);
	limits.grid_width = 1 + bytes[0] % 8;
	limits.grid_height = 1 + bytes[1] % 8;
	if (bytes[0] == 3 && bytes[1] == 3)
		limits.harvested[0] = 1 << 15;
	else
		limits.harvested[0] = 0;
	limits.cores = limits.grid_width * limits.grid_height;
	copy = malloc(size - 2 ? size - 2 : 1);
	memcpy(copy, bytes + 2, size - 2);
	err = tsr_blob_verify(copy, size - 2, &limits, &prog, NULL);
	wrong = oracle(copy, size - 2, &limits, &words, &cores);
	if (err == -EINVAL ? !(wrong & ORACLE_EINVAL) :
	    err == -E2BIG ? !(wrong & ORACLE_E2BIG) :
	    err || wrong || prog.words != words || prog.cores != cores)
		abort();
	if (!err)
		tsr_dispatch_check(copy, size - 2, &prog, &dispatch);
	free(copy);
	return 0;
}

/* Damage the bytes, and now and then repair what guards the rest: header, offsets, size. */
size_t LLVMFuzzerCustomMutator(u8 *bytes, size_t size, size_t max, unsigned int seed)
{
	struct tessera_program_header header;
	struct model m;
	size_t blob_size;
	u8 *blob;

	if (size < 2 + sizeof(header) || seed % 64 == 0) {
		model_valid(&m);
		blob = model_build(&m, &blob_size);
		size = 2 + blob_size;
		if (size <= max) {
			bytes[0] = bytes[1] = 3;
			memcpy(bytes + 2, blob, blob_size);
		}
		free(blob);
		if (size > max)
			return LLVMFuzzerMutate(bytes, max / 2, max);
	}
	size = LLVMFuzzerMutate(bytes, size, max);
	if (size < 2 + sizeof(header) || seed % 4 == 0)
		return size;
	memcpy(&header, bytes + 2, sizeof(header));
	header.magic = TESSERA_PROGRAM_MAGIC;
	header.version = TESSERA_BLOB_VERSION;
	header.size = size - 2;
	header.flags = header.pad = 0;
	blob_size = sizeof(header);
	for (u32 i = 0; i < TESSERA_SECTIONS; i++) {
		header.sections[i].offset = (blob_size + 7) / 8 * 8;
		header.sections[i].count %= 40;
		blob_size = header.sections[i].offset +
			header.sections[i].count * model_record_size(i);
	}
	if (blob_size < size - 2)
		header.sections[TESSERA_SECTION_DATA].count += size - 2 - blob_size;
	memcpy(bytes + 2, &header, sizeof(header));
	return size;
}

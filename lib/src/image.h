/* SPDX-License-Identifier: MIT */
/* Images: code and data of one processor, linked for its slot. */
#ifndef TSR_IMAGE_H
#define TSR_IMAGE_H

#include <tessera/progress.h>

#include "memo.h"
#include "operation_int.h"

/** struct tsr_image - immutable, shared by the programs that have it */
struct tsr_image {
	atomic_uint ref;
	uint32_t processor;
	uint32_t data_size, mem_size, text_size, entry;	/* as in struct tessera_image */
	uint8_t data[];
};

/** tsr_image_memo - for tsr_memo_new(): identity -> image (FP-3) */
extern const struct tsr_memo_ops tsr_image_memo;

/** tsr_image_ok() - sizes and entry, as far as @limits, or any limits when NULL, go */
bool tsr_image_ok(const struct tsr_image *image, const struct tessera_limits *limits);

/** tsr_image_unref() - takes NULL */
void tsr_image_unref(struct tsr_image *image);

/** struct tsr_definition_view - a definition out of canonical bytes */
struct tsr_definition_view {
	const char *name, *value;	/* no NUL at the end */
	uint32_t name_size, value_size;
};

/** struct tsr_image_job - an image that is wanted */
struct tsr_image_job {
	struct tsr_device *dev;
	const struct tsr_kernel_decl *kernel;
	struct tsr_key key;	/* source digest, then definitions, out of the canonical bytes */
	uint32_t descriptor;	/* the first that wants it, in canonical order */
	int err;
	struct tsr_image *image;
	struct tsr_diag *diag;	/* with @err */
	bool lasting;		/* with @err: would fail every time (PC-5) */
	/* For those who watch (JIT-4): */
	const char *operation;
	uint32_t total;		/* images wanted together */
	uint64_t begun_ns;
	enum tsr_progress_event event;	/* how it ended */
};

/** tsr_image_get() - find or build it; fills in the job's results */
void tsr_image_get(struct tsr_image_job *job);

/** tsr_image_get_all() - several, at the same time (JIT-4) */
void tsr_image_get_all(struct tsr_image_job *jobs, size_t count);

/** tsr_key_definitions() - number of definitions in an image's key; @p is where the first begins */
uint32_t tsr_key_definitions(const struct tsr_key *key, const uint8_t **ret_p);

/** tsr_key_definition() - read the definition at @p; returns where the next one begins */
const uint8_t *tsr_key_definition(const uint8_t *p, struct tsr_definition_view *ret);
/** tsr_key_definitions_text() - "A=1 B=2", free() it; NULL when out of memory */
char *tsr_key_definitions_text(const struct tsr_key *key);

/** tsr_image_from_elf() - take an image out of an ELF file; findings go to @diag (may be NULL) */
int tsr_image_from_elf(const struct tsr_image_job *job, const void *elf, size_t size,
		       struct tsr_image **ret_image, struct tsr_diag *diag);

/** tsr_compile() - a source to an ELF file in memory. 0, -ENOEXEC with findings, -errno. */
int tsr_compile(struct tsr_image_job *job, char **ret_elf, size_t *ret_size,
		struct tsr_diag *diag);

#endif

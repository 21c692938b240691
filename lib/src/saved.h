/* SPDX-License-Identifier: MIT */
/* A saved operation: the content of a runner file, decoded, and made an operation again. */
#ifndef TSR_SAVED_H
#define TSR_SAVED_H

#include <tessera/runner.h>
#include <tessera/runner_info.h>

#include "arena.h"
#include "blob.h"
#include "image.h"
#include "prepare.h"

#define TSR_SAVED_MAGIC		"TSRRUNNR"
#define TSR_SAVED_FORMAT	1
#define TSR_SAVED_HEADER	64		/* bytes, of which the last 8 are in the checksum */
#define TSR_SAVED_MAX		(64u << 20)	/* of a file */

#define TSR_SAVED_FACTORY	(1u << 0)	/* of a file */
#define TSR_SAVED_EXPLICIT	(1u << 0)	/* of a descriptor: has a handle */
#define TSR_SAVED_UNKNOWN	(1u << 1)	/* its source had no identity */
#define TSR_SAVED_PREBUILT	(1u << 2)	/* it was an ELF file */

/** struct tsr_saved_descriptor - what tools do not see */
struct tsr_saved_descriptor {
	uint32_t flags;
	const uint8_t *identity;	/* of the source, 16 bytes */
	struct tsr_image *image;
	struct tsr_vec key;		/* of the image: identity and definitions */
};

/** struct tsr_saved - immutable once checked */
struct tsr_saved {
	atomic_uint ref;
	uint8_t *file;
	size_t size;
	struct tsr_digest digest;	/* of the whole file */
	uint32_t semaphores;		/* compiler-managed ones; the others are the factory's */
	struct tessera_limits limits;
	const uint8_t *blob_at;		/* in @file */
	size_t blob_size;
	void *blob;			/* a copy, aligned */
	struct tsr_blob prog;		/* views of it */
	struct tsr_arena arena;		/* texts and arrays of @info */
	struct tsr_vec sets;		/* struct tsr_coreset *, of @info */
	struct tsr_runner_info info;
	struct tsr_saved_descriptor *descriptors;
};

/** tsr_saved_parse() - decode a file, which is taken over. 0, -EINVAL with a finding, -ENOMEM. */
int tsr_saved_parse(uint8_t *file, size_t size, struct tsr_saved **ret_saved,
		    struct tsr_diag *diag);

struct tsr_saved *tsr_saved_ref(struct tsr_saved *saved);
void tsr_saved_unref(struct tsr_saved *saved);

/** tsr_saved_refuse() - finding RN-3. Return: -EINVAL. */
int tsr_saved_refuse(struct tsr_diag *diag, const char *path, const char *field, char *value,
		     char *allowed, const char *message);

/** tsr_saved_operation() - declare it anew on a device */
int tsr_saved_operation(struct tsr_saved *saved, struct tsr_device *dev,
			struct tsr_operation **ret_op);

/**
 * tsr_saved_check() - declare, validate, plan and encode it, without a device
 * @limits: of the device that is to run it; NULL: those in the file
 *
 * With NULL it also has to give the very fingerprint and program that are in the file.
 *
 * Return: 0, -EINVAL with findings, -ENOMEM.
 */
int tsr_saved_check(struct tsr_saved *saved, const struct tessera_limits *limits,
		    struct tsr_diag *diag);

/** tsr_saved_write() - the file of an invocation that was prepared, and its program */
void tsr_saved_write(struct tsr_writer *w, const struct tsr_prepare *p, const void *blob,
		     size_t blob_size);

/** tsr_saved_seal() - put size and checksum into the header, after a change */
void tsr_saved_seal(void *file, size_t size);

/** tsr_saved_image() - the image of a job out of the file; finding RN-1. Fills in the results. */
void tsr_saved_image(struct tsr_image_job *job);

/** struct tsr_saved_limit - a number of struct tessera_limits in the file */
struct tsr_saved_limit {
	const char *name;
	size_t offset;
	uint32_t bytes;			/* of the field: 2 or 4 */
	uint32_t least, most;		/* what a file may say */
};

extern const struct tsr_saved_limit tsr_saved_limits[];
extern const size_t tsr_saved_limit_count;

#endif

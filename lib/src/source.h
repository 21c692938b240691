/* SPDX-License-Identifier: MIT */
/* What an image is made from: text or ELF bytes as they were when the kernel was declared. */
#ifndef TSR_SOURCE_H
#define TSR_SOURCE_H

#include <tessera/kernel.h>

#include "hash.h"

struct tsr_saved;

/** struct tsr_source - a snapshot */
struct tsr_source {
	char *name;		/* for messages: path, or the kernel's name */
	char *dir;		/* where its #include "..." are, or NULL */
	char *data;		/* ends with a NUL that @size does not count */
	size_t size;
	bool elf;
	bool known;		/* @digest tells it from every other source (FP-3) */
	char **flags;		/* more arguments for the compiler */
	size_t flag_count;
	struct tsr_digest digest;	/* of its bytes, its flags and the files it includes */
	struct tsr_saved *saved;	/* or NULL: images of a runner; @digest is its identity then */
};

struct tsr_toolchain;

/** tsr_source_compiles() - whether a compiler is needed */
static inline bool tsr_source_compiles(const struct tsr_source *source)
{
	return !source->elf && !source->saved;
}

/** tsr_source_known() - whether an image made from it has an identity (FP-3) */
bool tsr_source_known(const struct tsr_source *source, const struct tsr_toolchain *toolchain);

/** tsr_source_new() - from a declaration that names exactly one source. 0, -EINVAL, -errno. */
int tsr_source_new(const struct tsr_kernel_info *info, struct tsr_source **ret_source);

/** tsr_source_free() - takes NULL, returns NULL */
struct tsr_source *tsr_source_free(struct tsr_source *source);

/** tsr_source_digest() - of bytes and flags, and of included files as they are now. 0, -errno. */
int tsr_source_digest(const struct tsr_source *source, struct tsr_digest *ret_digest);

/** tsr_read_file() - a whole file of at most @max bytes, NUL added. 0, -EFBIG, -errno. */
int tsr_read_file(const char *path, size_t max, char **ret_data, size_t *ret_size);

/**
 * tsr_includes_write() - append name and digest of every file that a source includes, and that is
 * not part of the installed set-up
 *
 * The text is scanned, not preprocessed: a file inside #if 0 counts too, which at worst builds
 * once more than needed; an #include of a macro is not seen.
 */
void tsr_includes_write(struct tsr_writer *w, const struct tsr_source *source);

#endif

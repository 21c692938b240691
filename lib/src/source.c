// SPDX-License-Identifier: MIT
/* Snapshots of kernel sources, and what identifies them. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "saved.h"
#include "source.h"
#include "toolchain.h"

#define MAX_SOURCE	(16u << 20)

static int read_all(int fd, char *data, size_t size)
{
	while (size) {
		ssize_t n = read(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;	/* it became shorter */
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

int tsr_read_file(const char *path, size_t max, char **ret_data, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	char *data;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	else if (st.st_size < 0 || (uint64_t)st.st_size > max)
		err = -EFBIG;
	data = err ? NULL : malloc((size_t)st.st_size + 1);
	if (!err)
		err = data ? read_all(fd, data, (size_t)st.st_size) : -ENOMEM;
	close(fd);
	if (err) {
		free(data);
		return err;
	}
	data[st.st_size] = '\0';
	*ret_data = data;
	*ret_size = (size_t)st.st_size;
	return 0;
}

static int copy_flags(struct tsr_source *source, const struct tsr_kernel_info *info)
{
	source->flags = calloc(info->flag_count + 1, sizeof(char *));
	if (!source->flags)
		return -ENOMEM;
	for (size_t i = 0; i < info->flag_count; i++) {
		source->flags[i] = info->flags[i] ? strdup(info->flags[i]) : NULL;
		if (!source->flags[i])
			return info->flags[i] ? -ENOMEM : -EINVAL;
		source->flag_count++;
	}
	return 0;
}

static int load_path(struct tsr_source *source, const char *path)
{
	char *copy = strdup(path);

	source->name = strdup(path);
	source->dir = copy ? strdup(dirname(copy)) : NULL;
	free(copy);
	if (!source->name || !source->dir)
		return -ENOMEM;
	return tsr_read_file(path, MAX_SOURCE, &source->data, &source->size);
}

static int load_bytes(struct tsr_source *source, const char *name, const void *data, size_t size)
{
	if (size > MAX_SOURCE)
		return -EFBIG;
	source->name = strdup(name);
	source->data = malloc(size + 1);
	if (!source->name || !source->data)
		return -ENOMEM;
	memcpy(source->data, data, size);
	source->data[size] = '\0';
	source->size = size;
	return 0;
}

static int load(struct tsr_source *source, const struct tsr_kernel_info *info)
{
	if (!!info->source_path + !!info->source_text + !!info->elf != 1)
		return -EINVAL;
	if (info->source_path)
		return load_path(source, info->source_path);
	if (info->source_text)
		return load_bytes(source, info->name, info->source_text, strlen(info->source_text));
	if (!info->elf_size || info->flag_count)
		return -EINVAL;
	source->elf = true;
	return load_bytes(source, info->name, info->elf, info->elf_size);
}

/* Flags that name files whose content the digest does not cover. */
static bool flags_known(const struct tsr_source *source)
{
	static const char *const files[] = { "-include", "-imacros", "@", "-isystem", "-idirafter",
					     "--sysroot", "-isysroot", "-fplugin", "-Xclang" };

	for (size_t i = 0; i < source->flag_count; i++)
		for (size_t k = 0; k < ARRAY_SIZE(files); k++)
			if (!strncmp(source->flags[i], files[k], strlen(files[k])))
				return false;
	return true;
}

int tsr_source_digest(const struct tsr_source *source, struct tsr_digest *ret_digest)
{
	struct tsr_writer w = { 0 };

	tsr_write32(&w, source->elf);
	tsr_write_bytes(&w, source->data, source->size);
	tsr_write32(&w, (uint32_t)source->flag_count);
	for (size_t i = 0; i < source->flag_count; i++)
		tsr_write_string(&w, source->flags[i]);
	if (!source->elf)
		tsr_includes_write(&w, source);
	if (!w.err)
		*ret_digest = tsr_hash(w.bytes.data, w.bytes.count);
	tsr_vec_free(&w.bytes);
	return w.err;
}

int tsr_source_new(const struct tsr_kernel_info *info, struct tsr_source **ret_source)
{
	struct tsr_source *source = calloc(1, sizeof(*source));
	int err = source ? load(source, info) : -ENOMEM;

	if (!err)
		err = copy_flags(source, info);
	if (!err)
		err = tsr_source_digest(source, &source->digest);
	if (err) {
		tsr_source_free(source);
		return err;
	}
	source->known = !(info->options & TSR_KERNEL_UNCACHED) && flags_known(source);
	*ret_source = source;
	return 0;
}

bool tsr_source_known(const struct tsr_source *source, const struct tsr_toolchain *toolchain)
{
	return source->known && (!tsr_source_compiles(source) || toolchain->known);
}

struct tsr_source *tsr_source_free(struct tsr_source *source)
{
	if (!source)
		return NULL;
	for (size_t i = 0; i < source->flag_count; i++)
		free(source->flags[i]);
	free(source->flags);
	free(source->name);
	free(source->dir);
	free(source->data);
	tsr_saved_unref(source->saved);
	free(source);
	return NULL;
}

// SPDX-License-Identifier: MIT
/* tessera dump: what a failed run left in a device core dump (FL-10). */
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"
#include "tool.h"

#define DUMPS	"/sys/class/devcoredump"
#define MAX	(256u << 20)

static const char usage[] =
	"usage: tessera dump [--json] [--remove] FILE | --latest\n\n"
	"Decode a device core dump: a copy in FILE, or the newest one under\n"
	DUMPS ".\n\n"
	"  -l, --latest   the newest one of this machine\n"
	"  -j, --json     for programs\n"
	"  -r, --remove   with --latest: remove it then, so that the device can make another\n";

static int read_all(FILE *file, uint8_t **ret_data, size_t *ret_size)
{
	size_t room = 0, size = 0, n;
	uint8_t *data = NULL, *more;

	do {
		if (size == room) {
			room = room ? room * 2 : 65536;
			more = room > MAX ? NULL : realloc(data, room);
			if (!more) {
				free(data);
				return room > MAX ? -EFBIG : -ENOMEM;
			}
			data = more;
		}
		n = fread(data + size, 1, room - size, file);
		size += n;
	} while (n);
	if (ferror(file)) {
		free(data);
		return -EIO;
	}
	*ret_data = data;
	*ret_size = size;
	return 0;
}

/* One record of a file into the struct of this version: cut, or filled with zeroes. */
static void take(void *to, size_t room, const uint8_t *from, size_t size)
{
	memset(to, 0, room);
	memcpy(to, from, size < room ? size : room);
}

/* Version 1 ended before what tells of memory, which is 0 then. */
#define OLD_HEADER	offsetof(struct tessera_dump, memories)

static bool sizes_fit(const struct tessera_dump *head, size_t size)
{
	uint64_t all = (uint64_t)head->header_size + head->status_size +
		       (uint64_t)head->cores * head->core_size + head->memory_size;

	return (head->version == 1 || head->header_size >= sizeof(*head)) &&
	       head->header_size >= OLD_HEADER && head->status_size >= 16 &&
	       head->memories <= head->memory_size / TESSERA_DUMP_LINE &&
	       head->core_size >= sizeof(struct tessera_dump_core) && all <= size;
}

static int parse_head(const uint8_t *data, size_t size, struct tessera_dump *ret)
{
	if (size < OLD_HEADER)
		return -EPROTO;
	take(ret, sizeof(*ret), data, OLD_HEADER);
	if (ret->magic != TESSERA_DUMP_MAGIC || !ret->version ||
	    ret->version > TESSERA_DUMP_VERSION)
		return -EPROTO;
	if (ret->version > 1 && size >= sizeof(*ret))
		memcpy(ret, data, sizeof(*ret));
	return sizes_fit(ret, size) ? 0 : -EPROTO;
}

/* As many pieces as the header says must fit, and no byte be left. */
static int parse_memory(const uint8_t *at, struct dump *d)
{
	size_t left = d->head.memory_size;

	d->memories = calloc((size_t)d->head.memories + 1, sizeof(*d->memories));
	if (!d->memories)
		return -ENOMEM;
	while (left) {
		struct dump_memory *m = &d->memories[d->memory_count];

		if (d->memory_count == d->head.memories || left < sizeof(m->head))
			return -EPROTO;
		memcpy(&m->head, at, sizeof(m->head));
		at += sizeof(m->head);
		left -= sizeof(m->head);
		if (!m->head.size || m->head.size % TESSERA_DUMP_LINE || m->head.size > left)
			return -EPROTO;
		m->bytes = malloc(m->head.size);
		if (!m->bytes)
			return -ENOMEM;
		memcpy(m->bytes, at, m->head.size);
		at += m->head.size;
		left -= m->head.size;
		d->memory_count++;
	}
	return d->memory_count == d->head.memories ? 0 : -EPROTO;
}

static int parse(const uint8_t *data, size_t size, struct dump *d)
{
	const uint8_t *at;
	int err = parse_head(data, size, &d->head);

	if (err)
		return err;
	d->head.device[sizeof(d->head.device) - 1] = '\0';
	d->head.program[sizeof(d->head.program) - 1] = '\0';
	d->head.kernel[sizeof(d->head.kernel) - 1] = '\0';
	tool_printable(d->head.program);
	tool_printable(d->head.kernel);
	at = data + d->head.header_size;
	take(&d->status, sizeof(d->status), at, d->head.status_size);
	at += d->head.status_size;
	d->count = d->head.cores;
	d->cores = calloc((size_t)d->count + 1, sizeof(*d->cores));
	for (uint32_t i = 0; d->cores && i < d->count; i++)
		take(&d->cores[i], sizeof(d->cores[i]), at + (size_t)i * d->head.core_size,
		     d->head.core_size);
	if (!d->cores)
		return -ENOMEM;
	return parse_memory(at + (size_t)d->count * d->head.core_size, d);
}

int dump_load(const char *path, struct dump *ret)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	size_t size;
	int err;

	if (!file)
		return -errno;
	err = read_all(file, &data, &size);
	fclose(file);
	if (err)
		return err;
	*ret = (struct dump){ .cores = NULL };
	err = parse(data, size, ret);
	free(data);
	if (err)
		dump_fini(ret);
	return err;
}

void dump_fini(struct dump *dump)
{
	for (uint32_t i = 0; i < dump->memory_count; i++)
		free(dump->memories[i].bytes);
	free(dump->memories);
	free(dump->cores);
}

static bool is_ours(const char *path)
{
	uint32_t magic = 0;
	FILE *file = fopen(path, "rb");

	if (!file)
		return false;
	if (fread(&magic, sizeof(magic), 1, file) != 1)
		magic = 0;
	fclose(file);
	return magic == TESSERA_DUMP_MAGIC;
}

/* Numbers ascend. Return: 0, -ENOENT. */
static int find_latest(char *ret_path, size_t size)
{
	unsigned long number, best = 0;
	bool found = false;
	glob_t list;

	if (glob(DUMPS "/devcd*/data", 0, NULL, &list))
		return -ENOENT;
	for (size_t i = 0; i < list.gl_pathc; i++) {
		number = strtoul(list.gl_pathv[i] + strlen(DUMPS "/devcd"), NULL, 10);
		if ((found && number < best) || !is_ours(list.gl_pathv[i]))
			continue;
		found = true;
		best = number;
		snprintf(ret_path, size, "%s", list.gl_pathv[i]);
	}
	globfree(&list);
	return found ? 0 : -ENOENT;
}

/* Anything that is written there removes it. */
static int remove_dump(const char *path)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		return -errno;
	fputc('0', file);
	return fclose(file) ? -errno : 0;
}

static int show(const char *path, bool json, bool removes)
{
	struct dump dump;
	int status = 0, err = dump_load(path, &dump);

	if (err) {
		tool_error("%s: %s", path, err == -EPROTO ? "not a dump of a device, or cut off" :
			   strerror(-err));
		return 1;
	}
	if (json)
		status = dump_print_json(&dump);
	else
		dump_print_text(&dump);
	dump_fini(&dump);
	/* It is the only copy: it stays when what was said of it is lost. */
	if (status || fflush(stdout))
		return 1;
	err = removes ? remove_dump(path) : 0;
	if (err)
		tool_error("%s: %s", path, strerror(-err));
	return err ? 1 : 0;
}

int tool_dump(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "latest", no_argument, NULL, 'l' },
		{ "remove", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool json = false, latest = false, removes = false;
	char path[256];
	int opt;

	while ((opt = getopt_long(argc, argv, "jlrh", options, NULL)) != -1) {
		if (opt != 'j' && opt != 'l' && opt != 'r') {
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
		json |= opt == 'j';
		latest |= opt == 'l';
		removes |= opt == 'r';
	}
	if (optind + (latest ? 0 : 1) != argc)
		return tool_error("one file, or --latest");
	if (removes && !latest)
		return tool_error("--remove goes with --latest");
	if (!latest)
		return show(argv[optind], json, false);
	if (find_latest(path, sizeof(path))) {
		tool_error("there is no dump under " DUMPS);
		return 1;
	}
	return show(path, json, removes);
}

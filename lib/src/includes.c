// SPDX-License-Identifier: MIT
/* Finding the files that a kernel source includes, so that a change of one changes its identity. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>

#include "source.h"

#define MAX_FILES	256
#define MAX_INCLUDED	(16u << 20)

struct scan {
	struct tsr_writer *w;
	const struct tsr_source *source;
	char *seen[MAX_FILES];
	size_t count;
};

static void scan_text(struct scan *scan, const char *dir, const char *text);

/* Take in one file, unless it was taken in before. True when there is such a file. */
static bool scan_file(struct scan *scan, const char *dir, const char *name)
{
	char *path = name[0] == '/' || !dir ? tsr_text("%s", name) : tsr_text("%s/%s", dir, name);
	char *data = NULL, *folder;
	size_t size;
	int err = path ? tsr_read_file(path, MAX_INCLUDED, &data, &size) : -ENOMEM;

	if (err) {
		/* Without memory nobody knows whether there is one. */
		if (err == -ENOMEM)
			scan->w->err = err;
		free(path);
		return err == -ENOMEM;
	}
	for (size_t i = 0; i < scan->count; i++)
		if (!strcmp(scan->seen[i], path)) {
			free(path);
			free(data);
			return true;
		}
	if (scan->count == MAX_FILES) {
		scan->w->err = -E2BIG;
		free(path);
		free(data);
		return true;
	}
	scan->seen[scan->count++] = path;
	tsr_write_string(scan->w, name);
	tsr_write_bytes(scan->w, data, size);
	folder = strdup(path);
	if (folder)
		scan_text(scan, dirname(folder), data);
	else
		scan->w->err = -ENOMEM;
	free(folder);
	free(data);
	return true;
}

/* The folders of -I and -iquote, in order. */
static bool scan_flags(struct scan *scan, const char *name, bool quoted)
{
	char *const *flags = scan->source->flags;

	for (size_t i = 0; i < scan->source->flag_count; i++) {
		const char *dir = NULL;

		if (!strncmp(flags[i], "-I", 2))
			dir = flags[i] + 2;
		else if (quoted && !strncmp(flags[i], "-iquote", 7))
			dir = flags[i] + 7;
		if (dir && !dir[0])
			dir = i + 1 < scan->source->flag_count ? flags[i + 1] : NULL;
		if (dir && scan_file(scan, dir, name))
			return true;
	}
	return false;
}

/* p is behind "#include": a name in quotes or brackets. */
static void scan_name(struct scan *scan, const char *dir, const char *p)
{
	char name[512], end;
	size_t n;

	p += strspn(p, " \t");
	if (*p != '"' && *p != '<')
		return;
	end = *p == '"' ? '"' : '>';
	n = strcspn(++p, end == '"' ? "\"\n" : ">\n");
	if (p[n] != end || n >= sizeof(name))
		return;
	memcpy(name, p, n);
	name[n] = '\0';
	if (end == '"' && scan_file(scan, dir, name))
		return;
	if (end == '"' && scan->source->dir && scan_file(scan, scan->source->dir, name))
		return;
	scan_flags(scan, name, end == '"');
}

static void scan_text(struct scan *scan, const char *dir, const char *text)
{
	const char *line = text;

	while (line && *line) {
		const char *p = line + strspn(line, " \t");

		if (*p == '#') {
			p++;
			p += strspn(p, " \t");
			if (!strncmp(p, "include", 7))
				scan_name(scan, dir, p + 7);
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
}

void tsr_includes_write(struct tsr_writer *w, const struct tsr_source *source)
{
	struct scan *scan = calloc(1, sizeof(*scan));

	if (!scan) {
		w->err = -ENOMEM;
		return;
	}
	scan->w = w;
	scan->source = source;
	scan_text(scan, source->dir, source->data);
	for (size_t i = 0; i < scan->count; i++)
		free(scan->seen[i]);
	free(scan);
}

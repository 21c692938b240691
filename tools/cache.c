// SPDX-License-Identifier: MIT
/* tessera cache: compiled kernels on disk. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>
#include <tessera/tessera.h>

#include "json.h"
#include "tool.h"

static const char usage[] =
	"usage: tessera cache stat|show|clear [--json]\n"
	"       tessera cache limit BYTES[K|M|G]\n\n"
	"Compiled kernels that are kept on disk ($XDG_CACHE_HOME/tessera).\n\n"
	"  stat    where it is, how many entries, how large\n"
	"  show    the entries; the one that goes next comes first\n"
	"  clear   remove all entries\n"
	"  limit   how large it may become; 0 turns it off\n";

static int failed(int err)
{
	if (err == -ENOENT)
		tool_error("there is no cache: it is off, or there is no home");
	else
		tool_error("cache: %s", strerror(-err));
	return 1;
}

static int stat_cache(bool json)
{
	struct tsr_image_cache_stats s;
	char dir[4096];
	int err = tsr_image_cache_dir(dir, sizeof(dir));

	if (err >= 0)
		err = tsr_image_cache_stats(&s);
	if (err)
		return failed(err);
	if (json) {
		json_t *all = json_pack("{ss sI sI sI}", "folder", dir, "entries",
					(json_int_t)s.entries, "bytes", (json_int_t)s.bytes,
					"limit", (json_int_t)s.limit);

		return tool_json_print(all, JSON_INDENT(2));
	}
	printf("%s\n%" PRIu64 " entries, %" PRIu64 " bytes, limit %" PRIu64 "%s\n", dir, s.entries,
	       s.bytes, s.limit, s.limit ? "" : " (off)");
	return 0;
}

static json_t *entry_json(const struct tsr_image_cache_entry *e)
{
	return json_pack("{ss ss ss sI sI sI sI sI sb}", "key", e->key, "kernel", e->kernel,
			 "processor", tsr_processor_name(e->processor), "text_size",
			 (json_int_t)e->text_size, "data_size", (json_int_t)e->data_size,
			 "mem_size", (json_int_t)e->mem_size, "size", (json_int_t)e->size,
			 "used_ns", (json_int_t)e->used_ns, "intact", e->intact);
}

static void entry_text(const struct tsr_image_cache_entry *e)
{
	time_t used = (time_t)(e->used_ns / 1000000000);
	char when[32] = "";
	struct tm tm;

	if (localtime_r(&used, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	printf("%s  %s  %8" PRIu64 "  ", e->key, when, e->size);
	if (e->intact)
		printf("%-7s %s\n", tsr_processor_name(e->processor), e->kernel);
	else
		puts("damaged");
}

static int show_cache(bool json)
{
	struct tsr_image_cache_entry *entries;
	json_t *list = json_array();
	size_t n;
	int err = tsr_image_cache_entries(&entries, &n);

	if (err) {
		json_decref(list);
		return failed(err);
	}
	for (size_t i = 0; i < n; i++) {
		if (json)
			json_array_append_new(list, entry_json(&entries[i]));
		else
			entry_text(&entries[i]);
	}
	free(entries);
	if (json)
		return tool_json_print(list, JSON_INDENT(2));
	json_decref(list);
	return 0;
}

static int clear_cache(bool json)
{
	struct tsr_image_cache_stats s = { 0 };
	int err = tsr_image_cache_stats(&s);

	if (!err)
		err = tsr_image_cache_clear();
	if (err)
		return failed(err);
	if (json)
		printf("{\"removed\": %" PRIu64 ", \"bytes\": %" PRIu64 "}\n", s.entries, s.bytes);
	else
		printf("%" PRIu64 " entries removed, %" PRIu64 " bytes\n", s.entries, s.bytes);
	return 0;
}

static int set_limit(const char *text)
{
	static const char units[] = "KMG";
	char *end;
	unsigned long long bytes;
	const char *unit;
	int err;

	errno = 0;
	bytes = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (end == text || *text == '-' || errno || (*end && (!unit || end[1])))
		return tool_error("%s: not a size", text);
	for (const char *u = units; unit && u <= unit; u++)
		if (__builtin_mul_overflow(bytes, 1024ull, &bytes))
			return tool_error("%s: too large", text);
	err = tsr_image_cache_set_limit(bytes);
	return err ? failed(err) : 0;
}

int tool_cache(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static const struct {
		const char *name;
		int (*run)(bool json);
	} verbs[] = {
		{ "stat", stat_cache }, { "show", show_cache }, { "clear", clear_cache },
	};
	bool json = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		if (opt != 'j') {
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
		json = true;
	}
	if (argc - optind == 2 && !strcmp(argv[optind], "limit"))
		return set_limit(argv[optind + 1]);
	for (size_t i = 0; argc - optind == 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(argv[optind], verbs[i].name))
			return verbs[i].run(json);
	fputs(usage, stderr);
	return 2;
}

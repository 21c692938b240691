// SPDX-License-Identifier: MIT
/* tessera inject: let a virtual device go wrong, through its fault plan in configfs. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "json.h"
#include "tool.h"

#define CONFIG	"/sys/kernel/config/tessera"

static const char usage[] =
	"usage: tessera inject [--json] [--device NAME] [--clear | RULE...]\n\n"
	"Write the fault plan of a virtual device, one rule an argument, or show it with how\n"
	"often each rule fired. NAME is its directory under " CONFIG ",\n"
	"and may be left out if there is one only.\n\n"
	"  tessera inject 'stage fail nth=3' 'record drop run=5'\n";

static int find_device(char *ret_name, size_t size)
{
	glob_t list;
	int err = glob(CONFIG "/*/fault_plan", 0, NULL, &list) ? -ENOENT : 0;

	if (err)
		return err;
	if (list.gl_pathc == 1) {
		const char *name = list.gl_pathv[0] + strlen(CONFIG "/");

		snprintf(ret_name, size, "%.*s", (int)strcspn(name, "/"), name);
	} else {
		err = -ENOTUNIQ;
	}
	globfree(&list);
	return err;
}

static int open_attribute(const char *device, const char *attribute, int flags)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), CONFIG "/%s/%s", device, attribute);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_attribute(const char *device, const char *attribute, char *text, size_t size)
{
	int fd = open_attribute(device, attribute, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n >= 0)
		text[n] = '\0';
	return n < 0 ? (int)n : 0;
}

/* The whole plan in one write: another one is there at once, or the old one stays. */
static int write_plan(const char *device, char *const *rules, int count)
{
	char text[4096] = "";
	size_t n = 0;
	int fd, err = 0;

	for (int i = 0; i < count; i++) {
		int more = snprintf(text + n, sizeof(text) - n, "%s\n", rules[i]);

		if (more < 0 || (size_t)more >= sizeof(text) - n)
			return -E2BIG;
		n += (size_t)more;
	}
	if (!n)
		text[n++] = '\n';
	fd = open_attribute(device, "fault_plan", O_WRONLY);
	if (fd < 0)
		return fd;
	if (write(fd, text, n) != (ssize_t)n)
		err = -errno;
	close(fd);
	return err;
}

static json_t *hits_json(char *text)
{
	json_t *list = json_array();
	char *line, *rule;

	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		json_int_t hits = (json_int_t)strtoull(line, &rule, 10);

		json_array_append_new(list, json_pack("{ss sI}", "rule", rule + (*rule == ' '),
						      "hits", hits));
	}
	return list;
}

static int show(const char *device, bool json)
{
	char text[8192];
	int err = read_attribute(device, "fault_hits", text, sizeof(text));
	json_t *all;

	if (err)
		return err;
	if (!json) {
		printf("%s", *text ? text : "no faults\n");
		return 0;
	}
	all = json_pack("{ss so}", "device", device, "faults", hits_json(text));
	return tool_json_print(all, JSON_INDENT(2)) ? -EIO : 0;
}

static int fail(const char *device, int err)
{
	if (err == -ENOENT)
		tool_error("%s: no virtual device with a fault plan under " CONFIG, device);
	else if (err == -ENOTUNIQ)
		tool_error("there are several virtual devices: choose one with --device");
	else if (err == -EINVAL)
		tool_error("%s: that is no fault plan; nothing has changed", device);
	else
		tool_error("%s: %s", device, strerror(-err));
	return 1;
}

static int inject(const char *name, char *const *rules, int count, bool clear, bool json)
{
	char device[256];
	int err = 0;

	snprintf(device, sizeof(device), "%s", name ? name : "device");
	if (name && strchr(name, '/'))
		return tool_error("'%s' is no name of a device", name);
	if (!name)
		err = find_device(device, sizeof(device));
	if (!err && (clear || count))
		err = write_plan(device, rules, count);
	if (!err && (json || (!clear && !count)))
		err = show(device, json);
	return err ? fail(device, err) : 0;
}

int tool_inject(int argc, char **argv)
{
	static const struct option options[] = {
		{ "clear", no_argument, NULL, 'c' },
		{ "device", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool json = false, clear = false;
	const char *name = NULL;
	int opt;

	while ((opt = getopt_long(argc, argv, "cd:jh", options, NULL)) != -1) {
		if (opt != 'c' && opt != 'd' && opt != 'j') {
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
		if (opt == 'd')
			name = optarg;
		clear |= opt == 'c';
		json |= opt == 'j';
	}
	if (clear && optind != argc)
		return tool_error("--clear takes no rule");
	return inject(name, argv + optind, argc - optind, clear, json);
}

// SPDX-License-Identifier: MIT
/* Lists of what there is, by netlink, without opening a node: the skeleton of the commands. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tessera/tessera.h>

#include "list.h"
#include "tool.h"

/* "/dev/accel/accel0", "accel0" or "0" */
static int parse_minor(const char *text, uint32_t *ret)
{
	const char *number = text;
	unsigned long value;
	char *end;

	if (!strncmp(number, NODE_PREFIX, strlen(NODE_PREFIX)))
		number += strlen(NODE_PREFIX);
	else if (!strncmp(number, "accel", 5))
		number += 5;
	value = strtoul(number, &end, 10);
	if (*number < '0' || *number > '9' || *end || value >= TSR_ALL_DEVICES)
		return tool_error("%s: not a node; try %s0", text, NODE_PREFIX);
	*ret = (uint32_t)value;
	return 0;
}

static int parse_context(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || !*ret)
		return tool_error("--context=%s: not the id of a context", text);
	return 0;
}

/* 0: go on. Else the exit status is *@ret_status. */
static int parse_options(struct list *list, int argc, char **argv, int *ret_status)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "context", required_argument, NULL, 'c' },
		{ 0 },
	};
	int opt;

	list->minor = TSR_ALL_DEVICES;
	*ret_status = 0;
	while ((opt = getopt_long(argc, argv, "jhc:", longs, NULL)) != -1) {
		if (opt == 'j') {
			list->json = true;
		} else if (opt == 'c' && list->has_context) {
			*ret_status = parse_context(optarg, &list->context);
			if (*ret_status)
				return -1;
		} else {
			fputs(list->usage, opt == 'h' ? stdout : stderr);
			*ret_status = opt == 'h' ? 0 : 2;
			return -1;
		}
	}
	argc -= optind;
	argv += optind;
	if (argc > 1)
		*ret_status = tool_error("one device at a time");
	else if (argc == 1)
		*ret_status = parse_minor(argv[0], &list->minor);
	if (!*ret_status && list->context && list->minor == TSR_ALL_DEVICES)
		*ret_status = tool_error("--context needs the node of its device");
	return *ret_status ? -1 : 0;
}

int list_run(struct list *list, int argc, char **argv)
{
	size_t count = 0;
	int status, err;
	void *entries;

	if (parse_options(list, argc, argv, &status))
		return status;
	err = list->get(list, &entries, &count);
	if (err) {
		tool_error("%s", err == -ENODEV ? "no such device, or the driver is not loaded" :
						  strerror(-err));
		return 1;
	}
	if (list->json)
		status = list->print_json(entries, count);
	else
		list->print_table(entries, count);
	free(entries);
	return status;
}

const char *list_priority(uint32_t priority)
{
	switch (priority) {
	case TSR_PRIORITY_LOW:
		return "low";
	case TSR_PRIORITY_HIGH:
		return "high";
	default:
		return "normal";
	}
}

const char *list_pid(uint32_t pid, char *ret)
{
	if (pid == TSR_NO_PROCESS)
		strcpy(ret, "-");
	else
		snprintf(ret, 16, "%u", pid);
	return ret;
}

// SPDX-License-Identifier: MIT
/* tessera device list, device stats, context list: by netlink, without opening a node. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tessera/tessera.h>

#include "json.h"
#include "tool.h"

#define NODE_PREFIX	"/dev/accel/accel"

struct options {
	bool json;
	uint32_t minor;		/* or TSR_ALL_DEVICES */
};

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

/* 0: go on. Else the exit status is *@ret_status. */
static int parse_options(int argc, char **argv, const char *usage, struct options *ret,
			 int *ret_status)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int opt;

	*ret = (struct options){ .minor = TSR_ALL_DEVICES };
	while ((opt = getopt_long(argc, argv, "jh", longs, NULL)) != -1) {
		if (opt != 'j') {
			fputs(usage, opt == 'h' ? stdout : stderr);
			*ret_status = opt == 'h' ? 0 : 2;
			return -1;
		}
		ret->json = true;
	}
	argc -= optind;
	argv += optind;
	if (argc > 1)
		*ret_status = tool_error("one device at a time");
	else if (argc == 1)
		*ret_status = parse_minor(argv[0], &ret->minor);
	else
		return 0;
	return *ret_status ? -1 : 0;
}

static int failed(int err)
{
	tool_error("%s", err == -ENODEV ? "no such device, or the driver is not loaded" :
					  strerror(-err));
	return 1;
}

/* All, or the one that was asked for, which is moved to the front. */
static int get_devices(const struct options *o, struct tsr_device_entry **ret, size_t *ret_count)
{
	struct tsr_device_entry *list;
	size_t count, i;
	int err = tsr_device_list(&list, &count);

	if (err)
		return err;
	if (o->minor != TSR_ALL_DEVICES) {
		for (i = 0; i < count && list[i].minor != o->minor; i++)
			;
		if (i == count) {
			free(list);
			return -ENODEV;
		}
		list[0] = list[i];
		count = 1;
	}
	*ret = list;
	*ret_count = count;
	return 0;
}

/* --- devices -------------------------------------------------------------------------------- */

static json_t *device_json(const struct tsr_device_entry *d)
{
	char node[64];

	snprintf(node, sizeof(node), NODE_PREFIX "%u", d->minor);
	return json_pack("{ss si ss ss sI sI si si si si si si si si so}",
			 "node", node, "minor", (int)d->minor, "name", d->name,
			 "health", tsr_health_name(d->health),
			 "resets", (json_int_t)d->reset_generation,
			 "event_sequence", (json_int_t)d->event_sequence,
			 "grid_width", (int)d->grid_width, "grid_height", (int)d->grid_height,
			 "cores", (int)d->cores, "l1_size", (int)d->l1_size,
			 "queue_capacity", (int)d->queue_capacity,
			 "staged_depth", (int)d->staged_depth, "parallelism", (int)d->parallelism,
			 "no_progress_ms", (int)d->no_progress_ms,
			 "counters", tool_json_counters(&d->counters, d->counters_known));
}

static int print_devices_json(const struct tsr_device_entry *list, size_t count)
{
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(all, device_json(&list[i]));
	return tool_json_print(all, JSON_INDENT(2));
}

static void print_device_table(const struct tsr_device_entry *list, size_t count)
{
	printf("%-18s %-16s %-9s %7s %-9s %5s %8s %8s\n", "NODE", "NAME", "HEALTH", "RESETS",
	       "GRID", "CORES", "CONTEXTS", "RUNS");
	for (size_t i = 0; i < count; i++) {
		const struct tsr_device_entry *d = &list[i];
		char node[32], grid[32];

		snprintf(node, sizeof(node), NODE_PREFIX "%u", d->minor);
		snprintf(grid, sizeof(grid), "%ux%u", d->grid_width, d->grid_height);
		printf("%-18s %-16s %-9s %7" PRIu64 " %-9s %5u %8" PRIu64 " %8" PRIu64 "\n", node,
		       d->name, tsr_health_name(d->health), d->reset_generation, grid, d->cores,
		       d->counters.contexts, d->counters.runs);
	}
}

static int device_list(const struct options *o)
{
	struct tsr_device_entry *list;
	size_t count;
	int err = get_devices(o, &list, &count), status = 0;

	if (err)
		return failed(err);
	if (o->json)
		status = print_devices_json(list, count);
	else
		print_device_table(list, count);
	free(list);
	return status;
}

/* One row for each counter, one column for each device. */
static void print_stats_table(const struct tsr_device_entry *list, size_t count)
{
	const char *name;

	printf("%-20s", "COUNTER");
	for (size_t i = 0; i < count; i++)
		printf(" %9s%-3u", "accel", list[i].minor);
	putchar('\n');
	for (size_t c = 0; (name = tsr_counter_name(c)); c++) {
		printf("%-20s", name);
		for (size_t i = 0; i < count; i++)
			if (list[i].counters_known >> c & 1)
				printf(" %12" PRIu64, ((const uint64_t *)&list[i].counters)[c]);
			else
				printf(" %12s", "-");
		putchar('\n');
	}
}

static int print_stats_json(const struct tsr_device_entry *list, size_t count)
{
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct tsr_device_entry *d = &list[i];

		json_array_append_new(all, json_pack("{si ss so}", "minor", (int)d->minor,
						     "name", d->name, "counters",
						     tool_json_counters(&d->counters,
									d->counters_known)));
	}
	return tool_json_print(all, JSON_INDENT(2));
}

static int device_stats(const struct options *o)
{
	struct tsr_device_entry *list;
	size_t count;
	int err = get_devices(o, &list, &count), status = 0;

	if (err)
		return failed(err);
	if (o->json)
		status = print_stats_json(list, count);
	else
		print_stats_table(list, count);
	free(list);
	return status;
}

int tool_device_list(int argc, char **argv)
{
	static const char usage[] =
		"usage: tessera device list|stats [--json] [NODE]\n\n"
		"All devices of this machine, or the counters of all; or of NODE only.\n";
	bool stats = !strcmp(argv[0], "stats");
	struct options o;
	int status;

	if (parse_options(argc, argv, usage, &o, &status))
		return status;
	return stats ? device_stats(&o) : device_list(&o);
}

/* --- contexts ------------------------------------------------------------------------------- */

static const char *priority_name(uint32_t priority)
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

static int print_contexts_json(const struct tsr_context_entry *list, size_t count)
{
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct tsr_context_entry *c = &list[i];

		json_array_append_new(all, json_pack("{si sI so si ss si si so}",
			"minor", (int)c->minor, "id", (json_int_t)c->id,
			"pid", tool_json_u64(c->pid, c->pid != TSR_NO_PROCESS),
			"uid", (int)c->uid, "priority", priority_name(c->priority),
			"queue_capacity", (int)c->queue_capacity, "depth", (int)c->depth,
			"counters", tool_json_counters(&c->counters, c->counters_known)));
	}
	return tool_json_print(all, JSON_INDENT(2));
}

static void print_context_table(const struct tsr_context_entry *list, size_t count)
{
	printf("%-8s %8s %8s %8s %-8s %6s %8s %10s %10s\n", "DEVICE", "CONTEXT", "PID", "UID",
	       "PRIORITY", "DEPTH", "CAPACITY", "ACCEPTED", "RETIRED");
	for (size_t i = 0; i < count; i++) {
		const struct tsr_context_entry *c = &list[i];
		char pid[16] = "-";

		if (c->pid != TSR_NO_PROCESS)
			snprintf(pid, sizeof(pid), "%u", c->pid);
		printf("accel%-3u %8" PRIu64 " %8s %8u %-8s %6u %8u %10" PRIu64 " %10" PRIu64 "\n",
		       c->minor, c->id, pid, c->uid, priority_name(c->priority), c->depth,
		       c->queue_capacity, c->counters.runs_accepted, c->counters.runs_retired);
	}
}

int tool_context(int argc, char **argv)
{
	static const char usage[] =
		"usage: tessera context list [--json] [NODE]\n\n"
		"Contexts of all devices, or of NODE: all of them with CAP_NET_ADMIN or\n"
		"CAP_SYS_ADMIN, else those of the calling process, which are none.\n";
	struct tsr_context_entry *list;
	struct options o;
	size_t count;
	int err, status = 0;

	if (argc > 1 && !strcmp(argv[1], "list")) {
		argc--;
		argv++;
	}
	if (parse_options(argc, argv, usage, &o, &status))
		return status;
	err = tsr_context_list(o.minor, &list, &count);
	if (err)
		return failed(err);
	if (o.json)
		status = print_contexts_json(list, count);
	else
		print_context_table(list, count);
	free(list);
	return status;
}

// SPDX-License-Identifier: MIT
/* tessera device list, device stats */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tessera/tessera.h>

#include "json.h"
#include "list.h"
#include "tool.h"

/* All, or the one that was asked for, which is moved to the front. */
static int get_devices(const struct list *o, void **ret, size_t *ret_count)
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

static int print_devices_json(const void *entries, size_t count)
{
	const struct tsr_device_entry *list = entries;
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(all, device_json(&list[i]));
	return tool_json_print(all, JSON_INDENT(2));
}

static void print_device_table(const void *entries, size_t count)
{
	const struct tsr_device_entry *list = entries;

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

/* One row for each counter, one column for each device. */
static void print_stats_table(const void *entries, size_t count)
{
	const struct tsr_device_entry *list = entries;
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

static int print_stats_json(const void *entries, size_t count)
{
	const struct tsr_device_entry *list = entries;
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

int tool_device_list(int argc, char **argv)
{
	bool stats = !strcmp(argv[0], "stats");
	struct list list = {
		.usage = "usage: tessera device list|stats [--json] [NODE]\n\n"
			 "All devices of this machine, or the counters of all; or of NODE only.\n",
		.get = get_devices,
		.print_json = stats ? print_stats_json : print_devices_json,
		.print_table = stats ? print_stats_table : print_device_table,
	};

	return list_run(&list, argc, argv);
}

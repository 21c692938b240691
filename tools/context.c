// SPDX-License-Identifier: MIT
/* tessera context list */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tessera/tessera.h>

#include "json.h"
#include "list.h"
#include "tool.h"

static int print_json(const void *entries, size_t count)
{
	const struct tsr_context_entry *list = entries;
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct tsr_context_entry *c = &list[i];

		json_array_append_new(all, json_pack("{si sI so si ss si si so}",
			"minor", (int)c->minor, "id", (json_int_t)c->id,
			"pid", tool_json_u64(c->pid, c->pid != TSR_NO_PROCESS),
			"uid", (int)c->uid, "priority", list_priority(c->priority),
			"queue_capacity", (int)c->queue_capacity, "depth", (int)c->depth,
			"counters", tool_json_counters(&c->counters, c->counters_known)));
	}
	return tool_json_print(all, JSON_INDENT(2));
}

static void print_table(const void *entries, size_t count)
{
	const struct tsr_context_entry *list = entries;

	printf("%-8s %8s %8s %8s %-8s %6s %8s %10s %10s\n", "DEVICE", "CONTEXT", "PID", "UID",
	       "PRIORITY", "DEPTH", "CAPACITY", "ACCEPTED", "RETIRED");
	for (size_t i = 0; i < count; i++) {
		const struct tsr_context_entry *c = &list[i];
		char pid[16];

		printf("accel%-3u %8" PRIu64 " %8s %8u %-8s %6u %8u %10" PRIu64 " %10" PRIu64 "\n",
		       c->minor, c->id, list_pid(c->pid, pid), c->uid, list_priority(c->priority), c->depth,
		       c->queue_capacity, c->counters.runs_accepted, c->counters.runs_retired);
	}
}

static int get(const struct list *list, void **ret_entries, size_t *ret_count)
{
	struct tsr_context_entry *contexts;
	int err = tsr_context_list(list->minor, &contexts, ret_count);

	if (!err)
		*ret_entries = contexts;
	return err;
}

int tool_context(int argc, char **argv)
{
	struct list list = {
		.usage = "usage: tessera context list [--json] [NODE]\n\n"
			 "Contexts of all devices, or of NODE: all of them with CAP_NET_ADMIN or\n"
			 "CAP_SYS_ADMIN, else those of the calling user.\n",
		.get = get,
		.print_json = print_json,
		.print_table = print_table,
	};
	int skip = argc > 1 && !strcmp(argv[1], "list");

	return list_run(&list, argc - skip, argv + skip);
}

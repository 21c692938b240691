// SPDX-License-Identifier: MIT
/* tessera run list */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <tessera/tessera.h>

#include "json.h"
#include "list.h"
#include "tool.h"

static json_t *fingerprint(const struct tsr_run_entry *r)
{
	return json_sprintf("%016" PRIx64 "%016" PRIx64, r->fingerprint[1], r->fingerprint[0]);
}

static json_t *time_ns(uint64_t ns)
{
	return tool_json_u64(ns, ns != 0);
}

static json_t *run_json(const struct tsr_run_entry *r)
{
	return json_pack("{si sI sI so si ss ss ss si si ss so sI so so so so}",
			 "minor", (int)r->minor, "context", (json_int_t)r->context,
			 "id", (json_int_t)r->id,
			 "pid", tool_json_u64(r->pid, r->pid != TSR_NO_PROCESS),
			 "uid", (int)r->uid, "priority", list_priority(r->priority),
			 "phase", tsr_phase_name(r->phase), "waits", tsr_waits_name(r->waits),
			 "fences", (int)r->fences, "cores", (int)r->cores,
			 "program", r->program, "fingerprint", fingerprint(r),
			 "user_data", (json_int_t)r->user_data,
			 "queued_ns", time_ns(r->queued_ns), "staged_ns", time_ns(r->staged_ns),
			 "launched_ns", time_ns(r->launched_ns),
			 "completed_ns", time_ns(r->completed_ns));
}

static int print_json(const void *entries, size_t count)
{
	const struct tsr_run_entry *list = entries;
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(all, run_json(&list[i]));
	return tool_json_print(all, JSON_INDENT(2));
}

/* How long it has been in its phase. */
static uint64_t since(const struct tsr_run_entry *r, uint64_t now)
{
	const uint64_t times[] = { r->queued_ns, r->staged_ns, r->launched_ns, r->completed_ns };
	uint64_t last = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i] > last)
			last = times[i];
	return now > last ? now - last : 0;
}

static void print_table(const void *entries, size_t count)
{
	const struct tsr_run_entry *list = entries;
	struct timespec ts;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	printf("%-8s %8s %10s %8s %8s %-8s %-11s %10s %-9s %5s %s\n", "DEVICE", "CONTEXT", "RUN",
	       "PID", "UID", "PRIORITY", "PHASE", "FOR MS", "WAITS", "CORES", "PROGRAM");
	for (size_t i = 0; i < count; i++) {
		const struct tsr_run_entry *r = &list[i];
		char pid[16];

		printf("accel%-3u %8" PRIu64 " %10" PRIu64 " %8s %8u %-8s %-11s %10.1f %-9s %5u "
		       "%s\n", r->minor, r->context, r->id, list_pid(r->pid, pid), r->uid,
		       list_priority(r->priority), tsr_phase_name(r->phase),
		       (double)since(r, now) / 1e6, tsr_waits_name(r->waits), r->cores,
		       r->program);
	}
}

static int get(const struct list *list, void **ret_entries, size_t *ret_count)
{
	struct tsr_run_entry *runs;
	int err = tsr_run_list(list->minor, list->context, &runs, ret_count);

	if (err)
		return err;
	for (size_t i = 0; i < *ret_count; i++)
		tool_printable(runs[i].program);
	*ret_entries = runs;
	return 0;
}

int tool_run_list(int argc, char **argv)
{
	struct list list = {
		.usage = "usage: tessera run list [--json] [NODE [--context ID]]\n\n"
			 "Runs that have not ended, or are quarantined: of all devices, of NODE, or of\n"
			 "one context of it. All with CAP_NET_ADMIN or CAP_SYS_ADMIN, else those of the\n"
			 "calling user.\n",
		.get = get,
		.print_json = print_json,
		.print_table = print_table,
		.has_context = true,
	};

	return list_run(&list, argc, argv);
}

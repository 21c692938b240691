// SPDX-License-Identifier: MIT
/* tessera device: what a device is, how it is, and what it did. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <tessera/tessera.h>

#include "json.h"
#include "tool.h"

static const char usage[] =
	"usage: tessera device [show] [--json] [NODE]\n"
	"       tessera device list|stats [--json] [NODE]\n\n"
	"Limits, state and counters of a device: NODE, or the first one of the machine.\n";

struct row {
	const char *name;
	size_t offset;
};

#define LIMIT(field)	{ #field, offsetof(struct tsr_limits, field) }
static const struct row limit_rows[] = {
	LIMIT(grid_width), LIMIT(grid_height), LIMIT(cores), LIMIT(l1_size), LIMIT(arg_base),
	LIMIT(image_base[0]), LIMIT(image_base[1]), LIMIT(image_base[2]), LIMIT(image_slot),
	LIMIT(cb_base), LIMIT(words), LIMIT(semaphores), LIMIT(circular_buffers), LIMIT(bindings),
	LIMIT(images), LIMIT(descriptors), LIMIT(ranges), LIMIT(program_size),
	LIMIT(queue_capacity), LIMIT(staged_depth), LIMIT(parallelism), LIMIT(batch),
	LIMIT(syncs), LIMIT(no_progress_ms), LIMIT(claim_hold_ms),
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

struct report {
	struct tsr_device *dev;
	struct tsr_limits limits;
	struct tsr_device_state state;
	struct tsr_counters counters;
	char cores[4096];
};

static uint64_t limit_of(const struct report *r, const struct row *row)
{
	return *(const uint32_t *)((const char *)&r->limits + row->offset);
}

static uint64_t counter_of(const struct report *r, size_t index)
{
	return ((const uint64_t *)&r->counters)[index];
}

static int fill(struct report *r)
{
	struct tsr_coreset *cores = tsr_device_cores(r->dev);
	int err;

	if (cores)
		tsr_coreset_print(cores, r->cores, sizeof(r->cores));
	tsr_coreset_free(cores);
	tsr_device_limits(r->dev, &r->limits);
	err = tsr_device_state(r->dev, &r->state);
	return err ? err : tsr_device_counters(r->dev, &r->counters);
}

static void print_text(const struct report *r)
{
	printf("%s: %s, %s, %u x %u cores %s\n", tsr_device_path(r->dev), tsr_device_name(r->dev),
	       tsr_device_isa(r->dev), r->limits.grid_width, r->limits.grid_height, r->cores);
	printf("health %s, %" PRIu64 " resets, seed %u%s%s%s\n", tsr_health_name(r->state.health),
	       r->state.reset_generation, r->state.seed,
	       r->state.caps & TSR_CAP_PROFILE ? ", profile" : "",
	       r->state.caps & TSR_CAP_PRINT ? ", print" : "",
	       r->state.caps & TSR_CAP_DETERMINISTIC ? ", deterministic" : "");
	puts("\nlimits");
	for (size_t i = 0; i < COUNT(limit_rows); i++)
		printf("  %-20s %12" PRIu64 "\n", limit_rows[i].name,
		       limit_of(r, &limit_rows[i]));
	puts("\ncounters");
	for (size_t i = 0; tsr_counter_name(i); i++)
		printf("  %-20s %12" PRIu64 "\n", tsr_counter_name(i), counter_of(r, i));
}

static int print_json(const struct report *r)
{
	json_t *limits = json_object(), *counters = json_object(), *all;

	for (size_t i = 0; i < COUNT(limit_rows); i++)
		json_object_set_new(limits, limit_rows[i].name,
				    json_integer((json_int_t)limit_of(r, &limit_rows[i])));
	for (size_t i = 0; tsr_counter_name(i); i++)
		json_object_set_new(counters, tsr_counter_name(i),
				    json_integer((json_int_t)counter_of(r, i)));
	all = json_pack("{ss ss ss ss ss sI so so}", "path", tsr_device_path(r->dev), "name",
			tsr_device_name(r->dev), "isa", tsr_device_isa(r->dev), "cores", r->cores,
			"health", tsr_health_name(r->state.health), "resets",
			(json_int_t)r->state.reset_generation, "limits", limits, "counters",
			counters);
	return tool_json_print(all, JSON_INDENT(2));
}

int tool_device(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct report r = { 0 };
	bool json = false;
	int opt, err;

	if (argc > 1 && (!strcmp(argv[1], "list") || !strcmp(argv[1], "stats")))
		return tool_device_list(argc - 1, argv + 1);
	while ((opt = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		if (opt != 'j') {
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
		json = true;
	}
	if (optind < argc && !strcmp(argv[optind], "show"))
		optind++;
	if (optind + 1 < argc)
		return tool_error("one node at a time");
	err = tsr_device_open(optind < argc ? argv[optind] : NULL, &r.dev);
	if (!err)
		err = fill(&r);
	if (err) {
		tool_error("%s: %s", optind < argc ? argv[optind] : "device", strerror(-err));
		tsr_device_unref(r.dev);
		return 1;
	}
	if (json)
		err = print_json(&r);
	else
		print_text(&r);
	tsr_device_unref(r.dev);
	return err;
}

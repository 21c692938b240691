// SPDX-License-Identifier: MIT
/* tessera events: what happens on the devices, a line for each event. */
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

static const char usage[] =
	"usage: tessera events --follow [--json] [--count=N] [--timeout=MS]\n\n"
	"Says what happens on all devices, as it happens: past events are kept nowhere.\n\n"
	"  -f, --follow      until it is interrupted, or one of those below\n"
	"  -j, --json        one JSON object a line\n"
	"  -n, --count=N     end after N events\n"
	"  -t, --timeout=MS  end when none came for so long\n";

struct options {
	bool follow, json;
	uint64_t count;
	int64_t timeout_ns;
};

static int print_json(const struct tsr_event *e)
{
	bool run = e->run;

	return tool_json_print(json_pack("{ss si sI sI sI so* so* so* so* so* so*}",
		"event", tsr_event_name(e->type), "minor", (int)e->minor,
		"sequence", (json_int_t)e->sequence, "time_ns", (json_int_t)e->time_ns,
		"resets", (json_int_t)e->reset_generation,
		"name", e->name[0] ? json_string(e->name) : NULL,
		"context", e->context ? tool_json_u64(e->context, true) : NULL,
		"run", run ? tool_json_u64(e->run, true) : NULL,
		"phase", run ? json_string(tsr_phase_name(e->phase)) : NULL,
		"code", run ? json_string(tsr_code_name(e->code)) : NULL,
		"class", run ? json_string(tsr_class_name(e->failure_class)) : NULL),
		JSON_COMPACT);
}

static int print_text(const struct tsr_event *e)
{
	printf("[%" PRIu64 ".%06" PRIu64 "] accel%u #%" PRIu64 " %s", e->time_ns / 1000000000,
	       e->time_ns / 1000 % 1000000, e->minor, e->sequence, tsr_event_name(e->type));
	if (e->name[0])
		printf(" %s, %" PRIu64 " resets", e->name, e->reset_generation);
	if (e->context)
		printf(" context %" PRIu64, e->context);
	if (e->run)
		printf(" run %" PRIu64 ": %s (%s), %s", e->run, tsr_code_name(e->code),
		       tsr_class_name(e->failure_class), tsr_phase_name(e->phase));
	putchar('\n');
	return fflush(stdout) ? 1 : 0;
}

/* How many is known only when the next event has come. */
static int print_loss(const struct options *o, uint64_t lost)
{
	if (o->json)
		return tool_json_print(json_pack("{ss so}", "event", "lost", "lost",
						 tool_json_u64(lost, lost)), JSON_COMPACT);
	if (lost)
		printf("%" PRIu64 " events were lost\n", lost);
	else
		puts("events were lost");
	return fflush(stdout) ? 1 : 0;
}

static int follow(struct tsr_listener *listener, const struct options *o)
{
	uint64_t before = 0, seen = 0;
	struct tsr_event event;
	int err, status = 0;

	while (!status && seen < o->count) {
		err = tsr_listener_next(listener, o->timeout_ns, &event);
		if (err == -ETIME)
			return 0;
		if (err == -ENOBUFS) {
			status = print_loss(o, tsr_listener_lost(listener) - before);
			before = tsr_listener_lost(listener);
		} else if (err) {
			tool_error("%s", err == -ENODEV ? "the driver was unloaded" :
							  strerror(-err));
			return 1;
		} else {
			seen++;
			status = o->json ? print_json(&event) : print_text(&event);
		}
	}
	return status;
}

static int parse_number(const char *option, const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || *ret > INT64_MAX / 1000000)
		return tool_error("--%s=%s: not a number", option, text);
	return 0;
}

/* 0: go on. Else the exit status is *@ret_status. */
static int parse_options(int argc, char **argv, struct options *o, int *ret_status)
{
	static const struct option longs[] = {
		{ "follow", no_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "count", required_argument, NULL, 'n' },
		{ "timeout", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	uint64_t ms;
	int opt;

	*ret_status = 0;
	while ((opt = getopt_long(argc, argv, "fjn:t:h", longs, NULL)) != -1) {
		switch (opt) {
		case 'f':
			o->follow = true;
			break;
		case 'j':
			o->json = true;
			break;
		case 'n':
			*ret_status = parse_number("count", optarg, &o->count);
			break;
		case 't':
			*ret_status = parse_number("timeout", optarg, &ms);
			o->timeout_ns = (int64_t)ms * 1000000;
			break;
		default:
			fputs(usage, opt == 'h' ? stdout : stderr);
			*ret_status = opt == 'h' ? 0 : 2;
			return -1;
		}
		if (*ret_status)
			return -1;
	}
	if (optind == argc && o->follow)
		return 0;
	fputs(usage, stderr);
	*ret_status = 2;
	return -1;
}

int tool_events(int argc, char **argv)
{
	struct options o = { .count = UINT64_MAX, .timeout_ns = -1 };
	struct tsr_listener *listener;
	int err, status;

	if (parse_options(argc, argv, &o, &status))
		return status;
	err = tsr_listener_open(&listener);
	if (err) {
		tool_error("%s", err == -ENODEV ? "the driver is not loaded" : strerror(-err));
		return 1;
	}
	status = follow(listener, &o);
	tsr_listener_close(listener);
	return status;
}

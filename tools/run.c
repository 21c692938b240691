// SPDX-License-Identifier: MIT
/* tessera run: one C kernel, on some cores, once. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tessera/tessera.h>

#include "tool.h"

static const char usage[] =
	"usage: tessera run [OPTION...] KERNEL.c\n"
	"       tessera run list [OPTION...]\n\n"
	"Compile a device kernel, run it once and say how it went.\n\n"
	"  -d, --device NODE     the node (the first one)\n"
	"  -c, --cores X,Y[-X,Y] a core or a rectangle of cores; repeatable (all)\n"
	"  -p, --processor NAME  dm0, dm1 or compute (dm0)\n"
	"  -w, --word N          argument words of every core, in order; repeatable\n"
	"  -b, --buffer BYTES    bind a buffer of zeroes, read and written; repeatable\n"
	"  -D NAME[=VALUE]       definition; repeatable\n"
	"  -t, --timeout MS      cancel it after so long (60000)\n"
	"  -s, --profile         figures of each processor\n";

#define MAX	64
/* The library counts nanoseconds. */
#define MAX_TIMEOUT_MS	(INT64_MAX / 1000000)

struct options {
	const char *node, *file;
	uint32_t processor;
	struct tsr_coreset *cores;	/* NULL: all working ones */
	int64_t words[MAX];
	size_t word_count;
	uint64_t buffers[MAX];
	size_t buffer_count;
	struct tsr_definition definitions[MAX];
	size_t definition_count;
	int64_t timeout_ms;
	bool stats;
};

struct session {
	const struct options *o;
	struct tsr_device *dev;
	struct tsr_context *ctx;
	struct tsr_operation *op;
	struct tsr_tensor tensors[MAX];
	struct tsr_run *run;
};

static int parse_cores(struct options *o, const char *text)
{
	unsigned int x0, y0, x1, y1;
	int end = 0, n;

	/* Two digits: there is nothing that they cannot hold. */
	n = sscanf(text, "%2u,%2u%n-%2u,%2u%n", &x0, &y0, &end, &x1, &y1, &end);

	if (n == 2) {
		x1 = x0;
		y1 = y0;
	}
	if ((n != 2 && n != 4) || text[end] || x0 > 63 || y0 > 63 || x1 > 63 || y1 > 63)
		return -EINVAL;
	if (!o->cores)
		o->cores = tsr_coreset_new();
	if (!o->cores)
		return -ENOMEM;
	return tsr_coreset_add_rect(o->cores, (struct tsr_rect){ (uint16_t)x0, (uint16_t)y0,
								 (uint16_t)x1, (uint16_t)y1 });
}

static int parse_number(const char *text, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(text, &end, 0);
	return errno || end == text || *end ? -EINVAL : 0;
}

static int parse_processor(struct options *o, const char *name)
{
	for (uint32_t p = 0; p < TSR_PROCESSORS; p++)
		if (!strcmp(name, tsr_processor_name(p))) {
			o->processor = p;
			return 0;
		}
	return -EINVAL;
}

/* NAME or NAME=VALUE, as for a compiler. */
static int parse_definition(struct options *o, char *text)
{
	char *value = strchr(text, '=');

	if (o->definition_count == MAX)
		return -E2BIG;
	if (value)
		*value++ = '\0';
	o->definitions[o->definition_count++] =
		(struct tsr_definition){ .name = text, .value = value ? value : "1" };
	return 0;
}

static int parse_buffer(struct options *o, const char *text)
{
	int64_t size;

	if (o->buffer_count == MAX || parse_number(text, &size) || size <= 0)
		return -EINVAL;
	o->buffers[o->buffer_count++] = (uint64_t)size;
	return 0;
}

static int parse_option(struct options *o, int opt, char *arg)
{
	switch (opt) {
	case 'd':
		o->node = arg;
		return 0;
	case 'c':
		return parse_cores(o, arg);
	case 'p':
		return parse_processor(o, arg);
	case 'w':
		if (o->word_count == MAX)
			return -E2BIG;
		return parse_number(arg, &o->words[o->word_count++]);
	case 'b':
		return parse_buffer(o, arg);
	case 'D':
		return parse_definition(o, arg);
	case 't':
		if (parse_number(arg, &o->timeout_ms) || o->timeout_ms < 0 ||
		    o->timeout_ms > MAX_TIMEOUT_MS)
			return -EINVAL;
		return 0;
	case 's':
		o->stats = true;
		return 0;
	default:
		return -ENOENT;
	}
}

/* A wrong value: which option has it, and what is allowed. */
static int refused(int opt, const char *value)
{
	static const struct {
		int opt;
		const char *name, *allowed;
	} table[] = {
		{ 'c', "--cores", "X,Y or X,Y-X,Y, each of them 0 to 63, the smaller ones first" },
		{ 'p', "--processor", "dm0, dm1 and compute" },
		{ 'w', "--word", "64 whole numbers at most" },
		{ 'b', "--buffer", "64 sizes in bytes at most, each at least 1" },
		{ 'D', "-D", "64 definitions at most" },
		{ 't', "--timeout", "0 to 9223372036854 ms" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].opt == opt)
			return tool_error("%s '%s': allowed are %s", table[i].name, value,
					  table[i].allowed);
	return tool_error("'%s' is not allowed", value);
}

static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct session *s = ctx;
	size_t n = tsr_coreset_count(input->cores);
	struct tsr_core *cores = calloc(n + 1, sizeof(*cores));
	struct tsr_selector selector = {
		.select = s->o->processor == TSR_PROCESSOR_COMPUTE ? TSR_SELECT_COMPUTE :
			  TSR_SELECT_DATA_MOVEMENT,
	};
	struct tsr_entry *entry;
	int err = cores ? tsr_resources_add_entry(res, selector, &entry) : -ENOMEM;

	if (!err)
		tsr_coreset_cores(input->cores, cores, n);
	for (size_t i = 0; !err && i < n; i++)
		err = tsr_entry_add_words(entry, cores[i].x, cores[i].y, s->o->words,
					  s->o->word_count);
	free(cores);
	return err;
}

static int declare(struct session *s)
{
	const struct options *o = s->o;
	struct tsr_kernel_info info = {
		.name = "kernel",
		.kind = o->processor == TSR_PROCESSOR_COMPUTE ? TSR_KERNEL_COMPUTE :
			TSR_KERNEL_DATA_MOVEMENT,
		.processor = o->processor,
		.source_path = o->file,
		.definitions = o->definitions,
		.definition_count = o->definition_count,
	};
	struct tsr_coreset *all = tsr_device_cores(s->dev);
	int err = all ? 0 : -ENOMEM;

	if (!err)
		err = tsr_operation_new(s->dev, "run", o->cores ? o->cores : all, &s->op);
	tsr_coreset_free(all);
	if (!err)
		err = tsr_operation_add_kernel(s->op, &info);
	if (err == -ENOENT || err == -EACCES)
		tool_error("%s: %s", o->file, strerror(-err));
	for (size_t i = 0; !err && i < o->buffer_count; i++) {
		err = tsr_buffer_new(s->dev, o->buffers[i], &s->tensors[i].buffer);
		if (!err)
			err = tsr_operation_add_tensor(s->op, TSR_ACCESS_INOUT, o->buffers[i]);
	}
	return err ? err : tsr_operation_set_factory(s->op, factory, s, NULL);
}

static void print_stats(struct session *s)
{
	struct tsr_processor_stats *stats;
	size_t n;

	if (tsr_run_processors(s->run, &stats, &n))
		return;
	printf("%8s %-9s %12s %12s %12s %12s %12s\n", "core", "processor", "cycles",
	       "instructions", "waiting", "read", "written");
	for (size_t i = 0; i < n; i++)
		printf("  (%2u,%2u) %-9s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64
		       " %12" PRIu64 "\n", stats[i].x, stats[i].y,
		       tsr_processor_name(stats[i].processor), stats[i].cycles,
		       stats[i].instructions, stats[i].wait_cycles, stats[i].noc_read,
		       stats[i].noc_written);
	free(stats);
}

static int report(struct session *s)
{
	struct tsr_status status;
	char *text;

	if (!tsr_run_print(s->run, &text)) {
		fputs(text, stdout);
		free(text);
	}
	if (s->o->stats)
		print_stats(s);
	if (!tsr_run_status(s->run, &status))
		tsr_status_print(&status, stdout);
	return tsr_run_verdict(s->run) ? 1 : 0;
}

static int submit(struct session *s)
{
	struct tsr_submit_options options = {
		.flags = TSR_SUBMIT_PRINT | (s->o->stats ? TSR_SUBMIT_PROFILE : 0),
	};
	struct tsr_diag *diag = NULL;
	int err = tsr_submit(s->op, s->ctx, s->tensors, s->o->buffer_count, &options, &s->run,
			     &diag);

	if (err) {
		tsr_diag_print(diag, stderr);
		tsr_diag_free(diag);
		return err;
	}
	err = tsr_run_wait(s->run, s->o->timeout_ms * 1000000);
	if (err == -ETIME) {
		tool_error("not done after %" PRId64 " ms: cancelled", s->o->timeout_ms);
		tsr_run_cancel(s->run);
		err = tsr_run_wait(s->run, -1);
	}
	return err;
}

static int run_once(const struct options *o)
{
	struct session s = { .o = o };
	int status = 1, err = tsr_device_open(o->node, &s.dev);

	if (!err)
		err = tsr_context_new(s.dev, NULL, &s.ctx);
	if (!err)
		err = declare(&s);
	if (!err)
		err = submit(&s);
	if (err)
		tool_error("%s", strerror(-err));
	else
		status = report(&s);
	tsr_run_unref(s.run);
	for (size_t i = 0; i < o->buffer_count; i++)
		tsr_buffer_unref(s.tensors[i].buffer);
	tsr_operation_unref(s.op);
	tsr_context_unref(s.ctx);
	tsr_device_unref(s.dev);
	return status;
}

int tool_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "cores", required_argument, NULL, 'c' },
		{ "processor", required_argument, NULL, 'p' },
		{ "word", required_argument, NULL, 'w' },
		{ "buffer", required_argument, NULL, 'b' },
		{ "timeout", required_argument, NULL, 't' },
		{ "profile", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options o = { .timeout_ms = 60000 };
	int opt, status;

	if (argc > 1 && !strcmp(argv[1], "list"))
		return tool_run_list(argc - 1, argv + 1);
	while ((opt = getopt_long(argc, argv, "d:c:p:w:b:D:t:sh", options, NULL)) != -1) {
		int err = parse_option(&o, opt, optarg);

		if (err == -ENOENT) {
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
		if (err == -ENOMEM)
			return tool_error("out of memory");
		if (err)
			return refused(opt, optarg);
	}
	if (optind + 1 != argc)
		return tool_error("one kernel, please; see 'tessera run --help'");
	o.file = argv[optind];
	status = run_once(&o);
	tsr_coreset_free(o.cores);
	return status;
}

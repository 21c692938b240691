// SPDX-License-Identifier: MIT
#include <common/session.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t session_parse(struct session *s, struct command_line *cl, const char *dir, int argc,
		     char **argv, const char **ret_operands)
{
	const char *env = getenv("TESSERA_EXAMPLE_DIR");
	struct option_info common[] = {
		{ "device", "PATH", "device node (default: the first one)", OPTION_TEXT,
		  &s->device },
		{ "dir", "DIR", "folder of the example, with kernels/", OPTION_TEXT, &s->dir },
		{ "quiet", NULL, "print failures only", OPTION_FLAG, &s->quiet },
		{ "json", NULL, "print one line of JSON", OPTION_FLAG, &s->json },
		{ 0 },
	};
	size_t n;

	s->name = cl->name;
	s->dir = env && *env ? env : dir;
	cl->common = common;
	n = options_parse(cl, argc, argv, ret_operands);
	cl->common = NULL;
	return n;
}

void session_say(const struct session *s, const char *fmt, ...)
{
	va_list args;

	if (s->quiet || s->json)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	fflush(stdout);
}

int session_error(const struct session *s, const char *what, int err)
{
	fprintf(stderr, "%s: %s: %s\n", s->name, what, strerror(-err));
	return err;
}

int session_open(struct session *s)
{
	int err;

	err = tsr_device_open(s->device, &s->dev);
	if (err)
		return session_error(s, s->device ? s->device : "no tessera device", err);
	tsr_device_limits(s->dev, &s->limits);
	tsr_library_stats(s->dev, &s->before);
	tsr_cache_stats(s->dev, &s->cache_before);
	err = tsr_context_new(s->dev, NULL, &s->context);
	if (err)
		return session_error(s, "context", err);
	s->cores = tsr_device_cores(s->dev);
	if (s->cores) {
		s->core_count = tsr_coreset_count(s->cores);
		s->core = calloc(s->core_count, sizeof(*s->core));
	}
	if (!s->core)
		return session_error(s, "cores", -ENOMEM);
	tsr_coreset_cores(s->cores, s->core, s->core_count);
	session_say(s, "%s: %s, %u x %u cores\n", tsr_device_path(s->dev),
		    tsr_device_name(s->dev), s->limits.grid_width, s->limits.grid_height);
	return 0;
}

int session_buffer(struct session *s, uint64_t size, struct tsr_buffer **ret_buffer,
		   void **ret_mem)
{
	struct tsr_buffer *buffer;
	int err;

	err = tsr_buffer_new(s->dev, size, &buffer);
	if (err)
		return session_error(s, "buffer", err);
	err = tsr_buffer_map(buffer, ret_mem);
	if (err) {
		tsr_buffer_unref(buffer);
		return session_error(s, "buffer", err);
	}
	*ret_buffer = buffer;
	return 0;
}

int session_kernel(struct session *s, struct tsr_operation *op, const char *name,
		   enum tsr_processor processor, struct tsr_kernel *handle)
{
	struct tsr_kernel_info info = {
		.name = name,
		.kind = processor == TSR_PROCESSOR_COMPUTE ? TSR_KERNEL_COMPUTE :
							     TSR_KERNEL_DATA_MOVEMENT,
		.processor = processor,
		.handle = handle,
	};
	char *path;
	int err;

	if (asprintf(&path, "%s/kernels/%s.c", s->dir, name) < 0)
		return session_error(s, name, -ENOMEM);
	info.source_path = path;
	err = tsr_operation_add_kernel(op, &info);
	if (err)
		session_error(s, path, err);
	free(path);
	return err;
}

/* ---- One run ------------------------------------------------------------------------------ */

static void show_figures(struct session *s, struct session_run *r, struct tsr_run *run)
{
	struct tsr_processor_stats *stats;
	size_t count;

	if (tsr_run_processors(run, &stats, &count) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (stats[i].cycles > r->cycles)
			r->cycles = stats[i].cycles;
		r->instructions += stats[i].instructions;
	}
	session_say(s, "%-3s %" PRIu64 " cycles, %" PRIu64 " instructions, %.1f ms\n", r->label,
		    r->cycles, r->instructions, (double)r->ns / 1e6);
	if (s->runs == 1 && !s->quiet && !s->json)
		map_print(s, stats, count, "    ");
	free(stats);
}

static void show_print(const struct session *s, struct tsr_run *run)
{
	char *text;

	if (tsr_run_print(run, &text) < 0)
		return;
	if (*text)
		session_say(s, "%s", text);
	free(text);
}

static uint32_t submit_flags(struct session *s)
{
	struct tsr_device_state state;

	if (tsr_device_state(s->dev, &state) < 0)
		return 0;
	return (state.caps & TSR_CAP_PROFILE ? TSR_SUBMIT_PROFILE : 0) |
	       (state.caps & TSR_CAP_PRINT ? TSR_SUBMIT_PRINT : 0);
}

static int finish(struct session *s, struct session_run *r, struct tsr_run *run)
{
	struct tsr_status status;
	int err;

	err = tsr_run_wait(run, -1);
	if (!err)
		err = tsr_run_status(run, &status);
	if (err)
		return session_error(s, "wait", err);
	r->ns = status.completed_ns - status.launched_ns;
	show_print(s, run);
	err = tsr_run_verdict(run);
	if (err) {
		fprintf(stderr, "%s: run %s did not succeed\n", s->name, r->label);
		tsr_status_print(&status, stderr);
		return err;
	}
	show_figures(s, r, run);
	return 0;
}

int session_execute(struct session *s, const char *label, struct tsr_operation *op,
		    const struct tsr_tensor *tensors, size_t tensor_count)
{
	struct tsr_submit_options options = { .flags = submit_flags(s) };
	struct session_run *r = &s->run[s->runs];
	struct tsr_diag *diag = NULL;
	struct tsr_run *run;
	int err;

	if (s->runs == SESSION_RUNS)
		return session_error(s, label, -E2BIG);
	s->runs++;
	r->label = label;
	err = tsr_submit(op, s->context, tensors, tensor_count, &options, &run, &diag);
	if (err) {
		fprintf(stderr, "%s: run %s was not accepted: %s\n", s->name, label,
			strerror(-err));
		tsr_diag_print(diag, stderr);
		tsr_diag_free(diag);
		return err;
	}
	err = finish(s, r, run);
	tsr_run_unref(run);
	return err;
}

void session_verdict(struct session *s, bool pass, const char *fmt, ...)
{
	struct session_run *r = &s->run[s->runs - 1];
	char text[200];
	va_list args;

	r->pass = pass;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	session_say(s, "%-3s %s  %s\n", r->label, pass ? "PASS" : "FAIL", text);
	if (!pass && (s->quiet || s->json))
		fprintf(stderr, "%s: %s FAIL  %s\n", s->name, r->label, text);
}

/* ---- The end ------------------------------------------------------------------------------ */

static bool check_counters(struct session *s, uint64_t *factory, uint64_t *builds, uint64_t *hits)
{
	struct tsr_library_stats now;
	struct tsr_cache_stats cache;
	bool pass;

	tsr_library_stats(s->dev, &now);
	tsr_cache_stats(s->dev, &cache);
	*factory = now.factory_calls - s->before.factory_calls;
	*builds = now.programs - s->before.programs;
	*hits = cache.hits - s->cache_before.hits;
	pass = *factory == SESSION_RUNS && *builds == 1 && *hits == SESSION_RUNS - 1;
	session_say(s, "factory calls %" PRIu64 ", program builds %" PRIu64 ", cache hits %" PRIu64
		    "%s\n", *factory, *builds, *hits, pass ? "" : "  (expected 3, 1, 2)");
	return pass;
}

static void print_json(const struct session *s, bool pass, uint64_t factory, uint64_t builds,
		       uint64_t hits)
{
	printf("{\"example\":\"%s\",\"pass\":%s,\"runs\":[", s->name, pass ? "true" : "false");
	for (size_t i = 0; i < s->runs; i++)
		printf("%s{\"label\":\"%s\",\"pass\":%s,\"cycles\":%" PRIu64
		       ",\"instructions\":%" PRIu64 ",\"ns\":%" PRIu64 "}", i ? "," : "",
		       s->run[i].label, s->run[i].pass ? "true" : "false", s->run[i].cycles,
		       s->run[i].instructions, s->run[i].ns);
	printf("],\"factory_calls\":%" PRIu64 ",\"program_builds\":%" PRIu64
	       ",\"cache_hits\":%" PRIu64 "}\n", factory, builds, hits);
}

int session_close(struct session *s, int err)
{
	uint64_t factory = 0, builds = 0, hits = 0;
	bool pass = err == 0 && s->runs == SESSION_RUNS;

	for (size_t i = 0; i < s->runs; i++)
		pass = pass && s->run[i].pass;
	if (s->dev && !err)
		pass = check_counters(s, &factory, &builds, &hits) && pass;
	if (s->json)
		print_json(s, pass, factory, builds, hits);
	session_say(s, "%s: %s\n", s->name, pass ? "PASS" : "FAIL");
	if (!pass && s->quiet)
		fprintf(stderr, "%s: FAIL\n", s->name);
	free(s->core);
	tsr_coreset_free(s->cores);
	tsr_context_unref(s->context);
	tsr_device_unref(s->dev);
	/* What it says is its result: it fails if that is lost. */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: output is lost\n", s->name);
		pass = false;
	}
	return pass ? 0 : 1;
}

uint32_t session_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

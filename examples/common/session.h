/* SPDX-License-Identifier: MIT */
/*
 * What the examples share: open a device, execute an operation and show where its
 * cycles went, keep the verdicts, and check the counters at the end.
 *
 * Each example executes its operation three times: A, B with other words and
 * buffers, and A' with the words of A and new buffers. The program is structure
 * only, so it is built once and found twice, while the factory is called each time.
 */
#ifndef EXAMPLES_SESSION_H
#define EXAMPLES_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tessera/tessera.h>

#include <common/options.h>

#define SESSION_RUNS	3

/** struct session_run - what is kept of a run */
struct session_run {
	const char *label;
	bool pass;
	uint64_t cycles;	/* of the slowest processor */
	uint64_t instructions;	/* of all processors */
	uint64_t ns;		/* from launch to completion */
};

/** struct session - one example being executed */
struct session {
	const char *name;
	const char *device;	/* --device, or NULL */
	const char *dir;	/* of the example's sources */
	bool quiet, json;
	struct tsr_device *dev;
	struct tsr_context *context;
	struct tsr_limits limits;
	struct tsr_coreset *cores;	/* all working cores */
	struct tsr_core *core;		/* the same as a list, row by row */
	size_t core_count;
	struct session_run run[SESSION_RUNS];
	size_t runs;
	struct tsr_library_stats before;	/* counters when the session was opened */
	struct tsr_cache_stats cache_before;
};

/**
 * session_parse() - parse the command line, the options of all examples included
 * @s: zeroed
 * @cl: @cl->common is filled in
 * @dir: the example's folder; $TESSERA_EXAMPLE_DIR and --dir override it
 *
 * Return: number of operands.
 */
size_t session_parse(struct session *s, struct command_line *cl, const char *dir, int argc,
		     char **argv, const char **ret_operands);

/** session_open() - open device and context. Return: 0, or -errno after saying why. */
int session_open(struct session *s);

/** session_say() - print, unless asked to be quiet */
void session_say(const struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** session_error() - say on stderr what failed. Return: @err. */
int session_error(const struct session *s, const char *what, int err);

/**
 * session_kernel() - declare the kernel in kernels/NAME.c of the example
 * @handle: bound to it; NULL for the canonical kernel of its kind
 *
 * Return: 0, or -errno after saying why.
 */
int session_kernel(struct session *s, struct tsr_operation *op, const char *name,
		   enum tsr_processor processor, struct tsr_kernel *handle);

/**
 * session_execute() - submit, wait, and show the figures
 * @label: "A"
 *
 * Return: 0 when the run succeeded, or -errno after printing diagnostics or status.
 */
int session_execute(struct session *s, const char *label, struct tsr_operation *op,
		    const struct tsr_tensor *tensors, size_t tensor_count);

/** session_verdict() - whether the results of the last run are right, and the reason in words */
void session_verdict(struct session *s, bool pass, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** session_close() - check the counters and release all. Return: exit status of the program. */
int session_close(struct session *s, int err);

/** session_buffer() - a new buffer of @size bytes, mapped. Return: 0, -errno after saying why. */
int session_buffer(struct session *s, uint64_t size, struct tsr_buffer **ret_buffer,
		   void **ret_mem);

/** session_random() - a small generator for inputs; the same numbers everywhere */
uint32_t session_random(uint32_t *state);

/** map_print() - the grid with the cycles of each core, in lines that begin with @indent */
void map_print(const struct session *s, const struct tsr_processor_stats *stats, size_t count,
	       const char *indent);

#endif

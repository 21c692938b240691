/* SPDX-License-Identifier: MIT */
#ifndef TESSERA_TOOL_H
#define TESSERA_TOOL_H

/** struct tool_noun - one noun of the tool: `tessera NOUN VERB ...` */
struct tool_noun {
	const char *name;
	const char *help;	/* one line */
	/** @run: argv[0] is the noun; returns the exit status. */
	int (*run)(int argc, char **argv);
};

int tool_cache(int argc, char **argv);
int tool_context(int argc, char **argv);
int tool_device(int argc, char **argv);
/** tool_device_list() - argv[0] is "list" or "stats" */
int tool_device_list(int argc, char **argv);
int tool_dump(int argc, char **argv);
int tool_events(int argc, char **argv);
int tool_hart(int argc, char **argv);
int tool_inject(int argc, char **argv);
int tool_program(int argc, char **argv);
int tool_reset(int argc, char **argv);
int tool_run(int argc, char **argv);
/** tool_run_list() - argv[0] is "list" */
int tool_run_list(int argc, char **argv);

/** tool_error() - "tessera: ..." on standard error; returns 2, the status of a bad call */
int tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * tool_printable() - make a text of somebody else's fit for a terminal and for JSON
 * @text: changed: what is not printable ASCII becomes '?'
 */
void tool_printable(char *text);

#endif

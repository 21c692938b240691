// SPDX-License-Identifier: MIT
/* The tool: finds the noun in a table and hands over. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

static const struct tool_noun nouns[] = {
	{ "cache", "compiled kernels on disk", tool_cache },
	{ "context", "contexts and their counters", tool_context },
	{ "device", "limits, state and counters of a device", tool_device },
	{ "dump", "decode a device core dump", tool_dump },
	{ "events", "what happens on the devices, as it happens", tool_events },
	{ "hart", "run one processor of the virtual grid on a bare RV32IM ELF file", tool_hart },
	{ "inject", "let a virtual device go wrong", tool_inject },
	{ "program", "show, compare and check runner files", tool_program },
	{ "reset", "stop a device and begin again", tool_reset },
	{ "run", "compile one C kernel and run it once; list runs", tool_run },
};

#define NOUNS	(sizeof(nouns) / sizeof(nouns[0]))

int tool_error(const char *format, ...)
{
	va_list args;

	fputs("tessera: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return 2;
}

void tool_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/*
 * A closed standard stream is held by one that cannot be used: else the next file that is opened
 * would become it, and be written to.
 */
static int hold_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return -1;
	return 0;
}

/* Output that is lost is a failure, whatever else went well (T30). */
static int finish(int status)
{
	bool lost = ferror(stdout);
	int err = 0;

	if (fclose(stdout))
		err = errno;
	if (!lost && !err)
		return status;
	tool_error("output is lost: %s", err ? strerror(err) : "it cannot be written");
	return status ? status : 1;
}

static void usage(FILE *to)
{
	size_t i;

	fputs("usage: tessera NOUN [VERB] [OPTION...]\n\n", to);
	for (i = 0; i < NOUNS; i++)
		fprintf(to, "  %-10s %s\n", nouns[i].name, nouns[i].help);
	fputs("\n'tessera NOUN --help' says more about one, 'tessera --version' which this is.\n", to);
}

static int run(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("tessera " TSR_VERSION);
		return 0;
	}
	for (i = 0; i < NOUNS; i++)
		if (!strcmp(argv[1], nouns[i].name))
			return nouns[i].run(argc - 1, argv + 1);
	return tool_error("unknown noun '%s'; try 'tessera --help'", argv[1]);
}

int main(int argc, char **argv)
{
	return hold_streams() ? 1 : finish(run(argc, argv));
}

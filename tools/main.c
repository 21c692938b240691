// SPDX-License-Identifier: MIT
/* The tool: finds the noun in a table and hands over. */
#include <stdarg.h>
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

static void usage(FILE *to)
{
	size_t i;

	fputs("usage: tessera NOUN [VERB] [OPTION...]\n\n", to);
	for (i = 0; i < NOUNS; i++)
		fprintf(to, "  %-10s %s\n", nouns[i].name, nouns[i].help);
	fputs("\n'tessera NOUN --help' says more about one.\n", to);
}

int main(int argc, char **argv)
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
	for (i = 0; i < NOUNS; i++)
		if (!strcmp(argv[1], nouns[i].name))
			return nouns[i].run(argc - 1, argv + 1);
	return tool_error("unknown noun '%s'; try 'tessera --help'", argv[1]);
}

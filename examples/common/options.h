/* SPDX-License-Identifier: MIT */
/* Command lines of the examples: --name value, --name=value, and what is left over. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_FLAG,		/* bool */
	OPTION_NUMBER,		/* uint32_t, at least 1 */
	OPTION_TEXT,		/* const char * */
};

/** struct option - one option; a table of them ends with a NULL name */
struct option_info {
	const char *name;	/* without the dashes */
	const char *arg;	/* name of its argument in the help; NULL for a flag */
	const char *help;
	enum option_type type;
	void *value;
};

/** struct command_line - what a program takes */
struct command_line {
	const char *name;
	const char *operands;	/* for the help: "[M N K]" */
	const char *about;
	const struct option_info *options;
	const struct option_info *common;
	size_t max_operands;
};

/**
 * options_parse() - parse a command line; ends the program after --help (0) or a mistake (2)
 *
 * Return: number of operands, which are put into @ret_operands.
 */
size_t options_parse(const struct command_line *cl, int argc, char **argv,
		     const char **ret_operands);

/** options_number() - a positive number, or the end of the program */
uint32_t options_number(const struct command_line *cl, const char *name, const char *text);

#endif

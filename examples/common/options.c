// SPDX-License-Identifier: MIT
#include <common/options.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list(const struct option_info *o)
{
	for (; o && o->name; o++)
		printf("  --%s%s%-*s %s\n", o->name, o->arg ? " " : "",
		       (int)(16 - strlen(o->name) - !!o->arg), o->arg ? o->arg : "", o->help);
}

static void help(const struct command_line *cl)
{
	printf("usage: %s [options] %s\n%s\n\n", cl->name, cl->operands, cl->about);
	list(cl->options);
	list(cl->common);
	exit(fflush(stdout) || ferror(stdout) ? 1 : 0);
}

static void __attribute__((noreturn, format(printf, 2, 3)))
mistake(const struct command_line *cl, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", cl->name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "; --help lists the options\n");
	exit(2);
}

uint32_t options_number(const struct command_line *cl, const char *name, const char *text)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 0);
	if (errno || end == text || *end || v == 0 || v > UINT32_MAX || *text == '-')
		mistake(cl, "%s: \"%s\" is not a positive number", name, text);
	return (uint32_t)v;
}

static const struct option_info *find(const struct option_info *o, const char *name, size_t len)
{
	for (; o && o->name; o++)
		if (strlen(o->name) == len && strncmp(o->name, name, len) == 0)
			return o;
	return NULL;
}

static void set(const struct command_line *cl, const struct option_info *o, const char *text)
{
	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)o->value = true;
		break;
	case OPTION_NUMBER:
		*(uint32_t *)o->value = options_number(cl, o->name, text);
		break;
	case OPTION_TEXT:
		*(const char **)o->value = text;
		break;
	}
}

/* One option at @arg; takes @next as its argument if it needs one. Return: whether it did. */
static bool take(const struct command_line *cl, const char *arg, const char *next)
{
	size_t len = strcspn(arg + 2, "=");
	const char *text = arg[2 + len] ? arg + 3 + len : NULL;
	const struct option_info *o = find(cl->options, arg + 2, len);

	if (!o)
		o = find(cl->common, arg + 2, len);
	if (!o)
		mistake(cl, "unknown option %s", arg);
	if (!o->arg && text)
		mistake(cl, "--%s takes no argument", o->name);
	if (o->arg && !text && !next)
		mistake(cl, "--%s needs %s", o->name, o->arg);
	set(cl, o, text ? text : next);
	return o->arg && !text;
}

size_t options_parse(const struct command_line *cl, int argc, char **argv,
		     const char **ret_operands)
{
	bool only_operands = false;
	size_t n = 0;

	for (int i = 1; i < argc; i++) {
		if (!only_operands && strcmp(argv[i], "--") == 0) {
			only_operands = true;
		} else if (!only_operands && strcmp(argv[i], "--help") == 0) {
			help(cl);
		} else if (!only_operands && argv[i][0] == '-' && argv[i][1] == '-') {
			i += take(cl, argv[i], argv[i + 1]);
		} else if (n == cl->max_operands) {
			mistake(cl, "too many operands at \"%s\"", argv[i]);
		} else {
			ret_operands[n++] = argv[i];
		}
	}
	return n;
}

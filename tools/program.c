// SPDX-License-Identifier: MIT
/* tessera program: what is in a runner file, without a device. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "program.h"
#include "tool.h"

static const char usage[] =
	"usage: tessera program show|hash|check [--json] [--device NODE] FILE\n"
	"       tessera program diff [--json] FILE FILE\n\n"
	"Runner files (tsr_runner_save()), without a device.\n\n"
	"  show    all that is in it\n"
	"  hash    its fingerprint\n"
	"  check   all findings; with --device, also those for that device\n"
	"  diff    what differs; exit status 1 if something does\n\n"
	"Exit status: 0, 1 a file is refused or files differ, 2 a mistake on the command line.\n";

struct call {
	bool json;
	const char *node;
	char **files;
};

static int dump(json_t *value)
{
	return tool_json_print(value, JSON_INDENT(2) | JSON_ENCODE_ANY);
}

/* The runner of a file; NULL after saying why not. */
static struct tsr_runner *load(const char *path)
{
	struct tsr_runner *runner = NULL;
	struct tsr_diag *diag = NULL;
	int err = tsr_runner_load(NULL, path, &runner, &diag);

	if (err) {
		tool_error("%s: %s", path, strerror(-err));
		tsr_diag_print(diag, stderr);
		tsr_diag_free(diag);
		return NULL;
	}
	return runner;
}

static int show(const struct call *c)
{
	struct tsr_runner *runner = load(c->files[0]);
	json_t *all;

	if (!runner)
		return 1;
	all = program_json(tsr_runner_info(runner));
	tsr_runner_unref(runner);
	if (c->json)
		return dump(all);
	program_print(all, 0);
	json_decref(all);
	return 0;
}

static int hash(const struct call *c)
{
	struct tsr_runner *runner = load(c->files[0]);
	json_t *all, *fingerprint;
	int status = 0;

	if (!runner)
		return 1;
	all = program_json(tsr_runner_info(runner));
	tsr_runner_unref(runner);
	fingerprint = json_object_get(all, "fingerprint");
	if (c->json)
		status = dump(json_pack("{sO}", "fingerprint", fingerprint));
	else
		printf("%s\n", json_string_value(fingerprint));
	json_decref(all);
	return status;
}

static int check(const struct call *c)
{
	struct tsr_device *dev = NULL;
	struct tsr_runner *runner = NULL;
	struct tsr_diag *diag = NULL;
	int status = 0, err = c->node ? tsr_device_open(c->node, &dev) : 0;

	if (err) {
		tool_error("%s: %s", c->node, strerror(-err));
		return 1;
	}
	err = tsr_runner_load(dev, c->files[0], &runner, &diag);
	if (c->json)
		status = dump(json_pack("{sb so}", "good", !err, "findings", program_findings(diag)));
	else if (err)
		tsr_diag_print(diag, stdout);
	if (err && !(diag && tsr_diag_count(diag)))
		tool_error("%s: %s", c->files[0], strerror(-err));
	tsr_diag_free(diag);
	tsr_runner_unref(runner);
	tsr_device_unref(dev);
	return err ? 1 : status;
}

static int diff(const struct call *c)
{
	struct tsr_runner *runner[2] = { load(c->files[0]), load(c->files[1]) };
	json_t *value[2], *list = c->json ? json_array() : NULL;
	size_t n = 1;

	if (runner[0] && runner[1]) {
		for (int i = 0; i < 2; i++)
			value[i] = program_json(tsr_runner_info(runner[i]));
		n = program_diff("", value[0], value[1], list);
		json_decref(value[0]);
		json_decref(value[1]);
		if (list)
			dump(json_incref(list));
	}
	json_decref(list);
	tsr_runner_unref(runner[0]);
	tsr_runner_unref(runner[1]);
	return n ? 1 : 0;
}

int tool_program(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "device", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	static const struct {
		const char *name;
		int files;
		int (*run)(const struct call *c);
	} verbs[] = {
		{ "show", 1, show }, { "hash", 1, hash }, { "check", 1, check }, { "diff", 2, diff },
	};
	struct call c = { 0 };
	int opt;

	while ((opt = getopt_long(argc, argv, "jd:h", options, NULL)) != -1) {
		switch (opt) {
		case 'j':
			c.json = true;
			break;
		case 'd':
			c.node = optarg;
			break;
		default:
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
	}
	c.files = argv + optind + 1;
	for (size_t i = 0; optind < argc && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(argv[optind], verbs[i].name) && argc - optind - 1 == verbs[i].files)
			return verbs[i].run(&c);
	fputs(usage, stderr);
	return 2;
}

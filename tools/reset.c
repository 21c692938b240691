// SPDX-License-Identifier: MIT
/* tessera reset: stop a device and begin again. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>

#include <jansson.h>
#include <tessera/tessera.h>

#include "json.h"
#include "tool.h"

static const char usage[] =
	"usage: tessera reset [--json] [--device NODE]\n\n"
	"Reset a device: NODE, or the first one of the machine. Needs CAP_SYS_ADMIN.\n"
	"The run that executes ends with code reset, queued ones execute afterwards.\n";

static int report(struct tsr_device *dev, uint64_t generation, bool json)
{
	json_t *all;

	if (!json) {
		printf("%s: reset, generation %" PRIu64 "\n", tsr_device_path(dev), generation);
		return 0;
	}
	all = json_pack("{ss ss sI}", "path", tsr_device_path(dev), "name", tsr_device_name(dev),
			"generation", (json_int_t)generation);
	return tool_json_print(all, JSON_INDENT(2));
}

static int reset(const char *node, bool json)
{
	struct tsr_device *dev = NULL;
	uint64_t generation;
	int err = tsr_device_open(node, &dev);

	if (!err)
		err = tsr_device_reset(dev, &generation);
	if (err)
		tool_error("%s: %s", node ? node : "device", strerror(-err));
	else
		err = report(dev, generation, json);
	tsr_device_unref(dev);
	return err ? 1 : 0;
}

int tool_reset(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *node = NULL;
	bool json = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "d:jh", options, NULL)) != -1) {
		if (opt != 'd' && opt != 'j') {
			fputs(usage, opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
		if (opt == 'd')
			node = optarg;
		json |= opt == 'j';
	}
	if (optind != argc)
		return tool_error("'%s': name the node with --device", argv[optind]);
	return reset(node, json);
}

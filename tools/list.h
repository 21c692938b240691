/* SPDX-License-Identifier: MIT */
/* What the lists of the tool share: `tessera device list`, `context list`, `run list`. */
#ifndef TESSERA_TOOL_LIST_H
#define TESSERA_TOOL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_PREFIX	"/dev/accel/accel"

/** struct list - one command */
struct list {
	const char *usage;
	/** @get: the entries, to be freed with free(). 0, -errno. */
	int (*get)(const struct list *list, void **ret_entries, size_t *ret_count);
	/** @print_json: all of them; the exit status */
	int (*print_json)(const void *entries, size_t count);
	void (*print_table)(const void *entries, size_t count);
	/** @has_context: takes --context */
	bool has_context;

	/* What the command line says. */
	bool json;
	uint32_t minor;			/* or TSR_ALL_DEVICES */
	uint64_t context;		/* id; 0: all */
};

/** list_run() - read the command line, get, print. Return: the exit status. */
int list_run(struct list *list, int argc, char **argv);

/** list_priority() - name of enum tsr_priority */
const char *list_priority(uint32_t priority);
/** list_pid() - of a process, or "-"; @ret has 16 bytes. Return: @ret. */
const char *list_pid(uint32_t pid, char *ret);

#endif

/* SPDX-License-Identifier: MIT */
/* A device core dump, read and checked: <drm/tessera_dump.h>. */
#ifndef TESSERA_TOOL_DUMP_H
#define TESSERA_TOOL_DUMP_H

#include <stddef.h>
#include <stdint.h>

#include <drm/tessera_accel.h>
#include <drm/tessera_dump.h>
#include <jansson.h>

#define DUMP_PROCS	3
#define DUMP_REGS	32
#define DUMP_SEMS	16
#define DUMP_CBS	32

/** struct dump_memory - a piece of a core's memory */
struct dump_memory {
	struct tessera_dump_memory head;
	uint8_t *bytes;			/* head.size of them */
};

/** struct dump - a copy of everything; a version with larger records is cut to what is known */
struct dump {
	struct tessera_dump head;
	struct drm_tessera_status status;
	struct tessera_dump_core *cores;
	uint32_t count;
	struct dump_memory *memories;
	uint32_t memory_count;
};

/** dump_load() - read a file. 0, -errno; -EPROTO: not a dump, or cut off. */
int dump_load(const char *path, struct dump *ret);
void dump_fini(struct dump *dump);

void dump_print_text(const struct dump *dump);
/** dump_print_json() - Return: the exit status */
int dump_print_json(const struct dump *dump);

/** dump_print_memory() - hexadecimal: addresses, words, characters; zeroes once */
void dump_print_memory(const struct dump *dump);
/** dump_memory_json() - pieces and where they end; NULL: nothing was looked at */
json_t *dump_memory_json(const struct dump *dump);

/** dump_state() - of a processor: "waiting" */
const char *dump_state(uint32_t state);
/** dump_register() - ABI name of a register: "a0" */
const char *dump_register(uint32_t number);
/** dump_wait() - what a processor waits for: "semaphore 3 >= 7"; "" for nothing */
const char *dump_wait(const struct tessera_dump_proc *proc, char *text, size_t size);
/** dump_level() - pages in a circular buffer */
uint32_t dump_level(const struct tessera_dump_cb *cb);

#endif

/* SPDX-License-Identifier: MIT */
/* JSON that several nouns print. */
#ifndef TESSERA_TOOL_JSON_H
#define TESSERA_TOOL_JSON_H

#include <stdbool.h>

#include <jansson.h>
#include <tessera/event.h>

/** tool_json_print() - on standard output, and free it; 0, or 1 after saying what was wrong */
int tool_json_print(json_t *json, size_t flags);

/** tool_json_u64() - a number, or null when it was not measured */
json_t *tool_json_u64(uint64_t value, bool known);

/** tool_json_counters() - all counters by name; null what was not measured */
json_t *tool_json_counters(const struct tsr_counters *counters, uint64_t known);

#endif

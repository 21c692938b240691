/* SPDX-License-Identifier: MIT */
/* tessera program: a runner file as a tree of values, which every verb works on. */
#ifndef TESSERA_TOOL_PROGRAM_H
#define TESSERA_TOOL_PROGRAM_H

#include <jansson.h>
#include <tessera/tessera.h>

/** program_json() - all that is in a runner */
json_t *program_json(const struct tsr_runner_info *info);

/** program_findings() - findings of a diagnostic, as an array */
json_t *program_findings(const struct tsr_diag *diag);

/** program_print() - a tree for people: one value a line, "name value", indented */
void program_print(const json_t *value, int indent);

/** program_diff() - print what differs, a line each: "path: a -> b"; returns how many */
size_t program_diff(const char *path, const json_t *a, const json_t *b, json_t *list);

#endif

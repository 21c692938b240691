// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "tool.h"

int tool_json_print(json_t *json, size_t flags)
{
	int err = json ? json_dumpf(json, stdout, flags) : -1;

	json_decref(json);
	putchar('\n');
	if (err && !ferror(stdout))
		tool_error("cannot make JSON: %s", strerror(ENOMEM));
	/* Lost output is reported once, by main(). */
	return fflush(stdout) || err ? 1 : 0;
}

json_t *tool_json_u64(uint64_t value, bool known)
{
	return known ? json_integer((json_int_t)value) : json_null();
}

json_t *tool_json_counters(const struct tsr_counters *counters, uint64_t known)
{
	const uint64_t *value = (const uint64_t *)counters;
	json_t *object = json_object();
	const char *name;

	for (size_t i = 0; (name = tsr_counter_name(i)); i++)
		json_object_set_new(object, name, tool_json_u64(value[i], known >> i & 1));
	return object;
}

// SPDX-License-Identifier: MIT
/* Runner files as trees of values. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static json_t *hex(const uint8_t digest[16])
{
	char text[33];

	for (int i = 0; i < 16; i++)
		sprintf(text + 2 * i, "%02x", digest[i]);
	return json_string(text);
}

static json_t *cores(const struct tsr_coreset *set)
{
	size_t size = tsr_coreset_print(set, NULL, 0) + 1;
	char *text = malloc(size);
	json_t *value;

	if (!text)
		return json_null();
	tsr_coreset_print(set, text, size);
	value = json_string(text);
	free(text);
	return value;
}

/* A file may hold any bytes: what is no UTF-8 is shown as such. */
static json_t *text_of(const char *text)
{
	json_t *value = json_string(text);
	char *shown, *p;

	if (value)
		return value;
	p = shown = malloc(4 * strlen(text) + 1);
	if (!shown)
		return json_null();
	for (; *text; text++)
		p += *text >= 0x20 && *text < 0x7f ? sprintf(p, "%c", *text) :
						   sprintf(p, "\\x%02x", (unsigned char)*text);
	value = json_string(shown);
	free(shown);
	return value ? value : json_string("");
}

static json_t *definitions(const struct tsr_definition *list, size_t n)
{
	json_t *all = json_object();

	for (size_t i = 0; i < n; i++)
		json_object_set_new(all, list[i].name, text_of(list[i].value));
	return all;
}

static json_t *appended(const struct tsr_runner_descriptor *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->appended_count; i++) {
		char text[32];

		snprintf(text, sizeof(text), "size of tensor %u",
			 d->appended[i] - TSR_APPENDED_TENSOR);
		json_array_append_new(list, json_string(d->appended[i] == TSR_APPENDED_RANK ?
							"rank" :
							d->appended[i] == TSR_APPENDED_CORES ?
							"cores" : text));
	}
	return list;
}

static json_t *words(const struct tsr_runner_descriptor *d)
{
	json_t *all = json_object();

	for (size_t i = 0; i < d->words_count; i++) {
		char core[16];

		snprintf(core, sizeof(core), "(%u,%u)", d->words[i].x, d->words[i].y);
		json_object_set_new(all, core, json_integer(d->words[i].count));
	}
	return all;
}

static json_t *descriptor(const struct tsr_runner_descriptor *d)
{
	const struct tsr_runner_image *image = &d->image;

	return json_pack("{so ss ss sb so so so so sI so s{sI sI sI sI so}}",
			 "kernel", text_of(d->kernel),
			 "kind", d->kind == TSR_KERNEL_COMPUTE ? "compute" : "data movement",
			 "processor", tsr_processor_name(d->processor),
			 "explicit", d->explicit_kernel,
			 "cores", cores(d->cores),
			 "definitions", definitions(d->definitions, d->definition_count),
			 "supplied definitions", definitions(d->supplied, d->supplied_count),
			 "appended", appended(d),
			 "common words", (json_int_t)d->common_words,
			 "words", words(d),
			 "image", "text", (json_int_t)image->text_size,
			 "data", (json_int_t)image->data_size,
			 "memory", (json_int_t)image->mem_size,
			 "entry", (json_int_t)image->entry,
			 "digest", hex(image->digest));
}

static json_t *limits(const struct tsr_limits *l)
{
	return json_pack("{sI sI sI sI sI sI sI sI}",
			 "grid width", (json_int_t)l->grid_width,
			 "grid height", (json_int_t)l->grid_height,
			 "cores", (json_int_t)l->cores,
			 "L1", (json_int_t)l->l1_size,
			 "image slot", (json_int_t)l->image_slot,
			 "words", (json_int_t)l->words,
			 "semaphores", (json_int_t)l->semaphores,
			 "circular buffers", (json_int_t)l->circular_buffers);
}

static json_t *tensors(const struct tsr_runner_info *info)
{
	static const char *const access[] = { "none", "in", "out", "inout" };
	json_t *list = json_array();

	for (size_t i = 0; i < info->tensor_count; i++)
		json_array_append_new(list, json_pack("{ss sI}", "access",
						      access[info->tensors[i].access & 3], "bytes",
						      (json_int_t)info->tensors[i].min_size));
	return list;
}

static json_t *circular_buffers(const struct tsr_runner_info *info)
{
	json_t *list = json_array();

	for (size_t i = 0; i < info->circular_buffer_count; i++) {
		const struct tsr_circular_buffer *cb = &info->circular_buffers[i];

		json_array_append_new(list, json_pack("{sI sI sI ss so}", "id", (json_int_t)cb->id,
						      "page", (json_int_t)cb->page_size, "pages",
						      (json_int_t)cb->page_count, "format",
						      tsr_element_name(cb->format), "cores",
						      cores(cb->cores)));
	}
	return list;
}

static json_t *semaphores(const struct tsr_runner_info *info)
{
	json_t *list = json_array();

	for (size_t i = 0; i < info->semaphore_count; i++) {
		const struct tsr_runner_semaphore *s = &info->semaphores[i];

		json_array_append_new(list, json_pack("{sI sI ss so}", "id", (json_int_t)s->id,
						      "initial", (json_int_t)s->initial, "by",
						      s->supplied ? "factory" : "operation",
						      "cores", cores(s->cores)));
	}
	return list;
}

json_t *program_json(const struct tsr_runner_info *info)
{
	json_t *list = json_array();

	for (size_t i = 0; i < info->descriptor_count; i++)
		json_array_append_new(list, descriptor(&info->descriptors[i]));
	return json_pack("{so so ss sb sb so so so so so so}",
			 "operation", text_of(info->name),
			 "fingerprint", hex(info->fingerprint),
			 "isa", info->isa,
			 "needs factory", info->needs_factory,
			 "cacheable", info->cacheable,
			 "limits", limits(&info->limits),
			 "cores", cores(info->cores),
			 "tensors", tensors(info),
			 "circular buffers", circular_buffers(info),
			 "semaphores", semaphores(info),
			 "descriptors", list);
}

json_t *program_findings(const struct tsr_diag *diag)
{
	json_t *list = json_array();

	for (size_t i = 0; diag && i < tsr_diag_count(diag); i++) {
		const struct tsr_finding *f = tsr_diag_finding(diag, i);
		json_t *one = json_pack("{ss so ss so so so}", "rule", f->rule, "path",
					text_of(f->path), "field", f->field, "value",
					text_of(f->value), "allowed", text_of(f->allowed),
					"message", text_of(f->message));

		if (f->x >= 0)
			json_object_set_new(one, "core", json_pack("[ii]", f->x, f->y));
		json_array_append_new(list, one);
	}
	return list;
}

/* ---- Printing and comparing --------------------------------------------------------------- */

/* A value without parts, as text in @buf. */
static const char *leaf(const json_t *value, char *buf, size_t size)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		return json_string_value(value);
	case JSON_INTEGER:
		snprintf(buf, size, "%" PRId64, (int64_t)json_integer_value(value));
		return buf;
	case JSON_TRUE:
		return "yes";
	case JSON_FALSE:
		return "no";
	default:
		return "-";
	}
}

static bool has_parts(const json_t *value)
{
	return json_is_object(value) || json_is_array(value);
}

static size_t part_count(const json_t *value)
{
	return json_is_object(value) ? json_object_size(value) : json_array_size(value);
}

static void print_part(const char *name, const json_t *value, int indent)
{
	char buf[32];

	if (!has_parts(value)) {
		printf("%*s%-*s %s\n", indent, "", 22 - indent, name,
		       leaf(value, buf, sizeof(buf)));
	} else if (part_count(value)) {
		printf("%*s%s\n", indent, "", name);
		program_print(value, indent + 2);
	}
}

void program_print(const json_t *value, int indent)
{
	const char *name;
	json_t *part;
	size_t i;

	if (json_is_object(value))
		json_object_foreach((json_t *)value, name, part)
			print_part(name, part, indent);
	json_array_foreach(value, i, part) {
		char number[24];

		snprintf(number, sizeof(number), "%zu", i);
		print_part(number, part, indent);
	}
}

static size_t differ(const char *path, const json_t *a, const json_t *b, json_t *list)
{
	char bufs[2][32];
	const char *ta = !a ? "absent" : has_parts(a) ? "present" : leaf(a, bufs[0], 32);
	const char *tb = !b ? "absent" : has_parts(b) ? "present" : leaf(b, bufs[1], 32);

	if (list)
		json_array_append_new(list, json_pack("{ss ss ss}", "path", path, "a", ta, "b",
						      tb));
	else
		printf("%s: %s -> %s\n", path, ta, tb);
	return 1;
}

static size_t diff_part(const char *path, const char *name, const json_t *a, const json_t *b,
			json_t *list)
{
	char *whole;
	size_t n;

	if (asprintf(&whole, "%s%s%s", path, path[0] ? "/" : "", name) < 0)
		return 1;
	n = program_diff(whole, a, b, list);
	free(whole);
	return n;
}

size_t program_diff(const char *path, const json_t *a, const json_t *b, json_t *list)
{
	const char *name;
	json_t *part;
	size_t n = 0, i, most;

	if (!a || !b || json_typeof(a) != json_typeof(b))
		return differ(path, a, b, list);
	if (json_is_object(a)) {
		json_object_foreach((json_t *)a, name, part)
			n += diff_part(path, name, part, json_object_get(b, name), list);
		json_object_foreach((json_t *)b, name, part)
			if (!json_object_get(a, name))
				n += diff_part(path, name, NULL, part, list);
		return n;
	}
	if (json_is_array(a)) {
		most = json_array_size(a) > json_array_size(b) ? json_array_size(a) :
							       json_array_size(b);
		for (i = 0; i < most; i++) {
			char number[24];

			snprintf(number, sizeof(number), "%zu", i);
			n += diff_part(path, number, json_array_get(a, i), json_array_get(b, i),
				       list);
		}
		return n;
	}
	return json_equal(a, b) ? 0 : differ(path, a, b, list);
}

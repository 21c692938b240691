// SPDX-License-Identifier: MIT
/* Diagnostics: a list of findings and the errno that goes with them. */
#include <errno.h>
#include <stdlib.h>

#include <tessera/names.h>

#include "diag_int.h"

enum { PATH, FIELD, VALUE, ALLOWED, MESSAGE, OUTPUT, COMMAND, SOURCE };

struct tsr_diag *tsr_diag_new(void)
{
	struct tsr_diag *diag = calloc(1, sizeof(*diag));

	if (diag)
		tsr_ref_init(&diag->ref);
	return diag;
}

struct tsr_diag *tsr_diag_ref(struct tsr_diag *diag)
{
	if (diag)
		tsr_ref_get(&diag->ref);
	return diag;
}

static void free_entry(struct tsr_finding_entry *entry)
{
	for (size_t i = 0; i < ARRAY_SIZE(entry->owned); i++)
		free(entry->owned[i]);
	if (entry->f.definitions[0])
		free((char *)entry->f.definitions);
}

TSR_API struct tsr_diag *tsr_diag_free(struct tsr_diag *diag)
{
	struct tsr_finding_entry *entries;

	if (!diag || !tsr_ref_put(&diag->ref))
		return NULL;
	entries = diag->findings.data;
	for (size_t i = 0; i < diag->findings.count; i++)
		free_entry(&entries[i]);
	tsr_vec_free(&diag->findings);
	free(diag);
	return NULL;
}

size_t tsr_diag_bytes(const struct tsr_diag *diag)
{
	const struct tsr_finding_entry *entries;
	size_t bytes;

	if (!diag)
		return 0;
	entries = diag->findings.data;
	bytes = sizeof(*diag) + diag->findings.count * sizeof(*entries);
	for (size_t i = 0; i < diag->findings.count; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(entries[i].owned); k++)
			if (entries[i].owned[k])
				bytes += strlen(entries[i].owned[k]) + 1;
		bytes += strlen(entries[i].f.definitions) + 1;
	}
	return bytes;
}

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static void free_note(struct tsr_note *note)
{
	free(note->path);
	free(note->value);
	free(note->allowed);
	free(note->message);
}

static void point_to_owned(struct tsr_finding_entry *entry)
{
	entry->f.path = text_or_empty(entry->owned[PATH]);
	entry->f.field = text_or_empty(entry->owned[FIELD]);
	entry->f.value = text_or_empty(entry->owned[VALUE]);
	entry->f.allowed = text_or_empty(entry->owned[ALLOWED]);
	entry->f.message = text_or_empty(entry->owned[MESSAGE]);
	entry->f.output = text_or_empty(entry->owned[OUTPUT]);
	entry->f.command = text_or_empty(entry->owned[COMMAND]);
	entry->f.source = text_or_empty(entry->owned[SOURCE]);
}

void tsr_diag_note(struct tsr_diag *diag, struct tsr_note note)
{
	struct tsr_finding_entry *entry;
	size_t n;

	entry = diag ? tsr_vec_add(&diag->findings, sizeof(*entry), 1) : NULL;
	if (!entry) {
		if (diag)
			diag->incomplete = true;
		free_note(&note);
		return;
	}
	*entry = (struct tsr_finding_entry){ .rule = note.rule };
	entry->owned[PATH] = note.path;
	entry->owned[FIELD] = note.field ? strdup(note.field) : NULL;
	entry->owned[VALUE] = note.value;
	entry->owned[ALLOWED] = note.allowed;
	entry->owned[MESSAGE] = note.message;
	point_to_owned(entry);
	entry->f.definitions = "";
	entry->f.rule = tsr_rules(&n)[note.rule].id;
	entry->f.x = note.at_core ? note.x : -1;
	entry->f.y = note.at_core ? note.y : -1;
}

void tsr_diag_compile(struct tsr_diag *diag, char *output, char *command, char *source,
		      char *definitions)
{
	struct tsr_finding_entry *entry;

	if (!diag || !diag->findings.count) {
		free(output);
		free(command);
		free(source);
		free(definitions);
		return;
	}
	entry = (struct tsr_finding_entry *)diag->findings.data + diag->findings.count - 1;
	entry->owned[OUTPUT] = output;
	entry->owned[COMMAND] = command;
	entry->owned[SOURCE] = source;
	point_to_owned(entry);
	if (definitions && definitions[0])
		entry->f.definitions = definitions;
	else
		free(definitions);
}

void tsr_diag_sort(struct tsr_diag *diag)
{
	struct tsr_finding_entry *list = diag->findings.data;

	for (size_t i = 1; i < diag->findings.count; i++) {
		struct tsr_finding_entry entry = list[i];
		size_t k = i;

		for (; k > 0 && list[k - 1].rule > entry.rule; k--)
			list[k] = list[k - 1];
		list[k] = entry;
	}
}

static void copy_entry(struct tsr_finding_entry *to, const struct tsr_finding_entry *from)
{
	*to = *from;
	for (size_t i = 0; i < ARRAY_SIZE(to->owned); i++)
		to->owned[i] = from->owned[i] ? strdup(from->owned[i]) : NULL;
	point_to_owned(to);
	to->f.definitions = "";
	if (from->f.definitions[0])
		to->f.definitions = text_or_empty(strdup(from->f.definitions));
}

void tsr_diag_append(struct tsr_diag *diag, const struct tsr_diag *from)
{
	const struct tsr_finding_entry *list = from ? from->findings.data : NULL;

	for (size_t i = 0; from && i < from->findings.count; i++) {
		struct tsr_finding_entry *to = tsr_vec_add(&diag->findings, sizeof(*to), 1);

		if (!to) {
			diag->incomplete = true;
			return;
		}
		copy_entry(to, &list[i]);
	}
}

TSR_API int tsr_diag_cause(const struct tsr_diag *diag)
{
	return diag->cause;
}

TSR_API uint32_t tsr_diag_stage(const struct tsr_diag *diag)
{
	return diag->stage;
}

TSR_API size_t tsr_diag_count(const struct tsr_diag *diag)
{
	return diag->findings.count;
}

TSR_API const struct tsr_finding *tsr_diag_finding(const struct tsr_diag *diag, size_t index)
{
	const struct tsr_finding_entry *list = diag->findings.data;

	return index < diag->findings.count ? &list[index].f : NULL;
}

static const char *const stages[] = {
	[TSR_STAGE_DECLARE] = "declaration",
	[TSR_STAGE_FACTORY] = "factory",
	[TSR_STAGE_VALIDATE] = "validation",
	[TSR_STAGE_COMPILE] = "compilation",
	[TSR_STAGE_PROGRAM] = "program creation",
	[TSR_STAGE_SUBMIT] = "submission",
};

static void print_finding(const struct tsr_finding *f, FILE *out)
{
	fprintf(out, "  %s %s", f->rule, f->path);
	if (f->x >= 0)
		fprintf(out, " core (%d,%d)", f->x, f->y);
	fprintf(out, ": %s\n", f->message);
	if (f->field[0])
		fprintf(out, "      %s is %s, allowed: %s\n", f->field, f->value, f->allowed);
	if (f->command[0])
		fprintf(out, "      command: %s\n", f->command);
	if (f->definitions[0])
		fprintf(out, "      definitions: %s\n", f->definitions);
	if (f->output[0])
		fprintf(out, "%s%s", f->output,
			f->output[strlen(f->output) - 1] == '\n' ? "" : "\n");
}

TSR_API void tsr_diag_print(const struct tsr_diag *diag, FILE *out)
{
	const char *stage = NULL;

	if (!diag)
		return;
	if (diag->stage < ARRAY_SIZE(stages))
		stage = stages[diag->stage];
	fprintf(out, "%s failed: %s", stage ? stage : "call", strerrorname_np(-diag->cause) ?
		strerrorname_np(-diag->cause) : "unknown error");
	fprintf(out, ", %zu finding%s%s\n", diag->findings.count,
		diag->findings.count == 1 ? "" : "s",
		diag->incomplete ? " (more, but out of memory)" : "");
	for (size_t i = 0; i < diag->findings.count; i++)
		print_finding(tsr_diag_finding(diag, i), out);
}

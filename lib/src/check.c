// SPDX-License-Identifier: MIT
/* Validation: the list of checks, and what they share. */
#include <errno.h>
#include <stdlib.h>

#include "check.h"

void tsr_found(struct tsr_check *c, struct tsr_note note)
{
	c->findings++;
	if (!c->diag) {
		c->diag = tsr_diag_new();
		/* There was no memory for those before. */
		if (c->diag && c->findings > 1)
			c->diag->incomplete = true;
	}
	tsr_diag_note(c->diag, note);
}

char *tsr_path_text(const struct tsr_path *path, const char *part, size_t index)
{
	char own[24] = "", last[24] = "";

	if (!path->name && path->index != TSR_NO_INDEX)
		snprintf(own, sizeof(own), " %zu", path->index);
	if (index != TSR_NO_INDEX)
		snprintf(last, sizeof(last), " %zu", index);
	return tsr_text("%s%s%s%s%s%s%s", path->what, own, path->name ? " " : "",
			path->name ? path->name : "", part ? "/" : "", part ? part : "", last);
}

static void (*const of_declaration[])(struct tsr_check *c) = {
	tsr_check_dense,
	tsr_check_operation,
};

static void (*const of_execution[])(struct tsr_check *c) = {
	tsr_check_tensors,
	tsr_check_resources,
	tsr_check_semaphores,
};

int tsr_check_declaration(const struct tsr_shape *shape, bool *ret_refused)
{
	struct tsr_check c = {
		.op = shape->op,
		.shape = shape,
		.limits = &shape->op->dev->limits,
	};

	for (size_t i = 0; i < ARRAY_SIZE(of_declaration); i++)
		of_declaration[i](&c);
	tsr_diag_free(c.diag);
	*ret_refused = c.findings > 0;
	return 0;
}

void tsr_check_all(struct tsr_check *c)
{
	if (c->shape->refused)
		tsr_check_operation(c);
	for (size_t i = 0; i < ARRAY_SIZE(of_execution); i++)
		of_execution[i](c);
	if (c->diag)
		tsr_diag_sort(c->diag);
}

void tsr_check_dense(struct tsr_check *c)
{
	if (c->shape->dense)
		return;
	for (size_t i = 0; i < c->op->semaphores.count; i++) {
		uint32_t id = c->shape->semaphores[i]->id;

		if (id == i)
			continue;
		tsr_found(c, (struct tsr_note){
			.rule = TSR_RR3,
			.path = tsr_text("operation/semaphore %u", id),
			.field = "id",
			.value = tsr_text("%u", id),
			.allowed = tsr_text("%zu", i),
			.message = tsr_text("ids of compiler-managed semaphores are not 0..%zu, "
					    "each once", c->op->semaphores.count - 1),
		});
	}
}

/* Not isalnum(), which depends on the locale. */
static const bool in_identifiers[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['_'] = true, ['a' ... 'z'] = true,
};

static bool is_identifier(const struct tsr_def *def)
{
	const unsigned char *p = (const unsigned char *)def->name, *end = p + def->name_size;

	if (p == end || (*p >= '0' && *p <= '9'))
		return false;
	while (p < end)
		if (!in_identifiers[*p++])
			return false;
	return true;
}

static bool is_one_line(const struct tsr_def *def)
{
	const char *end = def->value + def->value_size;

	for (const char *p = def->value; p < end; p++)
		if (!*p || *p == '\n')
			return false;
	return true;
}

/* Names and values as findings show them: what cannot be printed as \x.. */
static char *quote(const char *text, uint32_t size)
{
	uint32_t shown = size > 64 ? 64 : size;
	char *out = malloc((size_t)shown * 4 + 6), *p = out;

	if (!out)
		return NULL;
	*p++ = '"';
	for (uint32_t i = 0; i < shown; i++) {
		unsigned char ch = (unsigned char)text[i];

		if (ch >= 0x20 && ch < 0x7f)
			*p++ = (char)ch;
		else
			p += sprintf(p, "\\x%02x", ch);
	}
	strcpy(p, shown < size ? "...\"" : "\"");
	return out;
}

static void bad_name(struct tsr_check *c, const struct tsr_def *def, size_t i,
		     const struct tsr_path *path)
{
	tsr_found(c, (struct tsr_note){
		.rule = TSR_V6,
		.path = tsr_path_text(path, "definition", i),
		.field = "name",
		.value = quote(def->name, def->name_size),
		.allowed = tsr_text("[A-Za-z_][A-Za-z0-9_]*"),
		.message = tsr_text("the name of a definition is not a C identifier"),
	});
}

static void bad_value(struct tsr_check *c, const struct tsr_def *def, size_t i,
		     const struct tsr_path *path)
{
	tsr_found(c, (struct tsr_note){
		.rule = TSR_V7,
		.path = tsr_path_text(path, "definition", i),
		.field = "value",
		.value = def->value ? quote(def->value, def->value_size) : tsr_text("NULL"),
		.allowed = tsr_text("one line without NUL"),
		.message = def->value ?
			tsr_text("the value of a definition holds a NUL or a newline") :
			tsr_text("the value of a definition is missing"),
	});
}

static bool same_name(const struct tsr_def *a, const struct tsr_def *b)
{
	return a->name_size == b->name_size && !memcmp(a->name, b->name, a->name_size);
}

static void check_twice(struct tsr_check *c, const struct tsr_def *defs, size_t i,
			const struct tsr_path *path)
{
	for (size_t k = 0; k < i; k++) {
		if (!same_name(&defs[k], &defs[i]))
			continue;
		tsr_found(c, (struct tsr_note){
			.rule = TSR_V8,
			.path = tsr_path_text(path, "definition", i),
			.field = "name",
			.value = quote(defs[i].name, defs[i].name_size),
			.allowed = tsr_text("each name once"),
			.message = tsr_text("the name is defined by definition %zu already", k),
		});
		return;
	}
}

void tsr_check_defs(struct tsr_check *c, const struct tsr_def *defs, size_t count,
		    const struct tsr_path *path)
{
	for (size_t i = 0; i < count; i++) {
		if (unlikely(!is_identifier(&defs[i])))
			bad_name(c, &defs[i], i, path);
		if (unlikely(!defs[i].value || !is_one_line(&defs[i])))
			bad_value(c, &defs[i], i, path);
		check_twice(c, defs, i, path);
	}
}

static void bad_set(struct tsr_check *c, enum tsr_rule_no rule, const struct tsr_path *path,
		    char *value, const char *message)
{
	tsr_found(c, (struct tsr_note){
		.rule = rule,
		.path = tsr_path_text(path, NULL, TSR_NO_INDEX),
		.field = "cores",
		.value = value,
		.allowed = tsr_coreset_text(c->op->cores),
		.message = tsr_text("%s", message),
	});
}

void tsr_check_set(struct tsr_check *c, const struct tsr_coreset *set, enum tsr_rule_no outside,
		   const struct tsr_path *path)
{
	struct tsr_coreset rest;

	if (unlikely(set->strays.count)) {
		struct tsr_coreset strays = { .strays = set->strays };

		bad_set(c, TSR_V17, path, tsr_coreset_text(&strays),
			"a range is reversed, or beyond column or row 63");
	} else if (unlikely(!set->height)) {
		bad_set(c, TSR_V17, path, tsr_text("{}"), "there is no core in the range");
	}
	if (likely(tsr_coreset_subset(set, c->op->cores)))
		return;
	tsr_coreset_minus(set, c->op->cores, &rest);
	bad_set(c, outside, path, tsr_coreset_text(&rest),
		"the range reaches outside the operation");
}

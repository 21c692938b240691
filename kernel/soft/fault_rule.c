// SPDX-License-Identifier: GPL-2.0-only
/* Fault plans as text and as data. */
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/string.h>
#include "fault.h"

#define KEY(_key)		BIT(TSR_PLAN_##_key)
#define KEYS_ALWAYS		(KEY(NTH) | KEY(EVERY) | KEY(COUNT) | KEY(P) | KEY(SEED))

static const struct {
	const char *name;
	u32 least, most, preset;
} tsr_fault_keys[TSR_PLAN_KEYS] = {
	[TSR_PLAN_NTH] = { "nth", 1, U32_MAX, 1 },
	[TSR_PLAN_EVERY] = { "every", 1, U32_MAX, 1 },
	[TSR_PLAN_COUNT] = { "count", 0, U32_MAX, 1 },
	[TSR_PLAN_P] = { "p", 1, 1000, 1000 },
	[TSR_PLAN_SEED] = { "seed", 0, U32_MAX, 1 },
	[TSR_PLAN_RUN] = { "run", 0, U32_MAX, 0 },
	[TSR_PLAN_MS] = { "ms", 0, 3600000, 0 },
	[TSR_PLAN_US] = { "us", 0, 1000000, 0 },
	[TSR_PLAN_X] = { "x", 0, 63, 0 },
	[TSR_PLAN_Y] = { "y", 0, 63, 0 },
	[TSR_PLAN_AFTER] = { "after", 0, U32_MAX, 0 },
	[TSR_PLAN_FACTOR] = { "factor", 2, 1000, 0 },
};

/* What a rule may begin with. @place: the key that moves it to another point; see below. */
static const struct tsr_fault_kind {
	const char *subject, *verb, *place;
	u8 point, action;
	u32 keys;
} tsr_fault_kinds[] = {
	{ "stage", "fail", NULL, TSR_PLAN_STAGE, TSR_PLAN_FAIL, 0 },
	{ "launch_dispatch", "fail", NULL, TSR_PLAN_DISPATCH, TSR_PLAN_FAIL, KEY(RUN) },
	{ "launch_grid", "fail", NULL, TSR_PLAN_GRID, TSR_PLAN_FAIL, KEY(RUN) },
	{ "launch_grid", "lie", NULL, TSR_PLAN_GRID, TSR_PLAN_LIE, KEY(RUN) },
	{ "completion", "drop", "boundary", TSR_PLAN_SEEN_GRID, TSR_PLAN_DROP, KEY(RUN) },
	{ "completion", "late", "boundary", TSR_PLAN_SEEN_GRID, TSR_PLAN_LATE,
	  KEY(RUN) | KEY(MS) | KEY(US) },
	{ "record", "drop", NULL, TSR_PLAN_RECORD, TSR_PLAN_DROP, KEY(RUN) },
	{ "record", "corrupt", NULL, TSR_PLAN_RECORD, TSR_PLAN_CORRUPT, KEY(RUN) },
	{ "quiesce", "fail", NULL, TSR_PLAN_QUIESCE, TSR_PLAN_FAIL, KEY(RUN) },
	{ "reset", "fail", NULL, TSR_PLAN_RESET, TSR_PLAN_FAIL, KEY(RUN) },
	{ "unload", "fail", NULL, TSR_PLAN_UNLOAD, TSR_PLAN_FAIL, 0 },
	{ "core", "hang", NULL, TSR_PLAN_CORES, TSR_PLAN_HANG,
	  KEY(RUN) | KEY(X) | KEY(Y) | KEY(AFTER) },
	{ "core", "kill", NULL, TSR_PLAN_CORES, TSR_PLAN_KILL,
	  KEY(RUN) | KEY(X) | KEY(Y) | KEY(AFTER) },
	{ "core", "slow", NULL, TSR_PLAN_CORES, TSR_PLAN_SLOW,
	  KEY(RUN) | KEY(X) | KEY(Y) | KEY(FACTOR) },
	{ "vanish", NULL, "at", TSR_PLAN_GRID, TSR_PLAN_VANISH, KEY(RUN) },
};

static const struct {
	const char *key, *name;
	u8 point;
} tsr_fault_places[] = {
	{ "boundary", "grid", TSR_PLAN_SEEN_GRID },
	{ "boundary", "dispatch", TSR_PLAN_SEEN_DISPATCH },
	{ "at", "stage", TSR_PLAN_STAGE },
	{ "at", "launch_dispatch", TSR_PLAN_DISPATCH },
	{ "at", "launch_grid", TSR_PLAN_GRID },
	{ "at", "completion", TSR_PLAN_SEEN_GRID },
	{ "at", "record", TSR_PLAN_RECORD },
	{ "at", "quiesce", TSR_PLAN_QUIESCE },
	{ "at", "reset", TSR_PLAN_RESET },
};

/* ---- as data ---- */

/* The name of the point for this key; NULL: it cannot be moved there. */
static const char *tsr_fault_place(const char *key, u8 point)
{
	u32 i;

	for (i = 0; key && i < ARRAY_SIZE(tsr_fault_places); i++)
		if (tsr_fault_places[i].point == point && !strcmp(tsr_fault_places[i].key, key))
			return tsr_fault_places[i].name;
	return NULL;
}

static const struct tsr_fault_kind *tsr_fault_kind_of(const struct tsr_fault_rule *rule)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tsr_fault_kinds); i++) {
		const struct tsr_fault_kind *kind = &tsr_fault_kinds[i];

		if (rule->action == kind->action &&
		    (rule->point == kind->point || tsr_fault_place(kind->place, rule->point)))
			return kind;
	}
	return NULL;
}

static bool tsr_fault_rule_valid(const struct tsr_fault_rule *rule)
{
	const struct tsr_fault_kind *kind = tsr_fault_kind_of(rule);
	u32 i;

	if (!kind)
		return false;
	for (i = 0; i < TSR_PLAN_KEYS; i++) {
		u32 value = rule->value[i];

		if (!((kind->keys | KEYS_ALWAYS) & BIT(i))) {
			if (value != tsr_fault_keys[i].preset)
				return false;
		} else if (value < tsr_fault_keys[i].least || value > tsr_fault_keys[i].most) {
			return false;
		}
	}
	/* Late by nothing is not late; and nothing is staged for a launched run. */
	if (rule->action == TSR_PLAN_LATE && !rule->value[TSR_PLAN_MS] &&
	    !rule->value[TSR_PLAN_US])
		return false;
	return rule->point != TSR_PLAN_STAGE || !rule->value[TSR_PLAN_RUN];
}

/* ---- as text ---- */

static char *tsr_fault_word(char **text)
{
	char *word;

	do {
		word = strsep(text, " \t\r");
	} while (word && !*word);
	return word;
}

static const struct tsr_fault_kind *tsr_fault_kind_find(const char *subject, char **text)
{
	const char *verb = NULL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tsr_fault_kinds); i++) {
		const struct tsr_fault_kind *kind = &tsr_fault_kinds[i];

		if (strcmp(kind->subject, subject))
			continue;
		if (!kind->verb)
			return kind;
		if (!verb)
			verb = tsr_fault_word(text);
		if (verb && !strcmp(kind->verb, verb))
			return kind;
	}
	return NULL;
}

static int tsr_fault_parse_place(const char *key, const char *name, struct tsr_fault_rule *rule)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tsr_fault_places); i++) {
		if (!strcmp(tsr_fault_places[i].key, key) &&
		    !strcmp(tsr_fault_places[i].name, name)) {
			rule->point = tsr_fault_places[i].point;
			return 0;
		}
	}
	return -EINVAL;
}

/* "key=value"; @given: keys there were before, the place is one of them */
static int tsr_fault_parse_key(const struct tsr_fault_kind *kind, char *word, u32 *given,
			       struct tsr_fault_rule *rule)
{
	char *key = strsep(&word, "=");
	u32 i;

	if (!word)
		return -EINVAL;
	if (kind->place && !strcmp(kind->place, key)) {
		if (*given & BIT(TSR_PLAN_KEYS))
			return -EINVAL;
		*given |= BIT(TSR_PLAN_KEYS);
		return tsr_fault_parse_place(key, word, rule);
	}
	for (i = 0; i < TSR_PLAN_KEYS; i++) {
		if (strcmp(tsr_fault_keys[i].name, key))
			continue;
		if (*given & BIT(i) || !((kind->keys | KEYS_ALWAYS) & BIT(i)))
			return -EINVAL;
		*given |= BIT(i);
		return kstrtou32(word, 0, &rule->value[i]);
	}
	return -EINVAL;
}

static int tsr_fault_parse_rule(char *subject, char *text, struct tsr_fault_rule *rule)
{
	const struct tsr_fault_kind *kind = tsr_fault_kind_find(subject, &text);
	u32 given = 0, i;
	char *word;

	if (!kind)
		return -EINVAL;
	rule->point = kind->point;
	rule->action = kind->action;
	for (i = 0; i < TSR_PLAN_KEYS; i++)
		rule->value[i] = tsr_fault_keys[i].preset;
	while ((word = tsr_fault_word(&text)))
		if (tsr_fault_parse_key(kind, word, &given, rule))
			return -EINVAL;
	return tsr_fault_rule_valid(rule) ? 0 : -EINVAL;
}

int tsr_fault_plan_parse(char *text, struct tsr_fault_plan *ret)
{
	char *line, *subject;

	memset(ret, 0, sizeof(*ret));
	while ((line = strsep(&text, ";\n"))) {
		subject = tsr_fault_word(&line);
		if (!subject)
			continue;
		if (ret->count == TSR_PLAN_RULES)
			return -E2BIG;
		if (tsr_fault_parse_rule(subject, line, &ret->rules[ret->count]))
			return -EINVAL;
		ret->count++;
	}
	return 0;
}

int tsr_fault_rule_print(const struct tsr_fault_rule *rule, char *buf, size_t size)
{
	const struct tsr_fault_kind *kind = tsr_fault_kind_of(rule);
	int len = 0;
	u32 i;

	len += scnprintf(buf, size, "%s", kind->subject);
	if (kind->verb)
		len += scnprintf(buf + len, size - len, " %s", kind->verb);
	if (rule->point != kind->point)
		len += scnprintf(buf + len, size - len, " %s=%s", kind->place,
				 tsr_fault_place(kind->place, rule->point));
	for (i = 0; i < TSR_PLAN_KEYS; i++)
		if (rule->value[i] != tsr_fault_keys[i].preset)
			len += scnprintf(buf + len, size - len, " %s=%u", tsr_fault_keys[i].name,
					 rule->value[i]);
	return len;
}

// SPDX-License-Identifier: MIT
/*
 * Checks of what the factory supplied. What passes is noted in the plan on the way: which entry a
 * kernel has, and which words a core gets.
 */
#include <errno.h>
#include <stdlib.h>

#include "check.h"

static const char *select_name(uint32_t select)
{
	static const char *const names[] = { "?", "COMPUTE", "DATA_MOVEMENT", "handle" };

	return select < ARRAY_SIZE(names) ? names[select] : "?";
}

static void bad_selector(struct tsr_check *c, enum tsr_rule_no rule, size_t i, char *value,
			 char *allowed, const char *message)
{
	tsr_found(c, (struct tsr_note){
		.rule = rule,
		.path = tsr_text("resources/entry %zu", i),
		.field = "selector",
		.value = value,
		.allowed = allowed,
		.message = tsr_text("%s", message),
	});
}

/* The canonical kernel of a kind, or -1. */
static int32_t find_canonical(const struct tsr_operation *op, uint32_t kind)
{
	for (size_t i = 0; i < op->kernels.count; i++)
		if (tsr_op_kernel(op, i)->kind == kind && !tsr_op_kernel(op, i)->handle)
			return (int32_t)i;
	return -1;
}

static int32_t find_handle(const struct tsr_operation *op, const struct tsr_kernel *handle)
{
	for (size_t i = 0; i < op->kernels.count; i++)
		if (tsr_op_kernel(op, i)->handle == handle)
			return (int32_t)i;
	return -1;
}

/* V2, V3: a handle is bound once, to one operation. */
static int32_t resolve_handle(struct tsr_check *c, size_t i, const struct tsr_entry *entry)
{
	if (!entry->bound_to) {
		bad_selector(c, TSR_V2, i, tsr_text("an unbound handle"),
			     tsr_text("a handle bound to operation %s", c->op->name),
			     "the handle was never bound to an operation");
		return -1;
	}
	if (entry->bound_to != c->op->serial) {
		bad_selector(c, TSR_V3, i, tsr_text("a handle bound to operation %s", entry->owner),
			     tsr_text("a handle bound to this operation %s", c->op->name),
			     "the handle is bound to another operation");
		return -1;
	}
	return find_handle(c->op, entry->handle);
}

/* The kernel that an entry is for, or -1 after a finding (V1 .. V4). */
static int32_t resolve(struct tsr_check *c, size_t i, const struct tsr_entry *entry)
{
	int32_t kernel = -1;

	if (entry->select == TSR_SELECT_HANDLE && entry->handle)
		return resolve_handle(c, i, entry);
	/* The canonical selectors have the numbers of the kinds. */
	if (entry->select == TSR_SELECT_COMPUTE || entry->select == TSR_SELECT_DATA_MOVEMENT) {
		kernel = find_canonical(c->op, entry->select);
		if (kernel < 0)
			bad_selector(c, TSR_V4, i, tsr_text("%s", select_name(entry->select)),
				     tsr_text("a kernel that operation %s has", c->op->name),
				     "the operation has no descriptor of that kernel");
		return kernel;
	}
	bad_selector(c, TSR_V1, i, entry->select == TSR_SELECT_HANDLE ?
		     tsr_text("a handle that is NULL") : tsr_text("%u", entry->select),
		     tsr_text("COMPUTE, DATA_MOVEMENT, or a handle"), "there is no such selector");
	return kernel;
}

static void bad_place(struct tsr_check *c, enum tsr_rule_no rule, const struct tsr_path *path,
		      size_t i, const struct tsr_arg *arg, char *allowed, const char *message)
{
	tsr_found(c, (struct tsr_note){
		.rule = rule,
		.path = tsr_path_text(path, "words", i),
		.field = "core",
		.value = tsr_text("(%u,%u)", arg->x, arg->y),
		.allowed = allowed,
		.message = tsr_text("%s", message),
		.at_core = true,
		.x = arg->x,
		.y = arg->y,
	});
}

static void too_many_words(struct tsr_check *c, const struct tsr_path *path, size_t i,
			   const struct tsr_arg *arg, uint64_t common, uint64_t appended)
{
	tsr_found(c, (struct tsr_note){
		.rule = TSR_V13,
		.path = tsr_path_text(path, "words", i),
		.field = "words",
		.value = tsr_text("%llu", (unsigned long long)(arg->count + common + appended)),
		.allowed = tsr_text("0..%u", c->limits->words),
		.message = tsr_text("%u own, %llu appended and %llu common words are more than a "
				    "processor has room for", arg->count,
				    (unsigned long long)appended, (unsigned long long)common),
		.at_core = true,
		.x = arg->x,
		.y = arg->y,
	});
}

/* V9 .. V11, V13 of one core's words; @k is NULL when the selector was bad: less can be said. */
static void check_arg(struct tsr_check *c, const struct tsr_entry *entry, size_t i,
		      uint64_t appended, const struct tsr_shape_kernel *k, uint32_t *arg_of,
		      const struct tsr_path *path)
{
	const struct tsr_arg *arg = (const struct tsr_arg *)entry->args.data + i;
	uint32_t place = tsr_place(c->limits, arg->x, arg->y);

	if (arg->count + appended + entry->common_count > c->limits->words)
		too_many_words(c, path, i, arg, entry->common_count, appended);
	if (arg->x >= c->limits->grid_width || arg->y >= c->limits->grid_height ||
	    !tsr_shape_has(c->shape, place)) {
		bad_place(c, TSR_V9, path, i, arg, tsr_coreset_text(c->op->cores),
			  "the core is outside the operation");
		return;
	}
	if (arg_of[place])
		bad_place(c, TSR_V10, path, i, arg, tsr_text("each core once"),
			  "the core has words already");
	if (k && !k->descriptor_of[place])
		bad_place(c, TSR_V11, path, i, arg, tsr_coreset_text(&k->cores),
			  "the core is in no descriptor of the kernel");
	arg_of[place] = (uint32_t)i + 1;
}

/*
 * Whether the words are those of the first cores of the kernel's only descriptor, in order, and
 * not too many: then nothing is wrong with them.
 */
static bool as_listed(const struct tsr_check *c, const struct tsr_entry *entry, int32_t kernel)
{
	const struct tsr_shape_kernel *k = &c->shape->kernels[kernel];
	uint64_t extra = (uint64_t)tsr_op_kernel(c->op, (size_t)kernel)->appended_count +
			 entry->common_count;
	uint64_t most = c->limits->words - extra;
	const struct tsr_arg *args = entry->args.data;
	const struct tsr_core *core;

	if (k->descriptors != 1 || entry->args.count > k->last->count || c->shape->refused ||
	    extra > c->limits->words)
		return false;
	_Static_assert(offsetof(struct tsr_arg, x) == offsetof(struct tsr_core, x) &&
		       offsetof(struct tsr_arg, y) == offsetof(struct tsr_core, y), "a core first");
	core = k->last->list;
	for (size_t left = entry->args.count; left; left--, args++, core++)
		if (memcmp(args, core, sizeof(*core)) || args->count > most)
			return false;
	return true;
}

static void check_args(struct tsr_check *c, const struct tsr_entry *entry, int32_t kernel,
		       uint32_t *arg_of, const struct tsr_path *path)
{
	const struct tsr_shape_kernel *k = kernel < 0 ? NULL : &c->shape->kernels[kernel];
	uint64_t appended = kernel < 0 ? 0 : tsr_op_kernel(c->op, (size_t)kernel)->appended_count;

	memset(arg_of, 0, c->shape->places * sizeof(*arg_of));
	for (size_t i = 0; i < entry->args.count; i++)
		check_arg(c, entry, i, appended, k, arg_of, path);
}

/* Which core's words a vector is, for a finding. */
static const struct tsr_arg *arg_of_words(const struct tsr_entry *entry, const uint32_t *words,
					  size_t *ret_index)
{
	const struct tsr_arg *args = entry->args.data;

	for (size_t i = 0; i < entry->args.count; i++)
		if (args[i].words == words && args[i].count) {
			*ret_index = i;
			return &args[i];
		}
	return NULL;
}

/* V12: there are none on the way that matters, so they are looked up from the words. */
static void check_bad_words(struct tsr_check *c, const struct tsr_entry *entry,
			    const struct tsr_path *path)
{
	const struct tsr_bad_word *bad = c->res->bad_words.data;

	for (size_t i = 0; i < c->res->bad_words.count; i++) {
		size_t index = 0;
		const struct tsr_arg *arg = arg_of_words(entry, bad[i].words, &index);
		struct tsr_note note = { .rule = TSR_V12, .at_core = arg != NULL };
		char field[32];

		if (!arg && bad[i].words != entry->common)
			continue;
		snprintf(field, sizeof(field), "word[%zu]", bad[i].index);
		note.field = field;
		note.path = arg ? tsr_path_text(path, "words", index) :
			    tsr_path_text(path, "common words", TSR_NO_INDEX);
		note.value = tsr_text("%lld", (long long)bad[i].value);
		note.allowed = tsr_text("-2147483648..4294967295");
		note.message = tsr_text("the word does not fit into 32 bits");
		note.x = arg ? arg->x : 0;
		note.y = arg ? arg->y : 0;
		tsr_found(c, note);
	}
}

static void check_common(struct tsr_check *c, const struct tsr_entry *entry, int32_t kernel,
			 const struct tsr_path *path)
{
	uint64_t appended = kernel < 0 ? 0 : tsr_op_kernel(c->op, (size_t)kernel)->appended_count;

	if (likely(appended + entry->common_count <= c->limits->words))
		return;
	tsr_found(c, (struct tsr_note){
		.rule = TSR_V13,
		.path = tsr_path_text(path, "common words", TSR_NO_INDEX),
		.field = "words",
		.value = tsr_text("%llu", (unsigned long long)(appended + entry->common_count)),
		.allowed = tsr_text("0..%u", c->limits->words),
		.message = tsr_text("common words are more than a processor has room for"),
	});
}

static void check_prebuilt(struct tsr_check *c, const struct tsr_entry *entry, int32_t kernel,
			   const struct tsr_path *path)
{
	if (kernel >= 0 && tsr_op_kernel(c->op, (size_t)kernel)->source->elf && entry->defs.count)
		tsr_found(c, (struct tsr_note){
			.rule = TSR_JIT1,
			.path = tsr_path_text(path, NULL, TSR_NO_INDEX),
			.field = "definitions",
			.value = tsr_text("%zu", entry->defs.count),
			.allowed = tsr_text("0"),
			.message = tsr_text("a prebuilt image takes no definitions"),
		});
}

/*
 * Words and definitions of an entry; one that is refused as such is still looked through. @arg_of
 * is NULL when nothing is wrong with the words.
 */
static void check_entry(struct tsr_check *c, size_t i, const struct tsr_entry *entry,
			int32_t kernel, uint32_t *arg_of)
{
	const struct tsr_path path = {
		.what = kernel < 0 ? "resources/entry" : "resources/kernel",
		.name = kernel < 0 ? NULL : tsr_op_kernel(c->op, (size_t)kernel)->name,
		.index = i,
	};

	tsr_check_defs(c, entry->defs.data, entry->defs.count, &path);
	check_prebuilt(c, entry, kernel, &path);
	if (arg_of)
		check_args(c, entry, kernel, arg_of, &path);
	check_common(c, entry, kernel, &path);
	if (unlikely(c->res->bad_words.count))
		check_bad_words(c, entry, &path);
}

/* An entry that no kernel can take: its places are marked in a table of its own. */
static void check_stray_entry(struct tsr_check *c, size_t i, const struct tsr_entry *entry,
			      int32_t kernel)
{
	uint32_t *arg_of = calloc(c->shape->places, sizeof(*arg_of));

	if (arg_of)
		check_entry(c, i, entry, kernel, arg_of);
	else if (c->diag)
		c->diag->incomplete = true;
	free(arg_of);
}

static void check_owners(struct tsr_check *c)
{
	const struct tsr_owner *owners = c->res->owners.data;

	for (size_t i = 0; i < c->res->owners.count; i++) {
		const struct tsr_owner *o = &owners[i];

		if (likely(!o->bad))
			continue;
		tsr_found(c, (struct tsr_note){
			.rule = TSR_V23,
			.path = tsr_text("resources/owner %zu", i),
			.field = o->object ? "release" : o->buffer ? "buffer" : "object",
			.value = o->buffer ? tsr_text("a buffer of another device") :
				 tsr_text("NULL"),
			.allowed = o->buffer ? tsr_text("a buffer of device %s", c->op->dev->name) :
				   tsr_text("not NULL"),
			.message = tsr_text("nothing can be kept alive by this entry"),
		});
	}
}

/* The first entry of a kernel: the plan learns of it. */
static void take_entry(struct tsr_check *c, size_t i, const struct tsr_entry *entry,
		       int32_t kernel)
{
	struct tsr_plan_kernel *k = tsr_plan_kernel(c->plan, (size_t)kernel);

	k->entry = (int32_t)i;
	k->as_listed = as_listed(c, entry, kernel);
	check_entry(c, i, entry, kernel,
		    k->as_listed ? NULL : tsr_plan_arg_of(c->plan, (size_t)kernel));
}

void tsr_check_resources(struct tsr_check *c)
{
	for (size_t i = 0; c->res && i < c->res->entry_count; i++) {
		const struct tsr_entry *entry = tsr_res_entry(c->res, i);
		int32_t kernel = resolve(c, i, entry);

		if (unlikely(kernel < 0)) {
			check_stray_entry(c, i, entry, kernel);
		} else if (unlikely(tsr_plan_kernel(c->plan, (size_t)kernel)->entry >= 0)) {
			bad_selector(c, TSR_V5, i, tsr_text("kernel %s", tsr_op_kernel(c->op,
				     (size_t)kernel)->name), tsr_text("each kernel once"),
				     "the kernel has an entry already");
			check_stray_entry(c, i, entry, kernel);
		} else {
			take_entry(c, i, entry, kernel);
		}
	}
	if (c->res)
		check_owners(c);
}

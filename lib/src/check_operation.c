// SPDX-License-Identifier: MIT
/* Checks of what was declared: kernels, descriptors, circular buffers, semaphores. */
#include <errno.h>
#include <stdlib.h>

#include <drm/tessera_grid.h>

#include "check.h"

/* The operation's own cores: some, inside the grid, none of them harvested (V17). */
static void check_cores(struct tsr_check *c)
{
	struct tsr_coreset *working = tsr_device_cores(c->op->dev);
	struct tsr_coreset rest, strays = { .strays = c->op->cores->strays };
	struct tsr_note note = { .rule = TSR_V17, .field = "cores" };

	if (!working) {
		c->findings++;
		return;
	}
	tsr_coreset_minus(c->op->cores, working, &rest);
	if (strays.strays.count)
		note.value = tsr_coreset_text(&strays);
	else if (rest.height)
		note.value = tsr_coreset_text(&rest);
	else if (!c->op->cores->height)
		note.value = tsr_text("{}");
	if (note.value) {
		note.path = tsr_text("operation");
		note.allowed = tsr_coreset_text(working);
		note.message = tsr_text("the operation's range is empty, reversed, or not of "
					"working cores");
		tsr_found(c, note);
	}
	tsr_coreset_free(working);
}

static void check_kernels(struct tsr_check *c)
{
	if (!c->op->kernels.count)
		tsr_found(c, (struct tsr_note){
			.rule = TSR_V4,
			.path = tsr_text("operation"),
			.field = "kernels",
			.value = tsr_text("0"),
			.allowed = tsr_text("at least 1"),
			.message = tsr_text("the operation has no kernel"),
		});
	for (size_t i = 0; i < c->op->kernels.count; i++) {
		const struct tsr_kernel_decl *k = tsr_op_kernel(c->op, i);
		const struct tsr_path path = { "operation/kernel", k->name, 0 };

		tsr_check_defs(c, k->defs.list.data, k->defs.list.count, &path);
		if (k->appended_count > c->limits->words)
			tsr_found(c, (struct tsr_note){
				.rule = TSR_V13,
				.path = tsr_path_text(&path, NULL, TSR_NO_INDEX),
				.field = "appended words",
				.value = tsr_text("%u", k->appended_count),
				.allowed = tsr_text("0..%u", c->limits->words),
				.message = tsr_text("more words than a processor has room for"),
			});
		for (uint32_t a = 0; a < k->appended_count; a++)
			if (k->appended[a] >= TSR_APPENDED_TENSOR &&
			    k->appended[a] - TSR_APPENDED_TENSOR >= c->op->tensors.count)
				tsr_found(c, (struct tsr_note){
					.rule = TSR_V26,
					.path = tsr_path_text(&path, "appended", a),
					.field = "tensor",
					.value = tsr_text("%u", k->appended[a] -
							  TSR_APPENDED_TENSOR),
					.allowed = tsr_text("below %zu", c->op->tensors.count),
					.message = tsr_text("there is no such tensor"),
				});
	}
}

static void check_prebuilt(struct tsr_check *c, const struct tsr_kernel_decl *k, size_t defs,
			   const struct tsr_path *path)
{
	if (k->source->elf && defs)
		tsr_found(c, (struct tsr_note){
			.rule = TSR_JIT1,
			.path = tsr_path_text(path, NULL, TSR_NO_INDEX),
			.field = "definitions",
			.value = tsr_text("%zu", defs),
			.allowed = tsr_text("0"),
			.message = tsr_text("a prebuilt image takes no definitions"),
		});
}

static void overlap(struct tsr_check *c, enum tsr_rule_no rule,
		    const struct tsr_shape_descriptor *a, const struct tsr_shape_descriptor *b,
		    const char *message)
{
	struct tsr_coreset rest, both;
	struct tsr_core first = { 0 };
	char *others;

	tsr_coreset_minus(a->cores, b->cores, &rest);
	tsr_coreset_minus(a->cores, &rest, &both);
	tsr_coreset_first(&both, &first);
	others = tsr_coreset_text(a->cores);
	tsr_found(c, (struct tsr_note){
		.rule = rule,
		.path = tsr_text("operation/kernel %s", tsr_op_kernel(c->op, b->kernel)->name),
		.field = "cores",
		.value = tsr_coreset_text(b->cores),
		.allowed = tsr_text("disjoint from %s of kernel %s", others ? others : "?",
				    tsr_op_kernel(c->op, a->kernel)->name),
		.message = tsr_text("%s", message),
		.at_core = true,
		.x = first.x,
		.y = first.y,
	});
	free(others);
}

/* V20 within a kernel, V24 between kernels of one processor. */
static void check_overlaps(struct tsr_check *c)
{
	const struct tsr_shape_descriptor *d = c->shape->descriptors;

	for (size_t i = 0; i < c->op->descriptors.count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct tsr_kernel_decl *a = tsr_op_kernel(c->op, d[k].kernel);
			const struct tsr_kernel_decl *b = tsr_op_kernel(c->op, d[i].kernel);

			if (a->processor != b->processor ||
			    !tsr_coreset_intersects(d[k].cores, d[i].cores))
				continue;
			if (a == b)
				overlap(c, TSR_V20, &d[k], &d[i],
					"two descriptors of the kernel have a core in common");
			else
				overlap(c, TSR_V24, &d[k], &d[i],
					"two kernels want one processor of a core");
		}
}

static void check_descriptors(struct tsr_check *c)
{
	for (size_t i = 0; i < c->op->descriptors.count; i++) {
		const struct tsr_descriptor_decl *d = tsr_op_descriptor(c->op, i);
		const struct tsr_kernel_decl *k = tsr_op_kernel(c->op, d->kernel);
		struct tsr_path path = { NULL, NULL, TSR_NO_INDEX };
		char what[128];

		snprintf(what, sizeof(what), "operation/kernel %s/descriptor %zu", k->name, i);
		path.what = what;
		tsr_check_defs(c, d->defs.list.data, d->defs.list.count, &path);
		check_prebuilt(c, k, k->defs.list.count + d->defs.list.count, &path);
		/* NULL is the operation's own range, which was judged as such. */
		if (d->cores)
			tsr_check_set(c, d->cores, TSR_V21, &path);
	}
	check_overlaps(c);
}

static void bad_cb(struct tsr_check *c, size_t i, const char *field, uint64_t value, char *allowed,
		   const char *message)
{
	tsr_found(c, (struct tsr_note){
		.rule = TSR_V25,
		.path = tsr_text("operation/circular buffer %u", tsr_op_cb(c->op, i)->id),
		.field = field,
		.value = tsr_text("%llu", (unsigned long long)value),
		.allowed = allowed,
		.message = tsr_text("%s", message),
	});
}

static void check_cb(struct tsr_check *c, size_t i)
{
	const struct tsr_cb_decl *cb = tsr_op_cb(c->op, i);
	const struct tsr_path path = { "operation/circular buffer", NULL, cb->id };

	if (cb->id >= c->limits->circular_buffers)
		bad_cb(c, i, "id", cb->id, tsr_text("below %u", c->limits->circular_buffers),
		       "there is no such circular buffer");
	if (!cb->page_size || cb->page_size % 16)
		bad_cb(c, i, "page_size", cb->page_size, tsr_text("a multiple of 16"),
		       "pages of that size cannot be");
	if (!cb->page_count)
		bad_cb(c, i, "page_count", 0, tsr_text("at least 1"), "it has no page");
	if (cb->format >= TSR_FORMATS)
		bad_cb(c, i, "format", cb->format, tsr_text("below %u", TSR_FORMATS),
		       "there is no such format");
	if (cb->cores)
		tsr_check_set(c, cb->cores, TSR_V17, &path);
	for (size_t k = 0; k < i; k++) {
		const struct tsr_cb_decl *other = tsr_op_cb(c->op, k);

		if (other->id == cb->id &&
		    tsr_coreset_intersects(tsr_op_set(c->op, other->cores),
					   tsr_op_set(c->op, cb->cores)))
			bad_cb(c, i, "id", cb->id, tsr_text("once a core"),
			       "two circular buffers of one id have a core in common");
	}
}

/* What of a core's L1 is taken, and what the circular buffers on it would need (V22). */
static void check_l1(struct tsr_check *c, uint16_t x, uint16_t y)
{
	uint64_t end = (uint64_t)TSR_L1_BASE + c->limits->l1_size, needed = 0, top = 0;
	uint32_t n = 0;

	for (size_t i = 0; i < c->op->cbs.count; i++) {
		const struct tsr_shape_cb *cb = &c->shape->cbs[i];
		uint64_t size = (uint64_t)cb->decl->page_size * cb->decl->page_count;

		if (!tsr_coreset_contains(tsr_op_set(c->op, cb->decl->cores), x, y))
			continue;
		n++;
		needed += size;
		if (cb->address + size > top)
			top = cb->address + size;
	}
	if (top <= end)
		return;
	tsr_found(c, (struct tsr_note){
		.rule = TSR_V22,
		.path = tsr_text("operation/circular buffers"),
		.field = "L1 bytes",
		.value = tsr_text("%llu", (unsigned long long)(top - TSR_L1_BASE)),
		.allowed = tsr_text("%u", c->limits->l1_size),
		.message = tsr_text("L1 of the core is too small: words 0x%x..0x%x, images 3 x %u "
				    "bytes up to 0x%x, %u circular buffers of %llu bytes up to "
				    "0x%llx; it ends at 0x%llx; semaphores take none",
				    c->limits->arg_base, c->limits->image_base[0],
				    c->limits->image_slot, c->limits->cb_base, n,
				    (unsigned long long)needed, (unsigned long long)top,
				    (unsigned long long)end),
		.at_core = true,
		.x = x,
		.y = y,
	});
}

static void check_cbs(struct tsr_check *c)
{
	for (size_t i = 0; i < c->op->cbs.count; i++)
		check_cb(c, i);
	for (uint32_t y = 0; c->op->cbs.count && y < c->limits->grid_height; y++)
		for (uint32_t x = 0; x < c->limits->grid_width; x++)
			check_l1(c, (uint16_t)x, (uint16_t)y);
}

static void check_declared_semaphores(struct tsr_check *c)
{
	for (size_t i = 0; i < c->op->semaphores.count; i++) {
		const struct tsr_semaphore_decl *s = tsr_op_semaphore(c->op, i);
		const struct tsr_path path = { "operation/semaphore", NULL, s->id };

		if (s->cores)
			tsr_check_set(c, s->cores, TSR_V17, &path);
		if (s->id >= c->limits->semaphores)
			tsr_found(c, (struct tsr_note){
				.rule = TSR_V15,
				.path = tsr_path_text(&path, NULL, TSR_NO_INDEX),
				.field = "id",
				.value = tsr_text("%u", s->id),
				.allowed = tsr_text("below %u", c->limits->semaphores),
				.message = tsr_text("the device has %u semaphores a core, the "
						    "operation declares %zu",
						    c->limits->semaphores,
						    c->op->semaphores.count),
			});
	}
}

static void check_counts(struct tsr_check *c)
{
	const struct {
		const char *field;
		size_t value;
		uint32_t limit;
	} counts[] = {
		{ "descriptors", c->op->descriptors.count, c->limits->descriptors },
		{ "tensors", c->op->tensors.count, c->limits->bindings },
	};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (counts[i].value > counts[i].limit)
			tsr_found(c, (struct tsr_note){
				.rule = TSR_V27,
				.path = tsr_text("operation"),
				.field = counts[i].field,
				.value = tsr_text("%zu", counts[i].value),
				.allowed = tsr_text("0..%u", counts[i].limit),
				.message = tsr_text("the device allows fewer %s in one program",
						    counts[i].field),
			});
}

void tsr_check_operation(struct tsr_check *c)
{
	check_cores(c);
	check_kernels(c);
	check_descriptors(c);
	check_cbs(c);
	check_declared_semaphores(c);
	check_counts(c);
}

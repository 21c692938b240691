// SPDX-License-Identifier: MIT
/*
 * libFuzzer target for the canonicaliser (FP-1, FP-2). Bytes become an operation and its resources,
 * right or wrong, which are declared twice: the second time everything whose order means nothing
 * comes in another order, and sets are put together from single cores. Both have the same canonical
 * bytes, the same digest and the same blobs, or both are refused; which of two equal things is the
 * one too many may differ, and so may the findings. What is accepted passes the verifier of program
 * blobs. No kernel is compiled: images are made up.
 *
 *   make fuzz T=canonical SECONDS=600
 */
#include "common_rig.h"

#include "blob.h"
#include "image.h"
#include "prepare.h"
#include "program_blob.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define KERNELS		4
#define WORDS		4
#define MOST		8
#define IMAGE_BYTES	32

/** struct input - the bytes that are left; after the last one all are zero */
struct input {
	const uint8_t *at, *end;
};

/** struct set - cores, or NULL when there are no rectangles */
struct set {
	uint32_t count;
	struct tsr_rect rects[3];
};

struct defs {
	uint32_t count;
	struct tsr_definition list[3];
	char text[3][8];
};

struct descriptor {
	struct set cores;
	struct defs defs;
};

struct kernel {
	char name[8];
	bool movement, canonical, elf;
	uint32_t processor;
	struct defs defs;
	uint32_t descriptor_count;
	struct descriptor descriptors[3];
	uint32_t appended_count, appended[3];
};

struct semaphore {
	uint32_t id;
	int64_t initial;
	struct set cores;
};

struct words {
	uint32_t count;
	int64_t list[WORDS];
};

struct arg {
	uint16_t x, y;
	struct words words;
};

struct entry {
	uint32_t kernel;
	uint32_t arg_count;
	struct arg args[MOST];
	struct words common;
	struct defs defs;
};

/** struct model - an operation and its resources */
struct model {
	char name[8];
	struct set cores;
	bool factory;
	uint32_t kernel_count, cb_count, own_count, semaphore_count, entry_count, tensor_count;
	struct kernel kernels[KERNELS];
	struct tsr_circular_buffer cbs[4];
	struct set cb_cores[4];
	struct semaphore own[4], semaphores[4];
	struct entry entries[KERNELS];
	uint32_t access[2], min_size[2];
};

/** struct made - one declaration of the model, and what came of it */
struct made {
	const struct model *m;
	bool permuted;
	struct tsr_kernel *handles[KERNELS];
	struct tsr_prepare p;
	struct tsr_digest digest;
	struct tsr_counts counts;
	void *blob;
	size_t blob_size;
	int err;
};

static struct rig *rig;
static struct tsr_image *images[TSR_PROCESSORS];

static void fail(const char *what)
{
	fprintf(stderr, "canonical: %s\n", what);
	abort();
}

#define must(call) must_be_0(call, #call)

static void must_be_0(int err, const char *call)
{
	if (!err)
		return;
	fprintf(stderr, "canonical: %d from %s\n", err, call);
	abort();
}

/* --- Bytes to model --------------------------------------------------------------------------- */

static uint8_t take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static uint32_t take32(struct input *in)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 8 | take(in);
	return value;
}

/* Rectangles inside the grid, as long as the first byte's highest bit is clear. */
static void take_set(struct input *in, struct set *set, uint32_t count)
{
	set->count = count % (ARRAY_SIZE(set->rects) + 1);
	for (uint32_t i = 0; i < set->count; i++) {
		uint8_t from = take(in), more = take(in);
		struct tsr_rect *r = &set->rects[i];

		r->x0 = from & 3;
		r->y0 = from >> 2 & 3;
		r->x1 = r->x0 + (more & 3);
		r->y1 = r->y0 + (more >> 2 & 3);
		if (from & 0x80)
			continue;
		r->x1 = r->x1 > 3 ? 3 : r->x1;
		r->y1 = r->y1 > 3 ? 3 : r->y1;
	}
}

/* Names of one letter or two, mostly right; values of any bytes. */
static void take_defs(struct input *in, struct defs *defs, uint32_t count)
{
	defs->count = count % (ARRAY_SIZE(defs->list) + 1);
	for (uint32_t i = 0; i < defs->count; i++) {
		struct tsr_definition *d = &defs->list[i];
		uint8_t first = take(in), second = take(in);
		char *name = defs->text[i], *value = name + 3;

		name[0] = first & 0x80 ? (char)second : 'A' + (first & 3);
		name[1] = first & 4 ? 'A' + (second & 3) : 0;
		d->value_size = first >> 3 & 3;
		for (uint32_t k = 0; k < d->value_size; k++)
			value[k] = (char)take(in);
		d->name = name;
		d->value = value;
	}
}

static void take_kernel(struct input *in, struct model *m, uint32_t i)
{
	struct kernel *k = &m->kernels[i];
	uint8_t bits = take(in), more = take(in);

	k->name[0] = 'a' + (bits >> 6);
	k->name[1] = '0' + i;
	k->movement = bits & 1;
	k->processor = !k->movement ? TSR_PROCESSOR_COMPUTE :
		       bits & 2 ? TSR_PROCESSOR_DM1 : TSR_PROCESSOR_DM0;
	k->elf = bits & 4;
	k->canonical = bits & 8;
	/* A second one would be refused: which one that is depends on the order. */
	for (uint32_t other = 0; other < i; other++)
		if (m->kernels[other].movement == k->movement && m->kernels[other].canonical)
			k->canonical = false;
	k->appended_count = more & 3;
	for (uint32_t a = 0; a < k->appended_count; a++) {
		uint32_t what = take(in) & 3;

		k->appended[a] = what < 2 ? TSR_APPENDED_RANK + what :
				 TSR_APPENDED_TENSOR + what - 2;
	}
	take_defs(in, &k->defs, more >> 2);
	k->descriptor_count = (more >> 4) % (ARRAY_SIZE(k->descriptors) + 1);
	for (uint32_t d = 0; d < k->descriptor_count; d++) {
		uint8_t counts = take(in);

		take_set(in, &k->descriptors[d].cores, 1 + (counts & 1));
		take_defs(in, &k->descriptors[d].defs, counts >> 1);
	}
}

static void take_cb(struct input *in, struct tsr_circular_buffer *cb, struct set *cores)
{
	uint8_t bits = take(in), size = take(in);

	cb->id = bits & 7;
	cb->format = bits >> 3 & 7;
	cb->page_size = (size & 0x80) ? size : 16 + 16 * size;
	cb->page_count = take(in);
	take_set(in, cores, bits >> 6);
}

static void take_semaphore(struct input *in, struct semaphore *s, uint32_t id)
{
	uint8_t bits = take(in);

	s->id = id + (bits & 7);
	s->initial = bits & 8 ? (int64_t)take32(in) - (bits & 16 ? 1 : 0) : bits >> 4;
	take_set(in, &s->cores, bits >> 6);
}

static void take_words(struct input *in, struct words *words, uint32_t count)
{
	words->count = count % (WORDS + 1);
	for (uint32_t i = 0; i < words->count; i++)
		words->list[i] = (int8_t)take(in) * INT64_C(16843009);
}

static void take_entry(struct input *in, struct entry *e)
{
	uint8_t bits = take(in), counts = take(in);

	e->kernel = bits & 3;
	e->arg_count = bits >> 2 & 7;
	for (uint32_t i = 0; i < e->arg_count; i++) {
		uint8_t where = take(in);

		e->args[i].x = where & 3;
		e->args[i].y = where >> 2 & 3;
		take_words(in, &e->args[i].words, where >> 4);
	}
	take_words(in, &e->common, counts & 15);
	take_defs(in, &e->defs, counts >> 4);
}

static void take_model(struct input *in, struct model *m)
{
	uint8_t counts = take(in), more = take(in), last = take(in);

	m->name[0] = 'a' + (last & 15);
	m->factory = !(last & 16);
	m->kernel_count = counts & 3;
	m->cb_count = counts >> 2 & 3;
	m->own_count = counts >> 4 & 3;
	m->tensor_count = counts >> 6;
	if (m->tensor_count > ARRAY_SIZE(m->access))
		m->tensor_count = ARRAY_SIZE(m->access);
	m->semaphore_count = more & 3;
	m->entry_count = more >> 2 & 3;
	take_set(in, &m->cores, more >> 4);
	for (uint32_t i = 0; i < m->kernel_count; i++)
		take_kernel(in, m, i);
	for (uint32_t i = 0; i < m->cb_count; i++)
		take_cb(in, &m->cbs[i], &m->cb_cores[i]);
	/* Numbers are not drawn: hardly any would be dense (RR-3). One may be wrong. */
	for (uint32_t i = 0; i < m->own_count; i++) {
		take_semaphore(in, &m->own[i], 0);
		m->own[i].id = last & 32 ? m->own[i].id : i;
	}
	for (uint32_t i = 0; i < m->semaphore_count; i++)
		take_semaphore(in, &m->semaphores[i], m->own_count);
	for (uint32_t i = 0; i < m->entry_count; i++)
		take_entry(in, &m->entries[i]);
	for (uint32_t i = 0; i < m->tensor_count; i++) {
		uint8_t bits = take(in);

		m->access[i] = 1 + bits % 3;
		m->min_size[i] = 1 + (bits >> 2) * 16;
	}
}

/* --- Model to operation ----------------------------------------------------------------------- */

/* Which of @n comes at the i-th place. */
static uint32_t nth(const struct made *made, uint32_t i, uint32_t n)
{
	return made->permuted ? n - 1 - i : i;
}

static struct tsr_coreset *set_of(const struct made *made, const struct set *set)
{
	struct tsr_coreset *cores = set->count ? tsr_coreset_new() : NULL;

	for (uint32_t i = 0; i < set->count; i++) {
		struct tsr_rect r = set->rects[nth(made, i, set->count)];

		if (!made->permuted) {
			must(tsr_coreset_add_rect(cores, r));
			continue;
		}
		for (uint16_t x = r.x1 + 1; x-- > r.x0;)
			for (uint16_t y = r.y0; y <= r.y1; y++)
				must(tsr_coreset_add(cores, x, y));
	}
	return cores;
}

static void order_defs(const struct made *made, const struct defs *defs,
		       struct tsr_definition *ret_list)
{
	for (uint32_t i = 0; i < defs->count; i++)
		ret_list[i] = defs->list[nth(made, i, defs->count)];
}

static void declare_kernel(struct made *made, struct tsr_operation *op, uint32_t i)
{
	const struct kernel *k = &made->m->kernels[i];
	struct tsr_definition list[3];
	struct tsr_kernel_info info = {
		.name = k->name,
		.kind = k->movement ? TSR_KERNEL_DATA_MOVEMENT : TSR_KERNEL_COMPUTE,
		.processor = k->processor,
		.handle = k->canonical ? NULL : made->handles[i],
		.definitions = list,
		.definition_count = k->defs.count,
		.appended = k->appended,
		.appended_count = k->appended_count,
	};

	order_defs(made, &k->defs, list);
	if (k->elf)
		info.elf = rig_elf(rig, k->processor, IMAGE_BYTES / 4, &info.elf_size);
	else
		info.source_text = "void kernel_main(void) { }";
	must(tsr_operation_add_kernel(op, &info));
	free((void *)info.elf);
	for (uint32_t d = 0; d < k->descriptor_count; d++) {
		const struct descriptor *from =
			&k->descriptors[nth(made, d, k->descriptor_count)];
		struct tsr_coreset *cores = set_of(made, &from->cores);

		order_defs(made, &from->defs, list);
		must(tsr_operation_add_descriptor(op, k->name, cores, list, from->defs.count));
		tsr_coreset_free(cores);
	}
}

static void declare_rest(struct made *made, struct tsr_operation *op)
{
	const struct model *m = made->m;

	for (uint32_t i = 0; i < m->cb_count; i++) {
		uint32_t n = nth(made, i, m->cb_count);
		struct tsr_circular_buffer cb = m->cbs[n];
		struct tsr_coreset *cores = set_of(made, &m->cb_cores[n]);

		cb.cores = cores;
		must(tsr_operation_add_circular_buffer(op, &cb));
		tsr_coreset_free(cores);
	}
	for (uint32_t i = 0; i < m->own_count; i++) {
		const struct semaphore *s = &m->own[nth(made, i, m->own_count)];
		struct tsr_coreset *cores = set_of(made, &s->cores);

		must(tsr_operation_add_semaphore(op, s->id, (uint32_t)s->initial, cores));
		tsr_coreset_free(cores);
	}
	for (uint32_t i = 0; i < m->tensor_count; i++)
		must(tsr_operation_add_tensor(op, m->access[i], m->min_size[i]));
}

static struct tsr_operation *declare(struct made *made)
{
	const struct model *m = made->m;
	struct set all = { 1, { { 0, 0, 2, 2 } } };
	struct tsr_coreset *cores = set_of(made, m->cores.count ? &m->cores : &all);
	struct tsr_operation *op;

	must(tsr_operation_new(rig->dev, m->name, cores, &op));
	tsr_coreset_free(cores);
	for (uint32_t i = 0; i < KERNELS; i++)
		made->handles[i] = tsr_kernel_new();
	for (uint32_t i = 0; i < m->kernel_count; i++)
		declare_kernel(made, op, nth(made, i, m->kernel_count));
	declare_rest(made, op);
	return op;
}

static struct tsr_selector selector(const struct made *made, uint32_t kernel)
{
	const struct kernel *k = &made->m->kernels[kernel];

	if (!k->canonical)
		return (struct tsr_selector){ TSR_SELECT_HANDLE, made->handles[kernel] };
	return k->movement ? RIG_MOVER : RIG_COMPUTE;
}

static void fill_entry(struct made *made, struct tsr_resources *res, const struct entry *from)
{
	struct tsr_definition list[3];
	struct tsr_entry *e;

	must(tsr_resources_add_entry(res, selector(made, from->kernel), &e));
	if (made->permuted)
		must(tsr_entry_set_common(e, from->common.list, from->common.count));
	for (uint32_t i = 0; i < from->arg_count; i++) {
		const struct arg *arg = &from->args[nth(made, i, from->arg_count)];

		must(tsr_entry_add_words(e, arg->x, arg->y, arg->words.list, arg->words.count));
	}
	order_defs(made, &from->defs, list);
	for (uint32_t i = 0; i < from->defs.count; i++)
		must(tsr_entry_add_definition(e, &list[i]));
	if (!made->permuted)
		must(tsr_entry_set_common(e, from->common.list, from->common.count));
}

static int fill(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct made *made = ctx;
	const struct model *m = made->m;

	for (uint32_t i = 0; i < m->entry_count; i++)
		fill_entry(made, res, &m->entries[nth(made, i, m->entry_count)]);
	for (uint32_t i = 0; i < m->semaphore_count; i++) {
		const struct semaphore *from = &m->semaphores[nth(made, i, m->semaphore_count)];
		struct tsr_coreset *cores = set_of(made, &from->cores);
		struct tsr_semaphore s = { .id = from->id, .initial = from->initial,
					   .cores = cores };

		must(tsr_resources_add_semaphore(res, &s));
		tsr_coreset_free(cores);
	}
	return 0;
}

/* --- What comes of it ------------------------------------------------------------------------- */

static void encode(struct made *made)
{
	const struct tsr_plan *plan = &made->p.call->plan;
	struct tsr_image *of[KERNELS * 4];

	for (size_t i = 0; i < plan->shape->op->descriptors.count; i++) {
		uint32_t kernel = plan->shape->descriptors[i].kernel;

		of[i] = images[tsr_op_kernel(plan->shape->op, kernel)->processor];
	}
	made->digest = tsr_hash(plan->bytes.bytes.data, plan->bytes.bytes.count);
	must(tsr_program_blob(plan, of, &made->digest, &made->blob, &made->blob_size,
			      &made->counts));
	must(tsr_dispatch_encode(made->p.call, rig->tensors, made->m->tensor_count));
}

static void make(struct made *made, const struct model *m, bool permuted)
{
	*made = (struct made){ .m = m, .permuted = permuted };
	made->p = (struct tsr_prepare){
		.op = declare(made),
		.dev = rig->dev,
		.tensors = rig->tensors,
		.tensor_count = m->tensor_count,
		.factory = m->factory ? fill : NULL,
		.factory_ctx = made,
	};
	made->err = tsr_prepare(&made->p);
	if (!made->err)
		encode(made);
	else if (made->err != -EINVAL)
		must(made->err);
	else if (!tsr_diag_count(made->p.diag))
		fail("refused without a finding");
}

static void unmake(struct made *made)
{
	struct tsr_operation *op = made->p.op;

	tsr_diag_free(made->p.diag);
	tsr_prepare_fini(&made->p);
	tsr_operation_unref(op);
	for (uint32_t i = 0; i < KERNELS; i++)
		tsr_kernel_unref(made->handles[i]);
	free(made->blob);
}

static bool same(const void *a, size_t a_size, const void *b, size_t b_size)
{
	return a_size == b_size && !memcmp(a, b, a_size);
}

static bool same_vec(const struct tsr_vec *a, const struct tsr_vec *b)
{
	return same(a->data, a->count, b->data, b->count);
}

static void verify(const struct made *made)
{
	const struct tessera_limits *limits = &rig->dev->limits;
	const struct tsr_vec *dispatch = &made->p.call->dispatch;
	struct tsr_blob_error error;
	struct tsr_dispatch checked;
	struct tsr_blob prog;

	/* The library looks at these limits when it has the blob (V27). */
	if (made->counts.ranges > limits->ranges || made->counts.images > limits->images ||
	    made->counts.size > limits->program_size)
		return;
	if (tsr_blob_verify(made->blob, made->blob_size, limits, &prog, &error))
		fail(error.what);
	must(tsr_dispatch_check(dispatch->data, dispatch->count, &prog, &checked));
}

static void compare(const struct made *a, const struct made *b)
{
	if (a->err != b->err)
		fail("refused in one order, accepted in another");
	if (a->err)
		return;
	if (!same_vec(&a->p.call->plan.bytes.bytes, &b->p.call->plan.bytes.bytes))
		fail("other canonical bytes in another order");
	if (memcmp(&a->digest, &b->digest, sizeof(a->digest)))
		fail("another digest of the same bytes");
	if (!same_vec(&a->p.call->dispatch, &b->p.call->dispatch))
		fail("another dispatch blob in another order");
	if (!same(a->blob, a->blob_size, b->blob, b->blob_size))
		fail("another program blob in another order");
	verify(a);
}

static void begin(void)
{
	rig = rig_new();
	for (uint32_t i = 0; i < TSR_PROCESSORS; i++) {
		images[i] = calloc(1, sizeof(**images) + IMAGE_BYTES);
		images[i]->processor = i;
		images[i]->entry = rig->dev->limits.image_base[i];
		images[i]->data_size = images[i]->mem_size = images[i]->text_size = IMAGE_BYTES;
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(rig->tensors); i++)
		must(tsr_buffer_new_offline(rig->dev, 8192, 11 + i, &rig->tensors[i].buffer));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input in = { bytes, bytes + size };
	struct made once, twice;
	struct model m = { 0 };

	if (!rig)
		begin();
	take_model(&in, &m);
	make(&once, &m, false);
	make(&twice, &m, true);
	compare(&once, &twice);
	unmake(&once);
	unmake(&twice);
	return 0;
}

// SPDX-License-Identifier: MIT
/*
 * The canonical bytes of an operation, as far as they follow from its declaration (FP-1, FP-2).
 * The schema is in Documentation/library.rst; a change of it is a new TSR_SCHEMA.
 */
#include <errno.h>

#include "shape.h"

static void write_semaphore(struct tsr_writer *w, const struct tsr_operation *op,
			    const struct tsr_semaphore_decl *s)
{
	tsr_write32(w, s->id);
	tsr_write32(w, s->initial);
	tsr_write32(w, TESSERA_CORE_TYPE_WORKER);
	tsr_write_cores(w, tsr_op_set(op, s->cores));
}

static void write_cb(struct tsr_writer *w, const struct tsr_operation *op,
		     const struct tsr_cb_decl *cb)
{
	tsr_write32(w, cb->id);
	tsr_write32(w, cb->page_size);
	tsr_write32(w, cb->page_count);
	tsr_write32(w, cb->format);
	tsr_write_cores(w, tsr_op_set(op, cb->cores));
}

static void write_prefix(struct tsr_shape *shape)
{
	const struct tsr_operation *op = shape->op;
	struct tsr_writer *w = &shape->bytes;

	tsr_write32(w, TSR_SCHEMA);
	tsr_write_string(w, op->name);
	shape->cores_start = w->bytes.count;
	tsr_write_cores(w, op->cores);
	shape->cores_end = w->bytes.count;
	tsr_write32(w, (uint32_t)op->tensors.count);
	for (size_t i = 0; i < op->tensors.count; i++) {
		tsr_write32(w, tsr_op_tensor(op, i)->access);
		tsr_write64(w, tsr_op_tensor(op, i)->min_size);
	}
	tsr_write32(w, (uint32_t)op->cbs.count);
	for (size_t i = 0; i < op->cbs.count; i++)
		write_cb(w, op, shape->cbs[i].decl);
	tsr_write32(w, (uint32_t)op->semaphores.count);
	for (size_t i = 0; i < op->semaphores.count; i++)
		write_semaphore(w, op, shape->semaphores[i]);
	tsr_write32(w, (uint32_t)op->descriptors.count);
	shape->prefix = w->bytes.count;
}

/* What the image is made from and linked for, but for definitions (FP-3). */
static struct tsr_digest source_identity(struct tsr_shape *shape, const struct tsr_kernel_decl *k)
{
	const struct tsr_device *dev = shape->op->dev;
	struct tsr_writer w = { 0 };
	struct tsr_digest digest = { 0 };

	if (k->source->saved)
		return k->source->digest;
	tsr_write32(&w, TSR_SCHEMA);
	tsr_write32(&w, k->source->elf);
	if (!k->source->elf)
		tsr_write_raw(&w, dev->toolchain.identity, sizeof(dev->toolchain.identity));
	tsr_write_string(&w, dev->isa);
	tsr_write32(&w, k->processor);
	tsr_write32(&w, dev->limits.image_base[k->processor]);
	tsr_write32(&w, dev->limits.image_slot);
	tsr_write_raw(&w, k->source->digest.bytes, sizeof(k->source->digest.bytes));
	if (w.err)
		shape->bytes.err = w.err;
	else
		digest = tsr_hash(w.bytes.data, w.bytes.count);
	tsr_vec_free(&w.bytes);
	return digest;
}

static void write_descriptor(struct tsr_shape *shape, struct tsr_shape_descriptor *d)
{
	const struct tsr_kernel_decl *k = tsr_op_kernel(shape->op, d->kernel);
	struct tsr_digest identity = source_identity(shape, k);
	struct tsr_writer *w = &shape->bytes;

	d->start = w->bytes.count;
	tsr_write32(w, k->kind);
	tsr_write32(w, k->processor);
	tsr_write_string(w, k->name);
	tsr_write_cores(w, d->cores);
	tsr_write32(w, k->appended_count);
	for (uint32_t i = 0; i < k->appended_count; i++)
		tsr_write32(w, k->appended[i]);
	d->identity = w->bytes.count;
	tsr_write_raw(w, identity.bytes, sizeof(identity.bytes));
	d->defs_start = w->bytes.count;
	tsr_write32(w, d->def_count);
	for (uint32_t i = 0; i < d->def_count; i++) {
		tsr_write_bytes(w, d->defs[i]->name, d->defs[i]->name_size);
		tsr_write_bytes(w, d->defs[i]->value, d->defs[i]->value_size);
	}
	d->end = w->bytes.count;
	shape->known &= tsr_source_known(k->source, &shape->op->dev->toolchain);
}

int tsr_shape_serialise(struct tsr_shape *shape)
{
	bool compiles = false;
	int err = 0;

	for (size_t i = 0; i < shape->op->kernels.count; i++)
		compiles |= tsr_source_compiles(tsr_op_kernel(shape->op, i)->source);
	if (compiles)
		err = tsr_toolchain_find(&shape->op->dev->toolchain);
	if (err)
		return err;
	shape->known = true;
	write_prefix(shape);
	for (size_t i = 0; i < shape->op->descriptors.count; i++)
		write_descriptor(shape, &shape->descriptors[i]);
	return shape->bytes.err;
}

// SPDX-License-Identifier: MIT
/* Encoding a runner file; Documentation/runner.rst describes it. */
#include "check.h"
#include "saved.h"

static void write_limits(struct tsr_writer *w, const struct tessera_limits *limits)
{
	tsr_write32(w, (uint32_t)tsr_saved_limit_count);
	for (size_t i = 0; i < tsr_saved_limit_count; i++) {
		const void *field = (const uint8_t *)limits + tsr_saved_limits[i].offset;
		uint32_t value = 0;
		uint16_t half;

		if (tsr_saved_limits[i].bytes == sizeof(half)) {
			memcpy(&half, field, sizeof(half));
			value = half;
		} else {
			memcpy(&value, field, sizeof(value));
		}
		tsr_write32(w, value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(limits->harvested); i++)
		tsr_write64(w, limits->harvested[i]);
}

static void write_def(struct tsr_writer *w, const struct tsr_def *def)
{
	tsr_write_bytes(w, def->name, def->name_size);
	tsr_write_bytes(w, def->value, def->value_size);
}

static void write_descriptor(struct tsr_writer *w, const struct tsr_prepare *p, size_t i)
{
	const struct tsr_plan *plan = &p->call->plan;
	const struct tsr_shape_descriptor *d = &p->shape->descriptors[i];
	const struct tsr_kernel_decl *k = tsr_op_kernel(p->op, d->kernel);
	int32_t index = tsr_plan_kernel(plan, d->kernel)->entry;
	const struct tsr_entry *entry = index < 0 ? NULL : tsr_res_entry(p->res, (size_t)index);
	const struct tsr_def *supplied = entry ? entry->defs.data : NULL;
	size_t n = entry ? entry->defs.count : 0;

	tsr_write32(w, (k->handle ? TSR_SAVED_EXPLICIT : 0) |
		       (tsr_source_known(k->source, &p->dev->toolchain) ? 0 : TSR_SAVED_UNKNOWN) |
		       (k->source->elf ? TSR_SAVED_PREBUILT : 0));
	tsr_write_raw(w, (const uint8_t *)plan->bytes.bytes.data +
			 tsr_plan_descriptor(plan, i)->key_start, sizeof(struct tsr_digest));
	tsr_write32(w, k->appended_count);
	for (uint32_t a = 0; a < k->appended_count; a++)
		tsr_write32(w, k->appended[a]);
	tsr_write32(w, d->def_count);
	for (uint32_t a = 0; a < d->def_count; a++)
		write_def(w, d->defs[a]);
	tsr_write32(w, (uint32_t)n);
	for (size_t a = 0; a < n; a++)
		write_def(w, &supplied[a]);
}

void tsr_saved_write(struct tsr_writer *w, const struct tsr_prepare *p, const void *blob,
		     size_t blob_size)
{
	const struct tsr_plan *plan = &p->call->plan;
	struct tsr_digest digest = tsr_hash(plan->bytes.bytes.data, plan->bytes.bytes.count);

	tsr_write_raw(w, TSR_SAVED_MAGIC, 8);
	tsr_write32(w, TSR_SAVED_FORMAT);
	tsr_write32(w, TSR_SCHEMA);
	tsr_write64(w, 0);
	tsr_write_raw(w, digest.bytes, sizeof(digest.bytes));
	tsr_write64(w, 0);
	tsr_write64(w, 0);
	tsr_write32(w, p->factory ? TSR_SAVED_FACTORY : 0);
	tsr_write32(w, 0);
	tsr_write_string(w, p->dev->isa);
	write_limits(w, &p->dev->limits);
	tsr_write32(w, (uint32_t)p->op->semaphores.count);
	tsr_write32(w, (uint32_t)p->op->descriptors.count);
	for (size_t i = 0; i < p->op->descriptors.count; i++)
		write_descriptor(w, p, i);
	tsr_write_bytes(w, blob, blob_size);
	if (!w->err)
		tsr_saved_seal(w->bytes.data, w->bytes.count);
}

void tsr_saved_seal(void *file, size_t size)
{
	uint8_t *p = file;
	struct tsr_digest sum = tsr_hash(p + TSR_SAVED_HEADER - 8, size - TSR_SAVED_HEADER + 8);

	tsr_store64(p + 16, size);
	memcpy(p + 40, sum.bytes, sizeof(sum.bytes));
}

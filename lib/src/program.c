// SPDX-License-Identifier: MIT
/* Programs: found by their canonical bytes, or built: images, blob, creation. */
#include <errno.h>
#include <stdlib.h>

#include "blob.h"
#include "program.h"
#include "program_blob.h"
#include "saved.h"

static void program_ref(void *value)
{
	tsr_ref_get(&((struct tsr_program *)value)->ref);
}

void tsr_program_unref(struct tsr_program *program)
{
	struct drm_tessera_program_destroy destroy;

	if (!program || !tsr_ref_put(&program->ref))
		return;
	destroy = (struct drm_tessera_program_destroy){ .handle = program->handle };
	if (!tsr_device_check(program->dev))
		tsr_ioctl(program->dev, DRM_IOCTL_TESSERA_PROGRAM_DESTROY, &destroy);
	free(program->blob);
	free(program);
}

static void program_unref(void *value)
{
	tsr_program_unref(value);
}

const struct tsr_memo_ops tsr_program_memo = { program_ref, program_unref, 1 };

struct build {
	struct tsr_device *dev;
	const struct tsr_plan *plan;
	struct tsr_digest digest;
	struct tsr_diag *diag;
	struct tsr_image **images;	/* by descriptor */
	bool lasting;			/* what failed would fail every time (PC-5) */
};

static void fill_job(const struct build *b, size_t i, struct tsr_image_job *job)
{
	const struct tsr_shape_descriptor *d = &b->plan->shape->descriptors[i];
	const struct tsr_plan_descriptor *p =
		(const struct tsr_plan_descriptor *)b->plan->descriptors.data + i;
	const struct tsr_kernel_decl *kernel = tsr_op_kernel(b->plan->shape->op, d->kernel);
	const uint8_t *bytes = b->plan->bytes.bytes.data;

	job->dev = b->dev;
	job->operation = b->plan->shape->op->name;
	job->kernel = kernel;
	job->key.bytes = bytes + p->key_start;
	job->key.size = p->key_end - p->key_start;
	job->key.digest = tsr_hash(job->key.bytes, job->key.size);
	job->key.known = tsr_source_known(kernel->source, &b->dev->toolchain);
	job->descriptor = (uint32_t)i;
}

static bool same_key(const struct tsr_key *a, const struct tsr_key *b)
{
	return a->known && b->known && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* One job for each distinct image; @job_of says which one a descriptor waits for. */
static size_t fill_jobs(const struct build *b, struct tsr_image_job *jobs, uint32_t *job_of)
{
	size_t n = 0;

	for (size_t i = 0; i < b->plan->shape->op->descriptors.count; i++) {
		size_t k = 0;

		fill_job(b, i, &jobs[n]);
		while (k < n && !same_key(&jobs[k].key, &jobs[n].key))
			k++;
		job_of[i] = (uint32_t)k;
		if (k == n)
			n++;
		else
			memset(&jobs[n], 0, sizeof(jobs[n]));
	}
	return n;
}

/* The worst error counts: one that may pass is not hidden by one that lasts. */
static int collect(struct build *b, struct tsr_image_job *jobs, size_t n)
{
	int err = 0;

	b->lasting = true;
	for (size_t i = 0; i < n; i++) {
		if (!jobs[i].err)
			continue;
		if (!err || b->lasting)
			err = jobs[i].err;
		b->lasting &= jobs[i].lasting;
		if (b->diag)
			tsr_diag_append(b->diag, jobs[i].diag);
		tsr_diag_free(jobs[i].diag);
	}
	return err;
}

static int get_images(struct build *b)
{
	size_t n = b->plan->shape->op->descriptors.count, count;
	struct tsr_image_job *jobs = calloc(n + 1, sizeof(*jobs));
	uint32_t *job_of = calloc(n + 1, sizeof(*job_of));
	int err = -ENOMEM;

	b->images = calloc(n + 1, sizeof(*b->images));
	if (jobs && job_of && b->images) {
		count = fill_jobs(b, jobs, job_of);
		tsr_image_get_all(jobs, count);
		err = collect(b, jobs, count);
		for (size_t i = 0; i < n; i++) {
			b->images[i] = jobs[job_of[i]].image;
			if (b->images[i])
				tsr_ref_get(&b->images[i]->ref);
		}
		for (size_t i = 0; i < count; i++)
			tsr_image_unref(jobs[i].image);
	}
	free(jobs);
	free(job_of);
	return err;
}

static void put_images(struct build *b)
{
	for (size_t i = 0; b->images && i < b->plan->shape->op->descriptors.count; i++)
		tsr_image_unref(b->images[i]);
	free(b->images);
}

/* V27: sections as they turned out. */
static int check_counts(struct build *b, const struct tsr_counts *counts)
{
	const struct tessera_limits *limits = &b->dev->limits;
	const struct {
		const char *field;
		size_t value;
		uint32_t limit;
	} list[] = {
		{ "ranges", counts->ranges, limits->ranges },
		{ "images", counts->images, limits->images },
		{ "program bytes", counts->size, limits->program_size },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		if (list[i].value <= list[i].limit)
			continue;
		err = -E2BIG;
		tsr_diag_note(b->diag, (struct tsr_note){
			.rule = TSR_V27,
			.path = tsr_text("operation"),
			.field = list[i].field,
			.value = tsr_text("%zu", list[i].value),
			.allowed = tsr_text("0..%u", list[i].limit),
			.message = tsr_text("the device allows fewer %s in one program",
					    list[i].field),
		});
	}
	return err;
}

/* What the driver refused as malformed: its verifier is in this library too, and says what. */
static void explain(struct build *b, const void *blob, size_t size)
{
	struct tsr_blob_error error = { 0 };
	struct tsr_blob verified;

	if (!tsr_blob_verify(blob, size, &b->dev->limits, &verified, &error))
		return;
	tsr_diag_note(b->diag, (struct tsr_note){
		.rule = TSR_RR13,
		.path = tsr_text("program/section %u/record %u", error.section, error.index),
		.message = tsr_text("%s", error.what),
	});
}

static int create_on_device(struct build *b, struct tsr_program *program, void *blob, size_t size)
{
	struct drm_tessera_program_create create = {
		.blob = (uintptr_t)blob,
		.size = (uint32_t)size,
	};
	int err = tsr_ioctl(b->dev, DRM_IOCTL_TESSERA_PROGRAM_CREATE, &create);

	if (err)
		explain(b, blob, size);
	free(blob);
	program->handle = create.handle;
	return err;
}

/* Without a device the verifier has the last word. */
static int create_offline(struct build *b, struct tsr_program *program, void *blob, size_t size)
{
	struct tsr_blob verified;
	int err = tsr_blob_verify(blob, size, &b->dev->limits, &verified, NULL);

	if (err) {
		explain(b, blob, size);
		free(blob);
		return err;
	}
	program->blob = blob;
	program->blob_size = size;
	return 0;
}

static int create(struct build *b, struct tsr_program **ret_program, size_t *ret_bytes)
{
	struct tsr_program *program;
	struct tsr_counts counts;
	size_t size;
	void *blob;
	int err = tsr_program_blob(b->plan, b->images, &b->digest, &blob, &size, &counts);

	if (err)
		return err;
	err = check_counts(b, &counts);
	program = err ? NULL : calloc(1, sizeof(*program));
	if (!program) {
		free(blob);
		return err ? err : -ENOMEM;
	}
	tsr_ref_init(&program->ref);
	program->dev = b->dev;
	program->digest = b->digest;
	err = b->dev->fd < 0 ? create_offline(b, program, blob, size) :
	      create_on_device(b, program, blob, size);
	if (err) {
		free(program);
		return err;
	}
	*ret_program = program;
	*ret_bytes = sizeof(*program) + size;
	return 0;
}

int tsr_program_encode(struct tsr_device *dev, const struct tsr_plan *plan, void **ret_blob,
		       size_t *ret_size, struct tsr_diag *diag)
{
	struct build b = {
		.dev = dev,
		.plan = plan,
		.digest = tsr_hash(plan->bytes.bytes.data, plan->bytes.bytes.count),
		.diag = diag,
	};
	struct tsr_counts counts;
	int err = get_images(&b);

	if (!err)
		err = tsr_program_blob(plan, b.images, &b.digest, ret_blob, ret_size, &counts);
	if (!err) {
		err = check_counts(&b, &counts);
		if (err) {
			free(*ret_blob);
			*ret_blob = NULL;
		}
	}
	put_images(&b);
	return err;
}

static void build(void *ctx, struct tsr_built *ret)
{
	struct build *b = ctx;
	struct tsr_program *program = NULL;
	uint32_t stage = TSR_STAGE_COMPILE;

	b->diag = tsr_diag_new();
	ret->err = get_images(b);
	if (!ret->err) {
		stage = TSR_STAGE_PROGRAM;
		ret->err = create(b, &program, &ret->bytes);
		/* Of a program, not of the state of a device, a process or a disk. */
		b->lasting = ret->err == -E2BIG || ret->err == -EINVAL;
	}
	put_images(b);
	if (!ret->err) {
		tsr_count(&b->dev->tally.programs);
		tsr_diag_free(b->diag);
		ret->value = program;
		return;
	}
	ret->lasting = b->lasting;
	ret->diag = b->diag;
	if (b->diag) {
		b->diag->stage = stage;
		b->diag->cause = ret->err;
		tsr_diag_sort(b->diag);
	}
}

/*
 * Programs of a runner are found among those of the same file only: what the file says of its
 * images' sources need not be true (RN-3).
 */
static int get_apart(struct tsr_device *dev, const struct tsr_saved *saved, bool refuse,
		     struct tsr_key *key, struct build *b, void **ret_value,
		     struct tsr_diag **reterr_diag)
{
	struct tsr_writer w = { 0 };
	int err;

	tsr_write_raw(&w, key->bytes, key->size);
	tsr_write_raw(&w, saved->digest.bytes, sizeof(saved->digest.bytes));
	err = w.err;
	if (!err) {
		key->bytes = w.bytes.data;
		key->size = w.bytes.count;
		key->digest = tsr_hash(key->bytes, key->size);
		err = tsr_memo_get(dev->programs, key, refuse, build, b, ret_value, reterr_diag);
	}
	tsr_vec_free(&w.bytes);
	return err;
}

int tsr_program_get(struct tsr_device *dev, const struct tsr_plan *plan, bool refuse,
		    struct tsr_program **ret_program, struct tsr_diag **reterr_diag)
{
	struct tsr_key key = {
		.bytes = plan->bytes.bytes.data,
		.size = plan->bytes.bytes.count,
		.known = plan->shape->known,
	};
	const struct tsr_operation *op = plan->shape->op;
	const struct tsr_saved *saved = op->kernels.count ? tsr_op_kernel(op, 0)->source->saved :
							    NULL;
	struct build b = { .dev = dev, .plan = plan };
	void *value;
	int err;

	key.digest = tsr_hash(key.bytes, key.size);
	b.digest = key.digest;
	if (unlikely(saved))
		err = get_apart(dev, saved, refuse, &key, &b, &value, reterr_diag);
	else
		err = tsr_memo_get(dev->programs, &key, refuse, build, &b, &value, reterr_diag);
	if (err)
		return err;
	*ret_program = value;
	return 0;
}

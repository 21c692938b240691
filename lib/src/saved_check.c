// SPDX-License-Identifier: MIT
/*
 * A saved operation declared anew. To check a file is to do with it all that a submit does but for
 * the device: validator, planner and encoder are the same (RN-2), so they have the last word on
 * what a file may say, and what they make of it must be what the file says.
 */
#include <errno.h>
#include <stdlib.h>

#include "buffer_int.h"
#include "check.h"
#include "saved.h"

/* The source of a kernel: the images of the file, found by identity and definitions. */
static struct tsr_source *make_source(struct tsr_saved *saved, size_t i)
{
	const struct tsr_saved_descriptor *d = &saved->descriptors[i];
	struct tsr_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->name = strdup(saved->info.descriptors[i].kernel);
	source->flags = calloc(1, sizeof(*source->flags));
	if (!source->name || !source->flags)
		return tsr_source_free(source);
	source->saved = tsr_saved_ref(saved);
	source->elf = d->flags & TSR_SAVED_PREBUILT;
	source->known = !(d->flags & TSR_SAVED_UNKNOWN);
	memcpy(source->digest.bytes, d->identity, sizeof(source->digest.bytes));
	return source;
}

static int add_kernel(struct tsr_saved *saved, struct tsr_operation *op, size_t i)
{
	const struct tsr_runner_descriptor *d = &saved->info.descriptors[i];
	struct tsr_kernel_info info = {
		.name = d->kernel,
		.kind = d->kind,
		.processor = d->processor,
		.appended = d->appended,
		.appended_count = d->appended_count,
	};
	struct tsr_source *source = make_source(saved, i);
	int err;

	if (!source)
		return -ENOMEM;
	if (d->explicit_kernel) {
		info.handle = tsr_kernel_new();
		if (!info.handle) {
			tsr_source_free(source);
			return -ENOMEM;
		}
	}
	err = tsr_operation_add_source(op, &info, source);
	tsr_kernel_unref(info.handle);
	return err;
}

/* Whether descriptor @i belongs to the kernel of the one before. */
static bool same_kernel(const struct tsr_runner_info *info, size_t i)
{
	return i && info->descriptors[i].kind == info->descriptors[i - 1].kind &&
	       !strcmp(info->descriptors[i].kernel, info->descriptors[i - 1].kernel);
}

static int declare(struct tsr_saved *saved, struct tsr_operation *op)
{
	const struct tsr_runner_info *info = &saved->info;
	int err = 0;

	for (size_t i = 0; !err && i < info->tensor_count; i++)
		err = tsr_operation_add_tensor(op, info->tensors[i].access,
					       info->tensors[i].min_size);
	for (size_t i = 0; !err && i < info->circular_buffer_count; i++)
		err = tsr_operation_add_circular_buffer(op, &info->circular_buffers[i]);
	for (size_t i = 0; !err && i < saved->semaphores; i++)
		err = tsr_operation_add_semaphore(op, info->semaphores[i].id,
						  info->semaphores[i].initial,
						  info->semaphores[i].cores);
	for (size_t i = 0; !err && i < info->descriptor_count; i++) {
		const struct tsr_runner_descriptor *d = &info->descriptors[i];

		if (!same_kernel(info, i))
			err = add_kernel(saved, op, i);
		if (!err)
			err = tsr_operation_add_descriptor(op, d->kernel, d->cores, d->definitions,
							   d->definition_count);
	}
	return err;
}

int tsr_saved_operation(struct tsr_saved *saved, struct tsr_device *dev,
			struct tsr_operation **ret_op)
{
	struct tsr_operation *op;
	int err = tsr_operation_new(dev, saved->info.name, saved->info.cores, &op);

	if (err)
		return err;
	err = declare(saved, op);
	if (err) {
		tsr_operation_unref(op);
		return err;
	}
	*ret_op = op;
	return 0;
}

/* ---- As it was planned -------------------------------------------------------------------- */

static int replay_words(const struct tsr_runner_descriptor *d, const int64_t *zeroes,
			struct tsr_entry *entry)
{
	int err = 0;

	for (size_t i = 0; !err && i < d->words_count; i++) {
		const struct tsr_runner_words *w = &d->words[i];

		if (w->count > d->appended_count)
			err = tsr_entry_add_words(entry, w->x, w->y, zeroes,
						  w->count - d->appended_count);
	}
	return err;
}

static struct tsr_selector selector_of(const struct tsr_operation *op,
				       const struct tsr_runner_descriptor *d)
{
	for (size_t i = 0; d->explicit_kernel && i < op->kernels.count; i++)
		if (!strcmp(tsr_op_kernel(op, i)->name, d->kernel))
			return (struct tsr_selector){ TSR_SELECT_HANDLE,
						      tsr_op_kernel(op, i)->handle };
	return (struct tsr_selector){ d->kind == TSR_KERNEL_COMPUTE ? TSR_SELECT_COMPUTE :
								      TSR_SELECT_DATA_MOVEMENT,
				      NULL };
}

static int replay_entry(const struct tsr_operation *op, const struct tsr_runner_descriptor *d,
			const int64_t *zeroes, struct tsr_resources *res,
			struct tsr_entry **ret_entry)
{
	int err = tsr_resources_add_entry(res, selector_of(op, d), ret_entry);

	if (!err && d->common_words)
		err = tsr_entry_set_common(*ret_entry, zeroes, d->common_words);
	for (size_t i = 0; !err && i < d->supplied_count; i++)
		err = tsr_entry_add_definition(*ret_entry, &d->supplied[i]);
	return err;
}

/* The factory that gives what the saved one gave, but for the words' values and owners. */
static int replay(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	const struct tsr_saved *saved = ctx;
	const struct tsr_runner_info *info = &saved->info;
	int64_t *zeroes = calloc(saved->limits.words + 1, sizeof(*zeroes));
	struct tsr_entry *entry = NULL;
	int err = zeroes ? 0 : -ENOMEM;

	for (size_t i = saved->semaphores; !err && i < info->semaphore_count; i++) {
		const struct tsr_runner_semaphore *s = &info->semaphores[i];

		err = tsr_resources_add_semaphore(res, &(struct tsr_semaphore){
			.id = s->id, .core_type = s->core_type, .initial = s->initial,
			.cores = s->cores });
	}
	for (size_t i = 0; !err && i < info->descriptor_count; i++) {
		const struct tsr_runner_descriptor *d = &info->descriptors[i];

		if (!same_kernel(info, i))
			err = replay_entry(input->op, d, zeroes, res, &entry);
		if (!err)
			err = replay_words(d, zeroes, entry);
	}
	free(zeroes);
	return err;
}

/* ---- Checking ----------------------------------------------------------------------------- */

/** struct trial - a file gone through without a device */
struct trial {
	struct tsr_saved *saved;
	struct tsr_device *dev;
	struct tsr_operation *op;
	struct tsr_buffer *buffers;	/* only to be looked at */
	struct tsr_tensor *tensors;
	struct tsr_prepare p;
	struct tsr_diag *diag;
};

static int begin(struct trial *t, const struct tessera_limits *limits)
{
	const struct tsr_runner_info *info = &t->saved->info;
	int err = tsr_device_new_offline(limits ? limits : &t->saved->limits, &t->dev);

	if (err)
		return err;
	strcpy(t->dev->isa, info->isa);
	err = tsr_saved_operation(t->saved, t->dev, &t->op);
	if (err && err != -ENOMEM)
		return tsr_saved_refuse(t->diag, "operation", "", NULL, NULL,
					"what it declares cannot be declared");
	t->buffers = calloc(info->tensor_count + 1, sizeof(*t->buffers));
	t->tensors = calloc(info->tensor_count + 1, sizeof(*t->tensors));
	if (err || !t->buffers || !t->tensors)
		return -ENOMEM;
	for (size_t i = 0; i < info->tensor_count; i++) {
		t->buffers[i].dev = t->dev;
		t->buffers[i].size = info->tensors[i].min_size;
		t->tensors[i].buffer = &t->buffers[i];
	}
	t->p = (struct tsr_prepare){
		.op = t->op,
		.dev = t->dev,
		.tensors = t->tensors,
		.tensor_count = info->tensor_count,
		.factory = info->needs_factory ? replay : NULL,
		.factory_ctx = t->saved,
	};
	return 0;
}

/* By what the images of the file are found from now on. */
static int keep_keys(struct trial *t)
{
	const struct tsr_plan *plan = &t->p.call->plan;
	const uint8_t *bytes = plan->bytes.bytes.data;

	for (size_t i = 0; i < t->saved->info.descriptor_count; i++) {
		const struct tsr_plan_descriptor *d = tsr_plan_descriptor(plan, i);
		struct tsr_vec *key = &t->saved->descriptors[i].key;
		void *to = tsr_vec_add(key, 1, d->key_end - d->key_start);

		if (!to)
			return -ENOMEM;
		memcpy(to, bytes + d->key_start, d->key_end - d->key_start);
	}
	return 0;
}

static int compare(struct trial *t)
{
	const struct tsr_plan *plan = &t->p.call->plan;
	struct tsr_digest digest = tsr_hash(plan->bytes.bytes.data, plan->bytes.bytes.count);
	size_t size;
	void *blob;
	int err;

	if (memcmp(digest.bytes, t->saved->info.fingerprint, sizeof(digest.bytes)))
		return tsr_saved_refuse(t->diag, "file", "fingerprint", NULL, NULL,
					"it is not the fingerprint of what the file declares");
	err = keep_keys(t);
	if (!err)
		err = tsr_program_encode(t->dev, plan, &blob, &size, t->diag);
	if (err)
		return err == -ENOMEM ? err : -EINVAL;
	if (size != t->saved->blob_size || memcmp(blob, t->saved->blob, size))
		err = tsr_saved_refuse(t->diag, "program", "", NULL, NULL,
				       "it is not the program of what the file declares");
	free(blob);
	return err;
}

int tsr_saved_check(struct tsr_saved *saved, const struct tessera_limits *limits,
		    struct tsr_diag *diag)
{
	struct trial t = { .saved = saved, .diag = diag };
	int err = begin(&t, limits);

	if (!err) {
		err = tsr_prepare(&t.p);
		if (err && err != -ENOMEM)
			err = -EINVAL;
		tsr_diag_append(diag, t.p.diag);
		if (!err && !limits)
			err = compare(&t);
		tsr_prepare_fini(&t.p);
		tsr_diag_free(t.p.diag);
	}
	free(t.buffers);
	free(t.tensors);
	tsr_operation_unref(t.op);
	tsr_device_unref(t.dev);
	return err;
}

/* ---- Images ------------------------------------------------------------------------------- */

static bool has_key(const struct tsr_saved_descriptor *d, const struct tsr_key *key)
{
	return d->key.count == key->size && !memcmp(d->key.data, key->bytes, key->size);
}

static void no_image(struct tsr_image_job *job, const struct tsr_saved_descriptor *d)
{
	const struct tsr_key saved = { .bytes = d->key.data, .size = d->key.count };

	job->err = -EINVAL;
	job->diag = tsr_diag_new();
	tsr_diag_note(job->diag, (struct tsr_note){
		.rule = TSR_RN1,
		.path = tsr_text("operation/kernel %s", job->kernel->name),
		.field = "definitions",
		.value = tsr_key_definitions_text(&job->key),
		.allowed = tsr_key_definitions_text(&saved),
		.message = tsr_text("the runner has no image with these definitions"),
	});
}

void tsr_saved_image(struct tsr_image_job *job)
{
	const struct tsr_saved *saved = job->kernel->source->saved;
	const struct tsr_saved_descriptor *d = saved->descriptors;
	size_t n = saved->info.descriptor_count, i = job->descriptor;

	/* Its own image first: without identity, equal keys do not mean equal images. */
	if (!has_key(&d[i], &job->key))
		for (i = 0; i < n && !has_key(&d[i], &job->key); i++)
			;
	if (i == n) {
		no_image(job, &d[job->descriptor]);
		return;
	}
	tsr_ref_get(&d[i].image->ref);
	job->image = d[i].image;
}

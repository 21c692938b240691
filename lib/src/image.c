// SPDX-License-Identifier: MIT
/* Images, found by their identity or built; several at the same time. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image.h"
#include "image_store.h"
#include "nest.h"
#include "progress.h"
#include "saved.h"

static void image_ref(void *value)
{
	tsr_ref_get(&((struct tsr_image *)value)->ref);
}

void tsr_image_unref(struct tsr_image *image)
{
	if (image && tsr_ref_put(&image->ref))
		free(image);
}

static void image_unref(void *value)
{
	tsr_image_unref(value);
}

const struct tsr_memo_ops tsr_image_memo = { image_ref, image_unref, 2 };

static uint32_t get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

uint32_t tsr_key_definitions(const struct tsr_key *key, const uint8_t **ret_p)
{
	const uint8_t *p = (const uint8_t *)key->bytes + sizeof(struct tsr_digest);

	*ret_p = p + 4;
	return get32(p);
}

const uint8_t *tsr_key_definition(const uint8_t *p, struct tsr_definition_view *ret)
{
	ret->name_size = get32(p);
	ret->name = (const char *)p + 4;
	p += 4 + ret->name_size;
	ret->value_size = get32(p);
	ret->value = (const char *)p + 4;
	return p + 4 + ret->value_size;
}

char *tsr_key_definitions_text(const struct tsr_key *key)
{
	const uint8_t *p;
	uint32_t n = tsr_key_definitions(key, &p);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; out && i < n; i++) {
		struct tsr_definition_view d;

		p = tsr_key_definition(p, &d);
		fprintf(out, "%s%.*s=%.*s", i ? " " : "", (int)d.name_size, d.name,
			(int)d.value_size, d.value);
	}
	if (out && fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/*
 * A file that was included may have become another one since the source was declared: -ESTALE with
 * a finding. Else 0, -ENOMEM.
 */
static int check_unchanged(const struct tsr_image_job *job, struct tsr_diag *diag)
{
	const struct tsr_source *source = job->kernel->source;
	struct tsr_digest now;
	int err = tsr_source_digest(source, &now);

	if (err == -ENOMEM || (!err && !memcmp(&now, &source->digest, sizeof(now))))
		return err;
	tsr_diag_note(diag, (struct tsr_note){
		.rule = TSR_JIT2,
		.path = tsr_text("operation/kernel %s", job->kernel->name),
		.message = tsr_text("a file that it includes has changed since it was declared"),
	});
	return -ESTALE;
}

/* The bytes are here: what they are will not change. */
static bool elf_lasts(int err)
{
	return err == -ENOEXEC || err == -E2BIG;
}

static int build_from_source(struct tsr_image_job *job, struct tsr_image **ret_image,
			     struct tsr_diag *diag)
{
	char *elf;
	size_t size;
	int err;

	*ret_image = tsr_image_stored(job);
	if (*ret_image) {
		job->event = TSR_PROGRESS_STORED;
		return 0;
	}
	tsr_progress(job, TSR_PROGRESS_COMPILING, 0);
	err = tsr_compile(job, &elf, &size, diag);
	if (err)
		return err;
	err = tsr_image_from_elf(job, elf, size, ret_image, diag);
	free(elf);
	if (err) {
		job->lasting = elf_lasts(err);
		return err;
	}
	err = check_unchanged(job, diag);
	if (err)
		tsr_image_unref(*ret_image);
	else
		tsr_image_store(job, *ret_image);
	return err;
}

static void build(void *ctx, struct tsr_built *ret)
{
	struct tsr_image_job *job = ctx;
	const struct tsr_source *source = job->kernel->source;
	struct tsr_diag *diag = tsr_diag_new();
	struct tsr_image *image = NULL;

	job->event = TSR_PROGRESS_BUILT;
	if (source->elf) {
		ret->err = tsr_image_from_elf(job, source->data, source->size, &image, diag);
		job->lasting = elf_lasts(ret->err);
	} else {
		ret->err = build_from_source(job, &image, diag);
	}
	ret->lasting = job->lasting;
	if (ret->err) {
		tsr_count(&job->dev->tally.compile_failures);
		ret->diag = diag;
		return;
	}
	tsr_diag_free(diag);
	ret->value = image;
	ret->bytes = sizeof(*image) + image->data_size;
}

void tsr_image_get(struct tsr_image_job *job)
{
	void *value = NULL;

	job->event = TSR_PROGRESS_FOUND;
	if (job->kernel->source->saved) {
		tsr_saved_image(job);
		if (job->err)
			job->event = TSR_PROGRESS_FAILED;
		return;
	}
	job->err = tsr_memo_get(job->dev->images, &job->key, false, build, job, &value,
				&job->diag);
	job->image = value;
	if (job->err)
		job->event = TSR_PROGRESS_FAILED;
}

/* Workers take the next job until there is none. */
struct shared {
	struct tsr_image_job *jobs;
	size_t count;
	atomic_size_t next, done;
	const struct tsr_nest *nest;	/* of the caller, for whom all of them work */
};

static void *work(void *arg)
{
	struct shared *s = arg;
	size_t i;

	tsr_nest_set(s->nest);
	while ((i = atomic_fetch_add(&s->next, 1)) < s->count) {
		struct tsr_image_job *job = &s->jobs[i];

		job->total = (uint32_t)s->count;
		job->begun_ns = tsr_progress_now(job->dev);
		tsr_image_get(job);
		tsr_progress(job, job->event, (uint32_t)atomic_fetch_add(&s->done, 1) + 1);
	}
	return NULL;
}

/* The caller works too, so that it goes on when no thread can be had. */
void tsr_image_get_all(struct tsr_image_job *jobs, size_t count)
{
	struct shared s = { .jobs = jobs, .count = count, .nest = tsr_nest_current() };
	pthread_t threads[7];
	size_t n = 0, most = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	sigset_t all, old;

	if (most > count)
		most = count;
	/* Signals of the process are none of the workers' business. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (n < ARRAY_SIZE(threads) && n + 1 < most &&
	       !pthread_create(&threads[n], NULL, work, &s))
		n++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	work(&s);
	while (n)
		pthread_join(threads[--n], NULL);
}

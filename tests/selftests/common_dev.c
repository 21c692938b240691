// SPDX-License-Identifier: MIT
/* The device, jobs and runs. Images are in common_image.c. */
#include "common_dev.h"

#include <linux/sync_file.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int dev_open(struct dev *d, const char *name)
{
	int err;

	memset(d, 0, sizeof(*d));
	d->fd = uapi_open(name);
	if (d->fd < 0)
		return d->fd;
	err = uapi_info(d->fd, &d->info);
	if (!err)
		err = uapi_context(d->fd, 0, &d->ctx);
	if (err) {
		close(d->fd);
		d->fd = -1;
	}
	return err;
}

void dev_close(struct dev *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

static bool same_gauges(const struct drm_tessera_counters *a, const struct drm_tessera_counters *b)
{
	return a->contexts == b->contexts && a->buffers == b->buffers &&
	       a->programs == b->programs && a->images == b->images && a->runs == b->runs &&
	       a->fences == b->fences && a->queue_depth == b->queue_depth;
}

int dev_settled(int fd, const struct drm_tessera_counters *base, unsigned int ms)
{
	int64_t until = uapi_in_ms(ms);
	struct drm_tessera_counters now;
	int err;

	do {
		err = uapi_counters(fd, &now);
		if (err || same_gauges(&now, base))
			return err;
		uapi_sleep_ms(2);
	} while (uapi_now() < until);
	fprintf(stderr, "# still there: contexts %lld, buffers %lld, programs %lld, images %lld, "
		"runs %lld, fences %lld, queued %lld\n",
		(long long)(now.contexts - base->contexts),
		(long long)(now.buffers - base->buffers),
		(long long)(now.programs - base->programs), (long long)(now.images - base->images),
		(long long)(now.runs - base->runs), (long long)(now.fences - base->fences),
		(long long)(now.queue_depth - base->queue_depth));
	return -ETIME;
}

int dev_buf(struct dev *d, uint64_t size, struct dev_buf *ret)
{
	int err = uapi_bo_map(d->fd, size, &ret->handle, &ret->mem);

	ret->size = size;
	return err;
}

void dev_buf_free(struct dev *d, struct dev_buf *buf)
{
	munmap(buf->mem, (buf->size + 4095) & ~4095ull);
	uapi_bo_close(d->fd, buf->handle);
	memset(buf, 0, sizeof(*buf));
}

/* ---- Jobs ----------------------------------------------------------------------------------- */

static void too_many(const char *what)
{
	fprintf(stderr, "# common_dev: a job has too many %s\n", what);
	abort();
}

#define TAKE(job, n, max, what) \
	({ if ((job)->n >= (max)) too_many(what); (job)->n++; })

static uint32_t add_range(struct dev_job *job, struct tessera_range range)
{
	uint32_t i = TAKE(job, n_ranges, JOB_RANGES, "ranges");

	job->ranges[i] = range;
	return i;
}

static bool working(const struct tessera_limits *l, uint32_t x, uint32_t y)
{
	uint32_t bit = y * l->grid_width + x;

	return !(l->harvested[bit / 64] >> bit % 64 & 1);
}

/* Working cores as rectangles: the pieces of each row, and all in one when nothing is harvested. */
static void operation(struct dev_job *job)
{
	const struct tessera_limits *l = &job->d->info.limits;

	if (l->cores == (uint32_t)l->grid_width * l->grid_height) {
		add_range(job, (struct tessera_range){ 0, 0, l->grid_width - 1,
						       l->grid_height - 1 });
	} else {
		for (uint16_t y = 0; y < l->grid_height; y++) {
			for (uint16_t x = 0, x0; x < l->grid_width; x++) {
				if (!working(l, x, y))
					continue;
				for (x0 = x; x + 1 < l->grid_width && working(l, x + 1, y);)
					x++;
				add_range(job, (struct tessera_range){ x0, y, x, y });
			}
		}
	}
	job->n_op = job->n_ranges;
}

struct dev_job *dev_job(struct dev *d)
{
	struct dev_job *job = calloc(1, sizeof(*job));

	if (!job)
		abort();
	job->d = d;
	job->cb_end = d->info.limits.cb_base;
	operation(job);
	return job;
}

struct dev_job *dev_job_free(struct dev_job *job)
{
	if (job && job->program)
		uapi_program_destroy(job->d->fd, job->program);
	free(job);
	return NULL;
}

static uint32_t add_image(struct dev_job *job, const struct dev_image *image)
{
	for (uint32_t i = 0; i < job->n_images; i++)
		if (job->images[i] == image)
			return i;
	if (!image)
		too_many("images that did not compile");
	job->images[TAKE(job, n_images, JOB_KERNELS, "images")] = image;
	return job->n_images - 1;
}

static void add_words(struct dev_job *job, const uint32_t *words, uint32_t count)
{
	if (job->n_words + count > JOB_WORDS)
		too_many("words");
	if (count)
		memcpy(job->words + job->n_words, words, count * 4);
	job->n_words += count;
}

void dev_job_kernel(struct dev_job *job, const struct dev_image *image,
		    const struct tessera_range *cores, const uint32_t *common, uint32_t count)
{
	job->kernels[TAKE(job, n_kernels, JOB_KERNELS, "kernels")] = (struct tessera_descriptor){
		.image = add_image(job, image),
		.name = 0,
		.range_first = cores ? add_range(job, *cores) : 0,
		.range_count = cores ? 1 : job->n_op,
		.arg_first = job->n_args,
		.common_words = count,
	};
	add_words(job, common, count);
}

void dev_job_own(struct dev_job *job, uint16_t x, uint16_t y, const uint32_t *words,
		 uint32_t count)
{
	if (!count)
		return;
	job->args[TAKE(job, n_args, JOB_ARGS, "arg records")] =
		(struct tessera_arg){ x, y, count };
	job->kernels[job->n_kernels - 1].arg_count++;
	add_words(job, words, count);
}

void dev_job_script(struct dev_job *job, uint32_t processor, uint16_t x, uint16_t y,
		    const uint32_t *steps, uint32_t count)
{
	const struct tessera_range core = { x, y, x, y };

	dev_job_kernel(job, dev_script(job->d, processor), &core, NULL, 0);
	dev_job_own(job, x, y, steps, count);
}

void dev_job_semaphore(struct dev_job *job, uint32_t id, uint32_t initial)
{
	job->semaphores[TAKE(job, n_semaphores, JOB_RECORDS, "semaphores")] =
		(struct tessera_semaphore){ .id = id, .initial = initial,
					    .range_count = job->n_op };
}

uint32_t dev_job_cb(struct dev_job *job, uint32_t id, uint32_t page_size, uint32_t pages,
		    uint32_t format)
{
	uint32_t address = job->cb_end;

	job->cbs[TAKE(job, n_cbs, JOB_RECORDS, "circular buffers")] = (struct tessera_cb){
		.id = id, .page_size = page_size, .page_count = pages, .address = address,
		.format = format, .range_count = job->n_op,
	};
	job->cb_end += page_size * pages;
	return address;
}

void dev_job_bind(struct dev_job *job, uint32_t access, const struct dev_buf *buf)
{
	uint32_t i = TAKE(job, n_bindings, JOB_RECORDS, "bindings");

	job->bindings[i] = (struct tessera_binding){ .min_size = 1, .access = access };
	job->binds[i] = (struct tessera_bind){
		.size = buf->size, .handle = buf->handle, .access = access,
	};
}

/* ---- The program blob ------------------------------------------------------------------------ */

/** struct blob - being written, section by section */
struct blob {
	uint8_t *bytes;
	size_t size, room;
};

static void put(struct blob *b, const void *from, size_t size)
{
	if (b->size + size > b->room) {
		b->room = 2 * (b->size + size);
		b->bytes = realloc(b->bytes, b->room);
		if (!b->bytes)
			abort();
	}
	if (from)
		memcpy(b->bytes + b->size, from, size);
	else
		memset(b->bytes + b->size, 0, size);
	b->size += size;
}

static void align(struct blob *b)
{
	put(b, NULL, -b->size & 7);
}

static void section(struct blob *b, struct tessera_program_header *h, uint32_t number,
		    const void *from, uint32_t count, size_t record)
{
	align(b);
	h->sections[number].offset = b->size;
	h->sections[number].count = count;
	put(b, from, count * record);
}

static void put_images(struct dev_job *job, struct blob *b, struct tessera_program_header *h)
{
	struct tessera_image records[JOB_KERNELS];
	uint32_t offset = 0;

	for (uint32_t i = 0; i < job->n_images; i++) {
		records[i] = job->images[i]->rec;
		records[i].data_offset = offset;
		offset = (offset + records[i].data_size + 7) & ~7u;
	}
	section(b, h, TESSERA_SECTION_IMAGES, records, job->n_images, sizeof(*records));
}

static void put_data(struct dev_job *job, struct blob *b, struct tessera_program_header *h)
{
	struct tessera_section_entry *data = &h->sections[TESSERA_SECTION_DATA];

	section(b, h, TESSERA_SECTION_DATA, NULL, 0, 1);
	for (uint32_t i = 0; i < job->n_images; i++) {
		align(b);
		put(b, job->images[i]->data, job->images[i]->rec.data_size);
	}
	data->count = b->size - data->offset;
}

static void put_all(struct dev_job *job, struct blob *b)
{
	struct tessera_program_header h = {
		.magic = TESSERA_PROGRAM_MAGIC, .version = TESSERA_BLOB_VERSION,
		.range_count = job->n_op,
	};

	put(b, NULL, sizeof(h));
	section(b, &h, TESSERA_SECTION_RANGES, job->ranges, job->n_ranges, sizeof(*job->ranges));
	put_images(job, b, &h);
	section(b, &h, TESSERA_SECTION_DESCRIPTORS, job->kernels, job->n_kernels,
		sizeof(*job->kernels));
	section(b, &h, TESSERA_SECTION_ARGS, job->args, job->n_args, sizeof(*job->args));
	section(b, &h, TESSERA_SECTION_SEMAPHORES, job->semaphores, job->n_semaphores,
		sizeof(*job->semaphores));
	section(b, &h, TESSERA_SECTION_CBS, job->cbs, job->n_cbs, sizeof(*job->cbs));
	section(b, &h, TESSERA_SECTION_BINDINGS, job->bindings, job->n_bindings,
		sizeof(*job->bindings));
	section(b, &h, TESSERA_SECTION_STRINGS, "job", 4, 1);
	put_data(job, b, &h);
	h.size = b->size;
	memcpy(b->bytes, &h, sizeof(h));
}

int dev_job_program(struct dev_job *job)
{
	struct blob b = { 0 };
	int err;

	if (job->program)
		return 0;
	put_all(job, &b);
	err = uapi_program(job->d->fd, b.bytes, b.size, &job->program);
	if (err)
		fprintf(stderr, "# PROGRAM_CREATE: %s\n", strerror(-err));
	free(b.bytes);
	return err;
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static int submit_run(struct dev_job *job, struct dev_submit *how, void *dispatch, uint32_t size,
		      uint32_t *ret_run)
{
	const struct drm_tessera_sync in = { .handle = how->in }, out = { .handle = how->out };
	struct drm_tessera_run_submit submit;
	struct drm_tessera_run run;
	int err;

	uapi_run_init(&run, job->program);
	uapi_run_set_dispatch(&run, dispatch, size);
	run.flags = how->flags;
	run.user_data = how->user_data;
	run.in_sync_count = !!how->in;
	run.in_syncs = UAPI_PTR(&in);
	run.out_sync_count = !!how->out;
	run.out_syncs = UAPI_PTR(&out);
	uapi_submit_init(&submit, how->ctx ? how->ctx : job->d->ctx, &run, 1);
	submit.flags = how->submit_flags;
	err = uapi_ioctl(job->d->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit);
	if (err)
		return err;
	how->id = run.id;
	*ret_run = run.handle;
	return 0;
}

int dev_submit(struct dev_job *job, struct dev_submit *how, uint32_t *ret_run)
{
	struct dev_submit plain = { 0 };
	uint32_t size;
	void *dispatch;
	int err = dev_job_program(job);

	if (err)
		return err;
	dispatch = uapi_dispatch(job->binds, job->n_bindings, job->words, job->n_words, &size);
	err = submit_run(job, how ? how : &plain, dispatch, size, ret_run);
	free(dispatch);
	return err;
}

int dev_finish(struct dev *d, uint32_t run, struct drm_tessera_status *ret)
{
	int err = uapi_end(d->fd, run, ret);

	uapi_close_run(d->fd, run);
	return err;
}

int dev_execute(struct dev_job *job, struct drm_tessera_status *ret)
{
	uint32_t run;
	int err = dev_submit(job, NULL, &run);

	return err ? err : dev_finish(job->d, run, ret);
}

int dev_steps(struct dev *d, uint32_t processor, uint16_t x, uint16_t y, const uint32_t *steps,
	      uint32_t count, struct drm_tessera_status *ret)
{
	struct dev_job *job = dev_job(d);
	int err;

	dev_job_script(job, processor, x, y, steps, count);
	err = dev_execute(job, ret);
	dev_job_free(job);
	return err;
}

int dev_good_run(struct dev *d)
{
	struct dev_job *job = dev_job(d);
	struct drm_tessera_status status;
	int err;

	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		dev_job_kernel(job, dev_script(d, p), NULL, STEPS(STEP_WORK, 20));
	err = dev_execute(job, &status);
	dev_job_free(job);
	if (err || status.code == DRM_TESSERA_CODE_OK)
		return err;
	dev_status_print(&status);
	return -EIO;
}

int dev_run_stats(struct dev *d, uint32_t run, struct drm_tessera_proc_stats **ret, size_t *ret_n)
{
	struct drm_tessera_run_diag diag = { .handle = run, .what = DRM_TESSERA_DIAG_PROCS };
	uint32_t room = d->info.limits.cores * TSR_PROCS_PER_CORE * sizeof(**ret);
	int err;

	*ret = calloc(1, room);
	diag.size = room;
	diag.data = UAPI_PTR(*ret);
	err = uapi_ioctl(d->fd, DRM_IOCTL_TESSERA_RUN_DIAG, &diag);
	*ret_n = diag.size / sizeof(**ret);
	if (err) {
		free(*ret);
		*ret = NULL;
	}
	return err;
}

void dev_status_print(const struct drm_tessera_status *s)
{
	fprintf(stderr, "# run %llu: phase %u code %u verdict %u; fault cause %u at %u,%u "
		"processor %u pc %#x address %#llx kernel %d; stall class %u, %u of %u cores, "
		"running %u ready %u waiting %u, stuck at %u,%u processor %u pc %#x address %#x "
		"kernel %d\n", (unsigned long long)s->run_id, s->phase, s->code,
		s->verdict_source, s->fault.cause, s->fault.x, s->fault.y, s->fault.processor,
		s->fault.pc, (unsigned long long)s->fault.address, (int)s->fault.kernel,
		s->stall.stall_class, s->stall.cores_completed, s->stall.cores_total,
		s->stall.running, s->stall.ready, s->stall.waiting, s->stall.stuck_x,
		s->stall.stuck_y, s->stall.stuck_processor, s->stall.stuck_pc,
		s->stall.stuck_address, (int)s->stall.stuck_kernel);
}

/* ---- Fences --------------------------------------------------------------------------------- */

int dev_fd_error(int fd, unsigned int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct sync_file_info info = { 0 };
	int err;

	if (poll(&p, 1, (int)ms) != 1)
		return -ETIME;
	err = uapi_ioctl(fd, SYNC_IOC_FILE_INFO, &info);
	return err ? err : info.status;
}

int dev_sync_error(struct dev *d, uint32_t handle, unsigned int ms)
{
	struct drm_syncobj_handle export = {
		.handle = handle, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	int err = uapi_ioctl(d->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);

	if (err)
		return err;
	err = dev_fd_error(export.fd, ms);
	close(export.fd);
	return err;
}

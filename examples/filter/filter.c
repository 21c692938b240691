// SPDX-License-Identifier: MIT
/*
 * Edge detection on a picture. Each core filters a band of rows. What it needs of
 * the bands above and below, the cores there write into its L1 over the NoC, and
 * raise a semaphore; no row is read twice from device memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <common/picture.h>
#include <common/session.h>

#include "convolve.h"
#include "kernels/filter.h"

/** struct filter - the example's state; the factory's context */
struct filter {
	struct session s;
	const char *name, *second;	/* filters of runs A and B */
	bool colour;
	struct picture in;
	uint32_t pitch;			/* bytes of a row in device memory */
	const struct convolution *convolution;	/* of this run */
	bool upside_down;		/* which core gets the first band */
	struct tsr_operation *operation;
	struct tsr_kernel *writer;
};

/** struct band - rows of one core; none when rows is 0 */
struct band {
	struct tsr_core core;
	uint32_t first, rows;
};

/* Band @i from the top; there is one for each core, but a low picture has fewer rows. */
static struct band band(const struct filter *f, size_t i)
{
	size_t cores = f->s.core_count, height = f->in.height;
	size_t bands = height < cores ? height : cores;
	struct band b = { .core = f->s.core[f->upside_down ? cores - 1 - i : i] };

	if (i < bands) {
		b.first = (uint32_t)(height * i / bands);
		b.rows = (uint32_t)(height * (i + 1) / bands) - b.first;
	}
	return b;
}

/* The same, for neighbours: outside of the picture there is a band without rows. */
static struct band neighbour(const struct filter *f, size_t i)
{
	return i < f->s.core_count ? band(f, i) : (struct band){ 0 };
}

/* ---- The operation ------------------------------------------------------------------------ */

static int reader_words(const struct filter *f, struct tsr_entry *entry, uint32_t semaphore)
{
	int err = 0;

	for (size_t i = 0; !err && i < f->s.core_count; i++) {
		struct band me = band(f, i), up = neighbour(f, i - 1), down = neighbour(f, i + 1);
		const int64_t words[READER_WORDS] = {
			[SEMAPHORE] = semaphore, [FIRST_ROW] = me.first, [ROWS] = me.rows,
			[UP_X] = up.core.x, [UP_Y] = up.core.y, [UP_ROWS] = up.rows,
			[DOWN_X] = down.core.x, [DOWN_Y] = down.core.y, [DOWN_ROWS] = down.rows,
		};

		err = tsr_entry_add_words(entry, me.core.x, me.core.y, words, READER_WORDS);
	}
	return err;
}

static int compute_words(const struct filter *f, struct tsr_entry *entry)
{
	int64_t common[COMPUTE_COMMON] = {
		[WIDTH] = f->in.width, [CHANNELS] = f->in.channels,
		[SHIFT] = f->convolution->shift, [BIAS] = f->convolution->bias,
	};
	int err = 0;

	for (size_t i = 0; i < 9; i++)
		common[COEFFICIENTS + i] = f->convolution->coefficients[i];
	for (size_t i = 0; !err && i < f->s.core_count; i++) {
		struct band me = band(f, i);

		err = tsr_entry_add_words(entry, me.core.x, me.core.y, &(int64_t){ me.rows }, 1);
	}
	return err ? err : tsr_entry_set_common(entry, common, COMPUTE_COMMON);
}

static int writer_words(const struct filter *f, struct tsr_entry *entry)
{
	int err = 0;

	for (size_t i = 0; !err && i < f->s.core_count; i++) {
		struct band me = band(f, i);
		const int64_t words[] = { [WRITER_FIRST_ROW] = me.first, [WRITER_ROWS] = me.rows };

		err = tsr_entry_add_words(entry, me.core.x, me.core.y, words, 2);
	}
	return err;
}

/* Called once for each execution, before anything is built. */
static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct filter *f = ctx;
	const struct tsr_semaphore arrived = { .id = input->first_free_semaphore_id };
	const struct tsr_selector selectors[] = {
		{ TSR_SELECT_DATA_MOVEMENT, NULL },
		{ TSR_SELECT_COMPUTE, NULL },
		{ TSR_SELECT_HANDLE, f->writer },
	};
	struct tsr_entry *entry[3];
	int err;

	err = tsr_resources_add_semaphore(res, &arrived);
	for (size_t i = 0; !err && i < 3; i++)
		err = tsr_resources_add_entry(res, selectors[i], &entry[i]);
	if (!err)
		err = reader_words(f, entry[0], arrived.id);
	if (!err)
		err = compute_words(f, entry[1]);
	if (!err)
		err = writer_words(f, entry[2]);
	return err;
}

static int declare_kernels(struct filter *f)
{
	int err;

	f->writer = tsr_kernel_new();
	if (!f->writer)
		return session_error(&f->s, "kernel", -ENOMEM);
	err = session_kernel(&f->s, f->operation, "reader", TSR_PROCESSOR_DM0, NULL);
	if (!err)
		err = session_kernel(&f->s, f->operation, "compute", TSR_PROCESSOR_COMPUTE, NULL);
	if (!err)
		err = session_kernel(&f->s, f->operation, "writer", TSR_PROCESSOR_DM1, f->writer);
	return err;
}

/* The band with its halo, and a few rows on their way out. */
static int declare_memory(struct filter *f)
{
	uint32_t cores = (uint32_t)f->s.core_count;
	struct tsr_circular_buffer rows = {
		.id = CB_BAND, .page_size = f->pitch,
		.page_count = (f->in.height + cores - 1) / cores + 2,
	};
	struct tsr_circular_buffer out = { .id = CB_OUT, .page_size = f->pitch, .page_count = 4 };
	uint64_t bytes = (uint64_t)f->pitch * f->in.height;
	int err;

	err = tsr_operation_add_circular_buffer(f->operation, &rows);
	if (!err)
		err = tsr_operation_add_circular_buffer(f->operation, &out);
	if (!err)
		err = tsr_operation_add_tensor(f->operation, TSR_ACCESS_IN, bytes);
	if (!err)
		err = tsr_operation_add_tensor(f->operation, TSR_ACCESS_OUT, bytes);
	return err;
}

static int declare(struct filter *f)
{
	int err;

	err = tsr_operation_new(f->s.dev, "filter", f->s.cores, &f->operation);
	if (err)
		return session_error(&f->s, "operation", err);
	err = declare_kernels(f);
	if (err)
		return err;
	err = declare_memory(f);
	if (!err)
		err = tsr_operation_set_factory(f->operation, factory, f, NULL);
	return err ? session_error(&f->s, "operation", err) : 0;
}

/* ---- Pictures and the check --------------------------------------------------------------- */

static size_t row_bytes(const struct picture *p)
{
	return (size_t)p->width * p->channels;
}

/* Rows between a picture and device memory, where each begins at a multiple of the pitch. */
static void to_device(const struct filter *f, uint8_t *mem)
{
	for (uint32_t y = 0; y < f->in.height; y++)
		memcpy(mem + (size_t)y * f->pitch, f->in.samples + y * row_bytes(&f->in),
		       row_bytes(&f->in));
}

static void from_device(const struct filter *f, struct picture *p, const uint8_t *mem)
{
	for (uint32_t y = 0; y < p->height; y++)
		memcpy(p->samples + y * row_bytes(p), mem + (size_t)y * f->pitch, row_bytes(p));
}

static int verify(struct filter *f, const struct picture *out)
{
	size_t wrong = 0, count = row_bytes(&f->in) * f->in.height;
	struct picture expected;
	int err;

	err = convolve(&expected, &f->in, f->convolution);
	if (err)
		return session_error(&f->s, "reference", err);
	for (size_t i = 0; i < count; i++)
		wrong += out->samples[i] != expected.samples[i];
	session_verdict(&f->s, wrong == 0, "%s of %u x %u x %u on %zu cores, exact: %zu of %zu "
			"samples wrong", f->convolution->name, f->in.width, f->in.height,
			f->in.channels, f->s.core_count, wrong, count);
	picture_free(&expected);
	return 0;
}

/* One execution with buffers of its own. Return: 0, -errno; @ret is the filtered picture. */
static int execute(struct filter *f, const char *label, const char *filter, bool upside_down,
		   struct picture *ret)
{
	uint64_t bytes = (uint64_t)f->pitch * f->in.height;
	struct tsr_buffer *in = NULL, *out = NULL;
	void *in_mem, *out_mem;
	int err;

	f->convolution = convolution_find(filter);
	f->upside_down = upside_down;
	err = picture_new(ret, f->in.width, f->in.height, f->in.channels);
	if (!err)
		err = session_buffer(&f->s, bytes, &in, &in_mem);
	if (!err)
		err = session_buffer(&f->s, bytes, &out, &out_mem);
	if (!err) {
		const struct tsr_tensor tensors[] = { { .buffer = in }, { .buffer = out } };

		to_device(f, in_mem);
		err = session_execute(&f->s, label, f->operation, tensors, 2);
	}
	if (!err) {
		from_device(f, ret, out_mem);
		err = verify(f, ret);
	}
	tsr_buffer_unref(in);
	tsr_buffer_unref(out);
	return err;
}

static int load(struct filter *f, const char *path)
{
	int err;

	err = path ? picture_read(&f->in, path) : picture_test(&f->in, 320, 240);
	if (err)
		return session_error(&f->s, path ? path : "picture", err);
	if (!f->colour)
		picture_grey(&f->in);
	f->pitch = ((uint32_t)row_bytes(&f->in) + 15) / 16 * 16;
	return 0;
}

static int save(struct filter *f, const struct picture *p, const char *path)
{
	int err = picture_write(p, path);

	if (err)
		return session_error(&f->s, path, err);
	session_say(&f->s, "wrote %s\n", path);
	return 0;
}

static size_t parse(struct filter *f, int argc, char **argv, const char **ret_paths)
{
	const struct option_info options[] = {
		{ "filter", "NAME", "of runs A and A' (edges)", OPTION_TEXT, &f->name },
		{ "second", "NAME", "of run B (sobel-x)", OPTION_TEXT, &f->second },
		{ "colour", NULL, "filter the colours of a picture, not its greys", OPTION_FLAG,
		  &f->colour },
		{ 0 },
	};
	struct command_line cl = {
		.name = "filter",
		.operands = "[IN [OUT]...]",
		.about = "Filter a picture (PNM or PNG; a test picture if there is none) on all "
			 "cores and check\nthe result byte for byte. Each OUT gets the result: "
			 "PNG if it ends in .png, else PNM.",
		.options = options,
		.max_operands = 8,
	};
	size_t n = session_parse(&f->s, &cl, TSR_EXAMPLE_DIR, argc, argv, ret_paths);

	if (!convolution_find(f->name) || !convolution_find(f->second)) {
		fprintf(stderr, "filter: filters are %s\n", convolution_names());
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	struct filter f = { .name = "edges", .second = "sobel-x" };
	struct picture a = { 0 }, b = { 0 }, again = { 0 };
	const char *paths[8];
	size_t n;
	int err;

	n = parse(&f, argc, argv, paths);
	err = load(&f, n ? paths[0] : NULL);
	if (!err)
		err = session_open(&f.s);
	if (!err)
		err = declare(&f);
	if (!err)
		err = execute(&f, "A", f.name, false, &a);
	if (!err)
		err = execute(&f, "B", f.second, true, &b);
	if (!err)
		err = execute(&f, "A'", f.name, false, &again);
	for (size_t i = 1; !err && i < n; i++)
		err = save(&f, &a, paths[i]);
	picture_free(&a);
	picture_free(&b);
	picture_free(&again);
	picture_free(&f.in);
	tsr_kernel_unref(f.writer);
	tsr_operation_unref(f.operation);
	return session_close(&f.s, err);
}

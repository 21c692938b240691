// SPDX-License-Identifier: MIT
/*
 * C = A x B: bf16 inputs, products and sums in fp32. The output tiles are spread
 * over the cores; on each core a reader, a compute kernel and a writer work as a
 * pipeline, joined by circular buffers.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <common/session.h>

#include "kernels/matmul.h"
#include "tiles.h"

/*
 * What a result may be off, relative to the sum of |a * b| it is made of: both
 * sides add the same products in fp32, but not in the same order.
 */
#define TOLERANCE	1e-5

/** struct matmul - the example's state; the factory's context */
struct matmul {
	struct session s;
	uint32_t m, n, k;
	size_t turn;		/* cores by which the work is rotated */
	struct tsr_operation *operation;
	struct tsr_kernel *writer;
};

/** struct matrices - inputs of one execution on the host, and its device buffers */
struct matrices {
	uint16_t *a, *b;	/* row-major bf16 */
	struct tsr_buffer *buffer[3];
	void *mem[3];
};

static size_t tile_count(uint32_t rows, uint32_t columns)
{
	return (size_t)tiles_of(rows) * tiles_of(columns);
}

/* ---- The operation ------------------------------------------------------------------------ */

/* Adds the words of one kernel: each core gets a run of tiles, all as long as can be. */
static int add_words(struct matmul *m, struct tsr_resources *res, struct tsr_selector selector)
{
	const int64_t common[] = { tiles_of(m->k), tiles_of(m->n) };
	size_t tiles = tile_count(m->m, m->n), cores = m->s.core_count;
	struct tsr_entry *entry;
	int err;

	err = tsr_resources_add_entry(res, selector, &entry);
	for (size_t i = 0; !err && i < cores; i++) {
		size_t first = tiles * i / cores, end = tiles * (i + 1) / cores;
		struct tsr_core core = m->s.core[(i + m->turn) % cores];
		const int64_t words[] = { (int64_t)first, (int64_t)(end - first) };

		err = tsr_entry_add_words(entry, core.x, core.y, words, 2);
	}
	return err ? err : tsr_entry_set_common(entry, common, 2);
}

/* Called once for each execution, before anything is built. */
static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct matmul *m = ctx;
	int err;

	(void)input;
	err = add_words(m, res, (struct tsr_selector){ TSR_SELECT_DATA_MOVEMENT, NULL });
	if (!err)
		err = add_words(m, res, (struct tsr_selector){ TSR_SELECT_COMPUTE, NULL });
	if (!err)
		err = add_words(m, res, (struct tsr_selector){ TSR_SELECT_HANDLE, m->writer });
	return err;
}

/* The reader is the operation's data movement kernel, the writer one more with a handle. */
static int declare_kernels(struct matmul *m)
{
	int err;

	m->writer = tsr_kernel_new();
	if (!m->writer)
		return session_error(&m->s, "kernel", -ENOMEM);
	err = session_kernel(&m->s, m->operation, "reader", TSR_PROCESSOR_DM0, NULL);
	if (!err)
		err = session_kernel(&m->s, m->operation, "compute", TSR_PROCESSOR_COMPUTE, NULL);
	if (!err)
		err = session_kernel(&m->s, m->operation, "writer", TSR_PROCESSOR_DM1, m->writer);
	return err;
}

/* Two pages each: one is filled while the other is used. */
static int declare_memory(struct matmul *m)
{
	static const struct tsr_circular_buffer cbs[] = {
		{ .id = CB_A, .page_size = 2048, .page_count = 2, .format = TSR_ELEMENT_BF16 },
		{ .id = CB_B, .page_size = 2048, .page_count = 2, .format = TSR_ELEMENT_BF16 },
		{ .id = CB_C, .page_size = 4096, .page_count = 2, .format = TSR_ELEMENT_FP32 },
	};
	const uint64_t sizes[] = {
		[BIND_A] = tile_count(m->m, m->k) * 2048,
		[BIND_B] = tile_count(m->k, m->n) * 2048,
		[BIND_C] = tile_count(m->m, m->n) * 4096,
	};
	int err = 0;

	for (size_t i = 0; !err && i < 3; i++)
		err = tsr_operation_add_circular_buffer(m->operation, &cbs[i]);
	for (size_t i = 0; !err && i < 3; i++)
		err = tsr_operation_add_tensor(m->operation,
					       i == BIND_C ? TSR_ACCESS_OUT : TSR_ACCESS_IN,
					       sizes[i]);
	return err;
}

static int declare(struct matmul *m)
{
	int err;

	err = tsr_operation_new(m->s.dev, "matmul", m->s.cores, &m->operation);
	if (err)
		return session_error(&m->s, "operation", err);
	err = declare_kernels(m);
	if (err)
		return err;
	err = declare_memory(m);
	if (!err)
		err = tsr_operation_set_factory(m->operation, factory, m, NULL);
	return err ? session_error(&m->s, "operation", err) : 0;
}

/* ---- Inputs and the check ----------------------------------------------------------------- */

/* Numbers in -2 .. 2 */
static uint16_t *random_matrix(size_t count, uint32_t *seed)
{
	uint16_t *v = malloc(count * sizeof(*v));

	for (size_t i = 0; v && i < count; i++)
		v[i] = bf16_from_float((float)session_random(seed) / (1 << 22) - 2.0f);
	return v;
}

static void matrices_free(struct matrices *x)
{
	for (size_t i = 0; i < 3; i++)
		tsr_buffer_unref(x->buffer[i]);
	free(x->a);
	free(x->b);
}

static int matrices_new(struct matmul *m, struct matrices *x, uint32_t seed)
{
	int err;

	*x = (struct matrices){ .a = random_matrix((size_t)m->m * m->k, &seed) };
	x->b = random_matrix((size_t)m->k * m->n, &seed);
	if (!x->a || !x->b)
		return session_error(&m->s, "matrices", -ENOMEM);
	err = session_buffer(&m->s, tile_count(m->m, m->k) * 2048, &x->buffer[BIND_A],
			     &x->mem[BIND_A]);
	if (!err)
		err = session_buffer(&m->s, tile_count(m->k, m->n) * 2048, &x->buffer[BIND_B],
				     &x->mem[BIND_B]);
	if (!err)
		err = session_buffer(&m->s, tile_count(m->m, m->n) * 4096, &x->buffer[BIND_C],
				     &x->mem[BIND_C]);
	if (err)
		return err;
	tiles_pack(x->mem[BIND_A], x->a, m->m, m->k);
	tiles_pack(x->mem[BIND_B], x->b, m->k, m->n);
	return 0;
}

/* One element on the host, in the same precision; @ret_size is the sum of |a * b|. */
static float reference(const struct matmul *m, const struct matrices *x, uint32_t row,
		       uint32_t column, float *ret_size)
{
	float sum = 0, size = 0;

	for (uint32_t k = 0; k < m->k; k++) {
		float p = bf16_to_float(x->a[(size_t)row * m->k + k]) *
			  bf16_to_float(x->b[(size_t)k * m->n + column]);

		sum += p;
		size += fabsf(p);
	}
	*ret_size = size;
	return sum;
}

static void verify(struct matmul *m, const struct matrices *x)
{
	double worst_abs = 0, worst_rel = 0;
	size_t wrong = 0;

	for (uint32_t row = 0; row < m->m; row++)
		for (uint32_t column = 0; column < m->n; column++) {
			float size, expected = reference(m, x, row, column, &size);
			double off = fabs((double)tiles_at(x->mem[BIND_C], m->n, row, column) -
					  (double)expected);

			wrong += !(off <= TOLERANCE * (double)size);
			worst_abs = fmax(worst_abs, off);
			worst_rel = fmax(worst_rel, size > 0 ? off / (double)size : 0);
		}
	session_verdict(&m->s, wrong == 0, "%u x %u x %u on %zu cores: max error %.2g, relative "
			"%.2g (tolerance %.0e), %zu wrong", m->m, m->n, m->k, m->s.core_count,
			worst_abs, worst_rel, TOLERANCE, wrong);
}

/* One execution with matrices and buffers of its own. */
static int execute(struct matmul *m, const char *label, uint32_t seed, size_t turn)
{
	struct matrices x;
	int err;

	m->turn = turn;
	err = matrices_new(m, &x, seed);
	if (!err) {
		const struct tsr_tensor tensors[] = {
			{ .buffer = x.buffer[BIND_A] },
			{ .buffer = x.buffer[BIND_B] },
			{ .buffer = x.buffer[BIND_C] },
		};

		err = session_execute(&m->s, label, m->operation, tensors, 3);
	}
	if (!err)
		verify(m, &x);
	matrices_free(&x);
	return err;
}

static void parse(struct matmul *m, int argc, char **argv)
{
	const struct option_info options[] = {
		{ "m", "M", "rows of A and C (128)", OPTION_NUMBER, &m->m },
		{ "n", "N", "columns of B and C (128)", OPTION_NUMBER, &m->n },
		{ "k", "K", "columns of A, rows of B (128)", OPTION_NUMBER, &m->k },
		{ 0 },
	};
	struct command_line cl = {
		.name = "matmul",
		.operands = "[M [N [K]]]",
		.about = "C = A x B on all cores: bf16, sums in fp32, any size, checked against "
			 "the host.",
		.options = options,
		.max_operands = 3,
	};
	uint32_t *const sizes[] = { &m->m, &m->n, &m->k };
	const char *operands[3];
	size_t n;

	n = session_parse(&m->s, &cl, TSR_EXAMPLE_DIR, argc, argv, operands);
	for (size_t i = 0; i < 3; i++) {
		if (i < n)
			*sizes[i] = options_number(&cl, "size", operands[i]);
		if (*sizes[i] > 16384) {
			fprintf(stderr, "matmul: sizes up to 16384, please\n");
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct matmul m = { .m = 128, .n = 128, .k = 128 };
	int err;

	parse(&m, argc, argv);
	err = session_open(&m.s);
	if (!err)
		err = declare(&m);
	if (!err)
		err = execute(&m, "A", 1, 0);
	if (!err)
		err = execute(&m, "B", 2, m.s.core_count / 2);
	if (!err)
		err = execute(&m, "A'", 1, 0);
	tsr_kernel_unref(m.writer);
	tsr_operation_unref(m.operation);
	return session_close(&m.s, err);
}

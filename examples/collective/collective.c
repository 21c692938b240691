// SPDX-License-Identifier: MIT
/*
 * Ring all-reduce: every core brings a vector, every core gets the vectors of all
 * cores reduced element by element. Shows what a factory is for: the ring needs a
 * semaphore and tells each core who its neighbour is; neither is known before the
 * operation is executed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <common/session.h>

#define CB_VECTOR	0
#define CB_INBOX	1

/** struct collective - the example's state; the factory's context */
struct collective {
	struct session s;
	uint32_t chunk;		/* 32-bit words of a chunk; a vector has one chunk a core */
	uint32_t words;		/* of a vector */
	const char *op;		/* "sum", "max", "min" */
	bool reverse;		/* which way round the ring goes */
	struct tsr_operation *operation;
};

/*
 * Position @rank of the ring is a core. Rows are walked to and fro, so that most
 * neighbours on the ring are neighbours on the grid; @reverse turns it round.
 */
static struct tsr_core ring_core(const struct collective *c, size_t rank)
{
	const struct session *s = &c->s;
	size_t row_start, row_end;

	rank %= s->core_count;
	if (c->reverse)
		rank = s->core_count - 1 - rank;
	row_start = row_end = rank;
	while (row_start > 0 && s->core[row_start - 1].y == s->core[rank].y)
		row_start--;
	while (row_end + 1 < s->core_count && s->core[row_end + 1].y == s->core[rank].y)
		row_end++;
	return s->core[s->core[rank].y % 2 ? row_start + row_end - rank : rank];
}

/* Words of one core: as the enum in kernels/ring.c says. */
static int add_words(struct collective *c, struct tsr_entry *entry, uint32_t semaphore, size_t rank)
{
	struct tsr_core me = ring_core(c, rank), next = ring_core(c, rank + 1);
	const int64_t words[] = { semaphore, (int64_t)rank, next.x, next.y };

	return tsr_entry_add_words(entry, me.x, me.y, words, 4);
}

/* Called once for each execution, before anything is built. */
static int factory(void *ctx, const struct tsr_factory_input *input, struct tsr_resources *res)
{
	struct collective *c = ctx;
	const struct tsr_semaphore arrived = { .id = input->first_free_semaphore_id };
	const struct tsr_selector ring = { TSR_SELECT_DATA_MOVEMENT, NULL };
	const int64_t common[] = { (int64_t)c->s.core_count, c->chunk * 4 };
	struct tsr_entry *entry;
	char op[16];
	int err;

	err = tsr_resources_add_semaphore(res, &arrived);
	if (!err)
		err = tsr_resources_add_entry(res, ring, &entry);
	for (size_t rank = 0; !err && rank < c->s.core_count; rank++)
		err = add_words(c, entry, arrived.id, rank);
	if (!err)
		err = tsr_entry_set_common(entry, common, 2);
	snprintf(op, sizeof(op), "REDUCE_%s",
		 strcmp(c->op, "sum") == 0 ? "SUM" : strcmp(c->op, "max") == 0 ? "MAX" : "MIN");
	if (!err)
		err = tsr_entry_define(entry, "REDUCE_OP", op);
	return err;
}

/* The structure: one kernel on all cores, room for the vector and for what arrives. */
static int declare(struct collective *c)
{
	struct session *s = &c->s;
	uint32_t bytes = c->words * 4;
	const struct tsr_circular_buffer cbs[] = {
		{ .id = CB_VECTOR, .page_size = bytes, .page_count = 1 },
		{ .id = CB_INBOX, .page_size = bytes, .page_count = 1 },
	};
	uint64_t total = (uint64_t)bytes * s->core_count;
	int err;

	err = tsr_operation_new(s->dev, "all-reduce", s->cores, &c->operation);
	if (err)
		return session_error(s, "operation", err);
	err = session_kernel(s, c->operation, "ring", TSR_PROCESSOR_DM0, NULL);
	if (err)
		return err;
	err = tsr_operation_add_circular_buffer(c->operation, &cbs[0]);
	if (!err)
		err = tsr_operation_add_circular_buffer(c->operation, &cbs[1]);
	if (!err)
		err = tsr_operation_add_tensor(c->operation, TSR_ACCESS_IN, total);
	if (!err)
		err = tsr_operation_add_tensor(c->operation, TSR_ACCESS_OUT, total);
	if (!err)
		err = tsr_operation_set_factory(c->operation, factory, c, NULL);
	return err ? session_error(s, "operation", err) : 0;
}

static uint32_t reduce(const struct collective *c, uint32_t a, uint32_t b)
{
	if (strcmp(c->op, "sum") == 0)
		return a + b;
	return ((int32_t)a > (int32_t)b) == (strcmp(c->op, "max") == 0) ? a : b;
}

/* Compares all copies of the result with a reduction on the host, exactly. */
static void verify(struct collective *c, const uint32_t *in, const uint32_t *out)
{
	size_t wrong = 0, cores = c->s.core_count;

	for (uint32_t i = 0; i < c->words; i++) {
		uint32_t expected = in[i];

		for (size_t rank = 1; rank < cores; rank++)
			expected = reduce(c, expected, in[rank * c->words + i]);
		for (size_t rank = 0; rank < cores; rank++)
			wrong += out[rank * c->words + i] != expected;
	}
	session_verdict(&c->s, wrong == 0, "%s of %zu vectors of %u words on %zu cores, exact: "
			"%zu wrong", c->op, cores, c->words, cores, wrong);
}

/* One execution with buffers of its own. */
static int execute(struct collective *c, const char *label, uint32_t seed, bool reverse)
{
	struct session *s = &c->s;
	size_t count = c->words * s->core_count;
	struct tsr_buffer *in = NULL, *out = NULL;
	void *in_mem, *out_mem;
	int err;

	c->reverse = reverse;
	err = session_buffer(s, count * 4, &in, &in_mem);
	if (!err)
		err = session_buffer(s, count * 4, &out, &out_mem);
	if (!err) {
		const struct tsr_tensor tensors[] = { { .buffer = in }, { .buffer = out } };

		for (size_t i = 0; i < count; i++)
			((uint32_t *)in_mem)[i] = session_random(&seed) << 8;
		err = session_execute(s, label, c->operation, tensors, 2);
	}
	if (!err)
		verify(c, in_mem, out_mem);
	tsr_buffer_unref(in);
	tsr_buffer_unref(out);
	return err;
}

static void parse(struct collective *c, int argc, char **argv)
{
	const struct option_info options[] = {
		{ "chunk", "WORDS", "words of a chunk, a multiple of 4 (256)", OPTION_NUMBER,
		  &c->chunk },
		{ "op", "OP", "sum, max or min (sum)", OPTION_TEXT, &c->op },
		{ 0 },
	};
	struct command_line cl = {
		.name = "collective",
		.operands = "",
		.about = "Ring all-reduce over all cores, checked against the host.",
		.options = options,
	};

	session_parse(&c->s, &cl, TSR_EXAMPLE_DIR, argc, argv, NULL);
	if (c->chunk % 4 || c->chunk > UINT32_MAX / 4) {
		fprintf(stderr, "collective: --chunk: not a multiple of 4, or too large\n");
		exit(2);
	}
	if (strcmp(c->op, "sum") && strcmp(c->op, "max") && strcmp(c->op, "min")) {
		fprintf(stderr, "collective: --op: sum, max or min\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct collective c = { .chunk = 256, .op = "sum" };
	int err;

	parse(&c, argc, argv);
	err = session_open(&c.s);
	c.words = c.chunk * (uint32_t)c.s.core_count;
	if (!err && (uint64_t)c.chunk * c.s.core_count > c.s.limits.l1_size)
		err = session_error(&c.s, "--chunk: a vector does not fit into L1", -E2BIG);
	if (!err)
		err = declare(&c);
	if (!err)
		err = execute(&c, "A", 1, false);
	if (!err)
		err = execute(&c, "B", 2, true);
	if (!err)
		err = execute(&c, "A'", 1, false);
	tsr_operation_unref(c.operation);
	return session_close(&c.s, err);
}

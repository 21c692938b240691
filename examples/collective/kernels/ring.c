// SPDX-License-Identifier: MIT
/*
 * Ring all-reduce on one core of the ring. Every core has a vector of `ranks`
 * chunks; at the end every core has the vector reduced over all cores.
 *
 * Step s of the reduce-scatter sends one chunk to the next core's inbox and
 * reduces the chunk that arrived in the own inbox; after ranks - 1 steps this
 * core has one chunk reduced over all. The all-gather then passes the finished
 * chunks on, ranks - 1 steps again, straight to where they belong.
 *
 * Each step has an inbox slot of its own, so the only question is whether a chunk
 * has arrived: one semaphore counts the arrivals. A chunk passed on in the
 * all-gather cannot come too early: it contains this core's own contribution,
 * hence was sent from here before.
 */
#include <tessera.h>

/* What the definition REDUCE_OP may name. Unsigned: sums wrap. */
#define REDUCE_SUM(a, b)	((a) + (b))
#define REDUCE_MAX(a, b)	((int32_t)(a) > (int32_t)(b) ? (a) : (b))
#define REDUCE_MIN(a, b)	((int32_t)(a) < (int32_t)(b) ? (a) : (b))

#ifndef REDUCE_OP
#error "the factory defines REDUCE_OP"
#endif

#define CB_VECTOR	0
#define CB_INBOX	1
#define IN		0
#define OUT		1

/* The caller's words, in the order in which the factory wrote them. */
enum { SEMAPHORE, RANK, NEXT_X, NEXT_Y, WORDS };
/* Words that all cores share. */
enum { RANKS, CHUNK_BYTES };

struct ring {
	uint32_t rank, ranks, chunk;	/* chunk: bytes */
	uint32_t vector, inbox;		/* L1 addresses, the same on every core */
	uint32_t next_x, next_y;
	volatile uint32_t *arrived;	/* semaphore: chunks received so far */
	uint64_t next_arrived;		/* the same on the next core */
};

static void ring_init(struct ring *r)
{
	uint32_t id = get_arg_val(SEMAPHORE);

	r->rank = get_arg_val(RANK);
	r->ranks = get_common_arg_val(RANKS);
	r->chunk = get_common_arg_val(CHUNK_BYTES);
	r->vector = get_write_ptr(CB_VECTOR);
	r->inbox = get_write_ptr(CB_INBOX);
	r->next_x = get_arg_val(NEXT_X);
	r->next_y = get_arg_val(NEXT_Y);
	r->arrived = get_semaphore_ptr(id);
	r->next_arrived = get_noc_addr(r->next_x, r->next_y, get_semaphore(id));
}

/* L1 address of the chunk @back places behind the own rank, around the ring. */
static uint32_t chunk_addr(const struct ring *r, uint32_t back)
{
	return r->vector + (r->rank + 2 * r->ranks - back) % r->ranks * r->chunk;
}

/* The data first, then the news of it. */
static void send(const struct ring *r, uint32_t from, uint32_t to)
{
	noc_async_write(from, get_noc_addr(r->next_x, r->next_y, to), r->chunk);
	noc_async_write_barrier();
	noc_semaphore_inc(r->next_arrived, 1);
}

static void reduce(uint32_t into, uint32_t from, uint32_t bytes)
{
	volatile uint32_t *a = (volatile uint32_t *)into;
	volatile uint32_t *b = (volatile uint32_t *)from;

	for (uint32_t i = 0; i < bytes / 4; i++) {
		uint32_t x = a[i], y = b[i];

		a[i] = REDUCE_OP(x, y);
	}
}

static void reduce_scatter(const struct ring *r)
{
	for (uint32_t s = 0; s < r->ranks - 1; s++) {
		uint32_t slot = r->inbox + s * r->chunk;

		send(r, chunk_addr(r, s), slot);
		noc_semaphore_wait_min(r->arrived, s + 1);
		reduce(chunk_addr(r, s + 1), slot, r->chunk);
	}
}

static void all_gather(const struct ring *r)
{
	for (uint32_t s = 0; s < r->ranks - 1; s++) {
		uint32_t chunk = chunk_addr(r, s + r->ranks - 1);

		send(r, chunk, chunk);
		noc_semaphore_wait_min(r->arrived, r->ranks + s);
	}
}

void kernel_main(void)
{
	struct tensor_accessor in, out;
	struct ring r;

	ASSERT(get_arg_count() >= WORDS);
	ring_init(&r);
	in = tensor_accessor(IN, r.ranks * r.chunk);
	out = tensor_accessor(OUT, r.ranks * r.chunk);

	noc_async_read_page(r.rank, in, r.vector);
	noc_async_read_barrier();
	reduce_scatter(&r);
	all_gather(&r);
	noc_async_atomic_barrier();
	noc_async_write_page(r.rank, out, r.vector);
	noc_async_write_barrier();
}

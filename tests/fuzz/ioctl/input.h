/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzer of ioctls executes: short lists of calls. Every byte of a list means something
 * whatever its value: it chooses among what there is. So any list can be mutated, cut and joined.
 */
#ifndef TSR_FUZZ_INPUT_H
#define TSR_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_CALLS	32

/** struct call - one call; sizeof() is part of the format of the corpus */
struct call {
	uint8_t op;		/* index into ops[], modulo */
	uint8_t object;		/* which of the objects; from WRONG_OBJECT on none of them */
	uint8_t other;		/* a second one */
	uint8_t how;		/* bits that each op reads in its own way */
	uint32_t a, b;		/* numbers, the same */
	uint32_t damage;	/* 0: none; see damage.h */
};

#define WRONG_OBJECT	244

/** struct input - what is generated, mutated and kept as one */
struct input {
	uint32_t n;
	struct call calls[INPUT_CALLS];
};

/* --- Random numbers: the same everywhere for the same seed ------------------------------------ */

/** struct random - splitmix64 */
struct random {
	uint64_t state;
};

static inline uint64_t random64(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline uint32_t below(struct random *r, uint32_t n)
{
	return (uint32_t)((random64(r) >> 32) * n >> 32);
}

/** random_for() - the generator of input @number of a thread */
static inline struct random random_for(uint64_t seed, uint32_t thread, uint64_t number)
{
	struct random r = { seed };

	r.state ^= random64(&r) + thread;
	r.state ^= random64(&r) + number;
	return r;
}

/** input_generate() - a new list: ops by their weights, most arguments right */
void input_generate(struct random *r, struct input *ret);
/** input_mutate() - change @in a little; @other lends calls, and may be @in */
void input_mutate(struct random *r, struct input *in, const struct input *other);

/** input_read() - from a file of the corpus; -errno, -EINVAL for a wrong size */
int input_read(const char *path, struct input *ret);
int input_write(const char *path, const struct input *in);
/** input_print() - as text, to standard error */
void input_print(const struct input *in);

#endif

// SPDX-License-Identifier: MIT
/* Lists of calls: made, changed, read and written. */
#include "input.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "damage.h"
#include "ops.h"

static uint8_t weighted_op(struct random *r)
{
	uint32_t n = below(r, ops_weight());

	for (uint32_t i = 0; i < OPS; i++) {
		if (n < ops[i].weight)
			return i;
		n -= ops[i].weight;
	}
	return 0;
}

static uint8_t some_object(struct random *r)
{
	return below(r, 64) ? below(r, WRONG_OBJECT) : random64(r);
}

static void generate_call(struct random *r, struct call *ret)
{
	uint64_t numbers = random64(r);

	*ret = (struct call){
		.op = weighted_op(r), .object = some_object(r), .other = some_object(r),
		.how = random64(r), .a = numbers, .b = numbers >> 32,
		.damage = below(r, 5) ? 0 : damage_random(r),
	};
}

void input_generate(struct random *r, struct input *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->n = 1 + below(r, INPUT_CALLS);
	for (uint32_t i = 0; i < ret->n; i++)
		generate_call(r, &ret->calls[i]);
}

/* --- Mutation --------------------------------------------------------------------------------- */

static void change_byte(struct random *r, struct input *in)
{
	uint32_t at = below(r, in->n * sizeof(struct call));

	((uint8_t *)in->calls)[at] = random64(r);
}

static void change_bit(struct random *r, struct input *in)
{
	uint32_t at = below(r, in->n * sizeof(struct call));

	((uint8_t *)in->calls)[at] ^= 1u << below(r, 8);
}

/* The beginning of one and the end of another. */
static void splice(struct random *r, struct input *in, const struct input *other)
{
	uint32_t keep = 1 + below(r, in->n), from = below(r, other->n);

	while (keep < INPUT_CALLS && from < other->n)
		in->calls[keep++] = other->calls[from++];
	in->n = keep;
}

static void insert(struct random *r, struct input *in, const struct input *other)
{
	uint32_t at = below(r, in->n + 1);

	if (in->n == INPUT_CALLS)
		return;
	memmove(&in->calls[at + 1], &in->calls[at], (in->n - at) * sizeof(struct call));
	if (below(r, 2))
		generate_call(r, &in->calls[at]);
	else
		in->calls[at] = other->calls[below(r, other->n)];
	in->n++;
}

static void remove_one(struct random *r, struct input *in)
{
	uint32_t at = below(r, in->n);

	if (in->n == 1)
		return;
	in->n--;
	memmove(&in->calls[at], &in->calls[at + 1], (in->n - at) * sizeof(struct call));
}

void input_mutate(struct random *r, struct input *in, const struct input *other)
{
	uint32_t count = 1 + below(r, 4);

	while (count--) {
		switch (below(r, 8)) {
		case 0:
			change_byte(r, in);
			break;
		case 1:
			change_bit(r, in);
			break;
		case 2:
			in->calls[below(r, in->n)].damage = damage_random(r);
			break;
		case 3:
			in->calls[below(r, in->n)].damage = 0;
			break;
		case 4:
			splice(r, in, other);
			break;
		case 5:
			remove_one(r, in);
			break;
		case 6:
			generate_call(r, &in->calls[below(r, in->n)]);
			break;
		default:
			insert(r, in, other);
			break;
		}
	}
}

/* --- Files and text --------------------------------------------------------------------------- */

int input_read(const char *path, struct input *ret)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return -errno;
	memset(ret, 0, sizeof(*ret));
	n = fread(ret->calls, 1, sizeof(ret->calls), f);
	if (!n || n % sizeof(struct call) || fgetc(f) != EOF)
		n = 0;
	fclose(f);
	ret->n = n / sizeof(struct call);
	return ret->n ? 0 : -EINVAL;
}

int input_write(const char *path, const struct input *in)
{
	FILE *f = fopen(path, "we");
	size_t n;

	if (!f)
		return -errno;
	n = fwrite(in->calls, sizeof(struct call), in->n, f);
	return fclose(f) || n != in->n ? -EIO : 0;
}

void input_print(const struct input *in)
{
	for (uint32_t i = 0; i < in->n; i++) {
		const struct call *c = &in->calls[i];

		fprintf(stderr, "#   %-18s object %u, %u, how %#x, a %#x, b %#x, damage %#x\n",
			ops[c->op % OPS].name, c->object, c->other, c->how, c->a, c->b, c->damage);
	}
}

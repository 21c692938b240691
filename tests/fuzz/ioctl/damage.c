// SPDX-License-Identifier: MIT
#include "damage.h"
#include <string.h>

/* Numbers on which bounds are easily got wrong. */
static const uint32_t values[] = {
	0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 1023, 1024,
	4095, 4096, 4097, 65535, 65536, 0x100000, 0x108000, 0x7fffffff, 0x80000000, 0xfffff000,
	0xfffffff0, 0xfffffff8, 0xfffffffe, 0xffffffff,
};

#define VALUES	(sizeof(values) / sizeof(values[0]))

/* What hardly anything in a process lies between: end of low addresses, end of user space. */
#define LOW_END		(1ull << 32)
#define USER_END	(1ull << 47)
#define KERNEL		KERNEL_ADDRESS

uint32_t damage_random(struct random *r)
{
	return (uint32_t)random64(r) | 1u << 31;	/* never 0 */
}

/* Through a pointer that hits the fuzzer's own memory, the kernel would rightly write there. */
static void spare_ourselves(void *p, size_t size, uint32_t word)
{
	size_t at = word / 2 * 8;
	uint64_t value;

	if (at + sizeof(value) > size)
		return;
	memcpy(&value, (char *)p + at, sizeof(value));
	if (value >= LOW_END && value < USER_END)
		value |= KERNEL;
	memcpy((char *)p + at, &value, sizeof(value));
}

void damage(const struct call *c, enum damage_part part, void *p, size_t size)
{
	uint32_t n = size / 4, word, value, number = c->damage >> 16;

	if (!c->damage || (c->damage & 3) != part || !n)
		return;
	word = (c->damage >> 5 & 0x7ff) % n;
	memcpy(&value, (char *)p + word * 4, 4);
	switch (c->damage >> 2 & 7) {
	case 0:
		value ^= 1u << number % 32;
		break;
	case 1:
		value += 1 + number % 16;
		break;
	case 2:
		value -= 1 + number % 16;
		break;
	case 3:
		value = number & 0x7fff;
		break;
	default:
		value = values[number % VALUES];
		break;
	}
	memcpy((char *)p + word * 4, &value, 4);
	if (part != DAMAGE_FIRST || size % 8 == 0)
		spare_ourselves(p, size, word);
}

/* SPDX-License-Identifier: MIT */
/*
 * Start-up of a kernel, and what the compiler may call: memory functions, and the
 * arithmetic that rv32im lacks, on 64 bits and on float. Nothing that a kernel does
 * not use is linked to it.
 *
 * Compile with -ffreestanding, so that a loop in memcpy() does not become a call
 * of memcpy().
 */
#include "tessera_core.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

/* The loader has zeroed bss. The first instruction of the image. */
__asm__(".section .text.start, \"ax\", @progbits\n"
	".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	".option push\n"
	".option norelax\n"
	"	la	gp, __global_pointer$\n"
	".option pop\n"
	"	la	sp, __stack_top\n"
	"	call	kernel_main\n"
	"	li	a0, 0\n"
	"	j	tsr_exit\n"
	".size _start, . - _start\n"
	".previous\n");

__attribute__((noreturn, used)) void tsr_exit(uint32_t status);

void tsr_exit(uint32_t status)
{
	kernel_exit(status);
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Four bytes of any object. */
typedef uint32_t __attribute__((may_alias)) word_t;

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	if ((((uintptr_t)t | (uintptr_t)f) & 3) == 0)
		for (; n >= 4; n -= 4, t += 4, f += 4)
			*(word_t *)(void *)t = *(const word_t *)(const void *)f;
	while (n--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	if (t <= f || t >= f + n)
		return memcpy(to, from, n);
	while (n--)
		t[n] = f[n];
	return to;
}

void *memset(void *to, int value, size_t n)
{
	uint8_t *t = to;
	uint32_t word = (uint8_t)value * 0x01010101u;

	for (; n && ((uintptr_t)t & 3); n--)
		*t++ = (uint8_t)value;
	for (; n >= 4; n -= 4, t += 4)
		*(word_t *)(void *)t = word;
	while (n--)
		*t++ = (uint8_t)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const uint8_t *p = a, *q = b;

	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

/* ---- 64-bit shifts and bit counts: called by some compilers, or when optimising for size ----- */

uint64_t __ashldi3(uint64_t v, int n);
uint64_t __lshrdi3(uint64_t v, int n);
int64_t __ashrdi3(int64_t v, int n);
int __clzsi2(uint32_t v);
int __ctzsi2(uint32_t v);
int __popcountsi2(uint32_t v);

static inline uint64_t join(uint32_t hi, uint32_t lo)
{
	union {
		uint32_t half[2];
		uint64_t whole;
	} u = { .half = { lo, hi } };

	return u.whole;
}

static inline uint32_t high(uint64_t v)
{
	union {
		uint64_t whole;
		uint32_t half[2];
	} u = { .whole = v };

	return u.half[1];
}

uint64_t __ashldi3(uint64_t v, int n)
{
	uint32_t lo = (uint32_t)v, hi = high(v);

	if (n >= 32)
		return join(lo << (n - 32), 0);
	return n ? join(hi << n | lo >> (32 - n), lo << n) : v;
}

uint64_t __lshrdi3(uint64_t v, int n)
{
	uint32_t lo = (uint32_t)v, hi = high(v);

	if (n >= 32)
		return join(0, hi >> (n - 32));
	return n ? join(hi >> n, lo >> n | hi << (32 - n)) : v;
}

int64_t __ashrdi3(int64_t v, int n)
{
	uint32_t lo = (uint32_t)v;
	int32_t hi = (int32_t)high((uint64_t)v);

	if (n >= 32)
		return (int64_t)join((uint32_t)(hi >> 31), (uint32_t)(hi >> (n - 32)));
	return n ? (int64_t)join((uint32_t)(hi >> n), lo >> n | (uint32_t)hi << (32 - n)) : v;
}

int __clzsi2(uint32_t v)
{
	int n = 32;

	for (; v; v >>= 1)
		n--;
	return n;
}

int __ctzsi2(uint32_t v)
{
	int n = 0;

	for (; !(v & 1) && n < 32; v >>= 1)
		n++;
	return n;
}

int __popcountsi2(uint32_t v)
{
	int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

/* ---- 64-bit division ---------------------------------------------------------------------- */

uint64_t __udivdi3(uint64_t a, uint64_t b);
uint64_t __umoddi3(uint64_t a, uint64_t b);
int64_t __divdi3(int64_t a, int64_t b);
int64_t __moddi3(int64_t a, int64_t b);

/* One quotient bit a step. Dividing by zero gives all ones and the dividend, as the M extension. */
static uint64_t divide(uint64_t a, uint64_t b, uint64_t *ret_rest)
{
	uint64_t quotient = 0, rest = 0;

	if (!high(a) && !high(b) && b) {
		*ret_rest = (uint32_t)a % (uint32_t)b;
		return (uint32_t)a / (uint32_t)b;
	}
	for (int i = 0; i < 64; i++) {
		uint32_t carry = high(rest) >> 31;

		rest = rest << 1 | high(a) >> 31;
		a <<= 1;
		quotient <<= 1;
		if (carry || rest >= b) {
			rest -= b;
			quotient |= 1;
		}
	}
	*ret_rest = rest;
	return quotient;
}

uint64_t __udivdi3(uint64_t a, uint64_t b)
{
	uint64_t rest;

	return divide(a, b, &rest);
}

uint64_t __umoddi3(uint64_t a, uint64_t b)
{
	uint64_t rest;

	divide(a, b, &rest);
	return rest;
}

static inline uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

int64_t __divdi3(int64_t a, int64_t b)
{
	uint64_t rest, quotient = divide(magnitude(a), magnitude(b), &rest);

	return (int64_t)((a < 0) != (b < 0) ? 0 - quotient : quotient);
}

int64_t __moddi3(int64_t a, int64_t b)
{
	uint64_t rest;

	divide(magnitude(a), magnitude(b), &rest);
	return (int64_t)(a < 0 ? 0 - rest : rest);
}

/* ---- float ------------------------------------------------------------------------------- */

#include "softfloat.inc"

/* SPDX-License-Identifier: MIT */
/* Small things that every file needs: growing arrays, counts, little-endian stores. */
#ifndef TSR_UTIL_H
#define TSR_UTIL_H

#include <endian.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif
#ifndef likely
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif

#define TSR_API		__attribute__((visibility("default")))
#define TSR_SLOW	__attribute__((noinline, cold))	/* seldom taken: keeps its caller small */

/** struct tsr_vec - growing array; all zero is empty; its memory is kept when it is emptied */
struct tsr_vec {
	void *data;
	size_t count;
	size_t room;
};

/** tsr_vec_grow() - make room for @n more elements of @size bytes. Return: 0, -ENOMEM. */
int tsr_vec_grow(struct tsr_vec *vec, size_t size, size_t n);

/** tsr_vec_free() - give the memory back; the vector is empty then */
void tsr_vec_free(struct tsr_vec *vec);

/** tsr_vec_add() - @n more elements, not initialised; NULL when out of memory */
static inline void *tsr_vec_add(struct tsr_vec *vec, size_t size, size_t n)
{
	void *p;

	if (unlikely(n > vec->room - vec->count) && tsr_vec_grow(vec, size, n))
		return NULL;
	p = (char *)vec->data + vec->count * size;
	vec->count += n;
	return p;
}

/** tsr_write_all() - all of it, over signals and short writes. Return: 0, or the errno of write. */
int tsr_write_all(int fd, const void *data, size_t size);

static inline void tsr_ref_init(atomic_uint *ref)
{
	atomic_init(ref, 1);
}

static inline void tsr_ref_get(atomic_uint *ref)
{
	atomic_fetch_add_explicit(ref, 1, memory_order_relaxed);
}

/** tsr_ref_put() - whether that was the last one */
static inline bool tsr_ref_put(atomic_uint *ref)
{
	return atomic_fetch_sub_explicit(ref, 1, memory_order_acq_rel) == 1;
}

static inline void tsr_count_by(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline void tsr_count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static inline uint8_t *tsr_store32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

static inline uint8_t *tsr_store64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
	return p + sizeof(v);
}

/** tsr_all_zero() - reserved fields must be */
static inline bool tsr_all_zero(const void *mem, size_t size)
{
	const unsigned char *p = mem;
	uint64_t any = 0, word;

	for (; size >= sizeof(word); size -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		any |= word;
	}
	while (size--)
		any |= *p++;
	return !any;
}

/** tsr_now() - CLOCK_MONOTONIC in ns */
int64_t tsr_now(void);

/** tsr_deadline() - for the ioctls: that time from now; 0 stays 0, negative is -1 */
int64_t tsr_deadline(int64_t timeout_ns);

/** tsr_text() - printf into new memory; NULL when out of memory */
char *tsr_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** tsr_name_ok() - 1 .. 63 printable ASCII bytes, as names of operations and kernels are */
bool tsr_name_ok(const char *name);

#endif

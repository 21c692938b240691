/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * All that kernel/core needs from its surroundings, for the kernel module and
 * for user space. Nothing else in kernel/core includes a system header.
 */
#ifndef TSR_PORT_H
#define TSR_PORT_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>

typedef spinlock_t tsr_lock;
#define tsr_lock_init(l)	spin_lock_init(l)
#define tsr_lock_fini(l)	do { } while (0)
#define tsr_lock_get(l)		spin_lock(l)
#define tsr_lock_put(l)		spin_unlock(l)

/* Zeroed memory, of any size; may sleep. Charged to the caller's cgroup; fails without a word. */
static inline void *tsr_alloc(size_t size)
{
	return kvzalloc(size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
}

static inline void tsr_free(void *p)
{
	kvfree(p);
}

/* Between pieces of long work of a sleepable caller. */
#define tsr_resched()		cond_resched()

/*
 * Floating point: the code lives in files compiled with the FPU flags, its callers
 * bracket each bounded piece of it. Those files must not see this part.
 */
#ifndef _LINUX_FPU_COMPILATION_UNIT
#if __has_include(<linux/fpu.h>)
#include <linux/fpu.h>
#else
#include <asm/fpu/api.h>
#endif
#define tsr_fpu_begin()		kernel_fpu_begin()
#define tsr_fpu_end()		kernel_fpu_end()
#endif

#ifdef __annotate_jump_table
#define TSR_JUMP_TABLE		__annotate_jump_table
#else
#define TSR_JUMP_TABLE
#endif

#else

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#ifndef likely
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#endif
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif
#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#ifndef fallthrough
#define fallthrough		__attribute__((__fallthrough__))
#endif

typedef struct {
	int counter;
} atomic_t;
typedef struct {
	s64 counter;
} atomic64_t;

static inline int atomic_read(const atomic_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic_set(atomic_t *v, int i)
{
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline int atomic_add_return(int i, atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST);
}

static inline s64 atomic64_read(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline void atomic64_inc(atomic64_t *v)
{
	__atomic_add_fetch(&v->counter, 1, __ATOMIC_RELAXED);
}

typedef pthread_mutex_t tsr_lock;
#define tsr_lock_init(l)	pthread_mutex_init(l, NULL)
#define tsr_lock_fini(l)	pthread_mutex_destroy(l)
#define tsr_lock_get(l)		pthread_mutex_lock(l)
#define tsr_lock_put(l)		pthread_mutex_unlock(l)

static inline void *tsr_alloc(size_t size)
{
	return calloc(1, size ? size : 1);
}

static inline void tsr_free(void *p)
{
	free(p);
}

#define tsr_resched()		do { } while (0)
#define tsr_fpu_begin()		do { } while (0)
#define tsr_fpu_end()		do { } while (0)
#define TSR_JUMP_TABLE

#ifndef container_of
#define container_of(p, type, member) \
	((type *)((char *)(p) - offsetof(type, member)))
#endif
#ifndef noinline
#define noinline		__attribute__((__noinline__))
#endif

#endif

/* Device memory is little endian; these cost nothing on a host that is too. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TSR_LE16(v)		((u16)(v))
#define TSR_LE32(v)		((u32)(v))
#else
#define TSR_LE16(v)		__builtin_bswap16(v)
#define TSR_LE32(v)		__builtin_bswap32(v)
#endif

static inline u32 tsr_get16(const void *p)
{
	u16 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return TSR_LE16(v);
}

static inline u32 tsr_get32(const void *p)
{
	u32 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return TSR_LE32(v);
}

static inline void tsr_put16(void *p, u32 value)
{
	u16 v = TSR_LE16(value);

	__builtin_memcpy(p, &v, sizeof(v));
}

static inline void tsr_put32(void *p, u32 value)
{
	u32 v = TSR_LE32(value);

	__builtin_memcpy(p, &v, sizeof(v));
}

#endif

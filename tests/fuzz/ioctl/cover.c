// SPDX-License-Identifier: MIT
#include "cover.h"
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define KCOV_FILE	"/sys/kernel/debug/kcov"
#define ENTRIES		(64u << 10)
#define EDGE_BITS	20

struct cover {
	int fd;
	unsigned long *area;	/* number of entries, then addresses */
	uint32_t fresh;
};

/* Of all threads. Two edges may share a bit: then one of them is not new. */
static uint64_t seen[1u << (EDGE_BITS - 6)];
static uint32_t total;

struct cover *cover_open(void)
{
	struct cover *cover = calloc(1, sizeof(*cover));

	if (!cover)
		return NULL;
	cover->fd = open(KCOV_FILE, O_RDWR | O_CLOEXEC);
	if (cover->fd < 0 || ioctl(cover->fd, KCOV_INIT_TRACE, ENTRIES))
		return cover_close(cover);
	cover->area = mmap(NULL, ENTRIES * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED,
			   cover->fd, 0);
	if (cover->area == MAP_FAILED)
		cover->area = NULL;
	if (!cover->area || ioctl(cover->fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return cover_close(cover);
	return cover;
}

struct cover *cover_close(struct cover *cover)
{
	if (cover->area) {
		ioctl(cover->fd, KCOV_DISABLE, 0);
		munmap(cover->area, ENTRIES * sizeof(long));
	}
	if (cover->fd >= 0)
		close(cover->fd);
	free(cover);
	return NULL;
}

void cover_begin(struct cover *cover)
{
	if (cover)
		__atomic_store_n(&cover->area[0], 0, __ATOMIC_RELAXED);
}

static bool see(unsigned long from, unsigned long to)
{
	uint64_t hash = (from * 31 ^ to) * 0x9e3779b97f4a7c15ull >> (64 - EDGE_BITS);
	uint64_t bit = 1ull << hash % 64;

	/* Nearly all have been seen: a look costs less than an atomic change. */
	return !(__atomic_load_n(&seen[hash / 64], __ATOMIC_RELAXED) & bit) &&
	       !(__atomic_fetch_or(&seen[hash / 64], bit, __ATOMIC_RELAXED) & bit);
}

void cover_end(struct cover *cover)
{
	unsigned long n, last = 0;

	if (!cover)
		return;
	n = __atomic_load_n(&cover->area[0], __ATOMIC_RELAXED);
	for (unsigned long i = 1; i <= n && i < ENTRIES; i++) {
		cover->fresh += see(last, cover->area[i]);
		last = cover->area[i];
	}
	/* What the fuzzer itself calls in between is nobody's business. */
	__atomic_store_n(&cover->area[0], 0, __ATOMIC_RELAXED);
}

uint32_t cover_new(struct cover *cover)
{
	uint32_t fresh = cover ? cover->fresh : 0;

	if (cover)
		cover->fresh = 0;
	__atomic_fetch_add(&total, fresh, __ATOMIC_RELAXED);
	return fresh;
}

uint32_t cover_total(void)
{
	return __atomic_load_n(&total, __ATOMIC_RELAXED);
}

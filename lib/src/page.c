// SPDX-License-Identifier: MIT
/* Waiting without a system call, while it is short. */
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "page.h"

typedef const struct drm_tessera_context_progress *page_t;

/* Instead of a page that could not be mapped, so that it is tried once. */
static const struct drm_tessera_context_progress none;

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static page_t map_bo(const struct tsr_device *dev, uint32_t handle)
{
	struct drm_tessera_bo_mmap_offset offset = { .handle = handle };
	void *mem = MAP_FAILED;

	/* Populated: a look at it must not fault, not even when the device has gone. */
	if (!tsr_ioctl(dev, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &offset))
		mem = mmap(NULL, page_size(), PROT_READ, MAP_SHARED | MAP_POPULATE, dev->fd,
			   (off_t)offset.offset);
	return mem == MAP_FAILED ? &none : mem;
}

static page_t map_page(const struct tsr_context *context)
{
	struct drm_tessera_context_page page = { .handle = context->handle };
	page_t mem;

	if (tsr_ioctl(context->dev, DRM_IOCTL_TESSERA_CONTEXT_PAGE, &page))
		return &none;
	mem = map_bo(context->dev, page.bo);
	/* The mapping holds the memory, the handle is not needed. */
	drmCloseBufferHandle(context->dev->fd, page.bo);
	return mem;
}

/* Threads that race for the first wait each map it; one mapping stays. */
static page_t get(struct tsr_context *context)
{
	page_t page = atomic_load_explicit(&context->page, memory_order_acquire), old = NULL;

	if (likely(page))
		return page;
	page = map_page(context);
	if (atomic_compare_exchange_strong(&context->page, &old, page))
		return page;
	if (page != &none)
		munmap((void *)page, page_size());
	return old;
}

static bool has_ended(page_t page, uint64_t id)
{
	return __atomic_load_n(&page->ended_through, __ATOMIC_ACQUIRE) >= id;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* With one CPU whoever spins keeps the device from working. */
static bool may_spin(void)
{
	static atomic_int cpus;
	int n = atomic_load_explicit(&cpus, memory_order_relaxed);
	cpu_set_t set;

	if (unlikely(!n)) {
		n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
		atomic_store_explicit(&cpus, n, memory_order_relaxed);
	}
	return n > 1;
}

static bool spin(page_t page, uint64_t id, int64_t deadline)
{
	int64_t end = tsr_now() + TSR_SPIN_NS;

	if (deadline > 0 && deadline < end)
		end = deadline;
	do {
		for (unsigned int i = 0; i < 32; i++) {
			if (has_ended(page, id))
				return true;
			relax();
		}
	} while (tsr_now() < end);
	return false;
}

bool tsr_page_ended(struct tsr_context *context, uint64_t id, int64_t deadline)
{
	page_t page = get(context);

	if (unlikely(page == &none))
		return false;
	if (has_ended(page, id))
		return true;
	return deadline && may_spin() && spin(page, id, deadline);
}

void tsr_page_unmap(struct tsr_context *context)
{
	page_t page = atomic_load(&context->page);

	if (page && page != &none)
		munmap((void *)page, page_size());
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The progress page of a context: an ordinary buffer that user space maps and the
 * driver writes, so that a short wait costs no system call. Made when first asked for.
 */
#include <drm/drm_gem.h>
#include <linux/iosys-map.h>
#include <linux/slab.h>
#include "bo.h"
#include "run.h"
#include "stats.h"

/* Results start behind the progress, on a cache line of their own. */
#define TSR_RESULT_OFFSET	64

struct tsr_page {
	struct drm_gem_object *obj;
	struct drm_tessera_context_progress *progress;
	struct drm_tessera_context_result *results;
	u32 mask;			/* of the index of a result */
};

void tsr_page_free(struct tsr_page *page)
{
	struct iosys_map map;

	if (!page)
		return;
	iosys_map_set_vaddr(&map, page->progress);
	drm_gem_vunmap_unlocked(page->obj, &map);
	drm_gem_object_put(page->obj);
	kfree(page);
}

static struct tsr_page *tsr_page_new(struct drm_device *drm, u32 capacity)
{
	u32 count = roundup_pow_of_two(capacity + 1);
	size_t size = TSR_RESULT_OFFSET + count * sizeof(struct drm_tessera_context_result);
	struct drm_gem_shmem_object *shmem;
	struct tsr_page *page;
	struct iosys_map map;
	int ret = -ENOMEM;

	page = kzalloc(sizeof(*page), TSR_GFP_USER);
	if (!page)
		return ERR_PTR(ret);
	shmem = tsr_bo_new(drm, PAGE_ALIGN(size));
	if (IS_ERR(shmem)) {
		ret = PTR_ERR(shmem);
		goto err_free;
	}
	ret = drm_gem_vmap_unlocked(&shmem->base, &map);
	if (ret)
		goto err_put;
	page->obj = &shmem->base;
	page->progress = map.vaddr;
	page->results = map.vaddr + TSR_RESULT_OFFSET;
	page->mask = count - 1;
	page->progress->result_count = count;
	page->progress->result_offset = TSR_RESULT_OFFSET;
	return page;

err_put:
	drm_gem_object_put(&shmem->base);
err_free:
	kfree(page);
	return ERR_PTR(ret);
}

static void tsr_page_write(struct tsr_context *ctx)
{
	struct drm_tessera_context_progress *to = ctx->page->progress;
	struct tsr_run *oldest = list_first_entry_or_null(&ctx->live, struct tsr_run, live_link);

	WRITE_ONCE(to->failed, ctx->failed);
	/* Who reads these reads results, and outputs, next. */
	smp_store_release(&to->ended_through, oldest ? oldest->id - 1 : ctx->last_run);
	smp_store_release(&to->ended, ctx->ended);	/* see above */
}

static void tsr_page_result(struct tsr_page *page, u64 index, const struct tsr_run *run, u32 phase)
{
	page->results[index & page->mask] = (struct drm_tessera_context_result){
		.run_id = run->id,
		.user_data = run->user_data,
		.code = run->outcome.code,
		.poison_code = tsr_outcome_poisoned(&run->outcome) ? run->outcome.poison_code : 0,
		.phase = phase,
		.flags = run->outcome.flags,
	};
}

void tsr_page_update(struct tsr_context *ctx, const struct tsr_run *run, u32 phase)
{
	if (run->outcome.code || phase == DRM_TESSERA_PHASE_CANCELLED)
		ctx->failed++;
	if (ctx->page)
		tsr_page_result(ctx->page, ctx->ended, run, phase);
	ctx->ended++;
	if (ctx->page)
		tsr_page_write(ctx);
}

static void tsr_page_publish(struct tsr_device *tdev, struct tsr_context *ctx,
			     struct tsr_page *page)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	ctx->page = page;
	tsr_page_write(ctx);
	spin_unlock_irqrestore(&tdev->lock, flags);
}

/* The context gets its page when the caller has a handle of it: a call that fails leaves none. */
static int tsr_page_handle(struct tsr_device *tdev, struct tsr_context *ctx, struct drm_file *file,
			   u32 *ret_bo)
{
	struct tsr_page *page;
	int ret;

	/* Of this context: who is out of memory keeps nobody else waiting (SEC-1). */
	guard(mutex)(&ctx->page_lock);
	if (ctx->page)
		return drm_gem_handle_create(file, ctx->page->obj, ret_bo);
	page = tsr_page_new(&tdev->drm, ctx->capacity);
	if (IS_ERR(page))
		return PTR_ERR(page);
	ret = drm_gem_handle_create(file, page->obj, ret_bo);
	if (ret)
		tsr_page_free(page);
	else
		tsr_page_publish(tdev, ctx, page);
	return ret;
}

int tsr_ioctl_context_page(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_context_page *args = data;
	struct tsr_context *ctx;
	int ret;
	u32 bo;

	ctx = tsr_context_get(file, args->handle);
	if (!ctx)
		return -ENOENT;
	ret = tsr_page_handle(to_tsr_device(drm), ctx, file, &bo);
	if (!ret)
		args->bo = bo;
	tsr_context_put(ctx);
	return ret;
}

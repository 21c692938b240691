// SPDX-License-Identifier: GPL-2.0-only
/* The hardware seam (DEV-7) over the engine. */
#include <drm/drm_gem.h>
#include <linux/iosys-map.h>
#include <linux/slab.h>
#include "dump.h"
#include "soft.h"

static void tsr_soft_free(struct tsr_soft *soft)
{
	tsr_grid_free(soft->grid);
	tsr_faults_put(soft->faults);
	kfree(soft);
}

static void tsr_soft_print(void *ctx, u16 x, u16 y, u8 proc, const char *line, u32 len)
{
	struct tsr_soft *soft = ctx;
	const struct tsr_hw_job *job = soft->current_bank->job;

	if (job->flags & DRM_TESSERA_RUN_PRINT)
		tsr_device_print(soft->tdev, job->run_id, x, y, proc, line, len);
}

static int tsr_soft_alloc(struct tsr_soft *soft)
{
	const struct tsr_grid_env env = {
		.ctx = soft,
		.kick = tsr_soft_kick,
		.print = tsr_soft_print,
	};

	soft->grid = tsr_grid_new(&soft->grid_config, &env);
	return soft->grid ? 0 : -ENOMEM;
}

struct tsr_soft *tsr_soft_new(const struct tsr_soft_config *cfg)
{
	struct tsr_soft *soft = kzalloc(sizeof(*soft), GFP_KERNEL);
	const char *field;
	int ret;

	if (!soft)
		return ERR_PTR(-ENOMEM);
	soft->faults = cfg->faults ? tsr_faults_get(cfg->faults) : tsr_faults_new();
	if (!soft->faults) {
		kfree(soft);
		return ERR_PTR(-ENOMEM);
	}
	soft->config = *cfg;
	spin_lock_init(&soft->lock);
	init_waitqueue_head(&soft->idle);
	init_waitqueue_head(&soft->work);
	atomic_set(&soft->kicks, 0);
	soft->ended = true;
	tsr_soft_faults_init(soft);

	ret = tsr_soft_config_grid(&soft->config, &soft->grid_config, &field);
	if (!ret) {
		tsr_soft_config_hw(&soft->config, &soft->grid_config, &soft->hw_config);
		ret = tsr_soft_alloc(soft);
	}
	if (ret) {
		tsr_soft_free(soft);
		return ERR_PTR(ret);
	}
	return soft;
}

static void tsr_soft_release(void *hw)
{
	tsr_soft_free(hw);
}

static int tsr_soft_start(struct tsr_device *tdev, void *hw)
{
	struct tsr_soft *soft = hw;

	soft->tdev = tdev;
	return tsr_soft_workers_start(soft);
}

static void tsr_soft_stop(void *hw)
{
	struct tsr_soft *soft = hw;

	WRITE_ONCE(soft->stopped, true);
	tsr_soft_workers_stop(soft);
	tsr_soft_faults_stop(soft);
}

/* What the engine needs of an image is its code, decoded once. */
static int tsr_soft_image_load(void *hw, const struct tessera_image *image, const void *data,
			       void **ret_image)
{
	struct tsr_soft *soft = hw;
	u32 base = soft->hw_config.limits.image_base[image->processor];
	struct tsr_text *text = tsr_text_new(&soft->grid_config.timing, base, data,
					     image->text_size);

	tsr_soft_called(soft, "image_load");
	if (!text)
		return -ENOMEM;
	*ret_image = text;
	return 0;
}

/* Nothing of the engine keeps code but a launched run, and that keeps its program. */
static int tsr_soft_image_unload(void *hw, void *image)
{
	tsr_soft_called(hw, "image_unload");
	return tsr_soft_fault(hw, TSR_PLAN_UNLOAD) == TSR_PLAN_FAIL ? -EIO : 0;
}

static void tsr_soft_image_free(void *hw, void *image)
{
	tsr_text_free(image);
}

/* The address is a kernel one: the engine reads and writes it directly. */
static int tsr_soft_bo_map(void *hw, struct drm_gem_object *obj, u64 *ret_addr)
{
	struct iosys_map map;
	int ret;

	dma_resv_assert_held(obj->resv);
	tsr_soft_called(hw, "bo_map");
	if (!obj->funcs->vmap)
		return -EOPNOTSUPP;
	ret = obj->funcs->vmap(obj, &map);
	if (ret)
		return ret;
	if (map.is_iomem) {
		obj->funcs->vunmap(obj, &map);
		return -EOPNOTSUPP;
	}
	*ret_addr = (uintptr_t)map.vaddr;
	return 0;
}

static void tsr_soft_bo_unmap(void *hw, struct drm_gem_object *obj, u64 addr)
{
	struct iosys_map map = IOSYS_MAP_INIT_VADDR((void *)(uintptr_t)addr);

	obj->funcs->vunmap(obj, &map);
}

static int tsr_soft_stage(void *hw, u32 slot, const struct tsr_hw_job *job)
{
	struct tsr_soft *soft = hw;
	struct tsr_soft_bank *bank = &soft->banks[slot];

	tsr_soft_called(soft, "stage");
	if (tsr_soft_fault(soft, TSR_PLAN_STAGE) == TSR_PLAN_FAIL)
		return -EIO;
	/* Records are written and read for launched banks only: this one is nobody else's. */
	bank->job = job;
	bank->record.run_id = 0;
	return 0;
}

static u64 tsr_soft_progress(void *hw)
{
	struct tsr_soft *soft = hw;

	tsr_soft_called(soft, "progress");
	return tsr_grid_progress(soft->grid);
}

static int tsr_soft_op_quiesce(void *hw)
{
	struct tsr_soft *soft = hw;

	tsr_soft_called(soft, "quiesce");
	/* The cores do go on, until a reset. */
	if (tsr_soft_fault(soft, TSR_PLAN_QUIESCE) == TSR_PLAN_FAIL)
		return -ETIMEDOUT;
	return tsr_soft_quiesce(soft);
}

/* A run that has not ended has no record, but a picture of where it stands. */
static void tsr_soft_op_record(void *hw, u32 slot, struct tsr_hw_record *ret)
{
	struct tsr_soft *soft = hw;
	struct tsr_soft_bank *bank = &soft->banks[slot];

	guard(spinlock)(&soft->lock);
	ret->run_id = bank->record.run_id;
	ret->end = bank->record.end;
	if (!ret->run_id && bank == soft->current_bank)
		tsr_grid_stall(soft->grid, &ret->stall);
	else if (!ret->run_id)
		memset(&ret->stall, 0, sizeof(ret->stall));
	else if (ret->end != TSR_HW_END_OK)
		*ret = bank->record;
}

static int tsr_soft_proc_stats(void *hw, u32 slot, u16 x, u16 y, u8 proc,
			       struct tsr_proc_stats *ret)
{
	struct tsr_soft *soft = hw;

	tsr_soft_called(soft, "proc_stats");
	if (&soft->banks[slot] != soft->current_bank)
		return -ENOENT;
	return tsr_grid_stats(soft->grid, x, y, proc, ret);
}

static int tsr_soft_dump(void *hw, u16 x, u16 y, struct tessera_dump_core *ret)
{
	struct tsr_soft *soft = hw;

	tsr_soft_called(soft, "dump");
	return tsr_grid_dump(soft->grid, x, y, ret);
}

static int tsr_soft_memory(void *hw, u16 x, u16 y, u32 address, void *to, u32 size)
{
	struct tsr_soft *soft = hw;
	u32 l1_size = soft->grid_config.l1_size;
	const u8 *l1 = tsr_grid_l1(soft->grid, x, y);

	tsr_soft_called(soft, "memory");
	if (!l1)
		return -ENOENT;
	if (address < TSR_L1_BASE || size > l1_size || address - TSR_L1_BASE > l1_size - size)
		return -EINVAL;
	memcpy(to, l1 + (address - TSR_L1_BASE), size);
	return 0;
}

static void tsr_soft_scrub(void *hw)
{
	struct tsr_soft *soft = hw;

	tsr_soft_called(soft, "scrub");
	tsr_grid_scrub(soft->grid);
}

static int tsr_soft_reset(void *hw)
{
	struct tsr_soft *soft = hw;
	int ret;

	tsr_soft_called(soft, "reset");
	if (tsr_soft_fault(soft, TSR_PLAN_RESET) == TSR_PLAN_FAIL)
		return -EIO;
	ret = tsr_soft_quiesce(soft);
	if (!ret)
		tsr_grid_scrub(soft->grid);
	return ret;
}

const struct tsr_hw_ops tsr_soft_ops = {
	.start = tsr_soft_start,
	.stop = tsr_soft_stop,
	.release = tsr_soft_release,
	.image_load = tsr_soft_image_load,
	.image_unload = tsr_soft_image_unload,
	.image_free = tsr_soft_image_free,
	.bo_map = tsr_soft_bo_map,
	.bo_unmap = tsr_soft_bo_unmap,
	.stage = tsr_soft_stage,
	.launch_dispatch = tsr_soft_launch_dispatch,
	.launch_grid = tsr_soft_launch_grid,
	.progress = tsr_soft_progress,
	.quiesce = tsr_soft_op_quiesce,
	.record = tsr_soft_op_record,
	.proc_stats = tsr_soft_proc_stats,
	.dump = tsr_soft_dump,
	.memory = tsr_soft_memory,
	.scrub = tsr_soft_scrub,
	.reset = tsr_soft_reset,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hardware seam (DEV-7): a port to silicon implements struct tsr_hw_ops and
 * calls the three functions at the end. Nothing above it asks which device it is.
 *
 * All operations are called in process context and may sleep, unless they say
 * otherwise. Which of them may be called at the same time, by group:
 *
 * ========= =============================================================================
 * once      start, stop, release. Nothing is called before start has returned 0, but
 *           release; nothing but release after release.
 * runs      stage, launch_dispatch, launch_grid, quiesce, record, proc_stats, dump, memory,
 *           scrub, reset. Never two of them at a time: one thread drives the pipeline.
 * objects   image_load, image_unload, bo_map. At the same time as any other operation but
 *           start and stop, and as each other; of one image or one buffer, one at a time.
 * memory    image_free, bo_unmap. As objects; also while stop is called, and after it.
 * progress  At the same time as any other operation but start and stop.
 * ========= =============================================================================
 *
 * Of one image: image_load, the jobs that name it, image_unload, image_free, in this order.
 * Of one buffer: bo_map, the jobs that name its address, bo_unmap; the buffer's
 * reservation is held in both.
 *
 * The driver sees to it that nothing of runs, objects and progress is called once stop was: the
 * pipeline is at rest and the watchdog cancelled; each call of objects lies in a section of
 * drm_dev_enter(), which unplug waits for. So an operation must not wait for user space.
 */
#ifndef TSR_HW_H
#define TSR_HW_H

#include <linux/types.h>
#include <drm/tessera_accel.h>
#include "blob.h"
#include "grid.h"
#include <drm/tessera_dump.h>

struct device;
struct drm_gem_object;
struct iosys_map;
struct tsr_device;

/** struct tsr_hw_config - what a backend says of its device; fixed for its life */
struct tsr_hw_config {
	/** @limits: complete, queue and time limits included. */
	struct tessera_limits limits;
	/** @caps: DRM_TESSERA_CAP_*. */
	u64 caps;
	/** @seed: as kernels read it. */
	u32 seed;
	/** @isa: RISC-V ISA string for compilers. */
	const char *isa;
	/** @name: of the device. */
	const char *name;
};

/** struct tsr_hw_bind - a bound buffer, as the backend addressed it in bo_map */
struct tsr_hw_bind {
	/** @addr: of the binding's first byte. */
	u64 addr;
	/** @size: bytes. */
	u64 size;
	/** @access: TESSERA_ACCESS_*. */
	u32 access;
	/** @pad: zero. */
	u32 pad;
};

/**
 * struct tsr_hw_job - one run, as a backend sees it
 *
 * Owned by the run: valid and unchanged from stage until the backend was told
 * that the bank is free again (the next stage of the same slot, or stop).
 */
struct tsr_hw_job {
	/** @run_id: never 0. */
	u64 run_id;
	/** @prog: verified program. */
	const struct tsr_blob *prog;
	/** @images: what image_load returned, one per prog image. */
	void *const *images;
	/** @words: prog->words of them. */
	const u32 *words;
	/** @binds: prog->n_bindings of them. */
	const struct tsr_hw_bind *binds;
	/** @flags: DRM_TESSERA_RUN_*. */
	u32 flags;
};

/**
 * enum tsr_hw_end - how the cores ended a run
 * @TSR_HW_END_NONE: no record, or not ended
 * @TSR_HW_END_OK: all processors ended with status 0
 * @TSR_HW_END_FAULT: a processor faulted, the others were stopped
 * @TSR_HW_END_STOPPED: by quiesce
 */
enum tsr_hw_end {
	TSR_HW_END_NONE,
	TSR_HW_END_OK,
	TSR_HW_END_FAULT,
	TSR_HW_END_STOPPED,
};

/** struct tsr_hw_record - what the device wrote for one run (RUN-10, RUN-11) */
struct tsr_hw_record {
	/** @run_id: as written by the device; another one is no record. */
	u64 run_id;
	enum tsr_hw_end end;
	/** @fault: for TSR_HW_END_FAULT. */
	struct tsr_fault fault;
	/** @stall: where the processors stand or stood, unless OK. */
	struct tsr_stall_info stall;
};

/** struct tsr_hw_ops - one device model; every member is required (checked at creation) */
struct tsr_hw_ops {
	/** @start: bring the device up; limits are final. */
	int (*start)(struct tsr_device *tdev, void *hw);
	/**
	 * @stop: nothing runs after it. Cannot fail. Only image_free, bo_unmap and release are
	 * called from its beginning on: programs and buffers live as long as files that hold
	 * them. Images that were not unloaded are freed after it has returned.
	 */
	void (*stop)(void *hw);
	/** @release: the last user of the device is gone; frees @hw. Also after a failed start. */
	void (*release)(void *hw);

	/** @image_load: make an image ready for launches. Fallible, before anything is visible. */
	int (*image_load)(void *hw, const struct tessera_image *image, const void *data,
			  void **ret_image);
	/**
	 * @image_unload: no run refers to it any more; called once. 0: the device has let go of
	 * it. An error: unproven, and a reset follows.
	 */
	int (*image_unload)(void *hw, void *image);
	/** @image_free: give up its memory: after image_unload, a confirmed reset, or stop. */
	void (*image_free)(void *hw, void *image);

	/**
	 * @bo_map: make a buffer reachable by the device; called once per buffer, at its first
	 * binding, with the reservation held.
	 */
	int (*bo_map)(void *hw, struct drm_gem_object *obj, u64 *ret_addr);
	/** @bo_unmap: undo bo_map, when the buffer is freed; reservation held. */
	void (*bo_unmap)(void *hw, struct drm_gem_object *obj, u64 addr);

	/** @stage: fill bank @slot while another run may execute (BK-1). No allocation. */
	int (*stage)(void *hw, u32 slot, const struct tsr_hw_job *job);
	/**
	 * @launch_dispatch: first half: hand the bank to the dispatcher. Failure: not started.
	 * Else the TSR_BOUNDARY_* that it has seen itself, often 0; those are not reported by
	 * tsr_device_boundary(). No allocation.
	 */
	int (*launch_dispatch)(void *hw, u32 slot);
	/**
	 * @launch_grid: second half: let the cores go; follows each first half that did not fail.
	 * Failure: partial (RUN-12). As above; may execute a short run itself, for a bounded time.
	 */
	int (*launch_grid)(void *hw, u32 slot);

	/** @progress: a number that moves with progress (FL-3). Any context. */
	u64 (*progress)(void *hw);
	/** @quiesce: stop all cores in bounded time. 0: proven stopped. No allocation. */
	int (*quiesce)(void *hw);
	/** @record: of the bank's run, all of it. After both boundaries, or after quiesce. */
	void (*record)(void *hw, u32 slot, struct tsr_hw_record *ret);
	/** @proc_stats: figures of one processor of the last run; -ENOENT: it took no part. */
	int (*proc_stats)(void *hw, u32 slot, u16 x, u16 y, u8 proc, struct tsr_proc_stats *ret);
	/** @dump: state of one core of the last run; -ENOENT: it took no part. Nothing runs. */
	int (*dump)(void *hw, u16 x, u16 y, struct tessera_dump_core *ret);
	/**
	 * @memory: copy from a core's memory, after the last run. Nothing runs. No allocation.
	 * -ENOENT: no such core; -EINVAL: not in its memory.
	 */
	int (*memory)(void *hw, u16 x, u16 y, u32 address, void *to, u32 size);
	/** @scrub: clear what one user's run could leave for another's (CL-4). Nothing runs. */
	void (*scrub)(void *hw);
	/** @reset: back to the state after start, in bounded time. */
	int (*reset)(void *hw);
};

/**
 * tsr_device_create() - make a device and its /dev/accel node
 * @parent: of the backend; the device lives until tsr_device_unplug()
 * @ops: all members set
 * @hw: passed to every operation
 * @config: copied
 *
 * Return: the device, or ERR_PTR.
 */
struct tsr_device *tsr_device_create(struct device *parent, const struct tsr_hw_ops *ops, void *hw,
				     const struct tsr_hw_config *config);

/**
 * tsr_device_unplug() - end every run, call stop; open files see ENODEV from now on
 * @tdev: from tsr_device_create()
 */
void tsr_device_unplug(struct tsr_device *tdev);

/**
 * tsr_device_suspend() - let what executes end, and start nothing more
 * @tdev: device
 *
 * Runs are still accepted and queued. Return: 0, or -EBUSY when the run that executes
 * did not end within the no-progress limit; then nothing has changed.
 */
int tsr_device_suspend(struct tsr_device *tdev);

/**
 * tsr_device_resume() - go on with what is queued
 * @tdev: device; works again, but banks may have lost their content
 */
void tsr_device_resume(struct tsr_device *tdev);

#define TSR_BOUNDARY_DISPATCH	0x1
#define TSR_BOUNDARY_GRID	0x2
#define TSR_BOUNDARY_BOTH	0x3

/**
 * tsr_device_boundary() - a boundary of a run was seen (RUN-10). Any context.
 * @tdev: device
 * @run_id: of the run; a run that is not launched is ignored
 * @boundary: TSR_BOUNDARY_*
 */
void tsr_device_boundary(struct tsr_device *tdev, u64 run_id, u32 boundary);

/**
 * tsr_device_print() - one line printed by the run that executes. Any context.
 * @tdev: device
 * @run_id: of the run; a run that is not launched is ignored
 * @x: column of the core
 * @y: its row
 * @proc: TSR_PROC_*
 * @line: without newline or NUL
 * @len: bytes
 */
void tsr_device_print(struct tsr_device *tdev, u64 run_id, u16 x, u16 y, u8 proc,
		      const char *line, u32 len);

#endif

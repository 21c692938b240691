/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs: one submission each, used once. */
#ifndef TSR_RUN_H
#define TSR_RUN_H

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/wait.h>
#include "context.h"
#include "program.h"

struct dma_resv;
struct drm_exec;
struct tsr_diag;

/* struct tsr_dep - one in-fence of a run */
struct tsr_dep {
	struct dma_fence_cb cb;
	struct dma_fence *fence;
	struct tsr_run *run;
};

/* struct tsr_outcome - how a run ended; allocated with the run, as recording may not fail */
struct tsr_outcome {
	u32 code;			/* enum drm_tessera_code */
	u8 verdict_source;		/* DRM_TESSERA_VERDICT_* */
	u8 flags;			/* DRM_TESSERA_STATUS_* */
	u8 stall_class;
	bool dispatch_done;
	u64 reset_generation;
	union {
		struct {			/* code FAULT */
			struct tsr_fault fault;
			u32 fault_kernel;
		};
		struct {			/* with a @stall_class */
			struct tsr_stall_info stall;
			u32 stuck_kernel;
		};
		struct {			/* tsr_outcome_poisoned() */
			u64 poison_run;
			u32 poison_code;
		};
	};
};

/* tsr_outcome_poisoned() - the run did nothing wrong: it was cancelled because of @poison_run */
static inline bool tsr_outcome_poisoned(const struct tsr_outcome *out)
{
	return out->verdict_source == DRM_TESSERA_VERDICT_DRIVER && !out->code;
}

/*
 * What a run of few words and buffers brings has its place in the run: the dispatch blob, and a
 * pointer for each binding.
 */
#define TSR_RUN_SPACE		120

/*
 * struct tsr_run - one submission (RUN-1)
 *
 * Holds everything it needs from acceptance to retirement (LT-1): program,
 * buffers, fences. Resources go at retirement, the record of it with the last
 * reference. Phase and outcome are written by the thread that drives the
 * pipeline, under tdev->lock.
 */
struct tsr_run {
	/* As tsr_run_construct() made them, whenever the run is on no list. */
	union {
		struct list_head link;	/* ctx->queued, tdev->staged, ->cancels or ->quarantine */
		struct tsr_run *next;	/* in a struct tsr_run_chain, once it has ended */
	};
	struct list_head live_link;	/* ctx->live until it has ended */
	wait_queue_head_t ended;

	/* From here to @dispatch 0 in a new run. */
	struct kref ref;		/* handle, pipeline */
	u32 n_deps;
	struct tsr_context *ctx;
	struct tsr_program *prog;	/* NULL once retired */
	u64 id;
	u64 user_data;
	u8 phase;			/* enum drm_tessera_phase */
	u8 flags;			/* DRM_TESSERA_RUN_* */
	u8 boundaries;			/* TSR_BOUNDARY_*; under tdev->lock */
	u8 slot;			/* of the bank that it has the lease of */
	bool cancel;			/* asked for; under tdev->lock */
	bool shared;			/* others know one of its buffers: see resv.c */
	bool dep_failed;		/* an in-fence carried an error */
	u32 time_limit_ms;		/* from launch on; 0: none */
	atomic_t deps_pending;		/* not signalled yet; 0: may be staged */
	struct tsr_dep *deps;		/* in-fences, @n_deps */
	u64 generation;			/* of the lease of bank @slot (RUN-4); 0: none */
	struct dma_fence *fence;	/* that escapes; may be NULL; under tdev->lock */
	u64 queued_ns, staged_ns, launched_ns, completed_ns, retired_ns;
	struct tsr_outcome outcome;
	struct tsr_diag *diag;		/* NULL: not asked for */

	/*
	 * @space, or memory of its own. The private copy of the blob, with addresses for the
	 * bindings' handles, then a pointer to each buffer.
	 */
	void *dispatch;
	u64 space[TSR_RUN_SPACE / sizeof(u64)];	/* the one part that user memory is copied to */
};

/* tsr_run_binds() - prog->view.n_bindings of them, in @dispatch; until the run retires */
static inline struct tsr_hw_bind *tsr_run_binds(const struct tsr_run *run)
{
	return run->dispatch + sizeof(struct tessera_dispatch_header);
}

/* tsr_run_words() - behind those */
static inline const u32 *tsr_run_words(const struct tsr_run *run)
{
	return (const u32 *)(tsr_run_binds(run) + run->prog->view.n_bindings);
}

/* tsr_run_bos() - as many buffers, NULL where there is none yet; until the run retires */
static inline struct drm_gem_object **tsr_run_bos(const struct tsr_run *run)
{
	return run->dispatch + ALIGN((size_t)run->prog->dispatch_size, sizeof(u64));
}

static inline void tsr_run_chain_init(struct tsr_run_chain *chain)
{
	chain->first = NULL;
	chain->last = &chain->first;
}

/* tsr_run_chain_add() - at the end; a run is in one chain, once */
static inline void tsr_run_chain_add(struct tsr_run_chain *chain, struct tsr_run *run)
{
	run->next = NULL;
	*chain->last = run;
	chain->last = &run->next;
}

/* tsr_run_chain_take() - all of it, linked by @next; NULL: empty */
static inline struct tsr_run *tsr_run_chain_take(struct tsr_run_chain *chain)
{
	struct tsr_run *first = chain->first;

	tsr_run_chain_init(chain);
	return first;
}

/* tsr_run_ended() - whether the run has its final status; pairs with the pipeline's release */
static inline bool tsr_run_ended(const struct tsr_run *run)
{
	u8 phase = smp_load_acquire(&run->phase);	/* pairs with tsr_run_end() */

	return phase == DRM_TESSERA_PHASE_RETIRED || phase == DRM_TESSERA_PHASE_CANCELLED ||
	       phase == DRM_TESSERA_PHASE_QUARANTINED;
}

int tsr_runs_init(void);
void tsr_runs_exit(void);
/*
 * tsr_run_new() - with room for what @prog wants; all else 0
 * References @ctx, and takes over the caller's reference to @prog, unless it is NULL: no memory.
 */
struct tsr_run *tsr_run_new(struct tsr_context *ctx, struct tsr_program *prog);
/* tsr_run_free_spare() - of a context that goes; takes NULL */
void tsr_run_free_spare(struct tsr_run *run);
struct tsr_run *tsr_run_get(struct drm_file *file, u32 handle);
void tsr_run_put(struct tsr_run *run);
/* tsr_run_release_resources() - what a run holds until it retires; process context */
void tsr_run_release_resources(struct tsr_run *run);

/* deps.c */

/* tsr_deps_add() - look up in-syncobjs; fallible, before the run is visible */
int tsr_deps_add(struct tsr_run *run, struct drm_file *file, u64 user, u32 count);
/* tsr_deps_add_resv() - the fences of a buffer that others share; holds its reservation */
int tsr_deps_add_resv(struct tsr_run *run, struct dma_resv *resv, bool write);
/* tsr_deps_arm() - let the fences count down; the last one starts the pipeline. Cannot fail. */
void tsr_deps_arm(struct tsr_run *run);
/* tsr_deps_free() - detach from the fences and drop them; process context */
void tsr_deps_free(struct tsr_run *run);

/* resv.c */

/* tsr_resv_shared() - whether anybody but one open file knows the buffer */
static inline bool tsr_resv_shared(const struct drm_gem_object *obj)
{
	return obj->import_attach || READ_ONCE(obj->dma_buf);
}

/*
 * tsr_resv_lock() - lock the shared buffers of a run, wait for what others do with them
 *
 * Collects their fences as in-fences and makes room for ours. Interruptible. On
 * success tsr_resv_publish() must follow.
 */
int tsr_resv_lock(struct tsr_run *run, struct drm_exec *exec);
/*
 * tsr_resv_publish() - add the run's fence to its shared buffers and unlock them
 *
 * Cannot fail. Before acceptance: afterwards the run may end, and give them up, at any time.
 */
void tsr_resv_publish(struct tsr_run *run, struct drm_exec *exec);

/* submit.c */

/*
 * tsr_submit() - RUN_SUBMIT of the usual size, without what drm_ioctl() does for those of any size
 *
 * Who may call is DRM's to say. Unlike there, what cannot be answered is not accepted.
 */
long tsr_submit(struct file *file, struct drm_tessera_run_submit __user *user);
int tsr_ioctl_run_submit(struct drm_device *drm, void *data, struct drm_file *file);

/* run.c */
int tsr_ioctl_run_wait(struct drm_device *drm, void *data, struct drm_file *file);
int tsr_ioctl_run_cancel(struct drm_device *drm, void *data, struct drm_file *file);
int tsr_ioctl_run_close(struct drm_device *drm, void *data, struct drm_file *file);
int tsr_ioctl_run_fd(struct drm_device *drm, void *data, struct drm_file *file);

/* status.c */
u32 tsr_code_class(u32 code);
int tsr_code_errno(u32 code);
/* tsr_run_error() - of a run that has ended: what its fence carries; its poisoner's, or its own */
int tsr_run_error(const struct tsr_run *run);
/* tsr_status_fill() - the record as it is now; takes tdev->lock */
void tsr_status_fill(struct tsr_run *run, struct drm_tessera_status *status);
int tsr_ioctl_run_status(struct drm_device *drm, void *data, struct drm_file *file);

/* diag.c */
#ifdef TSR_NO_DIAG
/* For the benchmark: a module without diagnostics, against which "off" is measured (DX-4). */
static inline int tsr_diag_new(struct tsr_run *run, u32 flags)
{
	return flags ? -EOPNOTSUPP : 0;
}

static inline void tsr_diag_free(struct tsr_diag *diag) { }
static inline void tsr_diag_collect(struct tsr_device *tdev, struct tsr_run *run) { }
#else
int tsr_diag_make(struct tsr_run *run, u32 flags);
void tsr_diag_drop(struct tsr_diag *diag);
void tsr_diag_read(struct tsr_device *tdev, struct tsr_run *run);

/* tsr_diag_new() - room for the records that @flags (DRM_TESSERA_RUN_RECORDS) ask for */
static inline int tsr_diag_new(struct tsr_run *run, u32 flags)
{
	return flags ? tsr_diag_make(run, flags) : 0;
}

/* tsr_diag_free() - takes NULL */
static inline void tsr_diag_free(struct tsr_diag *diag)
{
	if (diag)
		tsr_diag_drop(diag);
}

/* tsr_diag_collect() - what the device has counted, if the run asked; pipeline thread */
static inline void tsr_diag_collect(struct tsr_device *tdev, struct tsr_run *run)
{
	if (run->diag)
		tsr_diag_read(tdev, run);
}
#endif
int tsr_ioctl_run_diag(struct drm_device *drm, void *data, struct drm_file *file);

#endif

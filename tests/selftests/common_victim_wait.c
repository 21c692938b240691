// SPDX-License-Identifier: MIT
/* Victims that wait: for runs, fences, the claim; and those that end what others wait for. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "common_victim_int.h"

/* ---- For runs -------------------------------------------------------------------------------- */

void victim_be_waiting(struct victim *v)
{
	__u32 run = victim_launch(v, v->ctx);

	HERE(v);
	uapi_wait(v->fd, run, UAPI_NO_TIMEOUT);
}

void victim_be_waiting_with_a_timeout(struct victim *v)
{
	__u32 run = victim_launch(v, v->ctx);

	HERE(v);
	uapi_wait(v->fd, run, uapi_in_ms(slow_times(50000)));
}

void victim_be_polling_runs(struct victim *v)
{
	__u32 run = victim_launch(v, v->ctx);

	AGAIN(v)
		if (uapi_wait(v->fd, run, uapi_now()) != -ETIME)
			_exit(2);
}

void victim_be_polling_a_descriptor(struct victim *v)
{
	struct pollfd p = { .events = POLLIN };

	p.fd = MUST(uapi_run_fd(v->fd, victim_launch(v, v->ctx)));
	HERE(v);
	poll(&p, 1, -1);
}

void victim_be_making_descriptors(struct victim *v)
{
	__u32 run = victim_launch(v, v->ctx);
	int fds[16];

	AGAIN(v) {
		for (int i = 0; i < 16; i++)
			fds[i] = MUST(uapi_run_fd(v->fd, i % 2 ? run : victim_submit(v, v->other,
										   v->exit)));
		/* The queued ones would fill the queue. */
		MUST(uapi_context_destroy(v->fd, v->other));
		MUST(uapi_context(v->fd, 0, &v->other));
		for (int i = 0; i < 16; i++)
			close(fds[i]);
	}
}

/* Two: what executes, and what is behind it. Its murderer has the second. */
void victim_be_descriptor_held_by_another(struct victim *v)
{
	victim_launch(v, v->ctx);
	victim_say(v, MUST(uapi_run_fd(v->fd, victim_submit(v, v->ctx, v->exit))));
	for (;;)
		pause();
}

void victim_be_reading_status(struct victim *v)
{
	struct drm_tessera_status s;
	__u32 run;

	AGAIN(v) {
		run = victim_submit(v, v->ctx, v->exit);
		do {
			MUST(uapi_status(v->fd, run, &s));
		} while (s.phase < DRM_TESSERA_PHASE_RETIRED);
		MUST(uapi_close_run(v->fd, run));
	}
}

void victim_be_reading_figures(struct victim *v)
{
	struct drm_tessera_run run;
	char data[4096];

	uapi_run_init(&run, v->exit);
	run.flags = DRM_TESSERA_RUN_PROFILE | DRM_TESSERA_RUN_PRINT;
	AGAIN(v) {
		struct drm_tessera_run_diag diag = {
			.what = DRM_TESSERA_DIAG_PROCS, .size = sizeof(data),
			.data = UAPI_PTR(data),
		};

		MUST(uapi_submit(v->fd, v->ctx, &run));
		MUST(uapi_wait(v->fd, run.handle, UAPI_NO_TIMEOUT));
		diag.handle = run.handle;
		MUST(uapi_ioctl(v->fd, DRM_IOCTL_TESSERA_RUN_DIAG, &diag));
		MUST(uapi_close_run(v->fd, run.handle));
	}
}

/* ---- For fences ------------------------------------------------------------------------------ */

/* A run that executes for ever and would signal @sync. */
static void launch_with_out(struct victim *v, __u32 ctx, struct drm_tessera_sync *sync)
{
	struct drm_tessera_run run;

	uapi_run_init(&run, v->loop);
	run.out_syncs = UAPI_PTR(sync);
	run.out_sync_count = 1;
	MUST(uapi_submit(v->fd, ctx, &run));
}

void victim_be_waiting_for_a_syncobj(struct victim *v)
{
	struct drm_tessera_sync sync = { 0 };

	MUST(uapi_syncobj(v->fd, false, &sync.handle));
	launch_with_out(v, v->ctx, &sync);
	HERE(v);
	uapi_syncobj_wait(v->fd, sync.handle, 0, INT64_MAX);
}

void victim_be_waiting_for_a_submit(struct victim *v)
{
	struct drm_syncobj_wait args = {
		.timeout_nsec = INT64_MAX, .count_handles = 1,
		.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
	};
	__u32 handle;

	MUST(uapi_syncobj(v->fd, false, &handle));
	args.handles = UAPI_PTR(&handle);
	HERE(v);
	uapi_ioctl(v->fd, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

void victim_be_depending(struct victim *v)
{
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_run run;

	MUST(uapi_syncobj(v->fd, false, &sync.handle));
	launch_with_out(v, v->ctx, &sync);
	uapi_run_init(&run, v->exit);
	run.in_syncs = UAPI_PTR(&sync);
	run.in_sync_count = 1;
	for (int i = 0; i < 4; i++)
		MUST(uapi_submit(v->fd, v->other, &run));
	victim_stay(v);
}

void victim_be_signalling_a_timeline(struct victim *v)
{
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_run run;

	MUST(uapi_syncobj(v->fd, false, &sync.handle));
	uapi_run_init(&run, v->exit);
	run.out_syncs = UAPI_PTR(&sync);
	run.out_sync_count = 1;
	AGAIN(v) {
		sync.point++;
		MUST(uapi_submit(v->fd, v->ctx, &run));
		if (sync.point % 4 == 0)
			MUST(uapi_syncobj_wait(v->fd, sync.handle, sync.point, INT64_MAX));
		MUST(uapi_close_run(v->fd, run.handle));
	}
}

/* ---- For the claim --------------------------------------------------------------------------- */

void victim_be_holding_the_claim(struct victim *v)
{
	MUST(uapi_claim(v->fd, v->ctx, 0, UAPI_NO_TIMEOUT));
	victim_stay(v);
}

void victim_be_executing_in_a_hold(struct victim *v)
{
	MUST(uapi_claim(v->fd, v->ctx, 0, UAPI_NO_TIMEOUT));
	victim_launch(v, v->ctx);
	victim_submit(v, v->other, v->exit);
	victim_stay(v);
}

/* Its own other context executes, and does not end. */
void victim_be_waiting_for_the_claim(struct victim *v)
{
	victim_launch(v, v->other);
	HERE(v);
	uapi_claim(v->fd, v->ctx, 0, UAPI_NO_TIMEOUT);
}

void victim_be_passing_the_claim(struct victim *v)
{
	for (__u32 said = 0, ctx = v->ctx;; ctx = ctx == v->ctx ? v->other : v->ctx) {
		MUST(uapi_claim(v->fd, ctx, 0, UAPI_NO_TIMEOUT));
		victim_submit(v, ctx, v->exit);
		uapi_claim_release(v->fd, ctx);
		if (!said++)
			HERE(v);
	}
}

/* ---- Ending things --------------------------------------------------------------------------- */

void victim_be_resetting_the_device(struct victim *v)
{
	AGAIN(v) {
		struct drm_tessera_device_reset args = { 0 };

		victim_submit(v, v->ctx, v->exit);
		MUST(uapi_ioctl(v->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	}
}

/* A run of v->other depends on one that is cancelled, and two more are behind it. */
static void poison(struct victim *v)
{
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_run run, first;

	MUST(uapi_syncobj(v->fd, false, &sync.handle));
	uapi_run_init(&first, v->loop);
	first.out_syncs = UAPI_PTR(&sync);
	first.out_sync_count = 1;
	MUST(uapi_submit(v->fd, v->ctx, &first));
	uapi_run_init(&run, v->exit);
	run.in_syncs = UAPI_PTR(&sync);
	run.in_sync_count = 1;
	for (int i = 0; i < 3; i++)
		MUST(uapi_submit(v->fd, v->other, &run));
	MUST(uapi_cancel(v->fd, first.handle));
	MUST(uapi_wait(v->fd, run.handle, UAPI_NO_TIMEOUT));
	MUST(uapi_syncobj_destroy(v->fd, sync.handle));
}

void victim_be_poisoning_and_resetting_a_context(struct victim *v)
{
	struct drm_tessera_context_reset args = { .handle = v->other };

	AGAIN(v) {
		poison(v);
		MUST(uapi_ioctl(v->fd, DRM_IOCTL_TESSERA_CONTEXT_RESET, &args));
	}
}

void victim_be_poisoned(struct victim *v)
{
	poison(v);
	victim_launch(v, v->ctx);
	victim_stay(v);
}

void victim_be_cancelling_queued_runs(struct victim *v)
{
	__u32 runs[4];

	victim_launch(v, v->ctx);
	AGAIN(v) {
		for (int i = 0; i < 4; i++)
			runs[i] = victim_submit(v, v->other, v->exit);
		for (int i = 4; i--;)
			MUST(uapi_cancel(v->fd, runs[i]));
		for (int i = 0; i < 4; i++)
			MUST(uapi_close_run(v->fd, runs[i]));
	}
}

void victim_be_cancelling_launched_runs(struct victim *v)
{
	AGAIN(v) {
		__u32 run = victim_submit(v, v->ctx, v->loop);

		if (rand_r(&v->seed) & 64)
			usleep(rand_r(&v->seed) % 1000);
		MUST(uapi_cancel(v->fd, run));
		if (rand_r(&v->seed) & 64)
			MUST(uapi_wait(v->fd, run, UAPI_NO_TIMEOUT));
		MUST(uapi_close_run(v->fd, run));
	}
}

void victim_be_destroying_contexts(struct victim *v)
{
	__u32 ctx;

	AGAIN(v) {
		MUST(uapi_context(v->fd, 0, &ctx));
		for (int i = 0; i < 4; i++)
			victim_submit(v, ctx, i ? v->exit : v->loop);
		MUST(uapi_context_destroy(v->fd, ctx));
	}
}

/* ---- Everything at once ---------------------------------------------------------------------- */

static void *thread_waits(void *arg)
{
	victim_be_waiting(arg);
	return NULL;
}

static void *thread_submits(void *arg)
{
	victim_be_submitting(arg);
	return NULL;
}

static void *thread_wants_the_claim(void *arg)
{
	victim_be_passing_the_claim(arg);
	return NULL;
}

static void *thread_cancels(void *arg)
{
	victim_be_cancelling_launched_runs(arg);
	return NULL;
}

void victim_be_in_many_threads(struct victim *v)
{
	void *(*const lives[])(void *) = {
		thread_waits, thread_submits, thread_wants_the_claim, thread_cancels,
	};
	pthread_t thread;

	for (unsigned int i = 0; i < UAPI_ARRAY_SIZE(lives); i++)
		if (pthread_create(&thread, NULL, lives[i], v))
			victim_give_up("pthread_create", -EAGAIN);
	for (;;)
		pause();
}

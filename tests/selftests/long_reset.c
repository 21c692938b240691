// SPDX-License-Identifier: MIT
/*
 * Resets of the device under load, TSR_RESETS times: each moves the generation by one, ends what
 * executes and nothing else, and wakes nobody for nothing (FL-8). From several processes at once,
 * while others submit, wait, cancel, hold the claim.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "common_bystander.h"
#include "common_count.h"
#include "common_fault.h"
#include "common_harness.h"

#define LOADS		3
#define WITHIN_MS	5000
#define SETTLE_MS	10000

FIXTURE(reset) {
	struct fault f;
	struct bystanders others;
};

FIXTURE_SETUP(reset)
{
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=60000 queue_capacity=16"));
}

FIXTURE_TEARDOWN(reset)
{
	fault_close(&self->f);
}

struct load {
	const char *name;
	int kind;
	pthread_t thread;
	unsigned long ok, reset, cancelled;
	int err;
};

static bool stop;

static bool stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

/* How a run may end here: well, by the reset, or because it was cancelled. */
static int count_end(struct load *l, const struct drm_tessera_status *s)
{
	switch (s->code) {
	case DRM_TESSERA_CODE_OK:
		l->ok++;
		return 0;
	case DRM_TESSERA_CODE_RESET:
		l->reset++;
		return 0;
	case DRM_TESSERA_CODE_STOPPED:
	case DRM_TESSERA_CODE_CANCELLED:
		l->cancelled++;
		return 0;
	default:
		dev_status_print(s);
		return -EBADMSG;
	}
}

/* A long run that only the reset or its cancelling ends, and short ones behind it. */
static int load_round(struct load *l, int fd, __u32 ctx, __u32 loop, __u32 quick)
{
	struct drm_tessera_status s;
	__u32 runs[6];
	int err = 0;

	for (int i = 0; i < 6 && !err; i++)
		err = uapi_submit_program(fd, ctx, i || l->kind == 0 ? quick : loop, &runs[i]);
	if (err)
		return err;
	if (l->kind == 1)
		uapi_sleep_ms(2);
	if (l->kind)
		err = uapi_cancel(fd, runs[0]);
	for (int i = 0; i < 6 && !err; i++) {
		err = uapi_end(fd, runs[i], &s);
		if (!err)
			err = count_end(l, &s);
		uapi_close_run(fd, runs[i]);
	}
	return err;
}

static void *load(void *arg)
{
	struct load *l = arg;
	int fd = uapi_open(l->name);
	__u32 ctx, loop, quick;

	l->err = fd < 0 ? fd : uapi_context(fd, 0, &ctx);
	if (!l->err)
		l->err = uapi_loop_program(fd, &loop);
	if (!l->err)
		l->err = uapi_exit_program(fd, 0, &quick);
	while (!l->err && !stopped()) {
		if (l->kind == 2)
			uapi_claim(fd, ctx, 0, uapi_in_ms(20));
		l->err = load_round(l, fd, ctx, loop, quick);
		if (l->kind == 2)
			uapi_claim_release(fd, ctx);
	}
	close(fd);
	return NULL;
}

/* So many, and more until one has met a run, which on a slow machine most do not. */
static void reset_often(struct __test_metadata *_metadata, const struct fault *f,
			unsigned long least, unsigned long *ret_resets)
{
	__u64 last = fault_info(f).reset_generation;
	unsigned int seed = 1;
	unsigned long i;

	for (i = 0; i < least || (i < 50 * least && !fault_counters(f).runs_failed_device); i++) {
		struct drm_tessera_device_reset args = { 0 };
		__s64 start = uapi_now();

		ASSERT_EQ(0, uapi_ioctl(f->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
		/* Nobody else resets: more is a reset for nothing, less a lie. */
		ASSERT_EQ(last + 1, args.generation);
		last = args.generation;
		/* Three attempts, each of which may wait a second for the cores (FL-8). */
		EXPECT_GT(WITHIN_MS, (uapi_now() - start) / 1000000);
		usleep(rand_r(&seed) % 6000);
	}
	*ret_resets = i;
}

TEST_F_TIMEOUT(reset, under_load, LONG_TIMEOUT)
{
	unsigned long resets = 0, ended = 0;
	struct load loads[LOADS];
	struct drm_tessera_counters c;

	ASSERT_EQ(0, bystanders_start(&self->others, self->f.name));
	bystanders_may_be_reset(&self->others, true);
	for (int i = 0; i < LOADS; i++) {
		loads[i] = (struct load){ .name = self->f.name, .kind = i };
		ASSERT_EQ(0, pthread_create(&loads[i].thread, NULL, load, &loads[i]));
	}
	reset_often(_metadata, &self->f, long_count("TSR_RESETS", 50), &resets);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < LOADS; i++) {
		pthread_join(loads[i].thread, NULL);
		EXPECT_EQ(0, loads[i].err);
		/* 0: this kind of load did nothing. */
		EXPECT_LT(0, loads[i].ok);
		ended += loads[i].reset;
		TH_LOG("load %d: %lu well, %lu by a reset, %lu cancelled", i, loads[i].ok,
		       loads[i].reset, loads[i].cancelled);
	}
	/* 0: the resets met nobody. */
	EXPECT_LT(0, ended);
	EXPECT_EQ(0, bystanders_stop(&self->others));
	ASSERT_EQ(0, dev_settled(self->f.fd, &self->f.base, SETTLE_MS));
	c = fault_counters(&self->f);
	EXPECT_EQ(resets, c.resets);
	EXPECT_EQ(0, c.resets_failed);
	/* More: a reset ended what did not execute. */
	EXPECT_GE(resets, c.runs_failed_device);
	EXPECT_EQ(0, uapi_unbalanced(&c));
	EXPECT_EQ(0, c.runs_quarantined);
	EXPECT_TRUE(fault_good(&self->f));
}

TEST_HARNESS_MAIN

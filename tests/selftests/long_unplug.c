// SPDX-License-Identifier: MIT
/*
 * Devices unbound under load, TSR_UNBINDS times: by configfs, by sysfs, by themselves. Who waits
 * for a run, for a fence, for the claim, for a place in the queue is back within a second, and
 * nothing of the device is left when its files are closed (FL-9, F107, F119).
 */
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_count.h"
#include "common_fault.h"
#include "common_node.h"
#include "common_harness.h"

#define QUEUE		4
#define WITHIN_MS	1000
#define UNBIND		"/sys/bus/platform/drivers/tessera-soft/unbind"

enum role {
	WAITS_FOR_A_RUN, POLLS_A_FENCE, WAITS_FOR_A_SYNCOBJ, WAITS_FOR_THE_CLAIM,
	WANTS_A_PLACE, SUBMITS, CREATES, QUERIES, ROLES
};

static const char *const roles[ROLES] = {
	"waits for a run", "polls a fence", "waits for a syncobj", "waits for the claim",
	"wants a place in the queue", "submits", "creates", "queries",
};

/* One open file with a full queue, and a thread for each role. */
struct house {
	const char *name;
	int fd, fence;
	__u32 full, holds, wants, free;	/* contexts */
	__u32 program, syncobj, last;
	struct uapi_gate gate;
	struct actor {
		struct house *house;
		pthread_t thread;
		int ret;
		__s64 back;		/* when */
	} actors[ROLES];
};

FIXTURE(unbound) {
	struct house h;
	unsigned int nodes;		/* of the machine, without ours */
	__s64 longest_us[ROLES];
};

static int waits_for_a_syncobj(const struct house *h)
{
	int err = uapi_syncobj_wait(h->fd, h->syncobj, 0, INT64_MAX);

	return err ? err : -ENODEV;
}

static int polls_a_fence(const struct house *h)
{
	struct pollfd p = { .fd = h->fence, .events = POLLIN };

	return poll(&p, 1, -1) == 1 ? dev_fd_error(h->fence, 0) : -errno;
}

static int submits(const struct house *h)
{
	__u32 run;
	int err;

	do {
		err = uapi_submit_program(h->fd, h->free, h->program, &run);
		if (!err)
			err = uapi_close_run(h->fd, run);
	} while (!err);
	return err;
}

static int creates(const struct house *h)
{
	struct drm_tessera_device_info info;
	__u32 bo, program, ctx;
	int err;

	do {
		err = uapi_bo(h->fd, 65536, &bo);
		if (!err)
			err = uapi_exit_program(h->fd, 3, &program);
		if (!err)
			err = uapi_context(h->fd, 0, &ctx);
		if (!err)
			err = uapi_context_destroy(h->fd, ctx);
		if (!err)
			err = uapi_program_destroy(h->fd, program);
		if (!err)
			err = uapi_bo_close(h->fd, bo);
	} while (!err);
	/* So it says when the device cannot even tell for what the program should be. */
	return err == -EIO ? uapi_info(h->fd, &info) : err;
}

static int queries(const struct house *h)
{
	struct drm_tessera_device_info info;
	int err;

	do {
		err = uapi_info(h->fd, &info);
		usleep(300);
	} while (!err);
	return err;
}

static int act(const struct house *h, enum role role)
{
	__u32 run;
	int err;

	switch (role) {
	case WAITS_FOR_A_RUN:
		err = uapi_wait(h->fd, h->last, UAPI_NO_TIMEOUT);
		/* It has ended, because the device is gone. */
		return err ? err : -ENODEV;
	case POLLS_A_FENCE:
		return polls_a_fence(h);
	case WAITS_FOR_A_SYNCOBJ:
		return waits_for_a_syncobj(h);
	case WAITS_FOR_THE_CLAIM:
		return uapi_claim(h->fd, h->wants, 0, UAPI_NO_TIMEOUT);
	case WANTS_A_PLACE:
		return uapi_submit_program(h->fd, h->full, h->program, &run);
	case SUBMITS:
		return submits(h);
	case CREATES:
		return creates(h);
	default:
		return queries(h);
	}
}

static void *live(void *arg)
{
	struct actor *a = arg;

	a->ret = act(a->house, (enum role)(a - a->house->actors));
	a->back = uapi_now();
	return NULL;
}

static int open_house(struct house *h, const char *name)
{
	int err = soft_create(name, "no_progress_ms=60000 width=2 height=2");

	memset(h, 0, sizeof(*h));
	h->name = name;
	h->fd = err ? err : uapi_open(name);
	err = h->fd < 0 ? h->fd : uapi_context(h->fd, QUEUE, &h->full);
	if (!err)
		err = uapi_context(h->fd, 0, &h->wants);
	if (!err)
		err = uapi_context(h->fd, 8, &h->free);
	if (!err)
		err = uapi_exit_program(h->fd, 0, &h->program);
	if (!err)
		err = uapi_syncobj(h->fd, false, &h->syncobj);
	return err ? err : uapi_gate_new(h->fd, &h->gate);
}

static void close_house(struct house *h)
{
	munmap((void *)h->gate.word, 4096);
	free(h->gate.dispatch);
	close(h->fence);
	close(h->fd);
	soft_remove(h->name);
}

/* One run executes, one is staged, two are queued; the last has a fence, and signals a syncobj. */
static int fill_queue(struct house *h, __u32 *ret_first)
{
	struct drm_tessera_sync out = { .handle = h->syncobj };
	struct drm_tessera_run run;
	int err = 0;

	for (int i = 0; i < QUEUE - 1 && !err; i++)
		err = uapi_gate_submit(h->fd, h->full, &h->gate, i ? &h->last : ret_first);
	uapi_run_init(&run, h->gate.program);
	uapi_run_set_dispatch(&run, h->gate.dispatch, h->gate.dispatch_size);
	run.out_syncs = UAPI_PTR(&out);
	run.out_sync_count = 1;
	if (!err)
		err = uapi_submit(h->fd, h->full, &run);
	h->last = run.handle;
	h->fence = err ? -1 : uapi_run_fd(h->fd, h->last);
	if (!err)
		err = uapi_wait_phase(h->fd, *ret_first, DRM_TESSERA_PHASE_LAUNCHED);
	return err ? err : h->fence < 0 ? h->fence : 0;
}

/* ---- Ways to go ----------------------------------------------------------------------------- */

static int unbind_by_sysfs(const char *name)
{
	char path[64], link[96], target[256];
	ssize_t n, done;
	int fd, err = soft_node(name, path, sizeof(path));

	if (err)
		return err;
	snprintf(link, sizeof(link), "/sys/class/accel%s/device", strrchr(path, '/'));
	n = readlink(link, target, sizeof(target) - 1);
	fd = open(UNBIND, O_WRONLY | O_CLOEXEC);
	if (n < 0 || fd < 0)
		return -errno;
	target[n] = '\0';
	done = write(fd, strrchr(target, '/') + 1, strlen(strrchr(target, '/') + 1));
	err = done < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* The stop of the cancelled run is the moment at which the device goes by itself. */
static int vanish(const struct house *h, __u32 first)
{
	int err = soft_write(h->name, "fault_plan", "vanish at=quiesce");

	return err ? err : uapi_cancel(h->fd, first);
}

static int unplug(const struct house *h, unsigned long way, __u32 first)
{
	switch (way % 4) {
	case 0:
		return soft_write(h->name, "enable", "0");
	case 1:
		return unbind_by_sysfs(h->name);
	case 2:
		return vanish(h, first);
	default:
		return soft_remove(h->name);
	}
}

static void unbind_once(struct __test_metadata *_metadata, FIXTURE_DATA(unbound) *self,
			unsigned long i)
{
	unsigned int seed = (unsigned int)i;
	struct house *h = &self->h;
	__u32 first;
	__s64 start;

	ASSERT_EQ(0, open_house(h, "long-unplug"));
	ASSERT_EQ(0, fill_queue(h, &first));
	for (int r = 0; r < ROLES; r++) {
		h->actors[r] = (struct actor){ .house = h, .ret = 1 };
		ASSERT_EQ(0, pthread_create(&h->actors[r].thread, NULL, live, &h->actors[r]));
	}
	usleep(2000 + rand_r(&seed) % 8000);
	/* In half of the rounds the queue moves when it happens. Then there is nothing to stop. */
	if (i & 4 && i % 4 != 2)
		*h->gate.word = 1;
	start = uapi_now();
	ASSERT_EQ(0, unplug(h, i, first));
	for (int r = 0; r < ROLES; r++) {
		struct actor *a = &h->actors[r];

		pthread_join(a->thread, NULL);
		if (self->longest_us[r] < (a->back - start) / 1000)
			self->longest_us[r] = (a->back - start) / 1000;
		/* Later: it sleeps on something that nobody is going to wake. */
		EXPECT_GT(WITHIN_MS, (a->back - start) / 1000000)
			TH_LOG("round %lu: who %s", i, roles[r]);
		/* What had ended well before, or got what it waited for, ends by 0, or runs on. */
		if (a->ret && (a->ret != 1 || r != POLLS_A_FENCE)) {
			EXPECT_EQ(-ENODEV, a->ret)
				TH_LOG("round %lu: who %s", i, roles[r]);
		}
	}
	close_house(h);
}

/* A device that is not given back keeps the module; one a round would eat the machine. */
FIXTURE_SETUP(unbound)
{
	soft_remove_all();
	self->nodes = count_nodes();
}

FIXTURE_TEARDOWN(unbound)
{
}

TEST_F_TIMEOUT(unbound, everybody_is_back_within_a_second, LONG_TIMEOUT)
{
	unsigned long rounds = long_count("TSR_UNBINDS", 16);
	__s64 start = uapi_now();

	for (unsigned long i = 0; i < rounds; i++) {
		unbind_once(_metadata, self, i);
		if (!__test_passed(_metadata))
			break;
	}
	EXPECT_EQ(self->nodes, count_nodes());
	TH_LOG("%lu unbinds, %lld ms each", rounds,
	       (long long)(uapi_now() - start) / 1000000 / (long long)rounds);
	for (int r = 0; r < ROLES; r++)
		TH_LOG("who %s was back after %lld us at most", roles[r],
		       (long long)self->longest_us[r]);
	/* EBUSY: something of a device is left. */
	ASSERT_EQ(0, soft_unload_soon());
	ASSERT_EQ(0, soft_load(""));
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: MIT
/*
 * A device that goes before, after or while a file closes that left something with it (FL-9):
 * whatever the module still does for that file must not touch a device that is gone. The kernel
 * tells: the VM poisons freed pages.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_count.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME	"unplug-order"

/* A file with what it leaves. */
struct left {
	int fd;
	__u32 context, second, program, run;
	struct uapi_gate gate;
	pthread_t waiter;
	bool waits;
};

/* ---- What is left ------------------------------------------------------------------------- */

static int nothing(struct left *l)
{
	return 0;
}

static int holds_the_claim(struct left *l)
{
	return uapi_claim(l->fd, l->context, DRM_TESSERA_CLAIM_NONBLOCK, 0);
}

static void *wait_for_claim(void *arg)
{
	struct left *l = arg;

	uapi_claim(l->fd, l->second, 0, uapi_soon());
	return NULL;
}

/* In a thread: it has the file open until the device goes or the claim is released. */
static int waits_for_the_claim(struct left *l)
{
	int err = holds_the_claim(l) ?: uapi_context(l->fd, 0, &l->second);

	l->waits = !err && !pthread_create(&l->waiter, NULL, wait_for_claim, l);
	uapi_sleep_ms(5);
	return err;
}

static int run_behind_a_fence(struct left *l)
{
	struct drm_tessera_sync sync = { 0 };
	struct drm_tessera_run run;
	int err = uapi_syncobj(l->fd, false, &sync.handle);

	if (err)
		return err;
	/* A timeline point of ours that another run of this file would make: that run executes. */
	err = uapi_gate_submit(l->fd, l->context, &l->gate, &l->run);
	uapi_run_init(&run, l->program);
	run.out_syncs = (uintptr_t)&sync;
	run.out_sync_count = 1;
	err = err ?: uapi_submit(l->fd, l->context, &run);
	uapi_run_init(&run, l->program);
	run.in_syncs = (uintptr_t)&sync;
	run.in_sync_count = 1;
	err = err ?: uapi_context(l->fd, 0, &l->second);
	return err ?: uapi_submit(l->fd, l->second, &run);
}

static int run_that_executes(struct left *l)
{
	return uapi_gate_submit(l->fd, l->context, &l->gate, &l->run) ?:
	       uapi_wait_phase(l->fd, l->run, DRM_TESSERA_PHASE_LAUNCHED);
}

static int image_that_does_not_go(struct left *l)
{
	return soft_write(NAME, "fault_plan", "unload fail count=0");
}

static int holds_and_executes(struct left *l)
{
	return holds_the_claim(l) ?: run_that_executes(l);
}

static const struct {
	const char *name;
	int (*leave)(struct left *l);
} states[] = {
	{ "nothing", nothing },
	{ "holds the claim", holds_the_claim },
	{ "waits for the claim", waits_for_the_claim },
	{ "a run behind a fence", run_behind_a_fence },
	{ "a run that executes", run_that_executes },
	{ "an image that does not go", image_that_does_not_go },
	{ "holds the claim and executes", holds_and_executes },
};

/* ---- In which order ----------------------------------------------------------------------- */

static void *remove_it(void *arg)
{
	soft_remove(NAME);
	return NULL;
}

static void close_it(struct left *l)
{
	munmap((void *)l->gate.word, 4096);
	close(l->fd);
}

static void device_first(struct left *l)
{
	soft_remove(NAME);
	close_it(l);
}

static void device_in_its_last_moment(struct left *l)
{
	soft_write(NAME, "enable", "0");
	close_it(l);
	soft_remove(NAME);
}

static void file_first(struct left *l)
{
	close_it(l);
	soft_remove(NAME);
}

static void context_then_device_then_file(struct left *l)
{
	uapi_context_destroy(l->fd, l->context);
	soft_remove(NAME);
	close_it(l);
}

static void both_at_once(struct left *l)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, remove_it, NULL))
		return;
	close_it(l);
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*go)(struct left *l);
} orders[] = {
	{ "device first", device_first },
	{ "device disabled, file, directory", device_in_its_last_moment },
	{ "file first", file_first },
	{ "context, device, file", context_then_device_then_file },
	{ "both at once", both_at_once },
};

static int leave(struct left *l, int (*what)(struct left *l))
{
	int err = soft_create(NAME, "");

	if (err)
		return err;
	l->fd = uapi_open(NAME);
	if (l->fd < 0)
		return l->fd;
	return uapi_context(l->fd, 0, &l->context) ?:
	       uapi_exit_program(l->fd, 0, &l->program) ?:
	       uapi_gate_new(l->fd, &l->gate) ?: what(l);
}

FIXTURE(unplug_order) {
};

FIXTURE_SETUP(unplug_order)
{
}

FIXTURE_TEARDOWN(unplug_order)
{
	soft_remove(NAME);
}

TEST_F_TIMEOUT(unplug_order, every_order_of_every_state, LONG_TIMEOUT)
{
	unsigned long n = long_count("TSR_ORDERS", 1);

	for (unsigned long i = 0; i < n; i++) {
		for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++) {
			for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++) {
				struct left l = { 0 };

				ASSERT_EQ(0, leave(&l, states[s].leave))
					TH_LOG("%s, %s", states[s].name, orders[o].name);
				orders[o].go(&l);
				if (l.waits)
					pthread_join(l.waiter, NULL);
			}
		}
	}
}

TEST_HARNESS_MAIN

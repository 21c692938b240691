// SPDX-License-Identifier: MIT
/*
 * Out of memory in the library's calls that need a device. As in tests/lib/oom.c: the k-th
 * allocation fails, for every k, alone or with all that follow; a call either works or says
 * -ENOMEM, and then works when made again. Nothing of it stays on the device, and the cache holds
 * the one program that it always holds. Built with ASan, which looks for leaks at each test's end.
 *
 * The first FIRST allocations, and of the others one in STEP; TSR_OOM_STEP=1 takes them all.
 */
#include <poll.h>
#include <sys/socket.h>
#include "common_alloc.h"
#include "common_event.h"
#include "common_harness.h"
#include "common_lib.h"

#define FIRST		8u
#define STEP		7u
#define MOST		5000u
#define OUT_SYNCS	12u	/* more than the library has room for without allocating */

struct oom {
	struct alloc_try t;
	struct lib lib;
	struct tsr_listener *listener;
	char runner[64];		/* a file */
};

#define OOM(call)		TRY(&o->t, 0, call)
#define OOM_NEW(object, call)	TRY_NEW(&o->t, object, call)

/* --- calls ----------------------------------------------------------------------------------- */

static void open_device(struct oom *o)
{
	struct tsr_device_state state;
	struct tsr_counters counters;
	struct tsr_context *ctx = NULL;
	struct tsr_device *dev = NULL;
	struct tsr_coreset *cores = NULL;

	OOM(tsr_device_open(NULL, &dev));
	if (!dev)
		return;
	OOM_NEW(cores, tsr_device_cores(dev));
	OOM(tsr_device_state(dev, &state));
	OOM(tsr_device_counters(dev, &counters));
	OOM(tsr_context_new(dev, NULL, &ctx));
	OOM(tsr_context_counters(ctx, &counters));
	OOM(tsr_context_reset(ctx));
	OOM(tsr_claim_acquire(ctx, 0));
	OOM(tsr_claim_release(ctx));
	tsr_context_unref(ctx);
	tsr_coreset_free(cores);
	tsr_device_unref(dev);
}

static void use_buffers(struct oom *o)
{
	struct tsr_buffer *buffer = NULL, *same = NULL, *other = NULL;
	struct tsr_device *dev = NULL;
	int fd = -1;
	void *mem;

	OOM(tsr_buffer_new(o->lib.dev, 8192, &buffer));
	OOM(tsr_buffer_map(buffer, &mem));
	OOM(tsr_buffer_export(buffer, &fd));
	OOM(tsr_buffer_import(o->lib.dev, fd, &same));
	OOM(tsr_device_open(NULL, &dev));
	OOM(tsr_buffer_import(dev, fd, &other));
	OOM(tsr_buffer_map(other, &mem));
	close(fd);
	tsr_buffer_unref(other);
	tsr_buffer_unref(same);
	tsr_buffer_unref(buffer);
	tsr_device_unref(dev);
}

/* What can be asked of a run that has ended. */
static void look_at_run(struct oom *o, struct tsr_run *run)
{
	struct tsr_processor_stats *stats = NULL;
	struct tsr_status status;
	char *text = NULL;
	size_t count;
	int fd = -1;

	OOM(tsr_run_wait(run, -1));
	OOM(tsr_run_verdict(run));
	OOM(tsr_run_status(run, &status));
	OOM(tsr_run_fd(run, &fd));
	OOM(tsr_run_processors(run, &stats, &count));
	OOM(tsr_run_print(run, &text));
	OOM(tsr_run_cancel(run));
	if (text && !strstr(text, "hello"))
		alloc_wrong(&o->t, "the print");
	free(stats);
	free(text);
	close(fd);
}

static void run_once(struct oom *o)
{
	const struct tsr_submit_options options = {
		.flags = TSR_SUBMIT_PROFILE | TSR_SUBMIT_PRINT,
	};
	struct tsr_run *run = NULL;

	o->lib.what = LIB_PRINT;
	OOM(lib_submit(&o->lib, &options, &run));
	if (run)
		look_at_run(o, run);
	tsr_run_unref(run);
}

/* A miss of the cache, then a hit. */
static void run_twice(struct oom *o)
{
	run_once(o);
	run_once(o);
}

/* Nobody waits: the library sees the end by itself. */
static void abandon_run(struct oom *o)
{
	struct tsr_run *run = NULL;

	o->lib.what = LIB_REPORT;
	OOM(lib_submit(&o->lib, NULL, &run));
	tsr_run_unref(run);
}

static void run_with_syncs(struct oom *o)
{
	struct tsr_sync syncs[OUT_SYNCS] = { 0 };
	struct tsr_submit_options options = { .out_count = OUT_SYNCS, .out_syncs = syncs };
	int fd = tsr_device_fd(o->lib.dev);
	struct tsr_run *run = NULL;

	for (unsigned int i = 0; i < OUT_SYNCS; i++)
		uapi_syncobj(fd, false, &syncs[i].handle);
	OOM(lib_submit(&o->lib, &options, &run));
	if (run)
		OOM(tsr_run_wait(run, -1));
	tsr_run_unref(run);
	for (unsigned int i = 0; i < OUT_SYNCS; i++)
		uapi_syncobj_destroy(fd, syncs[i].handle);
}

#define BATCH	6u

/* The rest of a batch. Out of memory it ends early, and says what of: what is accepted stays so. */
static int batch_once(struct oom *o, const struct tsr_submission *submissions,
		      struct tsr_run **runs, size_t *done)
{
	struct tsr_batch batch = { 0 };
	int err = tsr_submit_batch(o->lib.ctx, submissions + *done, BATCH - *done, 0, runs + *done,
				   &batch, NULL);

	if (err ? batch.accepted : !batch.accepted)
		alloc_wrong(&o->t, "the number of accepted runs");
	*done += batch.accepted;
	return err ? err : batch.error ? batch.error : *done < BATCH ? -EPROTO : 0;
}

static void submit_batch(struct oom *o)
{
	const struct tsr_tensor tensor = { .buffer = o->lib.buffer };
	struct tsr_submission submissions[BATCH];
	struct tsr_run *runs[BATCH] = { NULL };
	size_t done = 0;

	for (unsigned int i = 0; i < BATCH; i++)
		submissions[i] = (struct tsr_submission){
			.op = o->lib.op, .tensors = &tensor, .tensor_count = 1,
		};
	OOM(batch_once(o, submissions, runs, &done));
	for (unsigned int i = 0; i < BATCH; i++) {
		if (runs[i])
			OOM(tsr_run_wait(runs[i], -1));
		tsr_run_unref(runs[i]);
	}
}

static int staged_once(struct oom *o, uint32_t *memory, size_t size, struct tsr_run **ret_run)
{
	const struct tsr_staged_tensor tensor = { .memory = memory, .size = size };
	struct tsr_diag *diag = NULL;
	int err = tsr_submit_staged(o->lib.op, o->lib.ctx, &tensor, 1, NULL, ret_run, &diag);

	tsr_diag_free(diag);
	return err;
}

static void submit_staged(struct oom *o)
{
	uint32_t memory[4 * LIB_SLOT / 4] = { 0 };
	struct tsr_transfer transfer;
	struct tsr_run *run = NULL;

	o->lib.what = LIB_REPORT;
	o->lib.word = 5;
	OOM(staged_once(o, memory, sizeof(memory), &run));
	if (!run)
		return;
	OOM(tsr_run_wait(run, -1));
	if (memory[2] != 5)
		alloc_wrong(&o->t, "the output");
	if (tsr_run_transfers(run, &transfer, 1) != 1)
		alloc_wrong(&o->t, "the transfers");
	tsr_run_unref(run);
}

static int save_once(struct oom *o)
{
	const struct tsr_tensor tensor = { .buffer = o->lib.buffer };

	return tsr_runner_save(o->lib.op, &tensor, 1, o->runner, NULL);
}

static int load_once(struct oom *o, struct tsr_runner **ret)
{
	return tsr_runner_load(o->lib.dev, o->runner, ret, NULL);
}

static void save_and_load(struct oom *o)
{
	struct tsr_runner *runner = NULL;

	snprintf(o->runner, sizeof(o->runner), "/tmp/oom-%d", (int)getpid());
	OOM(save_once(o));
	OOM(load_once(o, &runner));
	tsr_runner_unref(runner);
	unlink(o->runner);
}

static void list_all(struct oom *o)
{
	struct tsr_context_entry *contexts = NULL;
	struct tsr_device_entry *devices = NULL;
	size_t n_devices = 0, n_contexts = 0;
	uint64_t generation;

	OOM(tsr_device_list(&devices, &n_devices));
	OOM(tsr_context_list(TSR_ALL_DEVICES, &contexts, &n_contexts));
	if (!n_devices || !n_contexts)
		alloc_wrong(&o->t, "an empty list");
	OOM(tsr_minor_reset(devices ? devices[0].minor : 0, &generation));
	free(contexts);
	free(devices);
}

/* An event of @type, with those before it. */
static int await_event(struct oom *o, uint32_t type)
{
	struct tsr_event event;
	int err;

	do {
		err = tsr_listener_next(o->listener, INT64_C(20000000000), &event);
	} while (!err && event.type != type);
	return err;
}

/* Of a device that the listener did not know when it was opened: it has to make a note of it. */
static void follow_events(struct oom *o)
{
	OOM(tsr_listener_open(&o->listener));
	if (!o->listener)
		return;
	if (soft_create("oom", ""))
		alloc_wrong(&o->t, "no second device");
	OOM(await_event(o, TSR_EVENT_DEVICE_ADDED));
	if (soft_remove("oom"))
		alloc_wrong(&o->t, "the second device stays");
	OOM(await_event(o, TSR_EVENT_DEVICE_GONE));
	if (tsr_listener_lost(o->listener))
		alloc_wrong(&o->t, "an event is lost");
	o->listener = tsr_listener_close(o->listener);
}

/* All there is to read: until then nothing more is put there. Losses were asked for. */
static int drain(struct oom *o)
{
	struct tsr_event event;
	int err;

	do {
		err = tsr_listener_next(o->listener, 0, &event);
	} while (!err || err == -ENOBUFS);
	return err == -ETIME ? 0 : err;
}

static int await_reset(struct oom *o)
{
	int err;

	do {
		err = await_event(o, TSR_EVENT_DEVICE_RESET);
	} while (err == -ENOBUFS);
	return err;
}

static void set_room(struct oom *o, int size)
{
	if (setsockopt(tsr_listener_fd(o->listener), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)))
		alloc_wrong(&o->t, "setsockopt");
}

/* Claims, until one of their events has found no room: the socket says so. */
static bool overrun(struct oom *o)
{
	struct pollfd pfd = { .fd = tsr_listener_fd(o->listener) };

	for (int i = 0; i < 5000; i++) {
		tsr_claim_acquire(o->lib.ctx, 0);
		tsr_claim_release(o->lib.ctx);
		if (poll(&pfd, 1, 1) > 0 && pfd.revents & POLLERR)
			return true;
	}
	return false;
}

/* After a loss it asks whether the family is still there: no memory for that is no answer. */
static void lose_events(struct oom *o)
{
	OOM(tsr_listener_open(&o->listener));
	if (!o->listener)
		return;
	set_room(o, 1);
	if (!overrun(o))
		alloc_wrong(&o->t, "nothing was lost");
	set_room(o, 1 << 18);
	OOM(drain(o));
	OOM(tsr_device_reset(o->lib.dev, NULL));
	OOM(await_reset(o));
	if (!tsr_listener_lost(o->listener))
		alloc_wrong(&o->t, "the listener knows of no loss");
	o->listener = tsr_listener_close(o->listener);
}

/* --- the sweep -------------------------------------------------------------------------------- */

FIXTURE(oom) {
	int fd;				/* looks at the counters */
	struct drm_tessera_counters base;
};

FIXTURE_VARIANT(oom) {
	void (*act)(struct oom *o);
	bool library;			/* an operation is there */
	uint64_t programs;		/* in the cache afterwards */
	unsigned int least;		/* allocations */
};

FIXTURE_SETUP(oom)
{
	self->fd = uapi_open(NULL);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, uapi_counters(self->fd, &self->base));
}

FIXTURE_TEARDOWN(oom)
{
	close(self->fd);
}

#define OOM_CASE(name, ...)				\
	FIXTURE_VARIANT_ADD(oom, name) {		\
		.act = name, __VA_ARGS__		\
	}

OOM_CASE(open_device, .least = 6);
OOM_CASE(use_buffers, .library = true, .least = 3);
OOM_CASE(run_twice, .library = true, .programs = 1, .least = 20);
OOM_CASE(abandon_run, .library = true, .programs = 1, .least = 15);
OOM_CASE(run_with_syncs, .library = true, .programs = 1, .least = 15);
OOM_CASE(submit_batch, .library = true, .programs = 1, .least = 20);
OOM_CASE(submit_staged, .library = true, .programs = 1, .least = 15);
OOM_CASE(save_and_load, .library = true, .least = 15);
OOM_CASE(list_all, .library = true, .least = 4);
OOM_CASE(follow_events, .least = 4);
OOM_CASE(lose_events, .library = true, .least = 6);

/* Whether an allocation did fail. */
static bool live(const FIXTURE_VARIANT(oom) *variant, struct oom *o, unsigned long k,
		 bool persistent)
{
	struct tsr_cache_stats stats;
	bool failed;

	if (variant->library && lib_open(&o->lib)) {
		alloc_wrong(&o->t, "lib_open");
		return false;
	}
	alloc_fail(k, persistent);
	variant->act(o);
	failed = o->t.retried || alloc_failed();
	alloc_fail(0, false);
	if (!variant->library)
		return failed;
	tsr_cache_stats(o->lib.dev, &stats);
	if (stats.entries != variant->programs || stats.in_flight || stats.queued ||
	    stats.negative_hits)
		alloc_wrong(&o->t, "the cache");
	lib_close(&o->lib);
	return failed;
}

static int live_and_look(const FIXTURE_DATA(oom) *self, const FIXTURE_VARIANT(oom) *variant,
			 unsigned long k, bool persistent, bool *ret_failed)
{
	struct oom o = { 0 };

	*ret_failed = live(variant, &o, k, persistent);
	if (!o.t.wrong && dev_settled(self->fd, &self->base, 10000))
		o.t.wrong = "something is left on the device";
	if (o.t.wrong)
		printf("# allocation %lu: %s\n", k, o.t.wrong);
	return o.t.wrong != NULL;
}

/* With memory, then k until none fails any more. Number of lives that went wrong. */
static int sweep(const FIXTURE_DATA(oom) *self, const FIXTURE_VARIANT(oom) *variant,
		 bool persistent, unsigned int *ret_last)
{
	const char *told = getenv("TSR_OOM_STEP");
	unsigned int step = told ? strtoul(told, NULL, 0) : STEP, k;
	bool failed;
	int wrong = live_and_look(self, variant, 0, persistent, &failed);

	for (k = 1;; k += k < FIRST || !step ? 1 : step) {
		wrong += live_and_look(self, variant, k, persistent, &failed);
		if (!failed || k > MOST)
			return wrong + failed;
		*ret_last = k;
	}
}

TEST_F_TIMEOUT(oom, one_allocation_fails, 170)
{
	unsigned int n = 0;

	EXPECT_EQ(0, sweep(self, variant, false, &n));
	/* Less: the library's allocations do not come by here. */
	EXPECT_LE(variant->least, n);
	TH_LOG("up to allocation %u", n);
}

TEST_F_TIMEOUT(oom, all_allocations_fail_from_one_on, 170)
{
	unsigned int n = 0;

	EXPECT_EQ(0, sweep(self, variant, true, &n));
	EXPECT_LE(variant->least, n);
	TH_LOG("up to allocation %u", n);
}

LIB_HARNESS_MAIN

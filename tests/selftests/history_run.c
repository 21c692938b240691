// SPDX-License-Identifier: MIT
/*
 * Several processes use a device on which everything goes wrong; they are killed, the device is
 * reset under them. What all of them did and saw, and what the events said, must fit together
 * (common_history.h). TSR_HISTORY_S seconds; TSR_SEED gives another course.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <tessera/event.h>
#include <unistd.h>
#include "common_client.h"
#include "common_count.h"
#include "common_event.h"
#include "common_fault.h"
#include "common_harness.h"

#define CLIENTS		3
#define SETTLE_MS	20000

/* What the other side of the ioctls tells: failures, by netlink. */
struct ear {
	struct tsr_listener *listener;
	uint32_t minor;
	pthread_t thread;
	struct history heard;
	bool lost;
	int stop, err;
};

FIXTURE(history) {
	struct fault f;
	struct history h;
	struct ear ear;
	unsigned int seed;
	int *stop;			/* shared with the clients */
	struct {
		pid_t pid;
		__u32 number;
		struct client_log *log;
	} clients[CLIENTS];
	__u32 started, killed, plans, resets;
};

static void hear(struct ear *ear, const struct tsr_event *event)
{
	if (event->minor != ear->minor || (event->type != TSR_EVENT_RUN_FAILED &&
					   event->type != TSR_EVENT_RUN_QUARANTINED))
		return;
	history_add(&ear->heard, &(struct history_event){
		.type = HISTORY_EVENT, .client = ~0u, .context = event->context,
		.run = event->run, .phase = event->phase, .code = event->code,
		.a = event->type == TSR_EVENT_RUN_QUARANTINED,
	});
}

static void *listen_in(void *arg)
{
	struct ear *ear = arg;
	struct tsr_event event;

	for (;;) {
		int err = tsr_listener_next(ear->listener, 300000000, &event);

		if (!err)
			hear(ear, &event);
		else if (err == -ENOBUFS)
			ear->lost = true;
		else if (err != -ETIME)
			ear->err = err;
		/* Silence, after there was nothing more to be said. */
		if (ear->err || (err == -ETIME && __atomic_load_n(&ear->stop, __ATOMIC_ACQUIRE)))
			return NULL;
	}
}

static void *share(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		abort();
	return map;
}

FIXTURE_SETUP(history)
{
	self->seed = (unsigned int)long_count("TSR_SEED", 1);
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=40 queue_capacity=8"));
	ASSERT_EQ(0, tsr_listener_open(&self->ear.listener));
	self->ear.minor = event_minor(self->f.fd);
	ASSERT_EQ(0, pthread_create(&self->ear.thread, NULL, listen_in, &self->ear));
	self->stop = share(4096);
	for (int i = 0; i < CLIENTS; i++)
		self->clients[i].log = share(sizeof(struct client_log));
}

FIXTURE_TEARDOWN(history)
{
	tsr_listener_close(self->ear.listener);
	history_free(&self->ear.heard);
	history_free(&self->h);
	fault_close(&self->f);
}

static void start(FIXTURE_DATA(history) *self, int i)
{
	struct client_log *log = self->clients[i].log;

	log->count = 0;
	self->clients[i].number = self->started++;
	self->clients[i].pid = fork();
	if (self->clients[i].pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(-client_live(self->f.name, self->clients[i].number,
			   self->seed * 1000 + self->clients[i].number, false, log,
			   self->stop));
}

/* What it wrote down is ours now. */
static void take_log(FIXTURE_DATA(history) *self, int i, bool killed)
{
	struct client_log *log = self->clients[i].log;
	size_t n = __atomic_load_n(&log->count, __ATOMIC_ACQUIRE);

	for (size_t k = 0; k < n; k++)
		history_add(&self->h, &log->lines[k]);
	if (!killed)
		return;
	history_add(&self->h, &(struct history_event){
		.type = HISTORY_KILLED, .client = self->clients[i].number,
	});
	self->h.unlogged += CLIENT_BATCH;
	self->killed++;
}

/* Kill one, or find that its log was full; and put another in its place. */
static void replace(struct __test_metadata *_metadata, FIXTURE_DATA(history) *self, int i,
		    bool murder)
{
	int status;

	if (murder)
		kill(self->clients[i].pid, SIGKILL);
	else if (waitpid(self->clients[i].pid, &status, WNOHANG) == 0)
		return;
	if (murder)
		ASSERT_EQ(self->clients[i].pid, waitpid(self->clients[i].pid, &status, 0));
	/* It met an error that no client should. */
	EXPECT_TRUE(WIFSIGNALED(status) || !WEXITSTATUS(status));
	take_log(self, i, WIFSIGNALED(status));
	start(self, i);
}

/* One misfortune. */
static void befall(struct __test_metadata *_metadata, FIXTURE_DATA(history) *self)
{
	struct drm_tessera_device_reset args = { 0 };
	unsigned int what = (unsigned int)rand_r(&self->seed) / 16 % 10;

	if (what < 3) {
		replace(_metadata, self, (int)what % CLIENTS, true);
	} else if (what < 6) {
		/* May fail, by the plan. */
		uapi_ioctl(self->f.fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args);
		self->resets++;
	} else if (what < 9) {
		ASSERT_EQ(0, fault_chaos(&self->f, self->plans++ + self->seed % 1000));
	} else {
		ASSERT_EQ(0, fault_plan(&self->f, "\n"));
	}
	for (int i = 0; i < CLIENTS; i++)
		replace(_metadata, self, i, false);
}

static bool enough(FIXTURE_DATA(history) *self)
{
	struct drm_tessera_counters c = fault_counters(&self->f);

	return c.runs_accepted > 200 && c.runs_failed_local > 10 && c.resets > 1 &&
	       self->killed > 1;
}

static void come_to_rest(struct __test_metadata *_metadata, FIXTURE_DATA(history) *self)
{
	struct drm_tessera_device_reset args = { 0 };
	int status;

	ASSERT_EQ(0, fault_plan(&self->f, "\n"));
	__atomic_store_n(self->stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(self->clients[i].pid, waitpid(self->clients[i].pid, &status, 0));
		EXPECT_EQ(0, status);
		take_log(self, i, false);
	}
	ASSERT_EQ(0, uapi_ioctl(self->f.fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	ASSERT_EQ(0, uapi_settle(self->f.fd));
	ASSERT_EQ(0, dev_settled(self->f.fd, &self->f.base, SETTLE_MS));
	__atomic_store_n(&self->ear.stop, 1, __ATOMIC_RELEASE);
	pthread_join(self->ear.thread, NULL);
	EXPECT_EQ(0, self->ear.err);
}

TEST_F_TIMEOUT(history, all_accounts_agree, LONG_TIMEOUT)
{
	__s64 until = uapi_in_ms(1000 * (unsigned int)long_count("TSR_HISTORY_S", 8));
	struct drm_tessera_counters c;
	struct history_verdict v;

	for (int i = 0; i < CLIENTS; i++)
		start(self, i);
	/* On a slow machine longer: a history in which nothing happened shows nothing. */
	while (__test_passed(_metadata) && (uapi_now() < until || !enough(self))) {
		uapi_sleep_ms(50 + (unsigned int)rand_r(&self->seed) / 16 % 400);
		befall(_metadata, self);
	}
	come_to_rest(_metadata, self);
	c = fault_counters(&self->f);
	self->h.accepted = c.runs_accepted;
	self->h.ended = c.runs_retired + c.runs_cancelled + c.runs_quarantined;
	self->h.events_lost = self->ear.lost;
	for (size_t i = 0; i < self->ear.heard.count; i++)
		history_add(&self->h, &self->ear.heard.events[i]);
	EXPECT_EQ(0, history_check(&self->h, &v));
	TH_LOG("%zu lines, %llu runs: %llu well, %llu failed, %llu unseen; %u clients, %u killed; "
	       "%u resets, %u plans; %llu quarantined, %llu poisonings%s", self->h.count,
	       v.runs, v.ok, v.failed, v.unknown, self->started, self->killed, self->resets,
	       self->plans, (unsigned long long)c.runs_quarantined,
	       (unsigned long long)c.poisonings, self->ear.lost ? "; events were lost" : "");
	EXPECT_LT(0, v.ok);
	EXPECT_LT(0, v.failed);
	EXPECT_TRUE(fault_good(&self->f));
}

TEST_HARNESS_MAIN

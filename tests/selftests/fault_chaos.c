// SPDX-License-Identifier: MIT
/*
 * Everything goes wrong at once, by chance: whatever happens, each accepted run ends once, each
 * lease and claim comes back, and a device that is reset works again (FL-8, FL-9). A failure names
 * the seed; the same seed gives the same faults to the same events.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_fault.h"
#include "common_harness.h"

#define THREADS		3
#define SECONDS		8

FIXTURE(chaos) {
	struct fault f;
};

FIXTURE_SETUP(chaos)
{
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=20 queue_capacity=8"));
}

FIXTURE_TEARDOWN(chaos)
{
	fault_close(&self->f);
}

/* What a context that cannot be used any more is replaced by; and a wedged device is reset. */
static int recover(int fd, __u32 *ctx, int err)
{
	struct drm_tessera_device_reset args = { 0 };

	if (err == -EIO) {
		uapi_ioctl(fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args);
		return 0;
	}
	if (err != -ECANCELED)
		return err;
	uapi_context_destroy(fd, *ctx);
	return uapi_context(fd, 0, ctx);
}

struct user {
	const char *name;
	__s64 until;
	pthread_t thread;
	unsigned int accepted;
	int ret;
};

/* Submits five, cancels one of them, waits for all; a program of its own each time. */
static int round_of_runs(int fd, __u32 *ctx, unsigned int *accepted)
{
	__u32 program, runs[5], n = 0;
	struct drm_tessera_status s;
	int err = uapi_exit_program(fd, *accepted % 3 ? 0 : *accepted % 7, &program);

	while (!err && n < 5) {
		err = uapi_submit_program(fd, *ctx, program, &runs[n]);
		n += !err;
	}
	uapi_program_destroy(fd, program);
	*accepted += n;
	if (err)
		err = recover(fd, ctx, err);
	if (n > 3)
		uapi_cancel(fd, runs[3]);
	for (__u32 i = 0; i < n; i++) {
		int ret = uapi_end(fd, runs[i], &s);

		/* A run that does not end: the seed tells which faults it met. */
		if (ret)
			return ret;
		uapi_close_run(fd, runs[i]);
	}
	return err;
}

static void *user(void *arg)
{
	struct user *u = arg;
	int fd = uapi_open(u->name);
	__u32 ctx;

	u->ret = fd < 0 ? fd : uapi_context(fd, 0, &ctx);
	while (!u->ret && uapi_now() < u->until)
		u->ret = round_of_runs(fd, &ctx, &u->accepted);
	close(fd);
	return NULL;
}

/* After it the device is reset, and everything of everybody has come back. */
static void expect_calm(struct __test_metadata *_metadata, const struct fault *f)
{
	struct drm_tessera_device_reset args = { 0 };
	struct drm_tessera_counters c;

	ASSERT_EQ(0, fault_plan(f, "\n"));
	ASSERT_EQ(0, uapi_ioctl(f->fd, DRM_IOCTL_TESSERA_DEVICE_RESET, &args));
	ASSERT_EQ(0, uapi_settle(f->fd));
	ASSERT_EQ(0, dev_settled(f->fd, &f->base, 5000));
	c = fault_counters(f);
	EXPECT_EQ(0, uapi_unbalanced(&c));
	EXPECT_EQ(fault_info(f).reset_generation, c.resets);
	/* An image is unloaded once: by then all but those of the fixture. */
	EXPECT_EQ(c.image_loads, c.image_unloads);
	TH_LOG("%llu runs, %llu failed LOCAL, %llu QUEUE, %llu DEVICE, %llu cancelled, "
	       "%llu quarantined, %llu timeouts, %llu resets, %llu failed",
	       (unsigned long long)c.runs_accepted, (unsigned long long)c.runs_failed_local,
	       (unsigned long long)c.runs_failed_queue, (unsigned long long)c.runs_failed_device,
	       (unsigned long long)c.runs_cancelled, (unsigned long long)c.runs_quarantined,
	       (unsigned long long)c.timeouts, (unsigned long long)c.resets,
	       (unsigned long long)c.resets_failed);
	EXPECT_TRUE(fault_good(f));
}

TEST_F(chaos, everything_ends_once)
{
	struct user users[THREADS];
	unsigned int accepted = 0;

	ASSERT_EQ(0, fault_chaos(&self->f, 1));
	for (int i = 0; i < THREADS; i++) {
		users[i] = (struct user){
			.name = self->f.name, .until = uapi_in_ms(SECONDS * 1000),
		};
		ASSERT_EQ(0, pthread_create(&users[i].thread, NULL, user, &users[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(users[i].thread, NULL);
		EXPECT_EQ(0, users[i].ret);
		accepted += users[i].accepted;
	}
	EXPECT_EQ(accepted, fault_counters(&self->f).runs_accepted);
	expect_calm(_metadata, &self->f);
}

/* Processes that are killed in the middle of it. */
TEST_F(chaos, killed_in_the_middle)
{
	__s64 until = uapi_in_ms(SECONDS * 1000);
	unsigned int seed = 100;

	while (uapi_now() < until) {
		struct user u = { .name = self->f.name, .until = INT64_MAX };
		pid_t pid;

		ASSERT_EQ(0, fault_chaos(&self->f, seed++));
		pid = fork();
		if (!pid) {
			user(&u);
			_exit(1);
		}
		uapi_sleep_ms(20 + seed * 37 % 200);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	expect_calm(_metadata, &self->f);
}

/* Devices that are unplugged in the middle of it. */
TEST_F(chaos, unplugged_in_the_middle)
{
	__s64 until = uapi_in_ms(SECONDS * 1000);
	unsigned int seed = 200;

	while (uapi_now() < until) {
		struct user users[THREADS];

		ASSERT_EQ(0, fault_chaos(&self->f, seed++));
		for (int i = 0; i < THREADS; i++) {
			users[i] = (struct user){ .name = self->f.name, .until = INT64_MAX };
			ASSERT_EQ(0, pthread_create(&users[i].thread, NULL, user, &users[i]));
		}
		uapi_sleep_ms(50 + seed * 37 % 200);
		ASSERT_EQ(0, soft_write(self->f.name, "enable", "0"));
		for (int i = 0; i < THREADS; i++) {
			pthread_join(users[i].thread, NULL);
			EXPECT_GT(0, users[i].ret);
		}
		ASSERT_EQ(0, soft_write(self->f.name, "enable", "1"));
	}
	self->f.gate.dispatch = NULL;
	fault_close(&self->f);
	ASSERT_EQ(0, fault_open(&self->f, ""));
	EXPECT_TRUE(fault_good(&self->f));
}

TEST_HARNESS_MAIN

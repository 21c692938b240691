// SPDX-License-Identifier: MIT
/*
 * kill -9 in the middle of everything that a process can do with a device (FL-9), TSR_KILLS times
 * each: what it had is gone in bounded time, and nobody else notices. dev_kill has the victims
 * that do all of it by chance.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_bystander.h"
#include "common_count.h"
#include "common_fault.h"
#include "common_victim.h"
#include "common_harness.h"

#define SETTLE_MS	5000
#define READY_MS	20000

FIXTURE(killed) {
	struct fault f;
	struct bystanders others;
	struct drm_tessera_counters base;	/* with the bystanders at rest */
};

FIXTURE_VARIANT(killed) {
	enum victim_point point;
};

#define VARIANT(name) FIXTURE_VARIANT_ADD(killed, name) { .point = VICTIM_##name };
VICTIM_POINTS(VARIANT)

/* Fences go by a worker. */
static int at_rest(const struct fault *f, struct drm_tessera_counters *ret)
{
	__s64 until = uapi_in_ms(SETTLE_MS);
	int err;

	do {
		err = uapi_counters(f->fd, ret);
		if (err || (!ret->runs && !ret->fences))
			return err;
		uapi_sleep_ms(1);
	} while (uapi_now() < until);
	return -ETIME;
}

/*
 * The limit is far away: what ends here is ended by the death of its owner. There are banks for
 * the victim and for the bystanders.
 */
FIXTURE_SETUP(killed)
{
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=60000 queue_capacity=32 staged_depth=4"));
	ASSERT_EQ(0, bystanders_start(&self->others, self->f.name));
	/* Who asks for resets ends others' runs; that is what a reset is. */
	if (variant->point == VICTIM_resetting_the_device)
		bystanders_may_be_reset(&self->others, true);
	ASSERT_EQ(0, bystanders_pause(&self->others));
	ASSERT_EQ(0, at_rest(&self->f, &self->base));
	bystanders_go(&self->others);
}

FIXTURE_TEARDOWN(killed)
{
	fault_close(&self->f);
}

/* The victim's word, once it is where it shall die. */
static int wait_for_word(int fd, struct victim_word *ret)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, READY_MS) != 1)
		return -ETIME;
	return read(fd, ret, sizeof(*ret)) == sizeof(*ret) ? 0 : -EIO;
}

static int take_over(pid_t pid, int fd)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int mine = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	close(pidfd);
	return mine;
}

/* What one victim had, but for runs and fences: the bystanders have some, now and then. */
static bool gone(const struct drm_tessera_counters *now, const struct drm_tessera_counters *base)
{
	return now->contexts == base->contexts && now->buffers == base->buffers &&
	       now->programs == base->programs && now->images == base->images &&
	       now->runs <= base->runs + BYSTANDERS && now->fences <= base->fences + BYSTANDERS;
}

static int wait_until_gone(const struct fault *f, const struct drm_tessera_counters *base)
{
	__s64 until = uapi_in_ms(SETTLE_MS);
	struct drm_tessera_counters now;

	do {
		int err = uapi_counters(f->fd, &now);

		if (err || gone(&now, base))
			return err;
		uapi_sleep_ms(1);
	} while (uapi_now() < until);
	/* Prints what is left. */
	return dev_settled(f->fd, base, 1);
}

static void kill_one(struct __test_metadata *_metadata, FIXTURE_DATA(killed) *self,
		     enum victim_point point, unsigned int seed)
{
	struct victim_word word;
	int pipes[2], status, fd = -1;
	char device[32];
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid)
		victim_live(point, self->f.name, pipes[1], seed);
	close(pipes[1]);
	ASSERT_EQ(0, wait_for_word(pipes[0], &word));
	close(pipes[0]);
	if (word.fd >= 0) {
		fd = take_over(pid, word.fd);
		ASSERT_LE(0, fd);
	}
	/* Some die on their way into it, most in it. */
	usleep(rand_r(&seed) % 4000);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	/* It must have been alive: a victim that ended by itself shows nothing. */
	ASSERT_TRUE(WIFSIGNALED(status))
		TH_LOG("the victim ended with %d", WEXITSTATUS(status));
	if (fd >= 0) {
		/* Not in time: who holds a fence of the dead waits for ever (F7). */
		EXPECT_GT(0, dev_fd_error(fd, SETTLE_MS));
		close(fd);
	}
	victim_device(pid, device, sizeof(device));
	ASSERT_EQ(0, soft_remove(device));
	/* Any gauge above its start is something that lives for ever. */
	ASSERT_EQ(0, wait_until_gone(&self->f, &self->base));
}

static void expect_balance(struct __test_metadata *_metadata, const struct fault *f)
{
	struct drm_tessera_counters c = fault_counters(f);

	EXPECT_EQ(0, uapi_unbalanced(&c));
	EXPECT_EQ(0, c.runs_quarantined);
	EXPECT_EQ(c.image_loads, c.image_unloads + c.images);
	EXPECT_EQ(0, c.timeouts);
	EXPECT_EQ(0, c.resets_failed);
	EXPECT_EQ(0, c.images_abandoned);
}

TEST_F_TIMEOUT(killed, nothing_is_left, LONG_TIMEOUT)
{
	unsigned long kills = long_count("TSR_KILLS", 1);

	for (unsigned long i = 0; i < kills; i++)
		kill_one(_metadata, self, variant->point, (unsigned int)i + 1);
	ASSERT_EQ(0, bystanders_pause(&self->others));
	EXPECT_EQ(0, dev_settled(self->f.fd, &self->base, SETTLE_MS));
	expect_balance(_metadata, &self->f);
	bystanders_go(&self->others);
	/* Positive: so many of their runs went wrong. Negative: one died, or did nothing. */
	EXPECT_EQ(0, bystanders_stop(&self->others));
	EXPECT_TRUE(fault_good(&self->f));
}

TEST_HARNESS_MAIN

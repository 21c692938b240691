// SPDX-License-Identifier: MIT
/*
 * Two processes on one device: both get what is right, and neither sees what the other left in the
 * cores when they belong to different users (CL-4).
 */
#include "common_harness.h"
#include "common_ring.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_UID	12345
#define ROUNDS		25

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Returns the number of words that were wrong. */
static int ring_process(uint32_t seed)
{
	struct drm_tessera_status s;
	uint32_t wrong = 0;
	struct ring ring;
	struct dev d;

	if (dev_open(&d, NULL) || ring_new(&d, 16, &ring))
		return 100;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		ring_fill(&ring, seed + i);
		if (dev_execute(ring.job, &s) || s.code != DRM_TESSERA_CODE_OK)
			return 101;
		wrong += ring_wrong(&ring);
	}
	ring_free(&ring);
	dev_close(&d);
	return wrong > 99 ? 99 : (int)wrong;
}

TEST(rings_of_three_processes_do_not_mix)
{
	pid_t pid[3];

	for (int i = 0; i < 3; i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(ring_process(1000 * i));
	}
	/* A word of another process' vector in a sum would show: all inputs differ. */
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(0, wait_for(pid[i]));
	}
}

/* ---- What another user left ---------------------------------------------------------------- */

#define L1_SIZE		131072u
#define SECRET		0x5ec4e700u

FIXTURE(users)
{
	struct dev d;		/* of root */
	gid_t render;
	uint32_t *found;	/* words that the child found not to be zero */
};

FIXTURE_SETUP(users)
{
	ASSERT_EQ(0, soft_open(&self->d, "users", "width=2 height=2 l1_size=131072 "
			       "image_slot=8192 words=64"));
	/* As the udev rule says, which may come a moment later, or not at all. */
	ASSERT_NE(NULL, getgrnam("render"));
	self->render = getgrnam("render")->gr_gid;
	ASSERT_EQ(0, fchown(self->d.fd, 0, self->render));
	ASSERT_EQ(0, fchmod(self->d.fd, 0660));
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		ASSERT_NE(NULL, dev_script(&self->d, p));
	self->found = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

FIXTURE_TEARDOWN(users)
{
	soft_close(&self->d, "users");
}

/* Every word of L1 that can be written, of every core; semaphores; a tile register. */
static int leave_secrets(struct dev *d)
{
	const struct tessera_limits *l = &d->info.limits;
	struct dev_job *job = dev_job(d);
	struct drm_tessera_status s;
	uint32_t from = l->cb_base, n = (TSR_L1_BASE + l->l1_size - from) / 4;
	uint32_t at = l->cb_base;
	int err;

	dev_job_kernel(job, dev_script(d, TSR_PROC_DM0), NULL,
		       STEPS(STEP_FILL, from, SECRET, n,
			     STEP_STORE, SEM_REG(0, TSR_SEM_VALUE), SECRET,
			     STEP_STORE, SEM_REG(15, TSR_SEM_VALUE), SECRET));
	dev_job_kernel(job, dev_script(d, TSR_PROC_DM1), NULL,
		       STEPS(STEP_FILL, l->image_base[TSR_PROC_DM1] + l->image_slot - 512, SECRET,
			     16));
	dev_job_kernel(job, dev_script(d, TSR_PROC_COMPUTE), NULL,
		       STEPS(STEP_WORK, 200000,
			     STEP_STORE, TSR_REG_TILE + TSR_TILE_A, at,
			     STEP_STORE, TSR_REG_TILE + TSR_TILE_DST, 3,
			     STEP_STORE, TSR_REG_TILE + TSR_TILE_FORMAT, TSR_FORMAT_INT32,
			     STEP_STORE, TSR_REG_TILE + TSR_TILE_OP, TSR_TILE_LOAD));
	dev_job_semaphore(job, 0, SECRET);
	err = dev_execute(job, &s);
	dev_job_free(job);
	return err ? err : s.code == DRM_TESSERA_CODE_OK ? 0 : -EIO;
}

/*
 * All of L1 as a run on the compute processor finds it, before it touches any of it; then a tile
 * register that it never wrote, and two semaphores. Its own slot and words are its own.
 */
static uint32_t look_around(struct dev *d)
{
	const struct tessera_limits *l = &d->info.limits;
	uint32_t own = l->image_base[TSR_PROC_COMPUTE], words = l->arg_base + 2 * l->words * 4;
	uint32_t found = 0, *w, tile = l->cb_base, regs = l->cb_base + 4096;
	struct drm_tessera_status s;
	struct dev_job *job;
	struct dev_buf out;

	if (dev_buf(d, 2 * L1_SIZE, &out))
		return 0xdead;
	w = out.mem;
	job = dev_job(d);
	dev_job_script(job, TSR_PROC_COMPUTE, 1, 1,
		       STEPS(NOC_BUFFER(0, 0, TSR_L1_BASE, L1_SIZE, TSR_NOC_CMD_WRITE),
			     STEP_STORE, TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_WRITE,
			     STEP_STORE, TSR_REG_TILE + TSR_TILE_A, tile,
			     STEP_STORE, TSR_REG_TILE + TSR_TILE_DST, 3,
			     STEP_STORE, TSR_REG_TILE + TSR_TILE_FORMAT, TSR_FORMAT_INT32,
			     STEP_STORE, TSR_REG_TILE + TSR_TILE_OP, TSR_TILE_STORE,
			     STEP_REGS, SEM_REG(0, TSR_SEM_VALUE), 16, TSR_SEM_STRIDE, regs,
			     NOC_BUFFER(0, L1_SIZE, tile, 4096 + 64, TSR_NOC_CMD_WRITE)));
	dev_job_bind(job, TESSERA_ACCESS_OUT, &out);
	if (dev_execute(job, &s) || s.code != DRM_TESSERA_CODE_OK)
		return 0xbeef;
	for (uint32_t a = TSR_L1_BASE; a < TSR_L1_BASE + L1_SIZE; a += 4) {
		bool mine = (a >= own && a < own + l->image_slot) ||
			    (a >= words && a < words + l->words * 4);

		found += !mine && w[(a - TSR_L1_BASE) / 4];
	}
	for (uint32_t i = 0; i < (4096 + 64) / 4; i++)
		found += w[L1_SIZE / 4 + i] != 0;
	dev_job_free(job);
	return found;
}

static int look_as(uid_t uid, gid_t render, uint32_t *ret_found)
{
	pid_t pid = fork();
	struct dev d;
	int err;

	if (!pid) {
		if (uid && (setgroups(1, &render) || setresgid(uid, uid, uid) ||
			    setresuid(uid, uid, uid)))
			_exit(2);
		err = dev_open(&d, "users");
		if (err) {
			fprintf(stderr, "# open as user %u: %s\n", uid, strerror(-err));
			_exit(3);
		}
		/* Its own programs must not be what it finds. */
		*ret_found = look_around(&d);
		_exit(0);
	}
	return wait_for(pid);
}

TEST_F(users, another_user_finds_only_zeroes)
{
	struct drm_tessera_counters c[4];

	ASSERT_EQ(0, leave_secrets(&self->d));
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c[0]));
	ASSERT_EQ(0, look_as(0, 0, self->found));
	/* The same user's L1 is kept, as documented: else the test looks at the wrong place. */
	EXPECT_LT(20000, *self->found);
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c[1]));
	EXPECT_EQ(c[0].scrubs, c[1].scrubs);

	ASSERT_EQ(0, leave_secrets(&self->d));
	ASSERT_EQ(0, look_as(OTHER_UID, self->render, self->found));
	EXPECT_EQ(0, *self->found);
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c[2]));
	/* Once, when the claim passed on: 0 is a leak, more is time lost. */
	EXPECT_EQ(c[1].scrubs + 1, c[2].scrubs);

	/* And back again, the other way round. */
	ASSERT_EQ(0, leave_secrets(&self->d));
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c[3]));
	EXPECT_EQ(c[2].scrubs + 1, c[3].scrubs);
}

/* Nor does one find what a run left that was cut off in the middle: it is scrubbed at once. */
TEST_F(users, nobody_finds_what_a_fault_left)
{
	uint32_t l1 = self->d.info.limits.cb_base;
	struct drm_tessera_status s;

	ASSERT_EQ(0, dev_steps(&self->d, TSR_PROC_DM0, 1, 1,
			       STEPS(STEP_FILL, l1, SECRET, 1000, STEP_ILLEGAL), &s));
	ASSERT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	EXPECT_EQ(0, look_around(&self->d));
}

DEV_HARNESS_MAIN

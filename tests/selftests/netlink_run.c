// SPDX-License-Identifier: MIT
/* The dump of runs (OB-2): every phase with what it waits for, each run once, and who sees which. */
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <tessera/context.h>
#include <tessera/run_list.h>
#include <tessera/status.h>
#include <unistd.h>
#include "common_event.h"
#include "common_fault.h"
#include "common_genl.h"
#include "common_rv32.h"
#include "kselftest_harness.h"

#define NOBODY	65534

FIXTURE(list) {
	struct fault f;
	uint32_t minor;
	struct tsr_run_entry *runs;
	size_t count;
	struct tsr_run_entry e;
};

FIXTURE_SETUP(list)
{
	/* A hold that others wait for lasts as long as a slow machine takes to look at it. */
	ASSERT_EQ(0, fault_open(&self->f,
				"no_progress_ms=60000 claim_hold_ms=60000 queue_capacity=2000"));
	self->minor = event_minor(self->f.fd);
	self->runs = NULL;
}

FIXTURE_TEARDOWN(list)
{
	free(self->runs);
	fault_close(&self->f);
}

/* How many runs the device has, which are self->runs then; negative: failed. */
static int look(FIXTURE_DATA(list) *self, uint64_t context)
{
	int err;

	free(self->runs);
	self->runs = NULL;
	self->count = 0;
	err = tsr_run_list(self->minor, context, &self->runs, &self->count);
	return err ? err : (int)self->count;
}

/* The entry of a run into self->e. */
static int find(FIXTURE_DATA(list) *self, __u32 run)
{
	struct drm_tessera_status s;
	int err = uapi_status(self->f.fd, run, &s);

	if (!err && look(self, 0) < 0)
		err = -EIO;
	for (size_t i = 0; !err && i < self->count; i++) {
		if (self->runs[i].id != s.run_id)
			continue;
		self->e = self->runs[i];
		return 0;
	}
	return err ? err : -ENOENT;
}

#define EXPECT_RUN(run, want_phase, want_waits) do {				\
	ASSERT_EQ(0, find(self, run));						\
	EXPECT_EQ(want_phase, self->e.phase);					\
	EXPECT_EQ(want_waits, self->e.waits)					\
		TH_LOG("waits for %s", tsr_waits_name(self->e.waits));		\
} while (0)

/* A gate that executes, one run staged behind it. */
static int fill_banks(FIXTURE_DATA(list) *self, __u32 *runs)
{
	struct fault *f = &self->f;
	int err = uapi_gate_submit(f->fd, f->ctx, &f->gate, &runs[0]);

	if (!err)
		err = uapi_submit_program(f->fd, f->ctx, f->program, &runs[1]);
	if (!err)
		err = uapi_wait_phase(f->fd, runs[0], DRM_TESSERA_PHASE_LAUNCHED);
	return err ? err : uapi_wait_phase(f->fd, runs[1], DRM_TESSERA_PHASE_STAGED);
}

TEST_F(list, each_waits_for_what_holds_it)
{
	struct fault *f = &self->f;
	__u32 runs[4];

	ASSERT_EQ(0, fill_banks(self, runs));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->ctx, f->program, &runs[2]));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->ctx, f->program, &runs[3]));
	EXPECT_RUN(runs[0], TSR_PHASE_LAUNCHED, TSR_WAITS_CORES);
	EXPECT_RUN(runs[1], TSR_PHASE_STAGED, TSR_WAITS_LAUNCH);
	EXPECT_RUN(runs[2], TSR_PHASE_QUEUED, TSR_WAITS_BANK);
	EXPECT_RUN(runs[3], TSR_PHASE_QUEUED, TSR_WAITS_ORDER);
	EXPECT_EQ(4, look(self, 0));
	*f->gate.word = 1;
	ASSERT_EQ(0, uapi_settle(f->fd));
	/* More: runs that have ended, which are nobody's any more. */
	EXPECT_EQ(0, look(self, 0));
}

TEST_F(list, tells_what_the_status_tells)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	__u32 runs[2];

	ASSERT_EQ(0, fill_banks(self, runs));
	ASSERT_EQ(0, uapi_status(f->fd, runs[0], &s));
	ASSERT_EQ(0, find(self, runs[0]));
	EXPECT_EQ(s.context_id, self->e.context);
	EXPECT_EQ(s.queued_ns, self->e.queued_ns);
	EXPECT_EQ(s.staged_ns, self->e.staged_ns);
	EXPECT_EQ(s.launched_ns, self->e.launched_ns);
	EXPECT_NE(0, self->e.launched_ns);
	EXPECT_EQ(0, self->e.completed_ns);
	EXPECT_EQ(self->minor, self->e.minor);
	EXPECT_EQ(getpid(), (int)self->e.pid);
	EXPECT_EQ(getuid(), self->e.uid);
	EXPECT_EQ(TSR_PRIORITY_NORMAL, self->e.priority);
	EXPECT_EQ(1, self->e.cores);
	EXPECT_EQ(0, self->e.fences);
}

TEST_F(list, tells_what_the_submitter_said)
{
	struct fault *f = &self->f;
	struct drm_tessera_device_info info = fault_info(f);
	static const __u32 code[] = { RV_J(0) };
	struct drm_tessera_run run;
	struct uapi_prog p;
	__u32 program, runs[2];

	uapi_prog_init(&p, &info.limits, 1, 1, 2, 3);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	p.header.fingerprint[0] = 0x1122334455667788ull;
	p.header.fingerprint[1] = 0x99aabbccddeeff00ull;
	ASSERT_EQ(0, uapi_prog_create(f->fd, &p, &program));
	ASSERT_EQ(0, fill_banks(self, runs));
	uapi_run_init(&run, program);
	run.user_data = 0xfeedfacecafebeefull;
	ASSERT_EQ(0, uapi_submit(f->fd, f->other, &run));
	ASSERT_EQ(0, find(self, run.handle));
	EXPECT_EQ(run.id, self->e.id);
	EXPECT_EQ(0xfeedfacecafebeefull, self->e.user_data);
	EXPECT_EQ(0x1122334455667788ull, self->e.fingerprint[0]);
	EXPECT_EQ(0x99aabbccddeeff00ull, self->e.fingerprint[1]);
	EXPECT_STREQ("test", self->e.program);
	EXPECT_EQ(2 * 3, self->e.cores);
	EXPECT_NE(0, self->e.queued_ns);
	EXPECT_EQ(0, self->e.staged_ns);
}

/* A gate whose end a binary syncobj shows. */
static int gate_with_fence(struct fault *f, __u32 ctx, struct drm_tessera_sync *ret_out,
			   __u32 *ret_run)
{
	struct drm_tessera_run run;
	int err = uapi_syncobj(f->fd, false, &ret_out->handle);

	if (err)
		return err;
	uapi_run_init(&run, f->gate.program);
	uapi_run_set_dispatch(&run, f->gate.dispatch, f->gate.dispatch_size);
	run.out_syncs = UAPI_PTR(ret_out);
	run.out_sync_count = 1;
	err = uapi_submit(f->fd, ctx, &run);
	*ret_run = run.handle;
	return err;
}

TEST_F(list, fences_are_counted_down)
{
	struct drm_tessera_sync syncs[2] = { 0 };
	struct fault *f = &self->f;
	struct drm_tessera_run run;
	__u32 gates[2], third;

	ASSERT_EQ(0, gate_with_fence(f, f->ctx, &syncs[0], &gates[0]));
	ASSERT_EQ(0, gate_with_fence(f, f->other, &syncs[1], &gates[1]));
	ASSERT_EQ(0, uapi_context(f->fd, 0, &third));
	uapi_run_init(&run, f->program);
	run.in_syncs = UAPI_PTR(syncs);
	run.in_sync_count = 2;
	ASSERT_EQ(0, uapi_submit(f->fd, third, &run));
	EXPECT_RUN(run.handle, TSR_PHASE_QUEUED, TSR_WAITS_FENCES);
	EXPECT_EQ(2, self->e.fences);
	ASSERT_EQ(0, uapi_cancel(f->fd, gates[1]));
	ASSERT_EQ(0, uapi_wait(f->fd, gates[1], uapi_soon()));
	ASSERT_EQ(0, find(self, run.handle));
	EXPECT_EQ(1, self->e.fences);
}

TEST_F(list, claim_and_suspended_device)
{
	struct fault *f = &self->f;
	__u32 run;

	ASSERT_EQ(0, uapi_claim(f->fd, f->other, 0, uapi_soon()));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->ctx, f->program, &run));
	EXPECT_RUN(run, TSR_PHASE_QUEUED, TSR_WAITS_CLAIM);
	ASSERT_EQ(0, soft_write(f->name, "suspend", "1"));
	EXPECT_RUN(run, TSR_PHASE_QUEUED, TSR_WAITS_DEVICE);
	ASSERT_EQ(0, soft_write(f->name, "suspend", "0"));
	ASSERT_EQ(0, uapi_claim_release(f->fd, f->other));
	ASSERT_EQ(0, uapi_wait(f->fd, run, uapi_soon()));
	EXPECT_EQ(0, look(self, 0));
}

static void *suspend_thread(void *name)
{
	return (void *)(intptr_t)soft_write(name, "suspend", "1");
}

/* What is staged when the device is to rest waits for the device, and is launched after it. */
TEST_F(list, staged_when_the_device_is_suspended)
{
	struct fault *f = &self->f;
	__s64 until = uapi_soon();
	pthread_t thread;
	__u32 runs[2];
	void *ret;

	ASSERT_EQ(0, fill_banks(self, runs));
	ASSERT_EQ(0, pthread_create(&thread, NULL, suspend_thread, (void *)f->name));
	do {
		ASSERT_EQ(0, find(self, runs[1]));
	} while (self->e.waits != TSR_WAITS_DEVICE && uapi_now() < until);
	EXPECT_RUN(runs[1], TSR_PHASE_STAGED, TSR_WAITS_DEVICE);
	*f->gate.word = 1;
	pthread_join(thread, &ret);
	EXPECT_EQ(NULL, ret);
	EXPECT_RUN(runs[1], TSR_PHASE_STAGED, TSR_WAITS_DEVICE);
	ASSERT_EQ(0, soft_write(f->name, "suspend", "0"));
	ASSERT_EQ(0, uapi_wait(f->fd, runs[1], uapi_soon()));
	EXPECT_EQ(0, look(self, 0));
}

/* FL-6: nobody has a handle, the context is destroyed: it is there yet, and says so. */
TEST_F(list, quarantined_until_the_reset)
{
	struct fault *f = &self->f;
	struct drm_tessera_status s;
	uint64_t generation;
	__u32 run;

	ASSERT_EQ(0, fault_plan(f, "record drop count=1; reset fail count=3"));
	ASSERT_EQ(0, uapi_submit_program(f->fd, f->ctx, f->program, &run));
	ASSERT_EQ(0, uapi_end(f->fd, run, &s));
	ASSERT_EQ(DRM_TESSERA_PHASE_QUARANTINED, s.phase);
	EXPECT_RUN(run, TSR_PHASE_QUARANTINED, TSR_WAITS_PROOF);
	EXPECT_EQ(s.completed_ns, self->e.completed_ns);
	ASSERT_EQ(0, uapi_close_run(f->fd, run));
	ASSERT_EQ(0, uapi_context_destroy(f->fd, f->ctx));
	EXPECT_EQ(1, look(self, 0));
	EXPECT_EQ(1, look(self, s.context_id));
	ASSERT_EQ(0, tsr_minor_reset(self->minor, &generation));
	ASSERT_EQ(0, uapi_settle(f->fd));
	EXPECT_EQ(0, look(self, 0));
}

TEST_F(list, every_run_once_and_in_order)
{
	enum { MANY = 700 };
	struct fault *f = &self->f;
	uint64_t before = 0, context = 0;
	struct drm_tessera_status s;
	__u32 runs[2], run;

	ASSERT_EQ(0, fill_banks(self, runs));
	for (int i = 0; i < MANY; i++) {
		ASSERT_EQ(0, uapi_submit_program(f->fd, i % 2 ? f->ctx : f->other, f->program,
						 &run));
		ASSERT_EQ(0, uapi_close_run(f->fd, run));
	}
	ASSERT_EQ(MANY + 2, look(self, 0));
	for (size_t i = 0; i < self->count; i++) {
		EXPECT_LE(context, self->runs[i].context);
		if (context == self->runs[i].context)
			EXPECT_LT(before, self->runs[i].id);
		context = self->runs[i].context;
		before = self->runs[i].id;
	}
	ASSERT_EQ(0, uapi_status(f->fd, runs[0], &s));
	ASSERT_EQ(MANY / 2 + 2, look(self, s.context_id));
	for (size_t i = 0; i < self->count; i++)
		EXPECT_EQ(s.context_id, self->runs[i].context);
	/* More: a filter that knows no such context shows all. */
	EXPECT_EQ(0, look(self, 4711));
	*f->gate.word = 1;
	ASSERT_EQ(0, uapi_settle(f->fd));
}

TEST_F(list, refusals_change_nothing)
{
	struct tsr_run_entry *list = (void *)1;
	size_t count = 77;

	EXPECT_EQ(-EINVAL, tsr_run_list(TSR_ALL_DEVICES, 1, &list, &count));
	EXPECT_EQ(-ENODEV, tsr_run_list(4711, 0, &list, &count));
	EXPECT_EQ((void *)1, list);
	EXPECT_EQ(77, count);
}

/* --- privilege ------------------------------------------------------------------------------ */

static int child_of_another_user(void *arg)
{
	FIXTURE_DATA(list) *self = arg;
	struct tsr_context_entry *contexts;
	size_t count;

	if (look(self, 0) != 1 || self->runs[0].pid != (uint32_t)getppid())
		return 1;
	return tsr_context_list(self->minor, &contexts, &count) || count != 1;
}

/* Another user: sees its own runs and contexts, of its other processes too, and no more. */
static int as_another_user(void *arg)
{
	FIXTURE_DATA(list) *self = arg;
	struct tsr_context_entry *contexts;
	size_t count;
	__u32 ctx, program, run;
	int fd;

	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	if (look(self, 0))
		return 2;
	if (tsr_context_list(self->minor, &contexts, &count) || count)
		return 3;
	fd = uapi_open(self->f.name);
	if (fd < 0 || uapi_context(fd, 0, &ctx) || uapi_exit_program(fd, 0, &program) ||
	    uapi_submit_program(fd, ctx, program, &run))
		return 4;
	if (look(self, 0) != 1 || self->runs[0].uid != NOBODY)
		return 5;
	return uapi_in_child(child_of_another_user, self) ? 6 : 0;
}

TEST_F(list, a_user_sees_its_own)
{
	struct stat st = { 0 };
	char node[64];
	__u32 runs[2];

	ASSERT_EQ(0, soft_node(self->f.name, node, sizeof(node)));
	/* udev gives the new node group and mode, a moment later: not after ours. */
	for (int i = 0; i < 5000 && !(st.st_mode & S_IWGRP); i++) {
		uapi_sleep_ms(1);
		ASSERT_EQ(0, stat(node, &st));
	}
	ASSERT_EQ(0, chmod(node, 0666));
	ASSERT_EQ(0, fill_banks(self, runs));
	EXPECT_EQ(0, uapi_in_child(as_another_user, self));
}

static int without_capabilities(void *arg)
{
	FIXTURE_DATA(list) *self = arg;

	return uapi_drop_caps() || look(self, 0) != 2;
}

TEST_F(list, the_same_user_without_capabilities)
{
	__u32 runs[2];

	ASSERT_EQ(0, fill_banks(self, runs));
	EXPECT_EQ(0, uapi_in_child(without_capabilities, self));
}

/* CAP_SYS_ADMIN is enough: it is what a reset needs, too. */
static int with_one_capability(void *arg)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { {
		.effective = 1u << CAP_SYS_ADMIN, .permitted = 1u << CAP_SYS_ADMIN,
	} };
	FIXTURE_DATA(list) *self = arg;

	if (prctl(PR_SET_KEEPCAPS, 1) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    syscall(SYS_capset, &header, data))
		return 1;
	return look(self, 0) == 2 ? 0 : 2;
}

TEST_F(list, another_user_with_one_capability_sees_all)
{
	__u32 runs[2];

	ASSERT_EQ(0, fill_banks(self, runs));
	EXPECT_EQ(0, uapi_in_child(with_one_capability, self));
}

/* How many runs a socket shows; negative: failed. */
static int runs_shown(FIXTURE_DATA(list) *self, struct genl *g)
{
	int err;

	genl_begin(g, TESSERA_CMD_RUN_GET, NLM_F_DUMP);
	genl_add(g, TESSERA_A_RUN_MINOR, &self->minor, 4);
	err = genl_ask(g);
	return err ? err : (int)g->got;
}

/* 2: the socket's user counted. */
static int asks_with_the_owners_socket(void *arg)
{
	struct genl g;

	if (genl_open(&g) || runs_shown(arg, &g) != 2)
		return 1;
	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 2;
	return runs_shown(arg, &g) ? 3 : 0;
}

/* 2: the asking user counted. */
static int asks_with_the_socket_of_another_user(void *arg)
{
	struct genl g;
	int err;

	setfsuid(NOBODY);
	err = genl_open(&g);
	setfsuid(0);
	if (err || uapi_drop_caps())
		return 1;
	return runs_shown(arg, &g) ? 3 : 0;
}

/* Who opened the socket and who asks must be the same user: either may be talked into it. */
TEST_F(list, a_socket_of_somebody_else_shows_nothing)
{
	__u32 runs[2];

	ASSERT_EQ(0, fill_banks(self, runs));
	EXPECT_EQ(0, uapi_in_child(asks_with_the_owners_socket, self));
	EXPECT_EQ(0, uapi_in_child(asks_with_the_socket_of_another_user, self));
}

TEST_HARNESS_MAIN

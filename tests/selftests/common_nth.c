// SPDX-License-Identifier: MIT
/* The sweep: one failure at a time, and what must hold after each. */
#include "common_nth.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "common_inject.h"
#include "common_soft.h"

#define MOST_FAILURES	3000
#define SETTLE_MS	10000
#define MOST_FDS	64

/* --- what must be as before ------------------------------------------------------------------ */

enum {
	HELD_CONTEXTS, HELD_BUFFERS, HELD_PROGRAMS, HELD_IMAGES, HELD_RUNS, HELD_FENCES, HELD_QUEUED,
	HELD_BANKS, HELD_CLAIMS, HELD_NODES, HELD_FDS, HELD_COUNT,
};

static const char *const held_names[HELD_COUNT] = {
	"contexts", "buffers", "programs", "images", "runs", "fences", "queued runs", "leased banks",
	"claims", "nodes", "descriptors",
};

struct held {
	long long n[HELD_COUNT];
	bool fds[MOST_FDS];
};

static int held_read(const struct nth *n, struct held *ret)
{
	struct drm_tessera_counters c;
	int err = uapi_counters(n->fd, &c);

	memset(ret, 0, sizeof(*ret));
	if (err)
		return err;
	ret->n[HELD_CONTEXTS] = c.contexts;
	ret->n[HELD_BUFFERS] = c.buffers;
	ret->n[HELD_PROGRAMS] = c.programs;
	ret->n[HELD_IMAGES] = c.images;
	ret->n[HELD_RUNS] = c.runs;
	ret->n[HELD_FENCES] = c.fences;
	ret->n[HELD_QUEUED] = c.queue_depth;
	ret->n[HELD_BANKS] = c.leases_taken - c.leases_returned;
	ret->n[HELD_CLAIMS] = c.claims_taken - c.claims_released;
	ret->n[HELD_NODES] = count_nodes();
	for (int fd = 0; fd < MOST_FDS; fd++) {
		ret->fds[fd] = fcntl(fd, F_GETFD) >= 0;
		ret->n[HELD_FDS] += ret->fds[fd];
	}
	return 0;
}

/* Number of gauges that do not come back to what they were; workers get time for it. */
static int held_differs(const struct nth *n, const struct held *want, const char *when)
{
	__s64 until = uapi_in_ms(SETTLE_MS);
	struct held now;
	int bad = 0;

	do {
		if (held_read(n, &now))
			return 1;
		if (!memcmp(now.n, want->n, sizeof(now.n)))
			return 0;
		uapi_sleep_ms(2);
	} while (uapi_now() < until);
	for (int i = 0; i < HELD_COUNT; i++) {
		if (now.n[i] == want->n[i])
			continue;
		fprintf(stderr, "# %s: %s are %lld, were %lld\n", when, held_names[i], now.n[i],
			want->n[i]);
		bad++;
	}
	return bad;
}

/* --- a case's own ------------------------------------------------------------------------------ */

int nth_open(struct nth *n)
{
	char link[64];
	int err;

	inject_open();
	memset(n, 0, sizeof(*n));
	n->fd = uapi_open_idle();
	if (n->fd < 0)
		return n->fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", n->fd);
	if (readlink(link, n->path, sizeof(n->path) - 1) < 0)
		return -errno;
	err = uapi_info(n->fd, &n->info);
	if (!err)
		err = uapi_context(n->fd, 0, &n->ctx);
	if (!err)
		err = uapi_exit_program(n->fd, 0, &n->program);
	return err;
}

static void end_runs(struct nth *n, unsigned int first)
{
	for (unsigned int i = first; i < n->n_runs; i++) {
		uapi_wait(n->fd, n->runs[i], uapi_soon());
		uapi_close_run(n->fd, n->runs[i]);
	}
	n->n_runs = first;
}

static void close_one(int fd)
{
	if (fd > 0)
		close(fd);
}

/* All that is not zero, in the order that its users need. */
static void nth_undo(struct nth *n)
{
	struct nth keep = *n;

	if (n->gate.dispatch)
		*n->gate.word = 1;
	end_runs(n, 0);
	uapi_gate_free(n->fd, &n->gate);
	if (n->object)
		n->release(n->object);
	if (n->mem)
		munmap(n->mem, n->size);
	close_one(n->file);
	close_one(n->more);
	close_one(n->other);
	for (int i = 0; i < NTH_BOS; i++)
		if (n->bo[i])
			uapi_bo_close(n->fd, n->bo[i]);
	if (n->binder)
		uapi_program_destroy(n->fd, n->binder);
	if (n->made)
		uapi_program_destroy(n->fd, n->made);
	if (n->context)
		uapi_context_destroy(n->fd, n->context);
	if (n->sync)
		uapi_syncobj_destroy(n->fd, n->sync);
	if (n->timeline)
		uapi_syncobj_destroy(n->fd, n->timeline);
	if (n->node)
		soft_remove(n->node);
	free(n->blob);

	memset(n, 0, sizeof(*n));
	memcpy(n->path, keep.path, sizeof(n->path));
	n->fd = keep.fd;
	n->ctx = keep.ctx;
	n->program = keep.program;
	n->info = keep.info;
}

void nth_close(struct nth *n)
{
	nth_undo(n);
	close(n->fd);
}

/*
 * The call was good, but its caller was not told: the DRM core's last copy failed. What it made
 * belongs to the file, and must go with it; a descriptor belongs to the process.
 */
static int lost_answer(struct nth *n, const struct held *before, const struct held *base)
{
	int err;

	nth_undo(n);
	close(n->fd);
	for (int fd = 3; fd < MOST_FDS; fd++)
		if (!before->fds[fd] && fcntl(fd, F_GETFD) >= 0)
			close(fd);
	err = nth_open(n);
	if (err) {
		fprintf(stderr, "# opening again: %s\n", strerror(-err));
		return 1;
	}
	return held_differs(n, base, "after close");
}

/* --- one failure ------------------------------------------------------------------------------- */

static int wrong_result(const struct nth_case *c, const struct inject_failure *f, int err)
{
	if (err == (f->copy ? -EFAULT : -ENOMEM))
		return 0;
	for (int i = 0; i < NTH_ALSO && c->also[i]; i++)
		if (err == -c->also[i])
			return 0;
	fprintf(stderr, "# %s in %s: the call says %s\n", f->kind, f->where, strerror(-err));
	return 1;
}

static int after_failure(struct nth *n, const struct nth_case *c, const struct inject_failure *f,
			 int err, const struct held *before)
{
	int bad = wrong_result(c, f, err);

	if (n->wrong) {
		fprintf(stderr, "# %s in %s: %s\n", f->kind, f->where, n->wrong);
		bad++;
	}
	bad += held_differs(n, before, f->where);
	err = c->act(n);
	if (err) {
		fprintf(stderr, "# after %s in %s it does not work: %s\n", f->kind, f->where,
			strerror(-err));
		bad++;
	}
	return bad;
}

/* What prepare() made has come to rest: staged, executing or ended. */
static int held_settle(const struct nth *n, struct held *ret)
{
	__s64 until = uapi_in_ms(SETTLE_MS);
	struct held last;
	int err;

	do {
		err = held_read(n, &last);
		uapi_sleep_ms(3);
		if (!err)
			err = held_read(n, ret);
	} while (!err && memcmp(last.n, ret->n, sizeof(last.n)) && uapi_now() < until);
	return err;
}

static int prepare(struct nth *n, const struct nth_case *c, struct held *ret_base,
		   struct held *ret_before)
{
	int err = held_read(n, ret_base);

	if (!err && c->prepare)
		err = c->prepare(n);
	if (!err)
		err = held_settle(n, ret_before);
	if (err) {
		fprintf(stderr, "# prepare: %s\n", strerror(-err));
		nth_undo(n);
	}
	return err;
}

static int attempt(struct nth *n, const struct nth_case *c, unsigned int k, bool *ret_failed)
{
	/* The kernel is silent about allocations that may fail (__GFP_NOWARN). */
	struct inject_failure f = { .kind = "an optional allocation", .where = "somewhere" };
	struct held base, before;
	unsigned int runs;
	int err, bad = 0;

	if (prepare(n, c, &base, &before))
		return 1;
	runs = n->n_runs;
	n->wrong = NULL;
	inject_begin(k, c->in_worker);
	err = c->act(n);
	*ret_failed = inject_end(&f);
	if (!*ret_failed && err) {
		fprintf(stderr, "# with memory: %s\n", strerror(-err));
		bad++;
	}
	if (!*ret_failed || !err) {
		/* Done without: what has a way around a failure may take it. */
		if (*ret_failed)
			fprintf(stderr, "# tolerated: %s in %s\n", f.kind, f.where);
		nth_undo(n);
		bad += held_differs(n, &base, "in the end");
	} else if (f.answer) {
		bad += lost_answer(n, &before, &base);
	} else {
		end_runs(n, runs);
		bad += after_failure(n, c, &f, err, &before);
		nth_undo(n);
		bad += held_differs(n, &base, "in the end");
	}
	return bad + inject_complaints();
}

int nth_plain(struct nth *n, const struct nth_case *c)
{
	bool failed;

	return attempt(n, c, 0, &failed);
}

int nth_sweep(struct nth *n, const struct nth_case *c, unsigned int *ret_failures)
{
	bool failed = true;
	unsigned int k;
	int bad = 0;

	if (c->spare)
		inject_spare(c->spare);
	for (k = 1; failed && k < MOST_FAILURES; k++) {
		int now = attempt(n, c, k, &failed);

		if (now)
			fprintf(stderr, "# ^ failure %u\n", k);
		bad += now;
	}
	/* The setting is the machine's. */
	if (c->spare)
		inject_spare(NULL);
	*ret_failures = k - 2;
	if (failed) {
		fprintf(stderr, "# no end after %u failures\n", k);
		bad++;
	}
	return bad;
}

/* --- around all tests -------------------------------------------------------------------------- */

bool nth_debug_kernel(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.release, "-tessera-debug");
}

const char *nth_missing(void)
{
	return inject_missing();
}

static void end(void)
{
	inject_restore();
	soft_remove(NTH_OTHER);
}

void nth_begin(void)
{
	int err = soft_create(NTH_OTHER, "");

	if (err)
		fprintf(stderr, "# %s: %s\n", NTH_OTHER, strerror(-err));
	inject_prepare();
	/* The harness does not return; its children leave by _exit(). */
	atexit(end);
}

int nth_leaks(void)
{
	return inject_leaks();
}

/* --- for cases --------------------------------------------------------------------------------- */

int nth_ioctl(struct nth *n, int fd, unsigned long request, void *arg, size_t size)
{
	char before[256];
	int err;

	if (size > sizeof(before))
		return -E2BIG;
	memcpy(before, arg, size);
	err = uapi_ioctl(fd, request, arg);
	if (err && memcmp(before, arg, size))
		n->wrong = "a failed call wrote its outputs";
	return err;
}

int nth_submit(struct nth *n, struct drm_tessera_run *runs, __u32 count, __u32 flags)
{
	struct drm_tessera_run_submit submit;
	int err;

	uapi_submit_init(&submit, n->ctx, runs, count);
	submit.flags = flags;
	err = uapi_ioctl(n->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &submit);
	for (__u32 i = 0; i < submit.accepted; i++)
		n->runs[n->n_runs++] = runs[i].handle;
	for (__u32 i = submit.accepted; i < count; i++)
		if (runs[i].handle || runs[i].id)
			n->wrong = "a refused run has a handle or an id";
	return err ? err : submit.error;
}

int nth_bind_program(struct nth *n, unsigned int bindings)
{
	struct uapi_prog p;

	uapi_prog_init_core(&p, &n->info.limits);

	__u32 l1 = p.limits.cb_base;
	const __u32 code[] = {
		RV_READ_BUFFER(0, 0, l1, 16),
		RV_WRITE_BUFFER(0, 0, l1, 16),
		RV_EXIT(0),
	};

	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	for (unsigned int i = 0; i < bindings; i++)
		uapi_add_binding(&p, 4096, TESSERA_ACCESS_INOUT);
	return uapi_prog_create(n->fd, &p, &n->binder);
}

int nth_bind(struct nth *n, unsigned int count, struct drm_tessera_run *run)
{
	struct tessera_bind binds[NTH_BOS];

	for (unsigned int i = 0; i < count; i++)
		binds[i] = (struct tessera_bind){
			.size = 4096, .handle = n->bo[i], .access = TESSERA_ACCESS_INOUT,
		};
	if (!n->blob)
		n->blob = uapi_dispatch(binds, count, NULL, 0, &n->blob_size);
	uapi_run_init(run, n->binder);
	uapi_run_set_dispatch(run, n->blob, n->blob_size);
	return n->blob ? 0 : -ENOMEM;
}

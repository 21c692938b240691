// SPDX-License-Identifier: MIT
#include "common_check.h"
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define POISON	0xa5

const __u32 uapi_bad_u32[3] = { 0x7fffffff, 0x80000000, 0xffffffff };

void uapi_bad_ptrs(const void *good, size_t size, struct uapi_bad_ptr ret[UAPI_BAD_PTRS])
{
	size_t page = 4096, room = (size + 2 * page - 1) / page * page;
	char *area = mmap(NULL, 2 * room + page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = area + room, *fixed = end + page;
	size_t here = size > 8 ? (size - 1) / 8 * 8 : size - 1;

	/* The beginning is there. What is missing is the last byte, or the last eight. */
	memcpy(end - here, good, here);
	memcpy(fixed, good, size);
	mprotect(end, page, PROT_NONE);
	mprotect(fixed, room, PROT_READ);
	ret[0] = (struct uapi_bad_ptr){ "null", 0 };
	ret[1] = (struct uapi_bad_ptr){ "not mapped", UAPI_PTR(end) };
	ret[2] = (struct uapi_bad_ptr){
		"ends in a hole", UAPI_PTR(end) - here
	};
	ret[3] = (struct uapi_bad_ptr){ "kernel", 0xffff888000000000ull };
	ret[4] = (struct uapi_bad_ptr){ "end of all addresses", -8ull };
	ret[UAPI_READ_ONLY] = (struct uapi_bad_ptr){ "read-only", UAPI_PTR(fixed) };
}

void uapi_poison(void *p, size_t size)
{
	memset(p, POISON, size);
}

bool uapi_poisoned(const void *p, size_t size)
{
	const unsigned char *byte = p;

	while (size--)
		if (*byte++ != POISON)
			return false;
	return true;
}

bool uapi_all_zero(const void *p, size_t size)
{
	const unsigned char *byte = p;

	while (size--)
		if (*byte++)
			return false;
	return true;
}

static int count_changes(const __u64 *before, const __u64 *after, const __u64 *delta, bool print)
{
	int n = 0;

	for (unsigned int i = 0; i < UAPI_COUNTERS; i++) {
		if (after[i] - before[i] == (delta ? delta[i] : 0))
			continue;
		if (print)
			fprintf(stderr, "# counter %s: %llu, then %llu, expected %+lld\n",
				uapi_counter_name(i), before[i], after[i],
				delta ? (long long)delta[i] : 0);
		n++;
	}
	return n;
}

int uapi_changes(int fd, const struct drm_tessera_counters *before,
		 const struct drm_tessera_counters *delta)
{
	__s64 until = uapi_in_ms(2000);
	struct drm_tessera_counters after;
	int n;

	for (;;) {
		if (uapi_counters(fd, &after))
			return -1;
		n = count_changes((const __u64 *)before, (const __u64 *)&after,
				  (const __u64 *)delta, false);
		if (!n || uapi_now() > until)
			break;
		uapi_sleep_ms(2);
	}
	return n ? count_changes((const __u64 *)before, (const __u64 *)&after,
				 (const __u64 *)delta, true) : 0;
}

int uapi_unbalanced(const struct drm_tessera_counters *c)
{
	const struct {
		const char *what;
		__u64 one, other;
	} pairs[] = {
		{ "banks taken and returned", c->leases_taken, c->leases_returned },
		{ "claims taken and released", c->claims_taken, c->claims_released },
		{ "runs accepted and ended", c->runs_accepted,
		  c->runs_retired + c->runs_cancelled + c->runs_quarantined },
		{ "runs in the queue", c->queue_depth, 0 },
	};
	int bad = 0;

	for (size_t i = 0; i < UAPI_ARRAY_SIZE(pairs); i++) {
		if (pairs[i].one == pairs[i].other)
			continue;
		printf("# %s: %llu, %llu\n", pairs[i].what, (unsigned long long)pairs[i].one,
		       (unsigned long long)pairs[i].other);
		bad++;
	}
	return bad;
}

int uapi_in_child(int (*func)(void *arg), void *arg)
{
	pid_t pid = fork();
	int status, ret;

	if (!pid) {
		ret = func(arg);
		_exit(ret < 0 || ret > 100 ? 101 : ret);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

int uapi_drop_caps(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int uapi_open_as(unsigned int uid)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int ret;

	if (syscall(SYS_capget, &header, data))
		return -errno;
	setfsuid(uid);
	/* It took those away that look past the mode of files. */
	if (syscall(SYS_capset, &header, data))
		ret = -errno;
	else
		ret = uapi_open(NULL);
	setfsuid(geteuid());
	return ret;
}

int uapi_open_idle(void)
{
	__s64 until = uapi_in_ms(300);
	struct drm_tessera_counters c;
	int fd = uapi_open(NULL);
	static bool waited;

	while (fd >= 0 && !waited && uapi_now() < until && !uapi_counters(fd, &c) &&
	       (c.contexts || c.buffers || c.programs || c.images || c.runs || c.fences))
		uapi_sleep_ms(1);
	waited = true;
	return fd;
}

int uapi_bench_open(struct uapi_bench *ret)
{
	struct uapi_bench b = { .fd = uapi_open_idle() };
	int err;

	*ret = b;
	if (b.fd < 0)
		return b.fd;
	err = uapi_info(b.fd, &b.info);
	if (!err)
		err = uapi_context(b.fd, 0, &b.context);
	if (!err)
		err = uapi_exit_program(b.fd, 0, &b.program);
	*ret = b;
	return err;
}

void uapi_bench_close(struct uapi_bench *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}

int uapi_chain_open(struct uapi_chain *ret)
{
	struct uapi_chain *c = ret;
	int err;

	memset(c, 0, sizeof(*c));
	err = uapi_bench_open(&c->b);
	if (!err)
		err = uapi_context(c->b.fd, 0, &c->other);
	if (!err)
		err = uapi_gate_new(c->b.fd, &c->gate);
	if (!err)
		err = uapi_syncobj(c->b.fd, false, &c->sync.handle);
	if (err)
		return err;
	uapi_run_init(&c->first, c->gate.program);
	uapi_run_set_dispatch(&c->first, c->gate.dispatch, c->gate.dispatch_size);
	c->first.out_syncs = UAPI_PTR(&c->sync);
	c->first.out_sync_count = 1;
	uapi_run_init(&c->second, c->b.program);
	c->second.in_syncs = UAPI_PTR(&c->sync);
	c->second.in_sync_count = 1;
	return uapi_counters(c->b.fd, &c->before);
}

void uapi_chain_close(struct uapi_chain *chain)
{
	uapi_gate_free(chain->b.fd, &chain->gate);
	uapi_bench_close(&chain->b);
}

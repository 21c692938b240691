// SPDX-License-Identifier: MIT
/*
 * Every n-th failure of looking at devices: netlink, debugfs, and what workers do for events and
 * dumps.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <tessera/event.h>
#include <tessera/run_list.h>
#include <unistd.h>
#include "common_event.h"
#include "common_genl.h"
#include "common_nth.h"
#include "kselftest_harness.h"

NTH_FIXTURE

/* --- netlink --------------------------------------------------------------------------------- */

static int list_devices(struct nth *n)
{
	struct tsr_device_entry *devices;
	size_t count;
	int err = tsr_device_list(&devices, &count);

	if (err)
		return err;
	free(devices);
	return count < 2 ? -ENODATA : 0;
}

static int list_contexts(struct nth *n)
{
	struct tsr_context_entry *contexts;
	size_t count;
	int err = tsr_context_list(TSR_ALL_DEVICES, &contexts, &count);

	if (err)
		return err;
	free(contexts);
	return count < 1 ? -ENODATA : 0;
}

static int with_run(struct nth *n)
{
	int err = uapi_gate_new(n->fd, &n->gate);

	if (!err)
		err = uapi_gate_submit(n->fd, n->ctx, &n->gate, &n->runs[0]);
	n->n_runs = !err;
	return err;
}

static int list_runs(struct nth *n)
{
	struct tsr_run_entry *runs;
	size_t count;
	int err = tsr_run_list(TSR_ALL_DEVICES, 0, &runs, &count);

	if (err)
		return err;
	free(runs);
	return count < 1 ? -ENODATA : 0;
}

static uint32_t minor;

static int know_minor(struct nth *n)
{
	minor = event_minor(n->fd);
	return 0;
}

static void close_socket(void *socket)
{
	genl_close(socket);
}

static int with_socket(struct nth *n)
{
	static struct genl g;
	int err = genl_open(&g);

	if (err)
		return err;
	n->object = &g;
	n->release = close_socket;
	return know_minor(n);
}

/* One device, which the library never asks for. An answer that found no memory does not come. */
static int get_device(struct nth *n)
{
	struct genl *g = n->object;
	int err;

	genl_begin(g, TESSERA_CMD_DEVICE_GET, 0);
	genl_add(g, TESSERA_A_DEVICE_MINOR, &minor, sizeof(minor));
	err = genl_ask(g);
	if (err == GENL_NO_ANSWER)
		return -ENOBUFS;
	return err ? err : g->got == 1 ? 0 : -ENODATA;
}

static int reset_minor(struct nth *n)
{
	uint64_t generation;

	return tsr_minor_reset(minor, &generation);
}

static void close_listener(void *listener)
{
	tsr_listener_close(listener);
}

static int subscribe(struct nth *n)
{
	struct tsr_listener *listener;
	int err = tsr_listener_open(&listener);

	if (err)
		return err;
	n->object = listener;
	n->release = close_listener;
	return 0;
}

/* What the kernel's sockets say instead (ENOBUFS, ENFILE), and what libnl makes of it. */
#define SOCKETS	{ ENOBUFS, EIO, EINVAL }

NTH_CASE(netlink_devices, .act = list_devices, .also = SOCKETS);
NTH_CASE(netlink_contexts, .act = list_contexts, .also = SOCKETS);
NTH_CASE(netlink_runs, .prepare = with_run, .act = list_runs, .also = SOCKETS);
NTH_CASE(netlink_device, .prepare = with_socket, .act = get_device, .also = { ENOBUFS });
NTH_CASE(netlink_reset, .prepare = know_minor, .act = reset_minor, .also = SOCKETS);
NTH_CASE(netlink_subscribe, .act = subscribe, .also = SOCKETS);

/* --- debugfs --------------------------------------------------------------------------------- */

static char path[160];

static int with_file_and_run(struct nth *n, const char *name)
{
	know_minor(n);
	uapi_debugfs(minor, name, path, sizeof(path));
	return with_run(n);
}

static int with_runs(struct nth *n)
{
	return with_file_and_run(n, "runs");
}

static int with_pipeline(struct nth *n)
{
	return with_file_and_run(n, "pipeline");
}

static int read_file(struct nth *n)
{
	char data[4096];
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, data, sizeof(data));
	if (got < 0)
		got = -errno;
	close(fd);
	return got < 0 ? (int)got : got ? 0 : -ENODATA;
}

NTH_CASE(debugfs_runs, .prepare = with_runs, .act = read_file);
NTH_CASE(debugfs_pipeline, .prepare = with_pipeline, .act = read_file);

/* --- workers --------------------------------------------------------------------------------- */

/* An event, which a worker sends. One that found no memory is lost, and the next one says so. */
static int event_sent(struct nth *n)
{
	struct tsr_event event;
	int err = uapi_claim(n->fd, n->ctx, DRM_TESSERA_CLAIM_NONBLOCK, 0);

	if (err)
		return err;
	do {
		err = tsr_listener_next(n->object, INT64_C(1000000000), &event);
	} while (err == -ENOBUFS);
	uapi_claim_release(n->fd, n->ctx);
	return err == -ETIME ? -ENOMEM : err;
}

static size_t count_dumps(bool remove)
{
	glob_t found;
	size_t n;

	if (glob("/sys/class/devcoredump/devcd*/data", 0, NULL, &found))
		return 0;
	n = found.gl_pathc;
	for (size_t i = 0; remove && i < n; i++) {
		int fd = open(found.gl_pathv[i], O_WRONLY | O_CLOEXEC);

		if (fd >= 0 && write(fd, "0", 1) != 1)
			perror(found.gl_pathv[i]);
		close(fd);
	}
	globfree(&found);
	return n;
}

static void remove_dumps(void *object)
{
	count_dumps(true);
}

/* A program that faults at once, whose dump is written by a worker. */
static int with_fault(struct nth *n)
{
	static const __u32 code[] = { 0 };
	struct uapi_prog p;

	n->release = remove_dumps;
	n->object = n;
	count_dumps(true);
	uapi_prog_init_core(&p, &n->info.limits);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	return uapi_prog_create(n->fd, &p, &n->binder);
}

static int dump_written(struct nth *n)
{
	struct drm_tessera_run run;
	__s64 until;
	int err;

	uapi_run_init(&run, n->binder);
	err = nth_submit(n, &run, 1, 0);
	if (!err)
		err = uapi_wait(n->fd, run.handle, uapi_soon());
	if (err)
		return err;
	for (until = uapi_in_ms(1500); uapi_now() < until; uapi_sleep_ms(5))
		if (count_dumps(false))
			return 0;
	return -ENOMEM;
}

NTH_CASE(worker_sends_event, .prepare = subscribe, .act = event_sent, .in_worker = true);
/* Without memory for its device in sysfs, dev_coredumpm() of 6.12 frees what it got twice. */
NTH_CASE(worker_writes_dump, .prepare = with_fault, .act = dump_written, .in_worker = true,
	 .spare = "dev_coredumpm_timeout");

NTH_TESTS

// SPDX-License-Identifier: MIT
/*
 * Every n-th failure of making, enabling and removing virtual devices, of netlink, and of what
 * workers do for events and dumps.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tessera/event.h>
#include <unistd.h>
#include "common_event.h"
#include "common_nth.h"
#include "common_soft.h"
#include "kselftest_harness.h"

/* Long enough to be allocated by itself. */
#define NODE		"nth-node-of-a-long-name"

NTH_FIXTURE

/* --- configfs -------------------------------------------------------------------------------- */

static int make(struct nth *n)
{
	int err = node_make(NODE);

	if (!err)
		n->node = NODE;
	return err;
}

static int set_number(struct nth *n)
{
	return attr_write(NODE, "width", "5");
}

static int set_harvested(struct nth *n)
{
	return attr_write(NODE, "harvested", "1,1 2,2");
}

static int set_plan(struct nth *n)
{
	return attr_write(NODE, "fault_plan", "stage fail nth=1000000\n");
}

static int read_plan(struct nth *n)
{
	char text[4096];

	return attr_read(NODE, "fault_plan", text, sizeof(text));
}

static int enable(struct nth *n)
{
	return attr_write(NODE, "enable", "1");
}

static int disable(struct nth *n)
{
	return attr_write(NODE, "enable", "0");
}

static int with_device(struct nth *n)
{
	int err = make(n);

	return err ? err : enable(n);
}

static int suspend(struct nth *n)
{
	return attr_write(NODE, "suspend", "1");
}

static int with_suspended(struct nth *n)
{
	int err = with_device(n);

	return err ? err : suspend(n);
}

static int resume(struct nth *n)
{
	return attr_write(NODE, "suspend", "0");
}

static int remove_node(struct nth *n)
{
	int err = node_remove(NODE);

	if (!err)
		n->node = NULL;
	return err;
}

NTH_CASE(configfs_make, .act = make);
NTH_CASE(configfs_number, .prepare = make, .act = set_number);
NTH_CASE(configfs_harvested, .prepare = make, .act = set_harvested);
NTH_CASE(configfs_plan, .prepare = make, .act = set_plan);
NTH_CASE(configfs_read, .prepare = make, .act = read_plan);
/* ENXIO: the driver core did not get as far as the driver. */
NTH_CASE(device_enable, .prepare = make, .act = enable, .also = { ENXIO });
NTH_CASE(device_disable, .prepare = with_device, .act = disable);
NTH_CASE(device_suspend, .prepare = with_device, .act = suspend);
NTH_CASE(device_resume, .prepare = with_suspended, .act = resume);
NTH_CASE(configfs_remove, .prepare = with_device, .act = remove_node);

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

static uint32_t minor;

static int know_minor(struct nth *n)
{
	minor = event_minor(n->fd);
	return 0;
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
NTH_CASE(netlink_reset, .prepare = know_minor, .act = reset_minor, .also = SOCKETS);
NTH_CASE(netlink_subscribe, .act = subscribe, .also = SOCKETS);

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

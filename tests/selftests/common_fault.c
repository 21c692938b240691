// SPDX-License-Identifier: MIT
#include "common_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_node.h"

int fault_open(struct fault *ret, const char *attributes)
{
	char name[32];

	snprintf(name, sizeof(name), "fault%d", getpid());
	return fault_open_named(ret, name, attributes);
}

int fault_open_named(struct fault *ret, const char *name, const char *attributes)
{
	int err;

	memset(ret, 0, sizeof(*ret));
	ret->fd = -1;
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	err = soft_create(ret->name, attributes);
	if (err)
		return err;
	ret->fd = uapi_open(ret->name);
	if (ret->fd < 0)
		return ret->fd;
	err = uapi_context(ret->fd, 0, &ret->ctx);
	if (!err)
		err = uapi_context(ret->fd, 0, &ret->other);
	if (!err)
		err = uapi_exit_program(ret->fd, 0, &ret->program);
	if (!err)
		err = uapi_gate_new(ret->fd, &ret->gate);
	return err ? err : uapi_counters(ret->fd, &ret->base);
}

void fault_close(struct fault *f)
{
	if (f->gate.dispatch)
		uapi_gate_free(f->fd, &f->gate);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	soft_remove(f->name);
}

int fault_plan(const struct fault *f, const char *plan)
{
	return soft_write(f->name, "fault_plan", plan);
}

static const char *const chaos =
	"stage fail p=40 count=0 seed=%1$u; launch_dispatch fail p=40 count=0 seed=%1$u;"
	"launch_grid fail p=20 count=0 seed=%1$u; launch_grid lie p=20 count=0 seed=%1$u;"
	"completion drop p=20 count=0 seed=%1$u;"
	"completion drop boundary=dispatch p=20 count=0 seed=%1$u;"
	"completion late us=700 p=100 count=0 seed=%1$u;"
	"completion late boundary=dispatch us=30000 p=30 count=0 seed=%1$u;"
	"record drop p=30 count=0 seed=%1$u; record corrupt p=30 count=0 seed=%1$u;"
	"quiesce fail p=400 count=0 seed=%1$u; reset fail p=400 count=0 seed=%1$u;"
	"unload fail p=200 count=0 seed=%1$u; core hang p=20 count=0 seed=%1$u;"
	"core kill after=5 p=20 count=0 seed=%1$u; core slow factor=9 p=50 count=0 seed=%1$u";

int fault_chaos(const struct fault *f, unsigned int seed)
{
	char text[4096];

	snprintf(text, sizeof(text), chaos, seed);
	return fault_plan(f, text);
}

long fault_hits(const struct fault *f, unsigned int i)
{
	char path[128], line[256];
	long hits = -ENOENT;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/config/tessera/%s/fault_hits", f->name);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		if (!i--)
			hits = strtol(line, NULL, 10);
	fclose(file);
	return hits;
}

struct drm_tessera_counters fault_counters(const struct fault *f)
{
	struct drm_tessera_counters now = { 0 };
	__u64 *a = (__u64 *)&now;
	const __u64 *b = (const __u64 *)&f->base;

	uapi_counters(f->fd, &now);
	for (unsigned int i = 0; i < UAPI_COUNTERS; i++)
		a[i] -= b[i];
	return now;
}

struct drm_tessera_device_info fault_info(const struct fault *f)
{
	struct drm_tessera_device_info info = { 0 };

	uapi_info(f->fd, &info);
	return info;
}

int fault_run(const struct fault *f, __u32 ctx, struct drm_tessera_status *ret)
{
	__u32 run;
	int err = uapi_submit_program(f->fd, ctx, f->program, &run);

	if (!err)
		err = uapi_end(f->fd, run, ret);
	if (!err)
		err = uapi_close_run(f->fd, run);
	return err;
}

bool fault_good(const struct fault *f)
{
	struct drm_tessera_status s;
	int err = fault_run(f, f->other, &s);

	if (err)
		fprintf(stderr, "# a run that should succeed: %s\n", strerror(-err));
	else if (s.code)
		dev_status_print(&s);
	return !err && !s.code && s.phase == DRM_TESSERA_PHASE_RETIRED;
}

static int writer_program(int fd, __u32 *ret_handle)
{
	struct drm_tessera_device_info info;
	struct uapi_prog p;
	int err = uapi_info(fd, &info);

	if (err)
		return err;
	uapi_prog_init_core(&p, &info.limits);

	__u32 l1 = info.limits.cb_base;
	const __u32 code[] = {
		RV_ADDI(RV_T1, RV_T1, 1),
		RV_LI(RV_T0, l1),
		RV_SW(RV_T1, 0, RV_T0),
		RV_WRITE_BUFFER(0, 0, l1, 16),
		RV_J(-(1 + 2 + 1 + 6 * 5) * 4),
	};

	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	uapi_add_binding(&p, 4096, TESSERA_ACCESS_OUT);
	return uapi_prog_create(fd, &p, ret_handle);
}

int fault_writer(int fd, struct uapi_gate *ret)
{
	struct uapi_gate writer = { 0 };
	void *map;
	int err = writer_program(fd, &writer.program);

	if (!err)
		err = uapi_bo_map(fd, 4096, &writer.bo, &map);
	if (err)
		return err;

	struct tessera_bind bind = {
		.size = 4096, .handle = writer.bo, .access = TESSERA_ACCESS_OUT,
	};

	writer.word = map;
	writer.dispatch = uapi_dispatch(&bind, 1, NULL, 0, &writer.dispatch_size);
	*ret = writer;
	return writer.dispatch ? 0 : -ENOMEM;
}

bool fault_writes(const struct uapi_gate *writer)
{
	__u32 before = *writer->word;

	uapi_sleep_ms(50);
	return *writer->word != before;
}

void *fault_waits(void *actor)
{
	struct fault_actor *a = actor;

	a->ret = uapi_wait(a->f->fd, a->run, UAPI_NO_TIMEOUT);
	a->back = uapi_now();
	return NULL;
}

void *fault_submits(void *actor)
{
	struct fault_actor *a = actor;

	a->ret = uapi_submit_program(a->f->fd, a->ctx, a->f->program, &a->run);
	a->back = uapi_now();
	return NULL;
}

unsigned int fault_took_ms(const struct drm_tessera_status *s)
{
	return (s->retired_ns - s->launched_ns) / 1000000;
}

// SPDX-License-Identifier: MIT
/* Victims that make and give up objects. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common_check.h"
#include "common_victim_int.h"

/* ---- Objects -------------------------------------------------------------------------------- */

void victim_be_opening(struct victim *v)
{
	AGAIN(v)
		close(MUST(uapi_open(v->name)));
}

void victim_be_querying(struct victim *v)
{
	struct drm_tessera_device_info info;
	struct drm_tessera_counters c;

	AGAIN(v) {
		MUST(uapi_info(v->fd, &info));
		MUST(uapi_context_counters(v->fd, v->ctx, &c));
	}
}

void victim_be_creating_buffers(struct victim *v)
{
	__u32 bo[8];

	AGAIN(v) {
		for (int i = 0; i < 8; i++)
			MUST(uapi_bo(v->fd, 4096u << i, &bo[i]));
		for (int i = 0; i < 8; i += 1 + rand_r(&v->seed) % 3)
			MUST(uapi_bo_close(v->fd, bo[i]));
	}
}

void victim_be_faulting_in_mappings(struct victim *v)
{
	void *map;
	__u32 bo;

	AGAIN(v) {
		MUST(uapi_bo_map(v->fd, 1 << 20, &bo, &map));
		for (size_t i = 0; i < 1 << 20; i += 4096)
			((volatile char *)map)[i] = 1;
		MUST(uapi_bo_close(v->fd, bo));
		munmap(map, 1 << 20);
	}
}

void victim_be_creating_programs(struct victim *v)
{
	__u32 program[2];

	for (__u32 i = 0, said = 0;; i++) {
		/* Another image each time. */
		MUST(uapi_exit_program(v->fd, i % 1000, &program[i % 2]));
		if (i)
			MUST(uapi_program_destroy(v->fd, program[(i + 1) % 2]));
		if (!said++)
			HERE(v);
	}
}

void victim_be_creating_contexts(struct victim *v)
{
	__u32 ctx;

	AGAIN(v) {
		MUST(uapi_context(v->fd, 0, &ctx));
		if (rand_r(&v->seed) % 8)
			MUST(uapi_context_destroy(v->fd, ctx));
	}
}

void victim_be_closing(struct victim *v)
{
	AGAIN(v) {
		struct uapi_bench b = { 0 };
		__u32 run, bo;

		b.fd = MUST(uapi_open(v->name));
		MUST(uapi_context(b.fd, 0, &b.context));
		MUST(uapi_bo(b.fd, 65536, &bo));
		MUST(uapi_loop_program(b.fd, &b.program));
		for (int i = 0; i < 4; i++)
			MUST(uapi_submit_program(b.fd, b.context, b.program, &run));
		close(b.fd);
	}
}

void victim_be_exporting_and_importing(struct victim *v)
{
	int other = MUST(uapi_open(v->name));
	__u32 bo;

	AGAIN(v) {
		struct drm_prime_handle args = { .flags = DRM_CLOEXEC | DRM_RDWR };

		MUST(uapi_bo(v->fd, 65536, &bo));
		args.handle = bo;
		MUST(uapi_ioctl(v->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args));
		MUST(uapi_ioctl(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args));
		MUST(uapi_bo_close(v->fd, bo));
		close(args.fd);
		if (rand_r(&v->seed) % 8)
			MUST(uapi_bo_close(other, args.handle));
	}
}

// SPDX-License-Identifier: MIT
/* Victims that look at devices, and root's that make them. */
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <tessera/event.h>
#include <unistd.h>
#include "common_soft.h"
#include "common_victim_int.h"

void victim_be_listing_devices(struct victim *v)
{
	struct tsr_device_entry *list;
	size_t n;

	AGAIN(v) {
		MUST(tsr_device_list(&list, &n));
		free(list);
	}
}

void victim_be_listing_contexts(struct victim *v)
{
	struct tsr_context_entry *list;
	size_t n;

	AGAIN(v) {
		MUST(tsr_context_list(TSR_ALL_DEVICES, &list, &n));
		free(list);
	}
}

/* It has subscribed, makes events, and never reads one. */
void victim_be_listening(struct victim *v)
{
	struct tsr_listener *listener;

	MUST(tsr_listener_open(&listener));
	victim_be_cancelling_queued_runs(v);
}

void victim_be_opening_listeners(struct victim *v)
{
	struct tsr_listener *listener;

	AGAIN(v) {
		MUST(tsr_listener_open(&listener));
		victim_submit(v, v->ctx, v->exit);
		tsr_listener_close(listener);
	}
}

void victim_be_with_progress_pages(struct victim *v)
{
	AGAIN(v) {
		struct drm_tessera_context_page page = { 0 };
		struct drm_tessera_bo_mmap_offset at = { 0 };
		volatile struct drm_tessera_context_progress *map;
		struct drm_tessera_run run;

		MUST(uapi_context(v->fd, 0, &page.handle));
		MUST(uapi_ioctl(v->fd, DRM_IOCTL_TESSERA_CONTEXT_PAGE, &page));
		at.handle = page.bo;
		MUST(uapi_ioctl(v->fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &at));
		map = mmap(NULL, at.size, PROT_READ, MAP_SHARED, v->fd, at.offset);
		if (map == MAP_FAILED)
			victim_give_up("mmap", -errno);
		uapi_run_init(&run, v->exit);
		for (int i = 0; i < 4; i++)
			MUST(uapi_submit(v->fd, page.handle, &run));
		while (map->ended_through < run.id)
			usleep(100);
		munmap((void *)map, at.size);
		MUST(uapi_bo_close(v->fd, page.bo));
		MUST(uapi_context_destroy(v->fd, page.handle));
	}
}

/* What all files of these patterns say. */
static void read_all(const char *pattern)
{
	char data[4096];
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_RDONLY);

		while (fd >= 0 && read(fd, data, sizeof(data)) > 0)
			;
		if (fd >= 0)
			close(fd);
	}
	globfree(&found);
}

void victim_be_reading_debugfs(struct victim *v)
{
	AGAIN(v) {
		read_all("/sys/kernel/debug/accel/*/*");
		read_all("/proc/self/fdinfo/*");
	}
}

void victim_be_reading_dumps(struct victim *v)
{
	__u32 program, run;

	MUST(uapi_exit_program(v->fd, 1, &program));
	AGAIN(v) {
		run = victim_submit(v, v->ctx, program);
		MUST(uapi_wait(v->fd, run, UAPI_NO_TIMEOUT));
		MUST(uapi_close_run(v->fd, run));
		read_all("/sys/class/devcoredump/devcd*/data");
	}
}

void victim_be_making_devices(struct victim *v)
{
	char name[32];

	victim_device(getpid(), name, sizeof(name));
	AGAIN(v) {
		int fd;

		MUST(soft_create(name, "width=2 height=2"));
		fd = MUST(uapi_open(name));
		MUST(soft_write(name, "enable", "0"));
		close(fd);
		MUST(soft_remove(name));
	}
}

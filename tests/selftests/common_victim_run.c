// SPDX-License-Identifier: MIT
/* Victims that submit, and whose runs are in some state. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common_fault.h"
#include "common_victim_int.h"

/* ---- Submitting ------------------------------------------------------------------------------ */

void victim_be_submitting(struct victim *v)
{
	AGAIN(v)
		victim_submit(v, rand_r(&v->seed) & 64 ? v->ctx : v->other, v->exit);
}

void victim_be_submitting_batches(struct victim *v)
{
	struct drm_tessera_run_submit args;
	struct drm_tessera_run runs[16];

	for (int i = 0; i < 16; i++)
		uapi_run_init(&runs[i], v->exit);
	AGAIN(v) {
		uapi_submit_init(&args, v->ctx, runs, 16);
		MUST(uapi_ioctl(v->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args));
		for (int i = 0; i < 16; i += 2)
			uapi_close_run(v->fd, runs[i].handle);
	}
}

void victim_be_refused(struct victim *v)
{
	struct drm_tessera_sync sync[2] = { { 0 } };
	struct drm_tessera_run run;

	MUST(uapi_syncobj(v->fd, true, &sync[0].handle));
	uapi_run_init(&run, v->exit);
	run.in_syncs = run.out_syncs = UAPI_PTR(sync);
	run.in_sync_count = 1;
	run.out_sync_count = 2;
	AGAIN(v)
		if (uapi_submit(v->fd, v->ctx, &run) != -ENOENT)
			_exit(2);
}

/* A run as long as the device executes in the submitter's own call, about. */
void victim_be_executing_inline(struct victim *v)
{
	struct drm_tessera_device_info info;
	struct uapi_prog p;
	__u32 program;
	const __u32 code[] = {
		RV_LI(RV_T0, 20000), RV_ADDI(RV_T0, RV_T0, -1), RV_BNE(RV_T0, RV_ZERO, -4),
		RV_EXIT(0),
	};

	MUST(uapi_info(v->fd, &info));
	uapi_prog_init_core(&p, &info.limits);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	MUST(uapi_prog_create(v->fd, &p, &program));
	AGAIN(v)
		uapi_close_run(v->fd, victim_submit(v, v->ctx, program));
}

/* Pages whose faults nobody answers. The first one is there, if @filled. */
static void *silent_pages(size_t pages, bool filled)
{
	struct uffdio_api api = { .api = UFFD_API };
	int uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *map = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	if (uffd < 0 || map == MAP_FAILED)
		victim_give_up("userfaultfd", -errno);
	MUST(uapi_ioctl(uffd, UFFDIO_API, &api));
	if (filled)
		memset(map, 0, 4096);
	reg.range.start = UAPI_PTR(map + filled * 4096);
	reg.range.len = (pages - filled) * 4096;
	MUST(uapi_ioctl(uffd, UFFDIO_REGISTER, &reg));
	return map;
}

void victim_be_program_blob_in_a_page_fault(struct victim *v)
{
	void *page = silent_pages(1, false);
	__u32 program;

	HERE(v);
	uapi_program(v->fd, page, 1000, &program);
}

/* The second run's blob never comes; the first one is accepted, and executes. */
void victim_be_batch_in_a_page_fault(struct victim *v)
{
	void *page = silent_pages(1, false);
	struct drm_tessera_run_submit args;
	struct drm_tessera_run runs[3];

	for (int i = 0; i < 3; i++)
		uapi_run_init(&runs[i], v->loop);
	uapi_run_set_dispatch(&runs[1], page, sizeof(uapi_dispatch_none));
	uapi_submit_init(&args, v->ctx, runs, 3);
	HERE(v);
	uapi_ioctl(v->fd, DRM_IOCTL_TESSERA_RUN_SUBMIT, &args);
}

/* The question is on a page that is there, the answer runs into one that is not. */
void victim_be_answer_in_a_page_fault(struct victim *v)
{
	char *pages = silent_pages(2, true);
	struct drm_tessera_run_status *question = (void *)pages;

	*question = (struct drm_tessera_run_status){
		.handle = victim_submit(v, v->ctx, v->loop),
		.size = sizeof(struct drm_tessera_status),
		.status = UAPI_PTR(pages + 4096 - 64),
	};
	HERE(v);
	uapi_ioctl(v->fd, DRM_IOCTL_TESSERA_RUN_STATUS, question);
}

void victim_be_blocked_by_a_full_queue(struct victim *v)
{
	__u32 ctx;

	MUST(uapi_context(v->fd, 4, &ctx));
	for (int i = 0; i < 4; i++)
		victim_submit(v, ctx, v->loop);
	HERE(v);
	victim_submit(v, ctx, v->exit);
}

/* ---- States of a run ------------------------------------------------------------------------- */

void victim_be_queued(struct victim *v)
{
	victim_launch(v, v->ctx);
	for (int i = 0; i < 4; i++)
		victim_submit(v, i % 2 ? v->ctx : v->other, v->exit);
	victim_stay(v);
}

/* Behind itself: whoever else has a run may be in its way, but not for ever. */
void victim_be_staged(struct victim *v)
{
	victim_launch(v, v->ctx);
	MUST(uapi_wait_phase(v->fd, victim_submit(v, v->ctx, v->exit), DRM_TESSERA_PHASE_STAGED));
	victim_stay(v);
}

void victim_be_launched(struct victim *v)
{
	victim_launch(v, v->ctx);
	victim_stay(v);
}

void victim_be_writing_to_its_mapping(struct victim *v)
{
	struct uapi_gate writer;
	__u32 run;

	MUST(fault_writer(v->fd, &writer));
	MUST(uapi_gate_submit(v->fd, v->ctx, &writer, &run));
	while (!*writer.word)
		uapi_sleep_ms(1);
	victim_stay(v);
}

void victim_be_detached(struct victim *v)
{
	MUST(uapi_close_run(v->fd, victim_launch(v, v->ctx)));
	MUST(uapi_close_run(v->fd, victim_submit(v, v->ctx, v->exit)));
	victim_stay(v);
}

void victim_be_failing(struct victim *v)
{
	__u32 program;

	MUST(uapi_exit_program(v->fd, 1, &program));
	AGAIN(v) {
		__u32 run = victim_submit(v, v->ctx, program);

		MUST(uapi_wait(v->fd, run, UAPI_NO_TIMEOUT));
		MUST(uapi_close_run(v->fd, run));
	}
}

void victim_be_executing_with_a_shared_buffer(struct victim *v)
{
	struct drm_prime_handle args = { .handle = v->gate.bo, .flags = DRM_CLOEXEC | DRM_RDWR };
	int other = MUST(uapi_open(v->name));
	__u32 run;

	MUST(uapi_ioctl(v->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args));
	MUST(uapi_ioctl(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args));
	MUST(uapi_gate_submit(v->fd, v->ctx, &v->gate, &run));
	MUST(uapi_gate_submit(v->fd, v->other, &v->gate, &run));
	victim_stay(v);
}

// SPDX-License-Identifier: MIT
#include "ops.h"

/* Weights are such that each of ours succeeds in more than 1 % of all calls: see the report. */
const struct op ops[OPS] = {
	[OP_QUERY] = { "query", 20, true, op_query },
	[OP_BO_CREATE] = { "bo_create", 30, true, op_bo_create },
	[OP_BO_MMAP_OFFSET] = { "bo_mmap_offset", 20, true, op_bo_mmap_offset },
	[OP_CONTEXT_CREATE] = { "context_create", 30, true, op_context_create },
	[OP_CONTEXT_DESTROY] = { "context_destroy", 20, true, op_context_destroy },
	[OP_PROGRAM_CREATE] = { "program_create", 60, true, op_program_create },
	[OP_PROGRAM_DESTROY] = { "program_destroy", 20, true, op_program_destroy },
	[OP_RUN_SUBMIT] = { "run_submit", 140, true, op_run_submit },
	[OP_RUN_WAIT] = { "run_wait", 40, true, op_run_wait },
	[OP_RUN_STATUS] = { "run_status", 25, true, op_run_status },
	[OP_RUN_CANCEL] = { "run_cancel", 25, true, op_run_cancel },
	[OP_RUN_CLOSE] = { "run_close", 25, true, op_run_close },
	[OP_RUN_FD] = { "run_fd", 25, true, op_run_fd },
	[OP_RUN_DIAG] = { "run_diag", 60, true, op_run_diag },
	[OP_CONTEXT_RESET] = { "context_reset", 25, true, op_context_reset },
	[OP_CONTEXT_PAGE] = { "context_page", 25, true, op_context_page },
	[OP_CLAIM_ACQUIRE] = { "claim_acquire", 40, true, op_claim_acquire },
	[OP_CLAIM_RELEASE] = { "claim_release", 50, true, op_claim_release },
	[OP_DEVICE_RESET] = { "device_reset", 22, true, op_device_reset },
	[OP_GEM_CLOSE] = { "gem_close", 20, false, op_gem_close },
	[OP_SYNCOBJ_CREATE] = { "syncobj_create", 15, false, op_syncobj_create },
	[OP_SYNCOBJ_DESTROY] = { "syncobj_destroy", 10, false, op_syncobj_destroy },
	[OP_SYNCOBJ_SIGNAL] = { "syncobj_signal", 15, false, op_syncobj_signal },
	[OP_SYNCOBJ_WAIT] = { "syncobj_wait", 10, false, op_syncobj_wait },
	[OP_SYNCOBJ_FD] = { "syncobj_fd", 15, false, op_syncobj_fd },
	[OP_PRIME_EXPORT] = { "prime_export", 15, false, op_prime_export },
	[OP_PRIME_IMPORT] = { "prime_import", 15, false, op_prime_import },
	[OP_MMAP] = { "mmap", 15, false, op_mmap },
	[OP_TOUCH] = { "touch", 15, false, op_touch },
	[OP_POLL] = { "poll", 10, false, op_poll },
	[OP_CLOSE_FD] = { "close_fd", 15, false, op_close_fd },
	[OP_DUP] = { "dup", 5, false, op_dup },
	[OP_REOPEN] = { "reopen", 5, false, op_reopen },
	[OP_NETLINK] = { "netlink", 15, false, op_netlink },
	[OP_CHILD] = { "child", 3, false, op_child },
	[OP_RAW] = { "raw", 15, false, op_raw },
	[OP_FDINFO] = { "fdinfo", 5, false, op_fdinfo },
};

uint32_t ops_weight(void)
{
	static uint32_t all;

	if (!all) {
		uint32_t sum = 0;

		for (uint32_t i = 0; i < OPS; i++)
			sum += ops[i].weight;
		all = sum;
	}
	return all;
}

uint32_t ensure(struct worker *w, enum kind kind)
{
	static const struct {
		uint32_t op;
		struct call call;
	} make[KINDS] = {
		[KIND_BO] = { OP_BO_CREATE, { .a = 1 } },
		[KIND_CONTEXT] = { OP_CONTEXT_CREATE, { .a = DRM_TESSERA_PRIORITY_NORMAL } },
		[KIND_PROGRAM] = { OP_PROGRAM_CREATE, { .a = 1, .b = 1 } },
		/* Not blocking, with all figures. */
		[KIND_RUN] = { OP_RUN_SUBMIT, { .b = 1 << 16 | DRM_TESSERA_RUN_FLAGS } },
		[KIND_SYNCOBJ] = { OP_SYNCOBJ_CREATE, { .a = DRM_SYNCOBJ_CREATE_SIGNALED } },
	};
	uint32_t handle = pool_pick(&w->file->pools[kind], 0);

	if (!handle && make[kind].call.a | make[kind].call.b) {
		ops[make[kind].op].execute(w, &make[kind].call);
		handle = pool_pick(&w->file->pools[kind], 0);
	}
	return handle;
}

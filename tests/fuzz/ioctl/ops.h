/* SPDX-License-Identifier: MIT */
/* The calls that there are. One table drives generation, execution and the report. */
#ifndef TSR_FUZZ_OPS_H
#define TSR_FUZZ_OPS_H

#include "input.h"
#include "world.h"

/** struct op - one kind of call */
struct op {
	const char *name;
	uint32_t weight;	/* how often it is generated */
	bool ours;		/* an ioctl of the driver: has to succeed in 1 % of all calls */
	int (*execute)(struct worker *w, const struct call *c);
};

enum op_id {
	OP_QUERY, OP_BO_CREATE, OP_BO_MMAP_OFFSET, OP_CONTEXT_CREATE, OP_CONTEXT_DESTROY,
	OP_PROGRAM_CREATE, OP_PROGRAM_DESTROY, OP_RUN_SUBMIT, OP_RUN_WAIT, OP_RUN_STATUS,
	OP_RUN_CANCEL, OP_RUN_CLOSE, OP_RUN_FD, OP_RUN_DIAG, OP_CONTEXT_RESET, OP_CONTEXT_PAGE,
	OP_CLAIM_ACQUIRE, OP_CLAIM_RELEASE, OP_DEVICE_RESET,
	/* Those of DRM, and other system calls. */
	OP_GEM_CLOSE, OP_SYNCOBJ_CREATE, OP_SYNCOBJ_DESTROY, OP_SYNCOBJ_SIGNAL, OP_SYNCOBJ_WAIT,
	OP_SYNCOBJ_FD, OP_PRIME_EXPORT, OP_PRIME_IMPORT, OP_MMAP, OP_TOUCH, OP_POLL, OP_CLOSE_FD,
	OP_DUP, OP_REOPEN, OP_NETLINK, OP_CHILD, OP_RAW, OP_FDINFO,
	OPS
};

extern const struct op ops[OPS];
uint32_t ops_weight(void);

/* By concept: buffer.c, context.c, program.c, run.c, submit.c, sync.c, file.c, netlink.c, child.c */
#define OP_FUNCTION(name) int name(struct worker *w, const struct call *c)
OP_FUNCTION(op_query);
OP_FUNCTION(op_bo_create);
OP_FUNCTION(op_bo_mmap_offset);
OP_FUNCTION(op_gem_close);
OP_FUNCTION(op_prime_export);
OP_FUNCTION(op_prime_import);
OP_FUNCTION(op_mmap);
OP_FUNCTION(op_touch);
OP_FUNCTION(op_context_create);
OP_FUNCTION(op_context_destroy);
OP_FUNCTION(op_context_reset);
OP_FUNCTION(op_context_page);
OP_FUNCTION(op_claim_acquire);
OP_FUNCTION(op_claim_release);
OP_FUNCTION(op_device_reset);
OP_FUNCTION(op_program_create);
OP_FUNCTION(op_program_destroy);
OP_FUNCTION(op_run_submit);
OP_FUNCTION(op_run_wait);
OP_FUNCTION(op_run_status);
OP_FUNCTION(op_run_cancel);
OP_FUNCTION(op_run_close);
OP_FUNCTION(op_run_fd);
OP_FUNCTION(op_run_diag);
OP_FUNCTION(op_syncobj_create);
OP_FUNCTION(op_syncobj_destroy);
OP_FUNCTION(op_syncobj_signal);
OP_FUNCTION(op_syncobj_wait);
OP_FUNCTION(op_syncobj_fd);
OP_FUNCTION(op_poll);
OP_FUNCTION(op_close_fd);
OP_FUNCTION(op_dup);
OP_FUNCTION(op_reopen);
OP_FUNCTION(op_netlink);
OP_FUNCTION(op_child);
OP_FUNCTION(op_raw);
OP_FUNCTION(op_fdinfo);

/** ensure() - a live object of @kind, made by a right call if there is none; 0: that failed */
uint32_t ensure(struct worker *w, enum kind kind);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/* Open and close. */
#include <linux/cred.h>
#include <linux/slab.h>
#include "file.h"
#include "run.h"
#include "usage.h"

int tsr_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct tsr_file *tfile = kzalloc(sizeof(*tfile), TSR_GFP_USER);

	if (!tfile)
		return -ENOMEM;
	xa_init_flags(&tfile->contexts.xa, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&tfile->programs.xa, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&tfile->runs, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	/*
	 * Never used: it keeps the node of the first handles, which would come and go with
	 * every run of a file that has one at a time.
	 */
	tfile->usage = tsr_usage_new();
	if (!tfile->usage || xa_reserve(&tfile->runs, 1, TSR_GFP_USER)) {
		if (tfile->usage)
			tsr_usage_put(tfile->usage);
		kfree(tfile);
		return -ENOMEM;
	}
	tfile->uid = current_fsuid();
	file->driver_priv = tfile;
	return 0;
}

/* No ioctl of this file is running or can start any more. */
void tsr_file_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct tsr_file *tfile = to_tsr_file(file);
	struct tsr_program *prog;
	struct tsr_context *ctx;
	struct tsr_run *run;
	unsigned long index;

	xa_for_each(&tfile->runs, index, run)
		tsr_run_put(run);
	xa_for_each(&tfile->contexts.xa, index, ctx) {
		tsr_context_kill(ctx);
		tsr_context_put(ctx);
	}
	xa_for_each(&tfile->programs.xa, index, prog)
		tsr_program_put(prog);

	xa_destroy(&tfile->runs);
	xa_destroy(&tfile->contexts.xa);
	xa_destroy(&tfile->programs.xa);
	tsr_usage_put(tfile->usage);
	put_pid(tfile->reset.thread);
	kfree(tfile);
}

// SPDX-License-Identifier: MIT
/* Runs: waiting, status, figures, and ends of all sorts. */
#include "ops.h"
#include <string.h>
#include <unistd.h>

#define RUNS(w)		(&(w)->file->pools[KIND_RUN])
#define DIAG_SIZE	4096

static uint32_t some_run(struct worker *w, const struct call *c)
{
	ensure(w, KIND_RUN);
	return pool_pick(RUNS(w), c->object);
}

int op_run_wait(struct worker *w, const struct call *c)
{
	struct drm_tessera_run_wait args = { .handle = some_run(w, c) };

	/* Now, for a while, or until it ends or the watchdog sends a signal. */
	args.timeout_ns = c->a % 4 == 0 ? 0 : c->b % 64 ? uapi_now() + c->b % 8000000 : -1;
	return call_ioctl(w, OP_RUN_WAIT, DRM_IOCTL_TESSERA_RUN_WAIT, &args, sizeof(args), c);
}

int op_run_status(struct worker *w, const struct call *c)
{
	static const uint32_t sizes[] = { sizeof(struct drm_tessera_status), 8, 64, 1024 };
	struct drm_tessera_run_status args = {
		.handle = some_run(w, c), .size = sizes[c->a % UAPI_ARRAY_SIZE(sizes)],
	};

	args.status = UAPI_PTR(arena_put(w, NULL, args.size));
	return call_ioctl(w, OP_RUN_STATUS, DRM_IOCTL_TESSERA_RUN_STATUS, &args, sizeof(args), c);
}

int op_run_cancel(struct worker *w, const struct call *c)
{
	struct drm_tessera_run_cancel args = { .handle = some_run(w, c) };

	return call_ioctl(w, OP_RUN_CANCEL, DRM_IOCTL_TESSERA_RUN_CANCEL, &args, sizeof(args), c);
}

int op_run_close(struct worker *w, const struct call *c)
{
	struct drm_tessera_run_close args = { .handle = some_run(w, c) };

	pool_remove(RUNS(w), args.handle);
	return call_ioctl(w, OP_RUN_CLOSE, DRM_IOCTL_TESSERA_RUN_CLOSE, &args, sizeof(args), c);
}

int op_run_fd(struct worker *w, const struct call *c)
{
	struct drm_tessera_run_fd args = { .handle = some_run(w, c) };
	int ret = call_ioctl(w, OP_RUN_FD, DRM_IOCTL_TESSERA_RUN_FD, &args, sizeof(args), c);
	uint32_t old;

	if (ret)
		return ret;
	old = pool_add(&w->file->pools[KIND_FD], args.fd);
	if (old)
		close(old);
	return 0;
}

/* Few runs keep figures, and those may not have ended: a right submit and a wait come first. */
int op_run_diag(struct worker *w, const struct call *c)
{
	struct drm_tessera_run_diag args = { .handle = some_run(w, c), .what = c->a & 1 };

	if (c->b & 3) {
		struct call submit = { .object = c->other, .other = c->object, .b = 3 | 1 << 16 };
		struct drm_tessera_run_wait wait = { .timeout_ns = uapi_now() + 20000000 };
		static const struct call none;

		op_run_submit(w, &submit);
		wait.handle = args.handle = pool_last(RUNS(w));
		call_ioctl(w, OP_RUN_WAIT, DRM_IOCTL_TESSERA_RUN_WAIT, &wait, sizeof(wait), &none);
	}
	args.size = c->b >> 2 & 1 ? DIAG_SIZE : c->b >> 3 & 63;
	args.data = UAPI_PTR(arena_put(w, NULL, args.size));
	return call_ioctl(w, OP_RUN_DIAG, DRM_IOCTL_TESSERA_RUN_DIAG, &args, sizeof(args), c);
}

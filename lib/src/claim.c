// SPDX-License-Identifier: MIT
/* The claim, held by a context. */
#include <tessera/claim.h>

#include "context_int.h"

TSR_API int tsr_claim_acquire(struct tsr_context *context, int64_t timeout_ns)
{
	struct drm_tessera_claim_acquire acquire = {
		.context = context->handle,
		.flags = timeout_ns ? 0 : DRM_TESSERA_CLAIM_NONBLOCK,
		.timeout_ns = tsr_deadline(timeout_ns),
	};
	int err = tsr_device_check(context->dev);

	/* Not repeated after a signal: the place in the order is lost, and that has to be known. */
	return err ? err : tsr_ioctl_once(context->dev, DRM_IOCTL_TESSERA_CLAIM_ACQUIRE, &acquire);
}

TSR_API int tsr_claim_release(struct tsr_context *context)
{
	struct drm_tessera_claim_release release = { .context = context->handle };
	int err = tsr_device_check(context->dev);

	return err ? err : tsr_ioctl(context->dev, DRM_IOCTL_TESSERA_CLAIM_RELEASE, &release);
}

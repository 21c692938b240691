// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "codes.h"

static const struct tsr_code_info codes[] = {
	[DRM_TESSERA_CODE_OK] = { "ok", DRM_TESSERA_CLASS_NONE, 0,
		"The run succeeded.", "" },
	[DRM_TESSERA_CODE_FAULT] = { "fault", DRM_TESSERA_CLASS_LOCAL, -EIO,
		"A kernel did what a processor must not do.",
		"Look at cause, processor and pc; disassemble the kernel around that pc." },
	[DRM_TESSERA_CODE_NO_PROGRESS] = { "no-progress", DRM_TESSERA_CLASS_LOCAL, -ETIME,
		"No kernel ended, no semaphore changed and no transfer finished for too long.",
		"Look at the stall record: a semaphore that nobody raises, a circular buffer that "
		"nobody fills or empties, or a loop without an end." },
	[DRM_TESSERA_CODE_STOPPED] = { "stopped", DRM_TESSERA_CLASS_LOCAL, -ECANCELED,
		"The run was cancelled while it was executing.", "" },
	[DRM_TESSERA_CODE_CANCELLED] = { "cancelled", DRM_TESSERA_CLASS_LOCAL, -ECANCELED,
		"The run was cancelled before it was launched.", "" },
	[DRM_TESSERA_CODE_CONTEXT_GONE] = { "context-gone", DRM_TESSERA_CLASS_LOCAL, -ECANCELED,
		"The context of the run was destroyed before it was launched.",
		"Wait for runs before the file of their context is closed." },
	[DRM_TESSERA_CODE_DEPENDENCY] = { "dependency", DRM_TESSERA_CLASS_QUEUE, -ECANCELED,
		"A fence that the run waited for carried an error.",
		"Look at what should have signalled the in-fence." },
	[DRM_TESSERA_CODE_NO_RECORD] = { "no-record", DRM_TESSERA_CLASS_DEVICE, -EIO,
		"The device completed the run without writing its status record.",
		"The device is reset; submit again. If it comes back the device is broken." },
	[DRM_TESSERA_CODE_STAGE] = { "stage", DRM_TESSERA_CLASS_LOCAL, -EIO,
		"The run could not be staged into a bank; it did not start.",
		"Submit it again; memory may be short." },
	[DRM_TESSERA_CODE_LAUNCH] = { "launch", DRM_TESSERA_CLASS_LOCAL, -EIO,
		"The run could not be launched; it did not start.", "Submit it again." },
	[DRM_TESSERA_CODE_LAUNCH_PARTIAL] = { "launch-partial", DRM_TESSERA_CLASS_DEVICE, -EIO,
		"The launch failed half-way; some cores may have started.",
		"The device is reset; its buffers have undefined content." },
	[DRM_TESSERA_CODE_STOP_UNPROVEN] = { "stop-unproven", DRM_TESSERA_CLASS_DEVICE, -EIO,
		"The cores did not stop when they were asked to.",
		"The memory of the run stays quarantined until a reset is confirmed." },
	[DRM_TESSERA_CODE_DEVICE_GONE] = { "device-gone", DRM_TESSERA_CLASS_DEVICE, -ENODEV,
		"The device was unplugged or its driver unbound.", "Open the device again." },
	[DRM_TESSERA_CODE_WEDGED] = { "wedged", DRM_TESSERA_CLASS_DEVICE, -EIO,
		"The device could not be reset, and takes no run.",
		"Reset it with the right to do so; if that fails, rebind its driver." },
	[DRM_TESSERA_CODE_BAD_RECORD] = { "bad-record", DRM_TESSERA_CLASS_QUEUE, -EIO,
		"The device wrote the record of another run in place of this one's.",
		"Nothing is known about the outputs; reset the context and submit again." },
	[DRM_TESSERA_CODE_RESET] = { "reset", DRM_TESSERA_CLASS_DEVICE, -EIO,
		"The device was reset while the run was executing.", "Submit it again." },
	[DRM_TESSERA_CODE_TIME_LIMIT] = { "time-limit", DRM_TESSERA_CLASS_LOCAL, -ETIME,
		"The run executed longer than its submit allowed, or for long while others waited.",
		"Look at the stall record; allow more time; cut the work into several runs." },
};

const struct tsr_code_info *tsr_code_info(u32 code)
{
	return code < ARRAY_SIZE(codes) ? &codes[code] : NULL;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "stall.h"

#include <drm/tessera_grid.h>

u32 tsr_stall_classify(u32 running, u32 ready, u32 waiting, bool dispatch_done)
{
	if (running)
		return TSR_STALL_RUNNING;
	if (ready)
		return TSR_STALL_READY;
	if (waiting)
		return TSR_STALL_DEADLOCK;
	if (!dispatch_done)
		return TSR_STALL_DISPATCH;
	return TSR_STALL_UNKNOWN;
}

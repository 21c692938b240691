// SPDX-License-Identifier: MIT
/* What starting costs: taken off all others. */
#include "start.h"

uint32_t work(void)
{
	return 1;
}

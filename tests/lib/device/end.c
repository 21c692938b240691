// SPDX-License-Identifier: MIT
/* How a kernel ends: END is 0 return, 1 exit(0), 2 exit(7), 3 assertion, 4 word not sent. */
#include "check.h"

void kernel_main(void)
{
	if (END == 1)
		kernel_exit(0);
	if (END == 2)
		kernel_exit(7);
	if (END == 3)
		ASSERT(get_grid_width() == 0);
	if (END == 4)
		(void)get_arg_val(0);
}

// SPDX-License-Identifier: MIT
/* finds: analyzer.c.*-Wanalyzer-double-free */
#include <stdlib.h>

void planted(void *p, int again);
void planted(void *p, int again)
{
	free(p);
	if (again)
		free(p);
}

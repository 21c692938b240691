// SPDX-License-Identifier: GPL-2.0-only
/* finds: coccinelle.c.*reference preceded by free */
#include <linux/slab.h>

int planted(int *p)
{
	kfree(p);
	return *p;
}

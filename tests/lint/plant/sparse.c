// SPDX-License-Identifier: GPL-2.0-only
/* finds: planted.c.*removes address space .__user. */
/* A pointer of user space is read as if it were the kernel's. */
#include <linux/types.h>

int planted(int __user *p);
int planted(int __user *p)
{
	return *(int *)p;
}

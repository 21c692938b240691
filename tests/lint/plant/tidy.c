// SPDX-License-Identifier: MIT
/* finds: tidy.c.*misc-redundant-expression */

int planted(int a, int b);
int planted(int a, int b)
{
	return a == b || a == b;
}

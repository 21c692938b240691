// SPDX-License-Identifier: GPL-2.0-only
/* finds: PARENTHESIS_ALIGNMENT */
int planted(int a,
	int b);

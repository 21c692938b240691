// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Single precision arithmetic of the tile unit. No contraction, no reassociation: the
 * loops vectorise over elements that do not depend on each other, so that the results
 * are those of the order that the device manual states.
 */
#include "tile_fp.h"

#define DIM	32

typedef float __attribute__((__may_alias__)) fp32;

void tsr_fp_matmul(u32 *dst, const u32 *a, const u32 *b, u32 rows)
{
	u32 i, j, k;

	for (i = 0; i < rows; i++) {
		fp32 *d = (fp32 *)dst + i * DIM;
		fp32 acc[DIM];

		for (j = 0; j < DIM; j++)
			acc[j] = d[j];
		for (k = 0; k < DIM; k++) {
			const fp32 *row = (const fp32 *)b + k * DIM;
			float v = ((const fp32 *)a)[i * DIM + k];

			for (j = 0; j < DIM; j++)
				acc[j] += v * row[j];
		}
		for (j = 0; j < DIM; j++)
			d[j] = acc[j];
	}
}

#define EACH(expr)							\
	do {								\
		for (i = 0; i < count; i++) {				\
			fp32 x = ((const fp32 *)a)[i], y = ((const fp32 *)b)[i]; \
									\
			((fp32 *)dst)[i] = (expr);			\
		}							\
	} while (0)

void tsr_fp_binary(enum tsr_fp_op op, u32 *dst, const u32 *a, const u32 *b, u32 count)
{
	u32 i;

	switch (op) {
	case TSR_FP_ADD:
		EACH(x + y);
		break;
	case TSR_FP_SUB:
		EACH(x - y);
		break;
	case TSR_FP_MUL:
		EACH(x * y);
		break;
	case TSR_FP_MAX:
		EACH(x > y ? x : y);
		break;
	}
}

void tsr_fp_from_int(u32 *dst, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		((fp32 *)dst)[i] = (float)(s32)dst[i];
}

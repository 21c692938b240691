/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * All code that uses floating point; compiled with FPU flags in the kernel and called
 * between tsr_fpu_begin() and tsr_fpu_end(). Elements are passed as their bits.
 */
#ifndef TSR_TILE_FP_H
#define TSR_TILE_FP_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include "port.h"
#endif

enum tsr_fp_op {
	TSR_FP_ADD,
	TSR_FP_SUB,
	TSR_FP_MUL,
	TSR_FP_MAX,
};

/** tsr_fp_matmul() - @rows rows of 32: dst += a x b, k ascending, each step rounded */
void tsr_fp_matmul(u32 *dst, const u32 *a, const u32 *b, u32 rows);

/** tsr_fp_binary() - dst = a op b for @count elements; dst may be a or b */
void tsr_fp_binary(enum tsr_fp_op op, u32 *dst, const u32 *a, const u32 *b, u32 count);

/** tsr_fp_from_int() - int32 to fp32, in place */
void tsr_fp_from_int(u32 *dst, u32 count);

#endif

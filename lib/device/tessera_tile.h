/* SPDX-License-Identifier: MIT */
/*
 * The tile unit: 32 x 32 tiles, compute processor only. Part of tessera.h.
 *
 * Operands are tiles at the read pointers of circular buffers, results are the
 * destination registers 0 .. TSR_TILE_REGS - 1, and pack_tile() stores a register
 * at a write pointer. INT8 and INT32 compute in int32, BF16 and FP32 in fp32.
 *
 * One processor owns the unit, so that acquire, commit, wait and release are no
 * locks. They keep one meaning: after tile_regs_acquire() all registers read as
 * zero. It is done lazily, when a register is first used.
 */
#ifndef TESSERA_DEVICE_TILE_H
#define TESSERA_DEVICE_TILE_H

#include "tessera_cb.h"

/* In a kernel of another processor: what is refused at run time as a fault does not compile. */
#if defined(TSR_KERNEL_PROC) && TSR_KERNEL_PROC != TSR_PROC_COMPUTE
extern void tsr_tile_refused(void)
	__attribute__((__error__("the tile unit belongs to the compute processor")));
#define TSR_TILE_ONLY()	tsr_tile_refused()
#else
#define TSR_TILE_ONLY()	do { } while (0)
#endif

/* Registers that count as zero, whatever they hold. */
static uint32_t tsr_dst_stale = (1u << TSR_TILE_REGS) - 1;

FORCE_INLINE void tsr_tile_op(uint32_t op, uint32_t dst)
{
	TSR_TILE_ONLY();
	TSR_COMPILER_BARRIER();
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_DST, dst);
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_OP, op);
	TSR_COMPILER_BARRIER();
}

/* The register is about to be overwritten as a whole. */
FORCE_INLINE void tsr_dst_overwrite(uint32_t dst)
{
	tsr_dst_stale &= ~(1u << (dst & 31));
}

/* The register is about to be read. */
FORCE_INLINE void tsr_dst_use(uint32_t dst)
{
	if (tsr_dst_stale & 1u << (dst & 31)) {
		tsr_tile_op(TSR_TILE_ZERO, dst);
		tsr_dst_overwrite(dst);
	}
}

FORCE_INLINE void tsr_tile_a(uint32_t cb, uint32_t index)
{
	uint32_t format = get_dataformat(cb);

	TSR_TILE_ONLY();
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_FORMAT, format);
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_A,
		      get_read_ptr(cb) + index * tsr_tile_bytes(format));
}

/* Both operands have the format of the first. */
FORCE_INLINE void tsr_tile_ab(uint32_t cb_a, uint32_t cb_b, uint32_t ia, uint32_t ib)
{
	uint32_t format = get_dataformat(cb_a);
	uint32_t bytes = tsr_tile_bytes(format);

	TSR_TILE_ONLY();
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_FORMAT, format);
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_A, get_read_ptr(cb_a) + ia * bytes);
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_B, get_read_ptr(cb_b) + ib * bytes);
}

/* ---- Registers ---------------------------------------------------------------------------- */

/* All registers are zero from here on. */
FORCE_INLINE void tile_regs_acquire(void)
{
	TSR_TILE_ONLY();
	tsr_dst_stale = (1u << TSR_TILE_REGS) - 1;
}

FORCE_INLINE void tile_regs_commit(void)
{
}

FORCE_INLINE void tile_regs_wait(void)
{
}

FORCE_INLINE void tile_regs_release(void)
{
}

/* Older names of acquire and release. */
FORCE_INLINE void acquire_dst(void)
{
	tile_regs_acquire();
}

FORCE_INLINE void release_dst(void)
{
}

/* Unpacking, arithmetic and packing are one processor: each does what all do. */
#define UNPACK(...)		__VA_ARGS__
#define MATH(...)		__VA_ARGS__
#define PACK(...)		__VA_ARGS__

/* Register @dst = 0. */
FORCE_INLINE void zero_dst(uint32_t dst)
{
	tsr_dst_overwrite(dst);
	tsr_tile_op(TSR_TILE_ZERO, dst);
}

/* ---- Set-up: the unit has no modes. What is checked are the formats. ------------------------ */

FORCE_INLINE void binary_op_init_common(uint32_t cb_a, uint32_t cb_b, uint32_t cb_out)
{
	(void)cb_out;
	ASSERT(get_dataformat(cb_a) == get_dataformat(cb_b));
}

/* An expression that does not compile unless @transpose is a constant 0. */
#define TSR_NO_TRANSPOSE(transpose)							\
	((void)sizeof(struct {								\
		_Static_assert((transpose) == 0, "the tile unit does not transpose");	\
		int unused;								\
	}))

FORCE_INLINE void tsr_mm_init(uint32_t cb_a, uint32_t cb_b, uint32_t cb_out)
{
	binary_op_init_common(cb_a, cb_b, cb_out);
}

/* mm_init(cb_a, cb_b, cb_out[, 0]), mm_init_short(cb_a, cb_b[, 0]) */
#define TSR_MM_3(a, b, out, none, ...)		tsr_mm_init(a, b, out)
#define TSR_MM_4(a, b, out, transpose, ...)						\
	(TSR_NO_TRANSPOSE(transpose), tsr_mm_init(a, b, out))
#define TSR_MM_PICK(a, b, c, d, name, ...)	name
#define mm_init(...)									\
	TSR_MM_PICK(__VA_ARGS__, TSR_MM_4, TSR_MM_3, 0, 0)(__VA_ARGS__, 0, 0)
#define TSR_MM_SHORT(a, b, transpose, ...)						\
	(TSR_NO_TRANSPOSE(transpose), tsr_mm_init(a, b, 0))
#define mm_init_short(...)			TSR_MM_SHORT(__VA_ARGS__, 0, 0)

FORCE_INLINE void unary_op_init_common(uint32_t cb_in, uint32_t cb_out)
{
	(void)cb_in;
	(void)cb_out;
}

FORCE_INLINE void init_sfpu(uint32_t cb_in, uint32_t cb_out)
{
	unary_op_init_common(cb_in, cb_out);
}

/* Formats are those of the buffers that an operation names. */
#define compute_kernel_hw_startup(...)			((void)sizeof((int[]){ __VA_ARGS__ }))
#define reconfig_data_format(...)			((void)sizeof((int[]){ __VA_ARGS__ }))
#define reconfig_data_format_srca(...)			((void)sizeof((int[]){ __VA_ARGS__ }))
#define reconfig_data_format_srcb(...)			((void)sizeof((int[]){ __VA_ARGS__ }))
#define pack_reconfig_data_format(...)			((void)sizeof((int[]){ __VA_ARGS__ }))
#define copy_tile_to_dst_init_short(...)		((void)sizeof((int[]){ __VA_ARGS__ }))
#define copy_tile_to_dst_init_short_with_dt(...)	((void)sizeof((int[]){ __VA_ARGS__ }))

FORCE_INLINE void add_tiles_init(uint32_t cb_a, uint32_t cb_b)
{
	binary_op_init_common(cb_a, cb_b, 0);
}

FORCE_INLINE void sub_tiles_init(uint32_t cb_a, uint32_t cb_b)
{
	binary_op_init_common(cb_a, cb_b, 0);
}

FORCE_INLINE void mul_tiles_init(uint32_t cb_a, uint32_t cb_b)
{
	binary_op_init_common(cb_a, cb_b, 0);
}

FORCE_INLINE void copy_tile_init(uint32_t cb)
{
	(void)cb;
}

FORCE_INLINE void relu_tile_init(void)
{
}

/* ---- Operations --------------------------------------------------------------------------- */

/* dst += A x B: tile @ia of @cb_a times tile @ib of @cb_b. */
FORCE_INLINE void tsr_matmul(uint32_t cb_a, uint32_t cb_b, uint32_t ia, uint32_t ib, uint32_t dst)
{
	tsr_dst_use(dst);
	tsr_tile_ab(cb_a, cb_b, ia, ib);
	tsr_tile_op(TSR_TILE_MATMUL, dst);
}

/* matmul_tiles(cb_a, cb_b, ia, ib, dst[, 0]) */
#define TSR_MATMUL(a, b, ia, ib, dst, transpose, ...)					\
	(TSR_NO_TRANSPOSE(transpose), tsr_matmul(a, b, ia, ib, dst))
#define matmul_tiles(...)	TSR_MATMUL(__VA_ARGS__, 0, 0)

FORCE_INLINE void tsr_binary(uint32_t op, uint32_t cb_a, uint32_t cb_b, uint32_t ia, uint32_t ib,
			     uint32_t dst)
{
	tsr_dst_overwrite(dst);
	tsr_tile_ab(cb_a, cb_b, ia, ib);
	tsr_tile_op(op, dst);
}

/* dst = A + B, element by element; the next three likewise. */
FORCE_INLINE void add_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t ia, uint32_t ib, uint32_t dst)
{
	tsr_binary(TSR_TILE_ADD, cb_a, cb_b, ia, ib, dst);
}

FORCE_INLINE void sub_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t ia, uint32_t ib, uint32_t dst)
{
	tsr_binary(TSR_TILE_SUB, cb_a, cb_b, ia, ib, dst);
}

FORCE_INLINE void mul_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t ia, uint32_t ib, uint32_t dst)
{
	tsr_binary(TSR_TILE_MUL, cb_a, cb_b, ia, ib, dst);
}

FORCE_INLINE void max_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t ia, uint32_t ib, uint32_t dst)
{
	tsr_binary(TSR_TILE_MAX, cb_a, cb_b, ia, ib, dst);
}

/* dst = tile @index of @cb. */
FORCE_INLINE void copy_tile(uint32_t cb, uint32_t index, uint32_t dst)
{
	tsr_dst_overwrite(dst);
	tsr_tile_a(cb, index);
	tsr_tile_op(TSR_TILE_LOAD, dst);
}

FORCE_INLINE void tsr_into_dst(uint32_t op, uint32_t cb, uint32_t index, uint32_t dst)
{
	tsr_dst_use(dst);
	tsr_tile_a(cb, index);
	tsr_tile_op(op, dst);
}

/* dst = dst + A; the next two likewise. */
FORCE_INLINE void add_tile_to_dst(uint32_t cb, uint32_t index, uint32_t dst)
{
	tsr_into_dst(TSR_TILE_ADD_DST, cb, index, dst);
}

FORCE_INLINE void mul_tile_to_dst(uint32_t cb, uint32_t index, uint32_t dst)
{
	tsr_into_dst(TSR_TILE_MUL_DST, cb, index, dst);
}

FORCE_INLINE void max_tile_to_dst(uint32_t cb, uint32_t index, uint32_t dst)
{
	tsr_into_dst(TSR_TILE_MAX_DST, cb, index, dst);
}

FORCE_INLINE void tsr_unary(uint32_t op, uint32_t format, uint32_t dst)
{
	tsr_dst_use(dst);
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_FORMAT, format);
	tsr_tile_op(op, dst);
}

/* dst = max(dst, 0), on fp32 or on int32 values. */
FORCE_INLINE void relu_tile(uint32_t dst)
{
	tsr_unary(TSR_TILE_RELU, TSR_FORMAT_FP32, dst);
}

FORCE_INLINE void relu_tile_int32(uint32_t dst)
{
	tsr_unary(TSR_TILE_RELU, TSR_FORMAT_INT32, dst);
}

/* dst: int32 -> fp32. */
FORCE_INLINE void typecast_tile_to_fp32(uint32_t dst)
{
	tsr_unary(TSR_TILE_TO_FP32, TSR_FORMAT_FP32, dst);
}

/* dst: fp32 -> int32, nearest even, saturating, NaN -> 0. */
FORCE_INLINE void typecast_tile_to_int32(uint32_t dst)
{
	tsr_unary(TSR_TILE_TO_INT32, TSR_FORMAT_INT32, dst);
}

/* ---- Results ------------------------------------------------------------------------------ */

/* Stores register @dst as tile @index of the reserved pages of @cb, in its format. */
FORCE_INLINE void pack_tile_at(uint32_t dst, uint32_t cb, uint32_t index)
{
	uint32_t format = get_dataformat(cb);

	tsr_dst_use(dst);
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_FORMAT, format);
	tsr_reg_write(TSR_REG_TILE + TSR_TILE_A,
		      get_write_ptr(cb) + index * tsr_tile_bytes(format));
	tsr_tile_op(TSR_TILE_STORE, dst);
}

/* The same as the next tile: the first after cb_push_back() is tile 0, then 1, and so on. */
FORCE_INLINE void pack_tile(uint32_t dst, uint32_t cb)
{
	pack_tile_at(dst, cb, tsr_packed[cb % TSR_PACK_CBS]++);
}

#endif

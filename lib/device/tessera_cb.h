/* SPDX-License-Identifier: MIT */
/*
 * Circular buffers: pages handed from one processor of a core to another. Part of
 * tessera.h.
 *
 * One processor fills, one other drains:
 *
 *	cb_reserve_back(cb, n)				cb_wait_front(cb, n)
 *	... fill n pages at get_write_ptr(cb)		... use n pages at get_read_ptr(cb)
 *	cb_push_back(cb, n)				cb_pop_front(cb, n)
 *
 * The n pages are one piece of memory: n must divide the number of pages, or the
 * kernel must see to it that they do not wrap. A wrap is a fault (TSR_FAULT_CB).
 */
#ifndef TESSERA_DEVICE_CB_H
#define TESSERA_DEVICE_CB_H

#include "tessera_core.h"

/* Numbers of circular buffers by the names that they have in tt::CBIndex and tt::CB. */
enum tsr_cb_index {
	c_0 = 0, c_1, c_2, c_3, c_4, c_5, c_6, c_7,
	c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
	c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23,
	c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31,
	c_in0 = 0, c_in1 = 1, c_in2 = 2, c_in3 = 3, c_in4 = 4, c_in5 = 5, c_in6 = 6, c_in7 = 7,
	c_out0 = 16, c_out1 = 17, c_out2 = 18, c_out3 = 19, c_out4 = 20, c_out5 = 21, c_out6 =
	22, c_out7 = 23,
	c_intermed0 = 24, c_intermed1 = 25, c_intermed2 = 26, c_intermed3 = 27, c_intermed4 =
	28, c_intermed5 = 29, c_intermed6 = 30, c_intermed7 = 31,
};

FORCE_INLINE uint32_t tsr_cb_reg(uint32_t cb, uint32_t offset)
{
	return TSR_REG_CB + cb * TSR_CB_STRIDE + offset;
}

/* Tiles packed since the last push, for pack_tile(); gone from kernels that never pack. */
#define TSR_PACK_CBS		64
static uint8_t tsr_packed[TSR_PACK_CBS];

/* Waits until @n pages are free. */
FORCE_INLINE void cb_reserve_back(uint32_t cb, uint32_t n)
{
	tsr_reg_write(tsr_cb_reg(cb, TSR_CB_RESERVE), n);
	TSR_COMPILER_BARRIER();
}

/* Hands @n filled pages to the reader. */
FORCE_INLINE void cb_push_back(uint32_t cb, uint32_t n)
{
	TSR_COMPILER_BARRIER();
	tsr_reg_write(tsr_cb_reg(cb, TSR_CB_PUSH), n);
	tsr_packed[cb % TSR_PACK_CBS] = 0;
}

/* Waits until @n pages are readable. */
FORCE_INLINE void cb_wait_front(uint32_t cb, uint32_t n)
{
	tsr_reg_write(tsr_cb_reg(cb, TSR_CB_WAIT), n);
	TSR_COMPILER_BARRIER();
}

/* Gives @n pages back to the writer. */
FORCE_INLINE void cb_pop_front(uint32_t cb, uint32_t n)
{
	TSR_COMPILER_BARRIER();
	tsr_reg_write(tsr_cb_reg(cb, TSR_CB_POP), n);
}

/* L1 address of the next page to fill. The same on every core of the buffer's range. */
FORCE_INLINE uint32_t get_write_ptr(uint32_t cb)
{
	return tsr_reg_read(tsr_cb_reg(cb, TSR_CB_WRITE_PTR));
}

/* L1 address of the next page to read. */
FORCE_INLINE uint32_t get_read_ptr(uint32_t cb)
{
	return tsr_reg_read(tsr_cb_reg(cb, TSR_CB_READ_PTR));
}

/* Readable and free pages now, without waiting. */
FORCE_INLINE uint32_t cb_pages_available(uint32_t cb)
{
	return tsr_reg_read(tsr_cb_reg(cb, TSR_CB_AVAILABLE));
}

FORCE_INLINE uint32_t cb_pages_free(uint32_t cb)
{
	return tsr_reg_read(tsr_cb_reg(cb, TSR_CB_FREE));
}

FORCE_INLINE bool cb_pages_available_at_front(uint32_t cb, uint32_t n)
{
	return cb_pages_available(cb) >= n;
}

FORCE_INLINE bool cb_pages_reservable_at_back(uint32_t cb, uint32_t n)
{
	return cb_pages_free(cb) >= n;
}

FORCE_INLINE uint32_t get_page_size(uint32_t cb)
{
	return tsr_reg_read(tsr_cb_reg(cb, TSR_CB_PAGE_SIZE));
}

FORCE_INLINE uint32_t get_page_count(uint32_t cb)
{
	return tsr_reg_read(tsr_cb_reg(cb, TSR_CB_PAGE_COUNT));
}

/* TSR_FORMAT_* of the elements. */
FORCE_INLINE uint32_t get_dataformat(uint32_t cb)
{
	return tsr_reg_read(tsr_cb_reg(cb, TSR_CB_FORMAT));
}

/* Bytes of a tile of @format; 0 for TSR_FORMAT_RAW. */
FORCE_INLINE uint32_t tsr_tile_bytes(uint32_t format)
{
	switch (format) {
	case TSR_FORMAT_INT8:
		return TSR_TILE_DIM * TSR_TILE_DIM;
	case TSR_FORMAT_BF16:
		return TSR_TILE_DIM * TSR_TILE_DIM * 2;
	case TSR_FORMAT_INT32:
	case TSR_FORMAT_FP32:
		return TSR_TILE_DIM * TSR_TILE_DIM * 4;
	default:
		return 0;
	}
}

/* Bytes of a tile of the buffer's format; of a page when it has none. */
FORCE_INLINE uint32_t get_tile_size(uint32_t cb)
{
	uint32_t bytes = tsr_tile_bytes(get_dataformat(cb));

	return bytes ? bytes : get_page_size(cb);
}

#endif

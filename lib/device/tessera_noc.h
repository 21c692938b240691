/* SPDX-License-Identifier: MIT */
/*
 * The network-on-chip: addresses, transfers, barriers, semaphores. Part of
 * tessera.h. Every processor has a NoC interface of its own, the compute
 * processor too.
 *
 * A NoC address is 64 bits: the high half says which core, rectangle of cores or
 * bound buffer, the low half is the address or offset there.
 *
 * A transfer is in flight from the call to the barrier of its class. Until then
 * the source must not be changed nor the destination be used.
 */
#ifndef TESSERA_DEVICE_NOC_H
#define TESSERA_DEVICE_NOC_H

#include "tessera_core.h"

/* ---- Addresses ---------------------------------------------------------------------------- */

FORCE_INLINE uint64_t tsr_noc_addr(uint32_t hi, uint32_t lo)
{
	return ((uint64_t)hi << 32) | lo;
}

/* @addr in the L1 of core (@x, @y), or the address of one of its semaphores. */
FORCE_INLINE uint64_t tsr_noc_addr_core(uint32_t x, uint32_t y, uint32_t addr)
{
	return tsr_noc_addr(TSR_NOC_TARGET_CORE | y << 8 | x, addr);
}

/* @addr on this core. */
FORCE_INLINE uint64_t tsr_noc_addr_own(uint32_t addr)
{
	return tsr_noc_addr_core(my_x(), my_y(), addr);
}

/*
 * @addr on every core of a rectangle, corners included; harvested cores are skipped. The two
 * corners may come in either order.
 */
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
					     uint32_t addr)
{
	uint32_t left = x0 < x1 ? x0 : x1, right = x0 < x1 ? x1 : x0;
	uint32_t top = y0 < y1 ? y0 : y1, bottom = y0 < y1 ? y1 : y0;

	return tsr_noc_addr(TSR_NOC_TARGET_MULTICAST | bottom << 21 | right << 14 | top << 7 | left,
			    addr);
}

/* Whether this core is in the rectangle of multicast address @dst. */
FORCE_INLINE bool tsr_noc_addr_covers_own(uint64_t dst)
{
	uint32_t hi = (uint32_t)(dst >> 32), x = my_x(), y = my_y();

	return x >= (hi & 0x7f) && x <= (hi >> 14 & 0x7f) && y >= (hi >> 7 & 0x7f) &&
	       y <= (hi >> 21 & 0x7f);
}

/* Byte @offset of the buffer bound at index @binding. */
FORCE_INLINE uint64_t get_noc_addr_from_binding(uint32_t binding, uint64_t offset)
{
	uint32_t hi = (uint32_t)(offset >> 32) & 0x3fff;

	return tsr_noc_addr(TSR_NOC_TARGET_BUFFER | hi << 16 | binding, (uint32_t)offset);
}

/* A bound buffer seen as pages (rows, tiles) of one size. */
struct tensor_accessor {
	uint32_t binding;
	uint32_t page_size;
};

FORCE_INLINE struct tensor_accessor tensor_accessor(uint32_t binding, uint32_t page_size)
{
	return (struct tensor_accessor){ binding, page_size };
}

/* The first byte of page @page. */
FORCE_INLINE uint64_t tsr_noc_addr_page(uint32_t page, struct tensor_accessor acc)
{
	return get_noc_addr_from_binding(acc.binding, (uint64_t)page * acc.page_size);
}

/*
 * get_noc_addr(x, y, addr)	on core (x, y)
 * get_noc_addr(page, accessor)	start of a page of a bound buffer
 * get_noc_addr(addr)		on this core
 */
#define TSR_NOC_ADDR_PICK(a, b, c, name, ...)	name
#define get_noc_addr(...)									\
	TSR_NOC_ADDR_PICK(__VA_ARGS__, tsr_noc_addr_core, tsr_noc_addr_page,			\
			  tsr_noc_addr_own, 0)(__VA_ARGS__)

/* ---- Transfers ---------------------------------------------------------------------------- */

FORCE_INLINE void tsr_noc_issue(uint32_t command, uint64_t target, uint32_t local, uint32_t size)
{
	TSR_COMPILER_BARRIER();
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_TARGET_LO, (uint32_t)target);
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_TARGET_HI, (uint32_t)(target >> 32));
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_LOCAL, local);
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_SIZE, size);
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_COMMAND, command);
	TSR_COMPILER_BARRIER();
}

FORCE_INLINE void tsr_noc_barrier(uint32_t classes)
{
	TSR_COMPILER_BARRIER();
	tsr_reg_write(TSR_REG_NOC + TSR_NOC_BARRIER, classes);
	TSR_COMPILER_BARRIER();
}

/* @size bytes from @src to own L1. */
FORCE_INLINE void noc_async_read(uint64_t src, uint32_t dst_l1, uint32_t size)
{
	tsr_noc_issue(TSR_NOC_CMD_READ, src, dst_l1, size);
}

/* @size bytes from own L1 to @dst. */
FORCE_INLINE void noc_async_write(uint32_t src_l1, uint64_t dst, uint32_t size)
{
	tsr_noc_issue(TSR_NOC_CMD_WRITE, dst, src_l1, size);
}

/*
 * @size bytes from own L1 to @dst on every core of a rectangle but this one.
 * @num_dests is not needed here: the device counts the cores itself.
 */
FORCE_INLINE void noc_async_write_multicast(uint32_t src_l1, uint64_t dst, uint32_t size,
					    uint32_t num_dests)
{
	(void)num_dests;
	tsr_noc_issue(TSR_NOC_CMD_WRITE, dst, src_l1, size);
}

/* The same, and to this core as well if it is inside the rectangle. */
FORCE_INLINE void noc_async_write_multicast_loopback_src(uint32_t src_l1, uint64_t dst,
							 uint32_t size, uint32_t num_dests)
{
	(void)num_dests;
	tsr_noc_issue(TSR_NOC_CMD_WRITE_LOOPBACK, dst, src_l1, size);
}

/* A transfer of any size is one packet here. */
FORCE_INLINE void noc_async_read_one_packet(uint64_t src, uint32_t dst_l1, uint32_t size)
{
	noc_async_read(src, dst_l1, size);
}

FORCE_INLINE void noc_async_write_one_packet(uint32_t src_l1, uint64_t dst, uint32_t size)
{
	noc_async_write(src_l1, dst, size);
}

FORCE_INLINE void noc_async_write_multicast_one_packet(uint32_t src_l1, uint64_t dst,
						       uint32_t size, uint32_t num_dests)
{
	noc_async_write_multicast(src_l1, dst, size, num_dests);
}

/* What a series of reads of one size has in common: the core or buffer of @src, and @size. */
static struct tsr_noc_read_state {
	uint32_t target, size;
} tsr_noc_read_state;

FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t src, uint32_t size)
{
	tsr_noc_read_state = (struct tsr_noc_read_state){ (uint32_t)(src >> 32), size };
}

/* Reads from address or offset @src, the low half of a NoC address, as the state says. */
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t src, uint32_t dst_l1)
{
	noc_async_read(tsr_noc_addr(tsr_noc_read_state.target, src), dst_l1,
		       tsr_noc_read_state.size);
}

/* The 32-bit @value to @dst, without a copy of it in L1. */
FORCE_INLINE void noc_inline_dw_write(uint64_t dst, uint32_t value)
{
	tsr_noc_issue(TSR_NOC_CMD_WRITE_WORD, dst, value, 4);
}

/* One page of a bound buffer, and the same under the name used for tiles. */
FORCE_INLINE void noc_async_read_page(uint32_t page, struct tensor_accessor acc, uint32_t dst_l1)
{
	noc_async_read(tsr_noc_addr_page(page, acc), dst_l1, acc.page_size);
}

FORCE_INLINE void noc_async_write_page(uint32_t page, struct tensor_accessor acc, uint32_t src_l1)
{
	noc_async_write(src_l1, tsr_noc_addr_page(page, acc), acc.page_size);
}

FORCE_INLINE void noc_async_read_tile(uint32_t tile, struct tensor_accessor acc, uint32_t dst_l1)
{
	noc_async_read_page(tile, acc, dst_l1);
}

FORCE_INLINE void noc_async_write_tile(uint32_t tile, struct tensor_accessor acc, uint32_t src_l1)
{
	noc_async_write_page(tile, acc, src_l1);
}

/* ---- Barriers: return when all transfers of the class that this processor issued are done -- */

FORCE_INLINE void noc_async_read_barrier(void)
{
	tsr_noc_barrier(TSR_NOC_CLASS_READ);
}

FORCE_INLINE void noc_async_write_barrier(void)
{
	tsr_noc_barrier(TSR_NOC_CLASS_WRITE);
}

FORCE_INLINE void noc_async_atomic_barrier(void)
{
	tsr_noc_barrier(TSR_NOC_CLASS_ATOMIC);
}

FORCE_INLINE void noc_async_full_barrier(void)
{
	tsr_noc_barrier(TSR_NOC_CLASS_READ | TSR_NOC_CLASS_WRITE | TSR_NOC_CLASS_ATOMIC);
}

/* The sources of all writes may be reused. Here this is the write barrier. */
FORCE_INLINE void noc_async_writes_flushed(void)
{
	noc_async_write_barrier();
}

FORCE_INLINE void noc_async_posted_writes_flushed(void)
{
	noc_async_write_barrier();
}

/* TSR_NOC_CLASS_* that are not yet done, without waiting. */
FORCE_INLINE uint32_t noc_pending(void)
{
	return tsr_reg_read(TSR_REG_NOC + TSR_NOC_PENDING);
}

/* ---- Semaphores --------------------------------------------------------------------------- */

/*
 * A semaphore is a register, not L1: get_semaphore() gives its address, which is
 * also its address in a NoC address. It can be read and written through a pointer,
 * but only the atomic operations may be used while others may change it.
 */
FORCE_INLINE uint32_t get_semaphore(uint32_t id)
{
	return TSR_REG_SEM + id * TSR_SEM_STRIDE + TSR_SEM_VALUE;
}

FORCE_INLINE volatile uint32_t *get_semaphore_ptr(uint32_t id)
{
	return (volatile uint32_t *)get_semaphore(id);
}

FORCE_INLINE bool tsr_is_semaphore(volatile uint32_t *sem)
{
	return (uint32_t)sem >= TSR_REG_BASE;
}

/* Sets a semaphore of this core. */
FORCE_INLINE void noc_semaphore_set(volatile uint32_t *sem, uint32_t value)
{
	TSR_COMPILER_BARRIER();
	*sem = value;
}

/* Adds to a semaphore of this core; safe against increments by others. */
FORCE_INLINE void semaphore_add(volatile uint32_t *sem, uint32_t value)
{
	TSR_COMPILER_BARRIER();
	tsr_reg_write((uint32_t)sem + TSR_SEM_ADD, value);
}

/* Adds to the semaphore at NoC address @dst, atomically. */
FORCE_INLINE void noc_semaphore_inc(uint64_t dst, uint32_t value)
{
	tsr_noc_issue(TSR_NOC_CMD_SEM_INC, dst, value, 4);
}

/* The same on every core of a rectangle but this one. */
FORCE_INLINE void noc_semaphore_inc_multicast(uint64_t dst, uint32_t value, uint32_t num_dests)
{
	(void)num_dests;
	tsr_noc_issue(TSR_NOC_CMD_SEM_INC, dst, value, 4);
}

/*
 * Waits until the value is @value. A semaphore stalls the processor, which costs
 * nothing and is reported as a deadlock if it never ends. A word of L1 works too,
 * but is polled.
 */
FORCE_INLINE void noc_semaphore_wait(volatile uint32_t *sem, uint32_t value)
{
	if (tsr_is_semaphore(sem))
		tsr_reg_write((uint32_t)sem + TSR_SEM_WAIT_EQ, value);
	else
		while (*sem != value)
			;
	TSR_COMPILER_BARRIER();
}

/* Waits until the value is at least @value, unsigned. */
FORCE_INLINE void noc_semaphore_wait_min(volatile uint32_t *sem, uint32_t value)
{
	if (tsr_is_semaphore(sem))
		tsr_reg_write((uint32_t)sem + TSR_SEM_WAIT_MIN, value);
	else
		while (*sem < value)
			;
	TSR_COMPILER_BARRIER();
}

/* Writes the value found at local address @src (semaphore or L1) to @dst on another core. */
FORCE_INLINE void noc_semaphore_set_remote(uint32_t src, uint64_t dst)
{
	noc_inline_dw_write(dst, *(volatile uint32_t *)src);
}

/* The same to every core of a rectangle but this one. */
FORCE_INLINE void noc_semaphore_set_multicast(uint32_t src, uint64_t dst, uint32_t num_dests)
{
	(void)num_dests;
	noc_inline_dw_write(dst, *(volatile uint32_t *)src);
}

/* The same, and to this core as well if it is inside the rectangle. */
FORCE_INLINE void noc_semaphore_set_multicast_loopback_src(uint32_t src, uint64_t dst,
							   uint32_t num_dests)
{
	uint32_t value = *(volatile uint32_t *)src;

	(void)num_dests;
	noc_inline_dw_write(dst, value);
	if (tsr_noc_addr_covers_own(dst))
		noc_inline_dw_write(tsr_noc_addr_own((uint32_t)dst), value);
}

#endif
